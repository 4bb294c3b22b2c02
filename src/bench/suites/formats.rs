//! Converts batches to each format and back, in one call.

use std::io::Cursor;
use std::path::PathBuf;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;

use crate::columns::TextOptions;
use crate::error::{Error, Result};
use crate::format::InputFormat;
use crate::format::exact::{Dialect, Printer};
use crate::format::frame::Frame;
use crate::pipeline::{self, FrameSize, Options, Source};
use crate::stream::{Codec, Compression, Compressor};
use crate::text::json::JsonStyle;
use crate::wire::choose::Preset;
use crate::wire::v2::{self, EncodedColumn, Plan};
use crate::wire::{Decoder, Scan, Scanner};

/// A memory limit that no fixture exceeds.
pub const LIMIT: u64 = 1 << 32;

/// The presets with their names.
pub const PRESETS: [(&str, Preset); 3] = [
    ("fast", Preset::Fast),
    ("balanced", Preset::Balanced),
    ("small", Preset::Small),
];

/// Replaces the contents of `out` with the rows as one wire 2 envelope, as `mbt convert` writes it.
pub fn encode_v2(preset: Preset, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
    encode_frame_v2(preset, std::slice::from_ref(batch), &[], out)
}

/// Like [`encode_v2`], for several batches with the same schema. With the plans of an earlier frame, the frame is
/// written like a later frame of a file, without another search for encodings.
pub fn encode_frame_v2(
    preset: Preset,
    batches: &[RecordBatch],
    plans: &[Plan],
    out: &mut Vec<u8>,
) -> Result<()> {
    let (encoder, columns) = columns_v2(preset, batches, plans)?;
    let Some(first) = batches.first() else {
        return Err(broken("a frame needs a batch"));
    };
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    out.clear();
    let metadata = first.schema_ref().metadata();
    encoder.envelope(rows, metadata, columns, out).map(drop)
}

/// The encodings chosen for these batches, for later frames.
pub fn plans_v2(preset: Preset, batches: &[RecordBatch]) -> Result<Vec<Plan>> {
    let (_, columns) = columns_v2(preset, batches, &[])?;
    Ok(columns.iter().map(|column| column.plan(None)).collect())
}

fn columns_v2(
    preset: Preset,
    batches: &[RecordBatch],
    plans: &[Plan],
) -> Result<(v2::Encoder, Vec<EncodedColumn>)> {
    let len = batches.iter().map(RecordBatch::get_array_memory_size).sum();
    let encoder = v2::Encoder::new(v2::Options::of(preset).for_frame(len));
    let fields = batches.iter().take(1);
    let fields = fields
        .flat_map(|batch| batch.schema_ref().fields())
        .enumerate();
    let chunks = |at: usize| -> Vec<ArrayRef> {
        let arrays = batches.iter().map(|batch| batch.column(at));
        arrays.map(ArrayRef::clone).collect()
    };
    let columns = if encoder.groups_columns() {
        encoder.columns(fields.map(|(at, field)| (field.clone(), chunks(at))))?
    } else {
        let columns = fields.map(|(at, field)| encoder.column(field, chunks(at), plans.get(at)));
        columns.collect::<Result<_>>()?
    };
    Ok((encoder, columns))
}

/// Size of the columns as plain arrays: values, string offsets, validity. Decimals count as eight bytes, like floats,
/// although Arrow uses sixteen.
pub fn plain_len(batches: &[RecordBatch]) -> Result<usize> {
    let columns = batches.iter().flat_map(RecordBatch::columns);
    columns
        .map(|column| match column.data_type() {
            DataType::Decimal128(..) => Ok(8 * column.len()),
            _ => column.to_data().get_slice_memory_size().map_err(broken),
        })
        .sum()
}

/// Reads text as `mbt convert` does, but on this thread.
pub fn read_text(
    text: &[u8],
    format: impl Into<InputFormat>,
    frame_size: FrameSize,
) -> Result<Vec<Frame>> {
    // Readers are passed to other threads, so they must own their input.
    let source = Source {
        path: PathBuf::from("<memory>"),
        bytes: Box::new(Cursor::new(text.to_vec())),
        file: None,
        format: format.into(),
    };
    let types = TextOptions::default();
    let mut frames = Vec::new();
    let options = Options::all(types, frame_size, LIMIT);
    pipeline::frames(vec![source], &options, |frame| {
        frames.push(frame);
        Ok(())
    })?;
    Ok(frames)
}

/// Decodes an envelope of either version.
pub fn decode(decoder: &mut Decoder, bytes: &[u8]) -> Result<RecordBatch> {
    let mut walker = Scanner::new(LIMIT);
    match walker.walk(bytes)? {
        Scan::Complete(envelope) => decoder.decode(bytes, &envelope, |_, _| true),
        Scan::Needs(len) => Err(walker.cut_short(len, bytes)),
    }
}

/// True if both have the same column names and values, whatever the array types.
pub fn same_rows(a: &RecordBatch, b: &RecordBatch) -> Result<bool> {
    let lines = Dialect::Json(JsonStyle::lines());
    let (mut text_a, mut text_b) = (Vec::new(), Vec::new());
    Printer::whole(&lines, a, &mut text_a)?;
    Printer::whole(&lines, b, &mut text_b)?;
    Ok(text_a == text_b)
}

/// A codec at the given or its default level.
pub fn compressor(codec: Codec, level: Option<i32>) -> Result<Compressor> {
    Compression::new(codec, level).map(Compressor::new)
}

/// An error for an operation that must not fail on a fixture.
pub fn broken(error: impl std::fmt::Display) -> Error {
    Error::input(error.to_string())
}
