//! Chooses encodings for runs of numbers.
//!
//! Floats are represented by their bits.

use std::cell::OnceCell;
use std::ops::Range;

use super::candidate::Candidate;
use super::price::{Child, Price, Priced};
use super::stats::RunStats;
use super::{Bans, Cascade, Preset, Trials, sample};
use crate::wire::codec::entropy;
use crate::wire::encodings::run_length::RunLength;
use crate::wire::encodings::scheme::Scheme;
use crate::wire::encodings::{Encoding, Node, ValueKind, bit_packed, bits, constant};

/// Number of values used to estimate how many are distinct.
const DISTINCT_SAMPLE: usize = 1024;

/// With the preset small, candidates whose price on the sample is at most this many times the best price are
/// tried on the whole run.
const FINALIST: f64 = 1.3;

/// The same for floats. All of their encodings search integers in turn, so more finalists would take much time.
const FLOAT_FINALIST: f64 = 1.05;

/// A candidate is worth a search if an approximation of its size is at most this part of the best price so far.
pub(crate) const WORTHWHILE: f64 = 0.95;

/// Runs of equal values with at least this mean length are long: other encodings are hardly smaller than run
/// length, and often larger.
const LONG_RUN: usize = 64;

/// Collects candidates for a run of numbers.
pub(crate) struct NumberSearch<'a> {
    /// Integers or floats.
    pub kind: ValueKind,
    pub cascade: Cascade,
    /// The run, at least one value.
    pub values: &'a [i64],
    /// A few chunks of it, or all of it.
    pub sample: &'a [i64],
    /// True if a candidate represents every float without exceptions, so that general encodings cannot be better.
    pub is_exact: bool,
    /// The positions of the sample.
    ranges: &'a [Range<usize>],
    stats: OnceCell<RunStats>,
    repeats: OnceCell<Repeats>,
    candidates: Vec<Candidate>,
}

/// How often values repeat, estimated from some values spread over all rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeats {
    /// Number of values sampled.
    pub sampled: usize,
    /// Number of distinct values among them.
    pub distinct: usize,
    /// The most frequent value.
    pub common: i64,
    /// Its number of occurrences.
    pub most: usize,
}

