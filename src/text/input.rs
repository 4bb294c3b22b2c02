//! Text from a file or pipe, a window at a time.

use std::io::Read;

use super::span::Block;
use crate::error::{Error, Result};

/// Bytes of text per block, unless one record is longer. Small enough that the text and the spans of
/// a block stay in the second-level cache while its columns are read.
pub const BLOCK_BYTES: usize = 256 << 10;

/// A growing window on the input; blocks are taken from its front.
pub struct Input<R> {
    reader: R,
    window: Vec<u8>,
    /// Where the part that was not taken yet begins.
    start: usize,
    exhausted: bool,
    line: u64,
    /// No record may be longer.
    max_record: u64,
}

impl<R: Read> Input<R> {
    /// Reads from `reader`; a record longer than `max_record` bytes is refused.
    pub fn new(reader: R, max_record: u64) -> Self {
        Self {
            reader,
            window: Vec::new(),
            start: 0,
            exhausted: false,
            line: 1,
            max_record,
        }
    }

    /// What can be seen of the input now.
    pub fn text(&self) -> &[u8] {
        &self.window[self.start..]
    }

    /// True if nothing comes behind [`Self::text`].
    pub fn is_last(&self) -> bool {
        self.exhausted
    }

    /// Line that [`Self::text`] begins on, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Reads until `wanted` bytes can be seen or the input ends.
    ///
    /// # Errors
    /// If the input cannot be read, or what is waiting to become one record is too long.
    pub fn fill(&mut self, wanted: usize) -> Result<()> {
        if self.exhausted || self.text().len() >= wanted {
            return Ok(());
        }
        if self.text().len() as u64 > self.max_record {
            return Err(
                Error::limit(format!("a record is longer than {} bytes", self.max_record))
                    .at_line(self.line, 1)
                    .hint("raise --max-frame, or look for a quote that is never closed"),
            );
        }
        self.window.drain(..self.start);
        self.start = 0;
        let missing = wanted - self.window.len();
        self.window.reserve(missing);
        let read = (&mut self.reader)
            .take(missing as u64)
            .read_to_end(&mut self.window)
            .map_err(|error| Error::io("cannot read", error))?;
        self.exhausted = read < missing;
        Ok(())
    }

    /// Makes at least one block visible.
    ///
    /// # Errors
    /// As [`Self::fill`].
    pub fn fill_block(&mut self) -> Result<()> {
        self.fill(BLOCK_BYTES)
    }

    /// Makes twice as much visible, for a record that does not fit.
    ///
    /// # Errors
    /// As [`Self::fill`].
    pub fn grow(&mut self) -> Result<()> {
        self.fill((2 * self.text().len()).max(BLOCK_BYTES))
    }

    /// Takes `len` bytes as a block.
    pub fn take(&mut self, len: usize) -> Block {
        let block = Block::new(&self.window[self.start..self.start + len], self.line);
        self.skip(len);
        block
    }

    /// Passes over `len` bytes.
    pub fn skip(&mut self, len: usize) {
        let text = &self.window[self.start..self.start + len];
        self.line += memchr::memchr_iter(b'\n', text).count() as u64;
        self.start += len;
    }
}
