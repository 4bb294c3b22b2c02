//! Streams told by their heads and headers alone.
//!
//! An envelope of version 2 says at its beginning how long it is and what is in it, so a report on a
//! file reads a few kB of it, however large it is. Where that does not go, because the input is a pipe
//! or a frame is of another kind, frames are read whole.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::stored::locate;
use super::{Item, Skippable, Start, StoredFrame, StoredReader, index, sniff, within};
use crate::error::{Error, Result};
use crate::wire::v2;

/// What comes next in a stream.
#[derive(Debug)]
pub enum Part {
    /// An envelope of version 2, its body not read.
    Envelope {
        /// Place in the stream, from 0.
        index: u64,
        /// Offset in the stream.
        offset: u64,
        /// What its header says.
        envelope: Box<v2::Envelope>,
    },
    /// Another frame, whole.
    Frame(Box<StoredFrame>),
    /// Something between frames: its payload may be missing, unless it is an index.
    Skippable(Skippable),
}

/// Cuts a stream into its parts.
pub struct Skimmer<R> {
    reader: StoredReader<R>,
    /// The input where it can be sought in, and its length; none from the first frame on that has to
    /// be read whole.
    file: Option<(File, u64)>,
    offset: u64,
    frames: u64,
    max_frame: u64,
}

impl<R: Read> Skimmer<R> {
    /// Reads from `bytes`; `file` is the same input where it can be sought in, and shares its place.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(bytes: R, file: Option<File>, max_frame: u64) -> Result<Self> {
        let file = file.map(|file| {
            let len = file.metadata().map_err(cannot_read)?.len();
            Ok((file, len))
        });
        Ok(Self {
            reader: StoredReader::new(bytes, max_frame),
            file: file.transpose()?,
            offset: 0,
            frames: 0,
            max_frame,
        })
    }

    /// Bytes behind the last frame that are no frame; known once there is no next part.
    pub fn trailing_bytes(&self) -> u64 {
        self.reader.trailing_bytes()
    }

    /// What comes next; `None` at the end of the stream, or where something follows that is no frame.
    ///
    /// # Errors
    /// As [`StoredReader::next_item`].
    pub fn next_part(&mut self) -> Result<Option<Part>> {
        if let Some((mut file, len)) = self.file.take() {
            let part = self
                .skim(&mut file, len)
                .map_err(|error| locate(error, self.frames))?;
            if part.is_some() {
                self.file = Some((file, len));
                return Ok(part);
            }
            // The reader says what is wrong with a frame that is cut short.
            file.seek(SeekFrom::Start(self.offset))
                .map_err(cannot_read)?;
            self.reader.start_at(self.frames, self.offset);
        }
        Ok(self.reader.next_item(Vec::new())?.map(|item| match item {
            Item::Frame(frame) => match frame.into_v2() {
                Ok((index, offset, envelope)) => Part::Envelope {
                    index,
                    offset,
                    envelope,
                },
                Err(frame) => Part::Frame(frame),
            },
            Item::Skippable(skippable) => Part::Skippable(skippable),
        }))
    }

    /// The next part, if its beginning tells enough of it.
    fn skim(&mut self, file: &mut File, len: u64) -> Result<Option<Part>> {
        let offset = self.offset;
        let mut bytes = Vec::new();
        let mut read = |wanted: u64, bytes: &mut Vec<u8>| {
            file.seek(SeekFrom::Start(offset + bytes.len() as u64))
                .and_then(|_| file.take(wanted).read_to_end(bytes))
                .map_err(cannot_read)
        };
        read(v2::HEAD_LEN as u64, &mut bytes)?;
        if let Some(Start::Skippable(nibble)) = sniff(&bytes) {
            let Some(&[a, b, c, d]) = bytes.get(4..8).and_then(<[u8]>::first_chunk) else {
                return Ok(None);
            };
            let payload_len = u32::from_le_bytes([a, b, c, d]);
            let end = offset + 8 + u64::from(payload_len);
            if end > len {
                return Ok(None);
            }
            let is_index = nibble == index::NIBBLE && u64::from(payload_len) <= self.max_frame;
            if is_index {
                bytes.truncate(8);
                read(payload_len.into(), &mut bytes)?;
            }
            self.offset = end;
            return Ok(Some(Part::Skippable(Skippable {
                nibble,
                offset,
                payload_len,
                payload: is_index.then(|| bytes.split_off(8)),
            })));
        }
        let is_v2 = v2::is_envelope(&bytes);
        let Some(head) = (if is_v2 { v2::Head::read(&bytes)? } else { None }) else {
            return Ok(None);
        };
        let limit = match self.max_frame {
            0 => u64::MAX,
            limit => limit,
        };
        within(v2::HEAD_LEN as u64 + u64::from(head.header_len), limit)?;
        read(head.header_len.into(), &mut bytes)?;
        if bytes.len() < v2::HEAD_LEN + head.header_len as usize {
            return Ok(None);
        }
        let envelope = v2::Envelope::read(&bytes, limit)?;
        let end = offset.saturating_add(head.envelope_len());
        within(head.envelope_len(), limit)?;
        if end > len {
            return Ok(None);
        }
        let index = self.frames;
        self.frames += 1;
        self.offset = end;
        Ok(Some(Part::Envelope {
            index,
            offset,
            envelope: Box::new(envelope),
        }))
    }
}

fn cannot_read(error: std::io::Error) -> Error {
    Error::io("cannot read", error)
}
