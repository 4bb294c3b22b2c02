//! What frames become: frames again, or text.

mod arrow;
mod columns;
mod frames;
mod grouped_columns;
mod kinds;
mod names;
mod plans;
mod round_trip_check;
mod text;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use self::arrow::{Batches, Schemas};
use self::columns::ColumnRun;
pub use self::frames::{FrameEncoding, Frames};
use self::grouped_columns::GroupJob;
use self::names::Renamed;
use self::plans::Plans;
use self::text::RowRun;
pub use self::text::{Fidelity, Text};
use super::output::Output;
use arrow_array::RecordBatch;
use arrow_schema::Schema;

use crate::error::Result;
use crate::format::arrow as ipc;
use crate::format::frame::UntypedFrame;
use crate::pipeline::{FrameContent, FrameSink, Note};
use crate::stream::{
    Compression, Compressor, Ending, Entry, Fingerprinter, FrameColumn, FrameOpener, Index,
    StoredFrame,
};
use crate::units::counted;
use crate::wire::rope::Rope;
use crate::wire::v1::{EncodeOptions, Encoder};

/// The form of the output.
#[derive(Clone, Debug)]
pub struct OutputFormat {
    kind: Kind,
    plans: Arc<Plans>,
}

/// What an output is made of.
#[derive(Clone, Debug)]
pub enum Kind {
    /// MATHLDBT frames.
    Mbt(Frames),
    /// CSV or JSON.
    Text(Box<Text>),
    /// Arrow IPC.
    Arrow(Batches),
}

impl OutputFormat {
    /// The form of an output of some kind.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            plans: Arc::default(),
        }
    }
}

/// What is encoded on a thread of its own.
pub enum EncodeJob {
    /// Columns of a frame.
    Columns(ColumnRun),
    /// Columns of a frame once more.
    GroupedColumns(GroupJob),
    /// Rows of text.
    Rows(RowRun),
    /// Rows of one batch or more.
    Batches(UntypedFrame),
    /// A frame as it is.
    Stored(StoredFrame),
}

/// What became of a job. Where frames are put together, a job is nothing until the last of its
/// frame is the whole frame.
#[derive(Debug, Default)]
pub struct Encoded {
    /// One after the other.
    bytes: Vec<Rope>,
    /// What Arrow IPC is made of.
    batches: Vec<RecordBatch>,
    rows: usize,
    /// Values with bytes that JSON has no way to write.
    lossy_cells: u64,
    /// Columns that go by other names.
    renamed: Vec<Renamed>,
    /// What the index says of the frame, and its columns.
    indexed: Option<(Entry, Vec<FrameColumn>)>,
}

/// What a thread keeps from job to job.
pub struct Scratch {
    encoder: Encoder,
    compressor: Compressor,
    opener: FrameOpener,
    plain: Vec<u8>,
}

impl Encoded {
    /// Its bytes, run by run.
    pub fn runs(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.iter().flat_map(Rope::runs)
    }

    /// Rows in it.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl FrameSink for OutputFormat {
    type Scratch = Scratch;
    type Job = EncodeJob;
    type Output = Encoded;

    fn scratch(&self) -> Scratch {
        let (wire, compression, max_frame) = match &self.kind {
            Kind::Mbt(frames) => (frames.wire, frames.compression, frames.max_frame),
            Kind::Text(_) | Kind::Arrow(_) => (
                FrameEncoding::V1(EncodeOptions::PLAIN),
                Compression::default(),
                0,
            ),
        };
        let encode = match wire {
            FrameEncoding::V1(encode) => encode,
            FrameEncoding::V2(_) => EncodeOptions::PLAIN,
        };
        Scratch {
            encoder: Encoder::new(encode),
            compressor: Compressor::new(compression),
            opener: FrameOpener::new(max_frame),
            plain: Vec::new(),
        }
    }

    fn plan(&self, content: FrameContent, first: bool) -> Result<Vec<EncodeJob>> {
        let frame = match content {
            FrameContent::Rows(frame) => frame,
            FrameContent::Stored(stored) => return Ok(vec![EncodeJob::Stored(stored)]),
        };
        Ok(match &self.kind {
            Kind::Mbt(frames) => frames.plan(frame, &self.plans)?,
            Kind::Arrow(batches) => vec![EncodeJob::Batches(batches.prepare(frame)?)],
            Kind::Text(text) => text
                .plan(frame, first)?
                .into_iter()
                .map(EncodeJob::Rows)
                .collect(),
        })
    }

    fn encode(&self, scratch: &mut Scratch, job: EncodeJob) -> Result<Encoded> {
        match job {
            EncodeJob::Columns(columns) => columns.encode(scratch),
            EncodeJob::GroupedColumns(columns) => columns.encode(scratch),
            EncodeJob::Rows(rows) => match &self.kind {
                Kind::Text(text) => text.encode(rows),
                _ => Ok(Encoded::default()),
            },
            EncodeJob::Stored(stored) => match &self.kind {
                Kind::Mbt(frames) => frames.copy(scratch, stored),
                Kind::Text(_) | Kind::Arrow(_) => Ok(Encoded::default()),
            },
            EncodeJob::Batches(frame) => match &self.kind {
                Kind::Arrow(batches) => batches.encode(frame),
                _ => Ok(Encoded::default()),
            },
        }
    }
}

