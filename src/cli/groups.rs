//! Options shared by several commands, and their value types.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{ArgAction, Args, ValueEnum};

use crate::format::Format;
use crate::report::ColorChoice;
use crate::report::progress::{ProgressChoice, Verbosity};
use crate::stream::Codec;
use crate::wire::choose::Preset;

/// How to read the input.
#[derive(Clone, Debug, Args)]
pub struct Input {
    /// csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]
    ///
    /// Detected from the file extension, or else from the first bytes. arrow means Arrow IPC: a
    /// stream (.arrows) or a file (.arrow, .feather, .ipc). Its rarer layouts are read as common ones: list views as
    /// lists, run-end encoded columns and dictionaries of nested values as their values, unions as structs with one
    /// child per type, intervals as structs, and decimal256 as decimal128 if it has at most 38 digits. Parquet is read
    /// from its end, so it goes to a temporary file first if it comes from a pipe.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Input",
        hide_possible_values = true
    )]
    pub from: Option<Format>,

    /// Encoding of text: utf-16le, latin1, ... [default: utf-8]
    ///
    /// UTF-16 that begins with a byte order mark is detected. The other names are those of the WHATWG Encoding
    /// Standard, such as windows-1252, iso-8859-15, koi8-r, gb18030 and big5; but latin1 and iso-8859-1 are
    /// ISO 8859-1, in which each byte is the character of that number. The text comes back in its encoding; other
    /// formats get UTF-8.
    #[arg(
        long,
        value_name = "NAME",
        hide_short_help = true,
        help_heading = "Input"
    )]
    pub encoding: Option<String>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// CSV dialect.
    #[command(flatten)]
    pub dialect: Dialect,
}

/// Memory limit for a frame of the input.
#[derive(Clone, Debug, Args)]
pub struct Limit {
    /// Reject frames larger than this
    ///
    /// The decompressed bytes of a frame and the columns decoded from them count together. If a frame's
    /// header states its size, nothing is allocated for a rejected frame; otherwise decompression stops at
    /// the limit. K, M, G and KiB, MiB, GiB are powers of 1024; KB, MB and GB are powers of 1000.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "1GiB",
        hide_short_help = true,
        help_heading = "Input"
    )]
    pub max_frame: String,
}

/// Memory limit for a record of text.
#[derive(Clone, Debug, Args)]
pub struct RecordLimit {
    /// Reject text records longer than this
    ///
    /// A quote that is never closed makes a record of the rest of the text. Reading a record takes at least
    /// three times its size.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "512MiB",
        hide_short_help = true,
        help_heading = "Input"
    )]
    pub max_record: String,
}

/// The CSV dialect, detected unless given.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "CSV and TSV, input and output")]
pub struct Dialect {
    /// Field delimiter: one byte, \t or tab [default: detected]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub delimiter: Option<String>,

    /// Quote character: one byte, or none [default: "]
    #[arg(
        hide_short_help = true,
        long,
        value_name = "C",
        allow_hyphen_values = true
    )]
    pub quote: Option<String>,

    /// The first line is data; columns get numbered names
    #[arg(long)]
    pub no_header: bool,

    /// Unquoted text that means null; repeatable
    ///
    /// On output, nulls are written as the first TEXT. Without this option, an unquoted empty cell is
    /// null, and a quoted empty cell is the empty string.
    #[arg(
        long = "null",
        value_name = "TEXT",
        allow_hyphen_values = true,
        action = ArgAction::Append
    )]
    pub nulls: Vec<String>,

    /// Fill short rows with nulls, add columns for long ones
    #[arg(long)]
    pub flexible: bool,
}

/// Types of columns read from text.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Types (of columns read from text)")]
pub struct Types {
    /// Set column types: a:i64,b:utf8, or @FILE
    ///
    /// The types are bool, i16, i32, i64, f32, f64, uuid, timestamp, utf8, bytes and json. Wire 2 and
    /// arrow also support null, i8, u8, u16, u32, u64, decimal(18,2), date, time(us), timestamp(us) and
    /// timestamp(us,UTC). A cell that cannot be read as its column's type is an error. Columns of
    /// MATHLDBT, Arrow and Parquet input keep their types. FILE has a column per line, as `mbt schema` prints them;
    /// lines that begin with # are comments.
    #[arg(long, value_name = "SPEC|@FILE")]
    pub schema: Option<String>,

