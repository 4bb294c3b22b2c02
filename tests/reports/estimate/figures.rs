//! Bytes and seconds: published figures, and those of files that are really written.

use std::fmt::Write as _;
use std::process::Command;

use super::{BIN, cell, fixture, json};
use crate::command::words;

#[test]
fn published_figures_are_reproduced_exactly() {
    for (rows, figures, gzip) in [
        (
            "2000",
            [
                ("v1", "none", None, 92_263, "0.037381"),
                ("json", "none", None, 254_001, "0.050320"),
                ("v1", "zstd", Some(3), 8_123, "0.030650"),
                ("v1-plain", "none", None, 132_220, "0.040578"),
                ("v1-plain", "zstd", Some(3), 27_390, "0.032191"),
            ],
            10_769.0,
        ),
        (
            "100000",
            [
                ("v1", "none", None, 4_600_263, "0.398021"),
                ("json", "none", None, 12_700_001, "1.046000"),
                ("v1", "zstd", Some(3), 292_668, "0.053413"),
                ("v1-plain", "none", None, 6_600_220, "0.558018"),
                ("v1-plain", "zstd", Some(3), 1_113_428, "0.119074"),
            ],
            457_652.0,
        ),
    ] {
        let found = json(&words(&format!(
            "--rows {rows} --rtt-ms 30 --mbit 100 --runs 1 --payloads v1,v1-plain,json --codecs none,zstd:3,gzip"
        )));
        for (payload, codec, level, bytes, transfer) in figures {
            let cell = cell(&found, payload, codec, level);
            assert_eq!(cell["bytes"], bytes, "{payload} {codec}");
            let seconds = cell["transfer_s"].as_f64().unwrap();
            assert_eq!(format!("{seconds:.6}"), transfer, "{payload} {codec}");
            assert_eq!(cell["extrapolated"], false);
        }
        // The published size is by another gzip library, so the bytes differ slightly.
        let ours = cell(&found, "v1", "gzip", Some(6))["bytes"]
            .as_f64()
            .unwrap();
        assert!(
            (ours / gzip - 1.0).abs() < 0.05,
            "gzip: {ours}, published {gzip}"
        );
    }
}

#[test]
fn json_has_the_documented_keys_and_they_agree() {
    let found = json(&["--rows", "100", "--link", "4g", "--codecs", "none,lz4"]);
    assert_eq!(found["rows"], 100);
    assert_eq!(
        (&found["rtt_ms"], &found["mbit"]),
        (&50.0.into(), &30.0.into())
    );
    assert_eq!(
        (&found["model"], &found["link"]),
        (&"basic".into(), &"4g".into())
    );
    let cells = found["payloads"].as_array().unwrap();
    // Ten payloads, since there is no source; four of them have their own codec, and Arrow has none.
    assert_eq!(cells.len(), 5 * 2 + 1 + 4);
    for cell in cells {
        let number = |key: &str| cell[key].as_f64().unwrap();
        let bytes = cell["bytes"].as_u64().unwrap() as f64;
        assert!((number("transfer_s") - (0.05 + bytes * 8.0 / 30e6)).abs() < 1e-9);
        let sum = number("encode_s") + number("transfer_s") + number("decode_s");
        assert!((number("total_s") - sum).abs() < 1e-12);
        let slowest = number("encode_s")
            .max(bytes * 8.0 / 30e6)
            .max(number("decode_s"));
        assert!((number("overlapped_s") - 0.05 - slowest).abs() < 1e-9);
        assert!(
            number("encode_s") > 0.0 && number("decode_s") > 0.0,
            "{cell}"
        );
    }
    let totals = cells.iter().map(|cell| cell["total_s"].as_f64().unwrap());
    let least = totals.fold(f64::INFINITY, f64::min);
    let best = found["best"].as_str().unwrap();
    let named = |cell: &&serde_json::Value| {
        let codec = cell["codec"].as_str().unwrap();
        let payload = cell["payload"].as_str().unwrap();
        best == payload || best == format!("{payload} {codec}")
    };
    // The best choice is the smallest of those that are within noise of the fastest one.
    let chosen = cells.iter().find(named).unwrap();
    let work = |cell: &serde_json::Value| {
        let seconds = |key: &str| cell[key].as_f64().unwrap();
        (seconds("encode_s") + seconds("decode_s")) * seconds("noise")
    };
    let fastest = cells.iter().find(|cell| cell["total_s"] == least).unwrap();
    let apart = chosen["total_s"].as_f64().unwrap() - least;
    assert!(apart <= work(chosen).hypot(work(fastest)), "{best}");
    let equal = found["equal"].as_array().unwrap();
    assert!(!equal.contains(&best.into()));
    assert!(chosen["bytes"].as_u64() <= fastest["bytes"].as_u64());
    // Ranges of bandwidths are adjacent, and the one that contains this link names the best.
    let ranges = found["crossovers"].as_array().unwrap();
    for pair in ranges.windows(2) {
        assert_eq!(pair[0]["to_mbit"], pair[1]["from_mbit"]);
    }
    let holds = |range: &&serde_json::Value| range["to_mbit"].as_f64().unwrap() >= 30.0;
    let least = &ranges.iter().find(holds).unwrap()["best"];
    assert!(least == best || equal.contains(least));
}

