//! Adapts the stored text of frames to a selection of rows or columns.
//!
//! The remaining rows keep their bytes, and so do the head and the ending. A batch has the head in its metadata if and
//! only if its first row is the first record of the text.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{Metadata, SchemaRef};

use super::{Frame, UntypedFrame};
use crate::columns::nested::KeyOrder;
use crate::columns::{cannot_hold, record_batch};
use crate::error::Result;
use crate::format::exact::{Dialect, Patches, Printer, USUAL_HEAD, rebased, with_patches};
use crate::schema::keys::{DRAFT_PATCHES, HEAD, PATCHES, TEXT, is_patch};

/// Removes the head, for rows that are no longer the start of their text.
#[must_use]
pub fn headless(mut batch: RecordBatch) -> RecordBatch {
    if batch.schema_ref().metadata().contains_key(HEAD) {
        batch.schema_metadata_mut().remove(HEAD);
    }
    batch
}

/// Keeps only the style of the text, for a batch that was reduced to the columns at these positions.
///
/// # Errors
/// If the batch is too large for Arrow.
pub fn only_style(batch: &RecordBatch, places: &[usize]) -> Result<RecordBatch> {
    let mut batch = headless(without_patches(batch)?);
    if let Some(dialect) = Dialect::of(batch.schema_ref().metadata()) {
        let text = dialect.of_columns(places).to_metadata();
        batch.schema_metadata_mut().insert(TEXT.to_owned(), text);
    }
    Ok(batch)
}

/// Gives a batch another schema with the same columns.
///
/// # Errors
/// If Arrow refuses the batch.
pub fn with_schema(batch: &RecordBatch, schema: SchemaRef) -> Result<RecordBatch> {
    let rows = batch.num_rows();
    record_batch(schema, batch.columns().to_vec(), rows).map_err(cannot_hold)
}

/// Removes the patches, so that all rows are printed in the style of their text.
///
/// # Errors
/// If the batch is too large for Arrow.
pub fn without_patches(batch: &RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema();
    let places: Vec<usize> = schema
        .fields()
        .iter()
        .enumerate()
        .filter(|(_, field)| !is_patch(field))
        .map(|(at, _)| at)
        .collect();
    let mut batch = batch.project(&places).map_err(cannot_hold)?;
    let metadata = batch.schema_metadata_mut();
    metadata.remove(PATCHES);
    metadata.remove(DRAFT_PATCHES);
    Ok(batch)
}

impl Frame {
    /// Removes and returns the head of the text, if the frame is its start.
    pub fn take_head(&mut self) -> Option<String> {
        let head = self.schema.metadata().get(HEAD).cloned();
        if head.is_some() {
            self.change_metadata(|metadata| drop(metadata.remove(HEAD)));
        }
        head
    }

    /// Makes the frame the first one of its text. `after_dropped` is true if records between the head and the frame
    /// were dropped. Rows that did not come from text are unchanged.
    ///
    /// # Errors
    /// If the batches are too large for Arrow, or [`crate::error::Kind::Corrupt`] if a patch does not fit its record.
    pub fn begin_text(&mut self, head: &str, after_dropped: bool) -> Result<()> {
        let Some(dialect) = Dialect::of(self.schema.metadata()) else {
            return Ok(());
        };
        // A head that is not UTF-8 is part of the first record.
        let head = if after_dropped && head.is_empty() {
            USUAL_HEAD
        } else {
            head
        };
        self.change_metadata(|metadata| drop(metadata.insert(HEAD.to_owned(), head.to_owned())));
        let first = self.batches.iter().position(|batch| batch.num_rows() > 0);
        if let Some(first) = first.filter(|_| after_dropped && dialect.separates_records()) {
            let patch = rebased(&dialect, &self.batches[first].slice(0, 1))?;
            self.replace_first_patch(first, patch.as_deref())?;
        }
        Ok(())
    }

