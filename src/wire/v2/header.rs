//! What an envelope's header says about sections.

use crate::error::{Error, Result};
use crate::varint;
use crate::wire::codec::Codec;
use crate::wire::parse::{read_byte, read_len};

/// How the bytes of a section are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionFormat {
    /// As they are.
    Plain,
    /// One lz4 block.
    Lz4,
    /// One zstd frame.
    Zstd,
}

impl SectionFormat {
    /// Every format at the place of its number.
    const ALL: [Self; 3] = [Self::Plain, Self::Lz4, Self::Zstd];

    /// Its number in a header.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The codec that made it.
    pub fn codec(self) -> Codec {
        match self {
            Self::Plain => Codec::None,
            Self::Lz4 => Codec::Lz4,
            Self::Zstd => Codec::Zstd,
        }
    }
}

/// One section, as the header describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionInfo {
    /// How it is stored.
    pub format: SectionFormat,
    /// Bytes before compression.
    pub plain_len: usize,
    /// Bytes in the body.
    pub stored_len: usize,
    /// Of the bytes in the body.
    pub crc32: u32,
}

impl SectionInfo {
    /// Appends it.
    pub fn write(self, out: &mut Vec<u8>) {
        out.push(self.format.number());
        varint::push(self.plain_len as u64, out);
        if self.format != SectionFormat::Plain {
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
        let number = read_byte(bytes, at)?;
        let format = SectionFormat::ALL.get(usize::from(number)).copied();
        let format = format
            .ok_or_else(|| Error::corrupt(format!("unknown codec {number}")).at_byte(start))?;
        let plain_len = read_len(bytes, at)?;
        let stored_len = match format {
            SectionFormat::Plain => plain_len,
            SectionFormat::Lz4 | SectionFormat::Zstd => read_len(bytes, at)?,
        };
        let mut crc32 = [0; 4];
        for byte in &mut crc32 {
            *byte = read_byte(bytes, at)?;
        }
        Ok(Self {
            format,
            plain_len,
            stored_len,
            crc32: u32::from_le_bytes(crc32),
        })
    }
}
