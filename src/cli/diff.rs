//! Arguments of `mbt diff`.

use std::path::PathBuf;

use clap::Args;

use super::Threads;
use super::groups::whole_number;
use super::reading::Reading;

const HELP: &str = "\
Comparison:
  Values are compared by meaning, whatever their format, type and spelling:
  1.50 equals 1.5, and 2024-01-31T12:00:00+02:00 equals 2024-01-31T10:00:00Z.
  Zero-padded digits are text: 007 differs from 7. A missing column is a column
  of nulls, and a struct of nulls equals null; the second column named a is a_2.
  A difference in types alone is reported, but leaves the exit status at 0.

Exit status:
  0  the rows are equal by value
  1  they differ

Examples:
  mbt diff bars.csv bars.mbt
  mbt diff --key id monday.csv tuesday.ndjson
  mbt diff --key pair,e_ms --columns pair,e_ms,close a.mbt b.mbt";

/// The members of its JSON document; a test compares this with what is printed.
const JSON: &str = include_str!("json/diff.txt");

/// Arguments of `mbt diff`.
#[derive(Debug, Args)]
#[command(after_help = HELP, after_long_help = format!("{HELP}\n\n{JSON}"))]
pub struct Diff {
    /// First file; - is stdin
    ///
    /// Text is read twice, since its types are those of all rows; a pipe is copied to a temporary file.
    #[arg(value_name = "A")]
    pub left: PathBuf,

    /// Second file; - is stdin
    #[arg(value_name = "B")]
    pub right: PathBuf,

    /// How to read the inputs.
    #[command(flatten)]
    pub reading: Reading,

    /// Match rows by the values of these columns
    ///
    /// Without this option, rows are matched by position. Among rows with equal keys, equal rows are matched first, the
    /// others in order. #1 is the first column of A. The rows are sorted in temporary files, so memory use does not grow
    /// with the input.
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        help_heading = "Selection"
    )]
    pub key: Vec<String>,

    /// Number of threads.
    #[command(flatten)]
    pub threads: Threads,

    /// Number of rows that differ to show
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = whole_number::<usize>,
        help_heading = "Output"
    )]
    pub show: usize,

    /// Print one JSON document
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
