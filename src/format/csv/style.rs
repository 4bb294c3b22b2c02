//! The style of CSV text.
//!
//! The default is the plainest style that is read correctly. A null is the unquoted null word (empty by default), so
//! the empty string and values that look like it are quoted. Otherwise, quotes are used only where RFC 4180
//! requires them, and around a cell that starts with a byte order mark, which a reader would remove at the start of a
//! file. Lines end in LF. The fields of [`CsvStyle`] cover the variations of other programs.

use serde_json::{Map, Value, json};

use super::quoter::Quoter;
use super::{CommentMark, CsvOptions};
use crate::error::{Error, Result};
use crate::text::encoding::TextEncoding;

/// The style of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct CsvStyle {
    /// True for TSV. CSV with tabs keeps its tabs, but TSV is converted to CSV with commas.
    pub tsv: bool,
    /// The encoding.
    pub encoding: TextEncoding,
    /// True for UTF-16 without a byte order mark.
    pub unmarked: bool,
    /// The byte between cells.
    pub delimiter: u8,
    /// The byte around quoted cells; `None` if cells are never quoted.
    pub quote: Option<u8>,
    /// Precedes a quote or itself within quotes; without it, quotes are doubled.
    pub escape: Option<u8>,
    /// Starts comment lines; cells that start with it are quoted.
    pub comment: Option<CommentMark>,
    /// Number of lines at the start of the head that are not part of the table.
    pub skip_lines: u64,
    /// The end of every record.
    pub line_end: LineEnd,
    /// True if the first line contains the names.
    pub header: bool,
    /// The null word.
    pub null: Vec<u8>,
    /// True if the empty string is not quoted, which requires a null word that is not empty.
    pub bare_empty: bool,
    /// Columns whose values are quoted even if they need not be.
    pub quoted: Quoted,
    /// A word that is not quoted in these columns, like `NA` in R.
    pub bare_word: Option<Vec<u8>>,
    /// Which spaces need quotes.
    pub spaces: Spaces,
    /// For records of different lengths: beyond this many cells, trailing cells without a value are omitted.
    pub width: Option<u32>,
}

/// The end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

/// Columns whose values are all quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quoted {
    /// The columns at these positions, in ascending order.
    Columns(Vec<u32>),
    /// All columns.
    All,
}

/// Spaces and tabs that need quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spaces {
    /// No spaces.
    Bare,
    /// Spaces at the start of a cell, as in Go.
    Leading,
    /// Spaces at the start or end of a cell.
    Edges,
    /// All.
    Any,
}

impl Spaces {
    /// All kinds, plainest first.
    pub(super) const ALL: [Self; 4] = [Self::Bare, Self::Leading, Self::Edges, Self::Any];

    fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Leading => "leading",
            Self::Edges => "edges",
            Self::Any => "any",
        }
    }
}

impl LineEnd {
    const ALL: [Self; 3] = [Self::Lf, Self::CrLf, Self::Cr];

    /// The bytes.
    pub fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }

    /// The byte that cannot occur within a line.
    pub(super) fn newline(self) -> u8 {
        if self == Self::Cr { b'\r' } else { b'\n' }
    }

    /// Appends the bytes.
    #[inline]
    pub(super) fn print(self, out: &mut Vec<u8>) {
        if self != Self::Lf {
            out.push(b'\r');
        }
        if self != Self::Cr {
            out.push(b'\n');
        }
    }
}

impl Quoted {
    /// True if the values of the column at this position are quoted.
    pub fn has(&self, position: usize) -> bool {
        match self {
            Self::Columns(columns) => {
                u32::try_from(position).is_ok_and(|at| columns.binary_search(&at).is_ok())
            }
            Self::All => true,
        }
    }

    /// True if no column is quoted.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Columns(columns) if columns.is_empty())
    }

    fn parse(value: &Value) -> Option<Self> {
        if value == &Value::Bool(true) {
            return Some(Self::All);
        }
        let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
        let columns: Option<Vec<_>> = value.as_array()?.iter().map(number).collect();
        columns
            .filter(|columns| columns.is_sorted_by(|a, b| a < b))
            .map(Self::Columns)
    }
}

