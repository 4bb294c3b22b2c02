//! Multiple: integers at or near multiples of a unit, as quotients and remainders. Milliseconds of whole seconds, sizes
//! in pages, lots of 100 shares; and prices that were single precision once, `85.970001`, which are a few millionths
//! away from a multiple of a cent.
//!
//! Bit-packing spends `log2(unit)` bits per value on low digits that say little, and a general compressor does not see
//! decimal digits in bits. Pco does the same and calls it "int mult"; here both parts go through the whole cascade.
//! Remainders are centered, so that `-1` is as small as `1`, and if all are equal, they cost nothing.
//!
//! A power of two as unit suits numbers of nine bits and more whose distribution is smooth, as of noise around a mean:
//! Huffman coding fits quotients of eight bits to it, and remainders, which are noise, are packed.
//! Layout: man/mbt-format.5, "multiple".

use std::f64::consts::LN_2;
use std::ops::RangeInclusive;

use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Encoding, Node, ValueKind, bit_packed};
use crate::error::{Error, Result};
use crate::varint::zigzag;
use crate::wire::choose::{
    Bans, Cascade, Child, NumberRun, NumberSearch, Preset, WORTHWHILE, approximate_entropy,
};
use crate::wire::codec::entropy;

/// `unit * quotient + remainder`. Children: quotients and remainders, both integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiple {
    /// At least 1.
    pub unit: u64,
}

pub(super) const INFO: Info = Info::of(11, "multiple", &[ValueKind::Ints]);

impl Scheme for Multiple {
    parameters!(unit);

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(ValueKind::Ints, run.len); 2])
    }

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [quotients, remainders] = node.parts()?;
        if self.unit == 0 {
            return Err(Error::corrupt("multiples of 0"));
        }
        let unit = self.unit as i64;
        let start = out.len();
        quotients.decode_numbers(ValueKind::Ints, out)?;
        let values = &mut out[start..];
        if let Encoding::Constant(remainder) = &remainders.encoding {
            for value in values {
                *value = value.wrapping_mul(unit).wrapping_add(remainder.value);
            }
        } else {
            for (value, remainder) in values.iter_mut().zip(remainders.ints()?) {
                *value = value.wrapping_mul(unit).wrapping_add(remainder);
            }
        }
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let price = search.least_price().unwrap_or_default();
        let is_small = price < LEAST_PRICE || price < search.values.len() as u64 / 4;
        if is_small || !search.may_nest(Bans::MULTIPLE) {
            return;
        }
        for find in [common_unit, power_of_two] {
            if let Some(unit) = find(search) {
                propose(search, unit);
            }
        }
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let unit = i64::try_from(self.unit).ok().filter(|&unit| unit > 0)?;
        let remainders = remainders(run.values, unit);
        let is_exact = remainders
            .iter()
            .all(|&remainder| remainder == remainders[0]);
        let saves = || Picked::of(run.values).saved(self.unit, LEAST_SAVED);
        (is_exact || self.unit.is_power_of_two() || saves().is_some()).then_some(())?;
        // The remainders first: their memory is free then, and the quotients need more.
        let encoded = run.child(1, &remainders)?;
        drop(remainders);
        let quotients = run.child(0, &quotients(run.values, unit))?;
        Some(run.node(self.clone(), vec![quotients, encoded]))
    }

    fn surcharge(&self, _: ValueKind, _: Cascade) -> f64 {
        // Bytes that columns have in common are no longer found in both once they are split differently.
        0.04
    }
}

/// The unit of the sample if it saves enough.
fn common_unit(search: &NumberSearch<'_>) -> Option<i64> {
    let picked = Picked::of(search.sample);
    let unit = picked.unit(search.stats().min, search.stats().width())?;
    let bits = picked.bits(unit);
    // Estimates are not exact; with the preset small, the whole run decides.
    let most = match search.cascade.preset {
        Preset::Fast | Preset::Balanced => WORTHWHILE,
        Preset::Small => 1.0,
    };
    // Where most values are small, the remainders are the values.
    let saves = bits + LEAST_SAVED <= picked.bits(1) && bits <= most * search.least_bits();
    saves.then_some(unit as i64)
}

