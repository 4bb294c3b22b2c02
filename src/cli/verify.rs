//! Arguments of `mbt verify`.

use std::path::PathBuf;

use clap::Args;

use super::Limit;

const HELP: &str = "\
Exit status:
  0  all files are complete and undamaged
  1  damage was found and is listed; anomalies that --deep finds in flags,
     padding and under nulls are only notes
  2  bad usage, a file that is not a MATHLDBT stream at all, or one that
     begins with a frame larger than --max-frame
  3  a file cannot be read

Checksums cover every byte of wire 2, and an index covers every stored
byte of any version. A wire 1 file without an index is less protected, and
a line says so: an uncompressed frame has no checksum, so a changed value goes
unnoticed; zstd, gzip and lz4 check a frame's content but not its own headers;
and a file cut off between two frames looks complete.

Examples:
  mbt verify *.mbt
  mbt verify --deep --json bars.mbt
  ssh host cat bars.mbt | mbt verify -";

/// The heading of the options that no other command has.
const HOW_MUCH: &str = "How much to check [default: checksums]";

/// The members of its JSON document; a test compares this with what is printed.
const JSON: &str = include_str!("json/verify.txt");

/// Arguments of `mbt verify`.
#[derive(Debug, Args)]
#[command(after_help = HELP, after_long_help = format!("{HELP}\n\n{JSON}"))]
pub struct Verify {
    /// MATHLDBT files to check; default or - is stdin
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub inputs: Vec<PathBuf>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// Check only the structure of frames and columns
    ///
    /// Decompresses only gzip members, whose end cannot be found otherwise. Bytes after the last frame count as damage
    /// at every level.
    #[arg(long, conflicts_with = "deep", help_heading = HOW_MUCH)]
    pub structure: bool,

    /// Also check every value: UTF-8, JSON, bools
    ///
    /// Decodes all columns and compares the restored text with the length and hash in the index.
    /// Invalid UTF-8, invalid JSON in a JSON column, bools other than 0 and 1, and section bytes that
    /// belong to no column are damage. Flags, a schema id, padding bits, bytes under nulls, and unused
    /// or repeated dictionary entries are reported as notes and leave the exit status at 0: the format
    /// permits them and no value is in doubt.
    #[arg(long, help_heading = HOW_MUCH)]
    pub deep: bool,

    /// Also check that the restored text equals FILE
    ///
    /// Restores the original text and compares it with FILE byte by byte. FILE may be compressed with gzip, zstd or
    /// lz4. If they differ, the first difference is reported and the exit status is 1.
    #[arg(long, value_name = "FILE", conflicts_with = "structure", help_heading = HOW_MUCH)]
    pub source: Option<PathBuf>,

    /// Print one JSON document instead of lines
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
