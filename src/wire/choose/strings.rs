//! The choice for runs of strings.
//!
//! Cheap verdicts first: how many values are distinct, whether all are hex digits, whether a few
//! dozen rows share a template. What applies is then tried on a sample of contiguous chunks, since
//! what a general compressor makes of text depends on what lies near.

use super::{Cascade, Preset, Trial};
use crate::wire::encodings::strings::dictionary::Distinct;
use crate::wire::encodings::strings::template::{Grain, Template};
use crate::wire::encodings::strings::{bytes, fsst, hex, ppmd};
use crate::wire::encodings::{Node, Strings};

/// Rows from which templates are learned.
const ROWS_TO_LEARN: usize = 64;

/// Chunks of a sample.
const CHUNKS: usize = 8;

/// Bytes on which orders of a text model are tried; long contexts show their worth late.
const BYTES_FOR_ORDER: usize = 1 << 20;

/// Encodings below this depth are not looked for.
const MOST_DEPTH: u8 = 3;

/// What applies to a run.
enum Candidate {
    Bytes,
    Fsst,
    Ppmd,
    Hex { upper: bool },
    Template(Template),
}

/// Encodes the values in the cheapest way found and tells what was tried at this depth.
pub fn choose(values: &Strings, cascade: Cascade, trials: &mut Vec<Trial>) -> Node {
    choose_among(values, cascade, trials, true)
}

fn choose_among(
    values: &Strings,
    cascade: Cascade,
    trials: &mut Vec<Trial>,
    may_repeat: bool,
) -> Node {
    if values.data.is_empty() || cascade.depth >= MOST_DEPTH {
        return bytes::encode(values, cascade);
    }
    let distinct = may_repeat
        .then(|| Distinct::find(values, most_distinct(values.len(), cascade.preset)))
        .flatten();
    if let Some(distinct) = &distinct
        && distinct.entries.len() <= values.len() / 64
    {
        return dictionary(distinct, cascade, trials);
    }
    let candidates = candidates(values, cascade);
    let whole = values.data.len() + 4 * values.len();
    let sample = sample(values, sample_len(cascade));
    let ratio = whole as f64 / (sample.data.len() + 4 * sample.len()) as f64;
    let is_whole = sample.len() == values.len();

    if let ([only], None) = (&candidates[..], &distinct) {
        return only
            .encode(values, cascade)
            .unwrap_or_else(|| bytes::encode(values, cascade));
    }
    // Simple encodings first: a later one must take 2 % less.
    let mut priced: Vec<(u64, Option<Node>, usize)> = Vec::new();
    let mut price = |node: Node, bytes: u64, is_whole: bool, at: usize| {
        let margin = if priced.is_empty() { 0 } else { bytes / 50 };
        priced.push((bytes + margin, is_whole.then_some(node), at));
    };
    for (at, candidate) in candidates.iter().enumerate() {
        if let Some(node) = candidate.encode(&sample, cascade) {
            let bytes = (cascade.cost(&node) as f64 * ratio) as u64;
            trials.push(Trial {
                encoding: node.name(),
                bytes,
            });
            price(node, bytes, is_whole, at);
        }
    }
    if let Some(distinct) = &distinct {
        let node = dictionary(distinct, cascade, trials);
        let bytes = cascade.cost(&node);
        price(node, bytes, true, candidates.len());
    }
    priced.sort_by_key(|&(bytes, ..)| bytes);
    finish(priced, &candidates, values, cascade).unwrap_or_else(|| bytes::encode(values, cascade))
}

/// The first encoding that applies to all rows, not only to those of the sample.
///
/// Text compresses better the more there is of it, so a sample flatters what was not tried on one:
/// where size is all that counts, the winner has to win on all rows too.
fn finish(
    priced: Vec<(u64, Option<Node>, usize)>,
    candidates: &[Candidate],
    values: &Strings,
    cascade: Cascade,
) -> Option<Node> {
    let mut exact: Option<Node> = None;
    for (_, node, at) in priced {
        let is_exact = node.is_some();
        if is_exact && exact.is_some() {
            continue;
        }
        let node = node.or_else(|| candidates.get(at)?.encode(values, cascade));
        match (node, exact.take()) {
            (None, leader) => exact = leader,
            (Some(node), None) if is_exact && cascade.preset == Preset::Small => exact = Some(node),
            (Some(node), None) => return Some(node),
            (Some(node), Some(leader)) => {
                let is_less = cascade.cost(&node) < cascade.cost(&leader);
                return Some(if is_less { node } else { leader });
            }
        }
    }
    exact
}

