//! Text as a stream of `PPMd`, which predicts each byte from those before it.
//!
//! A quarter to a third smaller than the best of the LZ77 family on names, prose, URLs and logs, and
//! some forty times slower to read, so only for those who ask for the smallest files. Rows end in a
//! byte that occurs in none of them rather than having lengths elsewhere: what ends a word is often
//! what ends a row, and the model learns both at once. Variant H is what 7z archives hold.

use std::io::{Read, Write};

use ppmd_rust::{Ppmd7Decoder, Ppmd7Encoder};

use super::ensure_room;
use crate::error::{Error, Result};
use crate::wire::encodings::{Encoding, Node, Strings, buffer};

/// The orders worth trying: long rows that repeat like long contexts, short ones do not.
pub const ORDERS: [u8; 4] = [5, 8, 12, 16];

/// The least and the most that a model takes: powers of two.
const MEMORY: std::ops::RangeInclusive<u8> = 12..=26;

/// Bytes of the model per byte of text: contexts are many times as long as what they tell.
const MEMORY_PER_BYTE: usize = 24;

/// Text is decoded in pieces, so that memory grows with what is really there.
const PIECE: usize = 1 << 20;

/// Writes strings, unless every byte occurs in them.
pub fn encode(values: &Strings, order: u8) -> Option<Node> {
    let end = absent_byte(&values.data)?;
    let plain_len = (values.data.len() + values.len()) as u64;
    let memory = (plain_len as usize * MEMORY_PER_BYTE).next_power_of_two();
    let memory = (memory.ilog2() as u8).clamp(16, *MEMORY.end());
    let mut encoder = Ppmd7Encoder::new(Vec::new(), order.into(), 1 << memory).ok()?;
    for row in values.iter() {
        encoder.write_all(row).ok()?;
        encoder.write_all(&[end]).ok()?;
    }
    let bytes = encoder.finish(false).ok()?;
    let encoding = Encoding::Ppmd {
        order,
        memory,
        end,
        plain_len,
    };
    Some(Node {
        buffer: buffer(bytes),
        ..Node::leaf(encoding, values.len())
    })
}

/// A byte that does not occur, a newline for choice: it is a context the text may know.
fn absent_byte(data: &[u8]) -> Option<u8> {
    let mut seen = [false; 256];
    for &byte in data {
        seen[usize::from(byte)] = true;
    }
    let mut candidates = std::iter::once(b'\n').chain(0..=u8::MAX);
    candidates.find(|&byte| !seen[usize::from(byte)])
}

/// Appends the values of a node.
///
/// # Errors
/// As [`super::decode`].
pub fn decode(
    node: &Node,
    (order, memory): (u8, u8),
    (end, plain_len): (u8, u64),
    max_bytes: usize,
    out: &mut Strings,
) -> Result<()> {
    if !MEMORY.contains(&memory) {
        return Err(Error::corrupt(format!(
            "a text model of 2^{memory} bytes; 2^12 to 2^26 are allowed"
        )));
    }
    let Some(total) = plain_len.checked_sub(node.len as u64) else {
        return Err(too_short(node.len));
    };
    ensure_room(total, max_bytes, out)?;
    let mut decoder = Ppmd7Decoder::new(&node.buffer[..], order.into(), 1 << memory)
        .map_err(|_| Error::corrupt("invalid text model"))?;
    let start = out.data.len();
    let mut left = plain_len as usize;
    let mut piece = vec![0; PIECE.min(left)];
    let mut rows = 0;
    while left > 0 {
        let len = left.min(PIECE);
        decoder
            .read_exact(&mut piece[..len])
            .map_err(|_| Error::corrupt("the text ends before its last row"))?;
        left -= len;
        let mut rest = &piece[..len];
        while let Some(at) = memchr::memchr(end, rest) {
            rows += 1;
            if rows > node.len {
                return Err(too_short(node.len));
            }
            out.data.extend_from_slice(&rest[..at]);
            out.end_row();
            rest = &rest[at + 1..];
        }
        out.data.extend_from_slice(rest);
    }
    // The last byte ends a row if all rows are there and no byte is left over.
    if rows == node.len && out.data.len() - start == total as usize && ends_row(out) {
        Ok(())
    } else {
        Err(too_short(node.len))
    }
}

/// True if no bytes follow the last row.
fn ends_row(out: &Strings) -> bool {
    out.offsets.last().map(|&end| end as usize) == Some(out.data.len())
}

fn too_short(rows: usize) -> Error {
    Error::corrupt(format!(
        "expected text of {rows} rows, found a different number"
    ))
}