/// Puts what is encoded together in the output.
pub struct Writer {
    output: Output,
    format: OutputFormat,
    lossy_cells: u64,
    /// Columns that go by other names.
    renamed: BTreeSet<Renamed>,
    /// Makes Arrow IPC.
    ipc: Option<ipc::Writer>,
    /// The frames since the last end of a segment.
    index: Index,
    /// Of the text that was written.
    fingerprint: Option<Fingerprinter>,
}

impl Writer {
    /// A writer at the start of its output.
    pub fn new(output: Output, format: OutputFormat) -> Self {
        Self {
            output,
            format,
            lossy_cells: 0,
            renamed: BTreeSet::new(),
            ipc: None,
            index: Index::default(),
            fingerprint: None,
        }
    }

    /// Writes what comes next.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&mut self, encoded: Encoded) -> Result<()> {
        self.begin()?;
        self.lossy_cells += encoded.lossy_cells;
        self.renamed.extend(encoded.renamed.iter().cloned());
        if let Some(ipc) = &mut self.ipc {
            for batch in &encoded.batches {
                ipc.write(batch)?;
                self.output.write(ipc.bytes())?;
                ipc.bytes().clear();
            }
        }
        if let Kind::Text(text) = &self.format.kind {
            let start = || Fingerprinter::new(text.hash_kind());
            let fingerprint = self.fingerprint.get_or_insert_with(start);
            encoded.runs().for_each(|run| fingerprint.update(run));
        }
        if encoded.indexed.is_none() && !encoded.bytes.is_empty() {
            self.end_segment()?;
        }
        self.output.write_all(encoded.runs())?;
        if let Some((entry, columns)) = encoded.indexed {
            self.index.push(entry, columns);
        }
        Ok(())
    }

    /// Ends the output, with what is known at the end of the input, and tells what was lost on the
    /// way.
    ///
    /// # Errors
    /// If the output cannot be written, or is not the text that it should be.
    pub fn finish(mut self, ending: Option<Ending>) -> Result<Vec<Note>> {
        self.end(ending)?;
        self.output.finish()?;
        let mut notes = Vec::new();
        let lossy = self.lossy_cells;
        if lossy > 0 {
            notes.push(Note(format!(
                "{}: not UTF-8; U+FFFD replaces the bytes that JSON cannot represent",
                counted(lossy, "value")
            )));
        }
        if let Kind::Text(text) = &self.format.kind {
            notes.extend(text.note());
        }
        notes.extend(note_of_names(&self.renamed));
        Ok(notes)
    }

    /// Ends the output, if it is memory, and gives it.
    ///
    /// # Errors
    /// If the end cannot be written.
    pub fn into_memory(mut self) -> Result<Vec<u8>> {
        self.end(None)?;
        Ok(self.output.into_memory())
    }

    /// Ends the segment of the frames so far, as one of version 1 is passed on that belongs to none.
    fn end_segment(&mut self) -> Result<()> {
        let index = std::mem::take(&mut self.index);
        if index.frames.is_empty() {
            return Ok(());
        }
        self.output.write(&index.write()?)
    }

    /// Writes what comes after the last row.
    fn end(&mut self, ending: Option<Ending>) -> Result<()> {
        self.begin()?;
        if let Some(ipc) = &mut self.ipc {
            ipc.finish()?;
            self.output.write(ipc.bytes())?;
        }
        match &self.format.kind {
            Kind::Mbt(frames) => {
                if frames.index || !self.index.frames.is_empty() {
                    self.index.ending = ending.filter(|_| frames.fidelity() == Fidelity::Bytes);
                    self.output.write(&self.index.write()?)?;
                }
            }
            Kind::Text(text) => {
                let end = text.end(ending.as_ref());
                let start = || Fingerprinter::new(text.hash_kind());
                let fingerprint = self.fingerprint.get_or_insert_with(start);
                fingerprint.update(&end);
                self.output.write(&end)?;
                text.check(ending.as_ref(), fingerprint.finish())?;
            }
            Kind::Arrow(_) => {}
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        if let (Kind::Arrow(batches), None) = (&self.format.kind, &self.ipc) {
            let empty = || Arc::new(Schema::empty());
            let schema = batches.schema().map_or_else(empty, Arc::clone);
            self.ipc = Some(ipc::Writer::new(batches.layout, &schema)?);
        }
        Ok(())
    }
}

/// Names that are listed; more are counted.
const LISTED_NAMES: usize = 3;

/// The note on columns that go by other names.
fn note_of_names(renamed: &BTreeSet<Renamed>) -> Option<Note> {
    let pairs = renamed.iter().take(LISTED_NAMES);
    let pairs: Vec<_> = pairs
        .map(|(name, other)| format!("{name:?} is {other:?}"))
        .collect();
    let more = renamed.len().saturating_sub(LISTED_NAMES);
    let more = if more > 0 {
        format!(", and {more} more")
    } else {
        String::new()
    };
    (!renamed.is_empty()).then(|| {
        let columns = counted(renamed.len() as u64, "column");
        Note(format!(
            "{columns} renamed, because the output cannot hold the name: {}{more}",
            pairs.join(", ")
        ))
    })
}
