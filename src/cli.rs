//! What can be typed: the commands, their options and their help.
//!
//! Nothing here knows the rest of the crate. Values that clap cannot check alone (sizes, ranges,
//! single-byte characters, types) stay text; the commands read them and name the mistake.
//! `completions/` and `man/` are made from this file, and `tests/generated.rs` holds them to it.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// CSV and JSON to columnar MATHLDBT frames and back.
#[derive(Debug, Parser)]
#[command(
    name = "mbt",
    version,
    disable_help_flag = true,
    disable_help_subcommand = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  mbt convert prices.csv -o prices.mbt    columnar, typed and smaller
  mbt head prices.mbt                     its first rows as a table
  mbt convert prices.mbt --to ndjson      back to text, on stdout

Exit status:
  0  done, or the reader of our output has seen enough
  1  verify found damage
  2  bad usage or bad input
  3  reading or writing failed
130  interrupted; no partial output is left behind"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Print help
    #[arg(short, long, global = true, hide = true, action = ArgAction::HelpShort)]
    pub help: Option<bool>,

    /// When to colour messages: auto, always or never
    ///
    /// auto does so on a terminal, and heeds the variables `NO_COLOR` and `CLICOLOR_FORCE`.
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

/// One command with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Convert between CSV, TSV, JSON, NDJSON and MATHLDBT, either way
    Convert(Box<Convert>),
    /// Show the first rows as a table
    Head(Head),
    /// Tell what is inside MATHLDBT files: columns, encodings, sizes
    Inspect(Inspect),
    /// Check that MATHLDBT files are whole
    Verify(Verify),
    /// Change the codec and level of frames, not their rows
    Compress(Compress),
    /// Write frames as they are, without a codec
    Decompress(Decompress),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages, which tell of every option
    Man(Man),
}

/// Arguments of `mbt convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt convert bars.csv -o bars.mbt
  mbt convert bars.mbt --to ndjson --columns pair,close --rows 0..10
  zcat log.ndjson.gz | mbt convert --from ndjson --to mbt > log.mbt")]
pub struct Convert {
    /// Files to read, in order, into one output; none or - is stdin
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// What the input is and how to read it.
    #[command(flatten)]
    pub input: Input,

    /// Types of columns read from text.
    #[command(flatten)]
    pub types: Types,

    /// Columns to keep.
    #[command(flatten)]
    pub columns: Columns,

    /// Keep rows A to B, counted from 0, B not included
    ///
    /// A.. keeps all from A on, ..B the first B.
    #[arg(long, value_name = "A..B", help_heading = "Selection")]
    pub rows: Option<String>,

    /// Keep frames A to B of MATHLDBT input
    ///
    /// With --rows, rows are counted within these frames.
    #[arg(long, value_name = "A..B", help_heading = "Selection")]
    pub frames: Option<String>,

    /// Leave damaged frames out, read up to the break, and tell what was lost
    ///
    /// MATHLDBT input only. A frame whose payload is damaged is left out, and the frames behind it
    /// are kept. Where the end of a damaged frame cannot be told, nothing behind it is read. The
    /// loss is told on stderr, and the exit status is 0 as long as any frame was whole.
    #[arg(long, help_heading = "Selection")]
    pub salvage: bool,

    /// Where the output goes and how it is written.
    #[command(flatten)]
    pub output: Output,

    /// How frames are compressed.
    #[command(flatten)]
    pub wrap: Wrap,
}

/// Arguments of `mbt head`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt head bars.mbt
  mbt head -n 3 --columns pair,close bars.csv
  curl -s https://example.com/bars.json | mbt head")]
pub struct Head {
    /// File to read; none or - is stdin
    #[arg(value_name = "INPUT")]
    pub path: Option<PathBuf>,

    /// What the input is and how to read it.
    #[command(flatten)]
    pub input: Input,

    /// Types of columns read from text.
    #[command(flatten)]
    pub types: Types,

    /// Columns to keep.
    #[command(flatten)]
    pub columns: Columns,

