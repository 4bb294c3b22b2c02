//! Bytes: plain strings, as lengths and all bytes end to end.
//!
//! Used when nothing better applies, and for the strings inside other encodings. It stores lengths rather than offsets,
//! since lengths are small and often repeat. Layout: man/mbt-format.5, "bytes".

use super::scheme::{BufferClass, Info, Scheme, Shape, parameters};
use super::strings::{ByteStrings, ensure_room, lengths, push_offsets};
use super::{Node, ValueKind};
use crate::error::Result;
use crate::wire::choose::{Cascade, StringSearch};

/// The child contains the lengths in bytes, the buffer all bytes end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes;

pub(super) const INFO: Info =
    Info::of(32, "bytes", &[ValueKind::Strings]).with_buffer(BufferClass::Text);

impl Scheme for Bytes {
    parameters!();

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(ValueKind::Ints, run.len)])
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        decode_offsets(node, max_bytes, out)?;
        out.data.extend_from_slice(&node.buffer);
        Ok(())
    }

    fn propose_strings(search: &mut StringSearch<'_>) {
        search.add(|values, cascade, choice| Some(encode(values, cascade, choice)));
    }

    fn apply_strings(&self, choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
        Some(encode(values, cascade, Some(choice)))
    }
}

/// Appends the offsets of strings, for bytes that are appended next.
pub(super) fn decode_offsets(node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
    let [lengths] = node.parts()?;
    let total = node.buffer.len();
    ensure_room(total as u64, max_bytes, out)?;
    push_offsets(&lengths.ints()?, total, out)
}

/// Writes any strings, with lengths as in `choice`, another node of this encoding.
pub fn encode(values: &ByteStrings, cascade: Cascade, choice: Option<&Node>) -> Node {
    let choice = choice.and_then(|choice| choice.children.first());
    let mut node = Node::of_bytes(Bytes, values.len(), values.data.clone());
    node.children = vec![cascade.deeper().ints(&lengths(values), choice)];
    node
}
