//! Partial reading of seekable inputs.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Seek as _, SeekFrom};

use super::segment::incomplete;
use super::{FrameReader, Select, cannot_read};
use crate::error::{Error, Result};
use crate::stream::frame::Listed;
use crate::stream::index::{Entry, FramePlace, Index, locate_indexes};
use crate::wire::v2;

/// Number of bytes requested at a time when much is skipped.
const STEP_BYTES: usize = 8 << 10;

/// What to read of an envelope besides its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All of it.
    All,
    /// These sections.
    Sections(Vec<bool>),
    /// Nothing.
    Header,
}

/// The reader's input as a file, which shares its position.
pub(super) struct Seekable {
    file: File,
    len: u64,
}

/// The frames listed in indexes, starting with the next one.
#[derive(Default)]
pub(super) struct Located {
    /// The indexes of the file, each with the offset of its first frame.
    segments: Vec<(u64, Index)>,
    /// The segment of the next frame, and its number there.
    segment: usize,
    place: usize,
    /// Where the next frame starts.
    offset: u64,
    /// Frames were skipped, so the reader is not at the next frame.
    passed: bool,
}

/// The next frame according to the index of its segment.
pub struct Upcoming<'a> {
    /// The index.
    pub index: &'a Index,
    /// The frame's number in the index.
    pub place: usize,
    /// True if it is the last frame.
    pub is_last: bool,
}

impl Upcoming<'_> {
    /// The frame's entry in the index.
    pub fn entry(&self) -> Entry {
        self.index.frames[self.place]
    }
}

impl Located {
    fn new(segments: Vec<(u64, Index)>) -> Self {
        let offset = segments.first().map_or(0, |(offset, _)| *offset);
        let mut located = Self {
            segments,
            offset,
            ..Self::default()
        };
        located.leave_empty_segments();
        located
    }

    fn upcoming(&self) -> Option<Upcoming<'_>> {
        let (_, index) = self.segments.get(self.segment)?;
        let later = &self.segments[self.segment + 1..];
        let is_last = self.place + 1 == index.frames.len()
            && later.iter().all(|(_, index)| index.frames.is_empty());
        Some(Upcoming {
            index,
            place: self.place,
            is_last,
        })
    }

    /// The entry for the frame at `offset`, which has this header. After the first frame that is not where the index
    /// says, there are no more entries.
    ///
    /// # Errors
    /// [`Kind::Incomplete`](crate::error::Kind) if the index disagrees with the header of the frame: it may also have
    /// been wrong about frames that were skipped.
    pub(super) fn take(
        &mut self,
        offset: u64,
        header: Option<&v2::Envelope>,
    ) -> Result<Option<Listed>> {
        let Some(Upcoming { index, place, .. }) = self.upcoming() else {
            return Ok(None);
        };
        if offset != self.offset {
            *self = Self::default();
            return Ok(None);
        }
        let (entry, is_of_bytes) = (index.frames[place], index.is_of_bytes);
        // A different frame in this place is reported when it is opened.
        if let Some(header) = header.filter(|header| header.crc32 == entry.crc32)
            && let Some(what) = index.misfit(place, &FramePlace::of(header)?)
        {
            return Err(incomplete(what));
        }
        self.advance(entry);
        Ok(Some(Listed { entry, is_of_bytes }))
    }

    fn advance(&mut self, entry: Entry) {
        self.place += 1;
        self.offset += entry.stored_len;
        self.leave_empty_segments();
    }

    fn leave_empty_segments(&mut self) {
        while let Some((_, index)) = self.segments.get(self.segment)
            && self.place == index.frames.len()
        {
            self.segment += 1;
            self.place = 0;
            if let Some((offset, _)) = self.segments.get(self.segment) {
                self.offset = *offset;
            }
        }
    }
}

impl FrameReader<File> {
    /// A reader of a file, from its position, that can seek. Moves that position.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_file(file: &File, max_frame: u64) -> Result<Self> {
        let clone = || file.try_clone().map_err(cannot_read);
        Self::new(clone()?, max_frame).with_file(Some(clone()?))
    }
}

