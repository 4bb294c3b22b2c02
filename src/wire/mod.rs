//! Batches and envelopes: the MATHLDBT wire formats.

pub mod v1;
