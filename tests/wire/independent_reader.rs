//! Compares files of wire 2 with a second reader, `tests/reader`, which is written in Python from
//! man/mbt-format.5 alone. Its output must be the original text, byte for byte.
//!
//! It needs `python3` and `zstd`; without them, these tests say so and pass. If the packages pyppmd,
//! pcodec and xxhash can be installed, it also reads the archive profile, and restores texts.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use mbt::wire::encodings::Node;
use mbt::wire::v2::{ColumnTree, Envelope};

use sha2::{Digest as _, Sha256};

use crate::command::{run_in, text_of};
use crate::golden_texts::golden_texts;
use crate::python::python_with;
use crate::skip::skip;
use crate::tables::{lines, nested, numbers, texts};

const PRESETS: [&str; 3] = ["fast", "balanced", "small"];

/// What the second reader omits if packages are missing, and its message.
const OF_PACKAGES: [(&str, &str); 2] = [
    ("pco", "encoding 9 (pco) is not read here"),
    ("ppmd", "encoding 37 (ppmd) is not read here"),
];

/// A Python with the packages that the second reader can use, in its own environment; `None` if there
/// is none.
fn python_with_packages() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let packages = ["pyppmd>=1.1", "pcodec>=1,<2", "xxhash>=3"];
        python_with(
            "reader-venv",
            "import pyppmd, pcodec.standalone, xxhash",
            &packages,
        )
    };
    PYTHON.get_or_init(find).as_deref()
}

/// What the second reader omits here.
fn unread() -> &'static [(&'static str, &'static str)] {
    match python_with_packages() {
        Some(_) => &[],
        None => &OF_PACKAGES,
    }
}

