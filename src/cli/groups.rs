//! Options for input, shared by several commands.
#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the comments are help texts, in which tags[0] is no link"
)]

use std::str::FromStr;

use clap::{ArgAction, Args};

use super::Infer;
use crate::format::Format;

/// How to read the input.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]
    ///
    /// Detected from the file extension, or else from the first bytes. arrow means Arrow IPC: a stream (.arrows) or a
    /// file (.arrow, .feather, .ipc). Rare layouts are converted to common ones: list views to lists, run-end encoded
    /// columns and dictionaries of nested values to their values, unions to structs with one child per type, intervals
    /// to structs, and decimal256 to decimal128 if it has at most 38 digits. Parquet is read from its end, so Parquet
    /// from a pipe is first copied to a temporary file.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub from: Option<Format>,

    /// Encoding of text: utf-16le, latin1, ... [default: utf-8]
    ///
    /// UTF-16 with a byte order mark is detected. All names of the WHATWG Encoding Standard are known, such as
    /// windows-1252, iso-8859-15, koi8-r, gb18030 and big5; but latin1 and iso-8859-1 mean ISO 8859-1, in which each
    /// byte is the character with that number. The text is restored in its encoding; other formats are written in
    /// UTF-8.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub encoding: Option<String>,

    /// JSON: rows are the array at this path, such as data.items
    ///
    /// For a document with rows inside, such as the features of a map or the response of a web service. Frames keep the
    /// rest of the document. It is restored with the whole text, but omitted from selections and from text converted
    /// directly. Keys that contain dots go in double quotes or backticks. Items of arrays are counted from 0:
    /// runs[0].results.
    #[arg(long, value_name = "PATH", hide_short_help = true)]
    pub records: Option<String>,

    /// Memory limit.
    #[command(flatten)]
    pub limit: Limit,

    /// CSV dialect.
    #[command(flatten)]
    pub dialect: DialectArgs,
}

/// Memory limit for a frame of the input.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Input")]
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
        hide_short_help = true
    )]
    pub max_frame: String,
}

/// Memory limit for a record of text.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct RecordLimit {
    /// Reject text records longer than this
    ///
    /// A quote that is never closed turns the rest of the text into one record. Reading a record takes at least three
    /// times its size in memory.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "512MiB",
        hide_short_help = true
    )]
    pub max_record: String,
}

/// The CSV dialect, detected unless given.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "CSV and TSV, input and output")]
pub struct DialectArgs {
    /// Field delimiter: one byte, \t or tab [default: detected]
    ///
    /// Applies to CSV and TSV input, and to CSV and TSV output made from it. For other input, it applies only to the
    /// output.
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub delimiter: Option<String>,

    /// Quote character: one byte, or none [default: "]
    ///
    /// With none, quotes in the input are ordinary characters. In output, cells that need quotes still get double quotes.
    #[arg(
        hide_short_help = true,
        long,
        value_name = "C",
        allow_hyphen_values = true
    )]
    pub quote: Option<String>,

    /// The first line is data; columns are named by number
    ///
    /// Without this option, CSV and TSV output has no header if it is made from text without one, unless columns get
    /// names by --columns.
    #[arg(long)]
    pub no_header: bool,

    /// Unquoted text that means null; repeatable
    ///
    /// On output, nulls are written as the first TEXT. Without this option, an unquoted empty cell is
    /// null, and a quoted empty cell is null among values such as numbers, and the empty string among text; CSV and
    /// TSV output made from such text keeps its word for null.
    #[arg(
        long = "null",
        value_name = "TEXT",
        allow_hyphen_values = true,
        action = ArgAction::Append
    )]
    pub nulls: Vec<String>,

    /// Skip lines of the input that start with this, such as # or //
    ///
    /// Frames keep these lines. They are restored with the whole text, but omitted from selections and from text
    /// converted directly.
    #[arg(
        long,
        value_name = "START",
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    pub comment: Option<String>,

    /// Skip this many lines before the header of the input
    ///
    /// These lines are kept and omitted like those of --comment. The line sep=; that Excel writes is recognized without
    /// this option.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        value_parser = whole_number::<u64>,
        hide_short_help = true
    )]
    pub skip_lines: u64,

    /// Decimal mark of numbers in the input: , or . [default: .]
    ///
    /// With a comma, 1,50 is a number, and 1.50 is text. CSV and TSV output keeps the comma; other formats store
    /// numbers.
    #[arg(long, value_name = "C", hide_short_help = true)]
    pub decimal: Option<String>,

    /// Pad short rows, add columns for long ones
    ///
    /// Also allows quotes that are never closed and bytes that are not UTF-8.
    #[arg(long)]
    pub flexible: bool,
}