    /// Removes the skipped parts of the text, which options kept out of its rows.
    ///
    /// # Errors
    /// If the batches are too large for Arrow, or [`crate::error::Kind::Corrupt`] if a patch does not fit its record.
    pub fn without_skipped(mut self) -> Result<Self> {
        let dialect = Dialect::of(self.schema.metadata());
        let Some(dialect) = dialect.filter(Dialect::has_skipped) else {
            return Ok(self);
        };
        if let Dialect::Csv(style) = &dialect {
            let patches = self
                .patches()
                .into_iter()
                .zip(&self.batches)
                .map(|(patches, batch)| {
                    let other = |(row, patch): (u32, Vec<u8>)| {
                        let record = batch.slice(row as usize, 1);
                        let mut printer = Printer::new(&dialect, false);
                        let mut source = Vec::new();
                        printer.patched(&record, &mut source)?;
                        let Cow::Owned(source) = style.without_comments(&source) else {
                            return Ok(Some((row, patch)));
                        };
                        let mut plain = Vec::new();
                        printer.batch(&record, &mut plain, None)?;
                        Ok(printer
                            .patch(Vec::new(), &plain, &source)
                            .map(|patch| (row, patch)))
                    };
                    patches
                        .into_iter()
                        .map(other)
                        .filter_map(Result::transpose)
                        .collect()
                })
                .collect::<Result<Vec<Patches>>>()?;
            self.replace_patches(patches)?;
        }
        self.change_metadata(|metadata| {
            let text = dialect.without_skipped().to_metadata();
            metadata.insert(TEXT.to_owned(), text);
            let head = metadata.get(HEAD);
            if let Some(head) = head.map(|head| dialect.head_without_skipped(head)) {
                metadata.insert(HEAD.to_owned(), head);
            }
        });
        Ok(self)
    }

    /// The patches of all batches.
    fn patches(&self) -> Vec<Patches> {
        let fields = self.schema.fields();
        let place = fields.iter().position(|field| is_patch(field));
        let of_batch = |batch: &RecordBatch| {
            let column = place.and_then(|place| batch.column(place).as_binary_opt::<i32>());
            column
                .into_iter()
                .flat_map(|column| {
                    (0..column.len())
                        .filter(|&row| column.is_valid(row))
                        .map(|row| (row as u32, column.value(row).to_vec()))
                })
                .collect()
        };
        self.batches.iter().map(of_batch).collect()
    }

    /// Replaces the patch of the first row of a batch.
    fn replace_first_patch(&mut self, at: usize, patch: Option<&[u8]>) -> Result<()> {
        let mut patches = self.patches();
        let of_batch = &mut patches[at];
        of_batch.retain(|(row, _)| *row > 0);
        of_batch.splice(..0, patch.map(|patch| (0, patch.to_vec())));
        self.replace_patches(patches)
    }

    fn replace_patches(&mut self, patches: Vec<Patches>) -> Result<()> {
        let empty = RecordBatch::new_empty(Arc::clone(&self.schema));
        let schema = without_patches(&empty)?.schema();
        let bare = self.batches.iter().map(without_patches);
        let batches = with_patches(bare.collect::<Result<_>>()?, patches)?;
        *self = Self::of_batches(schema, batches);
        Ok(())
    }

    /// Changes the metadata of the schema and of all batches.
    fn change_metadata(&mut self, change: impl Fn(&mut Metadata)) {
        change(&mut Arc::make_mut(&mut self.schema).metadata);
        for batch in &mut self.batches {
            change(batch.schema_metadata_mut());
        }
    }

    /// A frame of batches with the same schema; without batches, it has `schema`.
    fn of_batches(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        let schema = batches.first().map_or(schema, RecordBatch::schema);
        Self { schema, batches }
    }
}

impl UntypedFrame {
    /// Chooses all types and adds the patches of all records that need one.
    ///
    /// # Errors
    /// As for [`UntypedFrame::finish`].
    pub fn finish_patched(mut self) -> Result<Frame> {
        let texts = self.texts.take();
        let frame = self.finish()?;
        let Some(texts) = texts else {
            return Ok(frame);
        };
        let batches = frame.batches.iter().enumerate();
        let patches = batches
            .map(|(at, batch)| texts.compare(at, batch, KeyOrder::Unknown))
            .collect::<Result<Vec<_>>>()?;
        let batches = with_patches(frame.batches, patches)?;
        Ok(Frame::of_batches(frame.schema, batches))
    }
}
