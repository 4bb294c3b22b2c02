//! Results do not depend on where a block ends, how many bytes a read yields, or which rows are selected.

use std::fmt::Write as _;
use std::io::Cursor;

use crate::rule::Infer;
use mbt::format::csv::CsvOptions;
use mbt::format::input::BLOCK_BYTES;
use mbt::format::json::Flavor;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::read::{Ask, Drip, as_csv, as_json, read, read_from};

const CELLS: [&str; 12] = [
    "1",
    "-2.50",
    "",
    "\"\"",
    "x",
    "5\" disk",
    "\"a,b\"",
    "\"line\nbreak\r\n\"",
    "\"say \"\"hi\"\"\"",
    "é✓𝄞",
    "\"𝄞\n\"tail",
    "a longer cell that moves the others along",
];

/// Small numbers without a pattern.
fn noise(at: usize) -> usize {
    let mixed = (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) as usize >> 40
}

/// Records of three cells; quotes are odd only if `odd`.
fn records(count: usize, odd: bool) -> Vec<String> {
    let cell = |at: usize| match CELLS[noise(at) % CELLS.len()] {
        "5\" disk" | "\"𝄞\n\"tail" if !odd => "plain",
        cell => cell,
    };
    (0..count)
        .map(|row| format!("{},{},{row}\n", cell(2 * row), cell(2 * row + 1)))
        .collect()
}

fn csv(text: &str, ask: &Ask) -> Vec<u8> {
    as_csv(&read(text.as_bytes(), ask).unwrap())
}

#[test]
fn csv_is_the_same_across_block_borders() {
    for odd in [false, true] {
        let records = records(60_000, odd);
        let ask = Ask::csv(CsvOptions::default(), Infer::None);
        let text = format!("a,b,c\n{}", records.concat());
        assert!(text.len() > 4 * BLOCK_BYTES);
        let whole = csv(&text, &ask);
        // A few records make one block, so this result has no borders between blocks.
        let mut expected = Vec::new();
        for part in records.chunks(300) {
            expected.extend(csv(&format!("a,b,c\n{}", part.concat()), &ask));
        }
        assert!(whole == expected, "odd: {odd}");
        let drip = Drip {
            bytes: Cursor::new(text.clone().into_bytes()),
            step: 0,
        };
        assert!(as_csv(&read_from(Box::new(drip), &ask).unwrap()) == whole);
        // Each shift moves all borders by one byte.
        let alone = csv("a,b,c\n1,2,3\n", &ask);
        for shift in 0..20 {
            let text = format!(
                "a,b,c\n{},2,3\n{}",
                "1".repeat(shift + 1),
                records[..9000].concat()
            );
            let found = csv(&text, &ask);
            let tail = &found[alone.len() + shift..];
            assert!(
                expected.starts_with(tail) && tail.len() > BLOCK_BYTES / 2,
                "shift {shift}"
            );
        }
    }
}

