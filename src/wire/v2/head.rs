//! The fixed head of an envelope: its length and features.

use super::{MINOR, VERSION};
use crate::error::{Error, Result};
use crate::wire::MAGIC;

/// Size of the fixed head in bytes.
pub const HEAD_LEN: usize = 28;
/// Flag: the header is its plain length and one zstd frame.
pub const PACKED_HEADER: u16 = 1;
/// Flag: the frame is part of a segment, whose end follows later in the stream.
pub const PROMISES_END: u16 = 2;
/// Flag: the header has the length of each column's description and the owners of each section, so that columns can be
/// skipped. Not set in frames written before the format was final.
pub const SIZED_COLUMNS: u16 = 4;
/// Flag: the frame is of the archive profile.
pub const ARCHIVE: u16 = 1 << 12;
/// Flags that a reader must know, since they change how the frame is read.
const REQUIRED: u16 = 0x0fff;
const KNOWN_FLAGS: u16 = PACKED_HEADER | PROMISES_END | SIZED_COLUMNS;

/// The fixed head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnvelopeHead {
    /// The minor version of the writer, for messages; required features are in the flags.
    pub minor: u8,
    /// The features that the frame uses, such as `PACKED_HEADER`.
    pub flags: u16,
    /// Stored size of the header in bytes.
    pub header_len: u32,
    /// Size of the body in bytes.
    pub body_len: u64,
    /// Checksum of the head before it and of the stored header.
    pub crc32: u32,
}

impl EnvelopeHead {
    /// Reads the head; `None` if `bytes` do not contain all of it.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if it is not a version 2 head.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let Some(head) = bytes.first_chunk::<HEAD_LEN>() else {
            return Ok(None);
        };
        let number = |from: usize, len: usize| {
            let mut number = [0; 8];
            number[..len].copy_from_slice(&head[from..from + len]);
            u64::from_le_bytes(number)
        };
        if !super::is_envelope(head) {
            return Err(Error::corrupt("this is not a wire 2 envelope").at_byte(0));
        }
        Ok(Some(Self {
            minor: head[9],
            flags: number(10, 2) as u16,
            header_len: number(12, 4) as u32,
            body_len: number(16, 8),
            crc32: number(24, 4) as u32,
        }))
    }

    /// Refuses required features that need a newer version.
    pub(super) fn require_known(&self) -> Result<()> {
        let unknown = self.flags & REQUIRED & !KNOWN_FLAGS;
        if unknown == 0 {
            return Ok(());
        }
        let feature = unknown.trailing_zeros();
        let what = format!("feature {feature} of version {}.{}", VERSION, self.minor);
        Err(Error::unsupported(what).at_byte(10))
    }

    /// Size of the whole envelope in bytes.
    pub fn envelope_len(&self) -> u64 {
        (HEAD_LEN as u64 + u64::from(self.header_len)).saturating_add(self.body_len)
    }

    /// The 28 bytes of a head, including the checksum of head and header.
    pub fn write(flags: u16, header: &[u8], body_len: u64) -> Result<[u8; HEAD_LEN]> {
        let header_len = u32::try_from(header.len())
            .map_err(|_| Error::limit("the header is larger than 4 GiB"))?;
        let mut head = [0; HEAD_LEN];
        head[..8].copy_from_slice(&MAGIC);
        head[8] = VERSION as u8;
        head[9] = MINOR;
        head[10..12].copy_from_slice(&flags.to_le_bytes());
        head[12..16].copy_from_slice(&header_len.to_le_bytes());
        head[16..24].copy_from_slice(&body_len.to_le_bytes());
        let crc32 = checksum(&head, header);
        head[24..].copy_from_slice(&crc32.to_le_bytes());
        Ok(head)
    }
}

/// The checksum of a head and the stored header.
pub(super) fn checksum(head: &[u8; HEAD_LEN], header: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head[..HEAD_LEN - 4]);
    hasher.update(header);
    hasher.finalize()
}
