//! Shares the bytes of a file between readers on several threads.

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Read, Result as IoResult, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use crate::memory;
use crate::sync::lock;
use crate::varint::{self, unzigzag};

/// Number of bytes to request when only the header of a page is needed.
const HEADER_BYTES: usize = 4 << 10;

/// A file that threads use in turn, or bytes in memory.
#[derive(Clone, Debug)]
pub enum SharedFile {
    File(Arc<Mutex<File>>, u64),
    Memory(Bytes),
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        match self {
            Self::File(_, len) => *len,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl SharedFile {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> IoResult<usize> {
        match self {
            Self::File(file, _) => {
                let mut file = lock(file);
                file.seek(SeekFrom::Start(at))?;
                file.read(buffer)
            }
            Self::Memory(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
                rest.unwrap_or_default().read(buffer)
            }
        }
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<ReaderAt>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let from = ReaderAt {
            source: self.clone(),
            at: start,
        };
        Ok(BufReader::with_capacity(HEADER_BYTES, from))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len()) {
            let len = self.len();
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} exceed the file of {len} bytes"
            )));
        }
        if let Self::Memory(bytes) = self {
            let start = start as usize;
            return Ok(bytes.slice(start..start + length));
        }
        let mut buffer = Vec::new();
        let reserved = memory::reserve_exact(&mut buffer, length, "cannot read");
        reserved.map_err(|_| external(ErrorKind::OutOfMemory.into()))?;
        let from = ReaderAt {
            source: self.clone(),
            at: start,
        };
        let read = from.take(length as u64).read_to_end(&mut buffer);
        match read.map_err(external)? {
            read if read == length => Ok(buffer.into()),
            _ => Err(ParquetError::EOF("the file became shorter".to_owned())),
        }
    }
}

/// The pages of a file, none larger than a limit.
///
/// The crate allocates the uncompressed size that the header of a page claims, before it decompresses anything. It
/// calls [`ChunkReader::get_read`] for headers only, and [`ChunkReader::get_bytes`] for what follows them.
#[derive(Clone, Debug)]
pub struct Pages {
    pub file: SharedFile,
    /// The largest page in uncompressed bytes.
    pub limit: u64,
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Pages {
    type T = HeaderReader;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(HeaderReader {
            reader: self.file.get_read(start)?,
            unchecked: Some(self.limit),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.file.get_bytes(start, length)
    }
}

/// A reader of the header of a page.
#[derive(Debug)]
pub struct HeaderReader {
    reader: BufReader<ReaderAt>,
    /// The limit until the header is checked. The crate also asks for readers within pages, but does not read from
    /// them.
    unchecked: Option<u64>,
}

impl Read for HeaderReader {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        if let Some(limit) = self.unchecked.take() {
            let what = match uncompressed_size(self.reader.fill_buf()?) {
                Some(size) if size <= limit => return self.reader.read(buffer),
                Some(size) => format!("a page claims {size} bytes, but --max-frame is {limit}"),
                None => "a page without a size".to_owned(),
            };
            return Err(std::io::Error::new(ErrorKind::InvalidData, what));
        }
        self.reader.read(buffer)
    }
}

/// The uncompressed size in the header of a page.
///
/// A header is a struct in Thrift's compact protocol, written in the order of its fields: 1 is the type of the page and
/// 2 this size, both i32.
fn uncompressed_size(header: &[u8]) -> Option<u64> {
    const I32: u8 = 5;
    let mut at = 0;
    for field in 1..=2 {
        let start = *header.get(at)?;
        at += 1;
        let id = match start >> 4 {
            // The number of the field itself instead of the difference to the one before.
            0 => unzigzag(varint::read(header, &mut at).ok()?),
            1 => field,
            _ => return None,
        };
        let value = unzigzag(varint::read(header, &mut at).ok()?);
        if id != field || start & 0xf != I32 {
            return None;
        }
        if field == 2 {
            return value.try_into().ok();
        }
    }
    None
}

fn external(error: std::io::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

/// A reader from an offset on.
#[derive(Debug)]
pub struct ReaderAt {
    source: SharedFile,
    at: u64,
}

impl Read for ReaderAt {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        // At the end, the crate would continue to skip up to 2^31 empty items claimed by a damaged header.
        if self.at >= self.source.len() && !buffer.is_empty() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let read = self.source.read_at(self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_on_from_the_end_is_an_error() {
        let source = SharedFile::Memory(Bytes::from_static(b"abc"));
        let mut reader = source.get_read(1).unwrap();
        let mut rest = [0; 2];
        reader.read_exact(&mut rest).unwrap();
        assert_eq!(rest, *b"bc");
        assert!(reader.read(&mut rest).is_err());
        assert_eq!(source.get_bytes(1, 2).unwrap(), &b"bc"[..]);
    }
}
