//! Builds a dictionary, unless it does not pay.

use std::hash::BuildHasher;
use std::ops::Range;

use arrow_array::OffsetSizeTrait;
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::{PREFIX, width_for};
use crate::wire::rope::Rope;
use crate::wire::v1::parts::{Offsets, Spans};

/// Number of slots in the cache that is searched before the table.
const CACHE: usize = 1024;

/// A dictionary entry for lookups: texts of up to eight bytes compare as one word.
#[derive(Clone, Copy, Debug)]
struct LookupEntry {
    /// The zero-padded text, if it has up to eight bytes; otherwise its hash.
    word: u64,
    len: u32,
    index: u32,
}

/// Matches no text: the empty text has the word 0.
const NO_ENTRY: LookupEntry = LookupEntry {
    word: 1,
    len: 0,
    index: 0,
};

/// Builds dictionaries, reusing its memory.
#[derive(Debug)]
pub(in crate::wire::v1) struct Builder {
    /// Finds texts without a search if few of them alternate.
    cache: Box<[LookupEntry; CACHE]>,
    indices: Vec<u32>,
    entries: Entries,
}

/// The dictionary so far.
#[derive(Debug, Default)]
struct Entries {
    hasher: FixedState,
    table: HashTable<LookupEntry>,
    offsets: Vec<u32>,
    /// The first occurrence of each entry: part and offset in its data. Copying the texts of a column without repeats
    /// would double its memory.
    sources: Vec<(u32, usize)>,
    /// The last entry that was looked up.
    before: u32,
    rows: usize,
    /// The size of the column in plain form, which the dictionary must stay below.
    plain: u64,
}

/// The data of all parts, and the number of the current part.
#[derive(Clone, Copy)]
struct Texts<'a> {
    data: &'a [&'a [u8]],
    part: usize,
}

/// The dictionary would not be smaller than plain.
struct DoesNotPay;

impl Default for Builder {
    fn default() -> Self {
        Self {
            cache: Box::new([NO_ENTRY; CACHE]),
            indices: Vec::new(),
            entries: Entries::default(),
        }
    }
}

