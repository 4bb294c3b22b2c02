//! Encodings of wire 2: ways to write a run of values, which may be made of other runs.
//!
//! Whatever a column's type, its values are one of three kinds ([`Kind`]); nulls and nesting are
//! taken off before. A [`Node`] is one encoded run: the encoding with its parameters, the runs it is
//! made of, and at most one buffer of bytes. [`node`] writes and reads the description of a node;
//! the buffers lie elsewhere, in sections. Each other file is one encoding, both directions:
//!
//! ```text
//! pub fn encode(values, cascade) -> Option<Node>     None if it does not apply or cannot pay
//! pub fn decode(node, out) -> Result<()>             appends exactly node.len values
//! ```

pub mod bit_packed;
pub mod byte_planes;
pub mod constant;
pub mod decimal;
pub mod delta;
pub mod dictionary;
pub mod floats;
pub mod interleaved;
pub mod ints;
mod name;
pub mod near_decimal;
pub mod node;
pub mod pco;
pub mod plain;
pub mod run_length;
pub mod sequence;
pub mod sparse;
pub mod strings;

use arrow_buffer::Buffer;

use crate::error::{Error, Result};

pub use node::{Kind, Node};

/// How a run is written, with all parameters that are no run themselves.
///
/// Whole numbers are i64; unsigned ones of 64 bits are the same bits, and all arithmetic wraps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Whole numbers: all are `value`.
    Constant {
        /// The value.
        value: i64,
    },
    /// Whole numbers: row i is `base + i * step`.
    Sequence {
        /// Row 0.
        base: i64,
        /// What is added from row to row.
        step: i64,
    },
    /// Whole numbers: frame of reference. The buffer holds `value - base` in `width` bits each, low
    /// bits first.
    BitPacked {
        /// The least value.
        base: i64,
        /// Bits per value, 0 to 64.
        width: u8,
    },
    /// Whole numbers: `value - base` in `bytes` bytes each; the buffer holds the low bytes of all
    /// rows, then the next higher, and so on. Compresses better than packed bits where high bytes
    /// vary little.
    BytePlanes {
        /// The least value.
        base: i64,
        /// Bytes per value, 1 to 8.
        bytes: u8,
    },
    /// Whole numbers: `first`, then the differences from row to row.
    /// Children: differences (`len - 1`).
    Delta {
        /// Row 0.
        first: i64,
    },
    /// Any kind: children are the values of the runs and the lengths of the runs (whole numbers from
    /// 1, as many).
    RunLength,
    /// Any kind: children are the distinct values and each row's place among them.
    Dictionary,
    /// Whole numbers: `value` almost everywhere. Children: the positions of the exceptions, rising,
    /// and the exceptions.
    Sparse {
        /// The common value.
        value: i64,
    },
    /// Whole numbers and floats: the buffer is one standalone pco file.
    Pco,
    /// Whole numbers and floats: row i is row `i / ways` of child `i % ways`; `len` is a multiple of
    /// `ways`. Pairs of coordinates, for instance.
    Interleaved {
        /// Number of children, 2 to 16.
        ways: u8,
    },
    /// Floats: the buffer holds eight bytes per value.
    Plain64,
    /// Floats: the buffer holds the first bytes of all rows, then the second, and so on.
    FloatPlanes,
    /// Floats: `mantissa / 10^exponent`, rounded once. Children: mantissas (whole numbers; those of
    /// exceptions are any), positions of the exceptions, rising, and the exceptions (floats).
    Decimal {
        /// Digits behind the point, 0 to 22.
        exponent: u8,
    },
    /// Floats: the child holds the same bits as whole numbers.
    Bits,
    /// Floats: `mantissa / 10^exponent`, rounded once, then so many floats further (added to the
    /// bits). Children: mantissas and steps, both whole numbers.
    NearDecimal {
        /// Digits behind the point, 0 to 22.
        exponent: u8,
    },
    /// Strings: the child holds their lengths in bytes, the buffer all bytes end to end.
    Bytes,
    /// Strings: as [`Self::Bytes`], the bytes written with a table of up to 255 symbols of up to
    /// eight bytes (FSST, Boncz, Neumann, Leis, VLDB 2020). The buffer holds the table (`table_len`
    /// bytes), then the codes. The child holds the lengths before coding.
    Fsst {
        /// Bytes of the table.
        table_len: u32,
    },
    /// Strings: text that alternates with fields, as in `user-%d`. Row r is `literals[0]`,
    /// field 0, `literals[1]`, ..., field n - 1, `literals[n]`. Children: one per field.
    Template {
        /// One more than there are fields.
        literals: Vec<Vec<u8>>,
        /// How each field is spelled.
        fields: Vec<Field>,
    },
    /// Strings: pairs of hex digits, all upper or all lower case. The child holds the bytes they
    /// stand for as strings.
    Hex {
        /// `A` to `F` rather than `a` to `f`.
        upper: bool,
    },
    /// Strings: children are the positions of the exceptions, rising, the exceptions, and all other
    /// rows in order. One odd row keeps no column from its encoding.
    Patched,
    /// Strings: all rows, each followed by the byte `end`, which is in none of them, as one stream of
    /// `PPMd` variant H with the range coder of 7z (Shkarin, "PPM: one step to practicality", DCC
    /// 2002) without end marker. Nothing else here comes near it on text, and nothing is as slow.
    Ppmd {
        /// The model's order, 2 to 64.
        order: u8,
        /// The model's memory is 2 to this power in bytes, 12 to 26.
        memory: u8,
        /// What ends a row.
        end: u8,
        /// Bytes of all rows with their ends.
        plain_len: u64,
    },
}

