//! The command line: commands, options and their help, as clap structs.
//!
//! Nothing here depends on the rest of the crate, except that the options for messages convert to the
//! plain types of [`crate::report`]. Values that clap cannot check by itself (sizes, ranges, single-byte
//! characters, types) stay text; the commands parse them and report mistakes. `completions/` and `man/`
//! are generated from these structs, and `tests/cli/generated.rs` checks that they are up to date.

mod bench;
mod diff;
pub mod estimate;
mod groups;
mod head;
pub mod reading;
mod schema;
mod stats;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::wire::choose::Preset;

pub use bench::{Bench, BenchTask, CheckLog, Compare};
pub use diff::Diff;
pub use estimate::Estimate;
pub use groups::{
    CodecName, Columns, Dialect, Encoding, Filter, HashName, Infer, Input, Limit, Messages, Output,
    RecordLimit, Sampling, Switch, Target, Threads, Types, When, Wire, Wrap,
};
pub use head::{Head, Show, Tail};
pub use schema::Schema;
pub use stats::Stats;

/// Convert CSV, JSON, Arrow and Parquet to compact columnar frames and back.
#[derive(Debug, Parser)]
#[command(
    name = "mbt",
    version,
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

    /// When to colour messages: auto, always or never
    ///
    /// auto: on a terminal. The variables `NO_COLOR` and `CLICOLOR_FORCE` override this.
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub color: When,
}

/// The arguments with `-3` after `head` or `tail` as `-n 3`, which clap cannot be told.
pub fn arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
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
const TAKES_ANY_VALUE: [&str; 5] = ["--color", "--delimiter", "--null", "--quote", "--rows"];

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
    /// Show what a MATHLDBT file contains: columns, encodings, sizes
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
    /// Print a shell completion script
    Completions(Completions),
    /// Write the manual pages to a directory
    Man(Man),
}

/// Arguments of `mbt convert`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  mbt convert bars.csv -o bars.mbt
  mbt convert bars.mbt --to ndjson --columns pair,close --rows 0..10
  mbt convert bars.mbt -o bars.parquet
  mbt convert *.csv --out-dir frames
  zcat log.ndjson.gz | mbt convert --from ndjson --to mbt > log.mbt")]
pub struct Convert {
    /// Input files, joined in this order; default or - is stdin
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// How to read the input.
    #[command(flatten)]
    pub input: Input,

    /// Longest record of text.
    #[command(flatten)]
    pub records: RecordLimit,

    /// Column types.
    #[command(flatten)]
    pub types: Types,

    /// Columns to keep.
    #[command(flatten)]
    pub columns: Columns,

    /// Rows to keep.
    #[command(flatten)]
    pub filter: Filter,

    /// Keep rows A..B, counted from 0, excluding B
    ///
    /// A.. keeps everything from row A on; ..B keeps the first B rows. Negative numbers count from the end: -10.. keeps
    /// the last ten rows, -10..-2 those without the last two.
    #[arg(
        long,
        value_name = "A..B",
        allow_hyphen_values = true,
        help_heading = "Selection"
    )]
    pub rows: Option<String>,

    /// Keep at most N rows, of those that other options keep
    #[arg(
        long,
        value_name = "N",
        value_parser = groups::whole_number,
        help_heading = "Selection"
    )]
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
        help_heading = "Selection"
    )]
    pub frames: Option<String>,

    /// Restore text byte for byte: on or off
    ///
    /// on (wire 2 only): frames also store how the text is written, that is its style (quotes, line
    /// ends, white space, escapes) and a patch for every record that departs from it. The index stores
    /// the length and the XXH3-128 hash of the text, and both are checked when it is restored. Frames
    /// converted to the format they came from give back the original bytes. With a selection of rows,
    /// the head, the ending and each selected record keep their bytes; if columns are left out or
    /// moved, the style is kept. off: only the values are written and read. --infer values and several
    /// inputs imply off.
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
    /// xxh3 is XXH3-128, which finds every damage. sha256 takes longer and is what sha256sum prints: it shows
    /// that the frames hold a known file, so that the file can be deleted. inspect shows the hash.
    #[arg(
        long,
        value_name = "KIND",
        hide_possible_values = true,
        hide_short_help = true,
        help_heading = "Types (of columns read from text)"
    )]
    pub hash: Option<HashName>,

    /// Keep what is intact of damaged frames and report what was lost
    ///
    /// MATHLDBT input only. In a damaged frame of version 2, the columns in damaged sections become null,
    /// all others are kept, and the text is in plain style. A frame whose header is damaged, or of version 1,
    /// is skipped. If that leaves the end of the frame unknown, reading goes on with the next frame of version
    /// 2. What was lost is reported on stderr, columns by their names and rows; if anything was, the exit status
    /// is 2.
    #[arg(long, help_heading = "Selection")]
    pub salvage: bool,

    /// Output file and format.
    #[command(flatten)]
    pub output: Output,

    /// Codec and threads.
    #[command(flatten)]
    pub wrap: Wrap,
}

/// Arguments of `mbt inspect`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are flags")]
#[command(group = clap::ArgGroup::new("one_frame").args(["layout", "explain"]))]
#[command(after_help = "\
Examples:
  mbt inspect bars.mbt
  mbt inspect *.mbt                a line per file
  mbt inspect --sort bytes --top 10 wide.mbt
  mbt inspect --layout bars.mbt    what each byte means
  mbt inspect --explain bars.mbt   why these encodings were chosen
  mbt convert bars.csv --to mbt | mbt inspect --frames -")]
pub struct Inspect {
    /// MATHLDBT files; - is stdin
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,

