//! Collects the values of a column's valid rows from the arrays of all its chunks.
//!
//! Encodings need contiguous numbers or strings. This module hides the Arrow representation and the division
//! into chunks.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, Decimal128Type};
use arrow_array::{Array, ArrayRef, GenericByteArray};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, BooleanBufferBuilder, MutableBuffer, NullBuffer, bit_util,
};
use arrow_schema::DataType;

use super::types;
use crate::columns::lists::{Ranges, list_parts};
use crate::columns::print::Slices;
use crate::error::{Error, Result};
use crate::wire::encodings::{ByteStrings, ValueKind};

/// An array of a column, with a mask of the slots that are rows.
///
/// Arrow has a slot in every child of a null struct, and may have items in a null list. These slots are not rows.
/// Marking them costs a bit per slot; copying the others to new arrays, level by level, would cost more than encoding
/// them.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    array: ArrayRef,
    /// The slots that are rows; `None` if all are.
    rows: Option<NullBuffer>,
    /// The slots that are rows and not null; `None` if all are.
    valid: Option<NullBuffer>,
}

/// The chunks of a column of the header.
pub(super) fn chunks(arrays: &[ArrayRef]) -> Vec<Chunk> {
    arrays.iter().cloned().map(Chunk::from).collect()
}

/// Which rows of a column of the header are valid; `None` if all are.
pub(super) fn nulls(chunks: &[Chunk]) -> Option<NullBuffer> {
    match chunks {
        [chunk] => chunk.valid.clone(),
        _ if chunks.iter().all(|chunk| chunk.valid.is_none()) => None,
        _ => {
            let mut bits = BooleanBufferBuilder::new(chunks.iter().map(Chunk::rows).sum());
            for chunk in chunks {
                match &chunk.valid {
                    Some(valid) => bits.append_buffer(valid.inner()),
                    None => bits.append_n(chunk.rows(), true),
                }
            }
            Some(NullBuffer::new(bits.finish()))
        }
    }
}

impl From<ArrayRef> for Chunk {
    fn from(array: ArrayRef) -> Self {
        Self::new(array, None)
    }
}

impl Chunk {
    fn new(array: ArrayRef, rows: Option<NullBuffer>) -> Self {
        let valid = NullBuffer::union(rows.as_ref(), array.nulls());
        Self {
            array,
            rows,
            valid: valid.filter(|valid| valid.null_count() > 0),
        }
    }

    /// The array, including slots that are not rows.
    pub(super) fn array(&self) -> &dyn Array {
        &*self.array
    }

    /// Approximate size of its array in bytes.
    pub(super) fn len_bytes(&self) -> usize {
        self.array.get_array_memory_size()
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        let absent = self.rows.as_ref().map_or(0, NullBuffer::null_count);
        self.array.len() - absent
    }

    /// Number of rows that are not null.
    pub(super) fn valid(&self) -> usize {
        let others = self.valid.as_ref().map_or(0, NullBuffer::null_count);
        self.array.len() - others
    }

    /// The slots that are rows.
    fn row_slots(&self) -> impl Iterator<Item = usize> {
        let all = self.rows.is_none().then_some(0..self.array.len());
        let rows = self.rows.iter().flat_map(NullBuffer::valid_indices);
        all.into_iter().flatten().chain(rows)
    }

    /// The ranges of slots that are rows and not null.
    pub(super) fn valid_ranges(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = self.valid.is_none().then_some((0, self.array.len()));
        let valid = self.valid.iter().flat_map(NullBuffer::valid_slices);
        all.into_iter().chain(valid)
    }

    /// Appends an item for each row, given whether it is valid.
    pub(super) fn extend_validity<T>(&self, out: &mut Vec<T>, mut item: impl FnMut(bool) -> T) {
        let all = || NullBuffer::new_valid(self.array.len());
        let valid = match &self.valid {
            Some(valid) if self.valid() < self.rows() => valid,
            _ => return out.extend((0..self.rows()).map(|_| item(true))),
        };
        let rows = self.rows.clone().unwrap_or_else(all);
        let rows = rows.inner().bit_chunks();
        let valid = valid.inner().bit_chunks();
        for (mut rows, valid) in rows.iter_padded().zip(valid.iter_padded()) {
            if rows == u64::MAX {
                out.extend((0..64).map(|slot| item(valid >> slot & 1 == 1)));
                continue;
            }
            while rows != 0 {
                out.push(item(valid >> rows.trailing_zeros() & 1 == 1));
                rows &= rows - 1;
            }
        }
    }
}

