//! The choice for runs of strings.
//!
//! Cheap verdicts first: how many values are distinct, whether all are hex digits, whether a few
//! dozen rows share a template. What applies is then tried on a sample of contiguous chunks, since
//! what a general compressor makes of text depends on what lies near.

use super::{Cascade, Preset, Trials};
use crate::wire::encodings::strings::dictionary::Distinct;
use crate::wire::encodings::strings::template::{Grain, Template};
use crate::wire::encodings::strings::{bytes, fsst, hex, ppmd};
use crate::wire::encodings::{Encoding, Node, Strings};

/// Rows from which templates are learned: so many, or fewer of long text.
const ROWS_TO_LEARN: std::ops::RangeInclusive<usize> = 16..=64;

/// Bytes of long text from which templates are learned.
const BYTES_TO_LEARN: usize = 8 << 10;

/// Chunks of a sample.
const CHUNKS: usize = 8;

/// Bytes on which orders of a text model are tried; long contexts show their worth late.
const BYTES_FOR_ORDER: usize = 512 << 10;

/// Encodings below this depth are not looked for.
const MOST_DEPTH: u8 = 3;

/// Bytes on which candidates of the small preset have to come near the best.
const BYTES_FOR_SHORTLIST: usize = 128 << 10;

/// A dictionary of fewer bytes is as good in any order.
const BYTES_TO_SORT: usize = 4096;

/// What applies to a run.
pub(super) enum Candidate {
    Bytes,
    Fsst,
    /// Text models of an order, or of the best.
    Ppmd {
        order: Option<u8>,
    },
    Hex {
        upper: bool,
    },
    Template(Template),
}

/// A candidate's price, its node for what was tried, and its place among the candidates; the
/// dictionary's place is behind them.
struct Priced {
    bytes: u64,
    node: Node,
    is_exact: bool,
    at: usize,
}

/// Encodes the values in the cheapest way found and tells what was tried at this depth.
pub fn choose(values: &Strings, cascade: Cascade, trials: &mut Trials) -> Node {
    choose_among(values, cascade, trials, true)
}

/// As [`choose`] for strings that are distinct already.
pub(super) fn choose_distinct(values: &Strings, cascade: Cascade) -> Node {
    choose_among(values, cascade, &mut Trials::untold(), false)
}

fn choose_among(values: &Strings, cascade: Cascade, trials: &mut Trials, may_repeat: bool) -> Node {
    if values.data.is_empty() || cascade.depth >= MOST_DEPTH {
        return bytes::encode(values, cascade, None);
    }
    let distinct = may_repeat
        .then(|| Distinct::find(values, most_distinct(values.len(), cascade.preset)))
        .flatten();
    if let Some(distinct) = &distinct
        && distinct.entries.len() <= values.len() / 64
    {
        let (node, _) = dictionary(distinct, cascade);
        trials.tell(|| node.name(), || cascade.cost(&node));
        return node;
    }
    let mut candidates = candidates(values, cascade);
    if cascade.preset == Preset::Small {
        shortlist(&mut candidates, values, cascade);
    }
    let whole = values.data.len() + 4 * values.len();
    let sample = sample(values, sample_len(cascade));
    let ratio = whole as f64 / (sample.data.len() + 4 * sample.len()) as f64;
    let is_whole = sample.len() == values.len();

    if let ([only], None) = (&candidates[..], &distinct) {
        return only
            .encode(values, cascade, None)
            .unwrap_or_else(|| bytes::encode(values, cascade, None));
    }
    let mut priced: Vec<Priced> = Vec::new();
    let mut price = |node: Node, bytes: u64, is_exact: bool, at: usize| {
        trials.tell(|| node.name(), || bytes);
        // Simple encodings come first: a later one must take 2 % less.
        let margin = if priced.is_empty() { 0 } else { bytes / 50 };
        priced.push(Priced {
            bytes: bytes + margin,
            node,
            is_exact,
            at,
        });
    };
    for (at, candidate) in candidates.iter().enumerate() {
        if let Some(node) = candidate.encode(&sample, cascade, None) {
            let bytes = (cascade.cost(&node) as f64 * ratio) as u64;
            price(node, bytes, is_whole, at);
        }
    }
    if let Some(distinct) = &distinct {
        let (node, cost) = dictionary(distinct, cascade);
        let bytes = cost.unwrap_or_else(|| cascade.cost(&node));
        price(node, bytes, true, candidates.len());
    }
    priced.sort_by_key(|priced| priced.bytes);
    finish(priced, &candidates, values, cascade)
        .unwrap_or_else(|| bytes::encode(values, cascade, None))
}

/// Leaves the candidates that come near the best on a small sample: on a large one each takes long.
fn shortlist(candidates: &mut Vec<Candidate>, values: &Strings, cascade: Cascade) {
    let sample = sample(values, BYTES_FOR_SHORTLIST);
    if sample.len() == values.len() {
        return;
    }
    let price = |candidate: &Candidate| {
        let node = candidate.encode(&sample, cascade, None);
        node.map_or(u64::MAX, |node| cascade.cost(&node))
    };
    let prices: Vec<u64> = candidates.iter().map(price).collect();
    let least = prices.iter().min().copied().unwrap_or(0);
    let mut prices = prices.iter();
    candidates.retain(|_| {
        prices
            .next()
            .is_some_and(|&price| price <= least + least / 16)
    });
}

