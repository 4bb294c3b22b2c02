//! The index: the end of a segment, which lists its frames.
//!
//! It is the payload of a skippable frame (RFC 8878, 3.1.2), which the tools of zstd and lz4 skip. It describes the
//! frames between the previous index (or the start) and itself, so whole files can be concatenated. It shows whether
//! the segment is complete, and lets readers that can seek skip what they do not need.
//!
//! ```text
//! payload     := magic "MBTX" | version u8 = 4 | flags u8 | description
//!                | crc32 of all before u32 | payload length u32 | magic "MBTX"
//! description := columns varint | column* | frames varint | frame* | statistics | directory
//!                | text | other*
//! column      := type string | name string
//! frame       := stored length varint | plain length varint | rows varint | crc32 u32
//! statistics  := per column: 0 u8, or 1 u8 and per frame: known
//! known       := 0 varint, or (1 + 2 * nulls + given) varint | extremes if given = 1
//! directory   := per frame: 0 varint, or 1 + shared varint | header varint; per column and
//!                frame of the second kind: own varint
//! text        := length varint | tail string | hash kind u8 | hash
//! ```
//!
//! The columns are listed in the order in which they first occur in a frame; types and extremes are written as in
//! headers of wire 2. A column whose type differs from frame to frame has no type and no statistics. The checksum of a
//! version 2 frame is the one in its head; for any other frame, it is computed from its bytes. The index of a single
//! frame omits columns, statistics and directory, since the frame's header has them. [`directory`] explains how to find
//! the bytes of one column.
//!
//! Older versions can still be read. Version 3 used another skippable frame and had no directory and only one kind of
//! hash; version 2 wrote the name of each type and the checksum of each frame's bytes.

mod columns;
mod directory;
mod older;

use std::borrow::Cow;
use std::io::{Read, Seek, SeekFrom};

pub use self::columns::{FrameColumn, IndexColumn, IndexType, Known};
pub use self::directory::FramePlace;

use super::fingerprint::{Hash, HashKind};
use super::sniff::{SKIPPABLE_HEADER, skippable_header};
use crate::error::{Error, Kind, Result};
use crate::stream::{Ending, Fingerprint};
use crate::varint;
use crate::wire::codec::compress_zstd;
use crate::wire::parse::{read_byte, read_string, read_unsigned, write_string};
use crate::wire::v2;

const MAGIC: [u8; 4] = *b"MBTX";
const VERSION: u8 = 4;
/// Last digit of the skippable frame's magic.
pub(super) const NIBBLE: u8 = 0xA;
/// The last digits used by this version and by older ones.
pub(super) const NIBBLES: [u8; 2] = [NIBBLE, older::NIBBLE];
/// Number of bytes of checksum, length and magic at the end of the payload.
const FOOTER: usize = 12;
/// Flag: the description is compressed.
const PACKED: u8 = 1;
/// Flag: the index has columns and their statistics.
const HAS_STATISTICS: u8 = 2;
/// Flag: the index has the end of the text that the frames were made from.
const HAS_TEXT: u8 = 4;
/// Flag: the index has a directory.
const HAS_DIRECTORY: u8 = 8;
/// Flags that each add a string at the end. Newer versions may use more of them.
const STRINGS: std::ops::Range<u8> = 4..8;
/// One of these flags: its string lists which other column each column needs.
const NEEDS: u8 = 5;
/// One of these flags: its string is the tail of a text, if the frames hold a selection of that text.
const TAIL: u8 = 4;
/// Compression level of the description, which is usually small.
const LEVEL: i32 = 19;
/// From this size on, the description is mostly text after the last row, and [`LEVEL`] would take seconds.
const LONG: usize = 1 << 20;
const LEVEL_OF_LONG: i32 = 3;
/// The largest description that is accepted.
const MOST: u64 = 1 << 30;

/// One frame in an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Bytes in the stream.
    pub stored_len: u64,
    /// Number of plain bytes of its envelopes.
    pub plain_len: u64,
    /// Rows.
    pub rows: u64,
    /// For version 2 the checksum in the head, otherwise the CRC-32 of the bytes in the stream.
    pub crc32: u32,
    /// The layout of the frame's parts, if the directory can describe it.
    pub place: Option<FramePlace>,
}

