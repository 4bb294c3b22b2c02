//! `convert --out-dir`: each input becomes its own file, even if others fail.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::command::mbt;

/// A folder with good and bad inputs.
fn inputs() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in 0..20 {
        let text = format!("id,name\n{file},\"n {file}\"\r\n");
        fs::write(dir.path().join(format!("{file:02}.csv")), text).unwrap();
    }
    fs::write(dir.path().join("bad.csv"), "a,b\n1,2\n3\n").unwrap();
    fs::write(dir.path().join("rows.ndjson"), "{\"a\":1,\"a\":2}\n").unwrap();
    dir
}

fn good() -> Vec<String> {
    (0..20).map(|file| format!("{file:02}.csv")).collect()
}

fn convert(dir: &TempDir, files: &[String], options: &[&str]) -> Output {
    let files = files.iter().map(String::as_str);
    let arguments: Vec<_> = ["convert"].into_iter().chain(files).collect();
    mbt(dir.path(), &[&arguments[..], options].concat())
}

/// Its stderr, after checking that it ends with `code`.
fn said(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn each_file_is_what_it_would_be_alone_on_any_number_of_threads() {
    let dir = inputs();
    let at = |path: &str| fs::read(dir.path().join(path)).unwrap();
    for file in good() {
        let alone = format!("{file}.mbt");
        said(&mbt(dir.path(), &["convert", &file, "-o", &alone, "-q"]), 0);
    }
    for threads in ["1", "3", "64"] {
        let out = format!("deep/{threads}");
        let options = ["--out-dir", &out, "--to", "mbt", "-T", threads];
        assert_eq!(said(&convert(&dir, &good(), &options), 0), "");
        for file in good() {
            let name = file.replace(".csv", ".mbt");
            let many = at(&format!("{out}/{name}"));
            assert!(many == at(&format!("{file}.mbt")), "{out}/{name}");
        }
        assert_eq!(names(&dir.path().join(out)).len(), good().len());
    }
}

#[test]
fn a_bad_file_is_reported_and_does_not_stop_the_others() {
    let dir = inputs();
    let mut files = good();
    files.insert(3, "bad.csv".to_owned());
    files.insert(9, "rows.ndjson".to_owned());
    let text = said(&convert(&dir, &files, &["--out-dir", "out"]), 2);
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("error: bad.csv:3:1: ")),
        "{text}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("note: rows.ndjson: 1 key repeated")),
        "{text}"
    );
    assert_eq!(lines[2..], ["error: 1 of 22 files could not be converted"]);
    let out = names(&dir.path().join("out"));
    assert_eq!(out.len(), 21);
    assert!(!out.contains(&"bad.mbt".to_owned()), "{out:?}");

    files.push("missing.csv".to_owned());
    let again = ["--out-dir", "out", "--skip-existing"];
    let text = said(&convert(&dir, &files, &again), 3);
    assert!(text.contains("note: 21 files skipped"), "{text}");
    assert!(text.contains("error: missing.csv: cannot open"), "{text}");
    assert!(
        text.ends_with("error: 2 of 2 files could not be converted\n"),
        "{text}"
    );
}

#[test]
fn a_file_in_place_of_the_directory_is_a_mistake() {
    let dir = inputs();
    let text = said(&convert(&dir, &good(), &["--out-dir", "bad.csv"]), 2);
    let expected = "error: bad.csv: this is a file; --out-dir needs a directory; use -o FILE\n";
    assert_eq!(text, expected);
}

#[test]
fn existing_files_are_replaced_only_by_force() {
    let dir = inputs();
    let old = dir.path().join("out/01.mbt");
    fs::create_dir(dir.path().join("out")).unwrap();
    fs::write(&old, "old").unwrap();
    let text = said(&convert(&dir, &good(), &["--out-dir", "out"]), 2);
    assert!(
        text.starts_with("error: out/01.mbt: the file already exists"),
        "{text}"
    );
    assert_eq!(fs::read(&old).unwrap(), b"old");
    assert_eq!(names(&dir.path().join("out")).len(), 20);
    said(&convert(&dir, &good(), &["--out-dir", "out", "--force"]), 0);
    assert_ne!(fs::read(&old).unwrap(), b"old");
}

