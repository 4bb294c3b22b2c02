//! Clears the slots under nulls of arrays.
//!
//! A slot that is null, or in a null struct, may contain anything, such as the value before a cast. Readers ignore it,
//! but it is written to the output, and so are the last bits of a byte after the last row. With zeros there, equal values
//! give equal bytes on every route.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, GenericByteArray, GenericListArray, MapArray, OffsetSizeTrait,
    RecordBatch, StructArray, UInt64Array, make_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field};
use arrow_select::take::take;

use crate::columns::{cannot_hold, record_batch};
use crate::error::Result;

type ArrowResult<T> = std::result::Result<T, ArrowError>;

/// The batch with zeros in all slots under nulls.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if the arrays are too large for Arrow.
pub fn zeroed(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch
        .columns()
        .iter()
        .zip(batch.schema_ref().fields())
        .map(|(column, field)| zeroed_array(column, field, None))
        .collect::<std::result::Result<_, _>>();
    columns
        .and_then(|columns| record_batch(batch.schema(), columns, batch.num_rows()))
        .map_err(cannot_hold)
}

/// Clears one array; `parent` has the nulls of the enclosing struct. A field that is never null gets zeros under these,
/// but no nulls.
///
/// # Errors
/// If Arrow refuses the array.
pub fn zeroed_array(
    array: &ArrayRef,
    field: &Field,
    parent: Option<&NullBuffer>,
) -> ArrowResult<ArrayRef> {
    let trimmed_nulls = |nulls: NullBuffer| NullBuffer::new(trimmed(nulls.inner()));
    let own = array.nulls().filter(|nulls| nulls.null_count() > 0);
    let unset = NullBuffer::union(own, parent)
        .filter(|nulls| nulls.null_count() > 0)
        .map(trimmed_nulls);
    let nulls = if field.is_nullable() {
        unset.clone()
    } else {
        own.cloned().map(trimmed_nulls)
    };
    match (array.data_type(), &unset) {
        (DataType::Struct(fields), _) => {
            let structs = array.as_struct();
            let children = structs
                .columns()
                .iter()
                .zip(fields)
                .map(|(child, field)| zeroed_array(child, field, unset.as_ref()))
                .collect::<ArrowResult<_>>()?;
            let structs =
                StructArray::try_new_with_length(fields.clone(), children, nulls, array.len())?;
            Ok(Arc::new(structs))
        }
        (DataType::List(item), _) => list(array.as_list::<i32>(), item, nulls, unset.as_ref()),
        (DataType::LargeList(item), _) => list(array.as_list::<i64>(), item, nulls, unset.as_ref()),
        (DataType::Map(entries, sorted), _) => {
            let maps = array.as_map();
            let (offsets, picked) = kept_items(maps.offsets(), unset.as_ref(), maps.entries())?;
            let all = zeroed_array(&picked, entries, None)?;
            let maps = MapArray::try_new(
                Arc::clone(entries),
                offsets,
                all.as_struct().clone(),
                nulls,
                *sorted,
            )?;
            Ok(Arc::new(maps))
        }
        (DataType::Boolean, unset) => {
            let values = array.as_boolean().values();
            let values = unset.as_ref().map(|unset| values & unset.inner());
            let values = trimmed(values.as_ref().unwrap_or(array.as_boolean().values()));
            Ok(Arc::new(BooleanArray::new(values, nulls)))
        }
        (_, None) if array.nulls().is_none() => Ok(Arc::clone(array)),
        (_, None) => {
            let data = array.to_data().into_builder().nulls(None);
            Ok(make_array(data.build()?))
        }
        (DataType::Utf8, Some(unset)) => bytes::<Utf8Type>(array, nulls, unset),
        (DataType::LargeUtf8, Some(unset)) => bytes::<LargeUtf8Type>(array, nulls, unset),
        (DataType::Binary, Some(unset)) => bytes::<BinaryType>(array, nulls, unset),
        (DataType::LargeBinary, Some(unset)) => bytes::<LargeBinaryType>(array, nulls, unset),
        (data_type, Some(unset)) => {
            let width = match data_type {
                DataType::FixedSizeBinary(width) => usize::try_from(*width).ok(),
                data_type => data_type.primitive_width(),
            };
            // Keep the keys of dictionaries.
            let Some(width) = width else {
                return Ok(Arc::clone(array));
            };
            let data = array.to_data();
            let start = data.offset() * width;
            let values = &data.buffers()[0].as_slice()[start..start + data.len() * width];
            let rows = || (0..data.len()).filter(|&row| unset.is_null(row));
            let slot = |row| row * width..(row + 1) * width;
            let is_zero = |row| values[slot(row)].iter().all(|&byte| byte == 0);
            let is_trimmed = own.is_none_or(|nulls| !has_rest(nulls.inner()));
            if is_trimmed && nulls.as_ref() == own && rows().all(is_zero) {
                return Ok(Arc::clone(array));
            }
            let mut values = values.to_vec();
            for row in rows() {
                values[slot(row)].fill(0);
            }
            let data = data
                .into_builder()
                .offset(0)
                .buffers(vec![Buffer::from_vec(values)])
                .nulls(nulls);
            Ok(make_array(data.build()?))
        }
    }
}

