//! Decodes runs of integers.

use super::Node;
use crate::error::Result;

/// Appends the values of a run of integers, `node.len` of them.
///
/// The caller must bound `node.len`, since memory for that many values is allocated.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run is inconsistent; the values appended until then are invalid.
pub fn decode(node: &Node, out: &mut Vec<i64>) -> Result<()> {
    node.encoding.scheme().decode_ints(node, out)
}
