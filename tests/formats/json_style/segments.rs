//! Head, records and tail make up the whole text.

use mbt::format::json::Flavor;
use proptest::prelude::*;

use crate::json_style::read::{printed, read, records};

fn space() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => Just(String::new()),
        1 => proptest::collection::vec(proptest::sample::select(vec![" ", "\n", "\r\n", "\t", "\r"]), 0..4)
            .prop_map(|all| all.concat()),
    ]
}

fn value() -> impl Strategy<Value = String> {
    let scalar = proptest::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1E5",
        "1.50",
        "-1e-07",
        "123456789012345678901234567890",
        "\"\"",
        "\"a\\/b\"",
        "\"\\u00e9é\"",
        "\"\\ud800\"",
        "\"\\uD83D\\uDE00\"",
        "\"]},\\\"[{\"",
        "{}",
        "[]",
        "{ }",
        "[\n]",
    ])
    .prop_map(str::to_owned);
    scalar.prop_recursive(5, 40, 5, |inner| {
        let key = proptest::sample::select(vec!["a", "b", "c", "\\u0061", "", "\\ud800"]);
        let item = (space(), inner, space()).prop_map(|(a, value, b)| format!("{a}{value}{b}")).boxed();
        let member = (space(), key, space(), item.clone())
            .prop_map(|(a, key, b, item)| format!("{a}\"{key}\"{b}:{item}"));
        prop_oneof![
            1 => proptest::collection::vec(item, 1..5).prop_map(|all| format!("[{}]", all.join(","))),
            2 => proptest::collection::vec(member, 1..5).prop_map(|all| format!("{{{}}}", all.join(","))),
        ]
    })
}

fn bracketed() -> impl Strategy<Value = String> {
    value().prop_filter("objects only", |value| value.starts_with('{'))
}

/// The pieces returned by the reader, concatenated.
fn whole(text: &str, flavor: Flavor, limit: Option<usize>) -> Vec<u8> {
    let read = read(text.as_bytes(), flavor, limit).unwrap();
    let mut whole = read.head.clone();
    for (at, block) in read.blocks.iter().enumerate() {
        let source = block.source.as_ref().unwrap();
        assert_eq!(source.first, at == 0);
        let records = records(block);
        assert_eq!(records.len(), block.rows);
        whole.extend(records.into_iter().flatten());
        whole.extend_from_slice(&source.tail);
    }
    whole.extend_from_slice(&read.tail);
    whole
}

fn check(text: &str, flavor: Flavor, limit: Option<usize>) {
    assert_eq!(String::from_utf8(whole(text, flavor, limit)).unwrap(), text);
    // Records of every kind can be printed.
    printed(read(text.as_bytes(), flavor, limit).unwrap(), 1);
}

proptest! {
    #[test]
    fn of_an_array(
        rows in proptest::collection::vec((space(), value(), space()), 0..8),
        ends in (space(), space(), space()),
        mark: bool,
        limit in proptest::option::of(1..4usize),
    ) {
        let rows: Vec<_> = rows.into_iter().map(|(a, row, b)| format!("{a}{row}{b}")).collect();
        let mark = if mark { "\u{feff}" } else { "" };
        let text = format!("{mark}{}[{}{}]{}", ends.0, ends.1, rows.join(","), ends.2);
        check(&text, Flavor::Document, limit);
    }

    #[test]
    fn of_values(
        rows in proptest::collection::vec((space(), bracketed()), 0..8),
        ends in (space(), space()),
        limit in proptest::option::of(1..4usize),
    ) {
        let rows: String = rows.into_iter().flat_map(|(a, row)| [a, row]).collect();
        let text = format!("{}{rows}{}", ends.0, ends.1);
        check(&text, Flavor::Document, limit);
    }

    #[test]
    fn of_lines(
        rows in proptest::collection::vec((0..3usize, value(), "[ \t]{0,2}\r?"), 0..8),
        cut: bool,
        limit in proptest::option::of(1..4usize),
    ) {
        let line = |(blank, row, end): &(usize, String, String)| {
            format!("{}{}{end}\n", "\n".repeat(*blank), row.replace(['\n', '\r'], " "))
        };
        let mut text: String = rows.iter().map(line).collect();
        if cut {
            text.pop();
        }
        check(&text, Flavor::Lines, limit);
    }
}

#[test]
fn of_a_document_that_is_one_value() {
    for text in [
        "{\"a\":1}",
        " {\"a\": 1}\n",
        "12",
        "\u{feff}\"a\" \n\n",
        "null",
        "",
        " \n",
        "[ ]\n",
        "[]",
    ] {
        check(text, Flavor::Document, None);
    }
}
