//! Casts text to other types by its values.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, Float64Array, StringArray,
    TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, TimeUnit};

use super::facts::{bool_word, lossless_number};
use super::null_words::is_null_word;
use crate::columns::print::Slices;
use crate::schema::Type;
use crate::text::number::is_json_number;
use crate::text::{time, uuid};

/// True for types that text may be cast to by its values.
pub fn may_be(data_type: &DataType, to: &Field) -> bool {
    matches!(
        data_type,
        DataType::Float64 | DataType::Boolean | DataType::Timestamp(TimeUnit::Microsecond, Some(_))
    ) || Type::of(to) == Some(Type::Uuid)
}

/// True if every cell, except for words for null, is a number in JSON's syntax.
pub fn is_numbers(array: &dyn Array) -> bool {
    all_texts(array, |cell| is_json_number(cell) || is_null_word(cell))
}

/// True if every text that is not null passes.
pub fn all_texts(array: &dyn Array, passes: impl Fn(&[u8]) -> bool) -> bool {
    let Some(slices) = Slices::of(array) else {
        return false;
    };
    let mut rows = (0..array.len()).filter(|&row| array.is_valid(row));
    rows.all(|row| passes(slices.row(row)))
}

/// Parses the cells as the type; words for null become null. `None` if a cell is neither.
pub fn cast(array: &dyn Array, to: &Field) -> Option<ArrayRef> {
    let slices = Slices::of(array)?;
    let cells = (0..array.len()).map(|row| array.is_valid(row).then(|| slices.row(row)));
    Some(match Type::of(to)? {
        Type::F64 => {
            let number = |cell| lossless_number(str::from_utf8(cell).ok()?);
            Arc::new(read(cells, number)?.into_iter().collect::<Float64Array>())
        }
        Type::Bool => Arc::new(
            read(cells, bool_word)?
                .into_iter()
                .collect::<BooleanArray>(),
        ),
        Type::Timestamp => {
            let array = read(cells, time::parse_timestamp)?
                .into_iter()
                .collect::<TimestampMicrosecondArray>();
            Arc::new(array.with_data_type(to.data_type().clone()))
        }
        Type::Uuid => {
            let uuids = read(cells, uuid::parse)?.into_iter();
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(uuids, 16).ok()?)
        }
        Type::Json => {
            let number = |cell| str::from_utf8(cell).ok().filter(|_| is_json_number(cell));
            Arc::new(read(cells, number)?.into_iter().collect::<StringArray>())
        }
        Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::Utf8 | Type::Bytes => return None,
    })
}

fn read<'a, T>(
    cells: impl Iterator<Item = Option<&'a [u8]>>,
    value: impl Fn(&'a [u8]) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    cells
        .map(|cell| match cell {
            None => Some(None),
            Some(cell) => match value(cell) {
                None if is_null_word(cell) => Some(None),
                value => value.map(Some),
            },
        })
        .collect()
}
