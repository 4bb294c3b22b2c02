//! The number of rows per frame never changes values, directly and through frames.

use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use proptest::prelude::*;
use proptest::sample::select;

use mbt::{Error, Kind};

use super::trip::Trip;

/// Frames of one row, of a few and of many.
const SIZES: [&str; 3] = ["--frame-rows=1", "--frame-rows=2", "--frame-rows=1000"];

/// Converts a text with frames of all sizes, directly and through them. All results must be the same, or all
/// conversions fail.
fn alike_in_frames_of_all_sizes(
    trip: &Trip,
    name: &str,
    text: &[u8],
    options: &[&str],
) -> Result<Vec<u8>, Error> {
    let mut known: Option<Result<Vec<u8>, Error>> = None;
    let shown = |found: &Result<Vec<u8>, Error>| match found {
        Ok(bytes) => bytes.escape_ascii().to_string(),
        // Of two columns that are missing, either may be named.
        Err(error) => match error.message().split_once("there is no") {
            Some((option, _)) => option.to_owned(),
            None => error.message().clone(),
        },
    };
    for size in SIZES {
        let frames = trip.there_from(name, text, &[size]).unwrap();
        for (name, input, options) in [
            (name, text, &[options, &[size]].concat()[..]),
            ("frames.mbt", &frames, options),
        ] {
            let found = trip.convert(name, input, options);
            let first = known.as_ref().unwrap_or(&found);
            assert_eq!(
                shown(&found),
                shown(first),
                "{name} {size} {options:?} of {}",
                text.escape_ascii()
            );
            known.get_or_insert(found);
        }
    }
    known.unwrap()
}

