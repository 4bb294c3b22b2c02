//! Runs the README's examples and the cases of `tests/cmd/` against the built binary.
//!
//! Commands run in a fresh directory that has the small fixtures, so an example may write files
//! under the names a reader would use. `TRYCMD=overwrite cargo test --test cli` replaces the expected output by what
//! the binary prints; read the diff before committing it.

use std::fs;
use std::path::Path;

#[test]
fn examples_print_what_they_say() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sandbox = tempfile::tempdir().expect("a temporary directory");
    fs::create_dir(sandbox.path().join("fixtures")).expect("a directory for fixtures");
    for name in ["fixtures/bars.csv", "fixtures/bars.json"] {
        fs::copy(home.join(name), sandbox.path().join(name)).expect("a copy of the fixture");
    }
    // The only test of this binary, so it may change the current directory.
    std::env::set_current_dir(sandbox.path()).expect("the sandbox is there");
    trycmd::TestCases::new()
        .env("COLUMNS", "80")
        .register_bin("mbt", Path::new(env!("CARGO_BIN_EXE_mbt")))
        .case(home.join("README.md"))
        .case(home.join("tests/cmd/*.trycmd"))
        .case(home.join("tests/cmd/*.toml"))
        .run();
    std::env::set_current_dir(home).expect("back home, so that the sandbox can go");
}
