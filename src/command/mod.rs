//! One file per command: arguments in, data or a report out.

use crate::cli::{Cli, Command};
use crate::error::Result;

pub mod completions;
pub mod compress;
pub mod convert;
pub mod head;
pub mod inspect;
pub mod man;
pub mod open;
pub mod options;
pub mod output;
pub mod target;

/// Runs the command that was typed.
///
/// # Errors
/// Whatever stopped the command; [`crate::error::Error::exit_code`] says how to leave.
pub fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Convert(args) => convert::run(*args),
        Command::Head(args) => head::run(args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Compress(args) => compress::run(&args),
        Command::Decompress(args) => compress::undo(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
