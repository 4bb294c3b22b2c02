//! Walks the columns of a header, with or without their buffers.

use arrow_buffer::Buffer;

use super::budget::Budget;
use super::column::{ColumnTree, Description};
use super::envelope::{Envelope, in_header};
use super::groups::KeyCheck;
use super::header::SectionFormat;
use super::leaves::BufferSpan;
use super::sections::BufferCursor;
use crate::error::{Error, Kind, Result};
use crate::wire::parse::{read_len, read_text};

/// Visits the columns of a header as they are read.
pub(super) trait Visit {
    /// Called at the start of a column.
    fn column(&mut self, position: usize, name: &str);

    /// Returns the bytes of the next buffer of the column; `None` means that it is empty.
    fn buffer(&mut self, span: Option<BufferSpan>) -> Result<Buffer>;
}

impl Envelope {
    /// Reads all columns, passes each of them to `each` and returns the results.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header is inconsistent, with the byte in the envelope, and the errors of
    /// the visitor. Columns that need a newer version are not an error: see [`ColumnTree::unread`].
    pub(super) fn read_columns<T>(
        &self,
        visitor: &mut impl Visit,
        mut each: impl FnMut(ColumnTree) -> T,
    ) -> Result<Vec<T>> {
        let header = &self.header;
        let located = |error| in_header(error, self.is_packed);
        let extents = self.extents();
        let mut buffers = BufferCursor::new(&self.sections, extents);
        let mut budget = Budget::new(self.max_plain, self.rows)?;
        let mut at = self.columns_at;
        let mut columns = Vec::with_capacity(self.columns);
        let mut keys = KeyCheck::default();
        for position in 0..self.columns {
            let column = if extents.is_some() {
                self.sized_column(&mut at, position, &mut budget, &mut buffers, visitor)?
            } else {
                let name = read_text(header, &mut at.clone()).map_err(located)?;
                visitor.column(position, name);
                let draft = Description::Draft;
                self.column(header, &mut at, draft, &mut budget, &mut buffers, visitor)?
            };
            keys.push(&column);
            columns.push(each(column));
        }
        if at < header.len() {
            let what = "the header has bytes after its last column";
            return Err(located(Error::corrupt(what).at_byte(at as u64)));
        }
        if self.owners().is_none() {
            let ended = buffers.require_end();
            ended.map_err(|error| located(error.at_byte(self.columns_at as u64)))?;
        }
        let checked = keys.finish();
        checked.map_err(|error| located(error.at_byte(self.columns_at as u64)))?;
        Ok(columns)
    }

    /// Reads a column with its length before it.
    fn sized_column(
        &self,
        at: &mut usize,
        position: usize,
        budget: &mut Budget,
        buffers: &mut BufferCursor<'_>,
        visitor: &mut impl Visit,
    ) -> Result<ColumnTree> {
        let located = |error| in_header(error, self.is_packed);
        let start = *at as u64;
        let len = read_len(&self.header, at).map_err(located)?;
        let end = at.saturating_add(len);
        let Some(described) = self.header.get(..end) else {
            let error = Error::corrupt("a column is longer than the header");
            return Err(located(error.at_byte(start)));
        };
        let name = read_text(described, &mut at.clone()).map_err(located)?;
        visitor.column(position, name);
        buffers.begin_column(position);
        let column = match self.unknown_codec(position) {
            Some(error) => Err(error),
            None => self.column(described, at, Description::Final, budget, buffers, visitor),
        };
        let column = match column {
            Err(error) if error.kind() == Kind::Unsupported => {
                *at = end;
                return Ok(ColumnTree::unread(name, self.rows, &error));
            }
            column => column?,
        };
        if *at < end {
            let error = Error::corrupt("the column has bytes after its values");
            return Err(located(error.in_column(name).at_byte(*at as u64)));
        }
        let ended = buffers.require_end();
        ended.map_err(|error| located(error.in_column(name).at_byte(start)))?;
        Ok(column)
    }

    /// The error for a column in a section with an unknown codec.
    fn unknown_codec(&self, position: usize) -> Option<Error> {
        let extents = self.extents()?[position].iter();
        let mut formats = extents.map(|extent| self.sections[extent.section].format);
        formats.find_map(SectionFormat::unsupported)
    }

    fn column(
        &self,
        header: &[u8],
        at: &mut usize,
        description: Description,
        budget: &mut Budget,
        buffers: &mut BufferCursor<'_>,
        visitor: &mut impl Visit,
    ) -> Result<ColumnTree> {
        // Errors of the visitor already have a place.
        let mut is_located = false;
        let column = ColumnTree::read(
            header,
            at,
            self.rows,
            description,
            budget,
            &mut |header, at, implied| {
                let span = buffers.next(header, at, implied)?;
                visitor.buffer(span).inspect_err(|_| is_located = true)
            },
        );
        column.map_err(|error| {
            if is_located {
                error
            } else {
                in_header(error, self.is_packed)
            }
        })
    }
}
