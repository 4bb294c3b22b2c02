//! Parses decimal numbers in text directly to mantissa and scale.
//!
//! The result is exact: printing mantissa and scale restores the text. [`scan`] rejects any other spelling (`007`,
//! `+1`, `-0`, `1e5`, `.5`, more digits than fit in an i64).

/// `mantissa / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// All digits as one integer, with the sign.
    pub mantissa: i64,
    /// Number of digits after the point; 0 if there is no point.
    pub scale: u8,
}

/// The powers of ten that an f64 represents exactly.
pub const POW10: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

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
    let behind = 64 - 8 * len;
    let digits = (word ^ ZEROS) & (u64::MAX >> behind);
    let is_whole = (digits.wrapping_add(ABOVE_9) | digits) & HIGH == 0;
    // A leading zero must be the only digit.
    (is_whole && (digits as u8 != 0 || len == 1)).then(|| Decimal {
        mantissa: eight_digits(digits << behind) as i64,
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
                let behind = digits >> (8 * point) >> 8;
                (before | behind << (8 * point), len - 1, len - 1 - point)
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
    let (negative, unsigned) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    let point = memchr::memchr(b'.', unsigned);
    let whole = &unsigned[..point.unwrap_or(unsigned.len())];
    let scale = point.map_or(0, |at| unsigned.len() - at - 1);
    let digits = whole.len() + scale;
    if whole.is_empty()
        || (point.is_some() && scale == 0)
        || (whole.len() > 1 && whole[0] == b'0')
        || digits > 19
    {
        return None;
    }
    // Nineteen digits always fit in a u64.
    let mut value = 0u64;
    for (at, &byte) in unsigned.iter().enumerate() {
        if Some(at) == point {
            continue;
        }
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    if negative && value == 0 {
        return None;
    }
    let mantissa = if negative {
        0i64.checked_sub_unsigned(value)
    } else {
        0i64.checked_add_unsigned(value)
    };
    Some(Decimal {
        mantissa: mantissa?,
        scale: scale as u8,
    })
}

/// Appends `mantissa / 10^scale` with exactly `scale` digits after the point; a negative scale appends zeros.
pub fn print_decimal(mantissa: impl itoa::Integer, scale: i8, out: &mut Vec<u8>) {
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

impl Decimal {
    /// `0`.
    pub const ZERO: Self = Self {
        mantissa: 0,
        scale: 0,
    };

    /// Appends the original text.
    pub fn print(self, out: &mut Vec<u8>) {
        print_decimal(self.mantissa, self.scale as i8, out);
    }

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
        // 15 digits always survive (DBL_DIG), and so do integers up to 2^53. For all others, compare with the
        // shortest form.
        let most = if self.scale == 0 {
            1 << 53
        } else {
            999_999_999_999_999
        };
        self.mantissa.unsigned_abs() <= most || self.fits_f64_slow()
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
    let is_integer = bytes.len() > 18 && bytes.iter().all(u8::is_ascii_digit);
    if !value.is_finite() || (is_integer && text.parse::<i64>().is_err()) {
        return None;
    }
    let mut buffer = zmij::Buffer::new();
    let shortest = buffer.format_finite(value.abs());
    (significand(unsigned) == significand(shortest)).then_some(value)
}

/// True for a number as JSON spells numbers (RFC 8259, section 6): no plus sign in front, no leading zero,
/// digits on both sides of the point.
pub fn is_json_number(text: &[u8]) -> bool {
    fn digits(text: &[u8]) -> Option<&[u8]> {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then(|| &text[count..])
    }
    let rest = text.strip_prefix(b"-").unwrap_or(text);
    let rest = match rest {
        [b'0', rest @ ..] => Some(rest),
        rest => digits(rest),
    };
    let rest = rest.and_then(|rest| match rest {
        [b'.', rest @ ..] => digits(rest),
        rest => Some(rest),
    });
    let rest = rest.and_then(|rest| match rest {
        [b'e' | b'E', b'+' | b'-', rest @ ..] | [b'e' | b'E', rest @ ..] => digits(rest),
        rest => Some(rest),
    });
    rest.is_some_and(<[u8]>::is_empty)
}

/// The digits without zeros at either end, and the power of ten of the last one; `None` for zero.
fn significand(unsigned: &str) -> Option<(Vec<u8>, i64)> {
    let (number, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    // An exponent beyond i64 belongs to zero; otherwise the number would not have parsed as finite.
    let mut power = exponent.parse::<i64>().unwrap_or(0) - fraction.len() as i64;
    while digits.last() == Some(&b'0') {
        digits.pop();
        power += 1;
    }
    let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
    digits.drain(..leading);
    (!digits.is_empty()).then_some((digits, power))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
}
