//! The type and form of columns of each kind.

use crate::rule::Infer;

use super::read::read;

fn cells(text: &str) -> Vec<String> {
    let cells = text.split(' ').map(|cell| {
        let cell = cell.replace('_', " ");
        if cell == "∅" { String::new() } else { cell }
    });
    cells.collect()
}

/// Every way to cut the cells in two, and in single rows.
fn cuts(rows: usize) -> Vec<Vec<usize>> {
    let mut cuts: Vec<_> = (0..rows).map(|at| vec![at]).collect();
    cuts.push((1..rows).collect());
    cuts.push(Vec::new());
    cuts
}

#[test]
fn csv_columns_get_the_narrowest_type_that_prints_back() {
    for (text, kind) in [
        ("∅ ∅", "Null"),
        ("1 -2 ∅", "Int64"),
        ("1 18446744073709551615", "UInt64"),
        ("-1 18446744073709551615", "Decimal128(38, 0)"),
        ("1 1234567890123456789012345", "Decimal128(38, 0)"),
        ("1.50 0.04 -7.00", "Decimal64(18, 2)"),
        ("1.50 1234567890123456789.25", "Decimal128(38, 2)"),
        ("99999999999999999.99 ∅", "Decimal128(38, 2)"),
        ("2.0 2.5", "Decimal64(18, 1)"),
        ("2.0 2.25", "Float64"),
        ("2.25 1e-7", "Float64"),
        ("2 2.5", "Float64 form=javascript"),
        ("2 1e-7", "Float64 form=javascript"),
        ("2.0 1e-05", "Float64 form=python"),
        ("2.0 1e-05 nan", "Float64 form=python"),
        ("1.50e+02 -2.25e-08 ∅", "Float64 form=%.2e"),
        ("1.50E+02 NAN 0.00E+00", "Float64 form=%.2E null=NAN"),
        ("nan 1.5e+02 inf", "Float64 form=%.1e"),
        ("-inf 1.5e+02 inf", "Float64 form=%.1e"),
        ("1.5E+02 INF NAN", "Utf8"),
        ("1.5e+02 NA 2.5e-300", "Float64 form=%.1e null=NA"),
        ("1e+05 2e-10", "Float64 form=%.0e"),
        ("1.000000000000000056e-01 nan", "Float64 form=%.18e"),
        ("1.5e+02 1.50e+02", "Utf8"),
        ("1.5e+02 1.5E+02", "Utf8"),
        ("1.5e+02 2", "Utf8"),
        ("1.5e+02 1.5e+400", "Utf8"),
        ("2.5 1e16", "Float64 form=rust"),
        ("2.5 1e16 0.00001", "Float64 form=ryu"),
        ("2 1e-05 0.5", "Float64 form=go"),
        ("2 2.5 0.0000001", "Float64 form=plain"),
        ("1.50 1.5", "Utf8"),
        ("+1 2", "Utf8"),
        ("1e5 2.50", "Utf8"),
        ("00501 99501", "Int64 form=%05d"),
        ("007 ∅ 008", "Int64 form=%03d"),
        ("007 0008", "Utf8"),
        ("007 1.5", "Utf8"),
        ("1 NA 3", "Int64 null=NA"),
        ("NA 1.50 NA 3.25", "Decimal64(18, 2) null=NA"),
        ("\\N 1", "Int64 null=\\N"),
        ("1 NA ∅", "Utf8"),
        ("1 NA NULL", "Utf8"),
        ("1 n/a 2.5", "Float64 form=javascript null=n/a"),
        ("1 nan 3", "Int64 null=nan"),
        ("NA NA", "Utf8"),
        ("true false", "Boolean"),
        ("true false None", "Boolean null=None"),
        ("True False ∅", "Boolean form=True/False"),
        ("TRUE", "Boolean form=TRUE/FALSE"),
        ("T F", "Boolean form=T/F"),
        ("F F", "Utf8"),
        ("F M", "Utf8"),
        ("N O", "Utf8"),
        ("Y N", "Boolean form=Y/N"),
        ("yes no", "Boolean form=yes/no"),
        ("yes maybe", "Utf8"),
        ("true False", "Utf8"),
        ("2024-01-02 1999-12-31", "Date32"),
        ("2024-01-02 -", "Date32 null=-"),
        ("12/25/2020 01/02/2020", "Date32 form=%m/%d/%Y"),
        ("01/02/2020 12/25/2020", "Date32 form=%m/%d/%Y"),
        ("01/02/2020 25/12/2020", "Date32 form=%d/%m/%Y"),
        ("12/25/2020 1/2/2020", "Date32 form=%-m/%-d/%Y"),
        ("24.12.2020 01.02.2020", "Date32 form=%d.%m.%Y"),
        // Either number could be the month; guessing is not allowed.
        ("01/02/2020 03/04/2020", "Utf8"),
        ("1-2-2020 10:30", "Utf8"),
        ("03/03/2020 04/04/2020", "Date32 form=%m/%d/%Y"),
        ("01.02.2020 03.04.2020", "Date32 form=%d.%m.%Y"),
        ("12.24.2020 01.02.2020", "Utf8"),
        ("2020/12/24", "Date32 form=%Y/%m/%d"),
        ("2023-02-29 2024-02-28", "Utf8"),
        ("20201224 20201225", "Int64"),
        ("09:30:00 23:59:59", "Time32(s)"),
        ("09:30:00.123 23:59:59.000", "Time32(ms) form=%H:%M:%S%.3f"),
        ("09:30 10:00", "Time32(s) form=%H:%M"),
        ("9:30_PM 10:00_AM", "Time32(s) form=%-I:%M %p"),
        ("2024-01-02T09:30:00Z", "Timestamp(s, \"UTC\")"),
        (
            "2024-01-02T09:30:00.120Z 2024-01-02T09:30:00Z",
            "Timestamp(ms, \"UTC\")",
        ),
        (
            "2024-01-02T09:30:00.120Z 2024-01-02T09:30:00.000Z",
            "Timestamp(ms, \"UTC\") form=%Y-%m-%dT%H:%M:%S%.3fZ",
        ),
        ("2024-01-02T09:30:00 2024-01-02T09:30:01", "Timestamp(s)"),
        ("2024-01-02_09:30:00", "Timestamp(s) form=%Y-%m-%d %H:%M:%S"),
        (
            "2024-01-02_09:30:00.123456789",
            "Timestamp(ns) form=%Y-%m-%d %H:%M:%S%.9f",
        ),
        (
            "2024-01-02_09:30:00+00 2024-01-03_09:30:00+00",
            "Timestamp(s, \"+00:00\") form=%Y-%m-%d %H:%M:%S%#z",
        ),
        (
            "2015-05-17T10:05:03+02:00",
            "Timestamp(s, \"+02:00\") form=%Y-%m-%dT%H:%M:%S%:z",
        ),
        (
            "2015-05-17T10:05:03+02:00 2015-12-17T10:05:03+01:00",
            "Utf8",
        ),
        (
            "17/May/2015:10:05:03_+0000",
            "Timestamp(s, \"+00:00\") form=%d/%b/%Y:%H:%M:%S %z",
        ),
        (
            "Mon_Oct_13_06:04:40_+0000_2014",
            "Timestamp(s, \"+00:00\") form=%a %b %d %H:%M:%S %z %Y",
        ),
        ("Tue_Oct_13_06:04:40_+0000_2014", "Utf8"),
        (
            "00010203-0405-0607-0809-0a0b0c0d0eff",
            "FixedSizeBinary(16)",
        ),
        (
            "00010203-0405-0607-0809-0A0B0C0D0EFF",
            "FixedSizeBinary(16) form=upper",
        ),
        ("00010203-0405-0607-0809-0a0b0c0d0eFF", "Utf8"),
        ("a b", "Utf8"),
        ("1 2024-01-02", "Utf8"),
    ] {
        let cells = cells(text);
        for cuts in cuts(cells.len()) {
            let found = read(&cells, &cuts, Infer::Exact, false);
            assert_eq!(found.kind(), kind, "{text} cut at {cuts:?}");
            assert_eq!(found.csv(), cells, "{text} cut at {cuts:?}");
        }
    }
}

