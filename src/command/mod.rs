//! The commands, one file or folder each: arguments in, data or a report out.

use crate::cli::{Cli, Command};
use crate::error::Result;
use crate::report;

pub mod aggregate;
pub mod bench;
pub mod columns;
pub mod completions;
pub mod compress;
pub mod compressed;
pub mod connect;
pub mod convert;
pub mod diff;
pub mod estimate;
pub mod head;
pub mod inspect;
pub mod joined;
pub mod man;
pub mod open;
pub mod options;
pub mod output;
pub mod partial;
pub mod reading;
mod rows;
pub mod schema;
pub mod spool;
pub mod stats;
pub mod verify;
pub mod wrapped;

/// The outcome of a command that ran without errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did what was asked.
    Done,
    /// The answer is "no": damage or a difference was found, or a gate failed.
    No,
}

impl Outcome {
    /// The outcome of a command whose answer is yes or no.
    pub fn of(yes: bool) -> Self {
        if yes { Self::Done } else { Self::No }
    }

    /// Exit code for the shell.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
        }
    }
}

/// Runs a command.
///
/// # Errors
/// Whatever stopped the command; [`crate::error::Error::exit_code`] is the exit code for it.
pub fn run(cli: Cli) -> Result<Outcome> {
    report::set_color(cli.color);
    report::set_quiet(cli.quiet);
    match cli.command {
        Command::Verify(args) => return verify::run(&args),
        Command::Schema(args) => return schema::run(&args),
        Command::Diff(args) => return diff::run(&args),
        Command::Bench(args) => return bench::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Head(args) => head::run(&args),
        Command::Tail(args) => head::tail(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Compress(args) => compress::run(&args),
        Command::Decompress(args) => compress::undo(&args),
        Command::Estimate(args) => estimate::run(&args),
        Command::Connect(args) => connect::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }?;
    Ok(Outcome::Done)
}
