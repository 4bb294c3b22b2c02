//! Float planes: the first bytes of all values, then the second, and so on (byte stream split).
//! Layout: man/mbt-format.5, "float planes".

use super::scheme::{BufferClass, Scheme};
use super::{Node, ValueKind, byte_planes, check_len};
use crate::error::Result;
use crate::wire::choose::{FloatRun, FloatSearch};

/// The buffer holds eight planes, one byte of each value in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatPlanes;

impl Scheme for FloatPlanes {
    const ID: u8 = 17;
    const NAME: &'static str = "float-planes";
    const KINDS: &'static [ValueKind] = &[ValueKind::Floats];
    const BUFFER: Option<BufferClass> = Some(BufferClass::Binary);

    fn read(_bytes: &[u8], _at: &mut usize) -> Result<Self> {
        Ok(Self)
    }

    fn decode_floats(&self, node: &Node, out: &mut Vec<f64>) -> Result<()> {
        check_len(&node.buffer, node.len as u128 * 8)?;
        out.reserve(node.len);
        byte_planes::merge(&node.buffer, node.len, |block| {
            out.extend(block.iter().map(|&word| f64::from_bits(word)));
        });
        Ok(())
    }

    fn propose_floats(search: &mut FloatSearch<'_>) {
        if !search.is_exact && search.cascade.is_compressed() {
            search.leaf(|values| Some(encode(values)));
        }
    }

    fn apply_floats(&self, run: &FloatRun<'_>) -> Option<Node> {
        Some(encode(run.values))
    }
}

/// Writes any floats.
pub fn encode(values: &[f64]) -> Node {
    let bytes = byte_planes::split(values.len(), 8, |row| values[row].to_bits());
    Node::of_bytes(FloatPlanes, values.len(), bytes)
}
