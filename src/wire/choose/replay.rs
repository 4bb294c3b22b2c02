//! A choice that was made, on other values: a sample's on the whole run, a frame's on the next.
//!
//! What the values need (bases, widths, entries) is found anew; only the search is saved. Where the
//! choice does not hold any more, that part is searched.

use super::{Cascade, PCO_LEVEL, Trials, floats as choose_floats, ints as choose_ints};
use crate::wire::encodings::floats::to_bits;
use crate::wire::encodings::{
    Encoding, Node, bit_packed, byte_planes, constant, decimal, delta, dictionary, extremes,
    interleaved, near_decimal, pco, plain, run_length, sequence, sparse,
};

/// Encodes the values as `plan` is encoded.
pub(super) fn ints(plan: &Node, values: &[i64], cascade: Cascade) -> Node {
    let searched = || choose_ints::choose(values, cascade, &mut Trials::untold());
    follow_ints(plan, values, cascade).unwrap_or_else(searched)
}

fn follow_ints(plan: &Node, values: &[i64], cascade: Cascade) -> Option<Node> {
    let first = *values.first()?;
    let (min, max) = extremes(values.iter().copied())?;
    let width = bit_packed::width_of(max.wrapping_sub(min) as u64);
    let cascade = cascade.deeper();
    let child = |at: usize, values: &[i64]| Some(ints(plan.children.get(at)?, values, cascade));
    match plan.encoding {
        Encoding::Constant { .. } => constant::encode(values),
        Encoding::Sequence { .. } => sequence::encode(values),
        _ if min == max => constant::encode(values),
        Encoding::BitPacked { width: planned, .. } => {
            let is_whole = planned.is_multiple_of(8);
            // Numbers of several bytes were not among what was chosen from.
            if is_whole && width > planned.max(8) {
                return Some(byte_planes::encode(values, min, width.div_ceil(8)));
            }
            let width = if is_whole {
                width.next_multiple_of(8)
            } else {
                width
            };
            Some(bit_packed::encode(values, min, width))
        }
        Encoding::BytePlanes { .. } => Some(byte_planes::encode(values, min, width.div_ceil(8))),
        Encoding::Pco => pco::encode(values, PCO_LEVEL),
        Encoding::Delta { .. } => {
            let differences = delta::differences(values);
            Some(delta::node(first, child(0, &differences)?))
        }
        Encoding::RunLength => {
            let (runs, lengths) = run_length::runs(values);
            (runs.len() <= values.len() / 2).then_some(())?;
            Some(run_length::node(
                values.len(),
                child(0, &runs)?,
                child(1, &lengths)?,
            ))
        }
        Encoding::Dictionary => {
            let rows = values.iter().copied();
            let (mut entries, mut codes) = dictionary::distinct(rows, values.len() / 2)?;
            dictionary::sort(&mut entries, &mut codes);
            Some(dictionary::node(child(0, &entries)?, child(1, &codes)?))
        }
        Encoding::Sparse { value } => {
            let (positions, others) = sparse::exceptions(values, value);
            (others.len() <= values.len() / 2).then_some(())?;
            let (positions, others) = (child(0, &positions)?, child(1, &others)?);
            Some(sparse::node(values.len(), value, positions, others))
        }
        Encoding::Interleaved { ways } if values.len().is_multiple_of(usize::from(ways)) => {
            let ways = interleaved::ways(values, usize::from(ways));
            let children = ways.iter().enumerate().map(|(at, way)| child(at, way));
            Some(interleaved::node(children.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// Encodes the values as `plan` is encoded.
pub(super) fn floats(plan: &Node, values: &[f64], cascade: Cascade) -> Node {
    let searched = || choose_floats::choose(values, cascade, &mut Trials::untold());
    follow_floats(plan, values, cascade).unwrap_or_else(searched)
}

fn follow_floats(plan: &Node, values: &[f64], cascade: Cascade) -> Option<Node> {
    (!values.is_empty()).then_some(())?;
    let child =
        |at: usize, values: &[i64], cascade| Some(ints(plan.children.get(at)?, values, cascade));
    match plan.encoding {
        Encoding::Plain64 => Some(plain::encode(values)),
        Encoding::FloatPlanes => Some(plain::encode_planes(values)),
        Encoding::Pco => pco::encode(values, PCO_LEVEL),
        Encoding::Bits => {
            let bits = child(0, &to_bits(values), cascade)?;
            Some(Node::of_children(Encoding::Bits, values.len(), vec![bits]))
        }
        Encoding::NearDecimal { exponent } => {
            let (mantissas, steps) = near_decimal::split(values, exponent);
            let mantissas = child(0, &mantissas, cascade)?;
            Some(near_decimal::node(
                exponent,
                mantissas,
                child(1, &steps, cascade.deeper())?,
            ))
        }
        Encoding::Decimal { exponent } => {
            let parts = decimal::split(values, exponent);
            let planned = plan.children.get(1)?.len;
            // More digits than before, most likely.
            let is_off =
                parts.positions.len() / 2 > planned && parts.positions.len() > values.len() / 64;
            (!is_off).then_some(())?;
            let mantissas = child(0, &parts.mantissas, cascade)?;
            let positions = child(1, &parts.positions, cascade.deeper())?;
            let exceptions = floats(plan.children.get(2)?, &parts.exceptions, cascade.deeper());
            Some(decimal::node(exponent, mantissas, positions, exceptions))
        }
        _ => None,
    }
}
