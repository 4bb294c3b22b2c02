//! Compressed text in and out, against the codecs' own tools.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::command::{BIN, run_with, words};
use crate::skip::skip;

const EXTENSIONS: [(&str, &str); 3] = [("gz", "gzip"), ("zst", "zstd"), ("lz4", "lz4")];

fn mbt(dir: &Path, args: &[&str]) -> (Vec<u8>, String, i32) {
    let dir = dir.to_str().unwrap();
    let args: Vec<String> = args.iter().map(|arg| arg.replace("DIR", dir)).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    run_with(BIN, &args, b"").unwrap()
}

/// Records with long fields, so that the text takes many pieces.
fn text() -> String {
    let mut text = String::from("id,text\n");
    for row in 0..60_000_u64 {
        let word = row.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        writeln!(text, "{row},{word:x}").unwrap();
    }
    text
}

#[test]
fn the_tools_read_compressed_text_and_so_does_mbt() {
    let dir = tempfile::tempdir().unwrap();
    let text = text();
    fs::write(dir.path().join("a.csv"), &text).unwrap();
    for (extension, tool) in EXTENSIONS {
        let output = format!("DIR/b.csv.{extension}");
        let (_, said, code) = mbt(dir.path(), &["convert", "DIR/a.csv", "-o", &output]);
        assert_eq!((code, &said[..]), (0, ""), "{output}");
        let packed = fs::read(dir.path().join(format!("b.csv.{extension}"))).unwrap();
        assert!(packed.len() < text.len(), "{output}");
        match run_with(tool, &["-d", "-c"], &packed) {
            Some((plain, said, code)) => {
                assert_eq!(code, 0, "{tool}: {said}");
                assert!(plain == text.as_bytes(), "{tool}");
            }
            None => skip(&format!("{tool} is not installed, so it has read nothing")),
        }
        // The format follows from the name without the codec, and from the content.
        for input in [&output[..], "DIR/unnamed"] {
            fs::write(dir.path().join("unnamed"), &packed).unwrap();
            let (plain, said, code) = mbt(dir.path(), &["convert", input, "--to", "csv"]);
            assert_eq!(code, 0, "{said}");
            assert!(plain == text.as_bytes(), "{input}");
        }
        // Two of them in a row are read as the tools read them.
        fs::write(dir.path().join("twice"), [&packed[..], &packed].concat()).unwrap();
        let twice = format!("{text}{text}");
        let (plain, said, _) = mbt(dir.path(), &["convert", "DIR/twice", "--to", "csv"]);
        assert!(plain == twice.as_bytes(), "{extension}: {said}");
    }
}

#[test]
fn skippable_frames_before_and_between_compressed_text_are_no_text() {
    let dir = tempfile::tempdir().unwrap();
    let text = text();
    fs::write(dir.path().join("a.csv"), &text).unwrap();
    // pzstd writes such a frame with a payload of 4 bytes before each part; the other is longer than what is examined
    // to recognize a format.
    let short = [
        &0x184d_2a50_u32.to_le_bytes(),
        &4_u32.to_le_bytes(),
        &[7; 4][..],
    ]
    .concat();
    let long = [
        &0x184d_2a5f_u32.to_le_bytes(),
        &9999_u32.to_le_bytes(),
        &[7; 9999][..],
    ]
    .concat();
    for extension in ["zst", "lz4"] {
        let packed = dir.path().join(format!("b.csv.{extension}"));
        let output = format!("DIR/b.csv.{extension}");
        let (_, said, code) = mbt(dir.path(), &["convert", "DIR/a.csv", "-o", &output]);
        assert_eq!(code, 0, "{said}");
        let packed = fs::read(packed).unwrap();
        for skippable in [&short, &long] {
            let all =
                [skippable, skippable, &packed, skippable, &packed, skippable].map(|it| &it[..]);
            for (name, options) in [
                (&format!("c.csv.{extension}")[..], &[][..]),
                ("unnamed", &[]),
                ("other", &["--from", "csv"]),
            ] {
                fs::write(dir.path().join(name), all.concat()).unwrap();
                let input = format!("DIR/{name}");
                let args = [&["convert", &input, "--to", "csv"], options].concat();
                let (plain, said, _) = mbt(dir.path(), &args);
                assert!(
                    plain == format!("{text}{text}").as_bytes(),
                    "{name}: {said}"
                );
                // Cut within a skippable frame.
                let cut = skippable.len() - 3;
                fs::write(
                    dir.path().join(name),
                    [&packed[..], &skippable[..cut]].concat(),
                )
                .unwrap();
                let (_, said, code) = mbt(dir.path(), &args);
                assert!(code == 2 && said.contains("cut short"), "{name}: {said}");
            }
        }
    }
}

