//! Compares two columns row by row.

use std::cmp::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, types as t};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field};

use super::bind::{is_text, nested};
use super::expression::{Op, Truth};
use super::number::{float_key, instant};
use super::scan::{bytes, other_type};
use crate::columns::slots::match_integers;
use crate::error::{Error, Result};
use crate::schema::keys::is_variant;
use crate::schema::path::Path;
use crate::schema::{Type, type_name};
use crate::text::form::BoolLiterals;
use crate::text::number::{Number, print_decimal};
use crate::text::time::per_second;

/// A value of a row.
#[derive(Clone, Copy, Debug)]
enum SideValue<'a> {
    Null,
    /// A list, struct or map, which cannot be compared.
    Nested,
    /// A mantissa and its scale.
    Decimal(i128, i8),
    Float(f64),
    /// Kept apart from f64 because its shortest text differs from that of the same value as f64.
    Float32(f32),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    Bool(bool),
    /// Nanoseconds since 1970.
    Instant(i128),
    /// Nanoseconds.
    TimeOfDay(i128),
    /// Nanoseconds.
    Duration(i128),
}

/// A column, or a value inside one, with its type and its nulls.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// How it was named.
    pub path: &'a Path,
    /// Its type.
    pub field: Field,
    /// Its values.
    pub array: ArrayRef,
    /// Rows that are null because a struct around them is.
    pub above: Option<NullBuffer>,
}

type SideValues<'a> = Box<dyn Fn(usize) -> SideValue<'a> + 'a>;

/// The truth of `left op right` for every row, and whether any values could be compared; `None` if no row has two
/// values.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if they have types that cannot be compared.
pub fn compare(left: &Side<'_>, op: Op, right: &Side<'_>) -> Result<(Truth, Option<bool>)> {
    ensure_comparable(left, right)?;
    let rows = left.array.len();
    let left_cells = cells(&left.array, &left.field)?;
    let right_cells = cells(&right.array, &right.field)?;
    let nulls = NullBuffer::union(left.above.as_ref(), right.above.as_ref());
    // The outer `None` means that a value is null, the inner one that the values have no order.
    let orders: Vec<Option<Option<Ordering>>> = (0..rows)
        .map(|row| {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                return None;
            }
            match (left_cells(row), right_cells(row)) {
                (SideValue::Null, _) | (_, SideValue::Null) => None,
                (left, right) => Some(order(left, right)),
            }
        })
        .collect();
    let has = |test: &dyn Fn(Option<Ordering>) -> bool| {
        BooleanBuffer::collect_bool(rows, |row| orders[row].is_some_and(test))
    };
    let truth = Truth {
        yes: has(&|order| order.is_some_and(|order| op.holds(order))),
        // Values that have no order are at least unequal.
        no: has(&|order| order.map_or(op == Op::Equal, |order| !op.holds(order))),
    };
    let any_fits = orders.iter().flatten().map(Option::is_some).max();
    Ok((truth, any_fits))
}

/// The error for columns that cannot be compared.
pub fn incomparable(left: &Side<'_>, right: &Side<'_>) -> Error {
    let (a, b) = (type_name(&left.field), type_name(&right.field));
    let (left, right) = (left.path.to_string(), right.path.to_string());
    let what = format!("column {left:?} is {a} and column {right:?} is {b}");
    Error::usage(what).hint("only columns of one kind can be compared")
}

