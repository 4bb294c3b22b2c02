//! Bits: floats as integers with the same bits. Layout: man/mbt-format.5, "bits".

use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind, bit_packed, byte_planes};
use crate::error::Result;
use crate::wire::choose::{Child, NumberRun, NumberSearch};

/// The child contains the same bits as integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits;

pub(super) const INFO: Info = Info::of(19, "bits", &[ValueKind::Floats]);

impl Scheme for Bits {
    parameters!();

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(ValueKind::Ints, run.len)])
    }

    fn decode_numbers(&self, node: &Node, _: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let [child] = node.parts()?;
        child.decode_numbers(ValueKind::Ints, out)
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        if !search.is_exact {
            search.plain(|values| Some(node(bit_packed::encode(values, 0, 64))));
            if search.cascade.is_compressed() {
                search.leaf(|values| Some(node(byte_planes::encode(values, 0, 8))));
            }
            let bits = Child::new(search.values.to_vec(), search.cascade);
            search.nested(Self, vec![bits]);
        }
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        run.as_ints(run.values).map(node)
    }
}

/// Floats with encoded bits.
pub fn node(bits: Node) -> Node {
    Node::of_children(Bits, bits.len, vec![bits])
}

/// The bits of a float.
#[inline]
pub fn of(float: f64) -> i64 {
    float.to_bits() as i64
}

/// The float with these bits.
#[inline]
pub fn float(bits: i64) -> f64 {
    f64::from_bits(bits as u64)
}
