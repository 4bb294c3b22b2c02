//! Prints floats the way other programs do.
//!
//! Most programs print the shortest digits that read back as the same double. They differ in how an integral value
//! looks, where exponents start, how these are written, and in the words for values that are not finite. Sources:
//! ECMA-262, `Number::toString`, Python's `float.__repr__`, Rust's `Debug` and `Display` of `f64`, Go's
//! `strconv.FormatFloat(x, 'g', -1, 64)` as `fmt` calls it, and the crate `ryu`.
//!
//! Others round to a fixed number of digits, like C's `printf` (ISO C, 7.23.6.1, `%g`); the library jsoncpp uses
//! `%.17g` and appends `.0` to integral values.
//!
//! Field metadata uses the names in [`STYLES`].

use super::float::{print_double, print_millionths};
use super::print_integer;
use super::rounded::Digits;
use crate::text::number::Number;

/// A way to print doubles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat(u8);

/// A set of [`FloatFormat`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatFormats(u16);

struct Style {
    name: &'static str,
    /// Number of digits to round to; 0 for the shortest digits.
    digits: u32,
    /// `2`, not `2.0`.
    bare: bool,
    /// Numbers with a decimal exponent of at least `.0` and less than `.1` are printed without `e`.
    plain: (i32, i32),
    exponent: Exponent,
    /// Of two shortest spellings that are equally close, use the greater instead of the even one.
    ties_up: bool,
    /// The words for not a number, infinity and minus infinity.
    words: [&'static str; 3],
}

#[derive(Clone, Copy)]
enum Exponent {
    /// `e+16`, `e-7`.
    Signed,
    /// `e16`, `e-7`.
    Short,
    /// `e+16`, `e-07`.
    TwoDigits,
}

const LONG_WORDS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// Below this, every integral double fits in an i64, and all forms with the shortest digits print it without exponent.
const PLAIN: f64 = 1e15;

/// True if the value is an integer that fits in an i64.
#[inline]
#[expect(clippy::float_cmp, reason = "the difference of one bit counts")]
fn is_whole(value: f64) -> bool {
    value == (value as i64) as f64
}

/// True if all forms with the shortest digits print the value alike.
fn is_ordinary(value: f64) -> bool {
    (1e-4..PLAIN).contains(&value.abs()) && !is_whole(value)
}

/// Forms with the shortest digits come first.
const SHORTEST: usize = 7;

/// The style of Rust and its crate `ryu`.
const fn short(name: &'static str) -> Style {
    Style {
        name,
        exponent: Exponent::Short,
        words: ["NaN", "inf", "-inf"],
        ..DEFAULT
    }
}

/// C's `%g`: no exponent is printed if it is at least -4 and less than the number of digits.
const fn printf(name: &'static str, digits: u32) -> Style {
    Style {
        name,
        digits,
        bare: true,
        plain: (-4, digits as i32),
        exponent: Exponent::TwoDigits,
        words: ["nan", "inf", "-inf"],
        ..DEFAULT
    }
}

/// The style of [`print_double`].
const DEFAULT: Style = Style {
    name: "",
    digits: 0,
    bare: false,
    plain: (-5, 16),
    exponent: Exponent::Signed,
    ties_up: false,
    words: LONG_WORDS,
};

/// In order of preference.
const STYLES: [Style; 12] = [
    DEFAULT,
    Style {
        name: "javascript",
        bare: true,
        plain: (-6, 21),
        ..DEFAULT
    },
    Style {
        name: "python",
        plain: (-4, 16),
        exponent: Exponent::TwoDigits,
        words: ["nan", "inf", "-inf"],
        ..DEFAULT
    },
    Style {
        plain: (-4, 16),
        ties_up: true,
        ..short("rust")
    },
    short("ryu"),
    Style {
        name: "go",
        bare: true,
        plain: (-4, 21),
        exponent: Exponent::TwoDigits,
        words: ["NaN", "+Inf", "-Inf"],
        ..DEFAULT
    },
    Style {
        bare: true,
        plain: (i32::MIN, i32::MAX),
        ties_up: true,
        ..short("plain")
    },
    printf("%g", 6),
    printf("%.15g", 15),
    printf("%.16g", 16),
    printf("%.17g", 17),
    Style {
        bare: false,
        words: LONG_WORDS,
        ..printf("jsoncpp", 17)
    },
];

impl FloatFormat {
    /// The form of [`super::print_double`].
    pub const DEFAULT: Self = Self(0);

