//! The style of a JSON text, found in its first bytes, and as metadata of frames.

mod detect;
mod options;
