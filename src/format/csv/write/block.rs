//! Prints a few rows at a time: finds the texts of their cells column by column, then copies the texts row by row.
//!
//! All cells of a column have the same type, and values that repeat are printed only once. Copying works the same way
//! for all types, so it takes few instructions per cell.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::FieldRef;

use super::super::quoter::Quoter;
use crate::columns::print::{
    ColumnPrinter, Keys, PrintedEntries, PrintedValues, SHORT, Texts, TypedCells,
};
use crate::columns::span::Span;
use crate::text::masks::CHUNK;
use crate::text::number::print_decimal;
use crate::text::print::print_integer;

/// The spans of this many cells fit into the L1 cache.
const MOST_CELLS: usize = 4096;

/// In wide tables, a block has up to this many rows although its spans then need a larger cache, because turning to the
/// next column costs as much as finding the texts of several cells.
const WIDE_ROWS: usize = 32;
const MOST_WIDE_CELLS: usize = 1 << 20;

/// Texts of the entries of a dictionary are kept if it has at most this many entries per row. For a larger
/// one, the table would cost more than it saves.
const ENTRIES_PER_ROW: usize = 4;

/// Number of bytes that the output is extended by at a time.
const AHEAD: usize = 256;

/// A cell that is printed directly into its row.
const UNPRINTED: Span = Span {
    start: 0,
    len: u32::MAX,
};

/// A column with the style of its cells.
struct Cells<'a> {
    column: &'a ColumnPrinter<'a>,
    /// The printed null word.
    null: Cow<'a, [u8]>,
    /// True if values are quoted even if they need not be.
    quoted: bool,
    /// True if values never need quotes.
    plain: bool,
}

