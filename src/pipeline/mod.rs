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
mod options;
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

use std::io::Read;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub use self::background::{Background, Piece};
pub use self::frames::may_pass;
pub use self::from_end::FromEnd;
pub use self::odd_keys::OddKeys;
pub use self::options::{DEFAULT_MAX_RECORD, FrameSize, HeaderMode, PipelineOptions, TextHead};
pub use self::ordered::in_order;
pub use self::pull::Batches;
pub use self::same_columns::{FIRST_STREAM, difference};
pub use self::sample::Sample;

use arrow_schema::SchemaRef;

use self::assembled_frame::FrameContent;
use self::cutter::Cutter;
use self::frame_assembler::{Emit, FrameAssembler};
use self::helpers::Helpers;
use self::ordered::{Take, in_order_from};
use self::queue::QueueItem;
pub use self::queue::QueueLimits;
use self::read_task::{Event, ReadTask, TaskResult};
use self::row_filter::RowFilter;
use crate::error::{Error, Kind, Result};
use crate::format::frame::Frame;
use crate::format::{ByteSource, Encoded, Format, InputFormat, Job, Reads, TextRetention, Writer};
use crate::stream::Ending;
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
    let make = |take: Take<'_, Job<'w>>| {
        each_filtered(sources, options, &mut |content, first| match content {
            FrameContent::Rows(frame) => {
                let frame_bytes = frame.len_bytes();
                let jobs = writer.plan(frame, first)?;
                let count = jobs.len().max(1);
                let weight = |bytes: usize, most| (bytes / JOB_BYTES).clamp(1, most) * JOB_WEIGHT;
                let each = if writer.joins_jobs() {
                    (weight(frame_bytes, JOBS) / count).max(1)
                } else {
                    weight(frame_bytes / count, SMALL_JOBS)
                };
                // This heavy, the last job starts after the others, and the next frame after it.
                let last = if writer.is_alone() && frame_bytes >= JOBS * JOB_BYTES {
                    bounds.weight
                } else {
                    each
                };
                jobs.into_iter().enumerate().try_for_each(|(at, value)| {
                    let has_next = at + 1 < count;
                    take(QueueItem {
                        value,
                        weight: if has_next { each } else { last },
                        has_next,
                    })
                })
            }
            FrameContent::Stored(frame) => take(QueueItem {
                value: writer.copy(frame)?,
                weight: JOB_WEIGHT,
                has_next: false,
            }),
        })
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
        Ok(Some(read))
    };
    let mut is_damaged = false;
    let done = in_order_from(
        options.threads,
        bounds,
        |take| {
            cutter.try_for_each(|task| {
                take(QueueItem {
                    weight: weight(&task),
                    value: task,
                    has_next: false,
                })
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
