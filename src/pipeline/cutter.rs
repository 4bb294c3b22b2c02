//! Cutting inputs into tasks.

use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::frames::{self, Extent};
use super::read_task::{ReadTask, is_damage};
use super::salvage::StreamEnd;
use super::{Format, FrameSize, Note, Options, Source};
use crate::columns::TextOptions;
use crate::error::{Error, Kind, Result};
use crate::format::arrow::Reader;
use crate::format::csv::{CsvParser, CsvReader};
use crate::format::input::Input;
use crate::format::json::{JsonParser, JsonReader};
use crate::stream::{FrameOpener, FrameReader, Item, StoredFrame};
use crate::units::counted;
use crate::wire::v2;

type Bytes = Box<dyn Read + Send>;

/// Bytes of Arrow IPC that are asked for at once.
const READ_BYTES: usize = 64 << 10;

/// An input that is being cut.
enum Open {
    Csv {
        reader: CsvReader<Bytes>,
        parser: Arc<CsvParser>,
    },
    Json {
        reader: JsonReader<Bytes>,
        parser: Arc<JsonParser>,
    },
    Arrow {
        reader: Box<Reader<BufReader<Bytes>>>,
        /// Some batch was handed out.
        handed: bool,
    },
    Mbt(Box<FrameReader<Bytes>>),
}

/// Cuts the inputs into tasks, one after the other.
pub struct Cutter<'a> {
    options: &'a Options,
    sources: std::vec::IntoIter<Source>,
    open: Option<(Open, Arc<Path>)>,
    /// Some source has been opened.
    opened: bool,
    /// Rows so far, those before the wanted ones included.
    rows: u64,
    /// Frames so far, those before the wanted ones included.
    frames: u64,
    frame_rows: u64,
    frame_bytes: u64,
    /// Some frame was handed out.
    handed: bool,
    /// What comes before the next task.
    note: Option<Note>,
    /// A frame without its rows, for when no frame is wanted.
    spare: Option<ReadTask>,
    /// Counts the rows of frames.
    opener: FrameOpener,
    /// The rows to read, counted over all inputs.
    wanted: Range<u64>,
    /// What parsers read.
    text: TextOptions,
    /// Set once enough has been read.
    stop: &'a AtomicBool,
    /// There is one source, all of which is wanted.
    whole: bool,
    /// What is wrong with the end of an input that is not read so far.
    unread_fault: &'a Mutex<Option<Error>>,
}

impl<'a> Cutter<'a> {
    pub fn new(
        sources: Vec<Source>,
        options: &'a Options,
        stop: &'a AtomicBool,
        unread_fault: &'a Mutex<Option<Error>>,
    ) -> Self {
        let whole = sources.len() == 1 && options.is_whole();
        let sources = sources.into_iter();
        let mut text = options.text.clone();
        let mut wanted = options.rows.clone();
        if let Some(filter) = &options.filter {
            // They are counted once they are filtered.
            wanted = 0..u64::MAX;
            if let Some(columns) = &mut text.columns {
                for name in filter.columns() {
                    if !columns.contains(name) {
                        columns.push(name.clone());
                    }
                }
            }
        }
        Self {
            wanted,
            text,
            stop,
            whole,
            unread_fault,
            options,
            sources,
            open: None,
            opened: false,
            rows: 0,
            frames: 0,
            frame_rows: 0,
            frame_bytes: 0,
            handed: false,
            note: None,
            spare: None,
            opener: FrameOpener::new(options.max_frame),
        }
    }

    /// The next task; `None` once all inputs are through or the wanted rows have come.
    fn next_task(&mut self) -> Result<Option<ReadTask>> {
        loop {
            if let Some(note) = self.note.take() {
                return Ok(Some(ReadTask::Note(note)));
            }
            let done = self.rows >= self.wanted.end || self.frames >= self.options.frames.end;
            let done = done || self.stop.load(Ordering::Relaxed);
            // The first is opened even if no row is wanted: it names the columns.
            if done && self.opened {
                return Ok(None);
            }
            self.opened = true;
            let Some((mut open, path)) = self.open.take() else {
                match self.sources.next() {
                    Some(source) => match self.open(source)? {
                        Some(task) => return Ok(Some(task)),
                        None => continue,
                    },
                    None => return Ok(None),
                }
            };
            let (limit, wanted) = self.next_rows();
            let task = match &mut open {
                Open::Csv { reader, parser } => reader.next_block(limit).map(|block| {
                    block.map(|block| {
                        let ends_frame = self.count(wanted, block.records, block.len());
                        let (parser, path) = (Arc::clone(parser), Arc::clone(&path));
                        ReadTask::Csv {
                            parser,
                            block,
                            path,
                            ends_frame,
                        }
                    })
                }),
                Open::Json { reader, parser } => reader.next_block(limit).map(|block| {
                    block.map(|block| {
                        let ends_frame = self.count(wanted, block.records, block.len());
                        let (parser, path) = (Arc::clone(parser), Arc::clone(&path));
                        ReadTask::Json {
                            parser,
                            block,
                            path,
                            ends_frame,
                        }
                    })
                }),
                Open::Arrow { reader, handed } => {
                    let task = self
                        .batch(reader, handed, &path)
                        .map_err(|error| error.in_file(&path))?;
                    if !matches!(task, Some(ReadTask::Note(_) | ReadTask::Schema(..)) | None) {
                        self.open = Some((open, path));
                    }
                    match task {
                        Some(task) => return Ok(Some(task)),
                        None => continue,
                    }
                }
                Open::Mbt(reader) => {
                    let task = self
                        .frame(reader, &path)
                        .map_err(|error| error.in_file(&path))?;
                    let ending = reader.ending().filter(|_| self.whole).cloned();
                    if !matches!(task, Some(ReadTask::Note(_) | ReadTask::End(_)) | None) {
                        self.open = Some((open, path));
                    }
                    match task.or(ending.map(ReadTask::Ending)) {
                        Some(task) => return Ok(Some(task)),
                        None => continue,
                    }
                }
            };
            let Some(task) = task.map_err(|error| error.in_file(&path))? else {
                let ending = match &open {
                    Open::Csv { reader, .. } => reader.ending(),
                    Open::Json { reader, .. } => reader.ending(),
                    Open::Arrow { .. } | Open::Mbt(_) => None,
                };
                match ending.filter(|_| self.whole) {
                    Some(ending) => return Ok(Some(ReadTask::Ending(ending))),
                    None => continue,
                }
            };
            self.open = Some((open, path));
            if wanted {
                return Ok(Some(task));
            }
        }
    }

