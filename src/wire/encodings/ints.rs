//! Whole numbers: one call for all their encodings.

use super::{
    Encoding, Node, bit_packed, byte_planes, constant, delta, dictionary, interleaved, pco,
    run_length, sequence, sparse,
};
use crate::error::{Error, Result};

/// Appends the values of a run of whole numbers, `node.len` of them.
///
/// The caller bounds `node.len`; it is what memory is taken for.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run does not hold what it says; what was appended until
/// then is of no use.
pub fn decode(node: &Node, out: &mut Vec<i64>) -> Result<()> {
    match node.encoding {
        Encoding::Constant { value } => constant::decode(value, node.len, out),
        Encoding::Sequence { base, step } => sequence::decode(base, step, node.len, out),
        Encoding::BitPacked { base, width } => bit_packed::decode(node, base, width, out)?,
        Encoding::BytePlanes { base, bytes } => byte_planes::decode(node, base, bytes, out)?,
        Encoding::Delta { first } => delta::decode(node, first, out)?,
        Encoding::RunLength => run_length::decode(node, out, decode)?,
        Encoding::Dictionary => dictionary::decode(node, out, decode)?,
        Encoding::Sparse { value } => sparse::decode(node, value, out)?,
        Encoding::Pco => pco::decode(node, out)?,
        Encoding::Interleaved { .. } => interleaved::decode(node, out, decode)?,
        _ => {
            let name = node.encoding.name();
            return Err(Error::corrupt(format!(
                "{name} is not an encoding for integers"
            )));
        }
    }
    Ok(())
}
