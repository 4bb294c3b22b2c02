//! Arguments of `mbt estimate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::groups::{Input, Messages, at_least_one};

/// Arguments of `mbt estimate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt estimate bars.csv --link 4g
  mbt estimate --rows 2000 --rtt-ms 30 --mbit 100 --json
  mbt estimate bars.csv --payloads v1,v2 --codecs none,zstd:3 --chart
  mbt estimate tick.json --count 1000 --every-ms 50 --model tcp")]
pub struct Estimate {
    /// Files or directories to measure, any format; - is stdin
    ///
    /// Of several files, and of all files in a directory whose names tell a format, the totals per
    /// payload and codec are told, as if they were sent one behind the other. Without any, and
    /// without --rows, stdin is read.
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// Instead of a file, N rows of prices made by a recipe
    ///
    /// Candles of two symbols, always the same, whose sizes are published. They are held in memory.
    #[arg(
        long,
        value_name = "N",
        value_parser = at_least_one,
        conflicts_with = "inputs",
        help_heading = "Input"
    )]
    pub rows: Option<u64>,

    /// What the input is and how to read it.
    #[command(flatten)]
    pub input: Input,

    /// The link.
    #[command(flatten)]
    pub path: Path,

    /// What to measure.
    #[command(flatten)]
    pub what: What,

    /// table, markdown, csv or json [default: table]
    ///
    /// markdown is a heading and a table of payload, compression, bytes and transfer time, to be
    /// pasted into a log. Seconds are to six decimals but in json.
    #[arg(
        long,
        value_name = "FORMAT",
        conflicts_with = "json",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub format: Option<Report>,

    /// The same as --format json
    ///
    /// error is null, or how far off extrapolated bytes may be as a share of them; ratio is the text
    /// divided by the bytes; crossovers tell the best choice from bandwidth to bandwidth.
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Draw total time over bandwidth as text
    ///
    /// In plain characters, with logarithmic axes: a letter for each payload and codec that is the
    /// best at some bandwidth, and one for the text as it is.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub chart: bool,

    /// Draw it as a picture, too
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Replace an existing picture
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub force: bool,

    /// Messages on stderr.
    #[command(flatten)]
    pub messages: Messages,
}

/// The link and how to think of it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Link")]
pub struct Path {
    /// lan, wifi, 4g, 5g, dsl, fiber, transatlantic, satellite
    ///
    /// Round trip and bandwidth by name: lan 0.5 ms and 1000 Mbit/s, wifi 4 and 200, 4g 50 and 30,
    /// 5g 25 and 200, dsl 30 and 50, fiber 8 and 1000, transatlantic 80 and 500, satellite 600 and
    /// 25. --rtt-ms and --mbit overrule the one or the other.
    #[arg(long, value_name = "NAME")]
    pub link: Option<String>,

    /// Round trip in milliseconds [default: 30]
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub rtt_ms: Option<f64>,

    /// Bandwidth in 10^6 bits per second [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub mbit: Option<f64>,

    /// basic or tcp
    ///
    /// basic: transfer = rtt / 1000 + bytes * 8 / (mbit * 10^6), which is one round trip and then
    /// full bandwidth.
    ///
    /// tcp: a new connection, until the last byte is acknowledged. The handshake takes one round
    /// trip, TLS as many as --tls says, the data and their acknowledgement one more, and the bytes
    /// themselves bytes / rate. Segments hold 1460 bytes of data and 40 of headers, so that rate is
    /// mbit * 10^6 / 8 * 1460 / 1500. The window begins with 10 segments (RFC 6928) and doubles
    /// with every round trip (slow start, RFC 5681) until it fills the link; before that, the sender
    /// waits in each round trip for what is left of it. With --loss, rate is at most
    /// 1460 / rtt * sqrt(3 / 2) / sqrt(p) bytes per second (Mathis, Semke, Mahdavi and Ott, "The
    /// Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997), and slow start ends
    /// there. It knows no queues, no other traffic, and no limit but the window's.
    #[arg(
        long,
        value_name = "MODEL",
        default_value = "basic",
        hide_possible_values = true
    )]
    pub model: Model,

    /// Model tcp: round trips of TLS [default: 0, --tls alone: 1]
    ///
    /// TLS 1.3 takes one before data flow (RFC 8446), TLS 1.2 two.
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1"
    )]
    pub tls: Option<u32>,

    /// Model tcp: share of segments that are lost, as 0.001
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub loss: Option<f64>,

    /// A stream: the input is a message, sent N times
    ///
    /// Tells what each payload takes per second, and whether link and machines keep up: sending,
    /// encoding and decoding a message may each take no longer than the time to the next.
    #[arg(long, value_name = "N", value_parser = at_least_one, requires = "every_ms")]
    pub count: Option<u64>,

    /// A stream: milliseconds from message to message
    #[arg(
        long,
        value_name = "M",
        requires = "count",
        allow_negative_numbers = true
    )]
    pub every_ms: Option<f64>,
}

/// What to measure, and how well.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to measure")]
pub struct What {
    /// source, json, ndjson, csv, v1-plain, v1, v2, arrow
    ///
    /// source is the input as it is, if it is text. v1-plain is MATHLDBT 1 as it is, v1 has dict and
    /// delta. v2 stands for v2-fast, v2-balanced and v2-small, whose sections are compressed by
    /// themselves: their codec is told as own. All are what mbt convert --exact off writes: what a text
    /// has besides its values, which mostly takes less than 1 % more, stays behind.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub payloads: Option<Vec<String>>,

    /// none, lz4, gzip:6, zstd:1, zstd:3, zstd:9, zstd:19
    ///
    /// Any level may be named behind the colon.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub codecs: Option<Vec<String>>,

    /// Measure all rows, however long it takes
    ///
    /// Without it, slow codecs see a sample of a large input: more than 8 MiB of a payload for gzip
    /// and zstd from 4, more than 2 MiB for zstd from 13 and v2-small. Then all of the payload is
    /// given to a quick codec that looks back as far, and what is extrapolated is how much better
    /// the slow one is, from a sample and from half of it. Such bytes are marked, with the error to be
    /// expected; all others are exact. Seconds are extrapolated from 0.5 to 2 MiB, of v2 16. Of inputs of more
    /// than 64 MiB only some rows are kept in memory, and all is extrapolated.
    ///
    /// With it, all rows of an input are held in memory, which takes some fifteen times the size of the
    /// text; inputs are measured one after the other.
    #[arg(long)]
    pub whole: bool,

    /// Measure each time at least N times
    ///
    /// Times are medians of one thread's work, from rows in memory to bytes and back to rows. By
    /// default three runs or more, of what takes longer than 0.15 s one.
    #[arg(long, value_name = "N", value_parser = at_least_one, hide_short_help = true)]
    pub runs: Option<u64>,
}

/// A model of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// One round trip, then full bandwidth
    Basic,
    /// A new TCP connection
    Tcp,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Report {
    /// For eyes
    Table,
    /// For logs
    Markdown,
    /// For spreadsheets
    Csv,
    /// For programs
    Json,
}
