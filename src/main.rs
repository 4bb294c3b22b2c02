//! The `mbt` command: parse, run, say what went wrong, leave with the right code.

use std::process::ExitCode;

use clap::Parser as _;

mod allocator;

fn main() -> ExitCode {
    allocator::tune();
    match mbt::command::run(mbt::cli::Cli::parse()) {
        Ok(outcome) => ExitCode::from(outcome.exit_code()),
        Err(error) => ExitCode::from(mbt::report::failure(&error)),
    }
}
