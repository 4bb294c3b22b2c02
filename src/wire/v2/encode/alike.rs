//! Finds large buffers with much the same content, so that they can share a section.
//!
//! Data repeats itself across columns: an API returns a commit's hash and four links that contain it, or a number and
//! the same number as a string. Each column is encoded on its own, so the encoded buffers are often equal, or equal but
//! for a few rows. In one section, zstd stores the second one as a reference to the first.
//!
//! Sketches find the candidates, as in deduplicating storage: hashes of some eight-byte windows, which are selected by
//! their own content, so that it does not matter where equal content starts (Broder, "On the resemblance and containment
//! of documents", 1997). Then a trial on the first bytes decides.

use hashbrown::HashMap;

use super::{EncodedColumn, LargeBuffer};
use crate::wire::codec::SectionCodec;
use crate::wire::workers::{Workers, for_task, map};

/// Number of bytes at the start of a buffer that are compared. Buffers of one frame have the same rows, so equal content
/// begins at about the same place.
const COMPARED: usize = 32 << 10;

/// Number of bytes of these that are compressed in a trial.
const TRIED: usize = 8 << 10;

/// One window in this many is selected; a power of two.
const WINDOWS_PER_HASH: u64 = 32;

/// Sketches with fewer hashes than this say too little: the buffer is a repetition of a few bytes.
const FEWEST_HASHES: usize = 16;

/// Buffers are candidates if they have one hash in this many in common.
const SHARE: usize = 10;

/// A buffer joins a section if that saves at least this percentage of its size. For less, readers of one column should
/// not have to decompress others.
const SAVING: usize = 15;

/// If a hash occurs in more buffers than this, it is of a common word, which says nothing.
const COMMON: usize = 8;

/// A section of several buffers has at most this many bytes before compression, since reading one of the buffers
/// decompresses them all.
const LARGEST: usize = 16 << 20;

/// Several threads compare the buffers of a frame if it has at least this many.
const BUFFERS_WORTH_A_THREAD: usize = 8;

/// A number that identifies a buffer in all frames of an output.
pub type BufferKey = u64;

/// The buffers that share a section with others, each with the number of its section.
#[derive(Clone, Debug, Default)]
pub struct BufferGroups(HashMap<BufferKey, usize>);

impl BufferGroups {
    /// The number of the section that a buffer shares with others.
    pub fn of(&self, key: BufferKey) -> Option<usize> {
        self.0.get(&key).copied()
    }

    /// Finds the large buffers of a frame that are worth a common section, with the help of `workers`. lz4 would not
    /// find what they have in common, since it looks back 64 KiB.
    pub fn find(columns: &[EncodedColumn], workers: &dyn Workers) -> Self {
        let buffers = columns.iter().flat_map(|column| &column.large);
        let is_zstd = |buffer: &&LargeBuffer| matches!(buffer.codec, SectionCodec::Zstd(_));
        let buffers: Vec<&LargeBuffer> = buffers.filter(is_zstd).collect();
        let workers = for_task(workers, buffers.len() >= BUFFERS_WORTH_A_THREAD);
        let closest = closest(&buffers, workers);
        // The compressed sizes of the buffers that others are compared with.
        let mut earlier: Vec<usize> = closest.iter().copied().flatten().collect();
        earlier.sort_unstable();
        earlier.dedup();
        let alone = map(workers, earlier, |at| {
            (at, tried_len(start(&buffers[at].plain)))
        });
        let alone: HashMap<usize, usize> = alone.into_iter().collect();
        let pairs = closest.into_iter().enumerate().collect();
        let alike = map(workers, pairs, |(at, closest): (usize, Option<usize>)| {
            closest.filter(|other| {
                let earlier = start(&buffers[*other].plain);
                repeats(earlier, alone[other], &buffers[at].plain)
            })
        });
        // The section of each buffer, and the plain bytes of each section.
        let mut sections: Vec<usize> = Vec::with_capacity(buffers.len());
        let mut lens: Vec<usize> = Vec::new();
        for (buffer, other) in buffers.iter().zip(alike) {
            let len = buffer.plain.len();
            let known = other.map(|other| sections[other]);
            let section = known.filter(|section| lens[*section] + len <= LARGEST);
            let section = section.unwrap_or_else(|| {
                lens.push(0);
                lens.len() - 1
            });
            sections.push(section);
            lens[section] += len;
        }
        let mut members = vec![0; lens.len()];
        for section in &sections {
            members[*section] += 1;
        }
        let shared = buffers.iter().zip(sections);
        let shared = shared.filter(|(_, section)| members[*section] > 1);
        Self(
            shared
                .map(|(buffer, section)| (buffer.key, section))
                .collect(),
        )
    }
}

