//! What `mbt verify` finds in files of wire 2: everything.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use mbt::command::verify::{StreamReport, Tier};
use mbt::wire::choose::Preset;
use mbt::wire::codec::SectionCodec;
use mbt::wire::v2::{EncodeOptions, Encoder, PriorFrames};
use serde_json::Value;

use crate::command::{mbt, stdout_of, words};
use crate::whole::borders;

const LIMIT: u64 = 1 << 20;

/// Three frames and an index, with nulls and nested columns.
fn file(folder: &Path, options: &[&str]) -> Vec<u8> {
    let rows: Vec<_> = (0..12)
        .map(|row| {
            let gap = if row % 5 == 2 {
                "null".to_owned()
            } else {
                format!("{row}.5")
            };
            let words = [
                "alpha",
                "beta",
                "gamma",
                "a text that is a little longer than the others",
            ];
            let text = words[row % 4];
            format!(
                "{{\"id\":{},\"x\":{gap},\"u\":{{\"s\":\"{text}{row}\",\"l\":[{row},7]}}}}\n",
                row * row
            )
        })
        .collect();
    fs::write(folder.join("a.ndjson"), rows.concat()).unwrap();
    let fixed = words("convert a.ndjson -o a.mbt --force --frame-rows 4");
    stdout_of(folder, &[&fixed[..], options].concat());
    fs::read(folder.join("a.mbt")).unwrap()
}

fn verify(bytes: &[u8], tier: Tier) -> StreamReport {
    StreamReport::read(bytes, tier, LIMIT, 1).unwrap()
}

#[test]
fn every_flipped_bit_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for options in [&[][..], &["--codec", "none"], &["--preset", "small"]] {
        let mut bytes = file(folder.path(), options);
        for tier in [Tier::Structure, Tier::Checksums, Tier::Deep] {
            let report = verify(&bytes, tier);
            assert!(report.is_whole(), "{report:?}");
            assert_eq!((report.frames, report.whole, report.rows), (3, 3, Some(12)));
        }
        let borders = borders(&bytes);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                let report = verify(&bytes, Tier::Checksums);
                assert!(!report.is_whole(), "bit {bit} of byte {at}");
                // Messages begin with the frame or the index.
                let frame = borders.iter().filter(|border| **border <= at).count() as u64 - 1;
                let problem = &report.problems[0];
                let expected = (frame < 3).then_some(frame);
                assert!(
                    problem.frame == expected || problem.frame == Some(3) && expected.is_none(),
                    "bit {bit} of byte {at}: {problem:?}"
                );
                bytes[at] ^= 1 << bit;
            }
        }
    }
}

#[test]
fn every_cut_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = file(folder.path(), &[]);
    let borders = borders(&bytes);
    for len in 0..bytes.len() {
        for tier in [Tier::Structure, Tier::Checksums, Tier::Deep] {
            let report = verify(&bytes[..len], tier);
            assert!(!report.is_whole(), "cut at {len}");
            assert!(report.refused.is_none(), "cut at {len}");
            let whole = borders[1..4].iter().filter(|border| **border <= len);
            assert_eq!(report.whole, whole.count() as u64, "cut at {len}");
        }
    }
}

#[test]
fn a_damaged_section_is_told_with_its_columns_and_its_byte() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Numbers that do not compress, each column in its own section.
    let mut text = String::from("a,b,c\n");
    let mut state = 1_u64;
    for _ in 0..3000 {
        let mut cells = Vec::new();
        for _ in 0..3 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            cells.push((state >> 20).to_string());
        }
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    fs::write(folder.join("a.csv"), text).unwrap();
    stdout_of(folder, &["convert", "a.csv", "-o", "a.mbt"]);
    let whole = fs::read(folder.join("a.mbt")).unwrap();
    let body = 28 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    let len = u64::from_le_bytes(whole[16..24].try_into().unwrap()) as usize;
    for (column, at) in [("a", body), ("b", body + len / 2), ("c", body + len - 1)] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(folder.join("d.mbt"), bytes).unwrap();
        let output = mbt(folder, &["verify", "--json", "d.mbt"]);
        assert_eq!(output.status.code(), Some(1));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let problem = &report["files"][0]["problems"][0];
        assert_eq!(
            (&problem["column"], &problem["frame"]),
            (&column.into(), &0.into())
        );
        let byte = problem["byte"].as_u64().unwrap() as usize;
        assert!(byte <= at && at - byte < len / 3 + 3);
        // Converting reports the same, unless the column is not wanted.
        let output = mbt(folder, &["convert", "d.mbt", "--to", "csv"]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        let place = format!("d.mbt: frame 0: column \"{column}\": byte {byte}: ");
        assert!(said.contains(&place), "{said}");
        let other = if column == "a" { "b" } else { "a" };
        stdout_of(
            folder,
            &["convert", "d.mbt", "--to", "csv", "--columns", other],
        );
    }
}

