//! The command line: commands, options and their help, as clap structs.
//!
//! Besides clap, this only uses the names of formats, codecs and presets, and the options for messages of
//! [`crate::report`]. Values that clap cannot check by itself (sizes, ranges, single-byte
//! characters, types) stay text; the commands parse them and report mistakes. `completions/` and `man/`
//! are generated from these structs, and `tests/cli/generated.rs` checks that they are up to date.

mod bench;
mod compress;
mod connect;
mod convert;
mod diff;
pub mod estimate;
mod groups;
mod head;
mod inspect;
mod output;
pub mod reading;
mod schema;
mod stats;
mod values;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{StyledStr, ValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{
    Arg, ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
    value_parser,
};
use clap_complete::Shell;

pub use bench::{Bench, BenchTask, CheckLog, Compare};
pub use compress::{Compress, Decompress, Recoding};
pub use connect::{Connect, Connector};
pub use convert::Convert;
pub use diff::Diff;
pub use estimate::Estimate;
pub use groups::{ColumnArgs, DialectArgs, Filter, Input, Limit, RecordLimit, Sampling, Types};
pub use head::{Head, Show, Tail};
pub use inspect::{Inspect, SortKey};
pub use output::{Messages, OutputArgs, Threads, Wrap};
pub use schema::Schema;
pub use stats::Stats;
pub use values::{CodecName, EncodingName, HashName, Infer, Switch, Wire};
pub use verify::Verify;

use crate::report::When;

/// Convert CSV, JSON, Arrow and Parquet to compact columnar frames and back.
#[derive(Debug, Parser)]
#[command(
    name = "mbt",
    version = env!("MBT_VERSION"),
    long_version = concat!(env!("MBT_VERSION"), "\n\nfeatures: ", env!("MBT_FEATURES")),
    disable_help_flag = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  mbt convert prices.csv -o prices.mbt    pack a CSV file
  mbt head prices.mbt                     show its first rows as a table
  mbt convert prices.mbt --to ndjson      print it as NDJSON
  mbt convert -h                          summarize the options of a command
  mbt convert --help                      explain them

Exit status:
  0  success; also if the reader of a pipe stops early
  1  verify found damage, diff or schema a difference, or a bench gate failed
  2  bad usage or bad input
  3  reading or writing failed
130  interrupted; no partial output remains"
)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,

    /// Print help: -h a summary, --help everything
    #[arg(short, long, global = true, hide = true, action = ArgAction::Help)]
    pub help: Option<bool>,

    /// When to color messages: auto, always or never
    ///
    /// auto: on a terminal. The variables `NO_COLOR` and `CLICOLOR_FORCE` override this.
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_possible_values = true,
        hide_short_help = true,
        display_order = 901,
        help_heading = "Output"
    )]
    pub color: When,

    /// Suppress notes and progress on stderr
    #[arg(
        short,
        long,
        global = true,
        display_order = 900,
        help_heading = "Output"
    )]
    pub quiet: bool,
}

/// Parses the command line.
///
/// # Errors
/// The errors of clap. Requests for help and for the version are errors, too.
pub fn parse(args: impl Iterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let args = arguments(args);
    let matches = command_line().try_get_matches_from(&args);
    let matches = matches.map_err(|error| with_nearest_option(error, &args))?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command_line()))
}

/// Adds the option that differs in one letter from an unknown one to the error, if there is only one such
/// option. clap itself prefers longer options: for `--tp`, it suggests `--output` and not `--to`. Its other suggestion,
/// to write `-- --tp`, would make the option the name of a file.
fn with_nearest_option(mut error: clap::Error, args: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let cli = command_line();
    let mut words = args.iter().skip(1);
    let command = words.find_map(|word| cli.find_subcommand(word));
    let options = command.unwrap_or(&cli).get_arguments();
    let names = options.filter_map(Arg::get_long);
    let Some(typed) = typed.strip_prefix("--") else {
        return error;
    };
    let mut near = names.filter(|name| strsim::osa_distance(name, typed) == 1);
    if let (ErrorKind::UnknownArgument, Some(name), None) = (error.kind(), near.next(), near.next())
    {
        let suggested = ContextValue::String(format!("--{name}"));
        error.insert(ContextKind::SuggestedArg, suggested);
    }
    if command.is_some() && error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
    error
}

