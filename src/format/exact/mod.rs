//! Byte-exact restoring of text: what is stored in addition to the values.
//!
//! Columns store values with their exact spelling, but a text also has quotes, line ends and white space. A [`Dialect`]
//! describes how the text as a whole is written; printing columns in it restores most texts byte for byte. For a record
//! that is written differently, a [`patch`] stores the difference. The text before the first record is the head, and
//! the text after the last one is the tail.
//!
//! The text of a record includes everything up to the next record, so printed records are contiguous.

mod draft_patches;
mod frame_text;
mod packed;
pub mod patch;
mod printer;

pub use frame_text::{FrameText, Patches, SourceTexts, patch_column, with_patches};
pub use packed::{pack, unpack};
pub use printer::{Printer, rebased};

use std::sync::Arc;

use arrow_schema::{Metadata, Schema};
use serde_json::{Map, Value};

use super::Format;
use super::csv::CsvStyle;
use crate::columns::shred::Outlines;
use crate::columns::span::TextBlock;
use crate::schema::keys::TEXT;
use crate::text::encoding::TextEncoding;
use crate::text::json::JsonStyle;
use crate::text::json::scan::skip_space;

/// Metadata for the default head of the dialect. A head with this very text is never stored as metadata.
pub const USUAL_HEAD: &str = "=";

/// The name of a JSON document that is not an array of rows.
const DOCUMENT: &str = "document";

/// How much of the original text of frames to restore, if it had the output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// Only the values.
    Values,
    /// Also the style.
    Style,
    /// The exact bytes of the head, the ending and each remaining record.
    Records,
    /// All bytes of the text.
    Bytes,
}

/// The style of a text, with its format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// CSV or TSV.
    Csv(CsvStyle),
    /// JSON or NDJSON.
    Json(JsonStyle),
}

impl Dialect {
    /// The format of the text.
    pub fn format(&self) -> Format {
        match self {
            Self::Csv(style) if style.tsv => Format::Tsv,
            Self::Csv(_) => Format::Csv,
            Self::Json(style) if style.is_json() => Format::Json,
            Self::Json(_) => Format::Ndjson,
        }
    }

    /// The encoding of the text.
    pub fn encoding(&self) -> TextEncoding {
        match self {
            Self::Csv(style) => style.encoding,
            Self::Json(style) => style.encoding,
        }
    }

    /// True if the text begins with a byte order mark because its encoding is not recognized without one.
    pub fn needs_mark(&self) -> bool {
        let is_unmarked = match self {
            Self::Csv(style) => style.unmarked,
            Self::Json(style) => style.unmarked,
        };
        self.encoding().needs_mark() && !is_unmarked
    }

    /// The number of columns that all frames have; `None` if all frames have all columns.
    pub fn least_width(&self) -> Option<usize> {
        match self {
            Self::Csv(style) => style.width.map(|width| width as usize),
            Self::Json(_) => None,
        }
    }

    /// True if a separator precedes every record but the first.
    pub fn separates_records(&self) -> bool {
        matches!(self, Self::Json(style) if style.array)
    }

    /// The dialect of the same text with only the columns at these positions, in this order.
    #[must_use]
    pub fn of_columns(&self, places: &[usize]) -> Self {
        match self {
            Self::Csv(style) => Self::Csv(style.of_columns(places)),
            Self::Json(style) => Self::Json(style.clone()),
        }
    }

    /// True if the text has skipped parts, which options kept out of its rows; these are stored separately.
    pub fn has_skipped(&self) -> bool {
        match self {
            Self::Csv(style) => style.has_skipped(),
            Self::Json(style) => style.records.is_some(),
        }
    }

    /// The dialect of the same text without the skipped parts.
    #[must_use]
    pub fn without_skipped(&self) -> Self {
        match self {
            Self::Csv(style) => Self::Csv(style.without_skipped()),
            Self::Json(style) => Self::Json(JsonStyle {
                records: None,
                ..style.clone()
            }),
        }
    }

    /// The text of the head before rows with these columns: of longer rows, the usual head is another one.
    pub fn written_head(&self, head: String, schema: &Schema) -> String {
        if head != USUAL_HEAD || matches!(self, Self::Json(_)) {
            return head;
        }
        let mut usual = Vec::new();
        Printer::new(self, true).head(schema, &mut usual);
        String::from_utf8(usual).unwrap_or(head)
    }

    /// The head of a text without the skipped parts.
    pub fn head_without_skipped(&self, head: &str) -> String {
        match self {
            Self::Csv(style) if head != USUAL_HEAD => {
                let head = style.head_without_skipped(head.as_bytes());
                String::from_utf8_lossy(&head).into_owned()
            }
            Self::Json(style) if style.records.is_some() => {
                let mut usual = Vec::new();
                style.begin(&mut usual);
                let mark = head.starts_with('\u{feff}').then_some("\u{feff}");
                mark.unwrap_or_default().to_owned() + &String::from_utf8_lossy(&usual)
            }
            Self::Csv(_) | Self::Json(_) => head.to_owned(),
        }
    }

