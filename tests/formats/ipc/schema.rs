//! One schema for all frames: joined if the input can be read twice, otherwise that of the first frame.

use std::path::PathBuf;

use arrow_schema::DataType;

use super::crate_ipc::read_stream;
use super::{mbt, try_mbt};
use crate::command::words;

/// `text` converted from a file and from a pipe, in frames of two rows.
fn both(name: &str, text: &str) -> [Result<Vec<u8>, String>; 2] {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    let tail = ["--to", "arrow", "--frame-rows", "2"];
    let file = [&["convert", path.to_str().unwrap()], &tail[..]].concat();
    let from = name.rsplit('.').next().unwrap();
    let pipe = [&["convert", "-", "--from", from], &tail[..]].concat();
    [try_mbt(&file, b""), try_mbt(&pipe, text.as_bytes())]
}

fn type_of(bytes: &[u8]) -> DataType {
    read_stream(bytes)[0].schema().field(0).data_type().clone()
}

fn rows(bytes: &[u8]) -> String {
    String::from_utf8(mbt(&["convert", "-", "--to", "ndjson"], bytes)).unwrap()
}

#[test]
fn types_widen_over_all_frames_of_a_file() {
    for (text, expected, values) in [
        (
            "a\n1\n2\n1.5\n2.25\n",
            DataType::Float64,
            "1.0|2.0|1.5|2.25",
        ),
        ("a\n1.5\n2.5\n1\n2\n", DataType::Float64, "1.5|2.5|1.0|2.0"),
        (
            "a\n2024-01-01\n2024-01-02\nx y z w u v\n1\n",
            DataType::Utf8,
            "\"2024-01-01\"|\"2024-01-02\"|\"x y z w u v\"|\"1\"",
        ),
        (
            "a\n9007199254740993\n2\n1.5\n2.25\n",
            DataType::Decimal128(38, 2),
            "9007199254740993.00|2.00|1.50|2.25",
        ),
        (
            "a\n1\n2\n1.50\n2.25\n",
            DataType::Float64,
            "1.0|2.0|1.5|2.25",
        ),
    ] {
        let [file, _] = both("a.csv", text);
        let file = file.unwrap();
        assert_eq!(type_of(&file), expected, "{text}");
        let lines = values.split('|').fold(String::new(), |lines, value| {
            lines + "{\"a\":" + value + "}\n"
        });
        assert_eq!(rows(&file), lines, "{text}");
    }
}

#[test]
fn a_pipe_gives_what_a_file_gives() {
    for (name, text) in [
        ("a.csv", "a\n1.5\n2.5\n1\n2\n"),
        ("a.csv", "a\n1\n2\n1.5\n2.25\n"),
        ("a.csv", "a\n1\n2\nx y z w u v\n4\n"),
        ("a.ndjson", "{\"a\":1}\n{\"a\":2}\n{\"a\":3,\"b\":4}\n"),
    ] {
        let [file, pipe] = both(name, text);
        assert_eq!(file.unwrap(), pipe.unwrap(), "{text}");
    }
    let text = "a\n1\n2\nx y z w u v\n4\n".as_bytes();
    let tail = words("--to arrow --frame-rows 2 --from csv --schema a:utf8");
    let fixed = mbt(&[&["convert", "-"], &tail[..]].concat(), text);
    assert_eq!(type_of(&fixed), DataType::Utf8);
}

#[test]
fn odd_words_are_values_and_common_ones_are_null() {
    for (text, expected) in [
        ("a\nabc\n2\n", "{\"a\":\"abc\"}\n{\"a\":\"2\"}\n"),
        ("a\nNA\n2\n", "{\"a\":null}\n{\"a\":2}\n"),
    ] {
        for out in both("a.csv", text) {
            assert_eq!(rows(&out.unwrap()), expected);
        }
    }
}

#[test]
fn frames_of_a_file_are_joined_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.mbt");
    let shown = path.to_str().unwrap();
    for (csv, expected) in [
        ("a\n1\n2\n3\n", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"),
        ("a\n1\n2\n3.5\n", "{\"a\":1.0}\n{\"a\":2.0}\n{\"a\":3.5}\n"),
        (
            "a\nabc\n2\n3\n",
            "{\"a\":\"abc\"}\n{\"a\":\"2\"}\n{\"a\":\"3\"}\n",
        ),
    ] {
        let args = format!("convert - --from csv --frame-rows 2 --force -o {shown}");
        let args = words(&args);
        mbt(&args, csv.as_bytes());
        assert_eq!(
            rows(&mbt(&["convert", shown, "--to", "arrow"], b"")),
            expected
        );
        let chosen = ["convert", shown, "--to", "arrow", "--columns", "a"];
        assert_eq!(rows(&mbt(&chosen, b"")), expected);
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let csv: String = (0..50_000).fold("n,x\n".to_owned(), |csv, n| {
        csv + &format!("{n},{}\n", f64::from(n) / 8.0)
    });
    let one = words("convert - --to arrow --frame-rows 1000 --from csv -T 1");
    let mut four = one.clone();
    four[9] = "4";
    // Otherwise the first frames would have only integers.
    let csv = csv.replacen("0,0\n", "0,0.125\n", 1);
    assert_eq!(mbt(&one, csv.as_bytes()), mbt(&four, csv.as_bytes()));
}

#[test]
fn numbers_within_objects_and_lists_widen_like_others() {
    let text = "{\"p\":{\"at\":[[1,2]]}}\n{\"p\":null}\n{\"p\":{\"at\":[[1e-7,2.5]]}}\n";
    let [file, _] = both("a.ndjson", text);
    let printed = "{\"p\":{\"at\":[[1.0,2.0]]}}\n{\"p\":null}\n{\"p\":{\"at\":[[1e-7,2.5]]}}\n";
    assert_eq!(rows(&file.unwrap()), printed);
    let [file, _] = both("a.csv", "a,b\n,x\n,y\n1,x\n2,y\n1.5,z\n2.25,z\n");
    assert_eq!(type_of(&file.unwrap()), DataType::Float64);
}

/// Checks of messages must not refuse what is nested as deeply as JSON can be.
#[test]
fn deeply_nested_rows_are_in_files_as_in_streams() {
    for depth in [40, 61, 62, 63, 64, 80] {
        let row = format!("{}1{}\n", "{\"k\":".repeat(depth), "}".repeat(depth));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.arrow");
        let to_file = [
            "convert",
            "-",
            "--from",
            "ndjson",
            "-o",
            path.to_str().unwrap(),
        ];
        mbt(&to_file, row.as_bytes());
        let stream = ["convert", "-", "--from", "ndjson", "--to", "arrow"];
        let stream = mbt(&stream, row.as_bytes());
        for bytes in [stream, std::fs::read(path).unwrap()] {
            assert_eq!(rows(&bytes), row, "{depth}");
        }
    }
}
