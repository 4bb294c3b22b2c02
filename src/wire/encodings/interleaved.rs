//! Interleaved: alternating values, such as x and y of coordinates in one list. Layout: man/mbt-format.5,
//! "interleaved".

use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::varint::zigzag;
use crate::wire::choose::{Bans, Child, NumberRun, NumberSearch, Preset, mean_bits};

/// Numbers of ways to try.
pub(crate) const WAYS: [usize; 3] = [2, 3, 4];

/// Row i is row `i / ways` of child `i % ways`; the number of rows is a multiple of `ways`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interleaved {
    /// Number of children, 2 to 16.
    pub ways: u8,
}

pub(super) const INFO: Info = Info::of(10, "interleaved", &[ValueKind::Ints, ValueKind::Floats]);

impl Scheme for Interleaved {
    parameters!(ways);

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        let ways = usize::from(self.ways);
        if !(2..=16).contains(&ways) || !run.len.is_multiple_of(ways) {
            return Err(Error::corrupt(
                "the parts of an interleaved column do not divide its rows",
            ));
        }
        Ok(vec![(run.kind, run.len / ways); ways])
    }

    fn decode_numbers(&self, node: &Node, kind: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let ways = node.children.len();
        let start = out.len();
        out.resize(start + node.len, 0);
        let mut values = Vec::new();
        for (way, child) in node.children.iter().enumerate() {
            values.clear();
            child.decode_numbers(kind, &mut values)?;
            for (slot, &value) in out[start + way..].iter_mut().step_by(ways).zip(&values) {
                *slot = value;
            }
        }
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let cascade = search.cascade;
        if !search.may_nest(Bans::INTERLEAVED) || cascade.preset == Preset::Fast {
            return;
        }
        // The mean difference between consecutive rows of a way, in bits.
        let bits = |ways: usize| {
            let pairs = search.sample.windows(ways + 1);
            mean_bits(pairs.map(|rows| zigzag(rows[ways].wrapping_sub(rows[0]))))
        };
        let len = search.values.len();
        let mut candidates = WAYS
            .into_iter()
            .filter(|&ways| len.is_multiple_of(ways) && len > 2 * ways)
            .peekable();
        if candidates.peek().is_none() {
            return;
        }
        let near = bits(1);
        let best = candidates
            .map(|ways| (bits(ways), ways))
            .filter(|(bits, _)| bits + 1.0 < near)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, best)) = best else {
            return;
        };
        let cascade = cascade.deeper().without(Bans::INTERLEAVED);
        let parts = ways(search.values, best)
            .into_iter()
            .map(|way| Child::new(way, cascade))
            .collect();
        search.nested(Self { ways: best as u8 }, parts);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let count = usize::from(self.ways);
        run.values.len().is_multiple_of(count).then_some(())?;
        // Splits off one way at a time, to need memory for only one.
        let children = (0..count)
            .map(|at| run.child(at, &way(run.values, at, count)))
            .collect::<Option<_>>()?;
        Some(run.node(self.clone(), children))
    }
}

/// Every `ways`-th value from each of the first `ways`.
pub fn ways(values: &[i64], ways: usize) -> Vec<Vec<i64>> {
    (0..ways).map(|at| way(values, at, ways)).collect()
}

/// Every `ways`-th value from the one at `start`.
fn way(values: &[i64], start: usize, ways: usize) -> Vec<i64> {
    // The length is a multiple of the number of ways.
    values.chunks_exact(ways).map(|row| row[start]).collect()
}
