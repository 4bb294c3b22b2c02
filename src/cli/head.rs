//! Options of `mbt head` and `mbt tail`.

use std::path::PathBuf;

use clap::Args;

use super::Sampling;
use super::groups::whole_number;
use super::reading::Reading;

/// Arguments of `mbt head`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
#[command(after_help = "\
The types of text are those of the rows shown; `mbt schema` reads all rows.

Examples:
  mbt head bars.mbt
  mbt head -3 --columns pair,close bars.csv
  mbt head --rows 100..120 -x bars.mbt
  mbt head --sample 5 bars.mbt
  curl -s https://example.com/bars.json | mbt head")]
pub struct Head {
    /// What to show.
    #[command(flatten)]
    pub show: Show,

    /// Show rows A..B, counted from 0, excluding B
    ///
    /// Shows all of them unless -n is given. A.. shows ten rows from row A on, -A.. the last A rows, and -A..-B those
    /// without the last B.
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub rows: Option<String>,

    /// A sample of the rows, of each input.
    #[command(flatten)]
    pub sampling: Sampling,
}

/// Arguments of `mbt tail`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt tail bars.mbt
  mbt tail -3 --columns pair,close bars.csv
  mbt tail -x --where \"pair = 'BTCUSDT'\" bars.mbt")]
pub struct Tail {
    /// What to show.
    #[command(flatten)]
    pub show: Show,
}

/// Options common to `mbt head` and `mbt tail`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Show {
    /// Input files; default or - is stdin
    #[arg(
        value_name = "INPUT",
        default_value = "-",
        hide_default_value = true,
        help_heading = None::<&str>
    )]
    pub inputs: Vec<PathBuf>,

    /// How to read the inputs.
    #[command(flatten)]
    pub reading: Reading,

    /// Number of rows to show of each input [default: 10]; -3 is -n 3
    #[arg(short = 'n', long, value_name = "N", value_parser = whole_number::<u64>)]
    pub limit: Option<u64>,

    /// Show each row as a list, a line per column
    ///
    /// Values of more than 2,000 characters are cut, and in a table those of more than 200; --json prints them whole.
    #[arg(short = 'x', long, conflicts_with = "json", help_heading = "Output")]
    pub expanded: bool,

    /// Print a JSON array of rows instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
