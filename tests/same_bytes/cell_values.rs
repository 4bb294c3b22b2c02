//! What the cells of a column in several forms mean: typed targets, JSON, conditions and statistics give one answer, from
//! text, from frames of any size, and from Parquet.

use proptest::prelude::*;
use proptest::sample::select;

use super::trip::Trip;

/// A column, and the answers about its rows.
struct Case {
    /// Options for reading the text.
    options: &'static [&'static str],
    /// The cells.
    cells: &'static [&'static str],
    /// What JSON says about each cell.
    json: &'static [&'static str],
    /// Conditions, and the numbers of the rows that pass.
    conditions: &'static [(&'static str, &'static [usize])],
}

const CASES: &[Case] = &[
    // NaN and the infinities are values beside numbers, in every spelling.
    Case {
        options: &[],
        cells: &["1.50", "2.5", "NaN", "Infinity", "-inf", "nan"],
        json: &[
            "1.50",
            "2.5",
            "\"NaN\"",
            "\"Infinity\"",
            "\"-Infinity\"",
            "\"NaN\"",
        ],
        conditions: &[
            ("a > 2", &[1, 2, 3, 5]),
            ("a <= 2", &[0, 4]),
            ("a = 'NaN'", &[2, 5]),
            ("a = '1.5'", &[0]),
            ("a in (1.5, 2.50)", &[0, 1]),
            ("not (a < 100)", &[2, 3, 5]),
            ("a is null", &[]),
            ("a like '%0'", &[0]),
        ],
    },
    Case {
        options: &[],
        cells: &["1.50", "nan", "2.25"],
        json: &["1.50", "\"NaN\"", "2.25"],
        conditions: &[("a > 2", &[1, 2]), ("a is null", &[]), ("a < 2", &[0])],
    },
    Case {
        options: &[],
        cells: &["1", "nan", "3"],
        json: &["1", "\"NaN\"", "3"],
        conditions: &[("a > 2", &[1, 2]), ("a is not null", &[0, 1, 2])],
    },
    // Words for null, and empty cells with and without quotes.
    Case {
        options: &[],
        cells: &["1.50", "NA", "\"\"", "", "2.5", "-"],
        json: &["1.50", "null", "null", "null", "2.5", "null"],
        conditions: &[
            ("a is null", &[1, 2, 3, 5]),
            ("a is not null", &[0, 4]),
            ("not (a = 1.5)", &[4]),
            ("a not like '1%'", &[4]),
        ],
    },
    // Integers beside two words for null.
    Case {
        options: &[],
        cells: &["-", "9007199254740993", "NA", "7"],
        json: &["null", "9007199254740993", "null", "7"],
        conditions: &[("a = 9007199254740993", &[1]), ("a is null", &[0, 2])],
    },
    Case {
        options: &[],
        cells: &["-", "18446744073709551615", "NA"],
        json: &["null", "18446744073709551615", "null"],
        conditions: &[("a > 18446744073709551614", &[1]), ("a is null", &[0, 2])],
    },
    // No double has all digits, so NaN is null.
    Case {
        options: &[],
        cells: &["9007199254740993", "NaN", "NA", "1"],
        json: &["9007199254740993", "null", "null", "1"],
        conditions: &[("a > 1", &[0]), ("a is null", &[1, 2])],
    },
    Case {
        options: &[],
        cells: &["12345678901234567.25", "1.5", "NA", "-"],
        json: &["12345678901234567.25", "1.5", "null", "null"],
        conditions: &[("a > 12345678901234567", &[0]), ("a is null", &[2, 3])],
    },
    // Values that are not numbers.
    Case {
        options: &[],
        cells: &["NA", "true", "True", "nan", "FALSE"],
        json: &["null", "\"true\"", "\"True\"", "null", "\"FALSE\""],
        conditions: &[("a", &[1, 2]), ("a is null", &[0, 3]), ("a = false", &[4])],
    },
    Case {
        options: &[],
        cells: &[
            "NULL",
            "2024-01-01T00:00:00Z",
            "2024-01-01 02:00:00.5+02:00",
            "NA",
        ],
        json: &[
            "null",
            "\"2024-01-01T00:00:00Z\"",
            "\"2024-01-01 02:00:00.5+02:00\"",
            "null",
        ],
        conditions: &[("a > '2024-01-01T00:00:00Z'", &[2]), ("a is null", &[0, 3])],
    },
    // JSON does not spell numbers like this.
    Case {
        options: &[],
        cells: &[".5", "NA", "1.50"],
        json: &["\".5\"", "null", "\"1.50\""],
        conditions: &[("a < 1", &[0]), ("a is null", &[1])],
    },
    // Text in which some cells look like numbers.
    Case {
        options: &[],
        cells: &["x", "NA", "1.50"],
        json: &["\"x\"", "\"NA\"", "\"1.50\""],
        conditions: &[("a = 1.5", &[2]), ("a is null", &[]), ("a = 'NA'", &[1])],
    },
    // Decimal commas.
    Case {
        options: &["--decimal=,"],
        cells: &["1,50", "-2,5", "NA", "3", "1,5e3", "NaN"],
        json: &["1.50", "-2.5", "null", "3", "1.5e3", "\"NaN\""],
        conditions: &[
            ("a > 2", &[3, 4, 5]),
            ("a = 1.5", &[0]),
            ("a is null", &[2]),
        ],
    },
    Case {
        options: &["--decimal=,"],
        cells: &["1,50", "2.5"],
        json: &["\"1,50\"", "\"2.5\""],
        conditions: &[("a = '1,50'", &[0]), ("a is null", &[])],
    },
    // Only a word without quotes is the null that the user named.
    Case {
        options: &["--null=NA"],
        cells: &["\"NA\"", "1", "NA"],
        json: &["\"NA\"", "\"1\"", "null"],
        conditions: &[("a is null", &[2]), ("a = 'NA'", &[0])],
    },
];

