//! Reports on values do not depend on where frames end.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::command::stdout_of;
use crate::{folder, json};

/// Cells that are a value in some company, and text or null in other.
const CELLS: &[&str] = &[
    "7",
    "07",
    "007",
    "-1",
    "1.5",
    "1.50",
    ".5",
    "1e5",
    "inf",
    "nan",
    "NaN",
    "12345678901234567890.5",
    "NA",
    "N/A",
    "\\N",
    "",
    "\"\"",
    "yes",
    "No",
    "TRUE",
    "x",
    "2024-01-02",
    "02.01.2024",
    "3/4/2024",
    "2024-01-02T03:04:05Z",
    "12:30",
];

/// Values of NDJSON whose kinds differ.
const VALUES: &[&str] = &[
    "1",
    "1.5",
    "1.50",
    "1e5",
    "true",
    "null",
    "\"x\"",
    "\"2024-01-02\"",
    "[1]",
    "[\"a\",2]",
    "{\"k\":1}",
    "{\"k\":\"x\",\"l\":2}",
    "{}",
];

/// The statistics of the columns, without what depends on how frames are stored.
fn statistics(folder: &Path, file: &str, options: &[&str]) -> Value {
    let (document, _) = json(folder, &[&["stats", "--json", file], options].concat());
    let mut columns = document["files"][0]["columns"].clone();
    for column in columns.as_array_mut().unwrap() {
        column.as_object_mut().unwrap().remove("stored_bytes");
    }
    columns
}

/// Checks that frames of any size have the statistics of the text and are equal to it.
fn check(name: &str, text: &str, options: &[&str]) {
    let folder = folder(&format!("frame_sizes_{name}"));
    fs::write(folder.join(name), text).unwrap();
    let expected = statistics(&folder, name, options);
    for rows in ["1", "2", "3"] {
        let to = ["-o", "t.mbt", "--force", "-q", "--frame-rows", rows];
        stdout_of(&folder, &[&["convert", name][..], &to].concat());
        assert_eq!(
            statistics(&folder, "t.mbt", options),
            expected,
            "{rows} rows of {text:?}"
        );
        let (found, status) = json(
            &folder,
            &[&["diff", "--json", name, "t.mbt"], options].concat(),
        );
        assert_eq!(status, 0, "{rows} rows of {text:?}: {found}");
        quick_is_right_or_silent(&folder, &expected, text);
    }
}

/// Headers alone may not show a figure, but if they do, it is right.
fn quick_is_right_or_silent(folder: &Path, expected: &Value, text: &str) {
    let (quick, _) = json(folder, &["stats", "--json", "--quick", "t.mbt"]);
    let columns = quick["files"][0]["columns"].as_array().unwrap();
    for column in columns {
        let mut all = expected.as_array().unwrap().iter();
        let Some(all) = all.find(|it| it["name"] == column["name"]) else {
            continue;
        };
        for key in ["rows", "nulls", "min", "max"] {
            let (figure, whole) = (&column[key], &all[key]);
            let is_start = column[format!("{key}_is_cut")] == true
                && whole
                    .as_str()
                    .unwrap()
                    .starts_with(figure.as_str().unwrap());
            let is_right = figure.is_null() || figure == whole || is_start;
            assert!(is_right, "{key} of {text:?}: {column}, not {all}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cells_have_the_values_of_all_rows(cells in prop::collection::vec(select(CELLS), 2..7)) {
        let lines = cells.iter().map(|cell| format!("k,{cell}\n"));
        check("t.csv", &format!("k,v\n{}", lines.collect::<String>()), &[]);
    }

    #[test]
    fn values_of_json_have_the_types_of_all_rows(values in prop::collection::vec(select(VALUES), 2..6)) {
        let lines = values.iter().map(|value| format!("{{\"v\":{value}}}\n"));
        check("t.ndjson", &lines.collect::<String>(), &[]);
    }
}
