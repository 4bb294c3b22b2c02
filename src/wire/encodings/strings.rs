//! Strings: one call for all their encodings.
//!
//! Every decoder checks how many bytes come out before it takes memory for them.

pub mod bytes;
pub mod dictionary;
pub mod fsst;
pub mod hex;
pub mod patched;
pub mod ppmd;
pub mod template;

use super::{Encoding, Node, Strings, ints};
use crate::error::{Error, Result};

/// Appends the values of a run of strings.
///
/// On an error `out` holds some of them.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run does not hold what it says, and
/// [`crate::error::Kind::Limit`] if the strings hold more than `max_bytes` bytes.
pub fn decode(node: &Node, max_bytes: usize, out: &mut Strings) -> Result<()> {
    match &node.encoding {
        Encoding::Bytes => bytes::decode(node, max_bytes, out),
        Encoding::Dictionary => dictionary::decode(node, max_bytes, out),
        Encoding::RunLength => dictionary::decode_runs(node, max_bytes, out),
        Encoding::Hex { upper } => hex::decode(node, *upper, max_bytes, out),
        Encoding::Fsst { table_len } => fsst::decode(node, *table_len, max_bytes, out),
        Encoding::Patched => patched::decode(node, max_bytes, out),
        Encoding::Ppmd {
            order,
            memory,
            end,
            plain_len,
        } => ppmd::decode(node, (*order, *memory), (*end, *plain_len), max_bytes, out),
        Encoding::Template { literals, fields } => {
            template::decode(node, literals, fields, max_bytes, out)
        }
        other => Err(Error::corrupt(format!(
            "{other:?} is not an encoding for strings"
        ))),
    }
}

/// The whole numbers of a part, as many as it says.
fn numbers(part: &Node) -> Result<Vec<i64>> {
    let mut values = Vec::new();
    ints::decode(part, &mut values)?;
    if values.len() == part.len {
        Ok(values)
    } else {
        Err(Error::corrupt(format!(
            "expected {} integers, found {}",
            part.len,
            values.len()
        )))
    }
}

/// The part at `at`, with the number of values it must have.
fn part(node: &Node, at: usize, len: usize) -> Result<&Node> {
    node.children
        .get(at)
        .filter(|part| part.len == len)
        .ok_or_else(|| Error::corrupt("part of a text column is missing or has the wrong length"))
}

/// Refuses `total` further bytes if they are too many.
fn ensure_room(total: u64, max_bytes: usize, out: &Strings) -> Result<()> {
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

/// Appends offsets of rows of these lengths, whose bytes are `total`.
fn push_offsets(lengths: &[i64], total: usize, out: &mut Strings) -> Result<()> {
    let start = out.data.len() as i64;
    let mut end = start;
    let mut every_bit = 0;
    out.offsets.reserve(lengths.len());
    out.offsets.extend(lengths.iter().map(|&length| {
        // Lengths are below 2^32 each, or else the check below fails: the sum cannot wrap.
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
fn lengths(values: &Strings) -> Vec<i64> {
    values
        .offsets
        .windows(2)
        .map(|pair| i64::from(pair[1] - pair[0]))
        .collect()
}

#[cfg(test)]
mod tests;
