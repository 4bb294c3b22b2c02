//! Interleaved: values that take turns, such as the x and y of coordinates in one list.
//! Layout: man/mbt-format.5, "interleaved".

use super::{Encoding, Node};
use crate::error::{Error, Result};

/// Every `ways`-th value from each of the first `ways`.
pub fn ways<T: Copy>(values: &[T], ways: usize) -> Vec<Vec<T>> {
    (0..ways)
        .map(|way| values.iter().skip(way).step_by(ways).copied().collect())
        .collect()
}

/// Joins the encoded ways, all of one length.
pub fn node(children: Vec<Node>) -> Node {
    let len = children.iter().map(|child| child.len).sum();
    let ways = children.len() as u8;
    Node::of_children(Encoding::Interleaved { ways }, len, children)
}

/// Appends the values; `decode_way` appends those of one way.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the interleaved parts do not add up to the column.
pub fn decode<T: Copy + Default>(
    node: &Node,
    out: &mut Vec<T>,
    decode_way: impl Fn(&Node, &mut Vec<T>) -> Result<()>,
) -> Result<()> {
    let ways = node.children.len();
    if ways == 0
        || !node.len.is_multiple_of(ways)
        || node
            .children
            .iter()
            .any(|child| child.len != node.len / ways)
    {
        return Err(Error::corrupt(
            "the interleaved parts do not add up to the column",
        ));
    }
    let start = out.len();
    out.resize(start + node.len, T::default());
    let mut values = Vec::new();
    for (way, child) in node.children.iter().enumerate() {
        values.clear();
        decode_way(child, &mut values)?;
        for (slot, &value) in out[start + way..].iter_mut().step_by(ways).zip(&values) {
            *slot = value;
        }
    }
    Ok(())
}
