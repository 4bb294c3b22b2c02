//! From opened inputs to frames of batches, in order.
//!
//! Text is gathered to frames of a given number of rows; frames that are read stay as they are unless
//! a number of rows is asked for.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use crate::error::{Error, Result};
use crate::frame::FrameReader;
use crate::schema::display_name;
use crate::text::TextOptions;
use crate::text::csv::{CsvOptions, CsvReader};
use crate::text::frame::{Columns, Frame, FrameBuilder};
use crate::text::input::Input;
use crate::text::json::{Flavor, JsonReader, JsonScratch};
use crate::wire::v1::{Decoder, Envelope};

/// What an input is.
#[derive(Clone, Debug)]
pub enum Format {
    /// CSV in some dialect.
    Csv(CsvOptions),
    /// JSON of some kind.
    Json(Flavor),
    /// MATHLDBT frames.
    Mbt,
}

/// An input that has been opened.
pub struct Source {
    /// The path as typed, or `<stdin>`.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Box<dyn Read + Send>,
    /// What they are.
    pub format: Format,
}

/// What is wanted of the inputs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Columns and their types.
    pub text: TextOptions,
    /// The rows to keep, counted over all inputs.
    pub rows: Range<u64>,
    /// Rows per frame; `None` gathers all text into one frame and keeps frames as they are.
    pub frame_rows: Option<u64>,
    /// Largest frame or record, in plain bytes.
    pub max_frame: u64,
}

/// Something odd that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note(pub String);

/// Where frames go.
pub trait Sink {
    /// Takes the next frame.
    ///
    /// # Errors
    /// Whatever keeps the frame from being written.
    fn frame(&mut self, frame: Frame) -> Result<()>;
}

impl<F: FnMut(Frame) -> Result<()>> Sink for F {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self(frame)
    }
}

/// Reads all sources in order and hands their frames to `sink`.
///
/// # Errors
/// The first thing that cannot be read or written; errors of reading name their file.
pub fn run(sources: Vec<Source>, options: &Options, sink: &mut dyn Sink) -> Result<Vec<Note>> {
    let mut flow = Flow {
        options,
        sink,
        builder: FrameBuilder::default(),
        frames: 0,
        rows_seen: 0,
        pending: Vec::new(),
        notes: Vec::new(),
        seen_columns: Vec::new(),
        reads_json: false,
    };
    if let Some(columns) = &options.text.columns {
        flow.builder.declare(columns);
    }
    for source in sources {
        if flow.is_done() {
            break;
        }
        let Source {
            path,
            bytes,
            format,
        } = source;
        match format {
            Format::Csv(csv) => flow.csv(&path, bytes, csv)?,
            Format::Json(flavor) => flow.json(&path, bytes, flavor)?,
            Format::Mbt => flow.mbt(&path, bytes)?,
        }
    }
    flow.finish()
}

struct Flow<'a> {
    options: &'a Options,
    sink: &'a mut dyn Sink,
    builder: FrameBuilder,
    frames: u64,
    /// Rows of the inputs so far, those before the wanted range included.
    rows_seen: u64,
    /// Decoded rows that do not fill a frame yet.
    pending: Vec<RecordBatch>,
    notes: Vec<Note>,
    /// Names met in JSON, to tell a wanted column that never came from an empty one.
    seen_columns: Vec<String>,
    reads_json: bool,
}

