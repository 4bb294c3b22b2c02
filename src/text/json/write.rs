//! Batches to JSON: one compact object per row.
//!
//! What JSON has no value for becomes a string: timestamps, UUIDs, bytes (hex), and the floats
//! that are no numbers. A `json` column's text is copied as the value it is; text that is no JSON
//! becomes a string as well, so that the output is valid whatever the input.

use arrow_array::RecordBatch;

mod nested;

use crate::error::Result;
use crate::schema::{ROW_COLUMN, Type};
use crate::text::nested::is_row;
use crate::text::print::{self, Cells, Column};

use nested::Printer;
pub use nested::{flat_schema, flatten_to_json, is_nested, json_texts};

use super::escape::{print_string, print_string_lossy};
use super::scan::{check, compact};

/// How rows follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonLayout {
    /// One array, `[{..},{..}]`, without a newline at the end.
    Array,
    /// NDJSON: each row ends in LF.
    Lines,
}

/// Writes batches of one schema as JSON; the caller flushes the buffer between batches.
#[derive(Debug)]
pub struct JsonWriter {
    layout: JsonLayout,
    has_rows: bool,
    lossy_cells: u64,
}

impl JsonWriter {
    /// A writer at the start of its output.
    pub fn new(layout: JsonLayout) -> Self {
        Self {
            layout,
            has_rows: false,
            lossy_cells: 0,
        }
    }

    /// Appends what comes before the first row.
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        if self.layout == JsonLayout::Array {
            out.push(b'[');
        }
    }

    /// Appends what comes after the last row.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        if self.layout == JsonLayout::Array {
            out.push(b']');
        }
    }

    /// Values that were not UTF-8, so that U+FFFD stands in place of some bytes.
    pub fn lossy_cells(&self) -> u64 {
        self.lossy_cells
    }

    /// Appends one object per row, or the bare values of rows that are no objects.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if a column's type has no spelling in text.
    pub fn batch(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let bare = bare_rows(batch)?;
        let members = nested::rows(batch)?;
        for row in 0..batch.num_rows() {
            if self.layout == JsonLayout::Array && self.has_rows {
                out.push(b',');
            }
            self.has_rows = true;
            match &bare {
                Some(values) => self.value(values, row, out),
                None => self.object(&members, row, out),
            }
            if self.layout == JsonLayout::Lines {
                out.push(b'\n');
            }
        }
        Ok(())
    }

    #[inline]
    fn cell(&mut self, column: &Column<'_>, row: usize, out: &mut Vec<u8>) {
        if column.is_null(row) {
            out.extend_from_slice(b"null");
            return;
        }
        self.scalar(&column.cells, row, out);
    }

    #[inline]
    fn scalar(&mut self, cells: &Cells<'_>, row: usize, out: &mut Vec<u8>) {
        let float = |value: f64, out: &mut Vec<u8>| {
            if let Some(word) = print::float_word(value) {
                print_string(word.as_bytes(), out);
                return;
            }
            cells.print(row, out);
        };
        match cells {
            Cells::Text(slices) if slices.is_utf8() => print_string(slices.row(row), out),
            Cells::Text(slices) => {
                self.lossy_cells += u64::from(print_string_lossy(slices.row(row), out));
            }
            Cells::Json(slices) => self.json(slices.row(row), out),
            Cells::F64(values) | Cells::Floats(values, _) => float(values[row], out),
            Cells::F32(values) => float(values[row].into(), out),
            Cells::F16(values) => float(values[row].into(), out),
            Cells::Words(array, _) => print::print_bool(array.value(row), out),
            Cells::Dictionary(dictionary) => {
                self.scalar(&dictionary.values, dictionary.keys[row], out);
            }
            cells if cells.is_string_in_json() => {
                out.push(b'"');
                cells.print(row, out);
                out.push(b'"');
            }
            cells => cells.print(row, out),
        }
    }

    fn json(&mut self, text: &[u8], out: &mut Vec<u8>) {
        if check(text).is_none() {
            self.lossy_cells += u64::from(print_string_lossy(text, out));
        } else if memchr::memchr2(b'\n', b'\r', text).is_some() {
            compact(text, out);
        } else {
            out.extend_from_slice(text);
        }
    }
}

/// The values of rows that are no objects: those of a lone JSON column named `$`, or of a column
/// that is marked.
fn bare_rows(batch: &RecordBatch) -> Result<Option<Printer<'_>>> {
    let fields = batch.schema_ref().fields();
    match (&fields[..], batch.columns()) {
        ([field], [array])
            if is_row(field)
                || field.name() == ROW_COLUMN && Type::of(field) == Some(Type::Json) =>
        {
            Printer::new(array, field).map(Some)
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests;
