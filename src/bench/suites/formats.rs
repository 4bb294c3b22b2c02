//! Batches to bytes of each format and back, in one call.

use arrow_array::RecordBatch;

use crate::error::{Error, Result};
use crate::frame::{Codec, Compression, Compressor};
use crate::text::exact::{Dialect, Printer};
use crate::text::json::JsonStyle;
use crate::wire::choose::Preset;
use crate::wire::{Decoder, Walk, Walker, v2};

/// More than any fixture holds.
pub const LIMIT: u64 = 1 << 32;

/// The presets with their names.
pub const PRESETS: [(&str, Preset); 3] = [
    ("fast", Preset::Fast),
    ("balanced", Preset::Balanced),
    ("small", Preset::Small),
];

/// Replaces what is in `out` by the rows as one envelope of wire 2, as `mbt convert` writes it.
pub fn encode_v2(preset: Preset, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
    let len = batch.get_array_memory_size();
    let encoder = v2::Encoder::new(v2::Options::of(preset).for_frame(len));
    let schema = batch.schema_ref();
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns
        .map(|(field, array)| encoder.column(field, std::slice::from_ref(array), None))
        .collect::<Result<_>>()?;
    out.clear();
    encoder
        .envelope(batch.num_rows(), schema.metadata(), columns, out)
        .map(drop)
}

/// The rows of an envelope of either version.
pub fn decode(decoder: &mut Decoder, bytes: &[u8]) -> Result<RecordBatch> {
    let mut walker = Walker::new(LIMIT);
    match walker.walk(bytes)? {
        Walk::Complete(envelope) => decoder.decode(bytes, &envelope, |_, _| true),
        Walk::Needs(len) => Err(walker.cut_short(len, bytes)),
    }
}

/// True if both hold the same values under the same names, in whatever arrays.
pub fn same_rows(a: &RecordBatch, b: &RecordBatch) -> Result<bool> {
    let lines = Dialect::Json(JsonStyle::lines());
    let (mut text_a, mut text_b) = (Vec::new(), Vec::new());
    Printer::whole(&lines, a, &mut text_a)?;
    Printer::whole(&lines, b, &mut text_b)?;
    Ok(text_a == text_b)
}

/// A codec at a level, or at its usual one.
pub fn compressor(codec: Codec, level: Option<i32>) -> Result<Compressor> {
    Compression::new(codec, level).map(Compressor::new)
}

/// Something that a fixture is made for and yet could not be done.
pub fn broken(error: impl std::fmt::Display) -> Error {
    Error::input(error.to_string())
}