/// The chunks of each child column of structs.
pub(super) fn members(chunks: Vec<Chunk>, count: usize) -> Vec<Vec<Chunk>> {
    let mut members = vec![Vec::with_capacity(chunks.len()); count];
    for Chunk { array, valid, .. } in chunks {
        for (member, column) in members.iter_mut().zip(array.as_struct().columns()) {
            member.push(Chunk::new(Arc::clone(column), valid.clone()));
        }
    }
    members
}

/// The items of lists that are not null, or the entries of maps. Appends the number of items of each list to `lengths`,
/// unless it is fixed.
pub(super) fn items(chunks: Vec<Chunk>, lengths: &mut Vec<i64>) -> Vec<Chunk> {
    let mut of_chunk = |chunk: Chunk| {
        let entries: ArrayRef;
        let (ranges, items) = if let Some(parts) = list_parts(&*chunk.array) {
            parts
        } else {
            let map = chunk.array.as_map();
            entries = Arc::new(map.entries().clone());
            (Ranges::Small(map.offsets()), &entries)
        };
        chunk.items(&ranges, items, lengths)
    };
    chunks.into_iter().map(&mut of_chunk).collect()
}

impl Chunk {
    /// The items of valid lists.
    fn items(&self, ranges: &Ranges<'_>, items: &ArrayRef, lengths: &mut Vec<i64>) -> Self {
        let (first, last) = match self.array.len() {
            0 => (0, 0),
            rows => (ranges.of(0).start, ranges.of(rows - 1).end),
        };
        let mut valid = Vec::new();
        let mut kept = 0;
        for (from, to) in self.valid_ranges() {
            if !matches!(ranges, Ranges::Fixed(_)) {
                lengths.extend((from..to).map(|row| ranges.of(row).len() as i64));
            }
            if from < to {
                let range = ranges.of(from).start - first..ranges.of(to - 1).end - first;
                kept += range.len();
                valid.push(range);
            }
        }
        let rows = (kept < last - first).then(|| {
            let mut bits = BooleanBufferBuilder::new(last - first);
            for range in valid {
                bits.append_n(range.start - bits.len(), false);
                bits.append_n(range.len(), true);
            }
            bits.append_n(last - first - bits.len(), false);
            NullBuffer::new(bits.finish())
        });
        Self::new(items.slice(first, last - first), rows)
    }
}

/// The items of lists of `positions` items each by their position, as far as these are the first `most` items.
pub(super) fn by_position(items: &[Chunk], positions: usize, most: usize) -> Vec<Vec<Chunk>> {
    let mut columns = vec![Vec::with_capacity(items.len()); positions];
    let mut left = most;
    for chunk in items {
        let len = chunk.array.len();
        let masks = (0..positions).map(|_| MutableBuffer::new_null(len));
        let mut masks: Vec<MutableBuffer> = masks.collect();
        let mut position = 0;
        for slot in chunk.row_slots().take(left) {
            bit_util::set_bit(masks[position].as_slice_mut(), slot);
            position = if position + 1 == positions {
                0
            } else {
                position + 1
            };
        }
        left -= left.min(chunk.rows());
        for (column, mask) in columns.iter_mut().zip(masks) {
            let rows = BooleanBuffer::new(mask.into(), 0, len);
            column.push(Chunk::new(
                Arc::clone(&chunk.array),
                Some(NullBuffer::new(rows)),
            ));
        }
    }
    columns
}

/// The values of the valid rows of a column without children.
#[derive(Debug, PartialEq)]
pub(super) enum Values {
    /// Integers, or the bits of floats.
    Numbers(Vec<i64>),
    /// The low and the high 64 bits of 128-bit numbers.
    Wide {
        low: Vec<i64>,
        high: Vec<i64>,
    },
    Strings(ByteStrings),
}

