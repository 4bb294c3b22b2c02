//! `mbt compress` and `mbt decompress` against the codecs' own tools, on any number of threads.

use std::fs;
use std::io::Write as _;

use crate::command::{BIN, run_with, words};
use crate::skip::skip;

fn mbt(args: &[&str], input: &[u8]) -> Vec<u8> {
    let (stdout, stderr, code) = run_with(BIN, args, input).unwrap();
    assert_eq!((code, &stderr[..]), (0, ""), "{args:?}");
    stdout
}

/// Bars in frames of 700 rows, as text and as frames.
fn frames() -> (Vec<u8>, Vec<u8>) {
    let mut csv = b"pair,time,price\n".to_vec();
    for row in 0..10_000_u64 {
        let pair = ["BTCUSDT", "ETHUSDT"][row as usize % 2];
        let price = row * 7919 % 1009;
        writeln!(csv, "{pair},{},{price}.25", 1_700_000_000 + 60 * row).unwrap();
    }
    let args = words("convert --from csv --to mbt --wire 1 --frame-rows 700");
    let frames = mbt(&args, &csv);
    (csv, frames)
}

#[test]
fn the_codecs_own_tools_open_the_frames() {
    let (csv, plain) = frames();
    for (codec, more) in [
        ("zstd", &["-l", "-7"][..]),
        ("zstd", &["-l", "19", "--long", "--checksum"]),
        ("zstd", &[]),
        ("gzip", &["-l", "0"]),
        ("gzip", &[]),
        ("lz4", &[]),
    ] {
        let args = [&["compress", "-c", codec], more].concat();
        let packed = mbt(&args, &plain);
        assert_ne!(packed, plain);
        assert!(mbt(&["decompress"], &packed) == plain, "{args:?}");
        assert!(mbt(&["convert", "--to", "csv"], &packed) == csv, "{args:?}");
        match run_with(codec, &["-d", "-c"], &packed) {
            Some((stdout, stderr, code)) => {
                assert_eq!(code, 0, "{codec}: {stderr}");
                assert!(stdout == plain, "{args:?}");
            }
            None => skip(&format!(
                "{codec} is not installed, so it has not opened {args:?}"
            )),
        }
    }
}

