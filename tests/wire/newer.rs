//! Files of a newer writer with one addition each: a made-up encoding, type, flag, kind of
//! statistics, codec, feature, metadata key or version of the index. man/mbt-format.5, "VERSIONS" specifies how a
//! reader treats each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use arrow_schema::DataType;
use mbt::varint;
use mbt::wire::encodings::{Node, sequence};
use tempfile::TempDir;

use crate::hand_made::{HandMade, Section, index, string};

const ROWS: usize = 3;

fn mbt(args: &[&str], file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mbt"));
    command.args(args).arg(file).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn written(bytes: &[u8]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.mbt");
    fs::write(&file, bytes).unwrap();
    (dir, file)
}

fn numbers(first: i64) -> Node {
    let values: Vec<i64> = (first..).take(ROWS).collect();
    sequence::encode(&values).unwrap()
}

/// A frame with the columns `a`, which is 1, 2, 3, the one described by `new`, and `b`, which is 7, 8, 9.
fn frame_around(new: Vec<u8>, section: Option<Section>) -> HandMade {
    let mut frame = HandMade::new(ROWS);
    frame.run("a", DataType::Int64, numbers(1));
    frame.columns.push(new);
    frame.sections.extend(section);
    frame.run("b", DataType::Int64, numbers(7));
    frame
}

/// Checks that only the column `new` is lost, and that errors of everything that needs it name the reason.
fn costs_one_column(frame: &HandMade, what: &str) {
    let (_dir, file) = written(&frame.bytes());
    let whole = "a,b\n1,7\n2,8\n3,9\n";
    let read = mbt(&["convert", "--columns", "a,b", "--to", "csv"], &file);
    assert_eq!((stdout(&read), stderr(&read)), (whole, ""), "{what}");
    for args in [
        &["convert", "--to", "csv"][..],
        &["head"],
        &["verify", "--deep"],
        &["convert", "--columns=new", "--to", "ndjson"],
    ] {
        let refused = mbt(args, &file);
        assert_eq!(refused.status.code(), Some(2), "{what}: {args:?}");
        let message = stderr(&refused);
        for part in [
            "frame 0: column \"new\": ",
            &format!("needs {what}, written by a newer version of mbt"),
            "--columns a,b reads the others",
        ] {
            assert!(message.contains(part), "{args:?}: {message}");
        }
    }
    // The file is valid, and reports show what they can.
    assert_eq!(mbt(&["verify"], &file).status.code(), Some(0), "{what}");
    let report = mbt(&["inspect"], &file);
    assert_eq!(report.status.code(), Some(0), "{what}: {}", stderr(&report));
    assert!(stdout(&report).contains("unknown"), "{}", stdout(&report));
    let layout = mbt(&["inspect", "--layout"], &file);
    assert_eq!(layout.status.code(), Some(0), "{what}");
    let copied = mbt(&["convert", "--to", "mbt"], &file);
    assert_eq!(copied.status.code(), Some(0), "{what}: {}", stderr(&copied));
    assert!(copied.stdout.starts_with(&frame.bytes()), "{what}");
}

/// The start of a description: name, and type i64.
fn named(ty: &[u8], flags: u8) -> Vec<u8> {
    let mut column = Vec::new();
    string(b"new", &mut column);
    column.extend(ty);
    column.push(flags);
    column
}

/// A section of three bytes that belongs to the new column.
fn section(codec: u8) -> Section {
    Section {
        codec,
        first: 1,
        shares: vec![3],
        stored: vec![5, 6, 7],
    }
}

const I64: &[u8] = &[5];

#[test]
fn a_new_encoding_costs_one_column() {
    let column = [&named(I64, 0)[..], &[99, 1, 2, 3]].concat();
    costs_one_column(&frame_around(column.clone(), None), "encoding 99");
    // The bytes of its buffers are skipped as well.
    costs_one_column(&frame_around(column, Some(section(0))), "encoding 99");
}

#[test]
fn a_new_type_costs_one_column() {
    let column = [&named(&[200], 0)[..], &[1, 2, 3]].concat();
    costs_one_column(&frame_around(column, None), "type 200");
}

#[test]
fn a_new_flag_costs_one_column() {
    let column = [&named(I64, 128)[..], &[1, 14]].concat();
    costs_one_column(&frame_around(column, None), "column flags 0x80");
}

#[test]
fn new_statistics_cost_one_column() {
    let column = [&named(I64, 4)[..], &[9, 1, 2, 3]].concat();
    costs_one_column(&frame_around(column, None), "statistics of kind 9");
}

#[test]
fn a_new_codec_costs_the_columns_in_its_sections() {
    // bit-packed, base 0, width 8: three bytes.
    let column = [&named(I64, 0)[..], &[3, 0, 8]].concat();
    let frame = frame_around(column, Some(section(77)));
    costs_one_column(&frame, "codec 77 for sections");
}

#[test]
fn a_nested_column_is_lost_as_a_whole() {
    // A struct of one member, whose type is new.
    let mut column = named(&[48], 0);
    column.push(1);
    string(b"member", &mut column);
    column.extend([201, 0, 1]);
    costs_one_column(&frame_around(column, None), "type 201");
}

#[test]
fn what_need_not_be_known_is_passed_over() {
    let column = [&named(I64, 32)[..], &[1, 200, 2, b'h', b'i', 1, 14]].concat();
    let mut frame = frame_around(column, None);
    frame.metadata.push([&[222, 3][..], b"key"].concat());
    frame.minor = 7;
    frame.flags |= 1 << 14;
    let (_dir, file) = written(&frame.bytes());
    let read = mbt(&["convert", "--to", "csv"], &file);
    let whole = "a,new,b\n1,7,7\n2,7,8\n3,7,9\n";
    assert_eq!((stdout(&read), stderr(&read)), (whole, ""));
    assert_eq!(mbt(&["verify", "--deep"], &file).status.code(), Some(0));
    let layout = mbt(&["inspect", "--layout"], &file);
    assert_eq!(stderr(&layout), "");
    assert!(stdout(&layout).contains("metadata"), "{}", stdout(&layout));
}

#[test]
fn a_newer_layout_of_the_text_costs_the_text_only() {
    let pair = |key: u8, value: &str| {
        let mut pair = vec![key];
        string(value.as_bytes(), &mut pair);
        pair
    };
    let layout = "csv {\"header\":false}";
    let known = vec![pair(7, layout), pair(8, "")];
    let newer_key = [&known[..], &[pair(200, "what goes with it")]].concat();
    let newer_style = vec![pair(7, "csv {\"header\":false,\"new\":1}"), pair(8, "")];
    let newer_format = vec![pair(7, "toml"), pair(8, "")];
    for (metadata, expected) in [
        (known, "1\n2\n3\n"),
        (newer_key, "a\n1\n2\n3\n"),
        (newer_style, "a\n1\n2\n3\n"),
        (newer_format, "a\n1\n2\n3\n"),
    ] {
        let mut frame = HandMade::new(ROWS);
        frame.run("a", DataType::Int64, numbers(1));
        frame.metadata = metadata;
        let (_dir, file) = written(&frame.bytes());
        let read = mbt(&["convert", "--to", "csv"], &file);
        assert_eq!((stdout(&read), stderr(&read)), (expected, ""));
        assert_eq!(mbt(&["verify", "--deep"], &file).status.code(), Some(0));
    }
}

#[test]
fn a_feature_that_must_be_known_is_named() {
    let mut frame = HandMade::new(ROWS);
    frame.run("a", DataType::Int64, numbers(1));
    frame.flags |= 1 << 9;
    frame.minor = 3;
    let (_dir, file) = written(&frame.bytes());
    for args in [
        &["convert", "--to", "csv"][..],
        &["convert", "--salvage", "--to", "csv"],
        &["head"],
        &["inspect"],
        &["inspect", "--frames"],
        &["verify"],
        &["verify", "--deep"],
        &["compress"],
        &["estimate"],
    ] {
        let refused = mbt(args, &file);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        let message = stderr(&refused);
        let expected = "needs feature 9 of version 2.3, written by a newer version of mbt";
        assert!(message.contains(expected), "{args:?}: {message}");
        assert!(message.contains("frame 0"), "{args:?}: {message}");
    }
}

#[test]
fn a_newer_index_ends_its_segment_all_the_same() {
    let mut frame = HandMade::new(ROWS);
    frame.run("a", DataType::Int64, numbers(1));
    frame.flags |= 2;
    let bytes = frame.bytes();
    let crc32 = &bytes[24..28];
    let mut listed = vec![0, 1];
    varint::push(bytes.len() as u64, &mut listed);
    listed.extend([40, ROWS as u8]);
    listed.extend(crc32);
    let ends = [
        // Of this version, and with two parts that only newer versions know.
        index(4, 0, &listed),
        index(4, 0x90, &[&listed[..], &[2, 1, 2, 0]].concat()),
        // Of a version with another layout.
        index(9, 0xff, b"who knows"),
    ];
    for end in &ends {
        let (_dir, file) = written(&[&bytes[..], end].concat());
        let read = mbt(&["convert", "--to", "csv"], &file);
        assert_eq!((stdout(&read), stderr(&read)), ("a\n1\n2\n3\n", ""));
        assert_eq!(mbt(&["verify", "--deep"], &file).status.code(), Some(0));
    }
    // The known parts are compared with the frames.
    listed[4] += 1;
    for end in [
        index(4, 0, &listed),
        index(4, 0x10, &[&listed[..], &[0]].concat()),
    ] {
        let (_dir, file) = written(&[&bytes[..], &end].concat());
        assert_eq!(mbt(&["verify"], &file).status.code(), Some(1));
        let refused = mbt(&["convert", "--to", "csv"], &file);
        assert_eq!(refused.status.code(), Some(2));
    }
}
