//! The difference between a record as printed and as written in the text.
//!
//! A patch is a sequence of steps through the printed record. A step is three varints and some bytes: how many bytes to
//! copy, how many bytes to insert (they follow), and how far to move forward or back (zigzag) to where the next copy
//! starts. After the last step, the rest of the record is copied. Moving back allows for members in a different order.
//!
//! After a difference, the source usually continues like some other position of the printed record. That position is
//! found as in LZ77, by chains of positions with the same hash (RFC 1951, 4).
//!
//! Text that is not a table is stored line by line, each line in a first cell. The patch of such a record is empty, or
//! it is `LINE` followed by steps through the unquoted cell and the line end.

use crate::error::{Error, Result};
use crate::varint;

/// The shortest run of equal bytes that is worth a step.
const RUN: usize = 12;
/// Number of bytes to hash.
const HASHED: usize = 8;
/// The most bytes inserted or skipped by a near difference.
const NEAR: usize = 32;
/// Number of positions to try for a longer run.
const PROBES: usize = 32;
/// A run of this length ends the search.
const LONG: usize = 256;
/// Number of positions to index in a record.
const PLACES: usize = 1 << 18;
/// The longest total of all copies, as a multiple of the length of the record, so that a patch cannot exhaust memory.
const GROWTH: usize = 4;

/// Precedes the steps through a line; not a valid encoding of a number.
const LINE: [u8; 2] = [0x80, 0];

/// The patch that turns `printed` into `source`; `None` if they are the same.
pub fn diff(printed: &[u8], source: &[u8]) -> Option<Vec<u8>> {
    let mut patch = Vec::new();
    let mut places = None;
    // Allow moving back only while the total of copies is within bounds.
    let mut copied = 0;
    let (mut at, mut from) = (0, 0);
    loop {
        // Copy what both have in common, then look for the next place where both continue alike: nearby, else
        // anywhere in the record, else only at the end.
        let same = common_prefix(&printed[at..], &source[from..]);
        let start = at;
        (at, from) = (at + same, from + same);
        copied += same;
        if from == source.len() && at == printed.len() {
            return (!patch.is_empty()).then_some(patch);
        }
        let may_go_back = copied + source.len() - from <= GROWTH * printed.len();
        let Continuation { insert, next } = near(&printed[at..], &source[from..])
            .map(|(skip, insert)| Continuation {
                insert,
                next: at + skip,
            })
            .or_else(|| {
                let places = places.get_or_insert_with(|| HashChains::of(printed));
                places.continuation(&source[from..]).filter(|_| may_go_back)
            })
            .unwrap_or_else(|| {
                // Nothing else matches; keep the common suffix.
                let (printed, source) = (&printed[at..], &source[from..]);
                let same = common_suffix(printed, source);
                Continuation {
                    insert: source.len() - same,
                    next: at + printed.len() - same,
                }
            });
        varint::push((at - start) as u64, &mut patch);
        varint::push(insert as u64, &mut patch);
        patch.extend_from_slice(&source[from..from + insert]);
        varint::push(varint::zigzag(next as i64 - at as i64), &mut patch);
        (at, from) = (next, from + insert);
    }
}

/// Where both continue in the same way: after this many bytes of the source, and from this position in the printed
/// record.
struct Continuation {
    insert: usize,
    next: usize,
}

/// The positions of a record, indexed by the hash of the bytes that follow.
struct HashChains<'a> {
    printed: &'a [u8],
    /// For each hash, the last position, or `NONE`.
    last: Vec<u32>,
    /// For each position (divided by `stride`), the previous one with the same hash.
    before: Vec<u32>,
    stride: usize,
}

const NONE: u32 = u32::MAX;

impl<'a> HashChains<'a> {
    fn of(printed: &'a [u8]) -> Self {
        let stride = printed.len().div_ceil(PLACES).max(1);
        let count = printed.len() / stride + 1;
        let mut places = Self {
            printed,
            last: vec![NONE; count.next_power_of_two()],
            before: vec![NONE; count],
            stride,
        };
        // Start at the end, so that the first of equal positions is found first.
        for place in (0..count).rev() {
            if let Some(slot) = places.slot(&printed[place * stride..]) {
                places.before[place] = std::mem::replace(&mut places.last[slot], place as u32);
            }
        }
        places
    }

