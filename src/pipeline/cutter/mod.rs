//! Cutting inputs into tasks.

mod frames;

use arrow_schema::Schema;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::frames::{Extent, fault_of_lengths, open_frames};
use super::read_task::{Block, ReadTask, Scratch, TextBlock};
use super::{Format, FrameSize, Note, Options, Source};
use crate::columns::TextOptions;
use crate::error::{Error, Result};
use crate::format::arrow::Reader;
use crate::format::csv::{CsvParser, CsvReader};
use crate::format::input::Input;
use crate::format::json::{Flavor, JsonParser, JsonReader};
use crate::stream::{Ending, FrameOpener, FrameReader, Item, Wanted};
use crate::units::counted;

type Bytes = Box<dyn Read + Send>;

/// Bytes of Arrow IPC that are asked for at once.
const READ_BYTES: usize = 64 << 10;

/// An input that is being cut.
enum Open {
    Text(Box<OpenText>),
    Arrow {
        reader: Box<Reader<BufReader<Bytes>>>,
        /// Some batch was handed out.
        handed: bool,
    },
    Mbt(Box<FrameReader<Bytes>>),
}

/// A text that is being cut.
enum OpenText {
    Csv {
        reader: CsvReader<Bytes>,
        parser: Arc<CsvParser>,
    },
    Json {
        reader: JsonReader<Bytes>,
        parser: Arc<JsonParser>,
    },
}

impl OpenText {
    /// The next block, of at most `limit` records, and whether there is no record in it.
    fn next_block(&mut self, limit: Option<usize>) -> Result<Option<(TextBlock, bool)>> {
        Ok(match self {
            Self::Csv { reader, parser } => reader.next_block(limit)?.map(|block| {
                let is_blank = reader.is_blank(&block);
                (TextBlock::Csv(Arc::clone(parser), block), is_blank)
            }),
            Self::Json { reader, parser } => reader.next_block(limit)?.map(|block| {
                let is_blank = block.records == 0;
                (TextBlock::Json(Arc::clone(parser), block), is_blank)
            }),
        })
    }

    /// What follows the last record, once that has been read.
    fn ending(&self) -> Option<Ending> {
        match self {
            Self::Csv { reader, .. } => reader.ending(),
            Self::Json { reader, .. } => reader.ending(),
        }
    }
}

