//! Constant: all values are the same. Layout: man/mbt-format.5, "constant".

use super::scheme::{Info, Scheme, parameters};
use super::{Node, ValueKind};
use crate::error::Result;
use crate::wire::choose::{NumberRun, RunStats};

/// All values are `value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The value.
    pub value: i64,
}

pub(super) const INFO: Info = Info::of(1, "constant", &[ValueKind::Ints]);

impl Scheme for Constant {
    parameters!(value);

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        out.resize(out.len() + node.len, self.value);
        Ok(())
    }

    fn verdict(stats: &RunStats, _values: &[i64]) -> Option<Self> {
        (stats.runs == 1).then_some(Self { value: stats.min })
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        encode(run.values)
    }
}

/// A run without values.
pub fn empty() -> Node {
    Node::leaf(Constant { value: 0 }, 0)
}

/// The value, if all are the same.
pub fn encode(values: &[i64]) -> Option<Node> {
    let (&value, rest) = values.split_first()?;
    rest.iter()
        .all(|&other| other == value)
        .then(|| Node::leaf(Constant { value }, values.len()))
}
