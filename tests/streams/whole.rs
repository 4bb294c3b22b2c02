//! Complete streams: missing, repeated, exchanged and damaged frames are reported, and no
//! wrong rows are printed with exit code 0.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

use arrow_array::RecordBatch;
use mbt::columns::TextOptions;
use mbt::command::verify::{StreamReport, Tier};
use mbt::error::Error;
use mbt::format::Format;
use mbt::pipeline::{self, FrameSize, PipelineOptions, Source};
use mbt::schema::choice::ColumnChoice;
use mbt::schema::selection::OutputColumn;

use crate::command::{run_in, stdout_of, text_of, words};

const LIMIT: u64 = 1 << 30;

/// A file of three frames of ten rows, whose numbers begin at `first`.
fn three_frames(dir: &Path, name: &str, first: usize) -> Vec<u8> {
    let rows = (first..first + 30).map(|n| format!("{n},{},t{}\n", n * n % 97, n % 7));
    let text = format!("n,x,s\n{}", rows.collect::<String>());
    fs::write(dir.join("rows.csv"), text).unwrap();
    let args = format!("convert rows.csv --frame-rows 10 -o {name} --force");
    let args = words(&args);
    stdout_of(dir, &args);
    fs::read(dir.join(name)).unwrap()
}

/// Where each frame and the end begin, and the length, by the fixed heads alone.
pub fn borders(bytes: &[u8]) -> Vec<usize> {
    let mut borders = vec![0];
    let mut at = 0;
    while bytes[at..].starts_with(b"MATHLDBT") {
        let header = u32::from_le_bytes(bytes[at + 12..at + 16].try_into().unwrap());
        let body = u64::from_le_bytes(bytes[at + 16..at + 24].try_into().unwrap());
        at += 28 + header as usize + body as usize;
        borders.push(at);
    }
    borders.push(bytes.len());
    borders
}

/// The frames and the end of a file.
fn parts(bytes: &[u8]) -> Vec<&[u8]> {
    borders(bytes)
        .windows(2)
        .map(|pair| &bytes[pair[0]..pair[1]])
        .collect()
}

fn options(columns: Option<&str>) -> PipelineOptions {
    let text = TextOptions {
        columns: columns
            .map(|column| ColumnChoice::of(vec![OutputColumn::whole(column.to_owned())])),
        ..TextOptions::default()
    };
    PipelineOptions::all(text, FrameSize::Whole, LIMIT)
}

/// Reads frames from a pipe, or from a file that can be sought in, as `convert` and `estimate` do.
fn read(
    bytes: &[u8],
    file: Option<&Path>,
    options: &PipelineOptions,
) -> (Vec<RecordBatch>, Result<(), Error>) {
    let source = match file {
        Some(path) => {
            fs::write(path, bytes).unwrap();
            let file = File::open(path).unwrap();
            Source {
                path: path.to_path_buf(),
                bytes: Box::new(file.try_clone().unwrap()),
                file: Some(file),
                format: Format::Mbt.into(),
            }
        }
        None => Source {
            path: PathBuf::from("<stdin>"),
            bytes: Box::new(Cursor::new(bytes.to_vec())),
            file: None,
            format: Format::Mbt.into(),
        },
    };
    let mut batches = Vec::new();
    let done = pipeline::frames(vec![source], options, |frame| {
        batches.extend(frame.batches);
        Ok(())
    });
    (batches, done.map(drop))
}

/// No reader considers these bytes a complete stream.
fn assert_refused(bytes: &[u8], dir: &Path, what: &str) {
    let path = dir.join("case.mbt");
    for columns in [None, Some("s")] {
        for file in [None, Some(&*path)] {
            let error = read(bytes, file, &options(columns)).1.expect_err(what);
            assert_eq!(error.exit_code(), 2, "{what}: {error}");
            assert!(error.place().file.is_some(), "{what}: {error}");
        }
    }
    for tier in [Tier::Structure, Tier::Checksums] {
        let report = StreamReport::read(bytes, tier, LIMIT, 1).unwrap();
        assert!(!report.is_whole(), "{what}");
    }
}

