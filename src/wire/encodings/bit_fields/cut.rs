//! Finds the places where strings of one width are best cut into fields.

use std::collections::HashSet;

use super::{BitFields, Digits, Part};
use crate::wire::encodings::ByteStrings;

/// The fewest strings to learn from.
const FEWEST: usize = 16;

/// The widest strings in digits. Longer ones are hashes, which consist of random bits alone.
const WIDEST: usize = 48;

/// Number of adjacent strings by which places to cut are compared. Enough for random bits to show their width.
const ROWS: usize = 128;

/// The bits in every string that a field must save to be worth its description.
const FIELD_BITS: f64 = 0.2;

/// The fields must save this fraction of the bits of all digits.
const LEAST_SAVING: f64 = 0.02;

/// One string in this many that fields are learned from may have another width.
const ROWS_PER_ODD_WIDTH: usize = 8;

impl BitFields {
    /// Cuts strings into fields. `learned` are some strings, evenly spread over `values`. `None` if these differ in width or
    /// digits, apart from a few exceptions, or if cutting saves too little.
    pub(super) fn learn(learned: &[&[u8]], values: &ByteStrings) -> Option<Self> {
        let width = usual_width(learned)?;
        let has_width = |row: &&[u8]| row.len() == width;
        let learned: Vec<&[u8]> = learned.iter().copied().filter(has_width).collect();
        let first = learned.first().filter(|_| learned.len() >= FEWEST)?;
        let is_same: Vec<bool> = (0..width)
            .map(|at| learned.iter().all(|row| row[at] == first[at]))
            .collect();
        let differing = || {
            learned.iter().flat_map(|row| {
                let pairs = row.iter().zip(&is_same);
                pairs.filter_map(|(byte, is_same)| (!is_same).then_some(*byte))
            })
        };
        let digits = Digits::ALL
            .into_iter()
            .find(|digits| suits(*digits, differing()))?;
        // Bytes that all strings share are text up to the last one that is not a digit: `user_` in `user_01h4`.
        let mut is_text = vec![false; width];
        for at in (0..width).rev() {
            let precedes_text = is_text.get(at + 1).is_some_and(|is_text| *is_text);
            is_text[at] = is_same[at] && (precedes_text || digits.value(first[at]).is_none());
        }
        let middle = values.len().saturating_sub(ROWS) / 2;
        let rows = values.iter().skip(middle).take(ROWS);
        let is_usual = |row: &&[u8]| {
            let mut places = row.iter().zip(&is_text);
            has_width(row)
                && places.all(|(byte, is_text)| *is_text || digits.value(*byte).is_some())
        };
        let mut rows: Vec<&[u8]> = rows.filter(is_usual).collect();
        let distinct = rows.iter().collect::<HashSet<_>>().len();
        // A dictionary suits a few values better, and any encoding saves repeated strings.
        if distinct < FEWEST.max(rows.len() / 2) {
            return None;
        }
        rows.dedup();
        let mut parts = Vec::new();
        let (mut bits, mut all_bits) = (0.0, 0.0);
        let mut end = 0;
        for alike in is_text.chunk_by(bool::eq) {
            let here = end..end + alike.len();
            end = here.end;
            if alike[0] {
                parts.push(Part::Text(first[here].to_vec()));
                continue;
            }
            let rows: Vec<&[u8]> = rows.iter().map(|row| &row[here.clone()]).collect();
            let (cost, fields) = cut(digits, &rows)?;
            bits += cost;
            all_bits += f64::from(digits.bits()) * here.len() as f64;
            parts.extend(fields.into_iter().map(Part::Field));
        }
        (bits < all_bits * (1.0 - LEAST_SAVING)).then_some(Self { digits, parts })
    }
}

/// The width of nearly all rows, if they are no wider than identifiers are.
fn usual_width(learned: &[&[u8]]) -> Option<usize> {
    let mut widths: Vec<usize> = learned.iter().map(|row| row.len()).collect();
    widths.sort_unstable();
    let usual = *widths.get(widths.len() / 2)?;
    let others = widths.iter().filter(|width| **width != usual).count();
    let is_usual = others * ROWS_PER_ODD_WIDTH <= learned.len();
    (is_usual && (1..=WIDEST).contains(&usual)).then_some(usual)
}

/// True if some bytes, the ones in which strings differ, are such digits. Other encodings suit decimal digits and text.
fn suits(digits: Digits, mut bytes: impl Iterator<Item = u8> + Clone) -> bool {
    if digits == Digits::Bytes {
        return bytes.any(|byte| !matches!(byte, b' '..=b'~'));
    }
    let mut all = bytes.clone();
    all.all(|byte| digits.value(byte).is_some()) && bytes.any(|byte| !byte.is_ascii_digit())
}

