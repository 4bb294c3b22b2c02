//! Builds a dictionary, or finds that it does not pay.

use std::hash::BuildHasher;

use arrow_array::OffsetSizeTrait;
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::{LOW_BYTES, PREFIX, width_for};
use crate::wire::v1::parts::{Offsets, Spans};

/// Slots of the cache in front of the table.
const CACHE: usize = 256;

/// A dictionary entry as looked up: texts of up to eight bytes compare as one word.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The text, zero-filled, if it has up to eight bytes; else its hash.
    word: u64,
    len: u32,
    index: u32,
}

/// Matches no text: one of no bytes has the word 0.
const NO_ENTRY: Entry = Entry {
    word: 1,
    len: 0,
    index: 0,
};

/// Builds dictionaries, one after the other, in the same memory.
#[derive(Debug)]
pub(in crate::wire::v1) struct Builder {
    hasher: FixedState,
    /// Where few texts alternate, this finds them without a search.
    cache: Box<[Entry; CACHE]>,
    table: HashTable<Entry>,
    offsets: Vec<u32>,
    bytes: Vec<u8>,
    indices: Vec<u32>,
    /// The size of the column in plain form, which the dictionary must stay below.
    plain: u64,
    rows: usize,
}

/// The dictionary would not be smaller than plain.
struct DoesNotPay;

impl Default for Builder {
    fn default() -> Self {
        Self {
            hasher: FixedState::default(),
            cache: Box::new([NO_ENTRY; CACHE]),
            table: HashTable::new(),
            offsets: Vec::new(),
            bytes: Vec::new(),
            indices: Vec::new(),
            plain: 0,
            rows: 0,
        }
    }
}