/// The default delimiter of CSV or TSV.
pub fn usual_delimiter(tsv: bool) -> u8 {
    if tsv { b'\t' } else { b',' }
}

impl Default for CsvStyle {
    fn default() -> Self {
        Self {
            tsv: false,
            encoding: TextEncoding::Utf8,
            unmarked: false,
            delimiter: b',',
            quote: Some(b'"'),
            escape: None,
            comment: None,
            skip_lines: 0,
            line_end: LineEnd::Lf,
            header: true,
            null: Vec::new(),
            bare_empty: false,
            quoted: Quoted::Columns(Vec::new()),
            bare_word: None,
            spaces: Spaces::Bare,
            width: None,
        }
    }
}

impl CsvStyle {
    /// The style of text that is read with these options.
    pub fn of_options(options: &CsvOptions) -> Self {
        Self {
            tsv: options.tsv,
            delimiter: options
                .delimiter
                .unwrap_or_else(|| usual_delimiter(options.tsv)),
            quote: Some(options.quote.unwrap_or(b'"')),
            null: options.nulls.first().cloned().unwrap_or_default(),
            comment: options.comment,
            header: options.header,
            ..Self::default()
        }
    }

    /// The style of the same text with only the columns at these positions, in this order.
    #[must_use]
    pub fn of_columns(&self, places: &[usize]) -> Self {
        let quoted = match &self.quoted {
            Quoted::All => Quoted::All,
            Quoted::Columns(_) => {
                let columns = (0..)
                    .zip(places)
                    .filter(|(_, place)| self.quoted.has(**place));
                Quoted::Columns(columns.map(|(at, _)| at).collect())
            }
        };
        Self {
            quoted,
            width: None,
            ..self.clone()
        }
    }

    /// The style for text stored line by line in the first cells.
    #[must_use]
    pub fn of_lines(&self) -> Self {
        Self {
            quote: None,
            ..self.clone()
        }
    }

