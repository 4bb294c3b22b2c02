//! The index: a shortcut at the end of a stream that tells where its frames are.
//!
//! It is the payload of one skippable frame (RFC 8878, 3.1.2), so that tools of zstd and lz4 pass over
//! it, and it describes the frames that lie right before it, back to the index before or the start.
//! Whole files can therefore be put one behind the other. A reader never needs it.
//!
//! ```text
//! payload     := magic "MBTX" | version u8 = 2 | flags u8 | description
//!                | crc32 of all before u32 | payload length u32 | magic "MBTX"
//! description := columns varint | column* | frames varint | frame* | statistics
//! column      := type length varint | type | name length varint | name
//! frame       := stored length varint | plain length varint | rows varint | crc32 of the stored bytes u32
//! statistics  := per column: 0 u8, or 1 u8 and per frame: known
//! known       := 0 varint, or (1 + 2 * nulls + told) varint | extremes if told = 1
//! ```
//!
//! The columns are those of all frames, in the order in which they first come, with the names of
//! their types; a column whose type differs from frame to frame has none, and no statistics. The
//! extremes are written as in headers of wire 2. Flags: [`PACKED`] says that the description is its
//! plain length and one zstd frame; [`TOLD`] that there are statistics. Of a single frame neither
//! columns nor statistics are told, since its header has them.

mod columns;

use std::io::{Read, Seek, SeekFrom};

pub use self::columns::{FrameColumn, IndexColumn, Known};

use crate::error::{Error, Result};
use crate::stream::{Ending, Fingerprint};
use crate::varint;

const MAGIC: [u8; 4] = *b"MBTX";
const VERSION: u8 = 2;
/// Last digit of the skippable frame's magic.
pub(super) const NIBBLE: u8 = 0xD;
/// Bytes of a skippable frame before its payload.
const SKIPPABLE_HEADER: usize = 8;
/// Checksum, length and magic at the end of the payload.
const FOOTER: usize = 12;
/// Magic, version and flags.
const HEAD: usize = 6;
/// Flag: the description is compressed.
const PACKED: u8 = 1;
/// Flag: there are statistics.
const TOLD: u8 = 2;
/// Flag: the end of the text that the frames were made of.
const ENDED: u8 = 4;
/// How hard the description is compressed; it is small.
const LEVEL: i32 = 19;
/// No description is larger, whatever it claims.
const MOST: u64 = 1 << 30;

/// One frame as an index tells of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Bytes in the stream.
    pub stored_len: u64,
    /// Bytes of its envelopes.
    pub plain_len: u64,
    /// Rows.
    pub rows: u64,
    /// CRC-32 of the bytes in the stream.
    pub crc32: u32,
}

impl Entry {
    /// Tells of a frame with these bytes, one piece behind the other.
    pub fn new<'a>(stored: impl Iterator<Item = &'a [u8]>, plain_len: usize, rows: usize) -> Self {
        let mut crc32 = crc32fast::Hasher::new();
        let mut stored_len = 0;
        for piece in stored {
            crc32.update(piece);
            stored_len += piece.len() as u64;
        }
        Self {
            stored_len,
            plain_len: plain_len as u64,
            rows: rows as u64,
            crc32: crc32.finalize(),
        }
    }
}

/// What an index tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// The columns of all frames.
    pub columns: Vec<IndexColumn>,
    /// The frames, in order.
    pub frames: Vec<Entry>,
    /// The end of the text that the frames were made of, if they hold all of it.
    pub ending: Option<Ending>,
}

impl Index {
    /// Takes one more frame.
    pub fn push(&mut self, entry: Entry, columns: Vec<FrameColumn>) {
        IndexColumn::join(&mut self.columns, self.frames.len(), columns);
        self.frames.push(entry);
    }

