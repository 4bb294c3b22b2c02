//! Which Arrow types nested JSON becomes.

use arrow_schema::{DataType, Field};
use mbt::columns::print::json::flatten_to_json;
use mbt::format::csv::{CsvStyle, CsvWriter};

use super::{frame, lines};

/// A type in one line; `?` marks absent keys, `~` a hidden field, `|` variants.
fn shape(field: &Field) -> String {
    let metadata = |key: &str| field.metadata().get(key).map(String::as_str);
    let inner = |fields: &[std::sync::Arc<Field>], between: &str| {
        let fields = fields
            .iter()
            .map(|field| format!("{}: {}", field.name(), shape(field)));
        fields.collect::<Vec<_>>().join(between)
    };
    let shape = match field.data_type() {
        DataType::Struct(fields) if metadata("mbt.variant") == Some("true") => {
            format!("<{}>", inner(fields, " | "))
        }
        DataType::Struct(fields) => format!("{{{}}}", inner(fields, ", ")),
        DataType::List(item) => format!("[{}]", shape(item)),
        DataType::Map(entries, false) => format!("map {}", shape(entries)),
        DataType::Boolean if metadata("mbt.role") == Some("absent") => "~".to_owned(),
        DataType::Utf8 if metadata("ARROW:extension:name") == Some("arrow.json") => {
            "json".to_owned()
        }
        other => other.to_string(),
    };
    let row = if metadata("mbt.role") == Some("row") {
        "row "
    } else {
        ""
    };
    let absent = if metadata("mbt.gap") == Some("absent") {
        "?"
    } else {
        ""
    };
    format!("{row}{shape}{absent}")
}

/// The shape of the frame made of these blocks, after checking that the frame restores their text.
fn shape_of(blocks: &[&str]) -> String {
    let frame = frame(blocks);
    assert_eq!(lines(std::slice::from_ref(&frame)), blocks.concat());
    let fields = frame.schema.fields().iter();
    let fields = fields.map(|field| format!("{}: {}", field.name(), shape(field)));
    fields.collect::<Vec<_>>().join(", ")
}

#[test]
fn objects_and_arrays_are_taken_apart() {
    assert_eq!(
        shape_of(&["{\"a\":{\"b\":1,\"c\":[\"x\",\"y\"]},\"d\":[[1.5],[]]}\n"]),
        "a: {b: Int64, c: [Utf8]}, d: [[Decimal64(18, 1)]]"
    );
    assert_eq!(shape_of(&["{\"a\":{}}\n{\"a\":null}\n"]), "a: {}");
    assert_eq!(shape_of(&["{\"a\":[]}\n{\"a\":null}\n"]), "a: [Null]");
    assert_eq!(
        shape_of(&["{\"a\":[{\"b\":true},{}]}\n"]),
        "a: [{b: Boolean?}]"
    );
}

#[test]
fn absent_null_and_both_are_told_apart() {
    assert_eq!(
        shape_of(&[
            "{\"a\":1,\"b\":null,\"c\":null,\"d\":{\"e\":1}}\n{\"b\":1,\"d\":{}}\n{\"b\":2,\"c\":3}\n"
        ]),
        "a: Int64?, b: Int64, c: Int64, c: ~, d: {e: Int64?}?"
    );
    // The nulls of the first block are distinguished from those of the second.
    assert_eq!(
        shape_of(&[
            "{\"a\":{\"b\":null}}\n",
            "{\"a\":{}}\n{\"a\":{\"b\":1}}\n{\"a\":null}\n"
        ]),
        "a: {b: Int64, b: ~}"
    );
    assert_eq!(
        shape_of(&["{\"a\":[null,1,null]}\n{\"a\":null}\n"]),
        "a: [Int64]"
    );
}

#[test]
fn values_of_several_kinds_become_variants() {
    let coordinates = "{\"c\":[1,2]}\n{\"c\":[[1,2],[3,4]]}\n{\"c\":[[[1]]]}\n";
    let expected = "c: [<number: Int64 | array: [<number: Int64 | array: [Int64]>]>]";
    assert_eq!(shape_of(&[coordinates]), expected);
    let (a, b) = coordinates.split_at(12);
    assert_eq!(shape_of(&[a, b]), expected);
    assert_eq!(
        shape_of(&[
            "{\"a\":1}\n{\"a\":\"1\"}\n{\"a\":true}\n{\"a\":null}\n{\"a\":{\"b\":1}}\n{}\n"
        ]),
        "a: <bool: Boolean | number: Int64 | string: Utf8 | object: {b: Int64}>, a: ~"
    );
}

