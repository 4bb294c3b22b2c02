//! Random columns of every kind, including cells that do not fit, cut anywhere.

use crate::rule::Infer;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal64Type, Decimal128Type, Float64Type, Int64Type, UInt64Type,
};
use arrow_schema::DataType;
use proptest::prelude::*;
use proptest::sample::select;

use super::read::{Read, read};
use super::rounded::printf;

/// Days since 1970-01-01, by walking the years and months one by one.
fn days(year: i64, month: usize, day: i64) -> i64 {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let months = |year| {
        [
            31,
            if leap(year) { 29 } else { 28 },
            31,
            30,
            31,
            30,
            31,
            31,
            30,
            31,
            30,
            31,
        ]
    };
    let of_year = |year| months(year).iter().sum::<i64>();
    let years: i64 = if year >= 1970 {
        (1970..year).map(of_year).sum()
    } else {
        -(year..1970).map(of_year).sum::<i64>()
    };
    years + months(year)[..month - 1].iter().sum::<i64>() + day - 1
}

fn text<T: ToString + std::fmt::Debug>(
    strategy: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<String> {
    strategy.prop_map(|value| value.to_string()).boxed()
}

fn float(print: fn(f64) -> String) -> BoxedStrategy<String> {
    prop_oneof![
        any::<f64>(),
        (-100_000i64..100_000, 0..8i32).prop_map(|(m, s)| m as f64 / 10f64.powi(s)),
        (-9i64..10, -30..30i32).prop_map(|(m, e)| m as f64 * 10f64.powi(e)),
    ]
    .prop_map(print)
    .boxed()
}

/// As C prints it with `%.Ne`.
fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}").to_lowercase();
    match text.split_once('e') {
        Some((number, exponent)) => format!("{number}e{:+03}", exponent.parse::<i32>().unwrap()),
        None => text,
    }
}

fn date_time(print: fn([u32; 6]) -> String) -> BoxedStrategy<String> {
    (
        1600u32..2400,
        1u32..13,
        1u32..29,
        0u32..24,
        0u32..60,
        0u32..60,
    )
        .prop_map(move |(y, m, d, h, i, s)| print([y, m, d, h, i, s]))
        .boxed()
}

/// Cells of one kind.
fn kinds() -> Vec<BoxedStrategy<String>> {
    let mut kinds = vec![
        text(-50i64..50),
        text(any::<i64>()),
        text(any::<u64>()),
        text(any::<i128>()),
        "-?(0|[1-9][0-9]{0,20})\\.[0-9]{2}".boxed(),
        "-?(0|[1-9][0-9]{0,3})\\.[0-9]{7}".boxed(),
        "[0-9]{5}".boxed(),
        "0[0-9]{2}".boxed(),
        "(0|[1-9][0-9]{0,3})(\\.[0-9])?".boxed(),
        float(|value| format!("{value:?}")),
        float(|value| format!("{value}")),
        float(|value| printf(value, 17)),
        float(|value| printf(value, 6)),
        float(|value| scientific(value, 3).to_uppercase()),
        float(|value| scientific(value, 14)),
        float(|value| scientific(value, 15)),
        float(|value| scientific(value, 18)),
        float(|value| {
            let text = format!("{value:e}");
            text.replace("e-", "e-0")
        }),
        date_time(|[y, m, d, ..]| format!("{y:04}-{m:02}-{d:02}")),
        date_time(|[y, m, d, ..]| format!("{m:02}/{d:02}/{y}")),
        date_time(|[y, m, d, ..]| format!("{m}/{d}/{y}")),
        date_time(|[y, m, d, ..]| format!("{d}.{m}.{y}")),
        date_time(|[_, _, _, h, i, s]| format!("{h:02}:{i:02}:{s:02}")),
        date_time(|[_, _, _, h, i, _]| format!("{h}:{i:02}")),
        date_time(|[y, m, d, h, i, s]| format!("{y:04}-{m:02}-{d:02}T{h:02}:{i:02}:{s:02}Z")),
        date_time(|[y, m, d, h, i, s]| format!("{y:04}-{m:02}-{d:02} {h:02}:{i:02}:{s:02}")),
        date_time(|[y, m, d, h, i, s]| {
            format!("{y:04}-{m:02}-{d:02}T{h:02}:{i:02}:{s:02}.{s:03}Z")
        }),
        date_time(|[y, m, d, h, i, s]| {
            format!("{y:04}-{m:02}-{d:02} {h:02}:{i:02}:{s:02}.{y:06}+02:00")
        }),
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}".boxed(),
        "[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}".boxed(),
        "[a-c]{0,3}".boxed(),
    ];
    for words in [
        ["true", "false"],
        ["True", "False"],
        ["T", "F"],
        ["Y", "N"],
        ["yes", "no"],
    ] {
        kinds.push(text(select(words.to_vec())));
    }
    kinds
}

const SPOILERS: [&str; 24] = [
    "",
    "NA",
    "nan",
    "NaN",
    "null",
    "\\N",
    "-",
    "Infinity",
    "-0",
    "-0.0",
    "+1",
    "007",
    "1e5",
    "1.50",
    ".5",
    "x",
    "2024-02-30",
    "24:00:00",
    "18446744073709551616",
    "99999999999999999999999999999999999999",
    "999999999999999999999999999999999999999",
    "1,5",
    "True",
    "2024-01-02T00:00:00-00:00",
];

