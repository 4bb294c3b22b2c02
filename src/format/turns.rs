//! Values that jobs on several threads use in turn, in the order of the jobs.
//!
//! A column chunk of Parquet is read and written from first row to last, but a job handles a range of rows of all
//! columns. While one job works on a column, the next job can work on the previous column.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex};

use crate::sync::{lock, wait};

/// Values, and the job whose turn it is for each.
#[derive(Debug)]
pub struct Turns<T>(Vec<Slot<T>>);

#[derive(Debug)]
struct Slot<T> {
    queue: Mutex<Queue<T>>,
    moved: Condvar,
}

#[derive(Debug)]
struct Queue<T> {
    /// The job that may use the value.
    next: usize,
    /// Later jobs that no longer need it.
    passed: BTreeSet<usize>,
    value: T,
}

/// Lets a job use each value in its turn. Jobs must be started in the order of their turns. Dropping a turn passes all
/// values on.
#[derive(Debug)]
pub struct Turn<T> {
    turns: Arc<Turns<T>>,
    number: usize,
}

impl<T> Turns<T> {
    /// Wraps values that no job has used yet.
    pub fn new(values: impl IntoIterator<Item = T>) -> Arc<Self> {
        let slot = |value| Slot {
            queue: Mutex::new(Queue {
                next: 0,
                passed: BTreeSet::new(),
                value,
            }),
            moved: Condvar::new(),
        };
        Arc::new(Self(values.into_iter().map(slot).collect()))
    }

    /// The turn of the job with this number. Each number from 0 on must be used once.
    pub fn turn(self: &Arc<Self>, number: usize) -> Turn<T> {
        Turn {
            turns: Arc::clone(self),
            number,
        }
    }
}

impl<T> Turn<T> {
    /// The number of the job.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.turns.0.len()
    }

    /// Uses a value, after all earlier jobs have used it or have been dropped.
    pub fn with<R>(&self, place: usize, work: impl FnOnce(&mut T) -> R) -> R {
        let slot = &self.turns.0[place];
        let mut queue = lock(&slot.queue);
        while queue.next < self.number {
            queue = wait(&slot.moved, queue);
        }
        work(&mut queue.value)
    }
}

impl<T> Turn<T> {
    /// Passes a value to the next job without using it.
    pub fn pass(&self, place: usize) {
        let slot = &self.turns.0[place];
        let mut queue = lock(&slot.queue);
        if queue.next > self.number {
            return;
        }
        queue.passed.insert(self.number);
        loop {
            let next = queue.next;
            if !queue.passed.remove(&next) {
                break;
            }
            queue.next += 1;
        }
        slot.moved.notify_all();
    }
}

impl<T> Drop for Turn<T> {
    fn drop(&mut self) {
        (0..self.len()).for_each(|place| self.pass(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_use_each_value_in_order_although_some_are_dropped() {
        let turns = Turns::new([Vec::new(), Vec::new()]);
        let jobs: Vec<_> = (0..9).map(|number| turns.turn(number)).collect();
        std::thread::scope(|scope| {
            for job in jobs.into_iter().rev() {
                scope.spawn(move || {
                    for place in 0..job.len() {
                        if job.number() % 4 == 3 {
                            return;
                        }
                        job.with(place, |seen| seen.push(job.number()));
                        job.pass(place);
                    }
                });
            }
        });
        let last = turns.turn(9);
        for place in 0..2 {
            assert_eq!(last.with(place, |seen| seen.clone()), [0, 1, 2, 4, 5, 6, 8]);
        }
    }
}
