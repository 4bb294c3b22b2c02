//! The memory limit and the options of the threads that decode one envelope.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};
use crate::units::grouped;
use crate::wire::workers::Workers;

/// What the threads share that decode the columns of one envelope.
pub struct Shared<'a> {
    /// Number of bytes that the frame may still take in memory. Its columns take from it in any order: if they take too
    /// much together, one of them fails, but which one depends on the order.
    left: AtomicUsize,
    /// The initial value of `left`.
    max_bytes: usize,
    /// Decode columns and open sections.
    pub workers: &'a dyn Workers,
    /// True if columns of repeated texts become dictionaries.
    pub keeps_dictionaries: bool,
}

impl<'a> Shared<'a> {
    /// For a frame that may take `max_bytes` bytes in memory.
    pub fn new(max_bytes: usize, workers: &'a dyn Workers) -> Self {
        Self {
            left: AtomicUsize::new(max_bytes),
            max_bytes,
            workers,
            keeps_dictionaries: false,
        }
    }

    /// Number of bytes that the frame may still take in memory.
    pub fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }

    /// Subtracts bytes from the remaining limit.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if not enough are left.
    pub fn take(&self, count: usize, width: usize) -> Result<()> {
        let bytes = count.saturating_mul(width);
        let less = |left: usize| left.checked_sub(bytes);
        let taken = (self.left).fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map(drop).map_err(|left| {
            let needed = (self.max_bytes - left).saturating_add(bytes);
            let [needed, limit] = [needed, self.max_bytes].map(|bytes| grouped(bytes as u64));
            Error::limit(format!(
                "the frame expands to {needed} bytes or more, the limit is {limit}"
            ))
            .hint("raise --max-frame, which bounds what a frame takes in memory")
        })
    }
}