impl Builder {
    /// Appends both payloads with their lengths, if they are smaller than `plain` bytes; otherwise returns `false` and
    /// leaves `out` unchanged. `rows` is the number of rows in all `parts`.
    pub(in crate::wire::v1) fn encode<'a>(
        &mut self,
        mut parts: impl Iterator<Item = Spans<'a>>,
        rows: usize,
        plain: u64,
        out: &mut Rope,
    ) -> bool {
        self.cache.fill(NO_ENTRY);
        self.entries.reset(rows, plain);
        self.indices.clear();
        if self.entries.least_size() >= plain {
            return false;
        }
        self.indices.resize(rows, 0);
        // Most columns have one part, which needs no list.
        let (first, second) = (parts.next(), parts.next());
        if second.is_none() {
            let data = first.as_ref().map(|part| part.data);
            return self.encode_parts(first.as_slice(), data.as_slice(), out);
        }
        let parts: Vec<_> = first.into_iter().chain(second).chain(parts).collect();
        let data: Vec<_> = parts.iter().map(|part| part.data).collect();
        self.encode_parts(&parts, &data, out)
    }

    fn encode_parts(&mut self, parts: &[Spans<'_>], data: &[&[u8]], out: &mut Rope) -> bool {
        let pays = self.read(parts, data).is_ok() && self.entries.count() > 0;
        if pays {
            self.write(parts, out);
        }
        pays
    }

    fn read(&mut self, parts: &[Spans<'_>], data: &[&[u8]]) -> Result<(), DoesNotPay> {
        let mut row = 0;
        for (at, part) in parts.iter().enumerate() {
            let rows = row..row + part.rows;
            row = rows.end;
            let texts = Texts { data, part: at };
            match part.offsets {
                Offsets::Narrow(offsets) => self.read_part(offsets, part, texts, rows)?,
                Offsets::Wide(offsets) => self.read_part(offsets, part, texts, rows)?,
            }
        }
        Ok(())
    }

    /// Looks up the text of each valid row of a part, or adds it to the dictionary, and stores its index.
    fn read_part<O: OffsetSizeTrait>(
        &mut self,
        offsets: &[O],
        part: &Spans<'_>,
        texts: Texts<'_>,
        rows: Range<usize>,
    ) -> Result<(), DoesNotPay> {
        let Self {
            cache,
            indices,
            entries,
        } = self;
        let spans = offsets
            .array_windows()
            .map(|[from, to]| from.as_usize()..to.as_usize());
        let mut rows = indices[rows].iter_mut().zip(spans);
        if let Some(nulls) = part.nulls {
            let mut validity = nulls.iter();
            rows.try_for_each(|(index, span)| {
                if validity.next() == Some(true) {
                    *index = entries.index_of(cache, texts, span)?;
                }
                Ok(())
            })
        } else {
            rows.try_for_each(|(index, span)| {
                *index = entries.index_of(cache, texts, span)?;
                Ok(())
            })
        }
    }

    fn write(&self, parts: &[Spans<'_>], out: &mut Rope) {
        let Entries {
            offsets, sources, ..
        } = &self.entries;
        let indices = &self.indices;
        let width = width_for(self.entries.count());
        let own = &mut out.own;
        own.extend_from_slice(&((indices.len() * width) as u32).to_le_bytes());
        match width {
            1 => own.extend(indices.iter().map(|index| *index as u8)),
            2 => extend(own, indices, |index| (index as u16).to_le_bytes()),
            _ => extend(own, indices, u32::to_le_bytes),
        }
        let dictionary_len = PREFIX + 4 * offsets.len() + self.entries.bytes_len();
        own.extend_from_slice(&(dictionary_len as u32).to_le_bytes());
        own.push(width as u8);
        own.extend_from_slice(&(self.entries.count() as u32).to_le_bytes());
        extend(own, offsets, u32::to_le_bytes);
        // If few texts repeat, most entries are also adjacent in the data.
        let lens = offsets.array_windows().map(|[from, to]| to - from);
        let mut entries = sources.iter().zip(lens).peekable();
        while let Some((&(part, start), len)) = entries.next() {
            let mut end = start + len as usize;
            while let Some((_, len)) = entries.next_if(|(next, _)| **next == (part, end)) {
                end += len as usize;
            }
            out.push(parts[part as usize].buffer, start, end - start);
        }
    }
}

impl Entries {
    fn reset(&mut self, rows: usize, plain: u64) {
        self.table.clear();
        self.offsets.clear();
        self.offsets.push(0);
        self.sources.clear();
        self.before = 0;
        self.rows = rows;
        self.plain = plain;
    }

    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Total size of all entries in bytes.
    fn bytes_len(&self) -> usize {
        self.offsets.last().map_or(0, |&end| end as usize)
    }

    fn entry<'a>(&self, data: &[&'a [u8]], index: u32) -> &'a [u8] {
        let index = index as usize;
        let (part, start) = self.sources[index];
        let len = self.offsets[index + 1] - self.offsets[index];
        &data[part as usize][start..start + len as usize]
    }

    /// The size of both payloads with the current entries; more entries only add to it.
    fn least_size(&self) -> u64 {
        let fixed = self.rows * width_for(self.count()) + PREFIX + 4 * self.offsets.len();
        fixed as u64 + self.bytes_len() as u64
    }

    /// The index of a text, which is added if it is new.
    #[inline]
    fn index_of(
        &mut self,
        cache: &mut [LookupEntry; CACHE],
        texts: Texts<'_>,
        span: Range<usize>,
    ) -> Result<u32, DoesNotPay> {
        match short_and_cached(cache, texts.data[texts.part], &span) {
            Some(index) => Ok(index),
            None => self.index_of_other(cache, texts, span),
        }
    }

    #[inline(never)]
    fn index_of_other(
        &mut self,
        cache: &mut [LookupEntry; CACHE],
        texts: Texts<'_>,
        span: Range<usize>,
    ) -> Result<u32, DoesNotPay> {
        let data = texts.data[texts.part];
        let text = &data[span.clone()];
        // Long texts often repeat, and comparing is cheaper than hashing.
        if self.count() > 0 && self.entry(texts.data, self.before) == text {
            return Ok(self.before);
        }
        let word = short_word(data, &span).unwrap_or_else(|| self.hasher.hash_one(text));
        let cached = &mut cache[cache_slot(word, text.len())];
        let same = cached.word == word && cached.len == text.len() as u32;
        if !(same && self.entry(texts.data, cached.index) == text) {
            *cached = self.find_or_add(word, texts, span.start, text)?;
        }
        self.before = cached.index;
        Ok(cached.index)
    }

    /// Finds the entry with this text in the table, or adds it. `word` holds a text of at most eight bytes
    /// and identifies it together with its length; of a longer text it is a hash, so the bytes are compared
    /// as well.
    fn find_or_add(
        &mut self,
        word: u64,
        texts: Texts<'_>,
        start: usize,
        text: &[u8],
    ) -> Result<LookupEntry, DoesNotPay> {
        let len = text.len() as u32;
        let found = self.table.find(table_hash(word, text.len()), |known| {
            known.word == word
                && known.len == len
                && (len <= 8 || self.entry(texts.data, known.index) == text)
        });
        if let Some(found) = found {
            return Ok(*found);
        }
        let index = self.count() as u32;
        let added = LookupEntry { word, len, index };
        let hash_of = |entry: &LookupEntry| table_hash(entry.word, entry.len as usize);
        self.table.insert_unique(hash_of(&added), added, hash_of);
        self.sources.push((texts.part as u32, start));
        self.offsets.push(self.bytes_len() as u32 + len);
        // An entry that makes the dictionary as large as the plain payloads ends the attempt early.
        if self.least_size() >= self.plain {
            return Err(DoesNotPay);
        }
        Ok(added)
    }
}

