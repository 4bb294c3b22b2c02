//! The choice for runs of strings.

use super::{Cascade, Trial};
use crate::wire::encodings::{Encoding, Node, Strings};

/// Encodes the values in the cheapest way found and tells what was tried at this depth.
pub fn choose(values: &Strings, cascade: Cascade, _trials: &mut Vec<Trial>) -> Node {
    let lengths: Vec<i64> = values.iter().map(|row| row.len() as i64).collect();
    let mut node = Node::of_bytes(Encoding::Bytes, values.len(), values.data.clone());
    node.children.push(cascade.deeper().ints(&lengths));
    node
}
