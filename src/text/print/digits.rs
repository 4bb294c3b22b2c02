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

/// Eight digits of a number below 10^8, the first one in the lowest byte.
#[inline]
fn eight_digits(number: u32) -> u64 {
    let (high, low) = (four_digits(number / 10_000), four_digits(number % 10_000));
    u64::from(high) | u64::from(low) << 32
}

/// Appends a number below 10^8.
#[inline]
pub fn print_digits(number: u32, out: &mut Vec<u8>) {
    if number < 10_000 {
        let (text, len) = few_digits(number);
        append_first(&text.to_le_bytes(), len as usize, out);
    } else {
        let digits = eight_digits(number);
        let zeros = (digits ^ ZEROS).trailing_zeros() / 8;
        append_first(
            &(digits >> (8 * zeros)).to_le_bytes(),
            8 - zeros as usize,
            out,
        );
    }
}

/// The digits of a number below 10^4 without leading zeros, the first one in the lowest byte, and how many there are.
#[inline]
pub fn few_digits(number: u32) -> (u32, u32) {
    let len = 1 + u32::from(number >= 10) + u32::from(number >= 100) + u32::from(number >= 1000);
    (four_digits(number) >> (8 * (4 - len)), len)
}

/// Appends `number / 10^scale`, for a number below 10^8 and a scale from 1 to 7.
#[inline]
pub fn print_point(number: u32, scale: u32, out: &mut Vec<u8>) {
    let digits = eight_digits(number);
    let before = 8 - scale;
    // A zero before the point stays.
    let zeros = ((digits ^ ZEROS).trailing_zeros() / 8).min(before - 1);
    let len = before - zeros;
    let whole = (digits >> (8 * zeros)) & (u64::MAX >> (64 - 8 * len));
    let fraction = u64::from(b'.') | (digits >> (8 * before)) << 8;
    let text = u128::from(whole) | u128::from(fraction) << (8 * len);
    append_first(&text.to_le_bytes(), (len + 1 + scale) as usize, out);
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
