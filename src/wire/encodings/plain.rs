//! Plain floats, row by row or byte by byte (byte stream split).
//! Layout: man/mbt-format.5, "plain" and "float planes".

use super::{Encoding, Node, bit_packed, byte_planes, check_len};
use crate::error::Result;

/// Eight bytes per value.
pub fn encode(values: &[f64]) -> Node {
    let bytes = bit_packed::whole(values.iter().map(|value| value.to_le_bytes()));
    Node::of_bytes(Encoding::Plain64, values.len(), bytes)
}

/// The first bytes of all values, then the second, and so on.
pub fn encode_planes(values: &[f64]) -> Node {
    let bytes = byte_planes::split(values.len(), 8, |row| values[row].to_bits());
    Node::of_bytes(Encoding::FloatPlanes, values.len(), bytes)
}

/// Appends the values that [`encode`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the buffer is not just long enough.
pub fn decode(node: &Node, out: &mut Vec<f64>) -> Result<()> {
    check_len(&node.buffer, node.len as u128 * 8)?;
    let words = node.buffer.as_chunks().0.iter();
    out.extend(words.map(|&word| f64::from_le_bytes(word)));
    Ok(())
}

/// Appends the values that [`encode_planes`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the buffer is not just long enough.
pub fn decode_planes(node: &Node, out: &mut Vec<f64>) -> Result<()> {
    check_len(&node.buffer, node.len as u128 * 8)?;
    out.reserve(node.len);
    byte_planes::merge(&node.buffer, node.len, |block| {
        out.extend(block.iter().map(|&word| f64::from_bits(word)));
    });
    Ok(())
}
