//! `mbt diff` on deliberate differences.

use std::fs;

use serde_json::Value;

use crate::command::stdout_of;
use crate::command::{mbt, words};
use crate::{folder, json};

/// Rows of an id and two values.
fn rows(count: usize) -> Vec<[String; 3]> {
    let row = |at: usize| {
        [
            at.to_string(),
            format!("{}.50", at * 7 % 100),
            format!("name {}", at % 13),
        ]
    };
    (0..count).map(row).collect()
}

fn csv(rows: &[[String; 3]]) -> String {
    let lines = rows.iter().map(|row| row.join(",") + "\n");
    "id,price,name\n".to_owned() + &lines.collect::<String>()
}

fn counts(document: &Value) -> [u64; 4] {
    ["equal", "changed", "only_left", "only_right"]
        .map(|name| document["rows"][name].as_u64().unwrap())
}

#[test]
fn the_same_rows_are_equal_in_every_format_and_spelling() {
    let folder = folder("diff_equal");
    fs::write(folder.join("a.csv"), csv(&rows(3000))).unwrap();
    for to in ["a.mbt", "a.ndjson", "a.json", "a.arrow", "a.tsv"] {
        stdout_of(
            &folder,
            &["convert", "-q", "a.csv", "-o", to, "--frame-rows", "700"],
        );
        for options in [&[][..], &["--key", "id"], &["--key", "name"]] {
            let (document, status) = json(
                &folder,
                &[&["diff", "--json", "a.csv", to], options].concat(),
            );
            assert_eq!(status, 0, "{to}");
            assert_eq!(counts(&document), [3000, 0, 0, 0], "{to}");
        }
    }
    fs::write(
        folder.join("b.ndjson"),
        "{\"t\":\"2024-01-31T12:00:00+02:00\",\"x\":1e2,\"u\":{\"b\":1,\"a\":[1.50]}}\n",
    )
    .unwrap();
    fs::write(
        folder.join("c.ndjson"),
        "{\"u\":{\"a\":[1.5],\"b\":1.0},\"x\":100,\"t\":\"2024-01-31T10:00:00.000Z\"}\n",
    )
    .unwrap();
    let (document, status) = json(&folder, &["diff", "--json", "b.ndjson", "c.ndjson"]);
    assert_eq!((status, counts(&document)), (0, [1, 0, 0, 0]), "{document}");
}

#[test]
fn equal_rows_of_one_key_are_partners_in_any_order() {
    let folder = folder("diff_repeated_keys");
    fs::write(folder.join("a.csv"), "k,v\n1,5\n1,6\n1,6\n2,1\n").unwrap();
    for (rows, expected) in [
        ("1,6\n2,1\n1,5\n1,6\n", [4, 0, 0, 0]),
        ("1,7\n1,6\n1,5\n2,1\n", [3, 1, 0, 0]),
        ("1,6\n2,2\n2,1\n1,5\n", [3, 0, 1, 1]),
    ] {
        fs::write(folder.join("b.csv"), format!("k,v\n{rows}")).unwrap();
        let args = ["diff", "--json", "--key", "k", "a.csv", "b.csv"];
        let (document, _) = json(&folder, &args);
        assert_eq!(counts(&document), expected, "{rows}");
    }
}

#[test]
fn a_value_that_makes_a_column_text_is_the_only_difference() {
    let folder = folder("diff_types");
    fs::write(
        folder.join("a.csv"),
        "d,p,b\n31.1.2024,1.50,Yes\n1.2.2024,2.25,No\n",
    )
    .unwrap();
    fs::write(
        folder.join("b.csv"),
        "d,p,b\n31.1.2024,1.50,Yes\nsoon,dear,maybe\n",
    )
    .unwrap();
    for options in [&[][..], &["--key", "b"]] {
        let (document, status) = json(
            &folder,
            &[&["diff", "--json", "a.csv", "b.csv"], options].concat(),
        );
        let expected = if options.is_empty() {
            [1, 1, 0, 0]
        } else {
            [1, 0, 1, 1]
        };
        assert_eq!((status, counts(&document)), (1, expected));
        assert_eq!(document["types"].as_array().unwrap().len(), 3);
    }
}

