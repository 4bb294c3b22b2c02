//! Frame of reference and bit-packing: every value takes as many bits as the widest one.
//!
//! Values are packed low bits first and without gaps, so row i starts at bit `i * width` for any length of the run.
//! Widths of whole bytes give plain little-endian numbers, which section codecs compress better. Layout:
//! man/mbt-format.5, "bit-packed".

use super::byte_planes::{self, BytePlanes};
use super::scheme::{BufferClass, Info, Scheme, parameters};
use super::{Node, ValueKind, check_len};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, NumberRun, NumberSearch, Preset};

/// Frame of reference: the buffer holds `value - base` in `width` bits each, low bits first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitPacked {
    /// The minimum.
    pub base: i64,
    /// Bits per value, 0 to 64.
    pub width: u8,
}

pub(super) const INFO: Info =
    Info::of(3, "bit-packed", &[ValueKind::Ints]).with_buffer(BufferClass::Binary);

impl Scheme for BitPacked {
    fn buffer_len(&self, len: usize) -> Option<usize> {
        Some(len.checked_mul(usize::from(self.width))?.div_ceil(8))
    }

    parameters!(base, width);

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        decode(node, self.base, self.width, out)
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let base = search.stats().min;
        let width = search.stats().width();
        let pack = move |width| move |values: &[i64]| Some(encode(values, base, width));
        if !search.cascade.is_compressed() {
            search.leaf(pack(width));
            return;
        }
        search.leaf(pack(width.next_multiple_of(8)));
        // Byte planes are proposed in between, since packed bits must also be smaller than them.
        BytePlanes::propose(search);
        // Packed bits hide patterns from the codec, so they must be smaller before compression.
        let packed = search.values.len() as u64 * u64::from(width) / 8;
        let is_less = search.least_price().is_none_or(|least| packed < least);
        if !width.is_multiple_of(8) && (is_less || search.cascade.preset == Preset::Small) {
            search.leaf(pack(width));
        }
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let is_whole = self.width.is_multiple_of(8);
        let (base, width) = run.base_and_width();
        // If one byte was enough, byte planes were not among the candidates.
        if is_whole && width > self.width.max(8) {
            return Some(byte_planes::encode(run.values, base, width.div_ceil(8)));
        }
        let width = if is_whole {
            width.next_multiple_of(8)
        } else {
            width
        };
        Some(encode(run.values, base, width))
    }

    fn surcharge(&self, _kind: ValueKind, cascade: Cascade) -> f64 {
        if self.width.is_multiple_of(8) {
            return 0.0;
        }
        if !cascade.is_compressed() {
            return 0.005;
        }
        // Whole bytes repeat throughout the run, and a sample contains few of these repeats; the higher the codec's
        // level, the more of them it would find.
        match cascade.preset {
            Preset::Small => 0.6,
            Preset::Balanced | Preset::Fast => 0.05,
        }
    }
}

/// Number of bits for numbers up to `range`.
#[inline]
pub const fn width_of(range: u64) -> u8 {
    (64 - range.leading_zeros()) as u8
}

/// Packs `value - base` in `width` bits each; all must fit.
pub fn encode(values: &[i64], base: i64, width: u8) -> Node {
    // A base does not make 64-bit numbers narrower; without one, the bytes are simply the values.
    let base = if width == 64 { 0 } else { base };
    let offsets = values.iter().map(|value| value.wrapping_sub(base) as u64);
    let bytes = match width {
        0 => Vec::new(),
        8 => offsets.map(|offset| offset as u8).collect(),
        16 => whole(offsets.map(|offset| (offset as u16).to_le_bytes())),
        32 => whole(offsets.map(|offset| (offset as u32).to_le_bytes())),
        64 => whole(offsets.map(u64::to_le_bytes)),
        _ => pack(offsets, values.len(), u32::from(width)),
    };
    Node::of_bytes(BitPacked { base, width }, values.len(), bytes)
}

/// Concatenates numbers of whole bytes.
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
            // The bits that did not fit. If none are left, the shift would be by 64 bits, which is undefined.
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

fn decode(node: &Node, base: i64, width: u8, out: &mut Vec<i64>) -> Result<()> {
    if width > 64 {
        return Err(Error::corrupt(format!(
            "invalid width of packed numbers: {width} bits"
        )));
    }
    let bits = node.len as u128 * u128::from(width);
    check_len(&node.buffer, bits.div_ceil(8))?;
    let bytes = node.buffer.as_slice();
    out.reserve(node.len);
    let value = |offset: u64| base.wrapping_add(offset as i64);
    match width {
        0 => out.resize(out.len() + node.len, base),
        8 => out.extend(bytes.iter().map(|&byte| value(u64::from(byte)))),
        16 => out.extend(words(bytes, |word| value(u16::from_le_bytes(word).into()))),
        32 => out.extend(words(bytes, |word| value(u32::from_le_bytes(word).into()))),
        64 => out.extend(words(bytes, |word| value(u64::from_le_bytes(word)))),
        _ => unpack(bytes, usize::from(width), node.len, out, value),
    }
    Ok(())
}

/// The numbers of a buffer, converted.
fn words<const N: usize>(
    bytes: &[u8],
    number: impl Fn([u8; N]) -> i64,
) -> impl ExactSizeIterator<Item = i64> {
    bytes.as_chunks().0.iter().map(move |word| number(*word))
}

/// Number of bytes that a wide load may read past the last row.
const SLACK: usize = 16;

fn unpack(
    bytes: &[u8],
    width: usize,
    len: usize,
    out: &mut Vec<i64>,
    value: impl Fn(u64) -> i64 + Copy,
) {
    // Eight rows take `width` bytes: with 3 bits, rows 0 to 7 are bytes 0 to 2. Such groups are read in
    // place as long as a wide load stays inside the buffer; the rest is read from a copy with zeros
    // appended.
    let groups = bytes.len().saturating_sub(SLACK) / width;
    let rows = groups * 8;
    unpack_padded(bytes, width, rows, out, value);
    let mut rest = bytes[groups * width..].to_vec();
    rest.resize(rest.len() + SLACK, 0);
    unpack_padded(&rest, width, len - rows, out, value);
}

/// Reads each value from the eight bytes that begin with its first bit, or from 16 bytes if the value may not
/// fit in these. The buffer must have [`SLACK`] bytes after the last row.
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
