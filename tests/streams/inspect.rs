//! The reports of `mbt inspect`, mostly on wire 2, compared with a naive look at the original text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mbt::stream::{FrameReader, Item, Wanted};
use serde_json::Value;

use crate::command::{BIN, mbt, run_with, stdout_of, words};

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_slice(&stdout_of(folder, arguments)).unwrap()
}

/// Rows with structs, lists of structs, maps, nulls, absent keys and a path of two types.
fn rows() -> String {
    let mut text = String::new();
    for row in 0..500_i64 {
        let name = [
            "ada",
            "bob",
            "çelik",
            "a very long name, longer than a prefix",
        ][row as usize % 4];
        let _ = write!(
            text,
            r#"{{"id":{},"user":{{"name":"{name}","score":{}.5}}"#,
            row * 7 - 50,
            row % 13
        );
        let items: Vec<_> = (0..row % 4)
            .map(|item| format!(r#"{{"n":{},"t":"x{}"}}"#, row * item, item))
            .collect();
        let _ = write!(text, r#","items":[{}]"#, items.join(","));
        if row % 3 == 0 {
            text.push_str(r#","opt":null"#);
        } else {
            let _ = write!(text, r#","opt":{}"#, row % 2 == 0);
        }
        let _ = writeln!(text, r#","at":"2024-01-{:02} 00:00:00"}}"#, row % 28 + 1);
    }
    text
}

/// Values of every leaf: by path, in order; and nulls.
fn leaves(value: &Value, path: &str, found: &mut BTreeMap<String, Vec<Value>>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                leaves(value, &format!("{path}{dot}{name}"), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                leaves(item, &format!("{path}[]"), found);
            }
        }
        leaf => found.entry(path.to_owned()).or_default().push(leaf.clone()),
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.ndjson"), rows()).unwrap();
    for (out, options) in [
        ("one.mbt", &[][..]),
        ("many.mbt", &["--frame-rows", "64"]),
        ("lz4.mbt", &["--preset", "fast"]),
        ("small.mbt", &["--preset", "small", "--frame-rows", "300"]),
    ] {
        let arguments = [&["convert", "a.ndjson", "-o", out][..], options].concat();
        stdout_of(folder.path(), &arguments);
    }
    folder
}

#[test]
fn bytes_of_all_lines_add_up_to_the_file() {
    let folder = folder();
    for name in ["one.mbt", "many.mbt", "lz4.mbt", "small.mbt"] {
        let report = json(folder.path(), &["inspect", "--json", name]);
        let file = &report["files"][0];
        let number = |key: &str| file[key].as_u64().unwrap();
        let columns = file["columns"].as_array().unwrap();
        let stored = |column: &Value| column["stored_bytes"].as_u64().unwrap();
        let sum: u64 = columns.iter().map(stored).sum();
        let len = fs::metadata(folder.path().join(name)).unwrap().len();
        assert_eq!(sum + number("header_bytes") + number("index_bytes"), len);
        assert_eq!((number("unused_bytes"), number("trailing_bytes")), (0, 0));
        let plain = |column: &Value| column["plain_bytes"].as_u64().unwrap();
        let sum: u64 = columns.iter().map(plain).sum();
        assert_eq!(sum + number("plain_header_bytes"), number("plain_bytes"));
        assert_eq!(number("bytes"), len);
    }
}

#[test]
fn tables_of_both_wires_are_sorted_and_add_up_to_the_file() {
    let folder = folder();
    let convert = [
        "convert", "a.ndjson", "--wire", "1", "--index", "-o", "v1.mbt",
    ];
    stdout_of(folder.path(), &convert);
    for name in ["one.mbt", "v1.mbt"] {
        let arguments = ["inspect", "--sort", "bytes", "--top", "2", name];
        let text = String::from_utf8(stdout_of(folder.path(), &arguments)).unwrap();
        // The bytes are before the share.
        let bytes = text.lines().filter_map(|line| {
            let (before, _) = line.split_once(" %")?;
            let bytes = before.split_whitespace().rev().nth(1)?;
            bytes.replace(',', "").parse::<u64>().ok()
        });
        let bytes: Vec<u64> = bytes.collect();
        let len = fs::metadata(folder.path().join(name)).unwrap().len();
        assert_eq!(bytes.iter().sum::<u64>(), len, "{text}");
        assert!(
            bytes[0] >= bytes[1] && text.contains("\n(3 more)"),
            "{text}"
        );
    }
}

#[test]
fn every_leaf_is_told_with_its_rows_nulls_and_extremes() {
    let folder = folder();
    let mut found = BTreeMap::new();
    for line in rows().lines() {
        leaves(&serde_json::from_str(line).unwrap(), "", &mut found);
    }
    for name in ["one.mbt", "many.mbt"] {
        let report = json(folder.path(), &["inspect", "--json", name]);
        let columns = report["files"][0]["columns"].as_array().unwrap();
        let told: Vec<_> = columns
            .iter()
            .filter(|column| column["is_leaf"] == true)
            .map(|column| column["name"].as_str().unwrap())
            .collect();
        let order = [
            "id",
            "user.name",
            "user.score",
            "items[].n",
            "items[].t",
            "opt",
            "at",
        ];
        assert_eq!(told, order);
        for column in columns.iter().filter(|column| column["is_leaf"] == true) {
            let values = &found[column["name"].as_str().unwrap()];
            let nulls = values.iter().filter(|value| value.is_null()).count();
            assert_eq!(column["rows"], values.len());
            assert_eq!(column["nulls"], nulls);
            // Rows cannot be selected by the contents of lists, so these have no statistics.
            if column["name"].as_str().unwrap().contains("[]") {
                assert_eq!(
                    (&column["min"], &column["max"]),
                    (&Value::Null, &Value::Null)
                );
                continue;
            }
            let mut valid: Vec<_> = values.iter().filter(|value| !value.is_null()).collect();
            valid.sort_by(|a, b| match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => a.to_string().cmp(&b.to_string()),
            });
            let text = |value: &Value| match value {
                // Statistics of text have 16 bytes.
                Value::String(text) if text.starts_with("çelik") => "çelik".to_owned(),
                Value::String(text) if text.starts_with("a very") => text[..16].to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(column["min"], text(valid[0]), "{column}");
            assert_eq!(column["max"], text(valid[valid.len() - 1]), "{column}");
        }
        let at = columns.last().unwrap();
        assert_eq!(at["type"], "timestamp(s)");
        assert_eq!(at["forms"][0], "%Y-%m-%d %H:%M:%S");
    }
}

#[test]
fn of_a_file_only_headers_are_read_and_a_pipe_tells_the_same() {
    let folder = folder();
    let path = folder.path().join("many.mbt");
    let whole = json(folder.path(), &["inspect", "--json", "many.mbt"]);
    let frames = json(folder.path(), &words("inspect --frames --json many.mbt"));
    let mut bytes = fs::read(&path).unwrap();
    let (piped, ..) = run_with(BIN, &["inspect", "--json", "-"], &bytes).unwrap();
    let mut piped: Value = serde_json::from_slice(&piped).unwrap();
    piped["files"][0]["file"] = "many.mbt".into();
    assert_eq!(piped, whole);
    // Bodies are not read.
    for entry in frames["files"][0]["entries"].as_array().unwrap() {
        if entry["kind"] == "frame" {
            let at = entry["offset"].as_u64().unwrap() as usize;
            let header = u32::from_le_bytes(bytes[at + 12..at + 16].try_into().unwrap()) as usize;
            let end = at + entry["stored_bytes"].as_u64().unwrap() as usize;
            bytes[at + 28 + header..end].fill(0xff);
        }
    }
    fs::write(&path, bytes).unwrap();
    assert_eq!(
        json(folder.path(), &["inspect", "--json", "many.mbt"]),
        whole
    );
    assert_eq!(
        json(folder.path(), &words("inspect --frames --json many.mbt")),
        frames
    );
}

#[test]
fn types_that_widen_from_frame_to_frame_are_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "a,b\n1,x\n2,y\nz,w\nzz,v\n").unwrap();
    stdout_of(
        folder.path(),
        &words("convert a.csv -o a.mbt --frame-rows 2"),
    );
    let report = json(folder.path(), &["inspect", "--json", "a.mbt"]);
    let columns = report["files"][0]["columns"].as_array().unwrap();
    assert_eq!(columns[0]["type"], "i64, utf8");
    assert_eq!(columns[0]["min"], Value::Null);
    assert_eq!(
        (&columns[1]["min"], &columns[1]["max"]),
        (&"v".into(), &"y".into())
    );
}

#[test]
fn explain_chooses_what_the_file_has_and_prices_it_least() {
    let folder = folder();
    for (file, presets) in [
        ("one.mbt", &["balanced"][..]),
        ("lz4.mbt", &["fast"]),
        // With the preset small, a small frame is encoded as with balanced if that is smaller.
        ("small.mbt", &["small", "balanced"]),
    ] {
        let reports = presets.iter().map(|preset| {
            let arguments = ["inspect", "--explain", "--json", "--preset", preset, file];
            json(folder.path(), &arguments)
        });
        let reports: Vec<Value> = reports.collect();
        let is_explained = |report: &&Value| {
            let columns = report["columns"].as_array().unwrap();
            columns
                .iter()
                .all(|column| column["chosen"] == column["used"])
        };
        let report = reports.iter().find(is_explained);
        let report = report.unwrap_or_else(|| panic!("{file}: {}", reports[0]));
        let columns = report["columns"].as_array().unwrap();
        let names: Vec<_> = columns.iter().map(|column| &column["name"]).collect();
        let order = [
            "id",
            "user.name",
            "user.score",
            "items",
            "items[].n",
            "items[].t",
            "opt",
            "at",
        ];
        assert_eq!(names, order);
        for column in columns {
            let trials = column["trials"].as_array().unwrap();
            let used: Vec<_> = trials
                .iter()
                .filter(|trial| trial["is_used"] == true)
                .collect();
            assert_eq!(used.len(), 1, "{file}: {column}");
            // A layer that saves little is not worth its cost.
            let bytes = |trial: &Value| trial["estimated_bytes"].as_f64();
            if let (Some(least), Some(used)) = (bytes(&trials[0]), bytes(used[0])) {
                assert!(used <= least * 2.0 + 50.0, "{file}: {column}");
            }
        }
    }
    let output = mbt(
        folder.path(),
        &words("inspect --explain --frame 9 many.mbt"),
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("the last one is --frame 7")
    );
    let wire_1 = ["convert", "a.ndjson", "-o", "v1.mbt", "--wire", "1"];
    stdout_of(folder.path(), &wire_1);
    let output = mbt(folder.path(), &["inspect", "--explain", "v1.mbt"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The contents of a stream, or where it breaks and why; only headers are read.
fn contents<R: std::io::Read>(bytes: R, file: Option<fs::File>) -> Vec<String> {
    let reader = FrameReader::new(bytes, 1 << 20);
    let mut reader = reader.with_file(file).unwrap().in_parts();
    let mut told = Vec::new();
    loop {
        match reader.next_item_of(&mut |_| Ok(Wanted::Header)) {
            Ok(Some(Item::Frame(frame))) => {
                let (index, offset) = (frame.index, frame.offset);
                told.push(format!("{index} at {offset}: {}", frame.stored_len()));
            }
            Ok(Some(Item::End(end))) => {
                let is_known = end.index.is_some();
                told.push(format!(
                    "end at {}: {is_known}, {:?}",
                    end.frame.offset, end.faults
                ));
            }
            Ok(Some(Item::Skippable(part))) => {
                told.push(format!("skip at {}: {}", part.offset, part.payload_len));
            }
            Ok(None) => {
                told.push(format!("{} more", reader.trailing_bytes()));
                return told;
            }
            Err(error) => {
                told.push(error.to_string());
                return told;
            }
        }
    }
}

#[test]
fn whatever_is_broken_a_file_and_a_pipe_tell_the_same() {
    let folder = folder();
    let whole = fs::read(folder.path().join("small.mbt")).unwrap();
    let wire_1 = [
        "convert", "a.ndjson", "-o", "v1.mbt", "--wire", "1", "-c", "zstd",
    ];
    stdout_of(folder.path(), &wire_1);
    let wire_1 = fs::read(folder.path().join("v1.mbt")).unwrap();
    let mut cases = vec![
        [&whole[..], &wire_1, &whole].concat(),
        [&wire_1[..], &whole].concat(),
        [&whole[..], b"no frame"].concat(),
        b"no frame at all".to_vec(),
    ];
    cases.extend((0..whole.len()).map(|len| whole[..len].to_vec()));
    cases.extend((0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        bytes
    }));
    let path = folder.path().join("case.mbt");
    for (case, bytes) in cases.iter().enumerate() {
        fs::write(&path, bytes).unwrap();
        let file = fs::File::open(&path).unwrap();
        let seeking = contents(&file, Some(file.try_clone().unwrap()));
        assert_eq!(seeking, contents(&bytes[..], None), "case {case}");
    }
}

#[test]
fn frames_that_a_condition_leaves_out_have_no_match() {
    let dir = tempfile::tempdir().unwrap();
    let rows = (0..1000).map(|row| [row, row % 300 / 100].map(|value: u64| value.to_string()));
    let rows: Vec<_> = rows.map(|row| row.join(",")).collect();
    let text = format!("id,kind\n{}\n", rows.join("\n"));
    fs::write(dir.path().join("a.csv"), text).unwrap();
    let convert = ["convert", "a.csv", "-o", "a.mbt", "--frame-rows", "100"];
    stdout_of(dir.path(), &convert);
    for (condition, wanted) in [
        ("id >= 450", vec![4, 5, 6, 7, 8, 9]),
        ("kind = 1", vec![1, 4, 7]),
        ("id < 150 or id = 999", vec![0, 1, 9]),
        ("id < 0", vec![]),
    ] {
        let list = json(
            dir.path(),
            &[
                "inspect", "--frames", "--json", "--where", condition, "a.mbt",
            ],
        );
        let file = &list["files"][0];
        let entries = file["entries"].as_array().unwrap();
        let listed: Vec<u64> = entries
            .iter()
            .filter_map(|it| it["frame"].as_u64())
            .collect();
        assert_eq!(listed, wanted, "{condition}");
        assert_eq!(file["frames"], wanted.len(), "{condition}");
        for frame in (0..10).filter(|frame| !listed.contains(frame)) {
            let range = format!("{frame}..{}", frame + 1);
            let all = ["convert", "a.mbt", "--frames", &range, "--to", "ndjson"];
            let rows = mbt(dir.path(), &all).stdout;
            let rows = serde_json::Deserializer::from_slice(&rows).into_iter::<Value>();
            for row in rows.map(Result::unwrap) {
                let (id, kind) = (row["id"].as_u64().unwrap(), row["kind"].as_u64().unwrap());
                let holds = match condition {
                    "id >= 450" => id >= 450,
                    "kind = 1" => kind == 1,
                    "id < 0" => false,
                    _ => id < 150 || id == 999,
                };
                assert!(!holds, "{condition}: {row}");
            }
        }
    }
    let unknown = mbt(
        dir.path(),
        &["inspect", "--frames", "--where", "idd > 1", "a.mbt"],
    );
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean id?"));
}
