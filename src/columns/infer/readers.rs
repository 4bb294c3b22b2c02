//! The readers of all types and text forms.
//!
//! One cell suggests the readers to try, and a reader gives up at the first cell that it would not print exactly. If
//! that cell is a word, it may mean null: then all cells with this word are skipped and the others are read again.

use std::sync::Arc;

use arrow_buffer::NullBuffer;

use super::{Spelling, bools, decimals, observe, string_values, unquoted_in_csv, validity};
use crate::columns::cast::not_finite;
use crate::columns::column::{Column, Floats, Numbers, Spelled, Values};
use crate::columns::span::{Cells, Span};
use crate::text::form::{BoolLiterals, MOST_PADDED, QUOTED_EMPTY, TextForm};
use crate::text::number::{Decimal, scan};
use crate::text::print::{FloatFormats, ScientificFormat};
use crate::text::time::{self, Pattern};
use crate::text::uuid;
use crate::text::wide::{WideDecimal, WideNumbers, scan_wide};

/// The narrowest column; `nulls` are the empty cells.
pub(super) fn read(cells: Cells<'_>, spelling: Spelling, nulls: Option<NullBuffer>) -> Column {
    let text = |nulls| Column::new(cells.len(), nulls, string_values(cells, spelling));
    match values(cells, spelling) {
        Ok(values) => Column::new(cells.len(), nulls, values),
        // A word and empty cells in one column cannot both be null.
        Err(row) if !spelling.json && nulls.is_none() => {
            beside_null_word(cells, row, spelling).unwrap_or_else(|| text(None))
        }
        Err(_) => text(nulls),
    }
}

/// The narrowest values of JSON, in which no word but `null` means null.
pub(super) fn json_values(cells: Cells<'_>, spelling: Spelling) -> Values {
    values(cells, spelling).unwrap_or_else(|_| string_values(cells, spelling))
}

/// The narrowest column if the cell that did not fit is a word for null.
fn beside_null_word(cells: Cells<'_>, row: usize, spelling: Spelling) -> Option<Column> {
    let text = cells.get(row);
    let word = null_word(text, spelling)?;
    let is_word = |cell: &[u8]| spelling.inner(cell) == spelling.inner(text);
    let other = cells.iter().find(|&cell| !is_word(cell))?;
    if !is_plausible(spelling.inner(other)) {
        return None;
    }
    let spans: Vec<Span> = cells
        .iter()
        .zip(cells.spans())
        .map(|(cell, span)| if is_word(cell) { Span::NULL } else { span })
        .collect();
    let cells = cells.with_spans(&spans);
    let values = values(cells, spelling).ok()?;
    // A column of `True` and `false` is not a bool with nulls.
    let is_bool = match &values {
        Values::Bool(_) => true,
        Values::Spelled(spelled) => matches!(spelled.form, TextForm::Bool(_)),
        _ => false,
    };
    if is_bool && BoolLiterals::of(word).is_some() {
        return None;
    }
    Some(Column {
        null_word: Some(word.to_vec()),
        ..Column::new(cells.len(), validity(cells), values)
    })
}

/// The word for null that the cell may be, in quotes or not; for an empty cell in quotes, [`QUOTED_EMPTY`].
fn null_word(cell: &[u8], spelling: Spelling) -> Option<&[u8]> {
    let word = spelling.inner(cell);
    if word.is_empty() && !cell.is_empty() {
        return Some(QUOTED_EMPTY.as_bytes());
    }
    // In quotes, an escape is no part of the word.
    let is_escape = |byte: &u8| word.len() < cell.len() && spelling.escape == Some(*byte);
    as_null_word(word).filter(|word| !word.iter().any(is_escape))
}

/// The cell if it looks like a word for null: short, without digits, and without characters that are special in CSV.
pub fn as_null_word(cell: &[u8]) -> Option<&[u8]> {
    let is_plain = |byte: &u8| byte.is_ascii_alphabetic() || b"-./\\#?*_<>() ".contains(byte);
    ((1..=12).contains(&cell.len()) && cell.iter().all(is_plain)).then_some(cell)
}

/// True if some reader might accept the cell.
fn is_plausible(cell: &[u8]) -> bool {
    matches!(cell, [b'0'..=b'9' | b'-', ..])
        || BoolLiterals::of(cell).is_some()
        || (cell.len() == 36 && cell[8] == b'-')
        || not_finite(cell).is_some()
        || !time::guess(cell).is_empty()
}

