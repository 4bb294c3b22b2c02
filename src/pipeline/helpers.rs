//! Idle threads help others with parts of their tasks.

use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use super::thread::start_scoped;
use crate::wire::workers::Workers;

/// Threads that may run at the same time, most of them not started yet.
///
/// A task of few parts may have one that takes as long as all others, and that one may have parts as well. So a thread
/// that runs out of parts ends, and a new one may be started wherever parts are left.
pub struct Helpers {
    /// How many more threads may run.
    idle: AtomicIsize,
}

impl Helpers {
    /// For at most this many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            idle: AtomicIsize::new(threads as isize),
        }
    }

    /// Runs a task on the calling thread, which counts as one of the threads.
    pub fn occupy<T>(&self, task: impl FnOnce() -> T) -> T {
        self.idle.fetch_sub(1, Ordering::Relaxed);
        let result = task();
        self.release();
        result
    }

    /// Claims an idle thread, if there is one.
    fn claim(&self) -> bool {
        let claimed = |idle: isize| (idle > 0).then_some(idle - 1);
        let claim = (self.idle).fetch_update(Ordering::Relaxed, Ordering::Relaxed, claimed);
        claim.is_ok()
    }

    fn release(&self) {
        self.idle.fetch_add(1, Ordering::Relaxed);
    }
}

impl Workers for Helpers {
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        let next = &AtomicUsize::new(0);
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < count);
        std::thread::scope(|scope| {
            while let Some(at) = take() {
                // Another thread takes the parts after this one.
                if at + 1 < count && self.claim() {
                    let helper = start_scoped(scope, move || {
                        while let Some(at) = take() {
                            work(at);
                        }
                        self.release();
                    });
                    // Without it, this thread does all the work.
                    if helper.is_err() {
                        self.release();
                    }
                }
                work(at);
            }
            // While this thread waits for the others, one more may help them.
            self.release();
        });
        self.idle.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn every_part_runs_once_and_all_threads_are_idle_again() {
        for threads in [1, 2, 7] {
            let helpers = Helpers::new(threads);
            let runs: Vec<_> = (0..600).map(|_| AtomicU32::new(0)).collect();
            helpers.occupy(|| {
                // Parts of parts, as many as their parent's number.
                helpers.run(30, &|outer| {
                    helpers.run(outer % 20, &|inner| {
                        runs[outer * 20 + inner].fetch_add(1, Ordering::Relaxed);
                    });
                });
            });
            for (at, runs) in runs.iter().enumerate() {
                let expected = u32::from(at % 20 < at / 20 % 20);
                assert_eq!(runs.load(Ordering::Relaxed), expected, "{at}");
            }
            assert_eq!(helpers.idle.load(Ordering::Relaxed), threads as isize);
        }
    }
}
