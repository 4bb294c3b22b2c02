//! Cuts CSV into blocks of complete records.

use std::borrow::Cow;
use std::sync::Arc;

use super::advice::note_about_layout;
use super::header::{first_record, note_about_data, note_about_delimiter, unclosed};
use super::open::hint_of_json;
use super::parse::CsvParser;
use super::punctuation::newline;
use super::sniff::sniff;
use super::split::{CellEnd, CellWalk, Quoting, RecordCut, cut};
use super::{CommentMark, CsvStyle, Punctuation, detect, usual_delimiter};
use crate::columns::TextOptions;
use crate::columns::span::Span;
use crate::error::{Error, Result};
use crate::format::frame::Columns;
use crate::format::input::{BLOCK_BYTES, BYTE_ORDER_MARK, TextWindow};
use crate::format::read::{ByteSource, Part, Reader};
use crate::format::scratch_pool::ScratchPool;
use crate::stream::Ending;
use crate::text::encoding::TextEncoding;
use crate::units::counted;

/// Number of bytes used to detect the punctuation.
const DETECT_BYTES: usize = 64 << 10;

/// The block size per column. A block costs each column a few hundred bytes and some allocations, so a column should have
/// some hundreds of rows in it. Blocks larger than [`WIDE_BYTES`] have fewer bytes per column, down to
/// [`LEAST_BYTES_PER_COLUMN`].
const BYTES_PER_COLUMN: usize = 512;
const LEAST_BYTES_PER_COLUMN: usize = 64;
const WIDE_BYTES: usize = 4 << 20;

/// Options for reading CSV.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent wishes")]
pub struct CsvOptions {
    /// True for TSV.
    pub tsv: bool,
    /// The byte between cells; detected if `None`.
    pub delimiter: Option<u8>,
    /// The byte around quoted cells; `None` if quotes have no meaning.
    pub quote: Option<u8>,
    /// True if the first record contains the names.
    pub header: bool,
    /// Unquoted cells that are null.
    pub nulls: Vec<Vec<u8>>,
    /// True if short records are padded with nulls and long ones add columns.
    pub flexible: bool,
    /// Lines that start with this are skipped.
    pub comment: Option<CommentMark>,
    /// Number of lines at the start to skip.
    pub skip_lines: u64,
    /// True if numbers have a decimal comma.
    pub decimal_comma: bool,
}

impl CsvOptions {
    /// The given options that only describe input.
    pub fn only_for_input(&self) -> Vec<&'static str> {
        let options = [
            (self.skip_lines > 0, "--skip-lines"),
            (self.decimal_comma, "--decimal"),
            (self.flexible, "--flexible"),
        ];
        given(&options)
    }

    /// The given options that describe input as well as output.
    pub fn also_for_output(&self) -> Vec<&'static str> {
        let usual = Self::default();
        let options = [
            (self.delimiter != usual.delimiter, "--delimiter"),
            (self.quote != usual.quote, "--quote"),
            (self.header != usual.header, "--no-header"),
            (self.nulls != usual.nulls, "--null"),
            // Cells that look like comments are quoted.
            (self.comment != usual.comment, "--comment"),
        ];
        given(&options)
    }

    /// The delimiter, if the user chose one. The tab does not count for TSV, which implies it.
    pub(super) fn given_delimiter(&self) -> Option<u8> {
        let is_given = |delimiter: &u8| !self.tsv || *delimiter != usual_delimiter(true);
        self.delimiter.filter(is_given)
    }
}

/// The names of the options that are given.
fn given(options: &[(bool, &'static str)]) -> Vec<&'static str> {
    let given = options.iter().filter(|(is_given, _)| *is_given);
    given.map(|(_, name)| *name).collect()
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            tsv: false,
            delimiter: None,
            quote: Some(b'"'),
            header: true,
            nulls: vec![Vec::new()],
            flexible: false,
            comment: None,
            skip_lines: 0,
            decimal_comma: false,
        }
    }
}

/// Cuts a CSV input into blocks, which `CsvParser` parses.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct CsvReader {
    input: TextWindow<ByteSource>,
    parser: Arc<CsvParser>,
    spans: Arc<ScratchPool<Vec<Span>>>,
    punctuation: Punctuation,
    skip_blank: bool,
    /// True if a quote may remain open at the end of the text.
    flexible: bool,
    /// The text before the first record, until it is passed on, if the text is to be restored.
    head: Option<Vec<u8>>,
    /// True if the format was detected although the text starts like JSON.
    pub(super) resembles_json: bool,
    /// True if there was a note about a quote that opens a cell of several lines.
    has_stray_quote: bool,
    /// Notes for the user, the next one last.
    pub(super) notes: Vec<String>,
}

