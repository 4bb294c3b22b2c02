//! Floats: one call for all their encodings.

use super::Node;
use crate::error::{Error, Result};

/// Appends the values of a run of floats.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run does not hold what it says.
pub fn decode(node: &Node, _out: &mut Vec<f64>) -> Result<()> {
    Err(Error::corrupt(format!(
        "{:?} is no encoding of floats",
        node.encoding
    )))
}
