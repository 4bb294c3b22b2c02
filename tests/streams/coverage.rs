//! What checksums cover, and that frames keep their version unless another is requested.

use std::fs;

use mbt::stream::{Codec, Compression, Compressor, FrameOpener, FrameReader};
use serde_json::Value;

use crate::command::{run_in, stdout_of, words};

const ROWS: &str = "sym,price,n\nMSFT,401.25,1\nAAPL,189.5,2\nMSFT,401.75,3\nNVDA,726.13,4\n";

/// A folder with the rows, and the result of `args`.
fn folder(outputs: &[&[&str]]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("rows.csv"), ROWS).unwrap();
    for args in outputs {
        stdout_of(dir.path(), &[&["convert", "rows.csv"], *args].concat());
    }
    dir
}

#[test]
fn no_name_and_no_codec_changes_the_version_of_frames_unasked() {
    let dir = folder(&[&["-o", "two.mbt"], &["--wire", "1", "-o", "one.mbt"]]);
    for input in ["rows.csv", "two.mbt"] {
        for output in [
            "-o a.mbt.zst",
            "-o a.mbt.gz",
            "-o a.mbt.lz4",
            "-o a.zst",
            "-c gzip --to mbt",
        ] {
            for wire in ["", " --wire 2"] {
                let args = format!("convert {input} {output}{wire}");
                let (_, stderr, code) = run_in(dir.path(), &words(&args));
                assert_eq!(code, 2, "{args}");
                // Frames become text unless frames are requested.
                let is_text = (input, output) == ("two.mbt", "-o a.zst");
                let words: &[&str] = if is_text {
                    &["the name does not say what is compressed"]
                } else {
                    &["-o x.mbt", "--wire 1"]
                };
                assert!(words.iter().all(|word| stderr.contains(word)), "{stderr}");
            }
        }
    }
    for output in ["-o a.mbt.zst", "-o a.mbt.lz4"] {
        let args = format!("compress two.mbt {output}");
        let (_, stderr, code) = run_in(dir.path(), &words(&args));
        assert_eq!(code, 2, "{args}");
        assert!(stderr.contains("-o x.mbt"), "{stderr}");
    }
    // Version 1 is kept, or requested.
    for args in ["one.mbt -o a.mbt.zst", "rows.csv --wire 1 -o b.mbt.gz"] {
        let args = format!("convert {args}");
        stdout_of(dir.path(), &words(&args));
    }
}

#[test]
fn zstd_frames_have_a_checksum_unless_it_is_off() {
    let dir = folder(&[
        &["--wire", "1", "-o", "plain.mbt"],
        &["--wire", "1", "-o", "on.mbt.zst"],
        &["--wire", "1", "-o", "off.mbt.zst", "--checksum=off"],
    ]);
    let plain = fs::read(dir.path().join("plain.mbt")).unwrap();
    let zstd = Compression::new(Codec::Zstd, None).unwrap();
    for (name, compression) in [("on", zstd.checksum().unwrap()), ("off", zstd)] {
        let mut expected = Vec::new();
        Compressor::new(compression)
            .compress(&plain, &mut expected)
            .unwrap();
        let path = dir.path().join(format!("{name}.mbt.zst"));
        assert!(fs::read(path).unwrap() == expected, "{name}");
    }
    for (args, code) in [
        ("compress plain.mbt -c zstd --checksum", 0),
        ("compress plain.mbt -c zstd --checksum=on", 0),
        ("compress plain.mbt -c lz4 --checksum=off", 2),
        ("compress plain.mbt -c gzip --checksum=off", 2),
    ] {
        let (_, _, found) = run_in(dir.path(), &words(args));
        assert_eq!(found, code, "{args}");
    }
}

#[test]
fn no_changed_bit_of_a_zstd_frame_changes_a_value() {
    let dir = folder(&[&["--wire", "1", "-o", "a.mbt.zst"]]);
    let bytes = fs::read(dir.path().join("a.mbt.zst")).unwrap();
    let plain = |bytes: &[u8]| {
        let mut reader = FrameReader::new(bytes, 1 << 20);
        let frame = reader.next_frame()?;
        let plain = match &frame {
            Some(frame) => FrameOpener::new(1 << 20).plain(frame)?.to_vec(),
            None => Vec::new(),
        };
        reader.next_frame()?;
        mbt::error::Result::Ok(plain)
    };
    let whole = plain(&bytes).unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        if let Ok(found) = plain(&damaged) {
            assert!(found == whole, "bit {bit} changes what is read");
        }
    }
}

#[test]
fn verify_says_what_no_checksum_covers() {
    let dir = folder(&[
        &["-o", "two.mbt"],
        &["--wire", "1", "-o", "bare.mbt"],
        &["--wire", "1", "-o", "indexed.mbt", "--index"],
        &["--wire", "1", "-o", "zstd.mbt.zst"],
        &["--wire", "1", "-o", "off.mbt.zst", "--checksum=off"],
    ]);
    let cases = [
        ("two.mbt", "", [1, 0, 0]),
        ("indexed.mbt", "", [1, 0, 0]),
        ("bare.mbt", "no checksum covers 1 frame", [0, 0, 1]),
        ("off.mbt.zst", "no checksum covers 1 frame", [0, 0, 1]),
        (
            "zstd.mbt.zst",
            "the checksums of 1 frame do not cover headers",
            [0, 1, 0],
        ),
    ];
    for (file, line, counts) in cases {
        let (stdout, _, code) = run_in(dir.path(), &["verify", file]);
        let stdout = String::from_utf8(stdout).unwrap();
        let line = if line.is_empty() {
            String::new()
        } else {
            format!("{file}: {line}\n")
        };
        assert_eq!(
            (stdout, code),
            (format!("{line}{file}: ok, 1 frame, 4 rows\n"), 0)
        );
        let (stdout, _, _) = run_in(dir.path(), &["verify", "--json", file]);
        let report: Value = serde_json::from_slice(&stdout).unwrap();
        let keys = [
            "frames_under_checksum",
            "frames_with_checked_contents",
            "frames_without_checksum",
        ];
        let found = keys.map(|key| report["files"][0][key].as_u64().unwrap());
        assert_eq!(found, counts, "{file}");
    }
    let mixed = [
        fs::read(dir.path().join("two.mbt")),
        fs::read(dir.path().join("bare.mbt")),
    ];
    fs::write(
        dir.path().join("mixed.mbt"),
        mixed.map(Result::unwrap).concat(),
    )
    .unwrap();
    let (stdout, _, _) = run_in(dir.path(), &["verify", "mixed.mbt"]);
    let stdout = String::from_utf8(stdout).unwrap();
    let expected = "mixed.mbt: no checksum covers 1 frame; checksums cover every byte of 1 frame\n";
    assert!(stdout.starts_with(expected), "{stdout}");
}
