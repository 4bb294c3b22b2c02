//! Picks rows of a column to encode them in another order, and measures how much neighboring rows differ in that
//! order.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, UInt32Array, make_array};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer,
};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::{Error, Result};

const TOO_LONG: &str = "a column's text is 2 GiB or more";

/// All rows of a column as one array. Text becomes binary, since encoding needs only its bytes.
pub(super) fn joined(chunks: &[ArrayRef]) -> Result<ArrayRef> {
    if let [only] = chunks {
        return Ok(Arc::clone(only));
    }
    let texts: Option<Vec<_>> = chunks.iter().map(text).collect();
    if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
        return Ok(Arc::new(joined_text(chunks, &texts)?));
    }
    let chunks: Vec<&dyn Array> = chunks.iter().map(AsRef::as_ref).collect();
    arrow_select::concat::concat(&chunks).map_err(Error::limit)
}

/// Chunks of text as one array. Arrow's function for all types is slower.
fn joined_text(chunks: &[ArrayRef], texts: &[(&[i32], &[u8])]) -> Result<BinaryArray> {
    let mut ends = vec![0_i32];
    let mut joined = Vec::new();
    for (offsets, bytes) in texts {
        let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
        let start = i32::try_from(joined.len()).ok();
        joined.extend_from_slice(&bytes[first as usize..last as usize]);
        let start = start.filter(|_| i32::try_from(joined.len()).is_ok());
        let start = start.ok_or_else(|| Error::limit(TOO_LONG))?;
        ends.extend(offsets[1..].iter().map(|end| end - first + start));
    }
    let nulls = chunks.iter().any(|chunk| chunk.null_count() > 0).then(|| {
        let mut builder = NullBufferBuilder::new(ends.len() - 1);
        for chunk in chunks {
            match chunk.nulls() {
                Some(nulls) => builder.append_buffer(nulls),
                None => builder.append_n_non_nulls(chunk.len()),
            }
        }
        builder.finish()
    });
    let ends = OffsetBuffer::new(ends.into());
    Ok(BinaryArray::new(
        ends,
        Buffer::from_vec(joined),
        nulls.flatten(),
    ))
}

/// These rows of a column. Text becomes binary, since encoding needs only its bytes.
pub(super) fn picked(array: &ArrayRef, rows: &[u32]) -> Result<ArrayRef> {
    let nulls = array
        .nulls()
        .filter(|nulls| nulls.null_count() > 0)
        .map(|nulls| {
            let is_valid = |at: usize| nulls.is_valid(rows[at] as usize);
            NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), is_valid))
        });
    if let Some((offsets, bytes)) = text(array) {
        return Ok(Arc::new(picked_text(offsets, bytes, rows, nulls)?));
    }
    if let Some(bools) = array.as_boolean_opt() {
        let is_true = |at: usize| bools.value(rows[at] as usize);
        let bits = BooleanBuffer::collect_bool(rows.len(), is_true);
        return Ok(Arc::new(BooleanArray::new(bits, nulls)));
    }
    let data = array.to_data();
    let buffer = match data.data_type().primitive_width() {
        Some(1) => numbers::<u8>(&data, rows),
        Some(2) => numbers::<u16>(&data, rows),
        Some(4) => numbers::<u32>(&data, rows),
        Some(8) => numbers::<u64>(&data, rows),
        Some(16) => numbers::<i128>(&data, rows),
        _ => return taken(array, rows),
    };
    ArrayData::builder(data.data_type().clone())
        .len(rows.len())
        .add_buffer(buffer)
        .nulls(nulls)
        .build()
        .map(make_array)
        .map_err(Error::corrupt)
}

/// These rows of a column of any type.
fn taken(array: &ArrayRef, rows: &[u32]) -> Result<ArrayRef> {
    let rows = UInt32Array::from(rows.to_vec());
    arrow_select::take::take(array, &rows, None).map_err(Error::corrupt)
}

/// The offsets and bytes of a column of text.
fn text(array: &ArrayRef) -> Option<(&[i32], &[u8])> {
    match array.data_type() {
        DataType::Utf8 => {
            let text = array.as_string::<i32>();
            Some((text.value_offsets(), text.value_data()))
        }
        DataType::Binary => {
            let text = array.as_binary::<i32>();
            Some((text.value_offsets(), text.value_data()))
        }
        _ => None,
    }
}

fn row<'a>(offsets: &[i32], bytes: &'a [u8], row: u32) -> &'a [u8] {
    &bytes[offsets[row as usize] as usize..offsets[row as usize + 1] as usize]
}

fn picked_text(
    offsets: &[i32],
    bytes: &[u8],
    rows: &[u32],
    nulls: Option<NullBuffer>,
) -> Result<BinaryArray> {
    let mut ends = Vec::with_capacity(rows.len() + 1);
    ends.push(0_i32);
    let mut picked = Vec::new();
    for &at in rows {
        picked.extend_from_slice(row(offsets, bytes, at));
        let end = i32::try_from(picked.len());
        ends.push(end.map_err(|_| Error::limit(TOO_LONG))?);
    }
    let ends = OffsetBuffer::new(ends.into());
    Ok(BinaryArray::new(ends, Buffer::from_vec(picked), nulls))
}