    /// Type inference: exact, values or none
    ///
    /// exact: types that print back every cell as it was read. values: types to compute with, as far as no
    /// value is lost: 1.50 becomes 1.5 and Yes becomes true, but 007, +1 and numbers of 25 digits stay
    /// text. none: every column is utf8. The default is values for Arrow, Parquet and wire 1, and
    /// exact for everything else. mbt-format(5) has the table.
    #[arg(long, value_name = "MODE", hide_possible_values = true)]
    pub infer: Option<Infer>,
}

/// Column selection.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Columns {
    /// Keep these columns, in this order: a,b or 'x*,-xy'
    ///
    /// Besides names: #3 (the third column), a..d and #2..#5 (ranges), internal_* and x? (patterns), and with - in
    /// front what to leave out: --columns=-internal_* keeps all others. Names that contain commas go in double quotes
    /// or backticks. A column whose name is exactly what was typed wins over all of this.
    #[arg(long, value_name = "NAME,...")]
    pub columns: Option<String>,
}

/// Row selection by condition.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Filter {
    /// Keep rows that match a condition: 'price > 9.5'
    ///
    /// A condition of SQL: and, or, not, parentheses, = <> < <= > >=, between, in, like, ilike, ~ and !~
    /// (regular expressions), is null, is true; columns compared with values or with each other; `user.name` and
    /// `tags[0]` (counted from 0) for values inside nested columns. Text, dates and times go in single quotes; unusual
    /// column names in double quotes or backticks. A word in double quotes that is no column is text. A comparison
    /// with null is neither true nor false, as in SQL.
    ///
    /// A value is read as its column's type: numbers exactly, dates and times as instants, in ISO 8601 or as the
    /// column writes them. Text is compared byte by byte, but with a number (or with date '2024-01-31') by value where
    /// it is one. NaN equals NaN and is greater than all numbers. --rows counts the rows that match. Frames whose
    /// statistics rule out a match are not read.
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
}

/// Output file and format.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Output file; default or - is stdout
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Convert each input to a file in this directory
    ///
    /// The directory is created if needed. A file keeps its name and gets the extension of its new format:
    /// a.csv.gz becomes a.mbt. Inputs that would get the same name are refused. Several files are converted at
    /// a time. A file that fails is reported and leaves no output; the others are converted, and the exit status
    /// is 2, or 3 if reading or writing failed.
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
    /// csv, tsv, json, ndjson, arrow, parquet or mbt. arrow is an Arrow IPC file if OUT ends in .arrow,
    /// .feather or .ipc, and an Arrow IPC stream otherwise (.arrows and pipes). Arrow and Parquet have a
    /// single schema, that of the whole input; input from a pipe goes to a temporary file first.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub to: Option<Format>,

    /// MATHLDBT version: 2, or 1 (one frame) [default: 2]
    ///
    /// Version 2 keeps every type and the spelling of cells, and compresses column by column. Readers
    /// of version 1 expect one frame per file, so that is what --wire 1 writes unless --frame-rows is
    /// given; all rows are held in memory until the input ends. Values that version 1 has no type for
    /// become text, and nested values become JSON text. An output name ending in .zst, .gz or .lz4
    /// needs version 1, whose frames can be compressed that way. MATHLDBT input keeps its version
    /// unless this option is given.
    #[arg(long, value_name = "N", hide_possible_values = true)]
    pub wire: Option<Wire>,

    /// Wire 2: fast, balanced or small [default: balanced]
    ///
    /// How much work goes into encodings and compression. fast: light encodings, lz4. balanced: light
    /// encodings chosen by trial, zstd 3. small: every encoding, larger frames, zstd 19; several times
    /// slower to write, just as fast to read.
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    pub preset: Option<Preset>,

    /// Start a new frame every N rows; bounds memory
    #[arg(
        long,
        value_name = "N",
        value_parser = at_least_one
    )]
    pub frame_rows: Option<u64>,

    /// Pass rows on after this time when the input pauses: 500ms, 2s
    ///
    /// A frame ends when its oldest row has waited for so long and no more text is there. So rows that come slowly
    /// through a pipe reach the other end of the pipe in time. Frames then depend on when the text comes; the values
    /// and the text that comes back do not. Ignored with -o FILE, and for input other than a pipe of text.
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
    pub encodings: Option<Vec<Encoding>>,

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
    /// If the output name does not end in .zst, .gz or .lz4, mbt compress uses zstd and mbt convert
    /// uses none, except for the pages of Parquet, which are compressed with zstd. snappy is for
    /// Parquet only. Compressed text and frames are ordinary zstd, gzip or lz4: zstd -d, gzip -d and
    /// lz4 -d can decompress them.
    #[arg(short, long, value_name = "CODEC", hide_possible_values = true)]
    pub codec: Option<CodecName>,

    /// zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    pub level: Option<i32>,

    /// Checksum in each zstd frame: on or off [default: on]
    ///
    /// off writes the bytes that version 1 was published with. gzip and lz4 frames always have a checksum,
    /// and in wire 2 checksums cover every byte.
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

