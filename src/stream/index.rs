//! The index: the end of a segment, which lists its frames.
//!
//! It is the payload of a skippable frame (RFC 8878, 3.1.2), so that tools of zstd and lz4 pass over
//! it, and it describes the frames that lie right before it, back to the index before or the start.
//! Whole files can therefore be put one behind the other. It shows whether the segment is whole, and
//! lets readers that can seek skip what they do not need.
//!
//! ```text
//! payload     := magic "MBTX" | version u8 = 3 | flags u8 | description
//!                | crc32 of all before u32 | payload length u32 | magic "MBTX"
//! description := columns varint | column* | frames varint | frame* | statistics | text
//! column      := type | name length varint | name
//! frame       := stored length varint | plain length varint | rows varint | crc32 u32
//! statistics  := per column: 0 u8, or 1 u8 and per frame: known
//! known       := 0 varint, or (1 + 2 * nulls + told) varint | extremes if told = 1
//! text        := length varint | hash u128 | tail length varint | tail
//! ```
//!
//! The columns are those of all frames, in the order in which they first come; types and extremes are
//! written as in headers of wire 2. A column whose type differs from frame to frame has none, and no
//! statistics. The checksum of a frame is the one in its head if it is of version 2, else that of its
//! bytes. Flags: [`PACKED`] says that the description is its plain length and one zstd frame; [`TOLD`]
//! that there are statistics; [`ENDED`] that there is a text. For a single frame, neither columns nor
//! statistics are written, since its header has them.
//!
//! Version 2, which is still read, wrote the name of each type and the checksum of each frame's bytes.

mod columns;

use std::io::{Read, Seek, SeekFrom};

pub use self::columns::{FrameColumn, IndexColumn, IndexType, Known};

use crate::error::{Error, Result};
use crate::stream::{Ending, Fingerprint};
use crate::varint;
use crate::wire::v2;

const MAGIC: [u8; 4] = *b"MBTX";
const VERSION: u8 = 3;
/// The version before, which is still read.
const OLDER: u8 = 2;
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

/// One frame in an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Bytes in the stream.
    pub stored_len: u64,
    /// Bytes of its envelopes.
    pub plain_len: u64,
    /// Rows.
    pub rows: u64,
    /// Of version 2 the checksum in the head, else the CRC-32 of the bytes in the stream.
    pub crc32: u32,
}

impl Entry {
    /// The entry of a frame with these bytes, one run after the other.
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
        }
    }
}

/// What an index says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// The columns of all frames.
    pub columns: Vec<IndexColumn>,
    /// The frames, in order.
    pub frames: Vec<Entry>,
    /// The end of the text that the frames were made of, if they hold all of it.
    pub ending: Option<Ending>,
    /// The checksums of all frames are those of their bytes, as an older version wrote them.
    pub is_of_bytes: bool,
}

/// What a skippable frame is that means to be an index.
#[derive(Debug)]
pub(super) enum Found {
    /// A whole index.
    Index(Box<Index>),
    /// An index of a version or with flags that only newer readers know.
    Newer,
    /// A damaged one.
    Damaged,
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

    /// Reads a payload; `None` if it is not a whole index of a known version.
    pub fn read(payload: &[u8]) -> Option<Self> {
        match Self::find(payload) {
            Found::Index(index) => Some(*index),
            Found::Newer | Found::Damaged => None,
        }
    }

    /// Reads a payload that means to be an index.
    pub(super) fn find(payload: &[u8]) -> Found {
        let Some(body) = Self::body(payload) else {
            return Found::Damaged;
        };
        // All versions have the same frame around what they say, so that a newer one is not taken for
        // a damaged one.
        let is_known = matches!(body.get(4), Some(&(OLDER | VERSION)))
            && body
                .get(5)
                .is_some_and(|flags| flags & !(PACKED | TOLD | ENDED) == 0);
        if !is_known {
            return Found::Newer;
        }
        Self::parse(body).map_or(Found::Damaged, |index| Found::Index(Box::new(index)))
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

    fn parse(body: &[u8]) -> Option<Self> {
        let version = *body.get(4)?;
        let (flags, description) = (*body.get(5)?, body.get(HEAD..)?);
        if flags & PACKED != 0 {
            let plain = unpack(description)?;
            Self::describe(&plain, flags, version)
        } else {
            Self::describe(description, flags, version)
        }
    }

    fn describe(bytes: &[u8], flags: u8, version: u8) -> Option<Self> {
        let mut at = 0;
        let number = |at: &mut usize| varint::read(bytes, at).ok();
        let mut index = Self {
            is_of_bytes: version == OLDER,
            ..Self::default()
        };
        for _ in 0..number(&mut at)? {
            index
                .columns
                .push(IndexColumn::read(bytes, &mut at, version)?);
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
    use crate::schema::named_field;

    fn ty_of(name: &str) -> IndexType {
        IndexType::of(&named_field("", name).unwrap()).unwrap()
    }

    fn sample() -> Index {
        let mut index = Index::default();
        let column = |(name, ty, extremes): (&str, &str, _)| FrameColumn {
            name: name.to_owned(),
            ty: Some(ty_of(ty)),
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
            ("a", Some(ty_of("i64")), [true, false]),
            ("a", Some(ty_of("utf8")), [true, false]),
            ("é", None, [false, false]),
            ("b", Some(ty_of("utf8")), [false, true]),
        ];
        let sample = sample();
        let columns = sample.columns.iter().map(|column| {
            let known = [0, 1].map(|frame| column.known(frame).is_some());
            (column.name.as_str(), column.ty.clone(), known)
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
