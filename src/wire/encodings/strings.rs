//! Strings: one call for all their encodings.

use super::{Node, Strings};
use crate::error::{Error, Result};

/// Appends the values of a run of strings.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run does not hold what it says, and
/// [`crate::error::Kind::Limit`] if the strings hold more than `max_bytes` bytes.
pub fn decode(node: &Node, _max_bytes: usize, _out: &mut Strings) -> Result<()> {
    Err(Error::corrupt(format!(
        "{:?} is no encoding of strings",
        node.encoding
    )))
}
