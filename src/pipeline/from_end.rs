//! Rows counted from the end, where only the end tells how many there are.

use std::collections::VecDeque;

use arrow_array::RecordBatch;

use crate::error::Result;
use crate::format::frame::headless;

/// Which rows are kept, counted from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromEnd {
    /// Only so many at the end; `None` for all.
    pub last: Option<u64>,
    /// Not so many at the end.
    pub without: u64,
    /// At most so many, the first of those.
    pub limit: u64,
}

/// Holds back the rows that may turn out to be dropped at the end of the input, no more of them than the range names.
pub struct Window {
    wanted: FromEnd,
    held: VecDeque<RecordBatch>,
    rows: u64,
    /// Rows before the held ones were dropped.
    pub has_dropped: bool,
}

impl Window {
    pub fn new(wanted: FromEnd) -> Self {
        Self {
            wanted,
            held: VecDeque::new(),
            rows: 0,
            has_dropped: false,
        }
    }

    /// True if rows are held.
    pub fn holds_rows(&self) -> bool {
        self.rows > 0
    }

    /// Takes rows, and returns those that are kept no matter what follows.
    ///
    /// # Errors
    /// As for [`headless`].
    pub fn take(&mut self, batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
        let mut kept = Vec::new();
        for batch in batches {
            self.rows += batch.num_rows() as u64;
            self.held.push_back(batch);
            let most = self.wanted.last.unwrap_or(self.wanted.without);
            while let Some(batch) = self.held.pop_front() {
                let rows = batch.num_rows() as u64;
                if self.rows - rows < most {
                    self.held.push_front(batch);
                    break;
                }
                self.rows -= rows;
                if self.wanted.last.is_none() {
                    kept.extend(self.limited(&batch, 0, rows)?);
                } else {
                    self.has_dropped = true;
                }
            }
        }
        Ok(kept)
    }

    /// The rows to keep among the held ones, at the end of the input.
    ///
    /// # Errors
    /// As for [`headless`].
    pub fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        let from = self
            .wanted
            .last
            .map_or(0, |last| self.rows.saturating_sub(last));
        let to = self.rows.saturating_sub(self.wanted.without);
        self.has_dropped |= from > 0;
        let mut kept = Vec::new();
        let mut first = 0;
        for batch in std::mem::take(&mut self.held) {
            let rows = batch.num_rows() as u64;
            let (from, to) = (from.max(first) - first, to.max(first) - first);
            kept.extend(self.limited(&batch, from.min(rows), to.min(rows))?);
            first += rows;
        }
        self.rows = 0;
        Ok(kept)
    }

    /// The rows of a batch from one up to another, as far as the limit goes.
    fn limited(&mut self, batch: &RecordBatch, from: u64, to: u64) -> Result<Option<RecordBatch>> {
        let len = to.saturating_sub(from).min(self.wanted.limit);
        self.wanted.limit -= len;
        if len == 0 {
            return Ok(None);
        }
        let rows = batch.slice(from as usize, len as usize);
        // The head goes with the first row.
        Ok(Some(if from > 0 { headless(rows)? } else { rows }))
    }

    /// True if no further row can be kept.
    pub fn is_full(&self) -> bool {
        self.wanted.limit == 0
    }
}
