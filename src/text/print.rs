//! How each type's values are spelled in text, be it CSV, JSON or a report.
//!
//! A [`Column`] is an array taken apart once, so that printing a cell is one `match` and no
//! downcast. What is plain text here may need quotes in CSV and is escaped in JSON; the writers
//! see to that.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, UInt8Type,
};
use arrow_array::{Array, ArrowPrimitiveType, BooleanArray, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};

mod float;

use crate::error::{Error, Result};
use crate::schema::Type;

pub use float::{float_word, print_double, print_float};

use super::time::print_timestamp;

/// An array and its declared type, ready to be printed row by row.
#[derive(Debug)]
pub struct Column<'a> {
    nulls: Option<&'a NullBuffer>,
    /// The values, those behind nulls included.
    pub cells: Cells<'a>,
}

/// The values of a column by type; what a type is held as (see [`crate::schema::HELD_AS`]) does
/// not show, except that [`Cells::RawBool`] has other values than 0 and 1, and that text and JSON
/// may not be UTF-8.
#[derive(Debug)]
pub enum Cells<'a> {
    /// `true` or `false`.
    Bool(&'a BooleanArray),
    /// 0 is `false`, 1 is `true`, others are printed as numbers.
    RawBool(&'a [u8]),
    /// Decimal.
    I16(&'a [i16]),
    /// Decimal.
    I32(&'a [i32]),
    /// Decimal.
    I64(&'a [i64]),
    /// The shortest digits that read back as the same single.
    F32(&'a [f32]),
    /// The shortest digits that read back as the same double.
    F64(&'a [f64]),
    /// 36 characters, lowercase.
    Uuid(&'a [[u8; 16]]),
    /// RFC 3339, see [`print_timestamp`].
    Timestamp(&'a [i64]),
    /// As it is.
    Text(Slices<'a>),
    /// Lowercase hex.
    Bytes(Slices<'a>),
    /// As it is.
    Json(Slices<'a>),
}

/// The values of a text or bytes column, whatever the width of its offsets.
#[derive(Debug)]
pub struct Slices<'a> {
    offsets: Offsets<'a>,
    values: &'a [u8],
    is_utf8: bool,
}

#[derive(Debug)]
enum Offsets<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
}

impl<'a> Slices<'a> {
    /// The bytes of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &'a [u8] {
        let (start, end) = match self.offsets {
            Offsets::Small(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
            Offsets::Large(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
        };
        &self.values[start..end]
    }

    /// True if Arrow vouches for UTF-8.
    #[inline]
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    fn of(array: &'a dyn Array) -> Option<Self> {
        let is_utf8 = matches!(array.data_type(), DataType::Utf8 | DataType::LargeUtf8);
        let (offsets, values) = match array.data_type() {
            DataType::Utf8 => {
                let array = array.as_string::<i32>();
                (Offsets::Small(array.offsets()), array.values())
            }
            DataType::LargeUtf8 => {
                let array = array.as_string::<i64>();
                (Offsets::Large(array.offsets()), array.values())
            }
            DataType::Binary => {
                let array = array.as_binary::<i32>();
                (Offsets::Small(array.offsets()), array.values())
            }
            DataType::LargeBinary => {
                let array = array.as_binary::<i64>();
                (Offsets::Large(array.offsets()), array.values())
            }
            _ => return None,
        };
        Some(Self {
            offsets,
            values,
            is_utf8,
        })
    }
}

impl<'a> Column<'a> {
    /// Takes `array` apart as the type that `field` declares.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the type has no spelling here.
    pub fn new(array: &'a dyn Array, field: &Field) -> Result<Self> {
        let cells = Type::of(field)
            .and_then(|ty| Cells::of(array, ty))
            .ok_or_else(|| {
                Error::input(format!("cannot print values of type {}", array.data_type()))
                    .in_column(field.name())
            })?;
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        Ok(Self { nulls, cells })
    }

    /// All columns of a batch.
    ///
    /// # Errors
    /// As [`Column::new`].
    pub fn all(batch: &'a RecordBatch) -> Result<Vec<Self>> {
        let fields = batch.schema_ref().fields();
        let columns = batch.columns().iter().zip(fields);
        columns
            .map(|(array, field)| Self::new(array, field))
            .collect()
    }

    /// True if there is no value in this row.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }
}

impl<'a> Cells<'a> {
    fn of(array: &'a dyn Array, ty: Type) -> Option<Self> {
        fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[T::Native]> {
            Some(array.as_primitive_opt::<T>()?.values())
        }
        Some(match ty {
            Type::Bool => match array.as_boolean_opt() {
                Some(array) => Self::Bool(array),
                None => Self::RawBool(values::<UInt8Type>(array)?),
            },
            Type::I16 => Self::I16(values::<Int16Type>(array)?),
            Type::I32 => Self::I32(values::<Int32Type>(array)?),
            Type::I64 => Self::I64(values::<Int64Type>(array)?),
            Type::F32 => Self::F32(values::<Float32Type>(array)?),
            Type::F64 => Self::F64(values::<Float64Type>(array)?),
            Type::Timestamp => Self::Timestamp(values::<TimestampMicrosecondType>(array)?),
            Type::Uuid => {
                let array = array.as_fixed_size_binary_opt()?;
                Self::Uuid(array.value_data().as_chunks().0)
            }
            Type::Utf8 => Self::Text(Slices::of(array)?),
            Type::Bytes => Self::Bytes(Slices::of(array)?),
            Type::Json => Self::Json(Slices::of(array)?),
        })
    }

    /// Appends the plain spelling of one value, without quotes or escapes.
    #[inline]
    pub fn print(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Bool(array) => print_bool(array.value(row), out),
            Self::RawBool(bytes) => print_raw_bool(bytes[row], out),
            Self::I16(values) => print_integer(values[row], out),
            Self::I32(values) => print_integer(values[row], out),
            Self::I64(values) => print_integer(values[row], out),
            Self::F32(values) => print_float(values[row], out),
            Self::F64(values) => print_double(values[row], out),
            Self::Uuid(values) => print_uuid(&values[row], out),
            Self::Timestamp(values) => print_timestamp(values[row], out),
            Self::Bytes(slices) => print_hex(slices.row(row), out),
            Self::Text(slices) | Self::Json(slices) => out.extend_from_slice(slices.row(row)),
        }
    }
}

/// Appends one cell as CSV has it, but never quoted; nothing for a null.
///
/// # Errors
/// As [`Column::new`].
pub fn print_cell(array: &dyn Array, field: &Field, row: usize, out: &mut Vec<u8>) -> Result<()> {
    let column = Column::new(array, field)?;
    if !column.is_null(row) {
        column.cells.print(row, out);
    }
    Ok(())
}

/// Appends `true` or `false`.
#[inline]
pub fn print_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Appends a byte that should have been a bool: 0 is `false`, 1 is `true`, others are numbers.
#[inline]
pub fn print_raw_bool(byte: u8, out: &mut Vec<u8>) {
    match byte {
        0 | 1 => print_bool(byte == 1, out),
        other => print_integer(other, out),
    }
}

/// Appends decimal digits.
#[inline]
pub fn print_integer<I: itoa::Integer>(value: I, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// `00` to `ff`.
const HEX: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut i = 0;
    while i < 256 {
        pairs[i] = [digits[i >> 4], digits[i & 15]];
        i += 1;
    }
    pairs
};

/// Appends two lowercase hex digits per byte.
pub fn print_hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(bytes.iter().flat_map(|&byte| HEX[usize::from(byte)]));
}

/// Appends 8-4-4-4-12 lowercase hex digits.
pub fn print_uuid(uuid: &[u8; 16], out: &mut Vec<u8>) {
    let hex = uuid.map(|byte| HEX[usize::from(byte)]);
    let hex = hex.as_flattened();
    let mut text = [b'-'; 36];
    text[..8].copy_from_slice(&hex[..8]);
    text[9..13].copy_from_slice(&hex[8..12]);
    text[14..18].copy_from_slice(&hex[12..16]);
    text[19..23].copy_from_slice(&hex[16..20]);
    text[24..].copy_from_slice(&hex[20..]);
    out.extend_from_slice(&text);
}

#[cfg(test)]
mod tests;
