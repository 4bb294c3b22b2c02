//! Frames as they lie in a file or a pipe, found without decompressing them.

mod sparse;

use std::io::{BufRead, BufReader, Read};
use std::ops::Range;

pub use self::sparse::Select;

use self::sparse::Seekable;
use super::gzip::Inflater;
use super::sniff::{SNIFF_LEN, may_begin, sniff};
use super::{
    Codec, Decompressor, Extent, Index, Start, cut_short, lz4, within, zstd as zstd_frame,
};
use crate::error::{Error, Kind, Result};
use crate::stream::Ending;
use crate::wire::{Envelope, MAGIC, Walk, Walker, v2};

/// Bytes that are asked for at once.
const READ_BYTES: usize = 256 << 10;

/// A whole frame, compressed as it came.
#[derive(Debug)]
pub struct StoredFrame {
    /// Place in the stream, from 0.
    pub index: u64,
    /// Offset in the stream.
    pub offset: u64,
    /// How it is compressed.
    pub codec: Codec,
    /// Whether its plain bytes are under a checksum.
    pub checksum: bool,
    /// How many plain bytes it holds, where that is known without decompressing.
    pub plain_len: Option<u64>,
    /// Its bytes in the stream.
    pub bytes: Vec<u8>,
    /// Zeros stand for sections that were not wanted.
    pub is_sparse: bool,
    /// What a member holds is known once its end has been found.
    inflated: Option<Vec<u8>>,
    /// Where the parts of an envelope lie is known once its end has been found.
    pub(super) envelope: Option<Envelope>,
}

impl StoredFrame {
    /// The plain bytes; `scratch` holds them if they have to be decompressed.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] or [`crate::error::Kind::Limit`], as
    /// [`Decompressor::decompress`] says, with the frame's place.
    pub fn open<'a>(
        &'a self,
        decompressor: &mut Decompressor,
        scratch: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        if self.codec != Codec::None && self.inflated.is_none() {
            decompressor
                .decompress(self.codec, &self.bytes, scratch)
                .map_err(|error| self.locate(error))?;
        }
        Ok(self.opened(scratch))
    }

    /// The plain bytes, after [`Self::open`] with the same scratch.
    pub(super) fn opened<'a>(&'a self, scratch: &'a [u8]) -> &'a [u8] {
        match (self.codec, &self.inflated) {
            (Codec::None, _) => &self.bytes,
            (_, Some(plain)) => plain,
            _ => scratch,
        }
    }

    /// The header, if it is an envelope of version 2 as it is.
    pub fn v2(&self) -> Option<&v2::Envelope> {
        match &self.envelope {
            Some(Envelope::V2(envelope)) => Some(envelope),
            _ => None,
        }
    }

    /// Place, offset and header if it is an envelope of version 2 as it is, else the frame.
    pub(super) fn into_v2(
        mut self,
    ) -> std::result::Result<(u64, u64, Box<v2::Envelope>), Box<Self>> {
        match self.envelope.take() {
            Some(Envelope::V2(envelope)) => Ok((self.index, self.offset, envelope)),
            other => {
                self.envelope = other;
                Err(Box::new(self))
            }
        }
    }

    /// Gives an error within the frame its place: the frame's number, and a byte if it has none.
    pub fn locate(&self, error: Error) -> Error {
        locate(error, self.index)
    }
}

pub(super) fn locate(error: Error, frame: u64) -> Error {
    // No byte is to blame for what was asked for.
    if error.kind() == Kind::Usage {
        return error;
    }
    let byte = error.place().byte.unwrap_or(0);
    error.in_frame(frame).at_byte(byte)
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
    /// The payload; `None` if it is larger than the limit for frames.
    pub payload: Option<Vec<u8>>,
}

/// What comes next in a stream.
#[derive(Debug)]
pub enum Item {
    /// A frame.
    Frame(StoredFrame),
    /// Something between frames.
    Skippable(Skippable),
}