fn column() -> impl Strategy<Value = (Vec<String>, Vec<usize>)> {
    let kinds = kinds();
    let kind =
        (0..kinds.len()).prop_flat_map(move |at| prop::collection::vec(kinds[at].clone(), 1..40));
    let spoilers = prop::collection::vec(
        (any::<prop::sample::Index>(), select(SPOILERS.to_vec())),
        0..3,
    );
    let many = (
        select(SPOILERS.to_vec()),
        prop::collection::vec(any::<bool>(), 40),
    );
    (
        kind,
        spoilers,
        prop::option::weighted(0.4, many),
        prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    )
        .prop_map(|(mut cells, spoilers, many, cuts)| {
            let len = cells.len();
            if let Some((word, rows)) = many {
                for (cell, _) in cells.iter_mut().zip(rows).filter(|(_, hit)| *hit) {
                    word.clone_into(cell);
                }
            }
            for (at, word) in spoilers {
                word.clone_into(&mut cells[at.index(len)]);
            }
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(len)).collect();
            cuts.sort_unstable();
            (cells, cuts)
        })
}

/// Checks values against what the standard library reads.
fn check_values(found: &Read, cells: &[String]) {
    let null = found
        .field
        .metadata()
        .get("mbt.null")
        .cloned()
        .unwrap_or_default();
    let mut cells = cells.iter();
    for array in &found.blocks {
        for row in 0..array.len() {
            let cell = cells.next().unwrap();
            let is_null = array.is_null(row) || *array.data_type() == DataType::Null;
            assert_eq!(is_null, *cell == null, "{cell}");
            if is_null {
                continue;
            }
            let mantissa = || cell.replace('.', "").parse::<i128>().unwrap();
            let scale = || {
                cell.split_once('.')
                    .map_or(0, |(_, fraction)| fraction.len()) as i8
            };
            match array.data_type() {
                DataType::Int64 => {
                    assert_eq!(
                        array.as_primitive::<Int64Type>().value(row),
                        cell.parse::<i64>().unwrap()
                    );
                }
                DataType::UInt64 => {
                    assert_eq!(
                        array.as_primitive::<UInt64Type>().value(row),
                        cell.parse::<u64>().unwrap()
                    );
                }
                DataType::Float64 => {
                    let value = array.as_primitive::<Float64Type>().value(row);
                    let expected: f64 = cell.parse().unwrap();
                    assert_eq!(value.to_bits(), expected.to_bits(), "{cell}");
                }
                DataType::Decimal64(_, digits) => {
                    assert_eq!(
                        i128::from(array.as_primitive::<Decimal64Type>().value(row)),
                        mantissa()
                    );
                    assert_eq!(*digits, scale());
                }
                DataType::Decimal128(_, digits) => {
                    assert_eq!(
                        array.as_primitive::<Decimal128Type>().value(row),
                        mantissa()
                    );
                    assert_eq!(*digits, scale());
                }
                DataType::Date32 if !found.field.metadata().contains_key("mbt.form") => {
                    let part = |range: std::ops::Range<usize>| cell[range].parse::<i64>().unwrap();
                    let expected = days(part(0..4), part(5..7) as usize, part(8..10));
                    assert_eq!(
                        i64::from(array.as_primitive::<Date32Type>().value(row)),
                        expected
                    );
                }
                DataType::Boolean => {
                    assert_eq!(
                        array.as_boolean().value(row),
                        b"tTYy".contains(&cell.as_bytes()[0])
                    );
                }
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn cells_print_back_however_they_are_cut((cells, cuts) in column()) {
        let found = read(&cells, &cuts, Infer::Exact, false);
        prop_assert_eq!(found.csv(), &cells[..], "{}", found.kind());
        check_values(&found, &cells);
    }

    #[test]
    fn quotes_make_no_difference((cells, cuts) in column(), quoted in prop::collection::vec(any::<bool>(), 40)) {
        let quoted: Vec<_> = cells.iter().zip(quoted)
            .map(|(cell, quoted)| if quoted && !cell.is_empty() { format!("\"{cell}\"") } else { cell.clone() })
            .collect();
        prop_assert_eq!(read(&quoted, &cuts, Infer::Exact, false).csv(), cells);
    }

    #[test]
    fn a_column_by_value_loses_no_cell((cells, cuts) in column()) {
        let found = read(&cells, &cuts, Infer::Values, false);
        prop_assert_eq!(found.csv().len(), cells.len());
    }

    #[test]
    fn strings_of_json_print_back((cells, cuts) in column()) {
        let json: Vec<_> = cells.iter()
            .map(|cell| if cell.is_empty() { String::new() } else { serde_json::to_string(cell).unwrap() })
            .collect();
        let found = read(&json, &cuts, Infer::Exact, true);
        let expected: Vec<_> = cells.iter().map(|cell| (!cell.is_empty()).then(|| cell.clone())).collect();
        prop_assert_eq!(found.cells(), expected);
        prop_assert!(!matches!(found.field.data_type(), DataType::Boolean | DataType::Int64 | DataType::Float64));
    }
}
