//! The `mbt` command: parse, run, report the error, exit with its code.

use std::process::ExitCode;

use mbt::{cli, command, report};

mod allocator;
mod closed_stdout;

fn main() -> ExitCode {
    allocator::tune();
    if closed_stdout::was_closed() {
        report::close_stdout();
    }
    report_panics();
    let done = match cli::parse(std::env::args_os()) {
        Ok(cli) => command::run(cli).map(command::Outcome::exit_code),
        Err(error) if error.use_stderr() => error.exit(),
        // The user asked for help or the version, so a failure to print it is an error.
        Err(help) => report::print_styled(&help.render().ansi().to_string()).map(|()| 0),
    };
    ExitCode::from(done.unwrap_or_else(|error| report::failure(&error)))
}

/// Prints panics, unless they are caught and turned into errors.
fn report_panics() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A new thread panics if it gets no memory for the stack of its signal handler.
        let file = panic.location().map_or("", std::panic::Location::file);
        if file.ends_with("stack_overflow.rs") {
            allocator::refused();
        }
        if !is_guarded() {
            report(panic);
        }
    }));
}

#[cfg(feature = "parquet")]
use mbt::format::parquet::is_guarded;

#[cfg(not(feature = "parquet"))]
fn is_guarded() -> bool {
    false
}
