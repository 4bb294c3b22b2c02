//! Batches and envelopes: the MATHLDBT wire formats.
//!
//! [`v1`] is the format as published. Version 2 adds nested types, statistics and checksums; its columns are trees of
//! [`encodings`], which [`choose`] selects. [`Envelope`] covers both.

mod byte_map;
pub mod choose;
pub mod codec;
pub mod encodings;
mod envelope;
pub mod parse;
pub mod rope;
pub mod v1;
pub mod v2;
pub mod workers;

pub use byte_map::{ByteMap, Field};
pub use envelope::{Decoder, Envelope, Scan, Scanner};

/// The default limit for the size of a frame in memory: 1 GiB.
pub const DEFAULT_MAX_FRAME: u64 = 1 << 30;

/// The first eight bytes of every envelope.
pub const MAGIC: [u8; 8] = *b"MATHLDBT";
