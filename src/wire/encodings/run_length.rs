//! Run length: equal neighbours are written once, with their number.
//! Layout: man/mbt-format.5, "run length".

use super::{Encoding, Node, ints};
use crate::error::{Error, Result};

/// The values of the runs and their lengths.
pub fn runs<T: Copy + PartialEq>(values: &[T]) -> (Vec<T>, Vec<i64>) {
    let (mut runs, mut lengths) = (Vec::new(), Vec::new());
    for run in values.chunk_by(T::eq) {
        runs.push(run[0]);
        lengths.push(run.len() as i64);
    }
    (runs, lengths)
}

/// Joins the encoded values and lengths of runs that sum up to `len`.
pub fn node(len: usize, values: Node, lengths: Node) -> Node {
    Node::of_children(Encoding::RunLength, len, vec![values, lengths])
}

/// Appends the values; `decode_values` appends those of the runs, one each.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the lengths do not sum up to that of the node.
pub fn decode<T: Copy>(
    node: &Node,
    out: &mut Vec<T>,
    decode_values: impl FnOnce(&Node, &mut Vec<T>) -> Result<()>,
) -> Result<()> {
    let [values, _] = node.parts()?;
    let lengths = lengths(node)?;
    let mut runs = Vec::new();
    decode_values(values, &mut runs)?;
    out.reserve(node.len);
    for (&value, &length) in runs.iter().zip(&lengths) {
        out.resize(out.len() + length as usize, value);
    }
    Ok(())
}

/// The lengths of the runs, as many as there are values: at least 1 each, in sum `node.len`.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if they are not.
pub fn lengths(node: &Node) -> Result<Vec<i64>> {
    let [values, child] = node.parts()?;
    let mut lengths = Vec::new();
    ints::decode(child, &mut lengths)?;
    let mut left = node.len as u64;
    for &length in &lengths {
        // Negative numbers are huge ones.
        match left.checked_sub(length as u64) {
            Some(rest) if length != 0 => left = rest,
            _ => return Err(Error::corrupt("a run is empty or too long")),
        }
    }
    if left != 0 || values.len != child.len {
        return Err(Error::corrupt("the runs do not add up to the column"));
    }
    Ok(lengths)
}
