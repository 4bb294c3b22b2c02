//! Parses decimal numbers in text directly to mantissa and scale.
//!
//! The result is exact: printing mantissa and scale restores the text. [`scan`] rejects any other spelling (`007`,
//! `+1`, `-0`, `1e5`, `.5`, more digits than fit in an i64).

use super::Decimal;

/// Parses `-?(0|[1-9][0-9]*)(\.[0-9]+)?`, but not `-0` or `-0.0`. All digits together must fit in an i64, with at
/// most 18 of them after the point.
///
/// `wide` is the 16 bytes starting where `cell` starts, whatever follows the cell.
#[expect(clippy::inline_always, reason = "most of its time went into the call")]
#[inline(always)]
pub fn scan(cell: &[u8], wide: &[u8; 16]) -> Option<Decimal> {
    let word = u128::from_le_bytes(*wide);
    match cell.len() {
        len @ 1..=8 => scan_whole(word as u64, len).or_else(|| scan_short(word as u64, len)),
        len => scan_more(cell, word, len),
    }
}

/// Parses up to eight digits and nothing else, the most common case.
#[inline]
fn scan_whole(word: u64, len: usize) -> Option<Decimal> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const ABOVE_9: u64 = 0x7676_7676_7676_7676;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let unused = 64 - 8 * len;
    let digits = (word ^ ZEROS) & (u64::MAX >> unused);
    let is_whole = (digits.wrapping_add(ABOVE_9) | digits) & HIGH == 0;
    // A leading zero must be the only digit.
    (is_whole && (digits as u8 != 0 || len == 1)).then(|| Decimal {
        mantissa: eight_digits(digits << unused) as i64,
        scale: 0,
    })
}

#[inline(never)]
fn scan_more(cell: &[u8], word: u128, len: usize) -> Option<Decimal> {
    if (9..=16).contains(&len) {
        scan_medium(word, len)
    } else {
        scan_long(cell)
    }
}

/// A scanner for cells that fit in one machine word, with the first character in the lowest byte.
macro_rules! scan_word {
    ($name:ident, $word:ident, $value:expr) => {
        fn $name(word: $word, len: usize) -> Option<Decimal> {
            const BYTES: usize = size_of::<$word>();
            const BITS: usize = 8 * BYTES;
            const ZEROS: $word = $word::from_ne_bytes([b'0'; BYTES]);
            const POINT: $word = $word::from_ne_bytes([b'.' ^ b'0'; BYTES]);
            const ONES: $word = $word::from_ne_bytes([0x01; BYTES]);
            const HIGH: $word = $word::from_ne_bytes([0x80; BYTES]);

            let negative = word as u8 == b'-';
            let (word, len) = if negative {
                (word >> 8, len - 1)
            } else {
                (word, len)
            };
            if len == 0 {
                return None;
            }
            // Digits become 0..=9; bytes after the cell are removed.
            let digits = (word ^ ZEROS) & ($word::MAX >> (BITS - 8 * len));
            // Find the lowest byte that is a point (Mycroft's zero-byte test; the lowest hit is exact).
            let other = digits ^ POINT;
            let point = (other.wrapping_sub(ONES) & !other & HIGH).trailing_zeros() as usize / 8;
            let (joined, count, scale) = if point < len {
                if point == 0 || point + 1 == len {
                    return None;
                }
                let before = digits & ((1 << (8 * point)) - 1);
                let after = digits >> (8 * point) >> 8;
                (before | after << (8 * point), len - 1, len - 1 - point)
            } else {
                (digits, len, 0)
            };
            if (joined.wrapping_add(ONES * 0x76) | joined) & HIGH != 0 {
                return None;
            }
            // A leading zero must be the only digit before the point.
            if joined as u8 == 0 && count - scale > 1 {
                return None;
            }
            let aligned = joined << (BITS - 8 * count);
            let value: u64 = $value(aligned);
            if negative && value == 0 {
                return None;
            }
            let mantissa = if negative {
                -(value as i64)
            } else {
                value as i64
            };
            let scale = scale as u8;
            Some(Decimal { mantissa, scale })
        }
    };
}

scan_word!(scan_short, u64, eight_digits);
scan_word!(scan_medium, u128, |aligned: u128| eight_digits(
    aligned as u64
) * 100_000_000
    + eight_digits((aligned >> 64) as u64));