/// The power of two that leaves quotients of eight bits, if that saves enough.
fn power_of_two(search: &NumberSearch<'_>) -> Option<i64> {
    let least = search.stats().min;
    let range = search.stats().max.wrapping_sub(least) as u64;
    let width = bit_packed::width_of(range);
    if !SPLIT_WIDTHS.contains(&width)
        || search.values.len() < LEAST_SPLIT
        || !search.cascade.is_compressed()
    {
        return None;
    }
    let low = u32::from(width) - u8::BITS;
    // Rounding can add one quotient, so there may be one bit fewer for them.
    let low = low + u32::from(range >> low == u64::from(u8::MAX));
    let first = split_at(least, low).0;
    let mut counts = [0_u32; 256];
    for &value in search.sample {
        let quotient = split_at(value, low).0.wrapping_sub(first) as u8;
        counts[usize::from(quotient)] += 1;
    }
    // The entropy of a sample is too low (Miller, "Note on the bias of information estimates", 1955).
    let distinct = counts.iter().filter(|&&count| count > 0).count() as f64;
    let missing = distinct / (2.0 * LN_2 * search.sample.len() as f64);
    let bits = f64::from(low) + entropy(&counts) + missing;
    (bits < WORTHWHILE * search.least_bits()).then_some(1 << low)
}

/// Adds the candidate with a unit.
fn propose(search: &mut NumberSearch<'_>, unit: i64) {
    let (min, max) = (search.stats().min, search.stats().max);
    let cascade = search.cascade.deeper().without(Bans::MULTIPLE);
    let mut parts = [
        quotients(search.sample, unit),
        remainders(search.sample, unit),
    ];
    let parts = if search.is_whole() {
        parts.map(|part| Child::whole(ValueKind::Ints, &part, cascade))
    } else {
        // Include the extremes, so that widths are the same as for the whole run.
        parts[0].extend([min, max].map(|value| split(value, unit).0));
        let [first, second] = &parts;
        let len = search.values.len();
        [
            Child::derived(first, len, move |run| quotients(run, unit), cascade),
            Child::derived(second, len, move |run| remainders(run, unit), cascade),
        ]
    };
    search.nested(Multiple { unit: unit as u64 }, parts.into());
}

/// Smaller runs, in bytes, cannot gain much more than the description costs.
const LEAST_PRICE: u64 = 256;

/// Number of values in which the unit is sought.
const PICKED: usize = 256;

/// How many of them are examined first, to reject most units cheaply.
const GLANCE: usize = 32;

/// Number of values in a group that proposes a unit.
const GROUP: usize = 8;

/// The least number of bits per value that must be saved.
const LEAST_SAVED: f64 = 0.4;

/// The widths of numbers that may be split at a power of two: about wider ones, eight bits say little.
const SPLIT_WIDTHS: RangeInclusive<u8> = 9..=24;

/// Fewer values are not split at a power of two, since a Huffman code for bytes takes about a hundred bytes.
const LEAST_SPLIT: usize = 4096;

/// The quotient rounded to the nearest integer, and the remainder, more than `-unit / 2` and at most `unit / 2`.
#[inline]
fn split(value: i64, unit: i64) -> (i64, i64) {
    let (quotient, remainder) = (value / unit, value % unit);
    if remainder > unit / 2 {
        (quotient + 1, remainder - unit)
    } else if remainder < 0 && remainder <= -(unit - unit / 2) {
        (quotient - 1, remainder + unit)
    } else {
        (quotient, remainder)
    }
}

/// The same for a unit of `1 << bits`, without a division. The quotient of the largest values wraps around, which makes no
/// difference to the sum.
#[inline]
fn split_at(value: i64, bits: u32) -> (i64, i64) {
    let quotient = value.wrapping_add((1 << bits >> 1) - 1) >> bits;
    (quotient, value.wrapping_sub(quotient << bits))
}

