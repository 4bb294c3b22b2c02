//! Takes a sample of the rows that does not depend on the format, the route or the number of threads.

use std::collections::BinaryHeap;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use twox_hash::XxHash3_128;

use crate::error::{Error, Result};
use crate::format::frame::headless;

/// A sample in which all rows are equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Number of rows.
    pub rows: u64,
    /// Different seeds give different samples.
    pub seed: u64,
}

/// Rows are chosen by this key: the hash of the row number, and the number itself.
type SampleKey = (u128, u64);

/// Rows that are no longer in the sample are freed when there are this many of them.
const SLACK: usize = 1 << 13;

/// Keeps the rows with the smallest keys.
pub struct Sampler {
    wanted: Sample,
    /// Number of rows so far.
    seen: u64,
    /// The smallest keys, with the largest of them on top.
    least: BinaryHeap<SampleKey>,
    /// Rows whose key was among the smallest when they arrived.
    held: Vec<(RecordBatch, Vec<SampleKey>)>,
    held_rows: usize,
}

impl Sampler {
    pub fn new(wanted: Sample) -> Self {
        Self {
            wanted,
            seen: 0,
            least: BinaryHeap::new(),
            held: Vec::new(),
            held_rows: 0,
        }
    }

    /// True if there were any rows.
    pub fn has_rows(&self) -> bool {
        self.seen > 0
    }

    /// True if rows before the first row of the sample were dropped.
    pub fn has_dropped(&self) -> bool {
        self.least.iter().all(|&(_, number)| number > 0)
    }

    /// Adds rows.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if the rows are too large for Arrow.
    pub fn take(&mut self, batches: &[RecordBatch]) -> Result<()> {
        for batch in batches {
            let first = self.seen;
            self.seen += batch.num_rows() as u64;
            let keys: Vec<SampleKey> = (first..self.seen)
                .map(|number| {
                    let hash =
                        XxHash3_128::oneshot_with_seed(self.wanted.seed, &number.to_le_bytes());
                    (hash, number)
                })
                .collect();
            let kept: Vec<bool> = keys
                .iter()
                .map(|&key| {
                    self.least.push(key);
                    let is_over = self.least.len() as u64 > self.wanted.rows;
                    !is_over || self.least.pop() != Some(key)
                })
                .collect();
            self.hold(batch, &keys, kept)?;
            if self.held_rows > 2 * self.least.len() + SLACK {
                self.clear()?;
            }
        }
        Ok(())
    }

    /// The sample, in the order of the rows.
    ///
    /// # Errors
    /// As for [`Self::take`].
    pub fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        self.clear()?;
        Ok(std::mem::take(&mut self.held)
            .into_iter()
            .map(|(batch, _)| batch)
            .collect())
    }

    fn hold(&mut self, batch: &RecordBatch, keys: &[SampleKey], kept: Vec<bool>) -> Result<()> {
        let kept_keys: Vec<SampleKey> = keys
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| **kept)
            .map(|(key, _)| *key)
            .collect();
        if kept_keys.is_empty() {
            return Ok(());
        }
        let has_first = kept[0];
        let rows = filter_record_batch(batch, &BooleanArray::from(kept))
            .map_err(|error| Error::limit(format!("cannot hold the rows: {error}")))?;
        // The head belongs to the first row.
        let rows = if has_first { rows } else { headless(rows) };
        self.held_rows += kept_keys.len();
        self.held.push((rows, kept_keys));
        Ok(())
    }

    /// Frees the rows that are no longer in the sample.
    fn clear(&mut self) -> Result<()> {
        let greatest = self.least.peek().copied();
        self.held_rows = 0;
        for (batch, keys) in std::mem::take(&mut self.held) {
            let kept = keys.iter().map(|&key| Some(key) <= greatest).collect();
            self.hold(&batch, &keys, kept)?;
        }
        Ok(())
    }
}
