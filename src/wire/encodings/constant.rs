//! Constant: one value for all rows. Layout: man/mbt-format.5, "constant".

use super::{Encoding, Node};

/// One value, if all are the same.
pub fn encode(values: &[i64]) -> Option<Node> {
    let (&value, rest) = values.split_first()?;
    rest.iter()
        .all(|&other| other == value)
        .then(|| Node::leaf(Encoding::Constant { value }, values.len()))
}

/// Appends `len` times the value.
pub fn decode(value: i64, len: usize, out: &mut Vec<i64>) {
    out.resize(out.len() + len, value);
}
