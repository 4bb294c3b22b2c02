//! Reads the footer of a file, which lists its messages.

use std::fs::File;
use std::io::{BufReader, Read, Result as IoResult, Seek, SeekFrom};

use arrow_ipc::{Block, root_as_footer_with_opts};
use arrow_schema::Schema;

use super::read::schema_of;
use super::{FILE_MAGIC, verifier};
use crate::error::{Error, Result};

/// Number of bytes after the footer: its length and the magic.
pub const END_BYTES: u64 = 4 + FILE_MAGIC.len() as u64;

/// The most bytes of an end marker and padding before a footer.
const MOST_PADDING: u64 = 128;

/// Number of bytes requested at a time; bodies of messages are larger and bypass the buffer.
const READ_BYTES: usize = 64 << 10;

/// The messages of a file in the order of its footer, dictionaries first; reads them as if they were contiguous.
pub struct FileMessages {
    file: BufReader<File>,
    /// Offset and length of the remaining messages.
    blocks: std::vec::IntoIter<(u64, u64)>,
    /// Unread bytes of the current message.
    left: u64,
}

impl FileMessages {
    /// Moves to the next message. Returns its offset in the file, or `None` after the last one.
    pub fn next_offset(&mut self) -> IoResult<Option<u64>> {
        let Some((offset, len)) = self.blocks.next() else {
            return Ok(None);
        };
        let here = self.file.stream_position()?;
        self.file
            .seek_relative(offset.cast_signed().wrapping_sub(here.cast_signed()))?;
        self.left = len;
        Ok(Some(offset))
    }
}

impl Read for FileMessages {
    fn read(&mut self, bytes: &mut [u8]) -> IoResult<usize> {
        let read = (&mut self.file).take(self.left).read(bytes)?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// The schema and the messages of a file. `None`, with the position of the file unchanged, if it has no readable
/// footer, for example because it was cut.
///
/// # Errors
/// If the footer has unsupported types.
pub fn read(mut file: File, most: u64) -> Result<Option<(Schema, FileMessages)>> {
    let cannot = |error| Error::io("cannot read", error);
    let here = file.stream_position().map_err(cannot)?;
    let found = footer_bytes(&mut file, most).ok().flatten();
    file.seek(SeekFrom::Start(here)).map_err(cannot)?;
    let Some((bytes, end)) = found else {
        return Ok(None);
    };
    let Ok(footer) = root_as_footer_with_opts(&verifier(), &bytes) else {
        return Ok(None);
    };
    let Some(schema) = footer.schema() else {
        return Ok(None);
    };
    let place = |block: &Block| {
        let offset = u64::try_from(block.offset()).ok()?;
        let metadata = u64::try_from(block.metaDataLength()).ok()?;
        let len = metadata.checked_add(u64::try_from(block.bodyLength()).ok()?)?;
        (offset.checked_add(len)? <= end).then_some((offset, len))
    };
    let blocks = footer
        .dictionaries()
        .into_iter()
        .flatten()
        .chain(footer.recordBatches().into_iter().flatten());
    let Some(blocks) = blocks.map(place).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let last = blocks.iter().map(|(offset, len)| offset + len).max();
    if let Some(last) = last {
        ensure_unused(&mut file, last, end).map_err(cannot)??;
        file.seek(SeekFrom::Start(here)).map_err(cannot)?;
    }
    let messages = FileMessages {
        file: BufReader::with_capacity(READ_BYTES, file),
        blocks: blocks.into_iter(),
        left: 0,
    };
    Ok(Some((schema_of(schema)?, messages)))
}

/// Checks that there is no message between the last one that the footer lists and the footer, but only an end marker and
/// padding.
fn ensure_unused(file: &mut File, start: u64, end: u64) -> IoResult<Result<()>> {
    file.seek(SeekFrom::Start(start))?;
    let mut gap = vec![0; (end - start).min(MOST_PADDING) as usize];
    file.read_exact(&mut gap)?;
    let is_padding = |byte: &u8| matches!(byte, 0 | 0xFF);
    if end - start <= MOST_PADDING && gap.iter().all(is_padding) {
        return Ok(Ok(()));
    }
    let what = "the footer does not list what follows its last message";
    let error = Error::corrupt(what).at_byte(start);
    Ok(Err(error.hint(
        "Arrow files cannot be joined with cat; convert takes several inputs",
    )))
}

/// True if these bytes are a footer with its length and the magic, after padding.
pub fn is_footer(bytes: &[u8]) -> bool {
    let Some((rest, end)) = bytes.split_last_chunk() else {
        return false;
    };
    let padding =
        footer_len(end).and_then(|len| rest.len().checked_sub(usize::try_from(len).ok()?));
    padding
        .is_some_and(|len| len as u64 <= MOST_PADDING && rest[..len].iter().all(|byte| *byte == 0))
}

/// The length of the footer, from the bytes after it; `None` if these are something else.
fn footer_len(end: &[u8; END_BYTES as usize]) -> Option<u64> {
    let len = end.strip_suffix(&FILE_MAGIC)?.first_chunk()?;
    u64::try_from(i32::from_le_bytes(*len)).ok()
}

/// The footer and its offset in the file.
fn footer_bytes(file: &mut File, most: u64) -> IoResult<Option<(Vec<u8>, u64)>> {
    let mut magic = [0; FILE_MAGIC.len()];
    file.rewind()?;
    file.read_exact(&mut magic)?;
    let len = file.seek(SeekFrom::End(0))?;
    let Some(end) = len.checked_sub(END_BYTES).filter(|_| magic == FILE_MAGIC) else {
        return Ok(None);
    };
    file.seek(SeekFrom::Start(end))?;
    let mut last = [0; END_BYTES as usize];
    file.read_exact(&mut last)?;
    let len = footer_len(&last).filter(|&len| len <= most);
    let Some((len, start)) = len.and_then(|len| Some((len, end.checked_sub(len)?))) else {
        return Ok(None);
    };
    file.seek(SeekFrom::Start(start))?;
    let mut footer = vec![0; len as usize];
    file.read_exact(&mut footer)?;
    Ok(Some((footer, start)))
}