impl CsvReader {
    /// Reads the header and detects the punctuation.
    ///
    /// # Errors
    /// If the input cannot be read, a column named by the user does not exist, or a byte of the options is zero.
    pub fn open(
        mut input: TextWindow<ByteSource>,
        options: CsvOptions,
        text: &TextOptions,
    ) -> Result<Self> {
        // The splitter pads text with zeros.
        if [options.delimiter, options.quote].contains(&Some(0)) {
            return Err(Error::usage(
                "a zero byte cannot be the delimiter or the quote",
            ));
        }
        input.fill_block()?;
        let any_bytes = options.flexible && TextEncoding::of_mark(input.text()).is_some();
        let has_mark = !any_bytes && input.skip_byte_order_mark()?;
        let mut head = if has_mark { BYTE_ORDER_MARK } else { b"" }.to_vec();
        let newline = newline(sample(&input), options.quote);
        input.set_newline(newline);
        skip_lines(&mut input, options.skip_lines, newline, &mut head)?;
        let stated = skip_delimiter_line(&mut input, &mut head);
        let delimiter = options.delimiter.or(stated);
        let of_comments = Punctuation {
            newline,
            comment: options.comment,
            ..Punctuation::default()
        };
        // Without a header, an empty line can be a record.
        if options.header {
            skip_to_table(&mut input, of_comments, &mut head)?;
        }
        show_table(&mut input, of_comments)?;
        let begin = sample(&input).to_vec();
        let table = &begin[of_comments.end_of_skipped(&begin, true)..];
        let punctuation = Punctuation {
            newline,
            ..detect(table, delimiter, options.quote, options.comment)
        };
        let (first, end) = first_record(&mut input, punctuation, options.flexible)?;
        let detected = || detect(table, None, options.quote, options.comment).delimiter;
        let delimiter_note = match (options.given_delimiter(), &first[..]) {
            (Some(given), [cell]) => note_about_delimiter(given, detected(), cell),
            _ => None,
        };
        let visible = input.text();
        let layout_note = {
            let rows = &visible[end..visible.len().min(end + DETECT_BYTES)];
            let before = input.spot(end).line - 1;
            note_about_layout(&first, rows, before, punctuation, &options)
        };
        let data_note = if options.header {
            note_about_data(sample(&input), &first, punctuation, &options)
        } else {
            None
        };
        let mut names = Vec::new();
        let mut lossy = 0;
        for cell in &first {
            let name = String::from_utf8_lossy(if options.header { cell } else { b"" });
            lossy += u64::from(matches!(name, Cow::Owned(_)));
            names.push(name.into_owned());
        }
        let block_bytes = block_bytes(names.len());
        if options.header || first.is_empty() {
            head.extend_from_slice(&input.text()[..end]);
            input.skip(end);
        }
        let flexible = options.flexible;
        let mut parser = CsvParser::new(punctuation, options, text, &names)?;
        let whole = input.is_last() && input.text().len() <= DETECT_BYTES;
        let style = CsvStyle {
            encoding: input.encoding(),
            unmarked: input.encoding().needs_mark() && !has_mark,
            ..sniff(
                &head,
                sample(&input),
                whole,
                names.len(),
                punctuation,
                parser.options(),
            )
        };
        parser.compare_with(style, text.exact);
        input.begin_records(block_bytes);
        let names_note = (lossy > 0).then(|| {
            let names = counted(lossy, "column name");
            format!("{names}: not UTF-8; read with U+FFFD in place of the other bytes")
        });
        Ok(Self {
            input,
            punctuation,
            skip_blank: names.len() != 1,
            flexible,
            head: parser.is_exact().then_some(head),
            parser: Arc::new(parser),
            spans: Arc::default(),
            resembles_json: false,
            has_stray_quote: false,
            notes: [delimiter_note, layout_note, data_note, names_note]
                .into_iter()
                .flatten()
                .collect(),
        })
    }

