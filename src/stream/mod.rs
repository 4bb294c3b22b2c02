//! Streams of frames: where each begins and ends, and how it is compressed.
//!
//! A stream is frames one after the other, of any kinds in any order; each frame holds one wire 1
//! envelope, as it is or compressed:
//!
//! ```text
//! stream := (frame | skippable)*
//! frame  := envelope | zstd frame | gzip member | lz4 frame
//! ```
//!
//! Reading has two steps, so that frames can be copied, stepped over or decompressed elsewhere:
//! [`StoredReader`] cuts the stream into [`StoredFrame`]s by their headers, [`StoredFrame::open`]
//! gives the plain bytes. [`FrameReader`] does both, one envelope at a time.

mod codec;
mod compress;
mod decompress;
mod fingerprint;
mod gzip;
mod index;
mod lz4;
mod read;
mod skim;
mod sniff;
mod stored;
mod zstd;

pub use codec::{Codec, Compression};
pub use compress::Compressor;
pub use decompress::Decompressor;
pub use fingerprint::{Ending, Fingerprint, Fingerprinter};
pub use index::{Entry, FrameColumn, Index, IndexColumn, Known, locate_indexes};
pub use read::{FrameReader, RawFrame, Walked, envelopes};
pub use skim::{Part, Skimmer};
pub use sniff::{Start, sniff};
pub use stored::{Item, Select, Skippable, StoredFrame, StoredReader};

use crate::error::{Error, Result};

/// How far a frame reaches, judged by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// The frame is whole and this long.
    Whole(usize),
    /// The frame has at least this many bytes, more than were given.
    Needs(usize),
}

/// Refuses `bytes` plain bytes if they are more than `limit`.
fn within(bytes: u64, limit: u64) -> Result<()> {
    if bytes <= limit {
        return Ok(());
    }
    Err(Error::limit(format!(
        "the frame holds {bytes} bytes or more, the limit is {limit}"
    ))
    .hint("raise --max-frame"))
}

/// The error for a compressed frame that ends where it must not.
fn cut_short(codec: Codec, needs: usize, has: usize) -> Error {
    let codec = codec.name();
    Error::corrupt(format!(
        "the {codec} frame is cut short: expected at least {needs} bytes, found {has}"
    ))
    .at_byte(has as u64)
}
