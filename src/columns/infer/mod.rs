//! Turns the cells of a block into a [`Column`] of the narrowest type that prints them exactly.
//!
//! All cells are read, never a sample. The first valid cell suggests a reader (module `readers`). A reader gives up at
//! the first cell that its type would not print exactly, and the next wider one starts over.

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};

use super::column::{Column, NumberForm, Numbers, Strings, Values};
use super::span::Cells;
use crate::text::json;
use crate::text::number::{Decimal, POW10, SHORT_DIGITS, scan};
use crate::text::print::{FloatFormats, append_first};

mod comma;
mod readers;
pub use readers::as_null_word;

/// How to interpret the bytes of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// True for JSON values, false for CSV cells.
    pub json: bool,
    /// The byte that opens a quoted cell or string, if there is one.
    pub quote: Option<u8>,
    /// The byte that may escape a quote inside a quoted CSV cell, instead of a second quote.
    pub escape: Option<u8>,
    /// True if the whole block is UTF-8.
    pub utf8: bool,
    /// Numbers have a decimal comma.
    pub comma: bool,
}

/// The narrowest column that prints every cell exactly.
pub fn infer(cells: Cells<'_>, spelling: Spelling) -> Column {
    let rows = cells.len();
    let nulls = validity(cells);
    if cells.iter().all(<[u8]>::is_empty) {
        return Column::null(rows);
    }
    if spelling.comma {
        return comma::infer(cells, spelling, nulls);
    }
    readers::read(cells, spelling, nulls)
}

/// The values of [`infer`] for JSON cells. At least one must not be null; the caller handles the nulls.
pub fn infer_values(cells: Cells<'_>, spelling: Spelling) -> Values {
    debug_assert!(spelling.json && !cells.iter().all(<[u8]>::is_empty));
    readers::json_values(cells, spelling)
}

/// All cells as text, whatever they look like; JSON values other than strings as JSON text.
pub fn strings(cells: Cells<'_>, spelling: Spelling) -> Column {
    Column::new(cells.len(), validity(cells), string_values(cells, spelling))
}

/// The values of [`strings`].
pub fn string_values(cells: Cells<'_>, spelling: Spelling) -> Values {
    if !spelling.json {
        return Values::Text(csv_text(cells, spelling));
    }
    match json_text(cells) {
        Some(text) => Values::Text(text),
        None => Values::Json(json_values(cells)),
    }
}

/// The valid rows; `None` if all are.
pub fn validity(cells: Cells<'_>) -> Option<NullBuffer> {
    let nulls = cells.spans().filter(|span| span.len == 0).count();
    if nulls == 0 {
        return None;
    }
    let bits = BooleanBuffer::collect_bool(cells.len(), |row| cells.span(row).len != 0);
    Some(NullBuffer::new(bits))
}

impl Spelling {
    /// True if the cell is in quotes.
    #[inline]
    pub fn is_quoted(self, cell: &[u8]) -> bool {
        cell.first().copied() == self.quote && self.quote.is_some()
    }

    /// The cell without its quotes. Doubled quotes and escapes remain; cells that contain them can only be text.
    #[inline]
    pub fn inner(self, cell: &[u8]) -> &[u8] {
        if self.is_quoted(cell) && cell.len() >= 2 && cell.last() == cell.first() {
            &cell[1..cell.len() - 1]
        } else {
            cell
        }
    }
}

fn bools(cells: Cells<'_>, spelling: Spelling) -> Option<Values> {
    let mut bits = BooleanBufferBuilder::new(cells.len());
    for cell in cells.iter() {
        match unquoted_in_csv(cell, spelling) {
            b"true" => bits.append(true),
            b"false" => bits.append(false),
            b"" if cell.is_empty() => bits.append(false),
            _ => return None,
        }
    }
    Some(Values::Bool(bits.finish()))
}

/// Removes quotes from CSV cells, where they do not affect the type. JSON values keep them, since quotes mark strings.
#[inline]
fn unquoted_in_csv(cell: &[u8], spelling: Spelling) -> &[u8] {
    if spelling.json {
        cell
    } else {
        spelling.inner(cell)
    }
}

/// All cells as decimals, or the first row that is not a decimal and the decimals before it.
fn decimals(cells: Cells<'_>, spelling: Spelling) -> Result<Numbers, (usize, Numbers)> {
    let rows = cells.len();
    // Cells without a value stay zero.
    let mut mantissas = vec![0; rows];
    let mut scales = vec![0; rows];
    let mut form = NumberForm::default();
    let mut failed = None;
    // In JSON, a value in quotes is a string, not a number.
    let quote = spelling.quote.filter(|_| !spelling.json);
    // Short numbers often repeat, and comparing with the previous cell is cheaper than parsing.
    let mut before = (0, Decimal::ZERO);
    let slots = mantissas.iter_mut().zip(&mut scales).enumerate();
    for ((mut cell, mut wide), (row, (mantissa, scale))) in cells.iter_wide().zip(slots) {
        if cell.is_empty() {
            continue;
        }
        let short = short_key(cell, wide);
        let decimal = if short == before.0 && short != 0 {
            before.1
        } else {
            let mut unquoted = [0; 16];
            if quote == Some(wide[0]) {
                cell = spelling.inner(cell);
                let head = cell.len().min(16);
                unquoted[..head].copy_from_slice(&cell[..head]);
                wide = &unquoted;
            }
            let Some(decimal) = scan(cell, wide) else {
                failed = Some(row);
                break;
            };
            observe(&mut form, decimal, cell);
            before = (short, decimal);
            decimal
        };
        (*mantissa, *scale) = (decimal.mantissa, decimal.scale);
    }
    mantissas.truncate(failed.unwrap_or(rows));
    scales.truncate(failed.unwrap_or(rows));
    let numbers = Numbers {
        mantissas,
        scales,
        form,
    };
    match failed {
        None => Ok(numbers),
        Some(row) => Err((row, numbers)),
    }
}

