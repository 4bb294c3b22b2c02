//! Statistics are correct: readers rely on them to skip frames, and check them when they decode.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use arrow_array::types::Float16Type;
use arrow_array::{
    ArrayRef, Decimal128Array, Float32Array, PrimitiveArray, RecordBatch, StringArray,
};
use mbt::columns::statistics::MinMax;
use mbt::wire::v2::Envelope;
use mbt::{IndexedReader, Kind, Preset, encode_v2};

use crate::command::{mbt, stdout_of};
use crate::index_bytes::in_index;

fn part<'a>(output: &'a Output, stream: fn(&'a Output) -> &'a Vec<u8>) -> &'a str {
    std::str::from_utf8(stream(output)).unwrap()
}

/// The frames of a text, not compressed, so that bytes can be found in them.
fn frames(dir: &Path, csv: &str, options: &[&str]) -> Vec<u8> {
    fs::write(dir.join("a.csv"), csv).unwrap();
    let args = [
        "convert", "a.csv", "-o", "a.mbt", "--force", "-q", "-c", "none",
    ];
    stdout_of(dir, &[&args[..], options].concat());
    fs::read(dir.join("a.mbt")).unwrap()
}

/// Replaces the statistics in the header of the first frame, and its checksums in the header and the index.
fn with_statistics(frames: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let header = 28 + u32::from_le_bytes(frames[12..16].try_into().unwrap()) as usize;
    let at = frames[..header]
        .windows(from.len())
        .position(|bytes| bytes == from)
        .unwrap();
    let mut out = frames.to_vec();
    let old: [u8; 4] = out[24..28].try_into().unwrap();
    out[at..at + from.len()].copy_from_slice(to);
    let mut crc32 = crc32fast::Hasher::new();
    crc32.update(&out[..24]);
    crc32.update(&out[28..header]);
    let new = crc32.finalize().to_le_bytes();
    out[24..28].copy_from_slice(&new);
    in_index(out, &old, &new)
}

#[test]
fn a_frame_of_sevens_does_not_hide_behind_statistics() {
    let dir = tempfile::tempdir().unwrap();
    let csv = "a\n7\n7\n7\n";
    let true_ones = frames(dir.path(), csv, &[]);
    // Kind 0, the least value 7, and greatest - least, in zigzag. The other two claim 63 alone, and 6 to 8.
    for (name, to) in [("high.mbt", [0, 126, 0]), ("wide.mbt", [0, 12, 4])] {
        let bytes = with_statistics(&true_ones, &[0, 14, 0], &to);
        fs::write(dir.path().join(name), bytes).unwrap();
        for args in [
            &["convert", name, "--where", "a = 7", "--to", "csv"][..],
            &["convert", name, "--where", "a = 1", "--to", "csv"],
            &["convert", name, "--to", "csv"],
            &["convert", name, "--to", "ndjson", "--columns", "a"],
        ] {
            let read = mbt(dir.path(), args);
            assert_eq!(read.status.code(), Some(2), "{args:?}");
            let message = part(&read, |o| &o.stderr);
            assert!(message.contains("as the header says"), "{message}");
            assert!(message.contains("frame 0: column \"a\""), "{message}");
        }
        assert_eq!(mbt(dir.path(), &["verify", name]).status.code(), Some(0));
        let deep = mbt(dir.path(), &["verify", "--deep", name]);
        assert_eq!(deep.status.code(), Some(1));
    }
    fs::write(dir.path().join("true.mbt"), true_ones).unwrap();
    let read = mbt(
        dir.path(),
        &["convert", "true.mbt", "--where", "a = 7", "--to", "csv"],
    );
    assert_eq!(part(&read, |o| &o.stdout), csv);
}

#[test]
fn deep_compares_the_index_with_the_frames() {
    let dir = tempfile::tempdir().unwrap();
    let whole = frames(dir.path(), "a\n5\n6\n5\n6\n", &["--frame-rows", "2"]);
    // Per frame: known without nulls, kind 0, least 5, difference 1.
    let known = [2, 0, 10, 2];
    for wrong in [[2, 0, 8, 2], [4, 0, 10, 2], [2, 0, 10, 4]] {
        let bytes = in_index(whole.clone(), &known, &wrong);
        fs::write(dir.path().join("b.mbt"), bytes).unwrap();
        assert_eq!(mbt(dir.path(), &["verify", "b.mbt"]).status.code(), Some(0));
        let deep = mbt(dir.path(), &["verify", "--deep", "b.mbt"]);
        assert_eq!(deep.status.code(), Some(1));
        let report = part(&deep, |o| &o.stdout);
        assert!(report.contains("frame 0"), "{report}");
        assert!(
            report.contains("the end of the stream and the frame disagree about column \"a\""),
            "{report}"
        );
    }
    let deep = mbt(dir.path(), &["verify", "--deep", "a.mbt"]);
    assert_eq!(
        deep.status.code(),
        Some(0),
        "{}",
        part(&deep, |o| &o.stdout)
    );
}

