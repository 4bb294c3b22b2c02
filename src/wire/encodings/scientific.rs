//! Scientific: floats with few significant digits and different exponents, such as measurements. `6.02e23, 1.6e-19`
//! becomes the mantissas `602, 160` and the exponents `23, -19`, with 3 digits.
//!
//! Decimal fractions with one exponent ([`super::decimal`]) need as many digits as lie between the first digit of the
//! greatest value and the last digit of the smallest. Here each value has its own exponent and the mantissas are as
//! narrow as the digits, which is how a spreadsheet or C's `%e` writes them. Layout: man/mbt-format.5, "scientific".

use super::bits::{self, float};
use super::decimal::EXACT;
use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind, sparse};
use crate::error::{Error, Result};
use crate::text::number::POW10;
use crate::wire::choose::{Cascade, Child, NumberRun, NumberSearch, Preset};

/// `mantissa * 10^(exponent + 1 - digits)`, rounded once, so that `exponent` is the power of ten of the first digit.
/// Children: mantissas and exponents (integers; arbitrary for exceptions), positions of the exceptions in ascending
/// order, and the exceptions (floats).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scientific {
    /// Number of digits of the mantissas, from 1 to 15.
    pub digits: u8,
}

pub(super) const INFO: Info = Info::of(21, "scientific", &[ValueKind::Floats]).counting(2);

impl Scheme for Scientific {
    parameters!(digits);

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        let exceptions = run.count;
        Ok(vec![
            (ValueKind::Ints, run.len),
            (ValueKind::Ints, run.len),
            (ValueKind::Ints, exceptions),
            (ValueKind::Floats, exceptions),
        ])
    }

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [mantissas, exponents, positions, exceptions] = node.parts()?;
        if !(1..=MOST_DIGITS).contains(&self.digits) {
            let digits = self.digits;
            return Err(Error::corrupt(format!(
                "invalid number of digits: {digits}"
            )));
        }
        let positions = sparse::positions(positions, node.len)?;
        let exceptions = exceptions.numbers(ValueKind::Floats)?;
        let exponents = exponents.ints()?;
        let start = out.len();
        mantissas.decode_numbers(ValueKind::Ints, out)?;
        for (value, exponent) in out[start..].iter_mut().zip(exponents) {
            if !EXPONENTS.contains(&exponent) {
                return Err(Error::corrupt(format!(
                    "invalid decimal exponent: {exponent}"
                )));
            }
            let power = exponent as i32 + 1 - i32::from(self.digits);
            *value = bits::of(scaled(*value, power));
        }
        sparse::patch(&mut out[start..], &positions, &exceptions);
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let cascade = search.cascade;
        // Inside other encodings, the only floats are exceptions.
        if cascade.depth > 0 || cascade.preset == Preset::Fast {
            return;
        }
        let Some(digits) = digits(search.sample) else {
            return;
        };
        // Where most values repeat, their width hardly matters.
        let repeats = search.repeats();
        if repeats.distinct < repeats.sampled / 4 {
            return;
        }
        let parts = split(search.values, digits);
        let mantissas = move |run: &[i64]| split(run, digits).mantissas;
        let exponents = move |run: &[i64]| split(run, digits).exponents;
        let parts = vec![
            Child::lazy(parts.mantissas, mantissas, cascade),
            Child::lazy(parts.exponents, exponents, cascade.deeper()),
            Child::new(parts.positions, cascade.deeper()),
            Child::whole(ValueKind::Floats, &parts.exceptions, cascade.deeper()),
        ];
        search.nested(Self { digits }, parts);
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let parts = split(run.values, self.digits);
        run.allows(2, &parts.positions).then_some(())?;
        let mantissas = run.as_ints(&parts.mantissas)?;
        let exponents = run.child(1, &parts.exponents)?;
        let positions = run.child(2, &parts.positions)?;
        let exceptions = run.child(3, &parts.exceptions)?;
        let parts = vec![mantissas, exponents, positions, exceptions];
        Some(run.node(self.clone(), parts))
    }

    fn surcharge(&self, _: ValueKind, _: Cascade) -> f64 {
        // Two runs, and powers of ten that differ from row to row.
        0.05
    }
}

/// The most digits that a double always preserves.
const MOST_DIGITS: u8 = 15;

