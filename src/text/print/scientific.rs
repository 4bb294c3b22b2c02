//! Numbers in scientific notation with a fixed number of digits, as C's `%e` prints them: `6.022140e+23`.
//!
//! `numpy.savetxt` uses `%.18e`, spreadsheets `%.2E`, Fortran's `ES` descriptors `%.NE`. See ISO C, 7.23.6.1.

use std::fmt;
use std::io::Write as _;

use super::float_format::print_word;
use super::print_integer;
use super::rounded::{Digits, MOST_DIGITS};

/// One digit, a point, a fixed number of digits, and an exponent with a sign and at least two digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScientificFormat {
    /// The number of digits after the point.
    decimals: u8,
    /// `E` instead of `e`.
    upper: bool,
}

/// More digits are never useful: the longest exact spelling of a double of everyday size has about as many.
const MOST_DECIMALS: u8 = 60;

/// An f64 preserves this many digits of a decimal.
const SAFE_DIGITS: u8 = 15;

/// Within these decimal exponents, doubles have their full precision.
const SAFE_EXPONENTS: std::ops::RangeInclusive<i32> = -300..=300;

/// The words for not a number, infinity and minus infinity, in lower and upper case.
const WORDS: [[&str; 3]; 2] = [["nan", "inf", "-inf"], ["NAN", "INF", "-INF"]];

/// A cell taken apart.
struct CellParts {
    form: ScientificFormat,
    exponent: i32,
    is_zero: bool,
}

impl CellParts {
    fn of(cell: &[u8]) -> Option<Self> {
        let number = cell.strip_prefix(b"-").unwrap_or(cell);
        let (first, rest) = number.split_first()?;
        let decimals = match rest {
            [b'.', rest @ ..] => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
            _ => 0,
        };
        let point = usize::from(decimals > 0);
        let (fraction, rest) = rest.split_at_checked(point + decimals)?;
        let [mark @ (b'e' | b'E'), sign @ (b'+' | b'-'), exponent @ ..] = rest else {
            return None;
        };
        let has_usual_len = match exponent {
            [_, _] => true,
            [first, _, _] => *first != b'0',
            _ => false,
        };
        let is_zero = *first == b'0';
        let all_digits = [*first].iter().chain(exponent).all(u8::is_ascii_digit);
        if !has_usual_len || !all_digits || decimals > usize::from(MOST_DECIMALS) {
            return None;
        }
        let exponent = exponent
            .iter()
            .fold(0, |all, byte| all * 10 + i32::from(byte - b'0'));
        // Only zero begins with zero.
        if is_zero && (exponent != 0 || fraction.iter().any(|&byte| (b'1'..=b'9').contains(&byte)))
        {
            return None;
        }
        Some(Self {
            form: ScientificFormat {
                decimals: decimals as u8,
                upper: *mark == b'E',
            },
            exponent: if *sign == b'-' { -exponent } else { exponent },
            is_zero,
        })
    }
}

impl ScientificFormat {
    /// The form of a cell.
    pub fn of(cell: &[u8]) -> Option<Self> {
        CellParts::of(cell).map(|parts| parts.form)
    }

    /// The form with this name: `%.6e`.
    pub fn parse(name: &str) -> Option<Self> {
        let (decimals, mark) = name
            .strip_prefix("%.")?
            .split_at_checked(name.len().checked_sub(3)?)?;
        let form = Self {
            decimals: decimals
                .parse()
                .ok()
                .filter(|&decimals| decimals <= MOST_DECIMALS)?,
            upper: match mark {
                "e" => false,
                "E" => true,
                _ => return None,
            },
        };
        // `%.06e` is not a name.
        (form.to_string() == name).then_some(form)
    }

    /// Parses a cell, if it prints back exactly. Words in upper case are not read: a block of nothing else
    /// is text, since `NAN` may mean null.
    pub fn read(self, cell: &[u8]) -> Option<f64> {
        let Some(parts) = CellParts::of(cell) else {
            return match cell {
                b"nan" if !self.upper => Some(f64::NAN),
                b"inf" if !self.upper => Some(f64::INFINITY),
                b"-inf" if !self.upper => Some(f64::NEG_INFINITY),
                _ => None,
            };
        };
        if parts.form != self {
            return None;
        }
        let value: f64 = str::from_utf8(cell).ok()?.parse().ok()?;
        let is_safe = self.decimals < SAFE_DIGITS && SAFE_EXPONENTS.contains(&parts.exponent);
        if is_safe || parts.is_zero {
            return Some(value);
        }
        let mut printed = Vec::with_capacity(cell.len());
        self.print(value, &mut printed);
        (printed == cell).then_some(value)
    }

