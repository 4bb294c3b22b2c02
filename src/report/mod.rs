//! Output for people: tables, charts, progress bars, and messages on stdout and stderr.

use std::borrow::Cow;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use serde::Serialize;

use crate::error::{Error, Result};

pub mod chart;
pub mod progress;
pub mod svg;
pub mod table;
pub mod treemap;

/// When to color messages or show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// If stderr is a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Stdout was closed when the process started; the runtime has opened `/dev/null` in its place since.
static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Makes all further writes to stdout fail.
pub fn close_stdout() {
    STDOUT_IS_CLOSED.store(true, Ordering::Relaxed);
}

/// Checks that stdout was open when the process started.
///
/// # Errors
/// If it was closed.
pub fn ensure_stdout_is_open() -> io::Result<()> {
    if STDOUT_IS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("stdout is closed"));
    }
    Ok(())
}

/// Makes text from files, file names and the like safe to print on a terminal: escapes control characters and
/// characters that change the direction of text.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Writes a complete report to stdout, made [`visible`] line by line.
///
/// # Errors
/// As for [`print`].
pub fn print_text(report: &str) -> Result<()> {
    let lines: Vec<_> = report.split('\n').map(visible).collect();
    print(lines.join("\n").as_bytes())
}

/// Writes bytes to stdout unchanged.
///
/// # Errors
/// [`crate::error::Kind::Io`] if stdout cannot be written. [`Error::is_broken_pipe`] recognizes a reader
/// that has closed the pipe.
pub fn print(report: &[u8]) -> Result<()> {
    print_to(io::stdout().lock(), report)
}

/// Writes a report with ANSI styles to stdout. The styles are removed unless stdout should be colored.
///
/// # Errors
/// As for [`print`].
pub fn print_styled(report: &str) -> Result<()> {
    print_to(anstream::stdout().lock(), report.as_bytes())
}

fn print_to(mut stdout: impl io::Write, report: &[u8]) -> Result<()> {
    ensure_stdout_is_open()
        .and_then(|()| stdout.write_all(report))
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::io("cannot write", error).in_file(Path::new("<stdout>")))
}

/// A JSON document as it is printed.
#[derive(Serialize)]
struct Versioned<'a, T> {
    /// Increases when a member is removed or changes its meaning, but not when members are added.
    version: u32,
    #[serde(flatten)]
    members: &'a T,
}

/// Writes a JSON document to stdout, indented. Its version comes before these members.
///
/// # Errors
/// As for [`print`].
pub fn print_json(members: &impl Serialize) -> Result<()> {
    let document = Versioned {
        version: 1,
        members,
    };
    let mut text = serde_json::to_vec_pretty(&document).unwrap_or_default();
    text.push(b'\n');
    print(&text)
}

/// Sets whether messages are colored from now on; `NO_COLOR` and `CLICOLOR_FORCE` override [`When::Auto`].
pub fn set_color(when: When) {
    match when {
        When::Auto => anstream::ColorChoice::Auto,
        When::Always => anstream::ColorChoice::Always,
        When::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// True if notes and progress are suppressed.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Sets whether notes and progress are suppressed from now on.
pub fn set_quiet(quiet: bool) {
    IS_QUIET.store(quiet, Ordering::Relaxed);
}

/// True if notes and progress are suppressed.
pub fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints a note on stderr, unless quiet: something worth knowing that is not an error.
pub fn note(text: &str) {
    if is_quiet() {
        return;
    }
    let bold = Style::new().bold();
    write_line(&format!("{bold}note:{bold:#} {}", visible(text)));
}

/// Prints an error on stderr and returns the exit code for it.
///
/// If the reader of our output closed the pipe, nothing is printed and the exit code is 0.
pub fn failure(error: &Error) -> u8 {
    if error.is_broken_pipe() {
        return 0;
    }
    let red = AnsiColor::Red.on_default().bold();
    let error_text = error.to_string();
    write_line(&format!("{red}error:{red:#} {}", visible(&error_text)));
    error.exit_code()
}

fn write_line(line: &str) {
    // If stderr is closed, there is nowhere left to report the failure.
    let _ = writeln!(anstream::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_acts_on_stays_in_text() {
        let raw = "a\u{1b}[31m\u{7}\u{9b}2J\r\u{202e}\u{2066}\té";
        let shown = visible(raw);
        assert_eq!(shown, r"a\u{1b}[31m\u{7}\u{9b}2J\r\u{202e}\u{2066}\té");
        assert!(matches!(visible("plain é"), Cow::Borrowed(_)));
    }
}
