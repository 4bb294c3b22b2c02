//! Floats: one call for all their encodings.

use super::{
    Encoding, Node, decimal, dictionary, interleaved, ints, near_decimal, pco, plain, run_length,
};
use crate::error::{Error, Result};

/// Appends the values of a run of floats, `node.len` of them, bit for bit.
///
/// The caller bounds `node.len`; it is what memory is taken for.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the run does not hold what it says; what was appended until
/// then is of no use.
pub fn decode(node: &Node, out: &mut Vec<f64>) -> Result<()> {
    match node.encoding {
        Encoding::Plain64 => plain::decode(node, out),
        Encoding::FloatPlanes => plain::decode_planes(node, out),
        Encoding::Decimal { exponent } => decimal::decode(node, exponent, out),
        Encoding::Bits => decode_bits(node, out),
        Encoding::NearDecimal { exponent } => near_decimal::decode(node, exponent, out),
        Encoding::RunLength => run_length::decode(node, out, decode),
        Encoding::Dictionary => dictionary::decode(node, out, decode),
        Encoding::Pco => pco::decode(node, out),
        Encoding::Interleaved { .. } => interleaved::decode(node, out, decode),
        _ => {
            let name = node.encoding.name();
            Err(Error::corrupt(format!(
                "{name} is not an encoding for floats"
            )))
        }
    }
}

/// The same bits as whole numbers, without a copy where the compiler sees it.
pub fn to_bits(values: &[f64]) -> Vec<i64> {
    values.iter().map(|value| value.to_bits() as i64).collect()
}

fn decode_bits(node: &Node, out: &mut Vec<f64>) -> Result<()> {
    let [child] = node.parts()?;
    if child.len != node.len {
        return Err(Error::corrupt("floats with too many or too few bits"));
    }
    let mut bits = Vec::new();
    ints::decode(child, &mut bits)?;
    out.extend(bits.iter().map(|&bits| f64::from_bits(bits as u64)));
    Ok(())
}