fn home(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// False, after a message, if the second reader cannot run.
fn can_run() -> bool {
    let runs = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let missing: Vec<_> = ["python3", "zstd"]
        .into_iter()
        .filter(|p| !runs(p))
        .collect();
    if !missing.is_empty() {
        skip(&format!("there is no {}", missing.join(" and no ")));
    }
    missing.is_empty()
}

fn second_reader(file: &Path, flags: &[&str]) -> Output {
    let python = python_with_packages().unwrap_or(Path::new("python3"));
    let mut command = Command::new(python);
    command.arg("-B").arg(home("tests/reader")).arg(file);
    command.args(flags).output().unwrap()
}

fn mbt(args: &[&str]) -> String {
    text_of(".", args)
}

/// Adds the names of the encodings of a column and its children.
fn encodings(column: &ColumnTree, found: &mut BTreeSet<String>) {
    fn of_run(node: &Node, found: &mut BTreeSet<String>) {
        found.insert(node.encoding.name().to_owned());
        for child in &node.children {
            of_run(child, found);
        }
    }
    let runs = column.validity.iter().chain(&column.runs);
    runs.for_each(|run| of_run(run, found));
    let children = column.children.iter();
    children.for_each(|child| encodings(child, found));
}

/// Each column of the first frame with the encodings in it and in the columns that it needs.
fn columns(file: &Path) -> Vec<(String, BTreeSet<String>)> {
    let envelope = Envelope::read(&fs::read(file).unwrap(), 1 << 30).unwrap();
    let columns = envelope.columns().unwrap();
    let with_others = |column: &ColumnTree| {
        let mut found = BTreeSet::new();
        encodings(column, &mut found);
        for other in column.needs(columns) {
            encodings(&columns[other], &mut found);
        }
        (column.field.name().clone(), found)
    };
    columns.iter().map(with_others).collect()
}

/// The output of the first reader for a file, without the columns `skipped` of `frames`.
fn ndjson(file: &Path, frames: &Path, skipped: &[String]) -> String {
    let mut args = vec!["convert", file.to_str().unwrap(), "--to", "ndjson"];
    let names = columns(frames).into_iter().map(|(name, _)| name);
    let names: Vec<_> = names.filter(|name| !skipped.contains(name)).collect();
    let names = names.join(",");
    if !skipped.is_empty() {
        args.extend(["--columns", &names]);
    }
    mbt(&args)
}

/// Reads a file of one frame with the second reader and compares it with what `expected` gives for
/// the columns that are not skipped; adds the encodings that were read.
fn check(file: &Path, expected: impl Fn(&[String]) -> String, read: &mut BTreeSet<String>) {
    let mut notes = Vec::new();
    let mut skipped = Vec::new();
    for (name, found) in columns(file) {
        let unread = unread().iter().filter(|(name, _)| found.contains(*name));
        let unread: Vec<_> = unread.map(|(_, note)| *note).collect();
        if unread.is_empty() {
            read.extend(found);
        } else {
            notes.push(unread);
            skipped.push(name);
        }
    }
    let mut output = second_reader(file, &[]);
    if !skipped.is_empty() {
        assert_eq!(
            output.status.code(),
            Some(3),
            "{} holds {notes:?}",
            file.display()
        );
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(notes[0].contains(&stderr.trim_end()), "{stderr}");
        output = second_reader(file, &["--skip"]);
    }
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{}: {stderr}", file.display());
    assert_eq!(stderr.lines().count(), skipped.len(), "{stderr}");
    for ((line, name), notes) in stderr.lines().zip(&skipped).zip(&notes) {
        let note = line.strip_prefix(&format!("{name}: "));
        assert!(note.is_some_and(|note| notes.contains(&note)), "{line}");
    }
    let found = String::from_utf8(output.stdout).unwrap();
    let expected = expected(&skipped);
    for (row, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{}, row {row}", file.display());
    }
    assert_eq!(found, expected);
}

#[test]
fn generated_tables_come_back_as_they_went_in() {
    if !can_run() {
        return;
    }
    let sandbox = tempfile::tempdir().unwrap();
    let mut read = BTreeSet::new();
    for (name, table) in [
        ("numbers", numbers(2000)),
        ("texts", texts(1500)),
        ("nested", nested(600)),
        ("few", numbers(3)),
        ("one", nested(1)),
    ] {
        let source = sandbox.path().join(format!("{name}.ndjson"));
        fs::write(&source, lines(&table, &[])).unwrap();
        for preset in PRESETS {
            let file = sandbox.path().join(format!("{name}-{preset}.mbt"));
            let paths = [source.to_str().unwrap(), "-o", file.to_str().unwrap()];
            mbt(&[&["convert", "--preset", preset], &paths[..]].concat());
            check(&file, |skipped| lines(&table, skipped), &mut read);
        }
    }
    // If the tables did not use all of these encodings, they would test little.
    let met: Vec<_> = read.iter().map(String::as_str).collect();
    for name in [
        "bit-packed",
        "bits",
        "byte-planes",
        "bytes",
        "constant",
        "decimal",
        "delta",
        "dictionary",
        "hex",
        "interleaved",
        "run-length",
        "sequence",
        "sparse",
        "template",
    ] {
        assert!(met.contains(&name), "no table has {name}, only {met:?}");
    }
}

#[test]
fn tables_of_csv_print_as_their_values() {
    if !can_run() {
        return;
    }
    let sandbox = tempfile::tempdir().unwrap();
    let mut csv = "id,zip,price,ok,when,name,empty\n".to_owned();
    let mut json = String::new();
    for row in 0..500 {
        let (price, price_json) = match row % 5 {
            0 => ("NA".to_owned(), "null".to_owned()),
            _ => (format!("{row}.50"), format!("{row}.50")),
        };
        let (ok, ok_json) = [("Yes", "\"Yes\""), ("No", "\"No\"")][row % 2];
        let day = row % 28 + 1;
        writeln!(
            csv,
            "{row},{row:05},{price},{ok},{day}.3.2021,\"a, \"\"{row}\"\"\","
        )
        .unwrap();
        writeln!(
            json,
            "{{\"id\":{row},\"zip\":\"{row:05}\",\"price\":{price_json},\"ok\":{ok_json},\
             \"when\":\"{day}.3.2021\",\"name\":\"a, \\\"{row}\\\"\",\"empty\":null}}"
        )
        .unwrap();
    }
    let source = sandbox.path().join("table.csv");
    fs::write(&source, csv).unwrap();
    for preset in ["fast", "balanced"] {
        let file = sandbox.path().join(format!("{preset}.mbt"));
        let paths = [source.to_str().unwrap(), "-o", file.to_str().unwrap()];
        mbt(&[&["convert", "--preset", preset], &paths[..]].concat());
        check(&file, |_| json.clone(), &mut BTreeSet::new());
    }
}

#[test]
fn frames_follow_one_another_and_an_index_is_passed_over() {
    if !can_run() {
        return;
    }
    let sandbox = tempfile::tempdir().unwrap();
    let table = nested(500);
    let source = sandbox.path().join("table.ndjson");
    fs::write(&source, lines(&table, &[])).unwrap();
    let file = sandbox.path().join("table.mbt");
    let paths = [source.to_str().unwrap(), "-o", file.to_str().unwrap()];
    mbt(&[&["convert", "--frame-rows", "70", "--index"], &paths[..]].concat());
    let mut twice = fs::read(&file).unwrap();
    twice.extend(twice.clone());
    fs::write(&file, twice).unwrap();
    let output = second_reader(&file, &[]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let found = String::from_utf8(output.stdout).unwrap();
    assert_eq!(found, lines(&table, &[]).repeat(2));
}

#[test]
fn fixtures_read_as_mbt_reads_them() {
    if !can_run() {
        return;
    }
    let sandbox = tempfile::tempdir().unwrap();
    for fixture in ["bars.csv", "bars.json"] {
        for preset in PRESETS {
            let file = sandbox.path().join(format!("{fixture}-{preset}.mbt"));
            let source = home("fixtures").join(fixture);
            let paths = [source.to_str().unwrap(), "-o", file.to_str().unwrap()];
            mbt(&[&["convert", "--preset", preset], &paths[..]].concat());
            let kept = |skipped: &[String]| ndjson(&source, &file, skipped);
            check(&file, kept, &mut BTreeSet::new());
        }
    }
}

#[test]
fn the_second_reader_finds_damage() {
    if !can_run() {
        return;
    }
    let sandbox = tempfile::tempdir().unwrap();
    let file = sandbox.path().join("bars.mbt");
    let source = home("fixtures/bars.csv");
    mbt(&[
        "convert",
        source.to_str().unwrap(),
        "-o",
        file.to_str().unwrap(),
    ]);
    let whole = fs::read(&file).unwrap();
    // The frame is followed by the index, which shows whether it is cut off.
    let frame = Envelope::read(&whole, 1 << 30).unwrap().len;
    let in_index = (frame..whole.len()).step_by(5);
    for at in (0..frame).step_by(frame / 12).chain(in_index) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&file, damaged).unwrap();
        assert!(!second_reader(&file, &[]).status.success(), "byte {at}");
    }
    fs::write(&file, &whole[..frame]).unwrap();
    assert!(!second_reader(&file, &[]).status.success(), "no index");
}

