//! Parquet, the common format for storing tables.
//!
//! A file consists of row groups, which have one chunk per column, which consists of pages; a footer has their
//! positions (<https://parquet.apache.org/docs/file-format/>). The crate parquet converts between pages and arrays.
//! This module divides the work into jobs: several jobs read or write a row group, each a range of its rows, and take
//! turns with each column chunk (`format/turns.rs`). So row groups of any size need little memory and keep all threads
//! busy.

mod column_chunk;
mod footer;
mod guard;
mod legacy;
mod open;
mod open_column;
mod source;
mod statistics;
mod stored;
mod write;

pub use footer::read_footer;
pub use guard::is_guarded;
pub use open::open_parquet;
pub use write::parquet_writer;

use std::io::ErrorKind;

use parquet::errors::ParquetError;

use crate::error::Error;

/// The first and the last bytes of a file.
pub const MAGIC: [u8; 4] = *b"PAR1";
/// The magic of a file with an encrypted footer.
const ENCRYPTED_MAGIC: [u8; 4] = *b"PARE";

/// True for the first bytes of a file. The first column of a table may be called PAR1 or PARENT as well, but what follows
/// the magic of a file contains a control character: page headers and footers begin with one, and the length of an
/// encrypted part ends with 0.
pub fn sniff(head: &[u8]) -> bool {
    let magics = [MAGIC, ENCRYPTED_MAGIC];
    let rest = magics.iter().find_map(|magic| head.strip_prefix(magic));
    let is_binary = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    rest.is_some_and(|rest| rest.iter().take(size_of::<u32>()).any(is_binary))
}

/// Converts an error of the crate.
fn corrupt(error: ParquetError) -> Error {
    let what = match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(error) if error.kind() == ErrorKind::InvalidData => error.to_string(),
            Ok(error) => return Error::io("cannot read", *error),
            Err(cause) => cause.to_string(),
        },
        other => other.to_string(),
    };
    invalid(&what)
}

/// The message of the crate without the names of its errors.
fn invalid(what: &str) -> Error {
    let names = [
        "Parquet argument error: ",
        "Parquet error: ",
        "Arrow: ",
        "EOF: ",
        "External: ",
    ];
    let mut what = what;
    while let Some(rest) = names.iter().find_map(|name| what.strip_prefix(name)) {
        what = rest;
    }
    Error::corrupt(format!("invalid Parquet data: {what}"))
}