/// Cuts a stream into frames; memory is that of the largest frame.
pub struct StoredReader<R> {
    reader: BufReader<R>,
    /// The frame that is being read, as far as it has come.
    buffer: Vec<u8>,
    /// Offset in the stream of what is being read.
    offset: u64,
    /// Bytes that have been taken from the stream.
    taken: u64,
    frames: u64,
    trailing: u64,
    ended: bool,
    /// The stream does not begin like one.
    strange: bool,
    max_frame: u64,
    seekable: Option<Seekable>,
    /// What an index behind all frames so far says of the end of their text.
    ending: Option<Ending>,
}

impl<R: Read> StoredReader<R> {
    /// Reads from `reader`; a frame that says it holds more than `max_frame` plain bytes is
    /// refused. A limit of 0 refuses every compressed frame and no other.
    pub fn new(reader: R, max_frame: u64) -> Self {
        Self {
            reader: BufReader::with_capacity(READ_BYTES, reader),
            buffer: Vec::new(),
            offset: 0,
            taken: 0,
            frames: 0,
            trailing: 0,
            ended: false,
            strange: false,
            max_frame,
            seekable: None,
            ending: None,
        }
    }

    /// Goes on in the middle of a stream: `frame` frames lie before `offset`, where the reader is.
    #[must_use]
    pub fn starting_at(mut self, frame: u64, offset: u64) -> Self {
        self.start_at(frame, offset);
        self
    }

    /// As [`Self::starting_at`].
    pub(super) fn start_at(&mut self, frame: u64, offset: u64) {
        self.frames = frame;
        self.offset = offset;
        self.taken = offset;
    }

    /// True after an error if not even the first bytes of the stream are those of a frame, or of the
    /// beginning of one.
    pub fn is_strange(&self) -> bool {
        self.strange
    }