#[test]
fn cut_text_is_an_error_and_leaves_no_output() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), text()).unwrap();
    for (extension, _) in EXTENSIONS {
        let name = format!("DIR/b.ndjson.{extension}");
        let (_, said, code) = mbt(dir.path(), &["convert", "DIR/a.csv", "-o", &name]);
        assert_eq!(code, 0, "{said}");
        let path = dir.path().join(format!("b.ndjson.{extension}"));
        let packed = fs::read(&path).unwrap();
        fs::write(&path, &packed[..packed.len() / 2]).unwrap();
        let output = format!("DIR/c.csv.{extension}");
        let (_, said, code) = mbt(dir.path(), &["convert", &name, "-o", &output]);
        assert_eq!(code, 2, "{extension}: {said}");
        let left = fs::read_dir(dir.path()).unwrap();
        let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(
            left.filter(|name| name.starts_with("c.") || name.starts_with(".mbt"))
                .count()
                == 0
        );
    }
}

/// In lz4, a cut between two blocks leaves only whole blocks.
#[test]
fn text_cut_anywhere_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), "a,b\n1,x\n2,y\n").unwrap();
    for (extension, _) in EXTENSIONS {
        let path = dir.path().join(format!("b.csv.{extension}"));
        let name = format!("DIR/b.csv.{extension}");
        let (_, said, code) = mbt(dir.path(), &["convert", "DIR/a.csv", "-o", &name]);
        assert_eq!(code, 0, "{said}");
        let packed = fs::read(&path).unwrap();
        // Fewer bytes are not recognized as those of a codec.
        for len in 4..packed.len() {
            fs::write(&path, &packed[..len]).unwrap();
            let (_, said, code) = mbt(dir.path(), &["convert", &name, "--to", "ndjson"]);
            assert_eq!(code, 2, "{extension} cut at {len}: {said}");
            assert!(
                said.contains("cut short"),
                "{extension} cut at {len}: {said}"
            );
        }
    }
}

#[test]
fn bytes_after_compressed_text_are_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    for (extension, packed) in compressed_empty_text() {
        let path = dir.path().join(format!("a.csv.{extension}"));
        fs::write(&path, [&packed[..], b"something else"].concat()).unwrap();
        let input = format!("DIR/a.csv.{extension}");
        let (_, said, code) = mbt(dir.path(), &["convert", &input, "--to", "ndjson"]);
        assert_eq!(code, 2, "{extension}: {said}");
        assert!(said.contains("follows"), "{extension}: {said}");
    }
}