#[test]
fn an_index_that_says_otherwise_than_the_frames_is_found_where_it_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let whole = frames(
        dir.path(),
        "a,b\n1,x\n2,y\n5,x\n6,y\n",
        &["--frame-rows", "2"],
    );
    // Per frame: known without nulls, kind 0, least 5, difference 1; and the same for b, whose least is x.
    for (from, to) in [
        (&[2, 0, 10, 2][..], &[2, 0, 8, 2][..]),
        (&[2, 0, 10, 2], &[4, 0, 10, 2]),
        (&[2, 2, 1, b'x'], &[2, 2, 1, b'w']),
        // The type of a: i64, u64.
        (&[1, 5, 1, b'a'], &[1, 9, 1, b'a']),
        (&[1, 5, 1, b'a'], &[1, 5, 1, b'c']),
    ] {
        let bytes = in_index(whole.clone(), from, to);
        fs::write(dir.path().join("b.mbt"), &bytes).unwrap();
        for args in [
            &["convert", "b.mbt", "--where", "a > 0", "--to", "csv"][..],
            &["convert", "b.mbt", "--where", "b = 'y'", "--to", "csv"],
            &["inspect", "b.mbt"],
            &["inspect", "--frames", "b.mbt"],
        ] {
            let read = mbt(dir.path(), args);
            assert_eq!(read.status.code(), Some(2), "{from:?}: {args:?}");
            let message = part(&read, |o| &o.stderr);
            assert!(message.contains("the end "), "{args:?}: {message}");
        }
        let mut reader = IndexedReader::open(Cursor::new(bytes)).unwrap();
        let both = [0, 1].map(|frame| reader.read(frame, &["a", "b"]));
        let refused = both.iter().find_map(|read| read.as_ref().err()).unwrap();
        assert_eq!(refused.kind(), Kind::Incomplete, "{from:?}");
    }
    let mut reader = IndexedReader::open(Cursor::new(whole)).unwrap();
    assert_eq!(reader.read(1, &["a", "b"]).unwrap().num_rows(), 2);
    let read = mbt(
        dir.path(),
        &["convert", "a.mbt", "--where", "a > 4", "--to", "csv"],
    );
    assert_eq!(part(&read, |o| &o.stdout), "a,b\n5,x\n6,y\n");
}

#[test]
fn narrow_floats_and_wide_decimals_have_statistics() {
    type Half = <Float16Type as arrow_array::ArrowPrimitiveType>::Native;
    let halves = [1.5, -2.0, 0.0].map(Half::from_f64);
    let decimals = [-(1_i128 << 100), 7, 1 << 90];
    let decimals = Decimal128Array::from(decimals.to_vec());
    let columns: [(&str, ArrayRef, Option<MinMax>); 6] = [
        (
            "half",
            Arc::new(PrimitiveArray::<Float16Type>::from_iter_values(halves)),
            Some(MinMax::Floats(-2.0, 1.5)),
        ),
        (
            "single",
            Arc::new(Float32Array::from(vec![0.1, -0.0, 0.0])),
            Some(MinMax::Floats(0.0, f64::from(0.1_f32))),
        ),
        (
            "nan",
            Arc::new(Float32Array::from(vec![0.1, f32::NAN, 0.0])),
            None,
        ),
        (
            "wide",
            Arc::new(decimals.with_precision_and_scale(38, 2).unwrap()),
            Some(MinMax::Wide(-(1 << 100), 1 << 90)),
        ),
        (
            "same",
            Arc::new(Decimal128Array::from(vec![i128::MAX, i128::MIN, 0])),
            Some(MinMax::Wide(i128::MIN, i128::MAX)),
        ),
        (
            "text",
            Arc::new(StringArray::from(vec!["b", "a", "sixteen bytes and more"])),
            Some(MinMax::Strings {
                least: b"a".to_vec(),
                greatest: b"sixteen bytes an".to_vec(),
                cut: true,
            }),
        ),
    ];
    let arrays = columns
        .iter()
        .map(|(name, array, _)| (*name, Arc::clone(array)));
    let batch = RecordBatch::try_from_iter(arrays).unwrap();
    let mut bytes = Vec::new();
    encode_v2(&batch, Preset::Balanced, &mut bytes).unwrap();
    let envelope = Envelope::read(&bytes, 1 << 20).unwrap();
    let found = envelope.columns().unwrap();
    for (column, (name, _, expected)) in found.iter().zip(columns) {
        assert_eq!(column.statistics, expected, "{name}");
    }
    // Decoding checks them.
    assert_eq!(mbt::decode_v2(&bytes).unwrap().0.num_rows(), 3);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.mbt"), bytes).unwrap();
    for (condition, rows) in [
        ("single > 0.05", 1),
        ("wide < 0", 1),
        ("half = 1.5", 1),
        ("wide > 1e40", 0),
    ] {
        let args = ["convert", "a.mbt", "--where", condition, "--to", "ndjson"];
        let read = mbt(dir.path(), &args);
        assert_eq!(
            read.status.code(),
            Some(0),
            "{}",
            part(&read, |o| &o.stderr)
        );
        assert_eq!(
            part(&read, |o| &o.stdout).lines().count(),
            rows,
            "{condition}"
        );
    }
}