fn dictionary(distinct: &Distinct, cascade: Cascade, trials: &mut Vec<Trial>) -> Node {
    let deeper = cascade.deeper();
    let encode = |distinct: &Distinct| {
        let entries = choose_among(&distinct.entries, deeper, &mut Vec::new(), false);
        Distinct::node(entries, deeper.ints(&distinct.codes))
    };
    let first = encode(distinct);
    let first_cost = cascade.cost(&first);
    let mut best = first;
    if cascade.preset != Preset::Fast && distinct.entries.len() > 2 {
        let sorted = encode(&distinct.sorted());
        if cascade.cost(&sorted) < first_cost {
            best = sorted;
        }
    }
    trials.push(Trial {
        encoding: best.name(),
        bytes: cascade.cost(&best),
    });
    best
}

/// With more distinct values than this a dictionary is not tried.
fn most_distinct(rows: usize, preset: Preset) -> usize {
    match preset {
        Preset::Fast => rows / 4,
        Preset::Balanced => rows / 4 * 3,
        Preset::Small => rows / 8 * 7,
    }
    .max(1)
}

/// Bytes of a sample.
fn sample_len(cascade: Cascade) -> usize {
    match (cascade.preset, cascade.depth) {
        (Preset::Small, _) => 2 << 20,
        (Preset::Balanced, 0) => 256 << 10,
        _ => 64 << 10,
    }
}

fn candidates(values: &Strings, cascade: Cascade) -> Vec<Candidate> {
    let rows = rows_to_learn(values);
    let mut candidates = vec![Candidate::Bytes];
    match cascade.preset {
        Preset::Fast => candidates.push(Candidate::Fsst),
        Preset::Balanced => {}
        Preset::Small => candidates.push(Candidate::Ppmd),
    }
    for upper in [false, true] {
        let looks_hex = rows
            .iter()
            .all(|row| row.len() % 2 == 0 && row.iter().all(|&byte| is_hex(byte, upper)));
        if looks_hex {
            candidates.push(Candidate::Hex { upper });
            break;
        }
    }
    let grains: &[Grain] = match cascade.preset {
        Preset::Fast => &[],
        Preset::Balanced | Preset::Small => {
            &[Grain::Digits, Grain::Letters, Grain::Words, Grain::Blanks]
        }
    };
    let mut templates: Vec<Template> = Vec::new();
    for &grain in grains {
        if let Some(template) = Template::learn(&rows, grain)
            && !templates.contains(&template)
        {
            templates.push(template);
        }
    }
    candidates.extend(templates.into_iter().map(Candidate::Template));
    candidates
}

fn is_hex(byte: u8, upper: bool) -> bool {
    byte.is_ascii_hexdigit()
        && !(if upper {
            byte.is_ascii_lowercase()
        } else {
            byte.is_ascii_uppercase()
        })
}

impl Candidate {
    fn encode(&self, values: &Strings, cascade: Cascade) -> Option<Node> {
        match self {
            Self::Bytes => Some(bytes::encode(values, cascade)),
            Self::Fsst => fsst::encode(values, cascade),
            Self::Ppmd => {
                let sample = sample(values, BYTES_FOR_ORDER);
                let orders = ppmd::ORDERS.iter();
                let nodes =
                    orders.filter_map(|&order| Some((order, ppmd::encode(&sample, order)?)));
                let (order, node) = nodes.min_by_key(|(_, node)| node.buffer.len())?;
                if sample.len() == values.len() {
                    Some(node)
                } else {
                    ppmd::encode(values, order)
                }
            }
            Self::Hex { upper } => hex::encode(values, *upper, cascade),
            Self::Template(template) => template.encode(values, cascade),
        }
    }
}

/// A few dozen rows, evenly spread.
fn rows_to_learn(values: &Strings) -> Vec<&[u8]> {
    let count = values.len().min(ROWS_TO_LEARN);
    (0..count)
        .map(|at| values.row(at * values.len() / count))
        .collect()
}

/// About so many bytes in a few chunks, evenly spread; all if they are not many more.
fn sample(values: &Strings, bytes: usize) -> Strings {
    if values.data.len() <= bytes.saturating_mul(2) {
        return values.clone();
    }
    let mut sample = Strings::default();
    for chunk in 0..CHUNKS {
        let end = sample.data.len() + bytes / CHUNKS;
        for row in chunk * values.len() / CHUNKS..(chunk + 1) * values.len() / CHUNKS {
            if sample.data.len() >= end {
                break;
            }
            sample.push(values.row(row));
        }
    }
    sample
}
