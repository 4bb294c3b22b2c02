//! Runs a conversion from inputs to output, on all cores and in order.
//!
//! ```text
//! cut            read             assemble          plan             encode         write
//! inputs to  ->  parse,       ->  frames by     ->  frames to    ->  jobs to    ->  bytes in
//! tasks          decode           rows              jobs             bytes          order
//! one thread     all cores        one thread        one thread       all cores      the caller's
//! ```
//!
//! Frames are few and large, so a frame is encoded as several jobs.
//!
//! The stages on one thread are cheap and decide everything that affects the output, so the output is the same for any
//! number of threads. All worker threads are started in this module.

mod assembled_frame;
mod background;
mod cutter;
mod frame_assembler;
mod frames;
mod from_end;
mod helpers;
mod live;
mod odd_keys;
mod ordered;
mod pending_frame;
mod pull;
mod queue;
mod read_task;
mod row_filter;
mod salvage;
mod same_columns;
mod sample;
mod thread;

use std::borrow::Borrow;
use std::io::Read;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

pub use self::background::{Background, Piece};
pub use self::frames::may_pass;
pub use self::from_end::FromEnd;
pub use self::odd_keys::OddKeys;
pub use self::ordered::in_order;
pub use self::pull::Batches;
pub use self::same_columns::{FIRST_STREAM, difference};
pub use self::sample::Sample;

use arrow_schema::{Field, SchemaRef};

use self::assembled_frame::FrameContent;
use self::cutter::Cutter;
use self::frame_assembler::{Emit, FrameAssembler};
use self::helpers::Helpers;
use self::ordered::{Take, in_order_from};
pub use self::queue::QueueLimits;
use self::read_task::{Event, ReadTask, TaskResult};
use self::row_filter::RowFilter;
use crate::columns::TextOptions;
use crate::error::{Error, Kind, Result};
use crate::filter::Predicate;
use crate::format::frame::{Cast, Frame};
use crate::format::{
    ByteSource, Encoded, Format, InputFormat, Job, ReadOptions, Reads, TextRetention, Writer,
};
use crate::schema::keys::is_row;
use crate::schema::{ROW_COLUMN, shown_names};
use crate::stream::{Ending, HashKind};
use crate::sync::lock;

/// Number of jobs in progress per thread: many of them may be finished before an earlier, slow one.
const JOBS: usize = 4;
/// The same for small jobs.
const SMALL_JOBS: usize = 8;

/// A job for more bytes than this counts as several, so that a slow reader of the output does not fill the memory.
const JOB_BYTES: usize = 4 << 20;

/// The weight of one job in the queue. Jobs that are joined to a frame weigh less if there are many, so that all columns
/// of a frame and of the next one may be finished before an earlier, slow one.
const JOB_WEIGHT: usize = 64;

/// Decoded frames below this size in bytes are small: the next one may be decoded before this one is written, on any
/// number of threads.
const SMALL_FRAME: usize = 32 << 20;

/// The default limit for a record of text, in bytes.
pub const DEFAULT_MAX_RECORD: u64 = 512 << 20;

/// An opened input.
pub struct Source {
    /// The path as typed, or `<stdin>`.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: ByteSource,
    /// The same input if it is seekable; shares its position with `bytes`.
    pub file: Option<std::fs::File>,
    /// The format of the bytes.
    pub format: InputFormat,
}

impl Source {
    /// An input that is not seekable.
    pub fn stream(
        path: impl Into<PathBuf>,
        bytes: impl Read + Send + 'static,
        format: impl Into<InputFormat>,
    ) -> Self {
        Self {
            path: path.into(),
            bytes: Box::new(bytes),
            file: None,
            format: format.into(),
        }
    }

    /// True if its format is frames.
    pub fn is_frames(&self) -> bool {
        self.format.kind == Format::Mbt
    }

    /// Seeks to the start, if it is seekable.
    ///
    /// # Errors
    /// If seeking fails.
    pub fn rewind(&self) -> Result<()> {
        let rewound = self.file.as_ref().map_or(Ok(()), frames::rewind);
        rewound.map_err(|error| error.in_file(&self.path))
    }

