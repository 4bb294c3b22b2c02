//! The checks of fuzz targets for any bytes, and a test that runs them on the seeds.
//!
//! Each fuzz target calls one of these functions. They panic if a promise is broken; bytes that are refused are fine.

mod conversion;
mod frames;
mod grammar;
mod text;

#[path = "../../support/mend.rs"]
mod mend;
#[path = "../../support/read_all.rs"]
mod read_all;

pub use frames::{arrow, index, parquet, streams, v1, v2};
pub use grammar::{columns, schema, where_rows};
pub use text::{csv, json};
