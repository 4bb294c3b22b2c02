//! `--where` compared with `DuckDB`: see `where_duckdb.py`.

use std::path::Path;
use std::process::Command;

use crate::python::python_with;
use crate::skip::skip;

#[test]
fn duckdb_gives_the_same_rows() {
    let packages = ["pyarrow>=18", "duckdb"];
    let import = "import pyarrow, duckdb";
    let Some(python) = python_with("pyarrow-venv", import, &packages) else {
        skip("duckdb cannot be installed (python3 -m venv, pip install)");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams/where_duckdb.py");
    let output = Command::new(python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_mbt"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(output.stdout.starts_with(b"checked "), "{said}");
}