    /// The same input, read from this file. All clones of the file share one position, so that only one can be read at
    /// a time.
    ///
    /// # Errors
    /// If the file cannot be cloned.
    pub fn of_file(&self, file: &std::fs::File) -> Result<Self> {
        let clone = || {
            let clone = file.try_clone();
            clone.map_err(|error| Error::io("cannot read", error))
        };
        Ok(Self {
            path: self.path.clone(),
            bytes: Box::new(clone()?),
            file: Some(clone()?),
            format: self.format.clone(),
        })
    }
}

/// Where frames end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameSize {
    /// After this many rows.
    Rows(u64),
    /// After the block of text that completes this many bytes. Frames in the input stay as they are.
    TextBytes(u64),
    /// All rows of text make one frame. Frames in the input stay as they are.
    Whole,
}

/// Options for reading inputs.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent wishes")]
pub struct PipelineOptions {
    /// Columns and their types.
    pub text: TextOptions,
    /// Keep only rows for which this condition is true.
    pub filter: Option<Predicate>,
    /// The rows to keep, counted over all inputs among the rows that pass the filter.
    pub rows: Range<u64>,
    /// Which of these rows to keep, counted from the end.
    pub from_end: Option<FromEnd>,
    /// True if the ending of the text is kept with its last row.
    pub keeps_ending: bool,
    /// A sample of the rows that are then left.
    pub sample: Option<Sample>,
    /// Choose rows of text by number only after they were typed together with the other rows of their frame.
    pub counts_typed_rows: bool,
    /// The frames to keep, counted over all inputs; rows are then counted within these frames.
    pub frames: Range<u64>,
    /// Copy frames whose rows and columns are all kept.
    pub copy: bool,
    /// Where frames end.
    pub frame_size: FrameSize,
    /// End a frame of text when its oldest row has waited this long and the input pauses.
    pub max_delay: Option<Duration>,
    /// Largest frame, in bytes of memory.
    pub max_frame: u64,
    /// Longest record of text, in bytes.
    pub max_record: u64,
    /// Which columns frames may have.
    pub header: HeaderMode,
    /// The columns of the first frame, if they are known before it is read, or even if it is not read.
    pub first_columns: Option<Vec<String>>,
    /// The head of the original text, for the first frame that is read if it is not the start of the text.
    pub text_head: Option<TextHead>,
    /// Do not restore skipped parts of the text, which options kept out of its rows.
    pub omits_skipped: bool,
    /// Text that is not UTF-8 becomes bytes, with a note.
    pub casts_bytes: bool,
    /// Columns of text that frames store as dictionaries may stay dictionaries, for a writer that only prints them.
    pub keeps_dictionaries: bool,
    /// The cast of frames that are passed on as they are read; writers have their own.
    pub cast: Option<Cast>,
    /// Pass on larger batches in slices of at most this many rows and a limited number of bytes.
    pub batch_rows: Option<usize>,
    /// Report and skip damaged frames instead of stopping.
    pub salvage: bool,
    /// The kind of hash for text that is to be restored.
    pub hash: HashKind,
    /// Number of threads that parse and print.
    pub threads: usize,
}

/// The head of a text, and the frames that it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextHead {
    /// The text before the first record.
    pub head: String,
    /// The text metadata of its frames.
    pub text: Option<String>,
    /// The displayed names of its columns, unless each frame has its own.
    pub columns: Option<Vec<String>>,
}

/// Which columns frames may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderMode {
    /// Each frame has its own columns.
    Own,
    /// All frames get the columns of the first frame, in its order.
    First,
    /// Like [`Self::First`], but frames that continue the text of the first one keep their own columns, since their
    /// records are printed as in that text.
    Text,
}

impl PipelineOptions {
    /// All rows and columns of all inputs, on one thread.
    pub fn all(text: TextOptions, frame_size: FrameSize, max_frame: u64) -> Self {
        Self {
            text,
            filter: None,
            rows: 0..u64::MAX,
            from_end: None,
            keeps_ending: true,
            sample: None,
            counts_typed_rows: false,
            frames: 0..u64::MAX,
            copy: false,
            frame_size,
            max_delay: None,
            max_frame,
            max_record: DEFAULT_MAX_RECORD,
            header: HeaderMode::Own,
            first_columns: None,
            text_head: None,
            omits_skipped: false,
            casts_bytes: false,
            keeps_dictionaries: false,
            cast: None,
            batch_rows: None,
            salvage: false,
            hash: HashKind::default(),
            threads: 1,
        }
    }

