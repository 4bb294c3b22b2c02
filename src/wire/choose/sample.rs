//! Samples for trials, so that these cost little compared with encoding.
//!
//! A sample is a few contiguous chunks, one from each of several equal strata: contiguous, since neighbors matter to
//! delta, run length and the section codec; stratified, since columns change along the file (`BtrBlocks`, Kuschewski,
//! Sauerwein, Alhomssi, Leis, SIGMOD 2023). The positions depend only on the length.

use std::ops::Range;

/// Number of rows of a chunk; a multiple of all [`WAYS`](crate::wire::encodings::interleaved::WAYS).
pub(super) const CHUNK: usize = 768;

/// Chunks start at multiples of this, so that interleaved values stay in step.
const ALIGN: usize = 12;

/// The ranges for sampling about `rows` of `len` rows; all rows if there are not many more.
pub(super) fn ranges(len: usize, rows: usize) -> Vec<Range<usize>> {
    let chunks = rows.div_ceil(CHUNK).max(1);
    if len <= 2 * chunks * CHUNK {
        return std::iter::once(0..len).collect();
    }
    let stratum = len / chunks;
    (0..chunks)
        .map(|chunk| {
            // Knuth's multiplicative hash avoids alignment with periods of the data.
            let jitter = (chunk as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            let start = chunk * stratum + jitter as usize % (stratum - CHUNK);
            let start = start / ALIGN * ALIGN;
            start..start + CHUNK
        })
        .collect()
}

/// The values in the ranges.
pub(super) fn take(values: &[i64], ranges: &[Range<usize>]) -> Vec<i64> {
    let chunks: Vec<&[i64]> = ranges.iter().map(|range| &values[range.clone()]).collect();
    chunks.concat()
}

/// The differences from the previous row in the ranges, except for the first row.
pub(super) fn differences(values: &[i64], ranges: &[Range<usize>]) -> Vec<i64> {
    let mut differences = Vec::with_capacity(ranges.iter().map(ExactSizeIterator::len).sum());
    for range in ranges {
        let before = &values[range.start.saturating_sub(1)..range.end];
        differences.extend(
            before
                .iter()
                .zip(&before[1..])
                .map(|(before, value)| value.wrapping_sub(*before)),
        );
    }
    differences
}

/// About `rows` values spread over all rows, sorted.
pub(super) fn sorted(values: &[i64], rows: usize) -> Vec<i64> {
    let step = values.len() as f64 / rows as f64;
    let mut sorted: Vec<i64> = if step <= 1.0 {
        values.to_vec()
    } else {
        (0..rows)
            .filter_map(|row| values.get((row as f64 * step) as usize).copied())
            .collect()
    };
    sorted.sort_unstable();
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_in_place_and_apart() {
        for len in [0, 1, 5_000, 6_144, 6_145, 20_000, 1_000_003] {
            for rows in [1, 3_000, 16_384] {
                let ranges = ranges(len, rows);
                assert!(ranges.iter().all(|range| range.end <= len), "{len} {rows}");
                assert!(
                    ranges
                        .windows(2)
                        .all(|pair| pair[0].end <= pair[1].start + ALIGN)
                );
                let total: usize = ranges.iter().map(ExactSizeIterator::len).sum();
                assert!(
                    total == len || total < len / 2 + CHUNK,
                    "{len} {rows} {total}"
                );
            }
        }
    }

    #[test]
    fn differences_do_not_cross_chunks() {
        let values: Vec<i64> = (0..100_000).map(|row| row * 3).collect();
        let ranges = ranges(values.len(), 4_000);
        assert!(ranges.len() > 1);
        assert!(differences(&values, &ranges).iter().all(|&step| step == 3));
        let whole = super::ranges(3, 1);
        assert_eq!(differences(&[1, 5, 4], &whole), [4, -1]);
    }
}
