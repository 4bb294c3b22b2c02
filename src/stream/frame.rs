//! Frames as they lie in a stream, and opening them.

use std::ops::Range;

use super::index::{self, Index};
use super::reader::{Segment, misfit};
use super::{Codec, Decompressor, Entry, Start, sniff};
use crate::error::{Error, Kind, Result};
use crate::wire::{Envelope, MAGIC, Scan, Scanner, v2};

/// A frame, compressed as it came.
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
    /// Its bytes in the stream. Of a frame that was read in part, zeros stand for the sections that
    /// were not wanted; if none was, there is only the header.
    pub bytes: Vec<u8>,
    /// Only some of its sections were read.
    pub is_partial: bool,
    /// Its checksum, as an index lists it: of version 2 the one in the head, else that of its bytes.
    pub crc32: u32,
    /// What the index at the end of its segment says of it, where that was read first.
    pub listed: Option<Listed>,
    /// The plain bytes of a gzip member, which had to be inflated to find its end.
    pub(super) inflated: Option<Vec<u8>>,
    /// The envelope of a frame that is not compressed, which was walked to find its end.
    pub(super) envelope: Option<Envelope>,
}

/// What an index says of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The entry.
    pub entry: Entry,
    /// Its checksum is that of the bytes, as an older version wrote it.
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

    /// Bytes in the stream, including any that were not read.
    pub fn stored_len(&self) -> u64 {
        self.v2()
            .map_or(self.bytes.len() as u64, |envelope| envelope.len as u64)
    }

    /// Bytes that opening it takes besides those of the stream, given its plain bytes.
    pub fn held_bytes(&self, plain: &[u8]) -> u64 {
        match self.codec {
            Codec::None => 0,
            _ => plain.len() as u64,
        }
    }

    /// Rows, where that is known without decompressing.
    pub fn rows(&self) -> Option<u64> {
        let envelope = self.envelope.as_ref();
        envelope.map(|envelope| envelope.rows() as u64)
    }

    /// Compares the frame with what its index says of it, if that was read first.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] if the frame holds other bytes than it should and nothing else would show
    /// that, [`Kind::Incomplete`] if it is another frame.
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

    /// The plain bytes; `scratch` holds them if they have to be decompressed.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] or [`Kind::Limit`], as [`Decompressor::decompress`] says, with the frame's
    /// place.
    pub fn open<'a>(
        &'a self,
        decompressor: &mut Decompressor,
        scratch: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        match (self.codec, &self.inflated) {
            (Codec::None, _) => Ok(&self.bytes),
            (_, Some(plain)) => Ok(plain),
            (codec, None) => {
                decompressor
                    .decompress(codec, &self.bytes, scratch)
                    .map_err(|error| self.locate(error))?;
                Ok(scratch)
            }
        }
    }

    /// Gives an error within the frame its place: the frame's number, and a byte if it has none.
    pub fn locate(&self, error: Error) -> Error {
        locate(error, self.index)
    }
}

/// Gives an error in a frame its place.
pub(super) fn locate(error: Error, frame: u64) -> Error {
    // No byte is to blame for what was asked for.
    if error.kind() == Kind::Usage {
        return error;
    }
    let byte = error.place().byte.unwrap_or(0);
    error.in_frame(frame).at_byte(byte)
}

/// Opens frames; keeps its memory from one to the next.
pub struct FrameOpener {
    decompressor: Decompressor,
    plain: Vec<u8>,
    max_frame: u64,
}

/// What a frame holds. It should be one envelope and nothing else, but no row may be lost where it is
/// more.
#[derive(Debug)]
pub struct OpenFrame<'a> {
    /// The plain bytes.
    pub plain: &'a [u8],
    /// What they hold.
    pub contents: Contents,
}

impl FrameOpener {
    /// Refuses frames of more than `max_frame` plain bytes. A limit of 0 refuses every compressed
    /// frame and no other.
    pub fn new(max_frame: u64) -> Self {
        Self {
            decompressor: Decompressor::new(max_frame),
            plain: Vec::new(),
            max_frame,
        }
    }

    /// The plain bytes of a frame.
    ///
    /// # Errors
    /// As [`StoredFrame::open`].
    pub fn plain<'a>(&'a mut self, frame: &'a StoredFrame) -> Result<&'a [u8]> {
        frame.open(&mut self.decompressor, &mut self.plain)
    }

    /// The envelopes of a frame, walked but not decoded.
    ///
    /// # Errors
    /// As [`StoredFrame::open`], and if an envelope is damaged or cut short.
    pub fn open<'a>(&'a mut self, frame: &'a StoredFrame) -> Result<OpenFrame<'a>> {
        let max_plain = match self.max_frame {
            0 => u64::MAX,
            limit => limit,
        };
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
    /// Rows of all envelopes.
    pub fn rows(&self) -> u64 {
        let rows = self.envelopes.iter();
        rows.map(|(_, envelope)| envelope.rows() as u64).sum()
    }

    /// Plain bytes of all envelopes.
    pub fn plain_len(&self) -> u64 {
        let lens = self.envelopes.iter();
        lens.map(|(_, envelope)| envelope.plain_len()).sum()
    }

    /// The error for bytes after the last envelope that begin no frame; `None` without such bytes.
    pub fn trailing_fault(&self, plain: &[u8]) -> Option<Error> {
        let at = plain.len() - self.trailing;
        let what = format!("{} bytes follow the last column", self.trailing);
        (self.trailing > 0).then(|| Error::new(Kind::Incomplete, what).at_byte(at as u64))
    }
}

/// Where an envelope lies in its frame's plain bytes, and the envelope.
pub type Walked = (Range<usize>, Envelope);

/// What plain bytes hold.
#[derive(Debug, Default)]
pub struct Contents {
    /// The envelopes, each with its range.
    pub envelopes: Vec<Walked>,
    /// The ends of segments, each with the number of envelopes before it: a codec's own tool wraps a
    /// whole file.
    pub ends: Vec<(usize, Index)>,
    /// Bytes at the end that are neither.
    pub trailing: usize,
    /// The error for envelopes that promise an end which is not there; a frame that is an envelope
    /// itself has its end elsewhere in the stream.
    pub missing_end: Option<Error>,
}

/// Finds all that a frame's plain bytes hold; an envelope that says it holds more than `max_plain`
/// bytes is refused.
///
/// # Errors
/// If the first envelope, or one that follows and has the magic, is damaged or cut short, or if the
/// envelopes do not fit the end of their segment.
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

/// The last digit of the magic of the skippable frame that begins `bytes`, its payload and its length.
fn skippable(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let Some(Start::Skippable(nibble)) = sniff(bytes) else {
        return None;
    };
    let len = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?) as usize;
    let payload = bytes.get(8..8_usize.checked_add(len)?)?;
    Some((nibble, payload, 8 + len))
}

/// Walks the envelope that begins at `start`; an error names its byte in `plain`.
fn whole_envelope(plain: &[u8], start: usize, max_plain: u64) -> Result<Envelope> {
    let bytes = &plain[start..];
    let mut walker = Scanner::new(max_plain);
    match walker.walk(bytes) {
        Ok(Scan::Complete(envelope)) => Ok(envelope),
        Ok(Scan::Needs(needs)) => Err(walker.cut_short(needs, bytes)),
        Err(error) => Err(error),
    }
    .map_err(|error| {
        let byte = error.place().byte.unwrap_or(0) + start as u64;
        let error = error.at_byte(byte);
        if start == 0 && !plain.starts_with(&MAGIC) {
            return error.hint("if it is compressed text, use mbt head or mbt convert with --from");
        }
        error
    })
}
