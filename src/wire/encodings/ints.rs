//! Whole numbers: one call for all their encodings.

use super::Node;
use crate::error::{Error, Result};

/// Appends the values of a run of whole numbers.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run does not hold what it says.
pub fn decode(node: &Node, _out: &mut Vec<i64>) -> Result<()> {
    Err(Error::corrupt(format!(
        "{:?} is no encoding of whole numbers",
        node.encoding
    )))
}
