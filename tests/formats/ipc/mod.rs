//! Arrow IPC in and out, checked against the crate arrow-ipc and against pyarrow.

mod crate_ipc;
mod malformed;
mod pyarrow;
mod schema;
mod wire_1;

use crate::command::{BIN, run_with};

/// Runs `mbt` on `input` and returns stdout, or stderr if it fails.
pub fn try_mbt(args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let (stdout, said, code) = run_with(BIN, args, input).unwrap();
    match code {
        0 => Ok(stdout),
        2 => Err(said),
        other => panic!("{args:?} ended with {other}: {said}"),
    }
}

pub fn mbt(args: &[&str], input: &[u8]) -> Vec<u8> {
    try_mbt(args, input).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

/// `input` converted to text.
fn text(args: &[&str], input: &[u8]) -> String {
    String::from_utf8(mbt(args, input)).unwrap()
}
