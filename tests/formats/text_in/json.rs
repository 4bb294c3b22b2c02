//! JSON against `serde_json`, value by value.

use crate::rule::Infer;
use mbt::format::json::Flavor;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value};

use super::read::{Ask, as_json, read};

const INFERS: [Infer; 3] = [Infer::Exact, Infer::Values, Infer::None];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        (-100i32..100).prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        (-10000i32..10000).prop_map(|n| (f64::from(n) / 100.0).into()),
        "\\PC{0,12}".prop_map(Into::into),
        "[\\x00-\\x7f]{0,12}".prop_map(Into::into),
        select(vec![
            "true",
            "null",
            "1",
            "1.5",
            "NaN",
            "2024-01-02T03:04:05Z",
            "2024-01-02T03:04:05+01:00"
        ])
        .prop_map(Into::into),
        select(vec![
            "00000000-0000-0000-0000-00000000000a",
            "00000000-0000-0000-0000-00000000000A"
        ])
        .prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Into::into),
            vec((key(), inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    // Columns without a name come from the empty key.
    prop_oneof![
        4 => select(vec!["a", "b", "c", "é", "\"", "\\", "a\nb", "$"]).prop_map(str::to_owned),
        1 => "[\\PC\\x00-\\x1f]{1,4}",
    ]
}

fn object() -> impl Strategy<Value = Value> {
    // Rows that are not objects are stored in a single column `$` of JSON text.
    let key = key().prop_filter("lone $", |key| key != "$");
    vec((key, value()), 0..5).prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
}

/// A key spelled in ASCII.
fn escaped(text: &str) -> String {
    let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
    format!("\"{}\"", units.collect::<String>())
}

/// The rows as one text, and its format.
fn spell(rows: &[Value], style: u8) -> (String, Flavor) {
    let each = |print: fn(&Value) -> String, between: &str| {
        rows.iter().map(print).collect::<Vec<_>>().join(between)
    };
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    let with_escapes = |value: &Value| {
        let pairs = value.as_object().unwrap().iter();
        let pairs: Vec<_> = pairs
            .map(|(key, value)| format!("{}:{value}", escaped(key)))
            .collect();
        format!("{{{}}}", pairs.join(","))
    };
    match style {
        0 => (
            format!("[{}]", each(Value::to_string, ",")),
            Flavor::Document,
        ),
        1 => (serde_json::to_string_pretty(rows).unwrap(), Flavor::Unknown),
        2 => (each(Value::to_string, "\n") + "\n", Flavor::Lines),
        3 => (each(Value::to_string, "\r\n\n"), Flavor::Unknown),
        4 => (each(Value::to_string, ""), Flavor::Document),
        5 => (each(pretty, "\n\n"), Flavor::Unknown),
        6 => (each(pretty, ""), Flavor::Unknown),
        _ => (each(with_escapes, "\n"), Flavor::Lines),
    }
}

/// Absent and null are the same at the top level.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let valid = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(
                valid
                    .map(|(k, v)| (k.clone(), number_by_value(v)))
                    .collect(),
            )
        }
        other => number_by_value(other),
    }
}

/// Numbers as f64 if they are exact, since `2` may be printed as `2.0`.
fn number_by_value(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(number_by_value).collect(),
        Value::Object(map) => {
            let map: Map<_, _> = map
                .iter()
                .map(|(k, v)| (k.clone(), number_by_value(v)))
                .collect();
            Value::Object(map)
        }
        other => other.clone(),
    }
}

