//! `mbt convert --salvage`: intact rows are kept, and losses are reported.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mbt::stream::{Codec, Compression, Compressor, FrameReader};

use crate::command::{run_in, words};

/// Frames of four rows with consecutive numbers, and their borders.
fn stream(dir: &Path, codec: Codec) -> (Vec<u8>, Vec<usize>) {
    let mut csv = "n,s\n".to_owned();
    for n in 0..20 {
        writeln!(csv, "{n},{}", ["a", "b"][n % 2]).unwrap();
    }
    fs::write(dir.join("a.csv"), csv).unwrap();
    let (_, _, code) = run(
        dir,
        &words("a.csv --wire 1 -o raw.mbt --frame-rows 4 --force"),
    );
    assert_eq!(code, 0);
    let raw = fs::read(dir.join("raw.mbt")).unwrap();
    let mut reader = FrameReader::new(&raw[..], 1 << 20);
    let mut compression = Compression::new(codec, None).unwrap();
    if codec != Codec::None {
        compression = compression.checksum().unwrap();
    }
    let mut compressor = Compressor::new(compression);
    let (mut bytes, mut borders) = (Vec::new(), vec![0]);
    while let Some(frame) = reader.next_frame().unwrap() {
        compressor.compress(&frame.bytes, &mut bytes).unwrap();
        borders.push(bytes.len());
    }
    assert_eq!(borders.len(), 6);
    (bytes, borders)
}

fn run(dir: &Path, args: &[&str]) -> (String, String, i32) {
    let (stdout, stderr, code) = run_in(dir, &[&["convert"], args].concat());
    (String::from_utf8(stdout).unwrap(), stderr, code)
}

/// Frames of version 2 with the same rows. The last section of frame 1, which has column "s", is damaged.
fn damaged_v2(dir: &Path) -> Vec<u8> {
    stream(dir, Codec::None);
    let args = ["a.csv", "-o", "v2.mbt", "--frame-rows", "4", "-c", "none"];
    assert_eq!(run(dir, &args).2, 0);
    let mut bytes = fs::read(dir.join("v2.mbt")).unwrap();
    let borders: Vec<_> = memchr::memmem::find_iter(&bytes, b"MATHLDBT").collect();
    bytes[borders[2] - 1] ^= 1;
    bytes
}

/// The rows of these frames as CSV.
fn rows(frames: &[usize]) -> String {
    let mut csv = "n,s\n".to_owned();
    for frame in frames {
        for n in 4 * frame..4 * frame + 4 {
            writeln!(csv, "{n},{}", ["a", "b"][n % 2]).unwrap();
        }
    }
    csv
}

fn salvage(dir: &Path, bytes: &[u8]) -> (String, String, i32) {
    fs::write(dir.join("a.mbt"), bytes).unwrap();
    with_loss(run(dir, &["a.mbt", "--salvage", "--to", "csv"]))
}

/// Removes the final error from the messages, which must be present exactly if something is lost.
fn with_loss((out, mut told, code): (String, String, i32)) -> (String, String, i32) {
    let error = "error: a.mbt: parts of it were lost; mbt verify lists every problem\n";
    if let Some(notes) = told.strip_suffix(error) {
        assert_eq!(code, 2, "{told}");
        told.truncate(notes.len());
    } else {
        assert!(code == 0 || !told.contains("was kept"), "{told}");
    }
    (out, told, code)
}

#[test]
fn whole_frames_on_both_sides_of_a_damaged_one_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    for codec in [Codec::Zstd, Codec::Lz4] {
        let (mut bytes, borders) = stream(dir.path(), codec);
        bytes[borders[3] - 1] ^= 1;
        let (out, told, code) = salvage(dir.path(), &bytes);
        assert_eq!((out, code), (rows(&[0, 1, 3, 4]), 2));
        assert!(
            told.starts_with("note: a.mbt: frame 2 is damaged ("),
            "{told}"
        );
        let end = "and was skipped; 4 frames with 16 rows were kept\n";
        assert!(told.ends_with(end), "{told}");
        let (_, told, code) = run(dir.path(), &["a.mbt", "--to", "csv"]);
        assert_eq!(code, 2, "without --salvage it is an error");
        assert!(told.starts_with("error: a.mbt: frame 2: "), "{told}");
    }
}

#[test]
fn frames_that_are_passed_on_as_they_are_are_whole() {
    let dir = tempfile::tempdir().unwrap();
    for codec in [Codec::Zstd, Codec::Lz4] {
        let (mut bytes, borders) = stream(dir.path(), codec);
        let whole = [&bytes[..borders[2]], &bytes[borders[3]..]].concat();
        bytes[borders[3] - 1] ^= 1;
        fs::write(dir.path().join("a.mbt"), &bytes).unwrap();
        let args = ["a.mbt", "--salvage", "-o", "b.mbt", "--force"];
        let (_, told, code) = run(dir.path(), &args);
        assert_eq!(code, 2, "{told}");
        assert!(told.contains("4 frames with 16 rows were kept"), "{told}");
        assert!(fs::read(dir.path().join("b.mbt")).unwrap() == whole);
    }
}

