//! A condition selects the same rows however they are divided into frames, although a column may have another type in
//! each.

use crate::command::{run_in, text_of};

const CSV_BOOLS: &str = "n,x\n1,Yes\n2,No\n3,true\n4,maybe\n5,Yes\n";

const CSV_TIMES: &str = "n,x\n1,2024-01-01T00:00:00+02:00\n2,2024-01-01T01:00:00+02:00\n\
                         3,2024-01-01T00:00:00+01:00\n4,2024-01-01T02:00:00+02:00\n";

const CSV_UUIDS: &str = "n,x\n1,123e4567-e89b-12d3-a456-42661417400a\n2,123E4567-E89B-12D3-A456-42661417400A\n\
                         3,123e4567-e89b-12d3-a456-42661417400b\n4,q\n";

const JSON_NUMBERS: &str = r#"{"n":1,"x":"1.50"}
{"n":2,"x":1.50}
{"n":3,"x":"1.5"}
{"n":4,"x":1.5}
{"n":5,"x":true}
{"n":6,"x":[1]}
"#;

const JSON_DATES: &str = r#"{"n":1,"x":"2024-01-01"}
{"n":2,"x":"zz"}
{"n":3,"x":5}
{"n":4,"x":"123E4567-E89B-12D3-A456-42661417400A"}
{"n":5,"x":{"a":1}}
"#;

const JSON_NAMES: &str = r#"{"n":1,"a.b":1,"a":{"b":5}}
{"n":2,"a.b":5,"a":{"b":1}}
"#;

#[test]
fn rows_do_not_depend_on_the_types_of_frames() {
    for (input, condition, expected) in [
        // A word for a bool in quotes is that word; true and false are any word of this meaning.
        (CSV_BOOLS, "x = 'Yes'", "1 5"),
        (CSV_BOOLS, "x <> 'Yes'", "2 3 4"),
        (CSV_BOOLS, "x = 'yes'", ""),
        (CSV_BOOLS, "x > 'No'", "1 3 4 5"),
        (CSV_BOOLS, "x = 'true'", "1 3 5"),
        (CSV_BOOLS, "x = true", "1 3 5"),
        (CSV_BOOLS, "x <> true", "2 4"),
        (CSV_BOOLS, "x", "1 3 5"),
        (CSV_BOOLS, "not x", "2"),
        (CSV_BOOLS, "x is unknown", "4"),
        // A time without a zone is in UTC.
        (CSV_TIMES, "x = '2024-01-01'", "4"),
        (CSV_TIMES, "x < '2024-01-01'", "1 2 3"),
        (CSV_TIMES, "x = '2024-01-01T00:00:00+02:00'", "1"),
        // UUIDs are equal in either case.
        (
            CSV_UUIDS,
            "x = '123e4567-e89b-12d3-a456-42661417400a'",
            "1 2",
        ),
        (
            CSV_UUIDS,
            "x = '123E4567-E89B-12D3-A456-42661417400A'",
            "1 2",
        ),
        (
            CSV_UUIDS,
            "x > '123E4567-E89B-12D3-A456-42661417400A'",
            "3 4",
        ),
        (
            CSV_UUIDS,
            "x in ('123E4567-E89B-12D3-A456-42661417400A', 'q')",
            "1 2 4",
        ),
        (
            JSON_DATES,
            "x = '123e4567-e89b-12d3-a456-42661417400a'",
            "4",
        ),
        // Numbers of JSON have a value, strings a spelling.
        (JSON_NUMBERS, "x = '1.5'", "2 3 4"),
        (JSON_NUMBERS, "x = '1.50'", "1 2 4"),
        (JSON_NUMBERS, "x <> '1.5'", "1 5 6"),
        (JSON_NUMBERS, "x = 1.5", "1 2 3 4"),
        (JSON_NUMBERS, "x < 'm'", "1 3"),
        (JSON_NUMBERS, "x = 'true'", "5"),
        (JSON_NUMBERS, "x = 'True'", ""),
        (JSON_NUMBERS, "x", "5"),
        (JSON_DATES, "x > 'm'", "2"),
        (JSON_DATES, "x < 'm'", "1 4"),
        (JSON_DATES, "x < 6", "3"),
        // A name in quotes is whole.
        (JSON_NAMES, "a.b = 1", "1"),
        (JSON_NAMES, "\"a.b\" = 1", "1"),
        (JSON_NAMES, "\"a\".\"b\" = 1", "2"),
        (JSON_NAMES, "a['b'] = 1", "2"),
    ] {
        let name = if input.starts_with('{') {
            "a.ndjson"
        } else {
            "a.csv"
        };
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let (text, frames) = (file(name), file("a.mbt"));
        std::fs::write(&text, input).unwrap();
        for rows in ["1", "2", "100"] {
            let cut = ["convert", "-q", "--frame-rows", rows, &text];
            text_of(".", &[&cut[..], &["--force", "-o", &frames]].concat());
            for source in [&cut[..], &["convert", "-q", &frames]] {
                let options = ["--to", "csv", "--columns", "n", "--where", condition];
                let found = text_of(".", &[source, &options].concat());
                let found: Vec<_> = found.lines().skip(1).collect();
                assert_eq!(found.join(" "), expected, "{source:?}: {condition}");
            }
        }
    }
}

