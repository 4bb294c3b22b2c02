//! Options of commands that read rows and report on them.

use clap::Args;

use super::{Columns, Filter, Input, RecordLimit, Threads, Types};

/// What is read of the inputs, and how.
#[derive(Debug, Args)]
pub struct Reading {
    /// How to read the input.
    #[command(flatten)]
    pub input: Input,

    /// Longest record of text.
    #[command(flatten)]
    pub records: RecordLimit,

    /// Column types.
    #[command(flatten)]
    pub types: Types,

    /// Columns to keep.
    #[command(flatten)]
    pub columns: Columns,

    /// Rows to keep.
    #[command(flatten)]
    pub filter: Filter,

    /// Number of threads.
    #[command(flatten)]
    pub threads: Threads,
}
