//! Options that several commands share, and the values they take.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use crate::report::ColorChoice;
use crate::report::progress::{ProgressChoice, Verbosity};

/// What the input is and how to read it.
#[derive(Debug, Args)]
pub struct Input {
    /// csv, tsv, json, ndjson, arrow, mbt [default: guessed]
    ///
    /// Guessed by the name's extension, else by the first bytes. arrow is Arrow IPC, a stream
    /// (.arrows) or a file (.arrow, .feather, .ipc).
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Input",
        hide_possible_values = true
    )]
    pub from: Option<Format>,

    /// Memory limits.
    #[command(flatten)]
    pub limit: Limit,

    /// How CSV and TSV are written down.
    #[command(flatten)]
    pub dialect: Dialect,
}

/// Memory a frame of the input may take.
#[derive(Debug, Args)]
pub struct Limit {
    /// Refuse frames with more plain bytes
    ///
    /// Where a frame's header says its size, nothing is allocated for a frame that is refused;
    /// where a compressed frame does not say it, decompression stops at the limit. K, M and G,
    /// alone or as KiB, MiB and GiB, are powers of 1024; KB, MB and GB are powers of 1000. A frame
    /// of exactly SIZE is accepted.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "1GiB",
        help_heading = "Input"
    )]
    pub max_frame: String,
}

/// How CSV and TSV are written down; detected where not said.
#[derive(Debug, Args)]
#[command(next_help_heading = "CSV and TSV, read and written")]
pub struct Dialect {
    /// Between fields: one byte, \t or tab [default: detected]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub delimiter: Option<String>,

    /// Character around fields: one byte, or none [default: "]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub quote: Option<String>,

    /// The first line is data; columns are named by position
    #[arg(long)]
    pub no_header: bool,

    /// Unquoted text that means null; repeatable, the first is written
    ///
    /// Without this option an empty cell is null and is written for null; a quoted empty cell is
    /// the empty string.
    #[arg(
        long = "null",
        value_name = "TEXT",
        allow_hyphen_values = true,
        action = ArgAction::Append
    )]
    pub nulls: Vec<String>,

    /// Fill short rows with nulls; long ones make new columns
    #[arg(long)]
    pub flexible: bool,
}

/// Types of columns read from text.
#[derive(Debug, Args)]
#[command(next_help_heading = "Types (of columns read from text)")]
pub struct Types {
    /// Fix types by name: a:i64,b:utf8, or @FILE
    ///
    /// Types are bool, i16, i32, i64, f32, f64, uuid, timestamp, utf8, bytes and json; wire 2 and
    /// arrow also have null, i8, u8, u16, u32, u64, decimal(18,2), date, time(us), timestamp(us) and
    /// timestamp(us,UTC). A cell that cannot be read as the type of its column is an error. Types of
    /// frames and of Arrow IPC stay as they are.
    #[arg(long, value_name = "SPEC|@FILE")]
    pub schema: Option<String>,

    /// exact, values or none: what a type must keep
    ///
    /// exact: a column gets a type if every cell prints back exactly as it was read. values: if
    /// every cell parses and nothing but spelling is lost, so that 1.50 becomes 1.5, but 007, +1
    /// and numbers of 25 digits stay text. none: every column is utf8. The default is exact for output as CSV and
    /// TSV and for wire 2, else values.
    #[arg(long, value_name = "MODE", hide_possible_values = true)]
    pub infer: Option<Infer>,
}

/// Columns to keep.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Columns {
    /// Keep these columns, in this order
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
}

/// Rows to keep by what they hold.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Filter {
    /// Keep rows that meet a condition: 'price > 9.5'
    ///
    /// Comparisons are COLUMN = VALUE, also with !=, <, <=, > and >=, COLUMN in (A, B), COLUMN is
    /// null, each also with not, and can be joined by and: 'kind = buy and price >= 10'. Odd names
    /// stand in backticks or quotes, fields of nested columns behind a dot. A value is read as its
    /// column's type: exactly for numbers, in ISO 8601 or as the column spells it for dates and
    /// times. Text compares by bytes; where text holds numbers and the value is a number without
    /// quotes, as numbers. Nulls meet only is null. --rows counts the rows that are left. Of files
    /// with statistics, frames without such rows are not read.
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
}

