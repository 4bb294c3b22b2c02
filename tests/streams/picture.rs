//! The output of `mbt inspect --svg`, read by Python's XML parser.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::command::stdout_of;
use crate::skip::skip;

/// Prints title, width and height of each area, all texts, and whether a name has injected a tag.
const PARSER: &str = r#"
import json, sys, xml.etree.ElementTree as xml
svg = "{http://www.w3.org/2000/svg}"
root = xml.fromstring(sys.stdin.buffer.read())
areas = [(g.find(svg + "title").text, float(g.find(svg + "rect").get("width")), float(g.find(svg + "rect").get("height")))
         for g in root.iter(svg + "g")]
tags = sorted({element.tag.removeprefix(svg) for element in root.iter()})
texts = [element.text for element in root.iter(svg + "text")]
json.dump({"areas": areas, "tags": tags, "texts": texts, "title": root.find(svg + "title").text}, sys.stdout)
"#;

/// The contents of a picture; `None` without Python.
fn parsed(svg: &[u8]) -> Option<Value> {
    let python = Command::new("python3")
        .args(["-c", PARSER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut python) = python else {
        skip("there is no python3");
        return None;
    };
    std::io::Write::write_all(&mut python.stdin.take().unwrap(), svg).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(svg));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Checks that each area has its share of the picture, and that they add up to the whole file.
fn assert_areas(dir: &Path, file: &str) {
    let Some(picture) = parsed(&stdout_of(dir, &["inspect", "--svg", file])) else {
        return;
    };
    let areas = picture["areas"].as_array().unwrap();
    let plane = 960.0 * 510.0;
    let total = fs::metadata(dir.join(file)).unwrap().len();
    let mut found: BTreeMap<&str, u64> = BTreeMap::new();
    let mut sum = 0;
    for area in areas {
        let about = area[0].as_str().unwrap();
        let (about, _share) = about.rsplit_once(", ").unwrap();
        let bytes = about
            .strip_suffix(" bytes")
            .or(about.strip_suffix(" byte"))
            .unwrap();
        let bytes = bytes.rsplit_once(", ").unwrap().1.replace(',', "");
        let bytes: u64 = bytes.parse().unwrap();
        let (width, height) = (area[1].as_f64().unwrap(), area[2].as_f64().unwrap());
        let share = width * height / plane;
        // Lengths have three decimals.
        let rounded = (width + height) * 0.001 / plane;
        let wanted = bytes as f64 / total as f64;
        assert!(
            (share - wanted).abs() <= rounded,
            "{about}: {share}, not {wanted}"
        );
        *found.entry(about.split(": ").next().unwrap()).or_default() += bytes;
        sum += bytes;
    }
    assert_eq!(sum, total, "{file}");
    let report: Value =
        serde_json::from_slice(&stdout_of(dir, &["inspect", "--json", file])).unwrap();
    for column in report["files"][0]["columns"].as_array().unwrap() {
        let (name, bytes) = (
            column["name"].as_str().unwrap(),
            column["stored_bytes"].as_u64().unwrap(),
        );
        if bytes > 0 {
            assert_eq!(found.get(name), Some(&bytes), "{name}");
        }
    }
}

#[test]
fn areas_are_the_bytes_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut csv = "day,price,note\n".to_owned();
    let mut ndjson = String::new();
    for row in 0..3000_u64 {
        let hash = row.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let _ = writeln!(
            csv,
            "2024-01-{:02},{}.{:02},{hash:x}",
            row % 28 + 1,
            hash % 999,
            row % 100
        );
        let _ = writeln!(
            ndjson,
            r#"{{"user":{{"id":{},"tags":["{hash:x}"]}},"at":{row}}}"#,
            hash >> 40
        );
    }
    fs::write(dir.path().join("a.csv"), csv).unwrap();
    fs::write(dir.path().join("b.ndjson"), ndjson).unwrap();
    for (from, to, options) in [
        ("a.csv", "a.mbt", &["--frame-rows", "700"][..]),
        ("a.csv", "v1.mbt", &["--wire", "1"]),
        ("b.ndjson", "b.mbt", &[]),
    ] {
        stdout_of(
            dir.path(),
            &[&["convert", "-q", from, "-o", to], options].concat(),
        );
        assert_areas(dir.path(), to);
    }
}

#[test]
fn names_stay_names() {
    let dir = tempfile::tempdir().unwrap();
    let names = [
        "<script>alert(1)</script>",
        "a\"b'c&amp;",
        "]]>",
        "\u{1}\u{7f}\u{202e}x",
        "\u{ffff}y",
        "🦀",
    ];
    let cell = |at: usize| "x".repeat(40 + at);
    let fields = names.iter().enumerate();
    let row: serde_json::Map<String, Value> = fields
        .map(|(at, name)| ((*name).to_owned(), cell(at).into()))
        .collect();
    fs::write(
        dir.path().join("a.ndjson"),
        Value::from(row).to_string() + "\n",
    )
    .unwrap();
    stdout_of(dir.path(), &["convert", "-q", "a.ndjson", "-o", "<a>&.mbt"]);
    let Some(picture) = parsed(&stdout_of(dir.path(), &["inspect", "--svg", "<a>&.mbt"])) else {
        return;
    };
    assert_eq!(
        picture["tags"],
        serde_json::json!(["g", "rect", "svg", "text", "title"])
    );
    assert!(picture["title"].as_str().unwrap().starts_with("<a>&.mbt: "));
    let titles = picture["areas"].as_array().unwrap().iter();
    let titles: Vec<&str> = titles.map(|area| area[0].as_str().unwrap()).collect();
    for name in [
        "<script>alert(1)</script>",
        "a\"b'c&amp;",
        "]]>",
        "\\u{1}\\u{7f}\\u{202e}x",
        "\u{fffd}y",
        "🦀",
    ] {
        let is_here = |title: &&str| title.starts_with(&format!("{name}: "));
        assert!(titles.iter().any(is_here), "{name}: {titles:?}");
    }
}
