//! Finds the records in the text that may differ from their printed form.
//!
//! Columns store the exact text of cells, so the printed form of most cells is known as soon as cells are split.

use std::sync::Arc;

use super::quoter::{Nulls, Quoter};
use super::split::Quoting;
use super::style::{CsvStyle, LineEnd, Spaces};
use crate::columns::span::{Span, TextBlock};
use crate::format::exact::{Dialect, RecordTexts, Records, SourceBlock, patch};
use crate::format::input::BYTE_ORDER_MARK;
use crate::text::masks::{chunks, equal};

/// The style of a text, prepared for comparing.
#[derive(Debug)]
pub(super) struct Comparer {
    dialect: Arc<Dialect>,
    quoter: Quoter,
    nulls: Nulls,
    /// Number of cells per record; some records may have more.
    width: usize,
    /// True if cells print their own text.
    prints_back: bool,
}

/// The result of comparing a block.
#[derive(Debug)]
pub(super) struct Compared {
    records: Found,
    /// The end of the last record.
    end: usize,
}

#[derive(Debug)]
enum Found {
    Patches(Vec<(u32, Vec<u8>)>),
    Odd {
        /// The end of each record.
        ends: Vec<u32>,
        /// The records that may print differently; `None` if any may.
        rows: Option<Box<[u32]>>,
    },
}

/// A record as a row of spans.
struct SpanRecord<'a> {
    /// The text between the previous and the next record.
    text: &'a [u8],
    /// Where its first cell should begin.
    start: usize,
    /// Its cells, including padding cells.
    cells: &'a [Span],
    /// The number of cells that are in the text.
    count: usize,
}

impl Comparer {
    pub(super) fn new(style: CsvStyle, nulls: &[Vec<u8>], width: usize, prints_back: bool) -> Self {
        Self {
            dialect: Arc::new(Dialect::Csv(style.clone())),
            quoter: Quoter::new(style),
            nulls: Nulls::new(nulls),
            width,
            prints_back,
        }
    }

    /// Compares the records of a block; `uneven` is true if it has empty lines or short records.
    pub(super) fn compare(
        &self,
        block: &TextBlock,
        quoting: Quoting,
        spans: &[Span],
        width: usize,
        uneven: bool,
    ) -> Compared {
        let text = block.text();
        if self.prints_back
            && quoting == Quoting::None
            && !uneven
            && width == self.width
            && !spans.is_empty()
            && self.is_plain(text)
        {
            return Compared {
                records: Found::Patches(Vec::new()),
                end: text.len(),
            };
        }
        let mut ends = Vec::with_capacity(spans.len() / width.max(1));
        let mut end = 0;
        for cells in spans.chunks_exact(width.max(1)) {
            end = self.record_end(text, cells, cells_in_text(cells, end));
            ends.push(end as u32);
        }
        let rows = (self.prints_back && quoting != Quoting::Odd)
            .then(|| self.odd(text, spans, width, &ends));
        let records = match rows {
            Some(rows) if rows.is_empty() => Found::Patches(Vec::new()),
            rows => Found::Odd { ends, rows },
        };
        Compared { records, end }
    }

    /// True if the text of cells determines their printed form.
    pub(super) fn prints_back(&self) -> bool {
        self.prints_back
    }

    /// The line end of records.
    pub(super) fn line_end(&self) -> LineEnd {
        self.quoter.style.line_end
    }

    /// Compares lines. Each line is the unchanged first cell of its record.
    pub(super) fn compare_lines(
        &self,
        block: &TextBlock,
        lines: impl Iterator<Item = Span>,
    ) -> Compared {
        let text = block.text();
        let mut patches = Vec::new();
        let mut printed = Vec::new();
        let mut end = 0;
        for (row, span) in lines.enumerate() {
            let start = end;
            end = self.record_end(text, &[span], 1);
            let line = raw(text, span);
            printed.clear();
            printed.extend_from_slice(if self.is_null(line) {
                &self.quoter.style.null
            } else {
                line
            });
            self.quoter.style.line_end.print(&mut printed);
            patches.push((row as u32, patch::diff_line(&printed, &text[start..end])));
        }
        Compared {
            records: Found::Patches(patches),
            end: text.len(),
        }
    }

