//! Any bytes are restored.

use crate::rule::Infer;
use proptest::prelude::*;

use super::{Ask, CsvOptions, same, there_and_back};

fn ask() -> impl Strategy<Value = Ask> {
    let nulls = prop_oneof![
        4 => Just(vec![""]),
        1 => Just(vec!["a"]),
        1 => Just(vec!["1", ""]),
        1 => Just(vec!["", "b", "ab"]),
    ];
    let delimiter = prop_oneof![
        3 => Just(None),
        1 => Just(Some(b',')),
        1 => Just(Some(b'1')),
        1 => Just(Some(b' ')),
    ];
    let quote = prop_oneof![4 => Just(Some(b'"')), 1 => Just(None), 1 => Just(Some(b';'))];
    let infer = prop_oneof![6 => Just(Infer::Exact), 1 => Just(Infer::None)];
    let sizes = (prop_oneof![Just(1_usize), 1..40_usize], 1..4_usize);
    (nulls, delimiter, quote, any::<bool>(), infer, sizes).prop_map(
        |(nulls, delimiter, quote, header, infer, (block_bytes, blocks))| Ask {
            csv: CsvOptions {
                tsv: false,
                delimiter,
                quote,
                header,
                nulls: nulls
                    .into_iter()
                    .map(|null| null.as_bytes().to_vec())
                    .collect(),
                flexible: true,
                ..CsvOptions::default()
            },
            infer,
            block_bytes: if block_bytes == 1 {
                1 << 16
            } else {
                block_bytes
            },
            blocks,
        },
    )
}

fn csv_like() -> impl Strategy<Value = Vec<u8>> {
    let byte = proptest::sample::select(&b",,,\"\"\";\r\n\n\n\\ab1 .N"[..]);
    proptest::collection::vec(byte, 0..120)
}

/// Cells as programs write them, some of them in quotes.
fn table() -> impl Strategy<Value = Vec<u8>> {
    let cell = proptest::sample::select(
        &[
            "",
            "\"\"",
            "1",
            "\"1\"",
            "2.50",
            "\"2.5\"",
            "NA",
            "\"NA\"",
            "NaN",
            "\"NaN\"",
            "true",
            "\"true\"",
            "x",
            "\"x\"",
            "\"a,b\"",
            "\"a\"\"b\"",
            "\"a\\\"b\"",
            "\"a\nb\"",
            "\"a\r\nb\"",
            " y",
            "\" y\"",
            "2020-01-02",
            "\"2020-01-02\"",
            "\u{feff}a",
            "-",
            "\"-\"",
            "\"\\\\\"",
            "a",
        ][..],
    );
    let end = proptest::sample::select(&["\n", "\n", "\r\n", "\r\n", "\n\n", "\r", ""][..]);
    // Each column has few kinds of cells, and each file few kinds of line ends.
    let cells = proptest::collection::vec(proptest::collection::vec(cell, 1..4), 1..4);
    let ends = proptest::collection::vec(end, 1..3);
    let picks = proptest::collection::vec(any::<[u8; 5]>(), 0..30);
    (cells, ends, picks).prop_map(|(cells, ends, picks)| {
        let mut text = String::new();
        for pick in picks {
            let record: Vec<&str> = cells
                .iter()
                .zip(pick)
                .map(|(cells, pick)| cells[usize::from(pick) % cells.len()])
                .collect();
            text.push_str(&record.join(","));
            text.push_str(ends[usize::from(pick[4] / 100) % ends.len()]);
        }
        text.into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 500 } else { 50_000 }))]

    #[test]
    fn any_bytes_come_back_with_flexible(text: Vec<u8>, ask in ask()) {
        same(&text, &ask);
    }

    #[test]
    fn what_looks_like_csv_comes_back(text in csv_like(), ask in ask()) {
        same(&text, &ask);
    }

    #[test]
    fn tables_come_back(text in table(), ask in ask()) {
        same(&text, &ask);
    }

    #[test]
    fn what_is_accepted_comes_back(text in csv_like(), ask in ask()) {
        let csv = CsvOptions { flexible: false, ..ask.csv.clone() };
        let ask = Ask { csv, ..ask };
        if there_and_back(&text, &ask).is_ok() {
            same(&text, &ask);
        }
    }
}