/// A CSV table with the row number in column `k` and the cell in column `a`.
fn table(cells: &[&str], delimiter: char) -> String {
    let rows = cells.iter().enumerate();
    let rows: Vec<String> = rows
        .map(|(row, cell)| format!("{row}{delimiter}{cell}\n"))
        .collect();
    format!("k{delimiter}a\n{}", rows.concat())
}

fn lines(text: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8(text).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn cells_mean_the_same_everywhere() {
    let trip = Trip::new();
    for case in CASES {
        let text = table(case.cells, ';');
        let frames = trip
            .there_from("a.csv", text.as_bytes(), case.options)
            .unwrap();
        assert_eq!(trip.back(&frames, &[]).unwrap(), text.as_bytes());
        let parquet = [case.options, &["--to=parquet"]].concat();
        let parquet = trip.convert("a.csv", text.as_bytes(), &parquet).unwrap();

        let json: Vec<String> = (case.json.iter().enumerate())
            .map(|(row, value)| format!("{{\"k\":{row},\"a\":{value}}}"))
            .collect();
        for (name, input, options) in [
            ("a.csv", text.as_bytes(), case.options),
            ("a.mbt", &frames, &[]),
        ] {
            let options = [options, &["--to=ndjson"]].concat();
            let found = String::from_utf8(trip.convert(name, input, &options).unwrap()).unwrap();
            assert_eq!(found.lines().collect::<Vec<_>>(), json, "{name} {text}");
        }
        let small: Vec<Vec<u8>> = (1..3)
            .map(|rows| {
                let rows = format!("--frame-rows={rows}");
                let options = [case.options, &[&rows]].concat();
                trip.there_from("a.csv", text.as_bytes(), &options).unwrap()
            })
            .collect();
        let joined = trip.convert("a.mbt", &small[0], &["--to=parquet"]).unwrap();
        let inputs = [
            ("a.csv", text.as_bytes(), case.options),
            ("a.mbt", &frames, &[]),
            ("a.parquet", &parquet, &[]),
            ("a.parquet", &joined, &[]),
        ];
        for (name, input, options) in inputs {
            for (condition, passing) in case.conditions {
                if condition.contains("like") && name == "a.parquet" {
                    // Parquet does not keep the spelling.
                    continue;
                }
                let condition = format!("--where={condition}");
                let options = [options, &["--to=csv", "--columns=k", &condition]].concat();
                let found = lines(trip.convert(name, input, &options).unwrap());
                let passing: Vec<_> = passing.iter().map(usize::to_string).collect();
                assert_eq!(found, passing, "{condition} {name} {text}");
            }
        }
        // In a frame that has only words for null, nothing shows that they mean null.
        let knows = |rows: usize| {
            let mut frames = case.json.chunks(rows);
            frames.all(|frame| frame.iter().any(|value| *value != "null"))
        };
        for (frames, rows) in small.iter().zip(1..) {
            assert_eq!(trip.back(frames, &[]).unwrap(), text.as_bytes());
            for (condition, passing) in case.conditions.iter().filter(|_| knows(rows)) {
                let condition = format!("--where={condition}");
                let options = ["--to=csv", "--columns=k", &condition];
                let found = lines(trip.convert("a.mbt", frames, &options).unwrap());
                let passing: Vec<_> = passing.iter().map(usize::to_string).collect();
                assert_eq!(found, passing, "{condition}, {rows} rows per frame, {text}");
            }
        }
    }
}

#[test]
fn schemas_read_numbers_with_decimal_commas() {
    let trip = Trip::new();
    for (ty, expected) in [("f64", "1.5"), ("f32", "1.5"), ("decimal(5,2)", "1.50")] {
        let schema = format!("--schema=a:{ty}");
        let options = ["--delimiter=;", "--decimal=,", "--to=ndjson", &schema];
        let found = trip.convert("a.csv", b"a\n1,5\n", &options).unwrap();
        let expected = format!("{{\"a\":{expected}}}\n");
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{ty}");
    }
}

/// Cells that mean values of one type in several spellings, and words.
fn column() -> impl Strategy<Value = Vec<&'static str>> {
    let numbers: &[&str] = &[
        "1.50", "2.5", "-3", "NaN", "nan", "Infinity", "-inf", "NA", "\"\"", "", "1e3", "inf",
        "INF",
    ];
    let integers: &[&str] = &["1", "-7", "9007199254740993", "NA", "-", "null", "", "nan"];
    let wide: &[&str] = &["1.50", "12345678901234567.25", "NA", "-", "0.1"];
    let bools: &[&str] = &["true", "False", "TRUE", "NA", "null", ""];
    let instants: &[&str] = &[
        "2024-01-02T03:04:05Z",
        "2024-01-02T03:04:05.5Z",
        "NULL",
        "NA",
    ];
    select(vec![numbers, integers, wide, bools, instants])
        .prop_flat_map(|cells| proptest::collection::vec(select(cells), 1..7))
}

