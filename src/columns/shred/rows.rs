//! The interface of a walk over rows of JSON.

use crate::columns::span::Span;
use crate::text::json::scan::Fault;

pub(crate) const NO_OBJECT: &str = "expected an object, as in the rows before";
pub(crate) const TOO_MANY_KEYS: &str = "the rows have too many different keys to become columns";

/// The first row has more keys than [`Paths::limit_keys`](super::Paths::limit_keys) allows.
pub(crate) const FIRST_ROW_IS_WIDE: &str = "the first row has many keys";

/// Memory for spans, reused between blocks.
#[derive(Debug, Default)]
pub struct JsonScratch {
    pub(crate) columns: Vec<Vec<Span>>,
}

/// Visits the rows of a block one by one.
pub(crate) trait RowWalk<'a> {
    /// Sets the text that may be read.
    fn limit(&mut self, text: &'a [u8]);

    /// Reads a row that is any value; returns the offset after it.
    fn value(&mut self, at: usize) -> Result<usize, Fault>;

    /// Reads a row that is an object; returns the offset after it.
    fn object(&mut self, at: usize) -> Result<usize, Fault>;
}
