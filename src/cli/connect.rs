//! Arguments of `mbt connect`.

use clap::{Args, ValueEnum};

/// Arguments of `mbt connect`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mbt connect python > mbt.py    then: import mbt; mbt.read('bars.mbt')
  mbt connect spark > mbt.py     then: import mbt; mbt.register(spark)")]
pub struct Connect {
    /// What the module is for: python or spark
    ///
    /// python: mbt.read(path, columns=, where=) gives a pyarrow.RecordBatchReader of any input, and
    /// mbt.write(data, path, preset=) writes tables, readers and data frames. The module begins with examples for
    /// databases and data frames. It needs pyarrow, and mbt on PATH.
    ///
    /// spark: the same, and mbt.register(spark), which makes spark.read.format("mbt") and df.write.format("mbt") known to
    /// Spark 4.1 or newer. Each task reads a range of frames; the options columns and where say what is needed.
    #[arg(value_name = "TARGET", hide_possible_values = true)]
    pub target: Connector,
}

/// What a connector module is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Connector {
    /// Readers and writers of Arrow batches in Python.
    Python,
    /// The same, and a data source for Spark.
    Spark,
}
