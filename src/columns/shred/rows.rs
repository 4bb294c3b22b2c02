//! What a walk over rows of JSON finds.

use crate::columns::span::Span;
use crate::text::json::scan::Fault;

pub(crate) const NO_OBJECT: &str = "expected an object, as in the rows before";
pub(crate) const TOO_MANY_KEYS: &str = "the rows have too many different keys to become columns";

/// Spans by column, kept from block to block for their memory.
#[derive(Debug, Default)]
pub struct JsonScratch {
    pub(crate) columns: Vec<Vec<Span>>,
}

/// Takes the rows of a block one by one.
pub(crate) trait Walk<'a> {
    /// The text ends here for now.
    fn limit(&mut self, text: &'a [u8]);

    /// A row that is any value; returns the offset after it.
    fn value(&mut self, at: usize) -> Result<usize, Fault>;

    /// A row that is an object; returns the offset after it.
    fn object(&mut self, at: usize) -> Result<usize, Fault>;
}
