//! Prints floats with the fewest digits that read back as the same value.

use super::digits::few_digits;
use super::{append_first, print_integer};
use crate::text::time::PAIRS;

/// Appends the shortest spelling that reads back as the same value of the same width: a JSON number, or one of
/// [`float_word`].
#[inline]
pub fn print_float<F: zmij::Float + Copy + Into<f64>>(value: F, out: &mut Vec<u8>) {
    match float_word(value) {
        None => out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes()),
        Some(word) => out.extend_from_slice(word.as_bytes()),
    }
}

/// `NaN`, `Infinity` or `-Infinity` for values that are not JSON numbers.
#[inline]
pub fn float_word(value: impl Into<f64>) -> Option<&'static str> {
    let value = value.into();
    if value.is_finite() {
        None
    } else if value.is_nan() {
        Some("NaN")
    } else if value > 0.0 {
        Some("Infinity")
    } else {
        Some("-Infinity")
    }
}

/// Like [`print_float`] for doubles, but twice as fast for those with few decimals.
#[inline]
pub fn print_double(value: f64, out: &mut Vec<u8>) {
    if !print_millionths(value, false, out) {
        print_float(value, out);
    }
}

/// Appends a double that is an integral number of millionths below 10^15, such as a price, a percentage or a place on
/// the globe; an integer without a point if `bare`. For any other value, appends nothing and returns false.
///
/// If a decimal of at most 15 digits reads as this double, no other such decimal does, so its digits without
/// trailing zeros are the shortest. Division is correctly rounded, so it gives the double that the decimal reads
/// as.
#[inline]
pub(super) fn print_millionths(value: f64, bare: bool, out: &mut Vec<u8>) -> bool {
    const SCALE: u64 = 1_000_000;
    const SIX_ZEROS: u64 = 0x3030_3030_3030;
    /// A double from 2^52 to 2^53 is an integer, and its low bits are the number above 2^52. So adding this rounds
    /// smaller numbers without converting them.
    const ROUNDER: f64 = (1u64 << 52) as f64;

    let magnitude = value.abs();
    let sum = magnitude * SCALE as f64 + ROUNDER;
    let rounded = sum - ROUNDER;
    let is_exact = (rounded / SCALE as f64).to_bits() == magnitude.to_bits();
    // Numbers below 0.00001 are printed with an exponent; NaN is in no range.
    let is_plain = rounded == 0.0 || (10.0..1e15).contains(&rounded);
    if !is_exact || !is_plain {
        return false;
    }
    let millionths = sum.to_bits() ^ ROUNDER.to_bits();
    let (whole, fraction) = (millionths / SCALE, (millionths % SCALE) as usize);
    let pair = |number: usize| u64::from(u16::from_le_bytes(PAIRS[number]));
    let (high, low) = (fraction / 10_000, fraction % 10_000);
    let decimals = pair(high) | pair(low / 100) << 16 | pair(low % 100) << 32;
    // Drop trailing zeros, but keep one decimal.
    let zeros = (decimals ^ SIX_ZEROS).leading_zeros() / 8;
    let point = u64::from(b'.') | decimals << 8;
    let point_len = if bare && fraction == 0 {
        0
    } else {
        1 + (8 - zeros as usize).max(1)
    };
    let sign = u32::from(value.is_sign_negative());
    if whole < 10_000 {
        let (digits, len) = few_digits(whole as u32);
        let text = u128::from(digits) | u128::from(point) << (8 * len);
        let text = text << (8 * sign) | u128::from(sign * u32::from(b'-'));
        let len = (sign + len) as usize + point_len;
        append_first(&text.to_le_bytes(), len, out);
    } else {
        append_first(b"-", sign as usize, out);
        print_integer(whole, out);
        append_first(&point.to_le_bytes(), point_len, out);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn float<F: zmij::Float + Copy + Into<f64>>(value: F) -> String {
        let mut out = Vec::new();
        print_float(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_are_the_shortest_of_their_own_precision() {
        for (value, text) in [
            (100.0, "100.0"),
            (0.1, "0.1"),
            (-0.0, "-0.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1e-7, "1e-7"),
            (1e300, "1e+300"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(float(value), text);
        }
        assert_eq!(float(0.1f32), "0.1");
        assert_eq!(float(16_777_216f32), "16777216.0");
        assert_eq!(float(f32::NEG_INFINITY), "-Infinity");
    }

    fn double(value: f64) -> String {
        let mut out = Vec::new();
        print_double(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #[test]
        fn the_way_for_few_decimals_prints_as_the_general_one(
            any: f64,
            digits in -2_000_000_000_000_000i64..2_000_000_000_000_000,
            small in -100_000_000i64..100_000_000,
            decimals in 0..8i32,
        ) {
            let near = digits as f64 / 1e6;
            let neighbors = [near.next_up(), near.next_down()];
            let scaled = small as f64 / 10f64.powi(decimals);
            for value in [any, near, scaled, digits as f64 / 100.0, any.trunc()].into_iter().chain(neighbors) {
                prop_assert_eq!(double(value), float(value));
            }
        }
    }

    #[test]
    fn edges_of_few_decimals_print_as_ever() {
        for value in [
            0.0,
            -0.0,
            0.01,
            -0.01,
            0.000_001,
            0.000_009,
            0.000_01,
            0.000_000_5,
            0.000_000_4,
            -0.000_09,
            0.001,
            0.1,
            0.09,
            0.99,
            1.0,
            9.0,
            9.99,
            10.0,
            99.5,
            100.0,
            999.99,
            1e12,
            999_999_999.999_999,
            -999_999_999.999_999,
            999_999_999.999_999_9,
            1e9,
            9_999_999_999_999.99,
            -9_999_999_999_999.99,
            1e13,
            1e15,
            5e-324,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.005,
            0.015,
            0.285,
            1.005,
        ] {
            assert_eq!(double(value), float(value));
        }
    }
}
