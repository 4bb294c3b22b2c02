//! Output for people: tables, charts, progress bars, and messages on stdout and stderr.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};

use crate::error::{Error, Result};

pub mod chart;
pub mod progress;
pub mod table;

/// When to colour messages on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal; `NO_COLOR` and `CLICOLOR_FORCE` override this.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Writes a complete report to stdout.
///
/// # Errors
/// [`crate::error::Kind::Io`] if stdout cannot be written. [`Error::is_broken_pipe`] recognises a reader
/// that has closed the pipe.
pub fn print(report: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(report)
        .and_then(|()| stdout.flush())
        .map_err(|e| Error::io("cannot write to stdout", e))
}

/// Writes a report with ANSI styles to stdout. The styles are removed where they are not wanted.
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

/// Writes a JSON document to stdout, indented.
///
/// # Errors
/// As for [`print`].
pub fn print_json(document: &serde_json::Value) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(document).unwrap_or_default();
    text.push(b'\n');
    print(&text)
}

/// Sets whether messages are coloured from now on.
pub fn set_color(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Prints a note on stderr: something worth knowing that is not an error.
pub fn note(text: &str) {
    let bold = Style::new().bold();
    write_line(&format!("{bold}note:{bold:#} {text}"));
}

/// Prints an error on stderr and returns the exit code for it.
///
/// If the reader of our output closed the pipe, nothing is printed and the exit code is 0.
pub fn failure(error: &Error) -> u8 {
    if error.is_broken_pipe() {
        return 0;
    }
    let red = AnsiColor::Red.on_default().bold();
    write_line(&format!("{red}error:{red:#} {error}"));
    error.exit_code()
}

fn write_line(line: &str) {
    // If stderr is closed, there is nowhere left to report the failure.
    let _ = writeln!(anstream::stderr(), "{line}");
}
