//! Decimal numbers in text: parsed to mantissa and scale ([`scan()`]), or in any spelling ([`Number`]).

mod any;
mod scan;

use std::ops::Range;

use super::json::scan::value_end;
use super::print::{print_point, print_sign_if_short};

pub use any::Number;
pub use scan::scan;
pub(super) use scan::scan_i128;

/// `mantissa / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal<M = i64> {
    /// All digits as one integer, with the sign.
    pub mantissa: M,
    /// Number of digits after the point; 0 if there is no point.
    pub scale: u8,
}

/// Decimals whose digits, without the point, make a number below this one have at most 15 of them, which an f64 keeps
/// (`DBL_DIG`).
pub const SHORT_DIGITS: u64 = 10u64.pow(f64::DIGITS);

/// The powers of ten that an f64 represents exactly.
pub const POW10: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Appends `mantissa / 10^scale` with exactly `scale` digits after the point; a negative scale appends zeros.
#[inline]
pub fn print_decimal<I>(mantissa: I, scale: i8, out: &mut Vec<u8>)
where
    I: itoa::Integer + Copy + TryInto<i64>,
{
    if (1..8).contains(&scale)
        && let Some(magnitude) = print_sign_if_short(mantissa, out)
    {
        print_point(magnitude, scale as u32, out);
    } else {
        print_long_decimal(mantissa, scale, out);
    }
}

fn print_long_decimal(mantissa: impl itoa::Integer, scale: i8, out: &mut Vec<u8>) {
    print_scaled(itoa::Buffer::new().format(mantissa).as_bytes(), scale, out);
}

/// Like [`print_decimal`], for a mantissa that is already printed as digits.
pub fn print_scaled(mantissa: &[u8], scale: i8, out: &mut Vec<u8>) {
    let zeros = usize::from(scale.min(0).unsigned_abs());
    let Some(scale) = usize::try_from(scale).ok().filter(|&scale| scale > 0) else {
        out.extend_from_slice(mantissa);
        if mantissa != b"0" {
            out.resize(out.len() + zeros, b'0');
        }
        return;
    };
    let (sign, digits) = mantissa.split_at(usize::from(mantissa.first() == Some(&b'-')));
    out.extend_from_slice(sign);
    if digits.len() > scale {
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        out.extend_from_slice(whole);
        out.push(b'.');
        out.extend_from_slice(fraction);
    } else {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + scale - digits.len(), b'0');
        out.extend_from_slice(digits);
    }
}

impl<M: itoa::Integer + Copy + TryInto<i64>> Decimal<M> {
    /// Appends the original text.
    pub fn print(self, out: &mut Vec<u8>) {
        print_decimal(self.mantissa, self.scale as i8, out);
    }
}

impl Decimal {
    /// `0`.
    pub const ZERO: Self = Self {
        mantissa: 0,
        scale: 0,
    };

    /// The nearest f64.
    #[inline]
    pub fn to_f64(self) -> f64 {
        // Both operands are exact, so the division rounds only once (Clinger's fast path).
        if self.mantissa.unsigned_abs() <= 1 << 53 {
            self.mantissa as f64 / POW10[usize::from(self.scale)]
        } else {
            self.to_f64_slow()
        }
    }

    /// For mantissas beyond 2^53: computes a quotient of 63 or 64 bits whose lowest bit is sticky, that is, set if any
    /// further bit is. It rounds like the exact quotient.
    #[cold]
    fn to_f64_slow(self) -> f64 {
        let mantissa = self.mantissa.unsigned_abs();
        let divisor = 10u64.pow(self.scale.into());
        let shift = 63 + mantissa.leading_zeros() - divisor.leading_zeros();
        let numerator = u128::from(mantissa) << shift;
        let quotient = (numerator / u128::from(divisor)) as u64;
        let rest = numerator % u128::from(divisor);
        let power = f64::from_bits(u64::from(1023 - shift) << 52);
        let magnitude = (quotient | u64::from(rest != 0)) as f64 * power;
        if self.mantissa < 0 {
            -magnitude
        } else {
            magnitude
        }
    }

    /// True if an f64 keeps every digit: its shortest form is this number again.
    #[inline]
    pub fn fits_f64(self) -> bool {
        // Integers up to 2^53 survive, too. For all others, compare with the shortest form.
        let all = if self.scale == 0 {
            (1 << f64::MANTISSA_DIGITS) + 1
        } else {
            SHORT_DIGITS
        };
        self.mantissa.unsigned_abs() < all || self.fits_f64_slow()
    }

    #[cold]
    fn fits_f64_slow(self) -> bool {
        let mut text = Vec::with_capacity(24);
        self.print(&mut text);
        str::from_utf8(&text).is_ok_and(|text| lossless_f64(text).is_some())
    }
}

