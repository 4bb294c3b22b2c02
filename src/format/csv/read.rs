//! Cuts CSV into blocks of complete records.

use std::borrow::Cow;
use std::io::Read;

use super::parse::CsvParser;
use super::sniff::sniff;
use super::split::{CellEnd, Quoting, RecordCut, cut, field_end};
use super::{CsvStyle, Punctuation, detect};
use crate::columns::TextOptions;
use crate::columns::span::{Spot, TextBlock};
use crate::error::{Error, Result};
use crate::format::input::{BLOCK_BYTES, BYTE_ORDER_MARK, TextWindow};
use crate::stream;
use crate::units::counted;

/// Number of bytes used to detect the dialect.
const DETECT_BYTES: usize = 64 << 10;

/// The smallest block size per column: each column costs a few hundred bytes per block, however few rows it has.
const BYTES_PER_COLUMN: usize = 64;

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
    /// Lines that start with this byte are skipped.
    pub comment: Option<u8>,
    /// Number of lines at the start to skip.
    pub skip_lines: u64,
    /// True if numbers have a decimal comma.
    pub decimal_comma: bool,
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

/// Cuts a CSV input into blocks, which [`CsvParser`] parses.
pub struct CsvReader<R> {
    input: TextWindow<R>,
    dialect: Punctuation,
    skip_blank: bool,
    /// True if a quote may remain open at the end of the text.
    flexible: bool,
    /// The text before the first record, if the text is to be restored.
    head: Option<Vec<u8>>,
    /// The columns whose names are not UTF-8.
    lossy_names: Vec<usize>,
}

/// A cell of the first record: its offset in the text, and its content.
type HeaderCell = (usize, Vec<u8>);

/// Complete records, not parsed yet.
#[derive(Debug)]
pub struct CsvBlock {
    pub(super) block: TextBlock,
    pub(super) quoting: Quoting,
    /// Number of records, if a limit was given.
    pub records: usize,
    /// True if a limit was given.
    pub(super) limited: bool,
    /// True if the block ends because the input pauses.
    pub paused: bool,
}

impl CsvBlock {
    /// Number of bytes of text.
    pub fn len_bytes(&self) -> usize {
        self.block.text().len()
    }

    fn limited(self, limit: Option<usize>) -> Self {
        Self {
            limited: limit.is_some(),
            ..self
        }
    }

    fn paused(self, paused: bool) -> Self {
        Self { paused, ..self }
    }
}

impl<R: Read> CsvReader<R> {
    /// Reads the header and detects the dialect.
    ///
    /// # Errors
    /// If the input cannot be read, a column named by the user does not exist, or a byte of the options is zero.
    pub fn open(
        mut input: TextWindow<R>,
        options: CsvOptions,
        text: &TextOptions,
    ) -> Result<(Self, CsvParser)> {
        // The splitter pads text with zeros.
        if [options.delimiter, options.quote, options.comment].contains(&Some(0)) {
            return Err(Error::usage(
                "a zero byte cannot be the delimiter, the quote or the start of comments",
            ));
        }
        input.fill_block()?;
        let is_utf_16 = [b"\xFF\xFE", b"\xFE\xFF"].map(|mark| input.text().starts_with(mark));
        let any_bytes = options.flexible && is_utf_16.contains(&true);
        let has_mark = !any_bytes && input.skip_byte_order_mark()?;
        let mut head = if has_mark { BYTE_ORDER_MARK } else { b"" }.to_vec();
        let begins =
            |input: &TextWindow<R>| input.text()[..input.text().len().min(DETECT_BYTES)].to_vec();
        let newline = detect(&begins(&input), None, options.quote).newline;
        input.set_newline(newline);
        skip_lines(&mut input, options.skip_lines, newline, &mut head)?;
        let stated = skip_delimiter_line(&mut input, &mut head);
        let delimiter = options.delimiter.or(stated);
        let of_comments = Punctuation {
            newline,
            comment: options.comment,
            ..Punctuation::default()
        };
        let begin = begins(&input);
        let table = &begin[end_of_comments(&begin, of_comments)..];
        let dialect = Punctuation {
            comment: options.comment,
            newline,
            ..detect(table, delimiter, options.quote)
        };
        let mut reader = Self {
            input,
            dialect,
            skip_blank: true,
            flexible: options.flexible,
            head: None,
            lossy_names: Vec::new(),
        };
        let (first, end) = reader.first_record()?;
        let mut names = Vec::new();
        for (position, (_, cell)) in first.iter().enumerate() {
            let name = String::from_utf8_lossy(if options.header { cell } else { b"" });
            if matches!(name, Cow::Owned(_)) {
                reader.lossy_names.push(position);
            }
            names.push(name.into_owned());
        }
        reader.skip_blank = names.len() != 1;
        let wide = names.len().saturating_mul(BYTES_PER_COLUMN);
        if options.header || first.is_empty() {
            head.extend_from_slice(&reader.input.text()[..end]);
            reader.input.skip(end);
        }
        let mut parser = CsvParser::new(dialect, options, text, &names)?;
        let sample = reader.input.text();
        let whole = reader.input.is_last() && sample.len() <= DETECT_BYTES;
        let sample = &sample[..sample.len().min(DETECT_BYTES)];
        let style = CsvStyle {
            encoding: reader.input.encoding(),
            ..sniff(&head, sample, whole, names.len(), dialect, parser.options())
        };
        parser.compare_with(style, text.exact);
        reader.input.begin_records(wide.max(BLOCK_BYTES));
        reader.head = parser.is_exact().then_some(head);
        Ok((reader, parser))
    }

    /// The positions of columns whose names are not UTF-8: U+FFFD replaces the invalid bytes.
    pub fn lossy_names(&self) -> &[usize] {
        &self.lossy_names
    }