    /// The same for all rows and frames.
    #[must_use]
    pub fn with_all_rows(&self) -> Self {
        Self {
            text: TextOptions {
                looked_at: Vec::new(),
                ..self.text.clone()
            },
            filter: None,
            rows: 0..u64::MAX,
            from_end: None,
            keeps_ending: true,
            sample: None,
            counts_typed_rows: false,
            frames: 0..u64::MAX,
            ..self.clone()
        }
    }

    /// True if all rows and columns of all inputs are kept, and damage is an error.
    pub fn is_whole(&self) -> bool {
        !self.filters()
            && self.text.columns.is_none()
            && self.rows == (0..u64::MAX)
            && self.keeps_all_frames()
            && !self.salvage
    }

    /// True if rows are selected once they have types: by a condition, by a number that is known too late for reading, or
    /// by any number on request.
    pub fn filters(&self) -> bool {
        self.filter.is_some()
            || self.from_end.is_some()
            || self.sample.is_some()
            || self.counts_typed_rows
    }

    /// True if a condition may drop rows, so that rows which were not read may or may not be kept.
    pub fn is_conditional(&self) -> bool {
        let filter = self.filter.as_ref();
        filter.is_some_and(|filter| !filter.is_always_true())
    }

    /// True if every row is read, so that a column which none of them has does not exist.
    pub fn reads_all_rows(&self) -> bool {
        self.rows.end == u64::MAX && (self.rows.start == 0 || self.filters())
    }

    /// True if no frame is dropped by its number: then every record that is kept can keep its bytes.
    pub fn keeps_all_frames(&self) -> bool {
        self.frames == (0..u64::MAX)
    }

    /// Options for reading an input; `text` has the columns to read.
    fn reading<'a>(&self, format: &'a InputFormat, text: &'a TextOptions) -> ReadOptions<'a> {
        ReadOptions {
            csv: &format.layout.csv,
            encoding: format.layout.encoding,
            records: format.layout.records.as_ref(),
            is_guess: format.is_guess,
            text,
            hash: self.hash,
            frame_rows: match self.frame_size {
                FrameSize::Rows(rows) => Some(usize::try_from(rows).unwrap_or(usize::MAX)),
                FrameSize::TextBytes(_) | FrameSize::Whole => None,
            },
            waits_briefly: false,
            max_frame: self.max_frame,
            max_record: self.max_record,
        }
    }

    /// Where the wanted columns are, unless these are all columns in their order.
    fn selected<F: Borrow<Field>>(&self, fields: &[F]) -> Option<Vec<usize>> {
        // If rows are stored whole, the selected columns are inside them.
        let has_rows = fields.iter().any(|field| is_row(field.borrow()));
        // Whole rows are made of all columns of objects.
        let wants_rows = || {
            let is_it = |field: &F| field.borrow().name() == ROW_COLUMN;
            self.text.selects_whole_rows() && !fields.iter().any(is_it)
        };
        if has_rows || wants_rows() || self.text.keeps_all(shown_names(fields)) {
            return None;
        }
        let names: Vec<&str> = fields.iter().map(|it| &**it.borrow().name()).collect();
        Some(self.text.selected_places(&names))
    }

    /// True if the column is selected, or used by the filter.
    fn needs(&self, name: &str) -> bool {
        let filter = self.filter.as_ref();
        self.text.selects(name)
            || self.text.selects_whole_rows()
            || filter.is_some_and(|filter| filter.needs(name))
    }
}

/// The results at the end of all sources.
#[derive(Debug, Default)]
pub struct End {
    /// Notes about something unusual that is not an error.
    pub notes: Vec<String>,
    /// Keys that columns do not represent exactly, which matters unless the text is restored.
    pub odd_keys: OddKeys,
    /// The end of the text, if there was one source with a complete text.
    pub ending: Option<Ending>,
    /// The error to return after the output is written, if damaged parts were skipped on request.
    pub loss: Option<Error>,
    /// An error in the input after the rows that were passed on.
    failure: Option<Error>,
}