    /// The skippable frame that holds it.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if it would be larger than such a frame can be.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut description = Vec::new();
        let tells = self.frames.len() > 1;
        let columns = if tells { &self.columns[..] } else { &[] };
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
        if tells {
            flags |= TOLD;
            for column in columns {
                column.write_known(self.frames.len(), &mut description);
            }
        }
        if let Some(Ending { fingerprint, tail }) = &self.ending {
            flags |= ENDED;
            varint::push(fingerprint.len, &mut description);
            description.extend_from_slice(&fingerprint.hash.to_le_bytes());
            varint::push(tail.len() as u64, &mut description);
            description.extend_from_slice(tail);
        }
        let mut packed = Vec::new();
        varint::push(description.len() as u64, &mut packed);
        let compressed = zstd::bulk::compress(&description, LEVEL);
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
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&MAGIC);
        Ok(out)
    }

    /// True if a skippable frame means to be an index, be it whole or damaged.
    pub fn is_meant(payload: &[u8]) -> bool {
        payload.starts_with(&MAGIC) || payload.ends_with(&MAGIC)
    }

    /// Reads a payload; `None` if it is no index or not a whole one.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let (body, footer) = payload.split_at_checked(payload.len().checked_sub(FOOTER)?)?;
        let whole = footer[..4] == crc32fast::hash(body).to_le_bytes()
            && footer[4..8] == u32::try_from(payload.len()).ok()?.to_le_bytes()
            && footer[8..] == MAGIC
            && body.starts_with(&MAGIC)
            && body.get(4) == Some(&VERSION);
        if !whole {
            return None;
        }
        let (flags, description) = (*body.get(5)?, body.get(HEAD..)?);
        if flags & !(PACKED | TOLD | ENDED) != 0 {
            return None;
        }
        if flags & PACKED != 0 {
            let plain = unpack(description)?;
            Self::describe(&plain, flags)
        } else {
            Self::describe(description, flags)
        }
    }

    fn describe(bytes: &[u8], flags: u8) -> Option<Self> {
        let mut at = 0;
        let number = |at: &mut usize| varint::read(bytes, at).ok();
        let mut index = Self::default();
        for _ in 0..number(&mut at)? {
            index.columns.push(IndexColumn::read(bytes, &mut at)?);
        }
        for _ in 0..number(&mut at)? {
            let (stored_len, plain_len, rows) =
                (number(&mut at)?, number(&mut at)?, number(&mut at)?);
            let crc32 = u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
            at += 4;
            index.frames.push(Entry {
                stored_len,
                plain_len,
                rows,
                crc32,
            });
        }
        if flags & TOLD != 0 {
            for column in &mut index.columns {
                column.read_known(index.frames.len(), bytes, &mut at)?;
            }
        }
        if flags & ENDED != 0 {
            let len = number(&mut at)?;
            let hash = u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
            at += size_of::<u128>();
            let tail_len = usize::try_from(number(&mut at)?).ok()?;
            let tail = bytes.get(at..at.checked_add(tail_len)?)?.to_vec();
            at += tail_len;
            let fingerprint = Fingerprint { len, hash };
            index.ending = Some(Ending { fingerprint, tail });
        }
        (at == bytes.len()).then_some(index)
    }
}

/// A description that is compressed.
fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut at = 0;
    let len = varint::read(packed, &mut at)
        .ok()
        .filter(|&len| len <= MOST)?;
    // Memory follows what really comes, not what the length claims.
    let mut plain = Vec::new();
    let mut reader = zstd::stream::read::Decoder::new(packed.get(at..)?)
        .ok()?
        .take(len + 1);
    reader.read_to_end(&mut plain).ok()?;
    (plain.len() as u64 == len).then_some(plain)
}