impl Values {
    /// The values of all valid rows.
    ///
    /// # Errors
    /// [`crate::error::Kind::Unsupported`] if frames cannot hold the type, [`crate::error::Kind::Limit`] for too much
    /// text.
    pub(super) fn of(data_type: &DataType, chunks: &[Chunk]) -> Result<Self> {
        let valid = chunks.iter().map(Chunk::valid).sum();
        if let DataType::Decimal128(..) = data_type {
            let mut low = Vec::with_capacity(valid);
            let mut high = Vec::with_capacity(valid);
            for chunk in chunks {
                let values = chunk.array.as_primitive::<Decimal128Type>().values();
                for (from, to) in chunk.valid_ranges() {
                    low.extend(values[from..to].iter().map(|value| *value as i64));
                    high.extend(values[from..to].iter().map(|value| (*value >> 64) as i64));
                }
            }
            return Ok(Self::Wide { low, high });
        }
        match types::kind(data_type) {
            Some(ValueKind::Strings) => Ok(Self::Strings(strings(chunks)?)),
            Some(ValueKind::Ints | ValueKind::Floats) => {
                Ok(Self::Numbers(numbers(data_type, chunks, valid)?))
            }
            None => Err(types::unsupported(data_type)),
        }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(values) | Self::Wide { low: values, .. } => values.len(),
            Self::Strings(values) => values.len(),
        }
    }
}

/// The numbers of the valid rows, for all types stored as integers or floats.
fn numbers(data_type: &DataType, chunks: &[Chunk], valid: usize) -> Result<Vec<i64>> {
    let mut out = Vec::with_capacity(valid);
    for chunk in chunks {
        if let Some(bools) = chunk.array.as_boolean_opt() {
            for (from, to) in chunk.valid_ranges() {
                out.extend(bools.values().slice(from, to - from).iter().map(i64::from));
            }
            continue;
        }
        let data = chunk.array.to_data();
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
                for (from, to) in chunk.valid_ranges() {
                    out.extend_from_slice(&values[from..to]);
                }
            }
            _ => return Err(types::unsupported(data_type)),
        }
    }
    Ok(out)
}

fn widen<T: ArrowNativeType + Into<i64>>(chunk: &Chunk, values: &[T], out: &mut Vec<i64>) {
    for (from, to) in chunk.valid_ranges() {
        out.extend(values[from..to].iter().map(|&value| value.into()));
    }
}

/// Joins the halves of 128-bit numbers.
pub(super) fn wide(low: &[i64], high: &[i64]) -> impl Iterator<Item = i128> {
    low.iter()
        .zip(high)
        .map(|(&low, &high)| i128::from(high) << 64 | i128::from(low as u64))
}

/// The strings of the valid rows.
fn strings(chunks: &[Chunk]) -> Result<ByteStrings> {
    let mut out = ByteStrings::default();
    out.offsets.reserve(chunks.iter().map(Chunk::valid).sum());
    out.data.reserve(chunks.iter().map(text_bytes).sum());
    for chunk in chunks {
        let array = &*chunk.array;
        match array.data_type() {
            DataType::Utf8 => slices(chunk, array.as_string::<i32>(), &mut out)?,
            DataType::Binary => slices(chunk, array.as_binary::<i32>(), &mut out)?,
            DataType::LargeUtf8 => slices(chunk, array.as_string::<i64>(), &mut out)?,
            DataType::LargeBinary => slices(chunk, array.as_binary::<i64>(), &mut out)?,
            other => {
                let values = Slices::of(array).ok_or_else(|| types::unsupported(other))?;
                for row in chunk.valid_ranges().flat_map(|(from, to)| from..to) {
                    let value = values.row(row);
                    room(&out, value.len())?;
                    out.push(value);
                }
            }
        }
    }
    Ok(out)
}

/// The bytes of text in the rows of a chunk, estimated if there are other slots.
fn text_bytes(chunk: &Chunk) -> usize {
    fn range<T: ByteArrayType>(array: &GenericByteArray<T>) -> usize {
        let offsets = array.value_offsets();
        offsets[offsets.len() - 1].as_usize() - offsets[0].as_usize()
    }
    let array = &*chunk.array;
    let all = match array.data_type() {
        DataType::Utf8 => range(array.as_string::<i32>()),
        DataType::Binary => range(array.as_binary::<i32>()),
        DataType::LargeUtf8 => range(array.as_string::<i64>()),
        DataType::LargeBinary => range(array.as_binary::<i64>()),
        DataType::FixedSizeBinary(len) => array.len() * *len as usize,
        // Views can share their text.
        _ => 0,
    };
    let share = chunk.rows() as f64 / array.len().max(1) as f64;
    (all as f64 * share) as usize
}

