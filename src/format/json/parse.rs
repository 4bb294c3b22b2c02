//! Parses blocks of JSON values to columns.

use std::sync::Arc;

use super::cut::Framing;
use crate::columns::TextOptions;
use crate::columns::shred::{JsonScratch, Opaque, Outlines, Paths, is_map};
use crate::columns::span::{Spot, TextBlock};
use crate::error::{Error, Result};
use crate::format::exact::{Dialect, RecordTexts, Records, SourceBlock};
use crate::format::frame::Columns;
use crate::text::encoding::hint_about_zeros;
use crate::text::json::fault::{Fault, FaultKind, RowFault};
use crate::text::json::scan::{skip_space, value_end};

/// Complete values, not parsed yet.
pub(super) struct JsonBlock {
    pub(super) block: TextBlock,
    /// True if it contains the first value of the input. In an array, other blocks start with a comma.
    pub(super) first: bool,
    /// True if it is the last block.
    pub(super) last: bool,
    /// True if it contains all values of the input.
    pub(super) whole: bool,
}

/// What the rows of a text are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// Objects, whose keys are columns.
    Objects,
    /// Values of the column [`crate::schema::ROW_COLUMN`].
    Values,
    /// The same; these are objects that lack most of each other's keys.
    SparseObjects,
}

/// A parser, shared by all blocks.
#[derive(Clone, Debug)]
pub(super) struct JsonParser {
    pub(super) options: TextOptions,
    pub(super) framing: Framing,
    /// What rows are.
    pub(super) rows: RowKind,
    /// The dialect of the text.
    pub(super) dialect: Arc<Dialect>,
    /// The text after each value, if the values are a sequence.
    pub(super) between: Vec<u8>,
}

/// The offset after the record whose value ends at `end`. A record includes the separator `between`, or else its line
/// end, or else one byte of the white space after it.
pub(super) fn record_end(text: &[u8], end: usize, between: &[u8]) -> usize {
    let is_after_space = end > 0 && text[end - 1].is_ascii_whitespace();
    let start = end - usize::from(is_after_space);
    let rest = &text[start..];
    if !between.is_empty() && rest.starts_with(between) {
        return start + between.len();
    }
    let blank = rest.iter().position(|byte| !b" \t\r".contains(byte));
    match blank {
        Some(blank) if rest[blank] == b'\n' => start + blank + 1,
        _ => end,
    }
}

impl JsonParser {
    /// Reads the columns of a block.
    ///
    /// If a row has a key twice, the last value counts. If a row of the block is not an object, although those of
    /// earlier blocks were, every row of the block becomes a single value.
    ///
    /// # Errors
    /// If the text is not JSON, or a value does not fit its fixed type.
    pub(super) fn parse(&self, block: JsonBlock, scratch: &mut JsonScratch) -> Result<Columns> {
        let mut ends = Vec::new();
        let (mut columns, keeps_all, outlines) = self.columns(&block, scratch, &mut ends)?;
        let dialect = Arc::clone(&self.dialect);
        columns.source = Some(if self.options.exact && keeps_all {
            let JsonBlock { block, first, .. } = block;
            let end = ends.last().map_or(0, |&end| end as usize);
            let repeats = columns
                .odd_keys
                .as_ref()
                .is_some_and(|keys| keys.repeated > 0);
            let odd = if repeats {
                None
            } else {
                self.odd_rows(block.text(), &ends, first)
            };
            SourceBlock {
                dialect,
                head: None,
                first,
                tail: block.text()[end..].to_vec(),
                records: Records::Text(RecordTexts {
                    text: block,
                    ends: ends.into(),
                    odd,
                    outlines,
                }),
            }
        } else {
            SourceBlock::values(dialect)
        });
        Ok(columns)
    }

    /// The rows whose layout may deviate from the style of the text; `None` if any row may. `first` is true if the
    /// first row is the first of the text.
    fn odd_rows(&self, text: &[u8], ends: &[u32], first: bool) -> Option<Box<[u32]>> {
        let Dialect::Json(style) = &*self.dialect else {
            return None;
        };
        let mut deviations = style.deviations(text)?.into_iter().peekable();
        let mut odd = Vec::new();
        let mut start = 0;
        for (row, &end) in ends.iter().enumerate() {
            let record = &text[start..end as usize];
            let between = style.between.as_bytes();
            // Separators between rows are expected.
            let (has_between, inner) = if !style.array {
                (
                    record.ends_with(between),
                    start..end as usize - between.len().min(record.len()),
                )
            } else if row == 0 && first {
                (true, start..end as usize)
            } else {
                (
                    record.starts_with(between),
                    start + between.len()..end as usize,
                )
            };
            let mut is_odd = !has_between;
            while let Some(at) = deviations.next_if(|&at| at < end) {
                is_odd |= inner.contains(&(at as usize));
            }
            if is_odd {
                odd.push(row as u32);
            }
            start = end as usize;
        }
        Some(odd.into())
    }

