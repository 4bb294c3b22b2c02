//! Arguments of `mbt stats`.

use std::path::PathBuf;

use clap::Args;

use super::Threads;
use super::groups::whole_number;
use super::reading::Reading;

const HELP: &str = "\
Values are compared by what they mean: 1.50 and 1.5 are one value. Up to 8,192
different values are counted exactly; more are estimated (≈), with a standard
error of 1.6 %. Quantiles and the histogram are those of a sample of 8,192 rows
(≈), the same in every run. bytes: the size of the column as stored in the file
or, for other formats, as `mbt convert` would store it. Fields of structs are
columns of their own. Text is read three times, and pipes are copied first.

Examples:
  mbt stats bars.csv
  mbt stats --columns price,volume --where 'volume > 0' bars.mbt
  mbt stats --quick bars.mbt       what is known without reading the values
  mbt stats --json *.mbt";

/// The members of its JSON document; a test compares this with what is printed.
const JSON: &str = include_str!("json/stats.txt");

/// Arguments of `mbt stats`.
#[derive(Debug, Args)]
#[command(after_help = HELP, after_long_help = format!("{HELP}\n\n{JSON}"))]
pub struct Stats {
    /// Input files; default or - is stdin
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub inputs: Vec<PathBuf>,

    /// How to read the inputs.
    #[command(flatten)]
    pub reading: Reading,

    /// Show only the statistics stored in frames or Parquet, without reading values
    ///
    /// Shows rows, nulls, minimum, maximum and bytes. Only the headers of frames or the footer of Parquet are read, so
    /// large files take no longer. Statistics keep 16 bytes of text; … marks a value that may be longer. A column with
    /// NaN has none in frames. Parquet ignores NaN, and its text is shown only if the file marks it as exact. A column
    /// of text whose frames differ in type has no figures that depend on it. In JSON, unknown figures are null.
    #[arg(
        long,
        conflicts_with_all = ["condition", "schema", "infer", "top"],
        help_heading = "What to show"
    )]
    pub quick: bool,

    /// Number of threads.
    #[command(flatten)]
    pub threads: Threads,

    /// Print one JSON document instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Number of frequent values per column in JSON
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = whole_number::<usize>,
        help_heading = "Output"
    )]
    pub top: usize,
}
