//! The fixed head of an envelope: how long it is, and which features it uses.

use super::{MINOR, VERSION};
use crate::error::{Error, Result};
use crate::wire::MAGIC;

/// Bytes of the fixed head.
pub const HEAD_LEN: usize = 28;
/// Flag: the header is its plain length and one zstd frame.
pub const PACKED_HEADER: u16 = 1;
/// Flag: the frame is part of a segment, whose end follows later in the stream.
pub const PROMISES_END: u16 = 2;
/// Flag: the header says how long the description of each column is, and which columns a section belongs to, so
/// that columns can be skipped. Frames that were written before the format was final lack it.
pub const SIZED_COLUMNS: u16 = 4;
/// Flag: the frame is of the archive profile.
pub const ARCHIVE: u16 = 1 << 12;
/// Flags that a reader must know, as they change how the frame is read.
const REQUIRED: u16 = 0x0fff;
const KNOWN_FLAGS: u16 = PACKED_HEADER | PROMISES_END | SIZED_COLUMNS;

/// The fixed head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnvelopeHead {
    /// The minor version of the writer, for messages: what readers must know is in the flags.
    pub minor: u8,
    /// What the frame uses of the format, such as `PACKED_HEADER`.
    pub flags: u16,
    /// Bytes of the header as stored.
    pub header_len: u32,
    /// Bytes of the body.
    pub body_len: u64,
    /// Of the head before it and of the header as stored.
    pub crc32: u32,
}

impl EnvelopeHead {
    /// Reads the head; `None` if `bytes` do not hold all of it.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if it is not one of this version.
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

    /// Refuses features that change how the frame is read and that only newer versions know.
    pub(super) fn require_known(&self) -> Result<()> {
        let unknown = self.flags & REQUIRED & !KNOWN_FLAGS;
        if unknown == 0 {
            return Ok(());
        }
        let feature = unknown.trailing_zeros();
        let what = format!("feature {feature} of version {}.{}", VERSION, self.minor);
        Err(Error::unsupported(what).at_byte(10))
    }

    /// Bytes of the whole envelope.
    pub fn envelope_len(&self) -> u64 {
        (HEAD_LEN as u64 + u64::from(self.header_len)).saturating_add(self.body_len)
    }

    /// The 28 bytes, with the checksum of themselves and the header.
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

/// Of a head and the header as stored.
pub(super) fn checksum(head: &[u8; HEAD_LEN], header: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head[..HEAD_LEN - 4]);
    hasher.update(header);
    hasher.finalize()
}