/// Where the texts of a column's cells are.
enum Source<'a> {
    /// In the array, except for the cells that need quotes.
    Array(Texts<'a>),
    /// In a buffer, with their quotes, for each entry of a dictionary that the keys refer to.
    Entries(&'a [usize], PrintedEntries),
    /// In a buffer, with their quotes.
    Printed(Keys<'a>, &'a mut PrintedValues),
    /// All cells are printed directly.
    None,
}

impl<'a> Cells<'a> {
    fn new(column: &'a ColumnPrinter<'a>, position: usize, quoter: &'a Quoter) -> Self {
        let is_quoted = quoter.style.quoted.has(position);
        let null: Cow<'a, [u8]> = match column.null_word() {
            Some(word) => quoter.word(word, is_quoted).into(),
            None => Cow::Borrowed(&quoter.style.null),
        };
        let never_needs_quotes = match &column.cells {
            TypedCells::Times(times) => {
                null.is_empty() && times.prints_only(|byte| quoter.is_harmless(byte))
            }
            cells => cells.is_simple(),
        };
        Self {
            column,
            quoted: is_quoted,
            plain: quoter.plain_is_safe && !is_quoted && never_needs_quotes,
            null,
        }
    }

    fn null_span(&self) -> Span {
        if self.null.is_empty() {
            Span::NULL
        } else {
            UNPRINTED
        }
    }

    /// True if there is a cell in the row. In a column with its own null word, every row has one.
    fn has_cell(&self, row: usize) -> bool {
        !self.column.is_null(row) || self.column.null_word().is_some()
    }

    fn source(&self, values: &'a mut PrintedValues) -> Source<'a> {
        match &self.column.cells {
            TypedCells::Text(slices) | TypedCells::Json(slices) if !self.quoted => slices
                .small()
                .filter(|texts| texts.values().len() >= SHORT)
                .map_or(Source::None, Source::Array),
            TypedCells::Dictionary(dictionary)
                if dictionary.len <= dictionary.keys.len() * ENTRIES_PER_ROW =>
            {
                Source::Entries(&dictionary.keys, PrintedEntries::default())
            }
            _ => match self.column.keys() {
                Some(keys) => Source::Printed(keys, values),
                None => Source::None,
            },
        }
    }

    /// Finds the texts of the values in these rows, including those under nulls.
    fn find<'s>(
        &self,
        source: &mut Source<'_>,
        rows: Range<usize>,
        quoter: &Quoter,
        spans: impl Iterator<Item = &'s mut Span>,
    ) {
        match source {
            Source::Array(texts) => find_bare(texts, rows, &self.null, quoter, spans),
            Source::Entries(keys, entries) => {
                entries.find(keys, rows, spans, |row, out| {
                    self.print_value(row, quoter, out);
                });
            }
            Source::Printed(keys, values) => match &self.column.cells {
                // Frequent types: here the type is decided once per block, in `print_value` once per cell.
                TypedCells::I64(numbers) if self.plain => {
                    let print = |row: usize, out: &mut Vec<u8>| print_integer(numbers[row], out);
                    values.find(*keys, rows, spans, print);
                }
                TypedCells::D64(mantissas, scale) if self.plain => {
                    let print = |row: usize, out: &mut Vec<u8>| {
                        print_decimal(mantissas[row], *scale, out);
                    };
                    values.find(*keys, rows, spans, print);
                }
                TypedCells::Times(times) if self.plain => {
                    values.find(*keys, rows, spans, |row, out| times.print(row, out));
                }
                _ => values.find(*keys, rows, spans, |row, out| {
                    self.print_value(row, quoter, out);
                }),
            },
            Source::None => spans.take(rows.len()).for_each(|span| *span = UNPRINTED),
        }
    }

    /// Appends the cell of a row with a value.
    fn print_value(&self, row: usize, quoter: &Quoter, out: &mut Vec<u8>) {
        match &self.column.cells {
            TypedCells::Text(slices) | TypedCells::Json(slices) => {
                self.print_text(slices.row(row), quoter, out);
            }
            TypedCells::Dictionary(dictionary) if let Some(texts) = dictionary.texts() => {
                self.print_text(texts.row(dictionary.keys[row]), quoter, out);
            }
            cells => {
                let start = out.len();
                cells.print(row, out);
                if self.plain {
                    return;
                }
                let printed = &out[start..];
                let is_quoted = if self.quoted {
                    quoter.quotes_always(printed)
                } else if cells.is_simple() {
                    quoter.quotes_plain(printed, &self.null)
                } else {
                    quoter.quotes(printed, &self.null)
                };
                if is_quoted {
                    let printed = out.split_off(start);
                    quoter.quoted(&printed, out);
                }
            }
        }
    }

    /// Appends a text, in quotes if it needs them or the column has them.
    fn print_text(&self, text: &[u8], quoter: &Quoter, out: &mut Vec<u8>) {
        if !self.quoted {
            quoter.text(text, &self.null, out);
        } else if quoter.quotes_always(text) {
            quoter.quoted(text, out);
        } else {
            out.extend_from_slice(text);
        }
    }

    /// Appends the cell of any row.
    fn print(&self, row: usize, quoter: &Quoter, out: &mut Vec<u8>) {
        if self.column.is_null(row) {
            out.extend_from_slice(&self.null);
        } else {
            self.print_value(row, quoter, out);
        }
    }
}

/// Memory for blocks, and what was printed in each column of earlier batches. Only for batches of the same style.
#[derive(Debug, Default)]
pub struct BlockMemory {
    columns: Vec<(FieldRef, PrintedValues)>,
    spans: Vec<Span>,
}

impl BlockMemory {
    /// Forgets the values of columns whose field has changed.
    fn fit(&mut self, batch: &RecordBatch) {
        let fields = batch.schema_ref().fields();
        let forgotten = || PrintedValues::new(batch.num_rows(), fields.len());
        self.columns.truncate(fields.len());
        for ((known, values), field) in self.columns.iter_mut().zip(fields) {
            if known != field {
                (*known, *values) = (Arc::clone(field), forgotten());
            }
        }
        for field in &fields[self.columns.len()..] {
            self.columns.push((Arc::clone(field), forgotten()));
        }
        let cells = fields.len() * most_rows(fields.len());
        self.spans.resize(cells, UNPRINTED);
    }
}

