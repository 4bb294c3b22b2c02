//! The same result on every route: text to a format gives the same bytes as text to frames to that format, and a
//! selection that keeps everything changes nothing.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_schema::Fields;
use arrow_select::concat::concat_batches;
use proptest::prelude::*;
use proptest::sample::select;

use super::trip::Trip;

/// Targets of a text, as options of `mbt convert`.
const TARGETS: [&[&str]; 6] = [
    &["--to=csv"],
    &["--to=tsv"],
    &["--to=json"],
    &["--to=ndjson"],
    &["--to=arrow"],
    &["--to=mbt", "--wire=1"],
];

/// Selections that keep everything.
const SELECTIONS: [&str; 1] = ["--rows=0.."];

/// Converts a text directly and through frames; both give the same bytes, or both refuse.
pub fn same_on_both_routes(trip: &Trip, name: &str, text: &[u8], options: &[&str]) {
    if let Ok(frames) = trip.there_from(name, text, options) {
        same_through(&frames, trip, name, text, options, &[]);
    }
}

/// Converts a text directly and from its frames, both with the options of a selection: both give the same
/// bytes, or both refuse. The frames were made with `options`.
pub fn same_through(
    frames: &[u8],
    trip: &Trip,
    name: &str,
    text: &[u8],
    options: &[&str],
    selection: &[&str],
) {
    let shown = String::from_utf8_lossy(&text[..text.len().min(400)]);
    for target in TARGETS {
        let direct = trip.convert(name, text, &[target, selection, options].concat());
        let through = trip.convert("frames.mbt", frames, &[target, selection].concat());
        match (direct, through) {
            (Ok(direct), Ok(through)) => assert!(
                direct == through,
                "{target:?} {selection:?} {options:?}\n{shown}\ndirect: {}\nthrough frames: {}",
                String::from_utf8_lossy(&direct),
                String::from_utf8_lossy(&through)
            ),
            (Err(_), Err(_)) => {}
            (direct, through) => panic!(
                "{target:?} {selection:?} {options:?}\n{shown}\ndirect: {:?}\nthrough frames: {:?}",
                direct.err(),
                through.err()
            ),
        }
    }
}

#[test]
fn routes_agree_on_every_kind_of_column() {
    let trip = Trip::new();
    for (name, text) in [
        (
            "a.csv",
            "p,q,z,b,e,n\n1.50,a,007,Yes,1e5,1\n2.25,b,010,No,2e5,NA\n",
        ),
        // No single type spells these cells.
        (
            "a.csv",
            "m,b,t\n1.50,True,2024-01-02T03:04:05Z\n2,false,2024-01-02 03:04:05Z\n2.5,TRUE,\n",
        ),
        ("a.csv", "a,b\n1,NA\n2.50,-\n3,\"\"\n,x\n"),
        ("a.csv", "a\nNA\n-\n\n"),
        (
            "a.csv",
            "a,b\r\n12345678901234567890.50,18446744073709551615\r\n1.5,1\r\n",
        ),
        ("a.csv", "a,b\n0.1,1e400\n0.30000000000000004,2\n"),
        (
            "a.tsv",
            "d\tt\tu\n31/01/2024\t10:00\t123E4567-E89B-12D3-A456-426614174000\n",
        ),
        // Types that widen from frame to frame.
        ("a.csv", "a\n1\n2\n3\n4.5\n5\n6\n"),
        ("a.csv", "a\n1\n2\n3\n4\nabc\n007\n"),
        ("a.csv", "a\n001\n002\n3\n4\n"),
        ("a.csv", "a\n1.50\n2.25\n3.125\n4\n"),
        ("a.csv", "a\nNA\n2\nNA\nxyz\n"),
        ("a.csv", "a\n\"1\"\n2\n\"x,y\"\n\" 3\"\n"),
        (
            "a.ndjson",
            "{\"a\":1.50,\"b\":{\"c\":[1,2.5]}}\n{\"a\":2,\"b\":null}\n",
        ),
        (
            "a.ndjson",
            "{\"a\":\"2024-01-02\",\"b\":\"007\",\"c\":true}\n{\"a\":\"x\",\"c\":1}\n",
        ),
        ("a.ndjson", "{\"a\":1}\n7\n[1,2]\n"),
        (
            "a.json",
            "[ {\"a\" : 1, \"b\":\"\"}, {\"b\":[1, {\"c\":null}], \"a\": null} ]  \n",
        ),
        ("a.json", "{\"a\": 1,\n \"b\": [1, 2]}"),
    ] {
        for options in [
            &[][..],
            &["--frame-rows=2"],
            &["--frame-rows=1", "--threads=1"],
        ] {
            same_on_both_routes(&trip, name, text.as_bytes(), options);
        }
    }
}

#[test]
fn text_to_the_same_format_is_the_same_text() {
    let trip = Trip::new();
    for (name, text, to) in [
        ("a.csv", "\u{feff}a;b\r\n1;\"x\"\r\n\r\n2; y", "--to=csv"),
        ("a.csv", "a,b\n1.50,\"2\"\n007,NA\n", "--to=csv"),
        ("a.tsv", "a\tb\n1\t\"x\"\n", "--to=tsv"),
        (
            "a.ndjson",
            "{\"b\": 1, \"a\":1.50}\n\n{\"a\":\"\\u00e9\"}",
            "--to=ndjson",
        ),
        (
            "a.json",
            "[ {\"a\" : 1}, {\"b\":[1,2], \"a\": null} ]  \n",
            "--to=json",
        ),
    ] {
        let same = trip.convert(name, text.as_bytes(), &[to]);
        // A semicolon is not the default delimiter, but the text is still CSV.
        assert_eq!(String::from_utf8_lossy(&same.unwrap()), text, "{to}");
        for selection in SELECTIONS {
            let same = trip.convert(name, text.as_bytes(), &[to, selection]);
            assert_eq!(
                String::from_utf8_lossy(&same.unwrap()),
                text,
                "{to} {selection}"
            );
        }
    }
}

fn cell() -> impl Strategy<Value = &'static str> {
    select(
        &[
            "",
            "0",
            "1",
            "-7",
            "007",
            "42",
            "1.5",
            "1.50",
            "2.0",
            "1e5",
            "NA",
            "-",
            "x",
            "true",
            "True",
            "no",
            "yes",
            "2024-01-02",
            "2024-01-02T03:04:05Z",
            "\"\"",
            "\"a,b\"",
            "\"1\"",
            "9007199254740993",
            "12345678901234567890",
            "0.1",
            "1e400",
            "nan",
            "NaN",
            "é",
        ][..],
    )
}

