//! Streams of frames: finding each frame, and compressing and decompressing it.
//!
//! A stream is a sequence of frames of any kinds in any order. Each frame contains one envelope, which may be
//! compressed if it is of version 1:
//!
//! ```text
//! stream := (frame | index | skippable)*
//! frame  := envelope | zstd frame | gzip member | lz4 frame
//! ```
//!
//! Reading takes two steps, so that frames can be copied, skipped, or decompressed on other threads: [`FrameReader`]
//! cuts the stream into [`StoredFrame`]s by their headers, and [`FrameOpener`] returns their plain bytes and envelopes.

mod blocks;
mod codec;
mod compress;
mod decompress;
mod fingerprint;
mod frame;
mod gzip;
mod index;
mod lz4;
mod reader;
mod sniff;
mod zstd;

pub use codec::{Checksum, Codec, Compression};
pub use compress::Compressor;
pub use decompress::Decompressor;
pub use fingerprint::{Ending, Fingerprint, Fingerprinter, Hash, HashKind};
pub use frame::{Contents, FrameOpener, Listed, OpenFrame, StoredFrame, Walked, envelopes};
pub use index::{
    Entry, FrameColumn, FramePlace, Index, IndexColumn, IndexType, Known, locate_indexes,
};
pub use lz4::Lz4Writer;
pub use reader::{
    FrameReader, Item, SegmentEnd, Select, Skippable, Upcoming, Wanted, first_header,
};
pub use sniff::{SKIPPABLE_HEADER, Start, skippable_header, sniff};

use crate::error::{Error, Result};

/// An error if a frame's `bytes` plain bytes exceed `limit`.
fn within(bytes: u64, limit: u64) -> Result<()> {
    if bytes <= limit {
        return Ok(());
    }
    Err(Error::limit(format!(
        "the frame holds {bytes} bytes or more, the limit is {limit}"
    ))
    .hint("raise --max-frame"))
}

/// The error for a compressed frame that ends early.
fn cut_short(codec: Codec, needs: usize, has: usize) -> Error {
    let codec = codec.name();
    Error::corrupt(format!(
        "the {codec} frame is cut short: expected at least {needs} bytes, found {has}"
    ))
    .at_byte(has as u64)
}