/// Rows match by a key if the column is text in only one input, and so are columns that are compared by position.
#[test]
fn a_key_may_be_text_in_one_input() {
    let folder = folder("diff_key_types");
    for [typed, other, same] in [
        ["1.50", "2.50", "1.50"],
        ["1.50", "2.50", "1.5"],
        ["1e5", "2e5", "1e5"],
        ["1e5", "2e5", "100000"],
        ["-0", "1", "-0"],
        ["007", "010", "007"],
        ["\"1,5\"", "\"2,25\"", "\"1,5\""],
        ["True", "False", "True"],
        ["no", "yes", "no"],
        ["1/31/2024", "1/30/2024", "1/31/2024"],
        ["31.01.2024", "30.01.2024", "2024-01-31"],
        ["31 Jan 2024", "30 Jan 2024", "31 Jan 2024"],
        [
            "2024-01-31T10:00:00.5Z",
            "2024-01-31T11:00:00.25Z",
            "2024-01-31T10:00:00.50Z",
        ],
        [
            "2024-01-31T10:00:00+02:00",
            "2024-01-31T11:00:00+02:00",
            "2024-01-31T08:00:00Z",
        ],
        ["10:00:00.5", "11:00:00.25", "10:00:00.500"],
        [
            "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
            "6BA7B811-9DAD-11D1-80B4-00C04FD430C8",
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        ],
    ] {
        fs::write(folder.join("a.csv"), format!("k,v\n{typed},a\n{other},b\n")).unwrap();
        fs::write(folder.join("b.csv"), format!("k,v\n{same},a\nx y,b\n")).unwrap();
        for files in [["a.csv", "b.csv"], ["b.csv", "a.csv"]] {
            for (key, expected) in [(&[][..], [1, 1, 0, 0]), (&["--key", "k"], [1, 0, 1, 1])] {
                let arguments = [&["diff", "--json"], &files[..], key].concat();
                let (document, _) = json(&folder, &arguments);
                assert_eq!(counts(&document), expected, "{typed} {same} {arguments:?}");
            }
        }
    }
    // A word for null equals null, and `007` is not 7.
    for (one, other, expected) in [
        ("k,v\n1,a\nNA,b\n", "k,v\n1,a\nNA,b\nx,c\n", [2, 0, 0, 1]),
        ("k,v\n7,a\n8,b\n", "k,v\n007,a\nx,b\n", [0, 0, 2, 2]),
        ("k,v\nno,a\nyes,b\n", "k,v\nfalse,a\ntrue,b\n", [2, 0, 0, 0]),
    ] {
        fs::write(folder.join("a.csv"), one).unwrap();
        fs::write(folder.join("b.csv"), other).unwrap();
        let (document, _) = json(&folder, &words("diff --json --key k a.csv b.csv"));
        assert_eq!(counts(&document), expected, "{one:?} {other:?}");
    }
}

