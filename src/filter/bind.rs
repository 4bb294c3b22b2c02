//! Binding: what a comparison means for a column of some type, as ranges of values.

use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};

use super::{Condition, Literal, Op};
use crate::error::{Error, Result};
use crate::schema::keys::VARIANT;
use crate::schema::{Type, offset_of_zone, type_name};
use crate::text::form::{self, BoolLiterals, TextForm};
use crate::text::time::{Pattern, parse_timestamp, per_second};
use crate::text::uuid;

/// Values from one bound to another.
pub type Bounds<T> = (Bound<T>, Bound<T>);

/// Values in any of some ranges, or in none of them.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueRanges<T> {
    /// The ranges.
    pub ranges: Vec<T>,
    /// The values outside all of them are meant.
    pub not: bool,
}

/// A comparison, bound to the type of one field.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Null, or not null.
    Null {
        /// Not null.
        not: bool,
    },
    /// Whole numbers, and types that Arrow holds as such; both ends are included.
    Ints(ValueRanges<(i128, i128)>),
    /// Floats.
    Floats(FloatRanges),
    /// Text and other bytes.
    Bytes(ValueRanges<Bounds<Vec<u8>>>),
    /// Text that may hold numbers: only those compare with an unquoted number.
    Mixed(FloatRanges),
    /// A struct of values of several kinds, each child with its test; `None` where no value can be
    /// what was asked for.
    Variant(Vec<Option<Test>>, bool),
}

/// Ranges of floats; the ends of ranges are as IEEE 754 compares.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatRanges {
    /// The ranges.
    pub ranges: ValueRanges<Bounds<f64>>,
    /// NaN is among them.
    pub nan: bool,
}

impl Test {
    /// What the comparison means for the field.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if a value is not of the field's type, or the type cannot be compared.
    pub fn bind(field: &Field, condition: &Condition) -> Result<Self> {
        let Condition { op, values, .. } = condition;
        if let Op::Null { not } = *op {
            return Ok(Self::Null { not });
        }
        let not = matches!(op, Op::In { not: true });
        let misfit = |literal: &Literal| misfit(field, condition, literal);
        let data_type = match field.data_type() {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        if field.metadata().contains_key(VARIANT)
            && let DataType::Struct(children) = data_type
        {
            let children = children.iter();
            let tests = children.map(|child| Self::bind(child, condition).ok());
            return Ok(Self::Variant(tests.collect(), not));
        }
        let ranges = match data_type {
            DataType::Null => {
                return Ok(Self::Bytes(ValueRanges {
                    ranges: Vec::new(),
                    not,
                }));
            }
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => {
                let kind = Type::of(field);
                let bytes = values.iter().map(|literal| {
                    let bytes = bytes(kind, data_type, literal).ok_or_else(|| misfit(literal))?;
                    Ok(bound(*op, bytes))
                });
                let ranges = bytes.collect::<Result<_>>()?;
                let bytes = ValueRanges { ranges, not };
                let is_text = matches!(kind, None | Some(Type::Utf8 | Type::Json));
                let numbers: Option<Vec<_>> = values
                    .iter()
                    .filter(|_| is_text)
                    .map(|literal| {
                        Some(literal)
                            .filter(|it| !it.quoted)
                            .and_then(|it| number(&it.text))
                    })
                    .collect();
                return Ok(match numbers {
                    Some(numbers) if !numbers.is_empty() => {
                        let ranges = numbers.into_iter().map(|number| bound(*op, number));
                        let ranges = ValueRanges {
                            ranges: ranges.collect(),
                            not,
                        };
                        Self::Mixed(FloatRanges { ranges, nan: false })
                    }
                    _ => Self::Bytes(bytes),
                });
            }
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                let mut nan = false;
                let mut ranges = Vec::with_capacity(values.len());
                for literal in values {
                    let value = float(data_type, &literal.text).ok_or_else(|| misfit(literal))?;
                    ensure_order(*op, value)?;
                    nan |= value.is_nan();
                    ranges.push(bound(*op, value));
                }
                let ranges = ValueRanges { ranges, not };
                return Ok(Self::Floats(FloatRanges { ranges, nan }));
            }
            _ => {
                let whole = |literal: &Literal| {
                    let is_number = data_type.is_integer() || data_type.is_decimal();
                    if let Some(value) = not_finite(&literal.text).filter(|_| is_number) {
                        ensure_order(*op, value)?;
                        // All whole numbers lie between the infinities.
                        let end = if value > 0.0 { i128::MAX } else { i128::MIN };
                        return Ok(ints(*op, end, false));
                    }
                    let (floor, exact) =
                        whole(field, data_type, &literal.text).ok_or_else(|| misfit(literal))?;
                    Ok(ints(*op, floor, exact))
                };
                values.iter().map(whole).collect::<Result<Vec<_>>>()?
            }
        };
        let ranges = ranges.into_iter().flatten().collect();
        Ok(Self::Ints(ValueRanges { ranges, not }))
    }
}