/// Combines eight bytes of value 0..=9, most significant first in memory, into a number.
#[inline]
fn eight_digits(word: u64) -> u64 {
    // Combine pairs, then groups of four, then all eight, with one multiplication per step.
    let pairs = word.wrapping_mul(10).wrapping_add(word >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF
}

#[cold]
fn scan_long(cell: &[u8]) -> Option<Decimal> {
    // Nineteen digits always fit in a u64.
    let (is_negative, value, scale) = scan_u64(cell, 19)?;
    let mantissa = if is_negative {
        0i64.checked_sub_unsigned(value)
    } else {
        0i64.checked_add_unsigned(value)
    };
    Some(Decimal {
        mantissa: mantissa?,
        scale,
    })
}

/// A scanner for numbers of up to `most` digits, which must fit in the type. Returns whether there is a minus, all
/// digits as one integer, and the number of digits after the point.
macro_rules! scan_digits {
    ($name:ident, $number:ty) => {
        pub(in crate::text) fn $name(cell: &[u8], most: usize) -> Option<(bool, $number, u8)> {
            let (is_negative, unsigned) = match cell {
                [b'-', rest @ ..] => (true, rest),
                _ => (false, cell),
            };
            let point = memchr::memchr(b'.', unsigned);
            let whole = &unsigned[..point.unwrap_or(unsigned.len())];
            let fraction = point.map_or(&[][..], |at| &unsigned[at + 1..]);
            if whole.is_empty()
                || (point.is_some() && fraction.is_empty())
                || (whole.len() > 1 && whole[0] == b'0')
                || whole.len() + fraction.len() > most
            {
                return None;
            }
            let mut value: $number = 0;
            for digits in [whole, fraction] {
                for byte in digits {
                    let digit = byte.wrapping_sub(b'0');
                    if digit > 9 {
                        return None;
                    }
                    value = value * 10 + <$number>::from(digit);
                }
            }
            let is_printable = !(is_negative && value == 0);
            is_printable.then_some((is_negative, value, fraction.len() as u8))
        }
    };
}

scan_digits!(scan_u64, u64);
scan_digits!(scan_i128, i128);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lossless_f64;
    use super::*;

    fn scan_text(text: &str) -> Option<Decimal> {
        let mut wide = [b'7'; 16];
        let head = text.len().min(16);
        wide[..head].copy_from_slice(&text.as_bytes()[..head]);
        scan(text.as_bytes(), &wide)
    }

    #[test]
    fn spellings_that_would_not_print_back_are_rejected() {
        for text in [
            "",
            "-",
            ".",
            "-.",
            "007",
            "-01",
            "00",
            "+1",
            "-0",
            "-0.0",
            "-0.00000000000000000",
            ".5",
            "5.",
            "1e5",
            "1,5",
            "1 ",
            " 1",
            "1.2.3",
            "--1",
            "0x1",
            "1:2",
            "1/2",
            "9223372036854775808",
            "-9223372036854775809",
            "0.0000000000000000001",
            "12345678901234567890",
            "\u{663}",
            "1_0",
            "1.-2",
            "1-",
        ] {
            assert_eq!(scan_text(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn parsed_numbers_print_back(text in "-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,17})?") {
            let whole: Result<i64, _> = text.replace('.', "").parse();
            let too_long = text.bytes().filter(u8::is_ascii_digit).count() > 19;
            let zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'));
            match scan_text(&text) {
                Some(decimal) => {
                    let mut printed = Vec::new();
                    decimal.print(&mut printed);
                    prop_assert_eq!(printed, text.as_bytes());
                    let value: f64 = text.parse().unwrap();
                    prop_assert_eq!(decimal.to_f64().to_bits(), value.to_bits());
                    prop_assert_eq!(decimal.fits_f64(), lossless_f64(&text).is_some(), "{}", text);
                }
                None => prop_assert!(whole.is_err() || too_long || (zero && text.starts_with('-')), "{}", text),
            }
        }

        #[test]
        fn arbitrary_bytes_are_parsed_only_if_the_grammar_allows(cell in proptest::collection::vec(
            proptest::sample::select(b"0123456789.-+eE,:/ x\x80\xff".to_vec()), 0..20))
        {
            let mut wide = [b'1'; 16];
            let head = cell.len().min(16);
            wide[..head].copy_from_slice(&cell[..head]);
            if let Some(decimal) = scan(&cell, &wide) {
                let mut printed = Vec::new();
                decimal.print(&mut printed);
                prop_assert_eq!(printed, cell);
            }
        }
    }
}
