//! Runs of strings, and functions shared by their encodings.
//!
//! Every decoder checks the size of its result before it allocates memory.

use std::ops::Deref;

use arrow_buffer::Buffer;

use super::{Encoding, Node, bytes};
use crate::error::{Error, Result};

/// Byte strings, stored end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteStrings<D = Vec<u8>> {
    /// Row `r` is `data[offsets[r]..offsets[r + 1]]`. One more than there are rows; the first is 0.
    pub offsets: Vec<i32>,
    /// The bytes of all rows.
    pub data: D,
}

impl Default for ByteStrings {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            data: Vec::new(),
        }
    }
}

impl<D: Deref<Target = [u8]>> ByteStrings<D> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u8] {
        &self.data[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// Length of one row in bytes.
    #[inline]
    pub fn row_len(&self, row: usize) -> usize {
        (self.offsets[row + 1] - self.offsets[row]) as usize
    }

    /// The first 16 bytes of a row as a little-endian number, zero-padded; cheaper to compare than slices.
    #[expect(clippy::inline_always, reason = "most of its time went into the call")]
    #[inline(always)]
    pub fn head(&self, row: usize) -> u128 {
        let (start, len) = (self.offsets[row] as usize, self.row_len(row));
        if let Some(bytes) = self.data[start..].first_chunk() {
            return u128::from_le_bytes(*bytes) & MASKS[len.min(16)];
        }
        // Fewer than 16 bytes are left, so the row is shorter.
        let mut bytes = [0; 16];
        bytes[..len].copy_from_slice(&self.data[start..start + len]);
        u128::from_le_bytes(bytes)
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        self.offsets
            .windows(2)
            .map(|pair| &self.data[pair[0] as usize..pair[1] as usize])
    }
}

impl ByteStrings {
    /// Appends a row.
    #[inline]
    pub fn push(&mut self, row: &[u8]) {
        self.data.extend_from_slice(row);
        self.end_row();
    }

    /// Ends the row whose bytes were appended to `data`.
    #[inline]
    pub fn end_row(&mut self) {
        self.offsets.push(self.data.len() as i32);
    }
}

/// Masks for the lowest 0 to 16 bytes of a word.
const MASKS: [u128; 17] = {
    let mut masks = [0; 17];
    let mut len = 1;
    while len < masks.len() {
        masks[len] = masks[len - 1] << 8 | 0xff;
        len += 1;
    }
    masks
};

/// The values of a run of strings. Plain strings are not copied if nothing else is in the memory of their buffer.
///
/// # Errors
/// As for [`Node::decode_strings`].
pub fn decode_shared(node: &Node, max_bytes: usize) -> Result<ByteStrings<Buffer>> {
    let is_alone = node.buffer.capacity() == node.buffer.len();
    if is_alone && matches!(node.encoding, Encoding::Bytes(_)) {
        let mut values = ByteStrings::default();
        bytes::decode_offsets(node, max_bytes, &mut values)?;
        return Ok(ByteStrings {
            offsets: values.offsets,
            data: node.buffer.clone(),
        });
    }
    let ByteStrings { offsets, data } = node.strings(max_bytes)?;
    Ok(ByteStrings {
        offsets,
        data: data.into(),
    })
}

/// Refuses `total` more bytes if they exceed the limit.
pub(super) fn ensure_room(total: u64, max_bytes: usize, out: &ByteStrings) -> Result<()> {
    if total > max_bytes as u64 {
        return Err(Error::limit(format!(
            "a text column holds {total} bytes, more than the {max_bytes} allowed"
        )));
    }
    if total + out.data.len() as u64 > i32::MAX as u64 {
        return Err(Error::limit(format!(
            "a text column holds {total} bytes, more than 2 GiB in one frame"
        )));
    }
    Ok(())
}

/// Appends the offsets of rows with these lengths, which add up to `total` bytes.
pub(super) fn push_offsets(lengths: &[i64], total: usize, out: &mut ByteStrings) -> Result<()> {
    let start = out.data.len() as i64;
    let mut end = start;
    let mut every_bit = 0;
    out.offsets.reserve(lengths.len());
    out.offsets.extend(lengths.iter().map(|&length| {
        // The check below fails unless all lengths are below 2^32, so the sum cannot wrap.
        every_bit |= length;
        end = end.wrapping_add(length);
        end as i32
    }));
    if (0..1 << 32).contains(&every_bit) && end == start + total as i64 {
        Ok(())
    } else {
        Err(Error::corrupt(format!(
            "the lengths of {} strings do not add up to {total} bytes",
            lengths.len()
        )))
    }
}

/// Lengths of all rows.
pub(super) fn lengths(values: &ByteStrings) -> Vec<i64> {
    values
        .offsets
        .windows(2)
        .map(|pair| i64::from(pair[1] - pair[0]))
        .collect()
}

#[cfg(test)]
pub(super) mod tests;