impl NumberSearch<'_> {
    /// Statistics of the values as integers.
    pub(crate) fn stats(&self) -> &RunStats {
        self.stats.get_or_init(|| RunStats::of(self.values))
    }

    /// True if integers may be encoded with children here, by an encoding with this ban. Floats with children of the
    /// same kind are read, but never written: their bits are encoded as integers instead.
    pub(crate) fn may_nest(&self, encoding: Bans) -> bool {
        self.kind == ValueKind::Ints && self.cascade.may_nest() && !self.cascade.bans(encoding)
    }

    /// True if the sample is the whole run.
    pub(crate) fn is_whole(&self) -> bool {
        self.sample.len() == self.values.len()
    }

    /// True if run length is so good for many values that others need not be tried.
    fn has_long_runs(&self) -> bool {
        !self.is_whole()
            && self.cascade.preset != Preset::Small
            && self.may_nest(Bans::RUN_LENGTH)
            && self.stats().runs <= self.values.len() / LONG_RUN
    }

    /// The price of the cheapest candidate so far, in bytes.
    pub(crate) fn least_price(&self) -> Option<u64> {
        self.candidates
            .iter()
            .map(|candidate| candidate.price.bytes())
            .min()
    }

    /// The same in bits per value; infinite before there is a candidate.
    pub(crate) fn least_bits(&self) -> f64 {
        let len = self.values.len() as f64;
        self.least_price()
            .map_or(f64::INFINITY, |price| price as f64 * 8.0 / len)
    }

    /// The differences between adjacent rows in the sample.
    pub(crate) fn sampled_differences(&self) -> Vec<i64> {
        sample::differences(self.values, self.ranges)
    }

    /// How often values repeat.
    pub(crate) fn repeats(&self) -> Repeats {
        *self.repeats.get_or_init(|| {
            let sorted = sample::sorted(self.values, DISTINCT_SAMPLE);
            let mut repeats = Repeats {
                sampled: sorted.len(),
                distinct: 0,
                common: 0,
                most: 0,
            };
            for run in sorted.chunk_by(i64::eq) {
                repeats.distinct += 1;
                if run.len() > repeats.most {
                    (repeats.common, repeats.most) = (run[0], run.len());
                }
            }
            repeats
        })
    }

    /// Adds a candidate without open choices.
    pub(crate) fn leaf(&mut self, encode: impl Fn(&[i64]) -> Option<Node> + 'static) {
        let context = (self.kind, self.cascade);
        let leaf = Candidate::leaf(self.sample, self.values.len(), context, encode);
        self.candidates.extend(leaf);
    }

    /// Like [`Self::leaf`], for a candidate that decodes fast, so that it has no surcharge.
    pub(crate) fn plain(&mut self, encode: impl Fn(&[i64]) -> Option<Node> + 'static) {
        let before = self.candidates.len();
        self.leaf(encode);
        self.candidates[before..]
            .iter_mut()
            .for_each(|candidate| candidate.surcharge = 0.0);
    }

    /// Adds a candidate with children.
    pub(crate) fn nested(&mut self, encoding: impl Into<Encoding>, parts: Vec<Child>) {
        let nested = Candidate::nested(encoding.into(), parts, self.kind, self.cascade);
        self.candidates.push(nested);
    }

    /// Encodes the whole run with the best candidate. With the preset small, the best few compete on the whole run, since a
    /// sample may mislead.
    fn finish(self, trials: &mut Trials) -> Priced {
        for candidate in &self.candidates {
            trials.record(|| candidate.name(), || candidate.price.bytes());
        }
        let (kind, values, cascade) = (self.kind, self.values, self.cascade);
        let competes_on_whole_run =
            cascade.preset == Preset::Small && cascade.depth == 0 && !self.is_whole();
        let mut candidates = self.candidates;
        candidates.sort_by(|a, b| a.score().total_cmp(&b.score()));
        let within = match kind {
            ValueKind::Floats => FLOAT_FINALIST,
            _ => FINALIST,
        };
        let bound = candidates.first().map_or(0.0, Candidate::score) * within;
        if competes_on_whole_run {
            candidates.retain(|candidate| {
                candidate.score() <= bound || candidate.encoding.info().needs_whole_run
            });
        } else {
            candidates.truncate(1);
        }
        // Candidates that compete on the whole run are compared by its actual price.
        let has_rivals = candidates.len() > 1;
        candidates
            .into_iter()
            .map(|candidate| {
                let factor = 1.0 + candidate.surcharge;
                let price = candidate.price;
                let node = candidate
                    .finish(values)
                    .unwrap_or_else(|| packed(kind, values));
                let price = if has_rivals {
                    Price::of(&node, cascade)
                } else {
                    price
                };
                (price.bytes() as f64 * factor, Priced { node, price })
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or_else(
                || Priced::of(packed(kind, values), cascade),
                |(_, best)| best,
            )
    }
}

/// The fallback, which applies to every run.
fn packed(kind: ValueKind, values: &[i64]) -> Node {
    of_kind(kind, bit_packed::encode(values, 0, 64))
}

/// Numbers of a kind, given the node of the same numbers as integers.
fn of_kind(kind: ValueKind, ints: Node) -> Node {
    match kind {
        ValueKind::Floats => bits::node(ints),
        _ => ints,
    }
}

/// Encodes the values in the cheapest way found, prices them, and records what was tried at this depth.
pub(super) fn search(
    kind: ValueKind,
    values: &[i64],
    cascade: Cascade,
    trials: &mut Trials,
) -> Priced {
    if values.is_empty() {
        // This has the shortest description.
        return Priced::of(of_kind(kind, constant::empty()), cascade);
    }
    let stats = OnceCell::new();
    if kind == ValueKind::Ints
        && let Some(encoding) =
            Encoding::verdict(stats.get_or_init(|| RunStats::of(values)), values)
    {
        let priced = Priced::of(Node::leaf(encoding, values.len()), cascade);
        trials.record(|| priced.node.name(), || priced.price.bytes());
        return priced;
    }
    let ranges = sample::ranges(values.len(), cascade.sample_rows(values.len()));
    let taken;
    let sample = if let [_] = *ranges {
        values
    } else {
        taken = sample::take(values, &ranges);
        &taken
    };
    let mut search = NumberSearch {
        kind,
        cascade,
        values,
        sample,
        is_exact: false,
        ranges: &ranges,
        stats,
        repeats: OnceCell::new(),
        candidates: Vec::new(),
    };
    if search.has_long_runs() {
        RunLength::propose_numbers(&mut search);
    } else {
        Encoding::propose_numbers(&mut search);
    }
    search.finish(trials)
}

/// The mean number of bits that values need.
pub(crate) fn mean_bits(values: impl ExactSizeIterator<Item = u64>) -> f64 {
    let count = values.len().max(1);
    let bits: u64 = values
        .map(|value| u64::from(64 - value.leading_zeros()))
        .sum();
    bits as f64 / count as f64
}

/// The approximate number of bits per value after entropy coding: the entropy of the values' widths, and the bits below
/// the first one. Nothing if all are equal.
pub(crate) fn approximate_entropy(values: impl Iterator<Item = u64> + Clone) -> f64 {
    let first = values.clone().next().unwrap_or_default();
    let mut counts = [0_u32; 65];
    let (mut total, mut low, mut is_equal) = (0_u32, 0_u32, true);
    for value in values {
        let width = bit_packed::width_of(value);
        counts[usize::from(width)] += 1;
        low += u32::from(width.saturating_sub(1));
        total += 1;
        is_equal &= value == first;
    }
    if is_equal {
        return 0.0;
    }
    entropy(&counts) + f64::from(low) / f64::from(total)
}
