//! Compares `completions/` and `man/` with the command line and with the output of `mbt man`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::ValueEnum as _;
use clap_complete::{Generator as _, Shell};

/// Compares the files of `dir` with `wanted`, both ways.
fn assert_files(dir: &str, wanted: &BTreeMap<String, Vec<u8>>, regenerate: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    for (name, content) in wanted {
        let found = fs::read(dir.join(name)).unwrap_or_default();
        assert!(
            found == *content,
            "{} is not what src/cli.rs yields; run: {regenerate}",
            dir.join(name).display()
        );
    }
    for entry in fs::read_dir(&dir).expect("the directory is committed") {
        let name = entry.expect("readable").file_name();
        let name = name.to_string_lossy();
        assert!(
            wanted.contains_key(&*name),
            "{} has no command; remove it",
            dir.join(&*name).display()
        );
    }
}

#[test]
fn completions_are_what_the_command_line_yields() {
    let scripts = Shell::value_variants()
        .iter()
        .map(|shell| {
            let script = mbt::command::completions::script(*shell);
            (shell.file_name("mbt"), script)
        })
        .collect();
    assert_files(
        "completions",
        &scripts,
        "for s in bash:mbt.bash zsh:_mbt fish:mbt.fish powershell:_mbt.ps1 elvish:mbt.elv; \
         do cargo run -- completions ${s%:*} > completions/${s#*:}; done",
    );
}

#[test]
fn manual_pages_are_what_the_command_line_yields() {
    let pages = mbt::command::man::pages().expect("pages are made in memory");
    assert_files("man", &pages.into_iter().collect(), "cargo run -- man man");
}
