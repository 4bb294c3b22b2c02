//! CSV and its relatives, in and out.

mod compare;
mod dialect;
mod quoter;
mod read;
mod sniff;
mod split;
mod style;
mod write;

pub use dialect::{Dialect, detect};
pub use read::{CsvBlock, CsvOptions, CsvParser, CsvReader};
pub use split::unquote;
pub use style::{CsvStyle, LineEnd, Quoted, Spaces};
pub use write::CsvWriter;
