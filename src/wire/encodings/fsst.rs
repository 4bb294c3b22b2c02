//! FSST: text as codes for symbols of up to eight bytes (Boncz, Neumann, Leis, VLDB 2020).
//!
//! Halves ordinary text and decodes at memory speed. It does not pay before a strong general compressor, since it hides
//! patterns from it. The crate finds the symbols and writes the codes; the decoder is our own, since its input may be
//! damaged. Layout: man/mbt-format.5, "fsst".

use fsst::Compressor;

use super::scheme::{BufferClass, Info, Scheme, Shape, parameters};
use super::strings::{ByteStrings, ensure_room, lengths, push_offsets};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, Preset, StringSearch};

/// The buffer contains a table of up to 255 symbols of up to eight bytes (`table_len` bytes), then the codes. The child
/// contains the lengths before encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fsst {
    /// Size of the table in bytes.
    pub table_len: u64,
}

pub(super) const INFO: Info =
    Info::of(33, "fsst", &[ValueKind::Strings]).with_buffer(BufferClass::Text);

impl Scheme for Fsst {
    parameters!(table_len);

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(ValueKind::Ints, run.len)])
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        decode(node, self.table_len, max_bytes, out)
    }

    fn propose_strings(search: &mut StringSearch<'_>) {
        if search.cascade.preset == Preset::Fast {
            search.add(encode);
        }
    }

    fn apply_strings(&self, choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
        encode(values, cascade, Some(choice))
    }
}

/// The code before a literal byte.
const ESCAPE: u8 = 255;

/// The longest symbol in bytes.
const SYMBOL: usize = 8;

/// Encodes strings, and their lengths as in `choice`, another node of this encoding; `None` if the result is not smaller
/// than the strings.
pub fn encode(values: &ByteStrings, cascade: Cascade, choice: Option<&Node>) -> Option<Node> {
    let choice = choice.and_then(|choice| choice.children.first());
    let rows: Vec<&[u8]> = values.iter().collect();
    let compressor = Compressor::train(&rows);
    let mut bytes = Vec::new();
    for (symbol, &len) in compressor
        .symbol_table()
        .iter()
        .zip(compressor.symbol_lengths())
    {
        bytes.push(len);
        bytes.extend_from_slice(symbol.to_u64().to_le_bytes().get(..len.into())?);
    }
    let table_len = bytes.len() as u64;
    bytes.extend(compressor.compress(&values.data));
    if bytes.len() >= values.data.len() {
        return None;
    }
    let lengths = cascade.deeper().ints(&lengths(values), choice);
    Some(Node {
        children: vec![lengths],
        ..Node::of_bytes(Fsst { table_len }, values.len(), bytes)
    })
}

fn decode(node: &Node, table_len: u64, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
    let damaged = || Error::corrupt("the codes of a text column do not match its symbol table");
    let (mut table, codes) = usize::try_from(table_len)
        .ok()
        .and_then(|len| node.buffer.split_at_checked(len))
        .ok_or_else(damaged)?;
    let mut symbols = [([0; SYMBOL], 0_usize); 256];
    let mut places = symbols[..usize::from(ESCAPE)].iter_mut();
    while let Some((&len, rest)) = table.split_first() {
        let len = usize::from(len);
        let text = rest.get(..len).filter(|_| (1..=SYMBOL).contains(&len));
        let (text, place) = text.zip(places.next()).ok_or_else(damaged)?;
        place.0[..len].copy_from_slice(text);
        place.1 = len;
        table = &rest[len..];
    }

    let [lengths] = node.parts()?;
    let lengths = lengths.ints()?;
    let total = lengths
        .iter()
        .try_fold(0_u64, |sum, &len| sum.checked_add(u64::try_from(len).ok()?))
        .ok_or_else(damaged)?;
    ensure_room(total, max_bytes, out)?;
    // Check before allocating: a code expands to at most one symbol.
    if total > (codes.len() * SYMBOL) as u64 {
        return Err(damaged());
    }
    push_offsets(&lengths, total as usize, out)?;
    let start = out.data.len();
    let end = start + total as usize;
    // Store all eight bytes of each symbol, overwriting the excess of the previous one.
    out.data.resize(end + SYMBOL, 0);
    let mut at = start;
    let mut codes = codes.iter();
    while let Some(&code) = codes.next() {
        if at >= end {
            return Err(damaged());
        }
        if code == ESCAPE {
            out.data[at] = *codes.next().ok_or_else(damaged)?;
            at += 1;
        } else {
            let (symbol, len) = &symbols[usize::from(code)];
            if *len == 0 {
                return Err(damaged());
            }
            out.data[at..at + SYMBOL].copy_from_slice(symbol);
            at += len;
        }
    }
    out.data.truncate(end);
    if at == end { Ok(()) } else { Err(damaged()) }
}
