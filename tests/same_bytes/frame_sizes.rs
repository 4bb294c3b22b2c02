//! The number of rows per frame never changes values, directly and through frames.

use super::trip::Trip;

/// Frames of one row, of a few and of many.
const SIZES: [&str; 3] = ["--frame-rows=1", "--frame-rows=2", "--frame-rows=1000"];

/// Converts a text with frames of all sizes, directly and through them. All results must be the same.
fn in_frames_of_all_sizes(trip: &Trip, name: &str, text: &[u8], options: &[&str]) -> Vec<u8> {
    let mut known: Option<Vec<u8>> = None;
    let shown = text.escape_ascii();
    for size in SIZES {
        let frames = trip.there_from(name, text, &[size]).unwrap();
        for (name, input, options) in [
            (name, text, &[options, &[size]].concat()[..]),
            ("frames.mbt", &frames, options),
        ] {
            let found = trip.convert(name, input, options).unwrap();
            let known = known.get_or_insert_with(|| found.clone());
            assert!(
                found == *known,
                "{name} {size} {options:?} of {shown}\n{}\nnot {}",
                found.escape_ascii(),
                known.escape_ascii()
            );
        }
    }
    known.unwrap()
}

/// Frames list their columns, so the header need not wait for the rows.
#[test]
fn late_keys_are_in_the_header() {
    let trip = Trip::new();
    let text = b"{\"a\":1}\n{\"a\":2,\"b\":3}\n{\"c\":1}\n";
    for (selection, expected) in [
        ("--where=true", "a,b,c\n1,,\n2,3,\n,,1\n"),
        ("--where=a = 1", "a,b,c\n1,,\n"),
        ("--where=c = 1", "a,b,c\n,,1\n"),
        ("--rows=0..1", "a,b,c\n1,,\n"),
        ("--rows=2..", "a,b,c\n,,1\n"),
        ("--columns=*", "a,b,c\n1,,\n2,3,\n,,1\n"),
        ("--threads=2", "a,b,c\n1,,\n2,3,\n,,1\n"),
    ] {
        let options = ["--to=csv", selection];
        let found = in_frames_of_all_sizes(&trip, "a.ndjson", text, &options);
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{selection}");
    }
    // Rows that are not objects have a column of their own.
    let found = in_frames_of_all_sizes(&trip, "a.ndjson", b"1\n[2]\n{\"a\":3}\n", &["--to=csv"]);
    assert_eq!(found, b"$\n1\n[2]\n\"{\"\"a\"\":3}\"\n");
}

/// In a frame, the column is one of strings or one of several kinds of values.
#[test]
fn a_string_among_other_values_is_a_cell_without_quotes() {
    let trip = Trip::new();
    for (text, expected) in [
        (
            "{\"a\":\"q\"}\n{\"a\":{\"b\":1}}\n{\"a\":1.50}\n{\"a\":\"1\"}\n",
            "a\nq\n\"{\"\"b\"\":1}\"\n1.50\n1\n",
        ),
        (
            "{\"a\":true}\n{\"a\":\"\"}\n{\"a\":null}\n{\"a\":\"x,\\\"y\\\"\"}\n",
            "a\ntrue\n\"\"\n\n\"x,\"\"y\"\"\"\n",
        ),
        (
            "{\"a\":[\"q\"]}\n{\"a\":\"2024-01-02\"}\n{\"a\":1e3}\n",
            "a\n\"[\"\"q\"\"]\"\n2024-01-02\n1e3\n",
        ),
    ] {
        let found = in_frames_of_all_sizes(&trip, "a.ndjson", text.as_bytes(), &["--to=csv"]);
        assert_eq!(String::from_utf8(found).unwrap(), expected);
    }
}