/// All indexes of a file, each with the offset of its first frame, from the first byte on. `None` if
/// some frames are in no index, or an index does not fit the file; such a file is read from the
/// front.
///
/// Only the indexes are read; `file` is left at some place.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn locate_indexes<F: Read + Seek>(
    file: &mut F,
) -> std::io::Result<Option<Vec<(u64, Index)>>> {
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

/// The index that ends at `end`, and where its skippable frame begins.
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
    // The file is that long, so the length asks for no more memory than there are bytes.
    file.seek(SeekFrom::Start(start))?;
    let mut frame = vec![0; SKIPPABLE_HEADER + len as usize];
    file.read_exact(&mut frame)?;
    let header = (0x184D_2A50 | u32::from(NIBBLE)).to_le_bytes();
    if frame[..4] != header || frame[4..8] != len.to_le_bytes() {
        return Ok(None);
    }
    Ok(Index::read(&frame[SKIPPABLE_HEADER..]).map(|index| (start, index)))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::columns::statistics::MinMax;

    fn sample() -> Index {
        let mut index = Index::default();
        let column = |(name, ty, extremes): (&str, &str, _)| FrameColumn {
            name: name.to_owned(),
            ty: ty.to_owned(),
            known: Some(Known { nulls: 3, extremes }),
        };
        let first = [
            ("a", "i64", Some(MinMax::Ints(-1, 5))),
            ("a", "utf8", None),
            ("é", "f64", Some(MinMax::Floats(-0.0, 1e300))),
        ];
        let entry = Entry {
            stored_len: 3,
            plain_len: 300,
            rows: 1 << 40,
            crc32: 7,
        };
        index.push(entry, first.map(column).into());
        let entry = Entry {
            stored_len: 2,
            plain_len: 0,
            rows: 0,
            crc32: u32::MAX,
        };
        let strings = MinMax::Strings {
            least: b"ab".to_vec(),
            greatest: b"abcdefghijklmnop".to_vec(),
            cut: true,
        };
        let second = [("b", "utf8", Some(strings)), ("é", "i64", None)];
        index.push(entry, second.map(column).into());
        index.ending = Some(Ending {
            fingerprint: Fingerprint {
                len: 1 << 33,
                hash: u128::MAX / 5,
            },
            tail: b"]\n".to_vec(),
        });
        index
    }

    #[test]
    fn columns_join_by_name_and_occurrence() {
        let expected = [
            ("a", "i64", [true, false]),
            ("a", "utf8", [true, false]),
            ("é", "", [false, false]),
            ("b", "utf8", [false, true]),
        ];
        let sample = sample();
        let columns = sample.columns.iter().map(|column| {
            let known = [0, 1].map(|frame| column.known(frame).is_some());
            (column.name.as_str(), column.ty.as_str(), known)
        });
        assert!(columns.eq(expected));
    }

    #[test]
    fn an_index_reads_back_and_no_damage_passes() {
        let written = sample().write().unwrap();
        let payload = &written[SKIPPABLE_HEADER..];
        // Frames at the end of which nothing is known are filled up.
        let read = Index::read(payload).unwrap();
        assert_eq!(read.write().unwrap(), written);
        assert_eq!(read.frames, sample().frames);
        assert_eq!(read.ending, sample().ending);
        for (read, sample) in read.columns.iter().zip(&sample().columns) {
            assert_eq!((&read.name, &read.ty), (&sample.name, &sample.ty));
            for frame in 0..3 {
                assert_eq!(read.known(frame), sample.known(frame));
            }
        }
        for at in 0..payload.len() {
            assert_eq!(Index::read(&payload[..at]), None, "cut at {at}");
            for bit in 0..8 {
                let mut damaged = payload.to_vec();
                damaged[at] ^= 1 << bit;
                assert_eq!(Index::read(&damaged), None, "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn frames_of_files_put_together_are_found() {
        let part = [b"abcde".to_vec(), sample().write().unwrap()].concat();
        let located = |bytes: Vec<u8>| locate_indexes(&mut Cursor::new(bytes)).unwrap();
        let offsets = |parts: Option<Vec<(u64, Index)>>| {
            let offsets = |(first, index): (u64, Index)| {
                let mut offset = first;
                let next = |entry: &Entry| {
                    offset += entry.stored_len;
                    offset - entry.stored_len
                };
                index.frames.iter().map(next).collect::<Vec<_>>()
            };
            parts.map(|parts| parts.into_iter().flat_map(offsets).collect::<Vec<_>>())
        };
        let len = part.len() as u64;
        assert_eq!(
            offsets(located(part.repeat(2))),
            Some(vec![0, 3, len, len + 3])
        );
        // Frames in front or behind that no index tells of.
        assert_eq!(located([b"x".to_vec(), part.clone()].concat()), None);
        assert_eq!(located([part.clone(), b"x".to_vec()].concat()), None);
        assert_eq!(located(part[1..].to_vec()), None);
        assert_eq!(located(b"abcdefgh MBTX".to_vec()), None);
        assert_eq!(offsets(located(Vec::new())), Some(vec![]));
    }
}