#[test]
fn json_values_are_typed_and_strings_stay_strings() {
    for (text, kind) in [
        ("1 2.5", "Float64 form=javascript"),
        ("1.50 2.25", "Decimal64(18, 2)"),
        ("18446744073709551615", "UInt64"),
        ("true false", "Boolean"),
        ("\"true\" \"false\"", "Utf8"),
        ("\"1.50\"", "Utf8"),
        ("\"007\"", "Utf8"),
        ("\"T\" \"F\"", "Utf8"),
        ("\"2024-01-02\"", "Date32"),
        ("\"2024-01-02\" ∅", "Date32"),
        (
            "\"17/May/2015:10:05:03_+0000\"",
            "Timestamp(s, \"+00:00\") form=%d/%b/%Y:%H:%M:%S %z",
        ),
        ("1 \"NA\"", "Utf8 json"),
        ("1 \"2024-01-02\"", "Utf8 json"),
        ("\"2024-01-02\" \"x\"", "Utf8"),
        ("\"00010203-0405-0607-0809-0A0B0C0D0EFF\" \"x\"", "Utf8"),
        ("1234567890123456789012345 \"x\"", "Utf8 json"),
        ("1 1.50 \"x\"", "Utf8 json"),
        ("∅", "Null"),
    ] {
        let cells = cells(text);
        for cuts in cuts(cells.len()) {
            let found = read(&cells, &cuts, Infer::Exact, true);
            let is_json = found
                .field
                .metadata()
                .values()
                .any(|value| value == "arrow.json");
            let suffix = if is_json { " json" } else { "" };
            assert_eq!(found.kind() + suffix, kind, "{text} cut at {cuts:?}");
            // Strings lose their quotes unless they are JSON text.
            let expected: Vec<_> = cells
                .iter()
                .map(|cell| {
                    (!cell.is_empty()).then(|| {
                        if is_json {
                            cell.clone()
                        } else {
                            cell.replace('"', "")
                        }
                    })
                })
                .collect();
            assert_eq!(found.cells(), expected, "{text} cut at {cuts:?}");
        }
    }
}

