//! Objects whose keys are data, inside others: they have one type by every route, and keep their values.

use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use serde_json::{Value, json};

use super::trip::Trip;

/// A lock file of npm: packages by name, each with the packages that it needs.
fn lock(packages: usize) -> Value {
    let package = |at: usize| {
        let needs = format!("p{}", (7 * at + 1) % packages);
        let package = json!({"version": "1.2", "dependencies": {needs: "^1"}});
        (format!("node_modules/p{at}"), package)
    };
    json!({"packages": (0..packages).map(package).collect::<serde_json::Map<_, _>>()})
}

fn lines(rows: &[Value]) -> String {
    let lines = rows.iter().map(|row| row.to_string() + "\n");
    lines.collect()
}

/// Converts rows to Arrow directly and by way of frames, with the same bytes, and from there to JSON with the same
/// values.
fn assert_same(rows: &[Value], options: &[&str]) {
    let trip = Trip::new();
    let text = lines(rows);
    let frames = trip
        .there_from("a.ndjson", text.as_bytes(), options)
        .unwrap();
    let back = trip.back(&frames, &[]).unwrap();
    assert!(back == text.as_bytes());
    let arrow = [&["--to=arrow"][..], options].concat();
    let direct = trip.convert("a.ndjson", text.as_bytes(), &arrow).unwrap();
    let through = trip.convert("a.mbt", &frames, &["--to=arrow"]).unwrap();
    assert!(direct == through, "{options:?}");
    let read = trip.convert("a.arrow", &direct, &["--to=ndjson"]).unwrap();
    let read = String::from_utf8(read).unwrap();
    let read: Vec<Value> = read
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(read == rows, "{options:?}");
}

#[test]
fn maps_inside_maps_have_one_type_by_every_route() {
    assert_same(&[lock(1_200)], &[]);
    assert_same(&[lock(5_000), lock(5_000), lock(5_000)], &[]);
    // The packages of the second file say that those of the first one are data.
    assert_same(&[lock(1_200), lock(601), lock(3)], &["--frame-rows=1"]);
}

/// Most members lack most keys of the others, so they are text; the objects around them are few, so their keys might be
/// names.
#[test]
fn text_inside_maps_stays_text_by_every_route() {
    let member = |at: usize| {
        let mut member = json!({"since": at % 7, "url": format!("/d/{at}")});
        if at % 2 == 1 {
            member[format!("option{at}")] = json!({"since": at % 5});
        }
        (format!("member{at}"), member)
    };
    let interface = |at: usize| {
        let members = (40 * at..40 * at + 40).map(member);
        let members = members.collect::<serde_json::Map<_, _>>();
        (format!("Interface{at}"), Value::Object(members))
    };
    let api = |count| json!({"api": (0..count).map(interface).collect::<serde_json::Map<_, _>>()});
    assert_same(&[api(100)], &[]);
    assert_same(&[api(100), api(66), api(3)], &["--frame-rows=1"]);
}

/// Keys have a word or a list of words, as in dictionaries of emojis, or an object or a list of objects, as XML becomes
/// JSON.
#[test]
fn one_value_or_several_per_key_are_maps_by_every_route() {
    let shown = |rows: &[Value], options: &[&str]| {
        let trip = Trip::new();
        let text = lines(rows);
        let frames = trip.there_from("a.ndjson", text.as_bytes(), options);
        let arrow = trip
            .convert("a.mbt", &frames.unwrap(), &["--to=arrow"])
            .unwrap();
        let reader = StreamReader::try_new(&arrow[..], None).unwrap();
        reader.schema().field(0).data_type().clone()
    };
    let is_map = |found: &DataType| matches!(found, DataType::Map(..));
    let word = |at: usize| json!(format!("w{}", at % 40));
    let object = |at: usize| json!({"a": at % 7, "b": format!("b{at}")});
    for value in [word, object] {
        let words = |first: usize, count: usize| {
            let entry = |at: usize| {
                let value = match at % 4 {
                    1 => json!([value(at), value(at + 1)]),
                    2 if at.is_multiple_of(3) => json!([]),
                    _ => value(at),
                };
                (format!("{:05X}", 31 * at), value)
            };
            let words = (first..first + count).map(entry);
            Value::Object(words.collect())
        };
        let rows = [words(0, 1_200)];
        assert_same(&rows, &[]);
        assert!(is_map(&shown(&rows, &[])));
        let inside: Vec<_> = (0..6)
            .map(|row| json!({"w": words(90 * row, 90)}))
            .collect();
        // Most keys have one value in some rows and several in others.
        let some = |row: usize| {
            let entry = |at: usize| {
                let both = json!([value(at), value(row)]);
                let value = if (row + at).is_multiple_of(3) {
                    both
                } else {
                    value(at)
                };
                (format!("{:05X}", 31 * at), value)
            };
            let some = (row % 8..400).step_by(8).map(entry);
            json!({"w": some.collect::<serde_json::Map<_, _>>()})
        };
        let both: Vec<_> = (0..30).map(some).collect();
        for options in [&[][..], &["--frame-rows=2"], &["--frame-rows=1"]] {
            for rows in [&inside, &both] {
                assert_same(rows, options);
                assert!(is_map(&shown(rows, options)), "{options:?}");
            }
        }
        // Values of a third kind make a column per key, as before.
        let mut mixed = words(0, 90);
        mixed["00000"] = json!(true);
        let mixed = [json!({"w": mixed}), json!({"w": words(0, 90)})];
        assert_same(&mixed, &[]);
        assert!(!is_map(&shown(&mixed, &[])));
    }
}