/// Reads all sources in order, encodes their frames and passes the results to `write`, in order.
///
/// # Errors
/// The first error of reading, encoding or writing; read errors name their file.
pub fn run<'w>(
    sources: Vec<Source>,
    options: &PipelineOptions,
    writer: &'w dyn Writer,
    write: impl FnMut(Encoded<'w>) -> Result<()>,
) -> Result<End> {
    let make = |take: Take<'_, Job<'w>>| {
        each_filtered(sources, options, &mut |content, first| match content {
            FrameContent::Rows(frame) => {
                let frame_bytes = frame.len_bytes();
                let jobs = writer.plan(frame, first)?;
                let count = jobs.len().max(1);
                let weight = |bytes: usize| (bytes / JOB_BYTES).clamp(1, JOBS) * JOB_WEIGHT;
                let weight = if writer.joins_jobs() {
                    (weight(frame_bytes) / count).max(1)
                } else {
                    weight(frame_bytes / count)
                };
                jobs.into_iter().try_for_each(|job| take(job, weight))
            }
            FrameContent::Stored(frame) => take(writer.copy(frame)?, JOB_WEIGHT),
        })
    };
    let bounds = if writer.jobs_are_small() {
        QueueLimits {
            weight: SMALL_JOBS * options.threads * JOB_WEIGHT,
            waiting: options.threads,
        }
    } else {
        QueueLimits {
            weight: (JOBS * options.threads + 1) * JOB_WEIGHT,
            waiting: 0,
        }
    };
    let helpers = Helpers::new(options.threads);
    let work = |(): &mut (), job: Job<'w>| helpers.occupy(|| job(&helpers));
    in_order_from(options.threads, bounds, make, || (), work, write)
}

/// Reads all sources in order and passes their frames to `sink`, on the calling thread.
///
/// # Errors
/// As for [`run`].
pub fn frames(
    sources: Vec<Source>,
    options: &PipelineOptions,
    mut sink: impl FnMut(Frame) -> Result<()>,
) -> Result<Vec<String>> {
    let options = PipelineOptions {
        threads: 1,
        copy: false,
        ..options.clone()
    };
    let mut end = each_filtered(sources, &options, &mut |content, _| match content {
        FrameContent::Rows(frame) => sink(frame.finish()?.cast_if(options.cast.as_ref())?),
        FrameContent::Stored(_) => Ok(()),
    })?;
    end.notes.extend(end.odd_keys.notes(TextRetention::Dropped));
    Ok(end.notes)
}

/// Reads all sources in order, and passes on the frames of rows to keep, and whether each is the first. Not generic, so
/// that the stages that read are compiled once.
fn each_filtered(
    sources: Vec<Source>,
    options: &PipelineOptions,
    pass: &mut dyn FnMut(FrameContent, bool) -> Result<()>,
) -> Result<End> {
    let stop = AtomicBool::new(false);
    let mut row_filter = RowFilter::new(options, &stop);
    let mut is_first = true;
    let mut pass = |filtered: Vec<FrameContent>| -> Result<()> {
        let mut filtered = filtered.into_iter();
        filtered.try_for_each(|content| pass(content, std::mem::take(&mut is_first)))
    };
    let mut end = each_frame(sources, options, &stop, &mut |frame| {
        pass(row_filter.take(frame)?)
    })?;
    pass(row_filter.finish(end.failure.is_some())?)?;
    row_filter.end(&mut end);
    end.failure.take().map_or(Ok(()), Err)?;
    row_filter.ensure_outputs()?;
    Ok(end)
}

/// The total number of rows of all sources, if all are files with an index.
///
/// # Errors
/// If they cannot be read.
pub fn rows_by_index(sources: &[Source], max_frame: u64) -> Result<Option<u64>> {
    let mut rows = 0_u64;
    for source in sources {
        let Some(file) = source.file.as_ref().filter(|_| source.is_frames()) else {
            return Ok(None);
        };
        let listed = frames::rows_listed(file, max_frame);
        let Some(listed) = listed.map_err(|error| error.in_file(&source.path))? else {
            return Ok(None);
        };
        rows = rows.saturating_add(listed);
    }
    Ok(Some(rows))
}

