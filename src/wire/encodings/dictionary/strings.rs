//! Dictionaries of strings: the distinct strings, and the code of each row.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, Preset, sample_strings};
use crate::wire::encodings::strings::{self, ByteStrings, ensure_room, numbers, part};
use crate::wire::encodings::{Encoding, Node};

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
        let codes = self.codes.iter().map(|&code| places[code as usize]);
        Self {
            entries,
            codes: codes.collect(),
        }
    }
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

/// With the preset small, the order of entries of more bytes is chosen with a sample of a quarter of that.
const BYTES_TO_SAMPLE: usize = 128 << 10;

/// Encodes distinct strings and codes. Also returns the cost if it was computed.
///
/// Entries are in order of first occurrence, which makes codes ascend, or in byte order, where neighbours have more in
/// common. If byte order may pay, both are tried. With the preset small, trials on samples do not sort large
/// dictionaries: they rank encodings well enough without.
pub(crate) fn encode_distinct(distinct: &Distinct, cascade: Cascade) -> (Node, Option<u64>) {
    let deeper = cascade.deeper();
    let pays_to_sort = match cascade.preset {
        Preset::Fast => false,
        Preset::Balanced => distinct.entries.data.len() >= BYTES_TO_SORT,
        Preset::Small => !cascade.is_sample() || distinct.entries.data.len() < BYTES_TO_SORT,
    } && distinct.entries.len() > 2;
    let codes = deeper.ints(&distinct.codes);
    if !pays_to_sort {
        let entries = deeper.distinct_strings(&distinct.entries);
        return (super::node(entries, codes), None);
    }
    let sorted = distinct.sorted();
    if cascade.preset == Preset::Small && distinct.entries.data.len() > BYTES_TO_SAMPLE {
        let sorted_codes = deeper.ints(&sorted.codes);
        let cost_sorted = estimate(&sorted.entries, deeper) + deeper.cost(&sorted_codes) as f64;
        let cost_first = estimate(&distinct.entries, deeper) + deeper.cost(&codes) as f64;
        let (entries, codes) = if cost_sorted < cost_first {
            (&sorted.entries, sorted_codes)
        } else {
            (&distinct.entries, codes)
        };
        return (super::node(deeper.distinct_strings(entries), codes), None);
    }
    let entries = deeper.distinct_strings(&distinct.entries);
    // Encodings that suit entries and codes in one order almost always suit them in the other, except for those that
    // need ascending codes.
    let rises = matches!(codes.encoding, Encoding::Delta(_) | Encoding::Sequence(_));
    let choice = (!rises && cascade.preset != Preset::Small).then_some(&codes);
    let sorted = super::node(
        deeper.strings_like(&entries, &sorted.entries),
        deeper.ints_by(choice, &sorted.codes),
    );
    let first = super::node(entries, codes);
    let (cost_sorted, cost_first) = (cascade.cost(&sorted), cascade.cost(&first));
    if cost_sorted < cost_first {
        (sorted, Some(cost_sorted))
    } else {
        (first, Some(cost_first))
    }
}

/// The size of entries in bytes, estimated from a sample of them.
fn estimate(entries: &ByteStrings, cascade: Cascade) -> f64 {
    let sample = sample_strings(entries, BYTES_TO_SAMPLE / 4);
    let node = cascade.of_sample().distinct_strings(&sample);
    cascade.cost(&node) as f64 * entries.data.len() as f64 / sample.data.len() as f64
}

/// Encodes strings like those of `choice`, with entries sorted or unsorted like those of `choice`.
pub(super) fn apply(choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
    let [entries, codes] = choice.parts().ok()?;
    // Decoding the codes is cheap, unlike the entries.
    let is_sorted = !is_in_order_of_occurrence(&numbers(codes).ok()?);
    let mut distinct = Distinct::find(values, most_distinct(values.len(), cascade.preset))?;
    if is_sorted {
        distinct = distinct.sorted();
    }
    let deeper = cascade.deeper();
    let entries = deeper.distinct_strings_like(entries, &distinct.entries);
    Some(super::node(
        entries,
        deeper.ints_like(codes, &distinct.codes),
    ))
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

/// Appends the values of a node.
pub(super) fn decode(node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
    let count = node.children.first().map_or(0, |entries| entries.len);
    let mut entries = ByteStrings::default();
    strings::decode(part(node, 0, count)?, max_bytes, &mut entries)?;
    let codes = numbers(part(node, 1, node.len)?)?;
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
            return Err(Error::corrupt(format!(
                "expected a dictionary index below {count}, found {code}"
            )));
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
