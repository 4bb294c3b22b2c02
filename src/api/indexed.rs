//! Reads single columns of single frames with few requests.

use std::io::{Cursor, Read, Seek, SeekFrom};

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::visible;
use crate::error::{Error, Kind, Result};
use crate::stream::{FrameOpener, FramePlace, FrameReader, Index, Item, locate_indexes};
use crate::wire::{DEFAULT_MAX_FRAME, Decoder, v2};

/// Reads columns of single frames of a file that ends with an index, as all files made by [`Writer`](super::Writer) and
/// `mbt convert` do.
///
/// This suits object stores, where each read is a request. Opening takes one read of the end of the file. Reading
/// columns of a frame takes at most two independent reads of exactly the bytes needed.
///
/// ```
/// use arrow_array::{Int64Array, RecordBatch};
/// use mbt::{IndexedReader, Preset, Writer};
/// use std::sync::Arc;
///
/// # let batch = RecordBatch::try_from_iter([("a", Arc::new(Int64Array::from(vec![1, 2])) as _)]).unwrap();
/// let mut writer = Writer::new(Vec::new(), Preset::Balanced);
/// writer.write(&batch)?;
/// writer.write(&batch)?;
/// let file = std::io::Cursor::new(writer.finish()?);
///
/// let mut reader = IndexedReader::open(file)?;
/// assert_eq!(reader.frames(), 2);
/// assert_eq!(reader.read(1, &["a"])?, batch);
/// # Ok::<(), mbt::Error>(())
/// ```
#[derive(Debug)]
pub struct IndexedReader<R> {
    file: Cached<R>,
    /// The indexes of the file, each with the offset of its first frame.
    segments: Vec<(u64, Index)>,
}

/// Number of bytes to read from the end of a file; more for a large file, since an index takes a few thousandths of the
/// size of the frames.
const TAIL_BYTES: u64 = 64 << 10;
const MOST_TAIL_BYTES: u64 = 16 << 20;

impl<R: Read + Seek> IndexedReader<R> {
    /// Reads the end of a file.
    ///
    /// # Errors
    /// [`Kind::Incomplete`] if the file does not end with an index, or the indexes do not list all of its frames.
    pub fn open(input: R) -> Result<Self> {
        let mut file = Cached::open(input).map_err(cannot_read)?;
        let segments = locate_indexes(&mut file).map_err(cannot_read)?;
        let segments = segments.filter(|segments| !segments.is_empty());
        let segments = segments.ok_or_else(|| {
            Error::new(Kind::Incomplete, "the file has no index of all its frames")
                .hint("mbt convert --salvage writes one")
        })?;
        Ok(Self { file, segments })
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        let segments = self.segments.iter();
        segments.map(|(_, index)| index.frames.len()).sum()
    }

    /// Rows of a frame.
    ///
    /// # Errors
    /// [`Kind::Usage`] if there is no such frame.
    pub fn rows(&self, frame: usize) -> Result<u64> {
        let (_, index, place) = self.find(frame)?;
        Ok(index.frames[place].rows)
    }

    /// The named columns of a frame, in the order of the frame. Ignores names that the frame does not have.
    ///
    /// # Errors
    /// [`Kind::Usage`] if there is no such frame, [`Kind::Corrupt`] or [`Kind::Incomplete`] if it is damaged or not the
    /// one listed in the index, [`Kind::Io`] if the file cannot be read.
    pub fn read(&mut self, frame: usize, columns: &[&str]) -> Result<RecordBatch> {
        let (first, index, place) = self.find(frame)?;
        let entry = index.frames[place];
        let start = index.frame_start(first, place);
        let is_wanted = |name: &str| columns.contains(&name);
        let listed = index.columns.iter().enumerate();
        let wanted: Vec<usize> = listed
            .filter(|(_, column)| is_wanted(&column.name))
            .map(|(at, _)| at)
            .collect();
        let located = |error: Error| error.in_frame(frame as u64);
        let len = usize::try_from(entry.stored_len)
            .ok()
            .filter(|&len| len as u64 <= DEFAULT_MAX_FRAME);
        let len = len.ok_or_else(|| located(Error::limit("the frame holds more than 1 GiB")))?;
        // Zeroed pages that are never touched take no memory.
        let mut bytes = vec![0; len];
        let Some(ranges) = index.ranges(first, place, &wanted) else {
            self.file.read_at(start, &mut bytes)?;
            return whole(bytes, is_wanted).map_err(located);
        };
        let mut read = Vec::with_capacity(ranges.len());
        for range in ranges {
            let part = (range.start - start) as usize..(range.end - start) as usize;
            self.file.read_at(range.start, &mut bytes[part.clone()])?;
            read.push(part);
        }
        let envelope = v2::Envelope::read(&bytes, DEFAULT_MAX_FRAME).map_err(located)?;
        if envelope.len != len
            || envelope.crc32 != entry.crc32
            || envelope.rows as u64 != entry.rows
        {
            let what = "this is not the frame that the index lists here";
            return Err(located(Error::new(Kind::Incomplete, what)));
        }
        let found = FramePlace::of(&envelope).map_err(located)?;
        let (_, index, _) = self.find(frame)?;
        if let Some(what) = index.misfit(place, &found) {
            return Err(located(Error::new(Kind::Incomplete, what)));
        }
        // Columns that the wanted ones need, in case the index does not list them.
        let needed = envelope
            .sections_of(|_, name| is_wanted(name))
            .map_err(located)?;
        for (section, _) in envelope.places().zip(needed).filter(|(_, needed)| *needed) {
            let is_read = read
                .iter()
                .any(|part| part.start <= section.start && section.end <= part.end);
            if !is_read {
                self.file
                    .read_at(start + section.start as u64, &mut bytes[section])?;
            }
        }
        let decoder = v2::Decoder::new(DEFAULT_MAX_FRAME);
        let batch = decoder.decode(&bytes, &envelope, |_, name| is_wanted(name));
        visible(&batch.map_err(located)?)
    }

