//! Tasks: parts of the inputs, each read on any free thread.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::PipelineOptions;
use super::helpers::Helpers;
use super::row_filter::{filtered, some_of};
use super::salvage::{Loss, StreamEnd};
use crate::columns::cast::Provenance;
use crate::columns::record_batch;
use crate::error::{Error, Kind, Result};
use crate::format::exact::unpack;
use crate::format::frame::{Columns, headless, only_style, provenance, without_patches};
use crate::format::{Part, PartRows};
use crate::schema::column_name;
use crate::stream::{Codec, Ending, FrameOpener, Listed, OpenFrame, StoredFrame};
use crate::units::counted;
use crate::wire::{Decoder, Envelope};

/// Frames of at least this many plain bytes are decoded on several threads. Smaller ones take less time than starting a
/// thread saves.
const LARGE: u64 = 256 << 10;

/// A part of the inputs, or an event in them.
pub enum ReadTask {
    /// An event.
    Event(Event),
    /// The columns of a text and the text before its rows.
    Names(Columns),
    /// A part of an input other than a frame.
    Part(PartTask),
    /// A frame, and the rows of it to keep unless all are kept.
    Frame {
        frame: StoredFrame,
        rows: Option<Range<u64>>,
        path: Arc<Path>,
    },
}

/// An event in the inputs, with nothing to read.
pub enum Event {
    /// The start of an input.
    Input(Arc<Path>),
    /// The end of a frame of text because the input pauses.
    FrameEnd,
    /// A note.
    Note(String),
    /// A damaged frame, if damage is not fatal.
    Lost(Error),
    /// An error of the stream, if that is not fatal.
    Fault(Error),
    /// The end of a stream of frames, if damage is not fatal.
    End(StreamEnd),
    /// The end of a text, or of frames that contain a complete text.
    Ending(Ending),
}

impl From<Event> for ReadTask {
    fn from(event: Event) -> Self {
        Self::Event(event)
    }
}

/// A part of an input.
pub struct PartTask {
    pub part: Part,
    /// The rows to keep, unless all are kept.
    pub rows: Option<Range<u64>>,
    /// True if it completes its frame.
    pub ends_frame: bool,
    pub path: Arc<Path>,
}

/// The result of a task.
pub enum TaskResult {
    /// An event.
    Event(Event),
    /// Rows of text, and whether they complete the frame.
    Columns(Columns, bool),
    /// Rows of a frame.
    Batches(FrameRows),
    /// Rows of a batch that may share a frame with others, and their approximate size in bytes.
    Batch(RecordBatch, usize),
    /// A frame to copy, and its number of rows if they were counted.
    Stored(StoredFrame, usize),
}

impl TaskResult {
    /// True if it contains rows.
    pub fn has_rows(&self) -> bool {
        match self {
            Self::Event(_) => false,
            Self::Columns(columns, _) => columns.rows > 0,
            Self::Batches(read) => read.batches.iter().any(|batch| batch.num_rows() > 0),
            Self::Batch(batch, _) => batch.num_rows() > 0,
            Self::Stored(..) => true,
        }
    }
}

/// The rows of a frame to keep.
#[derive(Default)]
pub struct FrameRows {
    /// The rows.
    pub batches: Vec<RecordBatch>,
    /// An error after them in the frame.
    pub fault: Option<Error>,
    /// Lost columns, if damage is not fatal.
    pub losses: Vec<Loss>,
    /// True if the filter dropped rows.
    pub dropped: bool,
    /// The number of rows before the filter.
    pub unfiltered: u64,
    /// The names of all columns, if they are keys of JSON and only some of them were read.
    pub keys: Vec<String>,
}

impl FrameRows {
    /// Their approximate size in memory in bytes.
    pub fn len_bytes(&self) -> usize {
        let bytes = self.batches.iter().map(RecordBatch::get_array_memory_size);
        bytes.sum()
    }
}

/// What a reading thread reuses between tasks.
pub struct ReadScratch<'a> {
    decoder: Decoder,
    opener: FrameOpener,
    helpers: &'a Helpers,
}

impl<'a> ReadScratch<'a> {
    pub fn new(options: &PipelineOptions, helpers: &'a Helpers) -> Self {
        Self {
            decoder: Decoder::new(options.max_frame)
                .keeping_dictionaries(options.keeps_dictionaries),
            opener: FrameOpener::new(options.max_frame),
            helpers,
        }
    }
}

impl ReadTask {
    /// Parses or decodes.
    ///
    /// # Errors
    /// The error in the input, with its file.
    pub fn read(
        self,
        scratch: &mut ReadScratch<'_>,
        options: &PipelineOptions,
    ) -> Result<TaskResult> {
        match self {
            Self::Event(event) => Ok(TaskResult::Event(event)),
            Self::Names(columns) => Ok(TaskResult::Columns(columns, false)),
            Self::Part(task) => {
                let path = Arc::clone(&task.path);
                read_part(task, options).map_err(|error| error.in_file(&path))
            }
            Self::Frame {
                frame: stored,
                rows,
                path,
            } => match frame(scratch, stored, rows.as_ref(), options) {
                Err(error) if options.salvage && is_damage(&error) => {
                    Ok(TaskResult::Event(Event::Lost(error.in_file(&path))))
                }
                Ok(TaskResult::Batches(mut read)) => {
                    let losses = std::mem::take(&mut read.losses).into_iter();
                    read.losses = losses.map(|loss| loss.in_file(&path)).collect();
                    Ok(TaskResult::Batches(read))
                }
                read => read.map_err(|error| error.in_file(&path)),
            },
        }
    }
}

