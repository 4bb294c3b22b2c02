//! The lz4 frame format, version 1.6: header, blocks, checksums.
//!
//! <https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md>. `lz4_flex` handles the blocks themselves.

use std::hash::Hasher as _;
use std::io::Write;

use lz4_flex::block::{
    CompressTable, compress_into_with_table, decompress_into_with_dict, get_maximum_output_size,
};
use twox_hash::XxHash32;

use super::blocks::{BlockExtent, Header, header_of, wrong_size};
use super::{Codec, within};
use crate::error::{Error, Result};

const MAGIC: [u8; 4] = 0x184d_2204_u32.to_le_bytes();
/// Version 01, in the flag byte's highest bits.
const VERSION: u8 = 0b0100_0000;
const INDEPENDENT: u8 = 1 << 5;
const BLOCK_CHECKSUM: u8 = 1 << 4;
const CONTENT_SIZE: u8 = 1 << 3;
const CONTENT_CHECKSUM: u8 = 1 << 2;
const DICTIONARY: u8 = 1;
/// Flag in a block's size: the block is not compressed.
const UNCOMPRESSED: u32 = 1 << 31;
/// The class of the largest blocks.
const LARGEST: u8 = 7;
/// How far back a match may reach.
const WINDOW: usize = 64 << 10;

fn hash(bytes: &[u8]) -> u32 {
    XxHash32::oneshot(0, bytes)
}

/// The checksum of the header: the second byte of its hash.
fn header_hash(descriptor: &[u8]) -> u8 {
    hash(descriptor).to_le_bytes()[1]
}

/// The largest block of size class 4 to 7: 64 KiB, 256 KiB, 1 MiB or 4 MiB.
fn block_max(class: u8) -> usize {
    1 << (8 + 2 * class)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// A frame header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lz4Header {
    len: usize,
    flags: u8,
    block_max: usize,
    content: Option<u64>,
}

impl Header for Lz4Header {
    const CODEC: Codec = Codec::Lz4;
    const CONTENT_AT: u64 = 6;
    const BLOCK_HEAD: usize = 4;

    fn read(bytes: &[u8]) -> Result<std::result::Result<Self, usize>> {
        let &[flags, block, ..] = bytes.get(4..).unwrap_or_default() else {
            return Ok(Err(7));
        };
        let corrupt = |what: &str, at| Err(Error::corrupt(what).at_byte(at));
        if flags & 0b1100_0010 != VERSION {
            return corrupt("the lz4 frame has an unknown version", 4);
        }
        if flags & DICTIONARY != 0 {
            return corrupt("the lz4 frame needs a dictionary", 4);
        }
        if block & 0b1000_1111 != 0 || block >> 4 < 4 {
            return corrupt("the lz4 frame has blocks of an unknown size", 5);
        }
        let size_len = if flags & CONTENT_SIZE != 0 { 8 } else { 0 };
        let len = 7 + size_len;
        let Some(fields) = bytes.get(4..len) else {
            return Ok(Err(len));
        };
        let (descriptor, check) = fields.split_at(2 + size_len);
        if check != [header_hash(descriptor)] {
            return corrupt(
                "the checksum of the lz4 header does not match",
                len as u64 - 1,
            );
        }
        let content = descriptor[2..].try_into().map(u64::from_le_bytes).ok();
        Ok(Ok(Self {
            len,
            flags,
            block_max: block_max(block >> 4),
            content,
        }))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn content(&self) -> Option<u64> {
        self.content
    }

    fn block(&self, head: &[u8]) -> Result<BlockExtent> {
        let size = u32_at(head, 0).unwrap_or(0);
        let len = (size & !UNCOMPRESSED) as usize;
        if len > self.block_max {
            let what = "an lz4 block is larger than the header allows";
            return Err(Error::corrupt(what));
        }
        let is_last = size == 0;
        let has_checksum = self.has(BLOCK_CHECKSUM) && !is_last;
        Ok(BlockExtent {
            len: 4 + len + if has_checksum { 4 } else { 0 },
            most: if is_last { 0 } else { self.block_max as u64 },
            is_last,
        })
    }

    fn checksum_len(&self) -> usize {
        if self.has(CONTENT_CHECKSUM) { 4 } else { 0 }
    }
}

impl Lz4Header {
    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// True if the contents are under a checksum.
    pub(super) fn has_checksum(&self) -> bool {
        self.has(CONTENT_CHECKSUM | BLOCK_CHECKSUM)
    }
}

/// Decompresses one whole frame into `out`, which must be empty. Stops after the block that makes it `enough` bytes,
/// without checking what follows.
pub(super) fn decompress(
    stored: &[u8],
    limit: u64,
    enough: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    let header: Lz4Header = header_of(stored, limit)?;
    out.reserve((header.content.unwrap_or(0) as usize).min(enough));
    let mut at = header.len;
    while let Some(size) = u32_at(stored, at).filter(|&size| size != 0) {
        let len = (size & !UNCOMPRESSED) as usize;
        let block = &stored[at + 4..at + 4 + len];
        if header.has(BLOCK_CHECKSUM) {
            let end = at + 4 + len;
            if u32_at(stored, end) != Some(hash(block)) {
                return Err(checksum("of an lz4 block", end));
            }
            at += 4;
        }
        if size & UNCOMPRESSED != 0 {
            out.extend_from_slice(block);
        } else {
            decompress_block(block, &header, limit, out)
                .map_err(|error| error.at_byte(at as u64))?;
        }
        within(out.len() as u64, limit)?;
        if out.len() >= enough {
            return Ok(());
        }
        at += 4 + len;
    }
    if let Some(content) = header
        .content
        .filter(|&content| content != out.len() as u64)
    {
        return Err(wrong_size::<Lz4Header>(content, out.len() as u64));
    }
    if header.has(CONTENT_CHECKSUM) && u32_at(stored, at + 4) != Some(hash(out)) {
        return Err(checksum("of the lz4 frame", at + 4));
    }
    Ok(())
}

fn decompress_block(block: &[u8], header: &Lz4Header, limit: u64, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    // One byte above the limit is enough to detect that there are too many. A correct content size is exact.
    let limit = header.content.unwrap_or(limit.saturating_add(1));
    let left = usize::try_from(limit).unwrap_or(usize::MAX) - start;
    out.resize(start + left.min(header.block_max), 0);
    let (before, room) = out.split_at_mut(start);
    let window = if header.has(INDEPENDENT) {
        &[]
    } else {
        &before[start.saturating_sub(WINDOW)..]
    };
    match decompress_into_with_dict(block, room, window) {
        Ok(len) => {
            out.truncate(start + len);
            Ok(())
        }
        Err(_) if header.content.is_none() && left < header.block_max => within(limit, limit - 1),
        Err(error) => Err(Error::corrupt(format!(
            "cannot decompress an lz4 block: {error}"
        ))),
    }
}

fn checksum(what: &str, at: usize) -> Error {
    Error::corrupt(format!("the checksum {what} does not match")).at_byte(at as u64)
}

/// Writes frames, reusing its table.
pub(super) struct Lz4Encoder {
    /// Always the large table: the choice must not depend on earlier frames.
    table: CompressTable,
    block: Vec<u8>,
}

impl Lz4Encoder {
    pub(super) fn new() -> Self {
        Self {
            table: CompressTable::large(),
            block: Vec::new(),
        }
    }

