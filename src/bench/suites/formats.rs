//! Converts batches to each format and back, in one call.

use std::io::Cursor;

use arrow_array::RecordBatch;

use crate::api;
use crate::bench::run::Run;
use crate::columns::TextOptions;
use crate::error::{Error, Result};
use crate::format::InputFormat;
use crate::format::exact::{Dialect, Printer};
use crate::format::frame::Frame;
use crate::pipeline::{self, FrameSize, PipelineOptions, Source};
use crate::stream::{Codec, Compression, Compressor};
use crate::text::json::JsonStyle;
use crate::wire::choose::Preset;
use crate::wire::v1::{self, EncodeOptions};
use crate::wire::{Decoder, Envelope};

/// A memory limit that no fixture exceeds.
pub const LIMIT: u64 = 1 << 32;

/// Replaces the contents of `out` with the rows as one wire 2 envelope, as `mbt convert` writes it.
pub fn encode_v2(preset: Preset, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
    out.clear();
    api::encode_v2(batch, preset, out)
}

/// Measures the rows as wire 2 envelopes, written and read, after a check that they are restored.
pub fn both_ways_v2(
    run: &mut Run<'_>,
    preset: Preset,
    batch: &RecordBatch,
    plain: usize,
) -> Result<()> {
    let name = format!("v2 {}", preset.name());
    let (mut stored, mut out) = (Vec::new(), Vec::new());
    encode_v2(preset, batch, &mut stored)?;
    run.row(format!("{name} encode"))
        .packed(stored.len(), plain)
        .time(|| encode_v2(preset, batch, &mut out))?;
    let mut decoder = Decoder::new(LIMIT);
    let same = same_rows(&decode(&mut decoder, &stored)?, batch)?;
    run.check(same, format!("{name} did not restore the bars"));
    run.row(format!("{name} decode"))
        .sized(stored.len(), plain)
        .time(|| decode(&mut decoder, &stored))
}

/// The rows as one wire 1 envelope.
pub fn encode_v1(options: EncodeOptions, batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let batches = std::slice::from_ref(batch);
    v1::Encoder::new(options).encode(batch.schema_ref(), batches, &mut out)?;
    Ok(out)
}

/// Decodes a wire 1 envelope into the buffers of the last time.
pub fn decode_v1_again(envelope: &[u8]) -> impl FnMut() -> Result<()> {
    let mut reader = v1::Decoder::new(LIMIT);
    move || {
        let decoded = reader.decode(envelope)?;
        reader.recycle(decoded.batch);
        Ok(())
    }
}

/// Reads text as `mbt convert` does, but on this thread.
pub fn read_text(
    text: &[u8],
    format: impl Into<InputFormat>,
    frame_size: FrameSize,
) -> Result<Vec<Frame>> {
    // Readers are passed to other threads, so they must own their input.
    let source = Source::stream("<memory>", Cursor::new(text.to_vec()), format);
    let types = TextOptions::default();
    let mut frames = Vec::new();
    let options = PipelineOptions::all(types, frame_size, LIMIT);
    pipeline::frames(vec![source], &options, |frame| {
        frames.push(frame);
        Ok(())
    })?;
    Ok(frames)
}

/// Decodes an envelope of either version.
pub fn decode(decoder: &mut Decoder, bytes: &[u8]) -> Result<RecordBatch> {
    decoder.decode(bytes, &Envelope::read(bytes, LIMIT)?, |_, _| true)
}

/// True if both have the same column names and values, whatever the array types.
pub fn same_rows(a: &RecordBatch, b: &RecordBatch) -> Result<bool> {
    let lines = Dialect::Json(JsonStyle::lines());
    let (mut text_a, mut text_b) = (Vec::new(), Vec::new());
    Printer::whole(&lines, a, &mut text_a)?;
    Printer::whole(&lines, b, &mut text_b)?;
    Ok(text_a == text_b)
}

/// A codec at its default level.
pub fn compressor(codec: Codec) -> Result<Compressor> {
    Compression::new(codec, None).map(Compressor::new)
}

/// An error for an operation that must not fail on a fixture.
pub fn broken(error: impl std::fmt::Display) -> Error {
    Error::input(error.to_string())
}