    /// Frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The end of the text that all frames of the stream were made of, if an index behind them
    /// tells; known once there is no next frame.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref().filter(|_| self.trailing == 0)
    }

    /// Bytes behind the last frame that are no frame; known once there is no next frame.
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

    /// The next frame, passing over what is skippable; see [`Self::next_item`].
    ///
    /// # Errors
    /// As [`Self::next_item`].
    pub fn next_frame(&mut self, reuse: Vec<u8>) -> Result<Option<StoredFrame>> {
        self.next_selected(reuse, &mut |_| Ok(None))
    }

    /// The next frame; of one of wire 2 only what `select` wants, where the input can be sought in.
    ///
    /// # Errors
    /// As [`Self::next_item`].
    pub fn next_selected(
        &mut self,
        reuse: Vec<u8>,
        select: &mut Select<'_>,
    ) -> Result<Option<StoredFrame>> {
        let mut reuse = reuse;
        loop {
            match self.item(std::mem::take(&mut reuse), select)? {
                Some(Item::Frame(frame)) => {
                    self.ending = None;
                    return Ok(Some(frame));
                }
                Some(Item::Skippable(skippable)) => {
                    let index = Index::of(&skippable);
                    self.ending = index
                        .filter(|index| index.frames.len() as u64 == self.frames)
                        .and_then(|index| index.ending);
                }
                None => return Ok(None),
            }
        }
    }

    /// What comes next, its bytes in `reuse`; `None` at the end of the stream, or where something
    /// follows that is no frame.
    ///
    /// # Errors
    /// If the input cannot be read, does not begin with a frame, or the next frame is damaged, cut
    /// short or too large.
    pub fn next_item(&mut self, reuse: Vec<u8>) -> Result<Option<Item>> {
        self.item(reuse, &mut |_| Ok(None))
    }

    fn item(&mut self, reuse: Vec<u8>, select: &mut Select<'_>) -> Result<Option<Item>> {
        if self.ended {
            return Ok(None);
        }
        self.buffer = reuse;
        self.buffer.clear();
        // Until the frame is whole: nothing can be said of what follows a broken one.
        self.ended = true;
        self.fill(SNIFF_LEN)?;
        let codec = match sniff(&self.buffer) {
            Some(Start::Frame(codec)) => codec,
            Some(Start::Skippable(nibble)) => {
                let skippable = self
                    .skippable(nibble)
                    .map_err(|error| locate(error, self.frames))?;
                self.ended = false;
                return Ok(Some(Item::Skippable(skippable)));
            }
            // The first frame must be one; later bytes may also be something else.
            None if self.buffer.is_empty() && self.frames == 0 => {
                let error = Error::corrupt("the input is empty")
                    .hint("even a frame without rows is not empty");
                return Err(locate(error, 0));
            }
            None if self.frames == 0 => Codec::None,
            None => {
                self.trailing = self.buffer.len() as u64 + self.skip(u64::MAX)?;
                return Ok(None);
            }
        };
        let is_text = codec == Codec::None && !self.buffer.starts_with(&MAGIC);
        self.strange = is_text && self.offset == 0 && !may_begin(&self.buffer);
        let mut frame = self.frame(codec, select).map_err(|error| {
            let error = locate(error, self.frames);
            if self.strange {
                return error.hint(
                    "this is not a MATHLDBT frame; mbt head and mbt convert read text and Arrow IPC, with --from if the extension is misleading",
                );
            }
            error
        })?;
        frame.bytes = std::mem::take(&mut self.buffer);
        self.offset += frame.bytes.len() as u64;
        self.frames += 1;
        self.ended = false;
        Ok(Some(Item::Frame(frame)))
    }

    /// Reads a frame into the buffer, exactly.
    fn frame(&mut self, codec: Codec, select: &mut Select<'_>) -> Result<StoredFrame> {
        let mut frame = StoredFrame {
            index: self.frames,
            offset: self.offset,
            codec,
            checksum: false,
            plain_len: None,
            bytes: Vec::new(),
            is_sparse: false,
            inflated: None,
            envelope: None,
        };
        if codec != Codec::None && self.max_frame == 0 {
            within(1, 0)?;
        }
        match codec {
            Codec::None => {
                let selected = self.selected(self.envelope_limit(), select)?;
                frame.is_sparse = selected.is_some();
                let envelope = match selected {
                    Some(envelope) => Envelope::V2(Box::new(envelope)),
                    None => self.envelope()?,
                };
                frame.plain_len = Some(envelope.plain_len());
                frame.checksum = envelope.is_guarded();
                frame.envelope = Some(envelope);
            }
            Codec::Zstd => {
                let mut walker = zstd_frame::Walker::default();
                let limit = self.max_frame;
                self.walk(codec, |bytes| walker.walk(bytes, limit))?;
                if let Some(header) = walker.header() {
                    frame.checksum = header.checksum;
                    frame.plain_len = header.content;
                }
            }
            Codec::Lz4 => {
                let mut walker = lz4::Walker::default();
                let limit = self.max_frame;
                self.walk(codec, |bytes| walker.walk(bytes, limit))?;
                if let Some(header) = walker.header() {
                    frame.checksum = header.has_checksum();
                    frame.plain_len = header.content;
                }
            }
            Codec::Gzip => {
                let plain = self.inflate()?;
                frame.checksum = true;
                frame.plain_len = Some(plain.len() as u64);
                frame.inflated = Some(plain);
            }
        }
        Ok(frame)
    }

    fn envelope_limit(&self) -> u64 {
        match self.max_frame {
            0 => u64::MAX,
            limit => limit,
        }
    }

    fn envelope(&mut self) -> Result<Envelope> {
        let limit = self.envelope_limit();
        let mut walker = Walker::new(limit);
        loop {
            let needs = match walker.walk(&self.buffer)? {
                Walk::Complete(envelope) => {
                    within(envelope.stored_len() as u64, limit)?;
                    return Ok(envelope);
                }
                Walk::Needs(needs) => needs,
            };
            within(needs as u64, limit)?;
            self.fill(needs)?;
            if self.buffer.len() < needs {
                return Err(walker.cut_short(needs, &self.buffer));
            }
        }
    }

    /// Reads as far as `walk` says.
    fn walk(&mut self, codec: Codec, mut walk: impl FnMut(&[u8]) -> Result<Extent>) -> Result<()> {
        while let Extent::Needs(needs) = walk(&self.buffer)? {
            self.stored_within(needs)?;
            self.fill(needs)?;
            if self.buffer.len() < needs {
                return Err(cut_short(codec, needs, self.buffer.len()));
            }
        }
        Ok(())
    }

    fn inflate(&mut self) -> Result<Vec<u8>> {
        let mut inflater = Inflater::new();
        let mut plain = Vec::new();
        let (mut used, mut ended) = inflater.feed(&self.buffer, self.max_frame, &mut plain)?;
        debug_assert!(used == self.buffer.len() && !ended, "no member is so short");
        while !ended {
            let arrived = self.reader.fill_buf().map_err(cannot_read)?;
            if arrived.is_empty() {
                let has = self.buffer.len();
                return Err(cut_short(Codec::Gzip, has + 1, has));
            }
            (used, ended) = inflater.feed(arrived, self.max_frame, &mut plain)?;
            self.buffer.extend_from_slice(&arrived[..used]);
            self.reader.consume(used);
            self.taken += used as u64;
            self.stored_within(self.buffer.len())?;
        }
        Ok(plain)
    }

    /// No codec makes much more of a frame than it holds, so bytes without end hold too much.
    fn stored_within(&self, bytes: usize) -> Result<()> {
        let limit = self.max_frame;
        let most = limit.saturating_add(limit / 8).saturating_add(64 << 10);
        within(bytes as u64, most)
    }

    fn skippable(&mut self, nibble: u8) -> Result<Skippable> {
        let &[_, _, _, _, a, b, c, d] = &self.buffer[..] else {
            return Err(cut_short_skippable(
                SNIFF_LEN as u64,
                self.buffer.len() as u64,
            ));
        };
        let payload_len = u32::from_le_bytes([a, b, c, d]);
        let offset = self.offset;
        self.buffer.clear();
        let wanted = payload_len as usize;
        let payload = if u64::from(payload_len) > self.max_frame {
            let skipped = self.skip(u64::from(payload_len))?;
            (skipped == u64::from(payload_len)).then_some(None)
        } else {
            self.fill(wanted)?;
            (self.buffer.len() == wanted).then(|| Some(std::mem::take(&mut self.buffer)))
        };
        let payload = payload.ok_or_else(|| cut_short_skippable(8 + u64::from(payload_len), 8))?;
        self.offset += SNIFF_LEN as u64 + u64::from(payload_len);
        Ok(Skippable {
            nibble,
            offset,
            payload_len,
            payload,
        })
    }

    /// Reads until the buffer holds `wanted` bytes or the input ends, and not a byte more; memory
    /// follows what really comes, not what a length claims.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(self.buffer.len());
        self.buffer.reserve(missing.min(READ_BYTES));
        let taken = (&mut self.reader)
            .take(missing as u64)
            .read_to_end(&mut self.buffer)
            .map_err(cannot_read)?;
        self.taken += taken as u64;
        Ok(())
    }

    /// Passes over up to `bytes` bytes and says how many there were.
    fn skip(&mut self, bytes: u64) -> Result<u64> {
        let skipped = std::io::copy(&mut (&mut self.reader).take(bytes), &mut std::io::sink())
            .map_err(cannot_read)?;
        self.taken += skipped;
        Ok(skipped)
    }
}

fn cannot_read(error: std::io::Error) -> Error {
    Error::io("cannot read", error)
}

fn cut_short_skippable(needs: u64, has: u64) -> Error {
    Error::corrupt(format!(
        "the skippable frame is cut short: expected {needs} bytes"
    ))
    .at_byte(has)
}