/// Like [`alike_in_frames_of_all_sizes`]; no conversion may fail.
fn in_frames_of_all_sizes(trip: &Trip, name: &str, text: &[u8], options: &[&str]) -> Vec<u8> {
    alike_in_frames_of_all_sizes(trip, name, text, options).unwrap()
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

/// Headers of frames show that no row has the path, whatever else is selected with it.
#[test]
fn a_path_that_no_row_has_is_an_error_beside_patterns() {
    let trip = Trip::new();
    let text = b"{\"u\":{\"age\":1},\"v\":2}\n{\"u\":{\"age\":3},\"v\":4}\n";
    for columns in ["u.typo", "*,u.typo", "#1,u.typo", "-v,u.typo"] {
        let selection = format!("--columns={columns}");
        let found =
            alike_in_frames_of_all_sizes(&trip, "a.ndjson", text, &["--to=csv", &selection]);
        assert_eq!(found.unwrap_err().kind(), Kind::Usage, "{columns}");
    }
    let found =
        in_frames_of_all_sizes(&trip, "a.ndjson", text, &["--to=csv", "--columns=-u,u.age"]);
    assert_eq!(String::from_utf8(found).unwrap(), "v,u.age\n2,1\n4,3\n");
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

/// Frames of one cell have other types than one text with all of them.
#[test]
fn columns_of_cells_have_the_types_of_the_whole_text_in_arrow() {
    let trip = Trip::new();
    for (cells, expected) in [
        ("-0 x", "-0 x"),
        ("1e+300 true", "1e+300 true"),
        ("inf 2024-01-01", "inf 2024-01-01"),
        ("007 inf", "007 inf"),
        ("007 12", "007 12"),
        ("yes True", "yes True"),
        ("true TRUE", "true true"),
        ("1 18446744073709551615", "1 18446744073709551615"),
        ("-5 18446744073709551615", "-5 18446744073709551615"),
        ("2.5 9007199254740993", "2.5 9007199254740993.0"),
        ("1.50 2", "1.5 2.0"),
        ("1e5 7", "100000.0 7.0"),
        ("2024-01-01 01/13/2024", "2024-01-01 01/13/2024"),
        ("2024-01-01 5", "2024-01-01 5"),
    ] {
        let text = format!("a\n{}\n", cells.replace(' ', "\n"));
        let found = in_arrow_of_all_sizes(&trip, text.as_bytes(), &[]);
        let expected = format!("a\n{}\n", expected.replace(' ', "\n"));
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{cells}");
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

/// Digits with leading zeros are text, so words for null in their column are text as well.
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

/// A frame that has only words for null is text, but it must not turn a column of numbers or dates into text.
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

/// Whether rows and values have columns of their own or are kept whole depends on the other rows of their frame.
#[test]
fn paths_lead_into_values_that_are_kept_whole() {
    let trip = Trip::new();
    let rows =
        "{\"a\":1}\n7\n{\"b\":2,\"a\":null}\n{\"c\":{\"d\":[{\"e\":5},2]}}\n{\"a\":{\"b\":3}}\n";
    for (options, expected) in [
        (
            &["--columns=a"][..],
            "{\"a\":1}\n{}\n{\"a\":null}\n{}\n{\"a\":{\"b\":3}}\n",
        ),
        (&["--columns=a", "--where=a = 1"], "{\"a\":1}\n"),
        (
            &["--columns=b", "--where=a is null and b = 2"],
            "{\"b\":2}\n",
        ),
        (&["--columns=a.b", "--where=a.b > 2"], "{\"a.b\":3}\n"),
        (
            &["--columns=c.d[-1] as x,c", "--where=c.d[0].e = 5"],
            "{\"x\":2,\"c\":{\"d\":[{\"e\":5},2]}}\n",
        ),
        (
            &["--columns=c.d[0].e,b", "--rows=1..3"],
            "{\"c.d[0].e\":null}\n{\"c.d[0].e\":null,\"b\":2}\n",
        ),
    ] {
        let options = [&["--to=ndjson"], options].concat();
        let found = in_frames_of_all_sizes(&trip, "a.ndjson", rows.as_bytes(), &options);
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{options:?}");
    }

    // Objects with repeated keys are kept as text.
    let values =
        "{\"v\":{\"x\":1,\"y\":{\"z\":\"p\"}}}\n{\"v\":{\"x\":2,\"x\":3}}\n{\"v\":[{\"x\":4}]}\n";
    for (options, expected) in [
        (
            &["--columns=v.x,v[0].x,v.y.z"][..],
            "v.x,v[0].x,v.y.z\n1,,p\n3,,\n,4,\n",
        ),
        (&["--columns=v.x", "--where=v.x >= 3"], "v.x\n3\n"),
        (&["--columns=v.x", "--where=v.y.z = 'p'"], "v.x\n1\n"),
        (&["--columns=v[0].x", "--where=v[0].x = 4"], "v[0].x\n4\n"),
    ] {
        let options = [&["--to=csv"], options].concat();
        let found = in_frames_of_all_sizes(&trip, "a.ndjson", values.as_bytes(), &options);
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{options:?}");
    }
}

/// A frame that has only objects is printed as if it had all rows of the text.
#[test]
fn rows_that_are_not_objects_make_whole_rows_of_all() {
    let trip = Trip::new();
    let text = b"{\"a\":1}\n{\"a\":2}\n7\n{\"b\":3}\n";
    let csv = "$\n\"{\"\"a\"\":1}\"\n\"{\"\"a\"\":2}\"\n7\n\"{\"\"b\"\":3}\"\n";
    let rows = "{\"$\":{\"a\":1}}\n{\"$\":{\"a\":2}}\n{\"$\":7}\n{\"$\":{\"b\":3}}\n";
    for (options, expected) in [
        (&["--to=csv"][..], csv),
        (&["--to=csv", "--columns=*"], csv),
        (&["--to=csv", "--columns=$"], csv),
        (
            &["--to=ndjson", "--columns=$,b"],
            &rows.replace(":3}}", ":3},\"b\":3}"),
        ),
    ] {
        let found = in_frames_of_all_sizes(&trip, "a.ndjson", text, options);
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{options:?}");
    }
    let objects = trip.convert("a.ndjson", b"{\"a\":1}\n", &["--to=csv", "--columns=$"]);
    assert!(objects.is_err());
}

/// What an Arrow file of the text contains, as JSON.
fn in_arrow(trip: &Trip, name: &str, text: &[u8], options: &[&str]) -> String {
    let arrow = trip.convert(name, text, &[&["--to=arrow"], options].concat());
    let json = trip.convert("a.arrow", &arrow.unwrap(), &["--to=ndjson"]);
    String::from_utf8(json.unwrap()).unwrap()
}

/// Strings of JSON are no words for null and no numbers, whatever other rows contain.
#[test]
fn values_of_json_keep_their_kind_in_arrow() {
    let trip = Trip::new();
    for text in [
        "{\"v\":\"NA\"}\n{\"v\":5}\n{\"v\":\"7\"}\n{\"v\":null}\n",
        "{\"v\":\"7\"}\n{\"v\":[1]}\n{\"v\":[\"NA\"]}\n{\"v\":true}\n{\"v\":{\"x\":1}}\n",
        "{\"v\":[\"007\"]}\n{\"v\":[8]}\n{\"v\":[\"2024-01-02\"]}\n{\"v\":[\"\"]}\n",
        "{\"v\":{\"x\":\"\"}}\n{\"v\":{\"x\":5}}\n{\"v\":{\"x\":2.5}}\n{\"v\":{\"x\":[2]}}\n",
        "{\"v\":0.1}\n{\"v\":\"x\"}\n{\"v\":12345678901234567.25}\n",
    ] {
        for size in SIZES {
            for frames in [false, true] {
                let (name, input, options) = if frames {
                    let frames = trip.there_from("a.ndjson", text.as_bytes(), &[size]);
                    ("frames.mbt", frames.unwrap(), &[][..])
                } else {
                    ("a.ndjson", text.as_bytes().to_vec(), &[size][..])
                };
                let found = in_arrow(&trip, name, &input, options);
                let of_numbers = |json: &str| json.replace("5.0}", "5}").replace("0.10", "0.1");
                assert_eq!(of_numbers(&found), text, "{name} {size}");
            }
        }
    }
}

/// The type of the only column of an Arrow file.
fn arrow_type(trip: &Trip, name: &str, input: &[u8], options: &[&str]) -> DataType {
    let options = [&["--to=arrow"], options].concat();
    let arrow = trip.convert(name, input, &options).unwrap();
    let reader = StreamReader::try_new(&arrow[..], None).unwrap();
    reader.schema().field(0).data_type().clone()
}

/// A few objects, as in a small last frame, look like maps or like structs by chance.
#[test]
fn whether_keys_are_data_depends_on_all_objects() {
    let trip = Trip::new();
    let json = |members: Vec<String>| format!("{{\"v\":{{{}}}}}\n", members.join(","));
    let sparse = |row| {
        let member = |at| format!("\"w{:03}\":{row}", (row * 7 + at * 191) % 600);
        json((0..3).map(member).collect())
    };
    let dense = |row| {
        let value = |at| if at % 2 == 0 { row } else { at };
        let member = |at| format!("\"k{at}\":{}.{}", value(at), at % 2 * 5);
        json((0..66).map(member).collect())
    };
    let years = |row| {
        let member = |year| format!("\"{year}\":{row}");
        json((2015..2019).map(member).collect())
    };
    let texts: [(Vec<String>, bool); 3] = [
        ((0..43).map(sparse).collect(), true),
        ((0..43).map(dense).collect(), false),
        ((0..43).map(years).collect(), false),
    ];
    for (rows, is_map) in texts {
        let text = rows.concat();
        let whole = arrow_type(&trip, "a.ndjson", text.as_bytes(), &[]);
        assert_eq!(matches!(whole, DataType::Map(..)), is_map, "{whole}");
        for size in ["--frame-rows=1", "--frame-rows=42"] {
            let frames = trip.there_from("a.ndjson", text.as_bytes(), &[size]);
            let (frames, text) = (frames.unwrap(), text.as_bytes());
            assert_eq!(
                arrow_type(&trip, "frames.mbt", &frames, &[]),
                whole,
                "{size}"
            );
            assert_eq!(
                arrow_type(&trip, "a.ndjson", text, &[size]),
                whole,
                "{size}"
            );
            let values = |json: String| -> Vec<serde_json::Value> {
                let rows = json.lines().map(serde_json::from_str);
                rows.collect::<Result<_, _>>().unwrap()
            };
            let found = values(in_arrow(&trip, "frames.mbt", &frames, &[]));
            assert!(found == values(rows.concat()), "{size}");
        }
    }
}

/// JSON values; objects and arrays have at most one member.
fn value() -> impl Strategy<Value = &'static str> {
    select(
        &[
            "1",
            "7",
            "2.50",
            "\"7\"",
            "\"NA\"",
            "\"\"",
            "\"2024-01-02\"",
            "true",
            "null",
            "{}",
            "{\"x\":3}",
            "{\"x\":\"q\"}",
            "{\"x\":1,\"x\":4}",
            "{\"x\":{\"y\":5}}",
            "[]",
            "[1]",
            "[{\"x\":6}]",
        ][..],
    )
}

/// Cells that have many types in frames of their own.
const CELLS: &[&str] = &[
    "1",
    "10",
    "4.50",
    "-3",
    "007",
    "1e3",
    "-inf",
    "Infinity",
    "x",
    "abc",
    "",
    "true",
    "Yes",
    "2024-01-02",
    "2024-11-12",
    "12:30:00",
    "8d8ac610-566d-4ef0-9c22-186b2a5ed793",
];

/// Cells of which some are equal although they are spelled differently.
const PAIRED_CELLS: &[&str] = &[
    "5",
    "5.0",
    "5e0",
    "007",
    "7",
    "x",
    "X",
    "",
    "true",
    "Yes",
    "yes",
    "no",
    "2024-01-02",
    "2024-01-02 00:00:00",
    "12:30",
    "12:30:00",
    "8d8ac610-566d-4ef0-9c22-186b2a5ed793",
    "8D8AC610-566D-4EF0-9C22-186B2A5ED793",
];

/// Whether a condition suits a column depends on the type of all its rows.
#[test]
fn conditions_that_suit_no_frame_may_suit_the_column() {
    let trip = Trip::new();
    let csv = "n,a\n0,2024-01-02\n1,5\n";
    let pairs = "n,a,b\n0,2024-01-02,5\n1,5,x\n2,7,7.0\n3,Yes,true\n";
    let dates = "n,a,b\n0,31/01/2024,31/01/2024\n1,29/02/2024,31/01/2024\n2,x,31/01/2024\n";
    let id = "8d8ac610-566d-4ef0-9c22-186b2a5ed793";
    let ids = format!(
        "{{\"n\":0,\"a\":\"{}\",\"b\":\"{id}\"}}\n{{\"n\":1,\"a\":\"x\",\"b\":\"x\"}}\n\
         {{\"n\":2,\"a\":\"x\",\"b\":\"{id}\"}}\n",
        id.to_uppercase()
    );
    let ids = &ids[..];
    let kinds = "{\"n\":0,\"a\":5,\"b\":\"5\"}\n{\"n\":1,\"a\":2,\"b\":2.0}\n\
        {\"n\":2,\"a\":\"2024-01-02\",\"b\":\"2024-01-02\"}\n{\"n\":3,\"a\":true,\"b\":false}\n";
    let json = "{\"n\":0,\"a\":\"2024-01-02\"}\n{\"n\":1,\"a\":{}}\n";
    for (name, text, condition, expected) in [
        ("a.csv", csv, "a = 'x'", Some("")),
        ("a.csv", csv, "a <> 'x'", Some("0\n1\n")),
        ("a.csv", csv, "a = 5", Some("1\n")),
        ("a.csv", csv, "a", None),
        ("a.csv", "n,a\n0,7\n1,5\n", "a = 'x'", None),
        ("a.csv", "n,a\n0,2024-01-02\n1,2024-01-03\n", "a = 5", None),
        ("a.csv", "n,a\n0,2024-01-02\n1,x\n", "a = 5", None),
        ("a.csv", pairs, "a <> b", Some("0\n1\n")),
        ("a.csv", pairs, "a = b", Some("2\n3\n")),
        ("a.csv", dates, "a <> b", Some("1\n2\n")),
        (
            "a.csv",
            "n,a\n0,-inf\n1,-7\n2,3\n3,foo\n",
            "a < -5",
            Some("0\n1\n"),
        ),
        (
            "a.csv",
            "n,a\n0,5\n1,x\n2,y\n",
            "a in (5, 'x')",
            Some("0\n1\n"),
        ),
        ("a.csv", "n,a,b\n0,x,5\n1,y,6\n", "a = b", None),
        (
            "a.csv",
            "n,a,b\n0,2024-01-02,5\n1,2024-01-03,6\n",
            "a <> b",
            None,
        ),
        ("a.ndjson", ids, "a = b", Some("0\n1\n")),
        ("a.ndjson", kinds, "a = b", Some("1\n2\n")),
        ("a.ndjson", kinds, "a >= b", Some("1\n2\n3\n")),
        ("a.ndjson", json, "a <> '2024-01-02'", Some("1\n")),
        ("a.ndjson", json, "a = 'x'", Some("")),
        ("a.ndjson", json, "a = 5", None),
    ] {
        let options = ["--to=csv", "--columns=n", &format!("--where={condition}")];
        let found = alike_in_frames_of_all_sizes(&trip, name, text.as_bytes(), &options);
        let found = found.map(|it| String::from_utf8(it).unwrap());
        let expected = expected.map(|rows| format!("n\n{rows}"));
        assert_eq!(found.ok(), expected, "{condition} in {text}");
    }
}

/// `$` is a column of whole rows only if some rows are not objects.
#[test]
fn a_key_like_the_column_of_whole_rows_is_null_where_it_is_missing() {
    let trip = Trip::new();
    let text = b"{\"a\":1,\"b\":2}\n{\"$\":3,\"a\":4}\n{\"c\":5}\n";
    for (columns, expected) in [
        ("*", "$,a,b,c\n,1,2,\n3,4,,\n,,,5\n"),
        ("-a", "$,b,c\n,2,\n3,,\n,,5\n"),
        ("b,$", "b,$\n2,\n,3\n,\n"),
        ("$ as r,b", "r,b\n,2\n3,\n,\n"),
    ] {
        let options = [&*format!("--columns={columns}"), "--to=csv"];
        let found = in_frames_of_all_sizes(&trip, "a.ndjson", text, &options);
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{columns}");
    }
}

/// Absent keys stay absent in a selection, also that of the empty key.
#[test]
fn absent_keys_of_any_name_stay_absent() {
    let trip = Trip::new();
    for key in ["x", "", "$", "a.b"] {
        let text = format!("{{\"{key}\":1,\"b\":1}}\n{{\"b\":2}}\n{{\"{key}\":null,\"b\":3}}\n");
        let expected =
            format!("{{\"b\":1,\"{key}\":1}}\n{{\"b\":2}}\n{{\"b\":3,\"{key}\":null}}\n");
        let options = [&*format!("--columns=b,\"{key}\""), "--to=ndjson"];
        let found = in_frames_of_all_sizes(&trip, "a.ndjson", text.as_bytes(), &options);
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{key:?}");
    }
}

/// The punctuation of a file is that of its first 64 KiB, however few rows a frame has.
fn cells_in_frames_of_all_sizes(trip: &Trip, text: &str, options: &[&str]) -> Option<String> {
    let (name, to) = ("a.csv", &["--to=csv", "--exact=off"][..]);
    let mut known: Option<Option<String>> = None;
    for size in SIZES {
        let direct = [options, &[size], to].concat();
        let direct = trip.convert(name, text.as_bytes(), &direct).ok();
        let frames = [options, &[size]].concat();
        let frames = trip.there_from(name, text.as_bytes(), &frames).ok();
        let through = frames.map(|frames| trip.convert("frames.mbt", &frames, to).unwrap());
        for found in [direct, through] {
            let found = found.map(|found| String::from_utf8(found).unwrap());
            let known = known.get_or_insert_with(|| found.clone());
            assert_eq!(&found, known, "{size} {options:?} of {text:?}");
        }
    }
    known.unwrap()
}

#[test]
fn punctuation_does_not_depend_on_the_size_of_frames() {
    let trip = Trip::new();
    for (text, options, expected) in [
        // The second row shows that a backslash escapes quotes.
        (
            "a,b\nx,1\n\"p\\\"q\",2\n",
            &[][..],
            Some("a,b\nx,1\n\"p\"\"q\",2\n"),
        ),
        (
            "a;b;c,d\n1;2;3,4\n5;6,7\n",
            &[],
            Some("a;b;c,d\n1;2;3,4\n5;6,7\n"),
        ),
        (
            "a\tb\tc\n0x2A\tx\n0x1F\tx\ta\n",
            &["--flexible"],
            Some("a,b,c\n0x2A,x,\n0x1F,x,a\n"),
        ),
    ] {
        let found = cells_in_frames_of_all_sizes(&trip, text, options);
        assert_eq!(found.as_deref(), expected, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn selections_of_json_are_the_same_in_frames_of_all_sizes(
        rows in proptest::collection::vec((value(), proptest::option::of(value()), 0..12), 1..8),
    ) {
        let trip = Trip::new();
        let row = |(at, (a, b, kind)): (usize, &(&str, Option<&str>, i32))| match (kind, b) {
            (0, _) => format!("{a}\n"),
            (_, Some(b)) => format!("{{\"n\":{at},\"a\":{a},\"b\":{b}}}\n"),
            (_, None) => format!("{{\"n\":{at},\"a\":{a}}}\n"),
        };
        let text: String = rows.iter().enumerate().map(row).collect();
        for selection in [
            "--columns=a",
            "--columns=b as c,a",
            "--columns=n,a.x,b[0].x",
            "--where=a > 1",
            "--where=a = '7'",
            "--where=a = 'x'",
            "--where=a in (7, 'q')",
            "--where=a < '2024-06-01'",
            "--where=a.x >= 3",
            "--where=a.x <> 'q'",
            "--where=b is null",
            "--where=a = b",
            "--where=a <> b",
            "--where=a < b.x",
            "--where=a like '%A%'",
            "--where=not a",
        ] {
            for to in ["--to=csv", "--to=ndjson"] {
                let _ = alike_in_frames_of_all_sizes(&trip, "a.ndjson", text.as_bytes(), &[to, selection]);
            }
        }
    }

    #[test]
    fn cells_are_the_same_in_frames_of_all_sizes(
        pieces in proptest::collection::vec(
            select(vec![
                "1", "x", "\"", "\"\"", "\\\"", "\\", "\t", ";", ",", ",", "\n", "\n", "\r\n", "\"a\"", "\r", "|",
                "\"x,y\"", " ", "0x2A",
            ]),
            1..24,
        ),
        is_flexible in any::<bool>(),
    ) {
        let text = format!("a,b\n{}", pieces.concat());
        // Longer records would give later frames more columns than the header of CSV has.
        let options: &[&str] = if is_flexible { &["--flexible", "--columns=a,b"] } else { &[] };
        cells_in_frames_of_all_sizes(&Trip::new(), &text, options);
    }

    #[test]
    fn conditions_on_cells_are_the_same_in_frames_of_all_sizes(
        cells in proptest::collection::vec(
            select(CELLS),
            1..9,
        ),
    ) {
        let trip = Trip::new();
        let text = format!("v,n\n{},1\n", cells.join(",1\n"));
        for condition in [
            "v > '4.5'",
            "v = '7'",
            "v <> '10'",
            "v in ('1', 'x')",
            "v between '2' and '5'",
            "v > 'b'",
            "v = 'x'",
            "v = 'true'",
            "v = '8d8ac610-566d-4ef0-9c22-186b2a5ed793'",
            "v in (10, 'x')",
            "v < 5",
            "v > 'inf'",
            "v",
            "v >= '2024-05-01'",
            "v like '1%'",
        ] {
            let condition = format!("--where={condition}");
            let options = ["--to=csv", &condition];
            let _ = alike_in_frames_of_all_sizes(&trip, "a.csv", text.as_bytes(), &options);
        }
    }

    #[test]
    fn conditions_on_two_columns_are_the_same_in_frames_of_all_sizes(
        rows in proptest::collection::vec((select(PAIRED_CELLS), select(PAIRED_CELLS)), 1..9),
    ) {
        let trip = Trip::new();
        let rows: Vec<_> = rows.iter().map(|(a, b)| format!("{a},{b},1\n")).collect();
        let text = format!("a,b,n\n{}", rows.concat());
        for condition in ["a = b", "a <> b", "a < b", "a >= b"] {
            let condition = format!("--where={condition}");
            let options = ["--to=csv", &condition];
            let _ = alike_in_frames_of_all_sizes(&trip, "a.csv", text.as_bytes(), &options);
        }
    }
}