/// True if bits are set in the last byte after the last bit, as in a slice.
fn has_rest(bits: &BooleanBuffer) -> bool {
    let end = bits.offset() + bits.len();
    !end.is_multiple_of(8) && bits.values()[end / 8] >> (end % 8) > 0
}

/// The bits, with zeros after the last one.
fn trimmed(bits: &BooleanBuffer) -> BooleanBuffer {
    if has_rest(bits) {
        BooleanBuffer::collect_bool(bits.len(), |at| bits.value(at))
    } else {
        bits.clone()
    }
}

fn bytes<T: ByteArrayType>(
    array: &ArrayRef,
    nulls: Option<NullBuffer>,
    unset: &NullBuffer,
) -> ArrowResult<ArrayRef> {
    let strings = array.as_bytes::<T>();
    let lens = |row: usize| strings.value_length(row);
    let zero = T::Offset::default();
    if (0..strings.len()).all(|row| unset.is_valid(row) || lens(row) == zero) {
        let (offsets, values, _) = strings.clone().into_parts();
        return Ok(Arc::new(GenericByteArray::<T>::try_new(
            offsets, values, nulls,
        )?));
    }
    let value = |row| unset.is_valid(row).then(|| strings.value(row));
    let strings: GenericByteArray<T> = (0..strings.len()).map(value).collect();
    let (offsets, values, _) = strings.into_parts();
    Ok(Arc::new(GenericByteArray::<T>::try_new(
        offsets, values, nulls,
    )?))
}

fn list<O: OffsetSizeTrait>(
    lists: &GenericListArray<O>,
    item: &Arc<Field>,
    nulls: Option<NullBuffer>,
    unset: Option<&NullBuffer>,
) -> ArrowResult<ArrayRef> {
    let (offsets, items) = kept_items(lists.offsets(), unset, lists.values())?;
    let items = zeroed_array(&items, item, None)?;
    let lists = GenericListArray::try_new(Arc::clone(item), offsets, items, nulls)?;
    Ok(Arc::new(lists))
}

/// The items of all lists that are not null, and their offsets.
fn kept_items<O: OffsetSizeTrait>(
    offsets: &OffsetBuffer<O>,
    unset: Option<&NullBuffer>,
    items: &dyn Array,
) -> ArrowResult<(OffsetBuffer<O>, ArrayRef)> {
    let is_kept = |row: usize| unset.is_none_or(|unset| unset.is_valid(row));
    let rows = offsets.windows(2).enumerate();
    if rows
        .clone()
        .all(|(row, range)| is_kept(row) || range[0] == range[1])
    {
        let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
        let items = items.slice(first.as_usize(), last.as_usize() - first.as_usize());
        let moved = offsets.iter().map(|&offset| offset - first);
        return Ok((OffsetBuffer::new(moved.collect()), items));
    }
    let kept = |(row, range): (usize, &[O])| {
        let range = range[0].as_usize()..range[1].as_usize();
        if is_kept(row) { range } else { 0..0 }
    };
    let offsets = OffsetBuffer::from_lengths(rows.clone().map(kept).map(|range| range.len()));
    let places: UInt64Array = rows.flat_map(kept).map(|place| place as u64).collect();
    Ok((offsets, take(items, &places, None)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int64Type;
    use arrow_array::{Int64Array, ListArray, StringArray};
    use arrow_schema::{Fields, Schema};

    #[test]
    fn what_is_under_nulls_is_zero_at_every_depth() {
        let nulls = || Some(NullBuffer::from(vec![true, false, true]));
        let numbers = Int64Array::new(vec![1, 2, 3].into(), None);
        let words = StringArray::from(vec!["a", "hidden", "c"]);
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([
            Some(vec![Some(1)]),
            Some(vec![Some(7), Some(8)]),
            Some(vec![None, Some(2)]),
        ]);
        let arrays: Vec<ArrayRef> = vec![Arc::new(numbers), Arc::new(words), Arc::new(lists)];
        let fields: Fields = arrays
            .iter()
            .zip(["n", "w", "l"])
            .map(|(array, name)| Field::new(name, array.data_type().clone(), name != "n"))
            .collect();
        let structs = StructArray::new(fields.clone(), arrays, nulls());
        let schema = Schema::new(vec![Field::new("s", DataType::Struct(fields), true)]);
        let whole = RecordBatch::try_new(schema.into(), vec![Arc::new(structs)]).unwrap();
        let found = zeroed(&whole).unwrap();
        assert_eq!(found, whole);
        let structs = found.column(0).as_struct();
        assert_eq!(
            structs.column(0).as_primitive::<Int64Type>().values(),
            &[1, 0, 3]
        );
        assert_eq!(structs.column(0).nulls(), None);
        assert_eq!(structs.column(1).as_string::<i32>().value_data(), b"ac");
        assert!(structs.column(1).is_null(1));
        let lists = structs.column(2).as_list::<i32>();
        assert_eq!(
            lists.values().as_primitive::<Int64Type>().values(),
            &[1, 0, 2]
        );
    }
}
