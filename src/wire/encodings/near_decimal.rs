//! Near decimal: floats a few steps away from decimal fractions, as written by programs that compute in other units or
//! print too many digits (`-65.613616999999977`, the coordinates of many `GeoJSON` files).
//!
//! A value is `steps` floats after the one nearest to `mantissa / 10^exponent` (as in [`super::decimal`]); the bits of
//! neighboring floats differ by 1. Pco does the same with any base ("float mult"); here mantissas go through the whole
//! cascade. Layout: man/mbt-format.5, "near decimal".

use super::bits::{self, float};
use super::decimal::{EXACT, power};
use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind};
use crate::error::Result;
use crate::text::number::POW10;
use crate::wire::choose::{Child, NumberRun, NumberSearch, Preset};

/// `mantissa / 10^exponent`, rounded once, then `steps` floats further. Children: mantissas and steps, both integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearDecimal {
    /// Digits after the decimal point, 0 to 22.
    pub exponent: u8,
}

pub(super) const INFO: Info = Info::of(20, "near-decimal", &[ValueKind::Floats]);

impl Scheme for NearDecimal {
    parameters!(exponent);

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(ValueKind::Ints, run.len); 2])
    }

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [mantissas, steps] = node.parts()?;
        let power = power(self.exponent)?;
        let steps = steps.ints()?;
        let start = out.len();
        mantissas.decode_numbers(ValueKind::Ints, out)?;
        for (value, steps) in out[start..].iter_mut().zip(steps) {
            *value = bits::of(*value as f64 / power).wrapping_add(steps);
        }
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let cascade = search.cascade;
        if search.is_exact || cascade.preset == Preset::Fast {
            return;
        }
        let Some(exponent) = exponent(search.sample) else {
            return;
        };
        let (mantissas, steps) = split(search.values, exponent);
        let parts = vec![
            Child::lazy(mantissas, move |run| split(run, exponent).0, cascade),
            Child::lazy(steps, move |run| split(run, exponent).1, cascade.deeper()),
        ];
        search.nested(Self { exponent }, parts);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let (mantissas, steps) = split(run.values, self.exponent);
        // The steps first: their memory is free then, and the mantissas need more.
        let encoded = run.child(1, &steps)?;
        drop(steps);
        let mantissas = run.as_ints(&mantissas)?;
        Some(run.node(self.clone(), vec![mantissas, encoded]))
    }
}

/// Fewer steps than this from a decimal fraction count as near.
const NEAR: u64 = 128;

/// The largest mantissa to try. Beyond it, every float is near a fraction, so the encoding gains nothing.
const MAX_MANTISSA: f64 = EXACT / 1024.0;

/// The mantissa of a float, and the number of floats to it from the one nearest to the fraction.
#[inline]
fn split_one(value: i64, power: f64) -> (i64, i64) {
    let mantissa = (float(value) * power).round() as i64;
    let steps = value.wrapping_sub(bits::of(mantissa as f64 / power));
    (mantissa, steps)
}

/// The smallest exponent with which more than half of the floats in `sample` are near decimal fractions. The price decides
/// whether that pays.
pub fn exponent(sample: &[i64]) -> Option<u8> {
    (0..=18).find(|&exponent| {
        let power = POW10[usize::from(exponent)];
        let near = sample
            .iter()
            .filter(|&&value| {
                (float(value) * power).abs() <= MAX_MANTISSA
                    && split_one(value, power).1.unsigned_abs() < NEAR
            })
            .count();
        near > sample.len() / 2
    })
}

/// The mantissas of floats and the steps.
pub fn split(values: &[i64], exponent: u8) -> (Vec<i64>, Vec<i64>) {
    let power = POW10[usize::from(exponent)];
    values.iter().map(|value| split_one(*value, power)).unzip()
}
