//! Runs the command to its end.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

pub const BIN: &str = env!("CARGO_BIN_EXE_mbt");

/// The words of a command line, which are separated by spaces.
pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Runs `mbt` with these arguments in a folder.
pub fn mbt(folder: impl AsRef<Path>, arguments: &[&str]) -> Output {
    let mut command = Command::new(BIN);
    let command = command.current_dir(folder).args(arguments);
    command.output().unwrap()
}

/// What `mbt` prints to stdout and stderr, and its exit code.
pub fn run_in(folder: impl AsRef<Path>, arguments: &[&str]) -> (Vec<u8>, String, i32) {
    parts(mbt(folder, arguments))
}

/// What `mbt` prints to stdout; it has to succeed.
pub fn stdout_of(folder: impl AsRef<Path>, arguments: &[&str]) -> Vec<u8> {
    let (stdout, stderr, code) = run_in(folder, arguments);
    assert_eq!(code, 0, "{arguments:?}: {stderr}");
    stdout
}

/// The same as text.
pub fn text_of(folder: impl AsRef<Path>, arguments: &[&str]) -> String {
    String::from_utf8(stdout_of(folder, arguments)).unwrap()
}

/// Runs a program with `input` on its stdin; `None` if it is not installed.
pub fn run_with(program: &str, args: &[&str], input: &[u8]) -> Option<(Vec<u8>, String, i32)> {
    let child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        child => child.unwrap(),
    };
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // A program that refuses its input may not read all of it.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    Some(parts(output))
}

fn parts(output: Output) -> (Vec<u8>, String, i32) {
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.stdout, stderr, output.status.code().unwrap())
}
