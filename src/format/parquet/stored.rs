//! Converts types that Parquet lacks to the nearest ones it has.
//!
//! | column | is stored as |
//! |---|---|
//! | timestamp, time of day in seconds | the same in milliseconds |
//! | date64 | date32 |
//! | struct without members | JSON text: `{}` |
//! | column with the name of an earlier one | the same with another name |
//!
//! The crate parquet would write these times and dates as plain numbers, so other readers would not see their types,
//! and it does not support such structs. Most programs refuse files with repeated names.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, StringArray, make_array};
use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef, TimeUnit};

use crate::columns::lists::with_fields;
use crate::columns::record_batch;
use crate::error::{Error, Result};
use crate::format::held_names::{self, Unheld, renamed_fields};
use crate::schema::{EXTENSION_NAME, JSON_EXTENSION, display_name};

const MS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// The schema that [`batch`] gives to batches with `schema`.
pub fn schema(schema: &SchemaRef) -> SchemaRef {
    let (renamed, _) = renamed_fields(schema.fields(), Unheld::Repeated);
    let fields: Fields = renamed.iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// A note about the columns with other names in [`schema`], if there are any.
pub fn note_of_names(schema: &SchemaRef) -> Option<String> {
    let (_, renamed) = renamed_fields(schema.fields(), Unheld::Repeated);
    held_names::note_of_names(&renamed.into_iter().collect())
}

/// Converts a batch to the types of `stored`, the result of [`schema`].
///
/// # Errors
/// [`crate::error::Kind::Input`] if a value does not fit its type there.
pub fn batch(batch: RecordBatch, stored: &SchemaRef) -> Result<RecordBatch> {
    if batch.schema_ref().fields() == stored.fields() {
        return Ok(batch);
    }
    let column = |(at, column): (usize, &ArrayRef)| {
        let stored = stored.field(at);
        if column.data_type() == stored.data_type() {
            return Ok(Arc::clone(column));
        }
        let stored_data = data(&column.to_data());
        let stored_data =
            stored_data.map_err(|error| error.in_column(display_name(stored.name(), at)));
        stored_data.map(make_array)
    };
    let columns = batch
        .columns()
        .iter()
        .enumerate()
        .map(column)
        .collect::<Result<_>>()?;
    record_batch(Arc::clone(stored), columns, batch.num_rows()).map_err(Error::input)
}

fn field(of: &FieldRef) -> FieldRef {
    let stored = data_type(of.data_type());
    if stored == *of.data_type() {
        return Arc::clone(of);
    }
    let mut field = of.as_ref().clone().with_data_type(stored);
    if is_empty_struct(of.data_type()) {
        let mut metadata = field.metadata().clone();
        metadata.insert(EXTENSION_NAME.to_owned(), JSON_EXTENSION.to_owned());
        field = field.with_metadata(metadata);
    }
    Arc::new(field)
}

fn is_empty_struct(ty: &DataType) -> bool {
    matches!(ty, DataType::Struct(fields) if fields.is_empty())
}

fn data_type(of: &DataType) -> DataType {
    match of {
        of if is_empty_struct(of) => DataType::Utf8,
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Time32(_) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Date64 => DataType::Date32,
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(data_type(values)))
        }
        other => with_fields(other, field),
    }
}

fn data(of: &ArrayData) -> Result<ArrayData> {
    let to = data_type(of.data_type());
    if to == *of.data_type() {
        return Ok(of.clone());
    }
    if is_empty_struct(of.data_type()) {
        let text = |row| of.is_valid(row).then_some("{}");
        let texts: StringArray = (0..of.len()).map(text).collect();
        return Ok(texts.into_data());
    }
    let builder = of.clone().into_builder().data_type(to);
    let buffer = match of.data_type() {
        DataType::Timestamp(..) => map(of, |value: i64| value.checked_mul(1000))?,
        DataType::Time32(_) => map(of, |value: i32| value.checked_mul(1000))?,
        DataType::Date64 => {
            let days = |ms: i64| {
                i32::try_from(ms / MS_PER_DAY)
                    .ok()
                    .filter(|_| ms % MS_PER_DAY == 0)
            };
            map(of, days)?
        }
        _ => {
            let children = of.child_data().iter().map(data);
            let builder = builder.child_data(children.collect::<Result<_>>()?);
            return builder.build().map_err(Error::input);
        }
    };
    let builder = builder.offset(0).nulls(of.nulls().cloned());
    builder.buffers(vec![buffer]).build().map_err(Error::input)
}

/// Applies `change` to the values of an array.
fn map<F: ArrowNativeType, T: ArrowNativeType>(
    of: &ArrayData,
    change: impl Fn(F) -> Option<T>,
) -> Result<Buffer> {
    let values = &of.buffers()[0].typed_data::<F>()[of.offset()..][..of.len()];
    let changed = values.iter().enumerate().map(|(row, &value)| {
        if of.is_null(row) {
            return Ok(T::default());
        }
        change(value).ok_or_else(|| {
            let ty = of.data_type();
            Error::input(format!("Parquet cannot hold {value:?} of the type {ty}"))
        })
    });
    Ok(Buffer::from_vec(changed.collect::<Result<Vec<T>>>()?))
}
