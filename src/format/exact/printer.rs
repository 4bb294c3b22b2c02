//! Prints batches in the dialect of a text and applies patches.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, RecordBatch};
use arrow_schema::Schema;

use super::Dialect;
use super::patch::{apply, diff, prepend, steps_of_line};
use crate::columns::print::json::JsonWriter;
use crate::error::{Error, Result};
use crate::format::csv::{BlockMemory, CsvWriter};
use crate::format::json::MemberOrder;
use crate::format::scratch_pool::ScratchPool;
use crate::schema::keys::is_patch;

/// Lines, one per row.
#[derive(Default)]
struct Lines {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Lines {
    fn row(&self, row: usize) -> &[u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[row]]
    }
}

/// Prints batches in a dialect.
pub enum Printer {
    /// As CSV.
    Csv(Box<CsvWriter>),
    /// As JSON, with the memory for rearranging records.
    Json(Box<JsonWriter>, MemberOrder),
}

impl Printer {
    /// A printer; `first` is true if it starts with the first record of its text.
    pub fn new(dialect: &Dialect, first: bool) -> Self {
        match dialect {
            Dialect::Csv(style) => Self::Csv(Box::new(CsvWriter::new(style.clone()))),
            Dialect::Json(style) => {
                let writer = Box::new(JsonWriter::new(style.clone(), first));
                Self::Json(writer, MemberOrder::default())
            }
        }
    }

    /// Shares memory with other printers of the same dialect.
    #[must_use]
    pub fn sharing(self, memory: &Arc<ScratchPool<BlockMemory>>) -> Self {
        match self {
            Self::Csv(writer) => Self::Csv(Box::new(writer.sharing(memory))),
            Self::Json(..) => self,
        }
    }

    /// Appends a complete text with the records of one batch.
    ///
    /// # Errors
    /// As for [`Self::batch`].
    pub fn whole(dialect: &Dialect, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let mut printer = Self::new(dialect, true);
        printer.head(batch.schema_ref(), out);
        printer.batch(batch, out, None)?;
        dialect.end(out);
        Ok(())
    }

    /// Appends the default head of a text.
    pub fn head(&mut self, schema: &Schema, out: &mut Vec<u8>) {
        match self {
            Self::Csv(writer) => writer.header(schema, out),
            Self::Json(writer, _) => writer.style().begin(out),
        }
    }

    /// Appends the records of a batch to `out`, and the end of each in `out` to `ends`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if values of a column's type cannot be printed.
    pub fn batch(
        &mut self,
        batch: &RecordBatch,
        out: &mut Vec<u8>,
        ends: Option<&mut Vec<usize>>,
    ) -> Result<()> {
        match self {
            Self::Csv(writer) => writer.batch(batch, out, ends),
            Self::Json(writer, _) => writer.batch(batch, out, ends),
        }
    }

    /// Appends the records of some rows of the first batch of a text to `out`, and the end of each in `out` to `ends`.
    ///
    /// # Errors
    /// As for [`Self::batch`].
    pub fn rows(
        &mut self,
        batch: &RecordBatch,
        rows: &[u32],
        out: &mut Vec<u8>,
        ends: &mut Vec<usize>,
    ) -> Result<()> {
        let rows = rows.iter().map(|&row| row as usize);
        match self {
            Self::Csv(writer) => writer.rows(batch, rows, out, Some(ends)),
            Self::Json(writer, _) => writer.rows(batch, rows, out, Some(ends)),
        }
    }

    /// Appends the original records of a batch.
    ///
    /// # Errors
    /// As for [`Self::batch`], and [`crate::error::Kind::Corrupt`] if a patch does not fit.
    pub fn patched(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let mut fields = batch.schema_ref().fields().iter();
        let patches = fields
            .position(|field| is_patch(field))
            .and_then(|at| batch.column(at).as_binary_opt::<i32>())
            .filter(|patches| patches.null_count() < patches.len());
        let Some(patches) = patches else {
            return self.batch(batch, out, None);
        };
        if let Self::Json(writer, _) = self {
            let mut record = Vec::new();
            let is_printed = writer.patched(batch, patches, out, |steps, start, out| {
                if steps.is_empty() {
                    return Ok(());
                }
                record.clear();
                record.extend_from_slice(&out[start..]);
                out.truncate(start);
                apply(steps, &record, out)
            })?;
            if is_printed {
                return Ok(());
            }
        }
        let (mut printed, mut ends) = (Vec::new(), Vec::with_capacity(batch.num_rows()));
        self.batch(batch, &mut printed, Some(&mut ends))?;
        let lines = self.lines(batch, patches)?;
        // Copy runs of records without patches.
        let mut copied = 0;
        for row in (0..patches.len()).filter(|&row| patches.is_valid(row)) {
            let start = row.checked_sub(1).map_or(0, |before| ends[before]);
            out.extend_from_slice(&printed[copied..start]);
            copied = ends[row];
            let patch = patches.value(row);
            match lines.as_ref().zip(steps_of_line(patch)) {
                Some((lines, steps)) => apply(steps, lines.row(row), out)?,
                None => self.apply(patch, &printed[start..copied], out)?,
            }
        }
        out.extend_from_slice(&printed[copied..]);
        Ok(())
    }

    /// The first cells of all records as lines, if any record is a line.
    fn lines(&self, batch: &RecordBatch, patches: &BinaryArray) -> Result<Option<Lines>> {
        let Self::Csv(writer) = self else {
            return Ok(None);
        };
        let is_line = |patch: Option<&[u8]>| patch.is_some_and(|it| steps_of_line(it).is_some());
        if !patches.iter().any(is_line) {
            return Ok(None);
        }
        let mut lines = Lines::default();
        let first: &[usize] = if batch.columns().is_empty() {
            &[]
        } else {
            &[0]
        };
        let first = batch
            .project(first)
            .map_err(|error| Error::limit(format!("cannot hold a column: {error}")))?;
        let mut writer = CsvWriter::new(writer.style().of_lines());
        writer.batch(&first, &mut lines.text, Some(&mut lines.ends))?;
        Ok(Some(lines))
    }

