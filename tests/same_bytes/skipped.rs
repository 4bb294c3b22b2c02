//! Lines that options exclude from a table are restored with the whole text, and nowhere else.

use proptest::prelude::*;

use super::trip::Trip;

/// A text, the options that read it, and the text of its table alone.
const TEXTS: [(&str, &str, &[&str], &str); 10] = [
    (
        "a.csv",
        "Report of 2024;\"draft\r\n\r\nid;name\r\n1;x\r\n2;\"y\"\r\n",
        &["--skip-lines=2"],
        "id;name\r\n1;x\r\n2;\"y\"\r\n",
    ),
    (
        "a.csv",
        "# made by a \"program\n\nid,name\n# one\n1,x\n\n#\"two,\n# three\n2,\"#y\"\n3,z # no comment\n# end",
        &["--comment=#"],
        "\nid,name\n1,x\n\n2,\"#y\"\n3,z # no comment\n",
    ),
    (
        "a.csv",
        "sep=;\r\na;b\r\n1,5;2\r\n",
        &[],
        "sep=;\r\na;b\r\n1,5;2\r\n",
    ),
    (
        "a.csv",
        "\u{feff}by hand\nSEP=|\n% c\na|b\n% d\n1|2\n",
        &["--skip-lines=1", "--comment=%"],
        "\u{feff}SEP=|\na|b\n1|2\n",
    ),
    (
        "a.tsv",
        "1\tx\n#\t\n2\ty\n",
        &["--comment=#", "--no-header"],
        "1\tx\n2\ty\n",
    ),
    (
        "a.tsv",
        "##version=4\n##x=\"1\t2\n#id\tn\n1\t#\n## between\n#2\t\"##y\"\n#\t##z\n",
        &["--comment=##"],
        "#id\tn\n1\t#\n#2\t\"##y\"\n#\t##z\n",
    ),
    (
        "a.csv",
        "-- one\n-1,-\n-2,\"--\"\n--\n-3,--x\n",
        &["--comment=--", "--no-header"],
        "-1,-\n-2,\"--\"\n-3,--x\n",
    ),
    ("a.csv", "a\n1\n#\n\n3\n", &["--comment=#"], "a\n1\n\n3\n"),
    ("a.csv", "# only\n", &["--comment=#"], ""),
    (
        "a.csv",
        "x\ra,b\r! c\r1,2\r",
        &["--skip-lines=1", "--comment=!"],
        "a,b\r1,2\r",
    ),
];

fn to(name: &str) -> String {
    format!("--to={}", name.split_once('.').unwrap().1)
}

/// Options that interpret the text but exclude nothing from it.
fn reading<'a>(options: &[&'a str]) -> Vec<&'a str> {
    let skips = |option: &&&str| !option.starts_with("--skip") && !option.starts_with("--comment");
    options.iter().filter(skips).copied().collect()
}

#[test]
fn what_is_left_out_comes_back_with_the_whole_text_only() {
    let trip = Trip::new();
    for (name, text, options, table) in TEXTS {
        for more in [
            &[][..],
            &["--frame-rows=1"],
            &["--frame-rows=2", "--threads=1"],
        ] {
            let options = [options, more].concat();
            let frames = trip.there_from(name, text.as_bytes(), &options).unwrap();
            let back = trip.back(&frames, &[]).unwrap();
            assert_eq!(String::from_utf8_lossy(&back), text, "{options:?}");
            let direct = trip.convert(
                name,
                text.as_bytes(),
                &[&options, &[&*to(name)][..]].concat(),
            );
            if !options.contains(&"--no-header") {
                assert_eq!(
                    String::from_utf8_lossy(&direct.unwrap()),
                    table,
                    "{options:?}"
                );
            }
            // Other formats cannot store it.
            for target in [
                &["--to=ndjson"][..],
                &["--to=json"],
                &["--to=arrow"],
                &["--to=mbt", "--wire=1"],
            ] {
                let direct = trip
                    .convert(name, text.as_bytes(), &[&options, target].concat())
                    .unwrap();
                let through = trip.back(&frames, target).unwrap();
                assert!(direct == through, "{target:?} {options:?} {text}");
                let same = trip
                    .there_from(name, table.as_bytes(), &reading(&options))
                    .unwrap();
                assert!(
                    through == trip.back(&same, target).unwrap(),
                    "{target:?} {table}"
                );
            }
        }
    }
}

