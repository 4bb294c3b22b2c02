//! Text that cannot be read: each message in full, since users must be able to find the cause.

use std::fs;

use crate::command::{mbt, stdout_of, words};

/// One refused input: name of the file, its content, options, and the message without `error: FILE`.
type Case<'a> = (&'a str, &'a [u8], &'a [&'a str], &'a str);

fn refused(cases: &[Case<'_>]) {
    for (name, content, options, message) in cases {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(name), content).unwrap();
        let shown = String::from_utf8_lossy(content);
        let expected = format!("error: {name}{message}\n");
        for to in [
            &["--to", "csv"][..],
            &["--to", "ndjson"],
            &["-o", "out.mbt"],
            &["-o", "out.json"],
        ] {
            let output = mbt(dir.path(), &[&["convert", name], *options, to].concat());
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(stderr, expected, "{shown:?} {options:?} {to:?}");
            assert_eq!(output.status.code(), Some(2), "{shown:?}");
            if to[0] == "-o" {
                assert!(output.stdout.is_empty(), "{shown:?}");
                assert_eq!(
                    fs::read_dir(dir.path()).unwrap().count(),
                    1,
                    "{shown:?} left a file"
                );
            }
        }
    }
}

fn refused_without_options(name: &str, cases: &[(&[u8], &str)]) {
    let case = |&(content, message)| (name, content, &[][..], message);
    refused(&cases.iter().map(case).collect::<Vec<_>>());
}

/// Files that are found beside text, by their first bytes.
#[test]
fn files_of_other_kinds() {
    refused_without_options(
        "a.csv",
        &[
            (
                b"BZh91AY&SY\x8c\xdd",
                ": cannot read: this is bzip2; pipe it through bzip2 -dc",
            ),
            (
                b"\xfd7zXZ\0\0\x04",
                ": cannot read: this is xz; pipe it through xz -dc",
            ),
            (
                b"\0\x05\x16\x07\0\x02\0\0Mac OS X        ",
                ": cannot read: this is a resource file of macOS (AppleDouble), which belongs to a file of the same name without ._",
            ),
        ],
    );
}

#[test]
fn csv() {
    const SHORT: &str =
        "this record has 1 cell, the header has 2; --flexible pads short records with nulls";
    const LONG: &str =
        "this record has 3 cells, the header has 2; --flexible adds columns for the extra cells";
    const OPEN: &str = "the quote opened here is never closed; \
         use --quote none if this file has no quotes, or --flexible to read the rest as one cell";
    refused(&[
        ("a.csv", b"a,b\n1,2\n3\n", &[], &format!(":3:1: {SHORT}")),
        ("a.csv", b"a,b\n\n1,2,3\n", &[], &format!(":3:1: {LONG}")),
        ("a.csv", b"a,b\r1,2\r3\r", &[], &format!(":3:1: {SHORT}")),
        (
            "a.csv",
            b"a,b\n\"1\n\n\",2\n3\n",
            &[],
            &format!(":5:1: {SHORT}"),
        ),
        ("a.csv", b"a,b\n\"\"\n", &[], &format!(":2:1: {SHORT}")),
        (
            "a.csv",
            b"1,2\n3\n",
            &["--no-header"],
            ":2:1: this record has 1 cell, the first record has 2; --flexible pads short records with nulls",
        ),
        ("a.tsv", b"a\tb\n1,2\n", &[], &format!(":2:1: {SHORT}")),
        (
            "a.csv",
            b"a,b\n1,\"2\n3,4\n5,6\n",
            &[],
            &format!(":2:3: {OPEN}"),
        ),
        ("a.csv", b"\"a,b\n1,2\n", &[], &format!(":1:1: {OPEN}")),
        (
            "a.csv",
            b"\xef\xbb\xbfa,b\n1,2\n\"3,4",
            &[],
            &format!(":3:1: {OPEN}"),
        ),
        (
            "a.csv",
            b"\xff\xfea\0,\0b\0\n\0\0\xd8\n\0",
            &[],
            ":2:1: 0x00D8 at offset 10 is not utf-16le; name another encoding with --encoding",
        ),
        (
            "a.csv",
            b"a,b\n1,2\n# more\n3,4\n",
            &[],
            ":3:1: this record has 1 cell, the header has 2; if this line is a comment, --comment '#' skips it; \
             --flexible pads short records with nulls",
        ),
        (
            "a.csv",
            b"a,b\n%a,b,c\n",
            &[],
            ":2:1: this record has 3 cells, the header has 2; if this line is a comment, --comment '%' skips it; \
             --flexible adds columns for the extra cells",
        ),
        (
            "a.csv",
            b"a,b\n1,2\n#3\n",
            &["--comment", "%"],
            ":3:1: this record has 1 cell, the header has 2; --flexible pads short records with nulls",
        ),
        (
            "a.csv",
            b"a,b\n1,2\n",
            &["--columns", "a,c"],
            ": --columns: there is no column \"c\"; columns are a, b",
        ),
        (
            "a.csv",
            b"",
            &["--columns", "a"],
            ": --columns: there is no column \"a\"; the input has no columns",
        ),
        (
            "a.csv",
            b"a,b\n1,2\n",
            &["--schema", "c:i64"],
            ": --schema: there is no column \"c\"; columns are a, b",
        ),
    ]);
}

