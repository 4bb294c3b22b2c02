//! Splits CSV text into records, and records into cells.
//!
//! Most files are quoted cleanly: quotes open at the start of a cell and close at its end. Then the ends of all cells
//! are found 64 bytes at a time. If there is a quote in the middle of an unquoted cell (`5" disk`), the block is walked
//! cell by cell instead, as in the `csv` crate and Python's `csv` module.

use std::ops::Range;

use super::{CommentMark, Punctuation};
use crate::columns::span::Span;
use crate::text::masks::{chunks, equal, prefix_xor};

/// The quoting of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// No quotes.
    None,
    /// Every quote opens or closes a cell, or is doubled.
    Clean,
    /// Quotes occur elsewhere, or may be escaped.
    Odd,
}

/// Complete records at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordCut {
    /// The end of the last record.
    pub end: usize,
    /// Their quoting.
    pub quoting: Quoting,
    /// Their number, if a limit was given; otherwise 0.
    pub records: usize,
    /// Where a quoted cell of several lines starts that has text after its closing quote, if there is one. Quotes have
    /// probably no meaning then.
    pub stray_quote: Option<usize>,
}

/// What ends a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellEnd {
    /// A delimiter.
    Cell,
    /// A newline.
    Record,
    /// The end of the text.
    Text,
    /// The end of the text, before the quote is closed.
    InQuotes,
}

/// The offset after the quote that closes the one at `at`; `None` if it is not closed.
pub fn quote_end(text: &[u8], at: usize, quote: u8, escape: Option<u8>) -> Option<usize> {
    let mut from = at + 1;
    loop {
        let rest = text.get(from..)?;
        let next = memchr::memchr2(quote, escape.unwrap_or(quote), rest)?;
        from += next + 1;
        if text[from - 1] == quote && text.get(from) != Some(&quote) {
            return Some(from);
        }
        from += 1;
    }
}

/// Offset and kind of the byte that ends the cell starting at `at`.
pub fn field_end(text: &[u8], at: usize, punctuation: Punctuation) -> (usize, CellEnd) {
    let mut from = at;
    if let Some(quote) = punctuation
        .quote
        .filter(|quote| text.get(at) == Some(quote))
    {
        match quote_end(text, at, quote, punctuation.escape) {
            Some(end) => from = end,
            None => return (text.len(), CellEnd::InQuotes),
        }
    }
    match memchr::memchr2(punctuation.delimiter, punctuation.newline, &text[from..]) {
        Some(next) if text[from + next] == punctuation.newline => (from + next, CellEnd::Record),
        Some(next) => (from + next, CellEnd::Cell),
        None => (text.len(), CellEnd::Text),
    }
}

/// The cells of a text: where each is, and what ends it.
#[derive(Clone)]
pub struct CellWalk<'a> {
    text: &'a [u8],
    at: usize,
    punctuation: Punctuation,
}

impl<'a> CellWalk<'a> {
    /// The cells from `at` on.
    pub fn new(text: &'a [u8], at: usize, punctuation: Punctuation) -> Self {
        Self {
            text,
            at,
            punctuation,
        }
    }
}

impl Iterator for CellWalk<'_> {
    type Item = (Range<usize>, CellEnd);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        (start < self.text.len()).then(|| {
            let (end, ending) = field_end(self.text, start, self.punctuation);
            self.at = end + 1;
            (start..end, ending)
        })
    }
}

/// Finds the complete records in `text`, which starts with a record; at most `limit` of them.
///
/// With `skip_blank`, empty lines do not count as records, but are part of the result. `None` if no record ends in the
/// text.
pub fn cut(
    text: &[u8],
    punctuation: Punctuation,
    limit: Option<usize>,
    skip_blank: bool,
) -> Option<RecordCut> {
    let has_quote = punctuation
        .quote
        .is_some_and(|quote| memchr::memchr(quote, text).is_some());
    if !has_quote {
        let (end, records) = match limit {
            None => (memchr::memrchr(punctuation.newline, text)? + 1, 0),
            Some(limit) => {
                let ends = memchr::memchr_iter(punctuation.newline, text).map(|at| at + 1);
                nth_record(text, ends, limit, skip_blank, punctuation)?
            }
        };
        return Some(RecordCut {
            end,
            quoting: Quoting::None,
            records,
            stray_quote: None,
        });
    }
    // Comments may contain any number of quotes.
    let clean = match punctuation.escape {
        None if !punctuation.has_comments(text) => clean_cut(text, punctuation, limit, skip_blank),
        None | Some(_) => None,
    };
    clean.unwrap_or_else(|| {
        let mut at = 0;
        let mut begins = true;
        let mut stray_quote = None;
        let ends = std::iter::from_fn(|| {
            loop {
                if begins && let Some(end) = punctuation.comment_end(text, at) {
                    at = end;
                    return (text[end - 1] == punctuation.newline).then_some(end);
                }
                let (end, ending) = field_end(text, at, punctuation);
                begins = ending == CellEnd::Record;
                if stray_quote.is_none() && is_stray(&text[at..end], punctuation) {
                    stray_quote = Some(at);
                }
                at = end + 1;
                match ending {
                    CellEnd::Record => return Some(at),
                    CellEnd::Cell => {}
                    CellEnd::Text | CellEnd::InQuotes => return None,
                }
            }
        });
        let limit = limit.unwrap_or(usize::MAX);
        let (end, records) = nth_record(text, ends, limit, skip_blank, punctuation)?;
        Some(RecordCut {
            end,
            quoting: Quoting::Odd,
            records,
            stray_quote: stray_quote.filter(|&at| at < end),
        })
    })
}