#[test]
fn selections_are_those_of_the_table_alone() {
    let trip = Trip::new();
    for (name, text, options, table) in TEXTS {
        let condition = match name {
            "a.tsv" => "--where=column_1 <> 1",
            _ if table.contains("id") => "--where=id <> 1",
            _ => "--where=a <> '1'",
        };
        for selection in [
            "--rows=1..",
            "--rows=-1..",
            condition,
            "--limit=1",
            "--columns=#1",
        ] {
            let selection = [selection];
            let frames = trip.there_from(name, text.as_bytes(), options).unwrap();
            let alone = trip
                .there_from(name, table.as_bytes(), &reading(options))
                .unwrap();
            let Ok(expected) = trip.back(&alone, &selection) else {
                continue;
            };
            let expected = String::from_utf8_lossy(&expected).into_owned();
            let found = trip.back(&frames, &selection).unwrap();
            assert_eq!(
                String::from_utf8_lossy(&found),
                expected,
                "{selection:?} {text}"
            );
            let selected = trip.select(&frames, selection[0]).unwrap();
            let found = trip.back(&selected, &[]).unwrap();
            assert_eq!(
                String::from_utf8_lossy(&found),
                expected,
                "{selection:?} {text}"
            );
            let options = [options, &selection].concat();
            let frames = trip.there_from(name, text.as_bytes(), &options).unwrap();
            let found = trip.back(&frames, &[]).unwrap();
            assert_eq!(
                String::from_utf8_lossy(&found),
                expected,
                "{selection:?} {text}"
            );
        }
    }
}

/// Cells that the options for reading would take for comments are quoted in every style.
#[test]
fn cells_that_look_like_comments_are_quoted_on_all_routes() {
    let trip = Trip::new();
    for (name, text, options, to) in TEXTS.iter().flat_map(|&(name, text, options, _)| {
        [
            &["--to=csv", "--exact=off"][..],
            &["--to=tsv", "--exact=off"],
        ]
        .map(|to| (name, text, options, to))
    }) {
        let direct = trip.convert(name, text.as_bytes(), &[options, to].concat());
        let frames = trip.there_from(name, text.as_bytes(), options).unwrap();
        let through = trip.convert("a.mbt", &frames, to).unwrap();
        let [direct, through] = [direct.unwrap(), through].map(|it| String::from_utf8(it).unwrap());
        assert_eq!(direct, through, "{text:?} {to:?}");
    }
    let text = b"# x\nid,tag\n1,#c\n";
    let tsv = trip.convert("a.csv", text, &["--comment=#", "--to=tsv"]);
    assert_eq!(tsv.unwrap(), b"id\ttag\n1\t\"#c\"\n");
}

#[test]
fn small_frames_have_the_style_of_the_table_after_its_comments() {
    let trip = Trip::new();
    let text = "# one\r\n# two\r\n\r\n\"a\";\"b\"\r\n# three\r\n\"x\";\"y\"\r\n\"p\";\"q\"\r\n";
    for rows in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=100"] {
        let options = ["--from=csv", "--comment=#", rows];
        let frames = trip.there(text.as_bytes(), &options).unwrap();
        let found = trip.back(&frames, &["--columns=b,a"]).unwrap();
        let expected = "\"b\";\"a\"\r\n\"y\";\"x\"\r\n\"q\";\"p\"\r\n";
        assert_eq!(String::from_utf8_lossy(&found), expected, "{rows}");
    }
}

/// More than a block of lines that are not records, in CSV and JSON.
#[test]
fn long_runs_of_skipped_lines_come_back_where_they_were() {
    let trip = Trip::new();
    let comments = "# a comment\n\n".repeat(25_000);
    let blank = "\n".repeat(300_000);
    let spaced = ["{\"b\":2,\"a\":1}\n", "{\"a\":1,\"b\": 2}\n"];
    for (format, run, head, records) in [
        ("--from=csv", &comments, "a,b\n", ["1,\"x\"\n", "2,y\n"]),
        ("--from=csv", &blank, "a,b\n", ["1,x\n", "2,y\n"]),
        ("--from=ndjson", &blank, "", spaced),
    ] {
        let [one, two] = records;
        let before = format!("{run}{head}{one}{two}");
        let after = format!("{head}{run}{one}{two}{run}");
        let between = format!("{head}{one}{run}{two}{run}{one}");
        for (text, sizes) in [
            (before, &["100"][..]),
            (after, &["1", "100"]),
            (between, &["1", "100"]),
        ] {
            for rows in sizes {
                let rows = format!("--frame-rows={rows}");
                let mut options = vec![format, "--comment=#", &rows];
                options.retain(|option| format == "--from=csv" || *option != "--comment=#");
                let frames = trip.there(text.as_bytes(), &options).unwrap();
                assert!(
                    trip.back(&frames, &[]).unwrap() == text.as_bytes(),
                    "{options:?}"
                );
                let all = trip.back(&frames, &["--where=true"]).unwrap();
                let kept = if run == &comments {
                    text.replace("# a comment\n", "")
                } else {
                    text.clone()
                };
                assert!(all == kept.as_bytes(), "{options:?} --where");
            }
        }
    }
}