/// Cells of one kind each.
const KINDS: [&[&str]; 6] = [
    &["1", "2", "30", "NA"],
    &["1.50", "2.25", "0.10"],
    &["1.5", "2", "3.25"],
    &["007", "010", "999"],
    &["True", "False"],
    &["2024-01-02", "2024-12-31"],
];

/// A column of one kind with an occasional outlier.
fn column() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![
        proptest::collection::vec(cell(), 8),
        select(&KINDS[..]).prop_flat_map(|kind| {
            let cell = prop_oneof![12 => select(kind), 1 => cell()];
            proptest::collection::vec(cell, 8)
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn routes_agree_on_random_tables(
        columns in proptest::collection::vec(column(), 1..4),
        frame_rows in select(&["--frame-rows=1", "--frame-rows=3", "--frame-rows=100"][..]),
        threads in select(&["--threads=1", "--threads=2"][..]),
    ) {
        let mut text = (0..columns.len()).map(|at| format!("c{at}")).collect::<Vec<_>>().join(",");
        text.push('\n');
        for row in 0..8 {
            let cells: Vec<_> = columns.iter().map(|column| column[row]).collect();
            text += &cells.join(",");
            text.push('\n');
        }
        let trip = Trip::new();
        same_on_both_routes(&trip, "a.csv", text.as_bytes(), &[frame_rows, threads]);
    }
}

/// A table of random cells of a few kinds, whose first column is the number of the row.
fn table() -> impl Strategy<Value = String> {
    let cells = prop_oneof![
        select(&["x", "NA", "Na", "", "07", "12", "2024-01-02"][..]),
        select(&["7", "1.50", "2.5", "1e5", "\"7\""][..]),
        select(&["Yes", "No", "true", "false"][..]),
    ];
    proptest::collection::vec(proptest::collection::vec(cells, 2), 1..9).prop_map(|rows| {
        let rows = rows.into_iter().enumerate();
        let rows = rows.map(|(at, cells)| format!("{at},{}\n", cells.join(",")));
        format!("n,a,b\n{}", rows.collect::<String>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Rows that are selected are lines of the whole output, directly, from frames, and by way of frames made of them.
    #[test]
    fn selected_rows_are_those_of_the_whole_output(
        text in table(),
        frame_rows in select(&["--frame-rows=2", "--frame-rows=3", "--frame-rows=100"][..]),
        from in 0_usize..4,
        len in 0_usize..6,
    ) {
        let trip = Trip::new();
        let lines = |name: &str, input: &[u8], options: &[&str]| -> Vec<String> {
            let out = trip.convert(name, input, &[&["--to=ndjson"], options].concat()).unwrap();
            String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
        };
        let frames = trip.there_from("a.csv", text.as_bytes(), &[frame_rows]).unwrap();
        let whole = lines("a.csv", text.as_bytes(), &[frame_rows]);
        let to = (from + len).min(whole.len());
        let expected = &whole[from.min(to)..to];
        let by_number = format!("--rows={from}..{}", from + len);
        let by_condition = format!("--where=n >= {from}");
        let limit = format!("--limit={len}");
        for selection in [&[&by_number[..]][..], &[&by_condition, &limit]] {
            for (name, input, options) in [
                ("a.csv", text.as_bytes(), &[frame_rows][..]),
                ("frames.mbt", &frames, &[]),
            ] {
                let options = [selection, options].concat();
                prop_assert_eq!(&lines(name, input, &options), expected, "{:?} {}", options, name);
                let of_rows = trip.convert(name, input, &[&["--to=mbt"], &options[..]].concat());
                let later = lines("frames.mbt", &of_rows.unwrap(), &[]);
                prop_assert_eq!(&later, expected, "{:?} {} in frames", options, name);
            }
        }
        let back = 1 + len % 3;
        let end = whole.len().saturating_sub(back);
        let but_last = format!("--rows={from}..-{back}");
        let later = lines("a.csv", text.as_bytes(), &[frame_rows, &but_last]);
        prop_assert_eq!(&later, &whole[from.min(end)..end], "{}", but_last);
    }
}

/// All rows of an input as one Arrow batch.
fn arrow(trip: &Trip, name: &str, input: &[u8], options: &[&str]) -> RecordBatch {
    let bytes = trip.convert(name, input, &[&["--to=arrow"], options].concat());
    let bytes = bytes.expect("Arrow");
    let reader = StreamReader::try_new(&bytes[..], None).expect("an Arrow stream");
    let schema = reader.schema();
    let batches: Vec<_> = reader.map(|batch| batch.expect("a batch")).collect();
    concat_batches(&schema, &batches).expect("batches of one schema")
}

fn fields_of(rows: &RecordBatch) -> Fields {
    rows.schema_ref().fields().clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Selected rows and columns have the types of the whole input, even if the frames that decide a type
    /// have none of these rows.
    #[test]
    fn selected_rows_have_the_types_of_all_rows(
        text in table(),
        frame_rows in select(&["--frame-rows=1", "--frame-rows=3", "--frame-rows=100"][..]),
        from in 0_usize..4,
        len in 0_usize..6,
    ) {
        let trip = Trip::new();
        let arrow = |name, input: &[u8], options: &[&str]| arrow(&trip, name, input, options);
        let whole = fields_of(&arrow("a.csv", text.as_bytes(), &[]));
        let frames = trip.there_from("a.csv", text.as_bytes(), &[frame_rows]).unwrap();
        let by_number = format!("--rows={from}..{}", from + len);
        let by_condition = format!("--where=n >= {from}");
        let limit = format!("--limit={len}");
        let last = format!("--rows=-{len}..");
        let sample = format!("--sample={len}");
        for selection in [&[&by_number[..]][..], &[&by_condition, &limit], &[&last], &[&sample]] {
            let direct = arrow("a.csv", text.as_bytes(), &[&[frame_rows], selection].concat());
            prop_assert_eq!(&fields_of(&direct), &whole, "{:?}", selection);
            let through = arrow("frames.mbt", &frames, selection);
            prop_assert_eq!(through, direct, "{:?}", selection);
        }
        let first = arrow("frames.mbt", &frames, &["--frames=0..1"]);
        prop_assert_eq!(&fields_of(&first), &whole);
        let selection = ["--columns=b as x,n", &by_condition];
        let direct = arrow("a.csv", text.as_bytes(), &[&[frame_rows], &selection[..]].concat());
        let renamed = [whole[2].as_ref().clone().with_name("x"), whole[0].as_ref().clone()];
        prop_assert_eq!(&fields_of(&direct), &Fields::from(renamed.to_vec()));
        prop_assert_eq!(arrow("frames.mbt", &frames, &selection), direct);
    }
}

/// A column with a few of the cells whose meaning depends on the other cells.
fn ambiguous() -> impl Strategy<Value = Vec<&'static str>> {
    let some = proptest::sample::subsequence(&AMBIGUOUS[..], 1..4);
    some.prop_flat_map(|cells| proptest::collection::vec(select(cells), 5))
}

/// Values of JSON of one kind each.
const JSON_KINDS: [&[&str]; 13] = [
    &["1", "-7", "30", "null"],
    &["1", "-5", "9223372036854775807", "18446744073709551615"],
    &["44.1", "44", "2.50", "1e5", "\"x\""],
    &["0.25", "1.75", "12345678901234567.25"],
    &[
        "\"2024-01-02T03:04:05Z\"",
        "\"2024-01-02T03:04:05.5Z\"",
        "\"2024-01-02T03:04:05.500Z\"",
        "\"2024-01-02 03:04:05 UTC\"",
    ],
    &[
        "\"123e4567-e89b-12d3-a456-426614174000\"",
        "\"123E4567-E89B-12D3-A456-426614174000\"",
    ],
    &["\"2024-01-02\"", "\"13/05/2024\"", "\"\"", "true"],
    &["\"05/05/2024\"", "\"13/05/2024\"", "\"01/02/2024\""],
    &["\"9:30\"", "\"10:30\"", "\"10:45\"", "\"NA\""],
    &["\"May 1, 2024\"", "\"March 2, 2024\""],
    &[
        "1e400",
        "1.50",
        "12345678901234567890",
        "\"x\"",
        "[1e400]",
        "[true]",
    ],
    &["[]", "[1,2.5]", "[\"x\"]", "[{\"x\":1}]", "[{\"y\":2}]"],
    &[
        "{\"a\":1,\"c\":3}",
        "{\"a\":1,\"b\":2.5,\"c\":null}",
        "{\"d\":{\"b\":1},\"c\":4}",
        "{}",
    ],
];

/// Values of a member that some rows lack.
fn members() -> impl Strategy<Value = Vec<Option<&'static str>>> {
    let others = &["\"x\"", "true", "null", "[]", "{\"a\":1}"][..];
    select(&JSON_KINDS[..]).prop_flat_map(move |kind| {
        let value = prop_oneof![6 => select(kind), 1 => select(others)];
        proptest::collection::vec(proptest::option::weighted(0.8, value), 5)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// One text of all rows decides the types, the order of keys and the nulls.
    #[test]
    fn random_columns_are_the_same_in_arrow_from_frames_of_every_size(
        cells in proptest::collection::vec(ambiguous(), 20),
        values in proptest::collection::vec(members(), 6),
    ) {
        let trip = Trip::new();
        let names: Vec<_> = (0..cells.len()).map(|at| format!("c{at}")).collect();
        let line = |row| cells.iter().map(|cells| cells[row]).collect::<Vec<_>>().join(";") + "\n";
        let csv = names.join(";") + "\n" + &(0..5).map(line).collect::<String>();
        let object = |row| {
            let members = names.iter().zip(&values);
            let members = members.filter_map(|(name, values)| Some(format!("\"{name}\":{}", values[row]?)));
            format!("{{{}}}\n", members.collect::<Vec<_>>().join(","))
        };
        let json: String = (0..5).map(object).collect();
        for (name, text) in [("a.csv", csv), ("a.ndjson", json)] {
            let whole = arrow(&trip, name, text.as_bytes(), &[]);
            for frame_rows in ["--frame-rows=1", "--frame-rows=2"] {
                let direct = arrow(&trip, name, text.as_bytes(), &[frame_rows]);
                prop_assert_eq!(&direct, &whole, "{} {}", frame_rows, text);
                let frames = trip.there_from(name, text.as_bytes(), &[frame_rows]).unwrap();
                let through = arrow(&trip, "frames.mbt", &frames, &[]);
                prop_assert_eq!(&through, &whole, "{} frames {}", frame_rows, text);
            }
        }
    }
}

/// Cells whose meaning depends on the other cells of their column.
const AMBIGUOUS: [&str; 50] = [
    "NA",
    "absent",
    "-",
    "",
    "NaN",
    "nan",
    "inf",
    "Infinity",
    "Yes",
    "No",
    "on",
    "T",
    "F",
    "true",
    "TRUE",
    "007",
    "12",
    "1.50",
    "2024-01-02",
    "x",
    "2024-01-02T03:04:05Z",
    "01/02/2024",
    "13/02/2024",
    "2/13/2024",
    "9:30",
    "10:30",
    "05/05/2024",
    "5/6/2024",
    "2024-01-02 03:04:05Z",
    "2024-01-02T03:04:05.5+02:00",
    "2024-01-02 03:04:05 UTC",
    "2024-01-02 03:04:05.5 UTC",
    "10/Oct/2000:13:55:36 -0700",
    "Mon Oct 13 06:04:40 +0000 2014",
    "INF",
    "1e21",
    "0.1",
    "8.3945900000000009",
    "12345678901234567890.25",
    "123e4567-e89b-12d3-a456-426614174000",
    "123E4567-E89B-12D3-A456-426614174000",
    "off",
    "1e-7",
    "100000000000000000000",
    "123456789012345680000000",
    "\"NA\"",
    "\"nan\"",
    "\"00466\"",
    "\"65839\"",
    "\"2024-01-02T03:04:05Z\"",
];

/// What a cell means is decided by all cells of its column, not only by those in its frame.
#[test]
fn two_cells_mean_the_same_in_one_frame_and_in_two() {
    let trip = Trip::new();
    let each = AMBIGUOUS.iter();
    let pairs: Vec<_> = each
        .flat_map(|one| AMBIGUOUS.map(|other| (*one, other)))
        .collect();
    let line = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<_> = (0..pairs.len()).map(cell).collect();
        cells.join(",") + "\n"
    };
    let text = line(&|at| format!("c{at}"))
        + &line(&|at| pairs[at].0.to_owned())
        + &line(&|at| pairs[at].1.to_owned());
    let together = arrow(&trip, "a.csv", text.as_bytes(), &[]);
    let frames = trip
        .there_from("a.csv", text.as_bytes(), &["--frame-rows=1"])
        .unwrap();
    let apart = arrow(&trip, "frames.mbt", &frames, &[]);
    for (at, pair) in pairs.iter().enumerate() {
        let [one, other] = [&together, &apart].map(|rows| rows.schema_ref().field(at).clone());
        assert_eq!(other, one, "{pair:?}");
        assert_eq!(apart.column(at), together.column(at), "{pair:?}");
    }
}

#[test]
fn columns_mean_the_same_in_frames_of_every_size() {
    let columns = [
        ["31/1/2024", "01/02/2024", "inf", ""],
        ["9/28/2024", "10/11/2024", "10/30/2024", "NA"],
        ["01/02/2024", "03/02/2024", "13/02/2024", ""],
        ["11 October 2024", "03 May 1999", "", ""],
        ["NA", "-", "", "Tuesday, January 2, 2024"],
        ["00501", "NA", "10001", "10002"],
        ["00501", "NA", "10001", "1002"],
        ["00501", "NA", "-", "10001"],
        ["00501", "-", "nan", "10001"],
        ["NaN", "NAN", "yes", "NaN"],
        ["NaN", "NAN", "9:30", "10:30"],
        ["Yes", "No", "NaN", "No"],
        ["T", "NA", "-", "F"],
        ["1.50", "-", "2.5", "nan"],
        ["\"\"", "", "2024-01-02T03:04:05Z", ""],
        ["nan", "\"\"", "", "nan"],
        ["\"\"", "", "nan", "5"],
        ["05/05/2024", "13/05/2024", "01/02/2024", "2/3/2024"],
        ["0.5", "8.3945900000000009", "1.25", "-3"],
        ["0.1", "2", "12345678901234567890.25", "1e5"],
        ["Mon, 02 Jan 2006 15:04:05 GMT", "null", "-", ""],
        ["2024-01-02 03:04:05Z", "2024-01-02T03:04:05Z", "", "NA"],
        ["\"2024-01-02T03:04:05Z\"", "NA", "\"NA\"", "\"NA\""],
        ["00466", "\"NA\"", "\"65839\"", "NA"],
        ["123456789012345680000", "44.1", "1e-7", "\"-\""],
    ];
    let mut text = (0..columns.len())
        .map(|at| format!("c{at}"))
        .collect::<Vec<_>>()
        .join(";");
    for row in 0..4 {
        text += "\n";
        text += &columns.map(|cells| cells[row]).join(";");
    }
    let trip = Trip::new();
    for infer in [&[][..], &["--infer=values"]] {
        let arrow = |name, input: &[u8], options: &[&str]| {
            arrow(&trip, name, input, &[infer, options].concat())
        };
        let whole = arrow("a.csv", text.as_bytes(), &[]);
        for frame_rows in ["--frame-rows=1", "--frame-rows=2"] {
            assert_eq!(
                arrow("a.csv", text.as_bytes(), &[frame_rows]),
                whole,
                "{frame_rows}"
            );
            let frames = trip
                .there_from("a.csv", text.as_bytes(), &[frame_rows])
                .unwrap();
            assert_eq!(arrow("frames.mbt", &frames, &[]), whole, "{frame_rows}");
        }
    }
}

#[test]
fn csv_beside_a_typed_file_has_the_types_of_one_csv_of_all_rows() {
    let trip = Trip::new();
    let folder = tempfile::tempdir().expect("a directory");
    let header = "p;n;w;s;t\n";
    let typed = "2.125;0.5;5;z;2024-01-02T03:04:05.5Z\n";
    let cells = "1.50;1;NA;x;2024-01-02T03:04:05Z\n2.5;NA;-;NA;\n3;7;-;y;NA\n";
    let text = |rows: &[&str]| format!("{header}{}", rows.concat());
    let whole = arrow(&trip, "a.csv", text(&[typed, cells]).as_bytes(), &[]);
    let typed = trip.convert("a.csv", text(&[typed]).as_bytes(), &["--to=arrow"]);
    let path = folder.path().join("typed.arrow");
    std::fs::write(&path, typed.unwrap()).expect("a typed file");
    for frame_rows in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=100"] {
        let options = [path.to_str().expect("a path"), frame_rows];
        let both = arrow(&trip, "a.csv", text(&[cells]).as_bytes(), &options);
        assert_eq!(both, whole, "{frame_rows}");
    }
}

#[test]
fn dates_of_csv_and_json_share_a_column() {
    let trip = Trip::new();
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("other.ndjson");
    for (cells, values, expected) in [
        ("02-Jan-2024", "{\"d\":0.3}\n{\"d\":\"00501\"}\n", "Utf8"),
        (
            "5/6/2024\n13/6/2024",
            "{\"d\":\"13/05/2024\"}\n{\"d\":\"05/05/2024\"}\n",
            "Date32",
        ),
        // They disagree about which number is the month.
        (
            "05/13/2024\n05/06/2024",
            "{\"d\":\"13/05/2024\"}\n{\"d\":\"05/06/2024\"}\n",
            "Utf8",
        ),
        (
            "2024-05-13\n2024-5-14",
            "{\"d\":\"13/05/2024\"}\n{\"d\":\"05/06/2024\"}\n",
            "Date32",
        ),
    ] {
        std::fs::write(&path, values).expect("a file of JSON");
        for size in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=100"] {
            let options = [path.to_str().expect("a path"), size];
            let rows = arrow(&trip, "a.csv", format!("d\n{cells}\n").as_bytes(), &options);
            let found = fields_of(&rows)[0].data_type().to_string();
            assert_eq!(found, expected, "{cells:?} {size}");
        }
    }
}

/// Numbers are numbers and text is text beside nested JSON, in whichever frame a cell is.
#[test]
fn cells_beside_nested_json_are_cast_as_one_column() {
    let trip = Trip::new();
    let folder = tempfile::tempdir().expect("a directory");
    let [path, text] = ["other.ndjson", "text.csv"].map(|name| folder.path().join(name));
    std::fs::write(&path, "{\"d\":{\"a\":1}}\n").expect("a file of JSON");
    for (first, cells, expected) in [
        ("x", "20240102\n7\n", r#""x" "20240102" "7""#),
        ("2.5", "20240102\n7\n", "2.5 20240102.0 7.0"),
        ("NA", "1.50\n2\n", "null 1.5 2.0"),
        ("-", "true\nNA\n", "null true null"),
        ("01/02/2024", "13/02/2024\n", r#""01/02/2024" "13/02/2024""#),
        ("011", "007\n008\n", r#""011" "007" "008""#),
    ] {
        std::fs::write(&text, format!("d\n{first}\n")).expect("a file of text");
        let mut values: Vec<String> = expected.split(' ').map(str::to_owned).collect();
        values.insert(1, "{\"a\":1}".to_owned());
        let rows = values.iter().map(|value| format!("{{\"d\":{value}}}\n"));
        let expected: String = rows.collect();
        for size in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=100"] {
            let paths = [&text, &path].map(|it| it.to_str().expect("a path"));
            let options = [paths[0], paths[1], "--to=arrow", size];
            let arrow = trip.convert("a.csv", format!("d\n{cells}").as_bytes(), &options);
            let found = trip
                .convert("a.arrow", &arrow.unwrap(), &["--to=ndjson"])
                .unwrap();
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{size}");
        }
    }
}

/// The header of the CSV comes before its rows, but it is not one of the frame of JSON.
#[test]
fn json_stays_json_before_csv() {
    let trip = Trip::new();
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("other.ndjson");
    let values = "{\"d\":[2]}\n{\"d\":\"z\"}\n";
    std::fs::write(&path, values).expect("a file of JSON");
    for size in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=100"] {
        let options = [path.to_str().expect("a path"), "--to=arrow", size];
        let arrow = trip.convert("a.csv", b"d\n1\n", &options).unwrap();
        let found = trip.convert("a.arrow", &arrow, &["--to=ndjson"]).unwrap();
        let expected = format!("{values}{{\"d\":1}}\n");
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{size}");
    }
}

/// Of the rows that are kept, none shows which number is the month.
#[test]
fn dates_that_are_kept_have_the_form_of_all_rows() {
    let trip = Trip::new();
    let text = b"d,n\n13/05/2024,1\n5/6/2024,2\n05/07/2024,3\n";
    let expected = "d\n2024-06-05\n2024-07-05\n";
    for selection in ["--where=n > 1", "--rows=1.."] {
        let frames = trip.there_from("a.csv", text, &[selection]).unwrap();
        for (name, input, selection) in [
            ("a.csv", &text[..], &[selection][..]),
            ("frames.mbt", &frames, &[]),
        ] {
            let options = [&["--to=arrow", "--columns=d"], selection].concat();
            let dates = trip.convert(name, input, &options).unwrap();
            let found = trip.convert("a.arrow", &dates, &["--to=csv"]).unwrap();
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{selection:?}");
        }
    }
}

#[test]
fn numbers_with_a_decimal_comma_are_compared_in_frames_of_every_size() {
    let trip = Trip::new();
    let text = b"c;i\n63,1;0\n0;1\n2,7;2\nx;3\n70,5;4\n";
    for frame_rows in ["--frame-rows=1", "--frame-rows=3", "--frame-rows=100"] {
        let comma = ["--decimal=,", frame_rows];
        let selection = ["--to=csv", "--where=c > 58", "--columns=i"];
        let direct = trip
            .convert("a.csv", text, &[&comma[..], &selection].concat())
            .unwrap();
        assert_eq!(
            String::from_utf8(direct).unwrap(),
            "i\n0\n4\n",
            "{frame_rows}"
        );
        let frames = trip.there_from("a.csv", text, &comma).unwrap();
        let through = trip.convert("frames.mbt", &frames, &selection).unwrap();
        assert_eq!(
            String::from_utf8(through).unwrap(),
            "i\n0\n4\n",
            "{frame_rows}"
        );
    }
}

#[test]
fn whole_rows_keep_their_values_under_another_name() {
    let trip = Trip::new();
    let options = ["--columns=$ as r", "--to=ndjson"];
    for rows in [
        &["{\"a\":{\"b\":\"x\"}}", "{\"a\":{\"b\":\"y\"}}", "null"][..],
        &["{\"a\":1}", "5", "\"x\"", "[1]", "1.50"],
        &["5", "6"],
    ] {
        let text: String = rows.iter().map(|row| [row, "\n"].concat()).collect();
        let expected: String = rows
            .iter()
            .map(|row| ["{\"r\":", row, "}\n"].concat())
            .collect();
        let direct = trip.convert("a.ndjson", text.as_bytes(), &options).unwrap();
        assert_eq!(String::from_utf8(direct).unwrap(), expected);
        for frame_rows in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=9"] {
            let frames = trip
                .there_from("a.ndjson", text.as_bytes(), &[frame_rows])
                .unwrap();
            let renamed = trip.convert("frames.mbt", &frames, &options).unwrap();
            assert_eq!(
                String::from_utf8(renamed).unwrap(),
                expected,
                "{frame_rows}"
            );
        }
    }
}

#[test]
fn objects_without_keys_beside_other_rows_are_objects() {
    let trip = Trip::new();
    for text in ["{}\n5\n{}\n", "{}\n{}\n[1]\n"] {
        let whole = arrow(&trip, "a.ndjson", text.as_bytes(), &[]);
        assert_eq!(whole.column(0).null_count(), 0);
        let options = ["--frame-rows=1"];
        let frames = trip
            .there_from("a.ndjson", text.as_bytes(), &options)
            .unwrap();
        assert_eq!(arrow(&trip, "frames.mbt", &frames, &[]), whole, "{text}");
    }
}

/// A row is held back until it is known not to be among the last. The frame that shows this may have other
/// types than the row's own frame.
#[test]
fn rows_held_back_print_like_their_own_frame() {
    let trip = Trip::new();
    for (name, text, kept) in [
        (
            "a.csv",
            "k,v\n1,NA\n2,5\n3,\n4,7\n5,1\n",
            "k,v\n1,NA\n2,5\n3,\n4,7\n",
        ),
        (
            "a.csv",
            "k,d\n1,31.01.2024\n2,2024-02-15\n3,x\n",
            "k,d\n1,31.01.2024\n2,2024-02-15\n",
        ),
        (
            "a.ndjson",
            "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n",
            "{\"a\":1}\n{\"b\":2}\n",
        ),
    ] {
        let to = name.replace("a.", "--to=");
        for frame_rows in ["--frame-rows=1", "--frame-rows=2"] {
            let frames = trip
                .there_from(name, text.as_bytes(), &[frame_rows])
                .unwrap();
            for (name, input, options) in [
                (
                    name,
                    text.as_bytes(),
                    &[&to[..], "--rows=..-1", frame_rows][..],
                ),
                ("frames.mbt", &frames, &[&to, "--rows=..-1"]),
            ] {
                let out = trip.convert(name, input, options).unwrap();
                assert_eq!(String::from_utf8(out).unwrap(), kept, "{name} {frame_rows}");
            }
        }
    }
}

/// Records that are longer than the header add columns, which TSV cannot have after its header is written.
#[test]
fn longer_records_are_the_same_on_both_routes() {
    let trip = Trip::new();
    let text = b"a,b\n1,x\n2,\"y\",z\n3\n";
    for options in [
        &["--flexible", "--frame-rows=1"][..],
        &["--flexible", "--frame-rows=2"],
        &["--flexible"],
    ] {
        same_on_both_routes(&trip, "a.csv", text, options);
    }
}

#[test]
fn all_columns_of_flexible_text_keep_its_records() {
    let trip = Trip::new();
    for (text, columns) in [
        (&b"a,b\n\"1\",x\n\"2\",y"[..], "--columns=a,b"),
        (b"a,b\n\"1\",x\n2\n", "--columns=a,b"),
        (b"a,b\n\"1\",x,\"z\"\n\"2\",y\n", "--columns=a,b"),
        (b"a,b\n\"1\",x,\"z\"\n\"2\",y", "--columns=a,b,column_3"),
        (b"a,b\n\"1\",x\n\"2\",y", "--columns=b,a"),
    ] {
        let options = ["--flexible"];
        let frames = trip.there_from("a.csv", text, &options).unwrap();
        same_through(&frames, &trip, "a.csv", text, &options, &[columns]);
    }
}

/// Frames record that no types were wanted, so that later conversions do not choose any.
#[test]
fn untyped_json_stays_untyped_in_frames() {
    let trip = Trip::new();
    for text in [
        "{\"a\":1}\n7\n{\"a\":2}\n",
        "{\"a\":1,\"b\":{\"c\":[1,2.50]}}\n{\"a\":2}\n",
    ] {
        for options in [&["--infer=none", "--frame-rows=1"][..], &["--infer=none"]] {
            let frames = trip
                .there_from("a.ndjson", text.as_bytes(), options)
                .unwrap();
            for selection in [&[][..], &["--columns=a"]] {
                let text = text.as_bytes();
                same_through(&frames, &trip, "a.ndjson", text, options, selection);
            }
        }
    }
}

/// A name that no row has is an error even if not all rows are read. One that later rows have is not.
#[test]
fn names_are_known_on_both_routes() {
    let trip = Trip::new();
    let ndjson = b"{\"a\":1}\n{\"a\":2,\"b\":3}\n";
    let json = b"[{\"a\":1},{\"a\":2,\"b\":3}]";
    for (name, text) in [("a.ndjson", &ndjson[..]), ("a.json", json)] {
        for options in [&["--frame-rows=1"][..], &[], &["--schema=a:utf8"]] {
            let frames = trip.there_from(name, text, options).unwrap();
            for (rows, columns, is_known) in [
                ("--limit=1", "--columns=zz", false),
                ("--limit=1", "--columns=b", true),
                ("--rows=1..", "--columns=a,zz", false),
                ("--rows=5..", "--columns=a as zz", true),
            ] {
                let selection = [rows, columns];
                same_through(&frames, &trip, name, text, options, &selection);
                let selection = [&["--to=ndjson"], &selection[..]].concat();
                let found = trip.convert(name, text, &selection);
                assert_eq!(found.is_ok(), is_known, "{selection:?}");
            }
        }
    }
}

/// Programs print 15 digits, and 17 where these do not identify the number; R prints `Inf`.
#[test]
fn numbers_of_17_digits_are_numbers_in_typed_formats() {
    let trip = Trip::new();
    for (text, printed) in [
        (
            "v,w\nNA,1\n0.5,2\n8.3945900000000009,3\n",
            "v,w\n,1\n0.5,2\n8.39459,3\n",
        ),
        ("v,w\n1.5,1\n-Inf,2\n", "v,w\n1.5,1\n-Infinity,2\n"),
        // One more digit is lost in an f64.
        (
            "v,w\n0.5,2\n8.39459000000000091,3\n",
            "v,w\n0.50000000000000000,2\n8.39459000000000091,3\n",
        ),
    ] {
        same_on_both_routes(&trip, "a.csv", text.as_bytes(), &[]);
        let arrow = trip.convert("a.csv", text.as_bytes(), &["--to=arrow"]);
        let found = trip.convert("a.arrow", &arrow.unwrap(), &["--to=csv"]);
        assert_eq!(String::from_utf8(found.unwrap()).unwrap(), printed);
    }
}

/// JSON and NDJSON have different styles, so rows of one are not copied to the other.
#[test]
fn rows_of_json_have_the_columns_of_their_frame() {
    let trip = Trip::new();
    let text = b"[{\"a\":1,\"c\":2},\n {\"a\":1,\"b\":2,\"c\":3},{\"b\":1}, {\"c\":1,\"a\":2}]";
    for options in [&[][..], &["--infer=none"]] {
        let frames = trip.there_from("a.json", text, options).unwrap();
        for rows in ["--limit=2", "--rows=1..3"] {
            same_through(&frames, &trip, "a.json", text, options, &[rows]);
        }
    }
}

/// Whether nulls are absent keys or the word null is decided by all rows, whatever the type of the values.
#[test]
fn absent_keys_and_nulls_mean_the_same_in_frames_of_every_size() {
    const ROWS: u32 = 4;
    let trip = Trip::new();
    let values = [
        "\"2024-01-31\"",
        "\"2024-01-31T09:30:00Z\"",
        "7",
        "1.50",
        "true",
        "\"x\"",
        "{\"n\":1}",
        "[1]",
    ];
    // Each column is absent, null or a value in each row.
    let columns = values.iter().flat_map(|value| {
        (0..3_u32.pow(ROWS)).map(move |states| {
            move |row: u32| {
                [None, Some("null"), Some(*value)][(states / 3_u32.pow(row) % 3) as usize]
            }
        })
    });
    let columns: Vec<_> = columns.collect();
    let object = |row: u32| {
        let members = columns.iter().enumerate();
        let members = members.filter_map(|(at, state)| Some(format!("\"c{at}\":{}", state(row)?)));
        format!("{{{}}}\n", members.collect::<Vec<_>>().join(","))
    };
    let json: String = (0..ROWS).map(object).collect();
    let whole = arrow(&trip, "a.ndjson", json.as_bytes(), &[]);
    for frame_rows in ["--frame-rows=1", "--frame-rows=2"] {
        let direct = arrow(&trip, "a.ndjson", json.as_bytes(), &[frame_rows]);
        let frames = trip
            .there_from("a.ndjson", json.as_bytes(), &[frame_rows])
            .unwrap();
        let through = arrow(&trip, "frames.mbt", &frames, &[]);
        for (at, field) in whole.schema().fields().iter().enumerate() {
            let name = field.name();
            for other in [&direct, &through] {
                assert_eq!(
                    other.schema().field_with_name(name).unwrap(),
                    &**field,
                    "{frame_rows}"
                );
                assert_eq!(
                    other.column_by_name(name),
                    Some(whole.column(at)),
                    "{name} {frame_rows}"
                );
            }
        }
        assert_eq!(through.num_columns(), whole.num_columns());
    }
}

#[test]
fn numbers_and_arrays_in_different_frames_share_a_column() {
    let trip = Trip::new();
    for text in ["{\"a\":2}\n{\"a\":[]}\n", "{\"a\":[1]}\n{\"a\":2.5}\n"] {
        let options = ["--frame-rows=1"];
        same_on_both_routes(&trip, "a.ndjson", text.as_bytes(), &options);
        let options = ["--to=arrow", options[0]];
        trip.convert("a.ndjson", text.as_bytes(), &options).unwrap();
    }
}

/// Arrow packs eight bools into a byte; it must have no bits of rows that the selection leaves out.
#[test]
fn rows_of_frames_of_a_selection_are_the_same_in_arrow() {
    let trip = Trip::new();
    for (name, text) in [
        ("a.csv", "a,b,c\n1,true,x\n,false,\n3,true,z\n"),
        (
            "a.ndjson",
            "{\"a\":1}\n{\"b\":[true]}\n{\"a\":{\"c\":null},\"b\":[]}\n",
        ),
    ] {
        let text = text.as_bytes();
        for rows in ["--rows=..2", "--rows=..-1", "--rows=1.."] {
            let direct = trip.convert(name, text, &["--to=arrow", rows]).unwrap();
            let frames = trip.there_from(name, text, &[rows]).unwrap();
            let through = trip.convert("frames.mbt", &frames, &["--to=arrow"]);
            assert!(through.unwrap() == direct, "{name} {rows}");
        }
    }
}

/// Statistics rule frames out before their rows are read. The result must not show that.
#[test]
fn frames_that_are_ruled_out_have_their_types_and_names() {
    let trip = Trip::new();
    for (name, text, options, selection) in [
        (
            "a.csv",
            "a,b\nNA,1e5\n2.0,42\n",
            &[][..],
            &["--where=false"][..],
        ),
        (
            "a.csv",
            "a,b\nNA,1e5\n2.0,42\n",
            &[],
            &["--where=a is null and a > 0"],
        ),
        ("a.csv", "a,b\nNA,1e5\n2.0,42\n", &[], &["--rows=9.."]),
        // Null can be compared with text, 1 cannot.
        (
            "a.csv",
            "a\n\n1\n\n",
            &["--frame-rows=1"],
            &["--where=a = 'x'"],
        ),
        (
            "a.ndjson",
            "{\"a\":\"b\"}\n{\"a\":\"x\",\"b\":1}\n{\"a\":\"c\"}\n",
            &["--frame-rows=1"],
            &["--where=a = 'bb'", "--columns=a,b"],
        ),
        (
            "a.ndjson",
            "{\"a\":1.50}\n{}\n",
            &[],
            &["--rows=..1", "--columns=a.p"],
        ),
    ] {
        let frames = trip.there_from(name, text.as_bytes(), options).unwrap();
        same_through(&frames, &trip, name, text.as_bytes(), options, selection);
    }
}

/// Long frames are printed in pieces, but their columns have one type.
#[test]
fn frames_are_cast_as_a_whole() {
    let trip = Trip::new();
    let row = |at: u32| match at {
        0..3 => "inf\n".to_owned(),
        3..6 => "nan\n".to_owned(),
        _ => format!("-{at}\n"),
    };
    let long: String = (0..40_000).map(row).collect();
    // The last record has no newline, and is a block of its own.
    for text in [format!("a\n{long}"), "a\ninf\nnan\n-9".to_owned()] {
        let frames = trip.there_from("a.csv", text.as_bytes(), &[]).unwrap();
        let direct = trip
            .convert("a.csv", text.as_bytes(), &["--to=ndjson"])
            .unwrap();
        assert!(direct.starts_with(b"{\"a\":\"Infinity\"}\n") && direct.ends_with(b"9}\n"));
        for selection in [
            &[][..],
            &["--where=true"],
            &["--rows=-50000.."],
            &["--sample=50000"],
        ] {
            let options = [&["--to=ndjson"][..], selection].concat();
            let from_text = trip.convert("a.csv", text.as_bytes(), &options).unwrap();
            let from_frames = trip.convert("frames.mbt", &frames, &options).unwrap();
            assert!(
                from_text == direct && from_frames == direct,
                "{selection:?}"
            );
        }
    }
}

/// The meaning of a cell must not depend on which other rows pass the condition.
#[test]
fn rows_that_pass_keep_the_type_of_their_column() {
    let trip = Trip::new();
    let text = b"code,n\nNA,1\n12,2\n34,3\nDE,4\n";
    let frames = trip.there_from("a.csv", text, &[]).unwrap();
    let expected =
        b"{\"code\":\"NA\",\"n\":1}\n{\"code\":\"12\",\"n\":2}\n{\"code\":\"34\",\"n\":3}\n";
    let options = ["--to=ndjson", "--where=n < 4"];
    for (name, input) in [("a.csv", &text[..]), ("frames.mbt", &frames)] {
        let direct = trip.convert(name, input, &options).unwrap();
        assert_eq!(
            direct.escape_ascii().to_string(),
            expected.escape_ascii().to_string(),
            "{name}"
        );
        let kept = trip
            .convert(name, input, &["--to=mbt", options[1]])
            .unwrap();
        let later = trip.convert("frames.mbt", &kept, &options[..1]).unwrap();
        assert_eq!(later, expected, "{name}");
        let values = trip
            .convert(name, input, &["--to=mbt", "--wire=1", options[1]])
            .unwrap();
        let values = trip.convert("frames.mbt", &values, &options[..1]).unwrap();
        assert_eq!(values, expected, "{name}");
    }
}

/// Selections of nothing must not turn the map into columns.
#[test]
fn a_document_of_ids_is_a_map_by_every_route() {
    let trip = Trip::new();
    let members: Vec<_> = (0..80)
        .map(|at| {
            let id = 5_000_000 + 7 * at;
            format!("  \"{id}\": {{\"name\": \"n{at}\", \"at\": {at}.50}}")
        })
        .collect();
    let text = format!("{{\n{}\n}}\n", members.join(",\n"));
    let frames = trip.there_from("a.json", text.as_bytes(), &[]).unwrap();
    let back = trip.convert("frames.mbt", &frames, &["--to=json"]).unwrap();
    assert_eq!(String::from_utf8(back).unwrap(), text);
    for to in ["--to=ndjson", "--to=csv", "--to=arrow"] {
        let direct = trip.convert("a.json", text.as_bytes(), &[to]).unwrap();
        for selection in [
            &[][..],
            &["--where=true"],
            &["--columns=*"],
            &["--rows=0.."],
        ] {
            let options = [&[to][..], selection].concat();
            let from_text = trip.convert("a.json", text.as_bytes(), &options).unwrap();
            let from_frames = trip.convert("frames.mbt", &frames, &options).unwrap();
            assert!(from_text == direct && from_frames == direct, "{options:?}");
        }
    }
    let columns = trip
        .convert("a.json", text.as_bytes(), &["--to=csv"])
        .unwrap();
    assert!(columns.starts_with(b"$\n"));
}

/// Version 1 has no dates, so they become the text of the values, not that of the cells.
#[test]
fn values_are_the_same_in_version_1_on_both_routes() {
    let trip = Trip::new();
    let text =
        b"d,t,n,z\n02.01.2024,03.01.2024 03:04,1.50,007\n13.01.2024,04.01.2024 03:04,2,010\n";
    let frames = trip.there_from("a.csv", text, &["--infer=values"]).unwrap();
    let through = trip.convert("a.mbt", &frames, &["--to=mbt", "--wire=1"]);
    let options = ["--to=mbt", "--wire=1", "--infer=values"];
    let direct = trip.convert("a.csv", text, &options).unwrap();
    assert!(through.unwrap() == direct);
    let back = trip.convert("a.mbt", &direct, &["--to=csv"]).unwrap();
    let expected = "d,t,n,z\n2024-01-02,2024-01-03T03:04:00,1.5,007\n\
                    2024-01-13,2024-01-04T03:04:00,2.0,010\n";
    assert_eq!(String::from_utf8(back).unwrap(), expected);
}

/// Without rows, such a header is in the ending of the frames.
#[test]
fn a_header_that_is_not_utf_8_is_there_once() {
    let trip = Trip::new();
    for text in [
        &b"a\xff,b\n"[..],
        b"a\xff,b",
        b"a,b\xff\n\n",
        b"a\xff,b\n1,2\n",
    ] {
        let frames = trip.there_from("a.csv", text, &[]).unwrap();
        for selection in [
            "--where=true",
            "--where=b = 2",
            "--rows=0..",
            "--columns=*",
            "--columns=b",
        ] {
            same_through(&frames, &trip, "a.csv", text, &[], &[selection]);
        }
    }
}

/// A column per path would take more memory than readers accept in a frame: 676 paths for each of 90,000 items, almost
/// all without a value. A document is one row, so its frame cannot be smaller.
#[test]
fn a_document_with_many_rare_paths_becomes_a_frame() {
    let name = |number: usize| char::from_u32('a' as u32 + number as u32).unwrap();
    let item = |number: usize| {
        let (outer, inner) = (number % 26, number / 26 % 26);
        format!(
            "{{\"x{}\":{{\"y{}\":{number}}},\"text\":\"{}\"}}",
            name(outer),
            name(inner),
            "text ".repeat(30)
        )
    };
    let items: Vec<_> = (0..90_000).map(item).collect();
    let text = format!("{{\"rows\":[{}],\"n\":1}}\n", items.join(",\n"));
    let trip = Trip::new();
    let frames = trip.there_from("a.json", text.as_bytes(), &[]).unwrap();
    let back = trip.back(&frames, &["--to=json"]).unwrap();
    assert!(back == text.as_bytes());
    for target in ["--to=ndjson", "--to=csv"] {
        let direct = trip.convert("a.json", text.as_bytes(), &[target]);
        let through = trip.convert("frames.mbt", &frames, &[target]);
        assert!(direct.unwrap() == through.unwrap(), "{target}");
    }
}

#[test]
fn types_by_value_are_final() {
    let trip = Trip::new();
    let by_value = "--infer=values";
    for (text, option, selection) in [
        ("a\n2024-01-01\n75\n76\n", "--null=", "--rows=1..3"),
        ("a\n007\n2\n", "--null=", "--rows=1..2"),
        ("a\nx\n5\n", "--null=", "--where=a<>'x'"),
        ("a\n1.81\n-2.5\n", "--decimal=,", "--rows=0.."),
        ("a\n\"2024-03-02\"\n\"N\"\n", "--null=N", "--rows=0..1"),
    ] {
        let text = text.as_bytes();
        let frames = trip.there_from("a.csv", text, &[by_value, option]);
        let frames = frames.unwrap();
        // The words for null that are printed are an option of every output.
        for selection in [&[option][..], &[option, selection]] {
            same_through(&frames, &trip, "a.csv", text, &[by_value], selection);
        }
    }
}

/// Frames whose types were chosen one by one become one column of Arrow, of text if no other type holds all.
#[test]
fn times_of_several_units_are_text_in_arrow() {
    let trip = Trip::new();
    for (text, cells) in [
        (
            "x\n2024-01-01T13:00:00.5\n2024-01-01T13:00:00.123456789\n",
            ["2024-01-01T13:00:00.500", "2024-01-01T13:00:00.123456789"],
        ),
        (
            "x\n13:00:00.5\n13:00:00.123456789\n",
            ["13:00:00.500", "13:00:00.123456789"],
        ),
    ] {
        let options = ["--infer=values", "--frame-rows=1"];
        let frames = trip.there_from("a.csv", text.as_bytes(), &options).unwrap();
        let typed = trip.back(&frames, &["--to=arrow"]).unwrap();
        let rows = trip.convert("a.arrows", &typed, &["--to=ndjson"]).unwrap();
        let expected: String = cells.map(|cell| format!("{{\"x\":\"{cell}\"}}\n")).concat();
        assert_eq!(String::from_utf8(rows).unwrap(), expected);
    }
}
