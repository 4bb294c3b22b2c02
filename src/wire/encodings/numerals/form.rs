//! How the numbers of a series are written.

use std::fmt;

use super::scan::{MOST_DIGITS, Numeral};
use crate::error::{Error, Result};
use crate::text::number::{Decimal, print_decimal};

/// How the numbers of a series are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumeralForm {
    /// The number of digits after the point, at most [`MOST_DIGITS`].
    digits: u8,
    /// Zeros at the end of these digits, and a point after which nothing remains, are left out.
    is_trimmed: bool,
}

/// Added to the number of digits in the code of a trimmed form.
const TRIMMED: u8 = 32;

impl NumeralForm {
    /// The form in headers.
    pub fn code(self) -> u8 {
        self.digits + if self.is_trimmed { TRIMMED } else { 0 }
    }

    /// The form that has this code.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] for a code without a form.
    pub fn of_code(code: u8) -> Result<Self> {
        let digits = code % TRIMMED;
        if code >= 2 * TRIMMED || usize::from(digits) > MOST_DIGITS {
            return Err(Error::corrupt(format!("numbers of an unknown form {code}")));
        }
        Ok(Self {
            digits,
            is_trimmed: code >= TRIMMED,
        })
    }

    /// The number of this form that is written as `numeral`, as an integer.
    #[inline]
    pub fn number(self, numeral: &Numeral) -> Option<i64> {
        let decimal = numeral.decimal?;
        let missing = self.digits.checked_sub(decimal.scale)?;
        if !self.is_trimmed {
            return (missing == 0).then_some(decimal.mantissa);
        }
        let power = 10_i64.pow(missing.into());
        let scaled = decimal.mantissa.checked_mul(power);
        scaled.filter(|_| !is_padded(decimal))
    }

    /// Appends a number.
    #[inline]
    pub fn print(self, number: i64, out: &mut Vec<u8>) {
        print_decimal(number, self.digits as i8, out);
        if self.is_trimmed && self.digits > 0 {
            let is_zero = |byte: &&u8| **byte == b'0';
            let zeros = out
                .iter()
                .rev()
                .take(self.digits.into())
                .take_while(is_zero);
            out.truncate(out.len() - zeros.count());
            out.pop_if(|last| *last == b'.');
        }
    }
}

impl fmt::Display for NumeralForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { digits: 0, .. } => f.write_str("%d"),
            Self { digits, is_trimmed } => {
                let up_to = if *is_trimmed { "0-" } else { "" };
                write!(f, "%.{up_to}{digits}f")
            }
        }
    }
}

/// True if the last digit is a zero after the point.
fn is_padded(decimal: Decimal) -> bool {
    decimal.scale > 0 && decimal.mantissa % 10 == 0
}

/// Counts numbers by their digits after the point, to find the form of most of them.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Numbers whose last digit is not a zero after the point.
    trimmed: [usize; MOST_DIGITS + 1],
    /// Numbers whose last digit is.
    padded: [usize; MOST_DIGITS + 1],
}

/// One number in this many may have more digits than a trimmed form, since each takes as many as the longest.
const NUMBERS_PER_EXCEPTION: usize = 200;

impl Tally {
    pub fn add(&mut self, numeral: &Numeral) {
        if let Some(decimal) = numeral.decimal {
            let counts = if is_padded(decimal) {
                &mut self.padded
            } else {
                &mut self.trimmed
            };
            counts[usize::from(decimal.scale)] += 1;
        }
    }

    /// The form that suits the most numbers.
    pub fn form(&self) -> NumeralForm {
        let all: usize = self.trimmed.iter().sum();
        let of_digits = |digits: &usize| self.trimmed[*digits] + self.padded[*digits];
        // Of equally good ones, the first.
        let fixed = (0..=MOST_DIGITS).rev().max_by_key(of_digits).unwrap_or(0);
        let mut left = all;
        let trimmed = (0..=MOST_DIGITS).find(|digits| {
            left -= self.trimmed[*digits];
            left <= all / NUMBERS_PER_EXCEPTION
        });
        let is_trimmed = all - left > of_digits(&fixed);
        let digits = trimmed.filter(|_| is_trimmed).unwrap_or(fixed);
        NumeralForm {
            digits: digits as u8,
            is_trimmed,
        }
    }
}
