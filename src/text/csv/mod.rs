//! CSV and its relatives: cells between delimiters, quoted where RFC 4180 asks for it.

mod write;

pub use write::{CsvWriteOptions, CsvWriter};
