//! Rows counted from the end of an input of unknown length.

use std::collections::VecDeque;

use arrow_array::RecordBatch;

use crate::format::frame::headless;

/// A range of rows, counted from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromEnd {
    /// Keep only this many of the last rows; `None` for all rows.
    pub last: Option<u64>,
    /// Drop this many of the last rows.
    pub without: u64,
    /// Keep at most this many of these rows, the first ones.
    pub limit: u64,
}

/// Holds back rows until it is known whether they are kept; never more rows than the range requires.
pub struct Window {
    wanted: FromEnd,
    held: VecDeque<RecordBatch>,
    rows: u64,
    /// True if rows before the held ones were dropped.
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

    /// True if rows are held back.
    pub fn holds_rows(&self) -> bool {
        self.rows > 0
    }

    /// Adds rows, and returns the earlier ones that are now certain to be kept.
    pub fn take(&mut self, batches: Vec<RecordBatch>) -> Vec<RecordBatch> {
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
                    kept.extend(self.limited(&batch, 0, rows));
                } else {
                    self.has_dropped = true;
                }
            }
        }
        kept
    }

    /// The held rows to keep, at the end of the input.
    pub fn finish(&mut self) -> Vec<RecordBatch> {
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
            kept.extend(self.limited(&batch, from.min(rows), to.min(rows)));
            first += rows;
        }
        self.rows = 0;
        kept
    }

    /// The rows `from..to` of a batch, up to the limit.
    fn limited(&mut self, batch: &RecordBatch, from: u64, to: u64) -> Option<RecordBatch> {
        let len = to.saturating_sub(from).min(self.wanted.limit);
        self.wanted.limit -= len;
        if len == 0 {
            return None;
        }
        let rows = batch.slice(from as usize, len as usize);
        // The head belongs to the first row.
        Some(if from > 0 { headless(rows) } else { rows })
    }

    /// True if no more rows can be kept.
    pub fn is_full(&self) -> bool {
        self.wanted.limit == 0
    }
}
