//! Dictionaries of strings: the distinct strings, and the code of each row.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, Child, Preset, sample_strings};
use crate::wire::encodings::strings::{ByteStrings, ensure_room};
use crate::wire::encodings::{Encoding, Node, ValueKind};

/// To find out whether rows repeat, one pair of neighbors is sampled from this many rows.
const ROWS_PER_PAIR: usize = 32;
/// Fewer pairs say too little.
const LEAST_PAIRS: usize = 512;
const MOST_PAIRS: usize = 2048;

/// Entries of up to this length are copied as one piece of fixed size.
const PIECE: usize = 32;

/// The distinct values of a run and the code of each row.
#[derive(Clone, Debug)]
pub struct Distinct {
    /// The values.
    pub entries: ByteStrings,
    /// The index of each row's value.
    pub codes: Vec<i64>,
}

/// An entry of the hash table. First bytes and length identify short texts; for long ones, the hash almost always does.
#[derive(Clone, Copy)]
struct HashEntry {
    hash: u64,
    head: u128,
    len: u32,
    index: u32,
}

/// A row and its first bytes, which are often the whole row.
#[derive(Clone, Copy)]
struct PrefixedRow<'a> {
    head: u128,
    text: &'a [u8],
}

impl<'a> PrefixedRow<'a> {
    #[inline]
    fn of(values: &'a ByteStrings, row: usize) -> Self {
        Self {
            head: values.head(row),
            text: values.row(row),
        }
    }

    #[inline]
    fn is(self, other: Self) -> bool {
        self.head == other.head
            && self.text.len() == other.text.len()
            && (self.text.len() <= 16 || self.text == other.text)
    }

    /// Texts of the same length up to eight bytes never collide.
    #[inline]
    fn hash(self, hasher: &FixedState) -> u64 {
        match self.text.len() {
            0..=8 => {
                // Both steps are invertible, so no information is lost: multiplying by an odd number, and folding the
                // high bits onto the low ones.
                let product = (self.head as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                product ^ (product >> 32)
            }
            9..=16 => hasher.hash_one(self.head),
            _ => hasher.hash_one(self.text),
        }
    }
}

impl Distinct {
    /// The distinct values in order of first occurrence; `None` if there are more than `most`.
    pub fn find(values: &ByteStrings, most: usize) -> Option<Self> {
        let hasher = FixedState::default();
        let mut table: HashTable<HashEntry> = HashTable::new();
        let mut entries = ByteStrings::default();
        let mut codes = Vec::with_capacity(values.len());
        let mut code = 0;
        // Repeated rows are common, and comparing with the previous row is cheaper than hashing.
        let mut before: Option<PrefixedRow<'_>> = None;
        for at in 0..values.len() {
            let row = PrefixedRow::of(values, at);
            if before.is_none_or(|before| !row.is(before)) {
                let hash = row.hash(&hasher);
                let found = table.find(hash, |known| {
                    known.head == row.head
                        && known.len as usize == row.text.len()
                        && (row.text.len() <= 16
                            || known.hash == hash && row.text == entries.row(known.index as usize))
                });
                let index = if let Some(known) = found {
                    known.index
                } else {
                    let index = entries.len() as u32;
                    if entries.len() == most {
                        return None;
                    }
                    let known = HashEntry {
                        hash,
                        head: row.head,
                        len: row.text.len() as u32,
                        index,
                    };
                    table.insert_unique(hash, known, |known| known.hash);
                    entries.push(row.text);
                    index
                };
                before = Some(row);
                code = i64::from(index);
            }
            codes.push(code);
        }
        Some(Self { entries, codes })
    }