    /// True for text without records.
    fn is_blank(&self, text: &[u8]) -> bool {
        self.punctuation.end_of_skipped(text, self.skip_blank) == text.len()
            && (self.skip_blank || !text.is_empty())
    }

    /// The next complete records, at most `limit` of them.
    fn records(&mut self, limit: Option<usize>) -> Result<Option<Part>> {
        self.input.wait_for(limit);
        self.input.fill_block()?;
        let is_limited = limit.is_some();
        loop {
            let text = self.input.text();
            if let Some(RecordCut {
                end,
                quoting,
                records,
                stray_quote,
            }) = cut(text, self.punctuation, limit, self.skip_blank)
            {
                if let Some(at) = stray_quote.filter(|_| !self.has_stray_quote) {
                    self.has_stray_quote = true;
                    let line = self.input.spot(at).line;
                    self.notes.push(format!(
                        "a quote opens a cell of several lines in line {line}, but closes within a cell; if quotes are \
                         part of the text, use --quote none"
                    ));
                }
                let part = self.part(end, quoting, records, is_limited);
                let is_all = limit.is_none_or(|limit| records < limit);
                let is_paused = is_all && self.input.take_pause();
                return Ok(Some(Part { is_paused, ..part }));
            }
            if self.input.is_last() {
                return self.last_record(is_limited);
            }
            if self.input.take_pause() {
                let part = self.part(0, Quoting::Odd, 0, is_limited);
                return Ok(Some(Part {
                    is_paused: true,
                    ..part
                }));
            }
            self.input.grow()?;
        }
    }

    fn part(&mut self, len: usize, quoting: Quoting, records: usize, is_limited: bool) -> Part {
        let mut block = self.input.take(len);
        block.end_with_quotes(self.punctuation.cell_quote());
        let (parser, spans) = (Arc::clone(&self.parser), Arc::clone(&self.spans));
        let resembles_json = self.resembles_json;
        Part {
            is_blank: self.is_blank(block.text()),
            ..Part::text(records, len, move || {
                let parse = |spans: &mut Vec<Span>| parser.parse(block, quoting, is_limited, spans);
                let columns = spans.with(Vec::new, parse);
                columns.map_err(|error| hint_of_json(error, resembles_json))
            })
        }
    }

    /// The text after the last newline.
    fn last_record(&mut self, is_limited: bool) -> Result<Option<Part>> {
        let text = self.input.text();
        if text.is_empty() {
            return Ok(None);
        }
        if self.is_blank(text) {
            return Ok(Some(self.part(text.len(), Quoting::Odd, 0, is_limited)));
        }
        let last = CellWalk::new(text, 0, self.punctuation).find(|(_, end)| *end != CellEnd::Cell);
        if let Some((cell, CellEnd::InQuotes)) = last
            && !self.flexible
        {
            return Err(unclosed(&self.input, cell.start));
        }
        let len = text.len();
        Ok(Some(self.part(len, Quoting::Odd, 1, is_limited)))
    }
}

impl Reader for CsvReader {
    fn begin(&mut self) -> Option<Columns> {
        Some(self.parser.no_rows(self.head.take()))
    }

    fn next_part(&mut self, limit: Option<usize>) -> Result<Option<Part>> {
        let part = self.records(limit);
        part.map_err(|error| hint_of_json(error, self.resembles_json))
    }

    fn ending(&self) -> Option<Ending> {
        Some(Ending {
            fingerprint: Some(self.input.fingerprint()?),
            tail: Vec::new(),
        })
    }

    fn note(&mut self) -> Option<String> {
        self.notes.pop()
    }
}

/// The block size for a table with this many columns.
fn block_bytes(columns: usize) -> usize {
    let wide = columns.saturating_mul(BYTES_PER_COLUMN).min(WIDE_BYTES);
    let least = columns.saturating_mul(LEAST_BYTES_PER_COLUMN);
    BLOCK_BYTES.max(wide).max(least)
}

/// The part of the visible text from which its punctuation and style are detected.
fn sample(input: &TextWindow<ByteSource>) -> &[u8] {
    let text = input.text();
    &text[..text.len().min(DETECT_BYTES)]
}

