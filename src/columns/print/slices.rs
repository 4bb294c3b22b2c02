//! Uniform access to the values of text and bytes columns of all Arrow layouts.

use std::cell::Cell;

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{Array, BinaryViewArray, GenericByteArray, StringViewArray};
use arrow_schema::DataType;

use crate::text::masks::{CHUNK, chunks};
use crate::text::print::append_first;

/// The values of a text or bytes column with any width of offsets.
#[derive(Debug)]
pub struct Slices<'a> {
    layout: SliceLayout<'a>,
    values: &'a [u8],
    is_utf8: bool,
}

#[derive(Debug)]
enum SliceLayout<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
    Fixed(usize),
    TextView(&'a StringViewArray),
    BytesView(&'a BinaryViewArray),
}

/// Shorter values are copied as this many bytes: a copy of constant size needs no call.
pub const SHORT: usize = 32;

/// The first [`SHORT`] bytes from `start` on, whatever part of them belongs to the text; `None` if there are
/// fewer.
#[inline]
fn first_short(values: &[u8], start: usize) -> Option<&[u8; SHORT]> {
    values.get(start..).and_then(<[u8]>::first_chunk)
}

/// Values in one slice, at offsets of 32 bits.
#[derive(Debug)]
pub struct Texts<'a> {
    offsets: &'a [i32],
    values: &'a [u8],
    special: SpecialMask,
}

impl<'a> Texts<'a> {
    /// All values end to end.
    #[inline]
    pub fn values(&self) -> &'a [u8] {
        self.values
    }

    /// Where the value of a row starts and ends.
    #[inline]
    pub fn range(&self, row: usize) -> (usize, usize) {
        (self.offsets[row] as usize, self.offsets[row + 1] as usize)
    }

    /// True if a byte between two places is special; `mask_of` has a bit for each special byte of a chunk, and must be
    /// the same in all calls.
    #[inline]
    pub fn has_special(
        &self,
        start: usize,
        end: usize,
        mask_of: impl Fn(&[u8; CHUNK]) -> u64,
    ) -> bool {
        self.special.is_in(self.values, start, end, mask_of)
    }

    /// The bytes from a place on, if there are as many as short texts are copied with.
    #[inline]
    pub fn short_at(&self, start: usize) -> Option<&'a [u8; SHORT]> {
        first_short(self.values, start)
    }
}

/// A search continues for up to this many bytes after its text, until it finds a special byte.
const AHEAD: usize = 1 << 10;

/// Finds special bytes in values that are visited in order: remembers what the last search found, since most values are
/// short and have no special byte.
#[derive(Debug)]
struct SpecialMask(Cell<Searched>);

/// Bytes that were searched: none is special up to the last chunk.
#[derive(Clone, Copy, Debug)]
struct Searched {
    start: usize,
    /// Where the last chunk starts, which is whole unless the values end in it.
    last: usize,
    /// The special bytes of the last chunk.
    mask: u64,
}

impl Default for SpecialMask {
    /// No byte has been searched.
    fn default() -> Self {
        Self(Cell::new(Searched {
            start: usize::MAX,
            last: usize::MAX,
            mask: 0,
        }))
    }
}

impl SpecialMask {
    /// True if a byte of `values[start..end]` is special.
    #[inline]
    fn is_in(
        &self,
        values: &[u8],
        start: usize,
        end: usize,
        mask_of: impl Fn(&[u8; CHUNK]) -> u64,
    ) -> bool {
        let known = self.0.get();
        if start >= known.start {
            if end <= known.last {
                return false;
            }
            if start >= known.last && end < known.last + CHUNK {
                return known.mask >> (start - known.last) & ((1 << (end - start)) - 1) != 0;
            }
        }
        self.search(values, start, end, mask_of)
    }

    fn search(
        &self,
        values: &[u8],
        start: usize,
        end: usize,
        mask_of: impl Fn(&[u8; CHUNK]) -> u64,
    ) -> bool {
        let most = (end - start + AHEAD).next_multiple_of(CHUNK);
        let most = values.len().min(start + most);
        let mut known = Searched {
            start,
            last: start,
            mask: 0,
        };
        chunks(&values[start..most], |chunk, from| {
            known.last = start + from;
            // The last chunk may be padded.
            known.mask = mask_of(chunk) & u64::MAX >> CHUNK.saturating_sub(most - known.last);
            (known.mask != 0).then_some(())
        });
        self.0.set(known);
        let left = end.saturating_sub(known.last);
        left > 0 && known.mask & u64::MAX >> CHUNK.saturating_sub(left) != 0
    }
}