/// The same for the commands themselves.
fn assert_commands_refuse(bytes: &[u8], dir: &Path, what: &str) {
    fs::write(dir.join("case.mbt"), bytes).unwrap();
    for (args, expected) in [
        (&["convert", "-q", "case.mbt", "--to", "csv"][..], 2),
        (&["convert", "-q", "case.mbt", "--to", "mbt"], 2),
        (&["compress", "-q", "-c", "zstd", "case.mbt"], 2),
        (&["estimate", "-q", "case.mbt"], 2),
        (&["verify", "case.mbt"], 1),
    ] {
        let (_, stderr, code) = run_in(dir, args);
        assert_eq!(code, expected, "{what}: {args:?}: {stderr}");
        assert_eq!(
            code == 2,
            stderr.starts_with("error: case.mbt: "),
            "{stderr}"
        );
    }
}

#[test]
fn a_whole_file_is_read_and_files_concatenate() {
    let dir = tempfile::tempdir().unwrap();
    let one = three_frames(dir.path(), "a.mbt", 0);
    let two = three_frames(dir.path(), "b.mbt", 100);
    let path = dir.path().join("case.mbt");
    let both = [&one[..], &two].concat();
    for (bytes, frames) in [(&one, 3), (&both, 6)] {
        for file in [None, Some(&*path)] {
            let (batches, done) = read(bytes, file, &options(None));
            assert!(done.is_ok() && batches.len() == frames, "{done:?}");
        }
        assert!(
            StreamReport::read(&bytes[..], Tier::Deep, LIMIT, 1)
                .unwrap()
                .is_whole()
        );
    }
}

#[test]
fn every_cut_is_refused_after_the_rows_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let whole = three_frames(dir.path(), "a.mbt", 0);
    let rows = read(&whole, None, &options(None)).0;
    let borders = borders(&whole);
    for len in 0..whole.len() {
        assert_refused(&whole[..len], dir.path(), &format!("cut at {len}"));
        let frames = borders[1..4]
            .iter()
            .filter(|border| **border <= len)
            .count();
        assert!(read(&whole[..len], None, &options(None)).0 == rows[..frames]);
    }
    for &len in &borders[1..4] {
        assert_commands_refuse(&whole[..len], dir.path(), &format!("cut at {len}"));
        for args in [&["inspect", "case.mbt"][..], &words("head -n 2 case.mbt")] {
            let (stdout, stderr, code) = run_in(dir.path(), args);
            assert!(code == 2 && !stdout.is_empty(), "{args:?}: {stderr}");
        }
    }
}

#[test]
fn frames_that_are_gone_doubled_exchanged_or_foreign_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let one = three_frames(dir.path(), "a.mbt", 0);
    let other = three_frames(dir.path(), "b.mbt", 100);
    let (a, b) = (parts(&one), parts(&other));
    let mut cases = Vec::new();
    for at in 0..3 {
        let (mut gone, mut doubled, mut foreign) = (a.clone(), a.clone(), a.clone());
        gone.remove(at);
        doubled.insert(at, a[at]);
        foreign[at] = b[at];
        cases.extend([("gone", gone), ("doubled", doubled), ("foreign", foreign)]);
        let mut swapped = a.clone();
        swapped.swap(at, (at + 1) % 3);
        cases.push(("swapped", swapped));
    }
    cases.push(("only the end", vec![a[3]]));
    cases.push(("two ends", vec![a[0], a[1], a[2], a[3], a[3]]));
    cases.push(("the end of another", vec![a[0], a[1], a[2], b[3]]));
    cases.push(("cut, then whole", [&a[..2], &a].concat()));
    cases.push(("whole, then cut", [&a[..], &a[..2]].concat()));
    cases.push(("trailing", vec![a[0], a[1], a[2], a[3], b"tail"]));
    cases.push(("between", vec![a[0], b"\0", a[1], a[2], a[3]]));
    for (what, case) in cases {
        assert_refused(&case.concat(), dir.path(), what);
        assert_commands_refuse(&case.concat(), dir.path(), what);
    }
}

#[test]
fn every_bit_of_magics_and_of_the_end_matters() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = three_frames(dir.path(), "a.mbt", 0);
    let borders = borders(&bytes);
    let magics = borders[..3].iter().flat_map(|&start| start..start + 12);
    for at in magics.chain(borders[3]..bytes.len()).collect::<Vec<_>>() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            assert_refused(&bytes, dir.path(), &format!("bit {bit} of byte {at}"));
            bytes[at] ^= 1 << bit;
        }
    }
    for at in 0..8 {
        bytes[at] ^= 1 << at;
        assert_commands_refuse(&bytes, dir.path(), &format!("bit {at} of byte {at}"));
        bytes[at] ^= 1 << at;
    }
}