/// Compressed empty text, as the codecs' tools write it.
fn compressed_empty_text() -> [(&'static str, Vec<u8>); 3] {
    let gzip = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    let zstd = [
        0x28, 0xb5, 0x2f, 0xfd, 0x24, 0, 1, 0, 0, 0x99, 0xe9, 0xd8, 0x51,
    ];
    let lz4 = [
        4, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0, 0, 0, 0, 5, 0x5d, 0xcc, 2,
    ];
    [
        ("gz", gzip.to_vec()),
        ("zst", zstd.to_vec()),
        ("lz4", lz4.to_vec()),
    ]
}

#[test]
fn compressed_empty_text_is_empty_text() {
    let dir = tempfile::tempdir().unwrap();
    for format in ["csv", "ndjson"] {
        fs::write(dir.path().join(format!("a.{format}")), "").unwrap();
        for (extension, packed) in compressed_empty_text() {
            let input = format!("a.{format}.{extension}");
            fs::write(dir.path().join(&input), &packed).unwrap();
            for to in ["csv", "ndjson", "arrow", "mbt"] {
                let of = |input: &str| {
                    let input = format!("DIR/{input}");
                    let done = mbt(dir.path(), &["convert", &input, "--to", to]);
                    assert_eq!(done.2, 0, "{input} to {to}: {}", done.1);
                    done.0
                };
                let plain = of(&format!("a.{format}"));
                assert_eq!(of(&input), plain, "{input} to {to}");
            }
        }
    }
    for (extension, packed) in compressed_empty_text() {
        fs::write(dir.path().join("unnamed"), &packed).unwrap();
        for to in ["csv", "mbt"] {
            let (out, said, code) = mbt(dir.path(), &["convert", "DIR/unnamed", "--to", to]);
            assert_eq!((out.len(), code), (0, 2), "{extension} to {to}");
            let what = "the input is empty, so its format cannot be detected";
            assert!(said.contains(what), "{extension} to {to}: {said}");
            let from_stdin = run_with(BIN, &["convert", "--to", to], &packed[..]);
            assert_eq!(from_stdin.unwrap().2, 2, "{extension} to {to}");
        }
    }
}

/// Compressed frames are copied without decoding, but anything else between or after them is refused.
#[test]
fn copies_of_frames_contain_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), "a,b\n1,x\n").unwrap();
    for (extension, empty) in compressed_empty_text() {
        let output = format!("DIR/text.csv.{extension}");
        let (_, said, code) = mbt(dir.path(), &["convert", "DIR/a.csv", "-o", &output]);
        assert_eq!(code, 0, "{said}");
        let text = fs::read(dir.path().join(format!("text.csv.{extension}"))).unwrap();
        let output = format!("DIR/a.mbt.{extension}");
        let into_frames = ["convert", "DIR/a.csv", "--wire", "1", "-o", &output];
        let (_, said, code) = mbt(dir.path(), &into_frames);
        assert_eq!(code, 0, "{said}");
        let frames = fs::read(dir.path().join(format!("a.mbt.{extension}"))).unwrap();
        let copied = |bytes: &[u8]| {
            fs::write(dir.path().join("b.mbt"), bytes).unwrap();
            mbt(dir.path(), &["convert", "DIR/b.mbt", "--to", "mbt"])
        };
        let twice = [&frames[..], &frames].concat();
        assert_eq!(copied(&twice).0, twice, "{extension}");
        for other in [empty, text] {
            let (_, said, code) = copied(&other);
            assert_eq!(code, 2, "{extension}: {said}");
            let (_, said, code) = copied(&[&frames[..], &other].concat());
            assert_eq!(code, 2, "{extension}: {said}");
            assert!(said.contains("frame 1"), "{extension}: {said}");
        }
    }
}

#[test]
fn a_codec_other_than_that_of_the_extension_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), "a\n1\n").unwrap();
    let into_frames = ["convert", "DIR/a.csv", "--wire", "1", "-o", "DIR/a.mbt"];
    let (_, said, code) = mbt(dir.path(), &into_frames);
    assert_eq!(code, 0, "{said}");
    for (extension, of_extension) in EXTENSIONS {
        for codec in ["gzip", "zstd", "lz4"] {
            let frames = format!("DIR/{codec}.mbt.{extension}");
            let text = format!("DIR/{codec}.csv.{extension}");
            for args in [
                ["compress", "DIR/a.mbt", "-c", codec, "-o", &frames],
                ["convert", "DIR/a.csv", "-c", codec, "-o", &text],
            ] {
                let (_, said, code) = mbt(dir.path(), &args);
                if codec == of_extension {
                    assert_eq!(code, 0, "{args:?}: {said}");
                    continue;
                }
                assert_eq!(code, 2, "{args:?}: {said}");
                assert!(
                    said.contains(codec) && said.contains(of_extension),
                    "{said}"
                );
                let output = args[5].trim_start_matches("DIR/");
                assert!(!dir.path().join(output).exists(), "{args:?}");
            }
        }
    }
}

#[test]
fn zstd_text_has_a_checksum_unless_it_is_off() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.csv"), text()).unwrap();
    let to = words("convert DIR/a.csv --to csv -c zstd --force");
    let (on, ..) = mbt(dir.path(), &to);
    let (off, ..) = mbt(dir.path(), &[&to[..], &["--checksum=off"]].concat());
    let (high, ..) = mbt(dir.path(), &[&to[..], &["-l", "12"]].concat());
    assert_eq!(on.len(), off.len() + 4);
    assert_ne!(high, on);
}

