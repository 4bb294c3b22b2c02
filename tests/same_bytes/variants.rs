//! Longer texts, of several blocks and frames, in the styles of programs and in several ways of storing them.

use std::fmt::Write as _;
use std::io::Write as _;

use super::trip::Trip;

/// Enough for several blocks of text.
const ROWS: u32 = 30_000;

/// A file name that implies the format, and a text.
type Sample = (&'static str, String);

fn samples() -> Vec<Sample> {
    let mut csv = String::from("id,name,price,at,note\n");
    let mut tsv = String::from("id\tname\tempty\n");
    let mut lines = String::new();
    let mut pretty = String::from("[\n");
    let mut odd = String::new();
    let mut sparse = String::new();
    for row in 0..ROWS {
        let price = f64::from(row * 37 % 1000) / 8.0;
        let note = match row % 50 {
            7 => "\"two\nlines, \"\"quoted\"\"\"",
            // Unneeded quotes that no other row has.
            23 if row > 20_000 => "\"plain\"",
            _ => "plain",
        };
        let _ = writeln!(
            csv,
            "{row},name {},{price:.3},2024-01-{:02},{note}",
            row % 9,
            row % 28 + 1
        );
        let _ = writeln!(tsv, "{row}\tname {}\t", row % 9);
        let _ = writeln!(
            lines,
            "{{\"id\":{row},\"tags\":[\"a\",\"é{}\"],\"of\":{{\"price\":{price:?}}}}}",
            row % 5
        );
        let comma = if row == 0 { "" } else { ",\n" };
        let _ = write!(
            pretty,
            "{comma}  {{\n    \"id\": {row},\n    \"tags\": [\n      \"\\u00e9\"\n    ],\n    \"none\": {{}}\n  }}"
        );
        // Keys that are data: as columns they would take gigabytes.
        let _ = writeln!(
            sparse,
            "{{\"id\":{row},\"k{}\":true}}",
            row * 7919 % 100_003
        );
        // Rows that have nothing in common.
        let _ = match row % 700 {
            1 => writeln!(odd, "{{\"b\":{row} , \"a\":\"x\"}}"),
            2 => writeln!(odd, "[{row},null]"),
            3 => writeln!(odd, "{{\"a\":1,\"a\":2}}"),
            4 => writeln!(odd, "{{\"a\":{row}.0,\"b\":1E5}}\r"),
            5 => writeln!(odd, "{{\"a\":\"\\/\"}}\n"),
            _ => writeln!(odd, "{{\"a\":\"x{}\",\"b\":{row}}}", row % 3),
        };
    }
    pretty.push_str("\n]\n");
    vec![
        ("a.csv", csv),
        ("a.tsv", tsv),
        ("a.ndjson", lines),
        ("a.json", pretty),
        ("odd.ndjson", odd),
        ("sparse.ndjson", sparse),
    ]
}

/// Converts a text to frames with `options`, and back with only the first of them, which sets the threads.
fn assert_same(trip: &Trip, name: &str, text: &[u8], expected: &[u8], options: &[&str]) {
    let frames = trip.there_from(name, text, options).expect(name);
    let back = trip
        .back(&frames, &options[..options.len().min(1)])
        .expect(name);
    assert!(
        back == expected,
        "{name} {options:?}: {} bytes became {}",
        expected.len(),
        back.len()
    );
}

#[test]
fn long_texts_come_back_whatever_the_frames_and_threads() {
    let trip = Trip::new();
    for (name, text) in samples() {
        for options in [
            &["--threads=1"][..],
            &["--threads=2", "--frame-rows=1000"],
            &["--threads=3", "--frame-rows=17017", "--preset=fast"],
        ] {
            assert_same(&trip, name, text.as_bytes(), text.as_bytes(), options);
        }
    }
}

#[test]
fn other_line_ends_marks_and_ends_come_back() {
    let trip = Trip::new();
    for (name, text) in samples() {
        let bom = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let crlf = text.replace("\r\n", "\n").replace('\n', "\r\n");
        let cut = text.trim_end_matches(['\r', '\n']);
        let empty_lines = format!("{text}\n\n");
        for text in [
            &bom[..],
            crlf.as_bytes(),
            cut.as_bytes(),
            empty_lines.as_bytes(),
        ] {
            assert_same(&trip, name, text, text, &["--threads=2"]);
        }
    }
}

#[test]
fn what_gzip_and_zstd_wrap_comes_back_without_them() {
    let trip = Trip::new();
    for (name, text) in samples() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        let gzip = gzip.finish().unwrap();
        assert_same(&trip, &format!("{name}.gz"), &gzip, text.as_bytes(), &[]);
        // Two members in a row.
        let (a, b) = text.as_bytes().split_at(text.len() / 3);
        let zstd = [a, b]
            .map(|part| zstd::encode_all(part, 1).unwrap())
            .concat();
        assert_same(&trip, &format!("{name}.zst"), &zstd, text.as_bytes(), &[]);
        // The name need not imply the format.
        assert_same(&trip, "something", &zstd, text.as_bytes(), &[]);
    }
}
