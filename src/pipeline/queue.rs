//! The items of [`super::ordered`] that are in progress.

use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::error::{Error, Kind, Result};
use crate::sync::{lock, wait};

/// How far the maker of items may run ahead.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Total weight of the items in progress, which are waiting, being worked on, or still with the sink. A heavier item is
    /// in progress alone.
    pub weight: usize,
    /// Number of items that may wait for a free thread. With 0, the maker continues once a thread has taken its item,
    /// which suits large items.
    pub waiting: usize,
}

impl QueueLimits {
    /// For large items of weight 1, of which `most` are in progress.
    pub fn large(most: usize) -> Self {
        Self {
            weight: most,
            waiting: 0,
        }
    }
}

/// A queue between one maker of items, several workers, and one sink, which gets the results in the order of the items.
///
/// Waking a thread is a system call, so only threads that wait are woken.
pub struct Queue<I, O> {
    bounds: QueueLimits,
    state: Mutex<State<I, O>>,
    /// Wakes workers: there is an item, or there will be no more.
    item: Condvar,
    /// Wakes the maker: there is room.
    room: Condvar,
    /// Wakes the sink: the next result is there, or there will be no more.
    result: Condvar,
}

struct State<I, O> {
    /// Items that wait for a worker, with their numbers.
    items: VecDeque<(u64, I)>,
    /// The weights of the items that have not reached the sink, in order, and their results, once these are known.
    results: VecDeque<(usize, Option<Result<O>>)>,
    /// The number of the first of `results`.
    first: u64,
    /// The weight of the item at the sink.
    at_sink: usize,
    /// The weight of all items in progress.
    weight: usize,
    phase: Phase,
    /// Number of workers that wait.
    idle: usize,
    maker_waits: bool,
    sink_waits: bool,
}

/// Which items there may still be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The maker may add items.
    Open,
    /// The maker has ended; the items in progress are finished.
    Closed,
    /// The sink takes no more results.
    Stopped,
}

impl<I, O> Queue<I, O> {
    /// An empty queue.
    pub fn new(bounds: QueueLimits) -> Self {
        let state = State {
            items: VecDeque::new(),
            results: VecDeque::new(),
            first: 0,
            at_sink: 0,
            weight: 0,
            phase: Phase::Open,
            idle: 0,
            maker_waits: false,
            sink_waits: false,
        };
        Self {
            bounds,
            state: Mutex::new(state),
            item: Condvar::new(),
            room: Condvar::new(),
            result: Condvar::new(),
        }
    }

    /// Adds an item as soon as there is room.
    ///
    /// # Errors
    /// If the queue is stopped.
    pub fn push(&self, item: I, weight: usize) -> Result<()> {
        let QueueLimits {
            weight: most,
            waiting,
        } = self.bounds;
        let mut state =
            self.wait_for_room(|state| state.weight == 0 || state.weight + weight <= most)?;
        let number = state.first + state.results.len() as u64;
        state.results.push_back((weight, None));
        state.weight += weight;
        state.items.push_back((number, item));
        if state.idle > 0 {
            self.item.notify_one();
        }
        drop(state);
        self.wait_for_room(|state| state.items.len() <= waiting)
            .map(drop)
    }

    fn wait_for_room(
        &self,
        is_there: impl Fn(&State<I, O>) -> bool,
    ) -> Result<MutexGuard<'_, State<I, O>>> {
        let mut state = lock(&self.state);
        while state.phase != Phase::Stopped && !is_there(&state) {
            state.maker_waits = true;
            state = wait(&self.room, state);
        }
        if state.phase == Phase::Stopped {
            // Whatever stopped the queue is reported elsewhere.
            return Err(Error::new(Kind::Io, "stopped"));
        }
        Ok(state)
    }

    /// Works on items until there are no more. If `work` panics, its thread must stop the queue.
    pub fn work(&self, mut work: impl FnMut(I) -> Result<O>) {
        let mut state = lock(&self.state);
        while state.phase != Phase::Stopped {
            let Some((number, item)) = state.items.pop_front() else {
                if state.phase == Phase::Closed {
                    return;
                }
                state.idle += 1;
                state = wait(&self.item, state);
                state.idle -= 1;
                continue;
            };
            if state.items.len() <= self.bounds.waiting && take(&mut state.maker_waits) {
                self.room.notify_one();
            }
            drop(state);
            let result = work(item);
            state = lock(&self.state);
            let place = (number - state.first) as usize;
            if let Some((_, missing)) = state.results.get_mut(place) {
                *missing = Some(result);
            }
            if place == 0 && take(&mut state.sink_waits) {
                self.result.notify_one();
            }
        }
    }

    /// The next result, when the sink has finished with the one before; `None` after the last, or if a thread panicked.
    pub fn next(&self) -> Option<Result<O>> {
        let mut state = lock(&self.state);
        state.weight -= take(&mut state.at_sink);
        if take(&mut state.maker_waits) {
            self.room.notify_one();
        }
        while state.phase != Phase::Stopped {
            match state.results.pop_front() {
                Some((weight, Some(result))) => {
                    state.first += 1;
                    state.at_sink = weight;
                    return Some(result);
                }
                Some(missing) => state.results.push_front(missing),
                None if state.phase == Phase::Closed => return None,
                None => {}
            }
            state.sink_waits = true;
            state = wait(&self.result, state);
        }
        None
    }

    /// Announces that there will be no more items.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        if state.phase == Phase::Open {
            state.phase = Phase::Closed;
        }
        drop(state);
        self.item.notify_all();
        self.result.notify_one();
    }

    /// Announces that the sink takes no more results, and drops the waiting items.
    pub fn stop(&self) {
        let mut state = lock(&self.state);
        state.phase = Phase::Stopped;
        let dropped = take(&mut state.items);
        drop(state);
        self.item.notify_all();
        self.room.notify_one();
        self.result.notify_one();
        drop(dropped);
    }
}
