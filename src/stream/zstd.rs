//! Headers and ends of zstd frames (RFC 8878, section 3.1.1).

use super::{Codec, Extent, cut_short, within};
use crate::error::{Error, Result};

/// The most plain bytes in one block.
const BLOCK_MAX: u64 = 128 << 10;

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Number of bytes of the header, including the magic.
    len: usize,
    /// How far back a match may reach.
    pub(super) window: u64,
    /// Number of plain bytes, if the header states it.
    pub(super) content: Option<u64>,
    /// Whether a checksum of the plain bytes follows the last block.
    pub(super) checksum: bool,
}

impl Header {
    /// Reads a header, or returns how many bytes that needs.
    fn read(bytes: &[u8]) -> Result<std::result::Result<Self, usize>> {
        let Some(&descriptor) = bytes.get(4) else {
            return Ok(Err(5));
        };
        if descriptor & 0x08 != 0 {
            return Err(Error::corrupt("the reserved bit of the zstd header is set").at_byte(4));
        }
        let single_segment = descriptor & 0x20 != 0;
        let window_len = usize::from(!single_segment);
        let dictionary_len = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let content_len = match descriptor >> 6 {
            0 => usize::from(single_segment),
            flag => 1 << flag,
        };
        let len = 5 + window_len + dictionary_len + content_len;
        let Some(fields) = bytes.get(5..len) else {
            return Ok(Err(len));
        };
        let (window, fields) = fields.split_at(window_len);
        let (dictionary, content) = fields.split_at(dictionary_len);
        if dictionary.iter().any(|&byte| byte != 0) {
            return Err(Error::corrupt("the zstd frame needs a dictionary").at_byte(4));
        }
        let content = match content_len {
            0 => None,
            // The two-byte size has an offset of 256.
            2 => Some(little_endian(content) + 256),
            _ => Some(little_endian(content)),
        };
        let window = match (window, content) {
            ([window], _) => {
                let base = 1_u64 << (10 + (window >> 3));
                base + base / 8 * u64::from(window & 7)
            }
            (_, content) => content.unwrap_or(0),
        };
        Ok(Ok(Self {
            len,
            window,
            content,
            checksum: descriptor & 0x04 != 0,
        }))
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Walks one frame as its bytes arrive.
#[derive(Debug, Default)]
pub(super) struct Walker {
    header: Option<Header>,
    /// Where the next block header is, or the end once the last block has been seen.
    at: usize,
    last_seen: bool,
    /// The most plain bytes that the blocks so far can contain.
    most: u64,
}

impl Walker {
    /// Continues with all bytes of the frame that have arrived. Refuses a content size above `limit`.
    pub(super) fn walk(&mut self, bytes: &[u8], limit: u64) -> Result<Extent> {
        let header = match self.header {
            Some(header) => header,
            None => match Header::read(bytes)? {
                Ok(header) => {
                    within(header.content.unwrap_or(0), limit)?;
                    self.at = header.len;
                    *self.header.insert(header)
                }
                Err(needs) => return Ok(Extent::Needs(needs)),
            },
        };
        while !self.last_seen {
            let Some(&[a, b, c]) = bytes.get(self.at..self.at + 3) else {
                return Ok(Extent::Needs(self.at + 3));
            };
            let block = u32::from_le_bytes([a, b, c, 0]);
            let size = block >> 3;
            let (stored, plain) = match block >> 1 & 3 {
                0 => (size as usize, u64::from(size)),
                1 => (1, u64::from(size)),
                2 => (size as usize, BLOCK_MAX.min(header.window)),
                _ => return Err(self.bad_block("of the reserved type")),
            };
            if u64::from(size) > BLOCK_MAX {
                return Err(self.bad_block("larger than 128 KiB"));
            }
            self.most += plain;
            self.at += 3 + stored;
            self.last_seen = block & 1 != 0;
        }
        let end = self.at + if header.checksum { 4 } else { 0 };
        if end > bytes.len() {
            return Ok(Extent::Needs(end));
        }
        Ok(Extent::Whole(end))
    }

    fn bad_block(&self, what: &str) -> Error {
        Error::corrupt(format!("a zstd block is {what}")).at_byte(self.at as u64)
    }

    /// The header, once it has been walked.
    pub(super) fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }
}

/// Reads the headers of `stored`, which must be exactly one frame.
///
/// Refuses a content size that the blocks cannot contain, so that callers may allocate it.
pub(super) fn read_headers(stored: &[u8], limit: u64) -> Result<Header> {
    let mut walker = Walker::default();
    let end = match walker.walk(stored, limit)? {
        Extent::Whole(end) => end,
        Extent::Needs(needs) => return Err(cut_short(Codec::Zstd, needs, stored.len())),
    };
    let header = walker
        .header
        .filter(|_| end == stored.len())
        .ok_or_else(|| Error::corrupt("bytes follow the zstd frame").at_byte(end as u64))?;
    if let Some(content) = header.content.filter(|&content| content > walker.most) {
        return Err(Error::corrupt(format!(
            "the zstd frame declares {content} bytes, but its blocks hold at most {}",
            walker.most
        ))
        .at_byte(4));
    }
    Ok(header)
}
