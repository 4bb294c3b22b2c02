//! The difference between a record as it prints and as it stands.
//!
//! A patch is a sequence of steps through the printed record. A step is three varints and bytes: so
//! many bytes are copied, so many are skipped, so many bytes, which follow, are put in their place.
//! What is left behind the last step is copied.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::error::{Error, Result};
use crate::varint;

/// Equal bytes that are worth ending a difference for; shorter runs are rather replaced.
const RUN: usize = 8;
/// How many bytes are put in or left out by a near difference.
const NEAR: usize = 32;
/// How far a difference reaches before it is given up to find where both go on alike.
const WINDOW: usize = 1 << 12;

/// The patch that makes `source` of `printed`; `None` if they are the same.
pub fn diff(printed: &[u8], source: &[u8]) -> Option<Vec<u8>> {
    let mut patch = Vec::new();
    let (mut printed, mut source) = (printed, source);
    loop {
        let same = common_prefix(printed, source);
        (printed, source) = (&printed[same..], &source[same..]);
        if printed.is_empty() && source.is_empty() {
            return (!patch.is_empty()).then_some(patch);
        }
        let (skip, insert) = resync(printed, source);
        step(same, skip, &source[..insert], &mut patch);
        (printed, source) = (&printed[skip..], &source[insert..]);
    }
}

fn step(copy: usize, skip: usize, insert: &[u8], patch: &mut Vec<u8>) {
    varint::push(copy as u64, patch);
    varint::push(skip as u64, patch);
    varint::push(insert.len() as u64, patch);
    patch.extend_from_slice(insert);
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.chunks_exact(16).zip(b.chunks_exact(16));
    let whole = 16 * chunks.take_while(|(a, b)| a == b).count();
    let rest = a[whole..].iter().zip(&b[whole..]);
    whole + rest.take_while(|(a, b)| a == b).count()
}

/// How many bytes of both lie before they go on alike; not both are empty.
fn resync(printed: &[u8], source: &[u8]) -> (usize, usize) {
    // Near differences first: few bytes were put in or left out.
    for away in 1..=NEAR {
        for skip in 0..=away {
            let insert = away - skip;
            let runs = (
                printed.get(skip..skip + RUN),
                source.get(insert..insert + RUN),
            );
            if let (Some(a), Some(b)) = runs
                && a == b
            {
                return (skip, insert);
            }
        }
    }
    // Then the first run of the source that is anywhere in sight.
    let seen = |text: &[u8]| text.len().min(WINDOW);
    let (skip, insert) = (seen(printed), seen(source));
    let mut places = HashMap::<&[u8], usize, FixedState>::default();
    for (at, run) in printed[..skip].windows(RUN).enumerate() {
        places.entry(run).or_insert(at);
    }
    for (insert, run) in source[..insert].windows(RUN).enumerate() {
        if let Some(&skip) = places.get(run) {
            return (skip, insert);
        }
    }
    if (skip, insert) == (printed.len(), source.len()) {
        // What is left is short; its ends may be alike.
        let same = common_suffix(printed, source);
        return (skip - same, insert - same);
    }
    (skip, insert)
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let pairs = a.iter().rev().zip(b.iter().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

/// Appends what the patch makes of `printed`.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the patch is none for it.
pub fn apply(patch: &[u8], printed: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let misfit = || Error::corrupt("a patch does not fit its record");
    let (mut at, mut from) = (0, 0);
    while at < patch.len() {
        let mut number = || {
            let number = varint::read(patch, &mut at).map_err(|_| misfit())?;
            usize::try_from(number).map_err(|_| misfit())
        };
        let (copy, skip, insert) = (number()?, number()?, number()?);
        let rest = printed.get(from..).ok_or_else(misfit)?;
        out.extend_from_slice(rest.get(..copy).ok_or_else(misfit)?);
        let skipped = copy.checked_add(skip).filter(|&end| end <= rest.len());
        from += skipped.ok_or_else(misfit)?;
        let inserted = patch.get(at..).and_then(|rest| rest.get(..insert));
        out.extend_from_slice(inserted.ok_or_else(misfit)?);
        at += insert;
    }
    out.extend_from_slice(&printed[from..]);
    Ok(())
}

/// The patch that also puts `text` before the record.
pub fn prepend(text: &[u8], patch: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(text.len() + patch.len() + 4);
    step(0, 0, text, &mut all);
    all.extend_from_slice(patch);
    all
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
            // Each word stands in both, in one of them, or once in another spelling.
            let pick = |kinds: [u8; 3], words: &[(u8, String)]| -> Vec<u8> {
                let kept = words.iter().filter(|(kind, _)| kinds.contains(kind));
                kept.flat_map(|(_, word)| word.bytes()).collect()
            };
            let printed = pick([0, 1, 2], &words);
            let source = pick([0, 1, 3], &words);
            let patch = diff(&printed, &source).unwrap_or_default();
            prop_assert_eq!(applied(&patch, &printed), source.clone());
            let longer = prepend(before.as_bytes(), &patch);
            prop_assert_eq!(applied(&longer, &printed), [before.as_bytes(), &source].concat());
        }

        #[test]
        fn no_patch_makes_it_panic(patch: Vec<u8>, printed: Vec<u8>) {
            let _ = apply(&patch, &printed, &mut Vec::new());
        }
    }
}
