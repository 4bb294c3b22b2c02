//! Sparse: one value in almost all rows, and the exceptions. Other encodings share its handling of exceptions. Layout:
//! man/mbt-format.5, "sparse".

use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::wire::choose::{Bans, Child, NumberRun, NumberSearch};

/// `value` in almost all rows. Children: the positions of the exceptions in ascending order, and the exceptions.
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
        if repeats.most <= repeats.sampled / 4 * 3 {
            return;
        }
        let value = repeats.common;
        let (positions, others) = exceptions(search.values, value);
        let cascade = cascade.deeper().without(Bans::SPARSE);
        let parts = vec![Child::new(positions, cascade), Child::new(others, cascade)];
        search.nested(Self { value }, parts);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let (positions, others) = exceptions(run.values, self.value);
        (others.len() <= run.values.len() / 2).then_some(())?;
        let parts = vec![run.child(0, &positions)?, run.child(1, &others)?];
        Some(run.node(self.clone(), parts))
    }
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