#[test]
fn text_equals_the_value_that_a_typed_target_reads_in_it() {
    let folder = folder("diff_typed");
    let texts = [
        // Two spellings in a column make it text, which Parquet reads as instants, numbers and bools.
        "k,v\n1,2024-01-01T12:00:00Z\n2,2024-01-01T12:00:00+02:00\n3,NA\n",
        "k,v\n1,1.5\n2,NA\n3,1e-7\n4,1E-7\n",
        "k,v\n1,true\n2,TRUE\n3,null\n4,False\n",
    ];
    for text in texts {
        fs::write(folder.join("a.csv"), text).unwrap();
        let convert = ["convert", "a.csv", "-o", "a.parquet", "--force"];
        stdout_of(&folder, &convert);
        let rows = text.lines().count() as u64 - 1;
        for key in [&[][..], &["--key", "k"], &["--infer", "values"]] {
            let args = [&["diff", "--json", "a.csv", "a.parquet"], key].concat();
            let (document, status) = json(&folder, &args);
            assert_eq!(
                (status, counts(&document)),
                (0, [rows, 0, 0, 0]),
                "{document}"
            );
        }
    }
    // A word is not null among texts.
    fs::write(folder.join("b.json"), r#"[{"k":1,"v":"NA"}]"#).unwrap();
    fs::write(
        folder.join("c.json"),
        r#"[{"k":1,"v":null},{"k":2,"v":"x"}]"#,
    )
    .unwrap();
    let (document, _) = json(&folder, &["diff", "--json", "b.json", "c.json"]);
    assert_eq!(counts(&document), [0, 1, 0, 1], "{document}");
}

#[test]
fn only_text_that_is_a_number_equals_a_number() {
    let folder = folder("diff_text");
    let texts = r#"[{"x":""},{"x":"."},{"x":"+5"},{"x":"5.0"},{"x":"a"}]"#;
    fs::write(folder.join("a.json"), texts).unwrap();
    let numbers = r#"[{"x":0},{"x":0},{"x":5},{"x":5},{"x":6}]"#;
    fs::write(folder.join("b.json"), numbers).unwrap();
    let (document, status) = json(&folder, &["diff", "--json", "a.json", "b.json"]);
    assert_eq!((status, counts(&document)), (1, [1, 4, 0, 0]), "{document}");
}

#[test]
fn differences_are_those_that_were_made() {
    let folder = folder("diff_made");
    let left = rows(5000);
    let mut right = left.clone();
    right[17][1] = "999.25".to_owned();
    right[17][2] = "other".to_owned();
    right[4000][2] = String::new();
    right.remove(2500);
    right.push(["5000".to_owned(), "1.00".to_owned(), "new".to_owned()]);
    fs::write(folder.join("a.csv"), csv(&left)).unwrap();
    // In another order, which does not matter with a key.
    right.reverse();
    fs::write(folder.join("b.csv"), csv(&right)).unwrap();
    let (document, status) = json(&folder, &words("diff --json --key id a.csv b.csv"));
    assert_eq!((status, counts(&document)), (1, [4997, 2, 1, 1]));
    let of = |difference: &Value| {
        let key = difference["key"][0].as_str().unwrap().to_owned();
        let cells = difference["cells"].as_array().unwrap().iter();
        let cells: Vec<_> = cells
            .map(|cell| {
                (
                    cell["column"].as_str().unwrap().to_owned(),
                    cell["left"].clone(),
                    cell["right"].clone(),
                )
            })
            .collect();
        (key, difference["kind"].as_str().unwrap().to_owned(), cells)
    };
    let found: Vec<_> = document["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(of)
        .collect();
    let cell = |name: &str, left: Value, right: Value| (name.to_owned(), left, right);
    let text = |text: &str| Value::from(text);
    assert_eq!(found.len(), 4);
    assert!(found.contains(&(
        "17".into(),
        "changed".into(),
        vec![
            cell("price", text("19.5"), text("999.25")),
            cell("name", text("name 4"), text("other")),
        ]
    )));
    assert!(found.contains(&(
        "4000".into(),
        "changed".into(),
        vec![cell("name", text("name 9"), Value::Null)]
    )));
    assert!(found.contains(&(
        "2500".into(),
        "only_left".into(),
        vec![
            cell("price", text("0.5"), Value::Null),
            cell("name", text("name 4"), Value::Null),
        ]
    )));
    assert!(found.contains(&(
        "5000".into(),
        "only_right".into(),
        vec![
            cell("price", Value::Null, text("1")),
            cell("name", Value::Null, text("new")),
        ]
    )));
}

#[test]
fn rows_by_position_differ_from_where_they_part() {
    let folder = folder("diff_position");
    fs::write(folder.join("a.csv"), csv(&rows(100))).unwrap();
    fs::write(folder.join("b.csv"), csv(&rows(90))).unwrap();
    let (document, status) = json(&folder, &words("diff --json a.csv b.csv --show 3"));
    assert_eq!((status, counts(&document)), (1, [90, 0, 10, 0]));
    let shown = document["differences"].as_array().unwrap().iter();
    assert_eq!(
        shown
            .map(|row| row["row"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [90, 91, 92]
    );
    // Rows with equal keys are paired in their order.
    fs::write(folder.join("c.csv"), "k,v\na,1\na,2\na,3\n").unwrap();
    fs::write(folder.join("d.csv"), "k,v\na,1\na,5\n").unwrap();
    let (document, _) = json(&folder, &["diff", "--json", "--key", "k", "c.csv", "d.csv"]);
    assert_eq!(counts(&document), [1, 1, 1, 0]);
}

#[test]
fn a_key_that_is_no_column_is_a_mistake() {
    let folder = folder("diff_key");
    fs::write(folder.join("a.csv"), "k,v\na,1\n").unwrap();
    let output = mbt(&folder, &["diff", "--key", "x", "a.csv", "a.csv"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("\"x\"") && message.contains("k, v"),
        "{message}"
    );
}

/// Frames hold a string among numbers in a struct, or alone in a column of strings: it is the same value.
#[test]
fn frames_of_other_types_have_the_same_values() {
    let folder = folder("diff_frames");
    let rows = "{\"a\":\"2\"}\n{\"a\":1.5}\n{\"a\":\"x\"}\n";
    fs::write(folder.join("a.ndjson"), rows).unwrap();
    for frame_rows in ["1", "2", "3"] {
        let to = ["-o", "a.mbt", "--force", "--frame-rows", frame_rows];
        stdout_of(&folder, &[&["convert", "a.ndjson"][..], &to].concat());
        let (document, status) = json(&folder, &["diff", "--json", "a.ndjson", "a.mbt"]);
        assert_eq!(
            (status, counts(&document)),
            (0, [3, 0, 0, 0]),
            "{frame_rows}"
        );
    }
}

/// Frames in which a column has only objects take these apart, so the others do, too.
#[test]
fn values_of_several_kinds_are_compared_in_frames_of_any_size() {
    let folder = folder("diff_kinds");
    let rows = [
        r#"{"a":{"b":1}}"#,
        r#"{"a":2}"#,
        r#"{"a":"x"}"#,
        r#"{"a":[1]}"#,
        r#"{"a":null}"#,
        r#"{"a":{"c":{"d":5}}}"#,
    ];
    fs::write(folder.join("a.ndjson"), rows.join("\n") + "\n").unwrap();
    let changed = rows.join("\n").replace(":5", ":6") + "\n";
    fs::write(folder.join("b.ndjson"), changed).unwrap();
    let whole = "{\"a\":1}\n5\n{\"a\":2,\"b\":\"x\"}\n[1]\n";
    fs::write(folder.join("rows.ndjson"), whole).unwrap();
    let leaves = |file: &str| {
        let (document, _) = json(&folder, &["stats", "--json", file]);
        let columns = document["files"][0]["columns"].as_array().unwrap();
        let leaf = |column: &Value| (column["name"].to_string(), column["nulls"].clone());
        let mut leaves: Vec<_> = columns.iter().map(leaf).collect();
        leaves.sort_by(|a, b| a.0.cmp(&b.0));
        leaves
    };
    for size in ["1", "2", "3", "6"] {
        let args = ["convert", "-q", "--force", "a.ndjson", "-o", "a.mbt"];
        stdout_of(&folder, &[&args[..], &["--frame-rows", size]].concat());
        let (found, _) = json(&folder, &["diff", "--json", "a.ndjson", "a.mbt"]);
        assert_eq!(counts(&found), [6, 0, 0, 0], "{size}");
        let (found, _) = json(&folder, &["diff", "--json", "b.ndjson", "a.mbt"]);
        assert_eq!(counts(&found), [5, 1, 0, 0], "{size}");
        assert_eq!(leaves("a.ndjson"), leaves("a.mbt"), "{size}");
        // Whole rows of several kinds are values by themselves.
        let args = ["convert", "-q", "--force", "rows.ndjson", "-o", "rows.mbt"];
        stdout_of(&folder, &[&args[..], &["--frame-rows", size]].concat());
        let (found, _) = json(&folder, &["diff", "--json", "rows.ndjson", "rows.mbt"]);
        assert_eq!(counts(&found), [4, 0, 0, 0], "{size}");
    }
}

#[test]
fn options_for_text_apply_to_the_side_that_is_text() {
    let folder = folder("diff_encoding");
    fs::write(folder.join("a.csv"), b"a\n\xe9\n").unwrap();
    let encoding = ["--encoding", "latin1"];
    let run_with = |words: &[&str]| mbt(&folder, &[words, &encoding].concat());
    let made = run_with(&["convert", "a.csv", "-o", "a.mbt"]);
    assert_eq!(made.status.code(), Some(0));
    for command in ["diff", "schema"] {
        for (left, right, code) in [
            ("a.csv", "a.mbt", 0),
            ("a.mbt", "a.csv", 0),
            ("a.mbt", "a.mbt", 2),
        ] {
            let output = run_with(&[command, left, right]);
            assert_eq!(output.status.code(), Some(code), "{command} {left} {right}");
        }
    }
}

#[test]
fn columns_that_share_a_name_are_compared_one_by_one() {
    let folder = folder("diff_same_names");
    fs::write(folder.join("a.csv"), "d,d,d_2\n1,2,3\n").unwrap();
    fs::write(folder.join("b.csv"), "d,d,d_2\n9,2,3\n").unwrap();
    stdout_of(&folder, &["convert", "-q", "a.csv", "-o", "a.ndjson"]);
    for (other, rows, code) in [("b.csv", [0, 1, 0, 0], 1), ("a.ndjson", [1, 0, 0, 0], 0)] {
        let (document, status) = json(&folder, &["diff", "--json", "a.csv", other]);
        assert_eq!((counts(&document), status), (rows, code), "{other}");
    }
}

#[test]
fn digits_with_zeros_before_them_are_text() {
    let folder = folder("diff_padded");
    fs::write(folder.join("a.csv"), "id,zip\n1,00501\n2,10001\n").unwrap();
    fs::write(folder.join("b.csv"), "id,zip\n1,501\n2,10001\n").unwrap();
    stdout_of(&folder, &["convert", "-q", "a.csv", "-o", "a.arrow"]);
    stdout_of(&folder, &words("convert -q a.csv -o a.mbt --frame-rows 1"));
    for key in [&[][..], &["--key", "id"]] {
        let compare = |other| {
            json(
                &folder,
                &[&["diff", "--json", "a.csv", other], key].concat(),
            )
        };
        let (document, status) = compare("b.csv");
        assert_eq!((counts(&document), status), ([1, 1, 0, 0], 1));
        for other in ["a.arrow", "a.mbt"] {
            let (document, status) = compare(other);
            assert_eq!((counts(&document), status), ([2, 0, 0, 0], 0), "{other}");
        }
    }
}

#[test]
fn numbers_in_several_forms_are_compared_as_numbers() {
    let folder = folder("diff_forms");
    for (name, text) in [
        ("a.csv", "n\n0\n1.50\n20\n"),
        ("b.csv", "n\n0.00\n1.5e0\n2e1\n"),
        ("c.ndjson", "{\"n\":0}\n{\"n\":1.50}\n{\"n\":2E+1}\n"),
        ("d.csv", "n\n\"0.0\"\n1.500\n20.\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    for [left, right] in [
        ["a.csv", "b.csv"],
        ["b.csv", "c.ndjson"],
        ["c.ndjson", "d.csv"],
    ] {
        for key in [&[][..], &["--key", "n"]] {
            let arguments = [&["diff", "--json", left, right][..], key].concat();
            let (document, status) = json(&folder, &arguments);
            assert_eq!(
                (status, counts(&document)),
                (0, [3, 0, 0, 0]),
                "{arguments:?}"
            );
        }
    }
    // Among other texts they are text, as numbers of versions are.
    fs::write(folder.join("e.csv"), "n\n1.1\nrc\n").unwrap();
    fs::write(folder.join("f.csv"), "n\n1.10\nrc\n").unwrap();
    let (document, _) = json(&folder, &["diff", "--json", "e.csv", "f.csv"]);
    assert_eq!(counts(&document), [1, 1, 0, 0]);
}

#[test]
fn text_of_other_frames_equals_the_value_it_spells() {
    let folder = folder("diff_frames");
    let upper = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8";
    fs::write(folder.join("a.csv"), format!("u\n{upper}\n{upper}\nxx\n")).unwrap();
    stdout_of(&folder, &["convert", "a.csv", "-o", "a.mbt"]);
    stdout_of(&folder, &words("convert a.csv -o b.mbt --frame-rows 2"));
    let (document, status) = json(&folder, &["diff", "--json", "a.mbt", "b.mbt"]);
    assert_eq!((status, counts(&document)), (0, [3, 0, 0, 0]));
}

#[test]
fn times_in_text_equal_times_with_more_digits() {
    let folder = folder("diff_times");
    for [text, typed] in [
        ["13:00:00.5\n13:00:01", "13:00:00.500\n13:00:01.000"],
        [
            "2024-01-02T03:04:05.25\n2024-01-02T03:04:06",
            "2024-01-02T03:04:05.250\n2024-01-02T03:04:06.000",
        ],
    ] {
        fs::write(folder.join("a.csv"), format!("t\n{text}\n")).unwrap();
        fs::write(folder.join("b.csv"), format!("t\n{typed}\n")).unwrap();
        let (document, status) = json(&folder, &["diff", "--json", "a.csv", "b.csv"]);
        assert_eq!((status, counts(&document)), (0, [2, 0, 0, 0]), "{text}");
        let later = format!("{}1", &typed[..typed.len() - 1]);
        fs::write(folder.join("b.csv"), format!("t\n{later}\n")).unwrap();
        let (document, _) = json(&folder, &["diff", "--json", "a.csv", "b.csv"]);
        assert_eq!(counts(&document), [1, 1, 0, 0], "{text}");
    }
}

/// The keys of few objects are members, those of many are data.
#[test]
fn maps_and_structs_of_the_same_objects_are_equal() {
    let folder = folder("diff_maps");
    let row = |row: usize| {
        let members = (0..3).map(|at| format!("\"w{}\":{row}", (row * 7 + at * 191) % 600));
        format!("{{\"v\":{{{}}}}}\n", members.collect::<Vec<_>>().join(","))
    };
    let text: String = (0..100).map(row).collect();
    fs::write(folder.join("a.ndjson"), &text).unwrap();
    fs::write(folder.join("b.ndjson"), text.replacen(":50", ":51", 1)).unwrap();
    stdout_of(&folder, &words("convert a.ndjson -o a.mbt --frame-rows 7"));
    let (document, status) = json(&folder, &["diff", "--json", "a.ndjson", "a.mbt"]);
    assert_eq!((status, counts(&document)), (0, [100, 0, 0, 0]));
    let (document, _) = json(&folder, &["diff", "--json", "b.ndjson", "a.mbt"]);
    assert_eq!(counts(&document), [99, 1, 0, 0]);
}

/// Settings are text in a file of one row, and columns where several rows have the same keys.
#[test]
fn objects_kept_as_text_equal_the_same_objects_in_columns() {
    let folder = folder("diff_settings");
    let row = |row: usize| {
        let setting = |at: usize| format!("\"s{at}\":{{\"on\":true,\"size\":{}}}", at * row);
        let settings: Vec<_> = (0..40).map(setting).collect();
        let settings = settings.join(",");
        format!("{{\"id\":{row},\"app\":{{\"on\":true,\"settings\":{{{settings}}}}}}}\n")
    };
    for at in 1..=2 {
        let name = format!("{at}.ndjson");
        fs::write(folder.join(&name), row(at)).unwrap();
        stdout_of(&folder, &["convert", &name, "-o", &format!("{at}.mbt")]);
    }
    let both = [1, 2].map(|at| fs::read(folder.join(format!("{at}.mbt"))).unwrap());
    fs::write(folder.join("both.mbt"), both.concat()).unwrap();
    let text = row(1) + &row(2);
    fs::write(folder.join("a.ndjson"), &text).unwrap();
    fs::write(
        folder.join("b.ndjson"),
        text.replacen("\"size\":14", "\"size\":15", 1),
    )
    .unwrap();
    for key in [&[][..], &["--key", "id"]] {
        let args = |left| [&["diff", "--json", left, "both.mbt"], key].concat();
        let (document, status) = json(&folder, &args("a.ndjson"));
        assert_eq!((status, counts(&document)), (0, [2, 0, 0, 0]), "{key:?}");
        let (document, _) = json(&folder, &args("b.ndjson"));
        assert_eq!(counts(&document), [1, 1, 0, 0], "{key:?}");
    }
}

#[test]
fn json_text_equals_the_same_values_in_columns() {
    let folder = folder("diff_json_text");
    let rows = |number: &str, keys: [&str; 2]| {
        let members = keys.map(|key| format!("\"{key}\":[\"\\u0061\",{number}]"));
        format!("{{\"v\":[{{{}}}]}}\n", members.join(","))
    };
    let typed = rows("10000000000000000000000000", ["b", "c"]);
    // A repeated key makes all objects text.
    let text = rows("1e25", ["c", "b"]) + "{\"v\":[{\"x\":1,\"x\":2}]}\n";
    fs::write(folder.join("a.ndjson"), typed).unwrap();
    fs::write(folder.join("b.ndjson"), text).unwrap();
    let (document, _) = json(&folder, &["diff", "--json", "a.ndjson", "b.ndjson"]);
    assert_eq!(counts(&document), [1, 0, 0, 1]);
}

#[test]
fn an_empty_input_needs_no_key() {
    let folder = folder("diff_empty");
    fs::write(folder.join("a.ndjson"), "").unwrap();
    fs::write(folder.join("b.ndjson"), "{\"id\":1}\n").unwrap();
    let arguments = ["diff", "--json", "--key", "id", "a.ndjson", "b.ndjson"];
    let (document, status) = json(&folder, &arguments);
    assert_eq!((status, counts(&document)), (1, [0, 0, 0, 1]));
}

/// After a row that is missing, all rows differ from those at the same place.
#[test]
fn rows_that_are_shifted_are_better_compared_by_key() {
    let folder = folder("diff_shifted");
    let mut changed = rows(100);
    fs::write(folder.join("a.csv"), csv(&changed)).unwrap();
    changed[70][1] = "-1".to_owned();
    fs::write(folder.join("c.csv"), csv(&changed)).unwrap();
    changed.remove(60);
    changed.push(["100".to_owned(), "1.50".to_owned(), "last".to_owned()]);
    fs::write(folder.join("b.csv"), csv(&changed)).unwrap();
    let report = |line: &str| {
        let out = mbt(&folder, &words(line)).stdout;
        String::from_utf8(out).unwrap()
    };
    let hint = "--key NAME matches them by value";
    assert!(report("diff a.csv b.csv").contains(hint));
    assert!(!report("diff a.csv c.csv").contains(hint));
    assert!(!report("diff --key id a.csv b.csv").contains(hint));
}

#[test]
fn long_values_are_shown_where_they_differ() {
    let folder = folder("diff_long");
    let text = |end: &str| format!("id,t\n1,{}{end}{}\n", "x".repeat(100), "y".repeat(100));
    fs::write(folder.join("a.csv"), text("left")).unwrap();
    fs::write(folder.join("b.csv"), text("right")).unwrap();
    let out = mbt(&folder, &words("diff a.csv b.csv")).stdout;
    let out = String::from_utf8(out).unwrap();
    for side in ["left", "right"] {
        let expected = format!("…xxxxxxxxxx{side}yyy");
        assert!(out.contains(&expected), "{out}");
    }
}
