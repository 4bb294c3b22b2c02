//! CSV in and out.

mod dialect;
mod read;
mod split;

pub use dialect::{Dialect, detect};
pub use read::{CsvBlock, CsvOptions, CsvParser, CsvReader};
pub use split::unquote;