/// Output file of `compress` and `decompress`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Target {
    /// Output file; default or - is stdout
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
#[derive(Clone, Debug, Args)]
pub struct Messages {
    /// Print only errors: no notes, no progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// When to show progress on stderr: auto, always or never
    ///
    /// auto shows a bar if stderr is a terminal and the work takes longer than half a second, then a
    /// summary line with the rows, bytes in and out, their ratio, and the speed. always shows the bar
    /// from the start, and prints the summary even if stderr is not a terminal.
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

/// Parses a count that must not be zero. clap's own range check would mention 2^64 in its message.
pub(super) fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number, 1 or more".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// Parses a count. clap alone would show the standard library's message.
pub(super) fn whole_number(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| "expected a whole number, such as 20".to_owned())
}

/// A sample of the rows.
#[derive(Clone, Debug, Args)]
pub struct Sampling {
    /// Keep N rows chosen at random
    ///
    /// All rows that other options keep are equally likely, and those that are chosen stay in order. The same rows
    /// are chosen from text and from frames, each time.
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number,
        conflicts_with = "limit",
        hide_short_help = true,
        help_heading = "Selection"
    )]
    pub sample: Option<u64>,

    /// Choose another sample for each number [default: 0]
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number,
        default_value = "0",
        hide_default_value = true,
        hide_short_help = true,
        requires = "sample",
        help_heading = "Selection"
    )]
    pub seed: u64,
}

/// When to colour messages or show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// If stderr is a terminal
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

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let aliases = self.extensions().iter().copied();
        let aliases = aliases.filter(|extension| *extension != self.name());
        let value = PossibleValue::new(self.name()).aliases(aliases);
        Some(value.help(self.about()))
    }
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

impl ValueEnum for Preset {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Fast => "Light encodings and lz4",
            Self::Balanced => "Light encodings and zstd at a low level",
            Self::Small => "Every encoding, and zstd at a high level",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

/// Encodings for wire 1; `Plain` and `Auto` cannot be combined with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// Whichever makes a column smaller
    Auto,
    /// No encodings
    Plain,
    /// Dictionary of the distinct values
    Dict,
    /// Differences between consecutive integers
    Delta,
}

/// A codec of frames, text or pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodecName {
    /// A codec of frames and of text.
    General(Codec),
    /// The codec that most Parquet files have.
    Snappy,
}

impl ValueEnum for CodecName {
    fn value_variants<'a>() -> &'a [Self] {
        const {
            &[
                Self::General(Codec::None),
                Self::General(Codec::Zstd),
                Self::General(Codec::Gzip),
                Self::General(Codec::Lz4),
                Self::Snappy,
            ]
        }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::General(codec) => PossibleValue::new(codec.name()).help(codec.about()),
            Self::Snappy => PossibleValue::new("snappy").help("snappy, for Parquet only"),
        })
    }
}

/// When a column read from text gets a type other than utf8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Infer {
    /// If every cell prints back exactly as it was read
    Exact,
    /// If every cell parses and only its spelling is lost
    Values,
    /// Never: every column is utf8
    None,
}

/// A hash of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HashName {
    /// XXH3 of 128 bits
    Xxh3,
    /// SHA-256
    Sha256,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On
    On,
    /// Off
    Off,
}
