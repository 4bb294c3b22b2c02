//! The `mbt` command: parse, run, say what went wrong, leave with the right code.

use std::process::ExitCode;

use clap::Parser as _;
use mbt::cli::{Cli, arguments};
use mbt::{command, report};

mod allocator;
mod closed_stdout;

fn main() -> ExitCode {
    allocator::tune();
    if closed_stdout::was_closed() {
        report::close_stdout();
    }
    let done = match Cli::try_parse_from(arguments(std::env::args_os())) {
        Ok(cli) => command::run(cli).map(command::Outcome::exit_code),
        Err(error) if error.use_stderr() => error.exit(),
        // Help and the version were asked for, so it matters whether they can be written.
        Err(help) => report::print_styled(&help.render().ansi().to_string()).map(|()| 0),
    };
    ExitCode::from(done.unwrap_or_else(|error| report::failure(&error)))
}
