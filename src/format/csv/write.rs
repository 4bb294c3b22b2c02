//! Prints batches as CSV.

use std::borrow::Cow;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::quoter::Quoter;
use super::style::CsvStyle;
use crate::columns::print::json::{flat_schema, flatten_to_json};
use crate::columns::print::{ColumnPrinter, Texts, TypedCells};
use crate::error::Result;
use crate::schema::display_name;
use crate::text::masks::CHUNK;

/// Prints batches of one schema as CSV; the caller writes out the buffer between batches.
#[derive(Debug)]
pub struct CsvWriter {
    style: CsvStyle,
    quoter: Quoter,
    /// The pending header of a table with a single unnamed column, printed with the first row.
    pending_header: Vec<u8>,
    scratch: Vec<u8>,
}

/// A column with the style of its cells.
struct Styled<'a> {
    column: &'a ColumnPrinter<'a>,
    /// The printed null word.
    null: Cow<'a, [u8]>,
    /// True if values are quoted even if they need not be.
    quoted: bool,
    /// True if values never need quotes.
    plain: bool,
    /// The texts, if they are quoted only if necessary.
    texts: Option<Texts<'a>>,
}

impl CsvWriter {
    /// A writer at the start of its output.
    pub fn new(style: CsvStyle) -> Self {
        Self {
            quoter: Quoter::new(&style),
            style,
            pending_header: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The style of the output.
    pub fn style(&self) -> &CsvStyle {
        &self.style
    }

    /// Appends the header, if the style has one.
    ///
    /// In wire 1, an empty file is stored as a single unnamed column without rows, so the header of an unnamed column is
    /// not printed before the first row.
    pub fn header(&mut self, schema: &Schema, out: &mut Vec<u8>) {
        if !self.style.header {
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
                line.push(self.style.delimiter);
            }
            let name = display_name(field.name(), position);
            if self.style.quoted.has(position) || self.quoter.must_quote(name.as_bytes()) {
                self.quoter.quoted(name.as_bytes(), line);
            } else {
                line.extend_from_slice(name.as_bytes());
            }
        }
        self.style.line_end.print(line);
    }

    /// Appends one record per row to `out`, and the end of each in `out` to `ends`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if values of a column's type cannot be printed.
    pub fn batch(
        &mut self,
        batch: &RecordBatch,
        out: &mut Vec<u8>,
        ends: Option<&mut Vec<usize>>,
    ) -> Result<()> {
        self.rows(batch, 0..batch.num_rows(), out, ends)
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
        let batch = flatten_to_json(batch)?;
        let columns = ColumnPrinter::all(&batch)?;
        if batch.num_rows() > 0 {
            out.append(&mut self.pending_header);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let styled = columns.iter().enumerate();
        let styled: Vec<_> = styled
            .map(|(position, column)| self.styled(column, position))
            .collect();
        for row in rows {
            let shown = self.shown(&styled, row);
            for (position, column) in shown.iter().enumerate() {
                if position > 0 {
                    out.push(self.style.delimiter);
                }
                self.cell(column, row, &mut scratch, out);
            }
            self.style.line_end.print(out);
            if let Some(ends) = &mut ends {
                ends.push(out.len());
            }
        }
        self.scratch = scratch;
        Ok(())
    }

    fn styled<'a>(&'a self, column: &'a ColumnPrinter<'_>, position: usize) -> Styled<'a> {
        let quoted = self.style.quoted.has(position);
        let null: Cow<'a, [u8]> = match column.null_word() {
            Some(word) => self.quoter.word(word, quoted).into(),
            None => Cow::Borrowed(&self.style.null),
        };
        let never_needs_quotes = match &column.cells {
            TypedCells::Times(times) => {
                null.is_empty() && times.prints_only(|byte| self.quoter.is_harmless(byte))
            }
            cells => cells.is_simple(),
        };
        let texts = match &column.cells {
            TypedCells::Text(slices) | TypedCells::Json(slices) if !quoted => slices.small(),
            _ => None,
        };
        Styled {
            column,
            quoted,
            plain: self.quoter.plain_is_safe && !quoted && never_needs_quotes,
            texts,
            null,
        }
    }

    /// The columns that have a cell in the row.
    #[inline]
    fn shown<'s, 'a>(&self, columns: &'s [Styled<'a>], row: usize) -> &'s [Styled<'a>] {
        let Some(width) = self.style.width else {
            return columns;
        };
        let width = (width as usize).min(columns.len());
        let mut extra = columns[width..].iter();
        // In a column with its own null word, every row has a cell.
        let has_cell = |styled: &Styled<'_>| {
            !styled.column.is_null(row) || styled.column.null_word().is_some()
        };
        let last = extra.rposition(has_cell);
        &columns[..last.map_or(width, |last| width + last + 1)]
    }

    #[inline]
    fn cell(&self, styled: &Styled<'_>, row: usize, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        let Styled { column, null, .. } = styled;
        if column.is_null(row) {
            // Usually empty, and the call is not free.
            if !null.is_empty() {
                out.extend_from_slice(null);
            }
            return;
        }
        if let Some(texts) = &styled.texts {
            let (start, end) = texts.range(row);
            let cell = &texts.values()[start..end];
            let mask_of = |chunk: &[u8; CHUNK]| self.quoter.special_mask(chunk);
            if self.quoter.is_bare(cell, null) && !texts.has_special(start, end, mask_of) {
                texts.append(start, end, out);
            } else {
                self.quoter.text(cell, null, out);
            }
            return;
        }
        match &column.cells {
            TypedCells::Text(slices) | TypedCells::Json(slices) if !styled.quoted => {
                self.quoter.text(slices.row(row), null, out);
            }
            cells => {
                let start = out.len();
                cells.print(row, out);
                if styled.plain {
                    return;
                }
                let printed = &out[start..];
                let quotes = if styled.quoted {
                    self.quoter.quotes_always(printed)
                } else if cells.is_simple() {
                    self.quoter.quotes_plain(printed, null)
                } else {
                    self.quoter.quotes(printed, null)
                };
                if quotes {
                    scratch.clear();
                    scratch.extend_from_slice(printed);
                    out.truncate(start);
                    self.quoter.quoted(scratch, out);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
