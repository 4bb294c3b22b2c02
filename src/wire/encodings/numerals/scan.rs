//! Finds the numbers in text.

use std::ops::Range;

use crate::text::number::{Decimal, POW10};

/// A number in a row: an optional minus sign, digits without a needless zero in front, and optionally a point and more
/// digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numeral {
    /// Where it is in the row.
    pub text: Range<usize>,
    /// Its value; `None` if it is -0 or has more digits than surely fit.
    pub decimal: Option<Decimal>,
}

/// The most digits of a mantissa.
pub const MOST_DIGITS: usize = 18;

impl Numeral {
    /// The approximate value; 0 if it has too many digits.
    pub fn value(&self) -> f64 {
        self.decimal.map_or(0.0, |decimal| {
            decimal.mantissa as f64 / POW10[usize::from(decimal.scale)]
        })
    }
}

/// The numbers in a row. Digits that begin with a needless zero are text.
pub fn numerals(row: &[u8]) -> impl Iterator<Item = Numeral> + Clone {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let first = at + row[at..].iter().position(u8::is_ascii_digit)?;
            let mut magnitude = 0;
            at = digits(row, first, &mut magnitude);
            let whole = at - first;
            let mut scale = 0;
            if let [b'.', b'0'..=b'9', ..] = row[at..] {
                let point = at;
                at = digits(row, point + 1, &mut magnitude);
                scale = at - point - 1;
            }
            if row[first] == b'0' && whole > 1 {
                continue;
            }
            let is_negative = first > 0 && row[first - 1] == b'-';
            let mantissa = if is_negative {
                magnitude.wrapping_neg()
            } else {
                magnitude
            };
            let is_exact = whole + scale <= MOST_DIGITS && (mantissa != 0 || !is_negative);
            return Some(Numeral {
                text: first - usize::from(is_negative)..at,
                decimal: is_exact.then_some(Decimal {
                    mantissa,
                    scale: scale as u8,
                }),
            });
        }
    })
}

/// Appends the digits of `text` from `at` on to a number, which wraps if there are too many. Returns where they end.
#[inline]
fn digits(text: &[u8], mut at: usize, number: &mut i64) -> usize {
    while let Some(byte @ b'0'..=b'9') = text.get(at) {
        *number = number.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
        at += 1;
    }
    at
}