#[test]
fn cells_that_do_not_fit_their_fixed_type() {
    let csv = b"id,first name,x\n1,Ada,\"say \"\"1\"\"\"\nD1000263,Bob,300000\n";
    let long = format!("a\n{}\n", "ä".repeat(100));
    let shown = format!(
        ":2:1: column \"a\": cannot read \"{}...\" as bool; use --schema a:utf8",
        "ä".repeat(28)
    );
    refused(&[
        (
            "a.csv",
            csv,
            &["--schema", "id:i64"],
            ":3:1: column \"id\": cannot read \"D1000263\" as i64; use --schema id:utf8",
        ),
        (
            "a.csv",
            csv,
            &["--schema", "first name:uuid"],
            ":2:3: column \"first name\": cannot read \"Ada\" as uuid; use --schema 'first name:utf8'",
        ),
        (
            "a.csv",
            csv,
            &["--schema", "x:i16"],
            ":2:7: column \"x\": cannot read \"say \\\"1\\\"\" as i16; use --schema x:utf8",
        ),
        (
            "a.csv",
            b"t\n2024-01-02\n",
            &["--schema", "t:timestamp"],
            ":2:1: column \"t\": cannot read \"2024-01-02\" as timestamp; use --schema t:utf8",
        ),
        (
            "a.csv",
            b"n\n40000\n",
            &["--schema", "n:i16"],
            ":2:1: column \"n\": cannot read \"40000\" as i16; use --schema n:utf8",
        ),
        (
            "a.csv",
            b"n\n1e39\n",
            &["--schema", "n:f32"],
            ":2:1: column \"n\": cannot read \"1e39\" as f32; use --schema n:utf8",
        ),
        // The error for an empty cell that is not null has a place, too.
        (
            "a.csv",
            b"a,b\n1,2\n3,\n4,5\n",
            &words("--schema b:i64 --null NA"),
            ":3:3: column \"b\": cannot read \"\" as i64; use --null '' if it means null, or --schema b:utf8",
        ),
        (
            "a.csv",
            b"a,b\n1,2\n3,\n4,5\n",
            &words("--schema b:i64 --null NA --quote none"),
            ":3:3: column \"b\": cannot read \"\" as i64; use --null '' if it means null, or --schema b:utf8",
        ),
        ("a.csv", long.as_bytes(), &["--schema", "a:bool"], &shown),
        (
            "a.csv",
            b"a,b\n1,{\"x\":}\n",
            &["--schema", "b:json"],
            ":2:3: column \"b\": cannot read \"{\\\"x\\\":}\" as json; use --schema b:utf8",
        ),
        (
            "a.csv",
            b"a,b\n1,caf\xe9\n",
            &["--schema", "b:utf8"],
            ":2:3: column \"b\": cannot read \"caf\u{fffd}\" as utf8; \
             name the encoding, for example --encoding windows-1252",
        ),
        (
            "a.csv",
            b"1,x\n",
            &words("--no-header --schema column_2:i64"),
            ":1:3: column \"column_2\": cannot read \"x\" as i64; use --schema column_2:utf8",
        ),
        (
            "a.ndjson",
            b"{\"a\":1}\n{\"a\":\"x\"}\n",
            &["--schema", "a:i64"],
            ":2:6: column \"a\": cannot read \"x\" as i64; use --schema a:utf8",
        ),
        (
            "a.json",
            b"[{\"a\":1},{\"a\":1.5}]",
            &["--schema", "a:i64"],
            ":1:15: column \"a\": cannot read 1.5 as i64; use --schema a:utf8",
        ),
        (
            "a.json",
            b"{\"a\":\"\\ud800\"}",
            &["--schema", "a:utf8"],
            ":1:6: column \"a\": cannot read \"\\ud800\" as utf8; \
             use --schema a:json to keep the text as it is",
        ),
        (
            "a.json",
            b"[1,true]",
            &["--schema", "$:i64"],
            ":1:4: column \"$\": cannot read true as i64; use --schema '$:utf8'",
        ),
    ]);
}