    /// How many rows to show
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 10,
        help_heading = "Selection"
    )]
    pub rows: u64,

    /// Print a JSON array of rows instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `mbt inspect`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt inspect bars.mbt
  mbt inspect --json *.mbt
  mbt inspect --layout bars.mbt    what each byte means
  mbt convert bars.csv --to mbt | mbt inspect --frames -")]
pub struct Inspect {
    /// MATHLDBT files to look into; - is stdin
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,

    /// List the frames: place, codec, rows, sizes, checksum
    #[arg(long, conflicts_with = "layout", help_heading = "What to tell")]
    pub frames: bool,

    /// Map the bytes of a frame, field by field
    ///
    /// For people who write other readers: offset, bytes in hex, name and value of every field of
    /// the frame's envelope, after decompression. Of long payloads the first rows are listed.
    #[arg(long, help_heading = "What to tell")]
    pub layout: bool,

    /// The frame to map, counted from 0
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "layout",
        help_heading = "What to tell"
    )]
    pub frame: u64,

    /// Memory a frame may take.
    #[command(flatten)]
    pub limit: Limit,

    /// Print one JSON document instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `mbt verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status:
  0  all files are whole
  1  damage was found, and every place of it is told; what --deep finds in
     flags, padding and under nulls is only noted
  2  bad usage
  3  a file cannot be read

An index (convert --index) guards every stored byte, whatever the codec. Without
one, raw frames of version 1 have no checksum, so a changed value can look like
any other; zstd, gzip and lz4 guard what frames hold, not how it is spelled; and
a file that ends early between two frames looks whole.

Examples:
  mbt verify *.mbt
  mbt verify --deep --json bars.mbt
  ssh host cat bars.mbt | mbt verify -")]
pub struct Verify {
    /// MATHLDBT files to check; - is stdin
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,

    /// Only that frames and columns are where they should be
    ///
    /// Nothing is decompressed but gzip members, whose end cannot be found otherwise. Bytes behind
    /// the last frame are damage in every tier.
    #[arg(
        long,
        conflicts_with = "deep",
        help_heading = "How much to check [default: checksums]"
    )]
    pub structure: bool,

    /// Also every value: UTF-8, JSON, bools
    ///
    /// Decodes all columns. Text that is not UTF-8, JSON text that is not JSON and bools that are
    /// neither 0 nor 1 are damage. Flags, a schema id, padding bits, bytes under nulls and unused
    /// or repeated dictionary entries are told as notes and leave the exit status 0: the format
    /// lets them pass and no value is in doubt.
    #[arg(long, help_heading = "How much to check [default: checksums]")]
    pub deep: bool,

    /// Memory a frame may take.
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
    /// MATHLDBT file to read, its frames compressed or not; none or - is stdin
    #[arg(value_name = "INPUT")]
    pub path: Option<PathBuf>,

    /// Memory a frame may take.
    #[command(flatten)]
    pub limit: Limit,

    /// Where the output goes.
    #[command(flatten)]
    pub target: Target,

    /// How frames are compressed.
    #[command(flatten)]
    pub wrap: Wrap,

    /// Match repetitions up to 128 MiB apart (zstd)
    ///
    /// Helps frames of more than a few MiB, and takes more memory on both ends.
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
    /// MATHLDBT file to read, its frames compressed or not; none or - is stdin
    #[arg(value_name = "INPUT")]
    pub path: Option<PathBuf>,

    /// Memory a frame may take.
    #[command(flatten)]
    pub limit: Limit,

    /// Where the output goes.
    #[command(flatten)]
    pub target: Target,

    /// How many threads work.
    #[command(flatten)]
    pub threads: Threads,
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
    #[arg(long)]
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

    /// What is told on the way.
    #[command(flatten)]
    pub telling: Telling,
}

/// Arguments of `mbt completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt completions bash > ~/.local/share/bash-completion/completions/mbt
  mbt completions zsh > ~/.zfunc/_mbt
  mbt completions fish > ~/.config/fish/completions/mbt.fish")]
pub struct Completions {
    /// Shell to write for
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
    /// Directory to write to; made if it is not there
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

/// What the input is and how to read it.
#[derive(Debug, Args)]
pub struct Input {
    /// csv, tsv, json, ndjson, mbt [default: by name or content]
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
    /// Types are bool, i16, i32, i64, f32, f64, uuid, timestamp, utf8, bytes and json. A cell that
    /// cannot be read as the type of its column is an error.
    #[arg(long, value_name = "SPEC|@FILE")]
    pub schema: Option<String>,

