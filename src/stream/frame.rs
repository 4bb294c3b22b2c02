//! Frames as stored in a stream, and how to open them.

use std::borrow::Cow;
use std::ops::Range;

use super::index::{self, Index};
use super::reader::{Segment, misfit};
use super::sniff::{SKIPPABLE_HEADER, is_foreign, skippable_header};
use super::{Codec, Decompressor, Entry};
use crate::error::{Error, Kind, Result};
use crate::wire::{Envelope, MAGIC, v2};

/// A frame as stored, possibly compressed.
#[derive(Debug, Default)]
pub struct StoredFrame {
    /// Number of the frame in the stream, from 0.
    pub index: u64,
    /// Offset in the stream.
    pub offset: u64,
    /// How it is compressed.
    pub codec: Codec,
    /// Whether its plain bytes are under a checksum.
    pub checksum: bool,
    /// Number of plain bytes, if known without decompressing.
    pub plain_len: Option<u64>,
    /// Its bytes in the stream. If the frame was read in part, zeros replace the sections that were not selected; if no
    /// section was selected, only the header is here.
    pub bytes: Vec<u8>,
    /// Only some of its sections were read.
    pub is_partial: bool,
    /// Its checksum as listed in an index: for version 2 the checksum in the head, otherwise a checksum of
    /// its bytes.
    pub crc32: u32,
    /// Its entry in the index at the end of its segment, if that was read first.
    pub listed: Option<Listed>,
    /// The plain bytes of a gzip member, which had to be inflated to find its end.
    pub(super) inflated: Option<Vec<u8>>,
    /// The envelope of a frame that is not compressed, which was walked to find its end.
    pub(super) envelope: Option<Envelope>,
}

/// The entry of a frame in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The entry.
    pub entry: Entry,
    /// The checksum covers the bytes, as written by older versions.
    pub is_of_bytes: bool,
}

impl StoredFrame {
    /// The header, if it is an uncompressed envelope of version 2.
    pub fn v2(&self) -> Option<&v2::Envelope> {
        match &self.envelope {
            Some(Envelope::V2(envelope)) => Some(envelope),
            _ => None,
        }
    }

    /// Number of bytes in the stream, including any that were not read.
    pub fn stored_len(&self) -> u64 {
        self.v2()
            .map_or(self.bytes.len() as u64, |envelope| envelope.len as u64)
    }

    /// Memory that opening the frame takes in addition to the stored bytes, given its plain bytes.
    pub fn held_bytes(&self, plain: &[u8]) -> u64 {
        match self.codec {
            Codec::None => 0,
            _ => plain.len() as u64,
        }
    }

    /// Number of rows, if known without decompressing.
    pub fn rows(&self) -> Option<u64> {
        let envelope = self.envelope.as_ref();
        envelope.map(|envelope| envelope.rows() as u64)
    }

    /// Compares the frame with its entry in the index, if that was read first.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] if the frame's bytes have changed and no other check would find that, [`Kind::Incomplete`] if
    /// it is another frame.
    pub fn check_listed(&self) -> Result<()> {
        let Some(Listed { entry, is_of_bytes }) = self.listed else {
            return Ok(());
        };
        let same_checksum = match self.v2() {
            Some(envelope) if is_of_bytes => {
                // Damaged sections are reported where they are read, which names the column.
                self.is_partial
                    || crc32fast::hash(&self.bytes) == entry.crc32
                    || !envelope.damaged_sections(&self.bytes).is_empty()
            }
            _ => self.crc32 == entry.crc32,
        };
        let same_rows = self.rows().is_none_or(|rows| rows == entry.rows);
        if same_checksum && same_rows && self.stored_len() == entry.stored_len {
            return Ok(());
        }
        if self.checksum {
            return Err(misfit(self.index));
        }
        let what = "the frame does not match its entry in the index";
        Err(self.locate(Error::corrupt(what)))
    }

    /// Adds the place to an error within the frame: the frame's number, and its first byte unless the error has a byte.
    pub fn locate(&self, error: Error) -> Error {
        locate(error, self.index)
    }
}