#[test]
fn errors_in_nested_columns_name_the_whole_path() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let whole = file(folder, &["--codec", "none"]);
    // The longer text is in one column only.
    let at = whole
        .windows(6)
        .rposition(|bytes| bytes == b"longer")
        .unwrap();
    let mut bytes = whole;
    bytes[at] ^= 0x20;
    fs::write(folder.join("d.mbt"), bytes).unwrap();
    let output = mbt(folder, &words("convert d.mbt --to ndjson --columns u"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("d.mbt: frame 2: column \"u.s\": byte "),
        "{said}"
    );
    let output = mbt(folder, &["verify", "d.mbt"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("column \"u.s\": byte "), "{said}");
}

#[test]
fn what_is_no_stream_of_frames_is_bad_input_and_not_damage() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    file(folder, &[]);
    fs::write(folder.join("short.csv"), "a,b\n").unwrap();
    let code = |arguments: &[&str]| {
        let output = mbt(folder, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    for text in ["a.ndjson", "short.csv"] {
        let (status, said) = code(&["verify", text]);
        assert_eq!(status, Some(2), "{said}");
        assert!(
            said.contains("mbt convert, mbt head and mbt stats read"),
            "{said}"
        );
    }
    let (status, said) = code(&["verify", "--max-frame", "10", "a.mbt"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("raise --max-frame"), "{said}");
    // The others are still checked.
    let output = mbt(folder, &["verify", "a.ndjson", "a.mbt"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"a.mbt: ok, 3 frames, 12 rows\n");
    // Cut within the magic, and empty: damage.
    fs::write(folder.join("cut.mbt"), "MATH").unwrap();
    fs::write(folder.join("empty.mbt"), "").unwrap();
    for file in ["cut.mbt", "empty.mbt"] {
        assert_eq!(code(&["verify", file]).0, Some(1));
    }
}

/// An envelope of one column, nothing compressed.
fn envelope(field: &Field, array: ArrayRef) -> Vec<u8> {
    let options = EncodeOptions {
        codec: SectionCodec::None,
        ..EncodeOptions::of(Preset::Balanced)
    };
    let encoder = Encoder::new(options);
    let rows = array.len();
    let column = encoder
        .column(field, vec![array], PriorFrames::default())
        .unwrap();
    let mut bytes = Vec::new();
    encoder
        .envelope(
            rows,
            &arrow_schema::Metadata::new(),
            vec![column],
            None,
            &mut bytes,
        )
        .unwrap();
    bytes
}

/// Replaces the header, and the lengths and checksums accordingly.
fn with_header(bytes: &[u8], header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut out = bytes[..24].to_vec();
    out[12..16].copy_from_slice(&(header.len() as u32).to_le_bytes());
    out[16..24].copy_from_slice(&(body.len() as u64).to_le_bytes());
    let crc = crc32fast::hash(&[&out, header].concat());
    out.extend(crc.to_le_bytes());
    [&out, header, body].concat()
}

fn parts(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let header = 28 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    (bytes[28..header].to_vec(), bytes[header..].to_vec())
}

/// Kind, column and message of findings of `--deep`.
fn deep(bytes: &[u8]) -> (&'static str, Option<String>, String) {
    assert!(verify(bytes, Tier::Checksums).is_whole());
    let problem = verify(bytes, Tier::Deep).problems.remove(0);
    let column = problem.column().map(str::to_owned);
    (problem.kind, column, problem.what)
}

#[test]
fn deep_finds_what_checksums_cannot() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["{}", "nope", "[1]", "{\"a\":"]));
    let json = Field::new("j", DataType::Utf8, false).with_metadata(
        [("ARROW:extension:name".to_owned(), "arrow.json".to_owned())]
            .into_iter()
            .collect::<std::collections::HashMap<_, _>>(),
    );
    let found = deep(&envelope(&json, Arc::clone(&texts)));
    assert_eq!(
        found,
        (
            "not_json",
            Some("j".into()),
            "2 values not valid JSON".into()
        )
    );
    let inner = StructArray::from(vec![(Arc::new(json), texts)]);
    let outer = Field::new("s", inner.data_type().clone(), false);
    assert_eq!(
        deep(&envelope(&outer, Arc::new(inner))).1.as_deref(),
        Some("s.j")
    );

    // Bytes that claim to be text.
    let binary: ArrayRef = Arc::new(BinaryArray::from(vec![&b"\xff\xfe"[..], b"ab", b"cd"]));
    let bytes = envelope(&Field::new("b", DataType::Binary, false), binary);
    let (mut header, body) = parts(&bytes);
    let name = header
        .windows(3)
        .position(|at| at == [1, b'b', 35])
        .unwrap();
    header[name + 2] = 32;
    let found = deep(&with_header(&bytes, &header, &body));
    assert_eq!((found.0, found.1.as_deref()), ("column", Some("b")));

    // A section with one byte more than its only buffer.
    let (mut header, mut body) = parts(&bytes);
    body.push(0);
    let section = header
        .windows(3)
        .position(|at| at == [0, 0, body.len() as u8 - 1])
        .unwrap();
    header[section + 2] += 1;
    header[section + 3..section + 7].copy_from_slice(&crc32fast::hash(&body).to_le_bytes());
    let report = verify(&with_header(&bytes, &header, &body), Tier::Structure);
    let problem = &report.problems[0];
    assert_eq!((problem.kind, problem.column()), ("envelope", Some("b")));
    assert!(problem.what.contains("in no buffer"), "{}", problem.what);

    // A header with an extra byte is found without reading values.
    let (mut header, body) = parts(&bytes);
    header.push(0);
    let report = verify(&with_header(&bytes, &header, &body), Tier::Structure);
    let problem = &report.problems[0];
    let at = 28 + header.len() as u64 - 1;
    assert_eq!((problem.kind, problem.byte), ("envelope", Some(at)));

    // A bool that is 2.
    let bools: ArrayRef = Arc::new(BooleanArray::from(vec![true, true]));
    let bytes = envelope(&Field::new("t", DataType::Boolean, false), bools);
    let (mut header, body) = parts(&bytes);
    // The constant 1 in zigzag, at the very end.
    assert_eq!(header.pop(), Some(2));
    header.push(4);
    let found = deep(&with_header(&bytes, &header, &body));
    assert_eq!((found.0, found.1.as_deref()), ("column", Some("t")));
}
