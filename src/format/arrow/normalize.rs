//! Converts Arrow's rarer layouts to the types that the rest of the crate supports.
//!
//! | read | becomes |
//! |---|---|
//! | list view, large list view | list, large list |
//! | run-end encoded | its values, repeated |
//! | union, sparse or dense | struct with a child per type, of which one has a value ([`VARIANT`]) |
//! | dictionary of nested values | its values, looked up |
//! | decimal256 of at most 38 digits | decimal128 |
//! | interval of days and milliseconds | struct of `days` and `milliseconds` |
//! | interval of months, days and nanoseconds | struct of `months`, `days` and `nanoseconds` |
//! | map with entries or keys that may be null | map in which they may not |
//!
//! Frames use hidden columns to record what is missing in the column before them. Arrow and Parquet input has
//! no such columns, so a column marked as one keeps its values and loses the mark.
//!
//! Values do not change. The size of repeated values is compared with the limit before memory is allocated.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ByteArrayType, Decimal128Type, Decimal256Type, Int16Type, Int32Type, Int64Type,
    IntervalDayTimeType, IntervalMonthDayNanoType, RunEndIndexType,
};
use arrow_array::{
    Array, ArrayRef, GenericByteArray, GenericListArray, GenericListViewArray, Int32Array,
    Int64Array, OffsetSizeTrait, PrimitiveArray, RecordBatch, RunArray, StructArray, UInt32Array,
    UnionArray, downcast_dictionary_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer, OffsetBuffer};
use arrow_schema::{
    ArrowError, DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, Fields, IntervalUnit, Schema,
    SchemaRef,
};
use arrow_select::take::take;

use super::check::limit_reached;
use crate::columns::lists::{children, with_children, with_fields};
use crate::columns::record_batch;
use crate::error::{Error, Result};
use crate::schema::keys::{ROLE, as_variant, is_hidden, without};
use crate::schema::{HELD_AS, Type};

/// The schema that [`batch`] gives to batches with `schema`.
pub fn schema(schema: &SchemaRef) -> SchemaRef {
    let fields: Fields = schema.fields().iter().map(field).collect();
    if fields == *schema.fields() {
        return Arc::clone(schema);
    }
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Converts a batch to the types of [`schema`].
///
/// # Errors
/// [`crate::error::Kind::Limit`] if repeated values would take more than `limit` bytes.
pub fn batch(batch: RecordBatch, limit: u64) -> Result<RecordBatch> {
    let plain = schema(batch.schema_ref());
    if Arc::ptr_eq(&plain, batch.schema_ref()) {
        return Ok(batch);
    }
    let columns = batch
        .columns()
        .iter()
        .map(|column| array(column, limit))
        .collect::<Result<_>>()?;
    record_batch(plain, columns, batch.num_rows()).map_err(invalid)
}

/// The field of the converted array. A union becomes a struct that is marked as a variant.
fn field(of: &FieldRef) -> FieldRef {
    if let DataType::RunEndEncoded(_, values) = of.data_type() {
        // The field of the values may state an extension type, such as UUID.
        let mut metadata = values.metadata().clone();
        metadata.extend(of.metadata().clone());
        let values = values.as_ref().clone().with_name(of.name());
        let nullable = of.is_nullable() || values.is_nullable();
        return field(&Arc::new(
            values.with_metadata(metadata).with_nullable(nullable),
        ));
    }
    let plain = data_type(of.data_type());
    // Metadata of other programs must not mean anything here.
    let is_misled = of.metadata().contains_key(HELD_AS) && Type::held(of).is_none();
    if plain == *of.data_type() && !is_hidden(of) && !is_misled {
        return Arc::clone(of);
    }
    let mut field = of.as_ref().clone().with_data_type(plain);
    if is_hidden(of) {
        field = without(field, &[ROLE]);
    }
    if is_misled {
        field = without(field, &[HELD_AS]);
    }
    if let DataType::Union(..) = of.data_type() {
        field = as_variant(field);
    }
    Arc::new(field)
}

/// Replaces types that few formats have: list views by lists, unions and intervals by structs, runs by plain values.
fn data_type(of: &DataType) -> DataType {
    match of {
        DataType::ListView(item) => DataType::List(field(item)),
        DataType::LargeListView(item) => DataType::LargeList(field(item)),
        DataType::Union(fields, _) => {
            let child = |child: &FieldRef| field(child).as_ref().clone().with_nullable(true);
            DataType::Struct(fields.iter().map(|(_, of)| child(of)).collect())
        }
        DataType::RunEndEncoded(_, values) => data_type(values.data_type()),
        DataType::Dictionary(_, values) if values.is_nested() => data_type(values),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(data_type(values)))
        }
        DataType::Decimal256(precision, scale) if *precision <= DECIMAL128_MAX_PRECISION => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::Map(entries, sorted) => DataType::Map(field_of_entries(entries), *sorted),
        DataType::Interval(IntervalUnit::DayTime) => DataType::Struct(day_time()),
        DataType::Interval(IntervalUnit::MonthDayNano) => DataType::Struct(month_day_nano()),
        other => with_fields(other, field),
    }
}

