//! Near decimal: floats a few steps off decimal fractions, as programs print that compute in other
//! units or with too many digits (`-65.613616999999977`, the coordinates of many `GeoJSON` files).
//!
//! The float nearest to `mantissa / 10^exponent` (as in [`super::decimal`]), then so many floats
//! further: bits of neighbouring floats differ by 1. Pco does the same with any base ("float mult");
//! here mantissas go through the whole cascade. Layout: man/mbt-format.5, "near decimal".

use super::decimal::{EXACT, POWERS, power};
use super::{Encoding, Node, ints};
use crate::error::{Error, Result};

/// Steps off a decimal fraction that count as near.
const NEAR: u64 = 128;

/// Mantissas that are tried; above, every float is near to a fraction and nothing is won.
const MAX_MANTISSA: f64 = EXACT / 1024.0;

/// The mantissa, and how many floats `value` is behind the nearest to the fraction.
#[inline]
fn split_one(value: f64, power: f64) -> (i64, i64) {
    let mantissa = (value * power).round() as i64;
    let near = mantissa as f64 / power;
    let steps = (value.to_bits() as i64).wrapping_sub(near.to_bits() as i64);
    (mantissa, steps)
}

/// The least exponent under which more than half of the `sample` are near decimal fractions; whether
/// that pays the price tells.
pub fn exponent(sample: &[f64]) -> Option<u8> {
    (0..=18).find(|&exponent| {
        let power = POWERS[usize::from(exponent)];
        let near = sample
            .iter()
            .filter(|value| {
                (*value * power).abs() <= MAX_MANTISSA
                    && split_one(**value, power).1.unsigned_abs() < NEAR
            })
            .count();
        near > sample.len() / 2
    })
}

/// The mantissas, and how many floats the values are behind.
pub fn split(values: &[f64], exponent: u8) -> (Vec<i64>, Vec<i64>) {
    let power = POWERS[usize::from(exponent)];
    values.iter().map(|value| split_one(*value, power)).unzip()
}

/// Joins the encoded parts.
pub fn node(exponent: u8, mantissas: Node, steps: Node) -> Node {
    let len = mantissas.len;
    Node::of_children(
        Encoding::NearDecimal { exponent },
        len,
        vec![mantissas, steps],
    )
}

/// Appends the values.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the exponent is over 22 or a part has another length.
pub fn decode(node: &Node, exponent: u8, out: &mut Vec<f64>) -> Result<()> {
    let [mantissas, steps] = node.parts()?;
    let power = power(exponent)?;
    if mantissas.len != node.len || steps.len != node.len {
        return Err(Error::corrupt(
            "decimals with too many or too few mantissas",
        ));
    }
    let (mut whole, mut further) = (Vec::new(), Vec::new());
    ints::decode(mantissas, &mut whole)?;
    ints::decode(steps, &mut further)?;
    out.extend(whole.iter().zip(&further).map(|(&mantissa, &steps)| {
        let near = mantissa as f64 / power;
        f64::from_bits((near.to_bits() as i64).wrapping_add(steps) as u64)
    }));
    Ok(())
}
