//! Small texts with edge cases.

use super::trip::Trip;

#[test]
fn odd_texts_come_back() {
    let trip = Trip::new();
    for (text, options) in [
        // A header that is not UTF-8, without records.
        (&b"\x80"[..], &["--from=csv", "--flexible"][..]),
        // A column that appears after the first frame.
        (b"\\\n,,", &["--from=csv", "--flexible", "--frame-rows=1"]),
        (
            b"a\n1\n1,2\n1,2,3\n",
            &["--from=csv", "--flexible", "--frame-rows=1"],
        ),
        // Rows of several kinds, and a patch in addition to a single column of values.
        (b"{\"a\":1}\n\"a\"", &["--from=ndjson"]),
        (b"[\"\x7f\\u007f\"]", &["--from=json"]),
        (b"", &["--from=csv"]),
        (b"=", &["--from=csv"]),
        (b"=\n1\n", &["--from=csv"]),
        (b"", &["--from=json"]),
        (b"\n\n", &["--from=ndjson"]),
        (b"[]", &["--from=json"]),
        (b"[ ]\n", &["--from=json"]),
        (b"{}", &["--from=json"]),
        (b"[{},{}]", &["--from=json"]),
        (b"\xef\xbb\xbf", &["--from=csv"]),
        (b"a,b", &["--from=csv"]),
        (b"a,b\r\n\r\n", &["--from=csv"]),
        // Words for null in quotes.
        (b"a\n5\n\"NA\"\nNA\n6\n", &["--from=csv"]),
        (b"\"a\"\n\"5\"\n\"NA\"\n\"6\"\n", &["--from=csv"]),
        (b"a,b\n5,1\n\"NA\",NA\n6,2\n", &["--from=csv", "--null=NA"]),
        (b"7", &["--from=json"]),
    ] {
        assert!(trip.same_or_refused(text, options), "{text:?}");
    }
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    let trip = Trip::new();
    for (text, place) in [
        ("{\"a\":1}\n{\"a\":}\n", "text:2:6"),
        ("[1,2", "text:1:5"),
        ("{\"a\":1} x", "text:1:9"),
    ] {
        let error = trip.there(text.as_bytes(), &["--from=json"]).unwrap_err();
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[test]
fn frames_of_a_selection_keep_the_bytes_of_its_records() {
    let trip = Trip::new();
    // A byte order mark is not part of the style, and one quoted cell needs a patch.
    let csv = b"\xef\xbb\xbfa,b\r\n1,x\r\n2,\"y\"\r\n3,z\r\n";
    let frames = trip.there(csv, &["--from=csv", "--frame-rows=1"]).unwrap();
    let json = br#"[{"a":1,"b":[ ]},{"a":2,"b":[1]},{"a": 3,"b":[2]}]"#;
    let objects = trip
        .there(json, &["--from=json", "--frame-rows=1"])
        .unwrap();
    for (frames, options, expected) in [
        (&frames, "--columns=b", "b\r\nx\r\ny\r\nz\r\n"),
        (
            &frames,
            "--where=a > 1",
            "\u{feff}a,b\r\n2,\"y\"\r\n3,z\r\n",
        ),
        // Frames selected by number keep only the style.
        (&frames, "--frames=1..", "a,b\r\n2,y\r\n3,z\r\n"),
        (&frames, "--rows=2..", "\u{feff}a,b\r\n3,z\r\n"),
        (&objects, "--columns=a", r#"[{"a":1},{"a":2},{"a":3}]"#),
        (
            &objects,
            "--rows=1..",
            r#"[{"a":2,"b":[1]},{"a": 3,"b":[2]}]"#,
        ),
        (&objects, "--frames=2..", r#"[{"a":3,"b":[2]}]"#),
    ] {
        let selected = trip.select(frames, options).unwrap();
        let back = trip.back(&selected, &[]).unwrap();
        assert_eq!(String::from_utf8(back).unwrap(), expected, "{options}");
    }
}

/// Files written before styles had names and before metadata could contain patches, with their texts.
const BEFORE: [(&[u8], &[u8]); 3] = [
    (
        include_bytes!("before/patched.csv.mbt"),
        include_bytes!("before/patched.csv"),
    ),
    (
        include_bytes!("before/cut.csv.mbt"),
        include_bytes!("before/cut.csv"),
    ),
    (
        include_bytes!("before/orders.json.mbt"),
        include_bytes!("before/orders.json"),
    ),
];

#[test]
fn texts_of_older_files_come_back() {
    let trip = Trip::new();
    for (frames, text) in BEFORE {
        let text = String::from_utf8_lossy(text);
        let back = |frames: &[u8]| {
            let back = trip.back(frames, &[]).unwrap();
            String::from_utf8(back).unwrap()
        };
        assert_eq!(back(frames), text);
        // A rewritten file has the new form.
        let again = trip.select(frames, "--preset=small").unwrap();
        assert_eq!(back(&again), text);
        assert!(again.len() < frames.len());
    }
}

/// Files written when patches in metadata were packed into bits, with their texts.
const PACKED: [(&[u8], &[u8]); 2] = [
    (
        include_bytes!("before/packed.csv.mbt"),
        include_bytes!("before/packed.csv"),
    ),
    (
        include_bytes!("before/packed.json.mbt"),
        include_bytes!("before/packed.json"),
    ),
];

#[test]
fn patches_that_drafts_packed_into_bits_are_read() {
    let trip = Trip::new();
    for (frames, text) in PACKED {
        assert_eq!(trip.back(frames, &[]).unwrap(), text);
        let again = trip.select(frames, "--preset=small").unwrap();
        assert_eq!(trip.back(&again, &[]).unwrap(), text);
    }
}

#[test]
fn text_that_is_no_table_is_kept_line_by_line() {
    let trip = Trip::new();
    let line = |at: usize| {
        let words = [
            "one",
            "\"two",
            "three,",
            "four",
            ",five",
            "six\"",
            "seven",
            "eight,\",",
        ];
        let word = |place: usize| {
            words[(at * at + at * place * 3 + place * place) * 2_654_435_761 % 0xffff % 8]
        };
        (0..2 + at % 7).map(word).collect::<Vec<_>>().join(" ") + ["\n", "\r\n"][at % 29 / 28]
    };
    let text: String = (0..2000).map(line).collect::<String>() + "no end,";
    let options = ["--from=csv", "--flexible", "--no-header"];
    let frames = trip.there(text.as_bytes(), &options).unwrap();
    assert_eq!(trip.back(&frames, &[]).unwrap(), text.as_bytes());
    // Values are quoted only as needed.
    let rows = trip.back(&frames, &["--exact=off", "--to=ndjson"]).unwrap();
    let lines = String::from_utf8(rows).unwrap();
    let first = |row: &str| {
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(row).unwrap();
        row["column_1"].as_str().unwrap().to_owned()
    };
    // An unterminated record is a separate block.
    let lines = lines.lines().map(first).take(2000);
    assert!(lines.eq(text.split('\n').take(2000)));
}
