//! Same bytes back: what is kept of a text besides its values.
//!
//! Columns hold values in exact spellings, but a text is more than its values: quotes, line ends,
//! white space. A [`Dialect`] says how the text as a whole is written, and columns that are printed
//! in it give most texts back to the byte. Where a record stands otherwise, a [`patch`] tells the
//! difference; what comes before the first record is the head, what is left behind the last one the
//! tail.
//!
//! The text of a record is all that lies between the records next to it. Printed in a dialect,
//! records follow one another without anything between.

mod fingerprint;
mod gathered;
pub mod patch;
mod printer;

pub use fingerprint::{Fingerprint, Fingerprinter};
pub use gathered::{Gathered, Patches, Texts, patch_column};
pub use printer::Printer;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::csv::CsvStyle;
use super::json::JsonStyle;
use super::span::Block;

/// Metadata key of a batch: the [`Dialect`] of the text that it was read from.
pub const TEXT: &str = "mbt.text";
/// Metadata key of the batch that begins a text: the head. It is there even if the head is empty.
pub const HEAD: &str = "mbt.head";
/// Stands for a head as the dialect prints it; no head is kept as metadata that is this itself.
pub const USUAL_HEAD: &str = "=";

/// How a text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// CSV, or TSV if the delimiter is a tab.
    Csv(CsvStyle),
    /// JSON or NDJSON.
    Json(JsonStyle),
}

impl Dialect {
    /// The name of the format: `csv`, `tsv`, `json` or `ndjson`.
    pub fn format(&self) -> &'static str {
        match self {
            Self::Csv(style) if style.delimiter == b'\t' => "tsv",
            Self::Csv(_) => "csv",
            Self::Json(style) if style.is_json() => "json",
            Self::Json(_) => "ndjson",
        }
    }

    /// Appends what comes behind the last record, if its text does not tell otherwise.
    pub fn end(&self, out: &mut Vec<u8>) {
        if let Self::Json(style) = self {
            style.end(out);
        }
    }

    /// The dialect as the value of [`TEXT`]: the name of the format, and a JSON object of what is not
    /// as usual in it.
    pub fn to_metadata(&self) -> String {
        let options = match self {
            Self::Csv(style) => style.options(),
            Self::Json(style) => style.options(),
        };
        let format = self.format();
        if options.is_empty() {
            format.to_owned()
        } else {
            format!("{format} {}", Value::Object(options))
        }
    }

    /// Reads what [`Self::to_metadata`] wrote; `None` if it is from a newer version, or none at all.
    pub fn from_metadata(text: &str) -> Option<Self> {
        let (format, options) = text.split_once(' ').unwrap_or((text, "{}"));
        let options: Map<String, Value> = serde_json::from_str(options).ok()?;
        match format {
            "csv" => CsvStyle::from_options(b',', &options).map(Self::Csv),
            "tsv" => CsvStyle::from_options(b'\t', &options).map(Self::Csv),
            "json" => JsonStyle::from_options(true, &options).map(Self::Json),
            "ndjson" => JsonStyle::from_options(false, &options).map(Self::Json),
            _ => None,
        }
    }
}

/// What is known of a text at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Of the whole text.
    pub fingerprint: Fingerprint,
    /// What comes behind the last record and belongs to none.
    pub tail: Vec<u8>,
}

/// What a block of text has besides its columns.
#[derive(Debug)]
pub struct SourceBlock {
    /// How the text is written.
    pub dialect: Arc<Dialect>,
    /// What comes before the first record, if the block begins the text. The first record of a text
    /// has nothing in front that separates it from another one.
    pub head: Option<Vec<u8>>,
    /// The records.
    pub records: Records,
    /// What comes behind the last record and belongs to none: empty lines. It goes before the next
    /// record, if there is one.
    pub tail: Vec<u8>,
}

/// The records of a block of text.
#[derive(Debug)]
pub enum Records {
    /// They were compared as they were read: the rows that print otherwise than they stand, in order,
    /// and their patches.
    Compared(Vec<(u32, Vec<u8>)>),
    /// They are to be compared once it is known how the columns print. Record `r` begins where the one
    /// before ends, the first at 0.
    Text {
        /// The text.
        text: Block,
        /// Where in it each record ends.
        ends: Vec<u32>,
    },
}
