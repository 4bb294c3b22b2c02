//! The values of a column's valid rows, out of the arrays of all its chunks.
//!
//! Encodings see whole numbers, floats or strings end to end; whatever a type is held as in Arrow, and
//! however many chunks there are, is taken off here.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, UInt32Array};
use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_schema::{ArrowError, DataType};

use crate::error::{Error, Result};
use crate::wire::encodings::ByteStrings;

/// The rows of nested arrays that are valid.
pub(super) fn without_nulls(chunks: Vec<ArrayRef>) -> Result<Vec<ArrayRef>> {
    let arrow = |error: ArrowError| Error::input(error.to_string());
    chunks
        .into_iter()
        .map(
            |chunk| match chunk.nulls().filter(|nulls| nulls.null_count() > 0) {
                None => Ok(chunk),
                Some(nulls) => {
                    let keep = BooleanArray::new(nulls.inner().clone(), None);
                    arrow_select::filter::filter(&chunk, &keep).map_err(arrow)
                }
            },
        )
        .collect()
}

/// The rows at these places, nulls at those that are null.
pub(super) fn taken(array: &ArrayRef, places: &UInt32Array) -> Result<ArrayRef> {
    let arrow = |error: ArrowError| Error::corrupt(error.to_string());
    arrow_select::take::take(array, places, None).map_err(arrow)
}

/// The items of all lists, and how many each list has.
pub(super) fn items_of<O: ArrowNativeType>(
    offsets: &[O],
    items: &ArrayRef,
    lengths: &mut Vec<i64>,
) -> ArrayRef {
    let place = |at: &O| at.as_usize();
    lengths.extend(
        offsets
            .windows(2)
            .map(|pair| (place(&pair[1]) - place(&pair[0])) as i64),
    );
    let first = offsets.first().map_or(0, place);
    let last = offsets.last().map_or(0, place);
    items.slice(first, last - first)
}

/// Calls `take` with each range of rows that are valid.
pub(super) fn each_valid(chunk: &dyn Array, mut take: impl FnMut(usize, usize)) {
    match chunk.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => take(0, chunk.len()),
        Some(nulls) => nulls.valid_slices().for_each(|(from, to)| take(from, to)),
    }
}

/// The floats of the valid rows.
pub(super) fn floats(chunks: &[ArrayRef], valid: usize) -> Vec<f64> {
    let mut out = Vec::with_capacity(valid);
    for chunk in chunks {
        let values = chunk.as_primitive::<Float64Type>().values();
        each_valid(chunk, |from, to| out.extend_from_slice(&values[from..to]));
    }
    out
}

/// Whole numbers of the valid rows, whatever they mean.
pub(super) fn ints(data_type: &DataType, chunks: &[ArrayRef], valid: usize) -> Result<Vec<i64>> {
    let mut out = Vec::with_capacity(valid);
    for chunk in chunks {
        if let Some(bools) = chunk.as_boolean_opt() {
            each_valid(chunk, |from, to| {
                out.extend(bools.values().slice(from, to - from).iter().map(i64::from));
            });
            continue;
        }
        let data = chunk.to_data();
        let unsigned = data_type.is_unsigned_integer() || data_type.is_floating();
        match (data_type.primitive_width(), unsigned) {
            (Some(1), false) => widen::<i8>(chunk, data.buffer(0), &mut out),
            (Some(2), false) => widen::<i16>(chunk, data.buffer(0), &mut out),
            (Some(4), false) => widen::<i32>(chunk, data.buffer(0), &mut out),
            (Some(1), true) => widen::<u8>(chunk, data.buffer(0), &mut out),
            (Some(2), true) => widen::<u16>(chunk, data.buffer(0), &mut out),
            (Some(4), true) => widen::<u32>(chunk, data.buffer(0), &mut out),
            (Some(8), _) => {
                let values: &[i64] = data.buffer(0);
                each_valid(chunk, |from, to| out.extend_from_slice(&values[from..to]));
            }
            _ => return Err(Error::input(format!("wire 2 has no type {data_type}"))),
        }
    }
    Ok(out)
}

fn widen<T: ArrowNativeType + Into<i64>>(chunk: &dyn Array, values: &[T], out: &mut Vec<i64>) {
    each_valid(chunk, |from, to| {
        out.extend(values[from..to].iter().map(|&value| value.into()));
    });
}

/// Numbers of 128 bits from their halves.
pub(super) fn wide(low: &[i64], high: &[i64]) -> impl Iterator<Item = i128> {
    let halves = low.iter().zip(high);
    halves.map(|(&low, &high)| i128::from(high) << 64 | i128::from(low as u64))
}

/// The strings of the valid rows.
pub(super) fn strings(chunks: &[ArrayRef]) -> Result<ByteStrings> {
    let mut out = ByteStrings::default();
    for chunk in chunks {
        match chunk.data_type() {
            DataType::Utf8 => {
                let array = chunk.as_string::<i32>();
                slices(chunk, array.offsets(), array.values(), &mut out)?;
            }
            DataType::Binary => {
                let array = chunk.as_binary::<i32>();
                slices(chunk, array.offsets(), array.values(), &mut out)?;
            }
            DataType::LargeUtf8 => {
                let array = chunk.as_string::<i64>();
                slices(chunk, array.offsets(), array.values(), &mut out)?;
            }
            DataType::LargeBinary => {
                let array = chunk.as_binary::<i64>();
                slices(chunk, array.offsets(), array.values(), &mut out)?;
            }
            DataType::Utf8View => {
                let array = chunk.as_string_view();
                for value in array.iter().flatten() {
                    room(&out, value.len())?;
                    out.push(value.as_bytes());
                }
            }
            DataType::BinaryView => {
                for value in chunk.as_binary_view().iter().flatten() {
                    room(&out, value.len())?;
                    out.push(value);
                }
            }
            _ => {
                for value in chunk.as_fixed_size_binary().iter().flatten() {
                    room(&out, value.len())?;
                    out.push(value);
                }
            }
        }
    }
    Ok(out)
}

/// Appends the valid rows of a text or bytes array, neighbours at once.
fn slices<O: ArrowNativeType>(
    chunk: &dyn Array,
    offsets: &[O],
    data: &Buffer,
    out: &mut ByteStrings,
) -> Result<()> {
    let mut fits = Ok(());
    each_valid(chunk, |from, to| {
        let (start, end) = (offsets[from].as_usize(), offsets[to].as_usize());
        if fits.is_ok() {
            fits = room(out, end - start);
        }
        if fits.is_ok() {
            let shift = out.data.len() as i64 - start as i64;
            out.data.extend_from_slice(&data[start..end]);
            let ends = offsets[from + 1..=to].iter();
            out.offsets
                .extend(ends.map(|end| (end.as_usize() as i64 + shift) as i32));
        }
    });
    fits
}

/// Refuses more text than 32-bit offsets can reach.
fn room(out: &ByteStrings, more: usize) -> Result<()> {
    if i32::try_from(out.data.len() + more).is_ok() {
        return Ok(());
    }
    Err(
        Error::limit("a column holds 2 GiB of text or more in one frame")
            .hint("write smaller frames with --frame-rows"),
    )
}
