//! Small files that test one thing each, compared with Python's `csv` module.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::rule::Infer;
use mbt::format::csv::CsvOptions;

use super::read::{Ask, as_json, read};
use crate::skip::skip;

/// Reads CSV from stdin and prints each row as an object of strings, empty ones as null.
const PYTHON: &str = r"
import csv, io, json, sys
text = sys.stdin.buffer.read().decode('utf-8-sig')
rows = csv.DictReader(io.StringIO(text, newline=''), strict=False)
for row in rows:
    print(json.dumps({k: v or None for k, v in row.items()}))
";

const FILES: [(&str, &str); 14] = [
    ("plain", "one,two,three\n1,2,3\n4,5,6\n"),
    ("crlf", "one,two\r\n1,2\r\n3,4\r\n"),
    ("old mac", "one,two\r1,2\r3,4\r"),
    ("no last newline", "one,two\n1,2"),
    ("byte order mark", "\u{feff}one,two\n1,2\n"),
    (
        "comma in quotes",
        "name,place\nAda,\"London, Marylebone\"\n",
    ),
    (
        "newline in quotes",
        "name,poem\n\"two\nlines\",\"three\r\nlines\r\nhere\"\n",
    ),
    (
        "doubled quotes",
        "said,by\n\"she said \"\"yes\"\"\",\"\"\"\"\"\"\n",
    ),
    (
        "json in quotes",
        "key,value\nk,\"{\"\"a\"\": [1, \"\"b,c\"\"]}\"\n",
    ),
    ("empty cells", "one,two,three\n,,\n1,,\n,,3\n"),
    (
        "quotes in the middle",
        "size,note\n5\" disk,it's \"quoted\"\n",
    ),
    ("text behind quotes", "one,two\n\"a\"b,\"c\" d\n"),
    ("spaces stay", "one, two\n 1 , \"2\" \n"),
    ("unicode", "größe,名前\nä✓,𝄞\n"),
];

#[test]
fn small_files_read_as_python_reads_them() {
    let python = Command::new("python3").args(["-c", ""]).status();
    if !python.is_ok_and(|status| status.success()) {
        skip("python3 does not start");
        return;
    }
    for (what, text) in FILES {
        let mut child = Command::new("python3")
            .args(["-c", PYTHON])
            .env("PYTHONUTF8", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{what}");
        let parse = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let theirs = String::from_utf8(output.stdout).unwrap();
        let theirs: Vec<_> = theirs.lines().map(parse).collect();
        let frames = read(
            text.as_bytes(),
            &Ask::csv(CsvOptions::default(), Infer::None),
        )
        .unwrap();
        let ours: Vec<_> = as_json(&frames).iter().map(|line| parse(line)).collect();
        assert_eq!(ours, theirs, "{what}");
    }
}
