//! `mbt` turns CSV and JSON into columnar frames and back.
//!
//! Layers, from the bottom to the top; each knows only those below it:
//!
//! | module | what it is |
//! |---|---|
//! | [`error`], [`schema`], [`units`], [`varint`] | words that all layers share |
//! | [`text`] | how single values are spelled: numbers, dates, JSON strings, CSV quotes |
//! | [`columns`] | columns before and after they have a type, and the cast between types |
//! | [`filter`] | conditions on rows |
//! | [`wire`] | a batch as an envelope of bytes, in versions 1 and 2 |
//! | [`stream`] | envelopes one after the other, compressed or not, and their index |
//! | [`format`](mod@format) | CSV, JSON and Arrow, in and out |
//! | [`pipeline`] | inputs to output on all cores, in order |
//! | [`estimate`], [`report`] | a model of what data cost on a wire; tables and charts |
//! | [`command`], [`cli`], [`mod@bench`] | the command line |
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

pub mod workload;

pub mod bench;

pub mod cli;
pub mod command;