/// Where the output goes and how it is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// File to write; none or - is stdout
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Format [default: by extension, else mbt; csv from mbt]
    ///
    /// csv, tsv, json, ndjson, arrow or mbt. arrow is an Arrow IPC file if OUT ends in .arrow,
    /// .feather or .ipc, else a stream, which is what .arrows and pipes are. It has one schema:
    /// that of all input where input can be read twice, else that of the first rows, and later
    /// rows that do not fit are an error.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub to: Option<Format>,

    /// MATHLDBT 2, or 1 (all rows in one frame) [default: 2]
    ///
    /// Version 2 keeps every type and how cells were spelled, and compresses column by column.
    /// Readers of version 1 expect one frame per file, so that is what is written unless
    /// --frame-rows says otherwise; all rows are then held in memory until the input ends. What
    /// version 1 has no type for becomes text, nested values JSON text. Names
    /// that end in .zst, .gz or .lz4 ask for version 1, which can be wrapped so. Frames that are
    /// read keep their version unless this option is given.
    #[arg(long, value_name = "N", hide_possible_values = true)]
    pub wire: Option<Wire>,

    /// Wire 2: fast, balanced or small [default: balanced]
    ///
    /// How hard to look for encodings and how hard to compress. fast: light encodings, lz4.
    /// balanced: light encodings chosen by trial, zstd 3. small: every encoding, larger frames,
    /// zstd 19; several times slower to write, as quick to read.
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    pub preset: Option<Preset>,

    /// Begin a new frame every N rows; bounds memory
    #[arg(
        long,
        value_name = "N",
        value_parser = at_least_one
    )]
    pub frame_rows: Option<u64>,

    /// Wire 1: auto, plain or dict,delta [default: auto]
    ///
    /// dict stores distinct values once, delta stores differences of neighbouring integers; either
    /// is used for a column only if it makes the column smaller. auto allows both, plain none.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub encodings: Option<Vec<Encoding>>,

    /// Wire 1: put an index behind the frames
    ///
    /// Wire 2 always has one. It says where each frame is and how many rows it has, in a skippable frame that tools of
    /// zstd and lz4 pass over. --rows and --frames then read only what they need.
    #[arg(long, hide_short_help = true)]
    pub index: bool,

    /// Replace an existing file; write binary to a terminal
    #[arg(long)]
    pub force: bool,

    /// Messages on stderr.
    #[command(flatten)]
    pub messages: Messages,
}

/// How frames are compressed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Wrap {
    /// none, zstd, gzip or lz4 [default: by extension]
    ///
    /// Where the output's name does not end in .zst, .gz or .lz4, mbt compress takes zstd and mbt
    /// convert none. A compressed frame is an ordinary one of its codec: zstd -d, gzip -d and
    /// lz4 -d open it.
    #[arg(short, long, value_name = "CODEC", hide_possible_values = true)]
    pub codec: Option<Codec>,

    /// zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    pub level: Option<i32>,

    /// Add a checksum to each frame (zstd; others have one)
    ///
    /// Frames of gzip and lz4 always have one, as have all bytes of wire 2.
    #[arg(long, hide_short_help = true)]
    pub checksum: bool,

    /// How many threads work.
    #[command(flatten)]
    pub threads: Threads,
}

/// How many threads work.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Threads {
    /// Threads to use [default: one per core]
    ///
    /// The output is the same for any number.
    #[arg(short = 'T', long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<u64>,
}

/// Where frames that keep their rows go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Target {
    /// File to write; none or - is stdout
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Replace an existing file; write binary to a terminal
    #[arg(long)]
    pub force: bool,

    /// Messages on stderr.
    #[command(flatten)]
    pub messages: Messages,
}

/// Which messages besides errors go to stderr.
#[derive(Debug, Args)]
pub struct Messages {
    /// Print no notes and no progress, only errors
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// When to show progress on stderr: auto, always or never
    ///
    /// auto shows a bar if stderr is a terminal and the work takes longer than half a second, and
    /// closes with one line: rows, bytes in and out, their ratio, and bytes read per second. always
    /// does not wait, and writes that line anywhere; a bar needs a terminal.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub progress: When,
}

impl Messages {
    /// These options in the terms of [`crate::report`].
    pub fn verbosity(&self) -> Verbosity {
        Verbosity {
            quiet: self.quiet,
            progress: match self.progress {
                When::Auto => ProgressChoice::Auto,
                When::Always => ProgressChoice::Always,
                When::Never => ProgressChoice::Never,
            },
        }
    }
}

/// Reads a count that cannot be zero; clap's own range would answer with 2^64.
pub(super) fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("write a whole number from 1".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// Reads a count; clap's own words would be those of the standard library.
pub(super) fn whole_number(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| "write a whole number, as in 20".to_owned())
}

/// When to colour messages or show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Where it makes sense
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl When {
    /// The value of `--color` in the terms of [`crate::report`].
    pub fn color_choice(self) -> ColorChoice {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }
}

/// A format of input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated values
    Csv,
    /// Tab-separated values
    Tsv,
    /// A JSON array of objects
    Json,
    /// One JSON object per line
    #[value(alias = "jsonl")]
    Ndjson,
    /// Arrow IPC, stream or file
    #[value(aliases = ["arrows", "feather", "ipc"])]
    Arrow,
    /// MATHLDBT frames
    #[value(alias = "mathldbt")]
    Mbt,
}

/// A version of the MATHLDBT wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wire {
    /// MATHLDBT v1
    #[value(name = "1")]
    V1,
    /// MATHLDBT v2
    #[value(name = "2")]
    V2,
}

/// How hard wire 2 looks for encodings and compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// Light encodings and lz4
    Fast,
    /// Light encodings and zstd of a low level
    Balanced,
    /// Everything, and zstd of a high level
    Small,
}

/// Which encodings wire 1 may use; `Plain` and `Auto` stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// Whichever makes a column smaller
    Auto,
    /// None
    Plain,
    /// Dictionary of the distinct values
    Dict,
    /// Differences of neighbouring integers
    Delta,
}

/// How a frame is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Codec {
    /// Not at all
    None,
    /// zstd, small and fast
    Zstd,
    /// gzip, read everywhere
    Gzip,
    /// lz4, fastest
    Lz4,
}

/// When a column read from text gets a type other than utf8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Infer {
    /// If every cell prints back exactly as it was read
    Exact,
    /// If every cell parses and loses nothing but spelling
    Values,
    /// Never: every column is utf8
    None,
}

/// A thing that is done or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// It is.
    On,
    /// It is not.
    Off,
}
