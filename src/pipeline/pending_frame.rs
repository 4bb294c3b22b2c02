//! Batches that wait to become a frame.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::columns::dictionary_room::DictionaryRoom;
use crate::error::Result;
use crate::format::frame::{Frame, headless, with_schema};

/// Batches that share a schema, except for the head of their text, until there are enough of them for a frame.
#[derive(Default)]
pub struct PendingFrame {
    batches: Vec<RecordBatch>,
    /// The dictionaries of the batches, which show whether the next batch still fits.
    room: DictionaryRoom,
}

impl PendingFrame {
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The schema of the first batch.
    pub fn schema(&self) -> Option<SchemaRef> {
        self.batches.first().map(RecordBatch::schema)
    }

    /// Ends the frame.
    pub fn take(&mut self) -> Option<Frame> {
        let schema = self.schema()?;
        let batches = std::mem::take(&mut self.batches);
        Some(Frame { schema, batches })
    }

    /// Adds a batch for which there is room.
    pub fn push(&mut self, batch: RecordBatch) {
        self.batches.push(batch);
    }

    /// Ends the frame if its dictionaries have no room for the entries of `next`.
    ///
    /// # Errors
    /// As for [`DictionaryRoom::add`].
    pub fn make_room(&mut self, next: &RecordBatch) -> Result<Option<Frame>> {
        if self.is_empty() {
            self.room.clear();
        }
        if self.room.add(next)? {
            return Ok(None);
        }
        self.room.clear();
        self.room.add(next)?;
        Ok(self.take())
    }

    /// Adds a batch and returns the complete frames. A frame is complete if it has `most` rows, or no room for the
    /// dictionaries of the next rows. Only rows that start a frame keep the head of their text.
    ///
    /// # Errors
    /// As for [`Self::make_room`], or if a batch is too large for Arrow.
    pub fn fill(&mut self, batch: RecordBatch, most: usize) -> Result<Vec<Frame>> {
        let mut full = Vec::new();
        let mut rest = batch;
        loop {
            full.extend(self.make_room(&rest)?);
            let taken = rest.num_rows().min(most - self.rows());
            let part = rest.slice(0, taken);
            self.batches.push(match self.schema() {
                Some(schema) => with_schema(&headless(part), schema)?,
                None => part,
            });
            if self.rows() == most {
                full.extend(self.take());
            }
            if taken == rest.num_rows() {
                return Ok(full);
            }
            rest = headless(rest.slice(taken, rest.num_rows() - taken));
        }
    }
}
