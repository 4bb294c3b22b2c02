//! Applying a choice to other values: a sample's to the whole run, a frame's to the next.
//!
//! What depends on the values (bases, widths, entries) is found anew; only the search is saved. A part
//! that the choice no longer fits is searched.

use super::{Cascade, Trials, floats as choose_floats, ints as choose_ints};
use crate::columns::statistics::extremes;
use crate::wire::encodings::{ByteStrings, Encoding, Node, bit_packed, bytes, constant};

/// A run of whole numbers that is to be encoded as another one was.
pub(crate) struct IntRun<'a> {
    /// The values, at least one.
    pub values: &'a [i64],
    /// The least value.
    pub min: i64,
    max: i64,
    choice: &'a Node,
    /// For the children.
    cascade: Cascade,
}

impl IntRun<'_> {
    /// Bits of the values above the least.
    pub(crate) fn width(&self) -> u8 {
        bit_packed::width_of(self.max.wrapping_sub(self.min) as u64)
    }

    /// Encodes a child as that of the choice; `None` if it has no such child.
    pub(crate) fn child(&self, at: usize, values: &[i64]) -> Option<Node> {
        let choice = self.choice.children.get(at)?;
        Some(ints(choice, values, self.cascade))
    }
}

/// A run of floats that is to be encoded as another one was.
pub(crate) struct FloatRun<'a> {
    /// The values, at least one.
    pub values: &'a [f64],
    /// How the other run was encoded.
    pub choice: &'a Node,
    /// The cascade of the run itself.
    pub cascade: Cascade,
}

impl FloatRun<'_> {
    /// Encodes a child as that of the choice; `None` if it has no such child.
    pub(crate) fn child(&self, at: usize, values: &[i64], cascade: Cascade) -> Option<Node> {
        Some(ints(self.choice.children.get(at)?, values, cascade))
    }
}

/// Encodes the values as `choice` is encoded.
pub(super) fn ints(choice: &Node, values: &[i64], cascade: Cascade) -> Node {
    let search = || choose_ints::choose(values, cascade, &mut Trials::ignored());
    try_ints(choice, values, cascade).unwrap_or_else(search)
}

fn try_ints(choice: &Node, values: &[i64], cascade: Cascade) -> Option<Node> {
    let (min, max) = extremes(values.iter().copied())?;
    // Equal values are a sequence, too.
    if min == max && !matches!(choice.encoding, Encoding::Sequence(_)) {
        return constant::encode(values);
    }
    choice.encoding.apply_ints(&IntRun {
        values,
        min,
        max,
        choice,
        cascade: cascade.deeper(),
    })
}

/// Encodes the values as `choice` is encoded.
pub(super) fn floats(choice: &Node, values: &[f64], cascade: Cascade) -> Node {
    let run = FloatRun {
        values,
        choice,
        cascade,
    };
    let applied = (!values.is_empty()).then(|| choice.encoding.apply_floats(&run));
    applied
        .flatten()
        .unwrap_or_else(|| choose_floats::choose(values, cascade, &mut Trials::ignored()))
}

/// Encodes the values as `choice` is encoded; `None` if the choice no longer fits.
pub(super) fn strings(choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
    if values.data.is_empty() {
        return Some(bytes::encode(values, cascade, Some(choice)));
    }
    choice.encoding.apply_strings(choice, values, cascade)
}