#[test]
fn keys_that_are_data_become_the_keys_of_maps() {
    let ids =
        "{\"m\":{\"10001\":{\"a\":1},\"10002\":{\"a\":2}}}\n{\"m\":{\"10003\":{\"a\":null}}}\n";
    let expected = "m: map {key: Utf8, value: {a: Int64}}";
    assert_eq!(shape_of(&[ids]), expected);
    // Many words in one object.
    let words: Vec<_> = (0..100).map(|n| format!("\"w{n}\":{n}")).collect();
    let words = format!("{{\"m\":{{{}}}}}\n", words.join(","));
    assert_eq!(shape_of(&[&words]), "m: map {key: Utf8, value: Int64}");
    // What looks like a record in one block is a map in the other.
    assert_eq!(
        shape_of(&["{\"m\":{\"x\":null,\"y\":-1}}\n{\"m\":null}\n{}\n", &words]),
        "m: map {key: Utf8, value: Int64}, m: ~"
    );
    // Neither block alone looks like a map.
    let words = |from: usize| {
        let rows = (from..from + 40).map(|n| format!("{{\"m\":{{\"w{n}\":[{n}]}}}}\n"));
        rows.collect::<String>()
    };
    assert_eq!(
        shape_of(&[&words(0), &words(40)]),
        "m: map {key: Utf8, value: [Int64]}"
    );
}

