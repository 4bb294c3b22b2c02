//! Hints and notes for text that is probably not read as its author meant it.

use super::punctuation::regularity;
use super::split::{CellEnd, CellWalk, Ragged};
use super::{CsvOptions, Punctuation};
use crate::error::Error;
use crate::text::encoding::hint_about_zeros;
use crate::units::counted;

/// What often starts comments. In VCF, comments start with ## and the header with #.
const COMMENT_MARKS: [&str; 6] = ["##", "#", "%", "!", "//", "--"];

/// Number of lines at the start that are searched for the rules of a drawn table, or for the header.
const LINES: usize = 20;

const DRAWN: &str = "this table is drawn with lines; psql --csv, mysql --batch and, in SQL*Plus, set markup csv on do without them";

/// A record with an unexpected number of cells.
pub(super) struct RaggedRecord<'a> {
    /// The text of its block.
    pub text: &'a [u8],
    /// The line of the record in the input.
    pub line: u64,
    pub ragged: Ragged,
    /// The names of the columns.
    pub names: &'a [String],
    /// The expected number of cells.
    pub width: usize,
    pub punctuation: Punctuation,
    pub options: &'a CsvOptions,
}

impl RaggedRecord<'_> {
    /// Adds the hint that fits best to an error about the record.
    pub(super) fn hint(&self, error: Error) -> Error {
        let Ragged { start, cells } = self.ragged;
        let usual = if cells > self.width {
            "--flexible adds columns for the extra cells"
        } else {
            "--flexible pads short records with nulls"
        };
        let has_header = self.options.header;
        let header = self.names.join(",");
        let first = if has_header {
            header.as_bytes()
        } else {
            self.text
        };
        if let Some(hint) = hint_about_zeros(first) {
            return error.hint(hint);
        }
        if let (Some(delimiter), 1) = (self.options.given_delimiter(), self.width) {
            let than = header_word(self.options);
            let delimiter = char::from(delimiter);
            return error.hint(format!(
                "--delimiter describes the input, and {than} contains no {delimiter:?}"
            ));
        }
        if let Some(hint) = self.of_quotes() {
            return error.hint(hint).and_hint(usual);
        }
        let record = &self.text[start..];
        let name = if has_header { first } else { b"" };
        let by_spaces = || hint_of_spaces(name, self.text, self.punctuation, self.width);
        if is_rule(line_of(record, self.punctuation)) || is_rule(name) {
            return error.hint(DRAWN);
        }
        let is_mark = |line| comment_mark(line).filter(|_| self.options.comment.is_none());
        if let Some(mark) = is_mark(record) {
            let comment = format!("if this line is a comment, --comment '{mark}' skips it");
            error.hint(comment).and_hint(usual)
        } else if let Some(mark) = is_mark(name) {
            let comment = format!("if the first line is a comment, --comment '{mark}' skips it");
            error.hint(usual).and_hint(&comment)
        } else if has_header && self.begins_with_row_names() {
            error.hint(usual).and_hint(
                "if each record begins with a row name, give it a name in the header, as R does with col.names = NA",
            )
        } else if let Some(hint) = by_spaces() {
            error.hint(hint).and_hint(usual)
        } else if has_header && self.begins_table() {
            let before = self.line - 1;
            let skip = format!("if this is the header, --skip-lines {before} skips what is before");
            error.hint(skip).and_hint(usual)
        } else {
            error.hint(usual)
        }
    }

    /// A hint if quotes seem to have no meaning, or follow a space.
    fn of_quotes(&self) -> Option<String> {
        let quote = self.punctuation.quote?;
        let cells = || record_cells(self.text, self.ragged.start, self.punctuation);
        let lines = cells().map(|cell| lines_in(cell, self.punctuation) + 1);
        if let Some(lines) = lines.clone().find(|&lines| lines > 1) {
            let lines = counted(lines, "line");
            let quote = char::from(quote);
            return Some(format!(
                "{quote} opens a cell of {lines} here; if quotes are part of the text, use --quote none"
            ));
        }
        let has_space = |cell: &[u8]| cell.starts_with(&[b' ', quote]);
        (self.width > 1 && cells().any(has_space)).then(|| {
            let [delimiter, quote] = [self.punctuation.delimiter, quote].map(char::from);
            format!(
                "a quote after a space does not quote; sed 's/{delimiter} {quote}/{delimiter}{quote}/g' removes the spaces"
            )
        })
    }

    /// True if the first records have one cell more than the header, as R writes tables with row names.
    fn begins_with_row_names(&self) -> bool {
        let counts = self.counts(0);
        let last = record_cells(self.text, self.ragged.start, self.punctuation).last();
        counts.len() > 1
            && counts.iter().all(|&count| count == self.width + 1)
            && last.is_some_and(|cell| !cell.trim_ascii().is_empty())
    }

    /// True if the record is near the start of the text and longer than those before, and the next ones are like it. If
    /// already the first record is longer than a header of several cells, that is a header with cells missing, unless
    /// only the record consists of names.
    fn begins_table(&self) -> bool {
        let counts = self.counts(self.ragged.start);
        let cells = self.ragged.cells;
        cells > self.width
            && (self.width == 1 || self.line > 2 || self.has_names_after_values())
            && self.line <= LINES as u64
            && counts.len() > 2
            && counts.iter().all(|&count| count == cells)
    }

    /// True if the record has a name in every cell and the header has not, as where a line about the whole table is first.
    fn has_names_after_values(&self) -> bool {
        let mut cells = record_cells(self.text, self.ragged.start, self.punctuation);
        cells.all(is_name) && !self.names.iter().all(|name| is_name(name.as_bytes()))
    }

    /// The numbers of cells of up to three records from an offset on.
    fn counts(&self, start: usize) -> Vec<usize> {
        let (mut counts, mut count) = (Vec::new(), 0);
        for (cell, end) in CellWalk::new(self.text, start, self.punctuation) {
            count += usize::from(!cell.is_empty() || count > 0 || end == CellEnd::Cell);
            if end != CellEnd::Cell && count > 0 {
                counts.push(std::mem::take(&mut count));
            }
            if counts.len() == 3 {
                break;
            }
        }
        counts
    }
}

