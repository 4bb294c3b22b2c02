//! The command `mbt bench`: bytes in its tables, gates, and a log that only grows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::command::{BIN, stdout_of};

/// The shortest measurement; bytes do not depend on it.
const BRIEF: [&str; 4] = ["--quick", "--samples=1", "--time=0", "--quiet"];

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BIN);
    command.current_dir(dir).arg("bench").args(args);
    command
}

fn bench(dir: &Path, args: &[&str]) -> Output {
    command(dir, args).args(BRIEF).output().unwrap()
}

fn check_log(dir: &Path) -> (Option<i32>, String) {
    let output = command(dir, &["check-log", "bench_results.md"])
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

/// Bytes of each row, by `table / row`.
fn bytes(suite: &str, more: &[&str]) -> BTreeMap<String, u64> {
    let dir = tempfile::tempdir().unwrap();
    let args = [&[suite, "--json", "--no-log"], more].concat();
    let output = bench(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let entry = &document["entries"][0];
    assert_ne!(entry["suite"], Value::Null);
    let mut bytes = BTreeMap::new();
    for table in entry["tables"].as_array().unwrap() {
        for row in table["rows"].as_array().unwrap() {
            if let Some(len) = row["bytes"].as_u64() {
                let (title, name) = (table["title"].as_str(), row["name"].as_str());
                let name = format!("{} / {}", title.unwrap(), name.unwrap());
                bytes.insert(name, len);
            }
        }
    }
    bytes
}

#[test]
fn bars_take_the_published_bytes() {
    let found = bytes("transport", &["--rows=2000"]);
    for (row, len) in [
        ("v1 encode plain", 132_220),
        ("v1 encode plain, from 8 batches", 132_220),
        ("v1 encode dict+delta", 92_263),
        ("v1 encode dict+delta, from 8 batches", 92_263),
        ("zstd 3 compress", 8_123),
    ] {
        assert_eq!(found[&format!("bars, 2,000 rows / {row}")], len, "{row}");
    }
    let found = bytes("json", &["--rows=2000"]);
    for row in ["serde_json serialize", "mbt print JSON"] {
        assert_eq!(found[&format!("bars as JSON, 2,000 rows / {row}")], 254_001);
    }
}

#[test]
fn records_take_the_published_bytes() {
    let found = bytes("records", &["--rows=1000"]);
    for (row, len) in [
        ("messages, 1,000 records / JSON encode", 121_394),
        ("messages, 1,000 records / CSV encode", 79_419),
        ("messages, 1,000 records / Protobuf encode", 76_873),
        ("counters, 1,000 records / JSON encode", 40_894),
        ("nested, 1,000 records / JSON encode", 223_394),
        ("bytes, 1,000 records / JSON encode", 707_894),
    ] {
        assert_eq!(found[row], len, "{row}");
    }
}

#[test]
fn dictionaries_and_pages_take_the_published_bytes() {
    let found = bytes("dictionary", &["--rows=1000", "--filter=1,000 terms"]);
    for (row, len) in [
        ("1,000 terms: sizes / bincode layout", 16_636),
        ("1,000 terms: sizes / bincode layout, zstd 3", 1_854),
        ("1,000 terms: sizes / JSON pretty", 14_630),
        ("1,000 terms: sizes / JSON pretty, zstd 3", 2_086),
        ("1,000 terms: sizes / Protobuf V1", 19_805),
        ("1,000 terms: sizes / Protobuf V2", 8_326),
        ("1,000 terms: sizes / Protobuf V2, zstd 3", 6_189),
    ] {
        assert_eq!(found[row], len, "{row}");
    }
    let found = bytes("pages", &["--filter=compress a page"]);
    for (row, len) in [
        ("W1 zeros, same fill", 9),
        ("W1 zeros, lz4", 27),
        ("W2 text, lz4", 122),
        ("W3 mixed, lz4", 2_324),
        ("W4 random, lz4", 4_096),
        ("W1 zeros, zstd 1", 19),
        ("W2 text, zstd 1", 115),
        ("W3 mixed, zstd 1", 2_324),
        ("W4 random, zstd 1", 4_096),
    ] {
        assert_eq!(found[&format!("compress a page / {row}")], len, "{row}");
    }
    // Uncompressed data is also read without decompression.
    let stored = found["decompress a page / W4 random, lz4"];
    assert_eq!(stored, 4_096);
}

#[test]
fn the_alloc_gate_passes_and_can_fail() {
    let dir = tempfile::tempdir().unwrap();
    let gated = ["alloc", "--filter=gated: encode", "--json"];
    let output = bench(dir.path(), &gated);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = document["entries"][0]["tables"][0]["rows"]
        .as_array()
        .unwrap();
    assert_eq!(rows.len(), 11);
    for row in rows {
        assert_eq!(row["allocs"], 0.0, "{row}");
        assert_eq!(row["reallocs"], 0.0, "{row}");
    }
    let output = bench(dir.path(), &[&gated[..], &["--gate=0"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let log = fs::read_to_string(dir.path().join("bench_results.md")).unwrap();
    let verdicts: Vec<_> = log
        .lines()
        .filter(|line| line.starts_with("- Verdict"))
        .collect();
    assert!(
        verdicts[0].contains("PASS") && verdicts[1].contains("FAIL: v1 encode a bool has 0.00")
    );
    assert_eq!(check_log(dir.path()).0, Some(0));
    // A gate that applies to no row has no result.
    let output = bench(dir.path(), &["alloc", "--filter=schema", "--no-log"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.contains("--schema") && !told.contains("PASS"),
        "{told}"
    );
}

#[test]
fn concurrent_runs_append_two_intact_entries() {
    let dir = tempfile::tempdir().unwrap();
    let start = || -> Child {
        command(dir.path(), &["transport", "--rows=100"])
            .args(BRIEF)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut children: Vec<Child> = (0..4).map(|_| start()).collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let (code, told) = check_log(dir.path());
    assert_eq!(
        (code, &*told),
        (Some(0), "bench_results.md: ok, 4 entries\n")
    );
    let log = fs::read_to_string(dir.path().join("bench_results.md")).unwrap();
    assert_eq!(log.matches("\n### bars, 100 rows\n").count(), 4);
    assert_eq!(log.matches("# mbt bench log\n").count(), 1);
}

#[test]
fn an_edited_byte_is_reported_with_its_entry() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bench_results.md");
    let brief = ["transport", "--rows=100", "--filter=encode plain"];
    for _ in 0..3 {
        assert!(bench(dir.path(), &brief).status.success());
    }
    let mut log = fs::read(&path).unwrap();
    let text = String::from_utf8(log.clone()).unwrap();
    let (second, _) = text.match_indices("| v1 encode plain ").nth(1).unwrap();
    log[second + 2] = b'V';
    fs::write(&path, &log).unwrap();
    let (code, told) = check_log(dir.path());
    assert_eq!(code, Some(1));
    let lines: Vec<_> = told.lines().collect();
    assert!(lines[1].starts_with("  entry 1,") && lines[1].ends_with("transport: ok"));
    assert!(lines[2].starts_with("  entry 2,") && lines[2].ends_with("transport: edited"));
    assert!(lines[3].ends_with("after an edited entry"));
    // It is still a log, and entries appended now are verified again.
    assert!(bench(dir.path(), &brief).status.success());
    assert!(
        check_log(dir.path())
            .1
            .lines()
            .nth(4)
            .unwrap()
            .ends_with(": ok")
    );
}

#[test]
fn a_killed_run_leaves_no_incomplete_entry() {
    let dir = tempfile::tempdir().unwrap();
    let brief = ["transport", "--rows=100", "--filter=encode plain"];
    assert!(bench(dir.path(), &brief).status.success());
    for wait in (0..40).step_by(2) {
        let mut child = command(dir.path(), &brief)
            .args(BRIEF)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(check_log(dir.path()).0, Some(0), "killed after {wait} ms");
    }
}

#[test]
fn rows_are_compared_and_their_history_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let brief = ["transport", "--rows=100", "--filter=encode plain"];
    for _ in 0..2 {
        assert!(bench(dir.path(), &brief).status.success());
    }
    let run = |args: &[&str]| {
        let output = command(dir.path(), args).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let told = run(&["compare", "bench_results.md#1", "bench_results.md"]);
    assert_eq!(told.matches("bars, 100 rows / v1 encode plain").count(), 2);
    let trend = [
        "check-log",
        "bench_results.md",
        "--row",
        "8 batches",
        "--svg",
        "t.svg",
    ];
    let told = run(&trend);
    assert_eq!(told.matches("from 8 batches").count(), 2, "{told}");
    let picture = fs::read_to_string(dir.path().join("t.svg")).unwrap();
    assert_eq!(picture.matches("<circle").count(), 2);
    let again = command(dir.path(), &trend).output().unwrap();
    assert_eq!(again.status.code(), Some(2));
    let told = String::from_utf8(again.stderr).unwrap();
    assert!(told.contains("the file already exists"), "{told}");
    run(&[&trend[..], &["--force"]].concat());

    let json = bench(dir.path(), &[&brief[..], &["--json", "--no-log"]].concat());
    fs::write(dir.path().join("run.json"), json.stdout).unwrap();
    let told = run(&["compare", "run.json", "run.json", "--json"]);
    let document: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(document["rows"][0]["grown"], 0.0);
    assert_eq!(document["comparable"], true);
    let run = fs::read_to_string(dir.path().join("run.json")).unwrap();
    let elsewhere = run.replace(" cores", " other cores");
    assert_ne!(run, elsewhere);
    fs::write(dir.path().join("elsewhere.json"), elsewhere).unwrap();
    let output = command(dir.path(), &["compare", "run.json", "elsewhere.json"]).output();
    let told = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(told.contains("different machines"), "{told}");
}

#[test]
fn mistakes_are_reported_before_anything_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("notes.md"), "# mine\n").unwrap();
    for (args, code, words) in [
        (&["transprot"][..], 2, "unknown suite \"transprot\""),
        (&["file"], 2, "file: expected a file name"),
        (
            &["transport", "--log", "notes.md"],
            2,
            "is not a log of mbt bench",
        ),
        (
            &["transport", "--log", "no/log.md"],
            3,
            "cannot append to the log",
        ),
        (&["transport", "--rows=0"], 2, "--rows"),
        (&["alloc", "--gate=nan"], 2, "--gate"),
        (
            &["transport", "--no-log", "--filter=nothing"],
            2,
            "no row name matches",
        ),
    ] {
        let output = bench(dir.path(), args);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(fs::read(dir.path().join("notes.md")).unwrap(), b"# mine\n");
    let missing = command(dir.path(), &["check-log", "none.md"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(3));
}

#[test]
fn a_file_of_the_user_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    let bars = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bars.csv");
    fs::copy(bars, dir.path().join("bars.csv")).unwrap();
    let args = ["file", "bars.csv", "--filter=wire 1, plain", "--no-log"];
    let output = bench(dir.path(), &args);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    for row in ["convert", "decode", "print"] {
        assert!(told.contains(&format!("wire 1, plain, {row}")), "{told}");
    }
    // Frames can be measured as well, although they are decoded to text.
    stdout_of(&dir, &["convert", "bars.csv", "-o", "bars.mbt"]);
    for file in ["bars.csv", "bars.mbt"] {
        let output = bench(dir.path(), &["file", file, "--filter=fast", "--no-log"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}
