//! `mbt` turns CSV and JSON into columnar frames and back.
//!
//! Layers, from the bottom to the top. A module knows those before it in this list and none after it;
//! `tests/layers.rs` checks this.
//!
//! | module | what it is |
//! |---|---|
//! | [`error`], [`varint`], [`units`], [`schema`] | types and functions that all layers share |
//! | [`text`] | how single values are written: numbers, dates, JSON strings, CSV quotes |
//! | [`columns`] | columns before and after they have a type, and the cast between types |
//! | [`filter`] | conditions on rows |
//! | [`wire`] | a batch as an envelope of bytes, in versions 1 and 2 |
//! | [`stream`] | envelopes one after the other, compressed or not, and their index |
//! | [`format`](mod@format) | CSV, JSON and Arrow, in and out |
//! | [`pipeline`] | inputs to output on all cores, in order |
//! | [`estimate`], [`report`] | a model of what it costs to send data; tables and charts |
//! | [`workload`], [`cli`], [`mod@bench`] | sample data, the options, the benchmarks |
//! | [`command`] | the commands: options in, report out |
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod error;
pub mod schema;
pub mod units;
pub mod varint;

pub mod text;

pub mod columns;

pub mod filter;
pub mod wire;

pub mod stream;

pub mod format;

pub mod pipeline;

pub mod estimate;
pub mod report;

pub mod bench;
pub mod cli;
pub mod workload;

pub mod command;