/// How messages name the record that defines the columns.
pub(super) fn header_word(options: &CsvOptions) -> &'static str {
    if options.header {
        "the header"
    } else {
        "the first record"
    }
}

/// A note about a table whose columns or header are probably not where they seem to be. `rows` is the text after the
/// header, and `before` the number of lines before them.
pub(super) fn note_about_layout(
    names: &[Vec<u8>],
    rows: &[u8],
    before: u64,
    punctuation: Punctuation,
    options: &CsvOptions,
) -> Option<String> {
    let (first, mut lines) = (names.first()?, rows.split(|&it| it == punctuation.newline));
    if is_rule(first) || lines.clone().take(3).any(is_rule) {
        return Some(DRAWN.to_owned());
    }
    if names.len() == 1 {
        let mark = comment_mark(first).filter(|_| options.comment.is_none());
        let mark = mark.filter(|mark| {
            lines
                .next()
                .is_some_and(|it| it.starts_with(mark.as_bytes()))
        });
        let comments = mark
            .map(|mark| format!("if the first lines are comments, --comment '{mark}' skips them"));
        let is_given = options.given_delimiter().is_some();
        return comments
            .or_else(|| hint_of_spaces(first, rows, punctuation, 1).filter(|_| !is_given));
    }
    let unnamed = names.iter().filter(|name| name.is_empty()).count();
    if !options.header || 2 * unnamed <= names.len() {
        return None;
    }
    let (mut start, mut cells) = (0, 0);
    for (cell, end) in CellWalk::new(rows, 0, punctuation).take(LINES * names.len()) {
        cells += usize::from(is_name(&rows[cell.clone()]));
        if end == CellEnd::Cell {
            continue;
        }
        if cells == names.len() {
            let before = before + lines_in(&rows[..start], punctuation);
            return Some(format!(
                "the first record has no names for most columns; if line {} is the header, --skip-lines {before} skips \
                 what is before",
                before + 1
            ));
        }
        (start, cells) = (cell.end + 1, 0);
    }
    None
}

/// A hint if one column holds cells with spaces between them.
fn hint_of_spaces(
    header: &[u8],
    rows: &[u8],
    punctuation: Punctuation,
    width: usize,
) -> Option<String> {
    let header = header.trim_ascii();
    if width != 1 || !header.contains(&b' ') {
        return None;
    }
    if memchr::memmem::find(header, b"  ").is_some() {
        return Some(
            "if spaces align the cells, tr -s ' ' and --delimiter ' ' separate them".to_owned(),
        );
    }
    let with_spaces = Punctuation {
        delimiter: b' ',
        ..punctuation
    };
    let (alike, cells) = regularity(rows, with_spaces);
    (alike > 90 && cells > 2)
        .then(|| format!("if spaces separate the cells, --delimiter ' ' makes {cells} columns"))
}

/// The cells of the record at an offset.
fn record_cells(
    text: &[u8],
    start: usize,
    punctuation: Punctuation,
) -> impl Iterator<Item = &[u8]> + Clone {
    let mut has_ended = false;
    CellWalk::new(text, start, punctuation)
        .take_while(move |(_, end)| !std::mem::replace(&mut has_ended, *end != CellEnd::Cell))
        .map(|(cell, _)| &text[cell])
}

fn lines_in(text: &[u8], punctuation: Punctuation) -> u64 {
    memchr::memchr_iter(punctuation.newline, text).count() as u64
}

fn line_of(text: &[u8], punctuation: Punctuation) -> &[u8] {
    let end = memchr::memchr(punctuation.newline, text);
    &text[..end.unwrap_or(text.len())]
}

/// True for a cell that is neither empty nor starts like a number.
fn is_name(cell: &[u8]) -> bool {
    let first = cell.trim_ascii().first();
    first.is_some_and(|it| !it.is_ascii_digit() && !b"+-.".contains(it))
}

/// True for a line of a drawn table, such as `----+-----`.
fn is_rule(line: &[u8]) -> bool {
    let is_part = |byte: &u8| b"-+|:= \t\r".contains(byte);
    line.iter().all(is_part) && memchr::memmem::find(line, b"---").is_some()
}

/// What starts a line, if that often starts comments.
fn comment_mark(line: &[u8]) -> Option<&'static str> {
    let begins = |mark: &&str| line.starts_with(mark.as_bytes());
    COMMENT_MARKS.into_iter().find(begins)
}
