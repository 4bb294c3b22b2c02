//! Parquet, the format in which tables rest.
//!
//! A file is row groups, in them a chunk per column, in it pages, and a footer that says where they are
//! (<https://parquet.apache.org/docs/file-format/>). The crate parquet makes pages of arrays and arrays of pages. What
//! is here cuts both into jobs: a row group is read and written by several jobs of some rows each, and a column chunk
//! by one job after the other (`format/turns.rs`), so that row groups of any size need little memory and keep all threads busy.

mod guard;
mod open;
mod source;
mod stored;
mod write;

pub use guard::is_guarded;
pub use open::open_parquet;
pub use write::parquet_writer;

use parquet::errors::ParquetError;

use crate::error::Error;

/// The first and the last bytes of a file.
pub const MAGIC: [u8; 4] = *b"PAR1";
/// The same if the footer is encrypted.
const ENCRYPTED_MAGIC: [u8; 4] = *b"PARE";

/// True for what begins like a file.
pub fn sniff(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || head.starts_with(&ENCRYPTED_MAGIC)
}

/// What the crate says is wrong with a file.
fn corrupt(error: ParquetError) -> Error {
    let what = match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(error) => return Error::io("cannot read", *error),
            Err(cause) => cause.to_string(),
        },
        other => other.to_string(),
    };
    invalid(&what)
}

/// Wraps what the crate says, without the names that it gives its errors.
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