    /// The text before the first record.
    pub(super) fn begin(&self, head: Option<Vec<u8>>) -> SourceBlock {
        SourceBlock::begin(Arc::clone(&self.dialect), head)
    }

    /// The block with the result of comparing it.
    pub(super) fn source(&self, block: TextBlock, compared: Compared) -> SourceBlock {
        let Compared { records, end } = compared;
        SourceBlock {
            dialect: Arc::clone(&self.dialect),
            head: None,
            first: true,
            tail: block.text()[end..].to_vec(),
            records: match records {
                Found::Patches(patches) => Records::Compared(patches),
                Found::Odd { ends, rows } => Records::Text(RecordTexts {
                    text: block,
                    ends: ends.into(),
                    odd: rows,
                    outlines: None,
                }),
            },
        }
    }

    /// The end of a record with the given number of cells, including its line end.
    fn record_end(&self, text: &[u8], cells: &[Span], count: usize) -> usize {
        let last = cells[..count].last().copied().unwrap_or_default();
        let end = (last.start + last.len) as usize;
        match text[end..] {
            [b'\r', b'\n', ..] if self.quoter.style.line_end != LineEnd::Cr => end + 2,
            [_, ..] => end + 1,
            [] => end,
        }
    }

    /// True if a text without quotes and empty lines is the same when printed. Can be false even if it is the same.
    fn is_plain(&self, text: &[u8]) -> bool {
        self.quoter.style.quoted.is_none()
            && self.needs_no_quotes(text, || has_only_pairs(text))
            && text.ends_with(self.quoter.style.line_end.text().as_bytes())
    }

    /// The records that may print differently.
    fn odd(&self, text: &[u8], spans: &[Span], width: usize, ends: &[u32]) -> Box<[u32]> {
        let careful = self.needs_care(text, ends);
        let quoted: Vec<bool> = (0..width)
            .map(|at| self.quoter.style.quoted.has(at))
            .collect();
        let mut odd = Vec::new();
        let mut start = 0;
        for (row, (cells, &end)) in spans.chunks_exact(width.max(1)).zip(ends).enumerate() {
            let record = SpanRecord {
                text: &text[start..end as usize],
                start,
                cells,
                count: cells_in_text(cells, start),
            };
            start = end as usize;
            if !self.is_same(text, &record, &quoted, careful) {
                odd.push(row as u32);
            }
        }
        odd.into()
    }

    /// True if cells without quotes may need some.
    fn needs_care(&self, text: &[u8], ends: &[u32]) -> bool {
        let has_return = |&&end: &&u32| text[..end as usize].ends_with(b"\r\n");
        !self.needs_no_quotes(text, || {
            memchr::memchr_iter(b'\r', text).count() == ends.iter().filter(has_return).count()
        })
    }

    /// True if a scan of the whole text shows that no unquoted cell needs quotes. `has_only_pairs` is true if
    /// each CR is part of a line end CR LF.
    fn needs_no_quotes(&self, text: &[u8], has_only_pairs: impl FnOnce() -> bool) -> bool {
        self.quoter.style.spaces == Spaces::Bare
            && self.nulls.empty
            && self.nulls.words.is_empty()
            && !self.may_have_comments(text)
            && memchr::memmem::find(text, BYTE_ORDER_MARK).is_none()
            && match self.quoter.style.line_end {
                LineEnd::Lf => memchr::memchr(b'\r', text).is_none(),
                LineEnd::CrLf => has_only_pairs(),
                LineEnd::Cr => memchr::memchr(b'\n', text).is_none(),
            }
    }

    /// True if the text contains what starts comments and needs quotes at the start of a cell.
    fn may_have_comments(&self, text: &[u8]) -> bool {
        let mark = self.quoter.style.comment;
        mark.is_some_and(|mark| mark.is_in(text))
    }