#[test]
fn a_frame_that_does_not_decode_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let (mut bytes, borders) = stream(dir.path(), Codec::None);
    // The encoding of the first column; no encoding has the number 8.
    bytes[borders[1] + 22] = 8;
    let (out, told, code) = salvage(dir.path(), &bytes);
    assert_eq!((out, code), (rows(&[0, 2, 3, 4]), 2));
    assert!(
        told.contains("frame 1 is damaged (column \"n\": byte 22: "),
        "{told}"
    );
}

#[test]
fn a_frame_of_wire_2_whose_section_is_damaged_keeps_its_other_columns() {
    let dir = tempfile::tempdir().unwrap();
    let (out, told, code) = salvage(dir.path(), &damaged_v2(dir.path()));
    let mut expected = rows(&[0, 1, 2, 3, 4]);
    for row in ["4,a", "5,b", "6,a", "7,b"] {
        expected = expected.replace(&format!("\n{row}\n"), &format!("\n{},\n", &row[..1]));
    }
    assert_eq!((out, code), (expected, 2), "{told}");
    let notes = [
        "note: a.mbt: frame 1 is damaged (column \"s\": byte ",
        "; column \"s\" is null in rows 4..8; 5 frames with 20 rows were kept\n",
    ];
    assert!(
        told.starts_with(notes[0]) && told.ends_with(notes[1]),
        "{told}"
    );
}

#[test]
fn rows_are_those_of_the_input_if_a_condition_drops_some() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("d.mbt"), damaged_v2(dir.path())).unwrap();
    for selection in [["--where", "n = 5 or n > 17"], ["--rows", "-2.."]] {
        let args = [&["d.mbt", "--salvage", "--to", "csv"], &selection[..]].concat();
        let (out, told, code) = run(dir.path(), &args);
        let expected = match selection[0] {
            "--where" => "n,s\n5,\n18,a\n19,b\n",
            _ => "n,s\n18,a\n19,b\n",
        };
        assert_eq!((&out[..], code), (expected, 2), "{told}");
        let note =
            "column \"s\" is null in rows 4..8 of those read; 5 frames with 20 rows were read\n";
        assert!(told.contains(note), "{told}");
    }
}

#[test]
fn frames_of_wire_2_after_one_with_a_damaged_header_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    stream(dir.path(), Codec::None);
    let args = ["a.csv", "-o", "v2.mbt", "--frame-rows", "4"];
    assert_eq!(run(dir.path(), &args).2, 0);
    let whole = fs::read(dir.path().join("v2.mbt")).unwrap();
    let borders: Vec<_> = memchr::memmem::find_iter(&whole, b"MATHLDBT").collect();
    assert_eq!(borders.len(), 5);
    for frame in 0..5 {
        // The magic, the version, the lengths, the checksum, and the header after them.
        for byte in [0, 7, 8, 12, 14, 15, 16, 21, 23, 25, 28, 40] {
            if (frame, byte) == (0, 8) {
                // It might be a frame of an unknown version.
                continue;
            }
            let mut bytes = whole.clone();
            bytes[borders[frame] + byte] ^= 0x21;
            let (out, told, code) = salvage(dir.path(), &bytes);
            let kept: Vec<_> = (0..5).filter(|&other| other != frame).collect();
            assert_eq!((out, code), (rows(&kept), 2), "{frame}, {byte}: {told}");
            let note = format!("note: a.mbt: frame {frame} is damaged (");
            let is_told = told.starts_with(&note);
            // After the last frame there is nothing to continue with.
            assert!(is_told || frame == 4, "{frame}, {byte}: {told}");
        }
    }
}

#[test]
fn every_cut_keeps_the_frames_before_it_and_tells_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    for codec in [Codec::None, Codec::Zstd, Codec::Gzip] {
        let (bytes, borders) = stream(dir.path(), codec);
        for len in (1..bytes.len()).step_by(13) {
            let whole = borders.iter().filter(|border| **border <= len).count() - 1;
            let (out, told, code) = salvage(dir.path(), &bytes[..len]);
            let lost = len - borders[whole];
            if whole == 0 {
                assert_eq!((&out[..], code), ("", 2), "{told}");
                continue;
            }
            let expected = if lost == 0 { 0 } else { 2 };
            assert_eq!(
                (out, code),
                (rows(&(0..whole).collect::<Vec<_>>()), expected)
            );
            match lost {
                0 => assert_eq!(told, ""),
                // Depending on the codec, too short to be recognized as a frame.
                1..8 => assert!(told.contains(&format!("{lost} byte")), "{told}"),
                _ => {
                    let kept = match whole {
                        1 => "frame 0 with 4 rows was kept".to_owned(),
                        _ => format!(
                            "frames 0 to {} with {} rows were kept",
                            whole - 1,
                            4 * whole
                        ),
                    };
                    let unread =
                        format!("{lost} bytes from byte {} on were not read", borders[whole]);
                    assert!(told.ends_with(&format!("; {kept}, {unread}\n")), "{told}");
                }
            }
        }
    }
}

#[test]
fn nothing_to_keep_is_an_error_and_text_has_no_frames() {
    let dir = tempfile::tempdir().unwrap();
    let (_, told, code) = salvage(dir.path(), b"not a frame at all");
    assert_eq!(code, 2, "{told}");
    fs::write(dir.path().join("a.csv"), "n\n1\n").unwrap();
    let (_, told, code) = run(dir.path(), &["a.csv", "--salvage", "--to", "json"]);
    assert_eq!(code, 2);
    assert!(told.contains("--salvage: the input is text"), "{told}");
}
