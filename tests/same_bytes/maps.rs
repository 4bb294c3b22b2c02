//! Objects whose keys are data, inside others: they have one type by every route, and keep their values.

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
