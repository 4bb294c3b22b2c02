//! Columns that are grouped by another one, through the command: for every request, the
//! result is that of a file of the same rows without grouping.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mbt::command::verify::{StreamReport, Tier};
use mbt::wire::v2::{ColumnTree, Decoder, Envelope, byte_map};
use serde_json::Value;

use crate::command::{stdout_of, text_of, words};

/// Slow sensors that report in random order, as `a.csv`, and as frames: `plain.mbt` in the
/// order of rows, `grouped.mbt` by sensor, `balanced.mbt` levels and places by sensor.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "time,level,sensor,place,note\n".to_owned();
    let mut levels = [0_u64; 30];
    for row in 0..6000_u64 {
        let chance = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let sensor = (chance % 30) as usize;
        levels[sensor] += 1 + chance / 30 % 3;
        let level = match row % 13 {
            4 => String::new(),
            _ => format!("{}.{:02}", 100 * sensor, levels[sensor] % 100),
        };
        writeln!(text, "{row},{level},s{sensor},place {},x", sensor * 7 % 11).unwrap();
    }
    fs::write(folder.path().join("a.csv"), text).unwrap();
    for (preset, name) in [
        ("fast", "plain.mbt"),
        ("small", "grouped.mbt"),
        ("balanced", "balanced.mbt"),
    ] {
        let options = ["--preset", preset, "--frame-rows", "2500"];
        stdout_of(
            folder.path(),
            &[&["convert", "a.csv", "-o", name], &options[..]].concat(),
        );
    }
    folder
}

#[test]
fn the_text_comes_back_whatever_the_number_of_threads() {
    let folder = folder();
    let folder = folder.path();
    let text = fs::read(folder.join("a.csv")).unwrap();
    for (preset, name) in [("small", "grouped.mbt"), ("balanced", "balanced.mbt")] {
        assert!(stdout_of(folder, &["convert", name]) == text);
        let frames = fs::read(folder.join(name)).unwrap();
        for threads in ["1", "2", "8"] {
            let options = [
                "--preset",
                preset,
                "--frame-rows",
                "2500",
                "--threads",
                threads,
            ];
            let again = stdout_of(
                folder,
                &[&["convert", "a.csv", "--to", "mbt"], &options[..]].concat(),
            );
            assert!(again == frames, "{preset}, {threads} threads");
        }
    }
}

/// The key of each column of each frame.
fn keys(frames: &[u8]) -> Vec<Vec<Option<usize>>> {
    let mut rest = frames;
    let mut keys = Vec::new();
    // The index, which follows the frames, is no envelope.
    while let Ok(envelope) = Envelope::read(rest, 1 << 20) {
        let columns = envelope.columns().unwrap().iter();
        keys.push(columns.map(ColumnTree::key).collect());
        rest = &rest[envelope.len..];
    }
    keys
}

#[test]
fn later_frames_use_the_keys_of_the_first() {
    let folder = folder();
    let frames = fs::read(folder.path().join("balanced.mbt")).unwrap();
    let by_sensor = vec![None, Some(2), None, Some(2), None];
    assert_eq!(keys(&frames), vec![by_sensor; 3]);
}

