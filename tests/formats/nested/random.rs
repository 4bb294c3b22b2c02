//! Random documents.

use crate::rule::Infer;
use mbt::format::json::Flavor;
use mbt::pipeline::FrameSize;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value};

use super::{lines, read};

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
        select(vec!["true", "null", "1", "NaN", "2024-01-02T03:04:05Z", ""]).prop_map(Into::into),
        select(vec![
            "00000000-0000-0000-0000-00000000000a",
            "00000000-0000-0000-0000-00000000000A"
        ])
        .prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Into::into),
            vec((key(), inner), 0..6).prop_map(object),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(vec!["a", "b", "c", "d", "é", "\"", "\\", "a\nb", "$", ""]).prop_map(str::to_owned),
        2 => (1000..1100u32).prop_map(|id| id.to_string()),
        1 => "[\\PC\\x00-\\x1f]{1,4}",
    ]
}

fn object(pairs: Vec<(String, Value)>) -> Value {
    Value::Object(pairs.into_iter().collect())
}

/// The same with the keys of all objects sorted, so that all agree on an order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.into_iter().collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            let pairs = pairs.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

fn ndjson(rows: &[Value]) -> String {
    let lines: Vec<_> = rows.iter().map(|row| format!("{row}\n")).collect();
    lines.concat()
}

/// The rows in three blocks of one frame.
fn blocks(rows: &[Value], cuts: (usize, usize)) -> Vec<String> {
    let (a, b) = (cuts.0.min(cuts.1), cuts.0.max(cuts.1));
    let (a, b) = (a.min(rows.len()), b.min(rows.len()));
    [&rows[..a], &rows[a..b], &rows[b..]].map(ndjson).to_vec()
}

fn there_and_back(rows: &[Value], cuts: (usize, usize), infer: Infer, size: FrameSize) -> String {
    let blocks = blocks(rows, cuts);
    // An input without rows does not affect the type of rows.
    let blocks: Vec<_> = blocks
        .iter()
        .map(String::as_bytes)
        .filter(|text| !text.is_empty())
        .collect();
    lines(&read(&blocks, Flavor::Lines, infer, size).unwrap())
}

fn assert_same_values(rows: &[Value], text: &str) {
    let found: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // As serde_json reads them: it is not exact for all floats.
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| serde_json::from_str(&row.to_string()).unwrap())
        .collect();
    assert_eq!(rows, found);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn objects_come_back(
        rows in vec(vec((key(), value()), 0..5).prop_map(object), 1..12),
        cuts in (0..12usize, 0..12usize),
        frame_rows in 1..12u64,
        none: bool,
    ) {
        let infer = if none { Infer::None } else { Infer::Exact };
        assert_same_values(&rows, &there_and_back(&rows, cuts, infer, FrameSize::Whole));
        assert_same_values(&rows, &there_and_back(&rows, cuts, infer, FrameSize::Rows(frame_rows)));
    }

    #[test]
    fn values_of_any_kind_come_back(rows in vec(value(), 1..12), cuts in (0..12usize, 0..12usize)) {
        // If the first row is an object, all rows are.
        let mut rows = rows;
        for at in [0, cuts.0.min(cuts.1), cuts.0.max(cuts.1)] {
            if let Some(row @ Value::Object(_)) = rows.get_mut(at) {
                *row = Value::Null;
            }
        }
        assert_same_values(&rows, &there_and_back(&rows, cuts, Infer::Exact, FrameSize::Whole));
    }

    #[test]
    fn where_rows_agree_on_the_order_of_keys_the_text_comes_back(
        rows in vec(vec((key(), value()), 1..5).prop_map(object).prop_map(sorted), 1..12),
    ) {
        let text = there_and_back(&rows, (99, 99), Infer::Exact, FrameSize::Whole);
        prop_assert_eq!(ndjson(&rows), text);
    }
}
