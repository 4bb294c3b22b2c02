//! Reading and writing CSV and TSV.

mod compare;
mod dialect;
mod lines;
mod open;
mod parse;
mod quoter;
mod read;
mod skipped;
mod sniff;
mod split;
mod style;
mod write;

pub use dialect::{Punctuation, detect};
pub use open::{open_csv, open_tsv};
pub use parse::CsvParser;
pub use read::{CsvBlock, CsvOptions, CsvReader};
pub use style::{CsvStyle, LineEnd, Quoted, Spaces, usual_delimiter};
pub use write::CsvWriter;
