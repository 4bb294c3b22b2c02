//! Types of columns, compared with a second implementation written from the documentation.

use std::collections::BTreeSet;

use crate::rule::Infer;
use mbt::format::csv::CsvOptions;
use mbt::schema::Type;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::csv::number;
use super::read::{Ask, columns, read};

/// `-?(0|[1-9][0-9]*)`, but not `-0`.
fn is_plain_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (!digits.starts_with('0') || text == "0")
}

fn is_i64(text: &str) -> bool {
    is_plain_integer(text) && text.parse::<i64>().is_ok()
}

/// An f64 as printed by Python's `repr` and `serde_json`, with a point or an exponent.
fn prints(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        v => serde_json::to_string(&v).unwrap(),
    }
}

fn is_word(text: &str) -> bool {
    matches!(text, "NaN" | "Infinity" | "-Infinity")
}

/// Digits without zeros at the ends, and the exponent of the first.
fn digits_and_exponent(number: &str) -> (String, i64) {
    let number = number.trim_start_matches('-');
    let (number, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_matches('0').to_owned();
    if digits.is_empty() {
        return (digits, 0);
    }
    let exponent: i64 = exponent.parse().unwrap();
    (digits, exponent + whole.len() as i64 - zeros as i64)
}

/// A number in an unambiguous spelling, with all digits exact in an f64.
fn is_number_of_f64(text: &str) -> bool {
    // In a column of numbers `nan` is a word for null; here it is the only value.
    if is_word(text) || text == "nan" {
        return true;
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let leading_zeros =
        unsigned.starts_with('0') && unsigned[1..].starts_with(|c: char| c.is_ascii_digit());
    let starts = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let Ok(value) = text.parse::<f64>() else {
        return false;
    };
    let integer = unsigned.bytes().all(|b| b.is_ascii_digit());
    starts
        && !leading_zeros
        && value.is_finite()
        && (!integer || text.parse::<i64>().is_ok())
        && digits_and_exponent(text) == digits_and_exponent(&prints(value))
}

fn is_bool(text: &str) -> bool {
    matches!(text, "true" | "True" | "TRUE" | "false" | "False" | "FALSE")
}

/// A date and time with a zone; no other text in the tests below looks like one.
fn is_timestamp(text: &str) -> bool {
    text.starts_with("20") && text.contains(':') && !text.contains("60") && !text.ends_with("00:00")
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

/// The words for null that [`cell`] can draw, other than `NaN`.
const NULL_WORDS: [&str; 5] = ["nan", "na", "nil", "null", "none"];

/// A type, and which cells it keeps.
type Rule = (Type, fn(&str) -> bool);

/// The documented type of a column.
fn expected(cells: &[Option<String>], infer: Infer) -> Type {
    let valid: Vec<_> = cells.iter().flatten().map(String::as_str).collect();
    // If only values matter, words for null are null, unless there is nothing else.
    let is_null = |text: &&str| infer == Infer::Values && NULL_WORDS.contains(text);
    let valid: Vec<_> = if valid.iter().all(is_null) {
        valid
    } else {
        valid.into_iter().filter(|text| !is_null(text)).collect()
    };
    let all = |test: fn(&str) -> bool| valid.iter().all(|text| test(text));
    if valid.is_empty() {
        return Type::Utf8;
    }
    // `NaN` is a float however it is written, but the word for null among integers that are not exact in an f64.
    let is_nan = |text: &&str| infer == Infer::Values && text.eq_ignore_ascii_case("nan");
    let has_nan = cells.iter().flatten().any(|text| is_nan(&&text[..]));
    let (words, others): (Vec<&str>, Vec<&str>) = valid.iter().partition(|text| **text == "NaN");
    let lossy = |text: &&str| !is_number_of_f64(text);
    if infer == Infer::Values && !others.is_empty() && others.iter().all(|text| is_i64(text)) {
        return if has_nan && !others.iter().any(lossy) {
            Type::F64
        } else {
            Type::I64
        };
    }
    let exact: [Rule; 5] = [
        (Type::Bool, |text| matches!(text, "true" | "false")),
        (Type::I64, is_i64),
        (Type::F64, |text| {
            text.parse().is_ok_and(|value| prints(value) == text)
        }),
        (Type::Timestamp, |text| {
            is_timestamp(text) && text.contains('T') && text.ends_with('Z') && text.len() == 20
        }),
        (Type::Uuid, |text| {
            is_uuid(text) && text == text.to_lowercase()
        }),
    ];
    let values: [Rule; 6] = [
        (Type::Bool, is_bool),
        (Type::Bool, |text| text == "yes"),
        (Type::I64, is_i64),
        (Type::F64, is_number_of_f64),
        (Type::Timestamp, is_timestamp),
        (Type::Uuid, is_uuid),
    ];
    let rules = if infer == Infer::Exact {
        &exact[..]
    } else {
        &values
    };
    // Among values that are not numbers, it can only be the word for null, which exact types cannot keep in version 1.
    let is_word = infer == Infer::Values && !words.is_empty() && !others.is_empty();
    let fits_others = |(_, test): &&Rule| others.iter().all(|text| test(text));
    if let Some((ty @ (Type::Bool | Type::Timestamp | Type::Uuid), _)) =
        rules.iter().find(fits_others)
        && is_word
    {
        return *ty;
    }
    let fits = |(_, test): &Rule| all(*test);
    rules
        .iter()
        .find(|rule| fits(rule))
        .map_or(Type::Utf8, |(ty, _)| *ty)
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        number(),
        select(vec![
            "0",
            "-0",
            "1",
            "-1",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "10000000000000000000",
            "1000000000000000000",
            "007",
            "+1",
            "12345678901234567890123456789"
        ])
        .prop_map(str::to_owned),
        select(vec![
            "1.5",
            "1.50",
            ".5",
            "5.",
            "-0.0",
            "0.0",
            "1e5",
            "1E-7",
            "1e-7",
            "1e400",
            "0.1000000000000000055",
            "0.00001",
            "0.000001",
            "10000000000000000.0",
            "1e16",
            "123456789012345680.0",
            "NaN",
            "Infinity",
            "-Infinity",
            "nan"
        ])
        .prop_map(str::to_owned),
        select(vec!["true", "false", "True", "FALSE", "tRUE", "yes"]).prop_map(str::to_owned),
        select(vec![
            "2024-01-02T03:04:05Z",
            "2024-01-02T03:04:05+01:30",
            "2024-01-02 03:04:05.5Z",
            "2024-01-02T03:04:60Z",
            "2024-01-02"
        ])
        .prop_map(str::to_owned),
        select(vec![
            "123e4567-e89b-12d3-a456-426614174000",
            "123E4567-E89B-12D3-A456-426614174000"
        ])
        .prop_map(str::to_owned),
        "[a-z ]{1,4}",
        select(NULL_WORDS.to_vec()).prop_map(str::to_owned),
    ]
}

/// Cells of one kind, as in real columns, with an occasional outlier.
fn column() -> impl Strategy<Value = Vec<Option<String>>> {
    let nullable = |cell: BoxedStrategy<String>| {
        vec(prop_oneof![1 => Just(None), 6 => cell.prop_map(Some)], 1..7).boxed()
    };
    let word = |words: Vec<&'static str>| select(words).prop_map(str::to_owned).boxed();
    prop_oneof![
        2 => nullable(cell().boxed()),
        2 => nullable(number().boxed()),
        2 => nullable(word(vec!["0", "-0", "7", "-1", "1000000000000000000", "9223372036854775807", "1.5", "1.50", "2.0", ".5", "1e5"])),
        2 => nullable(word(vec!["2.0", "0.5", "-0.0", "1e16", "1e-7", "NaN", "Infinity", "100.0"])),
        1 => nullable(any::<f64>().prop_map(prints).boxed()),
        1 => nullable(word(vec!["true", "false", "True"])),
        1 => nullable(word(vec!["2024-01-02T03:04:05Z", "2024-01-02T03:04:05+01:30", "2024-01-02 03:04:05.5Z"])),
        1 => nullable(word(vec!["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"])),
        1 => vec(number().prop_map(Some), 6..7),
    ]
}

/// `inf`, as Python and C write it, is a float in a column of numbers, in whatever form they are.
#[test]
fn words_for_infinity_are_floats_beside_numbers() {
    for (cells, ty) in [
        ("inf", Type::F64),
        ("-inf\n1.5", Type::F64),
        ("inf\n7", Type::F64),
        ("inf\nInfinity", Type::F64),
        ("inf\n1.50", Type::F64),
        ("inf\nINF", Type::F64),
        ("inf\nx", Type::Utf8),
    ] {
        let csv = CsvOptions::default();
        let frames = read(
            format!("a\n{cells}\n").as_bytes(),
            &Ask::csv(csv, Infer::Values),
        );
        assert_eq!(columns(&frames.unwrap()[0])[0].1, ty, "{cells}");
    }
}

#[test]
fn a_word_is_null_before_and_after_the_values() {
    for (value, ty) in [
        ("123e4567-e89b-12d3-a456-426614174000", Type::Uuid),
        ("123E4567-E89B-12D3-A456-426614174000", Type::Uuid),
        ("2024-01-02T03:04:05Z", Type::Timestamp),
        ("1.5", Type::F64),
    ] {
        for word in ["NA", "nan"] {
            for text in [
                format!("a\n{value}\n{word}\n"),
                format!("a\n{word}\n{value}\n"),
            ] {
                let frames = read(
                    text.as_bytes(),
                    &Ask::csv(CsvOptions::default(), Infer::Values),
                );
                assert_eq!(columns(&frames.unwrap()[0])[0].1, ty, "{text}");
            }
        }
    }
}

#[test]
fn a_word_for_null_beside_one_word_for_true_is_null() {
    for word in NULL_WORDS.iter().chain(&["NaN"]) {
        for text in [format!("a\nyes\n{word}\n"), format!("a\n\"{word}\"\nyes\n")] {
            let ask = Ask::csv(CsvOptions::default(), Infer::Values);
            let frames = read(text.as_bytes(), &ask).unwrap();
            assert_eq!(columns(&frames[0])[0].1, Type::Bool, "{text}");
        }
    }
}

#[test]
fn a_quoted_empty_cell_among_values_is_null() {
    for rows in [
        ["\"5\"", "\"\"", "\"7\""],
        ["\"\"", "\"5\"", "\"7\""],
        ["5", "\"\"", "7"],
    ] {
        let text = format!("a,b\n{},x\n{},\"\"\n{},y\n", rows[0], rows[1], rows[2]);
        let frames = read(
            text.as_bytes(),
            &Ask::csv(CsvOptions::default(), Infer::Values),
        );
        let frame = &frames.unwrap()[0];
        let types: Vec<_> = columns(frame).into_iter().map(|(_, ty)| ty).collect();
        assert_eq!(types, [Type::I64, Type::Utf8], "{text}");
        let nulls = frame
            .batches
            .iter()
            .map(|batch| batch.column(0).null_count());
        assert_eq!(nulls.sum::<usize>(), 1, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn types_are_those_of_the_contract(cells in column(), quoted in any::<bool>()) {
        // Such digits are a float only if the spelling of one program fits the whole column.
        let digits = |cell: &String| cell.trim_start_matches('-').to_owned();
        let is_endless = |cell: &String| {
            let digits = digits(cell);
            digits.len() > 19 && digits.bytes().all(|b| b.is_ascii_digit())
        };
        prop_assume!(!cells.iter().flatten().any(is_endless));
        // So are 16 or 17 digits that are not the shortest: `%.17g` prints them.
        let is_17_digits = |cell: &String| {
            let digits = digits_and_exponent(cell).0.len();
            (16..18).contains(&digits) && !is_number_of_f64(cell)
        };
        prop_assume!(!cells.iter().flatten().filter(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite)).any(is_17_digits));
        // With two words, the second makes the column text or stays a value.
        let words = cells.iter().flatten().filter(|cell| *cell == "NaN" || NULL_WORDS.contains(&&cell[..]));
        prop_assume!(words.collect::<BTreeSet<_>>().len() < 2);
        let mut text = "a\n".to_owned();
        for cell in &cells {
            match cell {
                Some(cell) if quoted => text.extend(["\"", cell, "\""]),
                Some(cell) => text += cell,
                None => {}
            }
            text.push('\n');
        }
        let csv = CsvOptions { delimiter: Some(b','), ..CsvOptions::default() };
        for infer in [Infer::Exact, Infer::Values] {
            let frames = read(text.as_bytes(), &Ask::csv(csv.clone(), infer)).unwrap();
            let found = columns(&frames[0])[0].1;
            prop_assert_eq!(found, expected(&cells, infer), "{:?} {:?}", infer, cells);
        }
        let none = read(text.as_bytes(), &Ask::csv(csv, Infer::None)).unwrap();
        prop_assert_eq!(columns(&none[0])[0].1, Type::Utf8);
    }
}