/// A key for cells of one to seven bytes; different cells have different keys. 0 for all other cells.
#[inline]
fn short_key(cell: &[u8], wide: &[u8; 16]) -> u64 {
    let len = cell.len();
    if !(1..8).contains(&len) {
        return 0;
    }
    let bytes = u128::from_le_bytes(*wide) as u64 & (u64::MAX >> (64 - 8 * len));
    bytes | (len as u64) << 56
}

/// Updates `form` with the spelling of a number. Only a number that is very small or has more than 15 digits is
/// compared with its f64: all others are the shortest form of their f64, apart from zeros at the end.
#[inline]
fn observe(form: &mut NumberForm, decimal: Decimal, cell: &[u8]) {
    let Decimal { mantissa, scale } = decimal;
    let mut tiny = false;
    if scale == 0 {
        form.has_bare_integer = true;
    } else {
        form.has_fraction = true;
        let ends_in_zero = cell[cell.len() - 1] == b'0';
        form.has_trailing_zero |= scale > 1 && ends_in_zero;
        form.has_point_zero |= scale == 1 && ends_in_zero;
        // Below 1e-4 some forms have an exponent.
        tiny = scale > 4 && (mantissa.unsigned_abs() as f64) < POW10[usize::from(scale) - 4];
    }
    // An f64 preserves up to 15 digits.
    if tiny || mantissa.unsigned_abs() >= SHORT_DIGITS {
        observe_rare(form, decimal, cell);
    }
}

#[cold]
fn observe_rare(form: &mut NumberForm, decimal: Decimal, cell: &[u8]) {
    // Once the shortest digits are ruled out, there is nothing more to check.
    if form.not_f64 {
        return;
    }
    // Most fractions are spelled like their f64, so neither `not_f64` nor `misfits` changes.
    if decimal.scale > 0 && FloatFormats::surely_print(decimal.to_f64(), cell) {
        return;
    }
    form.not_f64 = !decimal.fits_f64();
    // All forms print such an integer alike, as long as they show all its digits.
    if decimal.scale == 0 {
        return;
    }
    let fits = FloatFormats::SHORTEST
        .without(form.misfits)
        .that_print(decimal.to_f64(), cell);
    form.misfits = FloatFormats::SHORTEST.without(fits);
}

fn csv_text(cells: Cells<'_>, spelling: Spelling) -> Strings {
    let bytes: usize = cells.spans().map(|span| span.len as usize).sum();
    let mut strings = Strings::with_capacity(cells.len(), bytes + 16);
    for (cell, wide) in cells.iter_wide() {
        if spelling.is_quoted(cell) {
            crate::text::quote::unquote(cell, spelling.escape, &mut strings.data);
        } else if cell.len() <= wide.len() {
            append_first(wide, cell.len(), &mut strings.data);
        } else {
            strings.data.extend_from_slice(cell);
        }
        strings.end_row();
    }
    strings.utf8 = spelling.utf8
        || strings
            .iter()
            .all(|text| simdutf8::basic::from_utf8(text).is_ok());
    strings
}

/// `None` if a cell is not a string, or contains half a surrogate pair, which UTF-8 cannot represent.
fn json_text(cells: Cells<'_>) -> Option<Strings> {
    let bytes: usize = cells.spans().map(|span| span.len as usize).sum();
    let mut strings = Strings::with_capacity(cells.len(), bytes + 16);
    for (cell, wide) in cells.iter_wide() {
        match cell {
            [] => {}
            [b'"', inside @ .., _] if cell.len() <= wide.len() && !has_backslash(wide) => {
                append_first(&wide[1..], inside.len(), &mut strings.data);
            }
            [b'"', inside @ .., _] => json::unescape(inside, &mut strings.data)?,
            _ => return None,
        }
        strings.end_row();
    }
    Some(strings)
}

/// True if one of the bytes is a backslash.
#[inline]
fn has_backslash(bytes: &[u8; 16]) -> bool {
    // No early exit, so that this becomes vector instructions.
    let found = bytes
        .iter()
        .fold(0, |found, &byte| found | u8::from(byte == b'\\'));
    found != 0
}

fn json_values(cells: Cells<'_>) -> Strings {
    let mut strings =
        Strings::with_capacity(cells.len(), cells.spans().map(|s| s.len as usize).sum());
    for cell in cells.iter() {
        json::compact(cell, &mut strings.data);
        strings.end_row();
    }
    strings
}