/// Types of columns read from text.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Types (of columns read from text)")]
pub struct Types {
    /// Set column types: a:i64,b:utf8, or @FILE
    ///
    /// The types are bool, i16, i32, i64, f32, f64, uuid, timestamp, utf8, bytes and json. Wire 2 and arrow also
    /// support null, i8, u8, u16, u32, u64, decimal(18,2), date, time(us) and timestamp(us), which has no time zone.
    /// timestamp is timestamp(us,UTC). Units are s, ms, us and ns.
    ///
    /// Names of SQL and Arrow are accepted, too: smallint or int16 for i16, integer, int or int32 for i32, bigint or
    /// int64 for i64, float, real or float32 for f32, double or float64 for f64, numeric(18,2) for decimal(18,2),
    /// varchar, text or string for utf8, blob or binary for bytes, boolean, and uint8 to uint64.
    ///
    /// A cell that cannot be read as its column's type is an error. Columns of MATHLDBT, Arrow and Parquet input keep
    /// their types. FILE has one column per line, as printed by `mbt schema`; lines that start with # are comments.
    #[arg(long, value_name = "SPEC|@FILE")]
    pub schema: Option<String>,

    /// Type inference: exact, values or none
    ///
    /// exact: types that print every cell exactly as it was read. values: types to compute with, if no value is lost:
    /// 1.50 becomes 1.5 and Yes becomes true, but 007, +1 and numbers of 25 digits stay text. none: every column is
    /// utf8. 01/02/2024 is a date only if another row shows which number is the month. The default is values for
    /// Arrow, Parquet and wire 1, and exact for everything else. Arrow and Parquet have the types of all rows; other
    /// output is written in one pass, each frame with its own types. mbt-format(5) has the table.
    #[arg(long, value_name = "MODE", hide_possible_values = true)]
    pub infer: Option<Infer>,
}

/// Column selection.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct ColumnArgs {
    /// Keep these columns, in this order: a,b.c,'d as e'
    ///
    /// Besides names: #3 (the third column), a..d and #2..#5 (ranges), and internal_* and x? (patterns). A leading -
    /// excludes: -internal_* keeps all others. user.name and tags[0], written as in --where, extract a value from a
    /// nested column; it is null where an enclosing value is, and the new column is called user.name. $[0] is the first
    /// item of rows that are arrays. NAME as NEW renames a column: 'user.name as who', '$[0] as time'. Put names that
    /// contain a comma or the word as in double quotes or backticks; a quoted name is a whole column. Apart from as, an
    /// exact column name takes precedence over all of these.
    ///
    /// Numbers, ranges, patterns and exclusions match the columns of all rows. If later rows may add columns (JSON, CSV
    /// with --flexible, frames), the input is read twice; a pipe is spooled to a temporary file.
    #[arg(long, value_name = "NAME,...", allow_hyphen_values = true)]
    pub columns: Option<String>,
}

/// Row selection by condition.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Filter {
    /// Keep rows that match a condition: 'price > 9.5'
    ///
    /// An SQL condition: and, or, not, parentheses, = <> < <= > >=, between, in, like, ilike, ~ and !~ (regular
    /// expressions), is null, is true; columns compared with values or with each other; user.name and tags[0] (counted
    /// from 0; tags[-1] is the last item) for values inside nested columns. Text, dates and times go in single quotes;
    /// unusual column names in double quotes or backticks. A word in double quotes that is not the name of a column is
    /// text. A comparison with null is neither true nor false, as in SQL.
    ///
    /// Values take the type of the column: numbers are exact, and dates and times are instants, in ISO 8601 or as
    /// written in the column. Text is compared byte by byte. Against a number or a date literal, such as date
    /// '2024-01-31', text that holds one is compared by value. NaN equals NaN and is greater than all numbers. --rows
    /// counts matching rows. Frames whose statistics rule out a match are not read.
    ///
    /// A column can hold values of several kinds; each row is then compared by its own kind. A number in single quotes
    /// is compared by value with CSV cells that are numbers, and as text with other cells; the same holds for the cells
    /// of two columns. JSON values of different kinds are never equal. Words for null depend on the type that the
    /// column has in a frame. If a date that is not in ISO 8601 is a date in some frames and text in others, comparing
    /// it is an error. --schema fixes the type.
    #[arg(long = "where", value_name = "CONDITION", allow_hyphen_values = true)]
    pub condition: Option<String>,
}

/// Parses a count that must not be zero. clap's own range check would mention 2^64 in its message.
pub(super) fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number, 1 or more".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// Parses a count. clap alone would show the standard library's message.
pub(super) fn whole_number<N: FromStr>(text: &str) -> Result<N, String> {
    let number = text.parse();
    number.map_err(|_| "expected a whole number, such as 20".to_owned())
}

/// A sample of the rows.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Sampling {
    /// Keep N rows chosen at random
    ///
    /// All rows that other options keep are equally likely; the chosen rows stay in order. The choice is the same every
    /// time, for text and for frames, and for convert and head. Cannot be combined with --limit.
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number::<u64>,
        conflicts_with = "limit",
        hide_short_help = true
    )]
    pub sample: Option<u64>,

    /// Number that determines the sample [default: 0]
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number::<u64>,
        default_value = "0",
        hide_default_value = true,
        hide_short_help = true,
        requires = "sample"
    )]
    pub seed: u64,
}
