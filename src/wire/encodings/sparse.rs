//! Sparse: one value in many rows, and the exceptions. Other encodings share its handling of exceptions. Layout:
//! man/mbt-format.5, "sparse".

use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::wire::choose::{Bans, Child, NumberRun, NumberSearch, WORTHWHILE, approximate_entropy};

/// `value` in many rows. Children: the positions of the exceptions in ascending order, and the exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sparse {
    /// The common value.
    pub value: i64,
}

pub(super) const INFO: Info = Info::of(8, "sparse", &[ValueKind::Ints]).counting(0);

impl Scheme for Sparse {
    parameters!(value);

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![
            (ValueKind::Ints, run.count),
            (ValueKind::Ints, run.count),
        ])
    }

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [positions, exceptions] = node.parts()?;
        let start = out.len();
        let positions = self::positions(positions, node.len)?;
        let exceptions = exceptions.ints()?;
        out.resize(start + node.len, self.value);
        patch(&mut out[start..], &positions, &exceptions);
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let cascade = search.cascade;
        if !search.may_nest(Bans::SPARSE) {
            return;
        }
        let repeats = search.repeats();
        let value = repeats.common;
        let share = repeats.most as f64 / repeats.sampled.max(1) as f64;
        let is_frequent = share > LEAST_SHARE && repeats.most >= LEAST_REPEATS;
        let is_promising = share > CLEAR_SHARE
            || repeats.sampled < FEW
            || is_frequent
                && approximate_bits(search.sample, value, share) < WORTHWHILE * search.least_bits();
        if !is_promising {
            return;
        }
        let (positions, others) = exceptions(search.values, value);
        let cascade = cascade.deeper().without(Bans::SPARSE);
        let parts = vec![Child::new(positions, cascade), Child::new(others, cascade)];
        search.nested(Self { value }, parts);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let (positions, others) = exceptions(run.values, self.value);
        (others.len() as f64 <= (1.0 - LEAST_SHARE) * run.values.len() as f64).then_some(())?;
        let parts = vec![run.child(0, &positions)?, run.child(1, &others)?];
        Some(run.node(self.clone(), parts))
    }
}

/// If the common value has a larger share of the rows, a candidate is always worth its time; with at most the least
/// share, it never is. In between, an approximation of its size decides.
const CLEAR_SHARE: f64 = 0.75;
const LEAST_SHARE: f64 = 0.125;

/// A value that occurs less often is not frequent, whatever its share.
const LEAST_REPEATS: usize = 16;

/// With fewer values, a candidate costs no time to speak of.
const FEW: usize = 4;

/// The approximate number of bits per value if `value` has this share of the rows: the entropy of where it is, and the
/// other values.
fn approximate_bits(sample: &[i64], value: i64, share: f64) -> f64 {
    let others = sample.iter().copied().filter(|&other| other != value);
    let least = others.clone().min().unwrap_or_default();
    let others = approximate_entropy(others.map(|other| other.wrapping_sub(least) as u64));
    let rest = 1.0 - share;
    let positions = -(share * share.log2() + rest * rest.log2());
    positions + rest * others
}

/// The positions of values other than `value`, and these values.
pub fn exceptions(values: &[i64], value: i64) -> (Vec<i64>, Vec<i64>) {
    // Counted first, so that each list is allocated once.
    let count = values.iter().filter(|&&other| other != value).count();
    let (mut positions, mut exceptions) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (row, &other) in values.iter().enumerate() {
        if other != value {
            positions.push(row as i64);
            exceptions.push(other);
        }
    }
    (positions, exceptions)
}

/// Puts the exceptions in place.
pub(super) fn patch(values: &mut [i64], positions: &[i64], exceptions: &[i64]) {
    for (&position, &exception) in positions.iter().zip(exceptions) {
        values[position as usize] = exception;
    }
}

/// The positions of the exceptions, checked to be ascending and below `len`.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if a check fails.
pub(super) fn positions(node: &Node, len: usize) -> Result<Vec<i64>> {
    let positions = node.ints()?;
    let mut next = 0;
    for &position in &positions {
        if position < next || position as u64 >= len as u64 {
            return Err(Error::corrupt("an exception has an invalid position"));
        }
        next = position + 1;
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::choose::{Cascade, Preset};
    use crate::wire::codec::SectionCodec;
    use crate::wire::encodings::Encoding;

    /// Numbers below 3000, with a zero in about `percent` of 100 rows.
    fn zeros(percent: u64, rows: usize) -> Vec<i64> {
        let mut state = 1_u64;
        let mut next = move |end| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) % end
        };
        let value = || {
            let is_zero = next(100) < percent;
            if is_zero { 0 } else { next(3000) as i64 }
        };
        std::iter::repeat_with(value).take(rows).collect()
    }

    #[test]
    fn a_frequent_value_among_noise_is_separated() {
        let cascade = Cascade::new(Preset::Balanced, SectionCodec::Zstd(3));
        for (percent, rows) in [(30, 20_000), (50, 300), (70, 20_000), (90, 300)] {
            let values = zeros(percent, rows);
            let node = cascade.ints(&values, None);
            assert_eq!(node.ints().unwrap(), values);
            assert_eq!(node.encoding, Sparse { value: 0 }.into(), "{percent}");
            // The choice also suits a later frame with a few more or fewer of them, but not one with hardly any.
            let later = zeros(percent - 10, rows);
            let node = cascade.ints(&later, Some(&node));
            assert_eq!(node.ints().unwrap(), later);
            assert_eq!(node.encoding, Sparse { value: 0 }.into(), "{percent}");
            let others = zeros(5, rows);
            let node = cascade.ints(&others, Some(&node));
            assert_eq!(node.ints().unwrap(), others);
            assert!(!matches!(node.encoding, Encoding::Sparse(_)), "{percent}");
        }
    }
}