#[test]
fn json_documents() {
    refused_without_options(
        "a.json",
        &[
            (b"[{\"a\":}]", ":1:7: expected a value"),
            (
                b"[{\"a\":1,}]",
                ":1:9: expected a key; remove the comma before it",
            ),
            (
                b"[{\"a\":1},]",
                ":1:10: expected a value after the last comma",
            ),
            (b"[{\"a\":1} {\"a\":2}]", ":1:10: expected , or ]"),
            (
                b"[{\"a\":1},{\"a\":",
                ":1:15: the text ends where a value should begin",
            ),
            (
                b"[{\"a\":1},\n{\"a\":2}\n",
                ":3:1: the text ends before the array is closed",
            ),
            (
                b"[{\"a\":1},",
                ":1:10: the text ends before the array is closed",
            ),
            (b"[", ":1:2: the text ends before the array is closed"),
            (b"[}", ":1:2: expected ], which closes the array"),
            (b"[{\"a\":1}}]", ":1:9: expected ], which closes the array"),
            (
                b"[{\"a\":1}]\n {\"a\":2}",
                ":2:2: unexpected text after the array; --from ndjson reads a sequence of values",
            ),
            (b"{\"a\" 1}", ":1:6: expected :"),
            (b"{\"a\":01}", ":1:6: a number must not begin with 0"),
            (
                b"{\"a\":1.}",
                ":1:8: expected a digit after the decimal point",
            ),
            (
                b"{\"a\":NaN}",
                ":1:6: expected a value; JSON has no NaN or Infinity; write null or a string",
            ),
            (
                b"{\"a\":'x'}",
                ":1:6: expected a value; JSON has double quotes",
            ),
            (
                b"\x1e{\"a\":1}\n",
                ":1:1: expected a value; this is a JSON text sequence; tr -d '\\036' removes its record separators",
            ),
            (
                b"{\"a\":\"x\ny\"}",
                ":1:8: a control character in a string must be escaped",
            ),
            (b"{\"a\":\"\\x\"}", ":1:7: unknown escape sequence"),
            (b"{\"a\":\"x", ":1:8: the text ends inside a string"),
            (b"{\"a\":[1,{\"b\":2]}", ":1:15: expected , or }"),
            (b"2024-10-11", ":1:5: expected white space after the value"),
            (
                b"hello",
                ":1:1: expected a value; --from csv reads the input as CSV",
            ),
            (
                b"{\"a\":\"caf\xe9\"}",
                ":1:10: this is not UTF-8; name the encoding, for example --encoding windows-1252",
            ),
            (
                b"\xff\xfe[\0]\0\n\0\n",
                ":2:1: the text ends within a character of utf-16le; name another encoding with --encoding",
            ),
        ],
    );
}