    /// The patch that turns a printed record into the original one, with the text `before` it; `None` if that is empty
    /// and the records are the same.
    pub fn patch(&mut self, before: Vec<u8>, printed: &[u8], source: &[u8]) -> Option<Vec<u8>> {
        if before.is_empty() && printed == source {
            return None;
        }
        let mut reordered = Vec::new();
        let (moves, printed) = match self {
            Self::Csv(_) => (Vec::new(), printed),
            Self::Json(_, order) => (
                order.restore(printed, source, &mut reordered),
                &reordered[..],
            ),
        };
        let steps = diff(printed, source);
        let steps = if before.is_empty() {
            steps.unwrap_or_default()
        } else {
            prepend(before, steps.as_deref())
        };
        Some(if moves.is_empty() {
            steps
        } else {
            [moves, steps].concat()
        })
    }

    /// Appends the original record.
    fn apply(&mut self, patch: &[u8], printed: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let Self::Json(_, order) = self else {
            return apply(patch, printed, out);
        };
        let mut patch = patch;
        let mut moved = Vec::with_capacity(printed.len());
        order.apply(&mut patch, printed, &mut moved)?;
        apply(patch, &moved, out)
    }

    /// The number of values that were not UTF-8, in which U+FFFD replaces some bytes.
    pub fn lossy_cells(&self) -> u64 {
        match self {
            Self::Csv(_) => 0,
            Self::Json(writer, _) => writer.lossy_cells(),
        }
    }
}

/// The patch of a record that a selection makes the first of its text although it followed others in the original.
/// `batch` contains this record, with the patch for its original position.
///
/// # Errors
/// As for [`Printer::patched`].
pub fn rebased(dialect: &Dialect, batch: &RecordBatch) -> Result<Option<Vec<u8>>> {
    let mut source = Vec::new();
    Printer::new(dialect, false).patched(batch, &mut source)?;
    let mut printer = Printer::new(dialect, true);
    let mut record = Vec::new();
    printer.batch(batch, &mut record, None)?;
    Ok(printer.patch(Vec::new(), &record, dialect.without_separator(&source)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, ListArray, StringArray, StructArray};
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::{DataType, Field, Fields};
    use proptest::prelude::*;

    use super::*;
    use crate::schema::keys::{PATCH, ROLE};

    fn object(members: Vec<(&str, ArrayRef)>) -> ArrayRef {
        let members = members.into_iter().map(|(name, array)| {
            let field = Field::new(name, array.data_type().clone(), true);
            (Arc::new(field), array)
        });
        Arc::new(StructArray::from(members.collect::<Vec<_>>()))
    }

    /// One row with objects inside objects and arrays.
    fn row() -> RecordBatch {
        let number = |value: i64| Arc::new(Int64Array::from(vec![value])) as ArrayRef;
        let pair = object(vec![
            ("x", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
            ("y", Arc::new(StringArray::from(vec![Some("{\"\\"), None]))),
        ]);
        let item = Field::new("item", pair.data_type().clone(), true);
        let items = ListArray::new(Arc::new(item), OffsetBuffer::from_lengths([2]), pair, None);
        let inner = object(vec![("e", number(5)), ("f", number(6))]);
        let outer = object(vec![("c", number(3)), ("d", inner), ("g", Arc::new(items))]);
        let columns = [("a", number(0)), ("b", outer), ("h", number(9))];
        let fields = columns
            .iter()
            .map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
        let schema = Schema::new(fields.collect::<Fields>());
        let arrays = columns.iter().map(|(_, array)| Arc::clone(array)).collect();
        RecordBatch::try_new(Arc::new(schema), arrays).unwrap()
    }

    fn with_patch(batch: &RecordBatch, patch: &[u8]) -> RecordBatch {
        let field = Field::new("patch", DataType::Binary, true);
        let field = field.with_metadata([(ROLE.to_owned(), PATCH.to_owned())]);
        let fields = batch.schema_ref().fields().iter().cloned();
        let schema = Schema::new(fields.chain([Arc::new(field)]).collect::<Fields>());
        let mut arrays = batch.columns().to_vec();
        arrays.push(Arc::new(BinaryArray::from_vec(vec![patch])));
        RecordBatch::try_new(Arc::new(schema), arrays).unwrap()
    }

    proptest! {
        /// Records whose members move while they are printed must equal printed records that are rearranged afterwards,
        /// and moves that do not fit must be refused by both.
        #[test]
        fn members_move_alike_while_and_after_printing(
            patch in proptest::collection::vec(0u8..5, 0..16),
            is_pretty: bool,
        ) {
            let style = if is_pretty { "json 2" } else { "ndjson" };
            let dialect = Dialect::from_metadata(style).unwrap();
            let batch = row();
            let (mut printed, mut after, mut during) = (Vec::new(), Vec::new(), Vec::new());
            let mut printer = Printer::new(&dialect, true);
            printer.batch(&batch, &mut printed, None).unwrap();
            let expected = printer.apply(&patch, &printed, &mut after);
            let found = Printer::new(&dialect, true).patched(&with_patch(&batch, &patch), &mut during);
            prop_assert_eq!(found.is_ok(), expected.is_ok());
            if expected.is_ok() {
                prop_assert_eq!(during, after);
            }
        }
    }
}
