//! Cuts inputs into tasks.

mod frames;

use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::frames::{SkippedFrames, fault_of_lengths, open_frames};
use super::helpers::Helpers;
use super::live::{Clock, LiveBytes};
use super::read_task::{Event, PartTask, ReadScratch, ReadTask, TaskResult, overlap};
use super::{FrameSize, PipelineOptions, Source};
use crate::columns::TextOptions;
use crate::error::{Error, Result};
use crate::format::{ByteSource, Part, Reader, Reads};
use crate::stream::{Ending, FrameOpener, FrameReader, Item, Wanted};
use crate::sync::lock;

/// An open input.
enum Open {
    Rows {
        reader: Box<dyn Reader>,
        /// True if its rows have types. Rows without types may share frames with rows of the next input.
        has_types: bool,
    },
    Frames(Box<FrameReader<ByteSource>>),
}

/// The result of cutting an input.
enum Cut {
    /// A task; more may follow.
    Task(ReadTask),
    /// A part without rows to keep.
    Skipped,
    /// The end of the input, with a final task if there is one.
    End(Option<ReadTask>),
}

impl From<Option<ReadTask>> for Cut {
    fn from(task: Option<ReadTask>) -> Self {
        match task {
            Some(ReadTask::Event(Event::End(_))) | None => Self::End(task),
            Some(task) => Self::Task(task),
        }
    }
}

/// Cuts the inputs into tasks, one after the other.
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
pub struct Cutter<'a> {
    options: &'a PipelineOptions,
    sources: std::vec::IntoIter<Source>,
    open: Option<(Open, Arc<Path>)>,
    /// True if the open source is a file, which can be read without blocking.
    is_file: bool,
    /// True once an input has provided columns.
    has_columns: bool,
    /// Number of rows so far, including skipped ones.
    rows: u64,
    /// Number of frames so far, including skipped ones.
    frames: u64,
    frame_rows: u64,
    frame_bytes: u64,
    /// Number of bytes of text without records since the last record.
    blank_bytes: u64,
    /// True if a frame has been passed on.
    has_passed_rows: bool,
    /// The next tasks, if already known.
    next: VecDeque<ReadTask>,
    /// The last part, if its rows are not kept. Text after them may belong to the ending.
    unwanted: Option<ReadTask>,
    /// A part without its rows, in case no rows are kept.
    spare: Option<ReadTask>,
    /// Counts the rows of frames.
    opener: FrameOpener,
    /// The rows to read, counted over all inputs.
    wanted: Range<u64>,
    /// The columns that parsers read.
    text: TextOptions,
    /// Set when no more input is needed.
    stop: &'a AtomicBool,
    /// The waiting time of the rows of the open text, if it is limited.
    clock: Option<Clock>,
    /// True if there is a single source whose ending is kept.
    keeps_ending: bool,
    /// An error at the end of an input that is not read to its end.
    unread_fault: &'a Mutex<Option<Error>>,
}

impl<'a> Cutter<'a> {
    pub fn new(
        sources: Vec<Source>,
        options: &'a PipelineOptions,
        stop: &'a AtomicBool,
        unread_fault: &'a Mutex<Option<Error>>,
    ) -> Self {
        let keeps_ending = sources.len() == 1 && options.keeps_all_frames() && options.keeps_ending;
        let sources = sources.into_iter();
        let mut text = options.text.clone();
        let mut wanted = options.rows.clone();
        if options.filters() {
            // Rows are counted after filtering.
            wanted = 0..u64::MAX;
        }
        if let Some(filter) = &options.filter {
            text.looked_at = filter.looks_at();
        }
        Self {
            wanted,
            text,
            stop,
            keeps_ending,
            unread_fault,
            options,
            sources,
            open: None,
            is_file: false,
            has_columns: false,
            rows: 0,
            frames: 0,
            frame_rows: 0,
            frame_bytes: 0,
            blank_bytes: 0,
            has_passed_rows: false,
            next: VecDeque::new(),
            clock: None,
            unwanted: None,
            spare: None,
            opener: FrameOpener::new(options.max_frame),
        }
    }

