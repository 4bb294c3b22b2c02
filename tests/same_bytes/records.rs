//! Rows inside a document: the document is restored as a whole, and its rows as rows.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::trip::Trip;

/// A document, the path to its rows, and the rows as an array.
fn documents() -> Vec<(String, &'static str, Value)> {
    let features = json!([
        {"type": "Feature", "properties": {"id": 1, "name": "plätze"}, "geometry": {"type": "Point", "coordinates": [0.5, 1]}},
        {"type": "Feature", "properties": {"id": 2, "name": null}, "geometry": null}
    ]);
    let crs = json!({"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}});
    let geo = json!({"type": "FeatureCollection", "crs": crs, "features": features, "bbox": [0, 1.50, [2]]});
    let items = json!([{"a": 1, "b": "x"}, {"a": 2}, {"b": "y", "a": 3}]);
    let answer =
        json!({"ok": true, "data": {"page": 1, "items": items, "next": null}, "items": [0]});
    let runs = json!({"runs": [{"tool": {"a": [7]}, "results": items, "z": [1]}, {"results": [2]}], "v": 1});
    let pages = json!([{"page": 1}, items, [], null]);
    vec![
        (geo.to_string(), "features", features.clone()),
        (format!("{geo:#}\n"), "features", features.clone()),
        (format!("\u{feff} {geo:#}\r\n\r\n"), "features", features),
        (answer.to_string(), "data.items", items.clone()),
        (format!("{answer:#}"), "data.items", items.clone()),
        (answer.to_string(), "items", json!([0])),
        (
            r#"{"a":{"b.c":[ {"x":1}, {"x":2} ] , "d":"]"}}"#.to_owned(),
            "a.`b.c`",
            json!([{"x": 1}, {"x": 2}]),
        ),
        (r#"{"\u0061":[]}"#.to_owned(), "a", json!([])),
        (
            r#"{ "n" : 1 , "a" : [  ] , "z" : 2 } "#.to_owned(),
            "a",
            json!([]),
        ),
        (runs.to_string(), "runs[0].results", items.clone()),
        (format!("{runs:#}"), "runs[1].results", json!([2])),
        (pages.to_string(), "[1]", items.clone()),
        (format!(" {pages:#}\n"), "[1]", items.clone()),
        (pages.to_string(), "[2]", json!([])),
        (
            r#"[[ 5 ,[[{"x":1}]]]]"#.to_owned(),
            "[0][1][0]",
            json!([{"x": 1}]),
        ),
    ]
}

#[test]
fn documents_come_back_and_their_rows_are_rows() {
    let trip = Trip::new();
    for (text, path, rows) in documents() {
        let option = format!("--records={path}");
        for more in [
            &[][..],
            &["--frame-rows=1"],
            &["--frame-rows=2", "--threads=1"],
        ] {
            let options = [&["--from=json", &option][..], more].concat();
            let frames = trip.there(text.as_bytes(), &options).unwrap();
            let back = trip.back(&frames, &[]).unwrap();
            assert_eq!(String::from_utf8_lossy(&back), text, "{options:?}");
            // Text to text has only the rows.
            let direct = trip
                .convert(
                    "a.json",
                    text.as_bytes(),
                    &[&options[..], &["--to=json"]].concat(),
                )
                .unwrap();
            let direct = String::from_utf8(direct).unwrap();
            let direct = direct.trim_start_matches('\u{feff}');
            assert_eq!(
                serde_json::from_str::<Value>(direct).unwrap(),
                rows,
                "{options:?}"
            );
            for target in [
                &["--to=ndjson"][..],
                &["--to=csv"],
                &["--to=arrow"],
                &["--to=json", "--exact=off"],
            ] {
                let direct = trip
                    .convert("a.json", text.as_bytes(), &[&options, target].concat())
                    .ok();
                assert!(
                    direct == trip.back(&frames, target).ok(),
                    "{target:?} {text}"
                );
                let array = rows.to_string();
                let alone = trip.there_from("a.json", array.as_bytes(), more).unwrap();
                assert!(
                    direct == trip.back(&alone, target).ok(),
                    "{target:?} {text}"
                );
            }
        }
    }
}

#[test]
fn selections_have_rows_and_no_document() {
    let trip = Trip::new();
    for (text, path, rows) in documents().into_iter().take(5) {
        let option = format!("--records={path}");
        let options = ["--from=json", &option];
        let frames = trip.there(text.as_bytes(), &options).unwrap();
        let part = Value::from(rows.as_array().unwrap()[1..].to_vec());
        let read = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')).unwrap()
        };
        assert_eq!(
            read(trip.back(&frames, &["--rows=1.."]).unwrap()),
            part,
            "{text}"
        );
        let selected = trip.select(&frames, "--rows=1..").unwrap();
        assert_eq!(read(trip.back(&selected, &[]).unwrap()), part, "{text}");
        let options = [&options[..], &["--rows=1..", "--to=json"]].concat();
        assert_eq!(
            read(trip.convert("a.json", text.as_bytes(), &options).unwrap()),
            part,
            "{text}"
        );
    }
}

#[test]
fn selected_rows_of_a_document_keep_their_spelling() {
    let trip = Trip::new();
    for rows in [
        r#"[{"name":"Jos\u00e9","v":1},{"name":"René","v":2}]"#,
        r#"[{"a": 1},{"a":2},{"a":3}]"#,
        r#"[{"a":"x\/y"},{"a":"x/y"},{"a":"z/y"}]"#,
        r#"[{"v":12345,"v":2},{"v":3}]"#,
        r#"[{"a":1},{ "b": [  ], "c": 2, "d": [] }]"#,
    ] {
        let text = format!(r#"{{"items":{rows}}}"#);
        for more in [&[][..], &["--frame-rows=1"]] {
            let options = [&["--from=json", "--records=items"][..], more].concat();
            let frames = trip.there(text.as_bytes(), &options).unwrap();
            let options = [&options[..], &["--to=json"]].concat();
            for select in ["--where=true", "--where=not (a = 2)", "--rows=1.."] {
                let direct = [&options[..], &[select]].concat();
                let direct = trip.convert("a.json", text.as_bytes(), &direct).ok();
                let back = trip.back(&frames, &[select]).ok();
                assert_eq!(direct, back, "{select} {text}");
                if select == "--where=true" {
                    let back = String::from_utf8(back.unwrap()).unwrap();
                    let expected: Value = serde_json::from_str(rows).unwrap();
                    assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), expected);
                }
            }
        }
    }
}

#[test]
fn joined_documents_end_like_the_first() {
    let trip = Trip::new();
    let options = ["--from=json", "--records=d"];
    let first = r#"{"m":1,"d":[{"a":1}],"z":2}"#.as_bytes();
    let second = r#"{"d":[{"a":2}]}"#.as_bytes();
    let [a, b] = [first, second].map(|text| trip.there(text, &options).unwrap());
    let both = [a, b].concat();
    let joined = br#"{"m":1,"d":[{"a":1},{"a":2}],"z":2}"#;
    for select in [&[][..], &["--rows=0.."]] {
        let back = trip.back(&both, select).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&back),
            String::from_utf8_lossy(joined)
        );
    }
    let again = trip.select(&both, "--rows=0..").unwrap();
    assert_eq!(trip.back(&again, &[]).unwrap(), joined);
}

