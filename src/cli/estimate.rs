//! Arguments of `mbt estimate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::groups::at_least_one;
use super::{Input, Messages, Types};

const HELP: &str = "\
Examples:
  mbt estimate bars.csv --link 4g --chart
  mbt estimate --rows 2000 --payloads v1,v2 --codecs none,zstd:3 --json
  mbt estimate tick.json --count 1000 --every-ms 50 --model tcp";

/// The members of its JSON document; a test compares this with what is printed.
const JSON: &str = include_str!("json/estimate.txt");

/// Arguments of `mbt estimate`.
#[derive(Debug, Args)]
#[command(after_help = HELP, after_long_help = format!("{HELP}\n\n{JSON}"))]
pub struct Estimate {
    /// Files or directories in any format; default or - is stdin
    ///
    /// Several files are reported as totals per payload and codec, as if they were sent one after the other. A
    /// directory means all files in it with a known extension.
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// Use N generated rows of prices instead of a file
    ///
    /// Price candles of two symbols, always the same; their sizes are published. All rows are kept in memory.
    #[arg(
        long,
        value_name = "N",
        value_parser = at_least_one,
        conflicts_with = "inputs",
        help_heading = "Input"
    )]
    pub rows: Option<u64>,

    /// How to read the input.
    #[command(flatten)]
    pub input: Input,

    /// Types of columns.
    #[command(flatten)]
    pub types: Types,

    /// Link and model.
    #[command(flatten)]
    pub path: LinkArgs,

    /// What to measure.
    #[command(flatten)]
    pub what: What,

    /// table, markdown, csv or json [default: table]
    ///
    /// markdown is a heading and a table of payload, compression, bytes and transfer time, for pasting
    /// into a log. In csv, seconds have six decimals.
    #[arg(
        long,
        value_name = "FORMAT",
        conflicts_with = "json",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub format: Option<Report>,

    /// Same as --format json
    ///
    /// error is the fraction by which extrapolated bytes may be off, or null; noise is the fraction by which the seconds
    /// of work may be off; ratio is text size divided by bytes; equal lists the choices that take as long as the best
    /// one, within noise and error; crossovers lists the best choice for each range of bandwidths.
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Plot total time over bandwidth as text
    ///
    /// Both axes are logarithmic. Each payload and codec that is best at some bandwidth gets a letter, and so does the
    /// uncompressed text.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub chart: bool,

    /// Plot total time over bandwidth as SVG
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Replace an existing SVG file
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub force: bool,

    /// Messages on stderr.
    #[command(flatten)]
    pub messages: Messages,
}

/// Link and model.
#[derive(Debug, Args)]
#[command(next_help_heading = "Link")]
pub struct LinkArgs {
    /// lan, wifi, 4g, 5g, dsl, fiber, transatlantic, satellite
    ///
    /// A named round trip time and bandwidth: lan 0.5 ms and 1000 Mbit/s, wifi 4 and 200, 4g 50 and
    /// 30, 5g 25 and 200, dsl 30 and 50, fiber 8 and 1000, transatlantic 80 and 500, satellite 600 and
    /// 25. --rtt-ms and --mbit override it.
    #[arg(long, value_name = "NAME")]
    pub link: Option<String>,

    /// Round trip time in milliseconds [default: 30]
    #[arg(long, value_name = "MS")]
    pub rtt_ms: Option<f64>,

    /// Bandwidth in Mbit/s (10^6 bits per second) [default: 100]
    #[arg(long, value_name = "N")]
    pub mbit: Option<f64>,

