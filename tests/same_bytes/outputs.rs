//! Renamed columns, and values inside nested ones: from text directly and through frames, to every target,
//! compared with the values that `serde_json` finds at the same places.

use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value};

use super::routes::same_through;
use super::trip::Trip;

/// Both routes give the same bytes, or both refuse.
fn same_on_both_routes(trip: &Trip, name: &str, text: &[u8], frame_rows: &str, options: &[&str]) {
    let frames = trip.there_from(name, text, &[frame_rows]).unwrap();
    same_through(&frames, trip, name, text, &[frame_rows], options);
}

#[test]
fn routes_agree_on_renamed_and_nested_columns() {
    let trip = Trip::new();
    let nested = "{\"a\":1,\"u\":{\"x\":1,\"y\":\"p\"},\"t\":[1,2]}\n{\"a\":\"007\",\"u\":null}\n{\"b\":3,\"u\":{\"x\":2.50},\"t\":[]}\n\
                  {\"u\":5,\"t\":[{\"k\":null}]}\n{\"u\":{\"x\":{\"z\":1}},\"t\":[{\"k\":\"2024-01-02\"},null]}\n";
    let selections = [
        "u.x,a",
        "u.y as who,a as b",
        "t[0],t[-1] as last,u",
        "t[0].k as k,u.x.z",
        "b as \"x,y\",a,a as a2",
        "u.none,a",
        "none as a",
    ];
    for selection in selections {
        let option = format!("--columns={selection}");
        for frame_rows in ["--frame-rows=1", "--frame-rows=2", "--frame-rows=100"] {
            for more in [&[][..], &["--where=a is not null or u.x > 1"]] {
                let options = [&[&option[..]][..], more].concat();
                same_on_both_routes(&trip, "a.ndjson", nested.as_bytes(), frame_rows, &options);
            }
        }
    }
    let table = "\"a\",b,c.d,c[0],\n\"x\",007,1.50,Yes,1\n\"y\",010,2.25,No,NA\n\"z\",999,,No,3\n";
    for selection in [
        "b as z,a",
        "c.d,c[0]",
        "a,b,c.d,c[0],column_5",
        "#3 as d,column_5 as e,a",
        "a as b,b as a",
        "c[0] as c,c.d as d,*",
        "a.b",
    ] {
        let option = format!("--columns={selection}");
        for frame_rows in ["--frame-rows=2", "--frame-rows=100"] {
            for more in [&[][..], &["--where=b > 8"]] {
                let options = [&[&option[..]][..], more].concat();
                same_on_both_routes(&trip, "a.csv", table.as_bytes(), frame_rows, &options);
            }
        }
    }
}

/// Frames of JSON need not have every key that is wanted.
#[test]
fn columns_that_come_late_are_chosen_by_name() {
    let trip = Trip::new();
    let text = b"{\"a\":1}\n{\"a\":2}\n{\"b\":3}\n";
    for columns in [
        "--columns=b",
        "--columns=a,b",
        "--columns=b,a",
        "--columns=a,c",
    ] {
        same_on_both_routes(&trip, "a.ndjson", text, "--frame-rows=1", &[columns]);
    }
    let frames = trip
        .there_from("a.ndjson", text, &["--frame-rows=1"])
        .unwrap();
    let options = ["--to=csv", "--columns=b,a"];
    let found = trip.convert("frames.mbt", &frames, &options).unwrap();
    assert_eq!(found, b"b,a\n,1\n,2\n3,\n");
}

#[test]
fn patterns_see_the_columns_of_later_rows() {
    let trip = Trip::new();
    for (name, text, reading) in [
        ("a.csv", "a\n1\n2,3\n", "--flexible"),
        ("a.csv", "a,a\n", "--exact=on"),
        (
            "a.ndjson",
            "{\"a\":1,\"z\":1}\n{\"m\":5,\"a\":2}\n",
            "--exact=on",
        ),
        (
            "a.ndjson",
            "{\"\":1,\"a\":2}\n{\"b\":3,\"\":4}\n",
            "--exact=on",
        ),
    ] {
        let text = text.as_bytes();
        let rows: &[&str] = match name {
            "a.ndjson" => &["--frame-rows=1", "--frame-rows=100"],
            _ => &["--frame-rows=100"],
        };
        for rows in rows {
            let making = [rows, reading];
            let frames = trip.there_from(name, text, &making).unwrap();
            for pattern in ["*", "-a", "#2", "#1", "a..", "column_2", "a,*"] {
                let columns = format!("--columns={pattern}");
                same_through(&frames, &trip, name, text, &making, &[&columns]);
            }
            let to = format!("--to={}", &name[2..]);
            let all = [&to[..], "--columns=*"];
            let direct = trip.convert(name, text, &[&all[..], &making].concat());
            assert_eq!(direct.unwrap(), text);
            let through = trip.convert("frames.mbt", &frames, &all);
            assert_eq!(through.unwrap(), text);
        }
    }
}