#[test]
fn json_is_the_same_across_block_borders() {
    let values = [
        "1",
        "-2.5",
        "null",
        "\"\\\"{[\\\\\"",
        "\"é✓𝄞\"",
        "{\"x\":[1,{\"y\":\"]}\"}]}",
        "[]",
    ];
    let row = |at: usize| {
        let [a, b] = [values[noise(at) % 7], values[noise(at + 7) % 7]];
        format!("{{\"a\":{a},\"row\":{at},\"b\":{b}}}")
    };
    let rows: Vec<_> = (0..30_000).map(row).collect();
    assert!(rows.concat().len() > 4 * BLOCK_BYTES);
    let mut all = Vec::new();
    for (text, flavor) in [
        (rows.join("\n"), Flavor::Lines),
        (format!("[{}]", rows.join(",")), Flavor::Document),
        (format!("[ {} ]\n", rows.join(" ,\n ")), Flavor::Document),
        (rows.concat(), Flavor::Document),
        (rows.join("\n  "), Flavor::Document),
    ] {
        let ask = Ask::json(flavor, Infer::None);
        let found = as_json(&read(text.as_bytes(), &ask).unwrap());
        let drip = Drip {
            bytes: Cursor::new(text.into_bytes()),
            step: 3,
        };
        assert!(as_json(&read_from(Box::new(drip), &ask).unwrap()) == found);
        all.push(found);
    }
    let parse = |line: &String| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let expected: Vec<_> = rows.iter().map(parse).collect();
    assert!(all[0].iter().map(parse).collect::<Vec<_>>() == expected);
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn space_longer_than_a_block_is_only_space() {
    let space = " ".repeat(BLOCK_BYTES + 5);
    let ask = Ask::json(Flavor::Unknown, Infer::Values);
    for text in [
        format!("{space}[{space}1{space},{space}2]{space}"),
        format!("1\n{space}\n2{space}"),
    ] {
        assert_eq!(as_json(&read(text.as_bytes(), &ask).unwrap()), ["1", "2"]);
    }
    let lines = "\n".repeat(BLOCK_BYTES + 5);
    let text = format!("{lines}a,b\n{lines}1,2{lines}");
    let ask = Ask::csv(CsvOptions::default(), Infer::Values);
    assert_eq!(csv(&text, &ask), b"1,2\n");
}

#[test]
fn a_record_may_be_longer_than_many_blocks() {
    let long = "ab\n".repeat(BLOCK_BYTES);
    let ask = Ask::csv(CsvOptions::default(), Infer::Values);
    let text = format!("a,b\n1,2\n\"{long}\",3\n4,5\n");
    assert!(csv(&text, &ask) == text.as_bytes()[4..]);
}

#[test]
fn places_are_counted_from_the_start_of_the_input() {
    let long = "1,".repeat(BLOCK_BYTES);
    let ask = Ask::json(Flavor::Document, Infer::Values);
    let error = read(format!("[{long}x]").as_bytes(), &ask).unwrap_err();
    assert_eq!(error.place().line, Some(1));
    assert_eq!(error.place().byte_in_line, Some(long.len() as u64 + 2));
    let lines = "1,2\r".repeat(BLOCK_BYTES);
    let ask = Ask::csv(CsvOptions::default(), Infer::Values);
    let error = read(format!("a,b\r{lines}3\r").as_bytes(), &ask).unwrap_err();
    assert_eq!(error.place().line, Some(BLOCK_BYTES as u64 + 2));
}

/// Twelve rows in many styles; blank lines are not rows.
fn clothes() -> Vec<(String, Ask)> {
    let object = |at: usize| format!("{{\"a\":{at},\"b\":\"x\\n{at}\"}}");
    let objects: Vec<_> = (0..12).map(object).collect();
    let mut csv = "a,b\n\n".to_owned();
    for at in 0..12 {
        writeln!(
            csv,
            "{at},\"x\n{at}\"{}",
            ["", "\r", "\n\n", "\r\n"][at % 4]
        )
        .unwrap();
    }
    let json = |flavor| Ask::json(flavor, Infer::Values);
    vec![
        (csv.clone(), Ask::csv(CsvOptions::default(), Infer::Values)),
        (
            csv.trim_end().to_owned(),
            Ask::csv(CsvOptions::default(), Infer::Values),
        ),
        (objects.join("\n\n \n"), json(Flavor::Lines)),
        (format!("[{}]", objects.join(",")), json(Flavor::Document)),
        (
            format!("[\n{}\n]\n", objects.join(" ,\n")),
            json(Flavor::Unknown),
        ),
        (objects.concat(), json(Flavor::Document)),
        (objects.join(" \n") + "\n \n", json(Flavor::Document)),
    ]
}

#[test]
fn a_range_of_rows_is_exactly_those_rows() {
    for (text, ask) in clothes() {
        let expected: Vec<_> = (0..12)
            .map(|at| format!("{{\"a\":{at},\"b\":\"x\\n{at}\"}}"))
            .collect();
        for start in 0..14 {
            for end in (start..14).chain([u64::MAX as usize]) {
                for frame_rows in [None, Some(1), Some(2), Some(5), Some(12), Some(100)] {
                    let ask = Ask {
                        frame_rows,
                        ..ask.clone().rows(start as u64..end as u64)
                    };
                    let frames = read(text.as_bytes(), &ask).unwrap();
                    let wanted = &expected[start.min(12)..end.min(12)];
                    assert_eq!(
                        as_json(&frames),
                        wanted,
                        "{start}..{end} in {frame_rows:?} of {text}"
                    );
                    if let Some(rows) = frame_rows {
                        let (last, full) = frames.split_last().unwrap();
                        assert!(full.iter().all(|frame| frame.rows() as u64 == rows));
                        assert!(last.rows() as u64 <= rows);
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn frames_together_are_the_whole_csv(
        pieces in vec(select(vec!["1", ",", ",", "\n", "\n", "\"", "\"\"", "x", "\r\n", "\"a\nb\""]), 0..30),
        flexible in any::<bool>(),
        frame_rows in 1u64..4,
        start in 0u64..4,
        rows in 0u64..4,
    ) {
        let text = pieces.concat();
        let csv = CsvOptions { flexible, delimiter: Some(b','), ..CsvOptions::default() };
        let ask = Ask::csv(csv, Infer::None);
        let Ok(whole) = read(text.as_bytes(), &ask) else { return Ok(()) };
        let nulls_at_end = |rows: Vec<String>| -> Vec<_> {
            // Frames before a longer record do not have its columns.
            let parse = |row: String| serde_json::from_str::<serde_json::Value>(&row).unwrap();
            let valid = |value: serde_json::Value| -> Vec<_> {
                let map = value.as_object().unwrap().clone();
                map.into_iter().filter(|(_, value)| !value.is_null()).collect()
            };
            rows.into_iter().map(|row| valid(parse(row))).collect()
        };
        let expected = nulls_at_end(as_json(&whole));
        let parts = read(text.as_bytes(), &ask.clone().frame_rows(frame_rows)).unwrap();
        prop_assert_eq!(nulls_at_end(as_json(&parts)), expected.clone());
        let some = read(text.as_bytes(), &ask.rows(start..start + rows)).unwrap();
        let range = (start as usize).min(expected.len())..((start + rows) as usize).min(expected.len());
        prop_assert_eq!(nulls_at_end(as_json(&some)), expected[range].to_vec());
    }
}
