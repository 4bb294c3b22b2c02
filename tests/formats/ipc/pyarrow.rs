//! pyarrow reads our output and writes our input: see `check.py`.

use std::path::Path;
use std::process::Command;

use crate::python::python_with;
use crate::skip::skip;

#[test]
fn pyarrow_and_mbt_read_each_other() {
    let packages = ["pyarrow>=18"];
    let Some(python) = python_with("pyarrow-venv", "import pyarrow", &packages) else {
        skip("pyarrow cannot be installed (python3 -m venv, pip install)");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/ipc/check.py");
    let output = Command::new(python)
        .arg(script)
        .arg(crate::command::BIN)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(output.stdout.starts_with(b"checked "), "{said}");
}
