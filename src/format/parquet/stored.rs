//! Converts types that Parquet lacks to the nearest ones it has.
//!
//! | column | is stored as |
//! |---|---|
//! | timestamp, time of day in seconds | the same in milliseconds |
//! | date64 | date32 |
//! | struct without members | JSON text: `{}` |
//! | bytes of the fixed length 0 | bytes |
//! | decimal with a negative scale | decimal with scale 0 and more digits |
//! | ordered dictionary | dictionary in the order in which its values occur |
//! | column with the name of an earlier one | the same with another name |
//!
//! The crate parquet would write these times and dates as plain numbers, so other readers would not see their types,
//! and it does not support such structs, bytes and decimals. Most programs refuse files with repeated names.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, BinaryArray, RecordBatch, StringArray, make_array};
use arrow_buffer::{ArrowNativeType, Buffer, i256};
use arrow_data::ArrayData;
use arrow_schema::{
    DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType, Field, FieldRef, Fields, Schema,
    SchemaRef, TimeUnit,
};

use crate::columns::lists::with_fields;
use crate::columns::record_batch;
use crate::error::{Error, Result};
use crate::format::held_names;
use crate::schema::distinct::{Unheld, renamed_fields};
use crate::schema::{EXTENSION_NAME, JSON_EXTENSION, any_field, display_name};

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

/// A note about the columns whose dictionaries lose their order, if there are any.
pub fn note_of_order(schema: &SchemaRef) -> Option<String> {
    let is_ordered = |field: &&FieldRef| any_field(field, is_ordered);
    let mut ordered = schema.fields().iter().filter(is_ordered);
    let first = ordered.next()?.name();
    let others = match ordered.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "Parquet does not keep the order of categories: column {first:?}{others}"
    ))
}

fn is_ordered(field: &Field) -> bool {
    field.dict_is_ordered() == Some(true)
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
    if stored == *of.data_type() && !is_ordered(of) {
        return Arc::clone(of);
    }
    let mut field = of.as_ref().clone().with_data_type(stored);
    field = field.with_dict_is_ordered(false);
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

/// The type that Parquet stores in place of a type that it lacks.
fn data_type(of: &DataType) -> DataType {
    match of {
        of if is_empty_struct(of) => DataType::Utf8,
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Time32(_) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Date64 => DataType::Date32,
        DataType::FixedSizeBinary(0) => DataType::Binary,
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale)
            if *scale < 0 =>
        {
            // More digits than a decimal can have are left to the crate to refuse.
            let precision = precision.saturating_add(scale.unsigned_abs());
            if precision <= DECIMAL128_MAX_PRECISION {
                DataType::Decimal128(precision, 0)
            } else if precision <= DECIMAL256_MAX_PRECISION {
                DataType::Decimal256(precision, 0)
            } else {
                of.clone()
            }
        }
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(data_type(values)))
        }
        other => with_fields(other, field),
    }
}

/// Converts values to the type that [`data_type`] gives. It is an error if a value does not fit.
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
    if *of.data_type() == DataType::FixedSizeBinary(0) {
        let bytes = |row| of.is_valid(row).then_some([]);
        let bytes: BinaryArray = (0..of.len()).map(bytes).collect();
        return Ok(bytes.into_data());
    }
    if to.is_decimal() {
        return without_scale(of, &to);
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

/// Decimals with a negative scale, as decimals of the type `to` with scale 0.
fn without_scale(of: &ArrayData, to: &DataType) -> Result<ArrayData> {
    let (DataType::Decimal32(_, scale)
    | DataType::Decimal64(_, scale)
    | DataType::Decimal128(_, scale)
    | DataType::Decimal256(_, scale)) = of.data_type()
    else {
        return Ok(of.clone());
    };
    let power = i256::from(10).checked_pow(scale.unsigned_abs().into());
    let scaled = |value: i256| power.and_then(|power| value.checked_mul(power));
    let narrow = |value: i256| scaled(value)?.to_i128();
    let buffer = match (of.data_type(), to) {
        (DataType::Decimal32(..), _) => map(of, |value: i32| narrow(value.into()))?,
        (DataType::Decimal64(..), _) => map(of, |value: i64| narrow(value.into()))?,
        (DataType::Decimal128(..), DataType::Decimal128(..)) => {
            map(of, |value: i128| narrow(value.into()))?
        }
        (DataType::Decimal128(..), _) => map(of, |value: i128| scaled(value.into()))?,
        (_, DataType::Decimal128(..)) => map(of, narrow)?,
        _ => map(of, scaled)?,
    };
    let builder = of.clone().into_builder().data_type(to.clone());
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

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Decimal128Type, Decimal256Type};
    use arrow_array::{Decimal32Array, Decimal128Array, Decimal256Array, FixedSizeBinaryArray};
    use arrow_schema::Field;

    use super::*;

    fn stored(column: ArrayRef) -> ArrayRef {
        let field = Field::new("a", column.data_type().clone(), true);
        let original = Arc::new(Schema::new(vec![field]));
        let rows = column.len();
        let plain = record_batch(Arc::clone(&original), vec![column], rows).unwrap();
        Arc::clone(batch(plain, &schema(&original)).unwrap().column(0))
    }

    #[test]
    fn bytes_of_length_0_are_bytes() {
        let none = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
            [Some([]), None, Some([])].into_iter(),
            0,
        );
        let column = stored(Arc::new(none.unwrap()));
        let expected = BinaryArray::from(vec![Some(&b""[..]), None, Some(b"")]);
        assert_eq!(column.as_binary::<i32>(), &expected);
    }

    #[test]
    fn decimals_with_a_negative_scale_are_integers_of_the_same_value() {
        let narrow = Decimal32Array::from(vec![Some(12), None, Some(-999)]);
        let column = stored(Arc::new(narrow.with_precision_and_scale(9, -2).unwrap()));
        assert_eq!(*column.data_type(), DataType::Decimal128(11, 0));
        let values: Vec<_> = column.as_primitive::<Decimal128Type>().iter().collect();
        assert_eq!(values, [Some(1200), None, Some(-99_900)]);

        let wide = Decimal128Array::from(vec![10i128.pow(37)]);
        let column = stored(Arc::new(wide.with_precision_and_scale(38, -3).unwrap()));
        assert_eq!(*column.data_type(), DataType::Decimal256(41, 0));
        let ten = i256::from(10);
        let value = column.as_primitive::<Decimal256Type>().value(0);
        assert_eq!(Some(value), ten.checked_pow(40));

        let few = Decimal256Array::from(vec![i256::from(7)]);
        let column = stored(Arc::new(few.with_precision_and_scale(3, -1).unwrap()));
        assert_eq!(column.as_primitive::<Decimal128Type>().value(0), 70);
    }
}
