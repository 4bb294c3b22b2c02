//! The suites, one file or folder each.

mod alloc;
mod dictionary;
mod file;
pub mod formats;
mod json;
mod pages;
mod records;
mod transport;

use std::path::PathBuf;

use super::run::Run;
use crate::error::Result;

/// The suite that only runs in builds that count allocations.
pub const ALLOC: &str = "alloc";

/// A benchmark suite.
#[derive(Clone, Debug)]
pub enum Suite {
    /// A suite with its own data: its name on the command line and in the log, and the function that measures
    /// it.
    Own(&'static str, fn(&mut Run<'_>) -> Result<()>),
    /// A file of the user's own.
    File(PathBuf),
}

impl Suite {
    /// The suites that need no file.
    pub const ALL: [Self; 6] = [
        Self::Own("transport", transport::measure),
        Self::Own("json", json::measure),
        Self::Own("records", records::measure),
        Self::Own("dictionary", dictionary::measure),
        Self::Own(ALLOC, alloc::measure),
        Self::Own("pages", pages::measure),
    ];

    /// The name on the command line and in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Own(name, _) => name,
            Self::File(_) => "file",
        }
    }

    /// Measures all selected rows.
    pub(super) fn measure(&self, run: &mut Run<'_>) -> Result<()> {
        match self {
            Self::Own(_, measure) => measure(run),
            Self::File(path) => file::measure(run, path),
        }
    }
}