    /// Every form.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..STYLES.len() as u8).map(Self)
    }

    /// The name in field metadata; empty for the default.
    pub fn name(self) -> &'static str {
        self.style().name
    }

    /// The form with the given name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|form| form.name() == name)
    }

    fn style(self) -> &'static Style {
        &STYLES[usize::from(self.0)]
    }

    /// True if it prints the shortest digits that read back as the same double.
    pub fn has_shortest_digits(self) -> bool {
        usize::from(self.0) < SHORTEST
    }

    /// True if it prints 2 as `2`.
    pub fn is_bare(self) -> bool {
        self.style().bare
    }

    /// Appends a double. Unlike in JavaScript, zero keeps its sign.
    #[inline]
    pub fn print(self, value: f64, out: &mut Vec<u8>) {
        if !self.has_shortest_digits() {
            return self.style().print_rounded(value, out);
        }
        let style = self.style();
        // All forms with the shortest digits print such values alike, except that some print integers without a point.
        let magnitude = value.abs();
        if (magnitude >= 1e-4 || magnitude == 0.0) && print_millionths(value, style.bare, out) {
            return;
        }
        if self == Self::DEFAULT || is_ordinary(value) {
            let start = out.len();
            print_double(value, out);
            if style.ties_up && is_tie(value, &out[start..]) {
                round_up(out);
            }
            return;
        }
        let whole = value as i64;
        if value.abs() < PLAIN && is_whole(value) {
            if value.is_sign_negative() && whole == 0 {
                out.push(b'-');
            }
            print_integer(whole, out);
            if !style.bare {
                out.extend_from_slice(b".0");
            }
        } else {
            style.print_shortest(value, out);
        }
    }
}

impl Style {
    #[cold]
    fn print_shortest(&self, value: f64, out: &mut Vec<u8>) {
        if !value.is_finite() {
            return print_word(self.words, value, out);
        }
        let mut buffer = zmij::Buffer::new();
        let spelled = buffer.format_finite(value.abs());
        let (mut digits, power) = digits(spelled);
        if self.ties_up && is_tie(value, spelled.as_bytes()) {
            round_up(&mut digits);
        }
        self.lay_out(value.is_sign_negative(), &digits, power, out);
    }

    fn print_rounded(&self, value: f64, out: &mut Vec<u8>) {
        if !value.is_finite() {
            return print_word(self.words, value, out);
        }
        let digits = Digits::of(value, self.digits);
        let negative = value.is_sign_negative();
        self.lay_out(negative, digits.as_bytes(), digits.power, out);
    }

    /// Appends digits; the first one has the weight `10^power`.
    #[inline]
    fn lay_out(&self, negative: bool, digits: &[u8], power: i32, out: &mut Vec<u8>) {
        if negative {
            out.push(b'-');
        }
        if power < self.plain.0 || power >= self.plain.1 {
            return self.lay_out_with_exponent(digits, power, out);
        }
        if power < 0 {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + power.unsigned_abs() as usize - 1, b'0');
            return out.extend_from_slice(digits);
        }
        let before = power as usize + 1;
        if digits.len() > before {
            out.extend_from_slice(&digits[..before]);
            out.push(b'.');
            out.extend_from_slice(&digits[before..]);
        } else {
            out.extend_from_slice(digits);
            out.resize(out.len() + before - digits.len(), b'0');
            if !self.bare {
                out.extend_from_slice(b".0");
            }
        }
    }

    #[cold]
    fn lay_out_with_exponent(&self, digits: &[u8], power: i32, out: &mut Vec<u8>) {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.push(b'e');
        match (self.exponent, power < 0) {
            (_, true) => out.push(b'-'),
            (Exponent::Short, false) => {}
            (Exponent::Signed | Exponent::TwoDigits, false) => out.push(b'+'),
        }
        if matches!(self.exponent, Exponent::TwoDigits) && power.unsigned_abs() < 10 {
            out.push(b'0');
        }
        print_integer(power.unsigned_abs(), out);
    }
}

/// Appends the word for a value that is not finite, out of those for not a number, infinity and minus infinity.
#[cold]
pub(super) fn print_word(words: [&str; 3], value: f64, out: &mut Vec<u8>) {
    let word = if value.is_nan() {
        0
    } else {
        1 + usize::from(value < 0.0)
    };
    out.extend_from_slice(words[word].as_bytes());
}

