//! Blocks of text and the spans of their cells, shared by the CSV and JSON readers.

use crate::error::Error;

/// Number of readable bytes after the text of a block, so that cells can be loaded 16 bytes at a time.
pub const SLACK: usize = 64;

/// The raw bytes of a cell, including quotes. An empty span is a null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset in the block's text.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
}

impl Span {
    /// A missing cell.
    pub const NULL: Self = Self { start: 0, len: 0 };

    /// The span of `len` bytes from `start` on, in a block of less than 4 GiB.
    #[inline]
    pub fn new(start: usize, len: usize) -> Self {
        Self {
            start: start as u32,
            len: len as u32,
        }
    }
}

/// A position in an input; both numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Line.
    pub line: u64,
    /// Byte within the line.
    pub byte: u64,
}

impl Spot {
    /// The error with this position.
    #[must_use]
    pub fn locate(self, error: Error) -> Error {
        error.at_line(self.line, self.byte)
    }

    /// The position after `text`, which starts here.
    #[must_use]
    pub fn after(self, text: &[u8], newline: u8) -> Self {
        let lines = memchr::memchr_iter(newline, text).count() as u64;
        Self {
            line: self.line + lines,
            byte: match memchr::memrchr(newline, text) {
                Some(at) => (text.len() - at) as u64,
                None => self.byte + text.len() as u64,
            },
        }
    }
}

/// Whole records of text, as cut from the input.
#[derive(Debug)]
pub struct TextBlock {
    /// The text, then [`SLACK`] bytes that are not part of it.
    bytes: Vec<u8>,
    /// Position of the text in the input.
    spot: Spot,
    /// The byte that ends a line.
    newline: u8,
}

impl TextBlock {
    /// Copies `text`, whose position in the input is `spot`.
    pub fn new(text: &[u8], spot: Spot, newline: u8) -> Self {
        let mut bytes = Vec::with_capacity(text.len() + SLACK);
        bytes.extend_from_slice(text);
        Self::of(bytes, spot, newline)
    }

    /// Takes `text` without copying it.
    pub fn of(mut text: Vec<u8>, spot: Spot, newline: u8) -> Self {
        text.reserve_exact(SLACK);
        text.resize(text.len() + SLACK, 0);
        Self {
            bytes: text,
            spot,
            newline,
        }
    }

    /// The text without slack.
    pub fn text(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - SLACK]
    }

    /// The text with slack, for reading cells.
    pub fn padded(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends two quotes after the text; [`Self::quoted_empty`] is their span.
    pub fn end_with_quotes(&mut self, quote: u8) {
        let start = self.bytes.len() - 2;
        self.bytes[start..].fill(quote);
    }

    /// The span of the two quotes after the text: an empty cell that is not null.
    pub fn quoted_empty(&self) -> Span {
        Span::new(self.bytes.len() - 2, 2)
    }

    /// The position in the input of an offset in the text.
    pub fn spot(&self, offset: usize) -> Spot {
        let before = &self.text()[..offset.min(self.text().len())];
        self.spot.after(before, self.newline)
    }
}

/// The cells of one column of a block.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    padded: &'a [u8],
    spans: &'a [Span],
}

impl<'a> Cells<'a> {
    /// The cells of the block at `spans`.
    pub fn new(block: &'a TextBlock, spans: &'a [Span]) -> Self {
        Self {
            padded: block.padded(),
            spans,
        }
    }

    /// Passes the cells to `read` until it rejects one.
    ///
    /// # Errors
    /// The row of that cell.
    pub fn each(self, mut read: impl FnMut(&'a [u8]) -> Option<()>) -> Result<(), usize> {
        let misfit = self.iter().position(|cell| read(cell).is_none());
        misfit.map_or(Ok(()), Err)
    }

    /// The values of the cells; nulls have the default value.
    ///
    /// # Errors
    /// The first row whose cell `read` rejects.
    pub fn read<T: Default>(
        self,
        mut read: impl FnMut(&'a [u8]) -> Option<T>,
    ) -> Result<Vec<T>, usize> {
        let mut values = Vec::with_capacity(self.len());
        self.each(|cell| {
            values.push(match cell {
                [] => T::default(),
                cell => read(cell)?,
            });
            Some(())
        })?;
        Ok(values)
    }

    /// The same rows with other spans.
    #[must_use]
    pub fn with_spans(&self, spans: &'a [Span]) -> Self {
        Self {
            padded: self.padded,
            spans,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The spans, row by row.
    #[inline]
    pub fn spans(&self) -> impl Iterator<Item = Span> + 'a {
        self.spans.iter().copied()
    }

    /// The raw bytes of each row; empty for null.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + 'a {
        let padded = self.padded;
        self.spans()
            .map(move |span| &padded[span.start as usize..][..span.len as usize])
    }

    /// The raw bytes of each row, and the 16 bytes from its start on.
    #[inline]
    pub fn iter_wide(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8; 16])> + 'a {
        let padded = self.padded;
        self.spans().map(move |span| {
            let rest = &padded[span.start as usize..];
            (
                &rest[..span.len as usize],
                rest.first_chunk().unwrap_or(&[0; 16]),
            )
        })
    }

    /// The span of one row.
    pub fn span(&self, row: usize) -> Span {
        self.spans[row]
    }

    /// The raw bytes of one row.
    pub fn get(&self, row: usize) -> &'a [u8] {
        let span = self.span(row);
        &self.padded[span.start as usize..][..span.len as usize]
    }
}
