//! The values of rows, apart from their types and text forms.

use super::TypedCells;
use crate::text::time::per_second;

/// The value of a row.
#[derive(Clone, Copy, Debug)]
pub enum CellValue<'a> {
    /// No value.
    Null,
    /// A nested value, or a number of more than 128 bits.
    Other,
    /// 0 is false. Wire 1 permits other bytes than 0 and 1.
    Bool(u8),
    /// A mantissa and its scale.
    Decimal(i128, i8),
    /// A float of any width but 32 bits.
    Float(f64),
    /// Kept apart from f64, because the shortest digits of an f32 differ from those of the same value as an
    /// f64.
    Float32(f32),
    /// Text, or JSON.
    Text(&'a [u8]),
    /// Bytes, or a UUID.
    Bytes(&'a [u8]),
    /// Nanoseconds since 1970.
    Instant(i128),
    /// Nanoseconds.
    TimeOfDay(i128),
    /// Nanoseconds.
    Duration(i128),
    /// Number of months.
    Months(i32),
}

impl TypedCells<'_> {
    /// False for decimals of 256 bits, and for months, which differ in length.
    pub fn has_order(&self) -> bool {
        match self {
            Self::D256(..) | Self::Months(_) => false,
            Self::Dictionary(dictionary) => dictionary.values.has_order(),
            _ => true,
        }
    }

    /// The value of a row that is not null.
    #[inline]
    pub fn value(&self, row: usize) -> CellValue<'_> {
        let whole = |value: i128| CellValue::Decimal(value, 0);
        match self {
            Self::Null => CellValue::Null,
            Self::Bool(bits) | Self::BoolLiterals(bits, _) => {
                CellValue::Bool(bits.value(row).into())
            }
            Self::RawBool(values) => CellValue::Bool(values[row]),
            Self::I8(values) => whole(values[row].into()),
            Self::I16(values) => whole(values[row].into()),
            Self::I32(values) => whole(values[row].into()),
            Self::I64(values) | Self::Padded(values, _) => whole(values[row].into()),
            Self::U8(values) => whole(values[row].into()),
            Self::U16(values) => whole(values[row].into()),
            Self::U32(values) => whole(values[row].into()),
            Self::U64(values) => whole(values[row].into()),
            Self::D32(values, scale) => CellValue::Decimal(values[row].into(), *scale),
            Self::D64(values, scale) => CellValue::Decimal(values[row].into(), *scale),
            Self::D128(values, scale) => CellValue::Decimal(values[row], *scale),
            Self::D256(values, scale) => match values[row].to_i128() {
                Some(mantissa) => CellValue::Decimal(mantissa, *scale),
                None => CellValue::Other,
            },
            Self::F16(values) => CellValue::Float(values[row].to_f64()),
            Self::F32(values) => CellValue::Float32(values[row]),
            Self::F64(values) | Self::Floats(values, _) | Self::Scientific(values, _) => {
                CellValue::Float(values[row])
            }
            Self::Text(slices) | Self::Json(slices) => CellValue::Text(slices.row(row)),
            Self::Bytes(slices) => CellValue::Bytes(slices.row(row)),
            Self::Uuid(values) | Self::UpperUuid(values) => CellValue::Bytes(&values[row]),
            Self::Timestamp(micros) => CellValue::Instant(i128::from(micros[row]) * 1000),
            Self::Times(times) if times.has_day() => CellValue::Instant(times.nanos(row)),
            Self::Times(times) => CellValue::TimeOfDay(times.nanos(row)),
            Self::Duration(values, unit) => {
                CellValue::Duration(i128::from(values[row]) * i128::from(per_second(*unit).1))
            }
            Self::Months(values) => CellValue::Months(values[row]),
            Self::Comma(numbers) => numbers.value(row),
            Self::Dictionary(dictionary) => dictionary.values.value(dictionary.keys[row]),
        }
    }
}
