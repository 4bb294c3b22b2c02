//! Delta: the first value, then the differences from row to row.
//!
//! For sorted and slowly moving columns; nested, it is delta of second order.
//! Layout: man/mbt-format.5, "delta".

use super::{Encoding, Node, ints};
use crate::error::{Error, Result};

/// The differences, one fewer than there are values.
pub fn differences(values: &[i64]) -> Vec<i64> {
    values
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]))
        .collect()
}

/// Joins the first value and the encoded differences.
pub fn node(first: i64, differences: Node) -> Node {
    let len = differences.len + 1;
    Node::of_children(Encoding::Delta { first }, len, vec![differences])
}

/// Appends the values.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the differences cannot be decoded.
pub fn decode(node: &Node, first: i64, out: &mut Vec<i64>) -> Result<()> {
    let [differences] = node.parts()?;
    if differences.len.checked_add(1) != Some(node.len) {
        return Err(Error::corrupt("delta with too many or too few differences"));
    }
    let start = out.len();
    out.reserve(node.len);
    out.push(first);
    ints::decode(differences, out)?;
    let mut value = 0_i64;
    for slot in &mut out[start..] {
        value = value.wrapping_add(*slot);
        *slot = value;
    }
    Ok(())
}
