//! `mbt stats` against plain counting, over random tables and every route to the same rows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mbt::wire::v2::Envelope;
use serde_json::Value;

use crate::command::{BIN, mbt, run_with, stdout_of, text_of, words};
use crate::{folder, json};

/// Small pseudo-random steps, the same in every run.
struct Steps(u64);

impl Steps {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// A table of numbers in hundredths, words and days, some of them missing.
struct Table {
    cents: Vec<Option<i64>>,
    words: Vec<Option<String>>,
    days: Vec<Option<i64>>,
}

impl Table {
    fn random(seed: u64, rows: usize) -> Self {
        let mut steps = Steps(seed);
        let mut table = Self {
            cents: Vec::new(),
            words: Vec::new(),
            days: Vec::new(),
        };
        for _ in 0..rows {
            let mut some = |value: i64| (steps.below(9) > 0).then_some(value);
            table.cents.push(some(0));
            table.words.push(some(0).map(|_| String::new()));
            table.days.push(some(0));
            if let Some(cents) = table.cents.last_mut().unwrap() {
                *cents = steps.below(7_000) as i64 - 3_500;
            }
            if let Some(word) = table.words.last_mut().unwrap() {
                *word = format!("w{}", steps.below(30));
            }
            if let Some(day) = table.days.last_mut().unwrap() {
                *day = 1 + steps.below(28) as i64;
            }
        }
        table
    }

