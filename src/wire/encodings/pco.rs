//! Pco: numbers as bins of a histogram and offsets into them, after its own delta encoding (Loncaric, Jeppesen,
//! Zinsser, "Pcodec: Better Compression for Numerical Sequences", 2025). Layout: man/mbt-format.5, "pco".

use pco::data_types::Number;
use pco::{ChunkConfig, standalone};

use super::scheme::{BufferClass, Info, Scheme, parameters};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, FloatRun, FloatSearch, IntRun, IntSearch, Preset};

/// The compression level; higher levels take far longer and gain almost nothing.
const LEVEL: usize = 8;

/// Approximate size of the bins of a pco file in bytes.
const BINS: f64 = 200.0;

/// The buffer is one standalone pco file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pco;

// A sample of separate chunks would disturb pco's choice of a delta.
pub(super) const INFO: Info = Info::of(9, "pco", &[ValueKind::Ints, ValueKind::Floats])
    .with_buffer(BufferClass::Binary)
    .archive()
    .on_whole_runs();

impl Scheme for Pco {
    parameters!();

    fn decode_ints(&self, node: &Node, out: &mut Vec<i64>) -> Result<()> {
        decode(node, out)
    }

    fn decode_floats(&self, node: &Node, out: &mut Vec<f64>) -> Result<()> {
        decode(node, out)
    }

    fn propose_ints(search: &mut IntSearch<'_>) {
        if search.cascade.preset == Preset::Small && search.cascade.depth < 3 {
            search.leaf(|values| encode(values, LEVEL));
        }
    }

    fn propose_floats(search: &mut FloatSearch<'_>) {
        if search.cascade.preset == Preset::Small {
            search.leaf(|values| encode(values, LEVEL));
        }
    }

    fn apply_ints(&self, run: &IntRun<'_>) -> Option<Node> {
        encode(run.values, LEVEL)
    }

    fn apply_floats(&self, run: &FloatRun<'_>) -> Option<Node> {
        encode(run.values, LEVEL)
    }

    fn surcharge(&self, kind: ValueKind, _cascade: Cascade) -> f64 {
        match kind {
            ValueKind::Ints => 0.03,
            ValueKind::Floats | ValueKind::Strings => 0.025,
        }
    }

    fn fixed_bytes(&self, bytes: f64) -> f64 {
        bytes.min(BINS)
    }
}

/// Encodes one standalone file; `None` if pco does not accept the values.
pub fn encode<T: Number>(values: &[T], level: usize) -> Option<Node> {
    let config = ChunkConfig::default().with_compression_level(level);
    let bytes = standalone::simple_compress(values, &config).ok()?;
    Some(Node::of_bytes(Pco, values.len(), bytes))
}

fn decode<T: Number + Default>(node: &Node, out: &mut Vec<T>) -> Result<()> {
    let start = out.len();
    out.resize(start + node.len, T::default());
    let progress = standalone::simple_decompress_into(&node.buffer, &mut out[start..])
        .map_err(|error| Error::corrupt(format!("pco: {error}")))?;
    if !progress.finished || progress.n_processed != node.len {
        return Err(Error::corrupt("pco: too many or too few values"));
    }
    Ok(())
}
