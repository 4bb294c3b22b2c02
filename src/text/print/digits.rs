//! Decimal digits of small numbers, put together in a register and stored at once.

use super::append_first;
use crate::text::time::PAIRS;

/// The smallest number with more than eight digits.
pub const EIGHT_DIGITS: u64 = 100_000_000;

/// Eight zeros.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Four digits of a number below 10^4, the first one in the lowest byte.
#[inline]
fn four_digits(number: u32) -> u32 {
    let pair = |number: u32| u32::from(u16::from_le_bytes(PAIRS[number as usize % 100]));
    pair(number / 100) | pair(number % 100) << 16
}

/// Appends a number below 10^8.
#[inline]
pub fn print_digits(number: u32, out: &mut Vec<u8>) {
    let (high, low) = (number / 10_000, number % 10_000);
    let first = if high > 0 { high } else { low };
    let len = 1 + [10, 100, 1000]
        .iter()
        .filter(|&&power| first >= power)
        .count();
    let text = four_digits(first) >> (8 * (4 - len));
    append_first(&text.to_le_bytes(), len, out);
    if high > 0 {
        out.extend_from_slice(&four_digits(low).to_le_bytes());
    }
}

/// Appends `number / 10^scale`, for a number below 10^8 and a scale from 1 to 7.
#[inline]
pub fn print_point(number: u32, scale: u32, out: &mut Vec<u8>) {
    let (high, low) = (four_digits(number / 10_000), four_digits(number % 10_000));
    let text = u64::from(high) | u64::from(low) << 32;
    let before = 8 - scale;
    // A zero before the point stays.
    let zeros = ((text ^ ZEROS).trailing_zeros() / 8).min(before - 1);
    let whole = text >> (8 * zeros);
    append_first(&whole.to_le_bytes(), (before - zeros) as usize, out);
    let fraction = u64::from(b'.') | text >> (8 * before) << 8;
    append_first(&fraction.to_le_bytes(), 1 + scale as usize, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(print: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = b"before ".to_vec();
        print(&mut out);
        String::from_utf8(out.split_off(7)).unwrap()
    }

    fn check(number: u32) {
        assert_eq!(text(|out| print_digits(number, out)), number.to_string());
        for scale in 1..8 {
            let power = 10u32.pow(scale);
            let (whole, rest) = (number / power, number % power);
            let expected = format!("{whole}.{rest:0width$}", width = scale as usize);
            assert_eq!(text(|out| print_point(number, scale, out)), expected);
        }
    }

    #[test]
    fn edges_print_as_the_standard_library_prints_them() {
        for power in 0..8 {
            let number = 10u32.pow(power);
            for number in [number - 1, number, number + 1, number * 9, 5 * number] {
                check(number);
            }
        }
        check(99_999_999);
    }

    proptest! {
        #[test]
        fn any_number_prints_as_the_standard_library_prints_it(
            number in 0..100_000_000u32,
            digits in 0..8u32,
        ) {
            check(number % 10u32.pow(digits + 1));
        }
    }
}