/// True for errors caused by damaged frames, as opposed to wrong options or failures to read. A damaged length may
/// exceed a limit.
pub fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), Kind::Corrupt | Kind::Incomplete | Kind::Limit)
}

/// Reads a frame, or passes it on undecoded.
fn frame(
    scratch: &mut ReadScratch<'_>,
    stored: StoredFrame,
    rows: Option<&Range<u64>>,
    options: &PipelineOptions,
) -> Result<TaskResult> {
    match stored.check_listed() {
        // The frame itself is intact, so its rows are usable.
        Err(error) if options.salvage && error.kind() == Kind::Incomplete => {}
        checked => checked?,
    }
    let passes = options.copy && !options.filters() && rows.is_none();
    let is_compressed = stored.codec != Codec::None;
    if passes && !options.salvage && is_compressed && scratch.opener.holds_frame(&stored) {
        return Ok(TaskResult::Stored(stored, 0));
    }
    let read = match frame_rows(scratch, &stored, rows, options) {
        // Copy it anyway, since the reader of the copy may be a newer version.
        Err(error) if passes && error.kind() == Kind::Unsupported && stored.rows().is_some() => {
            if let Some(envelope) = stored.v2() {
                let whole = envelope.check_sections(&stored.bytes);
                whole.map_err(|error| stored.locate(error))?;
            }
            let rows = stored.rows().unwrap_or(0) as usize;
            return Ok(TaskResult::Stored(stored, rows));
        }
        read => read?,
    };
    if !passes || !read.losses.is_empty() {
        return Ok(TaskResult::Batches(read));
    }
    // Decoding an uncompressed frame costs little more than copying it, and detects damage.
    let rows = read.batches.iter().map(RecordBatch::num_rows).sum();
    let recycle = |batch| scratch.decoder.recycle(batch);
    read.batches.into_iter().for_each(recycle);
    match read.fault {
        None => Ok(TaskResult::Stored(stored, rows)),
        Some(fault) => Err(fault),
    }
}

/// Decodes the rows of a frame to keep.
fn frame_rows(
    scratch: &mut ReadScratch<'_>,
    stored: &StoredFrame,
    rows: Option<&Range<u64>>,
    options: &PipelineOptions,
) -> Result<FrameRows> {
    let ReadScratch {
        decoder,
        opener,
        helpers,
    } = scratch;
    let located = |error| stored.locate(error);
    let OpenFrame {
        plain: bytes,
        contents,
    } = opener.open(stored)?;
    if let Some(Listed { entry, .. }) = stored.listed
        && entry.rows != contents.rows()
    {
        let (listed, found) = (counted(entry.rows, "row"), contents.rows());
        let what = format!("the end of the stream lists {listed} for this frame, found {found}");
        return Err(located(Error::new(Kind::Incomplete, what)));
    }
    decoder.set_held_bytes(stored.held_bytes(bytes));
    let mut read = FrameRows {
        fault: contents.trailing_fault(bytes).map(located),
        ..FrameRows::default()
    };
    let envelopes = contents.envelopes;
    // `rows` counts the rows that pass the filter, and so does `first`.
    let mut first = 0;
    for (range, envelope) in envelopes {
        let decoded =
            helpers.occupy(|| decode(decoder, helpers, &bytes[range], &envelope, options));
        let (batch, loss) = decoded.map_err(located)?;
        if is_json(&envelope) && options.text.columns.is_some() {
            read.keys
                .extend(envelope.names(bytes)?.into_iter().flatten());
        }
        let mut unfiltered = batch.num_rows();
        let batch = select(batch, options)?;
        read.dropped |= batch.num_rows() < unfiltered;
        let len = batch.num_rows() as u64;
        let batch = match rows {
            None => batch,
            Some(wanted) => {
                let wanted = overlap(wanted, first, len);
                let batch = if wanted.contains(&0) {
                    batch
                } else {
                    headless(batch)
                };
                some_of(&batch, slice(&batch, wanted))?
            }
        };
        first += len;
        // With a filter, losses count the rows of the frames; without one, the rows that are kept.
        if options.filter.is_none() {
            unfiltered = batch.num_rows();
        }
        let from = read.unfiltered;
        read.unfiltered += unfiltered as u64;
        read.batches.push(batch);
        if let Some(mut loss) = loss {
            loss.rows = from..read.unfiltered;
            read.losses.push(loss.located(located));
        }
    }
    Ok(read)
}

/// The part of `wanted` within the `len` rows from `first` on, relative to `first`.
pub fn overlap(wanted: &Range<u64>, first: u64, len: u64) -> Range<u64> {
    let local = |row: u64| row.saturating_sub(first).min(len);
    local(wanted.start)..local(wanted.end)
}