#[test]
fn who_stops_early_is_content_with_a_pipe_and_checks_lengths_of_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let one = three_frames(dir.path(), "a.mbt", 0);
    let cut = &one[..borders(&one)[2]];
    let path = dir.path().join("case.mbt");
    let mut first = options(None);
    first.rows = 0..4;
    assert!(read(cut, None, &first).1.is_ok());
    let (batches, done) = read(cut, Some(&path), &first);
    assert_eq!(batches[0].num_rows(), 4);
    assert_eq!(done.unwrap_err().exit_code(), 2);
    assert!(read(&one, Some(&path), &first).1.is_ok());
}

#[test]
fn salvage_repairs_a_stream_without_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let one = three_frames(dir.path(), "a.mbt", 0);
    fs::write(dir.path().join("cut.mbt"), &one[..borders(&one)[2]]).unwrap();
    let args = ["convert", "cut.mbt", "--salvage", "-o", "mended.mbt"];
    let (_, stderr, code) = run_in(dir.path(), &args);
    assert!(code == 2 && stderr.contains("without its end"), "{stderr}");
    let (stdout, _, code) = run_in(dir.path(), &["verify", "mended.mbt"]);
    assert_eq!(
        (&stdout[..], code),
        (&b"mended.mbt: ok, 2 frames, 20 rows\n"[..], 0)
    );
}

#[test]
fn a_pipe_gets_an_end_and_version_1_may_be_followed_by_frames_only() {
    let dir = tempfile::tempdir().unwrap();
    let one = three_frames(dir.path(), "a.mbt", 0);
    let args = ["convert", "rows.csv", "--frame-rows", "10", "--to", "mbt"];
    assert!(run_in(dir.path(), &args).0 == one);
    let v1 = ["convert", "rows.csv", "--wire", "1", "-o", "v1.mbt"];
    stdout_of(dir.path(), &v1);
    let mut v1 = fs::read(dir.path().join("v1.mbt")).unwrap();
    // Frames of version 1 do not belong to a segment, so they may be between two.
    let mixed = [&v1[..], &one, &v1, &one].concat();
    fs::write(dir.path().join("mixed.mbt"), &mixed).unwrap();
    let copied = stdout_of(dir.path(), &["convert", "mixed.mbt", "--to", "mbt"]);
    let report = StreamReport::read(&copied[..], Tier::Deep, LIMIT, 1).unwrap();
    assert_eq!((report.whole, report.rows), (8, Some(120)), "{report:?}");
    assert!(report.is_whole(), "{report:?}");
    v1.push(0);
    let (rows, done) = read(&v1, None, &options(None));
    assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 30);
    assert_eq!(done.unwrap_err().exit_code(), 2);
    assert_commands_refuse(&v1, dir.path(), "a byte after version 1");
}

#[test]
fn a_whole_file_that_a_tool_compressed_is_read_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let one = three_frames(dir.path(), "a.mbt", 0);
    let rows = read(&one, None, &options(None)).0;
    let pack = |bytes: &[u8]| zstd::bulk::compress(bytes, 3).unwrap();
    let (found, done) = read(&pack(&one), None, &options(None));
    assert!(done.is_ok() && found == rows, "{done:?}");
    for &border in &borders(&one)[1..4] {
        let cut = pack(&one[..border]);
        assert_eq!(
            read(&cut, None, &options(None)).1.unwrap_err().exit_code(),
            2
        );
        let report = StreamReport::read(&cut[..], Tier::Checksums, LIMIT, 1).unwrap();
        assert!(!report.is_whole(), "cut at {border}");
    }
    fs::write(dir.path().join("a.mbt.zst"), pack(&one)).unwrap();
    let plain = stdout_of(dir.path(), &["compress", "-c", "none", "a.mbt.zst"]);
    let (found, done) = read(&plain, None, &options(None));
    assert!(done.is_ok() && found == rows, "{done:?}");
}

