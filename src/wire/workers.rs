//! Parts of a task that may run on several threads.
//!
//! This layer starts no threads. The pipeline passes its own as [`Workers`].

use std::sync::Mutex;

use crate::error::Result;
use crate::sync::lock;

/// Runs the parts of a task.
pub trait Workers: Sync {
    /// Calls `work` once with each number below `count`, perhaps on several threads at once, and returns after the last
    /// call. `work` may call this in turn.
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync));
}

/// Work on fewer bytes is done before another thread has started: encoding them, or compressing them.
pub const BYTES_WORTH_A_THREAD: usize = 256 << 10;

/// Runs every part on the thread that asks.
#[derive(Clone, Copy, Debug)]
pub struct CallingThread;

impl Workers for CallingThread {
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(work);
    }
}

/// The workers for a task, or the calling thread alone if the task is so small that starting a thread takes longer.
pub fn for_task(workers: &dyn Workers, is_large: bool) -> &dyn Workers {
    if is_large { workers } else { &CallingThread }
}

/// The results of `work` for all items, in the order of the items.
pub fn map<T: Send, U: Send>(
    workers: &dyn Workers,
    items: Vec<T>,
    work: impl Fn(T) -> U + Sync,
) -> Vec<U> {
    let items: Vec<_> = items
        .into_iter()
        .map(|item| Mutex::new(Some(item)))
        .collect();
    let results: Vec<_> = items.iter().map(|_| Mutex::new(None)).collect();
    workers.run(items.len(), &|at| {
        // No lock is held during the work.
        let item = lock(&items[at]).take();
        *lock(&results[at]) = item.map(&work);
    });
    results
        .iter()
        .filter_map(|result| lock(result).take())
        .collect()
}

/// Like [`map`], for work that may fail.
///
/// # Errors
/// The first error in the order of the items.
pub fn try_map<T: Send, U: Send>(
    workers: &dyn Workers,
    items: Vec<T>,
    work: impl Fn(T) -> Result<U> + Sync,
) -> Result<Vec<U>> {
    map(workers, items, work).into_iter().collect()
}
