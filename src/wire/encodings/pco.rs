//! Pco: numbers as bins of a histogram and offsets into them, after a delta of their own
//! (Loncaric, Jeppesen, Zinsser, "Pcodec: Better Compression for Numerical Sequences", 2025).
//! Layout: man/mbt-format.5, "pco".

use pco::data_types::Number;
use pco::{ChunkConfig, standalone};

use super::{Encoding, Node};
use crate::error::{Error, Result};

/// One standalone file; `None` if pco does not take the values.
pub fn encode<T: Number>(values: &[T], level: usize) -> Option<Node> {
    let config = ChunkConfig::default().with_compression_level(level);
    let bytes = standalone::simple_compress(values, &config).ok()?;
    Some(Node::of_bytes(Encoding::Pco, values.len(), bytes))
}

/// Appends the values.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the buffer is no pco file of so many values.
pub fn decode<T: Number + Default>(node: &Node, out: &mut Vec<T>) -> Result<()> {
    let start = out.len();
    out.resize(start + node.len, T::default());
    let progress = standalone::simple_decompress_into(&node.buffer, &mut out[start..])
        .map_err(|error| Error::corrupt(format!("pco: {error}")))?;
    if !progress.finished || progress.n_processed != node.len {
        return Err(Error::corrupt("pco: too many or too few values"));
    }
    Ok(())
}
