//! Arguments of `mbt schema`.

use std::path::PathBuf;

use clap::Args;

use super::Threads;
use super::reading::Reading;

const HELP: &str = "\
Exit status:
  0  the schema was printed, or the two schemas are equal
  1  they differ

Examples:
  mbt schema bars.csv > bars.schema
  mbt convert more.csv --schema @bars.schema -o more.mbt
  mbt schema monday.ndjson tuesday.ndjson   show what differs";

/// The members of its JSON document; a test compares this with what is printed.
const JSON: &str = include_str!("json/schema.txt");

/// Arguments of `mbt schema`.
#[derive(Debug, Args)]
#[command(after_help = HELP, after_long_help = format!("{HELP}\n\n{JSON}"))]
pub struct Schema {
    /// Input file; default or - is stdin
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub path: PathBuf,

    /// Show how the schema of this file differs
    ///
    /// Compares the names, types and order of columns, but not how values are written.
    #[arg(value_name = "OTHER")]
    pub other: Option<PathBuf>,

    /// How to read the inputs.
    #[command(flatten)]
    pub reading: Reading,

    /// Number of threads.
    #[command(flatten)]
    pub threads: Threads,

    /// Print one JSON document
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