    fn csv(&self) -> String {
        let mut text = "price,word,day\n".to_owned();
        for ((cents, word), day) in self.cents.iter().zip(&self.words).zip(&self.days) {
            if let Some(cents) = cents {
                let sign = if *cents < 0 { "-" } else { "" };
                let _ = write!(text, "{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100);
            }
            text += ",";
            text += word.as_deref().unwrap_or_default();
            text += ",";
            if let Some(day) = day {
                let _ = write!(text, "2024-02-{day:02}");
            }
            text += "\n";
        }
        text
    }
}

/// A number of hundredths as people write it: `-1.5`.
fn plain(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let digits = format!("{}.{:02}", cents.abs() / 100, cents.abs() % 100);
    format!(
        "{sign}{}",
        digits.trim_end_matches('0').trim_end_matches('.')
    )
}

/// Compares the report on a column with its values, printed by `text`.
fn compare<T: Ord + Clone>(
    column: &Value,
    values: &[Option<T>],
    text: impl Fn(&T) -> String,
    has_quantiles: bool,
) {
    let mut valid: Vec<T> = values.iter().flatten().cloned().collect();
    valid.sort();
    let mut counts: BTreeMap<T, u64> = BTreeMap::new();
    for value in &valid {
        *counts.entry(value.clone()).or_default() += 1;
    }
    assert_eq!(column["rows"], values.len());
    assert_eq!(column["nulls"], values.len() - valid.len());
    assert_eq!(
        (&column["distinct"], &column["distinct_is_exact"]),
        (&counts.len().into(), &true.into())
    );
    assert_eq!(column["min"], text(&valid[0]));
    assert_eq!(column["max"], text(&valid[valid.len() - 1]));
    for (at, name) in [(0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75")] {
        let rank = (at * valid.len() as f64).ceil() as usize;
        let expected = if has_quantiles {
            text(&valid[rank - 1]).into()
        } else {
            Value::Null
        };
        assert_eq!(column["quantiles"][name], expected, "{name}");
    }
    let mut frequent: Vec<(u64, String)> = counts
        .iter()
        .map(|(value, count)| (*count, text(value)))
        .collect();
    frequent.retain(|(count, _)| *count > 1);
    frequent.sort_by(|(a, one), (b, other)| b.cmp(a).then(one.cmp(other)));
    frequent.truncate(10);
    let reported = column["most_frequent"].as_array().unwrap().iter();
    let reported: Vec<_> = reported
        .map(|value| {
            (
                value["count"].as_u64().unwrap(),
                value["value"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    assert_eq!(reported, frequent);
}

#[test]
fn statistics_are_those_of_plain_counting() {
    let folder = folder("stats_counting");
    for (seed, rows) in [(1, 1), (2, 10), (3, 500), (4, 6000)] {
        let table = Table::random(seed, rows);
        if [
            table.cents.iter().flatten().count(),
            table.words.iter().flatten().count(),
            table.days.iter().flatten().count(),
        ]
        .contains(&0)
        {
            continue;
        }
        fs::write(folder.join("t.csv"), table.csv()).unwrap();
        let (document, status) = json(&folder, &["stats", "--json", "t.csv"]);
        assert_eq!(status, 0);
        let file = &document["files"][0];
        assert_eq!(file["rows"], rows);
        let columns = &file["columns"];
        compare(&columns[0], &table.cents, |cents| plain(*cents), true);
        compare(&columns[1], &table.words, String::clone, false);
        compare(
            &columns[2],
            &table.days,
            |day| format!("2024-02-{day:02}"),
            true,
        );
        let cents: Vec<i64> = table.cents.iter().flatten().copied().collect();
        let mean = cents.iter().sum::<i64>() as f64 / 100.0 / cents.len() as f64;
        let reported = columns[0]["mean"].as_f64().unwrap();
        assert!(
            (reported - mean).abs() <= 1e-9 * mean.abs().max(1.0),
            "{reported} {mean}"
        );
        assert_eq!(columns[1]["mean"], Value::Null);
    }
}

#[test]
fn numbers_in_several_forms_are_numbers() {
    let folder = folder("stats_forms");
    fs::write(folder.join("n.csv"), "n\n0\n-2.50\n9\n10.0\nNA\n").unwrap();
    let rows = ["0", "-2.50", "9", "10.0", "null"].map(|n| format!("{{\"n\":{n}}}\n"));
    fs::write(folder.join("n.ndjson"), rows.concat()).unwrap();
    for file in ["n.csv", "n.ndjson"] {
        let (document, _) = json(&folder, &["stats", "--json", file]);
        let column = &document["files"][0]["columns"][0];
        let shown = ["type", "min", "max"].map(|key| column[key].as_str().unwrap());
        assert_eq!(shown, ["f64", "-2.5", "10"], "{file}");
        assert_eq!(
            (&column["nulls"], &column["mean"]),
            (&1.into(), &4.125.into())
        );
    }
}

/// A double does not hold all digits of large integers.
#[test]
fn the_mean_of_large_integers_counts_all_digits() {
    let folder = folder("stats_large");
    for (cells, mean) in [
        (&["9223372036854775807", "-9223372036854775797"][..], 5.0),
        (
            &["9223372036854775807", "-9223372036854775801", "-3", "1"],
            1.0,
        ),
        (
            &["18446744073709551615", "18446744073709551613"],
            18_446_744_073_709_551_614.0,
        ),
    ] {
        fs::write(folder.join("a.csv"), format!("v\n{}\n", cells.join("\n"))).unwrap();
        let (document, _) = json(&folder, &["stats", "--json", "a.csv"]);
        let found = document["files"][0]["columns"][0]["mean"].as_f64().unwrap();
        assert!((found - mean).abs() <= mean * 1e-14, "{found} {mean}");
    }
}

/// Each list is in ascending order, and all of its doubles are equal.
#[test]
fn values_with_equal_doubles_are_ordered_by_all_digits() {
    let folder = folder("stats_digits");
    for ordered in [
        ["1.3", "1.30000000000000000002", "1.3000000000000000001"],
        ["-1.3000000000000000001", "-1.30000000000000000002", "-1.3"],
        [
            "9007199254740992",
            "9007199254740992.25",
            "9007199254740992.5",
        ],
        [
            "1960-01-01T00:00:00Z",
            "1960-01-01T00:00:00.000000001Z",
            "1960-01-01T00:00:00.000000002Z",
        ],
        [
            "2024-01-01T00:00:00Z",
            "2024-01-01T00:00:00.000000001Z",
            "2024-01-01T00:00:00.000000002Z",
        ],
    ] {
        let [least, middle, greatest] = ordered;
        for cells in [ordered, [greatest, least, middle]] {
            let cells = cells.map(|cell| match cell.find('Z') {
                Some(_) if !cell.contains('.') => cell.replace('Z', ".000000000Z"),
                _ => cell.to_owned(),
            });
            fs::write(folder.join("a.csv"), format!("v\n{}\n", cells.join("\n"))).unwrap();
            let (document, _) = json(&folder, &["stats", "--json", "a.csv"]);
            let column = &document["files"][0]["columns"][0];
            assert_eq!(column["min"], least, "{cells:?}");
            assert_eq!(column["max"], greatest, "{cells:?}");
            assert_eq!(column["quantiles"]["0.5"], middle, "{cells:?}");
        }
    }
}

/// Statistics, casts and conditions share the code that decides what a cell means.
#[test]
fn nulls_and_types_of_cells_in_several_forms_are_those_of_parquet() {
    let folder = folder("stats_cells");
    for (cells, ty, nulls) in [
        ("1.50\n\"\"\n2.5\nNaN\nnan\nNA", "f64", 2),
        ("1.50\nnan\n2.25", "f64", 0),
        ("-\n9007199254740993\nNA", "i64", 2),
        ("-\n18446744073709551615\nNA", "u64", 2),
        ("18446744073709551615\nNaN\n0", "u64", 1),
        ("12345678901234567.25\n1.5\nNA", "decimal(38,2)", 1),
        ("NA\ntrue\nTrue", "bool", 1),
        ("x\nNA\n1.50", "utf8", 0),
    ] {
        fs::write(folder.join("t.csv"), format!("a\n{cells}\n")).unwrap();
        let convert = ["convert", "-q", "--force", "t.csv", "-o"];
        for output in ["t.mbt", "t.parquet"] {
            stdout_of(&folder, &[&convert[..], &[output]].concat());
        }
        stdout_of(
            &folder,
            &[&convert[..], &["s.mbt", "--frame-rows=2"]].concat(),
        );
        for input in ["t.csv", "t.mbt", "t.parquet", "s.mbt"] {
            let (found, _) = json(&folder, &["stats", "--json", input]);
            let column = &found["files"][0]["columns"][0];
            // Each frame of s.mbt has its own types: a frame that has only words for null is text.
            if input != "s.mbt" {
                assert_eq!(
                    (&column["type"], &column["nulls"]),
                    (&ty.into(), &nulls.into()),
                    "{input}: {cells}"
                );
            }
            if input == "t.csv" {
                continue;
            }
            let (quick, _) = json(&folder, &["stats", "--json", "--quick", input]);
            let quick = &quick["files"][0]["columns"][0]["nulls"];
            assert!(
                quick.is_null() || *quick == column["nulls"],
                "{input}: {cells}"
            );
        }
    }
}

#[test]
fn nan_is_counted_but_has_no_place_among_numbers() {
    let folder = folder("stats_nan");
    fs::write(folder.join("n.csv"), "n\nNaN\n1.5\n-0.5\nNaN\n").unwrap();
    let (document, _) = json(&folder, &["stats", "--json", "n.csv"]);
    let column = &document["files"][0]["columns"][0];
    assert_eq!(
        (&column["min"], &column["max"]),
        (&"-0.5".into(), &"1.5".into())
    );
    assert_eq!(
        (&column["mean"], &column["distinct"]),
        (&0.5.into(), &3.into())
    );
}

#[test]
fn there_are_never_more_distinct_values_than_values() {
    let folder = folder("stats_distinct");
    for seed in 0..8 {
        let mut steps = Steps(seed);
        let rows = (0..9000).map(|row| (steps.below(1 << 30) * 9000 + row).to_string());
        let rows = rows.collect::<Vec<_>>().join("\n");
        fs::write(folder.join("n.csv"), format!("n\n{rows}\n")).unwrap();
        let (document, _) = json(&folder, &["stats", "--json", "n.csv"]);
        let distinct = &document["files"][0]["columns"][0]["distinct"];
        assert!(
            (8500..=9000).contains(&distinct.as_u64().unwrap()),
            "{distinct}"
        );
    }
}

#[test]
fn every_route_to_the_same_rows_gives_the_same_statistics() {
    let folder = folder("stats_routes");
    fs::write(folder.join("t.csv"), Table::random(7, 20_000).csv()).unwrap();
    let convert = |to: &str, options: &[&str]| {
        stdout_of(
            &folder,
            &[&["convert", "-q", "t.csv", "-o", to], options].concat(),
        );
    };
    convert("t.mbt", &[]);
    convert("small.mbt", &["--frame-rows", "777"]);
    convert("t.ndjson", &[]);
    convert("t.arrow", &[]);
    let of = |file: &str, options: &[&str]| {
        let (document, _) = json(&folder, &[&["stats", "--json", file], options].concat());
        let mut columns = document["files"][0]["columns"].clone();
        for column in columns.as_array_mut().unwrap() {
            // These depend on the format.
            for key in ["stored_bytes", "type"] {
                column.as_object_mut().unwrap().remove(key);
            }
        }
        columns
    };
    let expected = of("t.csv", &[]);
    assert_eq!(expected[0]["quantiles_are_exact"], false);
    for file in ["t.mbt", "small.mbt", "t.ndjson", "t.arrow"] {
        assert_eq!(of(file, &[]), expected, "{file}");
        assert_eq!(of(file, &["--threads", "1"]), expected, "{file}");
    }
}

/// A frame of text consists of several blocks, and a frame of MATHLDBT does not: that must not show in counts that are
/// lower bounds either.
#[test]
fn a_text_and_its_frames_have_the_same_frequent_values() {
    let folder = folder("stats_frequent");
    let mut steps = Steps(11);
    // The numbers below 30,000 with falling frequency, in more than one block of text.
    let mut number = || (0..3).fold(30_000, |bound, _| steps.below(1 + bound));
    let lines = (0..400_000).map(|_| format!("{}\n", number()));
    fs::write(
        folder.join("t.csv"),
        format!("n\n{}", lines.collect::<String>()),
    )
    .unwrap();
    stdout_of(&folder, &["convert", "-q", "t.csv", "-o", "t.mbt"]);
    let [text, frames] = ["t.csv", "t.mbt"].map(|file| {
        let (document, _) = json(&folder, &["stats", "--json", file]);
        document["files"][0]["columns"][0].clone()
    });
    assert_eq!(text["counts_are_exact"], false);
    assert_eq!(text["most_frequent"], frames["most_frequent"]);
}

#[test]
fn fields_of_structs_are_columns_and_missing_ones_are_null() {
    let folder = folder("stats_nested");
    fs::write(
        folder.join("t.ndjson"),
        "{\"a\":{\"b\":1}}\n{\"a\":{\"b\":2,\"c\":\"x\"}}\n{\"d\":[1,2]}\n",
    )
    .unwrap();
    let (document, _) = json(&folder, &["stats", "--json", "t.ndjson"]);
    let columns = document["files"][0]["columns"].as_array().unwrap();
    let of = |column: &Value| {
        let name = column["name"].as_str().unwrap().to_owned();
        (
            name,
            column["nulls"].as_u64().unwrap(),
            column["distinct"].as_u64().unwrap(),
        )
    };
    let found: Vec<_> = columns.iter().map(of).collect();
    assert_eq!(
        found,
        [
            ("a.b".to_owned(), 1, 2),
            ("a.c".to_owned(), 2, 1),
            ("d".to_owned(), 2, 1)
        ]
    );
}

/// The report of `--quick` on a column.
const QUICK: [&str; 7] = [
    "name",
    "type",
    "rows",
    "nulls",
    "min",
    "max",
    "stored_bytes",
];

/// Its report on all columns.
fn known(document: &Value) -> Vec<Vec<Value>> {
    let columns = document["files"][0]["columns"].as_array().unwrap().iter();
    let known = columns.map(|column| QUICK.map(|key| column[key].clone()).to_vec());
    known.collect()
}

#[test]
fn quick_tells_what_all_values_would() {
    let folder = folder("stats_quick");
    fs::write(folder.join("t.csv"), Table::random(3, 5000).csv()).unwrap();
    let nested =
        "{\"a\":{\"b\":1.5,\"c\":null},\"l\":[1]}\n{\"a\":{\"b\":-2,\"c\":\"x\"}}\n{\"d\":true}\n";
    fs::write(folder.join("n.ndjson"), nested).unwrap();
    for (input, options) in [
        ("t.csv", &["--frame-rows", "777"][..]),
        ("t.csv", &[]),
        ("n.ndjson", &["--frame-rows", "1"]),
        ("n.ndjson", &[]),
    ] {
        let to = ["-o", "t.mbt", "--force", "-q"];
        stdout_of(&folder, &[&["convert", input][..], &to, options].concat());
        let (quick, status) = json(&folder, &["stats", "--json", "--quick", "t.mbt"]);
        let (all, _) = json(&folder, &["stats", "--json", "t.mbt"]);
        let agree = |quick: &Value, all: &Value| {
            let (mut quick, all) = (known(quick), known(all));
            for (quick, all) in quick.iter_mut().zip(&all) {
                // The headers show the types of each frame, not the type of all rows.
                if quick[1].as_str().unwrap().contains(", ") {
                    quick[1] = all[1].clone();
                }
            }
            assert_eq!(quick, all, "{input}");
        };
        agree(&quick, &all);
        assert_eq!(status, 0, "{input}");
        assert_eq!(quick["files"][0]["rows"], all["files"][0]["rows"]);
        let first = &quick["files"][0]["columns"][0];
        for key in ["distinct", "mean", "most_frequent", "quantiles_are_exact"] {
            assert_eq!(first[key], Value::Null, "{key}");
        }
        let selected = ["stats", "--json", "t.mbt", "--columns", "#2,#1"];
        let (quick, _) = json(&folder, &[&selected[..], &["--quick"]].concat());
        let (all, _) = json(&folder, &selected);
        agree(&quick, &all);
    }
}

#[test]
fn quick_is_right_or_silent_about_golden_files() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v2");
    let (mut silent, mut right) = (0, 0);
    for file in fs::read_dir(&fixtures).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if name.strip_suffix(".mbt").is_none() {
            continue;
        }
        let (quick, _) = json(&fixtures, &["stats", "--json", "--quick", &name]);
        let (all, _) = json(&fixtures, &["stats", "--json", &name]);
        if all["files"][0]["columns"] == Value::Array(Vec::new()) {
            continue;
        }
        let columns = quick["files"][0]["columns"].as_array().unwrap();
        let cut = columns
            .iter()
            .map(|column| (&column["min_is_cut"], &column["max_is_cut"]));
        let figures = known(&quick).into_iter().zip(known(&all)).zip(cut);
        for ((quick, all), (min_is_cut, max_is_cut)) in figures {
            for (at, (quick, all)) in quick.iter().zip(&all).enumerate() {
                let is_cut =
                    [("min", min_is_cut), ("max", max_is_cut)].contains(&(QUICK[at], &true.into()));
                if quick.is_null() && !all.is_null() {
                    silent += 1;
                } else if is_cut {
                    assert!(
                        all.as_str().unwrap().starts_with(quick.as_str().unwrap()),
                        "{name}"
                    );
                } else {
                    assert_eq!(quick, all, "{name}: {}", QUICK[at]);
                    right += 1;
                }
            }
        }
    }
    assert!(right > 5 * silent, "{right} right, {silent} silent");
}

#[test]
fn quick_marks_texts_that_may_be_longer() {
    let folder = folder("stats_quick_cut");
    fs::write(folder.join("t.csv"), "a,b\nabcdefghijklmnopq,1\nb,2\n").unwrap();
    stdout_of(&folder, &["convert", "-q", "t.csv", "-o", "t.mbt"]);
    let (document, _) = json(&folder, &["stats", "--json", "--quick", "t.mbt"]);
    let column = &document["files"][0]["columns"][0];
    assert_eq!(column["min"], "abcdefghijklmnop");
    assert_eq!(
        (&column["min_is_cut"], &column["max_is_cut"]),
        (&true.into(), &false.into())
    );
    let (all, _) = json(&folder, &["stats", "--json", "t.mbt"]);
    let column = &all["files"][0]["columns"][0];
    assert_eq!(
        (&column["min"], &column["min_is_cut"]),
        (&"abcdefghijklmnopq".into(), &false.into())
    );
}

#[test]
fn values_that_nobody_asks_for_are_not_decoded() {
    let folder = folder("stats_not_decoded");
    let mut steps = Steps(5);
    let mut text = "a,b\n".to_owned();
    for _ in 0..20_000 {
        let _ = writeln!(text, "{},{}", steps.below(1 << 30), steps.below(1 << 30));
    }
    fs::write(folder.join("t.csv"), text).unwrap();
    stdout_of(&folder, &["convert", "-q", "t.csv", "-o", "t.mbt"]);
    let whole = fs::read(folder.join("t.mbt")).unwrap();
    let envelope = Envelope::read(&whole, u64::MAX).unwrap();
    // Damages the sections of some columns.
    let damage = |file: &str, columns: &[&str]| {
        let mut bytes = whole.clone();
        let mut start = envelope.header_len();
        for (at, section) in envelope.sections.iter().enumerate() {
            let end = start + section.stored_len;
            let owners = envelope.columns_of_section(at);
            if owners.iter().all(|owner| columns.contains(&owner.as_str())) {
                bytes[start..end].iter_mut().for_each(|byte| *byte ^= 0x55);
            }
            start = end;
        }
        assert_ne!(bytes, whole);
        fs::write(folder.join(file), bytes).unwrap();
        let output = mbt(&folder, &["stats", file]);
        assert_eq!(output.status.code(), Some(2), "the damage does not show");
    };
    damage("b.mbt", &["b"]);
    damage("all.mbt", &["a", "b"]);
    let of = |options: &[&str]| {
        let (document, status) = json(&folder, &[&["stats", "--json"], options].concat());
        assert_eq!(status, 0);
        document["files"][0]["columns"].clone()
    };
    assert_eq!(
        of(&["b.mbt", "--columns", "a"]),
        of(&["t.mbt", "--columns", "a"])
    );
    assert_eq!(of(&["all.mbt", "--quick"]), of(&["t.mbt", "--quick"]));
}

/// Names in CSV and Arrow need not be distinct.
#[test]
fn columns_that_share_a_name_are_counted_apart_in_all_frames() {
    let folder = folder("stats_repeated");
    fs::write(folder.join("t.csv"), "a,a,b\n1,x20,5\n3,x40,6\n4,x30,7\n").unwrap();
    stdout_of(
        &folder,
        &["convert", "-q", "t.csv", "-o", "t.mbt", "--frame-rows", "1"],
    );
    for arguments in [&["t.csv"][..], &["t.mbt"], &["t.mbt", "--quick"]] {
        let (document, _) = json(&folder, &[&["stats", "--json"], arguments].concat());
        let columns = document["files"][0]["columns"].as_array().unwrap();
        let figures = ["name", "rows", "nulls", "min", "max"];
        let figures: Vec<_> = columns
            .iter()
            .map(|column| figures.map(|key| column[key].to_string()))
            .collect();
        let expected = [
            ["\"a\"", "3", "0", "\"1\"", "\"4\""],
            ["\"a\"", "3", "0", "\"x20\"", "\"x40\""],
            ["\"b\"", "3", "0", "\"5\"", "\"7\""],
        ];
        assert_eq!(figures, expected, "{arguments:?}");
        for column in columns {
            assert!(column["stored_bytes"].is_u64(), "{arguments:?}: {column}");
        }
    }
}

#[test]
fn quick_needs_statistics() {
    let folder = folder("stats_quick_none");
    fs::write(folder.join("t.csv"), "a\n1\n").unwrap();
    stdout_of(&folder, &words("convert -q t.csv --wire 1 -o v1.mbt"));
    for file in ["t.csv", "v1.mbt"] {
        let output = mbt(&folder, &["stats", "--quick", file]);
        assert_eq!(output.status.code(), Some(2), "{file}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.contains(file) && message.contains("only wire 2 frames"),
            "{message}"
        );
    }
    // There is no report on a file that is cut.
    stdout_of(&folder, &["convert", "-q", "t.csv", "-o", "t.mbt"]);
    let whole = fs::read(folder.join("t.mbt")).unwrap();
    fs::write(folder.join("cut.mbt"), &whole[..whole.len() - 1]).unwrap();
    assert_eq!(
        mbt(&folder, &["stats", "--quick", "cut.mbt"]).status.code(),
        Some(2)
    );
}

/// The objects of a column are in columns of their own, but they are not nulls.
#[test]
fn objects_beside_other_values_are_not_null() {
    let folder = folder("stats_kinds");
    let values = [
        "{\"a\":1}",
        "null",
        "\"x\"",
        "{\"a\":null}",
        "{\"b\":{\"c\":1}}",
        "2",
        "[1]",
    ];
    let rows = (0..60).map(|row| {
        let value = values[row * row % values.len()];
        let of = if row % 4 == 0 {
            "{\"v\":null}".to_owned()
        } else {
            format!("{{\"v\":{value}}}")
        };
        (value, format!("{{\"v\":{value},\"of\":{of}}}\n"))
    });
    let (values, lines): (Vec<_>, Vec<_>) = rows.unzip();
    fs::write(folder.join("a.ndjson"), lines.concat()).unwrap();
    let nulls = values.iter().filter(|value| **value == "null").count();
    let inner = (0..60)
        .filter(|row| row % 4 == 0 || values[*row] == "null")
        .count();
    for frame_rows in ["1", "7", "100"] {
        let made = [
            "convert",
            "-q",
            "a.ndjson",
            "-o",
            "a.mbt",
            "--force",
            "--frame-rows",
            frame_rows,
        ];
        stdout_of(&folder, &made);
        let (document, _) = json(&folder, &["stats", "--json", "a.ndjson", "a.mbt"]);
        for file in document["files"].as_array().unwrap() {
            let columns = file["columns"].as_array().unwrap();
            let of = |name: &str| columns.iter().find(|it| it["name"] == name).unwrap();
            assert_eq!(of("v")["nulls"], nulls, "{frame_rows}");
            assert_eq!(of("of.v")["nulls"], inner, "{frame_rows}");
        }
        let (document, _) = json(&folder, &["stats", "--json", "--quick", "a.mbt"]);
        let columns = document["files"][0]["columns"].as_array().unwrap();
        let quick = &columns.iter().find(|it| it["name"] == "v").unwrap()["nulls"];
        assert_eq!(*quick, nulls, "{frame_rows}");
    }
}

#[test]
fn quantiles_of_a_sample_are_marked() {
    let folder = folder("stats_sample");
    for (rows, is_marked) in [(8192, false), (8193, true)] {
        let numbers = (0..rows).map(|row| format!("{}\n", row % 5));
        fs::write(
            folder.join("a.csv"),
            "n\n".to_owned() + &numbers.collect::<String>(),
        )
        .unwrap();
        let out = String::from_utf8(stdout_of(&folder, &["stats", "a.csv"])).unwrap();
        assert_eq!(out.contains("≈2"), is_marked, "{out}");
        assert_eq!(out.contains("sample of 8,192 values"), is_marked, "{out}");
        let (document, _) = json(&folder, &["stats", "--json", "a.csv"]);
        let is_exact = &document["files"][0]["columns"][0]["quantiles_are_exact"];
        assert_eq!(*is_exact, !is_marked);
    }
}

/// Columns whose encoding depends on other columns, or which share sections with them, take as many bytes as stated.
#[test]
fn bytes_of_a_text_are_those_of_its_frames() {
    let folder = folder("stats_bytes");
    let mut steps = Steps(29);
    let mut csv = "low,high,code,country,note\n".to_owned();
    let mut ndjson = String::new();
    let mut low = 50_000;
    for _ in 0..3_000 {
        low += steps.below(201) as i64 - 100;
        let high = low + steps.below(6) as i64;
        let code = steps.below(40);
        let _ = writeln!(
            csv,
            "{low},{high},c{code},country {},n{}",
            code % 7,
            steps.below(9_000)
        );
        let _ = writeln!(
            ndjson,
            r#"{{"user":{{"low":{low},"tags":["c{code}"]}},"high":{high:?}}}"#
        );
    }
    fs::write(folder.join("t.csv"), &csv).unwrap();
    fs::write(folder.join("t.ndjson"), &ndjson).unwrap();
    let bytes = |document: &Value| -> Vec<Value> {
        let columns = document["files"][0]["columns"].as_array().unwrap();
        columns
            .iter()
            .map(|it| it["stored_bytes"].clone())
            .collect()
    };
    for (file, options) in [
        ("t.csv", ""),
        ("t.csv", "--columns code,high,low"),
        ("t.csv", "--where low>49900"),
        ("t.ndjson", ""),
        ("t.ndjson", "--columns user.low,high"),
    ] {
        let with = |arguments: &[&'static str]| -> Vec<&str> {
            let options = options.split_whitespace();
            arguments.iter().copied().chain(options).collect()
        };
        let frames = ["convert", "-q", "--force", "-o", "t.mbt", file];
        stdout_of(&folder, &with(&frames));
        let (of_text, _) = json(&folder, &with(&["stats", "--json", file]));
        let (of_frames, _) = json(&folder, &["stats", "--json", "t.mbt"]);
        assert_eq!(bytes(&of_text), bytes(&of_frames), "{file} {options}");
        let shown = text_of(&folder, &["inspect", "t.mbt"]);
        let depend = shown.contains("difference from") || shown.contains("grouped by");
        assert!(depend || file == "t.ndjson", "{shown}");
    }
    let piped = run_with(BIN, &["stats", "--json"], csv.as_bytes()).unwrap();
    let piped: Value = serde_json::from_slice(&piped.0).unwrap();
    let (of_file, _) = json(&folder, &["stats", "--json", "t.csv"]);
    assert_eq!(bytes(&piped), bytes(&of_file));
}