/// Skips lines, which become part of the head.
fn skip_lines(
    input: &mut TextWindow<ByteSource>,
    lines: u64,
    newline: u8,
    head: &mut Vec<u8>,
) -> Result<()> {
    for skipped in 0..lines {
        let end = loop {
            match memchr::memchr(newline, input.text()) {
                Some(at) => break at + 1,
                None if input.is_last() => {
                    let all = skipped + u64::from(!input.text().is_empty());
                    let what = format!("the text has only {}", counted(all, "line"));
                    return Err(Error::input(what)
                        .of_option("--skip-lines")
                        .hint("lower --skip-lines; the next line is the header"));
                }
                None => input.grow()?,
            }
        };
        head.extend_from_slice(&input.text()[..end]);
        input.skip(end);
    }
    input.fill_block()
}

/// Skips comments and empty lines before the table, which become part of the head.
fn skip_to_table(
    input: &mut TextWindow<ByteSource>,
    punctuation: Punctuation,
    head: &mut Vec<u8>,
) -> Result<()> {
    loop {
        let text = input.text();
        let skipped = &text[..punctuation.end_of_skipped(text, true)];
        let is_open = skipped.len() == text.len() && !input.is_last();
        // More of the last line may follow.
        let end = match memchr::memrchr(punctuation.newline, skipped) {
            _ if !is_open => skipped.len(),
            end => end.map_or(0, |end| end + 1),
        };
        if end == 0 && !is_open {
            return Ok(());
        }
        head.extend_from_slice(&text[..end]);
        input.ensure_record(head.len())?;
        input.skip(end);
        if input.text().is_empty() {
            input.fill_block()?;
        } else if is_open {
            input.grow()?;
        }
    }
}

/// Makes the required number of lines of the table visible, since its delimiter and style are detected from them. Comments
/// and empty lines do not count.
fn show_table(input: &mut TextWindow<ByteSource>, punctuation: Punctuation) -> Result<()> {
    if input.shown_lines().is_none() {
        return input.fill_block();
    }
    // How far the text has been looked at, up to the start of a line, and the lines of the table before that.
    let (mut at, mut lines) = (0, 0);
    loop {
        let text = sample(input);
        while let Some((end, is_skipped)) = line_or_record(text, at, punctuation) {
            if !is_skipped {
                lines += memchr::memchr_iter(punctuation.newline, &text[at..end]).count();
            }
            at = end;
        }
        if !input.fill_block_after(at, lines)? {
            return Ok(());
        }
    }
}

/// The end of the line or record that starts at an offset, if it is complete, and whether it is skipped.
fn line_or_record(text: &[u8], at: usize, punctuation: Punctuation) -> Option<(usize, bool)> {
    if let Some(end) = punctuation.skipped_end(text, at, true) {
        return (text[end - 1] == punctuation.newline).then_some((end, true));
    }
    let mut cells = CellWalk::new(text, at, punctuation);
    let (last, ending) = cells.find(|(_, ending)| *ending != CellEnd::Cell)?;
    (ending == CellEnd::Record).then_some((last.end + 1, false))
}

/// Skips the line `sep=;` that sets Excel's delimiter, and returns the delimiter.
fn skip_delimiter_line(input: &mut TextWindow<ByteSource>, head: &mut Vec<u8>) -> Option<u8> {
    let text = input.text();
    let (delimiter, len) = delimiter_line(text)?;
    head.extend_from_slice(&text[..len]);
    input.skip(len);
    Some(delimiter)
}

/// The delimiter in a line `sep=;` at the start of a text, and the length of the line.
pub(super) fn delimiter_line(text: &[u8]) -> Option<(u8, usize)> {
    let rest = text
        .get(..4)
        .filter(|word| word.eq_ignore_ascii_case(b"sep="));
    let (&delimiter, end) = rest.and_then(|_| text[4..].split_first())?;
    let len = match end {
        [b'\r', b'\n', ..] => 7,
        [b'\n' | b'\r', ..] => 6,
        _ => return None,
    };
    // The splitter pads text with zeros, so zero cannot be a delimiter.
    let is_plain = delimiter.is_ascii() && !matches!(delimiter, 0 | b'\r' | b'\n' | b'"');
    is_plain.then_some((delimiter, len))
}
