//! Continues after a damaged frame whose end cannot be found.

use std::io::{Cursor, Read};

use super::{FrameReader, READ_BYTES};
use crate::error::{Error, Kind, Result};
use crate::wire::v2;

/// The first bytes of a version 2 frame. Only these frames have a header with a checksum to recognize them by.
const BEGINNING: &[u8] = b"MATHLDBT\x02";

/// The longest header to look for, since arbitrary bytes may claim any length.
const MOST_HEADER_BYTES: usize = 64 << 20;

impl<R: Read> FrameReader<R> {
    /// Makes the reader continue with the next version 2 frame after damage that leaves the end of a frame unknown.
    #[must_use]
    pub fn resyncing(mut self) -> Self {
        self.resyncs = true;
        self
    }

    /// After damage, moves to the next frame if [`Self::resyncing`] was called.
    ///
    /// # Errors
    /// The damage, for the caller to report.
    pub(super) fn pass_damage<T>(&mut self, damage: Error) -> Result<T> {
        let is_damage = matches!(damage.kind(), Kind::Corrupt | Kind::Limit);
        if self.resyncs && is_damage && self.resync()? {
            self.frames += 1;
            self.ended = false;
        }
        Err(damage)
    }

    /// Searches for the next header with a valid checksum after the start of the damaged item, whose bytes are in the
    /// buffer. Returns true if there is one, which becomes the next item; otherwise the whole input has been read.
    fn resync(&mut self) -> Result<bool> {
        let (mut dropped, mut at) = (0, 1);
        loop {
            let rest = self.buffer.get(at..).unwrap_or_default();
            if let Some(found) = memchr::memmem::find(rest, BEGINNING) {
                at += found;
                if self.is_header(at)? {
                    break;
                }
                at += 1;
                continue;
            }
            // The end of the buffer may be the first part of a magic.
            let seen = self.buffer.len().saturating_sub(BEGINNING.len() - 1);
            dropped += seen;
            at = usize::from(dropped == 0);
            self.buffer.drain(..seen);
            let held = self.buffer.len();
            self.fill(held + READ_BYTES)?;
            if self.buffer.len() == held {
                self.buffer.clear();
                return Ok(false);
            }
        }
        let mut again = self.buffer.split_off(at);
        self.taken -= again.len() as u64;
        self.again
            .read_to_end(&mut again)
            .map_err(super::cannot_read)?;
        self.again = Cursor::new(again);
        self.offset += (dropped + at) as u64;
        Ok(true)
    }

    /// True if a header with a valid checksum starts at `at` in the buffer. Reads the whole header.
    fn is_header(&mut self, at: usize) -> Result<bool> {
        self.fill(at + v2::HEAD_LEN)?;
        let Ok(Some(head)) = v2::EnvelopeHead::read(&self.buffer[at..]) else {
            return Ok(false);
        };
        let header_len = head.header_len as usize;
        if header_len > MOST_HEADER_BYTES {
            return Ok(false);
        }
        self.fill(at + v2::HEAD_LEN + header_len)?;
        let read = v2::Envelope::read(&self.buffer[at..], self.envelope_limit());
        // A frame that needs a newer version or is too large is still a frame.
        Ok(read.map_or_else(|error| error.kind() != Kind::Corrupt, |_| true))
    }
}
