//! Reads streams: cuts them into frames, ends of segments and other skippable frames, and checks that segments are
//! complete.
//!
//! The reader finds the ends of items by their headers, without decompressing them, so that frames can be copied,
//! skipped, or opened on other threads ([`FrameOpener`](super::FrameOpener)). It needs memory for the largest frame.
//!
//! If the input is seekable, the reader can read less: [`FrameReader::locate_frames`] finds all frames by the indexes,
//! [`FrameReader::pass`] skips the next frame, and [`FrameReader::in_parts`] skips sections that are not selected.

mod cut;
mod resync;
mod seek;
mod segment;

use std::io::{BufReader, Cursor, Read};
use std::ops::Range;

pub use self::seek::{Upcoming, Wanted};
pub use self::segment::SegmentEnd;

pub(super) use self::segment::{Segment, misfit};

use self::seek::{Located, Seekable};
use self::segment::incomplete;
use super::frame::{StoredFrame, locate};
use super::index::{Index, IndexFrame};
use super::sniff::{SKIPPABLE_HEADER, SNIFF_LEN, Start, is_foreign, sniff};
use super::{Codec, Ending};
use crate::error::{Error, Kind, Result};
use crate::units::trailing_bytes_note;
use crate::wire::{MAGIC, v2};

/// Number of bytes requested at a time.
const READ_BYTES: usize = 256 << 10;

/// An item of a stream.
#[derive(Debug)]
pub enum Item {
    /// A frame.
    Frame(StoredFrame),
    /// The end of the frames before it.
    End(SegmentEnd),
    /// Another skippable frame.
    Skippable(Skippable),
}

/// A frame that codecs skip, such as one that contains an index.
#[derive(Debug, PartialEq, Eq)]
pub struct Skippable {
    /// The last digit of its magic, 0 to 15.
    pub nibble: u8,
    /// Offset in the stream.
    pub offset: u64,
    /// Number of bytes of the payload, which starts eight bytes after `offset`.
    pub payload_len: u32,
    /// The payload; `None` if it exceeds the limit for frames, or if it is not an index and could be skipped.
    pub payload: Option<Vec<u8>>,
}

impl Skippable {
    /// Number of bytes in the stream.
    pub fn stored_len(&self) -> u64 {
        SKIPPABLE_HEADER as u64 + u64::from(self.payload_len)
    }
}

/// Selects the sections to read from an envelope of version 2, given its header.
pub type Select<'a> = dyn FnMut(&v2::Envelope) -> Result<Wanted> + 'a;

/// Reads a stream of frames.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct FrameReader<R> {
    input: BufReader<R>,
    /// Bytes that were read too early, and are read again before the input.
    again: Cursor<Vec<u8>>,
    /// Continue after damage.
    resyncs: bool,
    /// The part of the current item that has been read.
    buffer: Vec<u8>,
    /// Offset in the stream of the current item.
    offset: u64,
    /// Number of bytes read from the stream.
    taken: u64,
    /// The number of frames so far, including skipped ones.
    frames: u64,
    /// Number of bytes after the last frame that do not start another frame.
    trailing: u64,
    ended: bool,
    /// The stream does not start with a frame.
    foreign: bool,
    max_frame: u64,
    seekable: Option<Seekable>,
    /// Skip sections that are not selected.
    in_parts: bool,
    located: Located,
    /// The frames since the last index.
    segment: Segment,
    /// The end of the text, from an index that covers all frames so far.
    ending: Option<Ending>,
    /// What follows the last record of the first text, if the stream starts with one.
    first_tail: Option<Vec<u8>>,
}

impl<R: Read> FrameReader<R> {
    /// Reads from `input`. Refuses frames of more than `max_frame` plain bytes. A limit of 0 refuses every compressed
    /// frame and no other.
    pub fn new(input: R, max_frame: u64) -> Self {
        Self {
            input: BufReader::with_capacity(READ_BYTES, input),
            again: Cursor::default(),
            resyncs: false,
            buffer: Vec::new(),
            offset: 0,
            taken: 0,
            frames: 0,
            trailing: 0,
            ended: false,
            foreign: false,
            max_frame,
            seekable: None,
            in_parts: false,
            located: Located::default(),
            segment: Segment::default(),
            ending: None,
            first_tail: None,
        }
    }