impl Entry {
    /// The entry of a frame whose bytes are the concatenation of `stored`.
    pub fn new<'a>(stored: impl Iterator<Item = &'a [u8]>, plain_len: usize, rows: usize) -> Self {
        let mut crc32 = crc32fast::Hasher::new();
        let mut stored_len = 0;
        let mut in_head = None;
        for run in stored {
            if stored_len == 0 {
                in_head = v2::EnvelopeHead::read(run)
                    .ok()
                    .flatten()
                    .map(|head| head.crc32);
            }
            if in_head.is_none() {
                crc32.update(run);
            }
            stored_len += run.len() as u64;
        }
        Self {
            stored_len,
            plain_len: plain_len as u64,
            rows: rows as u64,
            crc32: in_head.unwrap_or_else(|| crc32.finalize()),
            place: None,
        }
    }
}

/// The contents of an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// The columns of all frames.
    pub columns: Vec<IndexColumn>,
    /// The frames, in order.
    pub frames: Vec<Entry>,
    /// The end of the text that the frames were made from, if they contain all of it or a selection that keeps its end.
    pub ending: Option<Ending>,
    /// All checksums cover the frames' bytes, as written by older versions.
    pub is_of_bytes: bool,
}

/// A skippable frame that looks like an index.
#[derive(Debug)]
pub(super) enum IndexFrame {
    /// A valid index.
    Index(Box<Index>),
    /// An index whose version or flags this version does not know.
    Newer,
    /// A damaged index, or one in the wrong kind of skippable frame.
    Damaged,
}

impl Index {
    /// Adds a frame.
    pub fn push(&mut self, mut entry: Entry, columns: Vec<FrameColumn>) {
        let in_order = IndexColumn::join(&mut self.columns, self.frames.len(), columns);
        // The directory has only lengths of columns; their positions follow from their order.
        entry.place = entry.place.filter(|_| in_order);
        self.frames.push(entry);
    }

