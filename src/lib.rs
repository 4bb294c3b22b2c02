//! `mbt` turns CSV and JSON into columnar frames and back.
//!
//! Data flows through the layers, and the pipeline moves it from one to the next; no layer knows the
//! one after it:
//!
//! ```text
//! text bytes  <->  RecordBatch  <->  envelope bytes  <->  stream of frames
//!  (text/)          (Arrow)           (wire/)             (frame/)
//! ```
//!
//! Batches come in and go out as Arrow IPC as well ([`ipc`]).
//! [`filter`] holds conditions on rows, by which the pipeline steps over what is not wanted.
//!
//! [`error`], [`schema`] and [`varint`] are words that all layers share. [`estimate`] is a model of
//! what data cost on a wire. [`command`] holds what the command line does with the [`pipeline`], one
//! file per command; [`report`] is what people read of it. [`bench`] measures all of it on data by
//! exact recipes ([`workload`]).
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod error;
pub mod schema;
pub mod varint;

pub mod text;
pub mod wire;

pub mod frame;

pub mod filter;
pub mod ipc;

pub mod pipeline;

pub mod workload;

pub mod estimate;

pub mod bench;

pub mod cli;
pub mod command;
pub mod report;