/// True for a quoted cell of several lines with text after its closing quote.
fn is_stray(cell: &[u8], punctuation: Punctuation) -> bool {
    let cell = cell.strip_suffix(b"\r").unwrap_or(cell);
    let quote = punctuation.quote.filter(|it| cell.first() == Some(it));
    quote.is_some_and(|quote| {
        memchr::memchr(punctuation.newline, cell).is_some()
            && quote_end(cell, 0, quote, punctuation.escape) != Some(cell.len())
    })
}

/// The end of the `limit`-th record (or of the last one, if there are fewer) and the number of records, not counting
/// blank lines and comments.
fn nth_record(
    text: &[u8],
    ends: impl Iterator<Item = usize>,
    limit: usize,
    skip_blank: bool,
    punctuation: Punctuation,
) -> Option<(usize, usize)> {
    let (mut start, mut records, mut last) = (0, 0, None);
    for end in ends {
        let is_record = punctuation.skipped_end(text, start, skip_blank).is_none();
        records += usize::from(is_record);
        (start, last) = (end, Some(end));
        if records == limit {
            break;
        }
    }
    last.map(|end| (end, records))
}

/// Like [`cut`], for clean quoting; `None` if the quoting is not clean.
#[expect(
    clippy::option_option,
    reason = "unclean, and clean without a record, are two answers"
)]
fn clean_cut(
    text: &[u8],
    punctuation: Punctuation,
    limit: Option<usize>,
    skip_blank: bool,
) -> Option<Option<RecordCut>> {
    let mut quotes = Quotes::new(punctuation);
    let mut ends = Vec::new();
    let mut last = None;
    let odd = chunks(text, |chunk, base| {
        let found = quotes.scan(chunk);
        if found.odd {
            return Some(());
        }
        if limit.is_some() {
            ends.extend(SetBits(found.newlines).map(|bit| base + bit + 1));
        } else if found.newlines != 0 {
            last = Some((base + 64 - found.newlines.leading_zeros() as usize, 0));
        }
        None
    });
    if odd.is_some() {
        return None;
    }
    if let Some(limit) = limit {
        last = nth_record(text, ends.into_iter(), limit, skip_blank, punctuation);
    }
    Some(last.map(|(end, records)| RecordCut {
        end,
        quoting: Quoting::Clean,
        records,
        stray_quote: None,
    }))
}

/// The set bits of a mask, lowest first.
struct SetBits(u64);

impl Iterator for SetBits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

/// Follows the quotes from chunk to chunk.
struct Quotes {
    punctuation: Punctuation,
    quote: u8,
    /// All ones while a quote is open.
    inside: u64,
    /// All ones if the last byte before the chunk may be followed by an opening quote.
    may_open: u64,
    /// All ones if the last byte before the chunk closed a quote.
    closed: u64,
}

/// The special bytes of a chunk outside quotes.
struct ChunkMasks {
    delimiters: u64,
    newlines: u64,
    odd: bool,
}

impl Quotes {
    fn new(punctuation: Punctuation) -> Self {
        Self {
            punctuation,
            quote: punctuation.quote.unwrap_or(b'"'),
            inside: 0,
            may_open: 1,
            closed: 0,
        }
    }

    #[inline]
    fn scan(&mut self, chunk: &[u8; 64]) -> ChunkMasks {
        let Punctuation {
            delimiter, newline, ..
        } = self.punctuation;
        let [quotes, delimiters, newlines, returns] =
            equal(chunk, [self.quote, delimiter, newline, b'\r']);
        let inside = prefix_xor(quotes) ^ self.inside;
        let (opening, closing) = (quotes & inside, quotes & !inside);
        // The padding after the last chunk is zeros: neither quotes nor delimiters.
        let borders = delimiters | newlines;
        let may_open = (borders | quotes) << 1 | self.may_open;
        let after_close = closing << 1 | self.closed;
        // Odd are quotes that open within a cell, and text between a closing quote and the end of its cell.
        let padding = equal(chunk, [0])[0];
        let odd = opening & !may_open | after_close & !(borders | quotes | returns | padding);
        self.may_open = (borders | quotes) >> 63;
        self.closed = closing >> 63;
        self.inside = ((inside as i64) >> 63) as u64;
        ChunkMasks {
            delimiters: delimiters & !inside,
            newlines: newlines & !inside,
            odd: odd != 0,
        }
    }
}

/// A record with an unexpected number of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ragged {
    /// Where the record starts in the text.
    pub start: usize,
    /// Its number of cells.
    pub cells: usize,
}

