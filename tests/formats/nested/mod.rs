//! Nested JSON as structs, lists, maps and variants, and back, compared with `serde_json`.

mod corpus;
mod random;
mod shapes;

use std::io::Cursor;

use crate::rule::Infer;
use mbt::columns::print::json::JsonWriter;
use mbt::error::Result;
use mbt::format::frame::Frame;
use mbt::format::json::Flavor;
use mbt::pipeline::{self, FrameSize, PipelineOptions, Source};
use mbt::text::json::JsonStyle;

/// The frames of several inputs, each of at least one block.
fn read(inputs: &[&[u8]], flavor: Flavor, infer: Infer, size: FrameSize) -> Result<Vec<Frame>> {
    let source = |bytes: &&[u8]| Source {
        path: "in".into(),
        bytes: Box::new(Cursor::new(bytes.to_vec())),
        file: None,
        format: flavor.into(),
    };
    let options = PipelineOptions::all(infer.options(), size, 1 << 30);
    let mut frames = Vec::new();
    pipeline::frames(inputs.iter().map(source).collect(), &options, |frame| {
        frames.push(frame);
        Ok(())
    })?;
    Ok(frames)
}

/// The rows as NDJSON.
fn lines(frames: &[Frame]) -> String {
    let mut out = Vec::new();
    for batch in frames.iter().flat_map(|frame| &frame.batches) {
        let mut writer = JsonWriter::new(JsonStyle::lines(), true);
        writer.batch(batch, &mut out, None).unwrap();
    }
    String::from_utf8(out).unwrap()
}

/// The frame of NDJSON texts, exactly typed.
fn frame(inputs: &[&str]) -> Frame {
    let inputs: Vec<_> = inputs.iter().map(|text| text.as_bytes()).collect();
    let mut frames = read(&inputs, Flavor::Lines, Infer::Exact, FrameSize::Whole).unwrap();
    assert_eq!(frames.len(), 1);
    frames.remove(0)
}
