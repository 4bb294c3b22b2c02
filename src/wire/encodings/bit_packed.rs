//! Frame of reference and bit-packing: every value takes as many bits as the widest needs.
//!
//! Low bits first and without gaps, so row i starts at bit `i * width` whatever the length of the
//! run. Widths of whole bytes are plain little-endian numbers, which section codecs like better.
//! Layout: man/mbt-format.5, "bit-packed".

use super::{Encoding, Node, check_len};
use crate::error::{Error, Result};

/// Bits that numbers up to `range` need.
#[inline]
pub const fn width_of(range: u64) -> u8 {
    (64 - range.leading_zeros()) as u8
}

/// Packs `value - base` in `width` bits each; all must fit.
pub fn encode(values: &[i64], base: i64, width: u8) -> Node {
    let offsets = values.iter().map(|value| value.wrapping_sub(base) as u64);
    let bytes = match width {
        0 => Vec::new(),
        8 => offsets.map(|offset| offset as u8).collect(),
        16 => whole(offsets.map(|offset| (offset as u16).to_le_bytes())),
        32 => whole(offsets.map(|offset| (offset as u32).to_le_bytes())),
        64 => whole(offsets.map(u64::to_le_bytes)),
        _ => pack(offsets, values.len(), u32::from(width)),
    };
    Node::of_bytes(Encoding::BitPacked { base, width }, values.len(), bytes)
}

/// Numbers of whole bytes, one behind the other.
pub(super) fn whole<const N: usize>(numbers: impl ExactSizeIterator<Item = [u8; N]>) -> Vec<u8> {
    let mut bytes = vec![0; numbers.len() * N];
    for (place, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
        *place = number;
    }
    bytes
}

fn pack(offsets: impl Iterator<Item = u64>, len: usize, width: u32) -> Vec<u8> {
    let byte_len = (len * width as usize).div_ceil(8);
    let mut bytes = Vec::with_capacity(byte_len + 8);
    let (mut word, mut filled) = (0_u64, 0);
    for offset in offsets {
        word |= offset << filled;
        filled += width;
        if filled >= 64 {
            bytes.extend_from_slice(&word.to_le_bytes());
            filled -= 64;
            // What did not fit; a shift by all 64 bits is none.
            word = if filled == 0 {
                0
            } else {
                offset >> (width - filled)
            };
        }
    }
    bytes.extend_from_slice(&word.to_le_bytes());
    bytes.truncate(byte_len);
    bytes
}

/// Appends the values.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the width is over 64 or the buffer is not just long enough.
pub fn decode(node: &Node, base: i64, width: u8, out: &mut Vec<i64>) -> Result<()> {
    if width > 64 {
        return Err(Error::corrupt(format!(
            "invalid width of packed numbers: {width} bits"
        )));
    }
    let bits = node.len as u128 * u128::from(width);
    check_len(&node.buffer, bits.div_ceil(8))?;
    let bytes = node.buffer.as_slice();
    let value = |offset: u64| base.wrapping_add(offset as i64);
    match width {
        0 => out.resize(out.len() + node.len, base),
        8 => out.extend(bytes.iter().map(|&byte| value(u64::from(byte)))),
        16 => out.extend(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|&chunk| value(u64::from(u16::from_le_bytes(chunk)))),
        ),
        32 => out.extend(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|&chunk| value(u64::from(u32::from_le_bytes(chunk)))),
        ),
        64 => out.extend(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|&chunk| value(u64::from_le_bytes(chunk))),
        ),
        _ => unpack(bytes, usize::from(width), node.len, out, value),
    }
    Ok(())
}

/// Bytes that the last rows may be read beyond the buffer.
const SLACK: usize = 16;

fn unpack(
    bytes: &[u8],
    width: usize,
    len: usize,
    out: &mut Vec<i64>,
    value: impl Fn(u64) -> i64 + Copy,
) {
    // Eight rows are `width` bytes. Groups are read in place as far as a wide load fits; the rest
    // from a copy with zeros behind.
    let groups = bytes.len().saturating_sub(SLACK) / width;
    let rows = groups * 8;
    unpack_padded(bytes, width, rows, out, value);
    let mut rest = bytes[groups * width..].to_vec();
    rest.resize(rest.len() + SLACK, 0);
    unpack_padded(&rest, width, len - rows, out, value);
}

fn unpack_padded(
    bytes: &[u8],
    width: usize,
    rows: usize,
    out: &mut Vec<i64>,
    value: impl Fn(u64) -> i64,
) {
    let mask = !0_u64 >> (64 - width);
    if width <= 57 {
        out.extend((0..rows).map(|row| {
            let bit = row * width;
            let word = bytes[bit / 8..]
                .first_chunk()
                .map_or(0, |chunk| u64::from_le_bytes(*chunk));
            value((word >> (bit % 8)) & mask)
        }));
    } else {
        out.extend((0..rows).map(|row| {
            let bit = row * width;
            let word = bytes[bit / 8..]
                .first_chunk()
                .map_or(0, |chunk| u128::from_le_bytes(*chunk));
            value((word >> (bit % 8)) as u64 & mask)
        }));
    }
}
