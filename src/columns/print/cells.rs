//! Typed access to the values of a column, and their text.

use arrow_array::cast::AsArray;
use arrow_array::types::Float16Type;
use arrow_array::{Array, ArrowPrimitiveType, BooleanArray};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

use super::Slices;
use super::times::{Times, print_duration, print_months};
use crate::columns::slots::slots;
use crate::schema::keys::{FORM, with, without};
use crate::schema::{EXTENSION_NAME, JSON_EXTENSION, Type};
use crate::text::form::{
    self, BoolLiterals, COMMA, UPPER, default_pattern, exchange_commas, parse_padded, print_padded,
};
use crate::text::number::{print_decimal, print_scaled};
use crate::text::print::{
    FloatFormat, ScientificFormat, print_bool, print_double, print_float, print_hex, print_integer,
    print_raw_bool, print_upper_uuid, print_uuid,
};
use crate::text::time::print_timestamp;

/// A half-precision float.
type F16 = <Float16Type as ArrowPrimitiveType>::Native;

/// The values of a column by type. Hides the storage type (see [`crate::schema::HELD_AS`]), except that
/// [`TypedCells::RawBool`] has values other than 0 and 1, and that text and JSON may not be UTF-8.
#[derive(Debug)]
pub enum TypedCells<'a> {
    /// No row has a value.
    Null,
    /// `true` or `false`.
    Bool(&'a BooleanArray),
    /// Other words for true and false.
    BoolLiterals(&'a BooleanArray, &'static BoolLiterals),
    /// 0 is `false`, 1 is `true`, other values are printed as numbers.
    RawBool(&'a [u8]),
    /// Decimal.
    I8(&'a [i8]),
    /// Decimal.
    I16(&'a [i16]),
    /// Decimal.
    I32(&'a [i32]),
    /// Decimal.
    I64(&'a [i64]),
    /// Decimal.
    U8(&'a [u8]),
    /// Decimal.
    U16(&'a [u16]),
    /// Decimal.
    U32(&'a [u32]),
    /// Decimal.
    U64(&'a [u64]),
    /// Decimal, padded with zeros to the given number of digits.
    Padded(&'a [i64], u8),
    /// The shortest digits that read back as the same value in single precision.
    F16(&'a [F16]),
    /// The shortest digits that read back as the same single.
    F32(&'a [f32]),
    /// The shortest digits that read back as the same double.
    F64(&'a [f64]),
    /// Digits in the format of another program.
    Floats(&'a [f64], FloatFormat),
    /// In scientific notation with a fixed number of digits.
    Scientific(&'a [f64], ScientificFormat),
    /// With the given number of digits after the point.
    D32(&'a [i32], i8),
    /// With the given number of digits after the point.
    D64(&'a [i64], i8),
    /// With the given number of digits after the point.
    D128(&'a [i128], i8),
    /// With the given number of digits after the point.
    D256(&'a [i256], i8),
    /// 36 characters, lowercase.
    Uuid(&'a [[u8; 16]]),
    /// 36 characters, uppercase.
    UpperUuid(&'a [[u8; 16]]),
    /// RFC 3339, see [`print_timestamp`].
    Timestamp(&'a [i64]),
    /// Dates, times, and timestamps of other units and forms.
    Times(Box<Times<'a>>),
    /// ISO 8601, in seconds: `PT1.5S`.
    Duration(&'a [i64], TimeUnit),
    /// ISO 8601: `P14M`.
    Months(&'a [i32]),
    /// As it is.
    Text(Slices<'a>),
    /// Lowercase hex.
    Bytes(Slices<'a>),
    /// As it is.
    Json(Slices<'a>),
    /// Numbers with a decimal comma.
    Comma(Box<Self>),
    /// Like the values it refers to.
    Dictionary(Box<DictionaryCells<'a>>),
}

/// Rows that refer to values.
#[derive(Debug)]
pub struct DictionaryCells<'a> {
    /// The position of each row's value.
    pub keys: Vec<usize>,
    /// Number of values.
    pub len: usize,
    /// The values.
    pub values: TypedCells<'a>,
}

impl<'a> DictionaryCells<'a> {
    /// The values, if they are text.
    pub(crate) fn texts(&self) -> Option<&Slices<'a>> {
        match &self.values {
            TypedCells::Text(slices) | TypedCells::Json(slices) => Some(slices),
            _ => None,
        }
    }
}

impl<'a> TypedCells<'a> {
    /// The cells of an array as declared by its field; `None` if they cannot be printed.
    pub(crate) fn new(array: &'a dyn Array, field: &Field) -> Option<Self> {
        if let Some(held) = Type::held(field) {
            return Self::held_as(array, held);
        }
        // The array must have the type of the field.
        if array.data_type() != field.data_type() {
            return None;
        }
        let form = form::form_of(field);
        let plain = Self::plain(array, field);
        match (form, array.data_type()) {
            (_, DataType::Dictionary(_, value)) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let of_values = field.clone().with_data_type(value.as_ref().clone());
                Some(Self::Dictionary(Box::new(DictionaryCells {
                    keys: if dictionary.values().is_empty() {
                        vec![0; array.len()]
                    } else {
                        dictionary.normalized_keys()
                    },
                    len: dictionary.values().len(),
                    values: Self::new(dictionary.values().as_ref(), &of_values)?,
                })))
            }
            (None, _) => plain,
            (
                Some(name),
                DataType::Float64 | DataType::Decimal64(..) | DataType::Decimal128(..),
            ) if name.starts_with(COMMA) => {
                let rest = &name[COMMA.len()..];
                let number = match rest {
                    "" => without(field.clone(), &[FORM]),
                    form => with(field.clone(), FORM, form),
                };
                Some(Self::Comma(Box::new(Self::new(array, &number)?)))
            }
            (Some(name), DataType::Boolean) => Some(Self::BoolLiterals(
                array.as_boolean_opt()?,
                BoolLiterals::parse(name)?,
            )),
            (Some(name), DataType::Int64) => Some(Self::Padded(slots(array)?, parse_padded(name)?)),
            (Some(name), DataType::Float64) => Some(match ScientificFormat::parse(name) {
                Some(form) => Self::Scientific(slots(array)?, form),
                None => Self::Floats(slots(array)?, FloatFormat::parse(name)?),
            }),
            (Some(UPPER), DataType::FixedSizeBinary(16)) => match plain? {
                Self::Uuid(uuids) => Some(Self::UpperUuid(uuids)),
                _ => None,
            },
            (Some(pattern), _) => Some(Self::Times(Box::new(Times::new(array, pattern)?))),
        }
    }

    /// The cells in the default form of their type.
    fn plain(array: &'a dyn Array, field: &Field) -> Option<Self> {
        let extension = field.metadata().get(EXTENSION_NAME).map(String::as_str);
        Some(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Bool(array.as_boolean_opt()?),
            DataType::Int8 => Self::I8(slots(array)?),
            DataType::Int16 => Self::I16(slots(array)?),
            DataType::Int32 => Self::I32(slots(array)?),
            DataType::Int64 => Self::I64(slots(array)?),
            DataType::UInt8 => Self::U8(slots(array)?),
            DataType::UInt16 => Self::U16(slots(array)?),
            DataType::UInt32 => Self::U32(slots(array)?),
            DataType::UInt64 => Self::U64(slots(array)?),
            DataType::Float16 => Self::F16(slots(array)?),
            DataType::Float32 => Self::F32(slots(array)?),
            DataType::Float64 => Self::F64(slots(array)?),
            DataType::Decimal32(_, scale) => Self::D32(slots(array)?, *scale),
            DataType::Decimal64(_, scale) => Self::D64(slots(array)?, *scale),
            DataType::Decimal128(_, scale) => Self::D128(slots(array)?, *scale),
            DataType::Decimal256(_, scale) => Self::D256(slots(array)?, *scale),
            DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => Self::Timestamp(slots(array)?),
            DataType::Date64 => Self::Times(Box::new(Times::dates(array)?)),
            DataType::Date32
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(_, _) => {
                let pattern = default_pattern(array.data_type())?;
                Self::Times(Box::new(Times::new(array, pattern)?))
            }
            DataType::Duration(unit) => Self::Duration(slots(array)?, *unit),
            DataType::Interval(IntervalUnit::YearMonth) => Self::Months(slots(array)?),
            DataType::FixedSizeBinary(16) => {
                Self::Uuid(array.as_fixed_size_binary_opt()?.value_data().as_chunks().0)
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                let slices = Slices::of(array)?;
                if extension == Some(JSON_EXTENSION) {
                    Self::Json(slices)
                } else {
                    Self::Text(slices)
                }
            }
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Self::Bytes(Slices::of(array)?),
            _ => return None,
        })
    }

    /// Content that wire 1 permits but an array of the proper type cannot hold.
    fn held_as(array: &'a dyn Array, ty: Type) -> Option<Self> {
        Some(match ty {
            Type::Bool => match array.as_boolean_opt() {
                Some(array) => Self::Bool(array),
                None => Self::RawBool(slots(array)?),
            },
            Type::Utf8 => Self::Text(Slices::of(array)?),
            Type::Bytes => Self::Bytes(Slices::of(array)?),
            Type::Json => Self::Json(Slices::of(array)?),
            Type::I16
            | Type::I32
            | Type::I64
            | Type::F32
            | Type::F64
            | Type::Uuid
            | Type::Timestamp => {
                if *array.data_type() != ty.data_type() {
                    return None;
                }
                Self::plain(array, &ty.field(""))?
            }
        })
    }

    /// Appends the text of a value, without quotes or escapes.
    #[inline]
    pub fn print(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Null => {}
            Self::Bool(array) => print_bool(array.value(row), out),
            Self::BoolLiterals(array, words) => words.print(array.value(row), out),
            Self::RawBool(bytes) => print_raw_bool(bytes[row], out),
            Self::I8(values) => print_integer(values[row], out),
            Self::I16(values) => print_integer(values[row], out),
            Self::I32(values) => print_integer(values[row], out),
            Self::I64(values) => print_integer(values[row], out),
            Self::U8(values) => print_integer(values[row], out),
            Self::U16(values) => print_integer(values[row], out),
            Self::U32(values) => print_integer(values[row], out),
            Self::U64(values) => print_integer(values[row], out),
            Self::Padded(values, width) => print_padded(values[row], *width, out),
            Self::F16(values) => print_float(values[row].to_f32(), out),
            Self::F32(values) => print_float(values[row], out),
            Self::F64(values) => print_double(values[row], out),
            Self::Floats(values, form) => form.print(values[row], out),
            Self::Scientific(values, form) => form.print(values[row], out),
            Self::D32(values, scale) => print_decimal(values[row], *scale, out),
            Self::D64(values, scale) => print_decimal(values[row], *scale, out),
            Self::D128(values, scale) => print_decimal(values[row], *scale, out),
            Self::D256(values, scale) => {
                print_scaled(values[row].to_string().as_bytes(), *scale, out);
            }
            Self::Uuid(values) => print_uuid(&values[row], out),
            Self::UpperUuid(values) => print_upper_uuid(&values[row], out),
            Self::Timestamp(values) => print_timestamp(values[row], out),
            Self::Times(times) => times.print(row, out),
            Self::Duration(values, unit) => print_duration(values[row], *unit, out),
            Self::Months(values) => print_months(values[row], out),
            Self::Bytes(slices) => print_hex(slices.row(row), out),
            Self::Text(slices) | Self::Json(slices) => slices.append(row, out),
            Self::Comma(numbers) => {
                let start = out.len();
                numbers.print(row, out);
                exchange_commas(&mut out[start..]);
            }
            Self::Dictionary(dictionary) => {
                dictionary.values.print(dictionary.keys[row], out);
            }
        }
    }

    /// True if the text consists of letters, digits and `+-.:` and is never empty.
    #[inline]
    pub(crate) fn is_simple(&self) -> bool {
        !matches!(
            self,
            Self::Bytes(_)
                | Self::Times(_)
                | Self::BoolLiterals(..)
                | Self::Comma(_)
                | Self::Dictionary(_)
        )
    }

    /// True for values that JSON can represent only as strings.
    #[inline]
    pub(crate) fn is_string_in_json(&self) -> bool {
        matches!(
            self,
            Self::Uuid(_)
                | Self::UpperUuid(_)
                | Self::Timestamp(_)
                | Self::Times(_)
                | Self::Duration(..)
                | Self::Months(_)
                | Self::Bytes(_)
                | Self::Padded(..)
        )
    }
}
