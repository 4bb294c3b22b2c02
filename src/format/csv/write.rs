//! Prints batches as CSV.

mod block;

use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

pub use block::BlockMemory;

use block::Block;

use super::quoter::Quoter;
use super::style::CsvStyle;
use crate::columns::print::ColumnPrinter;
use crate::columns::print::json::{flat_schema, flatten_to_json};
use crate::error::Result;
use crate::format::scratch_pool::ScratchPool;
use crate::schema::display_name;

/// Prints batches of one schema as CSV; the caller writes out the buffer between batches.
#[derive(Debug)]
pub struct CsvWriter {
    quoter: Quoter,
    /// The pending header of a table with a single unnamed column, printed with the first row.
    pending_header: Vec<u8>,
    memory: Arc<ScratchPool<BlockMemory>>,
}

impl CsvWriter {
    /// A writer at the start of its output.
    pub fn new(style: CsvStyle) -> Self {
        Self {
            quoter: Quoter::new(style),
            pending_header: Vec::new(),
            memory: Arc::default(),
        }
    }

    /// Shares the memory of writers with the same style.
    #[must_use]
    pub fn sharing(self, memory: &Arc<ScratchPool<BlockMemory>>) -> Self {
        Self {
            memory: Arc::clone(memory),
            ..self
        }
    }

    /// The style of the output.
    pub fn style(&self) -> &CsvStyle {
        &self.quoter.style
    }

    /// Appends the header, if the style has one.
    ///
    /// In wire 1, an empty file is stored as a single unnamed column without rows, so the header of an unnamed column is
    /// not printed before the first row.
    pub fn header(&mut self, schema: &Schema, out: &mut Vec<u8>) {
        if !self.quoter.style.header {
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
                line.push(self.quoter.style.delimiter);
            }
            let name = display_name(field.name(), position);
            if self.quoter.style.quoted.has(position) || self.quoter.must_quote(name.as_bytes()) {
                self.quoter.quoted(name.as_bytes(), line);
            } else {
                line.extend_from_slice(name.as_bytes());
            }
        }
        self.quoter.style.line_end.print(line);
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
        let quoter = &self.quoter;
        self.memory.with(BlockMemory::default, |memory| {
            let mut block = Block::new(&columns, &batch, quoter, memory);
            let mut rows = rows.peekable();
            while let Some(run) = next_run(&mut rows, block.most_rows()) {
                block.find(run.clone());
                block.print(run, out, ends.as_deref_mut());
            }
        });
        Ok(())
    }
}

/// The next rows up to a gap, but no more than `most`.
fn next_run(rows: &mut Peekable<impl Iterator<Item = usize>>, most: usize) -> Option<Range<usize>> {
    let start = rows.next()?;
    let mut end = start + 1;
    while end - start < most && rows.next_if_eq(&end).is_some() {
        end += 1;
    }
    Some(start..end)
}

#[cfg(test)]
mod tests;
