//! The descriptions of sections in an envelope's header.

use crate::error::{Error, Result};
use crate::varint;
use crate::wire::parse::{read_byte, read_len};

/// The format of a section's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionFormat {
    /// Uncompressed.
    Plain,
    /// One lz4 block.
    Lz4,
    /// One zstd frame.
    Zstd,
    /// A codec that needs a newer version; only the columns in such sections cannot be read.
    Unknown(u8),
}

impl SectionFormat {
    /// All known formats; the position is the number.
    const KNOWN: [Self; 3] = [Self::Plain, Self::Lz4, Self::Zstd];

    /// Its number in a header.
    pub fn number(self) -> u8 {
        match self {
            Self::Plain => 0,
            Self::Lz4 => 1,
            Self::Zstd => 2,
            Self::Unknown(number) => number,
        }
    }

    fn of_number(number: u8) -> Self {
        Self::KNOWN
            .get(usize::from(number))
            .copied()
            .unwrap_or(Self::Unknown(number))
    }

    /// The error for an unknown codec.
    pub fn unsupported(self) -> Option<Error> {
        match self {
            Self::Unknown(number) => Some(Error::unsupported(format_args!(
                "codec {number} for sections"
            ))),
            Self::Plain | Self::Lz4 | Self::Zstd => None,
        }
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "none",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// The description of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionInfo {
    /// Its format.
    pub format: SectionFormat,
    /// Size before compression in bytes.
    pub plain_len: usize,
    /// Stored size in bytes.
    pub stored_len: usize,
    /// Checksum of the stored bytes.
    pub crc32: u32,
}

/// The columns that have buffers in a section, and the size of each column's share. Shares are in the order of the
/// columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// The first column.
    pub first: usize,
    /// The shares of this column and the following ones, in bytes before compression; a single share if the section has
    /// one owner.
    pub shares: Vec<usize>,
}

impl Owners {
    /// True if the section has several owners.
    pub fn are_many(&self) -> bool {
        self.shares.len() > 1
    }

    /// Adds `len` bytes to the share of a column, which must be the last owner so far or come after it.
    pub fn add(&mut self, column: usize, len: usize) {
        if self.shares.is_empty() {
            self.first = column;
        }
        self.shares.resize(column + 1 - self.first, 0);
        if let Some(share) = self.shares.last_mut() {
            *share += len;
        }
    }
}

/// Flag: the section is shared by several columns.
const SHARED: u8 = 128;

impl SectionInfo {
    /// Appends the description.
    pub fn write(self, owners: &Owners, out: &mut Vec<u8>) {
        let shared = if owners.are_many() { SHARED } else { 0 };
        out.push(self.format.number() | shared);
        varint::push(owners.first as u64, out);
        if owners.are_many() {
            varint::push(owners.shares.len() as u64, out);
        }
        for &share in &owners.shares {
            varint::push(share as u64, out);
        }
        self.write_stored(out);
    }

    /// Appends the description as in drafts of the format, where buffers name their sections.
    pub fn write_draft(self, out: &mut Vec<u8>) {
        out.push(self.format.number());
        varint::push(self.plain_len as u64, out);
        self.write_stored(out);
    }

    fn write_stored(self, out: &mut Vec<u8>) {
        if self.format != SectionFormat::Plain {
            varint::push(self.stored_len as u64, out);
        }
        out.extend(self.crc32.to_le_bytes());
    }

    /// Reads what [`Self::write`] wrote, for a frame of `columns` columns.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the bytes end early or a column is out of range.
    pub fn read(bytes: &[u8], at: &mut usize, columns: usize) -> Result<(Self, Owners)> {
        let start = *at as u64;
        let byte = read_byte(bytes, at)?;
        let first = read_len(bytes, at)?;
        let count = match byte & SHARED {
            0 => 1,
            _ => read_len(bytes, at)?,
        };
        if first + count > columns || count == 0 {
            let what = "a section belongs to a column that is not there";
            return Err(Error::corrupt(what).at_byte(start));
        }
        let shares = (0..count)
            .map(|_| read_len(bytes, at))
            .collect::<Result<Vec<_>>>()?;
        let plain_len = shares
            .iter()
            .fold(0_usize, |sum, &share| sum.saturating_add(share));
        let format = SectionFormat::of_number(byte & !SHARED);
        let section = Self::read_stored(bytes, at, format, plain_len)?;
        Ok((section, Owners { first, shares }))
    }

    /// Reads what [`Self::write_draft`] wrote.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_draft(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let start = *at as u64;
        let number = read_byte(bytes, at)?;
        let format = SectionFormat::of_number(number);
        if let SectionFormat::Unknown(_) = format {
            return Err(Error::corrupt(format!("unknown codec {number}")).at_byte(start));
        }
        let plain_len = read_len(bytes, at)?;
        Self::read_stored(bytes, at, format, plain_len)
    }

    fn read_stored(
        bytes: &[u8],
        at: &mut usize,
        format: SectionFormat,
        plain_len: usize,
    ) -> Result<Self> {
        let stored_len = match format {
            SectionFormat::Plain => plain_len,
            _ => read_len(bytes, at)?,
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