/// The index of a text of up to eight bytes, if it is in the cache.
#[inline]
fn short_and_cached(cache: &[LookupEntry; CACHE], data: &[u8], span: &Range<usize>) -> Option<u32> {
    let word = short_word(data, span)?;
    let cached = cache[cache_slot(word, span.len())];
    (cached.word == word && cached.len == span.len() as u32).then_some(cached.index)
}

/// Text of up to eight bytes as a zero-padded number; `None` for longer text.
#[inline]
fn short_word(data: &[u8], span: &Range<usize>) -> Option<u64> {
    let unused = 8_u32.checked_sub(span.len() as u32)?;
    let mask = u64::MAX.checked_shr(8 * unused).unwrap_or(0);
    let eight = data.get(span.start..).and_then(<[u8]>::first_chunk);
    let word = eight.map_or_else(|| last_word(data, span), |eight| u64::from_le_bytes(*eight));
    Some(word & mask)
}

/// Like [`short_word`], if fewer than eight bytes of data are left.
#[cold]
fn last_word(data: &[u8], span: &Range<usize>) -> u64 {
    let mut word = [0; 8];
    word[..span.len()].copy_from_slice(&data[span.clone()]);
    u64::from_le_bytes(word)
}

/// Multiplication by the golden ratio, since texts are far from random (Knuth, TAOCP 6.4).
#[inline]
fn product(word: u64, len: usize) -> u128 {
    u128::from(word ^ (len as u64).rotate_left(56)) * 0x9e37_79b9_7f4a_7c15
}

/// The slot of an entry in the cache.
#[inline]
fn cache_slot(word: u64, len: usize) -> usize {
    (product(word, len) as u64 >> (u64::BITS - CACHE.ilog2())) as usize
}

/// The table uses high and low bits, but low bits of the product depend on few bits of the text.
fn table_hash(word: u64, len: usize) -> u64 {
    let product = product(word, len);
    (product >> 64) as u64 ^ product as u64
}

fn extend<const N: usize>(out: &mut Vec<u8>, numbers: &[u32], bytes: impl Fn(u32) -> [u8; N]) {
    let start = out.len();
    out.resize(start + N * numbers.len(), 0);
    let (places, _) = out[start..].as_chunks_mut::<N>();
    for (place, number) in places.iter_mut().zip(numbers) {
        *place = bytes(*number);
    }
}