/// Adds the number of the frame to an error.
pub(super) fn locate(error: Error, frame: u64) -> Error {
    // Usage errors are not caused by a byte of the input.
    if error.kind() == Kind::Usage {
        return error;
    }
    let byte = error.place().byte.unwrap_or(0);
    error.in_frame(frame).at_byte(byte)
}

/// Opens frames, reusing its memory.
pub struct FrameOpener {
    decompressor: Decompressor,
    plain: Vec<u8>,
    max_frame: u64,
}

/// The contents of a frame. It should contain a single envelope, but if it contains more, no row may be lost.
#[derive(Debug)]
pub struct OpenFrame<'a> {
    /// The plain bytes.
    pub plain: &'a [u8],
    /// What they contain.
    pub contents: Contents,
}

impl FrameOpener {
    /// Refuses frames of more than `max_frame` plain bytes.
    pub fn new(max_frame: u64) -> Self {
        Self {
            decompressor: Decompressor::new(max_frame),
            plain: Vec::new(),
            max_frame,
        }
    }

    /// True if the plain bytes of a frame begin with the magic of an envelope. Decompresses no more than the first
    /// block.
    pub fn holds_frame(&mut self, frame: &StoredFrame) -> bool {
        self.head(frame).is_ok_and(|head| head.starts_with(&MAGIC))
    }

    /// True if a frame of a codec is intact so far, but holds something other than frames, such as text. Decompresses
    /// no more than the first block.
    pub fn holds_foreign(&mut self, frame: &StoredFrame) -> bool {
        frame.codec != Codec::None && self.head(frame).is_ok_and(|head| is_foreign(&head))
    }

    /// The first plain bytes of a frame: at least as many as the magic of an envelope has, unless the frame has fewer.
    fn head<'a>(&mut self, frame: &'a StoredFrame) -> Result<Cow<'a, [u8]>> {
        match (frame.codec, &frame.inflated) {
            (Codec::None, _) => Ok(frame.bytes.as_slice().into()),
            (_, Some(plain)) => Ok(plain.as_slice().into()),
            (codec, None) => {
                let head = (self.decompressor).head(codec, &frame.bytes, MAGIC.len());
                head.map(Into::into)
            }
        }
    }

    /// The plain bytes of a frame.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] or [`Kind::Limit`], as [`Decompressor::decompress`] says, with the frame's place.
    pub fn plain<'a>(&'a mut self, frame: &'a StoredFrame) -> Result<&'a [u8]> {
        match (frame.codec, &frame.inflated) {
            (Codec::None, _) => Ok(&frame.bytes),
            (_, Some(plain)) => Ok(plain),
            (codec, None) => {
                self.decompressor
                    .decompress(codec, &frame.bytes, &mut self.plain)
                    .map_err(|error| frame.locate(error))?;
                Ok(&self.plain)
            }
        }
    }

    /// The envelopes of a frame, walked but not decoded.
    ///
    /// # Errors
    /// As for [`Self::plain`], and if an envelope is damaged or cut short.
    pub fn open<'a>(&'a mut self, frame: &'a StoredFrame) -> Result<OpenFrame<'a>> {
        let max_plain = self.max_frame;
        let plain = self.plain(frame)?;
        if let Some(envelope) = &frame.envelope {
            let contents = Contents {
                envelopes: vec![(0..envelope.stored_len(), envelope.clone())],
                ..Contents::default()
            };
            return Ok(OpenFrame { plain, contents });
        }
        let mut contents = envelopes(plain, max_plain).map_err(|error| frame.locate(error))?;
        match contents.missing_end.take() {
            None => Ok(OpenFrame { plain, contents }),
            Some(error) => Err(frame.locate(error)),
        }
    }
}

impl Contents {
    /// Number of rows in all envelopes.
    pub fn rows(&self) -> u64 {
        self.envelopes
            .iter()
            .map(|(_, envelope)| envelope.rows() as u64)
            .sum()
    }

