//! Output on a terminal, and runs whose stdout is closed.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn shell(dir: &Path, line: &str) -> Output {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(line.replacen("mbt", env!("CARGO_BIN_EXE_mbt"), 1));
    command.current_dir(dir).output().unwrap()
}

#[test]
#[cfg(unix)]
fn no_escape_sequence_of_an_input_reaches_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let name = "a\u{1b}]0;owned\u{7}\u{9b}31m.csv";
    let text = "x\u{1b}[31m,y\u{202e}\n\u{1b}[2J1,\u{7}b\n";
    fs::write(dir.join(name), text).unwrap();
    let frames = name.replace(".csv", ".f");
    let one = name.replace(".csv", ".1");
    for args in [
        vec!["--to", "mbt", "-o", &frames],
        vec!["--to", "mbt", "--wire", "1", "-o", &one],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
        let status = command
            .arg("convert")
            .arg(name)
            .args(args)
            .current_dir(dir)
            .status();
        assert!(status.unwrap().success());
    }
    let missing = name.replace(".csv", ".none");
    let cases: Vec<Vec<&str>> = vec![
        vec!["head", name],
        vec!["head", &frames],
        vec!["inspect", &frames],
        vec!["inspect", &one],
        vec!["inspect", "--frames", &frames],
        vec!["inspect", "--layout", &frames],
        vec!["inspect", "--layout", &one],
        vec!["inspect", "--explain", &frames],
        vec!["verify", &frames, &one],
        vec!["verify", name],
        vec!["estimate", name, "--runs", "1"],
        vec!["estimate", name, "--runs", "1", "--format", "markdown"],
        vec!["head", name, "--columns", "z"],
        vec!["head", &frames, "--where", "z = 1"],
        vec!["head", &missing],
        vec!["convert", name, "-o", &frames],
        vec!["convert", name, "--schema", "y\u{202e}:i64", "--to", "csv"],
    ];
    for args in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
        let output = command.args(&args).current_dir(dir).output().unwrap();
        for (what, bytes) in [("stdout", output.stdout), ("stderr", output.stderr)] {
            let shown = String::from_utf8(bytes).unwrap();
            let is_raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!shown.contains(is_raw), "{args:?}: {what}: {shown:?}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_stdout_that_is_closed_or_full_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a.csv"), "a\n1\n").unwrap();
    assert!(
        shell(dir, "mbt convert a.csv -o a.f --to mbt >&-")
            .status
            .success()
    );
    for line in [
        "mbt convert a.f >&-",
        "mbt convert a.csv --to mbt >&-",
        "mbt head a.csv >&-",
        "mbt inspect a.f --json >&-",
        "mbt verify a.f >&-",
        "mbt --help >&-",
        "mbt convert --help > /dev/full",
        "mbt --version > /dev/full",
        "mbt convert a.f > /dev/full",
        "mbt completions bash > /dev/full",
    ] {
        let output = shell(dir, line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{line}: {stderr}");
        assert!(stderr.contains("cannot write"), "{line}: {stderr}");
    }
    for line in [
        "mbt convert a.f > /dev/null",
        "mbt --help > /dev/null",
        "mbt --help | true",
    ] {
        assert!(shell(dir, line).status.success(), "{line}");
    }
}