    /// Encodes the index as a skippable frame.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if it would be larger than such a frame can be.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut description = Vec::new();
        // The columns of a single frame are in its own header.
        let is_single = self.frames.len() < 2;
        let columns = if is_single { &[] } else { &self.columns[..] };
        varint::push(columns.len() as u64, &mut description);
        for column in columns {
            column.write(&mut description);
        }
        varint::push(self.frames.len() as u64, &mut description);
        for frame in &self.frames {
            varint::push(frame.stored_len, &mut description);
            varint::push(frame.plain_len, &mut description);
            varint::push(frame.rows, &mut description);
            description.extend_from_slice(&frame.crc32.to_le_bytes());
        }
        let mut flags = 0;
        if !is_single {
            flags |= HAS_STATISTICS;
            for column in columns {
                column.write_known(self.frames.len(), &mut description);
            }
        }
        if !is_single && self.frames.iter().any(|frame| frame.place.is_some()) {
            flags |= HAS_DIRECTORY;
            self.write_directory(&mut description);
        }
        if let Some(Ending { fingerprint, tail }) = &self.ending {
            if let Some(Fingerprint { len, hash }) = fingerprint
                && let Some(hash) = hash
            {
                flags |= HAS_TEXT;
                varint::push(*len, &mut description);
                write_string(tail, &mut description);
                description.push(hash.kind().number());
                hash.write(&mut description);
            } else {
                flags |= 1 << TAIL;
                write_string(tail, &mut description);
            }
        }
        if flags & HAS_DIRECTORY != 0 && self.has_needs() {
            flags |= 1 << NEEDS;
            write_string(&self.needs(), &mut description);
        }
        let mut packed = Vec::new();
        varint::push(description.len() as u64, &mut packed);
        let level = if description.len() < LONG {
            LEVEL
        } else {
            LEVEL_OF_LONG
        };
        let compressed = compress_zstd(&description, level);
        packed.extend(compressed.map_err(|error| Error::io("cannot compress", error))?);
        let is_packed = packed.len() < description.len() && description.len() as u64 <= MOST;
        if is_packed {
            flags |= PACKED;
            description = packed;
        }
        let mut payload = MAGIC.to_vec();
        payload.extend([VERSION, flags]);
        payload.append(&mut description);
        let crc32 = crc32fast::hash(&payload);
        let len = u32::try_from(payload.len() + FOOTER)
            .map_err(|_| Error::limit("the index is larger than a skippable frame can be"))?;
        let mut out = Vec::with_capacity(SKIPPABLE_HEADER + len as usize);
        out.extend_from_slice(&(0x184D_2A50 | u32::from(NIBBLE)).to_le_bytes());
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&payload);
        out.extend_from_slice(&crc32.to_le_bytes());
        // Length and magic again, so that readers find the index from the end of the file.
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&MAGIC);
        Ok(out)
    }

    /// True if a skippable frame looks like an index, valid or damaged.
    pub fn is_meant(payload: &[u8]) -> bool {
        payload.starts_with(&MAGIC) || payload.ends_with(&MAGIC)
    }

    /// Reads the payload of a skippable frame whose magic ends in `nibble`; `None` if it is not a valid index of a
    /// known version.
    pub fn read(nibble: u8, payload: &[u8]) -> Option<Self> {
        match Self::find(nibble, payload) {
            IndexFrame::Index(index) => Some(*index),
            IndexFrame::Newer | IndexFrame::Damaged => None,
        }
    }

    /// Reads a payload that looks like an index.
    pub(super) fn find(nibble: u8, payload: &[u8]) -> IndexFrame {
        let Some(body) = Self::body(payload) else {
            return IndexFrame::Damaged;
        };
        let &[_, _, _, _, version, flags, ref description @ ..] = body else {
            return IndexFrame::Damaged;
        };
        let expected = if version < VERSION {
            older::NIBBLE
        } else {
            NIBBLE
        };
        if nibble != expected {
            return IndexFrame::Damaged;
        }
        // The footer is the same in all versions.
        if !(older::NAMED..=VERSION).contains(&version) {
            return IndexFrame::Newer;
        }
        let description = match flags & PACKED {
            0 => Some(Cow::Borrowed(description)),
            _ => unpack(description).map(Cow::Owned),
        };
        let parsed = description.map(|description| match version {
            VERSION => Self::describe(&description, flags),
            _ => older::read(&description, flags, version),
        });
        match parsed {
            Some(Ok(index)) => IndexFrame::Index(Box::new(index)),
            Some(Err(error)) if error.kind() == Kind::Unsupported => IndexFrame::Newer,
            Some(Err(_)) | None => IndexFrame::Damaged,
        }
    }

    /// The payload up to its footer, if length, checksum and magics are right.
    fn body(payload: &[u8]) -> Option<&[u8]> {
        let (body, footer) = payload.split_at_checked(payload.len().checked_sub(FOOTER)?)?;
        let whole = footer[..4] == crc32fast::hash(body).to_le_bytes()
            && footer[4..8] == u32::try_from(payload.len()).ok()?.to_le_bytes()
            && footer[8..] == MAGIC
            && body.starts_with(&MAGIC);
        whole.then_some(body)
    }

    fn describe(bytes: &[u8], flags: u8) -> Result<Self> {
        let mut at = 0;
        let mut index = Self::default();
        for _ in 0..read_unsigned(bytes, &mut at)? {
            index.columns.push(IndexColumn::read(bytes, &mut at)?);
        }
        index.read_frames(bytes, &mut at)?;
        if flags & HAS_STATISTICS != 0 {
            index.read_statistics(bytes, &mut at)?;
        }
        if flags & HAS_DIRECTORY != 0 {
            index.read_directory(bytes, &mut at)?;
        }
        if flags & HAS_TEXT != 0 {
            let len = read_unsigned(bytes, &mut at)?;
            let tail = read_string(bytes, &mut at)?.to_vec();
            let kind = HashKind::of_number(read_byte(bytes, &mut at)?);
            let hash = kind
                .map(|kind| Hash::read(kind, bytes, &mut at))
                .transpose()?;
            let fingerprint = Some(Fingerprint { len, hash });
            index.ending = Some(Ending { fingerprint, tail });
            if hash.is_none() {
                // The length of an unknown kind of hash is unknown, so reading stops here.
                return Ok(index);
            }
        }
        for bit in STRINGS.filter(|bit| flags >> bit & 1 == 1) {
            let string = read_string(bytes, &mut at)?;
            match bit {
                TAIL => {
                    let tail = string.to_vec();
                    index.ending.get_or_insert(Ending {
                        fingerprint: None,
                        tail,
                    });
                }
                NEEDS => index.read_needs(string)?,
                _ => {}
            }
        }
        require_end(bytes, at)?;
        Ok(index)
    }

    fn read_frames(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        for _ in 0..read_unsigned(bytes, at)? {
            let mut number = || read_unsigned(bytes, at);
            let (stored_len, plain_len, rows) = (number()?, number()?, number()?);
            let crc32 = bytes
                .get(*at..)
                .and_then(<[u8]>::first_chunk)
                .ok_or_else(|| Error::corrupt("a checksum is cut short"))?;
            *at += crc32.len();
            self.frames.push(Entry {
                stored_len,
                plain_len,
                rows,
                crc32: u32::from_le_bytes(*crc32),
                place: None,
            });
        }
        Ok(())
    }

    fn read_statistics(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        let frames = self.frames.len();
        let mut columns = self.columns.iter_mut();
        columns.try_for_each(|column| column.read_known(frames, bytes, at))
    }
}