#[test]
fn ndjson() {
    const LINES: &str = "--from json accepts values that span several lines";
    const COMMAS: &str = "rows without brackets around them have no commas between them; \
                          remove the commas, or put [ before and ] after all rows";
    refused_without_options(
        "a.ndjson",
        &[
            (
                b"{\"a\":1}\n{\"a\":\n2}\n",
                &format!(":2:6: the line ends where a value should begin; {LINES}"),
            ),
            (
                b"{\"a\":1}\n{\"a\":2\n",
                &format!(":2:7: the line ends inside an object; {LINES}"),
            ),
            (
                b"{\"a\":1}\n{\"a\":\"2\n{\"a\":3}\n",
                &format!(":2:8: the line ends inside a string; {LINES}"),
            ),
            (
                b"{\"a\":1}\n{\"a\":2},\n",
                &format!(":2:8: expected the end of the line; {COMMAS}"),
            ),
            (
                b"{\"a\":1},\n{\"a\":2},\n",
                &format!(":1:8: expected a value; {COMMAS}"),
            ),
            (
                b"2024-10-11 INFO {\"a\":1}\n",
                ":1:5: expected white space after the value; \
                 remove what is before the JSON, for instance with sed 's/^[^{]*//'",
            ),
            (
                b"{\"a\":1}\n{\"a\":2} {\"a\":3}\n",
                ":2:9: expected the end of the line, not a second value; --from json accepts several values per line",
            ),
        ],
    );
}

