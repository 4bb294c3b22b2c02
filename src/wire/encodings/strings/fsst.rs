//! Text in symbols of up to eight bytes: FSST (Boncz, Neumann, Leis, VLDB 2020).
//!
//! Halves ordinary text and is as quick to read as memory; behind a strong general compressor it
//! loses, as it hides what that would find. The crate finds the symbols and writes the codes; the
//! reader is ours, since what it reads may be damaged.

use fsst::Compressor;

use super::{ensure_room, lengths, numbers, part, push_offsets};
use crate::error::{Error, Result};
use crate::wire::choose::Cascade;
use crate::wire::encodings::{Encoding, Node, Strings, buffer};

/// The code that says that the next byte stands for itself.
const ESCAPE: u8 = 255;

/// Bytes of a symbol at most.
const SYMBOL: usize = 8;

/// Writes strings, lengths as in another node of the kind, if given; none if that takes more than
/// they do.
pub fn encode(values: &Strings, cascade: Cascade, plan: Option<&Node>) -> Option<Node> {
    let plan = plan.and_then(|plan| plan.children.first());
    let rows: Vec<&[u8]> = values.iter().collect();
    let compressor = Compressor::train(&rows);
    let mut bytes = Vec::new();
    let symbols = compressor.symbol_table().iter();
    for (symbol, &len) in symbols.zip(compressor.symbol_lengths()) {
        bytes.push(len);
        bytes.extend_from_slice(symbol.to_u64().to_le_bytes().get(..len.into())?);
    }
    let table_len = bytes.len() as u32;
    bytes.extend(compressor.compress(&values.data));
    if bytes.len() >= values.data.len() {
        return None;
    }
    Some(Node {
        encoding: Encoding::Fsst { table_len },
        len: values.len(),
        children: vec![cascade.deeper().ints_by(plan, &lengths(values))],
        buffer: buffer(bytes),
    })
}

/// Appends the values of a node.
///
/// # Errors
/// As [`super::decode`].
pub fn decode(node: &Node, table_len: u32, max_bytes: usize, out: &mut Strings) -> Result<()> {
    let damaged = || Error::corrupt("the codes of a text column do not match its symbol table");
    let split = node.buffer.split_at_checked(table_len as usize);
    let (mut table, codes) = split.ok_or_else(damaged)?;
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

    let lengths = numbers(part(node, 0, node.len)?)?;
    let total = lengths
        .iter()
        .try_fold(0_u64, |sum, &len| sum.checked_add(u64::try_from(len).ok()?))
        .ok_or_else(damaged)?;
    ensure_room(total, max_bytes, out)?;
    // Before memory is taken: no code stands for more than a symbol.
    if total > (codes.len() * SYMBOL) as u64 {
        return Err(damaged());
    }
    push_offsets(&lengths, total as usize, out)?;
    let start = out.data.len();
    let end = start + total as usize;
    // Whole symbols are stored, each over the excess of the one before.
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