#[test]
fn names_follow_inputs_and_formats() {
    let dir = inputs();
    let in_dir = |options: &[&str]| {
        said(&mbt(dir.path(), &[&["convert"], options].concat()), 0);
    };
    in_dir(&["00.csv", "-o", "v1.csv.gz"]);
    let cases: [(&[&str], &[&str]); 5] = [
        (
            &["v1.csv.gz", "00.csv", "rows.ndjson"],
            &["00.mbt", "rows.mbt", "v1.mbt"],
        ),
        (
            &["00.csv", "v1.csv.gz", "--to", "ndjson", "-c", "zstd"],
            &["00.ndjson.zst", "v1.ndjson.zst"],
        ),
        (&["00.csv", "--wire", "1", "-c", "lz4"], &["00.mbt.lz4"]),
        (&["00.csv", "--to", "arrow"], &["00.arrow"]),
        // Frames become the text that they were made from.
        (&["0/00.mbt", "0/rows.mbt"], &["00.csv", "rows.ndjson"]),
    ];
    for (place, (options, expected)) in cases.into_iter().enumerate() {
        let out = place.to_string();
        in_dir(&[options, &["--out-dir", &out, "-q"]].concat());
        assert_eq!(names(&dir.path().join(out)), expected, "{options:?}");
    }
    for name in ["00.csv", "rows.ndjson"] {
        let path = |name: String| fs::read(dir.path().join(name)).unwrap();
        assert_eq!(path(format!("4/{name}")), path(name.to_owned()));
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_written() {
    let dir = inputs();
    fs::create_dir(dir.path().join("sub")).unwrap();
    for copy in ["sub/00.csv", "00.tsv"] {
        fs::copy(dir.path().join("00.csv"), dir.path().join(copy)).unwrap();
    }
    let before = names(dir.path());
    for (arguments, expected) in [
        (
            "00.csv sub/00.csv --out-dir out",
            "error: sub/00.csv: its output would be 00.mbt, like that of 00.csv",
        ),
        (
            "00.csv 00.tsv --out-dir out --to mbt",
            "error: 00.tsv: its output would be 00.mbt, like that of 00.csv",
        ),
        (
            "00.tsv 00.csv sub/00.csv --out-dir out --to csv",
            "error: 00.csv: its output would be 00.csv, like that of 00.tsv",
        ),
        (
            "00.tsv --from tsv 00.csv --to csv --out-dir . --force",
            "error: 00.csv: its output would be 00.csv, like that of 00.tsv",
        ),
        (
            "00.csv - --out-dir out",
            "error: --out-dir: stdin has no name",
        ),
        (
            "00.csv 01.csv --out-dir out -o x.mbt",
            "error: the argument '--out-dir <DIR>' cannot be used with",
        ),
        (
            "--out-dir out",
            "error: the following required arguments were not provided",
        ),
        (
            "00.csv -o x.mbt --skip-existing",
            "error: the argument '--output <OUT>' cannot be used with",
        ),
    ] {
        let arguments: Vec<_> = std::iter::once("convert")
            .chain(arguments.split(' '))
            .collect();
        let text = said(&mbt(dir.path(), &arguments), 2);
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(names(dir.path()), before);
    }
    // An error in the command line is reported once.
    let text = said(
        &convert(&dir, &good(), &["--out-dir", "out", "--where", "id >"]),
        2,
    );
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(names(&dir.path().join("out")).is_empty());
}

#[test]
fn no_input_is_replaced_by_the_output_of_another() {
    let dir = inputs();
    said(&mbt(dir.path(), &["convert", "00.csv", "-o", "01.mbt"]), 0);
    let frames = fs::read(dir.path().join("01.mbt")).unwrap();
    let arguments = ["convert", "01.csv", "01.mbt", "--out-dir", ".", "--force"];
    let text = said(&mbt(dir.path(), &arguments), 2);
    assert!(
        text.contains("would be replaced by the output of 01."),
        "{text}"
    );
    assert_eq!(fs::read(dir.path().join("01.mbt")).unwrap(), frames);
    assert_eq!(
        fs::read(dir.path().join("01.csv")).unwrap(),
        b"id,name\n1,\"n 1\"\r\n"
    );
}
