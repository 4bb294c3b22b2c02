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

/// A benchmark suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Batches to envelopes and back, and codecs applied to them.
    Transport,
    /// The same rows as JSON text.
    Json,
    /// Four kinds of records in all formats.
    Records,
    /// Lists of words.
    Dictionary,
    /// Allocations per operation.
    Alloc,
    /// Codecs on 4 KiB pages.
    Pages,
    /// A file of the user's own.
    File(PathBuf),
}

impl Suite {
    /// The suites that need no file.
    pub const ALL: [Self; 6] = [
        Self::Transport,
        Self::Json,
        Self::Records,
        Self::Dictionary,
        Self::Alloc,
        Self::Pages,
    ];

    /// The name on the command line and in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Json => "json",
            Self::Records => "records",
            Self::Dictionary => "dictionary",
            Self::Alloc => "alloc",
            Self::Pages => "pages",
            Self::File(_) => "file",
        }
    }

    /// Measures all selected rows.
    pub(super) fn measure(&self, run: &mut Run<'_>) -> Result<()> {
        match self {
            Self::Transport => transport::measure(run),
            Self::Json => json::measure(run),
            Self::Records => records::measure(run),
            Self::Dictionary => dictionary::measure(run),
            Self::Alloc => alloc::measure(run),
            Self::Pages => pages::measure(run),
            Self::File(path) => file::measure(run, path),
        }
    }
}
