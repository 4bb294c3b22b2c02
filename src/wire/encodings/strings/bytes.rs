//! Strings as they are: lengths, and all bytes end to end.
//!
//! What is left when nothing better applies, and what other encodings of strings end in. Lengths
//! rather than offsets, since they are small and often repeat.

use super::{ensure_room, lengths, numbers, part, push_offsets};
use crate::error::Result;
use crate::wire::choose::Cascade;
use crate::wire::encodings::{Encoding, Node, Strings};

/// Writes any strings, lengths as in another node of the kind, if given.
pub fn encode(values: &Strings, cascade: Cascade, plan: Option<&Node>) -> Node {
    let plan = plan.and_then(|plan| plan.children.first());
    let mut node = Node::of_bytes(Encoding::Bytes, values.len(), values.data.clone());
    node.children = vec![cascade.deeper().ints_by(plan, &lengths(values))];
    node
}

/// Appends the values of a node.
///
/// # Errors
/// As [`super::decode`].
pub fn decode(node: &Node, max_bytes: usize, out: &mut Strings) -> Result<()> {
    let total = node.buffer.len();
    ensure_room(total as u64, max_bytes, out)?;
    let lengths = numbers(part(node, 0, node.len)?)?;
    push_offsets(&lengths, total, out)?;
    out.data.extend_from_slice(&node.buffer);
    Ok(())
}
