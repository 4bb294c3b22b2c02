//! Numbers with a decimal comma.
//!
//! Points and commas are swapped, and the result is parsed as usual. In such text, a number with a point is not a
//! number, but a date with points is still a date.

use arrow_buffer::NullBuffer;

use super::{Spelling, readers, string_values};
use crate::columns::column::{Column, Values};
use crate::columns::span::{Cells, Span, Spot, TextBlock};
use crate::text::form::exchange_commas;

/// The narrowest column; `nulls` are the empty cells.
pub(super) fn infer(cells: Cells<'_>, spelling: Spelling, nulls: Option<NullBuffer>) -> Column {
    let has_mark = |cell: &[u8]| memchr::memchr2(b',', b'.', cell).is_some();
    if !cells.iter().any(has_mark) {
        return readers::read(cells, spelling, nulls);
    }
    let mut text = Vec::new();
    let spans: Vec<Span> = cells
        .iter()
        .map(|cell| {
            let start = text.len();
            text.extend_from_slice(cell);
            // A cell without digits may be a word for null.
            if cell.iter().any(u8::is_ascii_digit) {
                exchange_commas(&mut text[start..]);
            }
            match cell {
                [] => Span::NULL,
                _ => Span::new(start, cell.len()),
            }
        })
        .collect();
    let block = TextBlock::of(text, Spot { line: 1, byte: 1 }, b'\n');
    let mut column = readers::read(Cells::new(&block, &spans), spelling, nulls.clone());
    if column.values.are_numbers() {
        column.comma = true;
        return column;
    }
    let mut column = readers::read(cells, spelling, nulls.clone());
    if column.values.are_numbers() {
        column = Column::new(cells.len(), nulls, string_values(cells, spelling));
    }
    if let Values::Text(strings) = &mut column.values {
        strings.comma = true;
    }
    column
}