    /// List the frames: offset, codec, rows, sizes, checksum
    #[arg(long, conflicts_with_all = ["layout", "explain"], help_heading = "What to show")]
    pub frames: bool,

    /// Show which encodings a frame's columns could use (wire 2)
    ///
    /// Decodes the frame and runs the chooser of --preset again. For every leaf column this shows the
    /// encodings it tries, the estimated bytes of each, its choice, and what the file uses. Bytes are
    /// estimated on a sample, after compression.
    #[arg(long, conflicts_with = "layout", help_heading = "What to show")]
    pub explain: bool,

    /// Map the bytes of a frame, field by field
    ///
    /// For authors of other readers: the offset, hex bytes, name and value of every field of the
    /// frame's envelope, after decompression. For version 1, only the first rows of long payloads are
    /// listed. For version 2, the header is mapped field by field, and each section shows which column
    /// its bytes belong to. A compressed header is mapped separately, with its own offsets.
    #[arg(long, help_heading = "What to show")]
    pub layout: bool,

    /// Show nested columns leaf by leaf
    ///
    /// Without it, a nested column is one line, whose bytes are those of all its leaves.
    #[arg(long, conflicts_with_all = ["frames", "explain", "layout"], help_heading = "What to show")]
    pub nested: bool,

    /// Sort columns: bytes or name [default: as in the file]
    #[arg(
        long,
        value_name = "KEY",
        conflicts_with_all = ["frames", "explain", "layout"],
        hide_possible_values = true,
        help_heading = "What to show"
    )]
    pub sort: Option<SortKey>,

    /// Show the first N columns only
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["frames", "explain", "layout"],
        help_heading = "What to show"
    )]
    pub top: Option<usize>,

    /// The frame to map or explain, counted from 0
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "one_frame",
        help_heading = "What to show"
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
        help_heading = "What to show"
    )]
    pub preset: Option<Preset>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// Print one JSON document instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// The order of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortKey {
    /// The largest first.
    Bytes,
    /// By name.
    Name,
}

/// Arguments of `mbt verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status:
  0  all files are complete and undamaged
  1  damage was found and is listed; oddities that --deep finds in flags,
     padding and under nulls are only notes
  2  bad usage, a file that is not a MATHLDBT stream at all, or one that
     begins with a frame larger than --max-frame
  3  a file cannot be read

Checksums cover every byte of version 2, and an index covers every stored
byte of any version. A version 1 file without an index is less protected, and
a line says so: an uncompressed frame has no checksum, so a changed value goes
unnoticed; zstd, gzip and lz4 check a frame's content but not its own headers;
and a file cut off between two frames looks complete.

Examples:
  mbt verify *.mbt
  mbt verify --deep --json bars.mbt
  ssh host cat bars.mbt | mbt verify -")]
pub struct Verify {
    /// MATHLDBT files to check; - is stdin
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,

    /// Check only the structure of frames and columns
    ///
    /// Nothing is decompressed except gzip members, whose end cannot be found otherwise. Bytes after
    /// the last frame count as damage at every level.
    #[arg(
        long,
        conflicts_with = "deep",
        help_heading = "How much to check [default: checksums]"
    )]
    pub structure: bool,

    /// Also check every value: UTF-8, JSON, bools
    ///
    /// Decodes all columns and compares the restored text with the length and hash in the index.
    /// Invalid UTF-8, invalid JSON in a JSON column, bools other than 0 and 1, and section bytes that
    /// belong to no column are damage. Flags, a schema id, padding bits, bytes under nulls, and unused
    /// or repeated dictionary entries are reported as notes and leave the exit status at 0: the format
    /// permits them and no value is in doubt.
    #[arg(long, help_heading = "How much to check [default: checksums]")]
    pub deep: bool,

    /// Also check that the restored text equals FILE
    ///
    /// Restores the original text and compares it with FILE byte by byte. FILE may be compressed with
    /// gzip or zstd. If they differ, the first difference is reported and the exit status is 1.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "structure",
        help_heading = "How much to check [default: checksums]"
    )]
    pub source: Option<PathBuf>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// Print one JSON document instead of lines
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `mbt compress`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt compress bars.mbt -o bars.mbt.zst
  mbt compress -c zstd -l 19 --long bars.mbt.gz -o bars.mbt.zst
  mbt convert a.csv --to mbt --frame-rows 65536 | mbt compress -c lz4 > a.lz4")]
pub struct Compress {
    /// MATHLDBT file, compressed or not; default or - is stdin
    #[arg(value_name = "INPUT")]
    pub path: Option<PathBuf>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// Output file.
    #[command(flatten)]
    pub target: Target,

    /// Codec and threads.
    #[command(flatten)]
    pub wrap: Wrap,

    /// Match repetitions up to 128 MiB apart (zstd)
    ///
    /// Helps with frames larger than a few MiB. Compressing and decompressing take more memory.
    #[arg(long, help_heading = "Output")]
    pub long: bool,
}

/// Arguments of `mbt decompress`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt decompress bars.mbt.zst -o bars.mbt
  curl -s https://example.com/bars.mbt.gz | mbt decompress | mbt head")]
pub struct Decompress {
    /// MATHLDBT file, compressed or not; default or - is stdin
    #[arg(value_name = "INPUT")]
    pub path: Option<PathBuf>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// Output file.
    #[command(flatten)]
    pub target: Target,

    /// Number of threads.
    #[command(flatten)]
    pub threads: Threads,
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
}

/// Arguments of `mbt man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt man ~/.local/share/man/man1    mbt.1, mbt-convert.1, ...
  man mbt-convert                    read one of them")]
pub struct Man {
    /// Output directory; created if it does not exist
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

#[cfg(test)]
mod tests;