fn ensure_comparable(left: &Side<'_>, right: &Side<'_>) -> Result<()> {
    for side in [left, right] {
        if side.field.data_type().is_nested() && !is_variant(&side.field) {
            return Err(nested(&side.field, side.path));
        }
    }
    let kinds = [kind(&left.field), kind(&right.field)];
    // Text may contain values of other kinds.
    if let [Some(a), Some(b)] = kinds
        && a != b
    {
        return Err(incomparable(left, right));
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ComparisonKind {
    Number,
    Bytes,
    Bool,
    Instant,
    TimeOfDay,
    Duration,
}

/// `None` for fields that can be compared with any kind.
fn kind(field: &Field) -> Option<ComparisonKind> {
    if is_text(field) || is_variant(field) {
        return None;
    }
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    Some(match data_type {
        DataType::Null => return None,
        _ if Type::of(field) == Some(Type::Bool) => ComparisonKind::Bool,
        other if other.is_numeric() => ComparisonKind::Number,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => ComparisonKind::Instant,
        DataType::Time32(_) | DataType::Time64(_) => ComparisonKind::TimeOfDay,
        DataType::Duration(_) => ComparisonKind::Duration,
        _ => ComparisonKind::Bytes,
    })
}

/// Compares two values; `None` if their kinds differ, which makes them unequal.
fn order(left: SideValue<'_>, right: SideValue<'_>) -> Option<Ordering> {
    use SideValue::{Bool, Bytes, Decimal, Duration, Float, Float32, Instant, Text, TimeOfDay};
    Some(match (left, right) {
        (Decimal(a, scale), Decimal(b, other)) if scale == other => a.cmp(&b),
        (Float(a), Float(b)) => float_key(a).cmp(&float_key(b)),
        (Float32(a), Float32(b)) => float_key(a.into()).cmp(&float_key(b.into())),
        (Text(a), Text(b)) => match (text_instant(a), text_instant(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.cmp(b),
        },
        (Bytes(a), Bytes(b)) => a.cmp(b),
        (Bool(a), Bool(b)) => a.cmp(&b),
        (Instant(a), Instant(b)) | (TimeOfDay(a), TimeOfDay(b)) | (Duration(a), Duration(b)) => {
            a.cmp(&b)
        }
        (Text(text), Instant(_) | TimeOfDay(_) | Bool(_)) => order(read_like(text, right)?, right)?,
        (Instant(_) | TimeOfDay(_) | Bool(_), Text(text)) => order(left, read_like(text, left)?)?,
        _ => return of_numbers(left, right),
    })
}

fn text_instant(text: &[u8]) -> Option<i128> {
    instant(str::from_utf8(text).ok()?, 0)
}

/// Parses text as a value of the same kind as `other`.
fn read_like<'a>(text: &[u8], other: SideValue<'_>) -> Option<SideValue<'a>> {
    let text = str::from_utf8(text).ok()?;
    match other {
        SideValue::Instant(_) => instant(text, 0).map(SideValue::Instant),
        SideValue::TimeOfDay(_) => {
            instant(&format!("1970-01-01T{text}"), 0).map(SideValue::TimeOfDay)
        }
        SideValue::Bool(_) => {
            BoolLiterals::of(text.as_bytes()).map(|(_, value)| SideValue::Bool(value))
        }
        _ => None,
    }
}

/// Compares numbers of different types by their shortest text: 0.1 equals 0.1 in every type.
fn of_numbers(left: SideValue<'_>, right: SideValue<'_>) -> Option<Ordering> {
    let not_finite = |cell: SideValue<'_>| match cell {
        SideValue::Float(value) if !value.is_finite() => Some(value),
        SideValue::Float32(value) if !value.is_finite() => Some(value.into()),
        _ => None,
    };
    let (mut left_name, mut right_name) = (Vec::new(), Vec::new());
    // A finite number gets key 0, which lies between the keys of the infinities, and is only compared with another
    // finite number by its text.
    let number = |cell, name| match not_finite(cell) {
        Some(value) => Some((float_key(value), None)),
        None => Some((0, Some(Number::read(number_name(cell, name)?)?))),
    };
    let (left, right) = (
        number(left, &mut left_name)?,
        number(right, &mut right_name)?,
    );
    Some(match (left, right) {
        ((_, Some(left)), (_, Some(right))) => left.compare(&right),
        ((left, _), (right, _)) => left.cmp(&right),
    })
}

fn number_name<'a>(cell: SideValue<'a>, name: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    match cell {
        SideValue::Text(text) => return Some(text),
        SideValue::Decimal(mantissa, scale) => print_decimal(mantissa, scale, name),
        SideValue::Float(value) => {
            name.extend_from_slice(zmij::Buffer::new().format(value).as_bytes());
        }
        SideValue::Float32(value) => {
            name.extend_from_slice(zmij::Buffer::new().format(value).as_bytes());
        }
        _ => return None,
    }
    Some(name)
}

