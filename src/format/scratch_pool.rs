//! Memory that threads reuse between jobs.

use std::sync::Mutex;

use crate::sync::lock;

/// A pool; it grows to the number of threads that use it at once.
#[derive(Debug)]
pub struct ScratchPool<T>(Mutex<Vec<T>>);

impl<T> Default for ScratchPool<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> ScratchPool<T> {
    /// Lends an item to `work`; `make` creates one if none is free.
    pub fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let lent = lock(&self.0).pop();
        let mut lent = lent.unwrap_or_else(make);
        let done = work(&mut lent);
        lock(&self.0).push(lent);
        done
    }
}
