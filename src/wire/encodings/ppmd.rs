//! `PPMd`: text as a stream of a model that predicts each byte from the previous ones.
//!
//! A quarter to a third smaller than the best of the LZ77 family for names, prose, URLs and logs, but some forty times
//! slower to read, so only used by the preset small. Each row ends with a byte that does not occur in the text, instead
//! of having a separate length: text that ends a word often ends a row as well, and the model learns both at once.
//! Variant H is the one in 7z archives. Layout: man/mbt-format.5, "ppmd".

use std::io::{Read, Write};

use ppmd_rust::{Ppmd7Decoder, Ppmd7Encoder};

use super::scheme::{BufferClass, Info, Scheme, parameters};
use super::strings::{ByteStrings, ensure_room};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, Preset, StringSearch, sample_strings};

/// All rows, each followed by the byte `end`, which does not occur in them, as one stream of `PPMd` variant H with the
/// range coder of 7z (Shkarin, "PPM: one step to practicality", DCC 2002) without end marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ppmd {
    /// The model's order, 2 to 64.
    pub order: u8,
    /// The model's memory is 2 to this power in bytes, 12 to 26.
    pub memory: u8,
    /// The byte that ends a row.
    pub end: u8,
    /// Total size of all rows with their end bytes.
    pub plain_len: u64,
}

pub(super) const INFO: Info = Info::of(37, "ppmd", &[ValueKind::Strings])
    .with_buffer(BufferClass::Binary)
    .archive();

impl Scheme for Ppmd {
    parameters!(order, memory, end, plain_len);

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        self.decode(node, max_bytes, out)
    }

    fn propose_strings(search: &mut StringSearch<'_>) {
        // Short text compresses better in a section shared with other columns.
        if search.cascade.preset == Preset::Small && search.values.data.len() >= LEAST_BYTES {
            search.add(|values, cascade, _| {
                if cascade.is_sample() {
                    encode(values, TRIAL_ORDER).filter(|node| pays(node, values))
                } else {
                    encode_best(values)
                }
            });
        }
    }

    fn apply_strings(
        &self,
        _choice: &Node,
        values: &ByteStrings,
        _cascade: Cascade,
    ) -> Option<Node> {
        encode(values, self.order)
    }
}

/// Shorter text is not worth its own model.
const LEAST_BYTES: usize = 6 << 10;

/// Number of bytes for trying orders, at most a quarter of the text.
const BYTES_FOR_ORDER: usize = 64 << 10;

/// The orders to choose from: long, repetitive rows benefit from long contexts, short ones do not.
const ORDERS: [u8; 4] = [5, 8, 12, 16];

/// The order for pricing a sample. A better one saves a few percent, which rarely changes the ranking of encodings, and
/// the model is by far the slowest of them.
const TRIAL_ORDER: u8 = 8;

/// The smallest and largest model, as powers of two.
const MEMORY: std::ops::RangeInclusive<u8> = 12..=26;

/// Size of the model per byte of text: contexts take many times as much memory as the text.
const MEMORY_PER_BYTE: usize = 24;

/// Text is decoded in pieces of this size, so that memory grows with the actual data.
const PIECE: usize = 1 << 20;

/// Encodes strings; `None` if every byte occurs in them.
pub fn encode(values: &ByteStrings, order: u8) -> Option<Node> {
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
    let encoding = Ppmd {
        order,
        memory,
        end,
        plain_len,
    };
    Some(Node::of_bytes(encoding, values.len(), bytes))
}

/// Encodes strings with the order that is best on a sample.
fn encode_best(values: &ByteStrings) -> Option<Node> {
    let sample = sample_strings(values, BYTES_FOR_ORDER.min(values.data.len() / 4));
    let len = |node: &Node| node.buffer.len();
    // The size has one minimum over the orders: if a longer one is no better, only the shortest is left to try. If it is
    // much better, the longest is better still, which shows only on more text.
    let [short, usual, long, longest] = ORDERS;
    let tried = encode(&sample, usual)?;
    let longer = encode(&sample, long)?;
    let order = if len(&longer) < len(&tried) - len(&tried) / 50 {
        longest
    } else if len(&longer) < len(&tried) {
        long
    } else if len(&encode(&sample, short)?) <= len(&tried) {
        short
    } else {
        usual
    };
    encode(values, order)
}

/// False for text such as base64 of random bytes, which a Huffman code packs as well, a hundred times as fast.
fn pays(node: &Node, values: &ByteStrings) -> bool {
    node.buffer.len() < values.data.len() / 10 * 7
}

/// A byte that does not occur in the data, preferably a newline, which also ends words in other text.
fn absent_byte(data: &[u8]) -> Option<u8> {
    let mut seen = [false; 256];
    for &byte in data {
        seen[usize::from(byte)] = true;
    }
    std::iter::once(b'\n')
        .chain(0..=u8::MAX)
        .find(|&byte| !seen[usize::from(byte)])
}

impl Ppmd {
    fn decode(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        let Self {
            order,
            memory,
            end,
            plain_len,
        } = *self;
        if !MEMORY.contains(&memory) {
            return Err(Error::corrupt(format!(
                "a text model of 2^{memory} bytes; 2^12 to 2^26 are allowed"
            )));
        }
        let Some(total) = plain_len.checked_sub(node.len as u64) else {
            return Err(too_short(node.len));
        };
        let model = 1 << memory;
        if model > max_bytes {
            return Err(Error::limit(format!(
                "a text model takes {model} bytes, more than the {max_bytes} allowed"
            ))
            .hint("raise --max-frame"));
        }
        ensure_room(total, max_bytes - model, out)?;
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
        // If all rows are there and no byte is left over, the last byte ends a row.
        if rows == node.len && out.data.len() - start == total as usize && ends_row(out) {
            Ok(())
        } else {
            Err(too_short(node.len))
        }
    }
}

/// True if no bytes follow the last row.
fn ends_row(out: &ByteStrings) -> bool {
    out.offsets.last().map(|&end| end as usize) == Some(out.data.len())
}

fn too_short(rows: usize) -> Error {
    Error::corrupt(format!(
        "expected text of {rows} rows, found a different number"
    ))
}