/// A field of a [`Encoding::Template`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Whole numbers from 0 in decimal, without needless zeros (`digits` 0) or filled up with zeros
    /// to so many digits.
    Number {
        /// Least number of digits.
        digits: u8,
    },
    /// Strings as they are.
    Text,
}

/// Byte strings end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// Row r is `data[offsets[r]..offsets[r + 1]]`; one more than there are rows, the first is 0.
    pub offsets: Vec<i32>,
    /// The bytes of all rows.
    pub data: Vec<u8>,
}

impl Default for Strings {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            data: Vec::new(),
        }
    }
}

impl Strings {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u8] {
        &self.data[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// The bytes in one row.
    #[inline]
    pub fn row_len(&self, row: usize) -> usize {
        (self.offsets[row + 1] - self.offsets[row]) as usize
    }

    /// The first 16 bytes of a row, the first one lowest, and zeros behind the end of a shorter one:
    /// cheaper to compare than slices.
    #[expect(clippy::inline_always, reason = "most of its time went into the call")]
    #[inline(always)]
    pub fn head(&self, row: usize) -> u128 {
        let (start, len) = (self.offsets[row] as usize, self.row_len(row));
        if let Some(bytes) = self.data[start..].first_chunk() {
            return u128::from_le_bytes(*bytes) & MASKS[len.min(16)];
        }
        // Fewer than 16 bytes are left, so the row has fewer.
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

/// The lowest 0 to 16 bytes of a word.
const MASKS: [u128; 17] = {
    let mut masks = [0; 17];
    let mut len = 1;
    while len < masks.len() {
        masks[len] = masks[len - 1] << 8 | 0xff;
        len += 1;
    }
    masks
};

/// The least and the greatest value, in one pass.
pub fn extremes<T: Ord + Copy>(mut values: impl Iterator<Item = T>) -> Option<(T, T)> {
    let first = values.next()?;
    Some(values.fold((first, first), |(least, greatest), value| {
        (least.min(value), greatest.max(value))
    }))
}

/// Holds the length of a buffer against what it must be.
fn check_len(buffer: &Buffer, bytes: u128) -> Result<()> {
    if buffer.len() as u128 == bytes {
        return Ok(());
    }
    Err(Error::corrupt(format!(
        "a run of values takes {} bytes instead of {bytes}",
        buffer.len()
    )))
}

/// A buffer of its own.
fn buffer(bytes: Vec<u8>) -> Buffer {
    Buffer::from_vec(bytes)
}
