//! Sequence: row numbers, regular timestamps. Layout: man/mbt-format.5, "sequence".

use super::{Encoding, Node};

/// Row 0 and the step, if all rows follow from them.
pub fn encode(values: &[i64]) -> Option<Node> {
    let [base, second, ..] = *values else {
        return None;
    };
    let step = second.wrapping_sub(base);
    values
        .windows(2)
        .all(|pair| pair[1].wrapping_sub(pair[0]) == step)
        .then(|| Node::leaf(Encoding::Sequence { base, step }, values.len()))
}

/// Appends `base`, `base + step` and so on.
pub fn decode(base: i64, step: i64, len: usize, out: &mut Vec<i64>) {
    out.extend((0..len).map(|row| base.wrapping_add(step.wrapping_mul(row as i64))));
}
