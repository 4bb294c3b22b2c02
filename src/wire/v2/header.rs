//! What an envelope's header says besides its columns.

use crate::error::{Error, Result};
use crate::varint;
use crate::wire::parse::{read_byte, read_len};

/// One section, as the header tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionInfo {
    /// How it is compressed: [`Self::PLAIN`], [`Self::LZ4`] or [`Self::ZSTD`].
    pub codec: u8,
    /// Bytes before compression.
    pub plain_len: usize,
    /// Bytes in the body.
    pub stored_len: usize,
    /// Of the bytes in the body.
    pub crc32: u32,
}

impl SectionInfo {
    /// The name of how it is compressed.
    pub fn codec_name(self) -> &'static str {
        match self.codec {
            Self::PLAIN => "none",
            Self::LZ4 => "lz4",
            _ => "zstd",
        }
    }

    /// Appends it.
    pub fn write(self, out: &mut Vec<u8>) {
        out.push(self.codec);
        varint::push(self.plain_len as u64, out);
        if self.codec != Self::PLAIN {
            varint::push(self.stored_len as u64, out);
        }
        out.extend(self.crc32.to_le_bytes());
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the bytes end early or there is no such codec.
    pub fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let start = *at as u64;
        let codec = read_byte(bytes, at)?;
        if codec > Self::ZSTD {
            return Err(Error::corrupt(format!("unknown codec {codec}")).at_byte(start));
        }
        let plain_len = read_len(bytes, at)?;
        let stored_len = match codec {
            Self::PLAIN => plain_len,
            _ => read_len(bytes, at)?,
        };
        let mut crc32 = [0; 4];
        for byte in &mut crc32 {
            *byte = read_byte(bytes, at)?;
        }
        Ok(Self {
            codec,
            plain_len,
            stored_len,
            crc32: u32::from_le_bytes(crc32),
        })
    }
}