/// zstd chooses its parameters by the size of a short text, so that it must know the size, as `zstd FILE` does.
#[test]
fn short_text_is_compressed_as_zstd_compresses_a_file() {
    let dir = tempfile::tempdir().unwrap();
    for rows in [0, 1, 200, 11_000] {
        let text = text()
            .split_inclusive('\n')
            .take(rows + 1)
            .collect::<String>();
        assert!(text.len() <= 256 << 10);
        fs::write(dir.path().join("a.csv"), &text).unwrap();
        for level in [1, 3, 19] {
            let level_text = level.to_string();
            let convert = [
                "convert",
                "DIR/a.csv",
                "--to",
                "csv",
                "-c",
                "zstd",
                "-l",
                &level_text,
            ];
            let mut found = Vec::new();
            for threads in ["1", "4"] {
                let more = ["--checksum=off", "--threads", threads];
                let (packed, said, code) = mbt(dir.path(), &[&convert[..], &more].concat());
                assert_eq!(code, 0, "{said}");
                found.push(packed);
            }
            let expected = zstd::bulk::compress(text.as_bytes(), level).unwrap();
            assert!(
                found == [&expected[..], &expected],
                "{rows} rows, level {level}"
            );
            let codec = format!("zstd:{level}");
            let estimate = [
                "estimate",
                "DIR/a.csv",
                "--json",
                "--payloads",
                "csv",
                "--codecs",
                &codec,
            ];
            let (report, said, code) = mbt(dir.path(), &estimate);
            assert_eq!(code, 0, "{said}");
            let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
            let estimate = &report["payloads"][0];
            // Slow levels are measured on a part of long texts.
            let is_measured = estimate["extrapolated"] == false;
            assert!(is_measured || rows == 11_000, "{report}");
            assert!(
                !is_measured || estimate["bytes"] == expected.len(),
                "{report}"
            );
        }
    }
}

/// A frame that is written before the length of its text is known lacks that length, 8 bytes.
#[test]
fn text_takes_as_many_bytes_with_lz4_as_estimate_says() {
    let dir = tempfile::tempdir().unwrap();
    for rows in [0, 1, 11_000, 400_000_u64] {
        let mut text = "a,b\n".to_owned();
        for row in 0..rows {
            let _ = writeln!(text, "{},{}", row % 977, row * row % 100_003);
        }
        fs::write(dir.path().join("a.csv"), &text).unwrap();
        let (packed, said, code) = mbt(dir.path(), &words("convert DIR/a.csv --to csv -c lz4"));
        assert_eq!(code, 0, "{said}");
        let mut restored = Vec::new();
        let mut decoder = lz4_flex::frame::FrameDecoder::new(&packed[..]);
        decoder.read_to_end(&mut restored).unwrap();
        assert!(restored == text.as_bytes(), "{rows} rows");
        let estimate = "estimate DIR/a.csv --json --whole --payloads csv --codecs lz4";
        let (report, said, code) = mbt(dir.path(), &words(estimate));
        assert_eq!(code, 0, "{said}");
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        let states_len = text.len() <= 256 << 10;
        let expected = packed.len() + if states_len { 0 } else { 8 };
        assert_eq!(report["payloads"][0]["bytes"], expected, "{rows} rows");
    }
}

/// Frames of version 2 that a codec's tool has compressed are still read as such frames, whatever the request.
#[test]
fn wrapped_frames_keep_their_version_and_text() {
    let dir = tempfile::tempdir().unwrap();
    let text = "{\"d\":\"2024-01-31\",\"n\":1.50}\n{\"e\":1}\n";
    fs::write(dir.path().join("a.ndjson"), text).unwrap();
    let into_frames = words("convert DIR/a.ndjson --to mbt --frame-rows 1");
    let (frames, ..) = mbt(dir.path(), &into_frames);
    for (extension, tool) in EXTENSIONS {
        let Some((packed, ..)) = run_with(tool, &["-c"], &frames) else {
            skip(&format!(
                "{tool} is not installed, so it has wrapped nothing"
            ));
            continue;
        };
        for name in [format!("a.mbt.{extension}"), "unnamed".to_owned()] {
            fs::write(dir.path().join(&name), &packed).unwrap();
            let input = format!("DIR/{name}");
            let convert = |options: &[&str]| {
                let (out, said, code) = mbt(dir.path(), &[&["convert", &input], options].concat());
                assert_eq!(code, 0, "{name} {options:?}: {said}");
                out
            };
            assert_eq!(convert(&[]), text.as_bytes(), "{name}");
            assert!(convert(&["--to", "mbt"]) == frames, "{name}");
            // A pattern sees the columns of later frames.
            assert_eq!(convert(&["--columns", "*"]), text.as_bytes(), "{name}");
            convert(&["--where", "true", "-o", "DIR/b.mbt", "--force"]);
            let (back, ..) = mbt(dir.path(), &["convert", "DIR/b.mbt"]);
            assert_eq!(back, text.as_bytes(), "{name}");
        }
    }
}