    /// The text before the first record, if the text is to be restored.
    pub fn head(&self) -> Option<&[u8]> {
        self.head.as_deref()
    }

    /// The cells and the end of the first record that is not an empty line.
    fn first_record(&mut self) -> Result<(Vec<HeaderCell>, usize)> {
        loop {
            let found = cut(self.input.text(), self.dialect, Some(1), true);
            if found.is_some_and(|cut| cut.records == 1) || self.input.is_last() {
                break;
            }
            self.input.grow()?;
        }
        let text = self.input.text();
        let mut at = end_of_comments(text, self.dialect);
        let mut cells = Vec::new();
        while at < text.len() {
            let (end, ending) = field_end(text, at, self.dialect);
            let mut cell = &text[at..end];
            if ending != CellEnd::Cell {
                cell = cell.strip_suffix(b"\r").unwrap_or(cell);
            }
            let mut content = Vec::new();
            match self.dialect.quote {
                Some(quote) if cell.first() == Some(&quote) => {
                    crate::text::quote::unquote(cell, self.dialect.escape, &mut content);
                }
                _ => content.extend_from_slice(cell),
            }
            cells.push((at, content));
            match ending {
                CellEnd::Cell if end + 1 == text.len() => {
                    cells.push((end + 1, Vec::new()));
                    break;
                }
                CellEnd::Cell => at = end + 1,
                CellEnd::Record => return Ok((cells, end + 1)),
                CellEnd::Text => break,
                CellEnd::InQuotes if self.flexible => break,
                CellEnd::InQuotes => return Err(self.unclosed(at)),
            }
        }
        Ok((cells, text.len()))
    }

    fn unclosed(&self, at: usize) -> Error {
        let Spot { line, byte } = self.input.spot(at);
        Error::input("the quote opened here is never closed")
            .at_line(line, byte)
            .hint("use --quote none if this file has no quotes, or --flexible to read the rest as one cell")
    }

    /// The end of the text, after the last block, if the whole text is to be restored.
    pub fn ending(&self) -> Option<stream::Ending> {
        Some(stream::Ending {
            fingerprint: Some(self.input.fingerprint()?),
            tail: Vec::new(),
        })
    }

    /// True for a block of empty lines, which are not records.
    pub fn is_blank(&self, block: &CsvBlock) -> bool {
        let text = block.block.text();
        let mut at = 0;
        while at < text.len() {
            let is_line_end = text[at] == b'\r' || text[at] == self.dialect.newline;
            match self.dialect.comment_end(text, at) {
                Some(end) => at = end,
                None if self.skip_blank && is_line_end => at += 1,
                None => return false,
            }
        }
        self.skip_blank || !text.is_empty()
    }

    /// The next complete records, at most `limit` of them.
    ///
    /// # Errors
    /// If the input cannot be read, or a quote is never closed.
    pub fn next_block(&mut self, limit: Option<usize>) -> Result<Option<CsvBlock>> {
        self.input.wait_for(limit);
        self.input.fill_block()?;
        loop {
            let text = self.input.text();
            if let Some(RecordCut {
                end,
                quoting,
                records,
            }) = cut(text, self.dialect, limit, self.skip_blank)
            {
                let block = self.take(end, quoting, records);
                let is_all = limit.is_none_or(|limit| records < limit);
                let paused = is_all && self.input.take_pause();
                return Ok(Some(block.limited(limit).paused(paused)));
            }
            if self.input.is_last() {
                return Ok(self.last_record()?.map(|block| block.limited(limit)));
            }
            if self.input.take_pause() {
                let block = self.take(0, Quoting::Odd, 0);
                return Ok(Some(block.limited(limit).paused(true)));
            }
            self.input.grow()?;
        }
    }

    fn take(&mut self, len: usize, quoting: Quoting, records: usize) -> CsvBlock {
        let mut block = self.input.take(len);
        block.end_with_quotes(self.dialect.cell_quote());
        CsvBlock {
            block,
            quoting,
            records,
            limited: false,
            paused: false,
        }
    }

    /// The text after the last newline.
    fn last_record(&mut self) -> Result<Option<CsvBlock>> {
        let text = self.input.text();
        if text.is_empty() {
            return Ok(None);
        }
        let mut at = 0;
        if self.dialect.comment_end(text, 0).is_some() {
            return Ok(Some(self.take(text.len(), Quoting::Odd, 0)));
        }
        loop {
            match field_end(text, at, self.dialect) {
                (_, CellEnd::InQuotes) if !self.flexible => return Err(self.unclosed(at)),
                (end, CellEnd::Cell) => at = end + 1,
                (_, CellEnd::Record | CellEnd::Text | CellEnd::InQuotes) => break,
            }
        }
        let len = text.len();
        let records = usize::from(!(self.skip_blank && text == b"\r"));
        Ok(Some(self.take(len, Quoting::Odd, records)))
    }
}

/// The start of the first record, after empty lines and comments.
fn end_of_comments(text: &[u8], dialect: Punctuation) -> usize {
    let mut at = 0;
    loop {
        match text.get(at) {
            Some(&byte) if byte == b'\r' || byte == dialect.newline => at += 1,
            _ => match dialect.comment_end(text, at) {
                Some(end) => at = end,
                None => return at,
            },
        }
    }
}

/// Skips lines, which become part of the head.
fn skip_lines<R: Read>(
    input: &mut TextWindow<R>,
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

/// Skips the line `sep=;` that sets Excel's delimiter, and returns the delimiter.
fn skip_delimiter_line<R: Read>(input: &mut TextWindow<R>, head: &mut Vec<u8>) -> Option<u8> {
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