#[test]
fn frames_that_the_tools_make_are_read() {
    let (_, plain) = frames();
    for (tool, args) in [
        ("zstd", &["-c"][..]),
        ("zstd", &["-c", "--no-check", "-19"]),
        ("gzip", &["-c"]),
        ("lz4", &["-c"]),
        ("lz4", &["-c", "-BD", "-BX", "-9"]),
    ] {
        match run_with(tool, args, &plain) {
            // The tool writes one frame for all of them.
            Some((packed, _, _)) => {
                assert!(mbt(&["decompress"], &packed) == plain, "{tool} {args:?}");
                let again = mbt(&["compress", "-c", "lz4"], &packed);
                assert!(
                    again == mbt(&["compress", "-c", "lz4"], &plain),
                    "{tool} {args:?}"
                );
            }
            None => skip(&format!(
                "{tool} is not installed, so its frames were not read"
            )),
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let (csv, plain) = frames();
    for codec in ["none", "zstd", "gzip", "lz4"] {
        let compress =
            |threads, input: &[u8]| mbt(&["compress", "-c", codec, "-T", threads], input);
        let one = compress("1", &plain);
        let convert = |threads| {
            let args = words("convert --from csv --to mbt --wire 1 --frame-rows 700");
            mbt(&[&args[..], &["-c", codec, "-T", threads]].concat(), &csv)
        };
        for threads in ["1", "2", "8"] {
            assert!(compress(threads, &plain) == one, "{codec} -T {threads}");
            assert!(
                compress(threads, &one) == one,
                "{codec} -T {threads}, again"
            );
            // Converting compresses the same frames.
            assert!(convert(threads) == one, "convert {codec} -T {threads}");
            assert!(mbt(&["decompress", "-T", threads], &one) == plain);
        }
    }
}

#[test]
fn names_choose_the_codec() {
    let (_, plain) = frames();
    let dir = tempfile::tempdir().unwrap();
    for (name, codec, magic) in [
        ("a.mbt.zst", "zstd", &b"\x28\xb5\x2f\xfd"[..]),
        ("a.mbt.gz", "gzip", b"\x1f\x8b\x08"),
        ("a.mbt.lz4", "lz4", b"\x04\x22\x4d\x18"),
    ] {
        let path = dir.path().join(name);
        let path = path.to_str().unwrap();
        for command in ["convert", "compress"] {
            mbt(&[command, "-o", path, "--force"], &plain);
            let packed = fs::read(path).unwrap();
            assert!(packed.starts_with(magic), "{command} {name}");
            assert!(packed == mbt(&["compress", "-c", codec], &plain));
            // The format follows from the file name.
            assert!(mbt(&["convert", path, "--to", "mbt", "-c", "none"], b"") == plain);
        }
        // Unless the user names it.
        mbt(&["compress", "-c", "none", "-o", path, "--force"], &plain);
        assert!(fs::read(path).unwrap() == plain);
    }
    assert!(mbt(&["compress"], &plain).starts_with(b"\x28\xb5\x2f\xfd"));
}

#[test]
fn what_is_left_out_is_said_and_what_is_cut_is_refused() {
    let (_, plain) = frames();
    let packed = mbt(&["compress"], &plain);
    let tail = [&packed[..], b"tail"].concat();
    let (stdout, stderr, code) = run_with(BIN, &["decompress"], &tail).unwrap();
    assert!(stdout == plain && code == 2);
    assert!(
        stderr.contains("4 bytes after the last frame are not a frame"),
        "{stderr}"
    );
    let (_, stderr, code) = run_with(BIN, &["decompress"], &packed[..packed.len() - 1]).unwrap();
    assert_eq!(code, 2);
    assert!(stderr.contains("<stdin>: frame 14: byte "), "{stderr}");
    let (_, stderr, code) = run_with(BIN, &["decompress", "--max-frame", "1K"], &packed).unwrap();
    assert_eq!(code, 2);
    assert!(stderr.contains("raise --max-frame"), "{stderr}");
}

#[test]
fn an_index_tells_of_the_new_frames_and_the_text_comes_back() {
    let (csv, _) = frames();
    let dir = tempfile::tempdir().unwrap();
    let (source, file) = (dir.path().join("a.csv"), dir.path().join("a.mbt"));
    fs::write(&source, &csv).unwrap();
    let source = source.to_str().unwrap();
    let wires = [&["--wire=1", "--index"][..], &["--wire=2"]];
    for (wire, options) in (1..).zip(wires) {
        let args = ["convert", "--to=mbt", "--frame-rows=700", "-"];
        let frames = mbt(&[&args[..], options, &["--from=csv"]].concat(), &csv);
        for codec in ["zstd", "lz4", "none"] {
            let recoded = match codec {
                "none" => mbt(&["decompress", "-q"], &frames),
                codec => mbt(&["compress", "-q", "-c", codec], &frames),
            };
            fs::write(&file, &recoded).unwrap();
            let file = file.to_str().unwrap();
            assert!(!mbt(&["verify", file], &[]).is_empty());
            let frames = mbt(&["inspect", "--frames", "--json", file], &[]);
            let frames: serde_json::Value = serde_json::from_slice(&frames).unwrap();
            let entries = frames["files"][0]["entries"].as_array().unwrap();
            let has_index = entries.iter().any(|entry| entry["kind"] == "index");
            assert!(has_index, "{wire} {codec}");
            if wire == 2 {
                mbt(&["verify", "--source", source, file], &[]);
            }
        }
    }
}

#[test]
fn text_comes_back_to_the_byte_from_frames_with_another_codec() {
    let text = b"[{\"a\": 1},\n {\"a\": 2.50}]\n\n";
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (source, frames) = (path("a.json"), path("a.mbt"));
    fs::write(&source, text).unwrap();
    mbt(&["convert", &source, "-o", &frames], b"");
    for codec in ["none", "lz4", "zstd"] {
        let recoded = path(&format!("{codec}.mbt"));
        mbt(&["compress", "-c", codec, &frames, "-o", &recoded], b"");
        mbt(&["verify", "--deep", "--source", &source, &recoded], b"");
        assert_eq!(mbt(&["convert", &recoded], b""), text, "{codec}");
        // A conversion of the frames writes the same index.
        let again = mbt(&["convert", &recoded, "--to", "mbt"], b"");
        assert!(again == fs::read(&recoded).unwrap(), "{codec}");
    }
}

#[test]
fn indexes_of_files_behind_each_other_are_made_anew() {
    let (csv, _) = frames();
    let args = words("convert --from csv --to mbt --frame-rows 700");
    let one = mbt(&args, &csv);
    let two = [&one[..], &one].concat();
    let recoded = mbt(&["compress", "-c", "none"], &two);
    let plain = mbt(&["compress", "-c", "none"], &one);
    assert!(recoded == [&plain[..], &plain].concat());
    assert!(mbt(&["convert", "--from", "mbt", "--to", "mbt"], &plain) == plain);
    let report = String::from_utf8(mbt(&["verify", "-"], &recoded)).unwrap();
    assert_eq!(report, "<stdin>: ok, 30 frames, 20,000 rows\n");
}

#[test]
fn an_end_of_other_frames_is_refused() {
    let args = ["convert", "--from", "csv", "--to", "mbt"];
    let (one, other) = (mbt(&args, b"a\n1\n"), mbt(&args, b"a\n2\n"));
    assert_eq!(one.len(), other.len());
    // The index is the one skippable frame.
    let magic = 0x184d_2a5a_u32.to_le_bytes();
    let at = one.windows(4).position(|bytes| bytes == magic).unwrap();
    let mixed = [&other[..at], &one[at..]].concat();
    let (_, stderr, code) = run_with(BIN, &["compress", "-c", "none"], &mixed).unwrap();
    assert_eq!(code, 2);
    assert!(
        stderr.starts_with("error: <stdin>: frame 0: this is not the frame"),
        "{stderr}"
    );
}
