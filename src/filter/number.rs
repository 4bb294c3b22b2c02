//! Floats and instants as integers that compare like them.

use std::cmp::Ordering;

use crate::text::time::parse_timestamp;

/// An integer key that orders floats as SQL does: both zeros are equal, and NaN equals itself and is greater than all
/// other values.
pub fn float_key(value: f64) -> i64 {
    if value.is_nan() {
        return i64::MAX;
    }
    let bits = (value + 0.0).to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// How NaN or an infinity compares with every finite number.
pub fn beside_finite(value: f64) -> Ordering {
    float_key(value).cmp(&float_key(0.0))
}

/// The nanoseconds since 1970 of an ISO 8601 date or time. Without a zone, it is UTC in columns of any zone: the zone of
/// a column may differ from frame to frame.
pub fn instant(text: &str) -> Option<i128> {
    let is_year = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+');
    if text.len() < 10 || !text.as_bytes().iter().take(4).all(is_year) {
        return None;
    }
    nanos(text)
        .or_else(|| nanos(&format!("{text}Z")))
        .or_else(|| nanos(&format!("{text}T00:00Z")))
}

/// The nanoseconds since midnight of an ISO 8601 time of day.
pub fn time_of_day(text: &str) -> Option<i128> {
    let is_time = text.starts_with(|first: char| first.is_ascii_digit()) && text.contains(':');
    if !is_time {
        return None;
    }
    instant(&format!("1970-01-01T{text}"))
}

/// A date or time, or a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nanoseconds since 1970.
    Instant(i128),
    /// Nanoseconds since midnight.
    TimeOfDay(i128),
}

impl Moment {
    /// Reads ISO 8601, without a zone as UTC.
    pub fn read(text: &str) -> Option<Self> {
        let instant = instant(text).map(Self::Instant);
        instant.or_else(|| time_of_day(text).map(Self::TimeOfDay))
    }

    /// The order of two moments of one kind.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Instant(a), Self::Instant(b)) | (Self::TimeOfDay(a), Self::TimeOfDay(b)) => {
                Some(a.cmp(&b))
            }
            _ => None,
        }
    }
}

/// Parses a time with a zone; digits of the fraction beyond the ninth are ignored.
fn nanos(text: &str) -> Option<i128> {
    if let Some(micros) = parse_timestamp(text.as_bytes()) {
        return Some(i128::from(micros) * 1_000);
    }
    let point = text.find('.')? + 1;
    let len = text[point..].bytes().take_while(u8::is_ascii_digit).count();
    let (micros, rest) = text
        .get(point + 6..point + len)
        .filter(|_| len <= 9)
        .map(|rest| {
            (
                format!("{}{}", &text[..point + 6], &text[point + len..]),
                rest,
            )
        })?;
    let rest: i128 = format!("{rest:0<3}").parse().ok()?;
    Some(i128::from(parse_timestamp(micros.as_bytes())?) * 1_000 + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_floats() {
        let floats = [
            f64::NEG_INFINITY,
            -1.5,
            -f64::MIN_POSITIVE,
            0.0,
            1e-300,
            1.0,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        assert!(
            floats
                .windows(2)
                .all(|pair| float_key(pair[0]) < float_key(pair[1]))
        );
        assert_eq!(float_key(-0.0), float_key(0.0));
    }

    #[test]
    fn instants_have_zones_and_fractions_or_not() {
        let second = 1_000_000_000;
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1970-01-02T00:00:01+00:00", Some(86_401 * second)),
            ("1970-01-01 01:00", Some(3600 * second)),
            ("1970-01-01 01:00+01:00", Some(0)),
            ("1970-01-01T00:00:00.123456789Z", Some(123_456_789)),
            ("1970-01-01T00:00:00.1234567", Some(123_456_700)),
            ("1970-01-01T00:00:00.1234567891", None),
            ("noon", None),
        ] {
            assert_eq!(instant(text), expected, "{text}");
        }
    }
}
