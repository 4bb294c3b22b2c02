//! Numbers in any spelling, by value.

use std::cmp::Ordering;
use std::iter::{repeat, repeat_n};
use std::ops::RangeInclusive;

/// Numbers from 1e-7 to below 1e21 are printed without an exponent. (In JavaScript, this range starts at
/// 1e-6.)
const PLAIN_POINTS: RangeInclusive<i64> = -6..=21;

/// Larger exponents are treated as this one; such numbers cannot be compared exactly.
const MAX_EXPONENT: i64 = 1 << 40;

/// A finite number in any spelling.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    negative: bool,
    /// From the first to the last digit that is not zero, with the point if it is in between; empty for zero.
    digits: &'a [u8],
    /// The power of ten of the first digit.
    pub(in crate::text) top: i64,
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
        let mut range: Option<(usize, usize)> = None;
        for (at, byte) in mantissa.iter().enumerate() {
            match byte {
                b'.' if point.is_none() => point = Some(at),
                b'0' => {}
                b'1'..=b'9' => range = Some((range.map_or(at, |(first, _)| first), at)),
                _ => return None,
            }
        }
        if mantissa.len() == usize::from(point.is_some()) {
            return None;
        }
        let point = point.unwrap_or(mantissa.len());
        let Some((first, last)) = range else {
            return Some(Self {
                negative: false,
                digits: &[],
                top: 0,
            });
        };
        let place = point as i64 - first as i64 - i64::from(first < point);
        Some(Self {
            negative,
            digits: &mantissa[first..=last],
            top: place + exponent,
        })
    }

    /// False if the exponent is so large that different numbers may compare as equal.
    pub fn is_exact(&self) -> bool {
        self.top.abs() < MAX_EXPONENT / 2
    }

    /// The digits from the first to the last that is not zero.
    pub fn digits(&self) -> impl Iterator<Item = u8> + use<'a> {
        self.digits.iter().copied().filter(|byte| *byte != b'.')
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Compares exactly.
    pub fn compare(&self, other: &Self) -> Ordering {
        let magnitudes = || {
            let order = self.top.cmp(&other.top);
            order.then_with(|| self.digits().cmp(other.digits()))
        };
        let sign = self.sign();
        sign.cmp(&other.sign()).then_with(|| match sign {
            0 => Ordering::Equal,
            1 => magnitudes(),
            _ => magnitudes().reverse(),
        })
    }

    /// Appends the number with no more digits than it needs: equal numbers have equal text.
    pub fn print(&self, out: &mut Vec<u8>) {
        if self.digits.is_empty() {
            return out.push(b'0');
        }
        if self.negative {
            out.push(b'-');
        }
        let mut digits = self.digits().peekable();
        // How many digits precede the point.
        let point = self.top + 1;
        let is_plain = PLAIN_POINTS.contains(&point);
        match usize::try_from(point) {
            Ok(whole @ 1..) if is_plain => {
                out.extend(digits.by_ref().chain(repeat(b'0')).take(whole));
            }
            _ if is_plain => out.push(b'0'),
            _ => out.extend(digits.next()),
        }
        if digits.peek().is_some() {
            out.push(b'.');
            if is_plain {
                out.extend(repeat_n(b'0', point.min(0).unsigned_abs() as usize));
            }
            out.extend(digits);
        }
        if !is_plain {
            out.extend_from_slice(format!("e{}", self.top).as_bytes());
        }
    }

    /// The number times `10^scale`, rounded down to an integer, and whether that is exact. Results out of range are
    /// clamped.
    pub fn scaled(&self, scale: i64) -> (i128, bool) {
        let whole = self.top + scale + 1;
        let mut digits = self.digits();
        let mut value: i128 = 0;
        let mut count = 0;
        while count < whole && !self.digits.is_empty() && value != i128::MAX {
            let digit = digits.next().unwrap_or(b'0') - b'0';
            value = value.saturating_mul(10).saturating_add(digit.into());
            count += 1;
        }
        let exact = value != i128::MAX && digits.next().is_none();
        if self.negative {
            (-value - i128::from(!exact), exact)
        } else {
            (value, exact)
        }
    }
}

/// The digits after `e`, at most [`MAX_EXPONENT`].
fn exponent(text: &[u8]) -> Option<i64> {
    let digits = text
        .strip_prefix(b"-")
        .or(text.strip_prefix(b"+"))
        .unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = str::from_utf8(digits).ok()?;
    let size = digits.parse().unwrap_or(MAX_EXPONENT).min(MAX_EXPONENT);
    Some(if text[0] == b'-' { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value_whatever_their_spelling() {
        let order = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| Number::read(text.as_bytes()).unwrap());
            assert_eq!(a.compare(&b), b.compare(&a).reverse());
            a.compare(&b)
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
    fn equal_numbers_have_equal_text_whatever_their_spelling() {
        for (spellings, plain) in [
            (&["1.50", "1.5", "15e-1", "0.15E1", "150e-2"][..], "1.5"),
            (&["0", "-0", "0.000", "0e7", "-0.0"], "0"),
            (&["1e5", "100000", "100000.0"], "100000"),
            (&["-1e21", "-1000000000000000000000"], "-1e21"),
            (
                &["1e20", "100000000000000000000.0"],
                "100000000000000000000",
            ),
            (&["0.0000001", "1e-7", "0.1e-6"], "0.0000001"),
            (&["0.00000001", "1E-8"], "1e-8"),
            (&["1.25e300", "125e298"], "1.25e300"),
        ] {
            for spelling in spellings {
                let mut out = Vec::new();
                Number::read(spelling.as_bytes()).unwrap().print(&mut out);
                assert_eq!(String::from_utf8(out).unwrap(), plain, "{spelling}");
            }
        }
    }
}
