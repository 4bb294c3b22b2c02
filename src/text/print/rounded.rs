//! The first digits of a double, rounded like C's `printf`.
//!
//! `%.17g` distinguishes all doubles, but usually prints more digits than necessary, so the shortest digits do not
//! help. Neither does an estimate, because C libraries round the exact binary value, half to even. Between about
//! 1e-16 and 1e17, that value times a power of ten is an integer of 128 bits and a shift; outside this range, the
//! standard library's exact formatting is used.

use std::io::Write as _;

/// The most digits supported: as many as fit in a `u64`. 17 distinguish all doubles.
pub const MOST_DIGITS: u32 = 19;

/// Decimal digits without trailing zeros, and the power of ten of the first one.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    text: [u8; MOST_DIGITS as usize],
    len: u8,
    /// The power of ten of the first digit.
    pub power: i32,
}

impl Digits {
    /// The digits.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text[..usize::from(self.len)]
    }

    /// The first `count` digits of a finite double without its sign; `count` is 1 to [`MOST_DIGITS`].
    #[inline]
    pub fn of(value: f64, count: u32) -> Self {
        let magnitude = value.abs();
        match whole(magnitude, count) {
            Some((digits, power)) => Self::trim(itoa::Buffer::new().format(digits), power),
            None => Self::of_any(magnitude, count),
        }
    }

    #[inline]
    fn trim(digits: &str, power: i32) -> Self {
        let digits = digits.as_bytes();
        let mut text = [b'0'; MOST_DIGITS as usize];
        let mut len = digits.len().min(text.len());
        text[..len].copy_from_slice(&digits[..len]);
        while len > 1 && text[len - 1] == b'0' {
            len -= 1;
        }
        let len = len as u8;
        Self { text, len, power }
    }

    #[cold]
    fn of_any(magnitude: f64, count: u32) -> Self {
        // A digit, a point, 18 digits, `e-324`.
        let mut buffer = [0; 32];
        let mut rest = &mut buffer[..];
        let after = count as usize - 1;
        let written = write!(rest, "{magnitude:.after$e}").is_ok();
        let unused = rest.len();
        let len = buffer.len() - unused;
        let text = str::from_utf8(&buffer[..len]).unwrap_or_default();
        let (number, power) = text.split_once('e').unwrap_or(("0", "0"));
        debug_assert!(written && magnitude.is_finite(), "{magnitude}");
        let mut digits = number.bytes().filter(u8::is_ascii_digit);
        let mut text = [b'0'; MOST_DIGITS as usize];
        text.fill_with(|| digits.next().unwrap_or(b'0'));
        let digits = str::from_utf8(&text).unwrap_or("0");
        Self::trim(digits, power.parse().unwrap_or(0))
    }
}

/// All digits as one integer, and the power of ten of the first one; `None` if 128 bits are not enough.
#[inline]
fn whole(magnitude: f64, count: u32) -> Option<(u64, i32)> {
    const IMPLIED: u64 = 1 << 52;
    let bits = magnitude.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    // The fewest digits before the point that the highest bit allows, with log10(2) = 0.30103. Correct for all
    // exponents of doubles (Adams, "Ryu", PLDI 2018).
    let mut power = (exponent * 78913) >> 18;
    let mantissa = bits & (IMPLIED - 1) | IMPLIED;
    let most = 10u64.pow(count);
    loop {
        let scale = usize::try_from(count as i32 - 1 - power).ok()?;
        let product = u128::from(mantissa) * u128::from(*POW5.get(scale)?);
        let digits = shift(product, exponent - 52 + scale as i32)?;
        if digits < most {
            return Some((digits, power));
        }
        // There is one more digit than estimated, possibly because of rounding.
        power += 1;
    }
}

/// Powers of five below 2^64. The product with a 53-bit mantissa has at most 117 bits.
const POW5: [u64; 28] = {
    let mut powers = [1; 28];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 5;
        at += 1;
    }
    powers
};

/// `number * 2^by`, rounded half to even; `None` if it does not fit.
#[inline]
fn shift(number: u128, by: i32) -> Option<u64> {
    if by >= 0 {
        let fits = number.leading_zeros() as i32 - 64 >= by;
        return fits.then(|| (number << by) as u64);
    }
    let down = by.unsigned_abs();
    if down >= 128 {
        return None;
    }
    let quotient = u64::try_from(number >> down).ok()?;
    let rest = number << (128 - down);
    let half = 1 << 127;
    Some(quotient + u64::from(rest > half || (rest == half && quotient & 1 == 1)))
}