#[test]
fn tcp_transfers_include_the_handshake() {
    let tcp = |more: &[&str]| {
        let link = "--rows 10 --payloads json --codecs none --runs 1 --rtt-ms 100 --mbit 120";
        let args: Vec<&str> = link.split(' ').chain(["--model", "tcp"]).collect();
        let found = json(&[&args, more].concat());
        assert_eq!(found["model"], "tcp");
        cell(&found, "json", "none", None)["transfer_s"]
            .as_f64()
            .unwrap()
    };
    // 1,271 bytes at 14,600,000 per second after 2, 3 and 4 round trips.
    for (more, wanted) in [
        (&[][..], 0.200_087),
        (&["--tls"], 0.300_087),
        (&["--tls=2"], 0.400_087),
        // At 1460 / 0.1 * sqrt(1.5 / 0.015) = 146,000 per second.
        (&["--loss", "0.015"], 0.208_705),
    ] {
        assert!((tcp(more) - wanted).abs() < 1e-6, "{more:?}");
    }
}

#[test]
fn bytes_equal_those_of_files_written_by_convert() {
    let dir = tempfile::tempdir().unwrap();
    for source in ["bars.csv", "bars.json"] {
        let source = fixture(source);
        let found = json(&[&source, "--codecs", "none,zstd:3", "--runs", "1"]);
        let text = std::fs::metadata(&source).unwrap().len();
        assert_eq!(cell(&found, "source", "none", None)["bytes"], text);
        assert_eq!(found["text_bytes"], text);
        for (payload, codec, level, options) in [
            ("json", "none", None, "--to json"),
            ("ndjson", "none", None, "--to ndjson"),
            ("csv", "none", None, "--to csv"),
            ("arrow", "none", None, "--to arrow"),
            (
                "v1-plain",
                "none",
                None,
                "--to mbt --wire 1 --encodings plain",
            ),
            ("v1", "none", None, "--to mbt --wire 1"),
            (
                "v1",
                "zstd",
                Some(3),
                "--to mbt --wire 1 -c zstd --checksum=off",
            ),
            ("v2-fast", "own", None, "--to mbt --exact off --preset fast"),
            ("v2-balanced", "own", None, "--to mbt --exact off"),
            (
                "v2-small",
                "own",
                None,
                "--to mbt --exact off --preset small",
            ),
        ] {
            let out = dir.path().join("out");
            let mut convert = Command::new(BIN);
            convert.arg("convert").arg(&source).args(options.split(' '));
            // Without a name, so that Arrow is a stream.
            assert!(
                convert
                    .arg("--force")
                    .arg("-o")
                    .arg(&out)
                    .status()
                    .unwrap()
                    .success()
            );
            let bytes = std::fs::metadata(&out).unwrap().len();
            assert_eq!(
                cell(&found, payload, codec, level)["bytes"],
                bytes,
                "{options}"
            );
        }
    }
}