    /// Opens a source; the names of its columns if they are known at once and matter.
    fn open(&mut self, source: Source) -> Result<Option<ReadTask>> {
        let Source {
            path,
            bytes,
            file,
            format,
        } = source;
        let path: Arc<Path> = path.into();
        let input = |bytes| {
            let mut input = Input::new(bytes, self.options.max_frame);
            if self.text.exact {
                input.take_fingerprint();
            }
            input
        };
        let text = &self.text;
        let unwanted = Extent {
            frames: self.options.frames.start.saturating_sub(self.frames),
            rows: self.wanted.start.saturating_sub(self.rows),
        };
        let mut task = None;
        let open = match format {
            Format::Csv(csv) => CsvReader::open(input(bytes), csv, text).map(|(reader, parser)| {
                let lossy = reader.lossy_names();
                if !lossy.is_empty() {
                    let names = counted(lossy.len() as u64, "column name");
                    let note = format!(
                        "{}: {names}: not UTF-8; U+FFFD replaces the other bytes",
                        path.display()
                    );
                    self.note = Some(Note(note));
                }
                if text.columns.is_none() {
                    task = Some(ReadTask::Names(parser.no_rows(reader.head())));
                }
                Open::Csv {
                    reader,
                    parser: Arc::new(parser),
                }
            }),
            Format::Json(flavor) => {
                JsonReader::open(input(bytes), flavor, text.clone()).map(|(reader, parser)| {
                    Open::Json {
                        reader,
                        parser: Arc::new(parser),
                    }
                })
            }
            Format::Arrow => {
                // Messages are small beside their bodies, and a body is read at once.
                let bytes = BufReader::with_capacity(READ_BYTES, bytes);
                Reader::open(bytes, file, self.options.max_frame).map(|reader| Open::Arrow {
                    reader: Box::new(reader),
                    handed: false,
                })
            }
            Format::Mbt => {
                let stops_early =
                    self.options.rows.end < u64::MAX || self.options.frames.end < u64::MAX;
                if stops_early && !self.options.salvage {
                    let fault = file
                        .as_ref()
                        .map(|file| frames::fault_of_lengths(file, self.options.max_frame));
                    let fault = fault.transpose().map_err(|error| error.in_file(&path))?;
                    if let Some(fault) = fault.flatten() {
                        let lock = self.unread_fault.lock();
                        let mut first = lock.unwrap_or_else(PoisonError::into_inner);
                        first.get_or_insert(fault.in_file(&path));
                    }
                }
                let opened = frames::open(
                    bytes,
                    file,
                    unwanted,
                    self.reads_parts(),
                    self.options.max_frame,
                );
                opened.map(|(reader, skipped)| {
                    self.rows += skipped.rows;
                    self.frames += skipped.frames;
                    Open::Mbt(Box::new(reader))
                })
            }
        };
        let open = open.map_err(|error| error.in_file(&path))?;
        self.open = Some((open, path));
        Ok(task)
    }

    /// How many rows the next block of text may have, and whether they are wanted.
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

    /// Counts a block of text; true if it fills the frame.
    fn count(&mut self, wanted: bool, records: usize, bytes: usize) -> bool {
        self.rows += records as u64;
        if !wanted {
            return false;
        }
        self.frame_rows += records as u64;
        self.frame_bytes += bytes as u64;
        let full = match self.options.frame_size {
            FrameSize::Rows(rows) => self.frame_rows >= rows,
            FrameSize::TextBytes(bytes) => self.frame_bytes >= bytes,
            FrameSize::Whole => false,
        };
        if full {
            (self.frame_rows, self.frame_bytes) = (0, 0);
        }
        full
    }