/// The quotients of all values.
pub fn quotients(values: &[i64], unit: i64) -> Vec<i64> {
    split_all(values, unit, |(quotient, _)| quotient)
}

/// The remainders of all values.
pub fn remainders(values: &[i64], unit: i64) -> Vec<i64> {
    split_all(values, unit, |(_, remainder)| remainder)
}

#[inline]
fn split_all(values: &[i64], unit: i64, part: impl Fn((i64, i64)) -> i64) -> Vec<i64> {
    let values = values.iter();
    if unit.count_ones() == 1 && unit > 1 {
        let bits = unit.trailing_zeros();
        values.map(|&value| part(split_at(value, bits))).collect()
    } else {
        values.map(|&value| part(split(value, unit))).collect()
    }
}

/// Some values spread over a sample, each with the next one.
struct Picked(Vec<[i64; 2]>);

impl Picked {
    fn of(sample: &[i64]) -> Self {
        let step = (sample.len() / PICKED).max(1);
        let pairs = sample.array_windows().step_by(step).take(PICKED);
        Self(pairs.copied().collect())
    }

    fn values(&self) -> impl Iterator<Item = i64> + Clone {
        self.0.iter().map(|pair| pair[0])
    }

    /// The unit that saves the most bits, if any does, for values from `least` in `width` bits.
    fn unit(&self, least: i64, width: u8) -> Option<u64> {
        let exact = gcd_of(self.values().map(|value| value.wrapping_sub(least) as u64));
        let frequent = if exact == 1 {
            self.frequent_unit()
        } else {
            None
        };
        // Most noise is a few units in the last of some decimal digits.
        let decimal = (1..=18)
            .map(|digits| 10_u64.pow(digits))
            .take_while(|&unit| bit_packed::width_of(unit) < width)
            .filter(|&unit| unit > exact);
        let mut best = None;
        let mut most = LEAST_SAVED;
        for unit in [exact].into_iter().chain(frequent).chain(decimal) {
            let is_usable = (2..1 << 62).contains(&unit);
            if is_usable && let Some(saved) = self.saved(unit, most) {
                most = saved;
                best = Some(unit);
            }
        }
        best
    }

    /// The unit of many values if others are no multiples of it: the most frequent divisor of differences. Each group of
    /// values proposes one, from the differences between three of them.
    fn frequent_unit(&self) -> Option<u64> {
        let mut divisors: Vec<u64> = self
            .0
            .chunks_exact(GROUP)
            .map(|chunk| {
                let [a, b, c] = [chunk[0][0], chunk[2][0], chunk[4][0]];
                gcd(a.abs_diff(b), a.abs_diff(c))
            })
            .filter(|&divisor| divisor > 1)
            .collect();
        divisors.sort_unstable();
        divisors
            .chunk_by(u64::eq)
            .max_by_key(|equal| equal.len())
            .map(|equal| equal[0])
    }

    /// Bits per value that are saved because remainders are not arbitrary numbers below the unit; `None` if not more than
    /// `least`.
    fn saved(&self, unit: u64, least: f64) -> Option<f64> {
        let width = (unit as f64).log2();
        let saved = |step| {
            let picked = self.values().step_by(step);
            width - approximate_entropy(picked.map(|value| zigzag(split(value, unit as i64).1)))
        };
        let is_promising = saved((self.0.len() / GLANCE).max(1)) > least / 2.0;
        is_promising
            .then(|| saved(1))
            .filter(|&saved| saved > least)
    }

    /// The approximate number of bits per value that quotients and remainders take; with the unit 1, the values.
    fn bits(&self, unit: u64) -> f64 {
        let unit = unit as i64;
        let pairs: Vec<[i64; 2]> = self
            .0
            .iter()
            .map(|pair| pair.map(|value| split(value, unit).0))
            .collect();
        let quotients = pairs.iter().map(|pair| pair[0]);
        let least = quotients.clone().min().unwrap_or_default();
        let plain = approximate_entropy(
            quotients
                .clone()
                .map(|value| value.wrapping_sub(least) as u64),
        );
        let near_zero = approximate_entropy(quotients.map(zigzag));
        let steps = approximate_entropy(
            pairs
                .iter()
                .map(|pair| zigzag(pair[1].wrapping_sub(pair[0]))),
        );
        let remainders = self.values().map(|value| split(value, unit).1);
        plain.min(near_zero).min(steps) + approximate_entropy(remainders.map(zigzag))
    }
}