fn parsed(lines: &[String]) -> Vec<Value> {
    lines
        .iter()
        .map(|line| without_nulls(&serde_json::from_str(line).unwrap()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn rows_come_back_value_by_value(
        rows in vec(object(), 0..8),
        style in 0u8..8,
        frame_rows in prop_oneof![Just(None), (1u64..4).prop_map(Some)],
    ) {
        let (text, flavor) = spell(&rows, style);
        // Through text, since `serde_json` does not restore every float that it prints.
        let expected = parsed(&rows.iter().map(Value::to_string).collect::<Vec<_>>());
        for infer in INFERS {
            let ask = Ask { frame_rows, ..Ask::json(flavor, infer) };
            let frames = read(text.as_bytes(), &ask).unwrap();
            prop_assert_eq!(parsed(&as_json(&frames)), expected.clone(), "{:?} {}", infer, text);
        }
    }

    #[test]
    fn values_that_are_no_objects_come_back_as_rows(
        rows in vec(value().prop_filter("no object", |value| !value.is_object()), 1..8),
        array in any::<bool>(),
        frame_rows in prop_oneof![Just(None), (1u64..4).prop_map(Some)],
    ) {
        let (text, flavor) = if array {
            (Value::from(rows.clone()).to_string(), Flavor::Document)
        } else {
            (rows.iter().map(|row| row.to_string() + "\n").collect(), Flavor::Lines)
        };
        let ask = Ask { frame_rows, ..Ask::json(flavor, Infer::Values) };
        // The keys of objects in a row may be in another order, which does not change the value.
        let expected = parsed(&rows.iter().map(Value::to_string).collect::<Vec<_>>());
        prop_assert_eq!(parsed(&as_json(&read(text.as_bytes(), &ask).unwrap())), expected);
    }

    #[test]
    fn arbitrary_text_is_accepted_as_serde_json_accepts_it(
        text in prop_oneof![
            vec(any::<u8>(), 0..24),
            "\\PC{0,24}".prop_map(String::into_bytes),
            vec(select(vec![
                "{", "}", "[", "]", "\"a\"", "\"b\"", ":", ":", ",", "1", "-", "0", "e", ".", "true", "null", " ", "\n",
                "\"", "\\", "{\"a\":1}", "{\"b\":", "\\u00e9", "\u{e9}", "\\ud800",
            ]), 0..14).prop_map(|pieces| pieces.concat().into_bytes()),
            vec(select(vec!["{\"a\":", "1", "}", "{}", ",", "[", "]", "\n"]), 0..10)
                .prop_map(|pieces| pieces.concat().into_bytes()),
        ],
        frame_rows in prop_oneof![Just(None), (1u64..4).prop_map(Some)],
    ) {
        let ask = Ask { frame_rows, ..Ask::json(Flavor::Document, Infer::Values) };
        let ours = read(&text, &ask);
        if text.starts_with(b"\xef\xbb\xbf") {
            return Ok(());
        }
        let is_array = text.trim_ascii_start().starts_with(b"[");
        let theirs: Result<Vec<Value>, _> = if is_array {
            serde_json::from_slice(&text)
        } else {
            serde_json::Deserializer::from_slice(&text).into_iter().collect()
        };
        match (ours, theirs) {
            (Ok(frames), Ok(rows)) => {
                let found = parsed(&as_json(&frames));
                prop_assert_eq!(found, rows.iter().map(without_nulls).collect::<Vec<_>>());
            }
            (Ok(_), Err(error)) => {
                // Documented: numbers beyond f64 and lone surrogates are accepted as text.
                let what = error.to_string();
                let beyond = ["out of range", "surrogate", "hex escape", "recursion"];
                prop_assert!(beyond.iter().any(|word| what.contains(word)), "only we accept it: {}", what);
            }
            (Err(error), Ok(_)) => {
                // Documented: values without a closing bracket are followed by white space.
                let what = error.what();
                let stricter = ["white space after"];
                prop_assert!(stricter.iter().any(|word| what.contains(word)), "only they accept it: {}", error);
            }
            (Err(error), Err(_)) => prop_assert!(error.place().line.is_some(), "{}", error),
        }
    }

    #[test]
    fn lines_mean_the_same_in_any_frame(
        pieces in vec(select(vec!["{\"a\":1}", "{}", "\n", "\n", "{\"a\":", "2}", " ", "7", "\r\n"]), 0..14),
        frame_rows in 1u64..4,
    ) {
        let text = pieces.concat();
        let whole = read(text.as_bytes(), &Ask::json(Flavor::Lines, Infer::None));
        let parts = read(text.as_bytes(), &Ask::json(Flavor::Lines, Infer::None).frame_rows(frame_rows));
        match (whole, parts) {
            (Ok(whole), Ok(parts)) => {
                for frame in &parts[..parts.len() - 1] {
                    prop_assert_eq!(frame.rows() as u64, frame_rows);
                }
                prop_assert_eq!(parsed(&as_json(&whole)), parsed(&as_json(&parts)));
            }
            (whole, parts) => {
                prop_assert_eq!(whole.err().map(|e| e.to_string()), parts.err().map(|e| e.to_string()));
            }
        }
    }
}

fn ndjson(text: &str, flavor: Flavor) -> Vec<String> {
    as_json(&read(text.as_bytes(), &Ask::json(flavor, Infer::Values)).unwrap())
}

#[test]
fn json_of_every_kind() {
    use Flavor::{Document, Lines, Unknown};
    for (text, flavor, expected) in [
        ("", Document, &[][..]),
        ("[]", Document, &[]),
        (" [ ] \n", Unknown, &[]),
        ("\u{feff}{\"a\":1}", Unknown, &[r#"{"a":1}"#]),
        (
            "{\"a\":1}{\"b\":2}",
            Document,
            &[r#"{"a":1,"b":null}"#, r#"{"a":null,"b":2}"#],
        ),
        (
            "[1,[2],{\"a\": 3},null]",
            Document,
            &["1", "[2]", "{\"a\":3}", "null"],
        ),
        ("[1,2]\n[3, 4]\n", Unknown, &["[1,2]", "[3,4]"]),
        ("[[1,2],\n[3]]", Unknown, &["[1,2]", "[3]"]),
        (
            "{\"a\":{\"b\" : [1, 2]}}",
            Document,
            &[r#"{"a":{"b":[1,2]}}"#],
        ),
        (
            "{\"\\u00e9\":1}\n{\"é\":2}\n",
            Lines,
            &[r#"{"é":1}"#, r#"{"é":2}"#],
        ),
        ("{\"a\":\"\\ud800\"}", Document, &[r#"{"a":"\ud800"}"#]),
        (
            "{\"a\":\"1.50\"}\n{\"a\":\"2\"}",
            Lines,
            &[r#"{"a":"1.50"}"#, r#"{"a":"2"}"#],
        ),
        (
            // Numbers in several forms become floats, as in CSV.
            "{\"a\":1.50}\n{\"a\":2}",
            Lines,
            &[r#"{"a":1.5}"#, r#"{"a":2.0}"#],
        ),
        (
            // No double has all of these digits.
            "{\"a\":1.50}\n{\"a\":0.12345678901234567890}",
            Lines,
            &[r#"{"a":1.50}"#, r#"{"a":0.12345678901234567890}"#],
        ),
        (
            "{\"a\":18446744073709551615}",
            Document,
            &[r#"{"a":18446744073709551615}"#],
        ),
        ("{\"a\":1e400}", Document, &[r#"{"a":1e400}"#]),
        ("{\"a\":null}\n{}\n", Lines, &[r#"{"a":null}"#, "{}"]),
    ] {
        assert_eq!(ndjson(text, flavor), expected, "{text:?}");
    }
}

#[test]
fn many_keys_take_no_time() {
    let keys: Vec<_> = (0..20_000).map(|at| format!("\"k{at}\":{at}")).collect();
    let text = format!("{{{}}}", keys.join(","));
    assert_eq!(ndjson(&text, Flavor::Document), [text]);
}
