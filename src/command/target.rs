//! What frames become: frames again, or text.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::options::csv_write_options;
use super::output::Output;
use crate::cli;
use crate::error::Result;
use crate::frame::{
    Codec, Compression, Compressor, Decompressor, Entry, Index, StoredFrame, envelopes,
};
use crate::pipeline::{Note, Target};
use crate::report::units::counted;
use crate::schema::{Type, type_name};
use crate::text::csv::{CsvOptions, CsvWriteOptions, CsvWriter};
use crate::text::frame::Frame;
use crate::text::json::{JsonLayout, JsonWriter};
use crate::wire::v1::{EncodeOptions, Encoder};

/// The form of the output.
#[derive(Clone, Debug)]
pub enum Form {
    /// MATHLDBT frames, wire 1.
    Mbt(Frames),
    /// CSV in a dialect.
    Csv(CsvWriteOptions),
    /// An array or lines.
    Json(JsonLayout),
}

/// How frames are written.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    /// Which encodings may be used.
    pub encode: EncodeOptions,
    /// What wraps each frame.
    pub compression: Compression,
    /// An index follows the frames.
    pub index: bool,
    /// The largest frame that is opened, in plain bytes.
    pub max_frame: u64,
}

impl Form {
    /// The form of a format.
    pub fn new(to: cli::Format, csv: &CsvOptions, frames: Frames) -> Self {
        match to {
            cli::Format::Mbt => Self::Mbt(frames),
            cli::Format::Csv => Self::Csv(csv_write_options(csv, b',')),
            cli::Format::Tsv => Self::Csv(csv_write_options(csv, b'\t')),
            cli::Format::Json => Self::Json(JsonLayout::Array),
            cli::Format::Ndjson => Self::Json(JsonLayout::Lines),
        }
    }
}

/// A printed frame.
#[derive(Debug, Default)]
pub struct Printed {
    bytes: Vec<u8>,
    rows: usize,
    /// Values with bytes that JSON has no way to write.
    lossy_cells: u64,
    /// What the index says of the frame, and its columns.
    indexed: Option<(Entry, Index)>,
}

/// What a thread keeps from frame to frame.
pub struct Scratch {
    encoder: Encoder,
    compressor: Compressor,
    decompressor: Decompressor,
    plain: Vec<u8>,
}

impl Printed {
    /// Rows in it.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl Target for Form {
    type Scratch = Scratch;
    type Printed = Printed;

    fn scratch(&self) -> Scratch {
        let (encode, compression, max_frame) = match self {
            Self::Mbt(frames) => (frames.encode, frames.compression, frames.max_frame),
            Self::Csv(_) | Self::Json(_) => (EncodeOptions::PLAIN, Compression::default(), 0),
        };
        Scratch {
            encoder: Encoder::new(encode),
            compressor: Compressor::new(compression),
            decompressor: Decompressor::new(max_frame),
            plain: Vec::new(),
        }
    }

    fn print(&self, scratch: &mut Scratch, frame: &Frame, first: bool) -> Result<Printed> {
        let mut printed = Printed {
            rows: frame.rows(),
            ..Printed::default()
        };
        let out = &mut printed.bytes;
        match self {
            Self::Mbt(frames) => {
                let frame = with_a_column(frame);
                let (schema, batches) = (&frame.schema, &frame.batches);
                let plain_len = if frames.compression.codec() == Codec::None {
                    scratch.encoder.encode(schema, batches, out)?;
                    out.len()
                } else {
                    scratch.plain.clear();
                    scratch
                        .encoder
                        .encode(schema, batches, &mut scratch.plain)?;
                    scratch.compressor.compress(&scratch.plain, out)?;
                    scratch.plain.len()
                };
                if frames.index {
                    let mut columns = Index::default();
                    let fields = schema.fields().iter();
                    columns.join(fields.map(|field| (field.name().as_str(), type_name(field))));
                    let rows = printed.rows as u64;
                    printed.indexed = Some((Entry::new(out, plain_len as u64, rows), columns));
                }
            }
            Self::Csv(options) => {
                let mut writer = CsvWriter::new(options.clone());
                if first {
                    writer.header(&frame.schema, out);
                }
                for batch in &frame.batches {
                    writer.batch(batch, out)?;
                }
            }
            Self::Json(layout) => {
                let mut writer = JsonWriter::new(*layout);
                for batch in &frame.batches {
                    writer.batch(batch, out)?;
                }
                printed.lossy_cells = writer.lossy_cells();
            }
        }
        Ok(printed)
    }