    /// The tail of a text without the skipped parts.
    pub fn tail_without_skipped(&self, tail: &[u8]) -> Vec<u8> {
        match self {
            Self::Csv(style) => style.without_comments(tail).into_owned(),
            Self::Json(style) if style.records.is_some() => {
                let mut end = Vec::new();
                style.end(&mut end);
                end
            }
            Self::Json(_) => tail.to_vec(),
        }
    }

    /// The dialect of the same text with a header if `is_named`: its columns got names.
    #[must_use]
    pub fn with_header(self, is_named: bool) -> Self {
        match self {
            Self::Csv(style) if is_named => Self::Csv(CsvStyle {
                header: true,
                ..style
            }),
            other => other,
        }
    }

    /// This dialect for text made from `source`: rows whose columns have no names get no header, cells that look like
    /// comments of the source are quoted, and `keeps_null` keeps the null word, if this dialect can write it.
    #[must_use]
    pub fn after(&self, source: &Self, is_named: bool, keeps_null: bool) -> Self {
        let (Self::Csv(style), Self::Csv(source)) = (self, source) else {
            return self.clone();
        };
        let mut after = CsvStyle {
            header: style.header && (source.header || is_named),
            ..style.clone()
        };
        let with_comment = CsvStyle {
            comment: style.comment.or(source.comment),
            ..after.clone()
        };
        if with_comment.check().is_ok() {
            after = with_comment;
        }
        let same_null = CsvStyle {
            null: source.null.clone(),
            ..after.clone()
        };
        Self::Csv(if keeps_null && same_null.check().is_ok() {
            same_null
        } else {
            after
        })
    }

    /// The text of a record without its separator, so that it can be the first.
    fn without_separator<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        let comma = skip_space(record, 0);
        if self.separates_records() && record.get(comma) == Some(&b',') {
            &record[skip_space(record, comma + 1)..]
        } else {
            record
        }
    }

    /// The line end after every record; `None` for a JSON array, whose records have separators.
    pub fn record_end(&self) -> Option<&'static str> {
        match self {
            Self::Csv(style) => Some(style.line_end.text()),
            Self::Json(style) => (!style.array).then_some("\n"),
        }
    }

    /// Appends the default end of a text, after the last record.
    pub fn end(&self, out: &mut Vec<u8>) {
        if let Self::Json(style) = self {
            style.end(out);
        }
    }

    /// The dialect as the value of [`crate::schema::keys::TEXT`]: the name of the format and, if needed, the name of a
    /// style and a JSON object with the differences from it.
    pub fn to_metadata(&self) -> String {
        let options = |options: Map<String, Value>| {
            if options.is_empty() {
                String::new()
            } else {
                Value::Object(options).to_string()
            }
        };
        let (format, styles): (_, Vec<_>) = match self {
            Self::Csv(style) => {
                let described = |name: &'static str| {
                    let usual = CsvStyle::named(name, style.tsv)?;
                    Some((name.to_owned(), options(style.options(&usual))))
                };
                (
                    self.format().name(),
                    CsvStyle::names().filter_map(described).collect(),
                )
            }
            Self::Json(style) => {
                let described = |name: String| {
                    let usual = JsonStyle::named(&name, style.array)?;
                    Some((name, options(style.options(&usual))))
                };
                let format = if style.document {
                    DOCUMENT
                } else {
                    self.format().name()
                };
                (format, JsonStyle::names().filter_map(described).collect())
            }
        };
        let words = |(name, options): (String, String)| {
            let words = [format, &name, &options].map(str::to_owned);
            words
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        styles
            .into_iter()
            .map(words)
            .min_by_key(String::len)
            .unwrap_or_default()
    }

    /// The dialect of the text that a frame was made from.
    pub fn of(metadata: &Metadata) -> Option<Self> {
        Self::from_metadata(metadata.get(TEXT)?)
    }

    /// Reads what [`Self::to_metadata`] wrote; `None` if it is from a newer version or invalid.
    pub fn from_metadata(text: &str) -> Option<Self> {
        let (format, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (name, options) = match rest.find('{') {
            Some(at) => (rest[..at].trim_end(), &rest[at..]),
            None => (rest, "{}"),
        };
        let mut options: Map<String, Value> = serde_json::from_str(options).ok()?;
        let mut document = format == DOCUMENT;
        if format == "json" && options.get("array") == Some(&Value::Bool(false)) {
            options.remove("array");
            document = true;
        }
        let csv = |tsv| CsvStyle::from_options(CsvStyle::named(name, tsv)?, &options);
        let json = |array| {
            let usual = JsonStyle::named(name, array)?;
            JsonStyle::from_options(&JsonStyle { document, ..usual }, &options)
        };
        match format {
            "csv" => csv(false).map(Self::Csv),
            "tsv" => csv(true).map(Self::Csv),
            "json" => json(!document).map(Self::Json),
            DOCUMENT | "ndjson" => json(false).map(Self::Json),
            _ => None,
        }
    }
}

