//! The forms of the report, and refused options.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{BIN, cell, fixture, json, run, text};
use crate::command::words;

#[test]
fn markdown_looks_like_the_published_tables() {
    let args = "--rows 2000 --format markdown --payloads v1,json --codecs none,zstd:3 --runs 1";
    let args: Vec<&str> = args.split(' ').collect();
    assert_eq!(
        text(&args),
        "\
### rows = 2,000 (rtt=30ms, bandwidth=100Mbit/s)

| Payload  |    Compression |   Bytes | Estimated t_transfer |
| -------- | -------------: | ------: | -------------------: |
| MATHLDBT |           none |  92,263 |            37.381 ms |
| MATHLDBT | zstd (level=3) |   8,123 |            30.650 ms |
| JSON     |           none | 254,001 |            50.320 ms |
| JSON     | zstd (level=3) |  12,206 |            30.976 ms |
"
    );
}

#[test]
fn every_line_of_csv_has_a_cell_for_each_name() {
    let csv = text(&["--rows", "10", "--format", "csv", "--runs", "1"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().clone();
    assert_eq!(
        names.iter().take(4).collect::<Vec<_>>(),
        ["payload", "codec", "level", "bytes"]
    );
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    // Arrow has no codec.
    assert_eq!(rows.len(), 5 * 7 + 1 + 4);
    let json = rows
        .iter()
        .find(|row| &row[0] == "json" && &row[1] == "none")
        .unwrap();
    assert_eq!((&json[2], &json[3], &json[4]), ("", "1271", "1.0000"));
}

#[test]
fn tables_end_with_the_choice_and_the_crossovers() {
    let table = text(&["--rows", "100", "--runs", "1", "--link", "wifi"]);
    assert!(table.starts_with("bars: 100 rows, 12,701 bytes of text; wifi: 200 Mbit/s, "));
    assert!(
        table.contains("\nbest: ") && table.contains(" over 200 Mbit/s\n"),
        "{table}"
    );
    assert!(table.contains("\nby bandwidth: "), "{table}");
    assert!(!table.contains('\u{1b}'), "styles in a pipe");
    let styled = text(&["--rows", "10", "--runs", "1", "--color", "always"]);
    // The best row and the line that names it.
    assert_eq!(styled.matches("\u{1b}[1m").count(), 2, "{styled}");
}

#[test]
fn a_stream_is_compared_with_the_link() {
    let args = words(
        "--rows 2000 --payloads json,v1 --codecs none --runs 1 --mbit 10 --count 11 --every-ms 100",
    );
    let table = text(&args);
    let row = table.lines().find(|line| line.starts_with("json"));
    assert!(
        row.is_some_and(|row| row.contains("  203.2 %  no, 1.03 s late at the end  2,540,010  ")),
        "{table}"
    );
    assert!(table.ends_with("\n1 of 2 keep up with one message every 100 ms\n"));
    let found = json(&args);
    assert_eq!(
        (&found["count"], &found["every_ms"]),
        (&11.into(), &100.0.into())
    );
    // 254,001 bytes every 100 ms are 20.3 Mbit/s, and take 203.2 ms: ten times 103.2 ms too long.
    let cell_of = |payload| cell(&found, payload, "none", None);
    let json = cell_of("json");
    assert_eq!(
        (&json["fits"], &json["bytes_per_s"]),
        (&false.into(), &2_540_010.0.into())
    );
    assert!((json["link_share"].as_f64().unwrap() - 2.032_008).abs() < 1e-9);
    assert!((json["late_s"].as_f64().unwrap() - 1.032_008).abs() < 1e-6);
    // 92,263 bytes take 73.8 ms.
    assert_eq!(
        (&cell_of("v1")["fits"], &cell_of("v1")["late_s"]),
        (&true.into(), &0.0.into())
    );
}

#[test]
fn stdin_works_like_any_other_input() {
    let mut child = Command::new(BIN)
        .args(words(
            "estimate --payloads source,v1 --codecs none --json --runs 1",
        ))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let bars = std::fs::read(fixture("bars.csv")).unwrap();
    child.stdin.take().unwrap().write_all(&bars).unwrap();
    let output = child.wait_with_output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["rows"], &found["text_bytes"]),
        (&20.into(), &bars.len().into())
    );
}