    /// Appends a double.
    pub fn print(self, value: f64, out: &mut Vec<u8>) {
        if !value.is_finite() {
            let words = WORDS[usize::from(self.upper)];
            return print_word(words, value, out);
        }
        if value.is_sign_negative() {
            out.push(b'-');
        }
        let decimals = usize::from(self.decimals);
        let power = if u32::from(self.decimals) < MOST_DIGITS {
            let digits = Digits::of(value, u32::from(self.decimals) + 1);
            let (first, rest) = digits.as_bytes().split_at(1);
            out.extend_from_slice(first);
            if decimals > 0 {
                out.push(b'.');
                out.extend_from_slice(rest);
                out.resize(out.len() + decimals - rest.len(), b'0');
            }
            digits.power
        } else {
            let start = out.len();
            let magnitude = value.abs();
            // Writing to memory does not fail.
            let _ = write!(out, "{magnitude:.decimals$e}");
            let mark = out[start..].iter().rposition(|&byte| byte == b'e');
            let exponent = mark.map(|mark| out.split_off(start + mark));
            let exponent = exponent.and_then(|it| str::from_utf8(&it[1..]).ok()?.parse().ok());
            exponent.unwrap_or(0)
        };
        out.push(if self.upper { b'E' } else { b'e' });
        out.push(if power < 0 { b'-' } else { b'+' });
        if power.unsigned_abs() < 10 {
            out.push(b'0');
        }
        print_integer(power.unsigned_abs(), out);
    }
}

impl fmt::Display for ScientificFormat {
    /// The name in field metadata.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.upper { 'E' } else { 'e' };
        write!(f, "%.{}{mark}", self.decimals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn print(name: &str, value: f64) -> String {
        let mut out = Vec::new();
        ScientificFormat::parse(name)
            .unwrap()
            .print(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// As C and Python print it.
    #[test]
    fn numbers_print_as_in_c() {
        for (name, value, text) in [
            ("%.6e", 6.02214e23, "6.022140e+23"),
            ("%.0e", 100_000.0, "1e+05"),
            ("%.2E", -0.00123, "-1.23E-03"),
            ("%.3e", 0.0, "0.000e+00"),
            ("%.3e", -0.0, "-0.000e+00"),
            ("%.1e", 5e-324, "4.9e-324"),
            ("%.2e", 9.999, "1.00e+01"),
            // Ties go to the even digit of the exact value.
            ("%.0e", 2.5, "2e+00"),
            ("%.18e", 0.1, "1.000000000000000056e-01"),
            ("%.18e", 1.0 / 3.0, "3.333333333333333148e-01"),
            ("%.18e", 1e300, "1.000000000000000053e+300"),
            ("%.20e", 0.1, "1.00000000000000005551e-01"),
            ("%.4e", f64::NAN, "nan"),
            ("%.4E", f64::NEG_INFINITY, "-INF"),
        ] {
            assert_eq!(print(name, value), text);
            let form = ScientificFormat::parse(name).unwrap();
            // Few digits need not be those of the value that was printed.
            let back = form.read(text.as_bytes()).map(|read| print(name, read));
            assert_eq!(back.as_deref(), (name != "%.4E").then_some(text));
        }
    }

    #[test]
    fn other_spellings_are_not_read() {
        for cell in [
            "",
            "-",
            "e",
            "1",
            "1.5",
            "1e5",
            "1e+5",
            "1.e+05",
            "01.5e+05",
            "0.5e+05",
            "0.0e+01",
            "1.5e+005",
            "1.5e+1000",
            "1.5e05",
            "+1.5e+05",
            "1.5e+0",
            "1.5 e+05",
            "1,5e+05",
            "1.5e+0x",
            "x.5e+05",
            "Nan",
        ] {
            assert_eq!(ScientificFormat::of(cell.as_bytes()), None, "{cell}");
        }
        let form = ScientificFormat::parse("%.1e").unwrap();
        for cell in [
            "1.50e+05", "1.5E+05", "1.5e+400", "1.5e-400", "5.1e-324", "NAN",
        ] {
            assert_eq!(form.read(cell.as_bytes()), None, "{cell}");
        }
        for name in [
            "%.6f", "%.06e", "%.e", "%e", "%.61e", "%.6", "%.-1e", "%.+1e", "%.é", "é",
        ] {
            assert_eq!(ScientificFormat::parse(name), None, "{name}");
        }
    }

    proptest! {
        /// Rust prints all digits of the exact value, like C, but exponents without a plus sign and zeros.
        #[test]
        fn digits_are_those_of_the_standard_library(value: f64, decimals in 0..40_u8, upper: bool) {
            prop_assume!(value.is_finite());
            let form = ScientificFormat { decimals, upper };
            let name = form.to_string();
            prop_assert_eq!(ScientificFormat::parse(&name), Some(form));
            let width = usize::from(decimals);
            let expected = format!("{value:.width$e}");
            let (number, exponent) = expected.split_once('e').unwrap();
            let exponent: i32 = exponent.parse().unwrap();
            let expected = format!("{number}{}{exponent:+03}", if upper { 'E' } else { 'e' });
            let text = print(&name, value);
            prop_assert_eq!(&text, &expected);
            prop_assert_eq!(ScientificFormat::of(text.as_bytes()), Some(form));
            if let Some(read) = form.read(text.as_bytes()) {
                prop_assert_eq!(print(&name, read), text);
            } else {
                // Only numbers that round to infinity are not read.
                prop_assert!(value.abs() > 1e300, "{}", text);
            }
        }
    }
}