fn numbers<T: ArrowNativeType>(data: &ArrayData, rows: &[u32]) -> Buffer {
    let values: &[T] = data.buffer(0);
    rows.iter()
        .map(|&row| values[row as usize])
        .collect::<Vec<T>>()
        .into()
}

/// How much each of these rows of a column differs from the one before it, in bits, summed over the rows. Numbers count
/// the bits of their difference, and texts the bits after their common prefix, or all bits unless they are equal.
///
/// This does not predict a size, but an order with a larger sum hardly ever compresses better.
pub(super) fn roughness(chunks: &[ArrayRef], rows: &[u32], prefixes: bool) -> u64 {
    let Some(first) = chunks.first() else {
        return 0;
    };
    let nulls: Vec<_> = chunks.iter().map(|chunk| chunk.nulls()).collect();
    let mut starts = Vec::with_capacity(chunks.len());
    let mut start = 0;
    for chunk in chunks {
        starts.push(start);
        start += chunk.len();
    }
    // The chunk of each row that is not null, and its place there.
    let places = rows.iter().filter_map(|&row| {
        let row = row as usize;
        let at = starts.partition_point(|&start| start <= row) - 1;
        let place = row - starts[at];
        nulls[at]
            .is_none_or(|nulls| nulls.is_valid(place))
            .then_some((at, place))
    });
    if text(first).is_some() {
        let texts: Vec<_> = chunks.iter().filter_map(text).collect();
        let mut before: &[u8] = &[];
        return places
            .map(|(at, place)| {
                let (offsets, bytes) = texts[at];
                let value = row(offsets, bytes, place as u32);
                let same = if prefixes || value == before {
                    value.iter().zip(before).take_while(|(a, b)| a == b).count()
                } else {
                    0
                };
                before = value;
                8 * (value.len() - same) as u64
            })
            .sum();
    }
    if first.as_boolean_opt().is_some() {
        let bools: Vec<_> = chunks
            .iter()
            .filter_map(|chunk| chunk.as_boolean_opt())
            .collect();
        return of_numbers(places.map(|(at, place)| i64::from(bools[at].value(place))));
    }
    match first.data_type().primitive_width() {
        Some(1) => of_values(chunks, places, |value: i8| value.into()),
        Some(2) => of_values(chunks, places, |value: i16| value.into()),
        Some(4) => of_values(chunks, places, |value: i32| value.into()),
        Some(8) => of_values(chunks, places, |value: i64| value),
        Some(16) => of_values(chunks, places, |value: i128| value as i64),
        // Other types are rare; all their orders count as equal.
        _ => 0,
    }
}

fn of_values<T: ArrowNativeType>(
    chunks: &[ArrayRef],
    places: impl Iterator<Item = (usize, usize)>,
    as_i64: impl Fn(T) -> i64,
) -> u64 {
    let data: Vec<_> = chunks.iter().map(Array::to_data).collect();
    let values: Vec<&[T]> = data.iter().map(|data| data.buffer(0)).collect();
    of_numbers(places.map(|(at, place)| as_i64(values[at][place])))
}

fn of_numbers(values: impl Iterator<Item = i64>) -> u64 {
    let mut before = 0_i64;
    values
        .map(|value| {
            let step = value.wrapping_sub(before).unsigned_abs();
            before = value;
            u64::from(64 - step.leading_zeros())
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use arrow_array::{Decimal128Array, Float64Array, Int16Array, StringArray};

    use super::*;

    #[test]
    fn rows_are_those_that_arrow_takes() {
        let columns: [ArrayRef; 5] = [
            Arc::new(Int16Array::from(vec![Some(3), None, Some(-1), Some(7)])),
            Arc::new(Float64Array::from(vec![0.5, -0.0, 2.0, 9.0])),
            Arc::new(Decimal128Array::from(vec![Some(1), None, None, Some(-4)])),
            Arc::new(BooleanArray::from(vec![
                Some(true),
                None,
                Some(false),
                None,
            ])),
            Arc::new(BinaryArray::from(vec![b"a" as &[u8], b"", b"ccc", b"dd"])),
        ];
        let rows = [2, 0, 1, 3, 2];
        for column in columns {
            let column = column.slice(0, 4);
            let wanted = taken(&column, &rows).unwrap();
            assert_eq!(&picked(&column, &rows).unwrap(), &wanted);
            let sliced = column.slice(1, 3);
            let wanted = taken(&sliced, &[2, 0]).unwrap();
            assert_eq!(&picked(&sliced, &[2, 0]).unwrap(), &wanted);
        }
    }

    #[test]
    fn neighbors_that_resemble_each_other_are_less_rough() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["ab", "xy", "ab", "xy"]));
        let numbers: ArrayRef = Arc::new(Int16Array::from(vec![1, 900, 2, 901]));
        for column in [text, numbers] {
            let chunks = [column.slice(0, 1), column.slice(1, 0), column.slice(1, 3)];
            let [grouped, in_order] = [[0, 2, 1, 3], [0, 1, 2, 3]];
            for prefixes in [false, true] {
                let of = |order: &[u32]| roughness(&chunks, order, prefixes);
                assert!(of(&grouped) < of(&in_order));
                let whole = std::slice::from_ref(&column);
                assert_eq!(of(&grouped), roughness(whole, &grouped, prefixes));
            }
        }
    }
}