/// Where the meaning of a condition depends on the frame, the answer is the same in all frames or an error.
#[test]
fn conditions_that_mean_several_things_are_refused() {
    let dates = "n,x\n1,05/02/2024\n2,13/02/2024\n3,other\n4,06/02/2024\n";
    let names = "{\"n\":1,\"a\":{\"b\":1}}\n{\"n\":2,\"a.b\":1}\n";
    for (input, condition, rows, expected) in [
        // Only row 2 shows which number is the month.
        (
            dates,
            "x >= '2024-02-10'",
            "1",
            Err("dates or times in the form %d/%m/%Y"),
        ),
        (
            dates,
            "x < '13/02/2024'",
            "1",
            Err("dates or times in the form %d/%m/%Y"),
        ),
        (dates, "x = '13/02/2024'", "1", Ok("2")),
        (dates, "x = '13/02/2024'", "100", Ok("2")),
        (dates, "x = 'other'", "1", Ok("3")),
        (dates, "x like '0%'", "1", Ok("1 4")),
        (names, "a.b = 1", "1", Err("a.b is a column in some frames")),
        (names, "a.b = 1", "100", Ok("2")),
        (names, "\"a.b\" = 1", "1", Ok("2")),
        (names, "a['b'] = 1", "1", Ok("1")),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let name = if input == names { "a.ndjson" } else { "a.csv" };
        std::fs::write(dir.path().join(name), input).unwrap();
        let options = ["convert", "-q", name, "--frame-rows", rows, "--to", "csv"];
        let options = [&options[..], &["--columns", "n", "--where", condition]].concat();
        let (found, error, code) = run_in(dir.path(), &options);
        match expected {
            Ok(numbers) => {
                let found = String::from_utf8(found).unwrap();
                let found: Vec<_> = found.lines().skip(1).collect();
                assert_eq!(
                    (&*found.join(" "), code),
                    (numbers, 0),
                    "{condition}: {error}"
                );
            }
            Err(what) => {
                assert_eq!(code, 2, "{condition}");
                assert!(error.contains(what), "{condition}: {error}");
            }
        }
    }
}

/// The column `$` is the row itself, also in frames of objects only, which have no such column.
#[test]
fn whole_rows_are_compared_in_frames_of_objects() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (text, frames) = (file("a.ndjson"), file("a.mbt"));
    std::fs::write(&text, "{\"a\":1}\n{\"a\":2}\n1\nnull\n\"x\"\n").unwrap();
    for (condition, expected) in [
        ("\"$\" is null", "null\n"),
        ("\"$\" is not null", "{\"a\":1}\n{\"a\":2}\n1\n\"x\"\n"),
        ("\"$\" = 1", "1\n"),
        ("\"$\" <> 1", "{\"a\":1}\n{\"a\":2}\n\"x\"\n"),
        ("\"$\" > 0", "1\n"),
    ] {
        for rows in ["1", "2", "100"] {
            let cut = ["convert", "-q", "--frame-rows", rows, &text];
            text_of(".", &[&cut[..], &["--force", "-o", &frames]].concat());
            for source in [&cut[..], &["convert", "-q", &frames]] {
                let options = ["--to", "ndjson", "--where", condition];
                let found = text_of(".", &[source, &options].concat());
                assert_eq!(found, expected, "{source:?}: {condition}");
            }
        }
    }
}