    /// basic or tcp
    ///
    /// basic: transfer = rtt / 1000 + bytes * 8 / (mbit * 10^6), that is one round trip, then full
    /// bandwidth.
    ///
    /// tcp: a new connection, until the last byte is acknowledged. The handshake takes one round trip,
    /// TLS takes --tls round trips, the data and its acknowledgement take one more, and sending takes
    /// bytes / rate. Segments carry 1460 bytes of data and 40 of headers, so rate is
    /// mbit * 10^6 / 8 * 1460 / 1500. The window starts at 10 segments (RFC 6928) and doubles with
    /// every round trip (slow start, RFC 5681) until it fills the link; until then, the sender idles
    /// for the rest of each round trip. With --loss, rate is at most
    /// 1460 / rtt * sqrt(3 / 2) / sqrt(p) bytes per second (Mathis, Semke, Mahdavi and Ott, "The
    /// Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997), and slow start ends
    /// there. Queues, other traffic and receive windows are not modeled.
    ///
    /// benches/relay.py compares both models with real transfers: files of 10 kB to 50 MB, fetched through a relay with
    /// a set rate and delay, took within 7 % of the predicted time.
    #[arg(
        long,
        value_name = "MODEL",
        default_value = "basic",
        hide_possible_values = true
    )]
    pub model: ModelName,

    /// Model tcp: TLS round trips [default: 0; --tls alone: 1]
    ///
    /// TLS 1.3 needs one before data can flow (RFC 8446), TLS 1.2 two.
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1"
    )]
    pub tls: Option<u32>,

    /// Model tcp: fraction of segments lost, such as 0.001
    #[arg(long, value_name = "P")]
    pub loss: Option<f64>,

    /// Stream: the input is one message, sent N times
    ///
    /// Shows the bandwidth of each payload, and whether the link and the machines keep up: sending, encoding and
    /// decoding a message must each take no longer than --every-ms.
    #[arg(long, value_name = "N", value_parser = at_least_one, requires = "every_ms")]
    pub count: Option<u64>,

    /// Stream: milliseconds between messages
    #[arg(long, value_name = "M", requires = "count")]
    pub every_ms: Option<f64>,
}

/// What to measure, and how thoroughly.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to measure")]
pub struct What {
    /// source,json,ndjson,csv,v1-plain,v1,v2,arrow,parquet
    ///
    /// source is the input itself, if it is text. v1-plain is MATHLDBT 1 without encodings; v1 uses dict and delta. v2
    /// means v2-fast, v2-balanced and v2-small, which compress their own sections, as Parquet does its pages: their
    /// codec is shown as own. All are written as by mbt convert --exact off, without the information that restores text
    /// byte for byte, which usually adds less than 1 %.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub payloads: Option<Vec<String>>,

    /// none,lz4,gzip:6,zstd:1,zstd:3,zstd:9,zstd:19
    ///
    /// Any level can follow the colon. brotli (0 to 11), which web servers and browsers support, is measured on
    /// request; mbt convert does not write it.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub codecs: Option<Vec<String>>,

    /// Measure all rows, however long it takes
    ///
    /// By default, inputs of more than 3 MiB of text are sampled: 1 MiB, or 4 MiB for v2 and parquet, in sixteen pieces
    /// whose positions depend only on the input. arrow and v1 are written as a whole; lz4 and zstd 1 compress them, and
    /// the text. For columns over 32 MiB and text over 6 MiB, they compress evenly spaced chunks. For
    /// everything else, the size of a sample relative to the output of these codecs for the same bytes is extrapolated,
    /// together with the trend from a part of the sample to all of it. For long payloads, gzip, brotli and zstd from
    /// level 4 compress a sample of 512 KiB; zstd from level 13 and brotli from level 10 use 64 KiB; v2-small uses
    /// 256 KiB of text. Extrapolated bytes are marked, and have an error that is meant to cover 19 of 20 sizes. All others
    /// are exact. For inputs larger than 64 MiB, or whose columns take more than 512 MiB, only some rows are kept in
    /// memory, and all sizes are extrapolated.
    ///
    /// With --whole, all rows of an input are kept in memory, which takes about fifteen times the size of the text.
    /// Inputs are measured one after the other.
    #[arg(long)]
    pub whole: bool,

    /// Minimum number of runs per time
    ///
    /// Times are medians on one thread, from rows in memory to bytes and back to rows. The default is three runs, or
    /// fewer once 8 ms have passed.
    #[arg(long, value_name = "N", value_parser = at_least_one, hide_short_help = true)]
    pub runs: Option<u64>,
}

/// A transfer model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelName {
    /// One round trip, then full bandwidth
    Basic,
    /// A new TCP connection
    Tcp,
}

/// A format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Report {
    /// For people
    Table,
    /// For logs
    Markdown,
    /// For spreadsheets
    Csv,
    /// For programs
    Json,
}