/// Some rows of a batch.
pub fn slice(batch: &RecordBatch, rows: Range<u64>) -> RecordBatch {
    batch.slice(rows.start as usize, (rows.end - rows.start) as usize)
}

/// Decodes the columns to read, given by their displayed names. Also returns the losses if damage is not fatal.
fn decode(
    decoder: &mut Decoder,
    helpers: &Helpers,
    bytes: &[u8],
    envelope: &Envelope,
    options: &PipelineOptions,
) -> Result<(RecordBatch, Option<Loss>)> {
    let names = needed(bytes, envelope, options)?;
    let is_needed = |at: usize, _: &str| names.as_ref().is_none_or(|names| names[at].is_some());
    let (batch, lost_columns) = if options.salvage {
        decoder.decode_intact(bytes, envelope, is_needed)?
    } else {
        let batch = if envelope.plain_len() < LARGE {
            decoder.decode(bytes, envelope, is_needed)?
        } else {
            decoder.decode_on(helpers, bytes, envelope, is_needed)?
        };
        (batch, Vec::new())
    };
    let loss = Loss::of_columns(lost_columns, &batch);
    let batch = match names {
        Some(names) => only_style(&renamed(&batch, &names)?, &places_of(&names))?,
        // With lost columns, patches no longer fit their records.
        None if loss.is_some() => without_patches(&batch)?,
        None => unpack(batch)?,
    };
    Ok((batch, loss))
}

/// The displayed names of the columns to read, `None` in place of others; `None` if all columns are read.
fn needed(
    bytes: &[u8],
    envelope: &Envelope,
    options: &PipelineOptions,
) -> Result<Option<Vec<Option<String>>>> {
    let keeps_all = match envelope {
        Envelope::V1(_) => options
            .text
            .keeps_all(envelope.names(bytes)?.into_iter().flatten()),
        Envelope::V2(header) => options.selected(&header.fields()?).is_none(),
    };
    if keeps_all {
        return Ok(None);
    }
    let names = envelope.names(bytes)?;
    let known: Vec<_> = names.iter().flatten().cloned().collect();
    // Rows of JSON in other frames may have more keys.
    if !is_json(envelope) {
        options.text.require_columns(&known)?;
    }
    if let Some(filter) = &options.filter {
        filter.see_names(&known);
    }
    let names = names
        .into_iter()
        .map(|name| name.filter(|name| options.needs(name)));
    Ok(Some(names.collect()))
}

/// True for a frame made of JSON.
fn is_json(envelope: &Envelope) -> bool {
    match envelope {
        Envelope::V1(_) => false,
        Envelope::V2(header) => provenance(&header.metadata) == Provenance::Json,
    }
}

/// The positions of the columns to read.
fn places_of(names: &[Option<String>]) -> Vec<usize> {
    (0..names.len()).filter(|&at| names[at].is_some()).collect()
}

/// Names columns that are named by position, since their positions change if other columns are omitted.
fn renamed(batch: &RecordBatch, names: &[Option<String>]) -> Result<RecordBatch> {
    let schema = batch.schema();
    let fields = schema
        .fields()
        .iter()
        .zip(names.iter().flatten())
        .map(|(field, name)| (**field).clone().with_name(name));
    let metadata = schema.metadata().clone();
    let renamed = Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata);
    let columns = batch.columns().to_vec();
    record_batch(Arc::new(renamed), columns, batch.num_rows()).map_err(Error::input)
}

/// The rows that pass the filter, with the columns that are wanted or contain a wanted value.
fn select(batch: RecordBatch, options: &PipelineOptions) -> Result<RecordBatch> {
    let batch = match &options.filter {
        Some(filter) => filtered(filter, batch)?,
        None => batch,
    };
    let schema = batch.schema();
    let Some(order) = options.selected(schema.fields()) else {
        return Ok(batch);
    };
    only_style(&batch.project(&order).map_err(Error::input)?, &order)
}

/// Reads a part; typed rows are filtered here.
fn read_part(task: PartTask, options: &PipelineOptions) -> Result<TaskResult> {
    let PartTask {
        part,
        rows,
        ends_frame,
        ..
    } = task;
    let (len, len_bytes) = (part.rows, part.len_bytes);
    let mut batch = match part.read()? {
        PartRows::Untyped(columns) => return Ok(TaskResult::Columns(columns, ends_frame)),
        PartRows::Typed(batch) => batch,
    };
    if options.filters() {
        let names: Vec<_> = batch
            .schema_ref()
            .fields()
            .iter()
            .enumerate()
            .map(|(at, field)| Some(column_name(field, at)))
            .collect();
        batch = select(renamed(&batch, &names)?, options)?;
    }
    let Some(rows) = rows else {
        return Ok(TaskResult::Batch(batch, len_bytes));
    };
    let wanted = rows.end - rows.start;
    let share = wanted as f64 / len.max(1) as f64;
    Ok(TaskResult::Batch(
        slice(&batch, rows),
        (len_bytes as f64 * share) as usize,
    ))
}
