//! Arguments of `mbt compress` and `mbt decompress`.

use std::path::PathBuf;

use clap::Args;

use super::{Limit, Messages, Threads, Wrap};

/// Arguments of `mbt compress`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt compress -c zstd -l 19 bars.mbt -o small.mbt
  mbt compress -c zstd -l 19 --long wire1.mbt.gz -o wire1.mbt.zst
  mbt convert a.csv --wire 1 --to mbt | mbt compress -c lz4 > a.mbt.lz4")]
pub struct Compress {
    /// Input and output.
    #[command(flatten)]
    pub files: Recoding,

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
  mbt decompress bars.mbt -o plain.mbt
  curl -s https://example.com/bars.mbt.gz | mbt decompress | mbt head")]
pub struct Decompress {
    /// Input and output.
    #[command(flatten)]
    pub files: Recoding,

    /// Number of threads.
    #[command(flatten)]
    pub threads: Threads,
}

/// Input and output of `mbt compress` and `mbt decompress`.
#[derive(Clone, Debug, Args)]
pub struct Recoding {
    /// MATHLDBT file, compressed or not; default or - is stdin
    #[arg(value_name = "INPUT")]
    pub path: Option<PathBuf>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// Output file; default or - is stdout
    #[arg(short, long, value_name = "OUT", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Replace an existing file; write binary to a terminal
    #[arg(long, help_heading = "Output")]
    pub force: bool,

    /// Messages on stderr.
    #[command(flatten)]
    pub messages: Messages,
}
