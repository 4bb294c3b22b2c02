//! Batches and envelopes: the MATHLDBT wire formats.

pub mod v1;
pub mod varint;
