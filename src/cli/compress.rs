//! Arguments of `mbt compress` and `mbt decompress`.

use std::path::PathBuf;

use clap::Args;

use super::{CompressOutput, Limit, Threads, Wrap};

/// Arguments of `mbt compress`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt compress -c zstd -l 19 bars.mbt -o small.mbt
  mbt compress -c zstd -l 19 --long wire1.mbt.gz -o wire1.mbt.zst
  mbt convert a.csv --wire 1 --to mbt | mbt compress -c lz4 > a.mbt.lz4")]
pub struct Compress {
    /// MATHLDBT file, compressed or not; default or - is stdin
    #[arg(value_name = "INPUT")]
    pub path: Option<PathBuf>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// Output file.
    #[command(flatten)]
    pub target: CompressOutput,

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
    /// MATHLDBT file, compressed or not; default or - is stdin
    #[arg(value_name = "INPUT")]
    pub path: Option<PathBuf>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// Output file.
    #[command(flatten)]
    pub target: CompressOutput,

    /// Number of threads.
    #[command(flatten)]
    pub threads: Threads,
}
