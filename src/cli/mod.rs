//! What can be typed: the commands, their options and their help.
//!
//! Nothing here knows the rest of the crate. Values that clap cannot check alone (sizes, ranges,
//! single-byte characters, types) stay text; the commands read them and name the mistake.
//! `completions/` and `man/` are made from this file, and `tests/cli/generated.rs` holds them to it.

mod bench;
pub mod estimate;
mod groups;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};
use clap_complete::Shell;

pub use bench::{Bench, BenchTask, CheckLog, Compare};
pub use estimate::Estimate;
pub use groups::{
    Codec, Columns, Dialect, Encoding, Filter, Format, Infer, Input, Limit, Messages, Output,
    Preset, Switch, Target, Threads, Types, When, Wire, Wrap,
};

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
  1  verify found damage, or a gate of bench failed
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
    /// Convert between CSV, TSV, JSON, NDJSON, Arrow and MATHLDBT
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
    /// Tell bytes and transfer time per format and codec over a link
    Estimate(Box<Estimate>),
    /// Measure this build on this machine, and keep a log of it
    Bench(Box<Bench>),
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
  mbt convert bars.mbt -o bars.arrow
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

    /// Rows to keep.
    #[command(flatten)]
    pub filter: Filter,

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

    /// Give text back to the byte: on or off
    ///
    /// on (wire 2 only): frames keep what the text has besides its values, that is its style (quotes,
    /// line ends, white space, escapes) and a patch for every record that is written otherwise; the
    /// index keeps the length and the XXH3-128 of the text, which are checked when it comes back. To
    /// the format that it had, text comes back to the byte if all of it is asked for, in its style if
    /// rows or columns of it are. off: the values alone are written and read. --infer values and
    /// several inputs mean off.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "on",
        hide_possible_values = true,
        hide_short_help = true,
        help_heading = "Types (of columns read from text)"
    )]
    pub exact: Switch,

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

    /// Rows to keep.
    #[command(flatten)]
    pub filter: Filter,

    /// How many rows to show
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = groups::whole_number,
        help_heading = "Selection"
    )]
    pub rows: u64,

    /// Print a JSON array of rows instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `mbt inspect`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are flags")]
#[command(group = clap::ArgGroup::new("one_frame").args(["layout", "explain"]))]
#[command(after_help = "\
Examples:
  mbt inspect bars.mbt
  mbt inspect --json *.mbt
  mbt inspect --layout bars.mbt    what each byte means
  mbt inspect --explain bars.mbt   why columns are encoded as they are
  mbt convert bars.csv --to mbt | mbt inspect --frames -")]
pub struct Inspect {
    /// MATHLDBT files to look into; - is stdin
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,

    /// List the frames: place, codec, rows, sizes, checksum
    #[arg(long, conflicts_with_all = ["layout", "explain"], help_heading = "What to tell")]
    pub frames: bool,

    /// Tell what encodings a frame's columns could have (wire 2)
    ///
    /// Decodes the frame and lets the chooser of --preset choose again: what it tries for every
    /// leaf column, the bytes it expects of each, what it would take and what the file has. Bytes
    /// are estimated on a sample, after compression.
    #[arg(long, conflicts_with = "layout", help_heading = "What to tell")]
    pub explain: bool,

    /// Map the bytes of a frame, field by field
    ///
    /// For people who write other readers: offset, bytes in hex, name and value of every field of
    /// the frame's envelope, after decompression. Of long payloads of version 1 the first rows are
    /// listed; of version 2 the header is mapped field by field, and of each section is told whose
    /// bytes it holds. A header that is stored compressed is mapped apart, with offsets of its own.
    #[arg(long, help_heading = "What to tell")]
    pub layout: bool,

    /// The frame to map or explain, counted from 0
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "one_frame",
        help_heading = "What to tell"
    )]
    pub frame: u64,

    /// How hard --explain looks: fast, balanced or small [default: balanced]
    #[arg(
        long,
        value_name = "NAME",
        requires = "explain",
        hide_possible_values = true,
        help_heading = "What to tell"
    )]
    pub preset: Option<Preset>,

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
  2  bad usage, a file that is no MATHLDBT stream at all, or one that begins
     with a frame over --max-frame
  3  a file cannot be read

Every byte of version 2 is under a checksum, and an index guards every stored
byte of any version. Without one, raw frames of version 1 have none, so a
changed value can look like any other; zstd, gzip and lz4 guard what frames
hold, not how it is spelled; and a file that ends early between two frames
looks whole.

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
    /// Decodes all columns, and compares the text that comes back with what the index says of it.
    /// Text that is not UTF-8, JSON text that is not JSON, bools that are neither 0 nor 1 and bytes of
    /// sections that belong to no column are damage. Flags, a schema id, padding bits, bytes under
    /// nulls and unused or repeated dictionary entries are told as notes and leave the exit status 0:
    /// the format lets them pass and no value is in doubt.
    #[arg(long, help_heading = "How much to check [default: checksums]")]
    pub deep: bool,

    /// Also that the text comes back: compare it with FILE
    ///
    /// Prints the frames as the text that they were made of and compares byte by byte; FILE may be
    /// wrapped by gzip or zstd. The exit status is 1 if they differ, and the first difference is told.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "structure",
        help_heading = "How much to check [default: checksums]"
    )]
    pub source: Option<PathBuf>,

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
