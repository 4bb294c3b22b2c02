//! What frames become: frames again, or text.

mod arrow;
mod frames;
mod plans;

use std::sync::Arc;

pub use self::arrow::{Batches, Schemas};
use self::frames::ColumnRun;
pub use self::frames::{Frames, Wire};
use self::plans::Plans;
use super::options::csv_write_options;
use super::output::Output;
use arrow_array::RecordBatch;
use arrow_schema::Schema;

use crate::buffers::Pool;
use crate::cli;
use crate::error::Result;
use crate::frame::{Compression, Compressor, Decompressor, Entry, FrameColumn, Index, StoredFrame};
use crate::ipc;
use crate::pipeline::{Content, Note, Target};
use crate::report::units::counted;
use crate::text::csv::{CsvOptions, CsvWriteOptions, CsvWriter};
use crate::text::frame::Draft;
use crate::text::json::{JsonLayout, JsonWriter};
use crate::wire::rope::Rope;
use crate::wire::v1::{EncodeOptions, Encoder};

/// Batches that are printed as text at once: about a megabyte where they are blocks of text.
const PRINT_BATCHES: usize = 4;

/// The form of the output.
#[derive(Clone, Debug)]
pub struct Form {
    kind: Kind,
    buffers: Arc<Pool>,
    plans: Arc<Plans>,
}

#[derive(Clone, Debug)]
enum Kind {
    /// MATHLDBT frames.
    Mbt(Frames),
    /// CSV in a dialect.
    Csv(CsvWriteOptions),
    /// An array or lines.
    Json(JsonLayout),
    /// Arrow IPC.
    Arrow(Batches),
}

impl Form {
    /// The form of a format.
    pub fn new(to: cli::Format, csv: &CsvOptions, frames: Frames, batches: Batches) -> Self {
        let kind = match to {
            cli::Format::Mbt => Kind::Mbt(frames),
            cli::Format::Csv => Kind::Csv(csv_write_options(csv, b',')),
            cli::Format::Tsv => Kind::Csv(csv_write_options(csv, b'\t')),
            cli::Format::Json => Kind::Json(JsonLayout::Array),
            cli::Format::Ndjson => Kind::Json(JsonLayout::Lines),
            cli::Format::Arrow => Kind::Arrow(batches),
        };
        Self {
            kind,
            buffers: Arc::default(),
            plans: Arc::default(),
        }
    }
}

/// What is printed on a thread of its own.
pub enum Unit {
    /// Columns of a frame.
    Columns(ColumnRun),
    /// Rows of text, and whether the header comes before them.
    Rows(Draft, bool),
    /// Rows of one batch or more.
    Batches(Draft),
    /// A frame as it is.
    Stored(StoredFrame),
}

/// What became of a unit. Where frames are put together, a unit is nothing until the last of its
/// frame is the whole frame.
#[derive(Debug, Default)]
pub struct Printed {
    /// One behind the other.
    bytes: Vec<Rope>,
    /// What Arrow IPC is made of.
    batches: Vec<RecordBatch>,
    rows: usize,
    /// Values with bytes that JSON has no way to write.
    lossy_cells: u64,
    /// A frame ends with it.
    is_frame: bool,
    /// What the index says of the frame, and its columns.
    indexed: Option<(Entry, Vec<FrameColumn>)>,
}

/// What a thread keeps from unit to unit.
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
    type Unit = Unit;
    type Printed = Printed;

    fn scratch(&self) -> Scratch {
        let (wire, compression, max_frame) = match &self.kind {
            Kind::Mbt(frames) => (frames.wire, frames.compression, frames.max_frame),
            Kind::Csv(_) | Kind::Json(_) | Kind::Arrow(_) => {
                (Wire::V1(EncodeOptions::PLAIN), Compression::default(), 0)
            }
        };
        let encode = match wire {
            Wire::V1(encode) => encode,
            Wire::V2(_) => EncodeOptions::PLAIN,
        };
        Scratch {
            encoder: Encoder::new(encode),
            compressor: Compressor::new(compression),
            decompressor: Decompressor::new(max_frame),
            plain: Vec::new(),
        }
    }

    fn units(&self, frame: Content, first: bool) -> Result<Vec<Unit>> {
        let draft = match frame {
            Content::Draft(draft) => draft,
            Content::Stored(stored) => return Ok(vec![Unit::Stored(stored)]),
        };
        Ok(match &self.kind {
            Kind::Mbt(frames) => {
                let units = frames.units(draft, &self.plans)?.into_iter();
                units.map(Unit::Columns).collect()
            }
            Kind::Arrow(batches) => vec![Unit::Batches(batches.prepare(draft)?)],
            Kind::Csv(_) | Kind::Json(_) => {
                let parts = draft.split(PRINT_BATCHES)?.into_iter().enumerate();
                let unit = |(at, part)| Unit::Rows(part, first && at == 0);
                parts.map(unit).collect()
            }
        })
    }

    fn print(&self, scratch: &mut Scratch, unit: Unit) -> Result<Printed> {
        match unit {
            Unit::Columns(columns) => columns.print(scratch, &self.buffers),
            Unit::Rows(draft, header) => self.print_rows(draft, header),
            Unit::Stored(stored) => match &self.kind {
                Kind::Mbt(frames) => frames.copy(scratch, stored),
                Kind::Csv(_) | Kind::Json(_) | Kind::Arrow(_) => Ok(Printed::default()),
            },
            Unit::Batches(draft) => match &self.kind {
                Kind::Arrow(batches) => batches.print(draft),
                _ => Ok(Printed::default()),
            },
        }
    }
}

