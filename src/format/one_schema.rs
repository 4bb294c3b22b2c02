//! The schema of formats that state it first, and casting rows to it.

use std::sync::OnceLock;

use arrow_array::RecordBatch;

use super::absent_keys::AbsentKeys;
use super::frame::{Frame, UntypedFrame};
use super::half_surrogates::HalfSurrogates;
use super::write::WriteOptions;
use crate::columns::cast::join::JoinedSchema;
use crate::error::Result;

/// The schema of all rows, or of the first frame if the schema of all rows is not known in advance.
#[derive(Debug)]
pub struct OneSchema {
    schema: OnceLock<JoinedSchema>,
    absent_keys: AbsentKeys,
    half_surrogates: HalfSurrogates,
}

impl OneSchema {
    pub fn new(options: &WriteOptions<'_>) -> Self {
        let schema = options.schema.clone();
        Self {
            schema: schema.map_or_else(OnceLock::new, OnceLock::from),
            absent_keys: AbsentKeys::default(),
            half_surrogates: HalfSurrogates::default(),
        }
    }

    /// The schema, if known.
    pub fn known(&self) -> Option<&JoinedSchema> {
        self.schema.get()
    }

    /// The schema for the next frame to write.
    ///
    /// # Errors
    /// As for [`UntypedFrame::finish`].
    pub fn plan(&self, frame: UntypedFrame) -> Result<(UntypedFrame, &JoinedSchema)> {
        if let Some(schema) = self.schema.get() {
            return Ok((frame, schema));
        }
        let frame = frame.finish()?;
        let of_first = || JoinedSchema::of_first(&frame.schema);
        let schema = self.schema.get_or_init(of_first);
        Ok((UntypedFrame::from(frame), schema))
    }

    /// Casts a frame to the schema. Returns its batches that have rows, and the original frame.
    ///
    /// # Errors
    /// As for [`UntypedFrame::finish`] and [`JoinedSchema::fit`].
    pub fn fit(
        &self,
        frame: UntypedFrame,
        schema: &JoinedSchema,
    ) -> Result<(Vec<RecordBatch>, Frame)> {
        let frame = frame.finish()?;
        self.absent_keys.count(&frame);
        frame
            .batches
            .iter()
            .for_each(|it| self.half_surrogates.look(it));
        let fitting = frame
            .batches
            .iter()
            .filter(|batch| batch.num_rows() > 0)
            .map(|batch| schema.fit(batch));
        Ok((fitting.collect::<Result<_>>()?, frame))
    }

    /// Notes about the rows that were written.
    pub fn notes(&self) -> Vec<String> {
        let notes = [self.absent_keys.note(), self.half_surrogates.note()];
        notes.into_iter().flatten().collect()
    }
}