/// A few rows of a batch.
pub(super) struct Block<'a> {
    columns: Vec<(Cells<'a>, Source<'a>)>,
    quoter: &'a Quoter,
    /// The cells of each row, in the order of columns.
    spans: &'a mut [Span],
}

impl<'a> Block<'a> {
    /// A block for the columns of a batch.
    pub(super) fn new(
        columns: &'a [ColumnPrinter<'a>],
        batch: &RecordBatch,
        quoter: &'a Quoter,
        memory: &'a mut BlockMemory,
    ) -> Self {
        memory.fit(batch);
        let values = memory.columns.iter_mut().map(|(_, values)| values);
        let with_source = |(position, (column, values))| {
            let cells = Cells::new(column, position, quoter);
            let source = cells.source(values);
            (cells, source)
        };
        let columns = columns.iter().zip(values).enumerate();
        Self {
            columns: columns.map(with_source).collect(),
            spans: &mut memory.spans,
            quoter,
        }
    }

    /// The most rows that a block can hold.
    pub(super) fn most_rows(&self) -> usize {
        most_rows(self.columns.len())
    }

    /// Finds the texts of all cells in these rows.
    pub(super) fn find(&mut self, rows: Range<usize>) {
        let width = self.columns.len();
        for (at, (cells, source)) in self.columns.iter_mut().enumerate() {
            let validity = cells.column.nulls().map(NullBuffer::inner);
            let validity = validity.map(|bits| bits.slice(rows.start, rows.len()));
            if validity
                .as_ref()
                .is_none_or(|bits| bits.count_set_bits() > 0)
            {
                let spans = self.spans[at..].iter_mut().step_by(width);
                cells.find(source, rows.clone(), self.quoter, spans);
            }
            if let Some(validity) = validity {
                let null = cells.null_span();
                each_unset(&validity, |row| self.spans[at + row * width] = null);
            }
        }
    }

    /// Appends the rows to `out`, and the end of each in `out` to `ends`. Their cells must have been found.
    pub(super) fn print(
        &self,
        rows: Range<usize>,
        out: &mut Vec<u8>,
        mut ends: Option<&mut Vec<usize>>,
    ) {
        let texts: Vec<&[u8]> = self
            .columns
            .iter()
            .map(|(_, source)| match source {
                Source::Array(texts) => texts.values(),
                Source::Entries(_, entries) => entries.texts(),
                Source::Printed(_, values) => values.texts(),
                Source::None => &[0; SHORT],
            })
            .collect();
        let line_end = self.quoter.style.line_end.text().as_bytes();
        let width = self.columns.len();
        let mut end = out.len();
        for (at, row) in rows.enumerate() {
            let shown = self.shown(row);
            let spans = &self.spans[at * width..][..shown];
            let mut next = 0;
            while next < shown {
                let cells = spans[next..].iter().zip(&texts[next..]);
                let copied = append_short(cells, self.quoter.style.delimiter, out, &mut end);
                next += copied;
                if next < shown {
                    self.append(next, row, spans[next], texts[next], out, &mut end);
                    next += 1;
                }
            }
            // The line end replaces the last delimiter.
            end -= usize::from(shown > 0);
            make_room(out, end);
            out[end..][..line_end.len()].copy_from_slice(line_end);
            end += line_end.len();
            if let Some(ends) = &mut ends {
                ends.push(end);
            }
        }
        out.truncate(end);
    }

    /// The number of columns that have a cell in the row.
    #[inline]
    fn shown(&self, row: usize) -> usize {
        let Some(width) = self.quoter.style.width else {
            return self.columns.len();
        };
        let width = (width as usize).min(self.columns.len());
        let mut extra = self.columns[width..].iter();
        let last = extra.rposition(|(cells, _)| cells.has_cell(row));
        last.map_or(width, |last| width + last + 1)
    }

    /// Writes a cell that [`append_short`] could not, and a delimiter.
    fn append(
        &self,
        column: usize,
        row: usize,
        span: Span,
        texts: &[u8],
        out: &mut Vec<u8>,
        end: &mut usize,
    ) {
        if span == UNPRINTED {
            out.truncate(*end);
            self.columns[column].0.print(row, self.quoter, out);
            out.push(self.quoter.style.delimiter);
            *end = out.len();
        } else {
            let text = &texts[span.start as usize..][..span.len as usize];
            if out.len() < *end + text.len() + 1 {
                out.resize(*end + text.len() + 1, 0);
            }
            out[*end..][..text.len()].copy_from_slice(text);
            out[*end + text.len()] = self.quoter.style.delimiter;
            *end += text.len() + 1;
        }
        make_room(out, *end);
    }
}