#[test]
fn columns_are_not_grouped_once_their_key_has_become_nested() {
    let folder = folder();
    let folder = folder.path();
    let mut text = text_of(folder, &words("convert a.csv --to ndjson"));
    let start = text.match_indices('\n').nth(5000).unwrap().0;
    let nested = text[start..].replace(r#""sensor":"s7""#, r#""sensor":{"id":7}"#);
    text.replace_range(start.., &nested);
    fs::write(folder.join("a.ndjson"), &text).unwrap();
    stdout_of(
        folder,
        &words("convert a.ndjson -o nested.mbt --frame-rows 2500"),
    );
    let keys = keys(&fs::read(folder.join("nested.mbt")).unwrap());
    let [first, second, third] = &keys[..] else {
        panic!("{} frames", keys.len());
    };
    assert_eq!((first[1], second[1]), (Some(2), Some(2)));
    assert!(third.iter().all(Option::is_none), "{third:?}");
    assert!(text_of(folder, &["convert", "nested.mbt"]) == text);
}

#[test]
fn whatever_is_asked_is_answered_as_if_nothing_were_grouped() {
    let folder = folder();
    let folder = folder.path();
    for question in [
        &["convert", "--columns", "level", "--to", "csv"][..],
        &["convert", "--columns", "place,time", "--to", "ndjson"],
        &[
            "convert",
            "--columns",
            "time",
            "--where",
            "sensor = \"s7\"",
            "--to",
            "csv",
        ],
        &[
            "convert",
            "--columns",
            "level",
            "--where",
            "level > 1500",
            "--to",
            "csv",
        ],
        &["convert", "--rows", "2490..2510", "--to", "csv"],
        &["convert", "--frames", "1..2", "--to", "csv"],
        &["convert", "--to", "csv", "--exact", "off"],
        &["head", "-n", "30", "--columns", "place"],
        &["head", "-n", "30"],
    ] {
        let of = |name| stdout_of(folder, &[question, &[name]].concat());
        for name in ["grouped.mbt", "balanced.mbt"] {
            assert!(of(name) == of("plain.mbt"), "{question:?} {name}");
        }
    }
    let text = fs::read(folder.join("a.csv")).unwrap();
    for options in [
        &words("compress --codec lz4 grouped.mbt -o other.mbt")[..],
        &["decompress", "grouped.mbt", "-o", "other.mbt"],
        &["convert", "grouped.mbt", "-o", "other.mbt"],
        &words("convert grouped.mbt --frames 0..9 -o other.mbt"),
    ] {
        stdout_of(folder, &[options, &["--force"]].concat());
        assert!(
            stdout_of(folder, &["convert", "other.mbt", "--to", "csv"]) == text,
            "{options:?}"
        );
        stdout_of(folder, &["verify", "--deep", "other.mbt"]);
    }
}

#[test]
fn reports_tell_what_is_grouped_and_by_what() {
    let folder = folder();
    let folder = folder.path();
    let report = text_of(folder, &["inspect", "--json", "grouped.mbt"]);
    assert!(report.contains("grouped by sensor: "), "{report}");
    let explained = stdout_of(
        folder,
        &words("inspect --explain --preset small --json grouped.mbt"),
    );
    let explained: Value = serde_json::from_slice(&explained).unwrap();
    let level = explained["columns"].as_array().unwrap().iter();
    let level = level
        .clone()
        .find(|column| column["name"] == "level")
        .unwrap();
    let used = level["used"].as_str().unwrap();
    assert!(used.starts_with("grouped by sensor: "), "{used}");
    let layout = text_of(folder, &["inspect", "--layout", "--json", "grouped.mbt"]);
    assert!(
        layout.contains("2, the column whose values group these"),
        "{layout}"
    );
}

/// One uncompressed frame.
fn plain_frame(folder: &Path) -> Vec<u8> {
    stdout_of(
        folder,
        &[
            "convert", "a.csv", "--preset", "small", "--codec", "none", "--rows", "0..600", "-o",
            "b.mbt",
        ],
    );
    let bytes = fs::read(folder.join("b.mbt")).unwrap();
    let len = Envelope::read(&bytes, 1 << 20).unwrap().len;
    bytes[..len].to_vec()
}

/// The frame with one byte of its header changed, and a matching checksum.
fn with_byte(frame: &[u8], at: usize, byte: u8) -> Vec<u8> {
    let header_len = u32::from_le_bytes(frame[12..16].try_into().unwrap()) as usize;
    let mut bytes = frame.to_vec();
    bytes[at] = byte;
    let crc = crc32fast::hash(&[&bytes[..24], &bytes[28..28 + header_len]].concat());
    bytes[24..28].copy_from_slice(&crc.to_le_bytes());
    bytes
}

#[test]
fn what_is_no_key_is_refused() {
    let folder = folder();
    let frame = plain_frame(folder.path());
    let envelope = Envelope::read(&frame, 1 << 20).unwrap();
    let map = byte_map(&frame, &envelope).unwrap();
    let keys: Vec<_> = map
        .fields
        .iter()
        .filter(|field| field.name == "key")
        .collect();
    let columns = envelope.columns().unwrap();
    let of_name = |name: &str| {
        let position = columns
            .iter()
            .position(|column| column.field.name() == name);
        u8::try_from(position.unwrap()).unwrap()
    };
    assert!(!keys.is_empty());
    for field in keys {
        let own = of_name(map.column_of(field).unwrap());
        // Itself, a position just beyond the last column, and one far beyond.
        for place in [own, 5, 127] {
            let bytes = with_byte(&frame, field.offset, place);
            let envelope = Envelope::read(&bytes, 1 << 20).unwrap();
            let column = map.column_of(field).map(str::to_owned);
            for error in [
                Decoder::new(1 << 20)
                    .decode(&bytes, &envelope, |_, _| true)
                    .unwrap_err(),
                envelope.leaves().unwrap_err(),
                envelope.sections_of(|_, _| false).unwrap_err(),
            ] {
                assert_eq!(error.kind(), mbt::error::Kind::Corrupt);
                assert_eq!(error.place().column, column, "{error}");
            }
            assert!(
                !StreamReport::read(&bytes[..], Tier::Deep, 1 << 20, 1)
                    .unwrap()
                    .is_whole()
            );
        }
    }
}

#[test]
fn grouped_keys_and_grouped_children_are_refused() {
    let folder = folder();
    let frame = plain_frame(folder.path());
    let map = byte_map(&frame, &Envelope::read(&frame, 1 << 20).unwrap()).unwrap();
    let of = |column: &str, name: &str| {
        let fields = map.fields.iter();
        let mut found =
            fields.filter(|field| map.column_of(field) == Some(column) && field.name == name);
        found.next().unwrap().offset
    };
    // A key becomes a grouped column: one more byte, so the rest is read differently.
    let flags = of("sensor", "flags");
    let bytes = with_byte(&frame, flags, frame[flags] | 16);
    let envelope = Envelope::read(&bytes, 1 << 20).unwrap();
    assert!(envelope.leaves().is_err());
    // A grouped column cannot be a key.
    let key = of("place", "key");
    let bytes = with_byte(&frame, key, 1);
    let error = Envelope::read(&bytes, 1 << 20)
        .unwrap()
        .leaves()
        .unwrap_err();
    let what = error.to_string();
    assert!(what.contains("column 1 cannot be a grouping key"), "{what}");
}

#[test]
fn any_other_byte_in_the_header_is_refused_or_read_but_never_a_panic() {
    let folder = folder();
    let frame = plain_frame(folder.path());
    let header_len = u32::from_le_bytes(frame[12..16].try_into().unwrap()) as usize;
    let mut read = 0;
    for at in 28..28 + header_len {
        for change in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let bytes = with_byte(&frame, at, frame[at] ^ change);
            let Ok(envelope) = Envelope::read(&bytes, 1 << 20) else {
                continue;
            };
            let batch = Decoder::new(1 << 20).decode(&bytes, &envelope, |_, _| true);
            read += usize::from(batch.is_ok());
            let _ = envelope.leaves();
            let _ = Decoder::new(1 << 20).decode(&bytes, &envelope, |at, _| at == 1);
        }
    }
    assert!(read > 0);
}
