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
            let whole = first + digits(&row[first..]);
            at = whole;
            if let [b'.', fraction @ ..] = &row[whole..]
                && digits(fraction) > 0
            {
                at += 1 + digits(fraction);
            }
            if row[first] == b'0' && whole > first + 1 {
                continue;
            }
            let is_negative = first > 0 && row[first - 1] == b'-';
            return Some(Numeral {
                text: first - usize::from(is_negative)..at,
                decimal: decimal(&row[first..at], whole - first, is_negative),
            });
        }
    })
}

/// Number of digits that the text starts with.
fn digits(text: &[u8]) -> usize {
    let is_other = |byte: &u8| !byte.is_ascii_digit();
    text.iter().position(is_other).unwrap_or(text.len())
}

/// The number with these digits, `whole` of them before the point.
fn decimal(text: &[u8], whole: usize, is_negative: bool) -> Option<Decimal> {
    let scale = text.len().saturating_sub(whole + 1);
    if whole + scale > MOST_DIGITS {
        return None;
    }
    let digits = text.iter().filter(|byte| **byte != b'.');
    let magnitude = digits.fold(0, |sum, digit| 10 * sum + i64::from(digit - b'0'));
    let mantissa = if is_negative { -magnitude } else { magnitude };
    let is_printed = mantissa != 0 || !is_negative;
    is_printed.then_some(Decimal {
        mantissa,
        scale: scale as u8,
    })
}