impl Builder {
    /// Appends both payloads with their lengths, if they are smaller than `plain` bytes; else
    /// `false`, and `out` as it was. `rows` is the number of rows in all `parts`.
    pub(in crate::wire::v1) fn encode<'a>(
        &mut self,
        parts: impl Iterator<Item = Spans<'a>>,
        rows: usize,
        plain: u64,
        out: &mut Vec<u8>,
    ) -> bool {
        self.reset(rows, plain);
        if self.least_size() >= plain || self.read(parts).is_err() || self.offsets.len() == 1 {
            return false;
        }
        self.write(out);
        true
    }

    fn reset(&mut self, rows: usize, plain: u64) {
        self.cache.fill(NO_ENTRY);
        self.table.clear();
        self.offsets.clear();
        self.offsets.push(0);
        self.bytes.clear();
        self.indices.clear();
        self.indices.reserve(rows);
        self.plain = plain;
        self.rows = rows;
    }

    /// The size of both payloads if no further entry comes; more entries only add to it.
    fn least_size(&self) -> u64 {
        let count = self.offsets.len() - 1;
        let fixed = self.rows * width_for(count) + PREFIX + 4 * self.offsets.len();
        fixed as u64 + self.bytes.len() as u64
    }

    fn read<'a>(&mut self, parts: impl Iterator<Item = Spans<'a>>) -> Result<(), DoesNotPay> {
        for part in parts {
            match part.offsets {
                Offsets::Narrow(offsets) => self.read_part(offsets, &part)?,
                Offsets::Wide(offsets) => self.read_part(offsets, &part)?,
            }
        }
        Ok(())
    }

    fn read_part<O: OffsetSizeTrait>(
        &mut self,
        offsets: &[O],
        part: &Spans<'_>,
    ) -> Result<(), DoesNotPay> {
        let spans = offsets
            .array_windows()
            .map(|[from, to]| (from.as_usize(), to.as_usize()));
        for (row, (from, to)) in spans.enumerate() {
            let index = if part.nulls.is_some_and(|nulls| nulls.is_null(row)) {
                0
            } else {
                self.index_of(part.data, from, to)?
            };
            self.indices.push(index);
        }
        Ok(())
    }

    #[inline]
    fn index_of(&mut self, data: &[u8], from: usize, to: usize) -> Result<u32, DoesNotPay> {
        let len = to - from;
        let word = if len <= 8 {
            short_word(data, from, len)
        } else {
            self.hasher.hash_one(&data[from..to])
        };
        let slot = cache_slot(word, len);
        let cached = self.cache[slot];
        if cached.word == word
            && cached.len == len as u32
            && (len <= 8 || self.entry(cached.index) == &data[from..to])
        {
            return Ok(cached.index);
        }
        let entry = self.find_or_add(word, &data[from..to])?;
        self.cache[slot] = entry;
        Ok(entry.index)
    }

    #[inline(never)]
    fn find_or_add(&mut self, word: u64, text: &[u8]) -> Result<Entry, DoesNotPay> {
        let len = text.len() as u32;
        let hash_of = |word: u64, len: u32| self.hasher.hash_one((word, len));
        let hash = hash_of(word, len);
        let found = self.table.find(hash, |known| {
            known.word == word
                && known.len == len
                && (len <= 8 || entry(&self.offsets, &self.bytes, known.index) == text)
        });
        if let Some(found) = found {
            return Ok(*found);
        }
        let index = (self.offsets.len() - 1) as u32;
        let added = Entry { word, len, index };
        self.table
            .insert_unique(hash, added, |known| hash_of(known.word, known.len));
        self.bytes.extend_from_slice(text);
        self.offsets.push(self.bytes.len() as u32);
        if self.least_size() >= self.plain {
            return Err(DoesNotPay);
        }
        Ok(added)
    }

    fn entry(&self, index: u32) -> &[u8] {
        entry(&self.offsets, &self.bytes, index)
    }

    fn write(&self, out: &mut Vec<u8>) {
        let width = width_for(self.offsets.len() - 1);
        let indices = &self.indices;
        out.extend_from_slice(&((indices.len() * width) as u32).to_le_bytes());
        match width {
            1 => out.extend(indices.iter().map(|index| *index as u8)),
            2 => extend(out, indices, |index| (index as u16).to_le_bytes()),
            _ => extend(out, indices, u32::to_le_bytes),
        }
        let dictionary_len = PREFIX + 4 * self.offsets.len() + self.bytes.len();
        out.extend_from_slice(&(dictionary_len as u32).to_le_bytes());
        out.push(width as u8);
        out.extend_from_slice(&(self.offsets.len() as u32 - 1).to_le_bytes());
        extend(out, &self.offsets, u32::to_le_bytes);
        out.extend_from_slice(&self.bytes);
    }
}

fn entry<'a>(offsets: &[u32], bytes: &'a [u8], index: u32) -> &'a [u8] {
    let index = index as usize;
    &bytes[offsets[index] as usize..offsets[index + 1] as usize]
}

/// Text of up to eight bytes as a number, zero-filled.
#[inline]
fn short_word(data: &[u8], from: usize, len: usize) -> u64 {
    if let Some(eight) = data[from..].first_chunk::<8>() {
        return u64::from_le_bytes(*eight) & LOW_BYTES[len];
    }
    let mut word = [0; 8];
    word[..len].copy_from_slice(&data[from..from + len]);
    u64::from_le_bytes(word)
}

/// Multiplicative hashing (Knuth, 6.4); the golden ratio spreads short texts well enough.
#[inline]
fn cache_slot(word: u64, len: usize) -> usize {
    let mixed = (word ^ (len as u64).rotate_left(56)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as usize
}

fn extend<const N: usize>(out: &mut Vec<u8>, numbers: &[u32], bytes: impl Fn(u32) -> [u8; N]) {
    let start = out.len();
    out.resize(start + N * numbers.len(), 0);
    let (places, _) = out[start..].as_chunks_mut::<N>();
    for (place, number) in places.iter_mut().zip(numbers) {
        *place = bytes(*number);
    }
}