/// Cuts the inputs into tasks, one after the other.
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
pub struct Cutter<'a> {
    options: &'a Options,
    sources: std::vec::IntoIter<Source>,
    open: Option<(Open, Arc<Path>)>,
    /// The open source is a file, which can be read further without waiting for anything.
    is_file: bool,
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
    /// A task that is already known, which comes next.
    next: Option<ReadTask>,
    /// The last block of text, if its rows are not wanted. What follows them may belong to the ending.
    unwanted: Option<ReadTask>,
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
    /// There is one source, of which the ending is wanted.
    keeps_ending: bool,
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
        let keeps_ending = sources.len() == 1 && options.keeps_records();
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
            keeps_ending,
            unread_fault,
            options,
            sources,
            open: None,
            is_file: false,
            opened: false,
            rows: 0,
            frames: 0,
            frame_rows: 0,
            frame_bytes: 0,
            handed: false,
            next: None,
            unwanted: None,
            spare: None,
            opener: FrameOpener::new(options.max_frame),
        }
    }

    /// The next task; `None` once all inputs are through or the wanted rows have come.
    fn next_task(&mut self) -> Result<Option<ReadTask>> {
        loop {
            if let Some(task) = self.next.take() {
                return Ok(Some(task));
            }
            let done = self.rows >= self.wanted.end || self.frames >= self.options.frames.end;
            let done = done || self.stop.load(Ordering::Relaxed);
            // The first is opened even if no row is wanted: it names the columns.
            if done && self.opened {
                return Ok(self.rest_of_text());
            }
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
            let block = match &mut open {
                Open::Text(text) => text
                    .next_block(limit)
                    .map_err(|error| error.in_file(&path))?,
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
                    let ending = reader.ending().filter(|_| self.keeps_ending).cloned();
                    let ending = ending.map(ReadTask::Ending);
                    let task = match task {
                        None => ending,
                        Some(ReadTask::End(end)) => {
                            self.next = ending;
                            Some(ReadTask::End(end))
                        }
                        Some(task) => {
                            self.open = Some((open, path));
                            Some(task)
                        }
                    };
                    match task {
                        Some(task) => return Ok(Some(task)),
                        None => continue,
                    }
                }
            };
            let Some((block, _)) = block else {
                let ending = match &open {
                    Open::Text(text) => text.ending(),
                    Open::Arrow { .. } | Open::Mbt(_) => None,
                };
                let Some(mut ending) = ending.filter(|_| self.keeps_ending) else {
                    continue;
                };
                if let Some(unwanted) = self.unwanted.take()
                    && let Block::Columns(columns, _) =
                        unwanted.read(&mut Scratch::new(self.options), self.options)?
                {
                    let tail = columns.source.map(|source| source.tail);
                    ending.tail.splice(..0, tail.unwrap_or_default());
                }
                return Ok(Some(ReadTask::Ending(ending)));
            };
            let task = ReadTask::Text {
                ends_frame: self.count(wanted, block.records(), block.len_bytes()),
                block,
                path: Arc::clone(&path),
            };
            self.open = Some((open, path));
            if wanted {
                self.unwanted = None;
                return Ok(Some(task));
            }
            self.unwanted = Some(task);
        }
    }

    /// What follows the last wanted row, if that was the last row of all: the ending of the text belongs to it. A pipe
    /// is not asked, since the answer may take forever.
    fn rest_of_text(&mut self) -> Option<ReadTask> {
        let stopped = self.stop.load(Ordering::Relaxed);
        let (mut open, path) = self.open.take()?;
        if stopped || !self.keeps_ending || !self.is_file {
            return None;
        }
        let ending = match &mut open {
            Open::Text(text) => match text.next_block(Some(1)).ok()? {
                Some((block, true)) => {
                    let task = ReadTask::Text {
                        block,
                        path: Arc::clone(&path),
                        ends_frame: false,
                    };
                    self.open = Some((open, path));
                    return Some(task);
                }
                Some((_, false)) => None,
                None => text.ending(),
            },
            Open::Arrow { .. } => None,
            Open::Mbt(reader) => loop {
                match reader.next_item_of(&mut |_| Ok(Wanted::Header)).ok()? {
                    Some(Item::Frame(_)) => return None,
                    Some(Item::End(end)) => end.check().ok()?,
                    Some(Item::Skippable(_)) => {}
                    None => break reader.ending().cloned(),
                }
            },
        };
        ending.map(ReadTask::Ending)
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
        self.is_file = file.is_some();
        let has_header = matches!(&format, Format::Csv(csv) if csv.header);
        // How the values of a JSON text follow one another shows in many of its lines only.
        let has_lines = matches!(&format, Format::Csv(_) | Format::Json(Flavor::Lines));
        let input = |bytes| {
            let mut input = Input::new(bytes, self.options.max_record);
            if self.text.exact {
                input.take_fingerprint(self.options.hash);
            }
            if let FrameSize::Rows(rows) = self.options.frame_size
                && has_lines
            {
                // A frame leaves as soon as its rows have come, so no more than those may be waited for.
                let rows = usize::try_from(rows).unwrap_or(usize::MAX);
                input.show_lines(rows.saturating_add(has_header.into()));
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
                    self.next = Some(ReadTask::Note(Note(note)));
                }
                if text.columns.is_none() || reader.head().is_some() {
                    task = Some(ReadTask::Names(parser.no_rows(reader.head())));
                }
                Open::Text(Box::new(OpenText::Csv {
                    reader,
                    parser: Arc::new(parser),
                }))
            }),
            Format::Json(flavor) => {
                JsonReader::open(input(bytes), flavor, text.clone()).map(|(reader, parser)| {
                    let head = reader.head().map(|head| parser.no_rows(head));
                    task = head.map(ReadTask::Names);
                    Open::Text(Box::new(OpenText::Json {
                        reader,
                        parser: Arc::new(parser),
                    }))
                })
            }
            Format::Arrow => {
                // Messages are small beside their bodies, and a body is read at once.
                let bytes = BufReader::with_capacity(READ_BYTES, bytes);
                Reader::open(bytes, file, self.options.max_frame).map(|reader| {
                    self.next = note_of_metadata(&path, &reader.schema()).map(ReadTask::Note);
                    Open::Arrow {
                        reader: Box::new(reader),
                        handed: false,
                    }
                })
            }
            Format::Mbt => {
                let stops_early =
                    self.options.rows.end < u64::MAX || self.options.frames.end < u64::MAX;
                if stops_early && !self.options.salvage {
                    let fault = file
                        .as_ref()
                        .map(|file| fault_of_lengths(file, self.options.max_frame));
                    let fault = fault.transpose().map_err(|error| error.in_file(&path))?;
                    if let Some(fault) = fault.flatten() {
                        let lock = self.unread_fault.lock();
                        let mut first = lock.unwrap_or_else(PoisonError::into_inner);
                        first.get_or_insert(fault.in_file(&path));
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
                    Open::Mbt(Box::new(reader))
                })
            }
        };
        let open = open.map_err(|error| error.in_file(&path))?;
        // The columns of other inputs come with their first part.
        self.opened |= matches!(open, Open::Text(_));
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
/// The note on metadata of an Arrow schema, for which nothing has a place. That of our own says how text was.
fn note_of_metadata(path: &Path, schema: &Schema) -> Option<Note> {
    let keys = schema.metadata().keys();
    let mut foreign: Vec<_> = keys.filter(|key| !key.starts_with("mbt.")).collect();
    foreign.sort_unstable();
    let first = foreign.first()?;
    let more = match foreign.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let path = path.display();
    Some(Note(format!(
        "{path}: metadata of the schema is not kept: key {first:?}{more}"
    )))
}
