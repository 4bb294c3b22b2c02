//! CSV and its relatives, in and out.

mod dialect;
mod read;
mod split;
mod write;

pub use dialect::{Dialect, detect};
pub use read::{CsvBlock, CsvOptions, CsvParser, CsvReader};
pub use split::unquote;
pub use write::{CsvWriteOptions, CsvWriter};
