//! How a JSON text is written: white space, escapes, and how its rows follow one another.
//!
//! A style is made for what programs write: what stands around commas, colons and brackets is the
//! same everywhere, but may differ between objects and arrays, and containers may put their items on
//! lines of their own.

mod layout;

pub use super::escape::Escapes;
pub(crate) use layout::Container;

/// Most levels that are indented: text that is nested deeper goes on at this depth, so that it
/// cannot grow beyond measure.
pub(crate) const MAX_LEVELS: usize = 64;

/// How a JSON text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonStyle {
    /// The text is one array of rows; else they follow one another.
    pub array: bool,
    /// The text is a JSON document all the same, mostly of one row: no NDJSON.
    pub document: bool,
    /// Bytes between two rows: in an array before each row but the first, else behind each.
    pub between: String,
    /// The colon and the white space around it.
    pub colon: Box<str>,
    /// How objects are written.
    pub objects: Spacing,
    /// How arrays are written.
    pub arrays: Spacing,
    /// What a level adds in front of a line.
    pub indent: Box<str>,
    /// Lines end in CR LF; else in LF.
    pub crlf: bool,
    /// Levels around each row.
    pub depth: usize,
    /// How strings are written.
    pub escapes: Escapes,
}

/// White space in objects or in arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spacing {
    /// The comma and the white space around it, but for what begins a line.
    pub comma: Box<str>,
    /// Each item stands on a line of its own.
    pub lines: bool,
    /// White space inside the brackets, if items have no lines of their own.
    pub pad: Box<str>,
    /// White space inside brackets without items; behind a line end comes the indentation.
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

    /// Rows that are compact, each in a line.
    pub fn lines() -> Self {
        Self::compact(false)
    }

    /// One array of rows without white space.
    pub fn array() -> Self {
        Self::compact(true)
    }

    /// True for what is called JSON; rows that follow one another are NDJSON.
    pub fn is_json(&self) -> bool {
        self.array || self.document
    }

    /// Values are printed without white space, and with no more escapes than must be.
    pub(crate) fn is_plain(&self) -> bool {
        let compact = Spacing::compact();
        self.objects == compact
            && self.arrays == compact
            && &*self.colon == ":"
            && self.escapes == Escapes::default()
    }

    /// What begins the line of each row in an array, if rows have lines of their own.
    pub(crate) fn line_of_rows(&self) -> Option<&str> {
        let (_, behind) = self.between.split_once(',')?;
        behind.starts_with(['\r', '\n']).then_some(behind)
    }

    /// What comes before the rows of a text that has no head of its own.
    pub fn begin(&self, out: &mut Vec<u8>) {
        if self.array {
            out.push(b'[');
            let before = self.line_of_rows().unwrap_or(&self.arrays.pad);
            out.extend_from_slice(before.as_bytes());
        }
    }

    /// What comes behind the rows of a text that has no tail of its own.
    pub fn end(&self, out: &mut Vec<u8>) {
        if self.array {
            match self.line_of_rows() {
                Some(_) => self.line(self.depth.saturating_sub(1), out),
                None => out.extend_from_slice(self.arrays.pad.as_bytes()),
            }
            out.push(b']');
        }
    }
}
