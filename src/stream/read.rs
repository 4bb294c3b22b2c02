//! Envelopes from a file or a pipe, one at a time.

use std::io::Read;
use std::ops::Range;

use super::{Codec, Decompressor, StoredFrame, StoredReader};
use crate::error::Result;
use crate::wire::{Envelope, MAGIC, Walk, Walker};

/// Reads the envelopes of one stream; memory is that of the largest frame, stored and plain.
pub struct FrameReader<R> {
    reader: StoredReader<R>,
    decompressor: Decompressor,
    /// The frame given out last.
    stored: Option<StoredFrame>,
    /// Its plain bytes, if they had to be decompressed.
    plain: Vec<u8>,
    max_plain: u64,
    /// Where the next envelope of the same frame begins, and how many came before.
    next: (usize, usize),
}

/// A whole envelope that has been walked, not decoded, with the frame it came in.
#[derive(Debug)]
pub struct RawFrame<'a> {
    /// The frame's place in the stream, from 0.
    pub index: u64,
    /// The envelope's place in the frame: 0, since nobody puts several into one on purpose.
    pub part: usize,
    /// The frame's offset in the stream.
    pub offset: u64,
    /// How the frame is compressed.
    pub codec: Codec,
    /// Whether the frame's plain bytes are under a checksum.
    pub checksum: bool,
    /// The frame as it lies in the stream; empty for all envelopes of a frame but the first, so
    /// that what is summed or copied is counted once.
    pub stored: &'a [u8],
    /// The envelope.
    pub bytes: &'a [u8],
    /// Where its parts lie.
    pub envelope: Envelope,
    /// Bytes in the frame behind its last envelope that are none; version 1 lets them pass.
    pub trailing: usize,
}

impl<R: Read> FrameReader<R> {
    /// Reads from `reader`; a frame of more than `max_frame` plain bytes is refused. A limit of 0
    /// refuses every compressed frame and no other.
    pub fn new(reader: R, max_frame: u64) -> Self {
        Self {
            reader: StoredReader::new(reader, max_frame),
            decompressor: Decompressor::new(max_frame),
            stored: None,
            plain: Vec::new(),
            max_plain: if max_frame == 0 { u64::MAX } else { max_frame },
            next: (0, 0),
        }
    }

    /// Bytes behind the last frame that are no frame; known once there is no next frame.
    pub fn trailing_bytes(&self) -> u64 {
        self.reader.trailing_bytes()
    }

    /// The next envelope; `None` at the end of the stream, or where something follows that is no
    /// frame.
    ///
    /// After an error the next call goes on with the next frame, if the damaged one's end is known.
    ///
    /// # Errors
    /// If the input cannot be read, does not begin with a frame, or the next frame is damaged, cut
    /// short or too large.
    pub fn next_frame(&mut self) -> Result<Option<RawFrame<'_>>> {
        if self.next.0 == 0 {
            let reuse = self.stored.take().map(|stored| stored.bytes);
            self.stored = self.reader.next_frame(reuse.unwrap_or_default())?;
        }
        let Some(stored) = &mut self.stored else {
            return Ok(None);
        };
        let walked = stored.envelope.take();
        let (start, part) = std::mem::take(&mut self.next);
        if part == 0 {
            stored.open(&mut self.decompressor, &mut self.plain)?;
        }
        let plain = stored.opened(&self.plain);
        let envelope = match walked {
            Some(envelope) => envelope,
            None => whole_envelope(plain, start, self.max_plain)
                .map_err(|error| stored.locate(error))?,
        };
        let end = start + envelope.stored_len();
        let more = plain[end..].starts_with(&MAGIC);
        self.next = if more { (end, part + 1) } else { (0, 0) };
        Ok(Some(RawFrame {
            index: stored.index,
            part,
            offset: stored.offset,
            codec: stored.codec,
            checksum: stored.checksum,
            stored: if part == 0 { &stored.bytes } else { &[] },
            bytes: &plain[start..end],
            envelope,
            trailing: if more { 0 } else { plain.len() - end },
        }))
    }
}

/// Walks the envelope that begins at `start`; an error names its byte in `plain`.
fn whole_envelope(plain: &[u8], start: usize, max_plain: u64) -> Result<Envelope> {
    let bytes = &plain[start..];
    let mut walker = Walker::new(max_plain);
    match walker.walk(bytes) {
        Ok(Walk::Complete(envelope)) => Ok(envelope),
        Ok(Walk::Needs(needs)) => Err(walker.cut_short(needs, bytes)),
        Err(error) => Err(error),
    }
    .map_err(|error| {
        let byte = error.place().byte.unwrap_or(0) + start as u64;
        let error = error.at_byte(byte);
        if start == 0 && !plain.starts_with(&MAGIC) {
            return error.hint("if it is compressed text, mbt head and mbt convert read gzip and zstd; pipe lz4 through lz4 -dc");
        }
        error
    })
}

/// Where an envelope lies in its frame's plain bytes, and where its parts lie in it.
pub type Walked = (Range<usize>, Envelope);

/// The envelopes of one frame's plain bytes, each where it lies and walked, and how many bytes behind
/// them are none; one that says it holds more than `max_plain` bytes is refused.
///
/// A frame should hold one envelope and nothing else, but no row may be lost where one holds more.
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
