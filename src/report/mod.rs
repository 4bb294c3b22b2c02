//! What people read: tables, units, progress, and text on stdout and stderr.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};

use crate::cli::When;
use crate::error::{Error, Result};

pub mod chart;
pub mod progress;
pub mod table;

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

/// Writes a report with styles to stdout, which are left out where they are not wanted.
///
/// # Errors
/// As for [`print`].
pub fn print_styled(report: &str) -> Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout
        .write_all(report.as_bytes())
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

/// Colours what comes on stderr from now on; [`When::Auto`] does so on a terminal, and heeds
/// `NO_COLOR` and `CLICOLOR_FORCE`.
pub fn color(when: When) {
    match when {
        When::Auto => anstream::ColorChoice::Auto,
        When::Always => anstream::ColorChoice::Always,
        When::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Tells something on stderr that is worth knowing and no error.
pub fn note(text: &str) {
    let bold = Style::new().bold();
    tell(&format!("{bold}note:{bold:#} {text}"));
}

/// Tells on stderr what went wrong, and gives the exit code to leave with: 0 and not a word if it is
/// only that the reader of our output has seen enough.
pub fn failure(error: &Error) -> u8 {
    if error.is_broken_pipe() {
        return 0;
    }
    let red = AnsiColor::Red.on_default().bold();
    tell(&format!("{red}error:{red:#} {error}"));
    error.exit_code()
}

/// A line on stderr.
fn tell(line: &str) {
    // With stderr closed there is nobody left to tell.
    let _ = writeln!(anstream::stderr(), "{line}");
}
