//! Detects the style of JSON text, and stores it as metadata of frames.

mod detect;
mod options;
