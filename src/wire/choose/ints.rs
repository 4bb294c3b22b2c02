//! The choice for runs of whole numbers.

use super::price::{Part, Price, Priced};
use super::stats::Stats;
use super::{Bans, Cascade, PCO_LEVEL, Preset, Trials, replay, sample};
use crate::varint::zigzag;
use crate::wire::encodings::{
    Encoding, Node, bit_packed, byte_planes, delta, dictionary, interleaved, pco, run_length,
    sparse,
};

/// Numbers of interleaved runs that are tried.
pub(super) const WAYS: [usize; 3] = [2, 3, 4];

/// Values looked at to guess how many are distinct.
const DISTINCT_SAMPLE: usize = 1024;

/// A way to encode the run, priced on a sample or on all of it.
struct Candidate {
    encoding: Encoding,
    price: Price,
    /// For leaves: the node, if it is of the whole run.
    node: Option<Node>,
    parts: Vec<Part>,
}

/// Encodes the values in the cheapest way found and tells what was tried at this depth.
pub fn choose(values: &[i64], cascade: Cascade, trials: &mut Trials) -> Node {
    search(values, cascade, trials).node
}

/// The same with the price.
pub(super) fn search(values: &[i64], cascade: Cascade, trials: &mut Trials) -> Priced {
    let Some(stats) = Stats::of(values) else {
        return Priced::of(Node::leaf(Encoding::Constant { value: 0 }, 0), cascade);
    };
    let verdict = match stats {
        Stats { runs: 1, min, .. } => Some(Encoding::Constant { value: min }),
        Stats {
            min_step, max_step, ..
        } if min_step == max_step => Some(Encoding::Sequence {
            base: values[0],
            step: min_step,
        }),
        _ => None,
    };
    if let Some(encoding) = verdict {
        let priced = Priced::of(Node::leaf(encoding, values.len()), cascade);
        trials.tell(|| priced.node.name(), || priced.price.bytes());
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
    let mut search = Search {
        cascade,
        stats,
        values,
        sample,
        candidates: Vec::new(),
    };
    search.leaves();
    if cascade.may_nest() {
        search.delta(&ranges);
        search.run_length();
        search.dictionary();
        search.interleaved();
    }
    search.finish(trials)
}

struct Search<'a> {
    cascade: Cascade,
    stats: Stats,
    values: &'a [i64],
    /// Chunks of `values`, or all of them.
    sample: &'a [i64],
    candidates: Vec<Candidate>,
}

