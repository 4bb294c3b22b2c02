//! Sections: the parts of an envelope's body, each compressed and checksummed by itself.
//!
//! A large buffer is a section of its own, so that reading one column touches no other and sections
//! are compressed on several threads. Small buffers share sections, numbers apart from text, because
//! compressors need some bytes to learn from and every section costs a dozen.

use std::borrow::Cow;

use arrow_buffer::Buffer;

use super::header::{SectionFormat, SectionInfo};
use crate::error::{Error, Result};
use crate::varint;
use crate::wire::codec::SectionCodec;
use crate::wire::parse::read_len;

/// Buffers of at least so many bytes are sections of their own.
const LARGE: usize = 8 << 10;
/// Shared sections are closed once they hold so many bytes.
const SHARED: usize = 64 << 10;

/// A compressed section.
#[derive(Debug)]
pub struct Packed {
    /// Its description in the header.
    pub info: SectionInfo,
    /// Its bytes in the body.
    pub bytes: Vec<u8>,
}

/// True if the buffer is a section of its own.
pub fn is_large(buffer: &Buffer) -> bool {
    buffer.len() >= LARGE
}

/// Compresses a section, unless that would not make it smaller.
///
/// # Errors
/// If the compressor fails, for want of memory.
pub fn pack(plain: &[u8], codec: SectionCodec) -> Result<Packed> {
    let format = match codec {
        SectionCodec::None => SectionFormat::Plain,
        SectionCodec::Lz4 => SectionFormat::Lz4,
        SectionCodec::Zstd(_) => SectionFormat::Zstd,
    };
    let (format, bytes) = match codec.compress(plain)? {
        Some(bytes) => (format, bytes),
        None => (SectionFormat::Plain, plain.to_vec()),
    };
    Ok(Packed {
        info: SectionInfo {
            format,
            plain_len: plain.len(),
            stored_len: bytes.len(),
            crc32: crc32fast::hash(&bytes),
        },
        bytes,
    })
}

/// Lays buffers out in sections, in the order in which they are described.
#[derive(Debug)]
pub struct SectionLayout {
    codec: SectionCodec,
    sections: Vec<Slot>,
    /// The bytes of the shared sections.
    shared: Vec<Vec<u8>>,
    /// The shared sections that are still open, for numbers and for text.
    open: [Option<Open>; 2],
}

/// A section of the layout.
#[derive(Debug)]
enum Slot {
    Packed(Packed),
    /// Shared: its place in [`SectionLayout::shared`].
    Shared(usize),
}

/// A shared section that takes more buffers.
#[derive(Clone, Copy, Debug)]
struct Open {
    section: usize,
    /// Its place in [`SectionLayout::shared`].
    shared: usize,
}

impl SectionLayout {
    /// No sections yet.
    pub fn new(codec: SectionCodec) -> Self {
        Self {
            codec,
            sections: Vec::new(),
            shared: Vec::new(),
            open: [None; 2],
        }
    }

    /// Appends where the buffer is: its length and, unless that is 0, its section. Buffers of one
    /// section follow each other as they are described. `packed` holds large ones.
    pub fn place(
        &mut self,
        buffer: &Buffer,
        is_text: bool,
        packed: Option<Packed>,
        out: &mut Vec<u8>,
    ) {
        varint::push(buffer.len() as u64, out);
        if buffer.is_empty() {
            return;
        }
        let section = if let Some(packed) = packed {
            self.sections.push(Slot::Packed(packed));
            self.sections.len() - 1
        } else {
            self.share(buffer, usize::from(is_text))
        };
        varint::push(section as u64, out);
    }

    fn share(&mut self, buffer: &Buffer, class: usize) -> usize {
        let open = self.open[class].unwrap_or_else(|| {
            let (section, shared) = (self.sections.len(), self.shared.len());
            self.sections.push(Slot::Shared(shared));
            self.shared.push(Vec::new());
            Open { section, shared }
        });
        let bytes = &mut self.shared[open.shared];
        bytes.extend_from_slice(buffer);
        self.open[class] = (bytes.len() < SHARED).then_some(open);
        open.section
    }