/// The first encoding that applies to all rows, not only to those of the sample.
///
/// Text compresses better the more there is of it, so a sample does what was tried on it an
/// injustice: where size is all that counts, it has a second chance against the dictionary.
fn finish(
    priced: Vec<Priced>,
    candidates: &[Candidate],
    values: &Strings,
    cascade: Cascade,
) -> Option<Node> {
    let mut leader: Option<Node> = None;
    for Priced {
        node, is_exact, at, ..
    } in priced
    {
        if is_exact {
            if leader.is_none() {
                if cascade.preset != Preset::Small {
                    return Some(node);
                }
                leader = Some(node);
            }
            continue;
        }
        let plan = (cascade.preset != Preset::Small).then_some(&node);
        let whole = candidates
            .get(at)
            .and_then(|candidate| candidate.encode(values, cascade, plan));
        let Some(whole) = whole else { continue };
        return Some(match leader {
            Some(leader) if cascade.cost(&leader) <= cascade.cost(&whole) => leader,
            _ => whole,
        });
    }
    leader
}

/// Entries in order of first appearance, of which codes may rise, or in byte order, in which
/// neighbours share more; and the cost, where it had to be known.
fn dictionary(distinct: &Distinct, cascade: Cascade) -> (Node, Option<u64>) {
    let deeper = cascade.deeper();
    let first = Distinct::node(
        choose_distinct(&distinct.entries, deeper),
        deeper.ints(&distinct.codes),
    );
    let pays_to_sort = match cascade.preset {
        Preset::Fast => false,
        Preset::Balanced => distinct.entries.data.len() >= BYTES_TO_SORT,
        Preset::Small => distinct.entries.len() > 2,
    };
    let [entries, codes] = &first.children[..] else {
        return (first, None);
    };
    if !pays_to_sort {
        return (first, None);
    }
    let sorted = distinct.sorted();
    // What suits entries and codes in one order nearly always does in the other, but for what lives
    // on codes that rise.
    let rises = matches!(
        codes.encoding,
        Encoding::Delta { .. } | Encoding::Sequence { .. }
    );
    let plan = (!rises && cascade.preset != Preset::Small).then_some(codes);
    let sorted = Distinct::node(
        deeper.strings_like(entries, &sorted.entries),
        deeper.ints_by(plan, &sorted.codes),
    );
    let (cost_sorted, cost_first) = (cascade.cost(&sorted), cascade.cost(&first));
    if cost_sorted < cost_first {
        (sorted, Some(cost_sorted))
    } else {
        (first, Some(cost_first))
    }
}

/// With more distinct values than this a dictionary is not tried.
pub(super) fn most_distinct(rows: usize, preset: Preset) -> usize {
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
        (Preset::Small, _) => 512 << 10,
        (Preset::Balanced, 0) => 48 << 10,
        _ => 32 << 10,
    }
}

/// Bytes from which on text is worth a model of its own.
const PPMD_LEN: usize = 6 << 10;

fn candidates(values: &Strings, cascade: Cascade) -> Vec<Candidate> {
    let rows = rows_to_learn(values);
    let mut candidates = vec![Candidate::Bytes];
    match cascade.preset {
        Preset::Fast => candidates.push(Candidate::Fsst),
        Preset::Balanced => {}
        // Short text shares a section with other columns', which is better still.
        Preset::Small if values.data.len() < PPMD_LEN => {}
        Preset::Small => candidates.push(Candidate::Ppmd { order: None }),
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
    let templates = templates(values, cascade).into_iter();
    candidates.extend(templates.map(Candidate::Template));
    candidates
}

/// The templates that a few dozen rows share.
pub(super) fn templates(values: &Strings, cascade: Cascade) -> Vec<Template> {
    let mut templates: Vec<Template> = Vec::new();
    if cascade.preset == Preset::Fast {
        return templates;
    }
    let rows = rows_to_learn(values);
    for grain in [Grain::Digits, Grain::Letters, Grain::Words, Grain::Blanks] {
        if let Some(template) = Template::learn(&rows, grain)
            && !templates.contains(&template)
        {
            templates.push(template);
        }
    }
    templates
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
    /// Writes the values, parts as those of a node of this encoding, if given.
    pub(super) fn encode(
        &self,
        values: &Strings,
        cascade: Cascade,
        plan: Option<&Node>,
    ) -> Option<Node> {
        match self {
            Self::Bytes => Some(bytes::encode(values, cascade, plan)),
            Self::Fsst => fsst::encode(values, cascade, plan),
            Self::Ppmd { order: Some(order) } => ppmd::encode(values, *order),
            Self::Ppmd { order: None } => {
                let sample = sample(values, BYTES_FOR_ORDER);
                let orders = ppmd::ORDERS.into_iter();
                let nodes = orders.filter_map(|order| Some((order, ppmd::encode(&sample, order)?)));
                let (order, node) = nodes.min_by_key(|(_, node)| node.buffer.len())?;
                if sample.len() == values.len() {
                    Some(node)
                } else {
                    ppmd::encode(values, order)
                }
            }
            Self::Hex { upper } => hex::encode(values, *upper, cascade, plan),
            Self::Template(template) => template.encode(values, cascade, plan),
        }
    }
}

/// A few dozen rows, evenly spread.
fn rows_to_learn(values: &Strings) -> Vec<&[u8]> {
    let (least, most) = (*ROWS_TO_LEARN.start(), *ROWS_TO_LEARN.end());
    let count = BYTES_TO_LEARN * values.len() / values.data.len().max(1);
    let count = count.clamp(least, most).min(values.len());
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
