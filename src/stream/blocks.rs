//! Compressed frames that are a header, blocks and perhaps a checksum, as in lz4 and zstd.

use super::{Codec, cut_short, within};
use crate::error::{Error, Result};

/// The header of a frame.
pub(super) trait Header: Copy {
    /// The codec of the frame.
    const CODEC: Codec;
    /// The offset of the bytes that state the content size, if there are any.
    const CONTENT_AT: u64;
    /// Number of bytes before each block that state its size.
    const BLOCK_HEAD: usize;

    /// Reads a header, or returns how many bytes that needs.
    fn read(bytes: &[u8]) -> Result<std::result::Result<Self, usize>>;

    /// Number of bytes of the header, including the magic.
    fn len(&self) -> usize;

    /// Number of plain bytes, if the header states it.
    fn content(&self) -> Option<u64>;

    /// Reads the bytes before a block.
    fn block(&self, head: &[u8]) -> Result<BlockExtent>;

    /// Number of bytes of the checksum after the last block.
    fn checksum_len(&self) -> usize;
}

/// The extent of a block.
pub(super) struct BlockExtent {
    /// Its length in bytes, including the size field.
    pub(super) len: usize,
    /// The most plain bytes that it can contain.
    pub(super) most: u64,
    pub(super) is_last: bool,
}

/// The extent of a frame, as far as it is known from the bytes so far.
pub(super) enum Extent<H> {
    /// The frame is complete, with this header and this many bytes.
    Whole(H, usize),
    /// The frame has at least this many bytes, more than were given.
    Needs(usize),
}

/// Walks one frame as its bytes arrive.
#[derive(Debug)]
pub(super) struct BlockWalker<H> {
    header: Option<H>,
    /// Where the next block is, or the end of the last one.
    at: usize,
    is_past_last: bool,
    /// The most plain bytes that the blocks so far can contain.
    most: u64,
}

impl<H: Header> BlockWalker<H> {
    pub(super) fn new() -> Self {
        Self {
            header: None,
            at: 0,
            is_past_last: false,
            most: 0,
        }
    }

    /// Continues with all bytes of the frame that have arrived. Refuses a content size above `limit`.
    pub(super) fn walk(&mut self, bytes: &[u8], limit: u64) -> Result<Extent<H>> {
        let header = match self.header {
            Some(header) => header,
            None => match H::read(bytes)? {
                Ok(header) => {
                    within(header.content().unwrap_or(0), limit)?;
                    self.at = header.len();
                    *self.header.insert(header)
                }
                Err(needs) => return Ok(Extent::Needs(needs)),
            },
        };
        while !self.is_past_last {
            let end = self.at + H::BLOCK_HEAD;
            let Some(head) = bytes.get(self.at..end) else {
                return Ok(Extent::Needs(end));
            };
            let block = header
                .block(head)
                .map_err(|error| error.at_byte(self.at as u64))?;
            self.at += block.len;
            self.most += block.most;
            self.is_past_last = block.is_last;
        }
        let end = self.at + header.checksum_len();
        Ok(if end > bytes.len() {
            Extent::Needs(end)
        } else {
            Extent::Whole(header, end)
        })
    }
}

/// The header of `stored`, which must be exactly one frame.
///
/// Refuses a content size that the blocks cannot contain, so that callers may allocate it.
pub(super) fn header_of<H: Header>(stored: &[u8], limit: u64) -> Result<H> {
    let mut walker = BlockWalker::<H>::new();
    let (header, end) = match walker.walk(stored, limit)? {
        Extent::Whole(header, end) => (header, end),
        Extent::Needs(needs) => return Err(cut_short(H::CODEC, needs, stored.len())),
    };
    if end < stored.len() {
        let what = format!("bytes follow the {} frame", H::CODEC.name());
        return Err(Error::corrupt(what).at_byte(end as u64));
    }
    match header.content() {
        Some(content) if content > walker.most => Err(wrong_size::<H>(content, walker.most)),
        _ => Ok(header),
    }
}

/// The error for a frame whose header states a wrong content size.
pub(super) fn wrong_size<H: Header>(says: u64, holds: u64) -> Error {
    let codec = H::CODEC.name();
    let what =
        format!("the {codec} frame declares {says} bytes, but its blocks hold at most {holds}");
    Error::corrupt(what).at_byte(H::CONTENT_AT)
}