    /// True if frames may be stepped over and read in part.
    fn reads_parts(&self) -> bool {
        let options = self.options;
        !options.salvage && (options.filter.is_some() || options.text.columns.is_some())
    }

    /// The next frame with wanted rows, or what is odd about the end.
    fn frame(
        &mut self,
        reader: &mut FrameReader<Bytes>,
        path: &Arc<Path>,
    ) -> Result<Option<ReadTask>> {
        // Rows of text are never continued with rows of frames.
        (self.frame_rows, self.frame_bytes) = (0, 0);
        let wanted_rows = self.wanted.clone();
        let wanted_frames = &self.options.frames;
        let lost = |error: Error| {
            if self.options.salvage && error.kind() == Kind::Incomplete {
                Ok(Some(ReadTask::Fault(error.in_file(path))))
            } else if self.options.salvage && is_damage(&error) {
                Ok(Some(ReadTask::Lost(error.in_file(path))))
            } else {
                Err(error)
            }
        };
        while self.rows < wanted_rows.end && self.frames < wanted_frames.end {
            if let Some(filter) = &self.options.filter
                && wanted_frames.end == u64::MAX
                && self.reads_parts()
            {
                self.frames += frames::step_over(reader, filter);
            }
            let mut may_pass = true;
            let mut select = |envelope: &v2::Envelope| {
                may_pass = frames::may_pass(self.options.filter.as_ref(), envelope)?;
                frames::wanted(self.options, envelope, may_pass)
            };
            let frame = match reader.next_item_of(&mut select) {
                Ok(Some(Item::Frame(frame))) => frame,
                Ok(Some(Item::End(end))) => match end.check() {
                    Err(error) => return lost(error),
                    Ok(()) => continue,
                },
                Ok(Some(Item::Skippable(_))) => continue,
                Ok(None) => break,
                Err(error) => return lost(error),
            };
            self.frames += 1;
            if self.frames <= wanted_frames.start || !may_pass {
                self.keep_spare(frame, path);
                continue;
            }
            let mut rows = None;
            if wanted_rows != (0..u64::MAX) {
                let first = self.rows;
                let len = match rows_of(&frame, &mut self.opener) {
                    Ok(len) => len,
                    Err(error) => return lost(error),
                };
                self.rows += len;
                let from = wanted_rows.start.saturating_sub(first).min(len);
                let to = wanted_rows.end.saturating_sub(first).min(len);
                if from == to && len > 0 {
                    self.keep_spare(frame, path);
                    continue;
                }
                rows = ((from, to) != (0, len)).then_some(from..to);
            }
            self.spare = None;
            self.handed = true;
            return Ok(Some(ReadTask::Frame {
                frame,
                rows,
                path: Arc::clone(path),
            }));
        }
        if self.options.salvage {
            return Ok(Some(ReadTask::End(StreamEnd {
                trailing: reader.trailing_bytes() > 0,
                unread: reader.unread()?,
            })));
        }
        Ok(None)
    }
}

impl Cutter<'_> {
    /// The next batch with wanted rows, or what is odd about the end.
    fn batch(
        &mut self,
        reader: &mut Reader<BufReader<Bytes>>,
        handed: &mut bool,
        path: &Arc<Path>,
    ) -> Result<Option<ReadTask>> {
        // Rows of text do not go on behind batches.
        (self.frame_rows, self.frame_bytes) = (0, 0);
        let wanted = &self.options.rows;
        while self.rows < wanted.end {
            let Some(message) = reader.next_message()? else {
                break;
            };
            let first = self.rows;
            let len = message.rows();
            self.rows = self.rows.saturating_add(len);
            let from = wanted.start.saturating_sub(first).min(len);
            let to = wanted.end.saturating_sub(first).min(len);
            if from == to && len > 0 {
                continue;
            }
            *handed = true;
            let path = Arc::clone(path);
            return Ok(Some(ReadTask::Arrow {
                message,
                rows: ((from, to) != (0, len)).then_some(from..to),
                path,
            }));
        }
        if !*handed {
            *handed = true;
            return Ok(Some(ReadTask::Schema(reader.schema(), Arc::clone(path))));
        }
        let is_open = self.rows < wanted.end && !reader.is_whole();
        Ok(is_open.then(|| {
            let file = path.display();
            ReadTask::Note(Note(format!(
                "{file}: the stream has no end marker; it may be incomplete"
            )))
        }))
    }

    /// Keeps the first frame that is stepped over: if none is wanted, it tells the columns.
    fn keep_spare(&mut self, frame: StoredFrame, path: &Arc<Path>) {
        if !self.handed && self.spare.is_none() {
            self.spare = Some(ReadTask::Frame {
                frame,
                rows: Some(0..0),
                path: Arc::clone(path),
            });
        }
    }
}

/// How many rows a frame holds, by the index or by opening it.
fn rows_of(frame: &StoredFrame, opener: &mut FrameOpener) -> Result<u64> {
    match frame.listed {
        Some(listed) => Ok(listed.entry.rows),
        None => Ok(opener.open(frame)?.contents.rows()),
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