#[test]
fn golden_files_read_as_mbt_reads_them() {
    if !can_run() {
        return;
    }
    let mut read = BTreeSet::new();
    for entry in fs::read_dir(home("fixtures/v2")).unwrap() {
        let file = entry.unwrap().path();
        let is_frame = file.extension().is_some_and(|end| end == "mbt");
        // Its frames have different columns.
        let name = file.file_stem().unwrap().to_str().unwrap();
        if !is_frame || name.ends_with("-empty") {
            continue;
        }
        let kept = |skipped: &[String]| ndjson(&file, &file, skipped);
        check(&file, kept, &mut read);
    }
    assert_eq!(read.len(), 25 - unread().len(), "{read:?}");
}

#[test]
fn golden_texts_are_restored() {
    if !can_run() {
        return;
    }
    if python_with_packages().is_none() {
        return skip("there is no xxhash for Python, which the hash of a text needs");
    }
    for (text, frames) in golden_texts() {
        let output = second_reader(&frames, &["--text"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {stderr}", frames.display());
        let expected = fs::read(&text).unwrap();
        assert!(output.stdout == expected, "{}", text.display());
    }
}

#[test]
fn a_text_that_is_not_that_of_its_hash_is_refused() {
    if !can_run() {
        return;
    }
    let sandbox = tempfile::tempdir().unwrap();
    let whole = fs::read(home("fixtures/v2/text/r2-sha256.csv.mbt")).unwrap();
    let hash = Sha256::digest(fs::read(home("fixtures/v2/text/r2-sha256.csv")).unwrap());
    let at = whole
        .windows(32)
        .position(|bytes| bytes == &hash[..])
        .unwrap();
    let mut other = whole;
    other[at] ^= 1;
    // The checksum of the index is followed only by its length and its magic.
    let (end, from) = (
        other.len() - 12,
        other.windows(4).position(|bytes| bytes == b"MBTX").unwrap(),
    );
    let crc32 = crc32fast::hash(&other[from..end]).to_le_bytes();
    other[end..end + 4].copy_from_slice(&crc32);
    let file = sandbox.path().join("x.mbt");
    fs::write(&file, other).unwrap();
    let output = second_reader(&file, &["--text"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("the text has another hash"), "{stderr}");
    let args = ["convert", file.to_str().unwrap(), "--to", "csv"];
    let (_, _, code) = run_in(".", &args);
    assert_eq!(code, 2);
}