fn ensure_order(op: Op, value: f64) -> Result<()> {
    if value.is_nan() && !matches!(op, Op::In { .. }) {
        let error = Error::usage("--where: NaN has no order");
        return Err(error.hint("use = or != to find it"));
    }
    Ok(())
}

/// NaN and the infinities, in any of the usual spellings.
fn not_finite(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    let is_word = !text.contains(|c: char| c.is_ascii_digit());
    Some(value).filter(|value| is_word && !value.is_finite())
}

fn misfit(field: &Field, condition: &Condition, literal: &Literal) -> Error {
    let ty = type_name(field);
    let name = condition.name();
    let hint = match field.data_type() {
        DataType::Struct(_)
        | DataType::List(_)
        | DataType::LargeList(_)
        | DataType::Map(..)
        | DataType::FixedSizeList(..) => {
            return Error::usage(format!(
                "--where: column {name:?} is {ty}, which cannot be ordered"
            ))
            .hint("test it with is null, or compare one of its fields: column.field");
        }
        DataType::Boolean => "write true or false",
        DataType::Date32 | DataType::Date64 => "write a date such as 2024-01-31",
        DataType::Time32(_) | DataType::Time64(_) => "write a time such as 13:45:00",
        DataType::Timestamp(..) => "write a time such as 2024-01-31T13:45:00Z",
        DataType::FixedSizeBinary(16) => {
            "write a UUID such as 123e4567-e89b-12d3-a456-426614174000"
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "write bytes in hex",
        _ => "write a number such as 5 or -1.5",
    };
    Error::usage(format!(
        "--where: column {name:?} is {ty}, and {:?} is not",
        literal.text
    ))
    .hint(hint)
}

/// The range that an operator means.
fn bound<T: Clone>(op: Op, value: T) -> Bounds<T> {
    match op {
        Op::Less => (Unbounded, Excluded(value)),
        Op::AtMost => (Unbounded, Included(value)),
        Op::Greater => (Excluded(value), Unbounded),
        Op::AtLeast => (Included(value), Unbounded),
        Op::In { .. } | Op::Null { .. } => (Included(value.clone()), Included(value)),
    }
}

/// The whole numbers that an operator selects, given the floor of the value and whether that is the
/// value itself (`< 1.5` selects up to 1); `None` if there are none.
fn ints(op: Op, floor: i128, exact: bool) -> Option<(i128, i128)> {
    let next = floor.saturating_add(1);
    let range = match op {
        Op::Less if exact => (i128::MIN, floor.saturating_sub(1)),
        Op::Less | Op::AtMost => (i128::MIN, floor),
        Op::AtLeast if exact => (floor, i128::MAX),
        Op::Greater | Op::AtLeast => (next, i128::MAX),
        Op::In { .. } | Op::Null { .. } => return exact.then_some((floor, floor)),
    };
    Some(range)
}

fn bytes(kind: Option<Type>, data_type: &DataType, literal: &Literal) -> Option<Vec<u8>> {
    let text = literal.text.as_bytes();
    match (kind, data_type) {
        (Some(Type::Uuid), _) => uuid::parse(text).map(Vec::from),
        (Some(Type::Utf8 | Type::Json), _) => Some(text.to_vec()),
        (
            _,
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_),
        ) => {
            let mut bytes = Vec::new();
            uuid::parse_hex(text.strip_prefix(b"\\x").unwrap_or(text), &mut bytes)?;
            Some(bytes)
        }
        _ => Some(text.to_vec()),
    }
}

/// A finite number in the usual spellings.
pub fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| is_number)
}

fn float(data_type: &DataType, text: &str) -> Option<f64> {
    match data_type {
        // 0.1 means the value that prints as 0.1.
        DataType::Float32 => text.parse::<f32>().ok().map(f64::from),
        _ => text.parse().ok(),
    }
}

