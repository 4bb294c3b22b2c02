//! What frames become: frames again, or text.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::options::csv_write_options;
use super::output::Output;
use crate::cli;
use crate::error::Result;
use crate::frame::{Codec, Compression, Compressor, StoredFrame};
use crate::pipeline::{Note, Target};
use crate::schema::Type;
use crate::text::csv::{CsvOptions, CsvWriteOptions, CsvWriter};
use crate::text::frame::Frame;
use crate::text::json::{JsonLayout, JsonWriter};
use crate::wire::v1::{EncodeOptions, Encoder};

/// The form of the output.
#[derive(Clone, Debug)]
pub enum Form {
    /// MATHLDBT frames, wire 1, compressed or not.
    Mbt(EncodeOptions, Compression),
    /// CSV in a dialect.
    Csv(CsvWriteOptions),
    /// An array or lines.
    Json(JsonLayout),
}

impl Form {
    /// The form of a format.
    pub fn new(
        to: cli::Format,
        csv: &CsvOptions,
        encode: EncodeOptions,
        compression: Compression,
    ) -> Self {
        match to {
            cli::Format::Mbt => Self::Mbt(encode, compression),
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
}

/// What a thread keeps from frame to frame.
pub struct Scratch {
    encoder: Encoder,
    compressor: Compressor,
    envelope: Vec<u8>,
}

impl Target for Form {
    type Scratch = Scratch;
    type Printed = Printed;

    fn scratch(&self) -> Scratch {
        let (encode, compression) = match self {
            Self::Mbt(encode, compression) => (*encode, *compression),
            Self::Csv(_) | Self::Json(_) => (EncodeOptions::PLAIN, Compression::default()),
        };
        Scratch {
            encoder: Encoder::new(encode),
            compressor: Compressor::new(compression),
            envelope: Vec::new(),
        }
    }

    fn print(&self, scratch: &mut Scratch, frame: &Frame, first: bool) -> Result<Printed> {
        let mut printed = Printed {
            rows: frame.rows(),
            ..Printed::default()
        };
        let out = &mut printed.bytes;
        match self {
            Self::Mbt(_, compression) => {
                let frame = with_a_column(frame);
                let (schema, batches) = (&frame.schema, &frame.batches);
                if compression.codec() == Codec::None {
                    scratch.encoder.encode(schema, batches, out)?;
                } else {
                    let envelope = &mut scratch.envelope;
                    envelope.clear();
                    scratch.encoder.encode(schema, batches, envelope)?;
                    scratch.compressor.compress(envelope, out)?;
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

    fn copy(&self, _: &mut Scratch, stored: StoredFrame) -> Result<Printed> {
        Ok(Printed {
            bytes: stored.bytes,
            ..Printed::default()
        })
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
        }
    }

    /// Writes the next frame.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&mut self, printed: &Printed) -> Result<()> {
        self.begin()?;
        if printed.rows > 0 {
            if self.has_rows && matches!(self.form, Form::Json(JsonLayout::Array)) {
                self.output.write(b",")?;
            }
            self.has_rows = true;
        }
        self.lossy_cells += printed.lossy_cells;
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
        self.output.finish()?;
        let lossy = self.lossy_cells;
        Ok((lossy > 0).then(|| {
            Note(format!(
                "{lossy} values are not UTF-8; U+FFFD stands for the bytes that JSON cannot hold"
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