    /// True if a cleanly quoted record is the same when printed. Can be false even if it is the same.
    #[inline]
    fn is_same(
        &self,
        text: &[u8],
        record: &SpanRecord<'_>,
        quoted: &[bool],
        careful: bool,
    ) -> bool {
        let cells = &record.cells[..record.count];
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else {
            return false;
        };
        let begins = first.start as usize == record.start;
        let after = &record.text[(last.start + last.len) as usize - record.start..];
        let quote = self.quoter.style.quote;
        // Most cells are like this: without quotes, where none are required.
        let is_plain = |span: Span, always| {
            !(always || careful)
                && span.len > 0
                && quote.is_none_or(|quote| text[span.start as usize] != quote)
        };
        begins
            && after == self.quoter.style.line_end.text().as_bytes()
            && record.count == self.shown(text, record)
            && cells.iter().zip(quoted).all(|(&span, &always)| {
                is_plain(span, always) || self.is_same_cell(raw(text, span), always, careful)
            })
    }

    /// True if the style prints this cell with the quotes that it has in the text. A cell in quotes must also
    /// be one that the style quotes; any other must be one that it does not quote. `careful` is true if cells
    /// without quotes may need them.
    #[inline]
    fn is_same_cell(&self, cell: &[u8], always: bool, careful: bool) -> bool {
        let null = &self.quoter.style.null[..];
        if self.is_quoted(cell) && !(careful && self.is_null(cell)) {
            let [first, text @ .., last] = cell else {
                return false;
            };
            first == last
                && !self.is_unclear(text)
                && if always {
                    self.quoter.quotes_always(text)
                } else {
                    self.quoter.quotes(text, null)
                }
        } else if cell.is_empty() || careful {
            match self.is_null(cell) {
                true if cell.is_empty() => null.is_empty(),
                true => cell == null,
                false if always => !self.quoter.quotes_always(cell),
                false => !self.quoter.quotes(cell, null),
            }
        } else {
            !always || !self.quoter.quotes_always(cell)
        }
    }

    #[inline]
    fn is_quoted(&self, cell: &[u8]) -> bool {
        self.quoter.style.quote.is_some() && cell.first().copied() == self.quoter.style.quote
    }

    /// True for text that looks like null. In a column with this null word, it will be printed without quotes.
    #[inline]
    fn is_unclear(&self, text: &[u8]) -> bool {
        !text.is_empty() && text == self.quoter.style.null
    }

    #[inline]
    fn is_null(&self, cell: &[u8]) -> bool {
        self.nulls.has(cell)
    }

    /// The number of cells of the record that are printed.
    #[inline]
    fn shown(&self, text: &[u8], record: &SpanRecord<'_>) -> usize {
        if record.cells.len() == self.width {
            return self.width;
        }
        let mut extra = record.cells[..record.count]
            .get(self.width..)
            .unwrap_or_default()
            .iter();
        let last = extra.rposition(|&span| !self.is_null(raw(text, span)));
        last.map_or(self.width, |last| self.width + last + 1)
    }
}

#[inline]
fn raw(text: &[u8], span: Span) -> &[u8] {
    &text[span.start as usize..][..span.len as usize]
}

/// The number of spans of a record that are cells in the text; the record starts at `start` or later.
#[inline]
fn cells_in_text(cells: &[Span], start: usize) -> usize {
    let fills = |span: &Span| *span == Span::NULL;
    match cells {
        [] => 0,
        [.., last] if !fills(last) => cells.len(),
        // The first cell of a block may have the same start as a padding span.
        [first, ..] => {
            debug_assert!(start == 0 || !fills(first));
            cells.iter().rposition(|span| !fills(span)).unwrap_or(0) + 1
        }
    }
}

/// True if returns and newlines occur only as pairs.
fn has_only_pairs(text: &[u8]) -> bool {
    let mut carry = 0;
    chunks(text, |chunk, _| {
        let [returns, newlines] = equal(chunk, [b'\r', b'\n']);
        let expected = returns << 1 | carry;
        carry = returns >> 63;
        (expected != newlines).then_some(())
    })
    .is_none()
}