/// Reads all cells, or returns the row whose cell may be a word for null.
fn values(cells: Cells<'_>, spelling: Spelling) -> Result<Values, usize> {
    let first_row = cells.iter().position(|cell| !cell.is_empty()).unwrap_or(0);
    let raw = cells.get(first_row);
    let cell = spelling.inner(raw);
    let json_string = spelling.json && spelling.is_quoted(raw);
    // The reader that got furthest shows where the odd cell is.
    let mut furthest = first_row;
    let mut attempt = |result: Result<Values, usize>| match result {
        Ok(values) => Some(values),
        Err(row) => {
            furthest = furthest.max(row);
            None
        }
    };
    if cell.len() == 36 && cell[8] == b'-' && cell[13] == b'-' {
        let lower = uuids(cells, spelling, uuid::is_lowercase).map(Values::Uuids);
        let upper = || uuids(cells, spelling, uuid::is_uppercase).map(Values::UpperUuids);
        return attempt(lower).or_else(|| attempt(upper())).ok_or(furthest);
    }
    if !json_string {
        if let Some(values) = numbers(cells, cell, spelling, &mut attempt) {
            return Ok(values);
        }
        if let Some((words, _)) = BoolLiterals::of(cell) {
            let found = if words.name == "true/false" {
                bools(cells, spelling)
            } else {
                None
            };
            return found
                .or_else(|| attempt(words_of(cells, words, spelling)))
                .ok_or(furthest);
        }
    }
    if spelling.json && !json_string {
        return Err(furthest);
    }
    if cell.len() >= 20
        && cell[4] == b'-'
        && let Some(values) = attempt(timestamps(cells, spelling))
    {
        return Ok(values);
    }
    let patterns = time::guess(cell);
    let optional = patterns.iter().flat_map(Pattern::with_optional_fractions);
    for pattern in patterns.iter().cloned().chain(optional) {
        let Some(offset) = pattern.offset_of(cell) else {
            continue;
        };
        let form = TextForm::Time {
            pattern: Arc::new(pattern.with_offset(offset)),
            offset,
        };
        if let Some(values) = attempt(spelled(cells, form, spelling)) {
            return Ok(values);
        }
    }
    // If the first cell is `nan`, which reads as a number, but later cells are not numbers, `nan` is the word
    // for null.
    Err(match null_word(cells.get(furthest), spelling) {
        Some(_) => furthest,
        None => first_row,
    })
}

fn numbers(
    cells: Cells<'_>,
    first: &[u8],
    spelling: Spelling,
    attempt: &mut impl FnMut(Result<Values, usize>) -> Option<Values>,
) -> Option<Values> {
    let may_be_word = first.len() <= 9 && first.last().is_some_and(|byte| b"nNyfF".contains(byte));
    if !matches!(first, [b'0'..=b'9' | b'-', ..]) && !may_be_word {
        return None;
    }
    let (failed, decimals) = match decimals(cells, spelling) {
        Ok(numbers) => return Some(Values::Numbers(numbers)),
        Err(failed) => failed,
    };
    // Look for the word for null where the plainest reader failed.
    attempt(Err(failed));
    let cell = unquoted_in_csv(cells.get(failed), spelling);
    match cell {
        [b'0', b'0'..=b'9', ..] if !spelling.json => attempt(padded(cells, cell.len(), spelling)),
        _ => attempt(floats(cells, failed, decimals, spelling))
            .or_else(|| attempt(rounded(cells, failed, spelling)))
            .or_else(|| attempt(scientific(cells, spelling)))
            .or_else(|| attempt(wide(cells, spelling))),
    }
}

/// Doubles with the shortest digits, given the decimals before the first cell that is not a decimal.
fn floats(
    cells: Cells<'_>,
    failed: usize,
    decimals: Numbers,
    spelling: Spelling,
) -> Result<Values, usize> {
    let mut form = decimals.form;
    let mut forms = form.float_forms();
    if forms == FloatFormats::NONE {
        return Err(failed);
    }
    let before = decimals.into_floats();
    let mut values = Vec::with_capacity(cells.len());
    values.extend(before);
    for (row, (cell, wide)) in cells.iter_wide().enumerate().skip(failed) {
        if cell.is_empty() {
            values.push(0.0);
            continue;
        }
        let plain = unquoted_in_csv(cell, spelling);
        if plain.len() == cell.len()
            && let Some(decimal) = scan(cell, wide)
        {
            // Decimals are not printed one by one: `form` collects how they are written, and its forms count
            // at the end.
            observe(&mut form, decimal, cell);
            values.push(decimal.to_f64());
            continue;
        }
        let value: f64 = str::from_utf8(plain)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or(row)?;
        forms = forms.that_print(value, plain);
        if forms == FloatFormats::NONE || (spelling.json && !value.is_finite()) {
            return Err(row);
        }
        values.push(value);
    }
    forms = forms.and(form.float_forms());
    if forms == FloatFormats::NONE {
        return Err(failed);
    }
    Ok(Values::Floats(Floats { values, forms }))
}