/// Looks up the value of a row.
fn cells<'a>(array: &'a ArrayRef, field: &'a Field) -> Result<SideValues<'a>> {
    let nulls = array.logical_nulls();
    let values = values(array, field)?;
    Ok(match nulls {
        None => values,
        Some(nulls) => Box::new(move |row| {
            if nulls.is_null(row) {
                SideValue::Null
            } else {
                values(row)
            }
        }),
    })
}

/// Like [`cells`], ignoring nulls.
fn values<'a>(array: &'a ArrayRef, field: &'a Field) -> Result<SideValues<'a>> {
    macro_rules! each {
        ($type:ty, $cell:expr) => {{
            let values = array.as_primitive::<$type>().values();
            Box::new(move |row| $cell(values[row])) as SideValues<'a>
        }};
    }
    let number = |scale| integers(array, move |value| SideValue::Decimal(value, scale));
    let time = |kind: fn(i128) -> SideValue<'a>, nanos: i128| {
        integers(array, move |value| kind(value * nanos))
    };
    let per_unit = |unit| 1_000_000_000 / i128::from(per_second(unit).0);
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_| SideValue::Null),
        DataType::Boolean => {
            let bits = array.as_boolean().values();
            Box::new(|row| SideValue::Bool(bits.value(row)))
        }
        DataType::UInt8 if Type::of(field) == Some(Type::Bool) => {
            integers(array, |value| SideValue::Bool(value != 0))?
        }
        integer if integer.is_integer() => number(0)?,
        &DataType::Decimal32(_, scale)
        | &DataType::Decimal64(_, scale)
        | &DataType::Decimal128(_, scale) => number(scale)?,
        DataType::Float16 => each!(
            t::Float16Type,
            |value: <t::Float16Type as ArrowPrimitiveType>::Native| {
                SideValue::Float(value.to_f64())
            }
        ),
        DataType::Float32 => each!(t::Float32Type, SideValue::Float32),
        DataType::Float64 => each!(t::Float64Type, SideValue::Float),
        DataType::Date32 => time(SideValue::Instant, 86_400_000_000_000)?,
        DataType::Date64 => time(SideValue::Instant, 1_000_000)?,
        DataType::Timestamp(unit, _) => time(SideValue::Instant, per_unit(*unit))?,
        DataType::Duration(unit) => time(SideValue::Duration, per_unit(*unit))?,
        DataType::Time32(unit) | DataType::Time64(unit) => {
            time(SideValue::TimeOfDay, per_unit(*unit))?
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let keys = dictionary.normalized_keys();
            let values = cells(dictionary.values(), field)?;
            Box::new(move |row| values(keys[row]))
        }
        DataType::Struct(fields) if is_variant(field) => {
            let children = array.as_struct().columns().iter().zip(fields);
            let children = children.filter(|(_, field)| !field.data_type().is_nested());
            let children = children.map(|(array, field)| cells(array, field));
            let children = children.collect::<Result<Vec<_>>>()?;
            Box::new(move |row| {
                let mut found = children.iter().map(|child| child(row));
                let value = found.find(|cell| !matches!(cell, SideValue::Null));
                value.unwrap_or(SideValue::Nested)
            })
        }
        _ => {
            let bytes = bytes(array)?;
            if is_text(field) {
                Box::new(move |row| SideValue::Text(bytes(row)))
            } else {
                Box::new(move |row| SideValue::Bytes(bytes(row)))
            }
        }
    })
}

/// Looks up the integer that represents the value of a row, and what it means.
fn integers<'a>(
    array: &'a ArrayRef,
    cell: impl Fn(i128) -> SideValue<'a> + 'a,
) -> Result<SideValues<'a>> {
    match_integers!(
        array,
        values => Ok(Box::new(move |row| cell(i128::from(values[row])))),
        _ => Err(other_type(array))
    )
}
