//! Arrow IPC in and out, checked against the crate arrow-ipc and against pyarrow.

mod crate_ipc;
mod malformed;
mod pyarrow;
mod schema;
mod wire_1;

use std::io::Write;
use std::process::{Command, Stdio};

pub const BIN: &str = env!("CARGO_BIN_EXE_mbt");

/// Runs `mbt` on `input` and returns stdout, or stderr if it fails.
pub fn try_mbt(args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(BIN)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // It may stop reading early.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => Ok(output.stdout),
        Some(2) => Err(said),
        other => panic!("{args:?} ended with {other:?}: {said}"),
    }
}

pub fn mbt(args: &[&str], input: &[u8]) -> Vec<u8> {
    try_mbt(args, input).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

/// `input` converted to text.
fn text(args: &[&str], input: &[u8]) -> String {
    String::from_utf8(mbt(args, input)).unwrap()
}
