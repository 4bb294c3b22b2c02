//! Bits: floats as integers with the same bits. Layout: man/mbt-format.5, "bits".

use super::scheme::{Info, Scheme, Shape, parameters};
use super::{Node, ValueKind, bit_packed, byte_planes, ints};
use crate::error::{Error, Result};
use crate::wire::choose::{Child, FloatRun, FloatSearch};

/// The child contains the same bits as integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits;

pub(super) const INFO: Info = Info::of(19, "bits", &[ValueKind::Floats]);

impl Scheme for Bits {
    parameters!();

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        Ok(vec![(ValueKind::Ints, run.len)])
    }

    fn decode_floats(&self, node: &Node, out: &mut Vec<f64>) -> Result<()> {
        let [child] = node.parts()?;
        if child.len != node.len {
            return Err(Error::corrupt("floats with too many or too few bits"));
        }
        let mut bits = Vec::new();
        ints::decode(child, &mut bits)?;
        out.extend(bits.iter().map(|&bits| f64::from_bits(bits as u64)));
        Ok(())
    }

    fn propose_floats(search: &mut FloatSearch<'_>) {
        if !search.is_exact {
            search.plain(|values| Some(whole(values)));
            if search.cascade.is_compressed() {
                search.leaf(|values| Some(node(byte_planes::encode(&of_floats(values), 0, 8))));
            }
            let bits = Child::new(of_floats(search.values), search.cascade);
            search.nested(Self, vec![bits]);
        }
    }

    fn apply_floats(&self, run: &FloatRun<'_>) -> Option<Node> {
        run.child(0, &of_floats(run.values), run.cascade).map(node)
    }
}

/// Encodes any floats in eight bytes each.
pub fn whole(values: &[f64]) -> Node {
    node(bit_packed::encode(&of_floats(values), 0, 64))
}

/// Floats with encoded bits.
pub fn node(bits: Node) -> Node {
    Node::of_children(Bits, bits.len, vec![bits])
}

/// The same bits as integers.
fn of_floats(values: &[f64]) -> Vec<i64> {
    values.iter().map(|value| value.to_bits() as i64).collect()
}
