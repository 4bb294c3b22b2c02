//! Byte planes: the lowest bytes of all rows, then the next higher bytes, and so on.
//!
//! High bytes vary less than low ones; stored separately, each plane gets its own entropy coder from the section codec.
//! Known from Blosc's shuffle and Parquet's byte stream split. Three rows of two bytes, 0x0102, 0x0103 and 0x0104,
//! become `02 03 04 01 01 01`. Layout: man/mbt-format.5, "byte planes".

use super::scheme::{BufferClass, Info, Scheme, parameters};
use super::{Node, ValueKind, check_len};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, NumberRun, NumberSearch};

/// `value - base` in `bytes` bytes each; the buffer holds the low bytes of all rows, then the next
/// higher ones, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytePlanes {
    /// The minimum.
    pub base: i64,
    /// Bytes per value, 1 to 8.
    pub bytes: u8,
}

impl BytePlanes {
    /// Adds a candidate; called between the candidates of bit-packing, which compete with this one.
    pub(super) fn propose(search: &mut NumberSearch<'_>) {
        let base = search.stats().min;
        let bytes = search.stats().width().div_ceil(8);
        if bytes > 1 {
            search.leaf(move |values| Some(encode(values, base, bytes)));
        }
    }
}

pub(super) const INFO: Info =
    Info::of(4, "byte-planes", &[ValueKind::Ints]).with_buffer(BufferClass::Binary);

impl Scheme for BytePlanes {
    fn buffer_len(&self, len: usize) -> Option<usize> {
        len.checked_mul(usize::from(self.bytes))
    }

    fn planes(&self) -> usize {
        self.bytes.into()
    }

    parameters!(base, bytes);

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let Self { base, bytes: count } = *self;
        if !(1..=8).contains(&count) {
            return Err(Error::corrupt(format!(
                "invalid width of numbers: {count} bytes"
            )));
        }
        check_len(&node.buffer, node.len as u128 * u128::from(count))?;
        out.reserve(node.len);
        let mut block = [0_u64; BLOCK];
        for start in (0..node.len).step_by(BLOCK) {
            let rows = BLOCK.min(node.len - start);
            let block = &mut block[..rows];
            block.fill(0);
            for (plane, bytes) in node.buffer.chunks_exact(node.len).enumerate() {
                for (word, byte) in block.iter_mut().zip(&bytes[start..start + rows]) {
                    *word |= u64::from(*byte) << (8 * plane);
                }
            }
            out.extend(block.iter().map(|&word| base.wrapping_add(word as i64)));
        }
        Ok(())
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        let (base, width) = run.base_and_width();
        Some(encode(run.values, base, width.div_ceil(8)))
    }

    fn surcharge(&self, _kind: ValueKind, _cascade: Cascade) -> f64 {
        0.005
    }
}

/// Number of rows to transpose at a time; they stay in the first-level cache.
const BLOCK: usize = 1024;

/// Splits `value - base` into `count` planes; all must fit.
pub fn encode(values: &[i64], base: i64, count: u8) -> Node {
    // Like bit-packed, without a base for 64-bit numbers.
    let base = if count == 8 { 0 } else { base };
    let len = values.len();
    let mut bytes = vec![0; len * usize::from(count)];
    for (at, values) in values.chunks(BLOCK).enumerate() {
        for (plane, bytes) in bytes.chunks_exact_mut(len).enumerate() {
            for (byte, value) in bytes[at * BLOCK..].iter_mut().zip(values) {
                *byte = (value.wrapping_sub(base) as u64 >> (8 * plane)) as u8;
            }
        }
    }
    Node::of_bytes(BytePlanes { base, bytes: count }, len, bytes)
}