    /// Appends one frame of independent blocks, with content size and content checksum.
    pub(super) fn frame(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let class = (4..LARGEST)
            .find(|&class| plain.len() <= block_max(class))
            .unwrap_or(LARGEST);
        begin(class, Some(plain.len() as u64), out);
        for piece in plain.chunks(block_max(class)) {
            self.block(piece, out)?;
        }
        end(hash(plain), out);
        Ok(())
    }

    fn block(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.block.resize(get_maximum_output_size(piece.len()), 0);
        let len = compress_into_with_table(piece, &mut self.block, &mut self.table)
            .map_err(|error| Error::input(format!("cannot compress with lz4: {error}")))?;
        let (size, block) = if len < piece.len() {
            (len as u32, &self.block[..len])
        } else {
            (piece.len() as u32 | UNCOMPRESSED, piece)
        };
        out.extend_from_slice(&size.to_le_bytes());
        out.extend_from_slice(block);
        Ok(())
    }
}

/// Appends the header of a frame of independent blocks.
fn begin(class: u8, content: Option<u64>, out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC);
    let descriptor_start = out.len();
    let size = if content.is_some() { CONTENT_SIZE } else { 0 };
    out.push(VERSION | INDEPENDENT | CONTENT_CHECKSUM | size);
    out.push(class << 4);
    out.extend(content.iter().flat_map(|len| len.to_le_bytes()));
    out.push(header_hash(&out[descriptor_start..]));
}

/// Appends the end of a frame.
fn end(content_hash: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&0_u32.to_le_bytes());
    out.extend_from_slice(&content_hash.to_le_bytes());
}

/// Writes a long text as one frame, with the same blocks as in a frame that states the length.
pub struct Lz4Writer<W> {
    target: W,
    encoder: Lz4Encoder,
    /// The start of the next block.
    pending: Vec<u8>,
    hash: XxHash32,
    out: Vec<u8>,
}

impl<W: Write> Lz4Writer<W> {
    /// Starts a frame.
    pub fn new(target: W) -> Self {
        let mut out = Vec::new();
        begin(LARGEST, None, &mut out);
        Self {
            target,
            encoder: Lz4Encoder::new(),
            pending: Vec::new(),
            hash: XxHash32::with_seed(0),
            out,
        }
    }

    /// The target.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.target
    }

    /// Ends the frame and returns the target.
    ///
    /// # Errors
    /// If the target cannot be written, or a block cannot be compressed.
    pub fn finish(mut self) -> std::io::Result<W> {
        if !self.pending.is_empty() {
            self.end_block()?;
        }
        end(self.hash.finish_32(), &mut self.out);
        self.target.write_all(&self.out)?;
        Ok(self.target)
    }

    fn end_block(&mut self) -> std::io::Result<()> {
        let compressed = self.encoder.block(&self.pending, &mut self.out);
        compressed.map_err(std::io::Error::other)?;
        self.hash.write(&self.pending);
        self.pending.clear();
        self.target.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}

impl<W: Write> Write for Lz4Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = block_max(LARGEST) - self.pending.len();
        let taken = room.min(bytes.len());
        self.pending.extend_from_slice(&bytes[..taken]);
        if taken == room {
            self.end_block()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