/// About two megabytes of rows that neither repeat nor are noise.
fn prices(rows: u64) -> String {
    let mut text = String::from("at,name,price,size\n");
    let mut state = 7_u64;
    let mut price = 100_000_i64;
    for row in 0..rows {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        price += (state >> 60) as i64 - 7;
        let (name, size) = ((state >> 40) % 300, (state >> 33) % 50);
        let (whole, cents) = (price / 100, price % 100);
        let _ = writeln!(
            text,
            "{},N{name},{whole}.{cents:02},{size}",
            1_700_000_000 + row * 7
        );
    }
    text
}

#[test]
fn extrapolated_bytes_are_marked_and_close_to_the_truth() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("prices.csv");
    std::fs::write(&path, prices(80_000)).unwrap();
    let path = path.to_str().unwrap();
    let args = format!("{path} --codecs none,zstd:19 --payloads source,csv --runs 1");
    let args = words(&args);
    let sampled = json(&args);
    let exact = json(&[&args[..], &["--whole"]].concat());
    for payload in ["source", "csv"] {
        let plain = cell(&sampled, payload, "none", None);
        assert_eq!(plain["extrapolated"], false);
        assert_eq!(plain["bytes"], std::fs::metadata(path).unwrap().len());
        let whole = cell(&exact, payload, "zstd", Some(19));
        assert_eq!(
            (&whole["extrapolated"], whole["error"].is_null()),
            (&false.into(), true)
        );
        let part = cell(&sampled, payload, "zstd", Some(19));
        assert_eq!(part["extrapolated"], true);
        let (part_bytes, error) = (part["bytes"].as_f64(), part["error"].as_f64().unwrap());
        let off = part_bytes.unwrap() / whole["bytes"].as_f64().unwrap() - 1.0;
        assert!(
            off.abs() < 0.1 && off.abs() <= error && error < 0.2,
            "off {off}, told {error}"
        );
    }
}

#[test]
fn sizes_of_sampled_files_are_within_the_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("prices.csv");
    std::fs::write(&path, prices(200_000)).unwrap();
    let path = path.to_str().unwrap();
    let args = [path, "--payloads", "ndjson,csv,arrow,v1,v2-fast"];
    let args = [
        &args[..],
        &["--codecs", "none,lz4,zstd:1,zstd:3", "--runs", "1"],
    ]
    .concat();
    let sampled = json(&args);
    assert_eq!(sampled["rows"], 200_000);
    let exact = json(&[&args[..], &["--whole"]].concat());
    let (sampled, exact) = (&sampled["payloads"], &exact["payloads"]);
    let pairs = sampled
        .as_array()
        .unwrap()
        .iter()
        .zip(exact.as_array().unwrap());
    for (part, whole) in pairs {
        let is_columns = part["payload"] == "arrow" || part["payload"] == "v1";
        // Columns are written as a whole, and a payload with its own codec is sampled only above 12 MiB.
        if is_columns && part["level"] != 3 || part["payload"] == "v2-fast" {
            assert_eq!(part["bytes"], whole["bytes"], "{part}");
            continue;
        }
        assert_eq!(
            (&part["extrapolated"], &whole["extrapolated"]),
            (&true.into(), &false.into())
        );
        let off = part["bytes"].as_f64().unwrap() / whole["bytes"].as_f64().unwrap() - 1.0;
        assert!(
            off.abs() <= part["error"].as_f64().unwrap(),
            "off {off}: {part}"
        );
        assert!(off.abs() < 0.1, "off {off}: {part}");
    }
}

#[test]
fn types_are_given_as_in_a_conversion() {
    let bars = fixture("bars.csv");
    let bytes = |options: &[&str]| {
        let args = format!("{bars} --payloads v1-plain --codecs none --runs 1");
        let args = words(&args);
        let found = json(&[&args[..], options].concat());
        cell(&found, "v1-plain", "none", None)["bytes"]
            .as_u64()
            .unwrap()
    };
    let dir = tempfile::tempdir().unwrap();
    for options in [&[][..], &["--infer", "none"], &["--schema", "close:utf8"]] {
        let out = dir.path().join("out.mbt");
        let mut convert = Command::new(BIN);
        convert.args(words(&format!(
            "convert {bars} --wire 1 --encodings plain --force"
        )));
        let status = convert.args(options).arg("-o").arg(&out).status().unwrap();
        assert!(status.success());
        assert_eq!(
            bytes(options),
            std::fs::metadata(&out).unwrap().len(),
            "{options:?}"
        );
    }
}

