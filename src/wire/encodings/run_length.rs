//! Run length: equal adjacent values are stored once, with their number. Layout: man/mbt-format.5, "run length".

use super::scheme::{Info, Scheme, Shape, parameters};
use super::strings::{ByteStrings, ensure_room};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::wire::choose::{Bans, Child, NumberRun, NumberSearch};

/// Children: the values of the runs, and their lengths (integers from 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLength;

pub(super) const INFO: Info = Info::of(6, "run-length", ValueKind::ALL).counting(0);

impl Scheme for RunLength {
    parameters!();

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(run.kind, run.count), (ValueKind::Ints, run.count)])
    }

    fn decode_numbers(&self, node: &Node, kind: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [values, lengths] = node.parts()?;
        let lengths = lengths_of(lengths, node.len)?;
        let values = values.numbers(kind)?;
        out.reserve(node.len);
        for (&value, &length) in values.iter().zip(&lengths) {
            out.resize(out.len() + length as usize, value);
        }
        Ok(())
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        let [values, lengths] = node.parts()?;
        let values = values.strings(max_bytes)?;
        let lengths = lengths_of(lengths, node.len)?;
        let total = lengths
            .iter()
            .zip(values.iter())
            .map(|(&length, value)| (length as u64).saturating_mul(value.len() as u64))
            .fold(0, u64::saturating_add);
        ensure_room(total, max_bytes, out)?;
        for (&length, value) in lengths.iter().zip(values.iter()) {
            (0..length).for_each(|_| out.push(value));
        }
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let cascade = search.cascade;
        let may_nest = search.may_nest(Bans::RUN_LENGTH);
        if !may_nest || search.stats().runs > search.values.len() / 3 {
            return;
        }
        let (values, lengths) = runs(search.values);
        let cascade = cascade.deeper().without(Bans::RUN_LENGTH);
        let parts = vec![Child::new(values, cascade), Child::new(lengths, cascade)];
        search.nested(Self, parts);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let (values, lengths) = runs(run.values);
        (values.len() <= run.values.len() / 2).then_some(())?;
        let parts = vec![run.child(0, &values)?, run.child(1, &lengths)?];
        Some(run.node(Self, parts))
    }
}

/// The values of the runs and their lengths.
pub fn runs(values: &[i64]) -> (Vec<i64>, Vec<i64>) {
    // Counting them takes a fraction of the time that growing the vectors would.
    let count = values.array_windows().filter(|[a, b]| a != b).count() + 1;
    let (mut runs, mut lengths) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for run in values.chunk_by(i64::eq) {
        runs.push(run[0]);
        lengths.push(run.len() as i64);
    }
    (runs, lengths)
}

/// The lengths of runs: at least 1 each, `len` in total.
fn lengths_of(node: &Node, len: usize) -> Result<Vec<i64>> {
    let lengths = node.ints()?;
    let mut left = len as u64;
    for &length in &lengths {
        // Negative lengths become huge numbers.
        match left.checked_sub(length as u64) {
            Some(rest) if length != 0 => left = rest,
            _ => return Err(Error::corrupt("a run is empty or too long")),
        }
    }
    if left != 0 {
        return Err(Error::corrupt("the runs do not add up to the column"));
    }
    Ok(lengths)
}