    fn copy(&self, scratch: &mut Scratch, stored: StoredFrame) -> Result<Printed> {
        let mut printed = Printed::default();
        if let Self::Mbt(Frames {
            index: true,
            max_frame,
            ..
        }) = *self
        {
            let plain = stored.open(&mut scratch.decompressor, &mut scratch.plain)?;
            let mut columns = Index::default();
            let mut rows = 0;
            let located = |error| stored.locate(error);
            for (range, envelope) in envelopes(plain, max_frame).map_err(located)?.0 {
                let found = envelope.columns(&plain[range])?;
                let found = found.iter().map(|column| &column.field);
                columns.join(found.map(|field| (field.name().as_str(), type_name(field))));
                rows += envelope.rows() as u64;
            }
            let entry = Entry::new(&stored.bytes, plain.len() as u64, rows);
            printed.indexed = Some((entry, columns));
        }
        printed.bytes = stored.bytes;
        Ok(printed)
    }
}

/// Wire 1 needs a column, so an empty text is held as one unnamed column without rows; the writers
/// of text make nothing of it again.
fn with_a_column(frame: &Frame) -> Cow<'_, Frame> {
    if !frame.schema.fields().is_empty() || frame.rows() > 0 {
        return Cow::Borrowed(frame);
    }
    let schema = Arc::new(Schema::new(vec![Type::Utf8.field("")]));
    Cow::Owned(Frame {
        schema,
        batches: Vec::<RecordBatch>::new(),
    })
}

/// Puts printed frames together in the output.
pub struct Writer {
    output: Output,
    form: Form,
    has_rows: bool,
    begun: bool,
    lossy_cells: u64,
    index: Index,
}

impl Writer {
    /// A writer at the start of its output.
    pub fn new(output: Output, form: Form) -> Self {
        Self {
            output,
            form,
            has_rows: false,
            begun: false,
            lossy_cells: 0,
            index: Index::default(),
        }
    }

    /// Writes the next frame.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&mut self, printed: Printed) -> Result<()> {
        self.begin()?;
        if printed.rows > 0 {
            if self.has_rows && matches!(self.form, Form::Json(JsonLayout::Array)) {
                self.output.write(b",")?;
            }
            self.has_rows = true;
        }
        self.lossy_cells += printed.lossy_cells;
        if let Some((entry, frame)) = printed.indexed {
            self.index.frames.push(entry);
            self.index.join(
                frame
                    .columns
                    .iter()
                    .map(|(name, ty)| (name.as_str(), ty.clone())),
            );
        }
        self.output.write(&printed.bytes)
    }

    /// Ends the output and tells what was lost on the way.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(mut self) -> Result<Option<Note>> {
        self.begin()?;
        if let Form::Json(layout) = self.form {
            let mut end = Vec::new();
            JsonWriter::new(layout).end(&mut end);
            self.output.write(&end)?;
        }
        if let Form::Mbt(Frames { index: true, .. }) = self.form {
            self.output.write(&self.index.write()?)?;
        }
        self.output.finish()?;
        let lossy = self.lossy_cells;
        Ok((lossy > 0).then(|| {
            Note(format!(
                "{}: not UTF-8; U+FFFD stands for the bytes that JSON cannot hold",
                counted(lossy, "value")
            ))
        }))
    }

    fn begin(&mut self) -> Result<()> {
        if let (Form::Json(layout), false) = (&self.form, self.begun) {
            let mut begin = Vec::new();
            JsonWriter::new(*layout).begin(&mut begin);
            self.output.write(&begin)?;
        }
        self.begun = true;
        Ok(())
    }
}