/// Files that `cat` joined are one table if their columns agree. Otherwise a file is refused, and a pipe noted.
#[test]
fn joined_files_with_other_columns_are_not_joined_in_silence() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let stream = |name: &str, text: &str| {
        fs::write(dir.join(name), text).unwrap();
        stdout_of(dir, &["convert", name, "--to", "mbt"])
    };
    let (ab, ac) = (
        stream("ab.csv", "a,b\n1,2\n"),
        stream("ac.csv", "a,c\n1,8\n"),
    );
    fs::write(dir.join("other.mbt"), [&ab[..], &ac].concat()).unwrap();
    fs::write(dir.join("same.mbt"), [&ab[..], &ab].concat()).unwrap();
    for to in ["csv", "ndjson", "arrow", "mbt"] {
        let (out, stderr, code) = run_in(dir, &["convert", "other.mbt", "--to", to]);
        assert_eq!((out.len(), code), (0, 2), "{to}: {stderr}");
        assert!(
            stderr.contains("column \"c\" is not in its first part"),
            "{stderr}"
        );
    }
    let (out, ..) = run_in(dir, &["convert", "same.mbt", "--to", "csv"]);
    assert_eq!(out, b"a,b\n1,2\n1,2\n");
    let (out, ..) = run_in(dir, &words("convert other.mbt --columns a --to csv"));
    assert_eq!(out, b"a\n1\n1\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    let pipe = File::open(dir.join("other.mbt")).unwrap();
    let mut cat = Command::new("cat");
    let mut cat = cat
        .stdin(pipe)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let output = command
        .args(["convert", "--to", "ndjson"])
        .stdin(cat.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(cat.wait().unwrap().success());
    assert_eq!(output.stdout, b"{\"a\":1,\"b\":2}\n{\"a\":1,\"c\":8}\n");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("joined by name"), "{said}");
    // Members of JSON may differ from row to row.
    let rows = stream("j.ndjson", "{\"b\":1}\n");
    fs::write(dir.join("json.mbt"), [&ab[..], &rows].concat()).unwrap();
    let (out, stderr, _) = run_in(dir, &["convert", "json.mbt", "--to", "ndjson"]);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{\"a\":1,\"b\":2}\n{\"b\":1}\n",
        "{stderr}"
    );
}

/// Columns selected from a text leave its frames without a head, but they do not continue another text.
#[test]
fn joined_files_are_joined_by_name_whatever_the_order_of_their_columns() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a.csv"), "a,b\nx,1\n").unwrap();
    for (name, columns) in [("ab.mbt", "a,b"), ("ba.mbt", "b,a"), ("b.mbt", "b")] {
        let args = ["convert", "a.csv", "--columns", columns, "-o", name];
        stdout_of(dir, &args);
    }
    let part = |name: &str| fs::read(dir.join(name)).unwrap();
    fs::write(
        dir.join("cat.mbt"),
        [part("ab.mbt"), part("ba.mbt"), part("ab.mbt")].concat(),
    )
    .unwrap();
    let inputs = ["ab.mbt", "ba.mbt", "ab.mbt"];
    stdout_of(
        dir,
        &[&["convert"][..], &inputs, &["-o", "joined.mbt"]].concat(),
    );
    for args in [&["cat.mbt"][..], &["joined.mbt"], &inputs] {
        for options in [&[][..], &["--where", "true"]] {
            let args = [&["convert"][..], args, &["--to", "csv"], options].concat();
            let out = stdout_of(dir, &args);
            assert_eq!(
                String::from_utf8_lossy(&out),
                "a,b\nx,1\nx,1\nx,1\n",
                "{args:?}"
            );
        }
    }
}

/// Frames of each text in turn, one after the other as `cat` writes them. Each part is also in the file `NAME.mbt`.
fn joined_frames(dir: &Path, texts: &[(&str, &str)], options: &[&str]) -> Vec<u8> {
    let mut streams = Vec::new();
    for (name, text) in texts {
        fs::write(dir.join(name), text).unwrap();
        let frames = stdout_of(dir, &[&["convert", name, "--to", "mbt"], options].concat());
        fs::write(dir.join(format!("{name}.mbt")), &frames).unwrap();
        streams.extend(frames);
    }
    streams
}