/// Doubles rounded to a number of digits; `odd` is a row that is not a plain decimal.
fn rounded(cells: Cells<'_>, odd: usize, spelling: Spelling) -> Result<Values, usize> {
    let mut forms = FloatFormats::ROUNDED;
    let mut printed = Vec::with_capacity(32);
    let mut read = |row, cell, decimal: Option<Decimal>| {
        let plain = unquoted_in_csv(cell, spelling);
        let value: f64 = match decimal {
            Some(decimal) => decimal.to_f64(),
            None => str::from_utf8(plain)
                .ok()
                .and_then(|text| text.parse().ok())
                .ok_or(row)?,
        };
        forms = forms.filter(value, plain, &mut printed);
        // Among numbers, `nan` is the word for null.
        if forms == FloatFormats::NONE || value.is_nan() || (spelling.json && value.is_infinite()) {
            return Err(row);
        }
        Ok(value)
    };
    // Try this row first: most columns that get here have another type, and this row shows it.
    read(odd, cells.get(odd), None)?;
    let mut values = Vec::with_capacity(cells.len());
    for (row, (cell, wide)) in cells.iter_wide().enumerate() {
        values.push(if cell.is_empty() {
            0.0
        } else {
            read(row, cell, scan(cell, wide))?
        });
    }
    Ok(Values::Floats(Floats { values, forms }))
}

/// Doubles in scientific notation with a fixed number of digits. Among them, `nan` and `inf` are values.
fn scientific(cells: Cells<'_>, spelling: Spelling) -> Result<Values, usize> {
    let is_number = |cell: &&[u8]| cell.last().is_some_and(u8::is_ascii_digit);
    let plain = |cell| unquoted_in_csv(cell, spelling);
    let form = cells
        .iter()
        .map(plain)
        .find(is_number)
        .and_then(ScientificFormat::of);
    spelled(cells, TextForm::Scientific(form.ok_or(0_usize)?), spelling)
}

fn wide(cells: Cells<'_>, spelling: Spelling) -> Result<Values, usize> {
    let mut numbers = WideNumbers::default();
    for (row, cell) in cells.iter().enumerate() {
        let decimal = if cell.is_empty() {
            WideDecimal {
                mantissa: 0,
                scale: 0,
            }
        } else {
            scan_wide(unquoted_in_csv(cell, spelling)).ok_or(row)?
        };
        numbers.mantissas.push(decimal.mantissa);
        numbers.scales.push(decimal.scale);
    }
    Ok(Values::Wide(numbers))
}

fn padded(cells: Cells<'_>, width: usize, spelling: Spelling) -> Result<Values, usize> {
    if width > MOST_PADDED {
        return Err(0);
    }
    spelled(cells, TextForm::Padded(width as u8), spelling)
}

fn words_of(
    cells: Cells<'_>,
    words: &'static BoolLiterals,
    spelling: Spelling,
) -> Result<Values, usize> {
    spelled(cells, TextForm::Bool(words), spelling)
}

/// Cells that all print exactly in one form.
fn spelled(cells: Cells<'_>, form: TextForm, spelling: Spelling) -> Result<Values, usize> {
    let fits = fits_json(spelling, form.is_string_in_json());
    let text = |cell| Some(spelling.inner(cell)).filter(|_| fits(cell));
    let slots = match &form {
        // A loop of its own, since times are frequent.
        TextForm::Time { pattern, offset } => {
            cells.read(|cell| pattern.read(text(cell)?, *offset))?
        }
        form => cells.read(|cell| form.read(text(cell)?))?,
    };
    Ok(Values::Spelled(Spelled { slots, form }))
}

/// Timestamps in UTC, spelled as in RFC 3339 with `T` and `Z`.
fn timestamps(cells: Cells<'_>, spelling: Spelling) -> Result<Values, usize> {
    let fits = fits_json(spelling, true);
    let micros = cells.read(|cell| {
        time::parse_canonical_timestamp(spelling.inner(cell)).filter(|_| fits(cell))
    })?;
    Ok(Values::Timestamps(micros))
}

/// UUIDs in one case.
fn uuids(
    cells: Cells<'_>,
    spelling: Spelling,
    is_case: fn(&[u8]) -> bool,
) -> Result<Vec<[u8; 16]>, usize> {
    let fits = fits_json(spelling, true);
    cells.read(|cell| {
        let text = spelling.inner(cell);
        uuid::parse(text).filter(|_| is_case(text) && fits(cell))
    })
}

/// Returns a test of whether the quotes of a cell fit its type: JSON strings have quotes, other JSON values do not.
fn fits_json(spelling: Spelling, is_string: bool) -> impl Fn(&[u8]) -> bool {
    move |cell| !spelling.json || spelling.is_quoted(cell) == is_string
}
