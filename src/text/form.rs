//! Text forms: how the values of a column are written, beyond what their type implies.
//!
//! The form is stored in the metadata of the Arrow field under [`FORM`], and the word for null under [`NULL`]. Without
//! them, a column is printed in the default form of its type.

use std::fmt;
use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};

use super::print::ScientificFormat;
use super::time::{Pattern, TimeKind};
use crate::schema::keys::{FORM, NULL};
use crate::schema::offset_of;

/// The null word of a column in which every empty cell is null, quoted or not.
pub const QUOTED_EMPTY: &str = "\"\"";
/// Prefix of the form of numbers written with a decimal comma; the form of the same numbers with a point follows.
pub const COMMA: &str = ",";
/// The form of upper-case UUIDs.
pub const UPPER: &str = "upper";

/// The two words of a bool column.
#[derive(Debug, PartialEq, Eq)]
pub struct BoolLiterals {
    /// The name of the form, such as `True/False`.
    pub name: &'static str,
    /// The words for true and false, in this order.
    pub words: [&'static str; 2],
}

macro_rules! bool_literals {
    ($($yes:literal / $no:literal),*) => {
        [$(BoolLiterals { name: concat!($yes, "/", $no), words: [$yes, $no] }),*]
    };
}

/// All pairs. No word occurs in two of them. The first is the default.
pub static BOOL_LITERALS: [BoolLiterals; 16] = bool_literals![
    "true" / "false",
    "True" / "False",
    "TRUE" / "FALSE",
    "T" / "F",
    "t" / "f",
    "yes" / "no",
    "Yes" / "No",
    "YES" / "NO",
    "Y" / "N",
    "y" / "n",
    "on" / "off",
    "On" / "Off",
    "ON" / "OFF",
    ".T." / ".F.",
    ".true." / ".false.",
    ".TRUE." / ".FALSE."
];

impl BoolLiterals {
    /// The pair that contains the word, and its value.
    pub fn of(word: &[u8]) -> Option<(&'static Self, bool)> {
        if word.len() > 7 {
            return None;
        }
        let is = |text: &str| text.as_bytes() == word;
        let pair = BOOL_LITERALS
            .iter()
            .find(|pair| pair.words.iter().any(|w| is(w)))?;
        Some((pair, is(pair.words[0])))
    }

    /// The pair with the given name.
    pub fn parse(name: &str) -> Option<&'static Self> {
        BOOL_LITERALS.iter().find(|pair| pair.name == name)
    }

    /// The value of a word.
    #[inline]
    pub fn read(&self, word: &[u8]) -> Option<bool> {
        match word {
            word if word == self.words[0].as_bytes() => Some(true),
            word if word == self.words[1].as_bytes() => Some(false),
            _ => None,
        }
    }

    /// True for words of one letter, such as `T` and `F`. If a column has only one of the two, it is more likely a
    /// code, so such a column must contain both.
    pub fn is_weak(&self) -> bool {
        self.words[0].len() == 1
    }

    /// Appends the word.
    #[inline]
    pub fn print(&self, value: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(self.words[usize::from(!value)].as_bytes());
    }
}

/// A form of a type whose values fit in eight bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum TextForm {
    /// Bools, 1 and 0, as words.
    Bool(&'static BoolLiterals),
    /// Integers padded with zeros to this many digits.
    Padded(u8),
    /// Doubles, as their bits.
    Scientific(ScientificFormat),
    /// Dates, times and timestamps, all with the same offset.
    Time {
        /// The pattern.
        pattern: Arc<Pattern>,
        /// Seconds ahead of UTC.
        offset: i32,
    },
}

/// The most digits that always fit in an i64.
pub const MOST_PADDED: usize = 18;

impl TextForm {
    /// Parses a cell, if it prints back exactly.
    #[inline]
    pub fn read(&self, cell: &[u8]) -> Option<i64> {
        match self {
            Self::Bool(words) => words.read(cell).map(i64::from),
            Self::Padded(width) => {
                if cell.len() != usize::from(*width) {
                    return None;
                }
                let mut value = 0;
                for byte in cell {
                    let digit = byte.wrapping_sub(b'0');
                    if digit > 9 {
                        return None;
                    }
                    value = value * 10 + i64::from(digit);
                }
                Some(value)
            }
            Self::Scientific(form) => Some(form.read(cell)?.to_bits().cast_signed()),
            Self::Time { pattern, offset } => pattern.read(cell, *offset),
        }
    }

    /// Appends the original cell.
    pub fn print(&self, value: i64, out: &mut Vec<u8>) {
        match self {
            Self::Bool(words) => words.print(value != 0, out),
            Self::Padded(width) => print_padded(value, *width, out),
            Self::Scientific(form) => form.print(f64::from_bits(value.cast_unsigned()), out),
            Self::Time { pattern, offset } => pattern.print(value, pattern.unit(), *offset, out),
        }
    }

    /// The forms of times with an optional fraction of a second that differ from this one in nothing else.
    pub fn with_optional_fractions(&self) -> Vec<Self> {
        let Self::Time { pattern, offset } = self else {
            return Vec::new();
        };
        let form = |pattern: Pattern| Self::Time {
            pattern: Arc::new(pattern.with_offset(*offset)),
            offset: *offset,
        };
        pattern.with_optional_fractions().map(form).collect()
    }

    /// True if JSON can represent the form only as a string.
    pub fn is_string_in_json(&self) -> bool {
        matches!(self, Self::Time { .. })
    }

