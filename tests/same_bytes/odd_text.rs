//! Text in another format than its name or first bytes suggest.

use std::fs;
use std::path::Path;

use crate::command::{run_in, stdout_of, words};

fn ok(dir: &Path, line: &str) -> Vec<u8> {
    stdout_of(dir, &words(line))
}

const TABS: &str = "a\tb\n1\tx, y\n2\tz\n";
const COMMAS: &str = "a,b\n1,\"x, y\"\n2,z\n";

#[test]
fn csv_with_tabs_comes_back_with_tabs_and_tsv_becomes_csv_with_commas() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for name in ["v.csv", "v.tsv", "v.txt"] {
        fs::write(dir.join(name), TABS).unwrap();
    }
    for (source, csv) in [("v.csv", TABS), ("v.txt", TABS), ("v.tsv", COMMAS)] {
        ok(dir, &format!("convert {source} -o v.mbt --force"));
        ok(dir, "convert v.mbt -o w.csv --force");
        assert_eq!(
            fs::read_to_string(dir.join("w.csv")).unwrap(),
            csv,
            "{source}"
        );
        for route in [source, "v.mbt"] {
            let found = ok(dir, &format!("convert {route} --to csv"));
            assert_eq!(
                String::from_utf8(found).unwrap(),
                csv,
                "{source} by {route}"
            );
            let found = ok(dir, &format!("convert {route} --to tsv"));
            assert_eq!(
                String::from_utf8(found).unwrap(),
                TABS,
                "{source} by {route}"
            );
        }
        // Without a format, frames become the text that they were made from.
        assert_eq!(ok(dir, "convert v.mbt"), TABS.as_bytes(), "{source}");
    }
}

#[test]
fn a_header_that_is_not_utf_8_is_read_like_cells_that_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = b"gr\xf6\xdfe,n\n\xe9,1\n";
    fs::write(dir.join("a.csv"), text).unwrap();
    let (_, stderr, code) = run_in(dir, &words("convert a.csv -o a.mbt"));
    assert!(
        code == 0 && stderr.contains("1 column name: not UTF-8"),
        "{stderr}"
    );
    assert_eq!(ok(dir, "convert a.mbt --to csv"), text);
    assert_eq!(ok(dir, "convert a.csv --to csv"), text);
    let json = "{\"gr\u{fffd}\u{fffd}e\":\"\u{fffd}\",\"n\":1}\n";
    for route in ["a.csv", "a.mbt"] {
        assert_eq!(
            ok(dir, &format!("convert {route} --to ndjson")),
            json.as_bytes()
        );
    }
}

#[test]
fn logs_that_begin_with_a_bracket_are_text() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let log = "[2016-11-22 04:15:02] started, 3 threads\n[2016-11-22 04:15:03] done\n";
    fs::write(dir.join("log"), log).unwrap();
    let (_, stderr, code) = run_in(dir, &words("convert log -o log.mbt"));
    assert!(code == 2 && stderr.contains("--flexible"), "{stderr}");
    ok(dir, "convert log -o log.mbt --flexible");
    assert_eq!(ok(dir, "convert log.mbt"), log.as_bytes());
}

#[test]
fn flexible_takes_any_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let every_byte: Vec<u8> = (0..=255).cycle().take(256 * 20).collect();
    let wide = format!("a,b\n{}\n", vec!["1"; 129_000].join(","));
    let unclosed = b"a,b\n\"1,2\n3".to_vec();
    for (name, text) in [
        ("bytes", every_byte),
        ("wide", wide.into_bytes()),
        ("unclosed", unclosed),
        ("one", b"\0".to_vec()),
    ] {
        fs::write(dir.join(name), &text).unwrap();
        ok(
            dir,
            &format!("convert {name} --flexible --to mbt -o {name}.mbt"),
        );
        assert!(
            ok(dir, &format!("convert {name}.mbt --to csv")) == text,
            "{name}"
        );
    }
}

#[test]
fn cells_that_are_not_utf_8_become_bytes_in_version_1_on_both_routes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("v.csv"), b"a,b\nna\xefve,2\nplain,3\n").unwrap();
    ok(dir, "convert v.csv -o v.mbt");
    let mut written = Vec::new();
    for source in ["v.csv", "v.mbt"] {
        let args = format!("convert {source} --to mbt --wire 1");
        let (frames, stderr, code) = run_in(dir, &words(&args));
        assert_eq!(code, 0, "{source}: {stderr}");
        assert!(
            stderr.contains("column \"a\" is not UTF-8") || source == "v.mbt",
            "{stderr}"
        );
        fs::write(dir.join("1.mbt"), &frames).unwrap();
        let text = ok(dir, "convert 1.mbt --to csv");
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "a,b\n6e61ef7665,2\n706c61696e,3\n"
        );
        written.push(frames);
    }
    assert!(written[0] == written[1]);
}

#[test]
fn values_that_are_asked_for_are_the_same_on_both_routes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("v.csv"), "a;b\r\n1.50;x\r\n2;y\r\n").unwrap();
    ok(dir, "convert v.csv -o v.mbt");
    for source in ["v.csv", "v.mbt"] {
        let text = ok(dir, &format!("convert {source} --to csv --infer values"));
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "a,b\n1.5,x\n2.0,y\n",
            "{source}"
        );
    }
}