/// Checks that nothing follows what was read.
fn require_end(bytes: &[u8], at: usize) -> Result<()> {
    if at == bytes.len() {
        return Ok(());
    }
    Err(Error::corrupt("an index has bytes after its last part"))
}

/// Decompresses a description.
fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut at = 0;
    let len = varint::read(packed, &mut at)
        .ok()
        .filter(|&len| len <= MOST)?;
    // The buffer grows with the data, not with the claimed length.
    let mut plain = Vec::new();
    let mut reader = zstd::stream::read::Decoder::new(packed.get(at..)?)
        .ok()?
        .take(len + 1);
    reader.read_to_end(&mut plain).ok()?;
    (plain.len() as u64 == len).then_some(plain)
}

/// All indexes of a file in order, each with the offset of its first frame. `None` if some frames are not in an index,
/// or an index does not match the file; such a file must be read from the start.
///
/// Reads only the indexes. The position of `file` is unspecified afterwards.
///
/// # Errors
/// If the file cannot be read.
pub fn locate_indexes<F: Read + Seek>(file: &mut F) -> std::io::Result<Option<Vec<(u64, Index)>>> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut parts = Vec::new();
    while end > 0 {
        let Some((start, index)) = last_index(file, end)? else {
            return Ok(None);
        };
        let stored: u64 = index
            .frames
            .iter()
            .map(|frame| frame.stored_len)
            .fold(0, u64::saturating_add);
        let Some(first) = start.checked_sub(stored) else {
            return Ok(None);
        };
        parts.push((first, index));
        end = first;
    }
    parts.reverse();
    Ok(Some(parts))
}

/// The index that ends at `end`, and where its skippable frame starts.
fn last_index<F: Read + Seek>(file: &mut F, end: u64) -> std::io::Result<Option<(u64, Index)>> {
    let Some(tail) = end.checked_sub(8) else {
        return Ok(None);
    };
    file.seek(SeekFrom::Start(tail))?;
    let mut footer = [0; 8];
    file.read_exact(&mut footer)?;
    let [a, b, c, d, magic @ ..] = footer;
    let len = u32::from_le_bytes([a, b, c, d]);
    let start = end.checked_sub(u64::from(len) + SKIPPABLE_HEADER as u64);
    let (true, Some(start)) = (magic == MAGIC, start) else {
        return Ok(None);
    };
    // The file is that long, so no more memory is allocated than it has bytes.
    file.seek(SeekFrom::Start(start))?;
    let mut frame = vec![0; SKIPPABLE_HEADER + len as usize];
    file.read_exact(&mut frame)?;
    let Some((nibble, _)) = skippable_header(&frame).filter(|header| header.1 == len) else {
        return Ok(None);
    };
    Ok(Index::read(nibble, &frame[SKIPPABLE_HEADER..]).map(|index| (start, index)))
}

#[cfg(test)]
mod tests;