    /// True if this is the default form of its type, which needs no metadata.
    pub fn is_default(&self) -> bool {
        match self {
            Self::Bool(words) => **words == BOOL_LITERALS[0],
            Self::Padded(_) | Self::Scientific(_) => false,
            Self::Time { pattern, .. } => {
                default_pattern(&self.data_type()) == Some(pattern.text())
            }
        }
    }

    /// The Arrow type of the values.
    pub fn data_type(&self) -> DataType {
        match self {
            Self::Bool(_) => DataType::Boolean,
            Self::Padded(_) => DataType::Int64,
            Self::Scientific(_) => DataType::Float64,
            Self::Time { pattern, offset } => match (pattern.kind(), pattern.unit()) {
                (TimeKind::Date, _) => DataType::Date32,
                (TimeKind::Time, unit @ (TimeUnit::Second | TimeUnit::Millisecond)) => {
                    DataType::Time32(unit)
                }
                (TimeKind::Time, unit) => DataType::Time64(unit),
                (TimeKind::Timestamp, unit) => {
                    let zone = if pattern.is_utc() {
                        Some("UTC".into())
                    } else {
                        pattern.has_offset().then(|| zone(*offset).into())
                    };
                    DataType::Timestamp(unit, zone)
                }
            },
        }
    }
}

/// The default pattern of dates, times and timestamps.
pub fn default_pattern(data_type: &DataType) -> Option<&'static str> {
    Some(match data_type {
        DataType::Date32 => "%Y-%m-%d",
        DataType::Time32(TimeUnit::Second) => "%H:%M:%S",
        DataType::Time32(_) | DataType::Time64(_) => "%H:%M:%S%.f",
        DataType::Timestamp(TimeUnit::Second, None) | DataType::Date64 => "%Y-%m-%dT%H:%M:%S",
        DataType::Timestamp(_, None) => "%Y-%m-%dT%H:%M:%S%.f",
        DataType::Timestamp(_, Some(_)) => "%Y-%m-%dT%H:%M:%S%.fZ",
        _ => return None,
    })
}

impl fmt::Display for TextForm {
    /// The form as written in metadata.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(words) => f.write_str(words.name),
            Self::Padded(width) => write!(f, "%0{width}d"),
            Self::Scientific(form) => form.fmt(f),
            Self::Time { pattern, .. } => f.write_str(pattern.text()),
        }
    }
}

/// The pattern of dates or times that have a form of their own, and their seconds ahead of UTC. `data_type` is that of
/// the values, if the field has a dictionary.
pub fn time_form(field: &Field, data_type: &DataType) -> Option<(Arc<Pattern>, i32)> {
    let offset = offset_of(data_type);
    let pattern = Arc::new(form_of(field).and_then(Pattern::compile)?);
    let form = TextForm::Time {
        pattern: Arc::clone(&pattern),
        offset,
    };
    (form.data_type() == *data_type).then_some((pattern, offset))
}

/// Appends an integer, padded with zeros to at least `width` digits.
pub fn print_padded(value: i64, width: u8, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value.unsigned_abs()).as_bytes();
    let zeros = usize::from(width).saturating_sub(digits.len() + usize::from(value < 0));
    out.resize(out.len() + zeros, b'0');
    out.extend_from_slice(digits);
}

/// The width in a form such as `%05d`.
pub fn parse_padded(form: &str) -> Option<u8> {
    form.strip_prefix("%0")?.strip_suffix('d')?.parse().ok()
}

/// Arrow's name for a fixed offset: `+02:00`.
fn zone(offset: i32) -> String {
    let minutes = offset.unsigned_abs() / 60;
    let sign = if offset < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Exchanges points and commas.
pub fn exchange_commas(number: &mut [u8]) {
    for byte in number {
        *byte = match *byte {
            b',' => b'.',
            b'.' => b',',
            other => other,
        };
    }
}

/// The form in a field's metadata.
pub fn form_of(field: &Field) -> Option<&str> {
    field.metadata().get(FORM).map(String::as_str)
}

/// The word for null in a field's metadata.
pub fn null_of(field: &Field) -> Option<&str> {
    field.metadata().get(NULL).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::offset_of_zone;

    #[test]
    fn no_word_is_ambiguous() {
        for pair in &BOOL_LITERALS {
            for (word, value) in pair.words.iter().zip([true, false]) {
                let (found, meaning) = BoolLiterals::of(word.as_bytes()).unwrap();
                assert_eq!((found.name, meaning), (pair.name, value));
            }
            assert_eq!(BoolLiterals::parse(pair.name).unwrap().name, pair.name);
        }
    }

    #[test]
    fn the_names_of_fixed_zones_are_read_back() {
        for offset in [0, 3600, -3600, 5 * 3600 + 1800, -(9 * 3600 + 1800)] {
            assert_eq!(offset_of_zone(&zone(offset)), Some(offset));
        }
    }

    #[test]
    fn padded_numbers_print_with_their_zeros() {
        let form = TextForm::Padded(5);
        for cell in ["00501", "99999", "00000"] {
            let mut out = Vec::new();
            form.print(form.read(cell.as_bytes()).unwrap(), &mut out);
            assert_eq!(out, cell.as_bytes());
        }
        for cell in ["0501", "000501", "-0501", "+0501", "0x501", ""] {
            assert_eq!(form.read(cell.as_bytes()), None);
        }
        assert_eq!(parse_padded(&form.to_string()), Some(5));
    }
}
