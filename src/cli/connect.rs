//! Arguments of `mbt connect`.

use clap::{Args, ValueEnum};

/// Arguments of `mbt connect`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt connect python > mbt.py    then: import mbt; mbt.read('bars.mbt')")]
pub struct Connect {
    /// What the module is for: python
    ///
    /// python: mbt.read(path, columns=, where=) gives a pyarrow.RecordBatchReader of any input, and
    /// mbt.write(data, path, preset=) writes tables, readers and data frames. The module begins with examples for
    /// databases and data frames. It needs pyarrow, and mbt on PATH.
    #[arg(value_name = "TARGET", hide_possible_values = true)]
    pub target: Connector,
}

/// What a connector module is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Connector {
    /// Readers and writers of Arrow batches in Python.
    Python,
}
