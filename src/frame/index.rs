//! The index: a shortcut at the end of a stream that tells where its frames are.
//!
//! It is the payload of one skippable frame (RFC 8878, 3.1.2), so that tools of zstd and lz4 pass over
//! it, and it describes the frames that lie right before it, back to the index before or the start.
//! Whole files can therefore be put one behind the other. A reader never needs it.
//!
//! ```text
//! payload := magic "MBTX" | version u8 = 2 | columns varint | column* | frames varint | frame*
//!            | crc32 of all before u32 | payload length u32 | magic "MBTX"
//! column  := type length varint | type | name length varint | name
//! frame   := stored length varint | plain length varint | rows varint | crc32 of the stored bytes u32
//! ```
//!
//! The columns are those of all frames, in the order in which they first come, with the names of
//! their types; a column whose type differs from frame to frame has none.

use std::io::{Read, Seek, SeekFrom};

use super::Skippable;
use crate::error::{Error, Result};
use crate::wire::varint;

const MAGIC: [u8; 4] = *b"MBTX";
const VERSION: u8 = 2;
/// Last digit of the skippable frame's magic.
pub const NIBBLE: u8 = 0xD;
/// Bytes of a skippable frame before its payload.
const SKIPPABLE_HEADER: usize = 8;
/// Checksum, length and magic at the end of the payload.
const FOOTER: usize = 12;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Names, and types as reports name them; empty where frames differ.
    pub columns: Vec<(String, String)>,
    /// The frames, in order.
    pub frames: Vec<Entry>,
}

impl Index {
    /// The columns of all frames, given those of one more.
    pub fn join<'a>(&mut self, columns: impl Iterator<Item = (&'a str, String)>) {
        let mut taken = Vec::new();
        for (name, ty) in columns {
            // The second of two equal names meets the second.
            let known = (0..self.columns.len())
                .find(|at| self.columns[*at].0 == name && !taken.contains(at));
            let at = known.unwrap_or_else(|| {
                self.columns.push((name.to_owned(), ty.clone()));
                self.columns.len() - 1
            });
            taken.push(at);
            if self.columns[at].1 != ty {
                self.columns[at].1.clear();
            }
        }
    }

    /// The skippable frame that holds it.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if it would be larger than such a frame can be.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut payload = MAGIC.to_vec();
        payload.push(VERSION);
        varint::push(self.columns.len() as u64, &mut payload);
        for (name, ty) in &self.columns {
            for text in [ty, name] {
                varint::push(text.len() as u64, &mut payload);
                payload.extend_from_slice(text.as_bytes());
            }
        }
        varint::push(self.frames.len() as u64, &mut payload);
        for frame in &self.frames {
            varint::push(frame.stored_len, &mut payload);
            varint::push(frame.plain_len, &mut payload);
            varint::push(frame.rows, &mut payload);
            payload.extend_from_slice(&frame.crc32.to_le_bytes());
        }
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

    /// The index in a skippable frame; `None` if it is none or not a whole one.
    pub fn of(skippable: &Skippable) -> Option<Self> {
        let payload = skippable.payload.as_deref()?;
        Self::read(payload).filter(|_| skippable.nibble == NIBBLE)
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
        let mut at = 5;
        let number = |at: &mut usize| varint::read(body, at).ok();
        let mut index = Self::default();
        for _ in 0..number(&mut at)? {
            let mut text = || {
                let len = usize::try_from(number(&mut at)?).ok()?;
                let text = body.get(at..at.checked_add(len)?)?;
                at += len;
                Some(str::from_utf8(text).ok()?.to_owned())
            };
            let (ty, name) = (text()?, text()?);
            index.columns.push((name, ty));
        }
        for _ in 0..number(&mut at)? {
            let (stored_len, plain_len, rows) =
                (number(&mut at)?, number(&mut at)?, number(&mut at)?);
            let crc32 = u32::from_le_bytes(*body.get(at..)?.first_chunk()?);
            at += 4;
            index.frames.push(Entry {
                stored_len,
                plain_len,
                rows,
                crc32,
            });
        }
        (at == body.len()).then_some(index)
    }
}

/// All frames of a file by its indexes, from its first byte on: offset and entry. `None` if some
/// frames are in no index, or an index does not fit the file; such a file is read from the front.
///
/// Only the indexes are read; `file` is left at some place.
///
/// # Errors
/// If the file cannot be read.
pub fn locate_frames<F: Read + Seek>(file: &mut F) -> std::io::Result<Option<Vec<(u64, Entry)>>> {
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
    let mut frames = Vec::new();
    for (mut offset, index) in parts.into_iter().rev() {
        for entry in index.frames {
            frames.push((offset, entry));
            offset += entry.stored_len;
        }
    }
    Ok(Some(frames))
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

    fn sample() -> Index {
        let mut index = Index::default();
        index.join(
            [
                ("a", "i64".to_owned()),
                ("a", "utf8".to_owned()),
                ("é", "f64".to_owned()),
            ]
            .into_iter(),
        );
        index.join([("b", "bool".to_owned()), ("é", "i64".to_owned())].into_iter());
        index.frames.push(Entry {
            stored_len: 3,
            plain_len: 300,
            rows: 1 << 40,
            crc32: 7,
        });
        index.frames.push(Entry {
            stored_len: 2,
            plain_len: 0,
            rows: 0,
            crc32: u32::MAX,
        });
        index
    }

    #[test]
    fn columns_join_by_name_and_occurrence() {
        let expected = [
            ("a".to_owned(), "i64".to_owned()),
            ("a".to_owned(), "utf8".to_owned()),
            ("é".to_owned(), String::new()),
            ("b".to_owned(), "bool".to_owned()),
        ];
        assert_eq!(sample().columns, expected);
    }

    #[test]
    fn an_index_reads_back_and_no_damage_passes() {
        let written = sample().write().unwrap();
        let payload = &written[SKIPPABLE_HEADER..];
        assert_eq!(Index::read(payload), Some(sample()));
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
        let located = |bytes: Vec<u8>| locate_frames(&mut Cursor::new(bytes)).unwrap();
        let offsets = |frames: Option<Vec<(u64, Entry)>>| {
            frames.map(|frames| {
                frames
                    .into_iter()
                    .map(|(offset, _)| offset)
                    .collect::<Vec<_>>()
            })
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
