//! `mbt convert`: text to frames, frames to text, text to text, frames to frames.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::open::{is_standard, source};
use super::options::{
    csv_options, csv_write_options, encode_options, format_of_extension, pipeline_options,
    text_options,
};
use super::output::Output;
use crate::cli::{self, Convert};
use crate::error::{Error, Result};
use crate::pipeline::{self, Format, Sink, Source};
use crate::report::note;
use crate::schema::{Type, display_name};
use crate::text::csv::{CsvOptions, CsvWriter};
use crate::text::frame::Frame;
use crate::text::json::{JsonLayout, JsonWriter};
use crate::text::project::Infer;
use crate::wire::v1::{EncodeOptions, Encoder};

/// Rows of text per frame on the way to other text, so that output begins before input ends.
const TEXT_FRAME_ROWS: u64 = 1 << 16;
/// Rows that are printed at once: their text stays in the second-level cache.
const PRINT_ROWS: usize = 1 << 12;

/// Converts.
///
/// # Errors
/// Whatever keeps an input from being read or the output from being written.
pub fn run(args: Convert) -> Result<()> {
    let csv = csv_options(&args.input.dialect)?;
    let encode = encode_options(&args.output.encodings)?;
    let inputs = if args.inputs.is_empty() {
        vec![PathBuf::from("-")]
    } else {
        args.inputs
    };
    if inputs.iter().filter(|path| is_standard(path)).count() > 1 {
        return Err(Error::usage("stdin can be read only once"));
    }
    let sources = inputs
        .iter()
        .map(|path| source(path, args.input.from, &csv));
    let sources: Vec<Source> = sources.collect::<Result<_>>()?;
    let from_frames = sources
        .iter()
        .all(|source| matches!(source.format, Format::Mbt));

    let output = args.output.output.as_deref();
    let by_name = || output.and_then(format_of_extension);
    let default = if from_frames {
        cli::Format::Csv
    } else {
        cli::Format::Mbt
    };
    let to = args.output.to.or_else(by_name).unwrap_or(default);
    let infer = match to {
        cli::Format::Csv | cli::Format::Tsv => Infer::Exact,
        cli::Format::Json | cli::Format::Ndjson | cli::Format::Mbt => Infer::Values,
    };
    let text = text_options(&args.types, &args.columns, infer)?;
    let frame_rows = args
        .output
        .frame_rows
        .or((to != cli::Format::Mbt && !from_frames).then_some(TEXT_FRAME_ROWS));
    let options = pipeline_options(text, args.rows.as_deref(), frame_rows, &args.input.limit)?;

    let output = Output::open(output, to == cli::Format::Mbt, args.output.force)?;
    let mut writer = Writer {
        output,
        buffer: Vec::new(),
        form: Form::new(to, &csv, encode),
    };
    let mut notes = pipeline::run(sources, &options, &mut writer)?;
    notes.extend(writer.finish()?);
    if !args.output.quiet {
        for pipeline::Note(text) in &notes {
            note(text);
        }
    }
    Ok(())
}

/// Writes frames to the output in one form.
struct Writer {
    output: Output,
    buffer: Vec<u8>,
    form: Form,
}

enum Form {
    Mbt(Box<Encoder>),
    Csv { writer: CsvWriter, header: Header },
    Json { writer: JsonWriter, begun: bool },
}

impl Form {
    fn new(to: cli::Format, csv: &CsvOptions, encode: EncodeOptions) -> Self {
        let csv = |delimiter| Self::Csv {
            writer: CsvWriter::new(csv_write_options(csv, delimiter)),
            header: Header::default(),
        };
        let json = |layout| Self::Json {
            writer: JsonWriter::new(layout),
            begun: false,
        };
        match to {
            cli::Format::Mbt => Self::Mbt(Box::new(Encoder::new(encode))),
            cli::Format::Csv => csv(b','),
            cli::Format::Tsv => csv(b'\t'),
            cli::Format::Json => json(JsonLayout::Array),
            cli::Format::Ndjson => json(JsonLayout::Lines),
        }
    }
}