const CONDITIONS: &[&str] = &[
    "a is null",
    "a is not null",
    "a > 2",
    "not (a > 2)",
    "a <= 0",
    "a = 1.5",
    "a <> 1.5",
    "a in (1, 1.5, 2.5)",
    "a between -5 and 1000",
    "a > 9007199254740992",
    "a = 'NaN'",
    "a",
    "a >= '2024-01-02T03:04:05.2Z'",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Arrow has one type for the whole column, so it needs no reading of text.
    #[test]
    fn conditions_hold_for_text_as_for_arrow(cells in column()) {
        let trip = Trip::new();
        let text = table(&cells, ',').into_bytes();
        let frames = trip.there_from("a.csv", &text, &[]).unwrap();
        let arrow = trip.convert("a.csv", &text, &["--to=arrow"]).unwrap();
        for condition in CONDITIONS {
            let condition = format!("--where={condition}");
            let options = ["--columns=k", "--to=csv", &condition];
            let [of_text, of_frames, of_arrow] =
                [("a.csv", &text), ("a.mbt", &frames), ("a.arrow", &arrow)]
                    .map(|(name, bytes)| trip.convert(name, bytes, &options).ok());
            let shown = |found: &Option<Vec<u8>>| found.as_ref().map(|it| it.escape_ascii().to_string());
            prop_assert_eq!(shown(&of_text), shown(&of_frames), "{:?} {}", cells, condition);
            prop_assert_eq!(shown(&of_text), shown(&of_arrow), "{:?} {}", cells, condition);
        }
    }
}