/// The definition of the command line. Each `-h` ends by saying where to find the options that it hides;
/// every command hides some, such as `--color`.
pub fn command_line() -> clap::Command {
    Cli::command().mut_subcommands(|command| completed(command, "mbt"))
}

/// Completes a command with the mention of its `--help`. Values that look like negative numbers are allowed,
/// since "`-1` is not a valid number" says more than "there is no option `-1`".
fn completed(command: clap::Command, parents: &str) -> clap::Command {
    let name = format!("{parents} {}", command.get_name());
    let text = |help: Option<&StyledStr>| help.map(ToString::to_string).unwrap_or_default();
    let after = text(command.get_after_help());
    let long = command.get_after_long_help().or(command.get_after_help());
    let long = text(long);
    let more = format!("{after}\n\nMore options: {name} --help");
    let command = command.after_help(more).after_long_help(long);
    let command = command.mut_args(|arg| {
        let is_number = is_number(&arg);
        arg.allow_negative_numbers(is_number)
    });
    command.mut_subcommands(|command| completed(command, &name))
}

fn is_number(arg: &Arg) -> bool {
    let numbers: [ValueParser; 4] = [
        value_parser!(i32).into(),
        value_parser!(u64).into(),
        value_parser!(usize).into(),
        value_parser!(f64).into(),
    ];
    let value = arg.get_value_parser().type_id();
    numbers.iter().any(|number| number.type_id() == value)
}

/// Replaces `-3` after `head` or `tail` by `-n 3`, which clap cannot do.
fn arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    let mut command = None;
    for arg in args {
        let text = arg.to_str().unwrap_or_default();
        let before = arguments.last().and_then(|last| last.to_str());
        let is_value = before.is_some_and(|last| TAKES_ANY_VALUE.contains(&last));
        if command.is_none() && before.is_some() && !text.starts_with('-') && !is_value {
            command = Some(["head", "tail"].contains(&text));
        }
        let number = text.strip_prefix('-').filter(|number| {
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            command == Some(true) && is_number && !is_value
        });
        match number {
            Some(number) => arguments.extend(["-n".into(), number.into()]),
            None => arguments.push(arg),
        }
    }
    arguments
}

/// Options after which `-3` is a value.
const TAKES_ANY_VALUE: [&str; 9] = [
    "-n",
    "--color",
    "--columns",
    "--delimiter",
    "--limit",
    "--null",
    "--quote",
    "--rows",
    "--where",
];

/// One command with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Convert between CSV, TSV, JSON, NDJSON, Arrow, Parquet and MATHLDBT
    Convert(Box<Convert>),
    /// Show the first rows as a table
    Head(Head),
    /// Show the last rows as a table
    Tail(Tail),
    /// Show what the columns contain: range, mean, frequent values
    Stats(Stats),
    /// Print the schema of a file, or how two schemas differ
    Schema(Schema),
    /// Compare two files by value
    Diff(Diff),
    /// Show how a file is stored: columns, encodings, sizes
    Inspect(Inspect),
    /// Check that MATHLDBT files are complete and undamaged
    Verify(Verify),
    /// Compress frames, or change their codec and level
    Compress(Compress),
    /// Decompress frames
    Decompress(Decompress),
    /// Estimate size and transfer time per format and codec over a link
    Estimate(Box<Estimate>),
    /// Benchmark this build and append the results to a log
    Bench(Box<Bench>),
    /// Print a module that connects other programs: Python, Spark
    Connect(Connect),
    /// Print a shell completion script
    Completions(Completions),
    /// Write the manual pages to a directory
    Man(Man),
}

/// Arguments of `mbt completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt completions bash > ~/.local/share/bash-completion/completions/mbt
  mbt completions zsh > ~/.zfunc/_mbt
  mbt completions fish > ~/.config/fish/completions/mbt.fish")]
pub struct Completions {
    /// Shell to print the script for
    #[arg(value_name = "SHELL")]
    pub shell: Shell,

    /// For the scripts: print completions of these columns; the names are those of the file among the words.
    #[arg(long, hide = true, allow_hyphen_values = true)]
    pub columns: Option<String>,

    /// The words typed so far.
    #[arg(last = true, hide = true, requires = "columns")]
    pub words: Vec<String>,
}

/// Arguments of `mbt man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt man pages              mbt.1, mbt-convert.1, ..., mbt-format.5
  man pages/mbt-convert.1    read one of them")]
pub struct Man {
    /// Output directory; created if it does not exist
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

#[cfg(test)]
mod tests;
