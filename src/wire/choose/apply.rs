//! Applies a choice to other values: one made on a sample to the whole run, or one made for a frame to the next frame.
//!
//! Parameters that depend on the values (bases, widths, entries) are computed again; only the search is saved. Parts
//! that the choice no longer fits are searched.

use super::{Cascade, Trials, floats as choose_floats, ints as choose_ints};
use crate::columns::statistics::extremes;
use crate::wire::encodings::{ByteStrings, Encoding, Node, bit_packed, bytes, constant};

/// A run of integers that is encoded like another one.
pub(crate) struct IntRun<'a> {
    /// The values, at least one.
    pub values: &'a [i64],
    /// The minimum.
    pub min: i64,
    max: i64,
    choice: &'a Node,
    /// The cascade for the children.
    cascade: Cascade,
}

impl IntRun<'_> {
    /// Number of bits of the values relative to the minimum.
    pub(crate) fn width(&self) -> u8 {
        bit_packed::width_of(self.max.wrapping_sub(self.min) as u64)
    }

    /// Encodes a child like that of the choice; `None` if the choice has no such child.
    pub(crate) fn child(&self, at: usize, values: &[i64]) -> Option<Node> {
        let choice = self.choice.children.get(at)?;
        Some(ints(choice, values, self.cascade))
    }
}

/// A run of floats that is encoded like another one.
pub(crate) struct FloatRun<'a> {
    /// The values, at least one.
    pub values: &'a [f64],
    /// The node of the other run.
    pub choice: &'a Node,
    /// The cascade of the run itself.
    pub cascade: Cascade,
}

impl FloatRun<'_> {
    /// Encodes a child like that of the choice; `None` if the choice has no such child.
    pub(crate) fn child(&self, at: usize, values: &[i64], cascade: Cascade) -> Option<Node> {
        Some(ints(self.choice.children.get(at)?, values, cascade))
    }
}

/// Encodes the values like `choice`.
pub(super) fn ints(choice: &Node, values: &[i64], cascade: Cascade) -> Node {
    let search = || choose_ints::choose(values, cascade, &mut Trials::ignored());
    try_ints(choice, values, cascade).map_or_else(search, |node| with_codec(node, choice))
}

/// The node with the codec of a choice that it was made like.
fn with_codec(mut node: Node, choice: &Node) -> Node {
    if std::mem::discriminant(&node.encoding) == std::mem::discriminant(&choice.encoding) {
        node.hints.codec = choice.hints.codec;
    }
    node
}

fn try_ints(choice: &Node, values: &[i64], cascade: Cascade) -> Option<Node> {
    let (min, max) = extremes(values.iter().copied())?;
    // A sequence also covers equal values.
    if min == max && !matches!(choice.encoding, Encoding::Sequence(_)) {
        return constant::encode(values);
    }
    choice.encoding.scheme().apply_ints(&IntRun {
        values,
        min,
        max,
        choice,
        cascade: cascade.deeper(),
    })
}

/// Encodes the values like `choice`.
pub(super) fn floats(choice: &Node, values: &[f64], cascade: Cascade) -> Node {
    let run = FloatRun {
        values,
        choice,
        cascade,
    };
    let applied = (!values.is_empty()).then(|| choice.encoding.scheme().apply_floats(&run));
    let search = || choose_floats::choose(values, cascade, &mut Trials::ignored());
    applied
        .flatten()
        .map_or_else(search, |node| with_codec(node, choice))
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