/// If a text ends without a newline, its last record is not joined with the first line of the next text.
#[test]
fn a_record_without_its_line_end_is_ended_before_the_next_text() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let cases = [
        ("csv", "a,b\n1,2", "a,b\n3,4\n", "a,b\n1,2\n3,4\n"),
        (
            "csv",
            "\"a\"\n\"52\"",
            "\"a\"\n\"77\"",
            "\"a\"\n\"52\"\n\"77\"\n",
        ),
        ("csv", "a,b", "a,b\n3,4\n", "a,b\n3,4\n"),
        ("csv", "a,b\r\n1,2", "a,b\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n"),
        ("tsv", "a\n1", "a\n2\n", "a\n1\n2\n"),
        ("ndjson", "{\"a\":1}", "{\"a\":2}", "{\"a\":1}\n{\"a\":2}\n"),
        (
            "json",
            "[{\"a\":1}]",
            "[{\"a\":2}]",
            "[{\"a\":1},{\"a\":2}]",
        ),
    ];
    for (format, first, second, expected) in cases {
        let names = ["p", "q"].map(|name| format!("{name}.{format}"));
        let texts = [(&*names[0], first), (&*names[1], second)];
        fs::write(dir.join("cat.mbt"), joined_frames(dir, &texts, &[])).unwrap();
        let parts = names.each_ref().map(|name| format!("{name}.mbt"));
        let parts = parts.each_ref().map(String::as_str);
        let join = [&["convert"], &parts[..], &["-o", "joined.mbt", "--force"]].concat();
        stdout_of(dir, &join);
        for inputs in [&["cat.mbt"][..], &["joined.mbt"], &parts] {
            let args = [&["convert"], inputs, &["--to", format]].concat();
            let out = text_of(dir, &args);
            assert_eq!(out.trim_end(), expected.trim_end(), "{args:?}");
        }
    }
}

#[test]
fn joined_texts_have_the_header_and_style_of_the_first_whatever_is_selected() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let cases: [(&[(&str, &str)], &str); 5] = [
        (
            &[("p.csv", "a,b\n1,2\n"), ("q.csv", "b,a\n4,3\n")],
            "a,b\n1,2\n3,4\n",
        ),
        (
            &[("p.csv", "\"b\",\"a\"\n"), ("q.csv", "a,b\n1,2\n3,4\n")],
            "\"b\",\"a\"\n2,1\n4,3\n",
        ),
        (
            &[("p.csv", "b,a\n"), ("q.csv", "\"a\"|\"b\"\n\"3\"|\"4\"\n")],
            "b,a\n4,3\n",
        ),
        (
            &[
                ("p.ndjson", "{\"a\":1}"),
                ("q.ndjson", "{\"a\":3}\n{\"a\":5}\n"),
            ],
            "{\"a\":1}\n{\"a\":3}\n{\"a\":5}\n",
        ),
        (
            &[("p.tsv", "a\tb\n"), ("q.csv", "a,b\n3,4\n")],
            "a\tb\n3\t4\n",
        ),
    ];
    for (texts, expected) in cases {
        let frames = joined_frames(dir, texts, &[]);
        fs::write(dir.join("x.mbt"), &frames).unwrap();
        let names = texts.iter().map(|(name, _)| format!("{name}.mbt"));
        let names: Vec<String> = names.collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let join = [&["convert"][..], &names, &["-o", "y.mbt", "--force"]].concat();
        stdout_of(dir, &join);
        let records = expected.lines().next().unwrap().len() + 1;
        let is_table = !expected.starts_with('{');
        for file in ["x.mbt", "y.mbt"] {
            let text = |options: &[&str]| text_of(dir, &[&["convert", file], options].concat());
            assert_eq!(text(&[]), expected, "{texts:?}");
            assert_eq!(text(&["--where", "true"]), expected, "{texts:?}");
            let header = if is_table { &expected[..records] } else { "" };
            let last = expected.lines().last().unwrap();
            let expected = format!("{header}{last}\n");
            let rows = text(&["--rows=-1.."]);
            assert_eq!(rows, expected, "{texts:?}");
            if is_table {
                assert_eq!(text(&["--where", "a >= 3"]), expected, "{texts:?}");
                // Also if the rows are stored again before they are printed.
                let args = ["convert", file, "--where", "a >= 3", "--to", "ndjson"];
                let values = run_in(dir, &args).0;
                let args = [
                    "convert", file, "--where", "a >= 3", "-o", "z.mbt", "--force",
                ];
                stdout_of(dir, &args);
                let again = run_in(dir, &["convert", "z.mbt", "--to", "ndjson"]).0;
                // The order of the keys does not matter.
                let row = |line: &[u8]| serde_json::from_slice::<serde_json::Value>(line).unwrap();
                assert_eq!(row(&again), row(&values), "{texts:?}");
                let csv = run_in(dir, &["convert", "z.mbt", "--to", "csv"]).0;
                fs::write(dir.join("z.csv"), csv).unwrap();
                let again = run_in(dir, &["convert", "z.csv", "--to", "ndjson"]).0;
                assert_eq!(row(&again), row(&values), "{texts:?}");
            }
        }
    }
}

