//! Tests that need a program that is not installed.

use std::io::Write as _;

/// Says that the running test, or a part of it, is skipped, and why. The test runner hides what passing tests print,
/// so this writes past it.
pub fn skip(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("SKIPPED {test}: {why}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