impl<R: Read> FrameReader<R> {
    /// Lets the reader seek. `file` is the same input if it is seekable; nothing has been read from it yet, and it shares
    /// its position.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn with_file(mut self, file: Option<File>) -> Result<Self> {
        if let Some(file) = file {
            let len = file.metadata().map_err(cannot_read)?.len();
            self.seekable = Some(Seekable { file, len });
        }
        Ok(self)
    }

    /// Skips sections and skippable frames that are not selected, if the reader can seek.
    #[must_use]
    pub fn in_parts(mut self) -> Self {
        self.in_parts = self.seekable.is_some();
        if self.in_parts {
            self.input = BufReader::with_capacity(STEP_BYTES, self.input.into_inner());
        }
        self
    }

    /// Finds all frames by the indexes, if the reader can seek and the indexes list all of them. Must be called before
    /// anything is read.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn locate_frames(&mut self) -> Result<()> {
        if let Some(Seekable { file, .. }) = &mut self.seekable {
            let segments = locate_indexes(file).map_err(cannot_read)?;
            file.rewind().map_err(cannot_read)?;
            self.located = Located::new(segments.unwrap_or_default());
        }
        Ok(())
    }

    /// The next frame according to its index, if frames were located.
    pub fn upcoming(&self) -> Option<Upcoming<'_>> {
        self.located.upcoming()
    }

    /// Skips the next frame, if it was located.
    pub fn pass(&mut self) {
        if let Some(upcoming) = self.located.upcoming() {
            let (entry, segment) = (upcoming.entry(), self.located.segment);
            if upcoming.place == 0 {
                // This also skips the end of the previous segment, whose last frame may have been read.
                self.segment.clear();
            }
            self.located.advance(entry);
            self.located.passed = true;
            self.segment.pass(self.frames, entry);
            if self.located.segment != segment && self.located.upcoming().is_some() {
                // This also skips the end of that segment.
                self.segment.clear();
            }
            self.frames += 1;
        }
    }

    /// Moves to the next frame that was not skipped.
    pub(super) fn go_to_upcoming(&mut self) -> Result<()> {
        if std::mem::take(&mut self.located.passed) {
            let offset = self.located.offset;
            self.step(offset.saturating_sub(self.offset))?;
            self.offset = offset;
        }
        Ok(())
    }

    /// Reads the selected parts of the version 2 envelope that starts in the buffer; the rest is zeros. `None` if
    /// everything is selected or the envelope is of another version; the buffer then has at most its header.
    pub(super) fn partial(
        &mut self,
        limit: u64,
        select: &mut Select<'_>,
    ) -> Result<Option<v2::Envelope>> {
        let Some(file_len) = self.seekable.as_ref().map(|seekable| seekable.len) else {
            return Ok(None);
        };
        if !self.in_parts {
            return Ok(None);
        }
        let Some(head) = self.header()? else {
            return Ok(None);
        };
        // Reading the envelope completely reports that it is cut short or too large.
        let end = self.offset.saturating_add(head.envelope_len());
        if end > file_len || head.envelope_len() > limit {
            return Ok(None);
        }
        let envelope = v2::Envelope::read(&self.buffer, limit)?;
        match select(&envelope)? {
            Wanted::All => return Ok(None),
            Wanted::Header => self.step((envelope.len - self.buffer.len()) as u64)?,
            Wanted::Sections(wanted) => self.sections(&envelope, &wanted)?,
        }
        Ok(Some(envelope))
    }

    /// Reads the selected sections of an envelope whose header is in the buffer.
    fn sections(&mut self, envelope: &v2::Envelope, wanted: &[bool]) -> Result<()> {
        // Zeroed pages that are never touched take no memory.
        let mut bytes = vec![0; envelope.len];
        let mut at = self.buffer.len();
        bytes[..at].copy_from_slice(&self.buffer);
        let mut unread = 0;
        for (section, wanted) in envelope.sections.iter().zip(wanted) {
            let part = at..at + section.stored_len;
            at = part.end;
            if !wanted {
                unread += section.stored_len as u64;
                continue;
            }
            self.step(std::mem::take(&mut unread))?;
            self.input
                .read_exact(&mut bytes[part.clone()])
                .map_err(cannot_read)?;
            self.taken += part.len() as u64;
        }
        self.step(unread)?;
        self.buffer = bytes;
        Ok(())
    }

    /// Skips bytes that are known to exist; the reader can seek.
    fn step(&mut self, bytes: u64) -> Result<()> {
        let buffered = self.input.buffer().len() as u64;
        let at_once = bytes.min(buffered);
        self.input.consume(at_once as usize);
        if bytes > buffered
            && let Some(Seekable { file, .. }) = &mut self.seekable
        {
            let rest = i64::try_from(bytes - buffered)
                .map_err(|_| Error::corrupt("a frame is longer than any file can be"))?;
            file.seek(SeekFrom::Current(rest)).map_err(cannot_read)?;
        }
        self.taken += bytes;
        Ok(())
    }

    /// Skips up to `bytes` bytes and returns how many there were.
    pub(super) fn skip(&mut self, bytes: u64) -> Result<u64> {
        if self.in_parts
            && let Some(Seekable { len, .. }) = &self.seekable
        {
            let skipped = bytes.min(len.saturating_sub(self.taken));
            self.step(skipped)?;
            return Ok(skipped);
        }
        let mut rest = (&mut self.again).chain(&mut self.input).take(bytes);
        let skipped = std::io::copy(&mut rest, &mut std::io::sink()).map_err(cannot_read)?;
        self.taken += skipped;
        Ok(skipped)
    }
}
