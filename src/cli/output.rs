//! Options for output, shared by several commands.

use std::path::PathBuf;

use clap::Args;

use super::groups::{at_least_one, whole_number};
use super::{CodecName, EncodingName, Switch, Wire};
use crate::format::Format;
pub use crate::report::progress::Messages;
use crate::wire::choose::Preset;

/// Output file and format.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Output file; default or - is stdout
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Convert each input to a file in this directory
    ///
    /// The directory is created if needed. A file keeps its name and gets the extension of its new format: a.csv.gz
    /// becomes a.mbt. It is an error if two inputs would get the same name. Several files are converted at a time. If a
    /// file fails, the error is reported, no output is left, and the other files are still converted; the exit status
    /// is then 2, or 3 if reading or writing failed.
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "output",
        requires = "inputs"
    )]
    pub out_dir: Option<PathBuf>,

    /// With --out-dir: skip inputs whose output exists
    #[arg(long, requires = "out_dir", conflicts_with_all = ["force", "output"])]
    pub skip_existing: bool,

    /// Format [default: by extension, else mbt; csv from mbt]
    ///
    /// csv, tsv, json, ndjson, arrow, parquet or mbt. arrow is an Arrow IPC file if OUT ends in .arrow, .feather or
    /// .ipc, and an Arrow IPC stream otherwise (.arrows and pipes). Arrow and Parquet have a single schema, that of the
    /// whole input, whichever rows are selected; input from a pipe is first copied to a temporary file.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub to: Option<Format>,

    /// MATHLDBT version: 2 or 1 [default: 2]
    ///
    /// Wire 2 keeps every type and the spelling of cells, and compresses column by column. Other readers of wire 1
    /// may expect one frame per file; long inputs become several, unless --frame-rows puts all rows into one. Values of types that wire 1 lacks become text, and nested values become JSON
    /// text. An output name ending in .zst, .gz or .lz4 needs wire 1, whose frames can be compressed that way.
    /// MATHLDBT input keeps its version unless this option is given.
    #[arg(long, value_name = "N", hide_possible_values = true)]
    pub wire: Option<Wire>,

    /// Wire 2: fast, balanced or small [default: balanced]
    ///
    /// How much effort to spend on encodings and compression. fast: light encodings, lz4. balanced: light encodings
    /// chosen by trial, zstd 3. small: every encoding, larger frames, zstd 19; takes two to fifteen times as long to
    /// write as balanced, and text columns are slow to read.
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    pub preset: Option<Preset>,

    /// Start a new frame every N rows; bounds memory
    ///
    /// From a pipe, a frame is written as soon as it has its rows. Delimiter and quotes of CSV are therefore detected in the
    /// first N rows of a pipe; those of a file do not depend on N.
    #[arg(
        long,
        value_name = "N",
        value_parser = at_least_one
    )]
    pub frame_rows: Option<u64>,

    /// Flush waiting rows after this long when the input pauses: 500ms, 2s
    ///
    /// Ends a frame when its oldest row has waited this long and no more text is available, so that rows that arrive
    /// slowly through a pipe are passed on in time. The frames then depend on the timing of the input; the values and
    /// the restored text do not. Ignored with -o FILE, and for input other than text from a pipe.
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub max_delay: Option<String>,

    /// Wire 1: auto, plain or dict,delta [default: auto]
    ///
    /// dict stores each distinct value once; delta stores differences between consecutive integers.
    /// Each is used only for columns that it makes smaller. auto allows both, plain neither.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub encodings: Option<Vec<EncodingName>>,

    /// Wire 1: write an index after the frames
    ///
    /// Wire 2 always has one. The index lists the position and row count of each frame, so that --rows
    /// and --frames read only what they need. It is a skippable frame, which the zstd and lz4 tools
    /// ignore.
    #[arg(long, hide_short_help = true)]
    pub index: bool,

    /// Replace an existing file; write binary to a terminal
    #[arg(long)]
    pub force: bool,

    /// Messages on stderr.
    #[command(flatten)]
    pub messages: Messages,
}

/// Codec and threads.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Wrap {
    /// none, zstd, gzip, lz4 or snappy [default: by extension]
    ///
    /// For wire 2 frames, the codec of their sections: zstd, lz4 or none; --preset sets the default. For wire 1 frames and
    /// text, the codec around the output; without an extension that names one, mbt compress uses zstd and mbt convert
    /// none. Such output is an ordinary zstd, gzip or lz4 file: zstd -d, gzip -d and lz4 -d can decompress it. For
    /// Parquet, the codec of pages: zstd by default; snappy is for Parquet only.
    #[arg(short, long, value_name = "CODEC", hide_possible_values = true)]
    pub codec: Option<CodecName>,

    /// zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]
    ///
    /// The default of --preset small is zstd 19.
    #[arg(short, long, value_name = "N", value_parser = whole_number::<i32>)]
    pub level: Option<i32>,

    /// Checksum in each zstd frame: on or off [default: on]
    ///
    /// off writes frames as in the published tables of wire 1. gzip and lz4 frames always have a checksum, and in
    /// wire 2 checksums cover every byte.
    #[arg(
        long,
        value_name = "on|off",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub checksum: Option<Switch>,

    /// Number of threads.
    #[command(flatten)]
    pub threads: Threads,
}

/// Number of threads.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Threads {
    /// Number of threads [default: one per core]
    ///
    /// The output does not depend on it.
    #[arg(short = 'T', long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<u64>,
}
