//! Decimal: floats that came from decimal fractions, as integers. `12.5, 12.75` becomes `1250, 1275` with exponent 2.
//!
//! This is ALP (Afroozeh, Kuffo, Boncz, SIGMOD 2023) with one exponent for the run, and a division where ALP
//! multiplies: both operands are exact below 2^53 and 10^22, so the quotient is the float nearest to the decimal
//! fraction, which is also the result of parsing its text. Layout: man/mbt-format.5, "decimal".

use super::bits::{self, float};
use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind, sparse};
use crate::error::{Error, Result};
use crate::text::number::POW10;
use crate::wire::choose::{Child, NumberRun, NumberSearch};

/// `mantissa / 10^exponent`, rounded once. Children: mantissas (integers; arbitrary for exceptions), positions of the
/// exceptions in ascending order, and the exceptions (floats).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Digits after the decimal point, 0 to 22.
    pub exponent: u8,
}

pub(super) const INFO: Info = Info::of(18, "decimal", &[ValueKind::Floats]).counting(1);

impl Scheme for Decimal {
    parameters!(exponent);

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        let exceptions = run.count;
        Ok(vec![
            (ValueKind::Ints, run.len),
            (ValueKind::Ints, exceptions),
            (ValueKind::Floats, exceptions),
        ])
    }

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [mantissas, positions, exceptions] = node.parts()?;
        let power = power(self.exponent)?;
        let positions = sparse::positions(positions, node.len)?;
        let exceptions = exceptions.numbers(ValueKind::Floats)?;
        let start = out.len();
        mantissas.decode_numbers(ValueKind::Ints, out)?;
        for value in &mut out[start..] {
            *value = bits::of(*value as f64 / power);
        }
        sparse::patch(&mut out[start..], &positions, &exceptions);
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let cascade = search.cascade;
        // Inside a decimal, the only floats are its exceptions, which are not decimal fractions.
        if cascade.depth > 0 {
            return;
        }
        let Some(exponent) = exponent(search.sample) else {
            return;
        };
        let parts = split(search.values, exponent);
        search.is_exact = parts.positions.is_empty();
        let mantissas = move |run: &[i64]| split(run, exponent).mantissas;
        let parts = vec![
            Child::lazy(parts.mantissas, mantissas, cascade),
            Child::new(parts.positions, cascade.deeper()),
            Child::whole(ValueKind::Floats, &parts.exceptions, cascade.deeper()),
        ];
        search.nested(Self { exponent }, parts);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let parts = split(run.values, self.exponent);
        run.allows(1, &parts.positions).then_some(())?;
        let mantissas = run.as_ints(&parts.mantissas)?;
        let positions = run.child(1, &parts.positions)?;
        let exceptions = run.child(2, &parts.exceptions)?;
        Some(run.node(self.clone(), vec![mantissas, positions, exceptions]))
    }
}

/// The largest exponent to try.
const MAX_EXPONENT: u8 = 18;

/// Integers up to this one are exact as floats.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// Adding and subtracting 1.5 * 2^52 rounds to an integer, because the sum has no bits left for a fraction; faster than
/// `round` on processors without an instruction for it.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Floats split into parts.
#[derive(Clone, Debug, Default)]
pub struct DecimalParts {
    /// One per value; exceptions repeat the previous one.
    pub mantissas: Vec<i64>,
    /// Rows whose values are not decimal fractions.
    pub positions: Vec<i64>,
    /// The bits of these values.
    pub exceptions: Vec<i64>,
}

/// The nearest integer, ties to even.
#[inline]
pub fn nearest(value: f64) -> f64 {
    if value.abs() < 2_251_799_813_685_248.0 {
        value + ROUNDER - ROUNDER
    } else {
        value.round_ties_even()
    }
}

/// The mantissa, if dividing it by `power` gives exactly this value.
#[inline]
fn mantissa(value: f64, power: f64) -> Option<i64> {
    let whole = nearest(value * power);
    // `as` saturates, so NaN and infinity become numbers that do not divide back; so does -0.
    let mantissa = whole as i64;
    let back = mantissa as f64 / power;
    (back.to_bits() == value.to_bits() && whole.abs() <= EXACT).then_some(mantissa)
}

/// The exponent with which most of the floats in `sample` are decimal fractions, if more than half of them are; the smallest of
/// equally good ones.
pub fn exponent(sample: &[i64]) -> Option<u8> {
    let mut best = None;
    let mut most = sample.len() / 2;
    for exponent in 0..=MAX_EXPONENT {
        let power = POW10[usize::from(exponent)];
        let count = sample
            .iter()
            .filter(|&&bits| mantissa(float(bits), power).is_some())
            .count();
        if count > most {
            most = count;
            best = Some(exponent);
        }
        if count == sample.len() {
            break;
        }
    }
    best
}

/// Splits floats into parts.
pub fn split(values: &[i64], exponent: u8) -> DecimalParts {
    let power = POW10[usize::from(exponent)];
    let mut parts = DecimalParts {
        mantissas: Vec::with_capacity(values.len()),
        ..DecimalParts::default()
    };
    let mut before = values
        .iter()
        .find_map(|&bits| mantissa(float(bits), power))
        .unwrap_or(0);
    for (row, &bits) in values.iter().enumerate() {
        if let Some(mantissa) = mantissa(float(bits), power) {
            before = mantissa;
        } else {
            parts.positions.push(row as i64);
            parts.exceptions.push(bits);
        }
        parts.mantissas.push(before);
    }
    parts
}

/// Ten to the power of an exponent read from a file.
pub(super) fn power(exponent: u8) -> Result<f64> {
    POW10
        .get(usize::from(exponent))
        .copied()
        .ok_or_else(|| Error::corrupt(format!("invalid number of decimal places: {exponent}")))
}
