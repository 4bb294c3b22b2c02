//! Options for what commands read, shared by several of them.

use clap::{ArgAction, Args};

use super::Infer;
use crate::format::Format;

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

    /// JSON: rows are the array at this path, such as data.items
    ///
    /// For a document with rows inside, such as the features of a map or the answer of a web service. The rest of the document is kept in
    /// frames, and comes back with the whole text, but not with a selection or in another file of text. Keys that contain
    /// dots go in double quotes or backticks.
    #[arg(
        long,
        value_name = "PATH",
        hide_short_help = true,
        help_heading = "Input"
    )]
    pub records: Option<String>,

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

    /// Pass over lines that begin with this character, such as #
    ///
    /// They are kept in frames, and come back with the whole text, but not with a selection or in another file of text.
    #[arg(long, value_name = "C", hide_short_help = true)]
    pub comment: Option<String>,

    /// Pass over this many lines before the header
    ///
    /// They are kept as those of --comment are. The line sep=; that Excel writes is recognised without this option.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub skip_lines: u64,

    /// Decimal mark of numbers in the input: , or . [default: .]
    ///
    /// With a comma, 1,50 is a number, and 1.50 is text. Numbers come back with their comma in CSV and TSV; other formats
    /// have them as numbers.
    #[arg(long, value_name = "C", hide_short_help = true)]
    pub decimal: Option<String>,

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
    /// Keep these columns, in this order: a,b.c,'d as e'
    ///
    /// Besides names: #3 (the third column), a..d and #2..#5 (ranges), internal_* and x? (patterns), and with - in
    /// front what to leave out: --columns=-internal_* keeps all others. `user.name` and `tags[0]`, written as in
    /// --where, take a value out of a nested column; it is null where anything around it is, and the column is called
    /// `user.name`. A name after as replaces that of a column: 'user.name as who'. Names that contain commas, or as
    /// between spaces, go in double quotes or backticks. A column whose name is exactly what was typed wins over all
    /// of this but as.
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
    /// are chosen from text and from frames, each time, and by convert and head.
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
