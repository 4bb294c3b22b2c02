//! Frames as they lie in a stream, and opening them.

use std::ops::Range;

use super::{Codec, Decompressor, Entry};
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
    /// What the index at the end of its segment says of it, where that was read first.
    pub listed: Option<Entry>,
    /// The plain bytes of a gzip member, which had to be inflated to find its end.
    pub(super) inflated: Option<Vec<u8>>,
    /// The envelope of a frame that is not compressed, which was walked to find its end.
    pub(super) envelope: Option<Envelope>,
}

impl StoredFrame {
    /// The header, if it is an uncompressed envelope of version 2.
    pub fn v2(&self) -> Option<&v2::Envelope> {
        match &self.envelope {
            Some(Envelope::V2(envelope)) => Some(envelope),
            _ => None,
        }
    }

    /// Bytes in the stream, those that were not read included.
    pub fn stored_len(&self) -> u64 {
        self.v2()
            .map_or(self.bytes.len() as u64, |envelope| envelope.len as u64)
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
    /// The envelopes, each with its range in the plain bytes.
    pub envelopes: Vec<(Range<usize>, Envelope)>,
    /// Bytes after the last envelope that begin no other.
    pub trailing: usize,
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
            return Ok(OpenFrame {
                plain,
                envelopes: vec![(0..envelope.stored_len(), envelope.clone())],
                trailing: 0,
            });
        }
        let (envelopes, trailing) =
            envelopes(plain, max_plain).map_err(|error| frame.locate(error))?;
        Ok(OpenFrame {
            plain,
            envelopes,
            trailing,
        })
    }
}

impl OpenFrame<'_> {
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
}

/// Where an envelope lies in its frame's plain bytes, and the envelope.
pub type Walked = (Range<usize>, Envelope);

/// The envelopes of a frame's plain bytes, and how many bytes after the last begin no other; one that
/// says it holds more than `max_plain` bytes is refused.
///
/// # Errors
/// If the first envelope, or one that follows and has the magic, is damaged or cut short.
pub fn envelopes(plain: &[u8], max_plain: u64) -> Result<(Vec<Walked>, usize)> {
    let mut found = Vec::with_capacity(1);
    let mut end = 0;
    while found.is_empty() || plain[end..].starts_with(&MAGIC) {
        let start = end;
        let envelope = whole_envelope(plain, start, max_plain)?;
        end += envelope.stored_len();
        found.push((start..end, envelope));
    }
    Ok((found, plain.len() - end))
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
            return error.hint(
                "if it is compressed text, mbt head and mbt convert read gzip and zstd; pipe lz4 \
                 through lz4 -dc",
            );
        }
        error
    })
}