    /// Number of plain bytes in all envelopes.
    pub fn plain_len(&self) -> u64 {
        self.envelopes
            .iter()
            .map(|(_, envelope)| envelope.plain_len())
            .sum()
    }

    /// The error for bytes after the last envelope that are not a frame; `None` if no bytes follow.
    pub fn trailing_fault(&self, plain: &[u8]) -> Option<Error> {
        let at = plain.len() - self.trailing;
        let what = format!("{} bytes follow the last column", self.trailing);
        (self.trailing > 0).then(|| Error::new(Kind::Incomplete, what).at_byte(at as u64))
    }
}

/// An envelope and its range in its frame's plain bytes.
pub type Walked = (Range<usize>, Envelope);

/// The contents of plain bytes.
#[derive(Debug, Default)]
pub struct Contents {
    /// The envelopes, each with its range.
    pub envelopes: Vec<Walked>,
    /// The ends of segments, each with the number of envelopes before it. They occur if a codec's own tool compressed a
    /// whole file.
    pub ends: Vec<(usize, Index)>,
    /// Number of bytes at the end that are neither.
    pub trailing: usize,
    /// The error if an envelope announces an end that does not follow. (A frame that is itself an envelope has its end
    /// elsewhere in the stream.)
    pub missing_end: Option<Error>,
}

/// Finds the contents of a frame's plain bytes. Refuses an envelope that claims more than `max_plain` bytes.
///
/// # Errors
/// If the first envelope, or a later one that starts with the magic, is damaged or cut short, or if the envelopes do
/// not match the end of their segment.
pub fn envelopes(plain: &[u8], max_plain: u64) -> Result<Contents> {
    let mut found = Contents::default();
    let mut segment = Segment::default();
    let mut end = 0;
    loop {
        let rest = &plain[end..];
        if found.envelopes.is_empty() || rest.starts_with(&MAGIC) {
            let start = end;
            let envelope = whole_envelope(plain, start, max_plain)?;
            end += envelope.stored_len();
            let place = found.envelopes.len() as u64;
            segment.push_envelope(place, &envelope, &plain[start..end]);
            found.envelopes.push((start..end, envelope));
        } else if let Some((nibble, payload, len)) = skippable(rest) {
            match Index::is_meant(payload).then(|| Index::find(nibble, payload)) {
                None => {}
                Some(index::IndexFrame::Index(index)) => {
                    if let Some(fault) = segment.end(&index, end as u64).into_iter().next() {
                        return Err(fault);
                    }
                    found.ends.push((found.envelopes.len(), *index));
                }
                Some(index::IndexFrame::Newer) => segment.clear(),
                Some(index::IndexFrame::Damaged) => {
                    let error = Error::corrupt("the end of the frames before it is damaged");
                    return Err(error.at_byte(end as u64));
                }
            }
            end += len;
        } else {
            found.trailing = rest.len();
            let stop = segment.stop(found.envelopes.len() as u64, end as u64);
            found.missing_end = stop.err();
            return Ok(found);
        }
    }
}

/// The last digit of the magic, the payload and the length of the skippable frame at the start of `bytes`.
fn skippable(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let (nibble, payload_len) = skippable_header(bytes)?;
    let end = SKIPPABLE_HEADER.checked_add(payload_len as usize)?;
    let payload = bytes.get(SKIPPABLE_HEADER..end)?;
    Some((nibble, payload, end))
}

/// Walks the envelope that starts at `start`; an error names its byte in `plain`.
fn whole_envelope(plain: &[u8], start: usize, max_plain: u64) -> Result<Envelope> {
    Envelope::read(&plain[start..], max_plain).map_err(|error| {
        let byte = error.place().byte.unwrap_or(0) + start as u64;
        let error = error.at_byte(byte);
        if start == 0 && !plain.starts_with(&MAGIC) {
            return error.hint("if it is compressed text, use mbt head or mbt convert with --from");
        }
        error
    })
}
