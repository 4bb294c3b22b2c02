//! A pool of buffers of old batches, for reuse.

use std::collections::VecDeque;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};

/// Number of buffers to look at. Frames of one stream have similar buffers in the same order, so a fitting one is near
/// the front.
const LOOK_AHEAD: usize = 8;
/// The widest alignment of an array of wire 1.
const ALIGNMENT: usize = 8;

/// Buffers to reuse, first in, first out.
#[derive(Debug, Default)]
pub(super) struct Pool {
    free: VecDeque<MutableBuffer>,
    held_bytes: usize,
}

impl Pool {
    /// Takes back the unshared buffers of `batch`, up to `most` bytes in all.
    pub(super) fn recycle(&mut self, batch: RecordBatch, most: usize) {
        let (_, columns, _) = batch.into_parts();
        for column in columns {
            for buffer in buffers_of(column) {
                if let Ok(buffer) = buffer.into_mutable()
                    && buffer.as_ptr().align_offset(ALIGNMENT) == 0
                    && self.held_bytes + buffer.capacity() <= most
                {
                    self.held_bytes += buffer.capacity();
                    self.free.push_back(buffer);
                }
            }
        }
    }

    /// A buffer with the `parts` end to end.
    pub(super) fn copied(&mut self, parts: &[&[u8]]) -> Buffer {
        let len = parts.iter().map(|part| part.len()).sum();
        let mut buffer = match self.fitting(len) {
            Some(mut buffer) => {
                buffer.clear();
                buffer
            }
            None => MutableBuffer::with_capacity(len),
        };
        for part in parts {
            buffer.extend_from_slice(part);
        }
        buffer.into()
    }

    /// A buffer of `len` bytes with unspecified contents.
    pub(super) fn sized(&mut self, len: usize) -> MutableBuffer {
        match self.fitting(len) {
            Some(mut buffer) => {
                buffer.resize(len, 0);
                buffer
            }
            None => MutableBuffer::from_len_zeroed(len),
        }
    }

    /// The smallest of the next few buffers that is large enough. If all are too small, drops the next buffer, so that
    /// buffers that have become too small do not accumulate.
    fn fitting(&mut self, len: usize) -> Option<MutableBuffer> {
        let fit = (self.free.iter().take(LOOK_AHEAD).enumerate())
            .filter(|(_, buffer)| buffer.capacity() >= len)
            .min_by_key(|(_, buffer)| buffer.capacity())
            .map(|(place, _)| place);
        let taken = self.free.remove(fit.unwrap_or(0))?;
        self.held_bytes -= taken.capacity();
        fit.map(|_| taken)
    }
}

/// The buffers of a column in the order in which decoding requests them, bitmap first.
fn buffers_of(column: ArrayRef) -> Vec<Buffer> {
    let data = column.to_data();
    drop(column);
    data.nulls()
        .map(|nulls| nulls.buffer().clone())
        .into_iter()
        .chain(data.buffers().iter().cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::Int64Array;

    use super::*;

    fn batch(values: Vec<i64>) -> RecordBatch {
        RecordBatch::try_from_iter([("x", Arc::new(Int64Array::from(values)) as ArrayRef)]).unwrap()
    }

    #[test]
    fn only_buffers_that_nobody_else_holds_are_taken_back() {
        let mut pool = Pool::default();
        let ours = batch(vec![1; 100]);
        let place = ours.column(0).to_data().buffers()[0].as_ptr();
        let shared = batch(vec![2; 100]);
        let other = shared.clone();
        pool.recycle(shared, usize::MAX);
        pool.recycle(ours, usize::MAX);
        assert_eq!(pool.free.len(), 1);
        assert_eq!(pool.sized(800).as_ptr(), place);
        assert_eq!(other, batch(vec![2; 100]));
    }

    #[test]
    fn no_more_is_kept_than_allowed() {
        let mut pool = Pool::default();
        pool.recycle(batch(vec![1; 100]), 799);
        assert!(pool.free.is_empty());
    }
}