#[test]
fn frames_and_arrow_are_inputs_without_a_source() {
    let dir = tempfile::tempdir().unwrap();
    for (name, codec_wraps) in [
        ("bars.mbt", false),
        ("bars.mbt.zst", true),
        ("bars.arrow", false),
    ] {
        let path = dir.path().join(name);
        let mut convert = Command::new(BIN);
        convert.arg("convert").arg(fixture("bars.csv"));
        if codec_wraps {
            convert.args(["--wire", "1"]);
        }
        assert!(convert.arg("-o").arg(&path).status().unwrap().success());
        let found = json(&[path.to_str().unwrap(), "--codecs", "none", "--runs", "1"]);
        let cells = found["payloads"].as_array().unwrap();
        assert_eq!(
            (found["rows"].as_u64(), cells.len()),
            (Some(20), 10),
            "{name}"
        );
        assert!(cells.iter().all(|cell| cell["payload"] != "source"));
        // Ratios then refer to JSON text.
        let json = cell(&found, "json", "none", None);
        assert_eq!(
            (&json["bytes"], &json["ratio"]),
            (&found["text_bytes"], &1.0.into())
        );
    }
}

#[test]
fn svg_files_are_written_in_addition_to_the_report() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.svg");
    let args = [
        "--rows",
        "10",
        "--runs",
        "1",
        "--svg",
        path.to_str().unwrap(),
        "--chart",
    ];
    let table = text(&args);
    assert!(
        table.contains("10 Gbit/s") && table.contains("  a "),
        "{table}"
    );
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(run(&args).status.code(), Some(2), "the picture exists");
}

#[test]
fn mistakes_are_reported_with_a_hint() {
    for (args, said) in [
        (
            &["--link", "carrier-pigeon"][..],
            "--link: unknown link \"carrier-pigeon\"; the links are lan, ",
        ),
        (
            &["--payloads", "v3"],
            "--payloads: unknown payload \"v3\"; the payloads are source, ",
        ),
        (
            &["--codecs", "zstd:99"],
            "--codecs: zstd has levels -7 to 22, found 99",
        ),
        (&["--mbit", "0"], "--mbit: 0 is not a valid bandwidth"),
        (&["--rtt-ms", "-1"], "--rtt-ms: -1 is not a valid delay"),
        (&["--rtt-ms", "nan"], "--rtt-ms: NaN is not a valid delay"),
        (
            &["--tls"],
            "--tls: not supported by the basic model; use --model tcp",
        ),
        (
            &["--model", "tcp", "--loss", "1"],
            "--loss: 1 is not a valid fraction of segments",
        ),
        (
            &["--count", "2", "--every-ms", "0"],
            "--every-ms: 0 is not a valid interval",
        ),
        (
            &["--payloads", "source"],
            "nothing could be measured; the payload source exists only for text",
        ),
        (
            &["--max-frame", "66"],
            "--rows: a frame holds at most 0 rows; raise --max-frame",
        ),
        (
            &["--chart", "--format", "csv"],
            "--chart: only available with tables",
        ),
    ] {
        let output = run(&[args, &["--rows", "1"]].concat());
        let found = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {found}");
        assert!(found.starts_with(&format!("error: {said}")), "{found}");
    }
}

#[test]
fn payloads_that_cannot_represent_the_rows_are_skipped_with_a_note() {
    // Two rows of different columns are one frame, and a single JSON value is not a table.
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("empty.csv", ""),
        ("header.csv", "a,b\n"),
        (
            "nested.ndjson",
            "{\"a\":[1,{\"b\":null}]}\n{\"c\":{\"d\":\"x\"}}\n",
        ),
        ("values.json", "[1,\"a\",null,[2]]"),
        (
            "wide.csv",
            &format!("{}\n{}\n", "c,".repeat(999), "1,".repeat(999)),
        ),
    ] {
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        let found = json(&[
            path.to_str().unwrap(),
            "--codecs",
            "none,zstd:1",
            "--runs",
            "1",
        ]);
        assert_eq!(
            cell(&found, "source", "none", None)["bytes"],
            content.len(),
            "{name}"
        );
        let cells = found["payloads"].as_array().unwrap();
        assert!(cells.len() >= 2, "{name}");
        assert!(
            cells.iter().all(|cell| cell["extrapolated"] == false),
            "{name}"
        );
        assert!(
            cell(&found, "v2-fast", "own", None)["bytes"].as_u64() > Some(20),
            "{name}"
        );
    }
}