/// Appends the valid rows of a text or bytes array, copying adjacent rows together.
fn slices<T: ByteArrayType>(
    chunk: &Chunk,
    array: &GenericByteArray<T>,
    out: &mut ByteStrings,
) -> Result<()> {
    let (offsets, data) = (array.value_offsets(), array.value_data());
    for (from, to) in chunk.valid_ranges() {
        let (start, end) = (offsets[from].as_usize(), offsets[to].as_usize());
        room(out, end - start)?;
        let shift = out.data.len() as i64 - start as i64;
        out.data.extend_from_slice(&data[start..end]);
        out.offsets.extend(
            offsets[from + 1..=to]
                .iter()
                .map(|end| (end.as_usize() as i64 + shift) as i32),
        );
    }
    Ok(())
}

/// Refuses more text than 32-bit offsets can address.
fn room(out: &ByteStrings, more: usize) -> Result<()> {
    if i32::try_from(out.data.len() + more).is_ok() {
        return Ok(());
    }
    Err(
        Error::limit("a column holds 2 GiB of text or more in one frame")
            .hint("write smaller frames with --frame-rows"),
    )
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int64Array, ListArray, StructArray};
    use arrow_buffer::{OffsetBuffer, ScalarBuffer};
    use arrow_schema::Field;

    use super::*;

    /// Lists of structs with one field, where nulls of lists and structs hide items and values:
    /// `[[1, null], null (hides 2), [null (hides 3), {null}, 4]]`.
    fn lists() -> ArrayRef {
        let values = Int64Array::from(vec![Some(1), None, Some(2), Some(3), None, Some(4)]);
        let field = Arc::new(Field::new("a", DataType::Int64, true));
        let is_struct = NullBuffer::from(vec![true, false, true, false, true, true]);
        let structs = StructArray::new(vec![field].into(), vec![Arc::new(values)], Some(is_struct));
        let item = Arc::new(Field::new("item", structs.data_type().clone(), true));
        let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0, 2, 3, 6]));
        let is_list = NullBuffer::from(vec![true, false, true]);
        Arc::new(ListArray::new(
            item,
            offsets,
            Arc::new(structs),
            Some(is_list),
        ))
    }

    fn validity(chunk: &Chunk) -> Vec<i64> {
        let mut bits = Vec::new();
        chunk.extend_validity(&mut bits, i64::from);
        assert_eq!(
            (chunk.rows(), chunk.valid() as i64),
            (bits.len(), bits.iter().sum())
        );
        bits
    }

    #[test]
    fn slots_under_nulls_are_no_rows() {
        for (from, len, lengths, of_items, of_values, expected) in [
            (
                0,
                3,
                &[2, 3][..],
                &[1, 0, 0, 1, 1][..],
                &[1, 0, 1][..],
                &[1, 4][..],
            ),
            (1, 1, &[], &[], &[], &[]),
            (1, 2, &[3], &[0, 1, 1], &[0, 1], &[4]),
        ] {
            let mut found = Vec::new();
            let structs = items(vec![lists().slice(from, len).into()], &mut found);
            assert_eq!(found, lengths);
            assert_eq!(validity(&structs[0]), of_items);
            let values = members(structs, 1).remove(0);
            assert_eq!(validity(&values[0]), of_values);
            assert_eq!(numbers(&DataType::Int64, &values, 0).unwrap(), expected);
        }
    }

    #[test]
    fn validity_is_read_word_by_word() {
        let rows: Vec<bool> = (0..200).map(|slot| slot % 3 != 0 || slot > 150).collect();
        let valid: Vec<bool> = (0..200).map(|slot| slot % 7 != 1).collect();
        let values: Int64Array = valid.iter().map(|&valid| valid.then_some(5)).collect();
        let (rows, values) = (NullBuffer::from(rows), Arc::new(values) as ArrayRef);
        for (from, len) in [(0, 200), (5, 130), (64, 64), (199, 1)] {
            let chunk = Chunk::new(values.slice(from, len), Some(rows.slice(from, len)));
            let expected: Vec<i64> = (from..from + len)
                .filter(|&slot| rows.is_valid(slot))
                .map(|slot| i64::from(valid[slot]))
                .collect();
            assert_eq!(validity(&chunk), expected);
        }
    }
}
