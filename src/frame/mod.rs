//! Streams of frames: where each begins and ends.
//!
//! A stream is frames one after the other; so far every frame is a wire 1 envelope.

mod read;

pub use read::{FrameReader, RawFrame};
