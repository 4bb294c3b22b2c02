//! Numbers and instants by value, whatever their spelling and their type.

use std::cmp::Ordering;

use crate::text::time::parse_timestamp;

/// A finite number as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    negative: bool,
    /// From the first digit that is not zero on, with the point; empty for zero.
    digits: &'a [u8],
    /// The power of ten of the first digit.
    top: i64,
}

impl<'a> Number<'a> {
    /// Reads digits with a sign, a point and an exponent, each of which may be missing.
    pub fn read(text: &'a [u8]) -> Option<Self> {
        let negative = text.first() == Some(&b'-');
        let text = text
            .strip_prefix(b"-")
            .or(text.strip_prefix(b"+"))
            .unwrap_or(text);
        let end = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (mantissa, exponent) = match end {
            Some(end) => (&text[..end], exponent(&text[end + 1..])?),
            None => (text, 0),
        };
        let mut point = None;
        let mut first = None;
        for (at, byte) in mantissa.iter().enumerate() {
            match byte {
                b'.' if point.is_none() => point = Some(at),
                b'0' => {}
                b'1'..=b'9' => first = first.or(Some(at)),
                _ => return None,
            }
        }
        if mantissa.len() == usize::from(point.is_some()) {
            return None;
        }
        let point = point.unwrap_or(mantissa.len());
        let Some(first) = first else {
            return Some(Self {
                negative: false,
                digits: &[],
                top: 0,
            });
        };
        let place = point as i64 - first as i64 - i64::from(first < point);
        Some(Self {
            negative,
            digits: &mantissa[first..],
            top: place.saturating_add(exponent),
        })
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Compares exactly.
    pub fn cmp(&self, other: &Self) -> Ordering {
        let magnitudes = || {
            let digits = |number: &Self| number.digits.iter().filter(|byte| **byte != b'.');
            let order = self.top.cmp(&other.top);
            let trimmed = |number: &'_ Self| {
                let len = number
                    .digits
                    .iter()
                    .rposition(|byte| !matches!(byte, b'0' | b'.'));
                Self {
                    digits: &number.digits[..len.map_or(0, |len| len + 1)],
                    ..*number
                }
            };
            let (a, b) = (trimmed(self), trimmed(other));
            order.then_with(|| digits(&a).cmp(digits(&b)))
        };
        let sign = self.sign();
        sign.cmp(&other.sign()).then_with(|| match sign {
            0 => Ordering::Equal,
            1 => magnitudes(),
            _ => magnitudes().reverse(),
        })
    }
}

/// The digits after `e`; where there are more than fit, more would change nothing.
fn exponent(text: &[u8]) -> Option<i64> {
    let digits = text
        .strip_prefix(b"-")
        .or(text.strip_prefix(b"+"))
        .unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let most = if text[0] == b'-' { -(1 << 40) } else { 1 << 40 };
    Some(
        str::from_utf8(text)
            .ok()?
            .parse()
            .map_or(most, |it: i64| it.clamp(-(1 << 40), 1 << 40)),
    )
}

/// A number that orders floats as SQL does: both zeros are equal, and NaN equals itself and is greater than all.
pub fn float_key(value: f64) -> i64 {
    if value.is_nan() {
        return i64::MAX;
    }
    let bits = (value + 0.0).to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// The nanoseconds since 1970 of a date or a time in ISO 8601; without zone it is in that of `offset` seconds.
pub fn instant(text: &str, offset: i32) -> Option<i128> {
    let is_year = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+');
    if text.len() < 10 || !text.as_bytes().iter().take(4).all(is_year) {
        return None;
    }
    let local = || -i128::from(offset) * 1_000_000_000;
    let zoned = |text: &str| nanos(text);
    zoned(text)
        .or_else(|| zoned(&format!("{text}Z")).map(|nanos| nanos + local()))
        .or_else(|| zoned(&format!("{text}T00:00Z")).map(|nanos| nanos + local()))
}

/// A time with zone; of its fraction, nine digits count.
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
    fn numbers_compare_by_value_whatever_their_spelling() {
        let order = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| Number::read(text.as_bytes()).unwrap());
            assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
            a.cmp(&b)
        };
        for (a, b) in [
            ("0", "-0.0"),
            ("1", "1.000"),
            ("1e3", "1000"),
            ("0.001", "1e-3"),
            (".5", "+0.50"),
            ("12e-1", "1.2"),
            ("0e99999999999999999999", "0"),
            ("007", "7"),
            ("100e-2", "1"),
        ] {
            assert_eq!(order(a, b), Ordering::Equal, "{a} {b}");
        }
        for (a, b) in [
            ("1", "2"),
            ("-2", "-1"),
            ("-1", "0"),
            ("0", "1e-999999"),
            ("9", "10"),
            ("9.99", "10"),
            ("1.5", "1.51"),
            ("9007199254740992", "9007199254740993"),
            ("1e-400", "1e400"),
            ("18446744073709551614", "18446744073709551615"),
            ("1e9", "1e99999999999999999999"),
        ] {
            assert_eq!(order(a, b), Ordering::Less, "{a} {b}");
        }
        for text in [
            "", "-", ".", "1e", "e5", "1.2.3", "NaN", "inf", "1 ", "0x10", "1_000", "--1",
        ] {
            assert!(Number::read(text.as_bytes()).is_none(), "{text:?}");
        }
    }

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
        for (text, offset, expected) in [
            ("1970-01-01", 0, Some(0)),
            ("1970-01-02T00:00:01+00:00", 0, Some(86_401 * second)),
            ("1970-01-01 01:00", 3600, Some(0)),
            ("1970-01-01T00:00:00.123456789Z", 0, Some(123_456_789)),
            ("1970-01-01T00:00:00.1234567", 0, Some(123_456_700)),
            ("1970-01-01T00:00:00.1234567891", 0, None),
            ("noon", 0, None),
        ] {
            assert_eq!(instant(text, offset), expected, "{text}");
        }
    }
}