    /// The next task; `None` after the last input or the last row to keep.
    fn next_task(&mut self) -> Result<Option<ReadTask>> {
        loop {
            if let Some(task) = self.next.pop_front() {
                return Ok(Some(task));
            }
            let done = self.rows >= self.wanted.end || self.frames >= self.options.frames.end;
            let done = done || self.stop.load(Ordering::Relaxed);
            // Open the first input even if no rows are kept: it provides the columns.
            if done && self.has_columns {
                return Ok(self.rest_of_text());
            }
            let Some((mut open, path)) = self.open.take() else {
                match self.sources.next() {
                    Some(source) => {
                        self.open(source)?;
                        continue;
                    }
                    None => return Ok(None),
                }
            };
            let cut = match &mut open {
                Open::Rows { reader, has_types } => self.part(&mut **reader, *has_types, &path),
                Open::Frames(reader) => self.frame(reader, &path).map(Cut::from),
            };
            let last = match cut.map_err(|error| error.in_file(&path))? {
                Cut::Task(task) => {
                    self.open = Some((open, path));
                    return Ok(Some(task));
                }
                Cut::Skipped => {
                    self.open = Some((open, path));
                    continue;
                }
                Cut::End(last) => last,
            };
            let ending = match &open {
                Open::Rows { reader, .. } => reader.ending(),
                Open::Frames(reader) => reader.ending().cloned(),
            };
            let ending = ending
                .filter(|_| self.keeps_ending)
                .map(|ending| self.with_tail(ending))
                .transpose()?;
            let mut last = last
                .into_iter()
                .chain(ending.map(|ending| Event::Ending(ending).into()));
            if let Some(task) = last.next() {
                self.next.extend(last);
                return Ok(Some(task));
            }
        }
    }

    /// Cuts the next part.
    fn part(&mut self, reader: &mut dyn Reader, has_types: bool, path: &Arc<Path>) -> Result<Cut> {
        self.has_columns = true;
        let (limit, has_begun) = self.next_rows();
        if let Some(filter) = &self.options.filter {
            reader.skip_ruled_out(filter);
        }
        let part = reader.next_part(limit)?;
        self.next
            .extend(reader.note().map(|what| note(path, &what)));
        let Some(part) = part else {
            return Ok(Cut::End(self.next.pop_front()));
        };
        self.count_blank(&part)?;
        if part.is_paused && part.len_bytes == 0 {
            (self.frame_rows, self.frame_bytes) = (0, 0);
            return Ok(Cut::Task(Event::FrameEnd.into()));
        }
        let (first, len) = (self.rows, part.rows);
        self.rows = first.saturating_add(len);
        let mut task = PartTask {
            part,
            rows: None,
            ends_frame: false,
            path: Arc::clone(path),
        };
        if has_types {
            // Untyped rows that follow start a new frame.
            (self.frame_rows, self.frame_bytes) = (0, 0);
            let wanted = overlap(&self.wanted, first, len);
            if wanted.is_empty() && len > 0 {
                task.rows = Some(0..0);
                self.keep_spare(ReadTask::Part(task));
                return Ok(Cut::Skipped);
            }
            task.rows = (wanted != (0..len)).then_some(wanted);
            (self.has_passed_rows, self.spare) = (true, None);
        } else if has_begun {
            // The part has no more rows than needed.
            task.ends_frame = self.ends_frame(&task.part);
            self.unwanted = None;
        } else {
            self.unwanted = Some(ReadTask::Part(task));
            return Ok(Cut::Skipped);
        }
        Ok(Cut::Task(ReadTask::Part(task)))
    }

    /// Refuses more text without records than a record may have, if the text is kept: it becomes part of the next record.
    fn count_blank(&mut self, part: &Part) -> Result<()> {
        if !part.is_blank {
            self.blank_bytes = 0;
            return Ok(());
        }
        self.blank_bytes += part.len_bytes as u64;
        let most = self.options.max_record;
        if self.text.exact && self.blank_bytes > most {
            let what = format!("more than {most} bytes of empty lines and comments in a row");
            return Err(
                Error::limit(what).hint("raise --max-record, or omit them with --exact off")
            );
        }
        Ok(())
    }

    /// The ending of a text whose last rows were dropped.
    fn with_tail(&mut self, mut ending: Ending) -> Result<Ending> {
        if let Some(unwanted) = self.unwanted.take()
            && let TaskResult::Columns(columns, _) = unwanted.read(
                &mut ReadScratch::new(self.options, &Helpers::new(1)),
                self.options,
            )?
        {
            let tail = columns.source.map(|source| source.tail);
            ending.tail.splice(..0, tail.unwrap_or_default());
        }
        Ok(ending)
    }

    /// The text after the last row to keep, if that is also the last row of the input: then the ending belongs to it. A
    /// pipe is not read further, since that may block forever.
    fn rest_of_text(&mut self) -> Option<ReadTask> {
        let (mut open, path) = self.open.take()?;
        if !self.keeps_ending || !self.is_file || self.options.is_conditional() {
            return None;
        }
        let ending = match &mut open {
            Open::Rows { reader, .. } => match reader.next_part(Some(1)).ok()? {
                Some(part) if part.is_blank => {
                    let task = PartTask {
                        part,
                        rows: None,
                        ends_frame: false,
                        path: Arc::clone(&path),
                    };
                    self.open = Some((open, path));
                    return Some(ReadTask::Part(task));
                }
                Some(_) => None,
                None => reader.ending(),
            },
            Open::Frames(reader) => loop {
                match reader.next_item_of(&mut |_| Ok(Wanted::Header)).ok()? {
                    Some(Item::Frame(_)) => return None,
                    Some(Item::End(end)) => end.check().ok()?,
                    Some(Item::Skippable(_)) => {}
                    None => break reader.ending().cloned(),
                }
            },
        };
        ending.map(|ending| Event::Ending(ending).into())
    }

