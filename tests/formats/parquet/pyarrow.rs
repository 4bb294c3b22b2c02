//! pyarrow reads our output and writes our input: see `check.py`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::BIN;
use crate::python::python_with;
use crate::skip::skip;

#[test]
fn pyarrow_and_mbt_read_each_other() {
    let packages = ["pyarrow>=18"];
    let Some(python) = python_with("pyarrow-venv", "import pyarrow.parquet", &packages) else {
        skip("pyarrow cannot be installed (python3 -m venv, pip install)");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(python)
        .arg(root.join("tests/formats/parquet/check.py"))
        .arg(BIN)
        .args(suite(&root.join("../shared/suites/parquet")))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(output.stdout.starts_with(b"checked "), "{said}");
}

/// The files of apache/parquet-testing, if they are unpacked next to the repository.
fn suite(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for part in ["data", "bad_data"] {
        let Ok(entries) = folder.join(part).read_dir() else {
            skip("the suite of Parquet files is not there");
            continue;
        };
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    files
}
