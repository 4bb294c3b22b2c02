//! Converts the values of a condition to the type of a column.

use std::cmp::Ordering;

use arrow_schema::{DataType, Field};

use super::expression::{Literal, LiteralKind};
use super::number::{beside_finite, float_key, instant, time_of_day};
use crate::columns::cast::not_finite;
use crate::schema::Type;
use crate::text::form;
use crate::text::number::Number;
use crate::text::time::per_second;
use crate::text::uuid;

/// The bytes of text, of a UUID, or of hex digits.
pub fn bytes(kind: Option<Type>, data_type: &DataType, literal: &Literal) -> Option<Vec<u8>> {
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

/// The key of the greatest float that is not above the value, and whether they are equal. A float equals the shortest
/// number that reads as it.
pub fn float(data_type: &DataType, literal: &Literal) -> Option<(i128, bool)> {
    if matches!(literal.kind, LiteralKind::Bool | LiteralKind::Instant) {
        return None;
    }
    let text = &literal.text;
    let (value, name) = if *data_type == DataType::Float32 {
        let value: f32 = text.parse().ok()?;
        (f64::from(value), format!("{value:e}"))
    } else {
        let value: f64 = text.parse().ok()?;
        (value, format!("{value:e}"))
    };
    let key = float_key(value).into();
    let order = match (Number::read(text.as_bytes()), Number::read(name.as_bytes())) {
        (Some(text), Some(name)) => text.compare(&name),
        // An infinity, either by name or because the number is too large.
        (Some(_), None) if value > 0.0 => return Some((key - 1, false)),
        (Some(_), None) => return Some((key, false)),
        _ => Ordering::Equal,
    };
    Some(match order {
        Ordering::Less => (key - 1, false),
        Ordering::Equal => (key, true),
        Ordering::Greater => (key, false),
    })
}

/// The value in the units of the field, rounded down to an integer, and whether that is exact.
pub fn whole(field: &Field, data_type: &DataType, literal: &Literal) -> Option<(i128, bool)> {
    let text = &literal.text[..];
    if (data_type.is_integer() || data_type.is_decimal())
        && let Some(value) = not_finite(text.as_bytes())
    {
        let end = match beside_finite(value) {
            Ordering::Less => i128::MIN,
            Ordering::Equal | Ordering::Greater => i128::MAX,
        };
        return Some((end, false));
    }
    let per_second_of = |unit| i128::from(per_second(unit).0);
    let (nanos, per_second) = match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale) => return scaled(text, i64::from(*scale)),
        DataType::Duration(unit) => {
            return match seconds(text) {
                Some(seconds) => scaled(&seconds, per_second(*unit).0.ilog10().into()),
                None => scaled(text, 0),
            };
        }
        other if other.is_integer() => return scaled(text, 0),
        DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..) => {
            let form = form::time_form(field, data_type);
            if let Some(value) = form.and_then(|(it, offset)| it.read(text.as_bytes(), offset)) {
                return Some((value.into(), true));
            }
            match data_type {
                DataType::Time32(unit) | DataType::Time64(unit) => {
                    (time_of_day(text)?, per_second_of(*unit))
                }
                DataType::Timestamp(unit, _) => (instant(text)?, per_second_of(*unit)),
                DataType::Date64 => (instant(text)?, 1_000),
                _ => {
                    let (nanos, per_day) = (instant(text)?, 86_400_000_000_000);
                    return Some((nanos.div_euclid(per_day), nanos % per_day == 0));
                }
            }
        }
        _ => return None,
    };
    let per_unit = 1_000_000_000 / per_second;
    Some((nanos.div_euclid(per_unit), nanos % per_unit == 0))
}

/// The number of seconds in a duration as it is printed: `-1.5` for `-PT1.5S`.
fn seconds(text: &str) -> Option<String> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let digits = rest.strip_prefix("PT")?.strip_suffix('S')?;
    let is_plain = digits.starts_with(|first: char| first.is_ascii_digit());
    is_plain.then(|| format!("{sign}{digits}"))
}

/// A number times `10^scale`, rounded down to an integer, and whether that is exact.
fn scaled(text: &str, scale: i64) -> Option<(i128, bool)> {
    Number::read(text.as_bytes()).map(|number| number.scaled(scale))
}

#[cfg(test)]
mod tests {
    use arrow_schema::TimeUnit;

    use super::*;

    #[test]
    fn durations_are_seconds_or_numbers_of_their_unit() {
        let field = Field::new("d", DataType::Duration(TimeUnit::Millisecond), true);
        let whole = |text: &str| {
            let literal = Literal {
                text: text.to_owned(),
                kind: LiteralKind::Text,
            };
            whole(&field, field.data_type(), &literal)
        };
        assert_eq!(whole("PT1.5S"), Some((1500, true)));
        assert_eq!(whole("-PT2S"), Some((-2000, true)));
        assert_eq!(whole("PT0.0015S"), Some((1, false)));
        assert_eq!(whole("1500"), Some((1500, true)));
        for text in ["PTS", "PT-1S", "P1D", "1.5 s"] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

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
