//! Sequence: evenly spaced values, such as row numbers and regular timestamps. Layout: man/mbt-format.5, "sequence".

use super::scheme::{Info, Scheme, parameters};
use super::{Node, ValueKind};
use crate::error::Result;
use crate::wire::choose::{NumberRun, RunStats};

/// Row i is `base + i * step`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Row 0.
    pub base: i64,
    /// The difference between adjacent rows.
    pub step: i64,
}

pub(super) const INFO: Info = Info::of(2, "sequence", &[ValueKind::Ints]);

impl Scheme for Sequence {
    parameters!(base, step);

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let Self { base, step } = *self;
        out.extend((0..node.len).map(|row| base.wrapping_add(step.wrapping_mul(row as i64))));
        Ok(())
    }

    fn verdict(stats: &RunStats, values: &[i64]) -> Option<Self> {
        let (step, &base) = (stats.min_step, values.first()?);
        (step == stats.max_step).then_some(Self { base, step })
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        encode(run.values)
    }
}

/// Row 0 and the step, if they determine all rows.
pub fn encode(values: &[i64]) -> Option<Node> {
    let [base, second, ..] = *values else {
        return None;
    };
    let step = second.wrapping_sub(base);
    values
        .windows(2)
        .all(|pair| pair[1].wrapping_sub(pair[0]) == step)
        .then(|| Node::leaf(Sequence { base, step }, values.len()))
}
