//! Batches and envelopes: the MATHLDBT wire formats.

pub mod rope;
pub mod v1;
pub mod varint;
