//! `mbt` turns CSV and JSON into columnar frames and back.
//!
//! Data flows one way through the layers, and each knows only the ones before it here:
//!
//! ```text
//! text bytes  <->  RecordBatch  <->  envelope bytes  <->  stream of frames
//!  (text/)          (Arrow)           (wire/)             (frame/)
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod cli;
pub mod command;
pub mod error;
pub mod frame;
pub mod pipeline;
pub mod report;
pub mod schema;
pub mod text;
pub mod wire;