    /// All sections, compressed.
    ///
    /// # Errors
    /// If the compressor fails, for want of memory.
    pub fn finish(self) -> Result<Vec<Packed>> {
        let codec = self.codec.for_small();
        let sections = self.sections.into_iter();
        sections
            .map(|slot| match slot {
                Slot::Packed(packed) => Ok(packed),
                Slot::Shared(at) => pack(&self.shared[at], codec),
            })
            .collect()
    }
}

/// The body of an envelope; sections are opened as they are needed.
pub struct Body<'a> {
    sections: &'a [SectionInfo],
    bytes: &'a [u8],
    /// Where each section begins.
    starts: Vec<usize>,
    opened: Vec<Option<Buffer>>,
    /// How many bytes of each section belong to buffers so far.
    cursors: Vec<usize>,
}

impl<'a> Body<'a> {
    /// The body that `bytes` hold, whose length has been checked.
    pub fn new(sections: &'a [SectionInfo], bytes: &'a [u8]) -> Self {
        let mut start = 0;
        let starts = sections.iter().map(|section| {
            start += section.stored_len;
            start - section.stored_len
        });
        Self {
            sections,
            bytes,
            starts: starts.collect(),
            opened: vec![None; sections.len()],
            cursors: vec![0; sections.len()],
        }
    }

    /// Reads where a buffer is: its section, its offset in the section's plain bytes, and its length.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if it is outside all sections.
    pub fn locate(
        &mut self,
        bytes: &[u8],
        at: &mut usize,
    ) -> Result<Option<(usize, usize, usize)>> {
        let start = *at as u64;
        let len = read_len(bytes, at)?;
        if len == 0 {
            return Ok(None);
        }
        let section = read_len(bytes, at)?;
        let fits = self.sections.get(section).is_some_and(|info| {
            let end = self.cursors[section].saturating_add(len);
            end <= info.plain_len
        });
        if !fits {
            return Err(Error::corrupt("a buffer is outside all sections").at_byte(start));
        }
        let offset = self.cursors[section];
        self.cursors[section] += len;
        Ok(Some((section, offset, len)))
    }

    /// How many plain bytes have been opened.
    pub fn opened_bytes(&self) -> usize {
        self.opened.iter().flatten().map(Buffer::len).sum()
    }

    /// The plain bytes of a section.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if its checksum or its length is not what the header says.
    pub fn section(&mut self, section: usize) -> Result<Buffer> {
        if let Some(opened) = &self.opened[section] {
            return Ok(opened.clone());
        }
        let info = self.sections[section];
        let start = self.starts[section];
        let stored = &self.bytes[start..start + info.stored_len];
        let opened = Buffer::from_vec(info.open(stored)?.into_owned());
        self.opened[section] = Some(opened.clone());
        Ok(opened)
    }
}

impl SectionInfo {
    /// The plain bytes, once the checksum has been checked.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if `stored` is not what the header says.
    pub fn open(self, stored: &[u8]) -> Result<Cow<'_, [u8]>> {
        if crc32fast::hash(stored) != self.crc32 {
            return Err(Error::corrupt("a section does not match its checksum"));
        }
        let plain = match self.format {
            SectionFormat::Plain => return Ok(Cow::Borrowed(stored)),
            SectionFormat::Lz4 => lz4_flex::block::decompress(stored, self.plain_len).ok(),
            SectionFormat::Zstd => zstd::bulk::decompress(stored, self.plain_len).ok(),
        };
        plain
            .filter(|plain| plain.len() == self.plain_len)
            .map(Cow::Owned)
            .ok_or_else(|| Error::corrupt("a section cannot be decompressed"))
    }
}
