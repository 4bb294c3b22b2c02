//! How a JSON text is written: white space, escapes, and what separates its rows.
//!
//! A style describes text as programs write it: the white space around commas, colons and brackets is the same
//! everywhere, although it may differ between objects and arrays, and each item may be on its own line.

mod deviations;
mod layout;

pub use super::escape::Escapes;
use crate::text::encoding::TextEncoding;
pub(crate) use layout::Container;

/// How a JSON text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct JsonStyle {
    /// The text is one array of rows; otherwise the rows follow one another.
    pub array: bool,
    /// The text is a JSON document, usually of a single row, and not NDJSON.
    pub document: bool,
    /// The encoding.
    pub encoding: TextEncoding,
    /// True for UTF-16 without a byte order mark.
    pub unmarked: bool,
    /// The path of keys to the rows within a document.
    pub records: Option<Box<str>>,
    /// Bytes between two rows: in an array before each row but the first, otherwise after each row.
    pub between: String,
    /// The colon and the white space around it.
    pub colon: Box<str>,
    /// The white space in objects.
    pub objects: Spacing,
    /// The white space in arrays.
    pub arrays: Spacing,
    /// The indentation of one level.
    pub indent: Box<str>,
    /// Lines end in CR LF instead of LF.
    pub crlf: bool,
    /// Number of levels around each row.
    pub depth: usize,
    /// How strings are written.
    pub escapes: Escapes,
}

/// The white space of objects or of arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spacing {
    /// The comma and the white space around it, without line breaks and indentation.
    pub comma: Box<str>,
    /// Each item is on its own line.
    pub lines: bool,
    /// White space inside the brackets, if items are not on their own lines.
    pub pad: Box<str>,
    /// White space inside brackets without items; a line end is followed by indentation.
    pub empty: Box<str>,
}

impl Spacing {
    /// No white space.
    pub(crate) fn compact() -> Self {
        Self {
            comma: ",".into(),
            lines: false,
            pad: "".into(),
            empty: "".into(),
        }
    }
}

impl JsonStyle {
    /// The compact style: NDJSON, or one array.
    pub fn compact(array: bool) -> Self {
        Self {
            array,
            document: false,
            encoding: TextEncoding::Utf8,
            unmarked: false,
            records: None,
            between: if array { "," } else { "\n" }.to_owned(),
            colon: ":".into(),
            objects: Spacing::compact(),
            arrays: Spacing::compact(),
            indent: "".into(),
            crlf: false,
            depth: 0,
            escapes: Escapes::default(),
        }
    }

    /// Compact rows, one per line.
    pub fn lines() -> Self {
        Self::compact(false)
    }

    /// One array of rows without white space.
    pub fn array() -> Self {
        Self::compact(true)
    }

    /// True for JSON, false for NDJSON, whose rows follow one another.
    pub fn is_json(&self) -> bool {
        self.array || self.document
    }

    /// True if values have no white space and only the required escapes.
    pub(crate) fn is_plain(&self) -> bool {
        let compact = Spacing::compact();
        self.objects == compact
            && self.arrays == compact
            && &*self.colon == ":"
            && self.escapes == Escapes::default()
    }

    /// The indentation of each row in an array, if rows are on their own lines.
    pub(crate) fn line_of_rows(&self) -> Option<&str> {
        let (_, after) = self.between.split_once(',')?;
        after.starts_with(['\r', '\n']).then_some(after)
    }

    /// Prints the default head of a text.
    pub fn begin(&self, out: &mut Vec<u8>) {
        if self.array {
            out.push(b'[');
            let before = self.line_of_rows().unwrap_or(&self.arrays.pad);
            out.extend_from_slice(before.as_bytes());
        }
    }

    /// Prints the default tail of a text. If rows are on their own lines, so is the last bracket.
    pub fn end(&self, out: &mut Vec<u8>) {
        if !self.array {
            return;
        }
        if self.line_of_rows().is_some() {
            self.line(self.depth.saturating_sub(1), out);
            out.push(b']');
            self.line(0, out);
        } else {
            out.extend_from_slice(self.arrays.pad.as_bytes());
            out.push(b']');
        }
    }

    /// True if the text after the last row only closes the array of rows.
    pub fn is_end(&self, tail: &[u8]) -> bool {
        self.array && self.records.is_none() && tail.trim_ascii() == b"]"
    }
}
