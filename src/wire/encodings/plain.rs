//! Plain floats: eight bytes per value. Layout: man/mbt-format.5, "plain".

use super::scheme::{BufferClass, Scheme};
use super::{Node, ValueKind, bit_packed, check_len};
use crate::error::Result;
use crate::wire::choose::{Cascade, FloatRun, FloatSearch};

/// The buffer holds eight bytes per value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain;

impl Scheme for Plain {
    const ID: u8 = 16;
    const NAME: &'static str = "plain";
    const KINDS: &'static [ValueKind] = &[ValueKind::Floats];
    const BUFFER: Option<BufferClass> = Some(BufferClass::Binary);

    fn read(_bytes: &[u8], _at: &mut usize) -> Result<Self> {
        Ok(Self)
    }

    fn decode_floats(&self, node: &Node, out: &mut Vec<f64>) -> Result<()> {
        check_len(&node.buffer, node.len as u128 * 8)?;
        let words = node.buffer.as_chunks().0.iter();
        out.extend(words.map(|&word| f64::from_le_bytes(word)));
        Ok(())
    }

    fn propose_floats(search: &mut FloatSearch<'_>) {
        if !search.is_exact {
            search.leaf(|values| Some(encode(values)));
        }
    }

    fn apply_floats(&self, run: &FloatRun<'_>) -> Option<Node> {
        Some(encode(run.values))
    }

    fn surcharge(&self, _kind: ValueKind, _cascade: Cascade) -> f64 {
        0.0
    }
}

/// Writes any floats.
pub fn encode(values: &[f64]) -> Node {
    let bytes = bit_packed::whole(values.iter().map(|value| value.to_le_bytes()));
    Node::of_bytes(Plain, values.len(), bytes)
}
