//! The modules that `mbt connect` prints, run by Python.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs};

use tempfile::TempDir;

use crate::command::mbt;
use crate::python::python_with;
use crate::skip::skip;

/// A directory with the fixture and the module for `target`, which is called `mbt.py`.
fn sandbox(target: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("fixtures")).unwrap();
    let bars = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bars.csv");
    fs::copy(bars, dir.path().join("fixtures/bars.csv")).unwrap();
    let module = mbt(dir.path(), &["connect", target]);
    assert!(module.status.success());
    fs::write(dir.path().join("mbt.py"), module.stdout).unwrap();
    dir
}

/// Runs Python in the directory, with the built `mbt` on `PATH`.
fn run(python: &Path, dir: &Path, arguments: &[&str]) -> Output {
    let built = Path::new(env!("CARGO_BIN_EXE_mbt")).parent().unwrap();
    let others = env::var_os("PATH").unwrap_or_default();
    let paths = [built.into()].into_iter().chain(env::split_paths(&others));
    let path: OsString = env::join_paths(paths).unwrap();
    let mut command = Command::new(python);
    let command = command.current_dir(dir).env("PATH", path);
    command
        .env("PYTHONPATH", dir)
        .args(arguments)
        .output()
        .unwrap()
}

fn assert_passed(output: &Output) {
    let (out, err) = (&output.stdout, &output.stderr);
    let said = [out.as_slice(), err.as_slice()].concat();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&said)
    );
}

fn script(name: &str) -> String {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    scripts.join(name).to_str().unwrap().to_owned()
}

#[test]
fn python_reads_and_writes_what_pyarrow_reads() {
    let Some(python) = python_with("pyarrow-venv", "import pyarrow", &["pyarrow>=18"]) else {
        skip("pyarrow cannot be installed (python3 -m venv, pip install)");
        return;
    };
    let dir = sandbox("python");
    let output = run(&python, dir.path(), &[&script("connect_python.py")]);
    assert_passed(&output);
}

#[test]
fn recipes_for_duckdb_polars_and_pandas_work() {
    let packages = ["pyarrow>=18", "duckdb", "polars", "pandas"];
    let import = "import pyarrow, duckdb, polars, pandas";
    let Some(python) = python_with("pyarrow-venv", import, &packages) else {
        skip("duckdb, polars or pandas cannot be installed (python3 -m venv, pip install)");
        return;
    };
    let dir = sandbox("python");
    let convert = mbt(
        dir.path(),
        &["convert", "fixtures/bars.csv", "-o", "bars.mbt"],
    );
    assert!(convert.status.success());
    let output = run(&python, dir.path(), &["-m", "doctest", "-v", "mbt.py"]);
    assert_passed(&output);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("10 passed"), "{said}");
}