    /// The text before the first row.
    pub(super) fn no_rows(&self, head: Vec<u8>) -> Columns {
        Columns {
            source: Some(SourceBlock::begin(Arc::clone(&self.dialect), Some(head))),
            ..Columns::default()
        }
    }

    /// The columns, whether these are all columns of the block, and the outlines of the rows if the text is kept.
    fn columns(
        &self,
        block: &JsonBlock,
        scratch: &mut JsonScratch,
        ends: &mut Vec<u32>,
    ) -> Result<(Columns, bool, Option<Box<Outlines>>)> {
        let JsonBlock { block: text, .. } = block;
        if let Err(error) = simdutf8::compat::from_utf8(text.text()) {
            let fault = Fault {
                at: error.valid_up_to(),
                kind: FaultKind::NotUtf8,
            };
            let hint = hint_about_zeros(text.text());
            return Err(self
                .error(text, fault)
                .hint(hint.unwrap_or("name the encoding, for example --encoding windows-1252")));
        }
        let mut objects = self.rows == RowKind::Objects;
        let mut paths = Paths::new(text.text(), objects, scratch);
        if self.rows == RowKind::SparseObjects {
            paths.keep_rows_whole(Opaque::Sparse);
        }
        // A user who states the types of columns knows that the keys are columns.
        if objects && block.whole && self.framing != Framing::Array && self.options.fixed.is_empty()
        {
            paths.limit_keys();
        }
        let mut walked = self.rows(&mut paths, block, objects, ends);
        while let Err(Fault {
            kind: FaultKind::Row(fault),
            ..
        }) = walked
            && fault.is_of_columns()
            && objects
        {
            ends.clear();
            paths.recycle(scratch);
            // The only row of the input may be an object whose keys are data, such as ids: it would take a column per
            // key.
            let is_wide = fault == RowFault::FirstRowIsWide;
            let is_map = is_wide && is_map(text.text());
            objects = is_wide && !is_map;
            paths = Paths::new(text.text(), objects, scratch);
            if is_map {
                paths.keep_rows_whole(Opaque::ManyKeys);
            } else if fault == RowFault::TooManyKeys {
                paths.keep_rows_whole(Opaque::Sparse);
            }
            walked = self.rows(&mut paths, block, objects, ends);
        }
        walked.map_err(|fault| self.error(text, fault))?;
        let exact = self.options.exact;
        let outlines = exact.then(|| Box::new(paths.take_outlines()));
        let (repeated, spelled) = (paths.repeated_keys, paths.spelled_keys());
        let (mut columns, keeps_all) = self.shred(paths, text, objects, block.whole, scratch)?;
        if repeated > 0 || !spelled.is_empty() {
            let keys = columns.odd_keys.get_or_insert_default();
            (keys.repeated, keys.spelled) = (repeated, spelled);
        }
        Ok((columns, keeps_all, outlines))
    }

