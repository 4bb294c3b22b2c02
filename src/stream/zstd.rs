//! Headers and ends of zstd frames (RFC 8878, section 3.1.1).

use super::Codec;
use super::blocks::{BlockExtent, Header};
use crate::error::{Error, Result};

/// The most plain bytes in one block.
const BLOCK_MAX: u64 = 128 << 10;

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZstdHeader {
    len: usize,
    /// How far back a match may reach.
    pub(super) window: u64,
    content: Option<u64>,
    /// Whether a checksum of the plain bytes follows the last block.
    pub(super) checksum: bool,
}

impl Header for ZstdHeader {
    const CODEC: Codec = Codec::Zstd;
    const CONTENT_AT: u64 = 4;
    const BLOCK_HEAD: usize = 3;

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

    fn len(&self) -> usize {
        self.len
    }

    fn content(&self) -> Option<u64> {
        self.content
    }

    fn block(&self, head: &[u8]) -> Result<BlockExtent> {
        let bad = |what: &str| Err(Error::corrupt(format!("a zstd block is {what}")));
        let block = little_endian(head);
        let size = block >> 3;
        let (stored, most) = match block >> 1 & 3 {
            0 => (size, size),
            1 => (1, size),
            2 => (size, BLOCK_MAX.min(self.window)),
            _ => return bad("of the reserved type"),
        };
        if size > BLOCK_MAX {
            return bad("larger than 128 KiB");
        }
        Ok(BlockExtent {
            len: 3 + stored as usize,
            most,
            is_last: block & 1 != 0,
        })
    }

    fn checksum_len(&self) -> usize {
        if self.checksum { 4 } else { 0 }
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}