    /// The same dictionary with entries in byte order.
    #[must_use]
    pub fn sorted(&self) -> Self {
        // The first bytes almost always decide.
        let head = |index: usize| (self.entries.head(index).swap_bytes(), index);
        let mut order: Vec<(u128, usize)> = (0..self.entries.len()).map(head).collect();
        order.sort_unstable_by(|(a, at_a), (b, at_b)| {
            let rows = || self.entries.row(*at_a).cmp(self.entries.row(*at_b));
            a.cmp(b).then_with(rows)
        });
        let mut places = vec![0; order.len()];
        let mut entries = ByteStrings {
            offsets: Vec::with_capacity(order.len() + 1),
            data: Vec::with_capacity(self.entries.data.len()),
        };
        entries.offsets.push(0);
        for (place, (_, index)) in order.into_iter().enumerate() {
            places[index] = place as i64;
            entries.push(self.entries.row(index));
        }
        let codes = self
            .codes
            .iter()
            .map(|&code| places[code as usize])
            .collect();
        Self { entries, codes }
    }
}

/// True if hardly any row repeats another one. If a quarter of them do, so almost surely does one of the rows
/// sampled here: neighbors, and rows anywhere, since `n` such rows form `n * n / 2` pairs.
pub(crate) fn are_distinct(values: &ByteStrings) -> bool {
    let count = (values.len() / ROWS_PER_PAIR).min(MOST_PAIRS);
    if count < LEAST_PAIRS {
        return false;
    }
    let stratum = values.len() / count;
    // Hashed, so that no distance between rows is left out.
    let hasher = FixedState::default();
    let mut sample = ByteStrings::default();
    for at in 0..count {
        let row = at * stratum + hasher.hash_one(at) as usize % (stratum - 1);
        sample.push(values.row(row));
        sample.push(values.row(row + 1));
    }
    let found = Distinct::find(&sample, sample.len());
    found.is_some_and(|found| found.entries.len() == sample.len())
}

/// The most distinct values for which a dictionary is tried. None for a single row: it gains nothing, and the row may
/// be too long to copy.
pub(crate) fn most_distinct(rows: usize, preset: Preset) -> usize {
    if rows < 2 {
        return 0;
    }
    match preset {
        Preset::Fast => rows / 4,
        Preset::Balanced => rows / 4 * 3,
        Preset::Small => rows / 8 * 7,
    }
    .max(1)
}

/// For smaller dictionaries, the order does not matter.
const BYTES_TO_SORT: usize = 4096;

/// The order of entries of more bytes is chosen with a sample of a quarter of that.
const BYTES_TO_SAMPLE: usize = 128 << 10;

/// Encodes distinct strings and codes. Also returns the cost if it was computed.
///
/// Entries are in order of first occurrence, which makes codes ascend, or in byte order, where neighbors have more in
/// common. If byte order may pay, the cost of both is estimated, for codes and large entries on a sample, and only the
/// better one is encoded.
pub(crate) fn encode_distinct(distinct: Distinct, cascade: Cascade) -> (Node, Option<u64>) {
    let deeper = cascade.deeper();
    let is_small = cascade.preset == Preset::Small;
    let bytes = distinct.entries.data.len();
    let pays_to_sort = match cascade.preset {
        Preset::Fast => false,
        Preset::Balanced => bytes >= BYTES_TO_SORT,
        // Samples rank encodings well enough without sorting.
        Preset::Small => !cascade.is_sample() || bytes < BYTES_TO_SORT,
    } && distinct.entries.len() > 2;
    if !pays_to_sort {
        let codes = deeper.ints(&distinct.codes, None);
        let entries = deeper.distinct_strings(&distinct.entries, None);
        return (super::node(entries, codes), None);
    }
    let price = |codes: Vec<i64>| match cascade.preset {
        Preset::Small => Child::whole(ValueKind::Ints, &codes, deeper),
        Preset::Fast | Preset::Balanced => Child::new(codes, deeper),
    };
    let sorted = distinct.sorted();
    let codes = price(distinct.codes);
    // Encodings that suit entries and codes in one order almost always suit them in the other, except for encodings that
    // need ascending codes.
    let rises = matches!(codes.encoding(), Encoding::Delta(_) | Encoding::Sequence(_));
    let sorted_codes = if rises || is_small {
        price(sorted.codes)
    } else {
        codes.like(sorted.codes, deeper)
    };
    let encode = |choice: Option<&Node>, entries: &ByteStrings, cascade: Cascade| {
        cascade.distinct_strings(entries, choice.filter(|_| !is_small))
    };
    let is_large = bytes > BYTES_TO_SAMPLE;
    let part = if is_large { BYTES_TO_SAMPLE / 4 } else { bytes };
    let sample = |choice: Option<&Node>, entries: &ByteStrings, codes: &Child| {
        let sample = sample_strings(entries, part);
        let cascade = if is_large { deeper.of_sample() } else { deeper };
        let ratio = bytes as f64 / sample.data.len() as f64;
        let node = encode(choice, &sample, cascade.scaled(ratio));
        let cost = deeper.cost(&node) as f64 * ratio + codes.bytes() as f64;
        (cost, node)
    };
    let (cost, entries) = sample(None, &distinct.entries, &codes);
    let (cost_sorted, sorted_entries) = sample(Some(&entries), &sorted.entries, &sorted_codes);
    let (node, values, codes) = if cost_sorted < cost {
        (sorted_entries, sorted.entries, sorted_codes)
    } else {
        (entries, distinct.entries, codes)
    };
    let node = if is_large {
        encode(Some(&node), &values, deeper)
    } else {
        node
    };
    let cost = deeper.cost(&node) + codes.bytes();
    (super::node(node, codes.finish(&[])), Some(cost))
}

/// Encodes strings as `choice` does, with entries sorted or unsorted as there.
pub(super) fn apply(choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
    let [entries, codes] = choice.parts().ok()?;
    // Decoding the codes is cheap, unlike the entries.
    let is_sorted = !is_in_order_of_occurrence(&codes.ints().ok()?);
    let mut distinct = Distinct::find(values, most_distinct(values.len(), cascade.preset))?;
    if is_sorted {
        distinct = distinct.sorted();
    }
    let deeper = cascade.deeper();
    let entries = deeper.distinct_strings(&distinct.entries, Some(entries));
    let codes = deeper.ints(&distinct.codes, Some(codes));
    Some(super::node(entries, codes))
}

/// True if each code is at most one more than all codes before it.
fn is_in_order_of_occurrence(codes: &[i64]) -> bool {
    let mut next = 0;
    codes.iter().all(|&code| {
        let is_next = code == next;
        next += i64::from(is_next);
        code < next
    })
}

/// The error for a code beyond the `entries` entries of a dictionary.
pub(crate) fn beyond(code: i64, entries: usize) -> Error {
    Error::corrupt(format!(
        "expected a dictionary index below {entries}, found {code}"
    ))
}

/// Appends the values of a node.
pub(super) fn decode(node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
    let [entries, codes] = node.parts()?;
    let entries = entries.strings(max_bytes)?;
    let codes = codes.ints()?;
    let lens: Vec<u32> = entries
        .offsets
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as u32)
        .collect();
    let start = out.data.len() as u64;
    let mut end = start;
    out.offsets.reserve(codes.len());
    for &code in &codes {
        let len = usize::try_from(code).ok().and_then(|code| lens.get(code));
        let Some(&len) = len else {
            return Err(beyond(code, lens.len()));
        };
        // If the cast wraps, the total is refused below.
        end += u64::from(len);
        out.offsets.push(end as i32);
    }
    ensure_room(end - start, max_bytes, out)?;
    let starts = &out.offsets[out.offsets.len() - codes.len() - 1..];
    if lens.iter().all(|&len| len as usize <= PIECE) {
        copy_pieces(&entries, &codes, starts, &mut out.data, end as usize);
    } else {
        out.data.reserve((end - start) as usize);
        for &code in &codes {
            out.data.extend_from_slice(entries.row(code as usize));
        }
    }
    Ok(())
}

