//! Options of commands that read rows.

use clap::Args;

use super::{Columns, Filter, Input, RecordLimit, Types};

/// What is read of the inputs, and how.
#[derive(Clone, Debug, Args)]
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
}
