//! Reading and writing CSV and TSV.

mod advice;
mod comment;
mod compare;
mod header;
mod lines;
mod open;
mod parse;
mod punctuation;
mod quoter;
mod read;
mod skipped;
mod sniff;
mod split;
mod style;
mod write;

pub use comment::CommentMark;
pub use open::{open_csv, open_tsv};
pub use punctuation::{Punctuation, detect};
pub use read::{CsvOptions, CsvReader};
pub use style::{CsvStyle, LineEnd, Quoted, Spaces, usual_delimiter};
pub use write::{BlockMemory, CsvWriter};
