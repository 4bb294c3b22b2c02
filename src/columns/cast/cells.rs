//! What a cell of CSV means in a column that is stored as text.
//!
//! If the cells of a column have several forms (`1.50`, `2.5`, `NaN`, `NA`), only text prints all of them exactly. Their
//! values are still wanted: by typed targets, by conditions on rows and by reports. All of them ask here.

use std::borrow::Cow;

use arrow_schema::Field;

use super::null_words::is_null_word;
use crate::schema::Type;
use crate::schema::keys::{
    BY_USER, CELLS, DECIMAL_COMMA, FIXED, has_decimal_comma, is_fixed, names_of_cells, with,
};
use crate::text::form::{COMMA, exchange_commas, form_of};
use crate::text::number::f64_of_digits;

/// The decimal mark of the numbers in a column.
#[derive(Clone, Copy, Debug)]
pub struct DecimalMark {
    /// True for a comma, false for a point.
    pub is_comma: bool,
}

impl DecimalMark {
    /// The mark in the text of a column.
    pub fn of(field: &Field) -> Self {
        let is_comma = |form: &str| form.starts_with(COMMA);
        Self {
            is_comma: has_decimal_comma(field) || form_of(field).is_some_and(is_comma),
        }
    }

    /// The cell with a decimal point, if it may be a number. A cell without digits may be a word for null.
    pub fn with_point(self, cell: &[u8]) -> Cow<'_, [u8]> {
        let has_mark = || memchr::memchr2(b',', b'.', cell).is_some();
        if !self.is_comma || !has_mark() || !cell.iter().any(u8::is_ascii_digit) {
            return Cow::Borrowed(cell);
        }
        let mut number = cell.to_vec();
        exchange_commas(&mut number);
        Cow::Owned(number)
    }
}

/// A cell that is a word with a meaning.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    /// Null.
    Null,
    /// NaN or an infinity. Among values that are not numbers, NaN means null.
    NotFinite(f64),
}

impl Word {
    /// The meaning of a cell, if it is such a word.
    pub fn of(cell: &[u8]) -> Option<Self> {
        // Most cells are numbers.
        if cell.len() > MAX_WORD || cell.iter().any(u8::is_ascii_digit) {
            return None;
        }
        let not_finite = || not_finite(cell).map(Self::NotFinite);
        not_finite().or_else(|| is_null_word(cell).then_some(Self::Null))
    }
}

/// The length of `-infinity`, which no word for null exceeds.
const MAX_WORD: usize = 9;

/// The double with the digits of a number, if there is one.
pub fn double(text: &[u8]) -> Option<f64> {
    f64_of_digits(str::from_utf8(text).ok()?)
}

/// NaN or an infinity in any of the usual spellings, such as `nan`, `-inf` and `Infinity`.
pub fn not_finite(text: &[u8]) -> Option<f64> {
    if text.len() > MAX_WORD || text.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let value: f64 = str::from_utf8(text).ok()?.parse().ok()?;
    Some(value).filter(|value| !value.is_finite())
}

/// The value of a word that can only mean NaN or an infinity, unlike `nan` and `inf`.
pub fn sure_word(text: &[u8]) -> Option<f64> {
    let sure = [
        &b"NaN"[..],
        b"Infinity",
        b"Inf",
        b"-Infinity",
        b"-Inf",
        b"-inf",
    ];
    not_finite(text).filter(|_| sure.contains(&text))
}

/// The value of a word for true or false that is common in CSV.
pub fn bool_word(text: &[u8]) -> Option<bool> {
    match text {
        b"true" | b"True" | b"TRUE" => Some(true),
        b"false" | b"False" | b"FALSE" => Some(false),
        _ => None,
    }
}

/// The column as text, with what is known about its cells.
pub fn text_field(of: &Field) -> Field {
    let text = Type::Utf8.field(of.name());
    match names_of_cells(of) {
        _ if is_fixed(of) => with(text, FIXED, BY_USER),
        Some(names) => with(text, CELLS, names),
        None if DecimalMark::of(of).is_comma => with(text, CELLS, DECIMAL_COMMA),
        None => text,
    }
}