    /// Opens a source. The names of its columns are the next task if they are known immediately and needed.
    fn open(&mut self, source: Source) -> Result<()> {
        let Source {
            path,
            bytes,
            file,
            format,
        } = source;
        let path: Arc<Path> = path.into();
        self.is_file = file.is_some();
        self.next.push_back(Event::Input(Arc::clone(&path)).into());
        let open = match format.kind.reads() {
            Reads::Untyped(open) | Reads::Typed(open) => {
                let mut options = self.options.reading(&format, &self.text);
                if self.is_file {
                    // Nothing has to be waited for.
                    options.frame_rows = None;
                }
                let max_delay = self.options.max_delay;
                self.clock = max_delay.filter(|_| file.is_none()).map(Clock::new);
                options.waits_briefly = self.clock.is_some();
                let bytes = match &self.clock {
                    Some(clock) => Box::new(LiveBytes::new(bytes, clock.clone())?),
                    None => bytes,
                };
                open(bytes, file, &options).map(|mut reader| {
                    self.next.extend(reader.begin().map(ReadTask::Names));
                    self.next
                        .extend(reader.note().map(|what| note(&path, &what)));
                    let has_types = !format.kind.is_text();
                    Open::Rows { reader, has_types }
                })
            }
            Reads::Frames => {
                let unwanted = SkippedFrames {
                    frames: self.options.frames.start.saturating_sub(self.frames),
                    rows: self.wanted.start.saturating_sub(self.rows),
                };
                let stops_early =
                    self.options.rows.end < u64::MAX || self.options.frames.end < u64::MAX;
                if stops_early && !self.options.salvage {
                    let fault = file
                        .as_ref()
                        .map(|file| fault_of_lengths(file, self.options.max_frame))
                        .transpose()
                        .map_err(|error| error.in_file(&path))?;
                    if let Some(fault) = fault.flatten() {
                        lock(self.unread_fault).get_or_insert(fault.in_file(&path));
                    }
                }
                let opened = open_frames(
                    bytes,
                    file,
                    unwanted,
                    self.reads_parts(),
                    self.options.max_frame,
                );
                opened.map(|(reader, skipped)| {
                    self.rows += skipped.rows;
                    self.frames += skipped.frames;
                    Open::Frames(Box::new(if self.options.salvage {
                        reader.resyncing()
                    } else {
                        reader
                    }))
                })
            }
        };
        let open = open.map_err(|error| error.in_file(&path))?;
        // Other inputs provide their columns with their first part.
        self.has_columns |= matches!(
            open,
            Open::Rows {
                has_types: false,
                ..
            }
        );
        self.open = Some((open, path));
        Ok(())
    }

    /// The most rows that the next block of text may have, and whether they are kept.
    fn next_rows(&self) -> (Option<usize>, bool) {
        let Range { start, end } = self.wanted;
        if self.rows < start {
            return (usize::try_from(start - self.rows).ok(), false);
        }
        let until_end = (end != u64::MAX).then(|| end - self.rows);
        let until_frame = match self.options.frame_size {
            FrameSize::Rows(rows) => Some(rows - self.frame_rows),
            FrameSize::TextBytes(_) | FrameSize::Whole => None,
        };
        let limit = until_end.into_iter().chain(until_frame).min();
        (limit.and_then(|limit| usize::try_from(limit).ok()), true)
    }

    /// Counts a part of text; true if it completes the frame.
    fn ends_frame(&mut self, part: &Part) -> bool {
        self.frame_rows += part.rows;
        self.frame_bytes += part.len_bytes as u64;
        let full = match self.options.frame_size {
            FrameSize::Rows(rows) => self.frame_rows >= rows,
            FrameSize::TextBytes(bytes) => self.frame_bytes >= bytes,
            FrameSize::Whole => false,
        };
        if full && let Some(clock) = &self.clock {
            clock.restart();
        }
        let ends = full || part.is_paused;
        if ends {
            (self.frame_rows, self.frame_bytes) = (0, 0);
        }
        ends
    }
}

impl Iterator for Cutter<'_> {
    type Item = Result<ReadTask>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_task() {
            Ok(None) => self.spare.take().map(Ok),
            task => task.transpose(),
        }
    }
}

fn note(path: &Path, what: &str) -> ReadTask {
    Event::Note(format!("{}: {what}", path.display())).into()
}