    fn slot(&self, text: &[u8]) -> Option<usize> {
        let word = u64::from_le_bytes(*text.first_chunk::<HASHED>()?);
        let hash = word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        Some(hash as usize & (self.last.len() - 1))
    }

    /// The first run of the source that occurs in the record; if it occurs several times, the longest one.
    fn continuation(&self, source: &[u8]) -> Option<Continuation> {
        (0..source.len()).find_map(|insert| {
            let rest = &source[insert..];
            let mut place = self.last[self.slot(rest)?];
            let mut best = (0, 0);
            for _ in 0..PROBES {
                if place == NONE || best.0 >= LONG {
                    break;
                }
                let next = place as usize * self.stride;
                best = best.max((common_prefix(&self.printed[next..], rest), next));
                place = self.before[place as usize];
            }
            let (len, next) = best;
            // The run may start between two indexed positions.
            let earlier = common_suffix(&self.printed[..next], &source[..insert]);
            let continuation = Continuation {
                insert: insert - earlier,
                next: next - earlier,
            };
            (len + earlier >= RUN).then_some(continuation)
        })
    }
}

/// The number of bytes of both before the next common part, if it is near.
fn near(printed: &[u8], source: &[u8]) -> Option<(usize, usize)> {
    // All pairs of distances, those with the smallest sum first.
    let mut pairs = (1..=NEAR)
        .flat_map(|away| (0..=away).map(move |skip| (skip, away - skip)))
        .filter(|&(skip, insert)| {
            let runs = (
                printed.get(skip..skip + RUN),
                source.get(insert..insert + RUN),
            );
            matches!(runs, (Some(a), Some(b)) if a == b)
        });
    pairs.next()
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.chunks_exact(16).zip(b.chunks_exact(16));
    let whole = 16 * chunks.take_while(|(a, b)| a == b).count();
    let rest = a[whole..].iter().zip(&b[whole..]);
    whole + rest.take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    a.iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
}

/// Applies the patch to `printed` and appends the result.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the patch does not fit.
pub fn apply(patch: &[u8], printed: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut rest = patch;
    let mut from = 0;
    let mut left = GROWTH * printed.len();
    while !rest.is_empty() {
        let (copy, insert) = (number(&mut rest)?, number(&mut rest)?);
        let copy = usize::try_from(copy).map_err(|_| misfit())?;
        left = left.checked_sub(copy).ok_or_else(misfit)?;
        let copied = printed.get(from..).and_then(|text| text.get(..copy));
        out.extend_from_slice(copied.ok_or_else(misfit)?);
        let insert = usize::try_from(insert).map_err(|_| misfit())?;
        let (inserted, after) = rest.split_at_checked(insert).ok_or_else(misfit)?;
        out.extend_from_slice(inserted);
        rest = after;
        let moved = varint::unzigzag(number(&mut rest)?);
        let next = ((from + copy) as i64)
            .checked_add(moved)
            .and_then(|next| usize::try_from(next).ok());
        from = next.filter(|&at| at <= printed.len()).ok_or_else(misfit)?;
    }
    out.extend_from_slice(&printed[from..]);
    Ok(())
}

fn number(patch: &mut &[u8]) -> Result<u64> {
    varint::take(patch).map_err(|_| misfit())
}

fn misfit() -> Error {
    Error::corrupt("a patch does not fit its record")
}

/// The patch that turns a line into `source`.
pub fn diff_line(line: &[u8], source: &[u8]) -> Vec<u8> {
    let steps = diff(line, source);
    steps.map_or_else(Vec::new, |steps| [&LINE, &steps[..]].concat())
}

/// The steps of a patch for a line; `None` if it is for a record.
pub fn steps_of_line(patch: &[u8]) -> Option<&[u8]> {
    if patch.is_empty() {
        return Some(patch);
    }
    patch.strip_prefix(&LINE)
}

