//! Floats: one call for all their encodings.

use super::Node;
use crate::error::Result;

/// Appends the values of a run of floats, `node.len` of them, bit for bit.
///
/// The caller bounds `node.len`; memory is taken for as many values.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run does not hold what it says; whatever was appended until
/// then is of no use.
pub fn decode(node: &Node, out: &mut Vec<f64>) -> Result<()> {
    node.encoding.decode_floats(node, out)
}
