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
    /// Number of items that may wait for a free thread; if more do, the maker continues once threads have taken half of
    /// these. With 0, it continues once a thread has taken its item, which suits large items.
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

/// An item for the queue.
pub struct QueueItem<I> {
    pub value: I,
    /// At least 1.
    pub weight: usize,
    /// True if the next item is made as well, so that its maker need not wait until a thread takes this one.
    pub has_next: bool,
}

/// A queue between one maker of items, several workers, and one sink, which gets the results in the order of the items.
///
/// Waking a thread is a system call, and so is waiting for a lock. So only threads that have something to do are woken,
/// without holding the lock that they need next.
pub struct Queue<I, O> {
    limits: QueueLimits,
    state: Mutex<State<I, O>>,
    /// Wakes workers: there is an item, or there will be no more.
    item: Condvar,
    /// Wakes the maker: it may continue.
    room: Condvar,
    /// Wakes the sink: the next result is there, or there will be no more.
    result: Condvar,
}

struct State<I, O> {
    /// Items that wait for a worker, with their numbers.
    items: VecDeque<(u64, I)>,
    /// The weights of the items that have not reached the sink, in order, and what became of them.
    results: VecDeque<(usize, Outcome<O>)>,
    /// The number of the first of `results`.
    first: u64,
    /// The weight of the item at the sink.
    at_sink: usize,
    /// The weight of all items in progress.
    weight: usize,
    phase: Phase,
    /// Number of workers that wait.
    idle: usize,
    /// What the maker waits for.
    maker_waits_for: Option<Need>,
    sink_waits: bool,
}

enum Outcome<O> {
    Unknown,
    Result(Result<O>),
    /// The item has no result for the sink.
    Nothing,
}

#[derive(Clone, Copy)]
enum Need {
    /// Room for an item of this weight.
    Room(usize),
    /// At most this many items that wait for a worker.
    Waiting(usize),
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

impl<I, O> State<I, O> {
    fn meets(&self, need: Need, limits: QueueLimits) -> bool {
        match need {
            Need::Room(weight) => self.weight == 0 || self.weight + weight <= limits.weight,
            Need::Waiting(most) => self.items.len() <= most,
        }
    }

    /// True if the maker must be woken: it waits for what is now there.
    fn wakes_maker(&mut self, limits: QueueLimits) -> bool {
        let need = self.maker_waits_for;
        let wakes = need.is_some_and(|need| self.meets(need, limits));
        if wakes {
            self.maker_waits_for = None;
        }
        wakes
    }

    /// True if the sink must be woken.
    fn wakes_sink(&mut self) -> bool {
        let is_ready = match self.results.front() {
            Some((_, outcome)) => matches!(outcome, Outcome::Result(_)),
            None => self.phase == Phase::Closed,
        };
        is_ready && take(&mut self.sink_waits)
    }

    /// Removes the first items as long as they have no result.
    fn skip_nothing(&mut self) {
        while let Some(&(weight, Outcome::Nothing)) = self.results.front() {
            self.results.pop_front();
            self.first += 1;
            self.weight -= weight;
        }
    }
}

impl<I, O> Queue<I, O> {
    /// An empty queue.
    pub fn new(limits: QueueLimits) -> Self {
        let state = State {
            items: VecDeque::new(),
            results: VecDeque::new(),
            first: 0,
            at_sink: 0,
            weight: 0,
            phase: Phase::Open,
            idle: 0,
            maker_waits_for: None,
            sink_waits: false,
        };
        Self {
            limits,
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
    pub fn push(&self, item: QueueItem<I>) -> Result<()> {
        let QueueItem {
            value,
            weight,
            has_next,
        } = item;
        let mut state = self.wait_for(Need::Room(weight), lock(&self.state))?;
        let number = state.first + state.results.len() as u64;
        state.results.push_back((weight, Outcome::Unknown));
        state.weight += weight;
        state.items.push_back((number, value));
        let wakes_worker = state.idle > 0;
        drop(state);
        if wakes_worker {
            self.item.notify_one();
        }
        if has_next {
            return Ok(());
        }
        let most = self.limits.waiting;
        let state = lock(&self.state);
        let need = if state.items.len() <= most {
            most
        } else {
            most / 2
        };
        self.wait_for(Need::Waiting(need), state).map(drop)
    }

    /// Blocks the maker until it has what it needs.
    fn wait_for<'a>(
        &self,
        need: Need,
        mut state: MutexGuard<'a, State<I, O>>,
    ) -> Result<MutexGuard<'a, State<I, O>>> {
        while state.phase != Phase::Stopped && !state.meets(need, self.limits) {
            state.maker_waits_for = Some(need);
            state = wait(&self.room, state);
        }
        if state.phase == Phase::Stopped {
            // Whatever stopped the queue is reported elsewhere.
            return Err(Error::new(Kind::Io, "stopped"));
        }
        Ok(state)
    }

    /// Works on items until there are no more; `work` returns `None` if the sink need not see the item. If `work` panics,
    /// its thread must stop the queue.
    pub fn work(&self, mut work: impl FnMut(I) -> Result<Option<O>>) {
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
            let wakes_maker = state.wakes_maker(self.limits);
            drop(state);
            if wakes_maker {
                self.room.notify_one();
            }
            let outcome = match work(item) {
                Ok(Some(result)) => Outcome::Result(Ok(result)),
                Ok(None) => Outcome::Nothing,
                Err(error) => Outcome::Result(Err(error)),
            };
            state = lock(&self.state);
            let place = (number - state.first) as usize;
            if let Some((_, unknown)) = state.results.get_mut(place) {
                *unknown = outcome;
            }
            state.skip_nothing();
            let (wakes_maker, wakes_sink) = (state.wakes_maker(self.limits), state.wakes_sink());
            if wakes_maker || wakes_sink {
                drop(state);
                if wakes_maker {
                    self.room.notify_one();
                }
                if wakes_sink {
                    self.result.notify_one();
                }
                state = lock(&self.state);
            }
        }
    }

    /// The next result, when the sink has finished with the one before; `None` after the last, or if a thread panicked.
    pub fn next(&self) -> Option<Result<O>> {
        let mut state = lock(&self.state);
        state.weight -= take(&mut state.at_sink);
        state.skip_nothing();
        if state.wakes_maker(self.limits) {
            drop(state);
            self.room.notify_one();
            state = lock(&self.state);
        }
        while state.phase != Phase::Stopped {
            match state.results.pop_front() {
                Some((weight, Outcome::Result(result))) => {
                    state.first += 1;
                    state.at_sink = weight;
                    return Some(result);
                }
                Some(unknown) => state.results.push_front(unknown),
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
