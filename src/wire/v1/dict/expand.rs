//! Expands a dictionary to offsets and data.

use arrow_buffer::MutableBuffer;

use super::PREFIX;
use crate::error::Result;
use crate::wire::v1::pool::Pool;
use crate::wire::v1::stored::{RawPayload, StoredColumn, first_fall};
use crate::wire::v1::validity;

/// The most entries to copy as words; for larger dictionaries, the tables would be too large.
const MOST_WORDS: usize = 1 << 16;

/// A column's indices and dictionary; everything but the indices is checked.
#[derive(Clone, Copy)]
pub(in crate::wire::v1) struct Dictionary<'a> {
    indices: RawPayload<'a>,
    width: usize,
    /// The offsets of the entries, one more than there are entries.
    offsets: &'a [[u8; 4]],
    entries: &'a [u8],
    entries_at: usize,
    /// The bitmap, if any row is null.
    nulls: Option<&'a [u8]>,
}

/// Expands dictionaries, reusing its memory.
#[derive(Debug, Default)]
pub(in crate::wire::v1) struct Expander {
    /// The length of each entry.
    lens: Vec<u32>,
    /// The zero-padded entries, if all have up to eight bytes.
    words: Vec<[u8; 8]>,
    /// The zero-padded entries, if all have up to sixteen bytes.
    double_words: Vec<[u8; 16]>,
    /// The zero-padded entries, if all have up to 32 bytes.
    quad_words: Vec<[u8; 32]>,
}

impl<'a> Dictionary<'a> {
    /// Parses the payloads of a column with at least one row.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] unless the dictionary is complete, its offsets do not decrease, and there is an
    /// index for each row.
    pub(in crate::wire::v1) fn parse(column: StoredColumn<'a>) -> Result<Self> {
        let [indices, blob] = column.raw_payloads();
        let (rows, validity) = (column.rows, column.validity());
        let bytes = blob.bytes;
        let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX>() else {
            let text = format!(
                "expected a dictionary of at least 5 bytes, found {}",
                bytes.len()
            );
            return Err(blob.corrupt(0, text));
        };
        let [width, count @ ..] = *prefix;
        if !matches!(width, 1 | 2 | 4) {
            let text = format!("expected an index width of 1, 2 or 4 bytes, found {width}");
            return Err(blob.corrupt(0, text));
        }
        let count = u32::from_le_bytes(count) as usize;
        let table_len = 4 * (count + 1);
        let Some((table, entries)) = rest.split_at_checked(table_len) else {
            let text = format!(
                "expected {table_len} bytes of offsets for {count} dictionary entries, found {}",
                rest.len()
            );
            return Err(blob.corrupt(1, text));
        };
        let (offsets, _) = table.as_chunks::<4>();
        let last = u32::from_le_bytes(offsets[count]) as usize;
        if last != entries.len() {
            let text = format!(
                "expected the last dictionary offset to be {}, found {last}",
                entries.len()
            );
            return Err(blob.corrupt(PREFIX + 4 * count, text));
        }
        if let Some((at, from, to)) = first_fall(offsets) {
            let text =
                format!("expected dictionary offsets not to decrease, found {from} then {to}");
            return Err(blob.corrupt(PREFIX + 4 * (at + 1), text));
        }
        let width = usize::from(width);
        if indices.bytes.len() != rows * width {
            let text = format!(
                "expected {} bytes of indices for {rows} rows, found {}",
                rows * width,
                indices.bytes.len()
            );
            return Err(indices.corrupt(0, text));
        }
        let nulls = (validity::null_count(validity, rows) > 0).then_some(validity);
        Ok(Self {
            indices,
            width,
            offsets,
            entries,
            entries_at: blob.at + PREFIX + table_len,
            nulls,
        })
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls
            .is_some_and(|bitmap| !validity::is_valid(bitmap, row))
    }

    /// Number of entries.
    pub(in crate::wire::v1) fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The index stored for a row, which may be out of range.
    pub(in crate::wire::v1) fn index(&self, row: usize) -> usize {
        let bytes = &self.indices.bytes[row * self.width..(row + 1) * self.width];
        let mut wide = [0; 4];
        wide[..self.width].copy_from_slice(bytes);
        u32::from_le_bytes(wide) as usize
    }

    /// The indices stored for all rows; `WIDTH` is the number of bytes of each.
    fn indices<const WIDTH: usize>(&self) -> impl Iterator<Item = usize> + use<'a, WIDTH> {
        let (indices, _) = self.indices.bytes.as_chunks::<WIDTH>();
        indices.iter().map(|index| {
            let mut wide = [0; 4];
            wide[..WIDTH].copy_from_slice(index);
            u32::from_le_bytes(wide) as usize
        })
    }

    /// The bytes of an entry.
    pub(in crate::wire::v1) fn entry(&self, index: usize) -> &'a [u8] {
        let [from, to] = [index, index + 1].map(|at| u32::from_le_bytes(self.offsets[at]) as usize);
        &self.entries[from..to]
    }

    /// The offset of an entry in the envelope.
    pub(in crate::wire::v1) fn entry_at(&self, index: usize) -> usize {
        self.entries_at + u32::from_le_bytes(self.offsets[index]) as usize
    }
}