#[test]
fn parts_that_statistics_exclude_do_not_count_for_the_next_end() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let parts = [("p.csv", "a,b\n1,2\n"), ("q.csv", "a,b\n5,2\n6,7\n")];
    let twice = [parts[0], parts[1], parts[0], parts[1]];
    for parts in [&parts[..], &twice] {
        let frames = joined_frames(dir, parts, &["--frame-rows", "1"]);
        fs::write(dir.join("x.mbt"), frames).unwrap();
        let text: String = parts.iter().map(|(_, text)| &text[4..]).collect();
        for wanted in ["1", "5", "6", "9"] {
            let condition = format!("a = {wanted}");
            let args = ["convert", "x.mbt", "--where", &condition, "--to", "csv"];
            let out = stdout_of(dir, &args);
            let kept = text.lines().filter(|line| line.starts_with(wanted));
            let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
            assert_eq!(String::from_utf8(out).unwrap(), format!("a,b\n{kept}"));
        }
    }
    // A part without rows is a frame, too.
    let frames = joined_frames(dir, &[("p.csv", "a,b\n"), parts[1]], &[]);
    fs::write(dir.join("x.mbt"), frames).unwrap();
    let args = ["convert", "x.mbt", "--frames", "0..1", "--to", "csv"];
    assert_eq!(run_in(dir, &args).0, b"a,b\n");
}

/// Rows of CSV and JSON are typed separately: a word for null in one is a value in the other.
#[test]
fn inputs_of_different_formats_keep_their_values() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for words in [
        ["x", "y"],
        ["no", "q"],
        ["5", "q"],
        ["5", "7"],
        ["a", "true"],
    ] {
        fs::write(
            dir.join("a.csv"),
            format!("b\n{}\n{}\n", words[0], words[1]),
        )
        .unwrap();
        fs::write(dir.join("b.ndjson"), "{\"b\":\"z\"}\n").unwrap();
        for (inputs, expected) in [
            (["a.csv", "b.ndjson"], [words[0], words[1], "z"]),
            (["b.ndjson", "a.csv"], ["z", words[0], words[1]]),
        ] {
            let join = [&["convert"], &inputs[..], &["-o", "x.mbt", "--force"]].concat();
            stdout_of(dir, &join);
            for inputs in [&inputs[..], &["x.mbt"]] {
                let args = [&["convert"], inputs, &["--to", "csv"]].concat();
                let out = text_of(dir, &args);
                assert_eq!(out, format!("b\n{}\n", expected.join("\n")), "{args:?}");
            }
        }
    }
}

/// Text of these few bytes is unlikely, and as CSV it would pass without an error.
#[test]
fn streams_cut_within_the_first_magic_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let whole = three_frames(dir.path(), "a.mbt", 0);
    for len in 4..8 {
        fs::write(dir.path().join("cut"), &whole[..len]).unwrap();
        for to in ["csv", "ndjson", "mbt"] {
            let (out, said, code) = run_in(dir.path(), &["convert", "cut", "--to", to]);
            assert_eq!((out.len(), code), (0, 2), "{len} bytes to {to}: {said}");
            assert!(
                said.contains("ends within the first bytes of a frame"),
                "{said}"
            );
            let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
            let command = command.args(["convert", "--to", to]);
            let input = File::open(dir.path().join("cut")).unwrap();
            let output = command.stdin(input).output().unwrap();
            assert_eq!(
                output.status.code(),
                Some(2),
                "{len} bytes from stdin to {to}"
            );
        }
        let (out, said, _) = run_in(dir.path(), &words("convert cut --from csv --to csv"));
        assert_eq!(out, &whole[..len], "{said}");
    }
}
