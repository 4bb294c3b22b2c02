//! pyarrow reads what is written and writes what is read: see `check.py`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skip::skip;

/// A Python that has pyarrow, in an environment of its own; `None` where there is none to be had.
fn python() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pyarrow-venv");
    let python = dir.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let runs = |python: &Path, args: &[&str]| {
        let output = Command::new(python).args(args).output();
        output.is_ok_and(|output| output.status.success())
    };
    let has_pyarrow = || runs(&python, &["-c", "import pyarrow"]);
    if has_pyarrow() {
        return Some(python);
    }
    let venv = runs(Path::new("python3"), &["-m", "venv", dir.to_str()?]);
    let pip = ["-m", "pip", "install", "--quiet", "pyarrow>=18"];
    (venv && runs(&python, &pip) && has_pyarrow()).then_some(python)
}

#[test]
fn pyarrow_and_mbt_read_each_other() {
    let Some(python) = python() else {
        skip("pyarrow cannot be installed (python3 -m venv, pip install)");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/ipc/check.py");
    let output = Command::new(python)
        .arg(script)
        .arg(super::BIN)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(output.stdout.starts_with(b"checked "), "{said}");
}
