//! Options of `mbt convert`.

use std::path::PathBuf;

use clap::Args;

use super::groups::whole_number;
use super::reading::Reading;
use super::{HashName, OutputArgs, Sampling, Switch, Wrap};

/// Arguments of `mbt convert`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Selection")]
#[command(after_help = "\
Examples:
  mbt convert bars.csv -o bars.mbt
  mbt convert bars.mbt --to ndjson --columns pair,close --rows 0..10
  mbt convert bars.mbt -o bars.parquet
  mbt convert *.csv --out-dir frames
  zcat log.ndjson.gz | mbt convert --from ndjson --to mbt > log.mbt")]
pub struct Convert {
    /// Input files, joined in this order; default or - is stdin
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

    /// Keep rows A..B, counted from 0, excluding B
    ///
    /// A.. keeps everything from row A on; ..B keeps the first B rows. Negative numbers count from the end: -10.. keeps
    /// the last ten rows, -10..-2 those without the last two.
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub rows: Option<String>,

    /// Keep at most N of the selected rows
    #[arg(long, value_name = "N", value_parser = whole_number::<u64>)]
    pub limit: Option<u64>,

    /// A sample of the rows.
    #[command(flatten)]
    pub sampling: Sampling,

    /// Keep frames A..B of MATHLDBT input
    ///
    /// Frames are counted from 0, and B is excluded. With --rows, rows are counted within these frames.
    #[arg(
        hide_short_help = true,
        long,
        value_name = "A..B",
        allow_hyphen_values = true
    )]
    pub frames: Option<String>,

    /// Restore text byte for byte: on or off
    ///
    /// on (wire 2 only): frames also store how the text is written, that is its style (quotes, line ends, white space,
    /// escapes) and a patch for every record that deviates from it. The index stores the length and the XXH3-128 hash
    /// of the text, and both are checked when the text is restored. Converting frames to the format they came from
    /// restores the original bytes. If only some rows are selected, the head, the ending and each selected record keep
    /// their bytes; if columns are omitted or reordered, the style is kept. off: only the values are written and read.
    /// --infer values and several inputs imply off.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "on",
        hide_possible_values = true,
        hide_short_help = true,
        help_heading = "Types (of columns read from text)"
    )]
    pub exact: Switch,

    /// Hash of the text in the index: xxh3 or sha256
    ///
    /// xxh3 is XXH3-128, which detects damage. sha256 takes longer and equals the output of sha256sum: it proves that
    /// the frames contain a known file, so that the file can be deleted. inspect shows the hash.
    #[arg(
        long,
        value_name = "KIND",
        hide_possible_values = true,
        hide_short_help = true,
        help_heading = "Types (of columns read from text)"
    )]
    pub hash: Option<HashName>,

    /// Keep the intact parts of damaged frames
    ///
    /// MATHLDBT input only. In a damaged wire 2 frame, the columns in damaged sections become null, all others are
    /// kept, and the text is in plain style. A damaged frame is skipped if it is of wire 1 or its header is
    /// damaged. If the end of a skipped frame is unknown, reading continues with the next wire 2 frame. Losses are
    /// reported on stderr with the names of columns and the rows; if there are any, the exit status is 2.
    #[arg(long)]
    pub salvage: bool,

    /// Output file and format.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Codec and threads.
    #[command(flatten)]
    pub wrap: Wrap,
}
