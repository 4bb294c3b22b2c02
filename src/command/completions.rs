//! `mbt completions`: prints a shell completion script.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::{Cli, Completions};
use crate::error::Result;
use crate::report;

/// Prints the script for the given shell.
///
/// # Errors
/// [`crate::error::Kind::Io`] if stdout cannot be written.
pub fn run(args: &Completions) -> Result<()> {
    report::print(&script(args.shell))
}

/// The script for `shell`, as in `completions/`.
pub fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mbt", &mut script);
    script
}