/// Calls `each` with the position of every zero bit.
fn each_unset(bits: &BooleanBuffer, mut each: impl FnMut(usize)) {
    let chunks = bits.bit_chunks();
    let last = chunks.remainder_bits() | u64::MAX << chunks.remainder_len();
    for (at, word) in chunks.iter().chain([last]).enumerate() {
        let mut unset = !word;
        while unset != 0 {
            each(at * 64 + unset.trailing_zeros() as usize);
            unset &= unset - 1;
        }
    }
}

/// The most rows that a block can hold if it has this many columns.
fn most_rows(columns: usize) -> usize {
    let columns = columns.max(1);
    let wide = WIDE_ROWS.min(MOST_WIDE_CELLS / columns);
    (MOST_CELLS / columns).max(wide).max(1)
}

/// Extends `out` so that there is room for a short cell after `end`.
#[inline]
fn make_room(out: &mut Vec<u8>, end: usize) {
    if out.len() < end + SHORT + 1 {
        out.resize(end + AHEAD, 0);
    }
}

/// Writes short cells, each followed by a delimiter, to `out[*end..]`, and moves `*end` past them. Returns the number
/// of cells written.
///
/// Always copies [`SHORT`] bytes, because a copy of constant size needs no call; the next cell overwrites the excess.
/// Stops at a cell that is longer, or so close to the end of its texts or of `out` that there are fewer bytes.
#[inline]
fn append_short<'s>(
    cells: impl Iterator<Item = (&'s Span, &'s &'s [u8])>,
    delimiter: u8,
    out: &mut [u8],
    end: &mut usize,
) -> usize {
    let mut count = 0;
    for (span, texts) in cells {
        let (start, len) = (span.start as usize, span.len as usize);
        let room = out.get_mut(*end..*end + SHORT + 1);
        let (Some(text), Some(room)) = (texts.get(start..start + SHORT), room) else {
            break;
        };
        if len > SHORT {
            break;
        }
        room[..SHORT].copy_from_slice(text);
        room[len] = delimiter;
        *end += len + 1;
        count += 1;
    }
    count
}

/// Finds the texts that need no quotes. The others are to be printed directly.
fn find_bare<'s>(
    texts: &Texts<'_>,
    rows: Range<usize>,
    null: &[u8],
    quoter: &Quoter,
    spans: impl Iterator<Item = &'s mut Span>,
) {
    let mask_of = |chunk: &[u8; CHUNK]| quoter.special_mask(chunk);
    let all = &texts.values()[texts.range(rows.start).0..texts.range(rows.end - 1).1];
    let none_is_special = !all.chunks(8 * CHUNK).any(|part| quoter.is_special(part));
    for (span, row) in spans.zip(rows) {
        let (start, end) = texts.range(row);
        let is_bare = quoter.is_bare(&texts.values()[start..end], null)
            && (none_is_special || !texts.has_special(start, end, mask_of));
        *span = if is_bare {
            Span {
                start: start as u32,
                len: (end - start) as u32,
            }
        } else {
            UNPRINTED
        };
    }
}
