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
    /// python: mbt.read(path, columns=, where=) returns a pyarrow.RecordBatchReader for any input, and mbt.write(data,
    /// path, preset=) writes tables, readers and data frames. The module starts with examples for databases and data
    /// frames. It needs pyarrow, and mbt on PATH.
    ///
    /// spark: the same, plus mbt.register(spark), which adds spark.read.format("mbt") and df.write.format("mbt") to
    /// Spark 4.1 or newer. Each task reads a range of frames; the options columns and where restrict what is read.
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