/// The best lengths of fields, with the bits per string that they take; `None` if a string has other digits.
///
/// A field of any length at any place costs a number of bits. `best[end]` is the least cost of the digits before `end`,
/// and the start of the last of their fields; it follows from the best cuts before each possible start.
fn cut(digits: Digits, rows: &[&[u8]]) -> Option<(f64, Vec<usize>)> {
    let width = rows.first()?.len();
    let mut best = vec![(f64::INFINITY, 0); width + 1];
    best[0].0 = 0.0;
    for start in 0..width {
        let before = best[start].0;
        let mut numbers = vec![0; rows.len()];
        for end in start + 1..=width.min(start + digits.most()) {
            for (number, row) in numbers.iter_mut().zip(rows) {
                *number = *number << digits.bits() | u64::from(digits.value(row[end - 1])?);
            }
            let cost = before + field_bits(&numbers) + FIELD_BITS;
            if cost < best[end].0 {
                best[end] = (cost, start);
            }
        }
    }
    let mut lens = Vec::new();
    let mut end = width;
    while end > 0 {
        let start = best[end].1;
        lens.push(end - start);
        end = start;
    }
    lens.reverse();
    Some((best[width].0, lens))
}

/// The bits per value that a field takes: by its range, by the differences of neighbors, or by how few values it has.
fn field_bits(numbers: &[u64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let range = sorted[sorted.len() - 1] - sorted[0];
    let of_range = f64::from(u64::BITS - range.leading_zeros());
    sorted.dedup();
    let of_few = if sorted.len() * 4 <= numbers.len() {
        (sorted.len() as f64).log2()
    } else {
        of_range
    };
    of_range.min(step_bits(numbers)).min(of_few)
}

/// The bits per value of the differences of neighbors: the entropy of their signs and lengths, and the bits after the
/// first.
fn step_bits(numbers: &[u64]) -> f64 {
    let mut lens = [[0_u32; u64::BITS as usize + 1]; 2];
    let mut bits = 0;
    for pair in numbers.windows(2) {
        let step = pair[1].wrapping_sub(pair[0]).cast_signed();
        let len = u64::BITS - step.unsigned_abs().leading_zeros();
        lens[usize::from(step < 0)][len as usize] += 1;
        bits += len.saturating_sub(1);
    }
    let count = f64::from(numbers.len() as u32 - 1).max(1.0);
    let of_len = |times: &u32| f64::from(*times) * (count / f64::from(*times)).log2();
    let lens = lens.iter().flatten().filter(|times| **times > 0);
    (f64::from(bits) + lens.map(of_len).sum::<f64>()) / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::choose::StringSearch;

    /// Random numbers by a linear congruential generator.
    fn random() -> impl FnMut(u32) -> u64 {
        let mut state = 7_u64;
        move |bits| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> (64 - bits)
        }
    }

    /// The parts of strings that `row` makes of their number and random bits.
    fn cut_into(row: impl Fn(u64, &mut dyn FnMut(u32) -> u64) -> Vec<u8>) -> Option<String> {
        let mut random = random();
        let mut values = ByteStrings::default();
        for at in 0..1000 {
            values.push(&row(at, &mut random));
        }
        let learned = StringSearch::rows_to_learn(&values);
        let fields = BitFields::learn(&learned, &values)?;
        Some(crate::wire::encodings::scheme::Scheme::parameters(&fields))
    }

    #[test]
    fn identifiers_are_cut_where_their_parts_meet() {
        let uuid = |time: u64, version: u64, random: &mut dyn FnMut(u32) -> u64| {
            let high = time << 16 | version << 12 | random(12);
            let low = 0b10 << 62 | random(31) << 31 | random(31);
            [high.to_be_bytes(), low.to_be_bytes()].concat()
        };
        let version_7 = cut_into(|at, random| uuid(1_763_000_000_000 + 37 * at, 7, random));
        assert_eq!(version_7.unwrap(), "bytes, 6 2 8");
        let version_4 = cut_into(|_, random| uuid(random(48), 4, random));
        assert_eq!(version_4.unwrap(), "bytes, 6 2 8");
        let object_id = cut_into(|at, _| {
            let (seconds, counter) = (0x6913_0000 + at / 25, 0x00ab_cdef + at);
            format!("{seconds:08x}1f2e3d4c5b{counter:06x}").into_bytes()
        });
        let lens: Vec<usize> = object_id.unwrap()["hex, ".len()..]
            .split(' ')
            .map(|len| len.parse().unwrap())
            .collect();
        assert_eq!(lens.iter().sum::<usize>(), 24);
        assert!(lens.len() <= 4, "{lens:?}");
    }

    #[test]
    fn text_that_all_share_is_no_field() {
        let prefixed =
            cut_into(|at, random| format!("user_{:04x}-{:08x}", 900 + at, random(32)).into_bytes());
        assert_eq!(prefixed.unwrap(), "hex, \"user_\" 4 \"-\" 8");
    }

    #[test]
    fn random_and_other_text_is_not_cut() {
        let hash = cut_into(|_, random| {
            format!(
                "{:016x}{:016x}",
                random(63) << 1 | random(1),
                random(63) << 1 | random(1)
            )
            .into_bytes()
        });
        assert_eq!(hash, None);
        assert_eq!(
            cut_into(|at, _| format!("{:08}", 7 * at).into_bytes()),
            None
        );
        assert_eq!(cut_into(|at, _| format!("{at:x}").into_bytes()), None);
        assert_eq!(cut_into(|at, _| format!("word {at:06}").into_bytes()), None);
    }
}