#[test]
fn a_directory_totals_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let deeper = dir.path().join("deeper");
    std::fs::create_dir(&deeper).unwrap();
    std::fs::copy(fixture("bars.csv"), dir.path().join("a.csv")).unwrap();
    std::fs::copy(fixture("bars.json"), deeper.join("b.json")).unwrap();
    std::fs::write(dir.path().join("notes.txt"), "not data").unwrap();
    let args = |path: &str| json(&[path, "--codecs", "none,gzip", "--runs", "1"]);
    let all = args(dir.path().to_str().unwrap());
    let (a, b) = (args(&fixture("bars.csv")), args(&fixture("bars.json")));
    assert_eq!(all["files"].as_array().unwrap().len(), 2);
    let rows = |found: &serde_json::Value| found["rows"].as_u64().unwrap();
    assert_eq!(rows(&all), rows(&a) + rows(&b));
    for (payload, codec, level) in [
        ("source", "none", None),
        ("v1", "gzip", Some(6)),
        ("v2-balanced", "own", None),
    ] {
        let bytes = |found| {
            cell(found, payload, codec, level)["bytes"]
                .as_u64()
                .unwrap()
        };
        assert_eq!(bytes(&all), bytes(&a) + bytes(&b), "{payload}");
        // One connection, so one round trip.
        let transfer = cell(&all, payload, codec, level)["transfer_s"]
            .as_f64()
            .unwrap();
        assert!((transfer - (0.03 + bytes(&all) as f64 * 8.0 / 1e8)).abs() < 1e-9);
    }
}

#[test]
fn brotli_is_a_codec() {
    let bars = fixture("bars.csv");
    let codecs = ["--codecs", "none,gzip:9,brotli,brotli:11"];
    let found = json(
        &[
            &[&bars[..], "--payloads", "source,v1", "--runs", "1"],
            &codecs[..],
        ]
        .concat(),
    );
    for payload in ["source", "v1"] {
        let bytes = |codec, level| {
            cell(&found, payload, codec, level)["bytes"]
                .as_u64()
                .unwrap()
        };
        assert!(bytes("brotli", Some(11)) < bytes("gzip", Some(9)));
        assert!(bytes("brotli", Some(5)) < bytes("none", None));
    }
}

#[test]
fn columns_of_a_sampled_file_are_written_as_a_whole() {
    // Most times occur twice, far apart, so a sample has a larger dictionary for its rows.
    let mut text = "time,name,value\n".to_owned();
    for row in 0..90_000_u64 {
        let second = row * 7919 % 45_000;
        let _ = writeln!(
            text,
            "at {second:06} o'clock,n{},{}.5",
            row % 7,
            row.wrapping_mul(0x9e37_79b9) % 1000
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, &text).unwrap();
    let path = path.to_str().unwrap();
    let columns = words("--payloads arrow,v1-plain,v1 --codecs none,lz4,zstd:1 --runs 1");
    let run = |more: &[&str]| json(&[&[path], &columns[..], more].concat());
    let (found, exact) = (run(&[]), run(&["--whole"]));
    for payload in ["arrow", "v1-plain", "v1"] {
        for (codec, level) in [("none", None), ("lz4", None), ("zstd", Some(1))] {
            let is_written = payload != "arrow" || codec == "none";
            let cells = found["payloads"].as_array().unwrap().iter();
            let mut of_payload = cells.filter(|cell| cell["payload"] == payload);
            assert_eq!(of_payload.any(|cell| cell["codec"] == codec), is_written);
            if !is_written {
                continue;
            }
            let (one, all) = (
                cell(&found, payload, codec, level),
                cell(&exact, payload, codec, level),
            );
            assert_eq!(one["bytes"], all["bytes"], "{payload} {codec}");
            assert_eq!(one["extrapolated"], false);
        }
    }
    let text = json(&words(&format!(
        "{path} --payloads csv --codecs zstd:9 --runs 1"
    )));
    assert_eq!(
        cell(&text, "csv", "zstd", Some(9))["extrapolated"],
        true,
        "the file is sampled"
    );
}