/// The whole part of a value in the units of the field, and whether that is all of it.
fn whole(field: &Field, data_type: &DataType, text: &str) -> Option<(i128, bool)> {
    let zone = match data_type {
        DataType::Timestamp(_, Some(zone)) => offset_of_zone(zone).unwrap_or(0),
        _ => 0,
    };
    match data_type {
        DataType::Boolean => {
            let (_, value) = BoolLiterals::of(text.as_bytes())?;
            return Some((i128::from(value), true));
        }
        DataType::UInt8 if Type::of(field) == Some(Type::Bool) => {
            let (_, value) = BoolLiterals::of(text.as_bytes())?;
            return Some((i128::from(value), true));
        }
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale) => return scaled(text, i64::from(*scale)),
        DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..) => {
            let in_form = form::form_of(field)
                .and_then(Pattern::compile)
                .map(|pattern| TextForm::Time {
                    pattern: Arc::new(pattern),
                    offset: zone,
                })
                .filter(|form| form.data_type() == *data_type)
                .and_then(|form| form.read(text.as_bytes()));
            if let Some(value) = in_form {
                return Some((i128::from(value), true));
            }
        }
        DataType::Duration(_) => return scaled(text, 0),
        other if other.is_integer() => return scaled(text, 0),
        _ => return None,
    }
    let instant = |text: &str| parse_timestamp(text.as_bytes()).map(i128::from);
    let day = || instant(&format!("{text}T00:00Z"));
    let (micros, per_second) = match data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => (
            instant(&format!("1970-01-01T{text}Z"))?,
            per_second(*unit).0,
        ),
        other => {
            let zoned = || instant(&format!("{text}Z")).map(|it| it - i128::from(zone) * 1_000_000);
            let micros = instant(text)
                .or_else(zoned)
                .or_else(|| day().map(|it| it - i128::from(zone) * 1_000_000))?;
            match other {
                DataType::Timestamp(unit, _) => (micros, per_second(*unit).0),
                DataType::Date64 => (micros, per_second(TimeUnit::Millisecond).0),
                _ => {
                    let per_day = 86_400_000_000;
                    return Some((micros.div_euclid(per_day), micros % per_day == 0));
                }
            }
        }
    };
    let units = micros * i128::from(per_second);
    Some((units.div_euclid(1_000_000), units % 1_000_000 == 0))
}

/// The whole part of a number times `10^scale`, and whether that is all of it.
fn scaled(text: &str, scale: i64) -> Option<(i128, bool)> {
    number(text)?;
    let (negative, rest) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest.strip_prefix(b"+").unwrap_or(rest)),
    };
    let split = rest.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = match split {
        // Larger exponents change nothing.
        Some(at) => {
            let exponent: i128 = str::from_utf8(&rest[at + 1..]).ok()?.parse().ok()?;
            (&rest[..at], exponent.clamp(-1_000_000, 1_000_000) as i64)
        }
        None => (rest, 0),
    };
    let point = mantissa.iter().position(|byte| *byte == b'.');
    let whole_digits = point.unwrap_or(mantissa.len()) as i64 + exponent + scale;
    let digits = mantissa.iter().filter(|byte| **byte != b'.');
    let mut value: i128 = 0;
    let mut exact = true;
    let mut count = 0;
    for digit in digits {
        let digit = i128::from(digit - b'0');
        if count < whole_digits {
            value = value.saturating_mul(10).saturating_add(digit);
        } else {
            exact &= digit == 0;
        }
        count += 1;
    }
    while count < whole_digits && value != 0 && value != i128::MAX {
        value = value.saturating_mul(10);
        count += 1;
    }
    exact &= value != i128::MAX;
    if negative {
        Some((-value - i128::from(!exact), exact))
    } else {
        Some((value, exact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_scaled_without_rounding() {
        for (text, scale, expected) in [
            ("5", 0, Some((5, true))),
            ("-5", 2, Some((-500, true))),
            ("1.5", 0, Some((1, false))),
            ("-1.5", 0, Some((-2, false))),
            ("1.50", 1, Some((15, true))),
            ("1.5e1", 0, Some((15, true))),
            ("15e-1", 1, Some((15, true))),
            (".5", 3, Some((500, true))),
            ("5.", 0, Some((5, true))),
            ("1e-9", 0, Some((0, false))),
            ("-1e-9", 0, Some((-1, false))),
            ("0.000", 0, Some((0, true))),
            ("18446744073709551615", 0, Some((u64::MAX.into(), true))),
            ("1e99999999999999999999", 0, Some((i128::MAX, false))),
            ("007", 0, Some((7, true))),
            ("", 0, None),
            ("abc", 0, None),
            ("1.2.3", 0, None),
            ("inf", 0, None),
            ("-", 0, None),
        ] {
            assert_eq!(scaled(text, scale), expected, "{text:?}");
        }
        let least = scaled("-1e99", 0).unwrap();
        assert!(least.0 < -i128::MAX / 2 && !least.1);
    }
}