    /// exact, values or none: what a type must keep
    ///
    /// exact: a column gets a type if every cell prints back exactly as it was read. values: if
    /// every cell parses and nothing but spelling is lost, so that 1.50 becomes 1.5, but 007, +1
    /// and numbers of 25 digits stay text. none: every column is utf8. The default is exact for output as CSV and
    /// TSV, else values.
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

/// Where the output goes and how it is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// File to write; none or - is stdout
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Format [default: by extension, else mbt; csv from mbt]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub to: Option<Format>,

    /// MATHLDBT version: 1 (all rows in one frame)
    ///
    /// Readers of version 1 expect one frame per file, so that is what is written unless
    /// --frame-rows says otherwise; all rows are then held in memory until the input ends.
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub wire: Wire,

    /// Begin a new frame every N rows; bounds memory
    #[arg(
        long,
        value_name = "N",
        value_parser = at_least_one
    )]
    pub frame_rows: Option<u64>,

    /// auto, plain or LIST of dict,delta [default: auto]
    ///
    /// dict stores distinct values once, delta stores differences of neighbouring integers; either
    /// is used for a column only if it makes the column smaller. auto allows both, plain none.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub encodings: Option<Vec<Encoding>>,

    /// Put an index behind the frames, for quick selection
    ///
    /// It says where each frame is and how many rows it has, in a skippable frame that tools of
    /// zstd and lz4 pass over. --rows and --frames then read only what they need.
    #[arg(long)]
    pub index: bool,

    /// Replace an existing file; write binary to a terminal
    #[arg(long)]
    pub force: bool,

    /// What is told on the way.
    #[command(flatten)]
    pub telling: Telling,
}

/// What is told on stderr, besides errors.
#[derive(Debug, Args)]
pub struct Telling {
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

/// Reads a count that cannot be zero; clap's own range would answer with 2^64.
fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("write a whole number from 1".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// When to do what is not always welcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Where it makes sense
    Auto,
    /// Always
    Always,
    /// Never
    Never,
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn clap_finds_no_contradiction() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_of_every_command_fits_a_screen_and_shows_an_example() {
        let mut cli = Cli::command();
        cli.build();
        for command in std::iter::once(&cli).chain(cli.get_subcommands()) {
            let help = command.clone().term_width(80).render_help().to_string();
            let name = command.get_name();
            let lines = help.lines().count();
            assert!(lines <= 50, "{name}: {lines} lines of help");
            assert!(help.contains("Examples:\n  "), "{name}: no example");
        }
    }

    #[test]
    fn odd_values_reach_the_options_they_are_meant_for() {
        let cli = Cli::try_parse_from([
            "mbt",
            "convert",
            "--null",
            "-",
            "--null",
            "",
            "--delimiter",
            "-",
            "--rows",
            "..5",
            "--encodings",
            "dict,delta",
            "--from",
            "jsonl",
            "--to",
            "mathldbt",
            "-",
        ])
        .unwrap();
        let Command::Convert(args) = cli.command else {
            panic!("not convert")
        };
        assert_eq!(args.input.dialect.nulls, ["-", ""]);
        assert_eq!(args.input.dialect.delimiter.as_deref(), Some("-"));
        assert_eq!(args.rows.as_deref(), Some("..5"));
        assert_eq!(
            args.output.encodings,
            Some(vec![Encoding::Dict, Encoding::Delta])
        );
        assert_eq!(args.input.from, Some(Format::Ndjson));
        assert_eq!(args.output.to, Some(Format::Mbt));
        assert_eq!(args.inputs, [PathBuf::from("-")]);
    }

    #[test]
    fn frames_without_rows_are_refused() {
        for rows in ["0", "-1", "many", "1.5"] {
            assert!(Cli::try_parse_from(["mbt", "convert", "--frame-rows", rows]).is_err());
        }
        assert!(Cli::try_parse_from(["mbt", "convert", "--frame-rows", "1"]).is_ok());
    }
}
