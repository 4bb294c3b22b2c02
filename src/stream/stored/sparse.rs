//! Reading only some sections of an envelope of wire 2, where the input can be sought in.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Seek as _, SeekFrom};

use super::{StoredReader, cannot_read};
use crate::error::{Error, Result};
use crate::wire::v2;

/// Bytes that are asked for at once where much is stepped over.
const STEP_BYTES: usize = 8 << 10;

/// Says which sections of an envelope are wanted; `None` is all.
pub type Select<'a> = dyn FnMut(&v2::Envelope) -> Result<Option<Vec<bool>>> + 'a;

/// The same input as the reader's, where it can be sought in.
pub(super) struct Seekable {
    file: File,
    len: u64,
}

impl<R: Read> StoredReader<R> {
    /// Lets the reader step over what is not wanted; `file` shares its place with the reader, which
    /// must not have read yet.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn seeking(mut self, file: File) -> std::io::Result<Self> {
        let len = file.metadata()?.len();
        self.reader = BufReader::with_capacity(STEP_BYTES, self.reader.into_inner());
        self.seekable = Some(Seekable { file, len });
        Ok(self)
    }

    /// Goes on with another frame; true if the input can be sought in.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn step_to(&mut self, frame: u64, offset: u64) -> Result<bool> {
        let Some(step) = offset.checked_sub(self.offset) else {
            return Ok(false);
        };
        if self.seekable.is_none() {
            return Ok(false);
        }
        self.step(step)?;
        (self.frames, self.offset) = (frame, offset);
        Ok(true)
    }

    /// Reads what `select` wants of an envelope of wire 2 whose first bytes are in the buffer, and
    /// leaves zeros for the rest; `None` if all is wanted or it is another one. The buffer then holds
    /// no more than the header.
    pub(super) fn selected(
        &mut self,
        limit: u64,
        select: &mut Select<'_>,
    ) -> Result<Option<v2::Envelope>> {
        let Some(file_len) = self.seekable.as_ref().map(|seekable| seekable.len) else {
            return Ok(None);
        };
        self.fill(v2::HEAD_LEN)?;
        let Ok(Some(head)) = v2::Head::read(&self.buffer) else {
            return Ok(None);
        };
        // An envelope that is cut short or too large has its error from elsewhere.
        let end = self.offset.saturating_add(head.envelope_len());
        if end > file_len || head.envelope_len() > limit {
            return Ok(None);
        }
        self.fill(v2::HEAD_LEN + head.header_len as usize)?;
        let envelope = v2::Envelope::read(&self.buffer, limit)?;
        let Some(wanted) = select(&envelope)? else {
            return Ok(None);
        };
        // Zeros that are never touched take no memory.
        let mut bytes = vec![0; envelope.len];
        let mut at = self.buffer.len();
        bytes[..at].copy_from_slice(&self.buffer);
        let mut unread = 0;
        for (section, wanted) in envelope.sections.iter().zip(wanted) {
            let part = at..at + section.stored_len;
            at = part.end;
            if !wanted {
                unread += section.stored_len as u64;
                continue;
            }
            self.step(std::mem::take(&mut unread))?;
            self.reader
                .read_exact(&mut bytes[part.clone()])
                .map_err(cannot_read)?;
            self.taken += part.len() as u64;
        }
        self.step(unread)?;
        self.buffer = bytes;
        Ok(Some(envelope))
    }

    /// Steps over bytes that are there.
    fn step(&mut self, bytes: u64) -> Result<()> {
        let buffered = self.reader.buffer().len() as u64;
        let at_once = bytes.min(buffered);
        self.reader.consume(at_once as usize);
        if bytes > buffered
            && let Some(Seekable { file, .. }) = &mut self.seekable
        {
            let rest = i64::try_from(bytes - buffered)
                .map_err(|_| Error::corrupt("a frame is longer than any file can be"))?;
            file.seek(SeekFrom::Current(rest)).map_err(cannot_read)?;
        }
        self.taken += bytes;
        Ok(())
    }
}