/// The field of a map's entries. Neither they nor their keys are ever null, whatever the schema allows.
fn field_of_entries(entries: &FieldRef) -> FieldRef {
    let plain = field(entries);
    let DataType::Struct(pair) = plain.data_type() else {
        return plain;
    };
    let is_nullable = |field: &FieldRef| field.is_nullable();
    if !is_nullable(&plain) && !pair.first().is_some_and(is_nullable) {
        return plain;
    }
    let pair = pair.iter().enumerate().map(|(at, child)| {
        child
            .as_ref()
            .clone()
            .with_nullable(at > 0 && child.is_nullable())
    });
    let pair = DataType::Struct(pair.collect());
    Arc::new(
        plain
            .as_ref()
            .clone()
            .with_data_type(pair)
            .with_nullable(false),
    )
}

fn day_time() -> Fields {
    Fields::from_iter(["days", "milliseconds"].map(|name| Field::new(name, DataType::Int32, false)))
}

fn month_day_nano() -> Fields {
    Fields::from_iter([
        Field::new("months", DataType::Int32, false),
        Field::new("days", DataType::Int32, false),
        Field::new("nanoseconds", DataType::Int64, false),
    ])
}

/// Converts an array to the type that [`data_type`] chooses.
fn array(of: &ArrayRef, limit: u64) -> Result<ArrayRef> {
    let to = data_type(of.data_type());
    if to == *of.data_type() {
        return Ok(Arc::clone(of));
    }
    Ok(match (of.data_type(), &to) {
        (DataType::ListView(_), DataType::List(item)) => {
            Arc::new(list_view(of.as_list_view::<i32>(), item, limit)?)
        }
        (DataType::LargeListView(_), DataType::LargeList(item)) => {
            Arc::new(list_view(of.as_list_view::<i64>(), item, limit)?)
        }
        (DataType::Union(..), DataType::Struct(fields)) => union(
            of.as_any().downcast_ref().ok_or_else(unexpected)?,
            fields,
            limit,
        )?,
        (DataType::RunEndEncoded(ends, _), _) => {
            let (values, runs) = match ends.data_type() {
                DataType::Int16 => runs::<Int16Type>(of),
                DataType::Int32 => runs::<Int32Type>(of),
                _ => runs::<Int64Type>(of),
            }
            .ok_or_else(unexpected)?;
            array(&repeated(&values, &runs, limit)?, limit)?
        }
        (DataType::Dictionary(..), DataType::Dictionary(..)) => {
            let of = of.as_any_dictionary();
            of.with_values(array(of.values(), limit)?)
        }
        (DataType::Dictionary(..), _) => {
            let of: &dyn Array = of;
            let (values, places) = downcast_dictionary_array!(
                of => (of.values(), of.keys_iter().map(|key| key.map(|key| key as u32)).collect()),
                _ => return Err(unexpected())
            );
            array(&picked(values, &places, limit)?, limit)?
        }
        (_, DataType::Decimal128(precision, scale)) => {
            let of = of.as_primitive::<Decimal256Type>();
            let values: PrimitiveArray<Decimal128Type> = of
                .try_unary(|value| value.to_i128().ok_or(()))
                .map_err(|()| Error::corrupt("a decimal has more digits than its type"))?;
            let values = values.with_precision_and_scale(*precision, *scale);
            Arc::new(values.map_err(invalid)?)
        }
        (DataType::Interval(IntervalUnit::DayTime), DataType::Struct(fields)) => {
            let of = of.as_primitive::<IntervalDayTimeType>();
            let days: Int32Array = of.values().iter().map(|value| value.days).collect();
            let rest: Int32Array = of.values().iter().map(|value| value.milliseconds).collect();
            structs(
                fields,
                vec![Arc::new(days), Arc::new(rest)],
                of.nulls(),
                of.len(),
            )?
        }
        (DataType::Interval(_), DataType::Struct(fields)) => {
            let of = of.as_primitive::<IntervalMonthDayNanoType>();
            let months: Int32Array = of.values().iter().map(|value| value.months).collect();
            let days: Int32Array = of.values().iter().map(|value| value.days).collect();
            let rest: Int64Array = of.values().iter().map(|value| value.nanoseconds).collect();
            let children: Vec<ArrayRef> = vec![Arc::new(months), Arc::new(days), Arc::new(rest)];
            structs(fields, children, of.nulls(), of.len())?
        }
        _ => {
            let children = children(of).into_iter().map(|child| array(&child, limit));
            with_children(of, &to, children.collect::<Result<_>>()?).map_err(invalid)?
        }
    })
}

