//! Chooses encodings for runs of strings.
//!
//! Cheap checks come first: how many values are distinct, whether all are hex digits, whether a few dozen rows share a
//! template. Encodings that apply are then tried on a sample of contiguous chunks, since compression of text depends on
//! the surrounding text.

use super::{Cascade, Preset, Trials};
use crate::wire::encodings::dictionary::{Distinct, are_distinct, encode_distinct, most_distinct};
use crate::wire::encodings::{ByteStrings, Encoding, Node, bytes};

/// Number of rows to learn templates from; fewer rows if their text is long.
const ROWS_TO_LEARN: std::ops::RangeInclusive<usize> = 16..=64;

/// Number of bytes of long text to learn templates from.
const BYTES_TO_LEARN: usize = 8 << 10;

/// The largest total size of these rows; if it is exceeded, nothing is learned.
const MOST_BYTES_TO_LEARN: usize = 1 << 20;

/// Number of chunks in a sample.
const CHUNKS: usize = 8;

/// The greatest depth at which encodings are searched for.
const MOST_DEPTH: u8 = 3;

/// Sample sizes in bytes with the preset small: for comparing candidates, and for a quick glance before that.
const BYTES_IN_SAMPLE: usize = 128 << 10;
const BYTES_FOR_GLANCE: usize = 16 << 10;

/// After the glance, candidates that are larger than the best by more than one part in `FAR` are dropped; after the
/// comparison, by more than one part in `CLOSE`.
const FAR: u64 = 8;
const CLOSE: u64 = 16;

/// A candidate that is this many times as large as the dictionary on a sample is not encoded as a whole. Text
/// compresses better the more there is of it, but not that much better.
const HOPELESS: f64 = 3.0;

/// A way to encode strings; see [`StringSearch::add`].
type StringCandidate = Box<dyn Fn(&ByteStrings, Cascade, Option<&Node>) -> Option<Node>>;

/// Collects candidates for a run of strings.
pub(crate) struct StringSearch<'a> {
    pub cascade: Cascade,
    pub values: &'a ByteStrings,
    /// A few dozen rows, evenly spread.
    pub learned: Vec<&'a [u8]>,
    candidates: Vec<StringCandidate>,
}

/// A candidate that was tried: its price, its node for the sample, and its number. The dictionary has the
/// last number.
struct Tried {
    bytes: u64,
    node: Node,
    is_whole: bool,
    at: usize,
}

/// Encodes the values in the cheapest way found and records what was tried at this depth.
pub(super) fn choose(values: &ByteStrings, cascade: Cascade, trials: &mut Trials) -> Node {
    choose_among(values, cascade, trials, true)
}

/// Like [`choose`], for strings that are known to be distinct.
pub(super) fn choose_distinct(values: &ByteStrings, cascade: Cascade) -> Node {
    choose_among(values, cascade, &mut Trials::ignored(), false)
}

fn choose_among(
    values: &ByteStrings,
    cascade: Cascade,
    trials: &mut Trials,
    may_repeat: bool,
) -> Node {
    if values.data.is_empty() || cascade.depth >= MOST_DEPTH {
        return bytes::encode(values, cascade, None);
    }
    let mut distinct = (may_repeat && !are_distinct(values))
        .then(|| Distinct::find(values, most_distinct(values.len(), cascade.preset)))
        .flatten();
    let is_obvious = |distinct: &mut Distinct| distinct.entries.len() <= values.len() / 64;
    if let Some(distinct) = distinct.take_if(is_obvious) {
        let (node, _) = encode_distinct(distinct, cascade);
        trials.record(|| node.name(), || cascade.cost(&node));
        return node;
    }
    let mut search = StringSearch {
        cascade,
        values,
        learned: StringSearch::rows_to_learn(values),
        candidates: Vec::new(),
    };
    Encoding::propose_strings(&mut search);
    let mut candidates = search.candidates;
    let mut known = Vec::new();
    if cascade.preset == Preset::Small {
        shortlist(&mut candidates, values, cascade, BYTES_FOR_GLANCE, FAR);
        known = shortlist(&mut candidates, values, cascade, BYTES_IN_SAMPLE, CLOSE);
    }
    if cascade.is_compressed() {
        // Codecs repeat rows, too: a dictionary of most of the text saves nothing more.
        distinct = distinct.filter(|distinct| {
            let bytes = values.data.len();
            bytes <= BYTES_IN_SAMPLE || distinct.entries.data.len() <= bytes / 5 * 4
        });
    }
    if let ([only], None) = (&candidates[..], &distinct) {
        return only(values, cascade, None).unwrap_or_else(|| bytes::encode(values, cascade, None));
    }
    let whole = values.data.len() + 4 * values.len();
    // With the preset small, the winner and the dictionary are compared on all rows, and samples only rank candidates.
    let compares_all = cascade.preset == Preset::Small && !cascade.is_sample;
    let sample = sample_strings(values, sample_len(cascade));
    let ratio = whole as f64 / (sample.data.len() + 4 * sample.len()) as f64;
    let is_whole = is_all(&sample, values) && !compares_all;
    let mut tried: Vec<Tried> = Vec::new();
    let mut price = |node: Node, bytes: u64, is_whole: bool, at: usize| {
        trials.record(|| node.name(), || bytes);
        // Simple encodings come first; later ones must be 2 % smaller.
        let margin = if tried.is_empty() { 0 } else { bytes / 50 };
        tried.push(Tried {
            bytes: bytes + margin,
            node,
            is_whole,
            at,
        });
    };
    let mut known = known.into_iter();
    for (at, candidate) in candidates.iter().enumerate() {
        let tried = || trial(candidate, &sample, cascade.scaled(ratio));
        if let Some((cost, node)) = known.next().or_else(tried) {
            price(node, (cost as f64 * ratio) as u64, is_whole, at);
        }
    }
    if let Some(distinct) = distinct {
        let (node, cost) = encode_distinct(distinct, cascade);
        let bytes = cost.unwrap_or_else(|| cascade.cost(&node));
        price(node, bytes, true, candidates.len());
    }
    tried.sort_by_key(|tried| tried.bytes);
    finish(tried, &candidates, values, cascade)
        .unwrap_or_else(|| bytes::encode(values, cascade, None))
}