    /// The names of common styles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ["", "crlf"].into_iter()
    }

    /// The style with a name, for CSV or TSV; the empty name is the default.
    pub fn named(name: &str, tsv: bool) -> Option<Self> {
        let line_end = match name {
            "" => LineEnd::Lf,
            "crlf" => LineEnd::CrLf,
            _ => return None,
        };
        Some(Self {
            line_end,
            ..Self::plain(tsv)
        })
    }

    /// The default style.
    pub(super) fn plain(tsv: bool) -> Self {
        Self {
            tsv,
            delimiter: usual_delimiter(tsv),
            ..Self::default()
        }
    }

    /// The options that differ from the `usual` style.
    pub fn options(&self, usual: &Self) -> Map<String, Value> {
        self.all_options()
            .into_iter()
            .zip(usual.all_options())
            .filter(|(option, usual)| option != usual)
            .map(|((name, value), _)| (name.to_owned(), value))
            .collect()
    }

    /// All options, in the order in which they are stored.
    fn all_options(&self) -> [(&'static str, Value); 15] {
        let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
        let byte = |byte: Option<u8>| Value::from(byte.map(|byte| text(&[byte])));
        [
            ("encoding", json!(self.encoding.name())),
            ("mark", (!self.unmarked).into()),
            ("delimiter", text(&[self.delimiter])),
            ("quote", byte(self.quote)),
            ("escape", byte(self.escape)),
            (
                "comment",
                self.comment.map(|mark| text(mark.bytes())).into(),
            ),
            ("skip_lines", self.skip_lines.into()),
            ("line_end", self.line_end.text().into()),
            ("header", self.header.into()),
            ("null", text(&self.null)),
            ("empty", self.bare_empty.then_some("bare").into()),
            (
                "quoted",
                match &self.quoted {
                    Quoted::All => true.into(),
                    Quoted::Columns(columns) => columns.clone().into(),
                },
            ),
            ("bare", self.bare_word.as_deref().map(text).into()),
            ("spaces", self.spaces.name().into()),
            ("width", self.width.into()),
        ]
    }

    /// Builds a style from its differences to a named one; `None` if these are not valid.
    pub fn from_options(usual: Self, options: &Map<String, Value>) -> Option<Self> {
        let byte = |value: &Value| match value.as_str()?.as_bytes() {
            [byte] => Some(*byte),
            _ => None,
        };
        let bytes = |value: &Value| Some(value.as_str()?.as_bytes().to_vec());
        let mut style = usual;
        for (name, value) in options {
            match name.as_str() {
                "encoding" => style.encoding = TextEncoding::parse(value.as_str()?).ok()?,
                "mark" => style.unmarked = !value.as_bool()?,
                "delimiter" => style.delimiter = byte(value)?,
                "quote" if value.is_null() => style.quote = None,
                "quote" => style.quote = Some(byte(value)?),
                "escape" => style.escape = Some(byte(value)?),
                "comment" => style.comment = Some(CommentMark::new(value.as_str()?.as_bytes())?),
                "skip_lines" => style.skip_lines = value.as_u64()?,
                "line_end" => {
                    let text = value.as_str()?;
                    let mut ends = LineEnd::ALL.into_iter();
                    style.line_end = ends.find(|end| end.text() == text)?;
                }
                "header" => style.header = value.as_bool()?,
                "null" => style.null = bytes(value)?,
                "empty" => style.bare_empty = value.as_str()? == "bare",
                "quoted" => style.quoted = Quoted::parse(value)?,
                "bare" => style.bare_word = Some(bytes(value)?),
                "spaces" => {
                    let name = value.as_str()?;
                    let mut all = Spaces::ALL.into_iter();
                    style.spaces = all.find(|spaces| spaces.name() == name)?;
                }
                "width" => style.width = Some(u32::try_from(value.as_u64()?).ok()?),
                _ => return None,
            }
        }
        style.check().is_ok().then_some(style)
    }

    /// Refuses styles that could not be read back.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if delimiter, quote, escape and line ends are not distinct, or the
    /// null word would need quotes.
    pub fn check(&self) -> Result<()> {
        let is_line_end = |byte| matches!(byte, b'\r' | b'\n');
        if Some(self.delimiter) == self.quote {
            return Err(
                Error::usage("the delimiter and the quote are the same byte")
                    .hint("set --delimiter, or --quote none"),
            );
        }
        if is_line_end(self.delimiter) || self.quote.is_some_and(is_line_end) {
            return Err(Error::usage("the delimiter or the quote is a line break"));
        }
        let in_numbers = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
        if self.quote.is_some_and(in_numbers) {
            return Err(Error::usage(
                "--quote: the quote cannot be a letter, a digit, or one of . + -",
            ));
        }
        if let Some(escape) = self.escape {
            let taken = escape == self.delimiter || Some(escape) == self.quote;
            if taken || is_line_end(escape) || in_numbers(escape) {
                return Err(Error::usage("the escape already has another meaning"));
            }
        }
        if let Some(comment) = self.comment {
            let is_taken =
                |byte: &u8| [Some(self.delimiter), self.quote, self.escape].contains(&Some(*byte));
            let is_plain = |byte: &u8| byte.is_ascii_punctuation() && !is_taken(byte);
            // No number, date or time starts with these.
            let first = comment.bytes()[0];
            let is_no_value =
                !in_numbers(first) && first != b':' || comment.bytes().starts_with(b"--");
            if !is_no_value || !comment.bytes().iter().all(is_plain) {
                return Err(Error::usage(
                    "comments cannot start with this: it has another meaning",
                )
                .hint("use punctuation such as # ; % or //"));
            }
        }
        if self.bare_empty && self.null.is_empty() {
            return Err(Error::usage("null and the empty string look the same"));
        }
        if Quoter::new(self.clone()).must_quote(&self.null) && !self.null.is_empty() {
            return Err(Error::usage("the null word would need quotes").hint(
                "the first --null is what output has for null; it cannot contain quotes, delimiters or line ends",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
