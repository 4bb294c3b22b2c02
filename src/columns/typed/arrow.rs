//! Reads fixed types that wire 1 lacks.

use std::str::FromStr;

use arrow_array::{ArrayRef, new_null_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

use super::text_of;
use crate::columns::infer::{Spelling, validity};
use crate::columns::slots::array_of;
use crate::columns::span::Cells;
use crate::text::time::{Pattern, TimeKind, per_second};
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
        DataType::Int8 => reader.whole::<i8>(),
        DataType::UInt8 => reader.whole::<u8>(),
        DataType::UInt16 => reader.whole::<u16>(),
        DataType::UInt32 => reader.whole::<u32>(),
        DataType::UInt64 => reader.whole::<u64>(),
        DataType::Decimal64(precision, scale) => {
            reader.primitive::<i64>(|text| decimal(text, *precision, *scale)?.try_into().ok())
        }
        DataType::Decimal128(precision, scale) => {
            reader.primitive::<i128>(|text| decimal(text, *precision, *scale))
        }
        DataType::Date32 => {
            let iso = Pattern::compile("%Y-%m-%d").ok_or(0usize)?;
            reader.primitive::<i32>(|text| iso.read(text, 0)?.try_into().ok())
        }
        DataType::Time32(_) => reader.time::<i32>(),
        DataType::Time64(_) | DataType::Timestamp(..) => reader.time::<i64>(),
        _ => Err(0),
    }
}

struct CellReader<'a> {
    cells: Cells<'a>,
    data_type: &'a DataType,
    spelling: Spelling,
}

impl CellReader<'_> {
    fn primitive<T: ArrowNativeType>(
        &self,
        mut read: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<ArrayRef, usize> {
        let values = self
            .cells
            .read(|cell| read(&text_of(cell, self.spelling)?))?;
        array_of(self.data_type, values, validity(self.cells)).map_err(|_| 0)
    }

    fn whole<T: ArrowNativeType + FromStr>(&self) -> Result<ArrayRef, usize> {
        self.primitive::<T>(|text| str::from_utf8(text).ok()?.parse().ok())
    }

    fn time<T: ArrowNativeType + TryFrom<i64>>(&self) -> Result<ArrayRef, usize> {
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
            T::try_from(value?).ok()
        })
    }
}

/// An ISO 8601 time or timestamp in the unit of the type. It must have a zone if and only if the type has one.
fn instant(pattern: &Pattern, text: &[u8], data_type: &DataType) -> Option<i64> {
    let (unit, is_timestamp, zoned) = match data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => (unit, false, false),
        DataType::Timestamp(unit, zone) => (unit, true, zone.is_some()),
        _ => return None,
    };
    // A date alone is not a timestamp.
    let is_iso = if is_timestamp {
        pattern.kind() == TimeKind::Timestamp && pattern.text().starts_with("%Y-%m-%d")
    } else {
        pattern.kind() == TimeKind::Time && pattern.text().starts_with("%H:%M")
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
