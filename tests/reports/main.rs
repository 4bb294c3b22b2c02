//! What commands report about data: `mbt estimate`, `bench`, `stats`, `schema` and `diff` as people run them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod diff;
mod estimate;
mod frame_sizes;
mod head;
mod json_members;
mod schema;
mod stats;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/skip.rs"]
mod skip;

use std::path::{Path, PathBuf};

/// An empty folder for the files of a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The JSON that a command prints, with its exit status.
fn json(folder: &Path, arguments: &[&str]) -> (serde_json::Value, i32) {
    let output = command::mbt(folder, arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    let document = serde_json::from_slice(&output.stdout);
    let document = document.unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{message}"));
    (document, output.status.code().unwrap())
}