/// 10 to the power of [`MOST_DIGITS`].
const LIMIT: i64 = 1_000_000_000_000_000;

/// The exponents that a reader accepts; all doubles are within them.
const EXPONENTS: std::ops::RangeInclusive<i64> = -400..=400;

/// Bits per decimal digit, and the approximate number of bits that an exception takes.
const BITS_PER_DIGIT: f64 = std::f64::consts::LOG2_10;
const BITS_PER_EXCEPTION: f64 = 80.0;

/// Floats split into parts.
#[derive(Clone, Debug, Default)]
pub struct ScientificParts {
    /// One per value; exceptions repeat the previous one.
    pub mantissas: Vec<i64>,
    /// The same for exponents.
    pub exponents: Vec<i64>,
    /// Rows whose values have more digits.
    pub positions: Vec<i64>,
    /// The bits of these values.
    pub exceptions: Vec<i64>,
}

/// The double nearest to `mantissa * 10^power`.
#[inline]
fn scaled(mantissa: i64, power: i32) -> f64 {
    let exact = mantissa as f64;
    let is_exact = mantissa.unsigned_abs() <= EXACT as u64;
    match POW10.get(power.unsigned_abs() as usize) {
        // Both operands are exact, so there is a single rounding.
        Some(ten) if is_exact && power < 0 => exact / ten,
        Some(ten) if is_exact => exact * ten,
        _ => far_scaled(mantissa, power),
    }
}

/// As [`scaled`], for any power. The standard library's parser rounds correctly.
#[cold]
fn far_scaled(mantissa: i64, power: i32) -> f64 {
    format!("{mantissa}e{power}").parse().unwrap_or(f64::NAN)
}

/// The first 15 digits of a value as an integer, and the power of ten of the first one; `None` if the value is not
/// exactly this number. Zero is 0 and 0.
#[inline]
fn parts_of(value: f64) -> Option<(i64, i32)> {
    const LAST: i32 = MOST_DIGITS as i32 - 1;

    if value.to_bits() == 0 {
        return Some((0, 0));
    }
    // The power of ten or one less, with log10(2) = 0.30103. Correct for all exponents of doubles (Adams, "Ryu",
    // PLDI 2018).
    let binary = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let mut exponent = (binary * 78913) >> 18;
    let mut mantissa = rounded(value, LAST - exponent);
    if mantissa.abs() >= LIMIT {
        exponent += 1;
        mantissa = rounded(value, LAST - exponent);
    }
    // Far from 1, the last digit may be one off.
    [0, 1, -1]
        .into_iter()
        .map(|step| mantissa + step)
        .find_map(|mantissa| {
            let is_same = (LIMIT / 10..LIMIT).contains(&mantissa.abs())
                && scaled(mantissa, exponent - LAST).to_bits() == value.to_bits();
            is_same.then_some((mantissa, exponent))
        })
}

/// `value * 10^power` as an integer, if that has 15 digits: the nearest one, or one next to it if `power` is beyond 88 or
/// so, since each step rounds.
#[inline]
fn rounded(value: f64, power: i32) -> i64 {
    const MOST: i32 = POW10.len() as i32 - 1;

    let (mut scaled, mut left) = (value, power);
    while left > MOST {
        scaled *= POW10[MOST as usize];
        left -= MOST;
    }
    while left < -MOST {
        scaled /= POW10[MOST as usize];
        left += MOST;
    }
    let ten = POW10[left.unsigned_abs() as usize];
    let scaled = if left < 0 { scaled / ten } else { scaled * ten };
    // Infinity becomes a number that is out of range, and NaN becomes 0, which is, too.
    (scaled.round() as i64).clamp(-10 * LIMIT, 10 * LIMIT)
}

/// The number of digits without zeros at the end, of up to 15.
fn significant(mut mantissa: i64) -> u8 {
    let mut digits = MOST_DIGITS;
    while digits > 1 && mantissa % 10 == 0 {
        mantissa /= 10;
        digits -= 1;
    }
    digits
}

