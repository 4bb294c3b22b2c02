//! The modules that `mbt connect` prints, run by Python.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs};

use tempfile::TempDir;

use crate::command::{mbt, words};
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

/// Runs a program in the directory, with the built `mbt` and the other programs of its environment on `PATH`.
fn run(program: &Path, dir: &Path, arguments: &[&str]) -> Output {
    let built = Path::new(env!("CARGO_BIN_EXE_mbt"));
    let near = [built, program].into_iter().filter_map(Path::parent);
    let near = near.filter(|dir| *dir != Path::new("")).map(Path::to_owned);
    let others = env::var_os("PATH").unwrap_or_default();
    let path: OsString = env::join_paths(near.chain(env::split_paths(&others))).unwrap();
    let mut command = Command::new(program);
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
    let convert = mbt(dir.path(), &words("convert fixtures/bars.csv -o bars.mbt"));
    assert!(convert.status.success());
    let output = run(&python, dir.path(), &["-m", "doctest", "-v", "mbt.py"]);
    assert_passed(&output);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("10 passed"), "{said}");
}

/// Spark needs Java.
fn has_java() -> bool {
    Command::new("java").arg("-version").output().is_ok()
}

#[test]
fn spark_reads_and_writes_what_duckdb_reads() {
    let packages = ["pyarrow>=18", "duckdb", "pyspark>=4.1"];
    let python = python_with("pyarrow-venv", "import pyarrow, duckdb, pyspark", &packages);
    let Some(python) = python.filter(|_| has_java()) else {
        skip("pyspark cannot be installed, or there is no java");
        return;
    };
    let dir = sandbox("spark");
    let script = script("connect_spark.py");
    let output = run(&python, dir.path(), &[&script, env!("CARGO_BIN_EXE_mbt")]);
    assert_passed(&output);
}

/// The blocks of README's section "With other tools", each with its language.
fn readme_blocks() -> Vec<(String, String)> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let (_, section) = readme.split_once("\n## With other tools\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let fenced = section.split("\n```").skip(1).step_by(2);
    let blocks = fenced.map(|block| block.split_once('\n').unwrap());
    blocks
        .map(|(language, code)| (language.to_owned(), code.to_owned()))
        .collect()
}

#[test]
fn readme_works_with_other_tools() {
    let packages = ["pyarrow>=18", "duckdb", "polars", "pandas", "pyspark>=4.1"];
    let python = |import: &str| python_with("pyarrow-venv", import, &packages);
    let frames = python("import pyarrow, duckdb, polars, pandas");
    let spark = python("import pyarrow, pyspark").filter(|_| has_java());
    let has_curl = Command::new("curl").arg("--version").output().is_ok();

    let dir = sandbox("python");
    let here = dir.path();
    fs::create_dir(here.join("bars")).unwrap();
    fs::copy(here.join("fixtures/bars.csv"), here.join("prices.csv")).unwrap();
    for output in ["bars.mbt", "bars/bars.mbt"] {
        assert!(
            mbt(here, &["convert", "prices.csv", "-o", output])
                .status
                .success()
        );
    }
    let blocks = readme_blocks();
    assert_eq!(blocks.len(), 8);
    for (language, code) in blocks {
        let python = if code.contains("pyspark") {
            &spark
        } else {
            &frames
        };
        let output = match (language.as_str(), python) {
            ("sh", _) if code.contains("curl") && !has_curl => {
                skip("there is no curl");
                continue;
            }
            ("sh", _) => {
                // The other machines are this one; commands passed to ssh are run by a local shell.
                let code =
                    code.replace("https://example.com", &format!("file://{}", here.display()));
                let code = format!("ssh() {{ shift; sh -c \"$*\"; }}\n{code}");
                run(Path::new("sh"), here, &["-ec", &code])
            }
            (_, Some(python)) => run(python, here, &["-c", &code]),
            (_, None) => {
                skip("duckdb, polars, pandas or pyspark cannot be installed, or there is no java");
                continue;
            }
        };
        assert_passed(&output);
    }
}
