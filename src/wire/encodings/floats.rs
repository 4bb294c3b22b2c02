//! Decodes runs of floats.

use super::Node;
use crate::error::Result;

/// Appends the values of a run of floats, `node.len` of them, bit for bit.
///
/// The caller must bound `node.len`, since memory for that many values is allocated.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run is inconsistent; the values appended until then are invalid.
pub fn decode(node: &Node, out: &mut Vec<f64>) -> Result<()> {
    node.encoding.scheme().decode_floats(node, out)
}
