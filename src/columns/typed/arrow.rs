//! Reads fixed types that wire 1 lacks.

use std::str::FromStr;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal64Type, Decimal128Type, Int8Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray, new_null_array};
use arrow_schema::{DataType, TimeUnit};

use super::text_of;
use crate::columns::infer::{Spelling, validity};
use crate::columns::span::Cells;
use crate::text::time::{Pattern, per_second};
use crate::text::wide::scan_wide;

/// Reads all cells as the type, or returns the first row that does not fit.
pub(super) fn read(
    cells: Cells<'_>,
    data_type: &DataType,
    spelling: Spelling,
) -> Result<ArrayRef, usize> {
    let reader = CellReader {
        cells,
        data_type,
        spelling,
    };
    match data_type {
        DataType::Null => {
            cells.each(|cell| cell.is_empty().then_some(()))?;
            Ok(new_null_array(data_type, cells.len()))
        }
        DataType::Int8 => reader.whole::<Int8Type>(),
        DataType::UInt8 => reader.whole::<UInt8Type>(),
        DataType::UInt16 => reader.whole::<UInt16Type>(),
        DataType::UInt32 => reader.whole::<UInt32Type>(),
        DataType::UInt64 => reader.whole::<UInt64Type>(),
        DataType::Decimal64(precision, scale) => reader
            .primitive::<Decimal64Type>(|text| decimal(text, *precision, *scale)?.try_into().ok()),
        DataType::Decimal128(precision, scale) => {
            reader.primitive::<Decimal128Type>(|text| decimal(text, *precision, *scale))
        }
        DataType::Date32 => {
            let iso = Pattern::compile("%Y-%m-%d").ok_or(0usize)?;
            reader.primitive::<Date32Type>(|text| iso.read(text, 0)?.try_into().ok())
        }
        DataType::Time32(TimeUnit::Second) => reader.time::<Time32SecondType>(),
        DataType::Time32(_) => reader.time::<Time32MillisecondType>(),
        DataType::Time64(TimeUnit::Nanosecond) => reader.time::<Time64NanosecondType>(),
        DataType::Time64(_) => reader.time::<Time64MicrosecondType>(),
        DataType::Timestamp(TimeUnit::Second, _) => reader.time::<TimestampSecondType>(),
        DataType::Timestamp(TimeUnit::Millisecond, _) => reader.time::<TimestampMillisecondType>(),
        DataType::Timestamp(TimeUnit::Microsecond, _) => reader.time::<TimestampMicrosecondType>(),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => reader.time::<TimestampNanosecondType>(),
        _ => Err(0),
    }
}

struct CellReader<'a> {
    cells: Cells<'a>,
    data_type: &'a DataType,
    spelling: Spelling,
}

impl CellReader<'_> {
    fn primitive<T: ArrowPrimitiveType>(
        &self,
        mut read: impl FnMut(&[u8]) -> Option<T::Native>,
    ) -> Result<ArrayRef, usize> {
        let values = self
            .cells
            .read(|cell| read(&text_of(cell, self.spelling)?))?;
        let array = PrimitiveArray::<T>::new(values.into(), validity(self.cells));
        Ok(Arc::new(array.with_data_type(self.data_type.clone())))
    }

    fn whole<T: ArrowPrimitiveType<Native: FromStr>>(&self) -> Result<ArrayRef, usize> {
        self.primitive::<T>(|text| str::from_utf8(text).ok()?.parse().ok())
    }

    fn time<T: ArrowPrimitiveType<Native: TryFrom<i64>>>(&self) -> Result<ArrayRef, usize> {
        // Cells of a column are usually written alike, so try the last pattern first.
        let mut last: Option<Pattern> = None;
        self.primitive::<T>(|text| {
            let known = last.as_ref().and_then(|p| instant(p, text, self.data_type));
            let value = known.or_else(|| {
                let mut patterns = crate::text::time::guess(text).into_iter();
                patterns.find_map(|pattern| {
                    let value = instant(&pattern, text, self.data_type)?;
                    last = Some(pattern);
                    Some(value)
                })
            });
            T::Native::try_from(value?).ok()
        })
    }
}

/// An ISO 8601 time or timestamp in the unit of the type. It must have a zone exactly if the type has one.
fn instant(pattern: &Pattern, text: &[u8], data_type: &DataType) -> Option<i64> {
    let (unit, is_timestamp, zoned) = match data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => (unit, false, false),
        DataType::Timestamp(unit, zone) => (unit, true, zone.is_some()),
        _ => return None,
    };
    let is_iso = if is_timestamp {
        pattern.text().starts_with("%Y-%m-%d")
    } else {
        pattern.text().starts_with("%H:%M")
    };
    if !is_iso || zoned != (pattern.is_utc() || pattern.has_offset()) {
        return None;
    }
    let value = pattern.read(text, pattern.offset_of(text)?)?;
    let (from, _) = per_second(pattern.unit());
    let (to, _) = per_second(*unit);
    if to >= from {
        value.checked_mul(to / from)
    } else {
        (value % (from / to) == 0).then(|| value / (from / to))
    }
}

/// The mantissa at the given scale, if no digit is lost.
fn decimal(text: &[u8], precision: u8, scale: i8) -> Option<i128> {
    let number = scan_wide(text)?;
    let missing = u32::try_from(i32::from(scale) - i32::from(number.scale)).ok()?;
    let mantissa = number.mantissa.checked_mul(10i128.checked_pow(missing)?)?;
    (mantissa.unsigned_abs() < 10u128.pow(precision.into())).then_some(mantissa)
}