/// The delimiter is detected from a part of the text, which starts after the comments.
#[test]
fn the_delimiter_is_found_after_long_comments() {
    let trip = Trip::new();
    let text = "# a, b\n".repeat(20_000) + "a;b\n1;x\n";
    let options = ["--from=csv", "--comment=#"];
    let frames = trip.there(text.as_bytes(), &options).unwrap();
    assert!(trip.back(&frames, &[]).unwrap() == text.as_bytes());
    let rows = trip.back(&frames, &["--to=ndjson"]).unwrap();
    assert_eq!(String::from_utf8_lossy(&rows), "{\"a\":1,\"b\":\"x\"}\n");
}

/// As in the `csv` crate, whose records end with any of CR and LF.
#[test]
fn lines_of_carriage_returns_are_not_records() {
    let trip = Trip::new();
    let text = b"\r\r\na,b\n1,x\n\r\r\n\r\n2,y\n\r\r\n";
    for options in [
        &["--from=csv"][..],
        &["--from=csv", "--flexible", "--frame-rows=1"],
    ] {
        let frames = trip.there(text, options).unwrap();
        assert_eq!(trip.back(&frames, &[]).unwrap(), text);
        let second = trip.back(&frames, &["--rows=1..2", "--to=ndjson"]).unwrap();
        assert_eq!(String::from_utf8_lossy(&second), "{\"a\":2,\"b\":\"y\"}\n");
    }
}

#[test]
fn mistakes_have_a_place_and_a_hint() {
    let trip = Trip::new();
    let error = trip
        .there(b"a\nb\n", &["--from=csv", "--skip-lines=3"])
        .unwrap_err();
    assert!(error.to_string().contains("lower --skip-lines"), "{error}");
    let error = trip.there(
        b"x\n# \"\na,b\n# c\n1\n",
        &["--from=csv", "--skip-lines=1", "--comment=#"],
    );
    assert!(
        error
            .as_ref()
            .is_err_and(|error| error.to_string().contains("text:5:1")),
        "{error:?}"
    );
    for mark in [
        "--comment=,",
        "--comment=a",
        "--comment=\"",
        "--comment=-",
        "--comment=#,",
        "--comment=########",
    ] {
        let error = trip
            .there(b"a\n", &["--from=csv", "--delimiter=,", mark])
            .unwrap_err();
        assert_eq!(error.exit_code(), 2, "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn comments_anywhere_change_no_value(
        records in prop::collection::vec(
            (prop::sample::select(&["1", "\"#x\"", "y#", "\"a\nb\"", "\"#\n#c\"", "é"][..]),
             prop::sample::select(&["2", "#z", "\"#,\"", "\"q\"\"\"", ""][..]),
             prop::collection::vec(prop::sample::select(&["#\n", "# \"it's\", one\n", "#,\n", "\n"][..]), 0..3)),
            0..12),
        last in prop::sample::select(&["", "#", "# end\n"][..]),
        frame_rows in 1usize..4,
    ) {
        let trip = Trip::new();
        let (mut text, mut table) = (String::from("# head\na,b\n"), String::from("a,b\n"));
        for (one, other, lines) in &records {
            text += &lines.concat();
            let record = format!("{one},{other}\n");
            text += &record;
            table += &record;
        }
        text += last;
        let rows = format!("--frame-rows={frame_rows}");
        let options = ["--from=csv", "--comment=#", &rows];
        let frames = trip.there(text.as_bytes(), &options).unwrap();
        prop_assert_eq!(String::from_utf8(trip.back(&frames, &[]).unwrap()).unwrap(), text);
        let json = trip.back(&frames, &["--to=ndjson"]).unwrap();
        let alone = trip.there(table.as_bytes(), &["--from=csv", &rows]).unwrap();
        prop_assert_eq!(json, trip.back(&alone, &["--to=ndjson"]).unwrap());
    }
}
