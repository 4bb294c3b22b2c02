//! Reads the first record, and notes what is odd about it as a header.

use super::split::{CellEnd, CellWalk, cut, split};
use super::{CsvOptions, Punctuation};
use crate::columns::column::Values;
use crate::columns::infer::{Spelling, infer};
use crate::columns::span::{Cells, Span, Spot, TextBlock};
use crate::error::{Error, Result};
use crate::format::input::TextWindow;
use crate::format::read::ByteSource;
use crate::text::form::TextForm;
use crate::text::time::TimeKind;
use crate::units::shortened;

/// Number of records after the first one that it is compared with.
const COMPARED: usize = 100;

/// Number of characters of the first record to show.
const SHOWN: usize = 40;

/// The cells and the end of the first record that is not an empty line.
///
/// # Errors
/// If the input cannot be read, or a quote is never closed.
pub(super) fn first_record(
    input: &mut TextWindow<ByteSource>,
    punctuation: Punctuation,
    flexible: bool,
) -> Result<(Vec<Vec<u8>>, usize)> {
    loop {
        let found = cut(input.text(), punctuation, Some(1), true);
        if found.is_some_and(|cut| cut.records == 1) || input.is_last() {
            break;
        }
        input.grow()?;
    }
    let text = input.text();
    let mut cells = Vec::new();
    let start = punctuation.end_of_skipped(text, true);
    for (range, ending) in CellWalk::new(text, start, punctuation) {
        let mut cell = &text[range.clone()];
        if ending != CellEnd::Cell {
            cell = cell.strip_suffix(b"\r").unwrap_or(cell);
        }
        let mut content = Vec::new();
        match punctuation.quote {
            Some(quote) if cell.first() == Some(&quote) => {
                crate::text::quote::unquote(cell, punctuation.escape, &mut content);
            }
            _ => content.extend_from_slice(cell),
        }
        cells.push(content);
        match ending {
            // The text ends with an empty cell.
            CellEnd::Cell if range.end + 1 == text.len() => cells.push(Vec::new()),
            CellEnd::Record => return Ok((cells, range.end + 1)),
            CellEnd::InQuotes if !flexible => return Err(unclosed(input, range.start)),
            CellEnd::Cell | CellEnd::Text | CellEnd::InQuotes => {}
        }
    }
    Ok((cells, text.len()))
}

/// A note if the given delimiter splits nothing, but the detected one splits `cell`, which is the first record.
pub(super) fn note_about_delimiter(given: u8, detected: u8, cell: &[u8]) -> Option<String> {
    if given == detected || !cell.contains(&detected) {
        return None;
    }
    let [given, detected] = [given, detected].map(char::from);
    Some(format!(
        "the first record contains no {given:?}, so there is one column; without --delimiter, {detected:?} separates columns"
    ))
}

/// The error for a quote at an offset that is never closed.
pub(super) fn unclosed(input: &TextWindow<ByteSource>, at: usize) -> Error {
    let error = Error::input("the quote opened here is never closed").hint(
        "use --quote none if this file has no quotes, or --flexible to read the rest as one cell",
    );
    input.spot(at).locate(error)
}

/// A note if the first record, at the start of `text`, looks like a row of the table instead of its header: it has
/// numbers and dates wherever the next records have them, and something else shows that its cells are not names.
pub(super) fn note_about_data(
    text: &[u8],
    names: &[Vec<u8>],
    punctuation: Punctuation,
    options: &CsvOptions,
) -> Option<String> {
    let number = |cell: &[u8]| read_number(cell, options.decimal_comma);
    let may_be_value = |name: &Vec<u8>| name.iter().take(2).any(u8::is_ascii_digit);
    if !names.iter().any(may_be_value) {
        return None;
    }
    let records = cut(text, punctuation, Some(COMPARED + 1), true)?;
    let spot = Spot { line: 1, byte: 1 };
    let block = TextBlock::new(&text[..records.end], spot, punctuation.newline);
    let (text, quoting, width) = (block.text(), records.quoting, names.len());
    let mut all = Vec::new();
    split(text, punctuation, quoting, width, false, true, &mut all).ok()?;
    let spelling = Spelling {
        json: false,
        quote: Some(punctuation.cell_quote()),
        escape: punctuation.escape,
        utf8: simdutf8::basic::from_utf8(text).is_ok(),
        comma: options.decimal_comma,
    };
    let (mut numbers, mut dates, mut repeats, mut others) = (Vec::new(), 0, 0, 0);
    for (at, name) in names.iter().enumerate() {
        let spans: Vec<Span> = all.iter().skip(at).step_by(width).copied().collect();
        let rows = Cells::new(&block, spans.get(1..)?);
        let cells: Vec<_> = rows.iter().map(|cell| spelling.inner(cell)).collect();
        let is_null = |cell: &[u8]| options.nulls.iter().any(|null| null == cell);
        let mut values = cells.iter().filter(|cell| !is_null(cell));
        if values.clone().next().is_none() {
            continue;
        }
        if values.clone().all(|cell| number(cell).is_some()) {
            numbers.push(number(name)?);
        } else if has_dates(&infer(rows, spelling).values) {
            has_dates(&infer(Cells::new(&block, &spans), spelling).values).then_some(())?;
            dates += 1;
        } else {
            others += 1;
            repeats += usize::from(!is_null(name) && values.any(|cell| cell == name));
        }
    }
    // Years, and other numbers in order, are usual as names.
    let is_ordered = numbers.is_sorted_by(|a, b| a < b) || numbers.is_sorted_by(|a, b| a > b);
    let has_fraction = numbers.iter().any(|number| number.fract() != 0.0);
    let is_row = dates > 0
        || repeats > 0 && !numbers.is_empty()
        || !is_ordered && (has_fraction || others == 0)
        || width == 1 && !numbers.is_empty() && numbers != [0.0];
    let names: Vec<_> = names.iter().map(|it| String::from_utf8_lossy(it)).collect();
    let shown = shortened(&names.join(", "), SHOWN);
    is_row.then(|| {
        format!("the first record, {shown}, is read as the header but looks like data; --no-header reads it as a row")
    })
}

fn read_number(cell: &[u8], decimal_comma: bool) -> Option<f64> {
    let text = str::from_utf8(cell).ok()?;
    let text = if decimal_comma {
        &text.replace(',', ".")
    } else {
        text
    };
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| has_digit)
}

/// True for dates and timestamps.
fn has_dates(values: &Values) -> bool {
    match values {
        Values::Timestamps(_) => true,
        Values::Spelled(spelled) => match &spelled.form {
            TextForm::Time { pattern, .. } => pattern.kind() != TimeKind::Time,
            TextForm::Bool(_) | TextForm::Padded(_) | TextForm::Scientific(_) => false,
        },
        _ => false,
    }
}
