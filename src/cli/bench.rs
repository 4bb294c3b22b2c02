//! Arguments of `mbt bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Messages;
use super::groups::{at_least_one, whole_number};

const HELP: &str = "\
Suites:
  transport   price bars to frames and back: codecs, presets
  json        the same rows as JSON
  records     messages, counters, nested and binary data in five formats
  dictionary  lists of words
  alloc       allocations per operation (needs --features count-allocations)
  pages       codecs on 4 KiB pages
  file FILE   your own file: convert, decode, print
  all         everything except file

Exit status:
  0  success
  1  a gate failed, a round trip changed bytes, or a log was edited

Examples:
  mbt bench transport pages --quick
  mbt bench file prices.csv --no-log
  mbt bench check-log bench_results.md";

/// The members of its JSON document; a test compares this with what is printed.
const JSON: &str = include_str!("json/bench.txt");

/// Arguments of `mbt bench`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
#[expect(clippy::struct_excessive_bools, reason = "flags are flags")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = HELP, after_long_help = format!("{HELP}\n\n{JSON}"))]
pub struct Bench {
    /// Work with existing entries instead of measuring.
    #[command(subcommand)]
    pub task: Option<BenchTask>,

    /// Suites to run, or all
    #[arg(value_name = "SUITE", required = true, help_heading = None::<&str>)]
    pub suites: Vec<String>,

    /// Minimum number of samples per row [default: 30]
    #[arg(long, value_name = "N", value_parser = whole_number::<usize>)]
    pub samples: Option<usize>,

    /// Minimum time per row in milliseconds [default: 300]
    #[arg(long, value_name = "MS", value_parser = whole_number::<u64>)]
    pub time: Option<u64>,

    /// Processes that measure each row [default: 3; file: 1]
    ///
    /// Speed depends on the layout of memory, which differs from process to process. The time of a row is divided among
    /// the processes; its median is the middle one of their medians, and its interval covers all of their intervals.
    #[arg(long, value_name = "N", value_parser = at_least_one, hide_short_help = true)]
    pub starts: Option<u64>,

    /// Measure only the Nth suite, for the process that asks.
    #[arg(long, hide = true)]
    pub part: Option<usize>,

    /// Quick run: 10 samples and 30 ms per row
    ///
    /// Skips the largest sizes and stops slow rows after five samples.
    #[arg(long)]
    pub quick: bool,

    /// Numbers of rows or terms, instead of the suite's own
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub rows: Option<Vec<usize>>,

    /// Run only rows whose name contains TEXT; see --list
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,

    /// pages: also time a file in /dev/shm, data and hole
    #[arg(long)]
    pub ram: bool,

    /// alloc: fail at N allocations per operation
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    pub gate: f64,

    /// List the names of the rows without measuring
    #[arg(long, help_heading = "Output")]
    pub list: bool,

    /// Log to append to
    ///
    /// A Markdown file to which one entry per suite is appended; existing text is never changed, and a new file starts
    /// with the rules. Rows are compared with the latest entry for the same suite, machine and profile.
    #[arg(
        long,
        value_name = "PATH",
        default_value = "bench_results.md",
        help_heading = "Output"
    )]
    pub log: PathBuf,

    /// Add a note to the entry; repeatable
    #[arg(long = "note", value_name = "TEXT", help_heading = "Output")]
    pub notes: Vec<String>,

    /// Do not write to a log
    #[arg(long, conflicts_with = "log", help_heading = "Output")]
    pub no_log: bool,

    /// Print one JSON document instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Messages on stderr.
    #[command(flatten)]
    pub messages: Messages,
}

/// Commands for existing entries.
#[derive(Debug, Subcommand)]
pub enum BenchTask {
    /// Check that no log entry was edited, and show a row's history
    CheckLog(CheckLog),
    /// Compare two entries row by row
    Compare(Compare),
}

const CHECK_LOG_HELP: &str = "\
Exit status:
  0  all entries are as written
  1  an entry was edited or is incomplete
  2  the file is not a log
  3  the file cannot be read

Examples:
  mbt bench check-log bench_results.md
  mbt bench check-log bench_results.md --row 'v1 encode plain' --svg trend.svg";

/// The members of its JSON document; a test compares this with what is printed.
const CHECK_LOG_JSON: &str = include_str!("json/bench_check_log.txt");

/// Arguments of `mbt bench check-log`.
#[derive(Debug, Args)]
#[command(after_help = CHECK_LOG_HELP, after_long_help = format!("{CHECK_LOG_HELP}\n\n{CHECK_LOG_JSON}"))]
pub struct CheckLog {
    /// Log file
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Show the history of rows whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    pub row: Option<String>,

    /// Plot the medians of these rows as SVG
    #[arg(long, value_name = "FILE", requires = "row")]
    pub svg: Option<PathBuf>,

    /// Replace an existing SVG file
    #[arg(long, hide_short_help = true, requires = "svg")]
    pub force: bool,

    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

const COMPARE_HELP: &str = "\
An entry is the last one of a log (bench_results.md), the Nth one
(bench_results.md#3), or a file printed by --json (run.json, or run.json#2 if it
has several suites).

Examples:
  mbt bench compare bench_results.md#3 bench_results.md
  mbt bench compare before.json after.json";

/// The members of its JSON document; a test compares this with what is printed.
const COMPARE_JSON: &str = include_str!("json/bench_compare.txt");

/// Arguments of `mbt bench compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_HELP, after_long_help = format!("{COMPARE_HELP}\n\n{COMPARE_JSON}"))]
pub struct Compare {
    /// Baseline entry
    #[arg(value_name = "A")]
    pub before: String,

    /// New entry
    #[arg(value_name = "B")]
    pub after: String,

    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}