#[test]
fn mistakes_in_the_path_and_around_the_rows_have_a_place_and_a_hint() {
    let trip = Trip::new();
    for (text, path, what) in [
        (
            r#"{"data":{"item":[1]}}"#,
            "data.items",
            r#":1:20: --records: data has no key "items"; did you mean item?"#,
        ),
        (
            r#"{"a":{"b":[1]}}"#,
            "a",
            ":1:6: --records: a is not an array; add a key of this object to the path",
        ),
        (
            "[1]",
            "a",
            ":1:1: --records: the document is not an object; omit --records",
        ),
        (r#"{"a":7}"#, "a", ":1:6: --records: a is not an array"),
        (
            r#"{"a":{"b":[1]}}"#,
            "a[0]",
            ":1:6: --records: a is not an array; add a key of this object to the path",
        ),
        (
            r#"{"a":[{"b":[]}]}"#,
            "a.b",
            ":1:6: --records: a is not an object; name an item of this array: a[0]",
        ),
        (
            r#"{"a":[1,2]}"#,
            "a[2]",
            ":1:10: --records: a has 2 items; items are counted from 0",
        ),
        ("[]", "[0]", ":1:2: --records: the document has 0 items"),
        ("[[1],2", "[0]", ":1:7: expected , or ]"),
        (r#"{"a":[1],"b":}"#, "a", ":1:14: expected a value"),
        ("{\"a\":[1],\n\"b\":2", "a", ":2:6: expected , or }"),
        (
            r#"{"a":[1]} x"#,
            "a",
            ":1:11: unexpected text after the document",
        ),
        (r#"{"x":nope,"a":[1]}"#, "a", ":1:6: expected a value"),
        (r#"{"x":"y"#, "a", ":1:8: the text ends inside a string"),
        (r#"{"a":[1,]}"#, "a", ""),
        (
            r#"{"a":[{"x":1}],"b":2,"a":[]}"#,
            "a",
            r#":1:22: a second "a" follows the rows that were read"#,
        ),
    ] {
        let option = format!("--records={path}");
        let error = trip
            .there(text.as_bytes(), &["--from=json", &option])
            .unwrap_err();
        assert!(error.to_string().contains(what), "{error}, expected {what}");
        assert_eq!(error.exit_code(), 2);
    }
    for (from, path, what) in [
        ("--from=ndjson", "a", "NDJSON has a document per line"),
        ("--from=csv", "a", "csv input is not a JSON document"),
        ("--from=json", "a[-1]", "items of arrays are counted from 0"),
    ] {
        let error = trip
            .there(b"{}", &[from, &format!("--records={path}")])
            .unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn what_is_around_the_rows_may_be_large() {
    let trip = Trip::new();
    let (before, after) = ("x".repeat(3 << 20), "[1, 2],".repeat(300_000));
    let rows: Vec<String> = (0..20_000)
        .map(|row| format!("{{\"id\": {row}}}"))
        .collect();
    let text = format!(
        "{{\"v\": \"{before}\", \"rows\": [{}], \"w\": [{after}0]}}",
        rows.join(", ")
    );
    let frames = trip
        .there(text.as_bytes(), &["--from=json", "--records=rows"])
        .unwrap();
    assert!(trip.back(&frames, &[]).unwrap() == text.as_bytes());
    let single = trip
        .there(
            text.as_bytes(),
            &["--from=json", "--records=rows", "--threads=1"],
        )
        .unwrap();
    assert!(single == frames);
    let error = trip.there(
        text.as_bytes(),
        &["--from=json", "--records=rows", "--max-record=1M"],
    );
    assert!(
        error
            .as_ref()
            .is_err_and(|error| error.to_string().contains("--max-record")),
        "{error:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_document_comes_back(
        pairs in prop::collection::vec(("[a-c]{1,2}", prop::sample::select(&[
            "1", "-0.50", "\"]}\"", "[{\"a\":[]}, 2]", "{\"rows\":{}}", "null", "\"\\u00e9\\\"\"",
        ][..])), 0..5),
        rows in prop::collection::vec(prop::sample::select(&["{}", "{\"a\":1}", "{\"a\":[1, 2] }", "{\"b\":\"x\"}"][..]), 0..6),
        space in prop::sample::select(&["", " ", "\n  "][..]),
        place in 0usize..5,
    ) {
        let trip = Trip::new();
        let mut members: Vec<String> = pairs.iter().map(|(key, value)| format!("\"{key}\":{space}{value}")).collect();
        let array = format!("\"rows\":{space}[{space}{}{space}]", rows.join(&format!("{space},{space}")));
        members.insert(place.min(members.len()), array);
        let text = format!("{{{space}{}{space}}}{space}", members.join(&format!(",{space}")));
        let frames = trip.there(text.as_bytes(), &["--from=json", "--records=rows", "--frame-rows=2"]).unwrap();
        prop_assert_eq!(String::from_utf8(trip.back(&frames, &[]).unwrap()).unwrap(), text);
    }
}
