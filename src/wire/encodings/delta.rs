//! Delta: the first value, then the differences between adjacent rows.
//!
//! Suits sorted and slowly changing columns; nested, it is delta of second order.
//! Layout: man/mbt-format.5, "delta".

use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::varint::zigzag;
use crate::wire::choose::{Child, NumberRun, NumberSearch, mean_bits};

/// `first`, then the differences between adjacent rows. Children: differences (`len - 1`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// Row 0.
    pub first: i64,
}

pub(super) const INFO: Info = Info::of(5, "delta", &[ValueKind::Ints]);

impl Scheme for Delta {
    parameters!(first);

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        let differences = run
            .len
            .checked_sub(1)
            .ok_or_else(|| Error::corrupt("delta without values"))?;
        Ok(vec![(ValueKind::Ints, differences)])
    }

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [differences] = node.parts()?;
        let start = out.len();
        out.reserve(node.len);
        out.push(self.first);
        differences.decode_numbers(ValueKind::Ints, out)?;
        let mut value = 0_i64;
        for slot in &mut out[start..] {
            value = value.wrapping_add(*slot);
            *slot = value;
        }
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        if !search.cascade.may_nest() || search.values.len() < 3 {
            return;
        }
        let mut steps = search.sampled_differences();
        let least = search.stats().min;
        let offsets = search
            .sample
            .iter()
            .map(|value| value.wrapping_sub(least) as u64);
        let plain = mean_bits(offsets);
        let stepwise = mean_bits(steps.iter().map(|&step| zigzag(step)));
        if stepwise >= plain {
            return;
        }
        let first = search.values[0];
        let cascade = search.cascade.deeper();
        let part = if search.is_whole() {
            Child::whole(ValueKind::Ints, &steps, cascade)
        } else {
            // Include the extremes, so that widths are the same as for the whole run.
            steps.extend([search.stats().min_step, search.stats().max_step]);
            Child::derived(&steps, search.values.len() - 1, differences, cascade)
        };
        search.nested(Self { first }, vec![part]);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let first = *run.values.first()?;
        let differences = run.child(0, &differences(run.values))?;
        Some(run.node(Self { first }, vec![differences]))
    }
}

/// The differences, one fewer than there are values.
pub fn differences(values: &[i64]) -> Vec<i64> {
    values
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]))
        .collect()
}
