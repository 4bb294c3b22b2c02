//! Batches to CSV.
//!
//! A null is the bare null token (empty unless set otherwise), and nothing else is: a value that
//! looks like it, and the empty text, are quoted. Otherwise quotes are used only where RFC 4180
//! needs them, and around a cell that begins with a byte order mark, which a reader would swallow
//! at the start of a file. Lines end in LF.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::schema::display_name;
use crate::text::json::{flat_schema, flatten_to_json};
use crate::text::print::{Cells, Column};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The dialect to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvWriteOptions {
    /// Byte between cells.
    pub delimiter: u8,
    /// Byte around cells that need it; doubled inside.
    pub quote: u8,
    /// What stands for null.
    pub null: Vec<u8>,
    /// Whether the first line holds the names.
    pub header: bool,
}

impl Default for CsvWriteOptions {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quote: b'"',
            null: Vec::new(),
            header: true,
        }
    }
}

impl CsvWriteOptions {
    /// What differs from the default style of the format, by name.
    pub fn options(&self) -> Map<String, Value> {
        Map::new()
    }

    /// The style that has these options; `None` if they are none.
    pub fn from_options(delimiter: u8, _options: &Map<String, Value>) -> Option<Self> {
        Some(Self {
            delimiter,
            ..Self::default()
        })
    }

    /// Refuses dialects that could not be read back.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if delimiter, quote and line ends are not distinct, or the
    /// null token would need quotes.
    pub fn check(&self) -> Result<()> {
        let is_line_end = |byte| matches!(byte, b'\r' | b'\n');
        if self.delimiter == self.quote {
            return Err(Error::usage("delimiter and quote are the same byte"));
        }
        if is_line_end(self.delimiter) || is_line_end(self.quote) {
            return Err(Error::usage("delimiter or quote ends a line"));
        }
        let in_numbers = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
        if in_numbers(self.quote) {
            return Err(Error::usage("the quote is a byte that cells are made of"));
        }
        if Quoting::new(self).must_quote(&self.null) && !self.null.is_empty() {
            return Err(Error::usage("the null token would need quotes"));
        }
        Ok(())
    }
}

/// Writes batches of one schema as CSV; the caller flushes the buffer between batches.
#[derive(Debug)]
pub struct CsvWriter {
    options: CsvWriteOptions,
    quoting: Quoting,
    /// The header of a table that is held as one unnamed column: due once there is a row.
    pending_header: Vec<u8>,
    scratch: Vec<u8>,
}

impl CsvWriter {
    /// A writer at the start of its output.
    pub fn new(options: CsvWriteOptions) -> Self {
        Self {
            quoting: Quoting::new(&options),
            options,
            pending_header: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Appends the line of names, if the options ask for one.
    ///
    /// A single unnamed column without any rows is how an empty file is held in wire 1, so the
    /// header of an unnamed column waits for the first row.
    pub fn header(&mut self, schema: &Schema, out: &mut Vec<u8>) {
        if !self.options.header {
            return;
        }
        let schema = flat_schema(schema);
        let fields = schema.fields();
        let may_be_empty_file = fields.len() <= 1 && fields.iter().all(|f| f.name().is_empty());
        let line = if may_be_empty_file {
            &mut self.pending_header
        } else {
            out
        };
        for (position, field) in fields.iter().enumerate() {
            if position > 0 {
                line.push(self.options.delimiter);
            }
            let name = display_name(field.name(), position);
            self.quoting.name(name.as_bytes(), line);
        }
        line.push(b'\n');
    }

    /// Appends one line per row.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if a column's type has no spelling in text.
    pub fn batch(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let batch = flatten_to_json(batch)?;
        let columns = Column::all(&batch)?;
        if batch.num_rows() > 0 {
            out.append(&mut self.pending_header);
        }
        for row in 0..batch.num_rows() {
            for (position, column) in columns.iter().enumerate() {
                if position > 0 {
                    out.push(self.options.delimiter);
                }
                self.cell(column, row, out);
            }
            out.push(b'\n');
        }
        Ok(())
    }

    #[inline]
    fn cell(&mut self, column: &Column<'_>, row: usize, out: &mut Vec<u8>) {
        let null = column.null_token().unwrap_or(&self.options.null);
        if column.is_null(row) {
            out.extend_from_slice(null);
            return;
        }
        match &column.cells {
            Cells::Text(slices) | Cells::Json(slices) => {
                self.quoting.text(slices.row(row), null, out);
            }
            cells if self.quoting.plain_is_safe && cells.is_simple() => {
                cells.print(row, out);
            }
            cells => {
                let start = out.len();
                cells.print(row, out);
                let printed = &out[start..];
                let quotes = if cells.is_simple() {
                    self.quoting.plain_must_quote(printed, null)
                } else {
                    self.quoting.must_quote(printed) || printed == null
                };
                if quotes {
                    self.scratch.clear();
                    self.scratch.extend_from_slice(&out[start..]);
                    out.truncate(start);
                    self.quoting.quoted(&self.scratch, out);
                }
            }
        }
    }
}

/// Which cells need quotes, and how they get them.
#[derive(Debug)]
struct Quoting {
    delimiter: u8,
    quote: u8,
    /// True if delimiter or quote may occur in numbers, bools, timestamps, UUIDs or hex.
    clashes_with_plain: bool,
    /// True if those, hex excepted (it may be empty), never need a look.
    plain_is_safe: bool,
}

impl Quoting {
    fn new(options: &CsvWriteOptions) -> Self {
        let occurs_in_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.:".contains(&byte);
        let clashes_with_plain =
            occurs_in_plain(options.delimiter) || occurs_in_plain(options.quote);
        Self {
            delimiter: options.delimiter,
            quote: options.quote,
            clashes_with_plain,
            plain_is_safe: options.null.is_empty() && !clashes_with_plain,
        }
    }

    fn must_quote(&self, cell: &[u8]) -> bool {
        // No early exit, so that the loop becomes vector instructions.
        let special = cell.iter().fold(0, |found, &byte| {
            found
                | u8::from(byte == self.delimiter)
                | u8::from(byte == self.quote)
                | u8::from(byte == b'\n')
                | u8::from(byte == b'\r')
        });
        special != 0 || cell.is_empty() || cell.starts_with(BYTE_ORDER_MARK)
    }

    /// The same question, and whether it looks like null, for cells that are no text.
    #[inline]
    fn plain_must_quote(&self, cell: &[u8], null: &[u8]) -> bool {
        cell == null || cell.is_empty() || (self.clashes_with_plain && self.must_quote(cell))
    }

    #[inline]
    fn text(&self, cell: &[u8], null: &[u8], out: &mut Vec<u8>) {
        if self.must_quote(cell) || cell == null {
            self.quoted(cell, out);
        } else {
            out.extend_from_slice(cell);
        }
    }

    fn name(&self, name: &[u8], out: &mut Vec<u8>) {
        if self.must_quote(name) {
            self.quoted(name, out);
        } else {
            out.extend_from_slice(name);
        }
    }

    fn quoted(&self, cell: &[u8], out: &mut Vec<u8>) {
        out.push(self.quote);
        let mut start = 0;
        for quote in memchr::memchr_iter(self.quote, cell) {
            out.extend_from_slice(&cell[start..=quote]);
            start = quote;
        }
        out.extend_from_slice(&cell[start..]);
        out.push(self.quote);
    }
}

#[cfg(test)]
mod tests;