impl Search<'_> {
    fn is_whole(&self) -> bool {
        self.sample.len() == self.values.len()
    }

    fn leaf(&mut self, encoding: Encoding) {
        let Some(node) = leaf(&encoding, self.sample) else {
            return;
        };
        let price = Price::of(&node, self.cascade).scaled(self.sample.len(), self.values.len());
        self.candidates.push(Candidate {
            encoding,
            price,
            node: self.is_whole().then_some(node),
            parts: Vec::new(),
        });
    }

    fn parts(&mut self, encoding: Encoding, parts: Vec<Part>) {
        let price = parts.iter().map(Part::price).sum::<Price>() + Price::header(&encoding);
        self.candidates.push(Candidate {
            encoding,
            price,
            node: None,
            parts,
        });
    }

    fn leaves(&mut self) {
        let base = self.stats.min;
        let width = self.stats.width();
        if !self.cascade.is_compressed() {
            self.leaf(Encoding::BitPacked { base, width });
            return;
        }
        let bytes = width.div_ceil(8);
        self.leaf(Encoding::BitPacked {
            base,
            width: bytes * 8,
        });
        if bytes > 1 {
            self.leaf(Encoding::BytePlanes { base, bytes });
        }
        // What a codec finds in bytes it hardly finds in bits, so these must be fewer from the start.
        let packed = self.values.len() as u64 * u64::from(width) / 8;
        let least = self
            .candidates
            .iter()
            .map(|candidate| candidate.price.bytes())
            .min();
        if !width.is_multiple_of(8)
            && (least.is_none_or(|least| packed < least) || self.cascade.preset == Preset::Small)
        {
            self.leaf(Encoding::BitPacked { base, width });
        }
        if self.cascade.preset == Preset::Small && self.cascade.depth < 3 {
            self.leaf(Encoding::Pco);
        }
    }

    fn delta(&mut self, ranges: &[std::ops::Range<usize>]) {
        if self.values.len() < 3 {
            return;
        }
        let mut steps = sample::differences(self.values, ranges);
        let plain = mean_bits(
            self.sample
                .iter()
                .map(|value| value.wrapping_sub(self.stats.min) as u64),
        );
        let folded = mean_bits(steps.iter().map(|&step| zigzag(step)));
        if folded >= plain {
            return;
        }
        if !self.is_whole() {
            steps.extend([self.stats.min_step, self.stats.max_step]);
        }
        let cascade = self.cascade.deeper();
        let len = self.values.len() - 1;
        let part = Part::sampled(steps, len, cascade);
        let first = self.values[0];
        self.parts(Encoding::Delta { first }, vec![part]);
    }

    fn run_length(&mut self) {
        if self.stats.runs > self.values.len() / 3 || self.cascade.bans(Bans::RUN_LENGTH) {
            return;
        }
        let (values, lengths) = run_length::runs(self.values);
        let cascade = self.cascade.deeper().without(Bans::RUN_LENGTH);
        let parts = vec![Part::new(values, cascade), Part::new(lengths, cascade)];
        self.parts(Encoding::RunLength, parts);
    }

    fn dictionary(&mut self) {
        // Also finds the value for sparse, since both look at how often values repeat.
        let sorted = sample::sorted(self.values, DISTINCT_SAMPLE);
        let mut distinct = 0;
        let (mut common, mut most) = (0, 0);
        for run in sorted.chunk_by(i64::eq) {
            distinct += 1;
            if run.len() > most {
                (common, most) = (run[0], run.len());
            }
        }
        if most > sorted.len() / 4 * 3 && !self.cascade.bans(Bans::SPARSE) {
            self.sparse(common);
        }
        // Of a sample, only entries that are sure to come again make a dictionary for the whole.
        let share = match self.cascade.preset {
            _ if !self.cascade.is_sample => 2,
            Preset::Fast => 8,
            Preset::Balanced | Preset::Small => 32,
        };
        let most_distinct = sorted.len() / share;
        let width = self.stats.width();
        let code_width = bit_packed::width_of(distinct as u64 - 1);
        if self.cascade.bans(Bans::DICTIONARY)
            || distinct > most_distinct
            || code_width + 1 >= width
            || (self.cascade.is_compressed() && width <= 8)
        {
            return;
        }
        let max = self.values.len() / 4;
        let Some((mut entries, mut codes)) = dictionary::distinct(self.values.iter().copied(), max)
        else {
            return;
        };
        dictionary::sort(&mut entries, &mut codes);
        let cascade = self.cascade.deeper().without(Bans::DICTIONARY);
        let parts = vec![Part::new(entries, cascade), Part::new(codes, cascade)];
        self.parts(Encoding::Dictionary, parts);
    }

    fn sparse(&mut self, value: i64) {
        let (positions, exceptions) = sparse::exceptions(self.values, value);
        let cascade = self.cascade.deeper().without(Bans::SPARSE);
        let parts = vec![
            Part::new(positions, cascade),
            Part::new(exceptions, cascade),
        ];
        self.parts(Encoding::Sparse { value }, parts);
    }

    fn interleaved(&mut self) {
        if self.cascade.preset == Preset::Fast || self.cascade.bans(Bans::INTERLEAVED) {
            return;
        }
        let bits = |ways: usize| {
            mean_bits(
                self.sample
                    .windows(ways + 1)
                    .map(|rows| zigzag(rows[ways].wrapping_sub(rows[0]))),
            )
        };
        let len = self.values.len();
        let mut ways = WAYS
            .into_iter()
            .filter(|&ways| len.is_multiple_of(ways) && len > 2 * ways)
            .peekable();
        if ways.peek().is_none() {
            return;
        }
        let near = bits(1);
        let best = ways
            .map(|ways| (bits(ways), ways))
            .filter(|(bits, _)| bits + 1.0 < near)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, ways)) = best else {
            return;
        };
        let cascade = self.cascade.deeper().without(Bans::INTERLEAVED);
        let parts = interleaved::ways(self.values, ways)
            .into_iter()
            .map(|way| Part::new(way, cascade))
            .collect();
        self.parts(Encoding::Interleaved { ways: ways as u8 }, parts);
    }

    fn finish(self, trials: &mut Trials) -> Priced {
        for candidate in &self.candidates {
            trials.tell(|| candidate.name(), || candidate.price.bytes());
        }
        let (values, cascade, is_whole) = (self.values, self.cascade, self.is_whole());
        let mut candidates = self.candidates;
        candidates.sort_by(|a, b| score(a, cascade).total_cmp(&score(b, cascade)));
        let is_final = cascade.preset == Preset::Small && cascade.depth == 0 && !is_whole;
        let bound = candidates.first().map_or(0.0, |best| score(best, cascade)) * FINALIST;
        if is_final {
            // Chunks of a sample side by side confuse the delta that pco looks for.
            candidates.retain(|candidate| {
                score(candidate, cascade) <= bound || candidate.encoding == Encoding::Pco
            });
        } else {
            candidates.truncate(1);
        }
        let is_final = candidates.len() > 1;
        candidates
            .into_iter()
            .map(|candidate| {
                let surcharge = score(&candidate, cascade) / candidate.price.bytes().max(1) as f64;
                let price = candidate.price;
                let node = candidate.finish(values);
                let price = if is_final {
                    Price::of(&node, cascade)
                } else {
                    price
                };
                (price.bytes() as f64 * surcharge, Priced { node, price })
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or_else(
                // There is always a leaf.
                || Priced::of(bit_packed::encode(values, 0, 64), cascade),
                |(_, best)| best,
            )
    }
}

/// How much more than the best on the sample candidates may take that are tried on the whole run,
/// where size is all.
const FINALIST: f64 = 1.3;

impl Candidate {
    fn name(&self) -> String {
        let name = self.encoding.name();
        if self.parts.is_empty() {
            return name.to_owned();
        }
        let parts = self.parts.iter().filter(|part| !part.values.is_empty());
        let parts: Vec<String> = parts.map(|part| part.priced.node.name()).collect();
        format!("{name}({})", parts.join(", "))
    }

    /// The whole run encoded so.
    fn finish(self, values: &[i64]) -> Node {
        if let Some(node) = self.node {
            return node;
        }
        if self.parts.is_empty() {
            return leaf(&self.encoding, values)
                .unwrap_or_else(|| bit_packed::encode(values, 0, 64));
        }
        let is_delta = matches!(self.encoding, Encoding::Delta { .. });
        let finish = |part: Part| {
            if is_delta && !part.is_whole {
                let differences = delta::differences(values);
                replay::ints(&part.priced.node, &differences, part.cascade)
            } else {
                part.finish()
            }
        };
        let children = self.parts.into_iter().map(finish).collect();
        Node::of_children(self.encoding, values.len(), children)
    }
}

/// Bytes with a surcharge for what decoding costs: a layer must pay for itself.
fn score(candidate: &Candidate, cascade: Cascade) -> f64 {
    let surcharge = match candidate.encoding {
        Encoding::BitPacked { width, .. } if width.is_multiple_of(8) => 0.0,
        // Repeats of whole bytes are found all over the run, of which the sample shows few; the
        // higher the level, the more.
        Encoding::BitPacked { .. } if cascade.is_compressed() => match cascade.preset {
            Preset::Small => 0.6,
            Preset::Balanced | Preset::Fast => 0.05,
        },
        Encoding::BitPacked { .. } | Encoding::BytePlanes { .. } => 0.005,
        Encoding::Pco => 0.03,
        Encoding::Dictionary => 0.04,
        _ => 0.02,
    };
    let factor = match cascade.preset {
        Preset::Fast | Preset::Balanced => 1.0 + surcharge,
        Preset::Small => 1.0 + surcharge / 4.0,
    };
    candidate.price.bytes() as f64 * factor
}

fn leaf(encoding: &Encoding, values: &[i64]) -> Option<Node> {
    match *encoding {
        Encoding::BitPacked { base, width } => Some(bit_packed::encode(values, base, width)),
        Encoding::BytePlanes { base, bytes } => Some(byte_planes::encode(values, base, bytes)),
        Encoding::Pco => pco::encode(values, PCO_LEVEL),
        _ => None,
    }
}

fn mean_bits(values: impl ExactSizeIterator<Item = u64>) -> f64 {
    let count = values.len().max(1);
    let bits: u64 = values
        .map(|value| u64::from(64 - value.leading_zeros()))
        .sum();
    bits as f64 / count as f64
}