/// Copies entries of up to [`PIECE`] bytes, always as a whole piece: copying a fixed size is faster. Each piece
/// overwrites the excess of the previous one, and the excess of the last one is cut off.
fn copy_pieces(
    entries: &ByteStrings,
    codes: &[i64],
    starts: &[i32],
    data: &mut Vec<u8>,
    end: usize,
) {
    let mut pieces = entries.data.clone();
    pieces.resize(pieces.len() + PIECE, 0);
    data.resize(end + PIECE, 0);
    for (&code, &start) in codes.iter().zip(starts) {
        let from = entries.offsets[code as usize] as usize;
        let start = start as usize;
        data[start..start + PIECE].copy_from_slice(&pieces[from..from + PIECE]);
    }
    data.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_seen_wherever_they_are() {
        let rows = |row: &dyn Fn(usize) -> usize| {
            let mut rows = ByteStrings::default();
            (0..40_000).for_each(|at| rows.push(row(at).to_string().as_bytes()));
            rows
        };
        assert!(are_distinct(&rows(&|at| at)));
        assert!(!are_distinct(&rows(&|at| at / 2)));
        assert!(!are_distinct(&rows(&|at| at % 20_000)));
        assert!(!are_distinct(&rows(&|at| at * 7 % 30_000)));
        assert!(!are_distinct(&ByteStrings::default()));
    }
}