    /// Also compares columns and statistics in an index with the headers of the frames. This needs memory for all
    /// columns of all frames.
    #[must_use]
    pub fn comparing_headers(mut self) -> Self {
        self.segment.keeps_headers = true;
        self
    }

    /// True after an error if the stream does not even start with the first bytes of a frame.
    pub fn is_foreign(&self) -> bool {
        self.foreign
    }

    /// The number of frames so far, including skipped ones.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The end of the text that all frames were made from, if an index after them has one; known after the last frame.
    /// Frames of several texts are read as one that starts like the first, so it ends like the first.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref().filter(|_| self.trailing == 0)
    }

    /// Number of bytes after the last frame that are not a frame; known after the last item.
    pub fn trailing_bytes(&self) -> u64 {
        self.trailing
    }

    /// After an error or the end: the range of the stream from the end of the last item to the end of the input. Reads
    /// the rest of the input to find its end.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn unread(&mut self) -> Result<Range<u64>> {
        self.skip(u64::MAX)?;
        Ok(self.offset..self.taken)
    }

    /// Takes back the buffer of a frame that is no longer needed, for reuse.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.buffer = buffer;
    }

    /// The next frame, read completely. Skips indexes and other skippable frames.
    ///
    /// # Errors
    /// As [`Self::next_item`].
    pub fn next_frame(&mut self) -> Result<Option<StoredFrame>> {
        self.next_frame_of(&mut |_| Ok(Wanted::All))
    }

    /// Like [`Self::next_frame`], but reads only the selected parts of a version 2 frame if the reader reads [in
    /// parts](Self::in_parts).
    ///
    /// # Errors
    /// As [`Self::next_item`].
    pub fn next_frame_of(&mut self, select: &mut Select<'_>) -> Result<Option<StoredFrame>> {
        loop {
            match self.next_item_of(select)? {
                Some(Item::Frame(frame)) => return Ok(Some(frame)),
                Some(Item::End(end)) => end.check().inspect_err(|_| self.ended = true)?,
                Some(Item::Skippable(_)) => {}
                None => return Ok(None),
            }
        }
    }

    /// The next item; `None` at the end of the stream. An end that does not match its segment is not an error here, so
    /// that the items after it can be read.
    ///
    /// # Errors
    /// If the input cannot be read, does not start with a frame, or the next frame is damaged, cut short or too large.
    /// Reading cannot continue after that. [`Kind::Incomplete`](crate::error::Kind) if the stream stops without the end
    /// that its frames announce, or continues with bytes that are not a frame.
    pub fn next_item(&mut self) -> Result<Option<Item>> {
        self.next_item_of(&mut |_| Ok(Wanted::All))
    }

    /// Like [`Self::next_item`], with the selection of [`Self::next_frame_of`].
    ///
    /// # Errors
    /// As [`Self::next_item`].
    pub fn next_item_of(&mut self, select: &mut Select<'_>) -> Result<Option<Item>> {
        if self.ended {
            return Ok(None);
        }
        self.go_to_upcoming()?;
        self.buffer.clear();
        // Cleared again when the item is complete.
        self.ended = true;
        self.fill(SNIFF_LEN)?;
        let item = match sniff(&self.buffer) {
            Some(Start::Frame(codec)) => match self.whole_frame(codec, select) {
                Ok(frame) => Item::Frame(frame),
                Err(damage) => return self.pass_damage(damage),
            },
            Some(Start::Skippable(_)) => {
                let skippable = self.skippable();
                self.end(skippable.map_err(|error| locate(error, self.frames))?)
            }
            // A stream must start with a frame; after that, other bytes may follow.
            None if self.buffer.is_empty() && self.frames == 0 => {
                let error = Error::corrupt("the input is empty")
                    .hint("a file of frames is never empty, even without rows");
                return Err(locate(error, 0));
            }
            None if self.frames == 0 => match self.whole_frame(Codec::None, select) {
                Ok(frame) => Item::Frame(frame),
                Err(damage) => return self.pass_damage(damage),
            },
            None if self.buffer.is_empty() => {
                self.segment.stop(self.frames, self.offset)?;
                return Ok(None);
            }
            None => {
                let damage = locate(Error::corrupt("this is not a frame"), self.frames);
                if let Err(damage) = self.pass_damage::<()>(damage)
                    && !self.ended
                {
                    return Err(damage);
                }
                self.skip(u64::MAX)?;
                self.trailing = self.taken - self.offset;
                return Err(incomplete(trailing_bytes_note(self.trailing)).at_byte(self.offset));
            }
        };
        self.ended = false;
        Ok(Some(item))
    }

    /// Reads the frame that starts in the buffer.
    fn whole_frame(&mut self, codec: Codec, select: &mut Select<'_>) -> Result<StoredFrame> {
        let is_text = codec == Codec::None && !self.buffer.starts_with(&MAGIC);
        self.foreign = is_text && self.offset == 0 && is_foreign(&self.buffer);
        let mut frame = self.frame(codec, select).map_err(|error| {
            if !self.foreign || error.kind() == Kind::Io {
                return locate(error, self.frames);
            }
            let begin = &self.buffer[..self.buffer.len().min(MAGIC.len())];
            let what = format!(
                "this is not a MATHLDBT file: it begins with \"{}\"",
                begin.escape_ascii()
            );
            Error::new(error.kind(), what)
                .hint("mbt convert, mbt head and mbt stats read other formats")
        })?;
        frame.bytes = std::mem::take(&mut self.buffer);
        frame.crc32 = match frame.v2() {
            Some(envelope) => envelope.crc32,
            None => crc32fast::hash(&frame.bytes),
        };
        self.segment.push(&frame);
        let listed = self.located.take(self.offset, frame.v2());
        frame.listed = listed.map_err(|error| locate(error, self.frames))?;
        self.offset += frame.stored_len();
        self.frames += 1;
        self.ending = None;
        Ok(frame)
    }

    /// Interprets a skippable frame as the end of a segment if it looks like one.
    fn end(&mut self, mut frame: Skippable) -> Item {
        let payload = frame.payload.as_deref();
        if !payload.is_some_and(Index::is_meant) {
            return Item::Skippable(frame);
        }
        let payload = frame.payload.take().unwrap_or_default();
        let found = Index::find(frame.nibble, &payload);
        self.ending = None;
        let (index, faults) = match found {
            IndexFrame::Index(index) => {
                if index.frames.len() as u64 == self.frames {
                    self.ending.clone_from(&index.ending);
                    self.first_tail = index.ending.as_ref().map(|ending| ending.tail.clone());
                } else if index.ending.is_some() {
                    let tail = self.first_tail.clone();
                    self.ending = tail.map(|tail| Ending {
                        fingerprint: None,
                        tail,
                    });
                }
                let faults = self.segment.end(&index, frame.offset);
                (Some(*index), faults)
            }
            IndexFrame::Newer => {
                self.segment.clear();
                (None, Vec::new())
            }
            IndexFrame::Damaged => {
                self.segment.clear();
                let error = incomplete("the end of the frames before it is damaged");
                (None, vec![error.at_byte(frame.offset)])
            }
        };
        Item::End(SegmentEnd {
            frame,
            index,
            faults,
        })
    }
}

/// The first bytes of a stream and, if it begins with one of version 2, the header of its first frame.
///
/// # Errors
/// If the input cannot be read, or the header is larger than `max_frame`. A damaged header is not an error here; it is
/// reported when the frame is read.
pub fn first_header(
    input: &mut impl Read,
    max_frame: u64,
) -> Result<(Vec<u8>, Option<v2::Envelope>)> {
    let mut reader = FrameReader::new(input, max_frame);
    let header = reader.header().map_err(|error| locate(error, 0))?;
    let limit = reader.envelope_limit();
    let envelope = header.and_then(|_| v2::Envelope::read(&reader.buffer, limit).ok());
    let mut taken = reader.buffer;
    taken.extend_from_slice(reader.input.buffer());
    Ok((taken, envelope))
}

fn cannot_read(error: std::io::Error) -> Error {
    Error::io("cannot read", error)
}
