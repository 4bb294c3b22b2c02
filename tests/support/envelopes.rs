//! Short ways to make and inspect envelopes.

use arrow_array::RecordBatch;
use mbt::wire::Scan;
use mbt::wire::v1::{EncodeOptions, Encoder, Envelope, Walker};

/// A limit that no test reaches by accident.
pub const LIMIT: u64 = 1 << 30;

/// One envelope with all rows of the batches.
pub fn encode(options: EncodeOptions, batches: &[RecordBatch]) -> Vec<u8> {
    let mut out = Vec::new();
    let schema = batches[0].schema();
    Encoder::new(options)
        .encode(&schema, batches, &mut out)
        .expect("valid");
    out
}

/// The parts of a whole envelope.
pub fn envelope(bytes: &[u8]) -> Envelope {
    match Walker::new().walk(bytes).expect("valid") {
        Scan::Complete(envelope) => envelope,
        Scan::Needs(_) => panic!("not whole"),
    }
}

/// The rows of a batch as several slices.
pub fn cut(batch: &RecordBatch, cuts: &[usize]) -> Vec<RecordBatch> {
    let mut cuts: Vec<usize> = cuts
        .iter()
        .map(|cut| cut % (batch.num_rows() + 1))
        .collect();
    cuts.extend([0, batch.num_rows()]);
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| batch.slice(pair[0], pair[1] - pair[0]))
        .collect()
}

/// Every choice of encodings.
pub fn all_options() -> impl Iterator<Item = EncodeOptions> {
    [(false, false), (true, false), (false, true), (true, true)]
        .into_iter()
        .map(|(dict, delta)| EncodeOptions { dict, delta })
}
