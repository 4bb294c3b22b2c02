//! Decodes an envelope to a batch.
//!
//! A length is used only after checking that the bytes exist, and memory is allocated only after checking the limit.
//! Checks are in the order of the format's description.

mod column;
mod spans;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::columns::record_batch;
use crate::error::{Error, Kind, Result};
use crate::schema::{Type, display_name};
use crate::wire::Scan;

use super::dict::Expander;
use super::pool::Pool;
use super::stored::StoredColumn;
use super::{Envelope, Walker};

/// The result of decoding the envelope at the start of some bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The rows.
    pub batch: RecordBatch,
    /// Size of the envelope in bytes; bytes after it are not part of it.
    pub len: usize,
}

/// Decodes envelopes, reusing its memory.
#[derive(Debug)]
pub struct Decoder {
    schema: Option<SchemaRef>,
    workshop: Workshop,
    /// Size of the last batch, which bounds the pool.
    last_plain: u64,
}

/// The state for decoding columns.
#[derive(Debug, Default)]
struct Workshop {
    pool: Pool,
    expander: Expander,
    /// Remaining bytes of the limit.
    budget: u64,
    max_plain: u64,
}

impl Decoder {
    /// A decoder that refuses envelopes whose decoded columns (bitmaps, slots, offsets and data)
    /// take more than `max_plain` bytes.
    pub fn new(max_plain: u64) -> Self {
        Self {
            schema: None,
            workshop: Workshop {
                max_plain,
                ..Workshop::default()
            },
            last_plain: 0,
        }
    }

    /// Changes the limit.
    pub fn set_limit(&mut self, max_plain: u64) {
        self.workshop.max_plain = max_plain;
    }

    /// Reads the envelope at the start of `bytes`.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] if the bytes violate the format, [`Kind::Limit`] if the batch would exceed the decoder's
    /// limit.
    pub fn decode(&mut self, bytes: &[u8]) -> Result<Decoded> {
        let keep = |_: usize, _: &str| true;
        let mut walker = Walker::new();
        let fault = match walker.walk(bytes) {
            Ok(Scan::Complete(envelope)) => return self.decode_walked(bytes, &envelope, keep),
            Ok(Scan::Needs(needs)) => walker.cut_short(needs, bytes.len()),
            Err(error) => error,
        };
        // A fault in an earlier column than the one where walking stopped takes precedence.
        match self.decode_walked(bytes, walker.so_far(), keep) {
            Err(earlier) if earlier.kind() == Kind::Corrupt => Err(earlier),
            _ => Err(fault),
        }
    }

    /// Reads the columns of a walked envelope that `keep` selects by position and name. For the others, only the
    /// descriptors are checked, and nothing counts against the limit.
    ///
    /// # Errors
    /// As for [`Self::decode`].
    pub fn decode_walked(
        &mut self,
        bytes: &[u8],
        envelope: &Envelope,
        keep: impl Fn(usize, &str) -> bool,
    ) -> Result<Decoded> {
        let Some(bytes) = bytes.get(..envelope.len) else {
            let text = format!("expected {} bytes, found {}", envelope.len, bytes.len());
            return Err(Error::corrupt(text));
        };
        self.workshop.budget = self.workshop.max_plain;
        let kept: Vec<(usize, StoredColumn<'_>)> = (envelope.columns.iter().enumerate())
            .map(|(position, layout)| {
                let rows = envelope.rows;
                (
                    position,
                    StoredColumn {
                        bytes,
                        layout,
                        rows,
                    },
                )
            })
            .filter(|(position, column)| keep(*position, column.name()))
            .collect();
        let in_column = |position: usize, column: StoredColumn<'_>, error: Error| {
            error.in_column(display_name(column.name(), position))
        };
        let mut arrays = Vec::with_capacity(kept.len());
        for &(position, column) in &kept {
            let array = self.workshop.column(column);
            arrays.push(array.map_err(|error| in_column(position, column, error))?);
        }
        for &(position, column) in &kept {
            column::first_offset(column).map_err(|error| in_column(position, column, error))?;
        }
        self.last_plain = self.workshop.max_plain - self.workshop.budget;
        let schema = self.schema_for(&kept, &arrays);
        let batch = record_batch(schema, arrays, envelope.rows).map_err(Error::corrupt)?;
        Ok(Decoded {
            batch,
            len: envelope.len,
        })
    }

    /// Takes back the unshared buffers of `batch`, so that decoding the next similar envelope needs almost no new
    /// memory.
    pub fn recycle(&mut self, batch: RecordBatch) {
        // Twice the size, for callers with two batches in flight; buffers are slightly larger than requested.
        let most = self.last_plain.saturating_mul(2).saturating_add(1 << 16);
        self.workshop
            .pool
            .recycle(batch, usize::try_from(most).unwrap_or(usize::MAX));
    }

    /// The schema of the columns; reuses the last one if it is the same.
    fn schema_for(&mut self, kept: &[(usize, StoredColumn<'_>)], arrays: &[ArrayRef]) -> SchemaRef {
        let columns = || {
            kept.iter()
                .zip(arrays)
                .map(|((_, column), array)| (column.layout.ty, column.name(), array.data_type()))
        };
        if let Some(last) = &self.schema
            && last.fields().len() == kept.len()
            && last
                .fields()
                .iter()
                .zip(columns())
                .all(|(field, (ty, name, data_type))| {
                    field.name() == name
                        && field.data_type() == data_type
                        && Type::of(field) == Some(ty)
                })
        {
            return Arc::clone(last);
        }
        let fields: Vec<Field> = columns()
            .map(|(ty, name, data_type)| field_for(ty, name, data_type))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        self.schema = Some(Arc::clone(&schema));
        schema
    }
}

/// The field of a column declared as `ty` and stored in an array of `data_type`.
fn field_for(ty: Type, name: &str, data_type: &DataType) -> Field {
    match (ty, data_type) {
        (Type::Utf8 | Type::Json, DataType::LargeUtf8) | (Type::Bytes, DataType::LargeBinary) => {
            ty.field(name).with_data_type(data_type.clone())
        }
        _ if ty.data_type() == *data_type => ty.field(name),
        _ => ty.field_held_as(name, data_type.clone()),
    }
}
