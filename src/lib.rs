//! CSV, JSON, Arrow and Parquet to columnar MATHLDBT frames and back.
//!
//! [`Reader`] opens a file or stream as an iterator of Arrow `RecordBatch`es, [`Writer`] writes batches as frames,
//! [`IndexedReader`] reads single columns of single frames, and [`encode_v1`], [`decode_v1`], [`encode_v2`] and
//! [`decode_v2`] work on slices.
//!
//! ```no_run
//! use mbt::{Preset, Reader, Writer};
//!
//! let mut writer = Writer::new(std::fs::File::create("bars.mbt").expect("writable"), Preset::Balanced);
//! for batch in Reader::open("bars.csv")? {
//!     writer.write(&batch?)?;
//! }
//! writer.finish()?;
//! # Ok::<(), mbt::Error>(())
//! ```
//!
//! The command `mbt` is built on the same modules. They are public for tests and benchmarks, hidden from this
//! documentation, and may change with any version. They form layers, listed lowest first: a module uses only
//! modules listed before it, which `tests/layers.rs` checks.
//!
//! | module | what it is |
//! |---|---|
//! | `error`, `memory`, `sync`, `varint`, `units`, `schema` | types and functions shared by all layers |
//! | `text` | parsing and printing single values: numbers, dates, JSON strings, CSV quotes |
//! | `columns` | untyped and typed columns, and the cast between types |
//! | `filter` | conditions on rows |
//! | `wire` | encoding a batch as an envelope, in versions 1 and 2 |
//! | `stream` | sequences of envelopes, compressed or not, and their index |
//! | `format` | the registry of formats, and a folder for each |
//! | `pipeline` | inputs to output on all cores, in order |
//! | `api` | the items on this page |
//! | `estimate`, `report` | a model of the cost of sending data; tables and charts |
//! | `workload`, `cli`, `bench` | sample data, the options, the benchmarks |
//! | `command` | the commands: options in, report out |
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod schema;
#[doc(hidden)]
pub mod sync;
#[doc(hidden)]
pub mod units;
#[doc(hidden)]
pub mod varint;

#[doc(hidden)]
pub mod text;

#[doc(hidden)]
pub mod columns;

#[doc(hidden)]
pub mod filter;
#[doc(hidden)]
pub mod wire;

#[doc(hidden)]
pub mod stream;

#[doc(hidden)]
pub mod format;

#[doc(hidden)]
pub mod pipeline;

mod api;

#[doc(hidden)]
pub mod estimate;

// The command `mbt`.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod bench;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod command;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod report;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod workload;

#[doc(inline)]
pub use crate::api::{IndexedReader, Reader, Writer, decode_v1, decode_v2, encode_v1, encode_v2};
#[doc(inline)]
pub use crate::error::{Error, Kind, Place, Result};
#[doc(inline)]
pub use crate::format::csv::{CommentMark, CsvOptions};
#[doc(inline)]
pub use crate::format::{Format, InputFormat};
#[doc(inline)]
pub use crate::wire::choose::Preset;
