//! Batches and envelopes: the MATHLDBT wire formats.
//!
//! [`v1`] is the format as published. Wire 2 adds nested types, statistics and checksums, and its
//! columns are trees of [`encodings`], which [`choose`] picks.

pub mod choose;
pub mod encodings;
pub mod v1;
pub mod v2;
pub mod varint;

/// The first eight bytes of every envelope.
pub const MAGIC: [u8; 8] = *b"MATHLDBT";