/// True if the spelling with the last digit increased by one is equally close to the value.
///
/// No two decimals of 15 digits read as the same double, so usually the length alone decides. At a tie, the value
/// has exactly one digit more than its shortest spelling, so at most 18. With 26 binary digits after the point, its
/// digits would be a multiple of 5^26, which has 19 digits, so there are fewer binary digits.
#[inline]
fn is_tie(value: f64, spelled: &[u8]) -> bool {
    const BITS_25: f64 = (1 << 25) as f64;

    spelled.len() > 15 && (value * BITS_25).fract() == 0.0 && is_long_tie(value, spelled)
}

#[cold]
fn is_long_tie(value: f64, spelled: &[u8]) -> bool {
    /// Far more digits than a value halfway between two decimals of 16 or 17 digits has.
    const DIGITS: usize = 60;

    let Ok(spelled) = str::from_utf8(spelled) else {
        return false;
    };
    let (shortest, power) = digits(spelled.trim_start_matches('-'));
    let (exact, exact_power) = digits(&format!("{:.DIGITS$e}", value.abs()));
    let rest = exact.strip_prefix(&shortest[..]);
    power == exact_power && rest == Some(b"5")
}

/// Adds one to the last digit, which is even at a tie.
fn round_up(digits: &mut [u8]) {
    if let Some(last) = digits.last_mut() {
        *last += 1;
    }
}

/// The significant digits of a spelling of a number other than zero, and the power of ten of the first one.
fn digits(text: &str) -> (Vec<u8>, i32) {
    let number = Number::read(text.as_bytes());
    number.map_or_else(Default::default, |number| {
        (number.digits().collect(), number.top as i32)
    })
}

impl FloatFormats {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// All forms.
    pub const ALL: Self = Self((1 << STYLES.len()) - 1);
    /// The forms with the shortest digits.
    pub const SHORTEST: Self = Self((1 << SHORTEST) - 1);
    /// The forms that round to a number of digits.
    pub const ROUNDED: Self = Self(Self::ALL.0 & !Self::SHORTEST.0);
    /// The forms that print 2 as `2`.
    pub const BARE: Self = {
        let mut bits = 0;
        let mut at = 0;
        while at < STYLES.len() {
            bits |= (STYLES[at].bare as u16) << at;
            at += 1;
        }
        Self(bits)
    };

    /// Only the default form.
    pub const DEFAULT: Self = Self(1);

    /// True if the set contains the form.
    pub fn has(self, form: FloatFormat) -> bool {
        self.0 >> form.0 & 1 == 1
    }

    /// Union.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Intersection.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Difference.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The preferred form of the set.
    pub fn first(self) -> Option<FloatFormat> {
        FloatFormat::all().find(|&form| self.has(form))
    }

    /// The forms that print `value` as `cell`.
    #[must_use]
    pub fn that_print(self, value: f64, cell: &[u8]) -> Self {
        let mut printed = Vec::with_capacity(32);
        let rounded = self.and(Self::ROUNDED);
        let fits = rounded.filter(value, cell, &mut printed);
        let shortest = self.and(Self::SHORTEST);
        if is_ordinary(value) {
            printed.clear();
            print_double(value, &mut printed);
            if !is_tie(value, &printed) {
                return if printed == cell {
                    fits.or(shortest)
                } else {
                    fits
                };
            }
        }
        fits.or(shortest.filter(value, cell, &mut printed))
    }

    /// True if a quick check shows that all of [`Self::SHORTEST`] print the value as this cell. False if in doubt.
    pub fn surely_print(value: f64, cell: &[u8]) -> bool {
        let mut buffer = zmij::Buffer::new();
        is_ordinary(value) && {
            let printed = buffer.format_finite(value).as_bytes();
            printed == cell && !is_tie(value, printed)
        }
    }

    /// [`Self::that_print`] by trying one form after the other; `printed` is a scratch buffer.
    #[must_use]
    pub fn filter(self, value: f64, cell: &[u8], printed: &mut Vec<u8>) -> Self {
        let mut left = self.0;
        let mut fits = 0;
        while left != 0 {
            let form = FloatFormat(left.trailing_zeros() as u8);
            left &= left - 1;
            printed.clear();
            form.print(value, printed);
            if printed == cell {
                fits |= 1 << form.0;
            }
        }
        Self(fits)
    }
}

#[cfg(test)]
mod tests;
