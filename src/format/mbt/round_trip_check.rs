//! Checks that the printed records of a frame equal their text.
//!
//! Records can be printed when all columns have their types. The thread that adds the last column starts comparing
//! batches; idle threads help, and so does every thread that has finished its columns of the frame, as long as batches
//! remain.

use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{FieldRef, Fields, Schema};

use super::assembly::Assembly;
use crate::columns::nested::KeyOrder;
use crate::columns::{cannot_hold, record_batch};
use crate::error::Result;
use crate::format::exact::{Patches, SourceTexts};
use crate::sync::lock;

/// A typed column with one array per batch.
pub type Typed = (FieldRef, Vec<ArrayRef>);

/// The texts of a frame and the batches to compare with them.
pub struct RoundTripCheck {
    texts: Arc<SourceTexts>,
    /// The order of the members of rows.
    order: KeyOrder,
    batch_rows: Vec<usize>,
    columns: Assembly<(Vec<Typed>, KeyOrder)>,
    /// Numbered batches that have not been compared, last to first; empty until all columns are known.
    left: Mutex<Vec<(usize, RecordBatch, KeyOrder)>>,
}

impl RoundTripCheck {
    /// A check for a frame whose columns are divided into `parts` parts.
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
            columns: Assembly::new(parts),
            left: Mutex::default(),
        }
    }

    /// Adds a part of the columns, and the order of the objects in it. True if it was the last one, so that batches can
    /// be compared.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if the columns are too large for Arrow.
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
        let batches = self
            .batch_rows
            .iter()
            .enumerate()
            .map(|(at, &rows)| {
                let arrays = arrays.iter().map(|arrays| Arc::clone(&arrays[at]));
                let schema = Arc::clone(&schema);
                record_batch(schema, arrays.collect(), rows)
                    .map(|batch| (at, batch, order))
                    .map_err(cannot_hold)
            })
            .rev()
            .collect::<Result<_>>()?;
        *lock(&self.left) = batches;
        Ok(true)
    }

    /// Number of batches that have not been compared.
    pub fn left(&self) -> usize {
        lock(&self.left).len()
    }

    /// Compares the next batch, if any. Returns its number and its patches.
    ///
    /// # Errors
    /// As for [`SourceTexts::compare`].
    pub fn compare_next(&self) -> Result<Option<(usize, Patches)>> {
        let next = lock(&self.left).pop();
        let Some((at, batch, order)) = next else {
            return Ok(None);
        };
        let patches = self.texts.compare(at, &batch, order)?;
        Ok(Some((at, patches)))
    }
}