/// Parses any common spelling of a number (`.5`, `5.`, `1e5`, `-0`) as f64, if the f64 keeps every digit.
///
/// Rejects a leading plus sign, leading zeros, words, hexadecimal, anything that overflows, and integers beyond i64,
/// which are more often identifiers than quantities.
pub fn lossless_f64(text: &str) -> Option<f64> {
    let is_identifier = is_beyond_i64(text);
    nearest_f64(text).filter(|value| !is_identifier && is_shortest(text, *value))
}

/// Like [`lossless_f64`], and also takes numbers with 17 digits, as printed by `%.17g` in C: the f64 gives them back,
/// although fewer digits identify it. Integers beyond i64 are fine, too, if they are printed so by a format of floats.
pub fn f64_of_digits(text: &str) -> Option<f64> {
    let has_17_digits = |value| !is_beyond_i64(text) && has_digits(text, &format!("{value:.16e}"));
    nearest_f64(text).filter(|value| is_shortest(text, *value) || has_17_digits(*value))
}

/// True for an integer that does not fit in an i64.
fn is_beyond_i64(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_long = digits.len() > 18 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_long && text.parse::<i64>().is_err()
}

/// True if the text has the fewest digits that identify the f64, which is the nearest to it.
fn is_shortest(text: &str, value: f64) -> bool {
    // Up to 15 digits always survive (DBL_DIG), unless the number is too close to the ends of the range.
    let mantissa = text.bytes().take_while(|byte| !matches!(byte, b'e' | b'E'));
    let digits = mantissa.filter(u8::is_ascii_digit).count();
    digits <= f64::DIGITS as usize && FULL_PRECISION.contains(&value.abs())
        || has_digits(text, zmij::Buffer::new().format_finite(value))
}

/// Doubles from the least one of full precision to the greatest, with a margin.
const FULL_PRECISION: Range<f64> = 1e-300..1e300;

/// True if both are spellings of the same number.
fn has_digits(text: &str, printed: &str) -> bool {
    Number::read(text.as_bytes())
        .zip(Number::read(printed.as_bytes()))
        .is_some_and(|(text, printed)| text.compare(&printed).is_eq())
}

/// The nearest f64, for the spellings that [`f64_of_digits`] takes.
fn nearest_f64(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let bytes = unsigned.as_bytes();
    let starts_well = match bytes {
        [b'0', next, ..] => !next.is_ascii_digit(),
        [b'.', next, ..] => next.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    if !starts_well {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(value)
}

/// True for a number as JSON spells numbers (RFC 8259, section 6): no plus sign in front, no leading zero,
/// digits on both sides of the point.
pub fn is_json_number(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'-' | b'0'..=b'9')) && value_end(text, 0) == Ok(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn f64_takes_what_it_can_hold_and_nothing_else() {
        for text in [
            "1.50",
            ".5",
            "5.",
            "1e5",
            "-0",
            "1E-7",
            "0.30000000000000004",
            "9007199254740992",
            "5e-324",
            "0e999999999999999999999",
        ] {
            assert_eq!(lossless_f64(text), text.parse().ok(), "{text}");
        }
        for text in [
            "+1",
            "007",
            "9007199254740993",
            "10000000000000000000",
            "0.1000000000000000055",
            "1e400",
            "inf",
            "nan",
            "",
            "-",
            "e5",
            "1e",
            "0x10",
            "1_000",
        ] {
            assert_eq!(lossless_f64(text), None, "{text}");
        }
    }

    proptest! {
        /// Rust's own shortest form decides, near the ends of the range, too.
        #[test]
        fn f64_keeps_the_digits_that_it_prints(
            mantissa in (1u32..19).prop_flat_map(|digits| 1..10u64.pow(digits)),
            exponent in -345..310i32,
        ) {
            let text = format!("{mantissa}e{exponent}");
            let value: f64 = text.parse().unwrap();
            let printed = format!("{value:e}").replace('.', "");
            let printed = printed.split('e').next().unwrap().trim_end_matches('0');
            let digits = mantissa.to_string();
            let is_kept = value.is_finite() && value != 0.0 && printed == digits.trim_end_matches('0');
            prop_assert_eq!(lossless_f64(&text).is_some(), is_kept);
        }
    }

    #[test]
    fn numbers_with_17_digits_come_back_from_their_f64() {
        for text in [
            "8.3945900000000009",
            "-0.10000000000000001",
            "1.7e-05",
            "123456789012345680000",
        ] {
            let value = f64_of_digits(text).unwrap();
            assert_eq!(Some(value), text.parse().ok());
        }
        // The first has 17 digits, but not those of its f64; the next two have more than 17.
        for text in [
            "8.3945900000000005",
            "0.1000000000000000055",
            "12345678901234567890",
            "+1",
            "1e400",
        ] {
            assert_eq!(f64_of_digits(text), None, "{text}");
        }
    }
}