impl Flow<'_> {
    fn is_done(&self) -> bool {
        self.rows_seen >= self.options.rows.end
    }

    /// How many rows the next block of text may have, and whether they are wanted.
    fn next_rows(&self) -> (Option<usize>, bool) {
        let Range { start, end } = self.options.rows;
        if self.rows_seen < start {
            return (usize::try_from(start - self.rows_seen).ok(), false);
        }
        let until_end = (end != u64::MAX).then(|| end - self.rows_seen);
        let until_frame = self
            .options
            .frame_rows
            .map(|rows| rows - self.builder.rows() as u64);
        let limit = until_end.into_iter().chain(until_frame).min();
        (limit.and_then(|limit| usize::try_from(limit).ok()), true)
    }

    fn push(&mut self, columns: Columns) -> Result<()> {
        self.rows_seen += columns.rows as u64;
        self.builder.push(columns);
        if self
            .options
            .frame_rows
            .is_some_and(|rows| self.builder.rows() as u64 >= rows)
        {
            self.emit_text()?;
        }
        Ok(())
    }

    fn emit_text(&mut self) -> Result<()> {
        let frame = self.builder.finish(self.options.text.infer)?;
        self.emit(frame)
    }

    fn emit(&mut self, frame: Frame) -> Result<()> {
        self.frames += 1;
        self.sink.frame(frame)
    }

    fn csv(&mut self, path: &Path, bytes: Box<dyn Read + Send>, csv: CsvOptions) -> Result<()> {
        self.emit_pending()?;
        let input = Input::new(bytes, self.options.max_frame);
        let (mut reader, parser) =
            CsvReader::open(input, csv, &self.options.text).map_err(|error| error.in_file(path))?;
        if self.options.text.columns.is_none() {
            self.builder.declare(parser.names());
        }
        let mut spans = Vec::new();
        let mut buffer = Vec::new();
        while !self.is_done() {
            let (limit, wanted) = self.next_rows();
            let block = reader.next_block(limit, std::mem::take(&mut buffer));
            let Some(block) = block.map_err(|error| error.in_file(path))? else {
                break;
            };
            if !wanted {
                self.rows_seen += block.records as u64;
                continue;
            }
            let columns = parser
                .parse(block, &mut spans)
                .map_err(|error| error.in_file(path))?;
            buffer = columns.1;
            self.push(columns.0)?;
        }
        Ok(())
    }

    fn json(&mut self, path: &Path, bytes: Box<dyn Read + Send>, flavor: Flavor) -> Result<()> {
        self.emit_pending()?;
        self.reads_json = true;
        let input = Input::new(bytes, self.options.max_frame);
        let (mut reader, parser) = JsonReader::open(input, flavor, self.options.text.clone())
            .map_err(|error| error.in_file(path))?;
        let mut scratch = JsonScratch::default();
        let mut buffer = Vec::new();
        while !self.is_done() {
            let (limit, wanted) = self.next_rows();
            let block = reader.next_block(limit, std::mem::take(&mut buffer));
            let Some(block) = block.map_err(|error| error.in_file(path))? else {
                break;
            };
            if !wanted {
                self.rows_seen += block.records as u64;
                continue;
            }
            let columns = parser
                .parse(block, &mut scratch)
                .map_err(|error| error.in_file(path))?;
            buffer = columns.1;
            for name in columns.0.names.iter() {
                if !self.seen_columns.contains(name) {
                    self.seen_columns.push(name.clone());
                }
            }
            self.push(columns.0)?;
        }
        Ok(())
    }

    fn mbt(&mut self, path: &Path, bytes: Box<dyn Read + Send>) -> Result<()> {
        if self.builder.rows() > 0 {
            self.emit_text()?;
        }
        let mut reader = FrameReader::new(bytes, self.options.max_frame);
        let mut decoder = Decoder::new(self.options.max_frame);
        while !self.is_done() {
            let Some(raw) = reader.next_frame().map_err(|error| error.in_file(path))? else {
                break;
            };
            let first = self.rows_seen;
            let rows = raw.envelope.rows as u64;
            self.rows_seen += rows;
            let Range { start, end } = self.options.rows;
            if first + rows <= start && start > 0 {
                continue;
            }
            let in_place = |error: Error| error.in_frame(raw.index).in_file(path);
            let batch = self
                .decode(&mut decoder, raw.bytes, &raw.envelope)
                .map_err(in_place)?;
            let from = start.saturating_sub(first).min(rows);
            let to = end.saturating_sub(first).min(rows);
            self.push_batch(batch.slice(from as usize, (to - from) as usize))?;
        }
        if reader.trailing_bytes() > 0 {
            let (file, bytes) = (path.display(), reader.trailing_bytes());
            self.notes.push(Note(format!(
                "{file}: {bytes} bytes behind the last frame are no frame"
            )));
        }
        Ok(())
    }

    fn decode(
        &self,
        decoder: &mut Decoder,
        bytes: &[u8],
        envelope: &Envelope,
    ) -> Result<RecordBatch> {
        let Some(wanted) = &self.options.text.columns else {
            return Ok(decoder.decode_walked(bytes, envelope, |_, _| true)?.batch);
        };
        let names: Vec<_> = envelope
            .columns
            .iter()
            .enumerate()
            .map(|(position, column)| display_name(column.name(bytes), position))
            .collect();
        self.options.text.require_columns(&names)?;
        let keep = |position: usize, _: &str| wanted.contains(&names[position]);
        let batch = decoder.decode_walked(bytes, envelope, keep)?.batch;
        // They were decoded in the frame's order and are wanted in the user's.
        let kept: Vec<_> = names.iter().filter(|name| wanted.contains(name)).collect();
        let mut order = Vec::with_capacity(kept.len());
        for name in wanted {
            order.extend((0..kept.len()).filter(|&at| kept[at] == name));
        }
        // A column that goes by its position would go by another one here.
        let schema = batch.schema();
        let field = |&at: &usize| schema.field(at).clone().with_name(kept[at]);
        let schema = Schema::new(order.iter().map(field).collect::<Vec<_>>());
        batch
            .project(&order)
            .and_then(|batch| batch.with_schema(Arc::new(schema)))
            .map_err(|error| Error::input(error.to_string()))
    }

    fn push_batch(&mut self, batch: RecordBatch) -> Result<()> {
        let Some(frame_rows) = self.options.frame_rows else {
            let schema = batch.schema();
            return self.emit(Frame {
                schema,
                batches: vec![batch],
            });
        };
        if self
            .pending
            .first()
            .is_some_and(|first| first.schema() != batch.schema())
        {
            self.emit_pending()?;
        }
        let mut rest = batch;
        loop {
            let filled: usize = self.pending.iter().map(RecordBatch::num_rows).sum();
            let missing = usize::try_from(frame_rows).unwrap_or(usize::MAX) - filled;
            let take = missing.min(rest.num_rows());
            self.pending.push(rest.slice(0, take));
            if take < missing {
                return Ok(());
            }
            self.emit_pending()?;
            rest = rest.slice(take, rest.num_rows() - take);
            if rest.num_rows() == 0 {
                return Ok(());
            }
        }
    }

    fn emit_pending(&mut self) -> Result<()> {
        let batches = std::mem::take(&mut self.pending);
        match batches.first() {
            Some(first) => self.emit(Frame {
                schema: first.schema(),
                batches,
            }),
            None => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Vec<Note>> {
        self.emit_pending()?;
        if self.builder.rows() > 0 || self.frames == 0 {
            self.emit_text()?;
        }
        // A row range may end before a column comes.
        if self.reads_json && self.options.rows.end == u64::MAX {
            self.options.text.require_columns(&self.seen_columns)?;
        }
        Ok(self.notes)
    }
}