/// The greatest common divisor of all numbers.
fn gcd_of(numbers: impl Iterator<Item = u64>) -> u64 {
    let mut divisor = 0;
    for number in numbers {
        divisor = gcd(number, divisor);
        if divisor == 1 {
            break;
        }
    }
    divisor
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use crate::wire::codec::SectionCodec;
    use crate::wire::encodings::constant;
    use proptest::prelude::*;

    /// Numbers below `end` without a pattern.
    fn noise(end: u64) -> impl Iterator<Item = i64> {
        let mut state = 1_u64;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % end) as i64
        })
    }

    fn unit_of(values: &[i64]) -> Option<u64> {
        let least = values.iter().copied().min()?;
        let most = values.iter().copied().max()?;
        let width = bit_packed::width_of(most.wrapping_sub(least) as u64);
        Picked::of(values).unit(least, width)
    }

    fn name(values: &[i64]) -> String {
        let cascade = Cascade::new(Preset::Balanced, SectionCodec::Zstd(3));
        let node = cascade.ints(values, None);
        assert_eq!(node.ints().unwrap(), values);
        node.name()
    }

    proptest! {
        #[test]
        fn remainders_are_centered_and_the_sum_is_the_value(
            value: i64,
            unit in prop_oneof![1..=i64::MAX, (0..63).prop_map(|bits| 1_i64 << bits)],
        ) {
            let (quotient, remainder) = split(value, unit);
            let sum = quotient.wrapping_mul(unit).wrapping_add(remainder);
            prop_assert_eq!(sum, value);
            if unit.count_ones() == 1 && unit > 1 {
                let (other, same) = split_at(value, unit.trailing_zeros());
                prop_assert_eq!(other.wrapping_mul(unit).wrapping_add(same), value);
                prop_assert_eq!(same, remainder);
            }
            let double = 2 * i128::from(remainder);
            prop_assert!(-i128::from(unit) < double && double <= i128::from(unit), "{remainder}");
        }
    }

    #[test]
    fn borders_are_split_as_the_page_says() {
        let remainders = |unit| remainders(&[-3, -2, -1, 0, 1, 2, 3, 4], unit);
        assert_eq!(remainders(4), [1, 2, -1, 0, 1, 2, -1, 0]);
        assert_eq!(remainders(5), [2, -2, -1, 0, 1, 2, -2, -1]);
        assert_eq!(remainders(1), [0; 8]);
        assert_eq!(split(i64::MIN, 2), (i64::MIN / 2, 0));
        assert_eq!(split(i64::MAX, 2), (i64::MAX / 2, 1));
        assert_eq!(split(i64::MIN, i64::MAX), (-1, -1));
    }

    #[test]
    fn the_unit_is_found_with_and_without_noise() {
        let seconds: Vec<i64> = noise(1 << 22)
            .take(999)
            .map(|second| second * 1000)
            .collect();
        assert_eq!(unit_of(&seconds), Some(1000));
        let late: Vec<i64> = seconds
            .iter()
            .map(|value| value + 250 - (1 << 60))
            .collect();
        assert_eq!(unit_of(&late), Some(1000));
        let single: Vec<i64> = noise(1 << 20)
            .zip(noise(5))
            .take(999)
            .map(|(cents, error)| cents * 10_000 + error - 2)
            .collect();
        assert_eq!(unit_of(&single), Some(10_000));
        // Few values are no multiples.
        let lots: Vec<i64> = noise(5000)
            .zip(noise(20))
            .take(999)
            .map(|(lots, odd)| lots * 48 + i64::from(odd == 0))
            .collect();
        assert_eq!(unit_of(&lots), Some(48));
    }

    #[test]
    fn other_values_have_no_unit() {
        assert_eq!(unit_of(&noise(1 << 40).take(999).collect::<Vec<_>>()), None);
        assert_eq!(unit_of(&noise(50_000).take(999).collect::<Vec<_>>()), None);
        assert_eq!(unit_of(&[]), None);
        assert_eq!(unit_of(&[7]), None);
        let edges = [i64::MIN, i64::MAX, 0, -1].repeat(99);
        assert!(!name(&edges).contains("multiple"), "{}", name(&edges));
        // The remainders of small values are the values.
        let skewed: Vec<i64> = noise(30)
            .zip(noise(40))
            .take(9999)
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(delay, seldom)| if seldom == 0 { delay * 40 } else { delay })
            .collect();
        assert!(!name(&skewed).contains("multiple"), "{}", name(&skewed));
    }

    #[test]
    fn multiples_are_chosen_where_they_pay() {
        let random: Vec<i64> = noise(1 << 22)
            .take(20_000)
            .map(|second| second * 1000)
            .collect();
        assert_eq!(name(&random), "multiple(byte-planes, constant)");
        let far: Vec<i64> = noise(1 << 22)
            .take(20_000)
            .map(|row| i64::MIN + row * 1_000_000_007)
            .collect();
        assert!(name(&far).starts_with("multiple"), "{}", name(&far));
    }

    #[test]
    fn noise_of_nine_bits_and_more_is_split_at_a_power_of_two() {
        // A sum of twelve uniform numbers is close to normal, here with a standard deviation of 50.
        let mut parts = noise(51);
        let normal: Vec<i64> = (0..20_000)
            .map(|_| parts.by_ref().take(12).sum::<i64>())
            .collect();
        for offset in [0, -306, i64::MAX - 900, i64::MIN] {
            let values: Vec<i64> = normal.iter().map(|value| value + offset).collect();
            let split = name(&values);
            assert_eq!(split, "multiple(bit-packed, bit-packed)", "{offset}");
        }
        // Those of a later frame are split in the same way, even if they are wider.
        let cascade = Cascade::new(Preset::Balanced, SectionCodec::Zstd(3));
        let choice = cascade.ints(&normal, None);
        let wider: Vec<i64> = normal.iter().map(|value| value * 3).collect();
        let node = cascade.ints(&wider, Some(&choice));
        assert_eq!(node.encoding, choice.encoding);
        assert_eq!(node.ints().unwrap(), wider);
    }

    #[test]
    fn a_choice_is_kept_only_as_long_as_it_fits() {
        let cascade = Cascade::new(Preset::Balanced, SectionCodec::Zstd(3));
        let random: Vec<i64> = noise(1 << 22)
            .take(20_000)
            .map(|second| second * 1000)
            .collect();
        let choice = cascade.ints(&random, None);
        let later: Vec<i64> = random.iter().map(|value| value * 3 + 5000).collect();
        let node = cascade.ints(&later, Some(&choice));
        assert_eq!(node.encoding, Multiple { unit: 1000 }.into());
        let others: Vec<i64> = noise(1 << 32).take(20_000).collect();
        let node = cascade.ints(&others, Some(&choice));
        assert_eq!(node.ints().unwrap(), others);
        assert_ne!(node.encoding, Multiple { unit: 1000 }.into());
    }

    #[test]
    fn sums_wrap_and_the_unit_0_is_refused() {
        let node = |unit, quotient: i64, remainder: i64| {
            let part = |value| constant::encode(&[value; 3]).unwrap();
            Node::of_children(Multiple { unit }, 3, vec![part(quotient), part(remainder)])
        };
        assert_eq!(node(u64::MAX, 5, 3).ints().unwrap(), [-2; 3]);
        assert_eq!(node(2, i64::MAX, 1).ints().unwrap(), [-1; 3]);
        let error = node(0, 5, 3).ints().unwrap_err();
        assert_eq!(error.kind(), Kind::Corrupt);
    }
}
