//! Files from outside, by hand: `MBT_JSON_DIR=dir cargo test --test formats nested -- --ignored`.

use std::path::PathBuf;

use crate::rule::Infer;
use mbt::format::json::Flavor;
use mbt::pipeline::FrameSize;
use serde_json::{Deserializer, Value};

use super::{lines, read};

#[test]
#[ignore = "needs MBT_JSON_DIR, a directory of JSON and NDJSON files"]
fn files_come_back_value_by_value() {
    let mut dirs = vec![PathBuf::from(std::env::var_os("MBT_JSON_DIR").unwrap())];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => dirs.push(path),
                Some("json") => check(&path, Flavor::Document),
                Some("ndjson") => check(&path, Flavor::Lines),
                _ => {}
            }
        }
    }
}

fn check(path: &PathBuf, flavor: Flavor) {
    let text = std::fs::read(path).unwrap();
    for size in [FrameSize::Whole, FrameSize::Rows(1000)] {
        let frames = read(&[&text], flavor, Infer::Exact, size).unwrap();
        let found = lines(&frames);
        let mut rows = Deserializer::from_slice(&text).into_iter::<Value>();
        let array = text.trim_ascii_start().starts_with(b"[") && flavor == Flavor::Document;
        let rows: Vec<Value> = if array {
            serde_json::from_slice(&text).unwrap()
        } else {
            rows.by_ref().map(Result::unwrap).collect()
        };
        let (mut in_order, mut count) = (0, 0);
        for (row, line) in rows.iter().zip(found.lines()) {
            let back: Value = serde_json::from_str(line).unwrap();
            assert!(
                *row == back,
                "{}: row {count} is\n{row}\nbut came back as\n{line}",
                path.display()
            );
            // Equal values may differ in the order of keys, which shows only in their text.
            let [row, back] = [row, &back].map(Value::to_string);
            in_order += usize::from(row == back);
            count += 1;
        }
        assert_eq!(count, rows.len(), "{}", path.display());
        assert_eq!(count, found.lines().count(), "{}", path.display());
        println!(
            "{}: {count} rows, {in_order} with keys in order, {} frames",
            path.display(),
            frames.len()
        );
        if let Some(dir) = std::env::var_os("MBT_SCHEMA_DIR") {
            let name = path.with_extension("schema");
            let name = PathBuf::from(dir).join(name.file_name().unwrap());
            std::fs::write(name, format!("{:#?}", frames[0].schema)).unwrap();
        }
    }
}
