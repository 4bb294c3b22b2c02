//! Arguments of `mbt inspect`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Limit;
use super::groups::whole_number;
use crate::wire::choose::Preset;

const EXAMPLES: &str = "\
Examples:
  mbt inspect bars.mbt
  mbt inspect *.mbt                a line per file
  mbt inspect --sort bytes --top 10 wide.mbt
  mbt inspect --frames --where 'close > 9' bars.mbt
  mbt inspect --svg bars.mbt > bars.svg
  mbt inspect bars.parquet bars.mbt
  mbt inspect --layout bars.mbt    what each byte means
  mbt inspect --explain bars.mbt   why these encodings were chosen
  mbt convert bars.csv --to mbt | mbt inspect --frames -";

/// The heading of the options that no other command has.
const WHAT: &str = "What to show";

/// The members of its JSON documents; a test compares this with what is printed.
const JSON: &str = include_str!("json/inspect.txt");

/// Arguments of `mbt inspect`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are flags")]
#[command(group = clap::ArgGroup::new("one_frame").args(["layout", "explain"]))]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{JSON}"))]
pub struct Inspect {
    /// MATHLDBT or Parquet files; default or - is stdin
    ///
    /// Of Parquet, only the footer is read: the sizes, encodings and statistics of column chunks, and row groups in place
    /// of frames. --sort, --top, --nested, --svg and --json work as for frames; --frames, --layout and --explain do not.
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub inputs: Vec<PathBuf>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// List the frames: offset, codec, rows, sizes, checksum
    #[arg(long, conflicts_with_all = ["layout", "explain"], help_heading = WHAT)]
    pub frames: bool,

    /// With --frames: list only the frames that may contain a match
    ///
    /// Takes a condition like `mbt convert --where`. Frames whose statistics rule out a match are left out, also from
    /// the totals. Frames of wire 1 have no statistics.
    #[arg(
        long = "where",
        value_name = "CONDITION",
        requires = "frames",
        allow_hyphen_values = true,
        help_heading = WHAT
    )]
    pub condition: Option<String>,

    /// Show which encodings a frame's columns could use (wire 2)
    ///
    /// Decodes the frame and runs the chooser of --preset again. For every leaf column, shows the encodings tried, the
    /// estimated bytes of each, the choice, and the encoding in the file. Bytes are estimated on a sample, after
    /// compression.
    #[arg(long, conflicts_with = "layout", help_heading = WHAT)]
    pub explain: bool,

    /// Map the bytes of a frame, field by field
    ///
    /// For authors of other readers: the offset, hex bytes, name and value of every field of the frame's envelope,
    /// after decompression. For wire 1, only the first rows of long payloads are listed. For wire 2, the header
    /// is mapped field by field, and each section shows which columns its bytes belong to. A compressed header is
    /// mapped separately, with its own offsets.
    #[arg(long, help_heading = WHAT)]
    pub layout: bool,

    /// Show nested columns leaf by leaf
    ///
    /// Without this option, a nested column is one line with the bytes of all its leaves.
    #[arg(long, conflicts_with_all = ["frames", "explain", "layout"], help_heading = WHAT)]
    pub nested: bool,

    /// Sort columns: bytes or name [default: as in the file]
    #[arg(
        long,
        value_name = "KEY",
        conflicts_with_all = ["frames", "explain", "layout"],
        hide_possible_values = true,
        help_heading = WHAT
    )]
    pub sort: Option<SortKey>,

    /// Show the first N columns only
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number::<usize>,
        conflicts_with_all = ["frames", "explain", "layout"],
        help_heading = WHAT
    )]
    pub top: Option<usize>,

    /// The frame to map or explain, counted from 0
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = whole_number::<u64>,
        requires = "one_frame",
        help_heading = WHAT
    )]
    pub frame: u64,

    /// Preset: fast, balanced or small [default: balanced]
    ///
    /// The preset whose chooser --explain runs.
    #[arg(
        long,
        value_name = "NAME",
        requires = "explain",
        hide_possible_values = true,
        help_heading = WHAT
    )]
    pub preset: Option<Preset>,

    /// Print an SVG treemap of the bytes
    ///
    /// The area of each column is proportional to its bytes, and its color shows the encoding. The leaves of a nested
    /// column are adjacent. In a browser, hover over an area to see its name, type, encoding and bytes.
    #[arg(
        long,
        conflicts_with_all = ["frames", "explain", "layout", "nested", "sort", "top", "json"],
        help_heading = "Output"
    )]
    pub svg: bool,

    /// Print one JSON document instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// The order of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortKey {
    /// Largest first.
    Bytes,
    /// By name.
    Name,
}
