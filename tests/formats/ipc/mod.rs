//! Arrow IPC in and out, checked against the crate arrow-ipc and against pyarrow.

mod crate_ipc;
mod malformed;
mod pyarrow;
mod schema;
mod wire_1;

use crate::chance::Random;
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

/// Changes a few bytes of one of the inputs, again and again.
pub fn answer_to_changes(inputs: &[Vec<u8>], args: &[&str]) {
    let mut random = Random(1);
    for _ in 0..150 {
        let mut bytes = inputs[random.below(inputs.len())].clone();
        for _ in 0..=random.below(3) {
            let place = random.below(bytes.len());
            bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)];
        }
        // `try_mbt` panics for exit codes other than 0 and 2.
        let _ = try_mbt(args, &bytes);
    }
}

/// `input` converted to text.
fn text(args: &[&str], input: &[u8]) -> String {
    String::from_utf8(mbt(args, input)).unwrap()
}
