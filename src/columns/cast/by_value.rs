//! Casts text to other types by its values.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Decimal128Array, FixedSizeBinaryArray,
    PrimitiveArray, StringArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field};

use super::cells::{DecimalMark, Word, double};
use super::numbers;
use super::time_forms::TimeForm;
use crate::columns::print::Slices;
use crate::schema::Type;
use crate::text::form::BoolLiterals;
use crate::text::number::is_json_number;
use crate::text::print::float_word;
use crate::text::wide::scan_wide;
use crate::text::{time, uuid};

/// True for types that text may be cast to by its values.
pub fn may_be(data_type: &DataType, to: &Field) -> bool {
    matches!(
        data_type,
        DataType::Int64
            | DataType::UInt64
            | DataType::Float64
            | DataType::Decimal128(..)
            | DataType::Boolean
            | DataType::Timestamp(_, Some(_))
    ) || Type::of(to) == Some(Type::Uuid)
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
pub fn cast(array: &dyn Array, from: &Field, to: &Field) -> Option<ArrayRef> {
    let cells = TextCells {
        array,
        slices: Slices::of(array)?,
        mark: DecimalMark::of(from),
    };
    Some(match to.data_type() {
        DataType::Float64 => Arc::new(cells.numbers::<Float64Type>(double, Some)?),
        DataType::Int64 => Arc::new(
            cells.numbers::<Int64Type>(|text| scan_whole(text)?.try_into().ok(), |_| None)?,
        ),
        DataType::UInt64 => Arc::new(
            cells.numbers::<UInt64Type>(|text| scan_whole(text)?.try_into().ok(), |_| None)?,
        ),
        DataType::Decimal128(precision, scale) => {
            let mantissa = |text: &[u8]| {
                let decimal = scan_wide(text)?;
                let missing = u8::try_from(*scale).ok()?.checked_sub(decimal.scale)?;
                let power = 10i128.checked_pow(missing.into())?;
                let mantissa = decimal.mantissa.checked_mul(power)?;
                (mantissa.unsigned_abs() < 10u128.pow((*precision).into())).then_some(mantissa)
            };
            let array: Decimal128Array = cells.numbers(mantissa, |_| None)?;
            Arc::new(array.with_precision_and_scale(*precision, *scale).ok()?)
        }
        DataType::Boolean => {
            let word = |text: &[u8]| BoolLiterals::of(text).map(|(_, value)| value);
            let values = cells.others(word)?.into_iter();
            Arc::new(values.collect::<BooleanArray>())
        }
        DataType::Timestamp(..) => {
            let values = cells.others(time::parse_timestamp)?.into_iter();
            let array = values.collect::<TimestampMicrosecondArray>();
            numbers::cast(&array.with_timezone("UTC"), to.data_type())?
        }
        DataType::FixedSizeBinary(_) => {
            let uuids = cells.others(uuid::parse)?.into_iter();
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(uuids, 16).ok()?)
        }
        _ => return None,
    })
}

/// Parses the cells as dates or times of a form; words for null become null. `None` if a cell is neither.
pub fn cast_times(array: &dyn Array, form: &TimeForm) -> Option<ArrayRef> {
    let cells = TextCells {
        array,
        slices: Slices::of(array)?,
        mark: DecimalMark { is_comma: false },
    };
    let times = cells.others(|cell| form.read(cell).map(i128::from))?;
    let nulls = times.iter().map(Option::is_some).collect();
    let times: Vec<i128> = times.into_iter().map(Option::unwrap_or_default).collect();
    numbers::build(&times, Some(nulls), &form.data_type())
}

/// The cells as JSON numbers. Words for null become null; NaN and the infinities become strings. `None` if a cell is
/// anything else.
pub fn json_numbers(array: &dyn Array, from: &Field, nan: Nan) -> Option<ArrayRef> {
    let slices = Slices::of(array)?;
    let mark = DecimalMark::of(from);
    let text = |row: usize| {
        let cell = slices.row(row);
        if array.is_null(row) || means_null(cell, nan) {
            return Some(None);
        }
        if let Some(Word::NotFinite(value)) = Word::of(cell) {
            return float_word(value).map(|word| Some(format!("\"{word}\"")));
        }
        let number = mark.with_point(cell);
        let number = str::from_utf8(&number).ok();
        number
            .filter(|number| is_json_number(number.as_bytes()))
            .map(|number| Some(number.to_owned()))
    };
    let texts: Option<Vec<_>> = (0..array.len()).map(text).collect();
    Some(Arc::new(StringArray::from_iter(texts?)))
}

/// The cells as text, except that words for null become null.
pub fn without_null_words(array: &dyn Array, nan: Nan) -> Option<ArrayRef> {
    let texts = array.as_string_opt::<i32>()?;
    let slices = Slices::of(array)?;
    let is_valid = BooleanBuffer::collect_bool(array.len(), |row| {
        array.is_valid(row) && !means_null(slices.row(row), nan)
    });
    let (offsets, values, _) = texts.clone().into_parts();
    let nulls = Some(NullBuffer::new(is_valid));
    Some(Arc::new(StringArray::new(offsets, values, nulls)))
}

/// What `nan` means among the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nan {
    /// A value, since the column becomes doubles.
    Value,
    /// Null, since the type of the column has no such value.
    Null,
}

/// True for a word for null.
pub fn means_null(cell: &[u8], nan: Nan) -> bool {
    match Word::of(cell) {
        Some(Word::Null) => true,
        Some(Word::NotFinite(value)) => value.is_nan() && nan == Nan::Null,
        None => false,
    }
}

/// Parses an integer in its canonical spelling.
fn scan_whole(text: &[u8]) -> Option<i128> {
    let decimal = scan_wide(text)?;
    (decimal.scale == 0).then_some(decimal.mantissa)
}

/// The cells of a column of text.
struct TextCells<'a> {
    array: &'a dyn Array,
    slices: Slices<'a>,
    mark: DecimalMark,
}

impl<'a> TextCells<'a> {
    fn cells(&self) -> impl Iterator<Item = Option<&'a [u8]>> + use<'a, '_> {
        (0..self.array.len()).map(|row| self.array.is_valid(row).then(|| self.slices.row(row)))
    }

    /// All cells as numbers of a type: `number` parses a number with a point, and `word` converts NaN and the
    /// infinities. A NaN that the type cannot represent becomes null.
    fn numbers<T: ArrowPrimitiveType>(
        &self,
        number: impl Fn(&[u8]) -> Option<T::Native>,
        word: impl Fn(f64) -> Option<T::Native>,
    ) -> Option<PrimitiveArray<T>> {
        let value = |cell: Option<&[u8]>| {
            let Some(cell) = cell else {
                return Some(None);
            };
            match Word::of(cell) {
                Some(Word::Null) => Some(None),
                Some(Word::NotFinite(value)) => match word(value) {
                    None if !value.is_nan() => None,
                    found => Some(found),
                },
                None => number(&self.mark.with_point(cell)).map(Some),
            }
        };
        let values: Option<Vec<_>> = self.cells().map(value).collect();
        Some(values?.into_iter().collect())
    }

    /// All cells as values that are not numbers.
    fn others<T>(&self, value: impl Fn(&[u8]) -> Option<T>) -> Option<Vec<Option<T>>> {
        let value = |cell: Option<&[u8]>| match cell {
            Some(cell) if !means_null(cell, Nan::Null) => value(cell).map(Some),
            _ => Some(None),
        };
        self.cells().map(value).collect()
    }
}