/// Keeps the candidates that come close to the best on a sample of `bytes` bytes, since trying one on a large sample is
/// slow. A candidate is close if it is larger by at most one part in `parts`. Returns the cost of the sample with each of
/// them and the sample encoded; nothing if there was no need to choose.
fn shortlist(
    candidates: &mut Vec<StringCandidate>,
    values: &ByteStrings,
    cascade: Cascade,
    bytes: usize,
    parts: u64,
) -> Vec<(u64, Node)> {
    let sample = sample_strings(values, bytes);
    if candidates.len() < 2 || is_all(&sample, values) {
        return Vec::new();
    }
    let tried = candidates
        .iter()
        .map(|candidate| trial(candidate, &sample, cascade));
    let mut tried: Vec<Option<(u64, Node)>> = tried.collect();
    let costs = tried.iter().flatten().map(|(cost, _)| *cost);
    let least = costs.min().unwrap_or(0);
    for trial in &mut tried {
        trial.take_if(|(cost, _)| *cost > least + least / parts);
    }
    let mut is_close = tried.iter().map(Option::is_some);
    candidates.retain(|_| is_close.next().unwrap_or(false));
    tried.into_iter().flatten().collect()
}

/// The cost of a sample with a candidate, and the sample encoded; `None` if the candidate does not apply.
fn trial(
    candidate: &StringCandidate,
    sample: &ByteStrings,
    cascade: Cascade,
) -> Option<(u64, Node)> {
    let node = candidate(sample, cascade.of_sample(), None)?;
    Some((cascade.cost(&node), node))
}

/// Encodes all rows with the best candidate that applies to all of them.
///
/// Text compresses better the more there is of it, so candidates look worse on a sample than they are. With the preset
/// small, they are compared with the dictionary again on all rows.
fn finish(
    tried: Vec<Tried>,
    candidates: &[StringCandidate],
    values: &ByteStrings,
    cascade: Cascade,
) -> Option<Node> {
    let mut leader: Option<Node> = None;
    let least = tried.first().map_or(0, |tried| tried.bytes);
    for Tried {
        node,
        is_whole,
        at,
        bytes,
    } in tried
    {
        // This node has all rows already.
        if is_whole {
            if leader.is_none() {
                if cascade.preset != Preset::Small {
                    return Some(node);
                }
                leader = Some(node);
            }
            continue;
        }
        if leader.is_some() && bytes as f64 > least as f64 * HOPELESS {
            break;
        }
        // The preset small searches again on all rows; the others repeat what was chosen on the sample.
        let choice = (cascade.preset != Preset::Small).then_some(&node);
        let whole = candidates
            .get(at)
            .and_then(|candidate| candidate(values, cascade, choice));
        let Some(whole) = whole else { continue };
        return Some(match leader {
            Some(leader) if cascade.cost(&leader) <= cascade.cost(&whole) => leader,
            _ => whole,
        });
    }
    leader
}

/// Size of a sample in bytes.
fn sample_len(cascade: Cascade) -> usize {
    match (cascade.preset, cascade.depth) {
        (Preset::Small, _) => BYTES_IN_SAMPLE,
        (Preset::Balanced, 0) => 48 << 10,
        _ => 32 << 10,
    }
}

impl<'a> StringSearch<'a> {
    /// Adds a candidate. Its third argument is a node of the same candidate for other values, whose choices it may
    /// reuse.
    pub(crate) fn add(
        &mut self,
        candidate: impl Fn(&ByteStrings, Cascade, Option<&Node>) -> Option<Node> + 'static,
    ) {
        self.candidates.push(Box::new(candidate));
    }

    /// A few dozen rows, evenly spread. None of very long text, since its tokens would take far more memory than the
    /// text.
    pub(crate) fn rows_to_learn(values: &'a ByteStrings) -> Vec<&'a [u8]> {
        let (least, most) = (*ROWS_TO_LEARN.start(), *ROWS_TO_LEARN.end());
        let count = BYTES_TO_LEARN * values.len() / values.data.len().max(1);
        let count = count.clamp(least, most).min(values.len());
        let rows: Vec<_> = (0..count)
            .map(|at| values.row(at * values.len() / count))
            .collect();
        let total: usize = rows.iter().map(|row| row.len()).sum();
        if total > MOST_BYTES_TO_LEARN {
            return Vec::new();
        }
        rows
    }
}

/// True if the sample contains all values.
fn is_all(sample: &ByteStrings, values: &ByteStrings) -> bool {
    sample.len() == values.len() && sample.data.len() == values.data.len()
}

/// A sample of about `bytes` bytes in a few evenly spread chunks; all values if there are not many more.
pub(crate) fn sample_strings(values: &ByteStrings, bytes: usize) -> ByteStrings {
    if values.data.len() <= bytes.saturating_mul(2) {
        return values.clone();
    }
    let mut sample = ByteStrings::default();
    for chunk in 0..CHUNKS {
        let end = sample.data.len() + bytes / CHUNKS;
        for row in chunk * values.len() / CHUNKS..(chunk + 1) * values.len() / CHUNKS {
            if sample.data.len() >= end {
                break;
            }
            // The start of a long row is enough.
            let text = values.row(row);
            sample.push(&text[..text.len().min(bytes)]);
        }
    }
    sample
}
