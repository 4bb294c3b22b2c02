//! Options of commands that read rows.

use clap::Args;

use super::{ColumnArgs, Filter, Input, RecordLimit, Types};

/// How to read the inputs.
#[derive(Clone, Debug, Args)]
pub struct Reading {
    /// How to read the input.
    #[command(flatten)]
    pub input: Input,

    /// Memory limit for text records.
    #[command(flatten)]
    pub records: RecordLimit,

    /// Column types.
    #[command(flatten)]
    pub types: Types,

    /// Columns to keep.
    #[command(flatten)]
    pub columns: ColumnArgs,

    /// Rows to keep.
    #[command(flatten)]
    pub filter: Filter,
}