#[test]
fn a_key_that_no_map_has_is_an_error_by_every_route() {
    let trip = Trip::new();
    let entries = (0..2_000).map(|at| (format!("k{at}"), json!(format!("v{at}"))));
    let text = lines(&[Value::Object(entries.collect())]);
    let frames = trip.there_from("a.ndjson", text.as_bytes(), &[]).unwrap();
    for (name, input) in [("a.ndjson", text.as_bytes()), ("a.mbt", &frames)] {
        let found = trip.convert(name, input, &["--to=ndjson", "--columns=k7"]);
        assert_eq!(found.unwrap(), b"{\"k7\":\"v7\"}\n", "{name}");
        let error = trip.convert(name, input, &["--to=ndjson", "--columns=other"]);
        let error = error.unwrap_err();
        assert_eq!(
            error.what(),
            "--columns: there is no column \"other\"",
            "{name}"
        );
    }
}

/// Some frames have columns for the keys of settings, others text.
#[test]
fn settings_have_one_type_by_every_route() {
    let settings = |first: usize, count: usize| {
        let setting = |at: usize| {
            let setting = json!({"on": at.is_multiple_of(2), "name": format!("n{at}"), "size": at});
            (format!("setting{at}"), setting)
        };
        let settings = (first..first + count).map(setting);
        json!({"id": first, "settings": settings.collect::<serde_json::Map<_, _>>()})
    };
    for options in [&[][..], &["--frame-rows=1"]] {
        assert_same(&[settings(0, 40)], options);
        assert_same(&[settings(0, 40), settings(0, 3)], options);
        let rows: Vec<_> = (0..9).map(|at| settings(at, 3 * at + 2)).collect();
        assert_same(&rows, options);
    }
}

/// A column per key would have a cell in every row. The rows come after others with the same keys, and before them, and
/// their values are of one kind or of several.
#[test]
fn rows_that_lack_most_keys_stay_whole_by_every_route() {
    let sparse = |row: usize, value: Value| {
        let key = format!("key{}", row * 7919 % 1_000);
        Value::Object(
            [("id".to_owned(), json!(row)), (key, value)]
                .into_iter()
                .collect(),
        )
    };
    let numbers: Vec<_> = (0..8_000).map(|row| sparse(row, json!(row))).collect();
    let mixed: Vec<_> = (0..8_000)
        .map(|row| match row % 3 {
            0 => sparse(row, json!(format!("v{row}"))),
            1 => sparse(row, json!([row])),
            _ => sparse(row, json!({"a": row})),
        })
        .collect();
    let dense = (0..8_000).map(|row| json!({"id": row, "key1": row}));
    let dense: Vec<_> = dense.collect();
    for rows in [&numbers[..], &mixed] {
        assert_same(rows, &[]);
        assert_same(&[rows, &dense].concat(), &[]);
        assert_same(&[&dense, rows].concat(), &["--frame-rows=5000"]);
    }
    let trip = Trip::new();
    let text = lines(&numbers);
    let frames = trip.there_from("a.ndjson", text.as_bytes(), &[]).unwrap();
    let options = ["--to=csv", "--columns=id,key919", "--where=id < 2"];
    for (name, input) in [("a.ndjson", text.as_bytes()), ("a.mbt", &frames)] {
        let csv = trip.convert(name, input, &options).unwrap();
        assert_eq!(csv, b"id,key919\n0,\n1,1\n", "{name}");
    }
}

/// They are no fields of a struct, which would be too many, even if all objects have them.
#[test]
fn more_keys_than_a_struct_has_fields_are_a_map() {
    let trip = Trip::new();
    let row = json!({"v": (0..5_000).map(|at| (format!("k{at}"), json!(at))).collect::<serde_json::Map<_, _>>()});
    let text = lines(&[row.clone(), row.clone(), row]);
    let frames = trip.there_from("a.ndjson", text.as_bytes(), &[]).unwrap();
    let options = ["--to=csv", "--columns=v.k4999"];
    for (name, input) in [("a.ndjson", text.as_bytes()), ("a.mbt", &frames)] {
        let column = trip.convert(name, input, &options).unwrap();
        assert_eq!(
            String::from_utf8(column).unwrap(),
            "v.k4999\n4999\n4999\n4999\n"
        );
    }
    // As text, the objects would take the space of their digits.
    assert!(frames.len() < 1_000, "{}", frames.len());
}