    /// The segment that contains a frame: the offset of its first frame, its index, and the number of the frame in it.
    fn find(&self, frame: usize) -> Result<(u64, &Index, usize)> {
        let mut place = frame;
        for (first, index) in &self.segments {
            match place.checked_sub(index.frames.len()) {
                None => return Ok((*first, index, place)),
                Some(rest) => place = rest,
            }
        }
        Err(Error::usage(format!("there is no frame {frame}")))
    }
}

/// The wanted columns of a frame of any kind that was read completely.
fn whole(bytes: Vec<u8>, is_wanted: impl Fn(&str) -> bool) -> Result<RecordBatch> {
    let mut frames = FrameReader::new(Cursor::new(bytes), DEFAULT_MAX_FRAME);
    let mut opener = FrameOpener::new(DEFAULT_MAX_FRAME);
    let mut decoder = Decoder::new(DEFAULT_MAX_FRAME);
    let missing = || Error::corrupt("there is no frame where the index lists one");
    let Some(Item::Frame(frame)) = frames.next_item()? else {
        return Err(missing());
    };
    let held = opener.open(&frame)?;
    let mut batches = Vec::new();
    for (range, envelope) in held.contents.envelopes {
        let batch = decoder.decode(&held.plain[range], &envelope, |_, name| is_wanted(name))?;
        batches.push(visible(&batch)?);
    }
    let schema = batches
        .first()
        .map_or_else(|| Schema::empty().into(), RecordBatch::schema);
    arrow_select::concat::concat_batches(&schema, &batches).map_err(Error::corrupt)
}

/// A file whose end is cached in memory.
#[derive(Debug)]
struct Cached<R> {
    input: R,
    len: u64,
    /// The end of the file, and its offset.
    tail: Vec<u8>,
    tail_at: u64,
    /// Offset of the next read.
    at: u64,
}

impl<R: Read + Seek> Cached<R> {
    fn open(mut input: R) -> std::io::Result<Self> {
        let len = input.seek(SeekFrom::End(0))?;
        let tail_len = (len / 2048).clamp(TAIL_BYTES, MOST_TAIL_BYTES).min(len);
        let tail_at = len - tail_len;
        input.seek(SeekFrom::Start(tail_at))?;
        let mut tail = vec![0; tail_len as usize];
        input.read_exact(&mut tail)?;
        Ok(Self {
            input,
            len,
            tail,
            tail_at,
            at: 0,
        })
    }

    /// Fills `bytes` with the file's contents at offset `at`.
    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> Result<()> {
        self.at = at;
        self.read_exact(bytes).map_err(cannot_read)
    }
}

impl<R: Read + Seek> Read for Cached<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = if let Some(at) = self.at.checked_sub(self.tail_at) {
            let mut rest = self.tail.get(at as usize..).unwrap_or_default();
            rest.read(bytes)?
        } else {
            let until_tail = usize::try_from(self.tail_at - self.at).unwrap_or(usize::MAX);
            let some = bytes.len().min(until_tail);
            self.input.seek(SeekFrom::Start(self.at))?;
            self.input.read(&mut bytes[..some])?
        };
        self.at += read as u64;
        Ok(read)
    }
}

impl<R> Seek for Cached<R> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(std::io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

fn cannot_read(error: std::io::Error) -> Error {
    Error::io("cannot read", error)
}