/// Converts list views, whose lists may overlap, leave gaps and be in any order, to contiguous lists.
fn list_view<O: OffsetSizeTrait>(
    of: &GenericListViewArray<O>,
    item: &FieldRef,
    limit: u64,
) -> Result<GenericListArray<O>> {
    let size = |row: usize| {
        if of.is_valid(row) {
            of.sizes()[row].as_usize()
        } else {
            0
        }
    };
    let items: u64 = (0..of.len()).map(|row| size(row) as u64).sum();
    // An index takes four bytes.
    ensure_within(items.saturating_mul(4), limit)?;
    let mut places = Vec::with_capacity(items as usize);
    for row in 0..of.len() {
        let first = of.offsets()[row].as_usize() as u32;
        places.extend(first..first + size(row) as u32);
    }
    let items = picked(of.values(), &places.into(), limit)?;
    let offsets = OffsetBuffer::<O>::from_lengths((0..of.len()).map(size));
    let nulls = of.nulls().cloned();
    GenericListArray::try_new(Arc::clone(item), offsets, array(&items, limit)?, nulls)
        .map_err(invalid)
}

/// A struct with a child for each type, which is null in the rows of other types.
fn union(of: &UnionArray, fields: &Fields, limit: u64) -> Result<ArrayRef> {
    let DataType::Union(types, _) = of.data_type() else {
        return Err(unexpected());
    };
    let mut children = Vec::with_capacity(fields.len());
    for (id, _) in types.iter() {
        let place = |row: usize| match of.offsets() {
            Some(offsets) => offsets[row] as u32,
            None => row as u32,
        };
        let places = of
            .type_ids()
            .iter()
            .enumerate()
            .map(|(row, of_row)| (*of_row == id).then(|| place(row)));
        children.push(array(
            &picked(of.child(id), &places.collect(), limit)?,
            limit,
        )?);
    }
    structs(fields, children, None, of.len())
}

fn structs(
    fields: &Fields,
    children: Vec<ArrayRef>,
    nulls: Option<&NullBuffer>,
    len: usize,
) -> Result<ArrayRef> {
    let array = StructArray::try_new_with_length(fields.clone(), children, nulls.cloned(), len);
    Ok(Arc::new(array.map_err(invalid)?))
}

/// The values of a run-end encoded array, and how often each one is repeated.
fn runs<R: RunEndIndexType>(of: &ArrayRef) -> Option<(ArrayRef, Vec<usize>)> {
    let of = of.as_any().downcast_ref::<RunArray<R>>()?;
    let ends = of.run_ends();
    let (first, last) = (ends.offset(), ends.offset() + ends.len());
    let mut start = first;
    let lengths = ends.values().iter().map(|end| {
        let end = end.as_usize().clamp(start, last);
        end - std::mem::replace(&mut start, end)
    });
    Some((Arc::clone(of.values()), lengths.collect()))
}

/// Repeats each value by the length of its run.
fn repeated(values: &ArrayRef, runs: &[usize], limit: u64) -> Result<ArrayRef> {
    let rows: u64 = runs.iter().map(|&run| run as u64).sum();
    ensure_within(rows.saturating_mul(4), limit)?;
    let mut places = Vec::with_capacity(rows as usize);
    for (value, &run) in runs.iter().enumerate() {
        places.extend(std::iter::repeat_n(value as u32, run));
    }
    picked(values, &places.into(), limit)
}

/// The values at these indices.
fn picked(values: &ArrayRef, places: &UInt32Array, limit: u64) -> Result<ArrayRef> {
    let valid = places.iter().flatten().map(|place| place as usize);
    if let Some(place) = valid.clone().find(|&place| place >= values.len()) {
        let len = values.len();
        return Err(Error::corrupt(format!(
            "value {place} of {len} does not exist"
        )));
    }
    if values.is_empty() {
        // `take` would also look up the indices of null rows.
        return Ok(arrow_array::new_null_array(
            values.data_type(),
            places.len(),
        ));
    }
    let mut bytes = 0_u64;
    for place in valid {
        bytes = bytes.saturating_add(size_of(values, place..place + 1));
        ensure_within(bytes, limit)?;
    }
    take(values, places, None).map_err(invalid)
}