    /// Walks the rows of a block and appends the ends of their records to `ends` if needed.
    fn rows<'a>(
        &self,
        rows: &mut Paths<'a>,
        block: &'a JsonBlock,
        objects: bool,
        ends: &mut Vec<u32>,
    ) -> std::result::Result<(), Fault> {
        let text = block.block.text();
        let array = self.framing == Framing::Array;
        let lines = self.framing == Framing::Lines;
        let mut at = skip_space(text, 0);
        if array && !block.first && text.get(at) == Some(&b',') {
            at = skip_space(text, at + 1);
        }
        if array && at == text.len() && !(block.first && block.last) {
            return no_value(at, block.last);
        }
        while at < text.len() {
            let start = at;
            let mut row = text;
            if lines {
                // Blocks may end after any line, so values must end within their line.
                let newline = memchr::memchr(b'\n', &text[at..]);
                row = &text[..newline.map_or(text.len(), |len| at + len)];
                rows.limit(row);
            }
            at = if objects {
                rows.object(at)?
            } else {
                rows.value(at)?
            };
            let end = at;
            if lines {
                at = skip_space(row, at);
                if at < row.len() {
                    let another = value_end(row, at).is_ok();
                    let fault = if another {
                        RowFault::TwoInLine
                    } else {
                        RowFault::ExpectedLineEnd
                    };
                    return fault.at(at);
                }
            }
            if self.options.exact {
                let end = match self.framing {
                    Framing::Lines => (row.len() + 1).min(text.len()),
                    Framing::Values => record_end(text, end, &self.between),
                    Framing::Array => end,
                };
                ends.push(end as u32);
            }
            at = skip_space(text, at);
            // `2024-10-11` is not three numbers. Blocks end only at white space and brackets.
            if !array && at == end && at < text.len() && !matches!(text[start], b'{' | b'[') {
                return RowFault::ExpectedSpace.at(at);
            }
            if array {
                match text.get(at) {
                    Some(b',') => at = skip_space(text, at + 1),
                    Some(_) => return Fault::at(at, FaultKind::ExpectedCommaOrBracket),
                    None => break,
                }
                if at == text.len() {
                    return no_value(at, block.last);
                }
            }
        }
        Ok(())
    }

    fn error(&self, block: &TextBlock, fault: Fault) -> Error {
        let Spot { line, byte } = block.spot(fault.at);
        let error = Error::input(fault.kind.message()).at_line(line, byte);
        match fault.kind {
            FaultKind::Row(RowFault::NotAnObject | RowFault::TooManyKeys) => {
                error.hint("--schema '$:json' keeps each row as one JSON value")
            }
            FaultKind::Row(RowFault::ExpectedSpace) if precedes_object(block.text(), fault.at) => {
                error.hint("remove what is before the JSON, for instance with sed 's/^[^{]*//'")
            }
            FaultKind::ExpectedValue
            | FaultKind::ExpectedKey
            | FaultKind::Row(RowFault::ExpectedLineEnd) => {
                let is_first = (line, byte) == (1, 1);
                let zeros = hint_about_zeros(block.text());
                match zeros.or_else(|| foreign_syntax(block.text(), fault.at, is_first)) {
                    Some(hint) => error.hint(hint),
                    None => error,
                }
            }
            FaultKind::Row(RowFault::TwoInLine) => {
                error.hint("--from json accepts several values per line")
            }
            kind => match kind.message_about_line() {
                Some(what) if self.framing == Framing::Lines => Error::input(what)
                    .at_line(line, byte)
                    .hint("--from json accepts values that span several lines"),
                _ => error,
            },
        }
    }
}

/// A hint about the text at `at`, which is not a value or key: it may be the syntax of another language. `is_first` is
/// true for the first byte of the input.
fn foreign_syntax(text: &[u8], at: usize, is_first: bool) -> Option<&'static str> {
    let (before, rest) = text.split_at_checked(at)?;
    let word = rest.strip_prefix(b"-").unwrap_or(rest);
    let is = |words: &[&str]| words.iter().any(|it| word.starts_with(it.as_bytes()));
    let before = before.trim_ascii_end();
    let is_after_comma = before.ends_with(b",");
    let is_after_value = matches!(before.last(), Some(b'}' | b']'));
    Some(match rest.first()? {
        _ if is(&["NaN", "nan", "Inf", "inf"]) => {
            "JSON has no NaN or Infinity; write null or a string"
        }
        _ if is(&["None", "True", "False", "undefined", "NULL"]) => "JSON has null, true and false",
        b'\'' => "JSON has double quotes",
        b'/' | b'#' => "JSON has no comments",
        // RFC 7464, as in sequences of GeoJSON.
        0x1e => "this is a JSON text sequence; tr -d '\\036' removes its record separators",
        b'+' | b'.' => "numbers in JSON begin with a digit or a minus sign",
        b'}' | b']' if is_after_comma => "remove the comma before it",
        b',' if is_after_value => {
            "rows without brackets around them have no commas between them; \
             remove the commas, or put [ before and ] after all rows"
        }
        _ if is_first => "--from csv reads the input as CSV",
        _ if is_cut_word(word) => return None,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => "keys and strings in JSON have double quotes",
        _ => return None,
    })
}

/// True if an object starts in the line, at or after an offset.
fn precedes_object(text: &[u8], at: usize) -> bool {
    let mut rest = text[at..].iter();
    rest.find(|&&byte| matches!(byte, b'{' | b'\n')) == Some(&b'{')
}

/// True if the text begins with a part of a word of JSON, such as `tru`.
fn is_cut_word(text: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let len = text.iter().position(|byte| !is_letter(byte));
    let word = &text[..len.unwrap_or(text.len())];
    let words: [&[u8]; 3] = [b"true", b"false", b"null"];
    words.iter().any(|it| it.starts_with(word))
}

/// The fault of a block that ends where an array needs a value.
fn no_value<T>(at: usize, last: bool) -> std::result::Result<T, Fault> {
    Fault::at(
        at,
        if last {
            FaultKind::ExpectedValueAfterComma
        } else {
            FaultKind::ExpectedValue
        },
    )
}
