//! Byte planes: the low bytes of all rows, then the next higher, and so on.
//!
//! High bytes vary less than low ones; apart, each plane gets an entropy coder of its own from the
//! section codec. Known from Blosc's shuffle and Parquet's byte stream split.
//! Layout: man/mbt-format.5, "byte planes".

use super::{Encoding, Node, check_len};
use crate::error::{Error, Result};

/// Rows whose planes are turned at once; they stay in the first cache.
const BLOCK: usize = 1024;

/// Splits `value - base` into `count` planes; all must fit.
pub fn encode(values: &[i64], base: i64, count: u8) -> Node {
    let bytes = split(values.len(), usize::from(count), |row| {
        values[row].wrapping_sub(base) as u64
    });
    let encoding = Encoding::BytePlanes { base, bytes: count };
    Node::of_bytes(encoding, values.len(), bytes)
}

/// Appends the values.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if there are not 1 to 8 planes or the buffer is not just long
/// enough.
pub fn decode(node: &Node, base: i64, count: u8, out: &mut Vec<i64>) -> Result<()> {
    if !(1..=8).contains(&count) {
        return Err(Error::corrupt(format!(
            "invalid width of numbers: {count} bytes"
        )));
    }
    check_len(&node.buffer, node.len as u128 * u128::from(count))?;
    out.reserve(node.len);
    merge(&node.buffer, node.len, |block| {
        out.extend(block.iter().map(|&word| base.wrapping_add(word as i64)));
    });
    Ok(())
}

/// The planes of the low `count` bytes of `len` words.
pub(super) fn split(len: usize, count: usize, word: impl Fn(usize) -> u64) -> Vec<u8> {
    let mut bytes = vec![0; len * count];
    let mut block = [0; BLOCK];
    for start in (0..len).step_by(BLOCK) {
        let rows = BLOCK.min(len - start);
        let block = &mut block[..rows];
        for (row, slot) in block.iter_mut().enumerate() {
            *slot = word(start + row);
        }
        for plane in 0..count {
            let target = &mut bytes[plane * len + start..][..rows];
            for (byte, word) in target.iter_mut().zip(&*block) {
                *byte = (word >> (8 * plane)) as u8;
            }
        }
    }
    bytes
}

/// Hands on the words whose planes are in `bytes`, some at a time.
pub(super) fn merge(bytes: &[u8], len: usize, mut each: impl FnMut(&[u64])) {
    let mut block = [0_u64; BLOCK];
    for start in (0..len).step_by(BLOCK) {
        let rows = BLOCK.min(len - start);
        let block = &mut block[..rows];
        block.fill(0);
        for (plane, bytes) in bytes.chunks_exact(len).enumerate() {
            for (word, byte) in block.iter_mut().zip(&bytes[start..start + rows]) {
                *word |= u64::from(*byte) << (8 * plane);
            }
        }
        each(block);
    }
}