/// Approximate size of a range of values in bytes. Views of text count without their text, which is shared.
fn size_of(values: &dyn Array, range: Range<usize>) -> u64 {
    let rows = range.len() as u64;
    match values.data_type() {
        DataType::Utf8 => bytes_size(values.as_string::<i32>(), range),
        DataType::LargeUtf8 => bytes_size(values.as_string::<i64>(), range),
        DataType::Binary => bytes_size(values.as_binary::<i32>(), range),
        DataType::LargeBinary => bytes_size(values.as_binary::<i64>(), range),
        DataType::FixedSizeBinary(len) => rows * *len as u64,
        DataType::List(_) => {
            let list = values.as_list::<i32>();
            items_size(list.values(), list.offsets(), range)
        }
        DataType::LargeList(_) => {
            let list = values.as_list::<i64>();
            items_size(list.values(), list.offsets(), range)
        }
        DataType::Map(..) => {
            let map = values.as_map();
            items_size(map.entries(), map.offsets(), range)
        }
        DataType::FixedSizeList(_, len) => {
            let len = *len as usize;
            let list = values.as_fixed_size_list();
            size_of(list.values(), range.start * len..range.end * len)
        }
        DataType::Struct(_) => values
            .as_struct()
            .columns()
            .iter()
            .map(|column| size_of(column, range.clone()))
            .sum(),
        DataType::ListView(_) => view_size(values.as_list_view::<i32>(), range),
        DataType::LargeListView(_) => view_size(values.as_list_view::<i64>(), range),
        // Unions and runs inside repeated values are checked when they are converted themselves.
        other => rows * other.primitive_width().unwrap_or(16) as u64,
    }
}

fn bytes_size<T: ByteArrayType>(values: &GenericByteArray<T>, range: Range<usize>) -> u64 {
    let offsets = values.offsets();
    let bytes = offsets[range.end].as_usize() - offsets[range.start].as_usize();
    (bytes + size_of_val(&offsets[range])) as u64
}

fn items_size<O: OffsetSizeTrait>(items: &dyn Array, offsets: &[O], range: Range<usize>) -> u64 {
    let of_items = offsets[range.start].as_usize()..offsets[range.end].as_usize();
    size_of(items, of_items) + size_of_val(&offsets[range]) as u64
}

fn view_size<O: OffsetSizeTrait>(list: &GenericListViewArray<O>, range: Range<usize>) -> u64 {
    let own = 2 * size_of_val(&list.offsets()[range.clone()]) as u64;
    let items = |row: usize| {
        let first = list.offsets()[row].as_usize();
        size_of(list.values(), first..first + list.sizes()[row].as_usize())
    };
    range.map(items).fold(own, u64::saturating_add)
}

fn ensure_within(bytes: u64, limit: u64) -> Result<()> {
    if bytes > limit {
        return Err(limit_reached(bytes, limit));
    }
    Ok(())
}

fn unexpected() -> Error {
    Error::corrupt("an Arrow array is not of its type")
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn invalid(error: ArrowError) -> Error {
    Error::corrupt(format!("invalid Arrow data: {error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use arrow_array::BooleanArray;

    use super::*;

    #[test]
    fn a_declared_type_that_the_array_cannot_hold_is_ignored() {
        for (declared, data_type, is_kept) in [
            ("bool", DataType::UInt8, true),
            ("json", DataType::Binary, true),
            ("utf8", DataType::LargeBinary, true),
            ("bool", DataType::Binary, false),
            ("i64", DataType::Utf8, false),
            ("json", DataType::Utf8, false),
            ("utf8", DataType::Int64, false),
            ("varchar", DataType::Binary, false),
        ] {
            let metadata = HashMap::from([(HELD_AS.to_owned(), declared.to_owned())]);
            let plain = Field::new("x", data_type, true);
            let given = Arc::new(plain.clone().with_metadata(metadata));
            let expected = if is_kept {
                (*given).clone()
            } else {
                plain.clone()
            };
            assert_eq!(*field(&given), expected);
            // A frame may have it, too.
            assert_eq!(Type::of(&given) == Type::of(&plain), !is_kept);
        }
    }

    #[test]
    fn no_column_is_hidden() {
        let hidden = [(ROLE.to_owned(), "absent".to_owned())];
        let hidden = Field::new("h", DataType::Boolean, false)
            .with_metadata(hidden.into_iter().collect::<HashMap<_, _>>());
        let bools: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
        let inner = StructArray::from(vec![(Arc::new(hidden.clone()), Arc::clone(&bools))]);
        let outer = Field::new("s", inner.data_type().clone(), false);
        let given = Arc::new(Schema::new(vec![hidden, outer]));
        let given = RecordBatch::try_new(given, vec![bools, Arc::new(inner)]).unwrap();
        let read = batch(given, u64::MAX).unwrap();
        let plain = Field::new("h", DataType::Boolean, false);
        let inner = DataType::Struct(vec![plain.clone()].into());
        let expected = Schema::new(vec![plain, Field::new("s", inner, false)]);
        assert_eq!(**read.schema_ref(), expected);
    }
}