#[test]
fn what_is_read_before_the_fault_never_becomes_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let text = "a,b\n".to_owned() + &"1,2\n".repeat(200_000) + "3\n";
    fs::write(dir.path().join("a.csv"), text).unwrap();
    for out in ["out.csv", "out.mbt", "out.ndjson"] {
        let output = mbt(
            dir.path(),
            &["convert", "a.csv", "-o", out, "--frame-rows", "1000"],
        );
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "error: a.csv:200002:1: this record has 1 cell, the header has 2; --flexible pads short records with nulls\n"
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
    // An older file remains unchanged.
    fs::write(dir.path().join("old.csv"), "old").unwrap();
    let output = mbt(dir.path(), &words("convert a.csv -o old.csv --force"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(dir.path().join("old.csv")).unwrap(), b"old");
}

#[test]
fn a_small_limit_bounds_records_and_not_files() {
    let dir = tempfile::tempdir().unwrap();
    let text = "a,b\n".to_owned() + &"1,2\n".repeat(200_000);
    fs::write(dir.path().join("a.csv"), &text).unwrap();
    let read = stdout_of(dir.path(), &words("convert a.csv --to csv --max-record 1K"));
    assert!(read == text.as_bytes());
    let text = format!("a,b\n1,2\n\"{}\",3\n", "x\n".repeat(1 << 20));
    fs::write(dir.path().join("a.csv"), text).unwrap();
    let output = mbt(dir.path(), &words("convert a.csv --to csv --max-record 1M"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: a.csv:3:1: a record is longer than 1048576 bytes; \
         raise --max-record, or look for an unclosed quote\n"
    );
}

/// Lines that are not records are stored with the next record.
#[test]
fn a_limit_for_records_bounds_the_lines_between_them() {
    let dir = tempfile::tempdir().unwrap();
    for text in [
        format!("a,b\n1,2\n{}3,4\n", "\n".repeat(1 << 16)),
        format!("a,b\n1,2\n{}", "# x\n".repeat(1 << 14)),
    ] {
        fs::write(dir.path().join("a.csv"), &text).unwrap();
        let run = |more| {
            let line = format!("convert a.csv --comment # -o a.mbt --force --max-record {more}");
            mbt(dir.path(), &words(&line))
        };
        let output = run("1K");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "error: a.csv: more than 1024 bytes of empty lines and comments in a row; raise --max-record, or omit them \
             with --exact off\n"
        );
        assert!(run("1M").status.success());
        assert!(run("1K --exact off").status.success());
    }
}

#[test]
fn records_longer_than_the_limit_are_refused_wherever_they_are() {
    let dir = tempfile::tempdir().unwrap();
    for len in [100, 5_000] {
        for place in [0, 40, 79] {
            for (longest, code) in [(len, 0), (len + 1, 2)] {
                let record = |row: usize, around: usize| {
                    let bytes = if row == place { longest } else { 30 };
                    "x".repeat(bytes - around)
                };
                let csv = (0..80).map(|row| record(row, 2) + ",1\n");
                let ndjson = (0..80).map(|row| format!("{{\"a\":\"{}\"}}\n", record(row, 8)));
                for (name, text) in [
                    ("a.csv", "a,b\n".to_owned() + &csv.collect::<String>()),
                    ("a.ndjson", ndjson.collect()),
                ] {
                    fs::write(dir.path().join(name), text).unwrap();
                    let limit = len.to_string();
                    let args = ["convert", name, "--to", "mbt", "--max-record", &limit];
                    let output = mbt(dir.path(), &args);
                    assert_eq!(
                        output.status.code(),
                        Some(code),
                        "{name}: {longest} of {len}"
                    );
                }
            }
        }
    }
}

#[test]
fn keys_that_columns_do_not_show_are_noted_once_where_they_are_lost() {
    const REPEATED: &str = "2 keys repeated within a row: the last value counts";
    const SPELLED: &str =
        "1 key with half a surrogate pair: the name is the escape itself, as in \"\\\\ud800\"";
    let dir = tempfile::tempdir().unwrap();
    let repeated = "{\"a\":1}\n{\"a\":2,\"\\u0061\":3,\"a\":4}\n";
    let spelled = "{\"\\ud800\":1}\n{\"\\ud800\":2}\n";
    for (text, csv, note) in [
        (repeated, "a\n1\n4\n", REPEATED),
        (spelled, "\\ud800\n1\n2\n", SPELLED),
    ] {
        fs::write(dir.path().join("a.ndjson"), text).unwrap();
        let noted = |args: &str| {
            let args: Vec<_> = args.split(' ').collect();
            let output = mbt(dir.path(), &args);
            assert_eq!(output.status.code(), Some(0), "{args:?}");
            let stderr = String::from_utf8(output.stderr).unwrap();
            (String::from_utf8_lossy(&output.stdout).into_owned(), stderr)
        };
        for options in ["--to csv", "--to csv --rows 0..", "--to csv --frame-rows 1"] {
            let (stdout, stderr) = noted(&format!("convert a.ndjson {options}"));
            assert_eq!((&*stdout, stderr), (csv, format!("note: {note}\n")));
        }
        for options in [
            "--to json",
            "--to arrow",
            "--to ndjson --exact off",
            "--to mbt --exact off",
            "--to mbt --wire 1",
            "--to mbt --infer values",
        ] {
            let (_, stderr) = noted(&format!("convert a.ndjson -o b --force {options}"));
            assert_eq!(stderr, format!("note: {note}\n"), "{options}");
        }
        // Frames that contain the text are marked as such, and lose nothing.
        let (_, stderr) = noted("convert a.ndjson -o a.mbt --force");
        let kept = format!("note: {note}, except where the text is restored\n");
        assert_eq!(stderr, kept);
        for args in [
            "a.mbt",
            "a.ndjson --to ndjson",
            "a.ndjson --to ndjson --rows 0..",
        ] {
            assert_eq!(
                noted(&format!("convert {args}")),
                (text.to_owned(), String::new())
            );
        }
    }
}

#[test]
fn rows_of_several_kinds_become_values_on_every_route() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.ndjson"), b"{\"a\":1}\n7\n").unwrap();
    let direct = mbt(dir.path(), &["convert", "a.ndjson", "--to", "csv"]);
    assert_eq!(
        String::from_utf8_lossy(&direct.stdout),
        "$\n\"{\"\"a\"\":1}\"\n7\n"
    );
    stdout_of(dir.path(), &["convert", "a.ndjson", "-o", "a.mbt"]);
    let frames = mbt(dir.path(), &["convert", "a.mbt", "--to", "csv"]);
    assert_eq!(frames.stdout, direct.stdout);
}
