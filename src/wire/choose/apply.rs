//! Applies a choice to other values: one made on a sample to the whole run, or one made for a frame to the next frame.
//!
//! Parameters that depend on the values (bases, widths, entries) are computed again; only the search is
//! saved. Parts that the choice no longer fits are searched again.

use super::{Cascade, Trials, numbers as choose_numbers};
use crate::columns::statistics::extremes;
use crate::wire::encodings::scheme::Shape;
use crate::wire::encodings::{ByteStrings, Encoding, Node, ValueKind, bit_packed, bytes, constant};

/// A run of numbers that is encoded like another one.
pub(crate) struct NumberRun<'a> {
    /// Integers or floats.
    pub kind: ValueKind,
    /// The values, at least one.
    pub values: &'a [i64],
    /// The node of the other run.
    pub choice: &'a Node,
    cascade: Cascade,
}

impl NumberRun<'_> {
    /// The minimum, and the number of bits of the values relative to it.
    pub(crate) fn base_and_width(&self) -> (i64, u8) {
        let (min, max) = extremes(self.values.iter().copied()).unwrap_or_default();
        (min, bit_packed::width_of(max.wrapping_sub(min) as u64))
    }

    /// Encodes a child like the same child of the choice; `None` if the choice has no such child.
    pub(crate) fn child(&self, at: usize, values: &[i64]) -> Option<Node> {
        self.child_with(at, values, self.cascade.deeper())
    }

    /// False if there are many more exceptions than in the choice, whose child `at` has their positions: the
    /// values probably have more digits now.
    pub(crate) fn allows(&self, at: usize, exceptions: &[i64]) -> bool {
        let found = exceptions.len();
        let before = self.choice.children.get(at).map_or(0, |child| child.len);
        found / 2 <= before || found <= self.values.len() / 64
    }

    /// The run with an encoding and children, encoded.
    pub(crate) fn node(&self, encoding: impl Into<Encoding>, children: Vec<Node>) -> Node {
        Node::of_children(encoding, self.values.len(), children)
    }

    /// Encodes the integers that floats become: the first child, with all encodings that a column of integers can have.
    pub(crate) fn as_ints(&self, values: &[i64]) -> Option<Node> {
        self.child_with(0, values, self.cascade)
    }

    fn child_with(&self, at: usize, values: &[i64], cascade: Cascade) -> Option<Node> {
        let choice = self.choice.children.get(at)?;
        let shape = Shape {
            kind: self.kind,
            len: self.choice.len,
            count: 0,
        };
        let children = self.choice.encoding.scheme().children(shape).ok()?;
        let (kind, _) = *children.get(at)?;
        Some(numbers(choice, kind, values, cascade))
    }

    fn encode(&self) -> Option<Node> {
        if self.values.is_empty() {
            return None;
        }
        // A sequence also covers equal values.
        if self.kind == ValueKind::Ints
            && !matches!(self.choice.encoding, Encoding::Sequence(_))
            && let Some(node) = constant::encode(self.values)
        {
            return Some(node);
        }
        self.choice.encoding.scheme().apply_numbers(self)
    }
}

/// Encodes the values like `choice`.
pub(super) fn numbers(choice: &Node, kind: ValueKind, values: &[i64], cascade: Cascade) -> Node {
    let run = NumberRun {
        kind,
        values,
        choice,
        cascade,
    };
    match run.encode() {
        Some(node) => with_codec(node, choice),
        None => choose_numbers::search(kind, values, cascade, &mut Trials::ignored()).node,
    }
}

/// The node, with the codec of `choice` if that has the same encoding.
fn with_codec(mut node: Node, choice: &Node) -> Node {
    if std::mem::discriminant(&node.encoding) == std::mem::discriminant(&choice.encoding) {
        node.hints.codec = choice.hints.codec;
    }
    node
}

/// Encodes the values like `choice`; `None` if the choice no longer fits.
pub(super) fn strings(choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
    if values.data.is_empty() {
        return Some(bytes::encode(values, cascade, Some(choice)));
    }
    let node = choice
        .encoding
        .scheme()
        .apply_strings(choice, values, cascade)?;
    Some(with_codec(node, choice))
}