#[test]
fn by_value_only_the_spelling_may_go() {
    for (text, kind) in [
        ("1.50 1.5", "Float64"),
        ("true False", "Boolean"),
        ("1 18446744073709551615", "UInt64"),
        ("2024-01-02", "Date32"),
        (
            "2024-01-02T09:30:00Z 2024-01-02_09:30:00.5+02:00",
            "Timestamp(µs, \"UTC\")",
        ),
        ("+1 2", "Utf8"),
        ("1.5 1.50 ∅", "Float64"),
        ("12345678901234567890.50 1.5", "Decimal128(38, 2)"),
        ("1 NA - 9007199254740993", "Int64"),
        ("1 NA - 18446744073709551615", "UInt64"),
        ("1 NA - NaN", "Float64"),
        ("9007199254740993 NA NaN", "Int64"),
        ("1.50 nan 2.5 inf", "Float64"),
        ("true True nan", "Boolean"),
    ] {
        let cells = cells(text);
        for cuts in cuts(cells.len()) {
            let found = read(&cells, &cuts, Infer::Values, false);
            assert_eq!(found.kind(), kind, "{text} cut at {cuts:?}");
        }
    }
    let found = read(&cells("1 2"), &[], Infer::None, false);
    assert_eq!(found.kind(), "Utf8");
}

#[test]
fn types_that_the_user_fixes_take_what_fits_and_name_what_does_not() {
    use mbt::schema::FixedTypes;
    for (ty, text, printed) in [
        (
            "u64",
            "18446744073709551615 ∅",
            Some("18446744073709551615 ∅"),
        ),
        ("u8", "255 256", None),
        ("decimal(18,2)", "1.5 2 ∅", Some("1.50 2.00 ∅")),
        ("decimal(3,2)", "1.5 10.5", None),
        ("decimal(4,2)", "1.555", None),
        ("decimal(3)", "15 -7", Some("15 -7")),
        ("decimal(3)", "1.5", None),
        ("date", "2024-01-02", Some("2024-01-02")),
        ("date", "2024-02-30", None),
        ("timestamp(us)", "2024-01-31", None),
        ("timestamp(s)", "2024-01-31T00:00:00 2024-01-31", None),
        ("timestamp(ms,UTC)", "2024-01-31", None),
        (
            "time(ms)",
            "09:30 10:00:00.5",
            Some("09:30:00 10:00:00.500"),
        ),
        (
            "timestamp(s)",
            "2024-01-02_09:30:00",
            Some("2024-01-02T09:30:00"),
        ),
        (
            "timestamp(ms,UTC)",
            "2024-01-02T09:30:00+02:00",
            Some("2024-01-02T07:30:00Z"),
        ),
        (
            "timestamp(us,UTC)",
            "2024-01-02t09:30z",
            Some("2024-01-02T09:30:00Z"),
        ),
        (
            "f64",
            "nan -inf Inf Infinity",
            Some("NaN -Infinity Infinity Infinity"),
        ),
        ("f64", "1e999", None),
        ("f32", "1e39", None),
        ("timestamp(s)", "2024-01-02T09:30:00Z", None),
        ("timestamp(s,UTC)", "2024-01-02T09:30:00.5Z", None),
        ("null", "∅ ∅", Some("∅ ∅")),
        ("null", "1", None),
    ] {
        let types = FixedTypes::parse(&format!("x:{ty}")).unwrap();
        let found = super::read::read_as(&cells(text), types.get("x").as_ref().unwrap());
        assert_eq!(
            found.map(|found| found.csv()),
            printed.map(cells),
            "{ty} {text}"
        );
    }
}
