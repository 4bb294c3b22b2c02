//! The `mbt` command: parse, run, say what went wrong, leave with the right code.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match mbt::command::run(mbt::cli::Cli::parse()) {
        Ok(outcome) => ExitCode::from(outcome.exit_code()),
        // The reader has seen enough; that is no failure.
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            // With stderr closed there is nobody left to tell but the exit code.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
