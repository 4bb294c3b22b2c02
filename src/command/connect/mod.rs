//! `mbt connect`: prints a module that lets another program read and write through `mbt`.

use crate::cli::{Connect, Connector};
use crate::error::Result;
use crate::report;

/// Prints the module.
///
/// # Errors
/// [`crate::error::Kind::Io`] if stdout cannot be written.
pub fn run(args: &Connect) -> Result<()> {
    report::print_text(match args.target {
        Connector::Python => include_str!("mbt.py"),
        Connector::Spark => concat!(include_str!("mbt.py"), include_str!("spark.py")),
    })
}
