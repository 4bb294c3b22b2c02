//! Runs the command to its end.

use std::path::Path;
use std::process::{Command, Output};

/// Runs `mbt` with these arguments in a folder.
pub fn mbt(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    let command = command.current_dir(folder).args(arguments);
    command.output().unwrap()
}