/// Collects the cells of records, `width` per record.
struct CellCollector<'a> {
    text: &'a [u8],
    spans: &'a mut Vec<Span>,
    width: usize,
    /// True if short records are padded with nulls.
    fill: bool,
    /// True if empty lines are not records.
    skip_blank: bool,
    /// Lines that start with this are not records either.
    comment: Option<CommentMark>,
    /// True if a line was empty or a comment, or a record was padded.
    uneven: bool,
    record: usize,
    record_start: usize,
    cell_start: usize,
}

impl CellCollector<'_> {
    #[inline]
    fn end_cell(&mut self, at: usize) {
        self.spans.push(Span {
            start: self.cell_start as u32,
            len: (at - self.cell_start) as u32,
        });
        self.cell_start = at + 1;
    }

    /// Ends the record at the line end at `at`. Drops the cells of a comment and the CR of a CR LF in the
    /// last cell; `settle` then handles blank lines and records with too few or too many cells.
    #[inline]
    fn end_record(&mut self, at: usize) -> Result<(), Ragged> {
        self.end_cell(at);
        let is_comment = |mark: CommentMark| mark.begins(&self.text[self.record_start..]);
        if self.comment.is_some_and(is_comment) {
            self.pass_comment();
            return Ok(());
        }
        if at > self.record_start
            && self.text[at - 1] == b'\r'
            && let Some(last) = self.spans.last_mut()
            && last.len > 0
        {
            last.len -= 1;
        }
        let cells = self.spans.len() - self.record;
        if cells != self.width || cells == 1 {
            self.settle(cells)?;
        }
        self.record = self.spans.len();
        self.record_start = self.cell_start;
        Ok(())
    }

    /// Drops the cells found in a comment.
    fn pass_comment(&mut self) {
        self.uneven = true;
        self.spans.truncate(self.record);
        self.record_start = self.cell_start;
    }

    #[cold]
    fn settle(&mut self, cells: usize) -> Result<(), Ragged> {
        let Span { start, len } = self.spans[self.record];
        let first = &self.text[start as usize..][..len as usize];
        let blank = cells == 1 && first.iter().all(|&byte| byte == b'\r');
        if blank && self.skip_blank {
            self.uneven = true;
            self.spans.truncate(self.record);
        } else if cells < self.width && self.fill {
            self.uneven = true;
            self.spans.resize(self.record + self.width, Span::NULL);
        } else if cells != self.width {
            return Err(Ragged {
                start: self.record_start,
                cells,
            });
        }
        Ok(())
    }
}

/// Splits whole records into cells, `width` spans per record, row by row.
///
/// Comments are skipped, and so are empty lines with `skip_blank`; otherwise these are records of one null. Returns
/// true if a line was skipped or a record was padded.
///
/// # Errors
/// The first record with a different number of cells; with `fill`, only one with more cells.
pub fn split(
    text: &[u8],
    punctuation: Punctuation,
    quoting: Quoting,
    width: usize,
    fill: bool,
    skip_blank: bool,
    spans: &mut Vec<Span>,
) -> Result<bool, Ragged> {
    spans.clear();
    let mut records = CellCollector {
        text,
        spans,
        width,
        fill,
        skip_blank,
        comment: punctuation.comment,
        uneven: false,
        record: 0,
        record_start: 0,
        cell_start: 0,
    };
    match quoting {
        Quoting::None => {
            let Punctuation {
                delimiter, newline, ..
            } = punctuation;
            chunks(text, |chunk, base| {
                let [delimiters, newlines] = equal(chunk, [delimiter, newline]);
                end_cells(&mut records, delimiters, newlines, base).err()
            })
        }
        Quoting::Clean => {
            let mut quotes = Quotes::new(punctuation);
            chunks(text, |chunk, base| {
                let found = quotes.scan(chunk);
                end_cells(&mut records, found.delimiters, found.newlines, base).err()
            })
        }
        Quoting::Odd => loop {
            let at = records.cell_start;
            if at == records.record_start
                && let Some(end) = punctuation.comment_end(text, at)
            {
                records.cell_start = end;
                records.pass_comment();
                continue;
            }
            let (end, ending) = field_end(text, at, punctuation);
            match ending {
                CellEnd::Cell => records.end_cell(end),
                CellEnd::Record => {
                    if let Err(ragged) = records.end_record(end) {
                        break Some(ragged);
                    }
                }
                CellEnd::Text | CellEnd::InQuotes => break None,
            }
        },
    }
    .map_or(Ok(()), Err)?;
    // The last record may lack a newline.
    if records.record_start < text.len() {
        records.end_record(text.len())?;
    }
    Ok(records.uneven)
}

#[inline]
fn end_cells(
    records: &mut CellCollector<'_>,
    delimiters: u64,
    newlines: u64,
    base: usize,
) -> Result<(), Ragged> {
    for bit in SetBits(delimiters | newlines) {
        if newlines >> bit & 1 == 1 {
            records.end_record(base + bit)?;
        } else {
            records.end_cell(base + bit);
        }
    }
    Ok(())
}