/// Appends `values[start..end]`.
#[inline]
fn append_slice(values: &[u8], start: usize, end: usize, out: &mut Vec<u8>) {
    match first_short(values, start) {
        Some(bytes) if end - start <= SHORT => append_first(bytes, end - start, out),
        _ => out.extend_from_slice(&values[start..end]),
    }
}

impl<'a> Slices<'a> {
    /// The bytes of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &'a [u8] {
        let (values, start, end) = self.place(row);
        &values[start..end]
    }

    /// Appends the bytes of one row.
    #[inline]
    pub fn append(&self, row: usize, out: &mut Vec<u8>) {
        let (values, start, end) = self.place(row);
        append_slice(values, start, end, out);
    }

    /// Where the bytes of a row are.
    #[inline]
    fn place(&self, row: usize) -> (&'a [u8], usize, usize) {
        let (start, end) = match self.layout {
            SliceLayout::Small(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
            SliceLayout::Large(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
            SliceLayout::Fixed(width) => (row * width, (row + 1) * width),
            SliceLayout::TextView(array) => {
                let value = array.value(row).as_bytes();
                return (value, 0, value.len());
            }
            SliceLayout::BytesView(array) => {
                let value = array.value(row);
                return (value, 0, value.len());
            }
        };
        (self.values, start, end)
    }

    /// The values in the layout of most columns, if they have it.
    pub fn small(&self) -> Option<Texts<'a>> {
        match self.layout {
            SliceLayout::Small(offsets) => {
                let end = offsets.last().map_or(0, |&end| end as usize);
                let values = self.values.get(..end)?;
                Some(Texts {
                    offsets,
                    values,
                    special: SpecialMask::default(),
                })
            }
            _ => None,
        }
    }

    /// True if the Arrow type guarantees UTF-8.
    #[inline]
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// The values of a text or bytes array; `None` for arrays of other types.
    pub fn of(array: &'a dyn Array) -> Option<Self> {
        let (layout, values) = match array.data_type() {
            DataType::Utf8 => small(array.as_string()),
            DataType::Binary => small(array.as_binary()),
            DataType::LargeUtf8 => large(array.as_string()),
            DataType::LargeBinary => large(array.as_binary()),
            DataType::FixedSizeBinary(width) => {
                let width = usize::try_from(*width).ok()?;
                (
                    SliceLayout::Fixed(width),
                    array.as_fixed_size_binary().value_data(),
                )
            }
            DataType::Utf8View => (SliceLayout::TextView(array.as_string_view()), &[][..]),
            DataType::BinaryView => (SliceLayout::BytesView(array.as_binary_view()), &[][..]),
            _ => return None,
        };
        Some(Self {
            layout,
            values,
            is_utf8: array.data_type().is_string(),
        })
    }
}

fn small<T: ByteArrayType<Offset = i32>>(array: &GenericByteArray<T>) -> (SliceLayout<'_>, &[u8]) {
    (
        SliceLayout::Small(array.value_offsets()),
        array.value_data(),
    )
}

fn large<T: ByteArrayType<Offset = i64>>(array: &GenericByteArray<T>) -> (SliceLayout<'_>, &[u8]) {
    (
        SliceLayout::Large(array.value_offsets()),
        array.value_data(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::masks::equal;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn special_bytes_are_found_in_any_order(
            texts in proptest::collection::vec("[a-c,]{0,9}|[a-c]{50,150}|[a-c]{60,68},", 0..40),
            visits in proptest::collection::vec(0..40usize, 0..80),
        ) {
            let values = texts.concat().into_bytes();
            let mask = SpecialMask::default();
            for row in (0..texts.len()).chain(visits.into_iter().filter(|&row| row < texts.len())) {
                let start = texts[..row].concat().len();
                let end = start + texts[row].len();
                let found = mask.is_in(&values, start, end, |chunk| equal(chunk, *b",")[0]);
                prop_assert_eq!(found, texts[row].contains(','));
            }
        }
    }
}
