//! Checks that the records of a frame print as they stand in their text.
//!
//! How records print is known once all columns have their types. The thread that brings the last of
//! them begins to compare batches, and every thread that is done with columns of the frame joins in,
//! as long as there are some, so that none waits for another.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{FieldRef, Fields, Schema};

use super::assembly::Assembly;
use crate::columns::nested::KeyOrder;
use crate::error::{Error, Result};
use crate::format::exact::{Patches, SourceTexts};

/// A column with its type, an array per batch.
pub type Typed = (FieldRef, Vec<ArrayRef>);

/// The texts of a frame and the batches that are to be compared with them.
pub struct RoundTripCheck {
    texts: Arc<SourceTexts>,
    /// Of the members of rows.
    order: KeyOrder,
    batch_rows: Vec<usize>,
    /// How many parts of columns there are.
    parts: usize,
    columns: Assembly<(Vec<Typed>, KeyOrder)>,
    /// Batches that nobody has compared and their numbers, from the back to the front; none until all
    /// columns are there.
    left: Mutex<Vec<(usize, RecordBatch, KeyOrder)>>,
}

impl RoundTripCheck {
    /// Of a frame whose columns come in so many parts, with the order of the members of its rows.
    pub fn new(
        texts: Arc<SourceTexts>,
        order: KeyOrder,
        batch_rows: Vec<usize>,
        parts: usize,
    ) -> Self {
        Self {
            texts,
            order,
            batch_rows,
            parts,
            columns: Assembly::new(parts),
            left: Mutex::default(),
        }
    }

    /// Takes a part of the columns and the order of the objects in it; true if it was the last, so that batches can be
    /// compared.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if Arrow refuses the columns, which are then too large.
    pub fn put(&self, place: usize, columns: Vec<Typed>, order: KeyOrder) -> Result<bool> {
        let Some(parts) = self.columns.put(place, (columns, order)) else {
            return Ok(false);
        };
        let order = parts
            .iter()
            .map(|(_, order)| *order)
            .fold(self.order, Ord::max);
        let columns = parts.into_iter().flat_map(|(columns, _)| columns);
        let (fields, arrays): (Vec<FieldRef>, Vec<_>) = columns.unzip();
        let schema = Arc::new(Schema::new(Fields::from(fields)));
        let batches = self.batch_rows.iter().enumerate().map(|(at, &rows)| {
            let arrays = arrays.iter().map(|arrays| Arc::clone(&arrays[at]));
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            let schema = Arc::clone(&schema);
            RecordBatch::try_new_with_options(schema, arrays.collect(), &options)
                .map(|batch| (at, batch, order))
                .map_err(|error| Error::limit(format!("cannot hold the columns: {error}")))
        });
        let batches = batches.rev().collect::<Result<_>>()?;
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = batches;
        Ok(true)
    }

    /// Compares the next batch, if one is left. Returns its place, counted after the parts of columns, and its patches.
    ///
    /// # Errors
    /// As [`SourceTexts::compare`].
    pub fn compare_next(&self) -> Result<Option<(usize, Patches)>> {
        let next = {
            let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            left.pop()
        };
        let Some((at, batch, order)) = next else {
            return Ok(None);
        };
        let patches = self.texts.compare(at, &batch, order)?;
        Ok(Some((self.parts + at, patches)))
    }
}