#[test]
fn a_lone_object_whose_keys_are_data_is_a_map() {
    let object = |keys: usize, key: &dyn Fn(usize) -> String, value: &str| {
        let pairs: Vec<_> = (0..keys)
            .map(|at| format!("\"{}\":{value}", key(at)))
            .collect();
        format!("{{{}}}\n", pairs.join(","))
    };
    let name = |at: usize| format!("k{at}");
    let id = |at: usize| format!("{}", 5_000_000 + 7 * at);
    let records = object(100, &name, r#"{"a":1}"#);
    let expected = "$: row map {key: Utf8, value: {a: Int64}}";
    assert_eq!(shape_of(&[&records]), expected);
    let lists = object(65, &name, "[1.5]");
    assert_eq!(
        shape_of(&[&lists]),
        "$: row map {key: Utf8, value: [Decimal64(18, 1)]}"
    );
    let numbers = object(65, &id, "1");
    assert_eq!(
        shape_of(&[&numbers]),
        "$: row map {key: Utf8, value: Int64}"
    );
    // These become columns: few keys, two rows, values of two kinds, and numbers under keys that are names.
    let columns = |texts: &[&str]| {
        let shape = shape_of(texts);
        assert!(!shape.starts_with('$'), "{shape}");
    };
    columns(&[&object(64, &name, r#"{"a":1}"#)]);
    columns(&[&(records.clone() + &records)]);
    columns(&[&records.replacen("{\"a\":1}", "1", 1)]);
    columns(&[&object(1000, &name, "1")]);
}

#[test]
fn records_with_many_keys_stay_records() {
    let row = |n: usize| {
        let pairs: Vec<_> = (0..100)
            .map(|key| format!("\"k{key}\":{}", n + key))
            .collect();
        format!("{{\"a\":{{{}}}}}\n", pairs.join(","))
    };
    let text = row(0) + &row(1) + &row(2) + &row(3);
    assert!(shape_of(&[&text]).starts_with("a: {k0: Int64, k1: Int64"));
}

#[test]
fn what_cannot_be_taken_apart_stays_text() {
    let deep = |levels: usize| {
        format!(
            "{{\"a\":{}1{},\"b\":2}}\n",
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    assert!(shape_of(&[&deep(60)]).contains("[Int64]"));
    assert!(shape_of(&[&deep(63)]).contains("[Int64]"));
    assert!(shape_of(&[&deep(64)]).contains("[json]"));
    assert!(shape_of(&[&deep(5000)]).contains("[json]"));
    assert_eq!(
        shape_of(&["{\"a\":{\"b\":1,\"b\":2}}\n", "{\"a\":{\"b\":1}}\n"]),
        "a: json"
    );
    assert_eq!(shape_of(&["{\"a\":{\"\\ud800\":1}}\n"]), "a: json");
    assert_eq!(shape_of(&["{\"a\":{\"b\":\"\\ud800\"}}\n"]), "a: {b: json}");
    // Many keys, few of them in each object, and values of two kinds.
    let rows = (0..5000).map(|n| {
        let value = if n % 2 == 0 { "1" } else { "\"x\"" };
        format!("{{\"a\":{{\"k{n}\":{value}}}}}\n")
    });
    assert_eq!(shape_of(&[&rows.collect::<String>()]), "a: json");
}

/// Settings and translations have many keys, with one value each. As columns, most of their bytes would be names.
#[test]
fn objects_with_barely_one_value_per_key_stay_text() {
    let settings = |leaves: usize| {
        let group = |at: usize| {
            let members = (at..leaves.min(at + 4)).map(|leaf| match leaf % 2 {
                0 => format!("\"on{leaf}\":true"),
                _ => format!("\"size{leaf}\":{leaf}"),
            });
            format!(
                "\"group{at}\":{{{}}}",
                members.collect::<Vec<_>>().join(",")
            )
        };
        let groups: Vec<_> = (0..leaves).step_by(4).map(group).collect();
        format!("{{{}}}", groups.join(","))
    };
    let row = |leaves| format!("{{\"id\":7,\"settings\":{}}}\n", settings(leaves));
    let text = "id: Int64, settings: json";
    let columns = "id: Int64, settings: {group0: {on0: Boolean, size1: Int64, on2:";
    assert!(shape_of(&[&row(64)]).starts_with(columns));
    assert_eq!(shape_of(&[&row(65)]), text);
    assert!(shape_of(&[&row(65).repeat(2)]).starts_with(columns));
    // What repeats gets columns, whatever else is in the document.
    let list = [r#"{"a":1,"b":"x"}"#; 3].join(",");
    assert_eq!(
        shape_of(&[&format!(
            "{{\"all\":{{\"list\":[{list}],\"settings\":{}}}}}\n",
            settings(200)
        )]),
        "all: {list: [{a: Int64, b: Utf8}], settings: json}"
    );
}

#[test]
fn keys_are_put_where_rows_have_them() {
    let text =
        "{\"a\":{\"x\":1,\"z\":3}}\n{\"a\":{\"x\":1,\"y\":2}}\n{\"a\":{\"x\":1,\"y\":2,\"z\":3}}\n";
    assert_eq!(shape_of(&[text]), "a: {x: Int64, y: Int64?, z: Int64?}");
    let (first, rest) = text.split_at(20);
    assert_eq!(
        shape_of(&[first, rest]),
        "a: {x: Int64, y: Int64?, z: Int64?}"
    );
}

#[test]
fn columns_are_put_where_rows_have_them() {
    let text = "{\"x\":1,\"z\":3}\n{\"x\":1,\"y\":2}\n{\"w\":0,\"x\":1,\"y\":2,\"z\":3}\n";
    let expected = "w: Int64?, x: Int64, y: Int64?, z: Int64?";
    assert_eq!(shape_of(&[text]), expected);
    let blocks: Vec<_> = text.split_inclusive('\n').collect();
    assert_eq!(shape_of(&blocks), expected);
}

#[test]
fn rows_that_are_no_objects_have_a_type() {
    assert_eq!(shape_of(&["1\n2\nnull\n"]), "$: row Int64");
    assert_eq!(
        shape_of(&["[1,\"x\"]\n[]\n"]),
        "$: row [<number: Int64 | string: Utf8>]"
    );
    assert_eq!(
        shape_of(&["null\n", "3\n{\"a\":1}\n"]),
        "$: row <number: Int64 | object: {a: Int64}>"
    );
    assert_eq!(shape_of(&["{\"$\":1}\n"]), "$: Int64");
}

#[test]
fn formats_without_nesting_get_json_text() {
    let frame = frame(&["{\"a\":{\"b\":\"x,y\"},\"c\":null}\n{\"a\":{}}\n{\"c\":[1]}\n"]);
    let flat = flatten_to_json(&frame.batches[0]).unwrap();
    let names: Vec<_> = flat
        .schema()
        .fields()
        .iter()
        .map(|f| f.name().clone())
        .collect();
    assert_eq!(names, ["a", "c"]);
    let mut csv = Vec::new();
    let mut writer = CsvWriter::new(CsvStyle::default());
    writer.header(&frame.schema, &mut csv);
    writer.batch(&frame.batches[0], &mut csv, None).unwrap();
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "a,c\n\"{\"\"b\"\":\"\"x,y\"\"}\",\n{},\n,[1]\n"
    );
}