/// For each buffer, the earlier one that has the most hashes in common with it, if these are many.
fn closest(buffers: &[&LargeBuffer], workers: &dyn Workers) -> Vec<Option<usize>> {
    let sketches = map(workers, buffers.to_vec(), |buffer| sketch(&buffer.plain));
    let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut closest = Vec::with_capacity(buffers.len());
    for (at, sketch) in sketches.into_iter().enumerate() {
        let mut hits = vec![0; at];
        for hash in &sketch {
            let others = known.entry(*hash).or_default();
            for other in others.iter() {
                hits[*other] += 1;
            }
            if others.len() < COMMON {
                others.push(at);
            }
        }
        // The first of several equal ones.
        let most = hits.iter().copied().max().unwrap_or(0);
        let is_close = most * SHARE >= sketch.len().max(FEWEST_HASHES);
        let first = hits.iter().position(|count| *count == most);
        closest.push(first.filter(|_| is_close));
    }
    closest
}

/// The part of a buffer that is compared.
fn start(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(COMPARED)]
}

/// Hashes of some of the content at the start of a buffer, without repetitions.
fn sketch(bytes: &[u8]) -> Vec<u64> {
    let mut hashes: Vec<u64> = start(bytes)
        .windows(8)
        .map(|window| window.try_into().map_or(0, u64::from_le_bytes))
        // The bits that select a window depend on its first five bytes.
        .map(|window| window.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .filter(|hash| hash >> 32 & (WINDOWS_PER_HASH - 1) == 0)
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// True if the start of a buffer becomes smaller if it is compressed after `earlier`, which takes `alone` bytes.
fn repeats(earlier: &[u8], alone: usize, later: &[u8]) -> bool {
    let later = &later[..later.len().min(TRIED)];
    let after = tried_len(&[earlier, later].concat()).saturating_sub(alone);
    after * 100 <= tried_len(later) * (100 - SAVING)
}

/// The size of some bytes in a trial.
fn tried_len(bytes: &[u8]) -> usize {
    SectionCodec::Zstd(1).packed_len(bytes, 1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};

    use super::*;
    use crate::wire::choose::Preset;
    use crate::wire::v2::{EncodeOptions, Encoder, PriorFrames};
    use crate::wire::workers::CallingThread;

    const ROWS: u64 = 3000;

    /// A pseudo-random hash in hexadecimal.
    fn hash(row: u64) -> String {
        let word = |at: u64| (row * 4 + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let word = |at: u64| word(at) ^ word(at) >> 29 ^ word(at + 1) << 7;
        format!("{:016x}{:016x}{:016x}", word(0), word(1), word(2))
    }

    fn column(value: impl Fn(u64) -> String) -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..ROWS).map(value)))
    }

    /// The size of a frame with these columns, and the number of buffers that share a section with others.
    fn encoded(columns: &[ArrayRef], preset: Preset) -> (usize, usize) {
        let columns = columns.iter().zip('a'..);
        let batch = columns.map(|(array, name)| (name.to_string(), array.clone()));
        let batch = RecordBatch::try_from_iter(batch).unwrap();
        let encoder = Encoder::new(EncodeOptions::of(preset));
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, array)| {
            let chunks = vec![Arc::clone(array)];
            let column = encoder.column(field, chunks, PriorFrames::default());
            column.unwrap()
        });
        let columns: Vec<_> = columns.collect();
        let groups = BufferGroups::find(&columns, &CallingThread);
        let mut out = Vec::new();
        let rows = ROWS as usize;
        encoder
            .envelope(rows, schema.metadata(), columns, Some(&groups), &mut out)
            .unwrap();
        (out.len(), groups.0.len())
    }

    #[test]
    fn a_column_that_repeats_another_costs_next_to_nothing() {
        let own = column(hash);
        let link = column(|row| format!("https://example.org/commits/{}", hash(row)));
        let parent = column(|row| hash(row.saturating_sub(1)));
        for (preset, other) in [
            (Preset::Balanced, &link),
            (Preset::Balanced, &parent),
            (Preset::Small, &link),
        ] {
            let (alone, _) = encoded(std::slice::from_ref(&own), preset);
            let (together, shared) = encoded(&[own.clone(), other.clone()], preset);
            assert_eq!(shared, 2, "{preset:?}");
            assert!(
                together < alone + alone / 50,
                "{together} after {alone}, {preset:?}"
            );
        }
    }

    #[test]
    fn columns_without_common_content_keep_their_sections() {
        let hashes = [column(hash), column(|row| hash(row + ROWS))];
        assert_eq!(encoded(&hashes, Preset::Balanced).1, 0);
        // lz4 would not find the first one.
        let twice = [column(hash), column(hash)];
        assert_eq!(encoded(&twice, Preset::Fast).1, 0);
        assert_eq!(encoded(&twice, Preset::Balanced).1, 2);
    }
}
