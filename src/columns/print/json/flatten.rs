//! Converts nested columns to JSON text, for formats without nesting.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};

use super::JsonWriter;
use crate::columns::{cannot_hold, record_batch};
use crate::error::{Error, Result};
use crate::schema::Type;
use crate::schema::keys::is_hidden;
use crate::text::json::style::JsonStyle;

/// True if a column of this type becomes JSON text in formats without nesting.
pub fn is_nested(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Struct(_)
            | DataType::List(_)
            | DataType::LargeList(_)
            | DataType::FixedSizeList(..)
            | DataType::Map(..)
    )
}

fn is_flat(schema: &Schema) -> bool {
    let mut fields = schema.fields().iter();
    fields.all(|field| !is_nested(field.data_type()) && !is_hidden(field))
}

/// The schema of [`flatten_to_json`].
pub fn flat_schema(schema: &Schema) -> Schema {
    let visible = schema.fields().iter().filter(|field| !is_hidden(field));
    let flat = |field: &FieldRef| {
        if is_nested(field.data_type()) {
            Arc::new(Type::Json.field(field.name()))
        } else {
            Arc::clone(field)
        }
    };
    Schema::new(visible.map(flat).collect::<Fields>())
}

/// Converts nested columns to JSON text and removes hidden columns.
///
/// # Errors
/// [`crate::error::Kind::Input`] if values of a type cannot be printed, [`crate::error::Kind::Limit`] if the text of a
/// column is too long for Arrow.
pub fn flatten_to_json(batch: &RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema_ref();
    if is_flat(schema) {
        return Ok(batch.clone());
    }
    let mut writer = JsonWriter::new(JsonStyle::lines(), true);
    let arrays = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .filter(|(_, field)| !is_hidden(field))
        .map(|(array, field)| {
            if is_nested(field.data_type()) {
                texts(&mut writer, array, field)
            } else {
                Ok(Arc::clone(array))
            }
        })
        .collect::<Result<_>>()?;
    record_batch(Arc::new(flat_schema(schema)), arrays, batch.num_rows()).map_err(cannot_hold)
}

/// The values of a column of any type as JSON text.
///
/// # Errors
/// As [`flatten_to_json`].
pub fn json_texts(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    texts(&mut JsonWriter::new(JsonStyle::lines(), true), array, field)
}

fn texts(writer: &mut JsonWriter, array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let printer = writer.printer(array, field, 0)?;
    let mut offsets = Vec::with_capacity(array.len() + 1);
    offsets.push(0);
    let mut data = Vec::new();
    for row in 0..array.len() {
        if !printer.is_null(row) {
            writer.value(&printer, row, &mut data);
        }
        offsets.push(i32::try_from(data.len()).map_err(|_| {
            Error::limit("the column is longer than 2 GiB as JSON text").in_column(field.name())
        })?);
    }
    let valid = BooleanBuffer::collect_bool(array.len(), |row| !printer.is_null(row));
    let nulls = (valid.count_set_bits() < array.len()).then(|| NullBuffer::new(valid));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let texts = StringArray::try_new(offsets, Buffer::from_vec(data), nulls)
        .map_err(|error| Error::input(error.to_string()).in_column(field.name()))?;
    Ok(Arc::new(texts))
}