/// The values in an Arrow file of frames of all sizes; files differ in their batches.
fn in_arrow_of_all_sizes(trip: &Trip, text: &[u8], options: &[&str]) -> Vec<u8> {
    let mut known: Option<Vec<u8>> = None;
    for size in SIZES {
        let frames = trip.there_from("a.csv", text, &[size]).unwrap();
        let options = [&["--to=arrow"], options].concat();
        let of_text = [&options[..], &[size]].concat();
        let direct = trip.convert("a.csv", text, &of_text).unwrap();
        let through = trip.convert("frames.mbt", &frames, &options).unwrap();
        assert!(through == direct, "{size} {options:?}");
        assert!(
            !direct.windows(8).any(|at| at == b"mbt.type"),
            "{size} {options:?}"
        );
        let found = trip.convert("a.arrow", &direct, &["--to=csv"]).unwrap();
        let known = known.get_or_insert_with(|| found.clone());
        assert_eq!(
            found.escape_ascii().to_string(),
            known.escape_ascii().to_string(),
            "{size} {options:?}"
        );
    }
    known.unwrap()
}

#[test]
fn text_that_is_not_utf_8_is_bytes_in_arrow() {
    let trip = Trip::new();
    for (text, expected) in [
        (
            &b"a,n\nx,1\ny\xff,2\nz,3\n"[..],
            "a,n\n78,1\n79ff,2\n7a,3\n",
        ),
        // Values of other types are bytes of their text.
        (
            b"a,n\n1.50,1\nNA,2\n\xff,3\n007,4\n,5\n",
            "a,n\n312e3530,1\n4e41,2\nff,3\n303037,4\n,5\n",
        ),
    ] {
        let found = in_arrow_of_all_sizes(&trip, text, &[]);
        assert_eq!(String::from_utf8(found).unwrap(), expected);
        in_arrow_of_all_sizes(&trip, text, &["--where=n > 0"]);
    }
}

/// Whichever rows are kept, the column has the type of all rows of its frame.
#[test]
fn rows_of_text_that_is_not_utf_8_are_bytes_in_arrow() {
    let trip = Trip::new();
    let text = b"a,n\nx,1\ny\xff,2\nz,3\nNA,4\n";
    for size in SIZES {
        let frames = trip.there_from("a.csv", text, &[size]).unwrap();
        for rows in [
            "--rows=0..1",
            "--rows=1..2",
            "--rows=3..",
            "--where=a != 'x'",
        ] {
            let of_text = ["--to=arrow", rows, size];
            let direct = trip.convert("a.csv", text, &of_text).unwrap();
            let options = &of_text[..2];
            let through = trip.convert("frames.mbt", &frames, options).unwrap();
            assert!(through == direct, "{of_text:?}");
            assert!(
                !direct.windows(8).any(|at| at == b"mbt.type"),
                "{of_text:?}"
            );
        }
    }
}

/// Digits with leading zeros are text by their type, other cells by their values.
#[test]
fn words_for_null_among_padded_digits_are_the_same_in_arrow() {
    let trip = Trip::new();
    for (text, expected) in [
        ("a\n007\nNA\nxyz\nNA\n", "a\n007\nNA\nxyz\nNA\n"),
        ("a\nNA\n007\nNA\n0010\n", "a\nNA\n007\nNA\n0010\n"),
        ("a\n1\nNA\n007\nNA\n", "a\n1\nNA\n007\nNA\n"),
    ] {
        let found = in_arrow_of_all_sizes(&trip, text.as_bytes(), &[]);
        assert_eq!(String::from_utf8(found).unwrap(), expected);
    }
}

/// Such a frame is text, which must not make text of a column of numbers or dates.
#[test]
fn frames_of_nothing_but_words_for_null_do_not_change_types() {
    let trip = Trip::new();
    for text in [
        "a\nNA\nNA\n2024-01-02\n",
        "a\nNA\nNA\n9007199254740993\nNA\n2\n",
        "a\nNA\nNA\ntrue\nNA\n",
        "a\n12345678901234567890.25\nNA\nNA\n",
        "a\nNA\nNA\nx\n",
    ] {
        let found = in_arrow_of_all_sizes(&trip, text.as_bytes(), &[]);
        let expected = if text.contains('x') {
            text.to_owned()
        } else {
            text.replace("NA", "")
        };
        assert_eq!(String::from_utf8(found).unwrap(), expected);
    }
}
