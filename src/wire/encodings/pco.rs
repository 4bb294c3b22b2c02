//! Pco: numbers as bins of a histogram and offsets into them, after its own delta encoding (Loncaric, Jeppesen,
//! Zinsser, "Pcodec: Better Compression for Numerical Sequences", 2025). Layout: man/mbt-format.5, "pco".

use pco::data_types::Number;
use pco::{ChunkConfig, standalone};

use super::bits::{self, float};
use super::scheme::{BufferClass, Info, Scheme, parameters};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, NumberRun, NumberSearch, Preset};

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

    fn decode_numbers(&self, node: &Node, kind: ValueKind, out: &mut Vec<i64>) -> Result<()> {
        let start = out.len();
        out.resize(start + node.len, 0);
        let values = &mut out[start..];
        if kind == ValueKind::Ints {
            return decompress(&node.buffer, values);
        }
        let mut floats = vec![0.0; node.len];
        decompress(&node.buffer, &mut floats)?;
        for (value, float) in values.iter_mut().zip(floats) {
            *value = bits::of(float);
        }
        Ok(())
    }

    fn propose_numbers(search: &mut NumberSearch<'_>) {
        let kind = search.kind;
        let is_deep = kind == ValueKind::Ints && search.cascade.depth >= 3;
        if search.cascade.preset == Preset::Small && !is_deep {
            search.leaf(move |values| encode(kind, values, LEVEL));
        }
    }

    fn apply_numbers(&self, run: &NumberRun<'_>) -> Option<Node> {
        encode(run.kind, run.values, LEVEL)
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
pub fn encode(kind: ValueKind, values: &[i64], level: usize) -> Option<Node> {
    let config = ChunkConfig::default().with_compression_level(level);
    let bytes = if kind == ValueKind::Ints {
        standalone::simple_compress(values, &config)
    } else {
        let floats: Vec<f64> = values.iter().map(|&bits| float(bits)).collect();
        standalone::simple_compress(&floats, &config)
    };
    Some(Node::of_bytes(Pco, values.len(), bytes.ok()?))
}

fn decompress<T: Number>(bytes: &[u8], out: &mut [T]) -> Result<()> {
    let progress = standalone::simple_decompress_into(bytes, out)
        .map_err(|error| Error::corrupt(format!("pco: {error}")))?;
    if !progress.finished || progress.n_processed != out.len() {
        return Err(Error::corrupt("pco: too many or too few values"));
    }
    Ok(())
}
