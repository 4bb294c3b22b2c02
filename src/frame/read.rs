//! Frames from a file or a pipe, one at a time.

use std::io::Read;

use crate::error::{Error, Result};
use crate::wire::v1::{Envelope, MAGIC, Walk, Walker};

/// Bytes that are asked for at once.
const READ_BYTES: usize = 256 << 10;

/// Reads the frames of one stream; memory is that of the largest frame.
pub struct FrameReader<R> {
    reader: R,
    /// The frame given out last, then what was read beyond it.
    buffer: Vec<u8>,
    /// Bytes of the frame given out last.
    taken: usize,
    /// Offset of the buffer's first byte in the stream.
    offset: u64,
    frames: u64,
    trailing: u64,
    ended: bool,
    max_frame: u64,
}

/// A whole frame that has been walked, not decoded.
#[derive(Debug)]
pub struct RawFrame<'a> {
    /// Place in the stream, from 0.
    pub index: u64,
    /// Offset in the stream.
    pub offset: u64,
    /// The envelope.
    pub bytes: &'a [u8],
    /// Where its parts lie.
    pub envelope: Envelope,
}

impl<R: Read> FrameReader<R> {
    /// Reads from `reader`; an envelope of more than `max_frame` bytes is refused.
    pub fn new(reader: R, max_frame: u64) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            taken: 0,
            offset: 0,
            frames: 0,
            trailing: 0,
            ended: false,
            max_frame,
        }
    }

    /// Bytes behind the last frame that are no frame; known once there is no next frame.
    pub fn trailing_bytes(&self) -> u64 {
        self.trailing
    }

    /// The next frame; `None` at the end of the stream, or where something follows that is no frame.
    ///
    /// # Errors
    /// If the input cannot be read, does not begin with a frame, or the next frame is damaged, cut
    /// short or too large.
    pub fn next_frame(&mut self) -> Result<Option<RawFrame<'_>>> {
        self.buffer.drain(..self.taken);
        self.offset += self.taken as u64;
        self.taken = 0;
        if self.ended {
            return Ok(None);
        }
        // The first frame must be one; later bytes may also be something else.
        self.fill(MAGIC.len())?;
        if self.frames > 0 && !self.buffer.starts_with(&MAGIC) {
            self.ended = true;
            self.trailing = self.buffer.len() as u64 + self.skip_rest()?;
            self.buffer.clear();
            return Ok(None);
        }
        let envelope = self.walk().map_err(|error| error.in_frame(self.frames))?;
        let (index, offset) = (self.frames, self.offset);
        self.frames += 1;
        self.taken = envelope.len;
        Ok(Some(RawFrame {
            index,
            offset,
            bytes: &self.buffer[..self.taken],
            envelope,
        }))
    }

    fn walk(&mut self) -> Result<Envelope> {
        let mut walker = Walker::new();
        loop {
            let needs = match walker.walk(&self.buffer)? {
                Walk::Complete(envelope) if envelope.len as u64 > self.max_frame => {
                    return Err(self.too_large(envelope.len));
                }
                Walk::Complete(envelope) => return Ok(envelope),
                Walk::Needs(needs) => needs,
            };
            if needs as u64 > self.max_frame {
                return Err(self.too_large(needs));
            }
            self.fill(needs)?;
            if self.buffer.len() < needs {
                return Err(walker.cut_short(needs, self.buffer.len()));
            }
        }
    }

    fn too_large(&self, bytes: usize) -> Error {
        let limit = self.max_frame;
        Error::limit(format!(
            "the frame holds {bytes} bytes or more, the limit is {limit}"
        ))
        .hint("raise --max-frame")
    }

    /// Reads until the buffer holds `wanted` bytes or the input ends; memory follows what really
    /// comes, not what a length claims.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        while self.buffer.len() < wanted {
            let step = (wanted - self.buffer.len()).max(READ_BYTES);
            let read = (&mut self.reader)
                .take(step as u64)
                .read_to_end(&mut self.buffer)
                .map_err(|error| Error::io("cannot read", error))?;
            if read < step {
                break;
            }
        }
        Ok(())
    }

    fn skip_rest(&mut self) -> Result<u64> {
        std::io::copy(&mut self.reader, &mut std::io::sink())
            .map_err(|error| Error::io("cannot read", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    /// One unnamed bool column without rows.
    fn empty_frame() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        bytes.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend([0; 12]);
        bytes
    }

    fn frames(bytes: &[u8]) -> Result<(u64, u64)> {
        let mut reader = FrameReader::new(bytes, 1 << 20);
        let mut count = 0;
        while let Some(frame) = reader.next_frame()? {
            assert_eq!(frame.index, count);
            assert_eq!(frame.offset, count * frame.bytes.len() as u64);
            count += 1;
        }
        Ok((count, reader.trailing_bytes()))
    }

    #[test]
    fn frames_follow_each_other_and_the_rest_is_reported() {
        let frame = empty_frame();
        assert_eq!(frames(&frame.repeat(3)).unwrap(), (3, 0));
        assert_eq!(
            frames(&[frame.clone(), b"junk".to_vec()].concat()).unwrap(),
            (1, 4)
        );
        assert!(frames(b"junk").is_err());
        assert!(frames(b"").is_err());
    }

    #[test]
    fn a_cut_frame_is_refused_at_every_length() {
        let whole = empty_frame();
        for len in 0..whole.len() {
            assert!(
                frames(&whole[..len]).is_err(),
                "accepted a frame cut at {len}"
            );
            let second = [&whole[..], &whole[..len]].concat();
            assert_eq!(
                frames(&second).is_err(),
                len >= MAGIC.len(),
                "second frame cut at {len}"
            );
        }
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_and_one_at_the_limit_is_not() {
        let frame = empty_frame();
        let len = frame.len() as u64;
        assert!(FrameReader::new(&frame[..], len).next_frame().is_ok());
        let error = FrameReader::new(&frame[..], len - 1)
            .next_frame()
            .unwrap_err();
        assert_eq!(error.kind(), Kind::Limit);
    }
}
