//! What people read: tables, units, and text on stdout.

use std::io::{self, Write as _};

use crate::error::{Error, Result};

pub mod table;
pub mod units;

/// Writes a report to stdout, whole.
///
/// # Errors
/// [`crate::error::Kind::Io`] if stdout cannot be written; a closed pipe is told by
/// [`Error::is_broken_pipe`].
pub fn print(report: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(report)
        .and_then(|()| stdout.flush())
        .map_err(|e| Error::io("cannot write to stdout", e))
}

/// Writes a report for programs to stdout.
///
/// # Errors
/// As for [`print`].
pub fn print_json(document: &serde_json::Value) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(document).unwrap_or_default();
    text.push(b'\n');
    print(&text)
}

/// Tells something on stderr that is worth knowing and no error.
pub fn note(text: &str) {
    // With stderr closed there is nobody left to tell.
    let _ = writeln!(io::stderr(), "note: {text}");
}
