//! Sparse: one value almost everywhere, and where it is not. Also exceptions in general.
//! Layout: man/mbt-format.5, "sparse".

use super::{Encoding, Node, ints};
use crate::error::{Error, Result};

/// Where values are not `value`, and what they are there.
pub fn exceptions(values: &[i64], value: i64) -> (Vec<i64>, Vec<i64>) {
    let (mut positions, mut exceptions) = (Vec::new(), Vec::new());
    for (row, &other) in values.iter().enumerate() {
        if other != value {
            positions.push(row as i64);
            exceptions.push(other);
        }
    }
    (positions, exceptions)
}

/// Joins the common value and the encoded exceptions.
pub fn node(len: usize, value: i64, positions: Node, exceptions: Node) -> Node {
    let children = vec![positions, exceptions];
    Node::of_children(Encoding::Sparse { value }, len, children)
}

/// Appends the values.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the exceptions are not in place.
pub fn decode(node: &Node, value: i64, out: &mut Vec<i64>) -> Result<()> {
    let [positions, exceptions] = node.parts()?;
    let start = out.len();
    let positions = self::positions(positions, exceptions, node.len)?;
    let mut others = Vec::new();
    ints::decode(exceptions, &mut others)?;
    out.resize(start + node.len, value);
    patch(&mut out[start..], &positions, &others);
    Ok(())
}

/// Puts the exceptions in place.
pub(super) fn patch<T: Copy>(values: &mut [T], positions: &[i64], exceptions: &[T]) {
    for (&position, &exception) in positions.iter().zip(exceptions) {
        values[position as usize] = exception;
    }
}

/// Where the exceptions are: rising, below `len`, and as many as there are exceptions.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if they are not.
pub(super) fn positions(node: &Node, exceptions: &Node, len: usize) -> Result<Vec<i64>> {
    if node.len != exceptions.len {
        return Err(Error::corrupt("exceptions without positions"));
    }
    let mut positions = Vec::new();
    ints::decode(node, &mut positions)?;
    let mut next = 0;
    for &position in &positions {
        if position < next || position as u64 >= len as u64 {
            return Err(Error::corrupt("an exception has an invalid position"));
        }
        next = position + 1;
    }
    Ok(positions)
}