impl Sink for Writer {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        match &mut self.form {
            Form::Mbt(encoder) => {
                let frame = with_a_column(frame);
                encoder.encode(&frame.schema, &frame.batches, &mut self.buffer)?;
            }
            Form::Csv { writer, header } => {
                let order = header.order(&frame.schema)?;
                if order.is_none() {
                    writer.header(&frame.schema, &mut self.buffer);
                }
                for batch in &frame.batches {
                    for rows in pieces(batch) {
                        let rows = match &order {
                            Some(order) => rows
                                .project(order)
                                .map_err(|error| Error::input(error.to_string()))?,
                            None => rows,
                        };
                        writer.batch(&rows, &mut self.buffer)?;
                        flush(&mut self.output, &mut self.buffer)?;
                    }
                }
            }
            Form::Json { writer, begun } => {
                if !std::mem::replace(begun, true) {
                    writer.begin(&mut self.buffer);
                }
                for rows in frame.batches.iter().flat_map(pieces) {
                    writer.batch(&rows, &mut self.buffer)?;
                    flush(&mut self.output, &mut self.buffer)?;
                }
            }
        }
        flush(&mut self.output, &mut self.buffer)
    }
}

/// A batch in pieces whose text stays in the second-level cache.
fn pieces(batch: &RecordBatch) -> impl Iterator<Item = RecordBatch> {
    (0..batch.num_rows())
        .step_by(PRINT_ROWS)
        .map(|start| batch.slice(start, PRINT_ROWS.min(batch.num_rows() - start)))
}

/// Wire 1 needs a column, so an empty text is held as one unnamed column without rows; the writers
/// of text make nothing of it again.
fn with_a_column(frame: Frame) -> Frame {
    if frame.schema.fields().is_empty() && frame.rows() == 0 {
        let schema = Arc::new(Schema::new(vec![Type::Utf8.field("")]));
        return Frame {
            schema,
            batches: Vec::new(),
        };
    }
    frame
}

/// The names in the first line of CSV, which every frame must follow.
#[derive(Default)]
struct Header(Option<Vec<String>>);

impl Header {
    /// Where the header's columns are in `schema`; `None` for the first frame, which makes the header.
    ///
    /// # Errors
    /// If the frame has other columns.
    fn order(&mut self, schema: &Schema) -> Result<Option<Vec<usize>>> {
        let names = schema.fields().iter().enumerate();
        let names: Vec<_> = names
            .map(|(at, field)| display_name(field.name(), at))
            .collect();
        let Some(header) = &self.0 else {
            self.0 = Some(names);
            return Ok(None);
        };
        if *header == names {
            return Ok(Some((0..names.len()).collect()));
        }
        let differs = |what: String| {
            Error::input(what).hint(format!(
                "choose columns that every frame has, as --columns {}",
                header.join(",")
            ))
        };
        if let Some(new) = names.iter().find(|name| !header.contains(name)) {
            return Err(differs(format!(
                "column {new:?} comes too late: the header is written"
            ))
            .hint("raise --frame-rows, or write --to ndjson, which needs no header"));
        }
        let place = |name: &String| {
            names
                .iter()
                .position(|found| found == name)
                .ok_or_else(|| differs(format!("a frame has no column {name:?}")))
        };
        header.iter().map(place).collect::<Result<_>>().map(Some)
    }
}

impl Writer {
    /// Ends the output and tells what was lost on the way.
    fn finish(mut self) -> Result<Vec<pipeline::Note>> {
        let mut notes = Vec::new();
        if let Form::Json { writer, begun } = &mut self.form {
            if !*begun {
                writer.begin(&mut self.buffer);
            }
            writer.end(&mut self.buffer);
            if writer.lossy_cells() > 0 {
                notes.push(pipeline::Note(format!(
                    "{} values are not UTF-8; in JSON, U+FFFD stands for the bytes that are not",
                    writer.lossy_cells()
                )));
            }
        }
        flush(&mut self.output, &mut self.buffer)?;
        self.output.finish()?;
        Ok(notes)
    }
}

fn flush(output: &mut Output, buffer: &mut Vec<u8>) -> Result<()> {
    output.write(buffer)?;
    buffer.clear();
    Ok(())
}