impl Form {
    fn print_rows(&self, draft: Draft, header: bool) -> Result<Printed> {
        let frame = draft.finish()?;
        let mut out = self.buffers.take();
        let mut lossy_cells = 0;
        match &self.kind {
            Kind::Csv(options) => {
                let mut writer = CsvWriter::new(options.clone());
                if header {
                    writer.header(&frame.schema, &mut out);
                }
                for batch in &frame.batches {
                    writer.batch(batch, &mut out)?;
                }
            }
            Kind::Json(layout) => {
                let mut writer = JsonWriter::new(*layout);
                for batch in &frame.batches {
                    writer.batch(batch, &mut out)?;
                }
                lossy_cells = writer.lossy_cells();
            }
            Kind::Mbt(_) | Kind::Arrow(_) => {}
        }
        Ok(Printed {
            bytes: vec![Rope::new(out)],
            rows: frame.rows(),
            lossy_cells,
            ..Printed::default()
        })
    }
}

/// Puts what is printed together in the output.
pub struct Writer {
    output: Output,
    form: Form,
    has_rows: bool,
    begun: bool,
    lossy_cells: u64,
    /// Makes Arrow IPC.
    ipc: Option<ipc::Writer>,
    index: Index,
    /// Frames that were written.
    frames: u64,
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
            ipc: None,
            index: Index::default(),
            frames: 0,
        }
    }

    /// Writes what comes next.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&mut self, printed: Printed) -> Result<()> {
        self.begin()?;
        if printed.rows > 0 {
            if self.has_rows && matches!(self.form.kind, Kind::Json(JsonLayout::Array)) {
                self.output.write(b",")?;
            }
            self.has_rows = true;
        }
        self.lossy_cells += printed.lossy_cells;
        self.frames += u64::from(printed.is_frame);
        if let Some((entry, columns)) = printed.indexed {
            self.index.push(entry, columns);
        }
        if let Some(ipc) = &mut self.ipc {
            for batch in &printed.batches {
                ipc.write(batch)?;
                self.output.write(ipc.bytes())?;
                ipc.bytes().clear();
            }
        }
        let runs = printed.bytes.iter().flat_map(Rope::runs);
        self.output.write_all(runs)
    }

    /// Ends the output and tells what was lost on the way.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(mut self) -> Result<Option<Note>> {
        self.end()?;
        self.output.finish()?;
        let lossy = self.lossy_cells;
        Ok((lossy > 0).then(|| {
            Note(format!(
                "{}: not UTF-8; U+FFFD stands for the bytes that JSON cannot hold",
                counted(lossy, "value")
            ))
        }))
    }

    /// Ends the output, if it is memory, and gives it.
    ///
    /// # Errors
    /// If the end cannot be written.
    pub fn into_memory(mut self) -> Result<Vec<u8>> {
        self.end()?;
        Ok(self.output.into_memory())
    }

    /// Writes what comes behind the last row.
    fn end(&mut self) -> Result<()> {
        self.begin()?;
        if let Kind::Json(layout) = self.form.kind {
            let mut end = Vec::new();
            JsonWriter::new(layout).end(&mut end);
            self.output.write(&end)?;
        }
        if let Some(ipc) = &mut self.ipc {
            ipc.finish()?;
            self.output.write(ipc.bytes())?;
        }
        // Frames of version 1 that were passed on stand in no index, unless one was asked for.
        let has_all =
            !self.index.frames.is_empty() && self.frames == self.index.frames.len() as u64;
        if let Kind::Mbt(Frames { index, .. }) = self.form.kind
            && (index || has_all)
        {
            self.output.write(&self.index.write()?)?;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        if let (Kind::Json(layout), false) = (&self.form.kind, self.begun) {
            let mut begin = Vec::new();
            JsonWriter::new(*layout).begin(&mut begin);
            self.output.write(&begin)?;
        }
        if let (Kind::Arrow(batches), None) = (&self.form.kind, &self.ipc) {
            let empty = || Arc::new(Schema::empty());
            let schema = batches.schema().map_or_else(empty, Arc::clone);
            self.ipc = Some(ipc::Writer::new(batches.layout, &schema)?);
        }
        self.begun = true;
        Ok(())
    }
}
