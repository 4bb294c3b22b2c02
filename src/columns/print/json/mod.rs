//! Prints batches as JSON: one object per row, in any [`JsonStyle`].
//!
//! Values that JSON lacks become strings: timestamps, UUIDs, bytes (in hex), and floats that are not finite. The text
//! of a `json` column is copied as a value; if it is not valid JSON, it becomes a string as well, so the output is
//! always valid.

use arrow_array::{Array, BinaryArray, RecordBatch, new_empty_array};
use arrow_schema::{Field, Schema};

mod flatten;
mod moves;
mod nested;
mod pieces;

use crate::columns::print::{ColumnPrinter, TypedCells};
use crate::error::Result;
use crate::schema::keys::{is_key, is_patch, is_row};
use crate::schema::{ROW_COLUMN, Type};
use crate::text::print;

pub use flatten::{
    flat_schema, flatten_to_json, held_strings, is_nested, is_typed_string, json_texts,
    strings_apart,
};
use moves::MemberMoves;
pub use moves::misfit;
use nested::{JsonPrinter, Members};

use crate::text::json::escape::{Escaper, print_lossy, print_string, print_with};
use crate::text::json::scan::{check, compact};
use crate::text::json::style::JsonStyle;

/// Prints batches of one schema as JSON; the caller writes out the buffer between batches.
#[derive(Debug)]
pub struct JsonWriter {
    style: JsonStyle,
    /// The style is compact, and so is copied text.
    is_plain: bool,
    escaper: Option<Escaper>,
    has_rows: bool,
    lossy_cells: u64,
    /// The moves of members in the record that is being printed.
    moves: MemberMoves,
}

/// The printers of a batch's rows.
struct RowPrinter<'a> {
    /// The values of rows that are not objects.
    bare: Option<JsonPrinter<'a>>,
    members: Members<'a>,
}

/// The JSON type of a column's values: `number`, `string` or `bool`. `None` if all are null or nested.
pub fn kind(field: &Field) -> Option<&'static str> {
    let empty = new_empty_array(field.data_type());
    let column = ColumnPrinter::new(&empty, field).ok()?;
    kind_of(&column.cells)
}

