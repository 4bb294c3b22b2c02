//! What can be typed behind `mbt bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Messages;

/// Arguments of `mbt bench`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are flags")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Suites:
  transport   bars to frames and back, codecs, presets
  json        the same rows as JSON
  records     messages, counters, nested and bytes in five formats
  dictionary  lists of words
  alloc       allocations per operation; a gate
  pages       codecs on 4 KiB pages
  file FILE   your own file: convert, decode, print
  all         all but file

Exit status:
  0  measured, or the log is whole
  1  a gate failed or bytes did not come back; the log was edited

Examples:
  mbt bench transport pages --quick
  mbt bench file prices.csv --no-log
  mbt bench check-log bench_results.md
  mbt bench compare before.json after.json")]
pub struct Bench {
    /// What to do with entries that are there.
    #[command(subcommand)]
    pub task: Option<BenchTask>,

    /// What to measure; several, or all
    #[arg(value_name = "SUITE", required = true)]
    pub suites: Vec<String>,

    /// Samples per row at least [default: 30]
    #[arg(long, value_name = "N", help_heading = "Measuring")]
    pub samples: Option<usize>,

    /// Milliseconds per row at least [default: 300]
    #[arg(long, value_name = "MS", help_heading = "Measuring")]
    pub time: Option<u64>,

    /// Less of everything, for a look: 10 samples, 30 ms
    ///
    /// The largest sizes are left out, and a row that takes long ends with five samples.
    #[arg(long, help_heading = "Measuring")]
    pub quick: bool,

    /// Rows or terms, instead of the suite's own numbers
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        help_heading = "Measuring"
    )]
    pub rows: Option<Vec<usize>>,

    /// Only rows whose name contains TEXT; --list shows the names
    #[arg(long, value_name = "TEXT", help_heading = "Measuring")]
    pub filter: Option<String>,

    /// pages: also reads of data and of a hole in memory
    #[arg(long, help_heading = "Measuring")]
    pub ram: bool,

    /// alloc: fail at N allocations per operation
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5.0,
        help_heading = "Measuring"
    )]
    pub gate: f64,

    /// Names of the rows, nothing is measured
    #[arg(long, help_heading = "Output")]
    pub list: bool,

    /// Log to append an entry per suite to
    ///
    /// A Markdown file that only grows; a new one begins with the rules. Rows are compared with the
    /// newest entry of the same suite, machine and profile.
    #[arg(
        long,
        value_name = "PATH",
        default_value = "bench_results.md",
        help_heading = "Output"
    )]
    pub log: PathBuf,

    /// Say more in the entry; repeatable
    #[arg(long = "note", value_name = "TEXT", help_heading = "Output")]
    pub notes: Vec<String>,

    /// Append nothing to a log
    #[arg(long, conflicts_with = "log", help_heading = "Output")]
    pub no_log: bool,

    /// Print one JSON document instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Messages on stderr.
    #[command(flatten)]
    pub messages: Messages,
}

/// What can be done with entries.
#[derive(Debug, Subcommand)]
pub enum BenchTask {
    /// Check that no entry of a log was edited, and show how a row went
    CheckLog(CheckLog),
    /// Compare the rows of two entries
    Compare(Compare),
}

/// Arguments of `mbt bench check-log`.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status:
  0  all entries are as they were written
  1  an entry was edited or is not whole
  2  it is no log
  3  it cannot be read

Examples:
  mbt bench check-log bench_results.md
  mbt bench check-log bench_results.md --row 'v1 encode plain' --svg trend.svg")]
pub struct CheckLog {
    /// The log
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Show rows whose name contains TEXT, entry by entry
    #[arg(long, value_name = "TEXT")]
    pub row: Option<String>,

    /// Draw the medians of these rows over the entries
    #[arg(long, value_name = "FILE", requires = "row")]
    pub svg: Option<PathBuf>,

    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `mbt bench compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
An entry is the last of a log (bench_results.md), the Nth (bench_results.md#3),
or what --json printed (run.json; of several suites run.json#2).

Examples:
  mbt bench compare bench_results.md#3 bench_results.md
  mbt bench compare before.json after.json")]
pub struct Compare {
    /// The entry before
    #[arg(value_name = "A")]
    pub before: String,

    /// The entry after
    #[arg(value_name = "B")]
    pub after: String,

    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}