/// The number of digits with which the floats in `sample` take the least space, if most of them have no more, and if
/// decimal fractions with a common exponent need more.
pub fn digits(sample: &[i64]) -> Option<u8> {
    let mut counts = [0_usize; MOST_DIGITS as usize + 1];
    let (mut first, mut last) = (i32::MIN, i32::MAX);
    for &bits in sample {
        let Some((mantissa, exponent)) = parts_of(float(bits)) else {
            continue;
        };
        let digits = significant(mantissa);
        counts[usize::from(digits)] += 1;
        if mantissa != 0 {
            first = first.max(exponent);
            last = last.min(exponent + 1 - i32::from(digits));
        }
    }
    let mut within = 0;
    let mut best = (f64::INFINITY, 0, 0);
    for (digits, count) in (0..).zip(counts) {
        within += count;
        let exceptions = sample.len() - within;
        let bits = sample.len() as f64 * BITS_PER_DIGIT * f64::from(digits)
            + exceptions as f64 * BITS_PER_EXCEPTION;
        if bits < best.0 {
            best = (bits, digits, within);
        }
    }
    let (_, digits, within) = best;
    // The exponents take about as much space as one digit.
    let is_wider = i64::from(first) + 1 - i64::from(last) > i64::from(digits) + 1;
    (within > sample.len() / 2 && digits > 0 && is_wider).then_some(digits)
}

/// Splits floats into parts.
pub fn split(values: &[i64], digits: u8) -> ScientificParts {
    let mut parts = ScientificParts {
        mantissas: Vec::with_capacity(values.len()),
        exponents: Vec::with_capacity(values.len()),
        ..ScientificParts::default()
    };
    let unit = 10_i64.pow(u32::from(MOST_DIGITS - digits));
    let short = |bits| {
        let (mantissa, exponent) = parts_of(float(bits))?;
        (mantissa % unit == 0).then(|| (mantissa / unit, i64::from(exponent)))
    };
    let mut before = values
        .iter()
        .find_map(|&bits| short(bits))
        .unwrap_or((0, 0));
    for (row, &bits) in values.iter().enumerate() {
        if let Some(found) = short(bits) {
            before = found;
        } else {
            parts.positions.push(row as i64);
            parts.exceptions.push(bits);
        }
        parts.mantissas.push(before.0);
        parts.exponents.push(before.1);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_the_digits_that_the_parser_reads(mantissa in 1..LIMIT, power in -330..300_i32, negative: bool) {
            let text = format!("{}{mantissa}e{power}", if negative { "-" } else { "" });
            let value: f64 = text.parse().unwrap();
            prop_assume!(value.is_normal());
            let (found, exponent) = parts_of(value).unwrap();
            let shifted = found * if negative { -1 } else { 1 };
            // The same digits, with zeros up to the fifteenth.
            let digits = |number: i64| number.to_string().trim_end_matches('0').to_owned();
            prop_assert_eq!(digits(shifted), digits(mantissa));
            let power_of_first = power + mantissa.to_string().len() as i32 - 1;
            prop_assert_eq!(exponent, power_of_first);
            prop_assert_eq!(far_scaled(found, exponent - 14).to_bits(), value.to_bits());
            prop_assert_eq!(scaled(found, exponent - 14).to_bits(), value.to_bits());
        }

        #[test]
        fn any_float_has_parts_that_give_it_back_or_none(bits: i64) {
            if let Some((mantissa, exponent)) = parts_of(float(bits)) {
                prop_assert_eq!(bits::of(scaled(mantissa, exponent - 14)), bits);
            }
        }
    }

    #[test]
    fn the_number_of_digits_is_that_of_most_values() {
        let bits = |values: &[f64]| {
            values
                .iter()
                .map(|&value| bits::of(value))
                .collect::<Vec<_>>()
        };
        assert_eq!(digits(&bits(&[6.02e23, 1.6e-19, 3e8, 9.81])), Some(3));
        // Decimal fractions with two digits after the point need no exponents.
        assert_eq!(digits(&bits(&[1.25, 2.5, 9.75])), None);
        assert_eq!(digits(&bits(&[1.0 / 3.0, 2.0 / 3.0, 0.1 + 0.2])), None);
        assert_eq!(digits(&[]), None);
        let mut values = vec![1.5e-7; 50];
        values.extend([2.5e9; 50]);
        values.push(1.0 / 3.0);
        assert_eq!(digits(&bits(&values)), Some(2));
    }
}