#[test]
fn a_dotted_name_of_all_columns_changes_nothing() {
    let trip = Trip::new();
    for (name, text) in [
        ("a.csv", "a.b;c\r\n\"1\"; x\r\n\r\n2;y"),
        (
            "a.ndjson",
            "{\"a.b\": 1,\"c\":2 }\n\n{ \"a.b\":3,\"c\":\"\\u00e9\"}\n",
        ),
    ] {
        let text = text.as_bytes();
        let frames = trip.there_from(name, text, &[]).unwrap();
        let to = format!("--to={}", &name[2..]);
        let options = [&to[..], "--columns=a.b,c"];
        assert_eq!(trip.convert(name, text, &options).unwrap(), text);
        assert_eq!(trip.convert("frames.mbt", &frames, &options).unwrap(), text);
    }
}

/// A scalar as JSON.
fn scalar() -> impl Strategy<Value = &'static str> {
    select(
        &[
            "1",
            "-7",
            "2.5",
            "\"x\"",
            "\"\"",
            "\"2024-01-02\"",
            "true",
            "null",
        ][..],
    )
}

fn row() -> impl Strategy<Value = String> {
    let object = (scalar(), scalar(), scalar(), 0..8u8).prop_map(|(x, y, z, keys)| {
        let members = [
            format!("\"x\":{x}"),
            format!("\"y\":{y}"),
            format!("\"z\":{{\"w\":{z}}}"),
        ];
        let kept = (0..3).filter(|at| keys >> at & 1 == 1);
        let kept: Vec<_> = kept.map(|at| members[at].clone()).collect();
        format!("{{{}}}", kept.join(","))
    });
    let user = prop_oneof![6 => object, 1 => scalar().prop_map(str::to_owned)];
    let tags =
        proptest::collection::vec(scalar(), 0..3).prop_map(|tags| format!("[{}]", tags.join(",")));
    (
        proptest::option::of(user),
        proptest::option::of(tags),
        scalar(),
    )
        .prop_map(|(user, tags, n)| {
            let mut row = format!("{{\"n\":{n}");
            user.map(|user| write!(row, ",\"user\":{user}"))
                .transpose()
                .unwrap();
            tags.map(|tags| write!(row, ",\"tags\":{tags}"))
                .transpose()
                .unwrap();
            row + "}"
        })
}

/// Outputs, and where `serde_json` finds their values; `None` counts items from the end.
const OUTPUTS: [(&str, &str, &str); 6] = [
    ("user.x", "user.x", "/user/x"),
    ("user.y as who", "who", "/user/y"),
    ("user.z.w", "user.z.w", "/user/z/w"),
    ("tags[0] as \"first, tag\"", "first, tag", "/tags/0"),
    ("n as number", "number", "/n"),
    ("user.z as z", "z", "/user/z"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_at_the_same_places(
        rows in proptest::collection::vec(row(), 1..9),
        outputs in proptest::sample::subsequence(&OUTPUTS[..], 1..=OUTPUTS.len()),
        frame_rows in select(&["--frame-rows=1", "--frame-rows=3", "--frame-rows=100"][..]),
    ) {
        let trip = Trip::new();
        let text = rows.join("\n") + "\n";
        let columns: Vec<&str> = outputs.iter().map(|(typed, ..)| *typed).collect();
        let columns = format!("--columns={}", columns.join(","));
        same_on_both_routes(&trip, "a.ndjson", text.as_bytes(), frame_rows, &[&columns]);
        let found = trip.convert("a.ndjson", text.as_bytes(), &["--to=ndjson", &columns]);
        let rows: Vec<Value> = rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
        match found {
            Ok(found) => {
                let found = String::from_utf8(found).unwrap();
                for (line, row) in found.lines().zip(&rows) {
                    let line: Value = serde_json::from_str(line).unwrap();
                    let expected = outputs.iter().map(|(_, name, place)| {
                        let value = row.pointer(place).cloned().unwrap_or_default();
                        ((*name).to_owned(), value)
                    });
                    prop_assert_eq!(line, Value::Object(expected.collect::<Map<_, _>>()), "{}", text);
                }
                prop_assert_eq!(found.lines().count(), rows.len());
            }
            // One of the places exists in no row.
            Err(error) => {
                let is_nowhere = |(_, _, place): &(_, _, &str)| rows.iter().all(|row| row.pointer(place).is_none());
                prop_assert!(outputs.iter().any(is_nowhere), "{error} {text}");
            }
        }
    }
}