/// Extends a patch, if there is one, to also insert `text` before the record. The text can be long and is not copied.
pub fn prepend(mut text: Vec<u8>, patch: Option<&[u8]>) -> Vec<u8> {
    let (mark, steps) = match (patch, patch.and_then(steps_of_line)) {
        (_, Some(steps)) => (&LINE[..], steps),
        (patch, None) => (&[][..], patch.unwrap_or_default()),
    };
    let mut start = mark.to_vec();
    varint::push(0, &mut start);
    varint::push(text.len() as u64, &mut start);
    text.reserve_exact(start.len() + steps.len() + 1);
    text.splice(..0, start);
    varint::push(0, &mut text);
    text.extend_from_slice(steps);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn applied(patch: &[u8], printed: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        apply(patch, printed, &mut out).unwrap();
        out
    }

    #[test]
    fn small_differences_make_small_patches() {
        for (printed, source, len) in [
            (&b"a,b,c\n"[..], &b"a,\"b\",c\n"[..], 4 + 4),
            (b"a,b,c\n", b"a,b,c\r\n", 4),
            (b"a,b,c\n", b"a,b,c", 3),
            (b"a,\"b\",c\n", b"a,b,c\n", 7),
        ] {
            let patch = diff(printed, source).unwrap();
            assert_eq!(applied(&patch, printed), source);
            assert!(patch.len() <= len, "{} bytes", patch.len());
        }
        assert_eq!(diff(b"same", b"same"), None);
    }

    #[test]
    fn members_in_another_order_are_moved() {
        let members: Vec<String> = (0..20)
            .map(|n| format!("\"key{n}\":\"value {n} {}\"", n * n * 7919))
            .collect();
        let mut swapped = members.clone();
        swapped.swap(3, 11);
        let (printed, source) = (members.join(","), swapped.join(","));
        let patch = diff(printed.as_bytes(), source.as_bytes()).unwrap();
        assert_eq!(applied(&patch, printed.as_bytes()), source.as_bytes());
        assert!(patch.len() <= 30, "{} bytes", patch.len());
    }

    #[test]
    fn a_patch_cannot_fill_the_memory() {
        let printed = vec![b'x'; 1000];
        // Copies everything, goes back to the start, and so on.
        let step = [0xe8, 0x07, 0, 0xcf, 0x0f];
        assert!(apply(&step.repeat(3), &printed, &mut Vec::new()).is_ok());
        assert!(apply(&step.repeat(1000), &printed, &mut Vec::new()).is_err());
        // Repeated text can still be patched.
        let source = printed.repeat(50);
        let patch = diff(&printed, &source).unwrap();
        assert_eq!(applied(&patch, &printed), source);
    }

    #[test]
    fn a_patch_for_another_record_is_refused() {
        let patch = diff(b"a long record\n", b"a longer record\n").unwrap();
        assert!(apply(&patch, b"a\n", &mut Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn what_is_patched_is_the_source(
            words in proptest::collection::vec((0..4u8, "[a-d]{0,40}"), 0..200),
            before in "[a-d]{0,9}",
        ) {
            // Each word is in both, in only one of them, or in a different spelling in one.
            let pick = |kinds: [u8; 3], words: &[(u8, String)]| -> Vec<u8> {
                words
                    .iter()
                    .filter(|(kind, _)| kinds.contains(kind))
                    .flat_map(|(_, word)| word.bytes())
                    .collect()
            };
            let printed = pick([0, 1, 2], &words);
            let source = pick([0, 1, 3], &words);
            let patch = diff(&printed, &source).unwrap_or_default();
            prop_assert_eq!(applied(&patch, &printed), source.clone());
            let both = [before.as_bytes(), &source].concat();
            let longer = prepend(before.clone().into(), diff(&printed, &source).as_deref());
            prop_assert_eq!(steps_of_line(&longer), None);
            prop_assert_eq!(applied(&longer, &printed), both.clone());
            let line = diff_line(&printed, &source);
            prop_assert_eq!(applied(steps_of_line(&line).unwrap(), &printed), source);
            let longer = prepend(before.into(), Some(&line));
            prop_assert_eq!(applied(steps_of_line(&longer).unwrap(), &printed), both);
        }

        #[test]
        fn no_patch_makes_it_panic(patch: Vec<u8>, printed: Vec<u8>) {
            let _ = apply(&patch, &printed, &mut Vec::new());
        }
    }
}
