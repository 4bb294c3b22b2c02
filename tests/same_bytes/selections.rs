//! Selections: one that keeps everything changes no byte, and rows kept by others have their original bytes. Text is
//! selected directly and through frames, with the same result.

use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::select;

use super::trip::Trip;

/// Frames of a few rows and of many.
const FRAMES: [&str; 2] = ["--frame-rows=2", "--frame-rows=1000"];

/// The result of a selection from a text, which must be the same on all routes.
fn selected(trip: &Trip, name: &str, text: &[u8], options: &[&str]) -> String {
    let format = name.rsplit('.').next().unwrap();
    let to = format!("--to={format}");
    let words = |more: &[&'static str]| -> Vec<String> {
        let words = options.iter().chain(more).map(|word| (*word).to_owned());
        words.chain([to.clone()]).collect()
    };
    let run = |name: &str, input: &[u8], more: &[&'static str]| {
        let words = words(more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let out = trip.convert(name, input, &words).unwrap();
        String::from_utf8(out).unwrap()
    };
    let direct = run(name, text, &["--threads=2"]);
    let shown = String::from_utf8_lossy(text);
    assert_eq!(
        run(name, text, &["--threads=1"]),
        direct,
        "{options:?} of {shown:?}"
    );
    for frame_rows in FRAMES {
        let frames = trip.there_from(name, text, &[frame_rows]).unwrap();
        let through = run("frames.mbt", &frames, &[]);
        assert_eq!(
            through, direct,
            "{options:?} of {shown:?} in frames {frame_rows}"
        );
        // Frames of the selection, made of the text and of its frames.
        for (name, input, frame_rows) in [
            (name, text, &[frame_rows][..]),
            ("frames.mbt", &frames, &[]),
        ] {
            let options = [&["--to=mbt"], options, frame_rows].concat();
            let of_rows = trip.convert(name, input, &options).unwrap();
            let later = String::from_utf8(trip.back(&of_rows, &[&to]).unwrap()).unwrap();
            assert_eq!(later, direct, "{shown:?} as {name} in frames {options:?}");
        }
    }
    direct
}

#[test]
fn a_selection_of_everything_changes_nothing() {
    let trip = Trip::new();
    for (name, text) in [
        // A byte order mark, CR LF, blank lines, unneeded quotes, no last newline.
        ("a.csv", "\u{feff}n;s\r\n1;\"x\"\r\n\r\n2; y\r\n3;z"),
        ("a.csv", "n,s\n1,\"a\"\"b\"\n2,\"c\nd\"\n\n\n"),
        ("a.csv", "n,s\n1,\n2,\"\"\n3,NA\n"),
        ("a.tsv", "n\ts\n1\t\"x\"\n2\t\n"),
        (
            "a.ndjson",
            "\n{\"n\": 1, \"s\":1.50}\n\n{\"s\":\"\\u00e9\",\"n\":2}\n{\"n\":3,\"s\":null}\n\n",
        ),
        ("a.ndjson", "{\"n\":1,\"s\":2}\r\n{\"n\":2,\"s\": 2}"),
        (
            "a.json",
            " [ {\"n\" : 1,\"s\":[ ]}, {\"n\":2,\"s\":[1,2]} ,{\"n\": 3,\"s\":null} ]  \n",
        ),
        (
            "a.json",
            "[\n  {\n    \"n\": 1,\n    \"s\": \"\"\n  },\n  {\n    \"n\": 2, \"s\": \"x\"\n  }\n]\n",
        ),
        (
            "a.json",
            "{\"n\": 1,\n \"s\": [1, 2]}\n{\"n\": 2,\n \"s\": []}",
        ),
    ] {
        let rows = text.matches('n').count();
        let end = format!("--rows=0..{}", rows + 9);
        for options in [
            &["--rows=0.."][..],
            &[&end],
            &["--where=n > 0"],
            &["--columns=n,s"],
            &["--where=n > 0", "--columns=n,s", "--rows=0.."],
        ] {
            assert_eq!(
                selected(&trip, name, text.as_bytes(), options),
                text,
                "{options:?}"
            );
        }
    }
}

/// Otherwise frames of few rows would be joined, and those of many rows divided.
#[test]
fn a_condition_that_every_row_meets_keeps_the_frames() {
    let trip = Trip::new();
    let cell = "0123456789abcdef".repeat(1 << 15);
    for (rows, cell, frames) in [(40, &*cell, 2), (70_000, "", 1)] {
        let mut text = "n,s\n".to_owned();
        for n in 0..rows {
            writeln!(text, "{n},{cell}").unwrap();
        }
        // Only a whole text has a hash after its last frame.
        let options = ["--to=mbt", "--exact=off"];
        let whole = trip.convert("a.csv", text.as_bytes(), &options).unwrap();
        let count = whole.windows(9).filter(|at| at == b"MATHLDBT\x02");
        assert_eq!(count.count(), frames);
        let all = ["--to=mbt", "--exact=off", "--where=n >= 0"];
        let of_text = trip.convert("a.csv", text.as_bytes(), &all).unwrap();
        assert!(of_text == whole, "{frames} frames of text");
        let of_frames = trip.convert("a.mbt", &whole, &all).unwrap();
        assert!(of_frames == whole, "{frames} frames");
    }
    let small = trip.there(b"n\n1\n2\n3\n", &["--frame-rows=2"]).unwrap();
    let all = trip.select(&small, "--where=n >= 0").unwrap();
    let count = all.windows(9).filter(|at| at == b"MATHLDBT\x02").count();
    assert_eq!(count, 2);
}

#[test]
fn the_ending_belongs_to_the_last_record() {
    let trip = Trip::new();
    let json = b"[{\"n\":1} , {\"n\":2}\t] \n";
    for (options, expected) in [
        ("--rows=0..2", "[{\"n\":1} , {\"n\":2}\t] \n"),
        ("--rows=1..2", "[{\"n\":2}\t] \n"),
        // The rest is not read.
        ("--rows=0..1", "[{\"n\":1}]"),
        ("--rows=0..0", "[]"),
        ("--rows=7..", "[\t] \n"),
    ] {
        assert_eq!(selected(&trip, "a.json", json, &[options]), expected);
    }
    let csv = b"n,s\n1,x\n2,y\n\n\n";
    for (options, expected) in [
        ("--rows=1..2", "n,s\n2,y\n\n\n"),
        ("--rows=0..1", "n,s\n1,x\n"),
        ("--rows=7..", "n,s\n\n\n"),
    ] {
        assert_eq!(selected(&trip, "a.csv", csv, &[options]), expected);
    }
}

#[test]
fn options_that_describe_the_input_keep_the_bytes_of_its_records() {
    let trip = Trip::new();
    let text = b"\xEF\xBB\xBFa;b\r\n1;\"x\"\r\n2;y\r\nNA;-\r\n";
    let record = "1;\"x\"\r\n";
    for (options, first) in [
        (&["--delimiter=;"][..], record),
        (&["--null=NA"], record),
        (&["--quote=\""], record),
        (&["--no-header", "--delimiter=;"], "a;b\r\n"),
    ] {
        let convert = |more: &[&str]| {
            let options = [options, &["--to=csv"], more].concat();
            trip.convert("a.csv", text, &options).unwrap()
        };
        assert_eq!(convert(&[]), text, "{options:?}");
        assert_eq!(convert(&["--rows=0.."]), text, "{options:?}");
        let kept = String::from_utf8(convert(&["--rows=1.."])).unwrap();
        let all = String::from_utf8(text.to_vec()).unwrap();
        assert_eq!(kept, all.replace(first, ""), "{options:?}");
    }
}

/// The end of a text is known only if all of it is read. Without it, rows on their own lines end like a text of lines.
#[test]
fn arrays_of_rows_end_as_their_text_does() {
    let trip = Trip::new();
    for (text, options, expected) in [
        (
            "[\n{\"a\":1},\n{\"a\":2}\n]",
            "--columns=a as b",
            "[\n{\"b\":1},\n{\"b\":2}\n]",
        ),
        (
            "[{\"a\":1},{\"a\":2}]\n",
            "--columns=a as b",
            "[{\"b\":1},{\"b\":2}]\n",
        ),
        (
            "[\n{\"a\":1},\n{\"a\":2}\n]\n",
            "--rows=..1",
            "[\n{\"a\":1}\n]\n",
        ),
        (
            "[\n{\"a\":1},\n{\"a\":2}\n]\n",
            "--where=a = 2",
            "[\n{\"a\":2}\n]\n",
        ),
    ] {
        let frames = trip.there_from("a.json", text.as_bytes(), &[]).unwrap();
        for (name, input) in [("a.json", text.as_bytes()), ("a.mbt", &frames)] {
            let found = trip.convert(name, input, &["--to=json", options]).unwrap();
            assert_eq!(
                String::from_utf8(found).unwrap(),
                expected,
                "{name} {options}"
            );
        }
    }
}

/// Frames in a file show how many rows there are, text does not.
#[test]
fn ranges_counted_from_the_end_end_alike_on_all_routes() {
    let trip = Trip::new();
    for (name, text) in [
        ("a.json", "[{\"a\":1},{\"a\":2},{\"a\":3}]\n"),
        ("a.json", "[\n{\"a\":1},\n{\"a\":2},\n{\"a\":3}\n]"),
        ("a.ndjson", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n\n"),
        ("a.csv", "a\n1\n2\n3"),
    ] {
        for options in [
            &["--rows=3..3"][..],
            &["--rows=3.."],
            &["--rows=2..2"],
            &["--rows=5..-2"],
            &["--rows=..-1"],
            &["--rows=..-3"],
            &["--rows=-2..", "--limit=2"],
            &["--rows=-2..", "--limit=1"],
            &["--rows=-2..-1"],
            &["--rows=-2.."],
        ] {
            selected(&trip, name, text.as_bytes(), options);
        }
    }
}

/// With --limit, mbt does not check whether later rows would pass a condition, unless the condition is always
/// true.
#[test]
fn the_last_row_keeps_the_ending_under_a_condition_that_is_always_true() {
    let trip = Trip::new();
    for (name, text) in [
        ("a.csv", "a,b\n1,2\n3,4\n\n\n"),
        ("a.json", "[{\"a\":1},\n {\"a\":2}]  \n\n"),
    ] {
        let to = format!("--to={}", name.rsplit('.').next().unwrap());
        let options = [&to, "--where=true", "--limit=2"];
        let found = trip.convert(name, text.as_bytes(), &options);
        assert_eq!(String::from_utf8(found.unwrap()).unwrap(), text);
    }
}

#[test]
fn columns_that_are_left_out_leave_the_style() {
    let trip = Trip::new();
    // The rows of the first frame are enough to detect the style.
    let csv = "\u{feff}a;b\r\n1;x\r\n2;z\r\n\r\n3;\"y\"\r\n";
    let json = "[\n  {\"a\": 1, \"b\":[ ]},\n  {\"a\": 2, \"b\": [1]}\n]\n";
    for (name, text, options, expected) in [
        ("a.csv", csv, "--columns=b", "b\r\nx\r\nz\r\ny\r\n"),
        (
            "a.csv",
            csv,
            "--columns=b,a",
            "b;a\r\nx;1\r\nz;2\r\ny;3\r\n",
        ),
        (
            "a.json",
            json,
            "--columns=b",
            "[\n  {\"b\": [ ]},\n  {\"b\": [1]}\n]\n",
        ),
    ] {
        assert_eq!(
            selected(&trip, name, text.as_bytes(), &[options]),
            expected,
            "{options}"
        );
    }
}

/// Rows to keep, and the options that keep them. Those by number do not end before the last row, so that the ending is
/// kept.
#[test]
fn a_style_of_single_columns_goes_with_them() {
    let trip = Trip::new();
    let text = "\"a\",b,\"c\"\n\"x\",1,\"7\"\n\"y\",2,\"8\"\n\"z\",3,\"9\"\n";
    for (columns, expected) in [
        ("b,a", "b,\"a\"\n1,\"x\"\n2,\"y\"\n3,\"z\"\n"),
        ("b", "b\n1\n2\n3\n"),
        ("c,b", "\"c\",b\n\"7\",1\n\"8\",2\n\"9\",3\n"),
    ] {
        let option = format!("--columns={columns}");
        assert_eq!(
            selected(&trip, "a.csv", text.as_bytes(), &[&option]),
            expected
        );
        // The condition needs a column that is omitted, after or between those that are not.
        let options = [&option[..], "--where=a != 'w' and b > 0 and c > 0"];
        let all = selected(&trip, "a.csv", text.as_bytes(), &options);
        assert_eq!(all, expected);
        let options = [&option[..], "--where=a != 'y' and c > 0"];
        let some = selected(&trip, "a.csv", text.as_bytes(), &options);
        assert_eq!(some.lines().count(), 3, "{some}");
        assert!(some.lines().all(|line| expected.contains(line)), "{some}");
    }
}

#[test]
fn columns_that_share_a_name_are_chosen_together_and_once() {
    let trip = Trip::new();
    for columns in [
        "--columns=-b",
        "--columns=a",
        "--columns=a*",
        "--columns=*,-b",
    ] {
        for condition in ["--where=b = 1", "--where=a is not null"] {
            let found = selected(&trip, "a.csv", b"b,a,a\n1,2,3\n", &[columns, condition]);
            assert_eq!(found, "a,a\n2,3\n", "{columns} {condition}");
        }
    }
}

#[test]
fn columns_are_chosen_by_number_range_and_pattern() {
    let trip = Trip::new();
    let csv = "id,\"x,y\",in_1,in_2,a..b\n1,2,3,4,5\n6,7,8,9,10\n";
    for (columns, expected) in [
        ("#3,id", "in_1,id\n3,1\n8,6\n"),
        ("\"x,y\"", "\"x,y\"\n2\n7\n"),
        ("`x,y`..in_1", "\"x,y\",in_1\n2,3\n7,8\n"),
        ("in_*,a..b", "in_1,in_2,a..b\n3,4,5\n8,9,10\n"),
        ("-in_?,-#2", "id,a..b\n1,5\n6,10\n"),
    ] {
        let option = format!("--columns={columns}");
        assert_eq!(
            selected(&trip, "a.csv", csv.as_bytes(), &[&option]),
            expected
        );
    }
    // Columns that appear late, and are missing in some frames.
    let rows = [
        "{\"id\":1}",
        "{\"id\":2}",
        "{\"id\":3,\"in_1\":3}",
        "{\"id\":4,\"in_2\":4,\"z\":0}",
    ];
    let json = rows.join("\n") + "\n";
    for (columns, expected) in [
        (
            "in_*,id",
            "{\"id\":1}\n{\"id\":2}\n{\"in_1\":3,\"id\":3}\n{\"in_2\":4,\"id\":4}\n",
        ),
        (
            "-z,-in_2",
            "{\"id\":1}\n{\"id\":2}\n{\"id\":3,\"in_1\":3}\n{\"id\":4}\n",
        ),
    ] {
        let option = format!("--columns={columns}");
        let found = selected(&trip, "a.ndjson", json.as_bytes(), &[&option]);
        assert_eq!(found, expected);
    }
}

#[test]
fn names_with_commas_and_colons_are_quoted_in_schemas() {
    let trip = Trip::new();
    let csv = b"\"x,y\",a:b\n1,2\n";
    let options = ["--to=ndjson", "--schema=\"x,y\":utf8,`a:b`:f64"];
    let out = trip.convert("a.csv", csv, &options).unwrap();
    assert_eq!(out, b"{\"x,y\":\"1\",\"a:b\":2.0}\n");
}

fn choice() -> impl Strategy<Value = (usize, usize, Vec<String>)> {
    let rows = (0..9usize).prop_map(|from| (from, usize::MAX, vec![format!("--rows={from}..")]));
    let condition = (0..9usize, 0..9usize)
        .prop_map(|(from, to)| (from, to, vec![format!("--where=n >= {from} and n < {to}")]));
    let both = (0..4usize, 0..4usize).prop_map(|(from, skip)| {
        let options = vec![format!("--where=n >= {from}"), format!("--rows={skip}..")];
        (from + skip, usize::MAX, options)
    });
    prop_oneof![rows, condition, both]
}

fn kept<T: Clone>(all: &[T], (from, to, _): &(usize, usize, Vec<String>)) -> Vec<(usize, T)> {
    let numbered = all.iter().cloned().enumerate();
    numbered.filter(|(at, _)| from <= at && at < to).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn records_of_csv_keep_their_bytes(
        mark: bool,
        records in proptest::collection::vec(
            (select(&["", "\n", "\r\n\r\n"][..]), select(&["x", "\"x\"", "", " y", "\"a,\"\"b\"", "\"c\nd\"", "7", "NA"][..]),
             select(&["\n", "\r\n"][..])),
            0..8,
        ),
        ending in select(&["", "\n", "\n\n"][..]),
        choice in choice(),
    ) {
        let head = if mark { "\u{feff}n,s\n" } else { "n,s\n" };
        let record = |(at, (before, cell, end)): (usize, (&str, &str, &str))| format!("{before}{at},{cell}{end}");
        let text: String = records.iter().copied().enumerate().map(record).collect();
        let text = format!("{head}{text}{ending}");
        let expected: String = kept(&records, &choice).into_iter().map(record).collect();
        let expected = format!("{head}{expected}{ending}");
        // A column that no record has cannot be compared.
        prop_assume!(!records.is_empty());
        let options: Vec<&str> = choice.2.iter().map(String::as_str).collect();
        prop_assert_eq!(selected(&Trip::new(), "a.csv", text.as_bytes(), &options), expected);
    }

    #[test]
    fn records_of_json_keep_their_bytes(
        head in select(&["[", " [ ", "[\n  ", "\u{feff}[\n"][..]),
        records in proptest::collection::vec(
            (select(&[",", ", ", ",\n  ", " , ", "\n,"][..]),
             select(&["{\"n\":#,\"s\":1}", "{\"n\": #, \"s\" :\"\\u00e9\"}", "{\"s\":null,\"n\":#}", "{\n\"n\":#}", "{\"n\":#,\"s\":[ 1.50]}"][..])),
            1..8,
        ),
        ending in select(&["]", " ]\n", "\n]\n\n"][..]),
        choice in choice(),
    ) {
        let text = |records: &[(usize, (&str, &str))]| {
            let mut text = head.to_owned();
            for (place, (at, (separator, value))) in records.iter().enumerate() {
                if place > 0 {
                    text += separator;
                }
                text += &value.replace('#', &at.to_string());
            }
            text + ending
        };
        let all: Vec<_> = records.iter().copied().enumerate().collect();
        let options: Vec<&str> = choice.2.iter().map(String::as_str).collect();
        prop_assert_eq!(
            selected(&Trip::new(), "a.json", text(&all).as_bytes(), &options),
            text(&kept(&records, &choice))
        );
    }

    #[test]
    fn records_of_ndjson_keep_their_bytes(
        records in proptest::collection::vec(
            (select(&["", "\n", " \n"][..]),
             select(&["{\"n\":#,\"s\":1}", "{\"n\": #, \"s\" :\"\\u00e9\"}", "{\"s\":null,\"n\":#}", " {\"n\":#}"][..]),
             select(&["\n", "\r\n", " \n"][..])),
            1..8,
        ),
        ending in select(&["", "\n"][..]),
        choice in choice(),
    ) {
        let record = |(at, (before, value, end)): (usize, (&str, &str, &str))| {
            let record = format!("{before}{}{end}", value.replace('#', &at.to_string()));
            // White space before the first record is the head of the text.
            if at == 0 { record.trim_start().to_owned() } else { record }
        };
        let (before, value, _) = records[0];
        let head: String = [before, value].concat().chars().take_while(|c| c.is_whitespace()).collect();
        let text: String = records.iter().copied().enumerate().map(record).collect();
        let text = head.clone() + &text;
        let expected: String = kept(&records, &choice).into_iter().map(record).collect();
        let expected = head + &expected;
        let options: Vec<&str> = choice.2.iter().map(String::as_str).collect();
        prop_assert_eq!(
            selected(&Trip::new(), "a.ndjson", (text + ending).as_bytes(), &options),
            expected + ending
        );
    }
}

/// Rows are values of a column `$` once some row is not an object; only rows of its block show that.
#[test]
fn whole_rows_of_json_keep_all_their_members() {
    let trip = Trip::new();
    let text = b"true\n{\"a\":1,\"b\":[2]}\n{\"c\":3}\n";
    for frame_rows in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=100"] {
        let frames = trip.there_from("a.ndjson", text, &[frame_rows]).unwrap();
        for columns in ["--columns=$", "--columns=*", "--columns=$,$.a as a"] {
            let direct = trip
                .convert("a.ndjson", text, &["--to=ndjson", columns, frame_rows])
                .unwrap();
            let through = trip
                .convert("frames.mbt", &frames, &["--to=ndjson", columns])
                .unwrap();
            assert_eq!(
                direct.escape_ascii().to_string(),
                through.escape_ascii().to_string(),
                "{columns} {frame_rows}"
            );
            let shown = String::from_utf8(direct).unwrap();
            assert!(
                shown.contains("{\"a\":1,\"b\":[2]}") && shown.contains("{\"c\":3}"),
                "{shown}"
            );
        }
    }
}

/// Rows with ever new keys are stored whole, in one column of their frame.
#[test]
fn columns_and_conditions_look_into_whole_rows() {
    let trip = Trip::new();
    let mut text = String::from("{\"id\":0}\n{\"id\":1}\n");
    for id in 2..2_600 {
        writeln!(text, "{{\"id\":{id},\"key{id}\":{id}}}").unwrap();
    }
    let lines =
        |row: &dyn Fn(u32) -> Option<String>| -> String { (0..2_600).filter_map(row).collect() };
    let ids = lines(&|id| Some(format!("{{\"id\":{id}}}\n")));
    assert_eq!(
        selected(&trip, "rows.ndjson", text.as_bytes(), &["--columns=id"]),
        ids
    );
    let late = ["--columns=id", "--where=id >= 2598"];
    let expected = "{\"id\":2598}\n{\"id\":2599}\n";
    assert_eq!(
        selected(&trip, "rows.ndjson", text.as_bytes(), &late),
        expected
    );
    // Joined with frames that have the column.
    let few = trip
        .there_from("few.ndjson", b"{\"id\":-1}\n", &[])
        .unwrap();
    let many = trip
        .there_from("rows.ndjson", text.as_bytes(), &[])
        .unwrap();
    let joined = [few, many].concat();
    let options = ["--columns=id", "--to=ndjson"];
    let found = trip.convert("joined.mbt", &joined, &options).unwrap();
    assert_eq!(
        String::from_utf8(found).unwrap(),
        format!("{{\"id\":-1}}\n{ids}")
    );
}

/// Frames with a longer record have columns that the header lacks.
#[test]
fn longer_records_leave_the_header_of_flexible_text() {
    let trip = Trip::new();
    for header in ["a,b", "\"a\",b"] {
        let text = format!("{header}\n1,2\n3,4,5\n6,\"7\"\n");
        let of_rows = |rows: &str| format!("{header}\n{rows}");
        for (options, expected) in [
            ("--rows=1..", of_rows("3,4,5\n6,\"7\"\n")),
            ("--rows=2..", of_rows("6,\"7\"\n")),
            ("--rows=-2..", of_rows("3,4,5\n6,\"7\"\n")),
            ("--where=a > 3", of_rows("6,\"7\"\n")),
            ("--where=a = 3", of_rows("3,4,5\n")),
            ("--where=a > 0", text.clone()),
        ] {
            for frame_rows in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=9"] {
                let text = text.as_bytes();
                let flexible = ["--flexible", frame_rows];
                let to = ["--flexible", frame_rows, options, "--to=csv"];
                let direct = trip.convert("a.csv", text, &to).unwrap();
                let frames = trip.there_from("a.csv", text, &flexible).unwrap();
                let through = trip.back(&frames, &[options, "--to=csv"]).unwrap();
                for out in [direct, through] {
                    let out = String::from_utf8(out).unwrap();
                    assert_eq!(out, expected, "{options} {frame_rows}");
                }
            }
        }
    }
}

#[test]
fn a_byte_order_mark_opens_no_line() {
    let trip = Trip::new();
    let text = "\u{feff}1,2\n3,4\n";
    for (options, expected) in [
        (&["--rows=0..1"][..], "\u{feff}1,2\n"),
        (&["--columns=#1,#2"], text),
        (&["--delimiter=,"], text),
        (&[], text),
    ] {
        let options = [&["--no-header", "--to=csv"], options].concat();
        let out = trip.convert("a.csv", text.as_bytes(), &options).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{options:?}");
    }
}