impl Expander {
    /// Fills `offsets` (one more than rows, the first 0) and returns the length of the data.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the index of a valid row is out of range, or the offsets overflow.
    pub(in crate::wire::v1) fn offsets(
        &mut self,
        dictionary: &Dictionary<'_>,
        offsets: &mut [u32],
    ) -> Result<usize> {
        self.lens.clear();
        let ends = dictionary.offsets.array_windows();
        self.lens
            .extend(ends.map(|[from, to]| u32::from_le_bytes(*to) - u32::from_le_bytes(*from)));
        let len = match dictionary.width {
            1 => self.offsets_by::<1>(dictionary, offsets),
            2 => self.offsets_by::<2>(dictionary, offsets),
            _ => self.offsets_by::<4>(dictionary, offsets),
        }?;
        let most = u32::MAX;
        if len > most.into() {
            let text = format!("expected text of at most {most} bytes, found {len} in the rows");
            return Err(dictionary.indices.corrupt(0, text));
        }
        Ok(len as usize)
    }

    fn offsets_by<const WIDTH: usize>(
        &self,
        dictionary: &Dictionary<'_>,
        offsets: &mut [u32],
    ) -> Result<u64> {
        let indices = dictionary.indices::<WIDTH>();
        let mut end = 0u64;
        offsets[0] = 0;
        for (row, (index, offset)) in indices.zip(&mut offsets[1..]).enumerate() {
            if !dictionary.is_null(row) {
                let Some(len) = self.lens.get(index) else {
                    let text = format!(
                        "row {row}: expected an index below {}, found {index}",
                        dictionary.count()
                    );
                    return Err(dictionary.indices.corrupt(row * dictionary.width, text));
                };
                end += u64::from(*len);
            }
            *offset = end as u32;
        }
        Ok(end)
    }

    /// The data of all rows end to end; [`Self::offsets`] has filled `offsets`.
    pub(in crate::wire::v1) fn data(
        &mut self,
        dictionary: &Dictionary<'_>,
        offsets: &[u32],
        pool: &mut Pool,
    ) -> MutableBuffer {
        match dictionary.width {
            1 => self.data_by::<1>(dictionary, offsets, pool),
            2 => self.data_by::<2>(dictionary, offsets, pool),
            _ => self.data_by::<4>(dictionary, offsets, pool),
        }
    }

    /// Entries of at most 32 bytes are copied as whole words, since a copy of constant length takes less time
    /// than one of the exact length. See [`copy_words`].
    fn data_by<const WIDTH: usize>(
        &mut self,
        dictionary: &Dictionary<'_>,
        offsets: &[u32],
        pool: &mut Pool,
    ) -> MutableBuffer {
        let indices = dictionary.indices::<WIDTH>();
        let longest = self.lens.iter().max();
        match longest.filter(|_| dictionary.count() <= MOST_WORDS) {
            Some(0..=8) => {
                fill_words(&mut self.words, dictionary);
                copy_words(&self.words, indices, offsets, pool)
            }
            Some(9..=16) => {
                fill_words(&mut self.double_words, dictionary);
                copy_words(&self.double_words, indices, offsets, pool)
            }
            Some(17..=32) => {
                fill_words(&mut self.quad_words, dictionary);
                copy_words(&self.quad_words, indices, offsets, pool)
            }
            _ => copy_entries(dictionary, indices, offsets, pool),
        }
    }
}

fn fill_words<const N: usize>(words: &mut Vec<[u8; N]>, dictionary: &Dictionary<'_>) {
    words.clear();
    words.extend((0..dictionary.count()).map(|index| {
        let entry = dictionary.entry(index);
        let mut word = [0; N];
        word[..entry.len()].copy_from_slice(entry);
        word
    }));
}

/// Stores whole words. Each word overwrites the excess of the previous one, and the excess of the last one is
/// cut off. Invalid rows store a word that the next row overwrites.
fn copy_words<const N: usize>(
    words: &[[u8; N]],
    indices: impl Iterator<Item = usize>,
    offsets: &[u32],
    pool: &mut Pool,
) -> MutableBuffer {
    let len = offsets[offsets.len() - 1] as usize;
    let mut data = pool.sized(len + N);
    let bytes = data.as_slice_mut();
    for (index, offset) in indices.zip(offsets) {
        let offset = *offset as usize;
        let word = words.get(index).unwrap_or(&[0; N]);
        bytes[offset..offset + N].copy_from_slice(word);
    }
    data.truncate(len);
    data
}

fn copy_entries(
    dictionary: &Dictionary<'_>,
    indices: impl Iterator<Item = usize>,
    offsets: &[u32],
    pool: &mut Pool,
) -> MutableBuffer {
    let len = offsets[offsets.len() - 1] as usize;
    let mut data = pool.sized(len);
    let bytes = data.as_slice_mut();
    for (row, (index, offset)) in indices.zip(offsets).enumerate() {
        if !dictionary.is_null(row) {
            let entry = dictionary.entry(index);
            let offset = *offset as usize;
            bytes[offset..offset + entry.len()].copy_from_slice(entry);
        }
    }
    data
}
