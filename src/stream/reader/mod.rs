//! The one reader of streams: cuts them into frames, ends of segments and other skippable frames, and
//! checks that segments are whole.
//!
//! It finds where items end by their headers, without decompressing them, so that frames can be
//! copied, stepped over, or opened on other threads ([`FrameOpener`](super::FrameOpener)). Memory is
//! that of the largest frame.
//!
//! Where the input can be sought in, the reader can do less: [`FrameReader::locate_frames`] finds all
//! frames by the indexes at the end, and [`FrameReader::pass`] steps over the next one;
//! [`FrameReader::in_parts`] leaves out sections that nobody wants.

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
use super::sniff::{SNIFF_LEN, Start, is_damaged_magic, may_begin, sniff};
use super::{Codec, Ending};
use crate::error::{Error, Result};
use crate::units::trailing_bytes_note;
use crate::wire::{MAGIC, v2};

/// Bytes that are asked for at once.
const READ_BYTES: usize = 256 << 10;
/// Bytes of a skippable frame before its payload.
const SKIPPABLE_HEADER: u64 = 8;

/// What comes next in a stream.
#[derive(Debug)]
pub enum Item {
    /// A frame.
    Frame(StoredFrame),
    /// The end of the frames before it.
    End(SegmentEnd),
    /// Something else that codecs pass over.
    Skippable(Skippable),
}

/// A frame that codecs pass over; an index lives in one.
#[derive(Debug, PartialEq, Eq)]
pub struct Skippable {
    /// The last digit of its magic, 0 to 15.
    pub nibble: u8,
    /// Offset in the stream.
    pub offset: u64,
    /// Bytes of the payload, which begins eight bytes after `offset`.
    pub payload_len: u32,
    /// The payload, unless it is larger than the limit for frames or is not an index and can be
    /// stepped over.
    pub payload: Option<Vec<u8>>,
}

impl Skippable {
    /// Bytes in the stream.
    pub fn stored_len(&self) -> u64 {
        SKIPPABLE_HEADER + u64::from(self.payload_len)
    }
}

/// Chooses what to read of an envelope of version 2 by its header.
pub type Select<'a> = dyn FnMut(&v2::Envelope) -> Result<Wanted> + 'a;

/// Reads a stream of frames.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct FrameReader<R> {
    input: BufReader<R>,
    /// Bytes that were read too far and come before those of the input.
    again: Cursor<Vec<u8>>,
    /// Goes on after damage.
    resyncs: bool,
    /// The item that is being read, as far as it has come.
    buffer: Vec<u8>,
    /// Offset in the stream of the item that is being read.
    offset: u64,
    /// Bytes that have been taken from the stream.
    taken: u64,
    /// Frames so far, those that were stepped over included.
    frames: u64,
    /// Bytes after the last frame that begin no other.
    trailing: u64,
    ended: bool,
    /// The stream does not begin like one.
    strange: bool,
    max_frame: u64,
    seekable: Option<Seekable>,
    /// Sections that nobody wants are stepped over.
    in_parts: bool,
    located: Located,
    /// The frames since the last index.
    segment: Segment,
    /// What an index of all frames so far says of the end of their text.
    ending: Option<Ending>,
}

impl<R: Read> FrameReader<R> {
    /// Reads from `input`; a frame that says it holds more than `max_frame` plain bytes is refused.
    /// A limit of 0 refuses every compressed frame and no other.
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
            strange: false,
            max_frame,
            seekable: None,
            in_parts: false,
            located: Located::default(),
            segment: Segment::default(),
            ending: None,
        }
    }

    /// Compares what an index says of frames with their headers, which takes memory for all columns of all frames.
    #[must_use]
    pub fn comparing_headers(mut self) -> Self {
        self.segment.keeps_headers = true;
        self
    }

    /// True after an error if not even the first bytes of the stream are those of a frame, or of the
    /// beginning of one.
    pub fn is_strange(&self) -> bool {
        self.strange
    }

    /// Frames so far, those that were stepped over included.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The end of the text that all frames of the stream were made of, if an index after them has
    /// one; known once there is no next frame.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref().filter(|_| self.trailing == 0)
    }

    /// Bytes after the last frame that begin no other; known once there is no next item.
    pub fn trailing_bytes(&self) -> u64 {
        self.trailing
    }

    /// After an error or the end: the bytes of the stream from the first that is in no item, to
    /// the last. Reads what is left to find the last.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn unread(&mut self) -> Result<Range<u64>> {
        self.skip(u64::MAX)?;
        Ok(self.offset..self.taken)
    }

    /// Takes a buffer of a frame that is no longer needed, for the next one.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.buffer = buffer;
    }

    /// The next frame, whole; indexes and other skippable frames are passed over.
    ///
    /// # Errors
    /// As [`Self::next_item`].
    pub fn next_frame(&mut self) -> Result<Option<StoredFrame>> {
        self.next_frame_of(&mut |_| Ok(Wanted::All))
    }

    /// As [`Self::next_frame`]; of a frame of version 2 only what `select` wants, if the reader reads
    /// [in parts](Self::in_parts).
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

    /// What comes next; `None` at the end of the stream. The end of a segment that does not fit is no
    /// error here, so that what follows it can be read.
    ///
    /// # Errors
    /// If the input cannot be read, does not begin with a frame, or the next frame is damaged, cut
    /// short or too large; nothing can be said of what follows it. [`Kind::Incomplete`](crate::error::Kind)
    /// if the stream stops without the end that its frames promise, or goes on with bytes that are no
    /// frame.
    pub fn next_item(&mut self) -> Result<Option<Item>> {
        self.next_item_of(&mut |_| Ok(Wanted::All))
    }

    /// As [`Self::next_item`], with the selection of [`Self::next_frame_of`].
    ///
    /// # Errors
    /// As [`Self::next_item`].
    pub fn next_item_of(&mut self, select: &mut Select<'_>) -> Result<Option<Item>> {
        if self.ended {
            return Ok(None);
        }
        self.go_to_upcoming()?;
        self.buffer.clear();
        // Until the item is whole.
        self.ended = true;
        self.fill(SNIFF_LEN)?;
        let item = match sniff(&self.buffer) {
            Some(Start::Frame(codec)) => match self.whole_frame(codec, select) {
                Ok(frame) => Item::Frame(frame),
                Err(damage) => return self.pass_damage(damage),
            },
            Some(Start::Skippable(nibble)) => {
                let skippable = self.skippable(nibble);
                self.end(skippable.map_err(|error| locate(error, self.frames))?)
            }
            // The first frame must be one; later bytes may also be something else.
            None if self.buffer.is_empty() && self.frames == 0 => {
                let error = Error::corrupt("the input is empty")
                    .hint("even a frame without rows is not empty");
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

    /// Reads the frame that begins in the buffer.
    fn whole_frame(&mut self, codec: Codec, select: &mut Select<'_>) -> Result<StoredFrame> {
        let is_text = codec == Codec::None && !self.buffer.starts_with(&MAGIC);
        self.strange = is_text
            && self.offset == 0
            && !may_begin(&self.buffer)
            && !is_damaged_magic(&self.buffer);
        let mut frame = self.frame(codec, select).map_err(|error| {
            let error = locate(error, self.frames);
            if self.strange {
                return error.hint(
                    "this is not a MATHLDBT frame; mbt head and mbt convert read text, Arrow IPC and Parquet, \
                     with --from if the extension is misleading",
                );
            }
            error
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

    /// Reads a skippable frame as the end of a segment if it means to be one.
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
/// If the input cannot be read, or the header is larger than `max_frame`. A damaged header is not an
/// error here: whoever reads the frame reports it.
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