/// The text of a block, in addition to its columns.
#[derive(Debug)]
pub struct SourceBlock {
    /// The dialect of the text.
    pub dialect: Arc<Dialect>,
    /// The text before the first record, if the block is the start of the text. The first record of a text has no
    /// separator before it.
    pub head: Option<Vec<u8>>,
    /// True if the first record is the first of the text.
    pub first: bool,
    /// The records.
    pub records: Records,
    /// Text after the last record that is not part of a record: empty lines. The next record, if there is one, comes
    /// after it.
    pub tail: Vec<u8>,
}

impl SourceBlock {
    /// A block that keeps only the values, not the text.
    pub fn values(dialect: Arc<Dialect>) -> Self {
        Self {
            dialect,
            head: None,
            first: false,
            records: Records::Values,
            tail: Vec::new(),
        }
    }

    /// The start of a text, before its records.
    pub fn begin(dialect: Arc<Dialect>, head: Option<Vec<u8>>) -> Self {
        Self {
            head,
            records: Records::Compared(Vec::new()),
            ..Self::values(dialect)
        }
    }
}

/// The records of a block of text.
#[derive(Debug)]
pub enum Records {
    /// Not kept: only their values are.
    Values,
    /// Already compared: the rows that print differently, in order, and their patches.
    Compared(Vec<(u32, Vec<u8>)>),
    /// To be compared when the types of columns are known. Record `r` starts where the previous one ends, the first at
    /// 0.
    Text(RecordTexts),
}

/// Records to be compared with their printed form.
#[derive(Debug)]
pub struct RecordTexts {
    /// The text.
    pub text: TextBlock,
    /// The end of each record in it.
    pub ends: Box<[u32]>,
    /// The rows whose layout may deviate from the dialect, apart from the order of their members; `None` if any row
    /// may.
    pub odd: Option<Box<[u32]>>,
    /// The outlines of records of JSON.
    pub outlines: Option<Box<Outlines>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(text: &str) -> Option<JsonStyle> {
        match Dialect::from_metadata(text)? {
            Dialect::Json(style) => Some(style),
            Dialect::Csv(_) => None,
        }
    }

    #[test]
    fn usual_styles_have_short_names() {
        for text in [
            "csv",
            "tsv",
            "csv crlf",
            "tsv crlf {\"header\":false}",
            "csv {\"quoted\":true}",
            "tsv crlf {\"encoding\":\"utf-16le\"}",
            "json 2 {\"encoding\":\"windows-1252\"}",
            "json {\"records\":\"data.items\"}",
            "ndjson",
            "ndjson spaced",
            "json 4",
            "json tab",
            "json ruby",
            "json 2 {\"arrays\":{\"empty\":\" \"}}",
            "document 2 {\"ascii\":true}",
            "document",
        ] {
            let dialect = Dialect::from_metadata(text).unwrap();
            assert_eq!(dialect.to_metadata(), text);
        }
        for text in [
            "csv 4",
            "json 9",
            "json crlf",
            "xml",
            "json 4 {\"array\":false}}",
            "json 4{",
            "csv {\"encoding\":\"utf-7\"}",
        ] {
            assert_eq!(Dialect::from_metadata(text), None, "{text}");
        }
    }

    #[test]
    fn styles_that_were_spelled_out_are_the_same() {
        for (spelled, named) in [
            ("csv {\"line_end\":\"\\r\\n\"}", "csv crlf"),
            (
                "ndjson {\"colon\":\": \",\"comma\":\", \"}",
                "ndjson spaced",
            ),
            (
                "json {\"between\":\",\\n  \",\"colon\":\": \",\"indent\":\"  \",\"depth\":1,\"lines\":true}",
                "json 2",
            ),
            (
                "json {\"array\":false,\"colon\":\": \",\"indent\":\"    \",\"lines\":true}",
                "document 4",
            ),
        ] {
            let dialect = Dialect::from_metadata(spelled).unwrap();
            assert_eq!(dialect.to_metadata(), named);
            assert_eq!(Dialect::from_metadata(named), Some(dialect));
        }
        let ruby = style("json ruby").unwrap();
        assert_eq!((&*ruby.objects.empty, &*ruby.arrays.empty), ("\n", "\n\n"));
        assert_eq!(style("document").map(|style| style.document), Some(true));
    }
}