fn kind_of(cells: &TypedCells<'_>) -> Option<&'static str> {
    match cells {
        TypedCells::Null => None,
        TypedCells::Bool(_) | TypedCells::RawBool(_) => Some("bool"),
        TypedCells::Text(_) | TypedCells::BoolLiterals(..) => Some("string"),
        TypedCells::Comma(numbers) => kind_of(numbers),
        TypedCells::Dictionary(dictionary) => kind_of(&dictionary.values),
        cells if cells.is_string_in_json() => Some("string"),
        // Numbers whose spelling no numeric type preserves are stored as JSON text.
        _ => Some("number"),
    }
}

impl JsonWriter {
    /// A writer; `first` is true at the start of a text.
    pub fn new(style: JsonStyle, first: bool) -> Self {
        Self {
            is_plain: style.is_plain(),
            escaper: Escaper::new(&style.escapes),
            has_rows: !first,
            lossy_cells: 0,
            moves: MemberMoves::default(),
            style,
        }
    }

    /// The style of the output.
    pub fn style(&self) -> &JsonStyle {
        &self.style
    }

    /// Number of values that were not UTF-8, in which U+FFFD replaces some bytes.
    pub fn lossy_cells(&self) -> u64 {
        self.lossy_cells
    }

    /// Appends one object per row, or the values themselves if rows are not objects, and records where each row ends in
    /// `out`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if values of a column's type cannot be printed.
    pub fn batch(
        &mut self,
        batch: &RecordBatch,
        out: &mut Vec<u8>,
        ends: Option<&mut Vec<usize>>,
    ) -> Result<()> {
        self.rows(batch, 0..batch.num_rows(), out, ends)?;
        self.has_rows |= batch.num_rows() > 0;
        Ok(())
    }

    /// Like [`Self::batch`], for some rows of the batch.
    ///
    /// # Errors
    /// As [`Self::batch`].
    pub fn rows(
        &mut self,
        batch: &RecordBatch,
        rows: impl Iterator<Item = usize>,
        out: &mut Vec<u8>,
        mut ends: Option<&mut Vec<usize>>,
    ) -> Result<()> {
        let printer = self.row_printer(batch)?;
        for row in rows {
            self.row(&printer, row, out);
            if let Some(ends) = &mut ends {
                ends.push(out.len());
            }
        }
        Ok(())
    }

    /// Like [`Self::batch`], for records with patches, which start with the moves of the record's members. After each
    /// such record, `edit` is called with the rest of the patch and the start of the record in the output. Returns
    /// false, and appends nothing, if the batch has columns of JSON text, because the objects in them are not counted.
    ///
    /// # Errors
    /// As [`Self::batch`], [`crate::error::Kind::Corrupt`] if the moves do not fit, and the errors of `edit`.
    pub fn patched(
        &mut self,
        batch: &RecordBatch,
        patches: &BinaryArray,
        out: &mut Vec<u8>,
        mut edit: impl FnMut(&[u8], usize, &mut Vec<u8>) -> Result<()>,
    ) -> Result<bool> {
        let printer = self.row_printer(batch)?;
        let has_text = |bare: &JsonPrinter<'_>| bare.has_json_text();
        if printer.bare.as_ref().is_some_and(has_text) || printer.members.have_json_text() {
            return Ok(false);
        }
        for row in 0..batch.num_rows() {
            if patches.is_null(row) {
                self.row(&printer, row, out);
                continue;
            }
            let start = out.len();
            self.moves.start(patches.value(row));
            self.row(&printer, row, out);
            edit(self.moves.finish()?, start, out)?;
        }
        self.has_rows |= batch.num_rows() > 0;
        Ok(true)
    }

    fn row_printer<'a>(&self, batch: &'a RecordBatch) -> Result<RowPrinter<'a>> {
        Ok(RowPrinter {
            bare: self.bare_rows(batch)?,
            members: self.members_of(batch)?,
        })
    }

    #[inline]
    fn row(&mut self, printer: &RowPrinter<'_>, row: usize, out: &mut Vec<u8>) {
        if self.style.array && (self.has_rows || row > 0) {
            out.extend_from_slice(self.style.between.as_bytes());
        }
        match &printer.bare {
            Some(values) => self.value(values, row, out),
            None => self.object(&printer.members, row, out),
        }
        if !self.style.array {
            out.extend_from_slice(self.style.between.as_bytes());
        }
    }

    #[inline]
    fn scalar(&mut self, cells: &TypedCells<'_>, depth: usize, row: usize, out: &mut Vec<u8>) {
        let float = |value: f64, out: &mut Vec<u8>| {
            if let Some(word) = print::float_word(value) {
                print_string(word.as_bytes(), out);
                return;
            }
            cells.print(row, out);
        };
        match cells {
            TypedCells::Text(slices) if slices.is_utf8() => {
                print_with(self.escaper.as_ref(), slices.row(row), out);
            }
            TypedCells::Text(slices) => self.lossy(slices.row(row), out),
            TypedCells::Json(slices) => self.json(slices.row(row), depth, out),
            TypedCells::F64(values)
            | TypedCells::Floats(values, _)
            | TypedCells::Scientific(values, _) => float(values[row], out),
            TypedCells::F32(values) => float(values[row].into(), out),
            TypedCells::F16(values) => float(values[row].into(), out),
            // Words other than `true` and `false` become strings.
            TypedCells::BoolLiterals(array, words) => {
                let mut word = Vec::with_capacity(8);
                words.print(array.value(row), &mut word);
                print_string(&word, out);
            }
            TypedCells::Comma(numbers) => self.scalar(numbers, depth, row, out),
            TypedCells::Dictionary(dictionary) => {
                self.scalar(&dictionary.values, depth, dictionary.keys[row], out);
            }
            cells if cells.is_string_in_json() => {
                out.push(b'"');
                let start = out.len();
                cells.print(row, out);
                if let Some(escaper) = &self.escaper {
                    let text = out.split_off(start);
                    escaper.escaped(&text, out);
                }
                out.push(b'"');
            }
            cells => cells.print(row, out),
        }
    }

    fn lossy(&mut self, text: &[u8], out: &mut Vec<u8>) {
        self.lossy_cells += u64::from(print_lossy(self.escaper.as_ref(), text, out));
    }

    fn json(&mut self, text: &[u8], depth: usize, out: &mut Vec<u8>) {
        if check(text).is_none() {
            self.lossy(text, out);
        } else if !self.is_plain {
            self.style.lay_out(text, depth, self.escaper.as_ref(), out);
        } else if memchr::memchr2(b'\n', b'\r', text).is_some() {
            compact(text, out);
        } else {
            out.extend_from_slice(text);
        }
    }
}

impl JsonWriter {
    /// The values of rows that are not objects.
    fn bare_rows<'a>(&self, batch: &'a RecordBatch) -> Result<Option<JsonPrinter<'a>>> {
        let schema = batch.schema_ref();
        bare_row(schema)
            .map(|at| {
                let field = schema.field(at);
                self.printer(batch.column(at), field, self.style.depth)
            })
            .transpose()
    }
}

/// The position of the column whose values are the rows themselves: a marked column, or a JSON column named `$` without
/// other columns that is not marked as a key.
pub fn bare_row(schema: &Schema) -> Option<usize> {
    let mut shown = schema
        .fields()
        .iter()
        .enumerate()
        .filter(|(_, field)| !is_patch(field));
    match (shown.next(), shown.next()) {
        (Some((at, field)), None)
            if is_row(field)
                || field.name() == ROW_COLUMN
                    && Type::of(field) == Some(Type::Json)
                    && !is_key(field) =>
        {
            Some(at)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