/// The schema of a source other than frames, if it is stated at its start.
///
/// # Errors
/// If it cannot be read.
pub fn stated_schema(source: Source, options: &PipelineOptions) -> Result<Option<SchemaRef>> {
    match source.format.kind.reads() {
        Reads::Typed(open) => {
            let reading = options.reading(&source.format, &options.text);
            let reader = open(source.bytes, source.file, &reading)?;
            Ok(reader.schema())
        }
        Reads::Untyped(_) | Reads::Frames => Ok(None),
    }
}

fn each_frame(
    sources: Vec<Source>,
    options: &PipelineOptions,
    stop: &AtomicBool,
    emit: Emit<'_>,
) -> Result<End> {
    let mut assembler = FrameAssembler::new(options, emit);
    // A block of text is small. A decoded frame takes tens of MiB, so half of the threads decode, with the help of
    // idle ones.
    let is_typed = sources.iter().any(|source| !source.format.kind.is_text());
    let decoding = (options.threads / 2).max(1);
    let bounds = if is_typed {
        QueueLimits {
            weight: decoding + 1,
            waiting: 0,
        }
    } else {
        QueueLimits {
            weight: 2 * options.threads + 2,
            waiting: options.threads,
        }
    };
    // On few threads, the next frame is decoded while this one is written only if frames are small.
    let decoded_bytes = AtomicUsize::new(0);
    let weight = |task: &Result<ReadTask>| {
        let bytes = decoded_bytes.load(Ordering::Relaxed);
        let is_small =
            matches!(task, Ok(ReadTask::Frame { .. })) && (1..SMALL_FRAME).contains(&bytes);
        if is_typed && decoding == 1 && !is_small {
            bounds.weight
        } else {
            1
        }
    };
    // After the last row to keep, the end of a single text still counts, unless more rows precede it.
    let mut has_ended = sources.len() > 1;
    let unread_fault = Mutex::new(None);
    let cutter = Cutter::new(sources, options, stop, &unread_fault);
    let is_done = || stop.load(Ordering::Relaxed);
    let mut failed = false;
    // How far the input is read depends on the number of threads, so an error counts only when its turn comes.
    let mut cutter = cutter.map_while(move |task| {
        let continues = !failed;
        failed = task.is_err();
        continues.then_some(task)
    });
    let helpers = Helpers::new(options.threads);
    let read = |scratch: &mut read_task::ReadScratch<'_>, task: Result<ReadTask>| {
        let read = task.and_then(|task| task.read(scratch, options));
        if let Ok(TaskResult::Batches(rows)) = &read {
            decoded_bytes.fetch_max(rows.len_bytes(), Ordering::Relaxed);
        }
        Ok(read)
    };
    let mut is_damaged = false;
    let done = in_order_from(
        options.threads,
        bounds,
        |take| {
            cutter.try_for_each(|task| {
                let weight = weight(&task);
                take(task, weight)
            })
        },
        || read_task::ReadScratch::new(options, &helpers),
        read,
        |read| {
            if is_done() {
                has_ended |= read.as_ref().map_or(true, TaskResult::has_rows);
                let is_text = matches!(
                    read,
                    Ok(TaskResult::Columns(..) | TaskResult::Event(Event::Ending(_)))
                );
                if has_ended || !is_text {
                    return Ok(());
                }
            }
            is_damaged = read.as_ref().is_err_and(|error| {
                read_task::is_damage(error) || error.kind() == Kind::Unsupported
            });
            assembler.take(read?)
        },
    );
    if let Err(error) = done {
        // Rows read before the error are valid.
        if is_damaged {
            assembler.flush()?;
            return Ok(End {
                failure: Some(error),
                ..End::default()
            });
        }
        return Err(error);
    }
    let mut end = assembler.finish()?;
    end.failure = end.failure.or_else(|| lock(&unread_fault).take());
    Ok(end)
}
