//! Ways to run the reader and inspect its result.

use std::io::{Cursor, Read};
use std::ops::Range;

use crate::rule::Infer;
use mbt::columns::TextOptions;
use mbt::columns::cast::Target;
use mbt::columns::print::json::JsonWriter;
use mbt::error::Result;
use mbt::format::InputFormat;
use mbt::format::csv::{CsvOptions, CsvStyle, CsvWriter};
use mbt::format::frame::Frame;
use mbt::format::json::Flavor;
use mbt::pipeline::{self, FrameSize, PipelineOptions, Source};
use mbt::schema::{FixedTypes, Type, display_name};
use mbt::text::json::JsonStyle;

/// Options of the reader.
#[derive(Clone, Debug)]
pub struct Ask {
    pub format: InputFormat,
    pub infer: Infer,
    /// As in `--schema`.
    pub schema: &'static str,
    pub rows: Range<u64>,
    pub frame_rows: Option<u64>,
}

impl Ask {
    pub fn csv(csv: CsvOptions, infer: Infer) -> Self {
        Self {
            format: csv.into(),
            infer,
            schema: "",
            rows: 0..u64::MAX,
            frame_rows: None,
        }
    }

    pub fn json(flavor: Flavor, infer: Infer) -> Self {
        Self {
            format: flavor.into(),
            ..Self::csv(CsvOptions::default(), infer)
        }
    }

    pub fn frame_rows(self, rows: u64) -> Self {
        Self {
            frame_rows: Some(rows),
            ..self
        }
    }

    pub fn rows(self, rows: Range<u64>) -> Self {
        Self { rows, ..self }
    }
}

/// The frames of `bytes`, read in one go.
pub fn read(bytes: &[u8], ask: &Ask) -> Result<Vec<Frame>> {
    read_from(Box::new(Cursor::new(bytes.to_vec())), ask)
}

pub fn read_from(bytes: Box<dyn Read + Send>, ask: &Ask) -> Result<Vec<Frame>> {
    let source = Source {
        path: "in".into(),
        bytes,
        file: None,
        format: ask.format.clone(),
    };
    let text = TextOptions {
        fixed: FixedTypes::parse(ask.schema)?,
        ..ask.infer.options()
    };
    let frame_size = ask.frame_rows.map_or(FrameSize::Whole, FrameSize::Rows);
    let options = PipelineOptions {
        rows: ask.rows.clone(),
        ..PipelineOptions::all(text, frame_size, 1 << 30)
    };
    let target = match ask.infer {
        Infer::Values => Target::Wire1,
        Infer::Exact | Infer::None => Target::Wire1Exact,
    };
    let mut frames = Vec::new();
    pipeline::frames(vec![source], &options, |frame| {
        frames.push(frame.cast(target)?);
        Ok(())
    })?;
    Ok(frames)
}

/// A reader that yields 1 to 7 bytes at a time.
pub struct Drip {
    pub bytes: Cursor<Vec<u8>>,
    pub step: usize,
}

impl Read for Drip {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.step = self.step % 7 + 1;
        let len = out.len().min(self.step);
        self.bytes.read(&mut out[..len])
    }
}

/// The rows as CSV, without the header.
pub fn as_csv(frames: &[Frame]) -> Vec<u8> {
    let options = CsvStyle {
        header: false,
        ..CsvStyle::default()
    };
    let mut out = Vec::new();
    for batch in frames.iter().flat_map(|frame| &frame.batches) {
        CsvWriter::new(options.clone())
            .batch(batch, &mut out, None)
            .unwrap();
    }
    out
}

/// The rows as NDJSON, one string each.
pub fn as_json(frames: &[Frame]) -> Vec<String> {
    let mut out = Vec::new();
    for batch in frames.iter().flat_map(|frame| &frame.batches) {
        let mut writer = JsonWriter::new(JsonStyle::lines(), true);
        writer.batch(batch, &mut out, None).unwrap();
    }
    let text = String::from_utf8(out).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Names and types of a frame's columns.
pub fn columns(frame: &Frame) -> Vec<(String, Type)> {
    let fields = frame.schema.fields().iter().enumerate();
    fields
        .map(|(at, field)| (display_name(field.name(), at), Type::of(field).unwrap()))
        .collect()
}
