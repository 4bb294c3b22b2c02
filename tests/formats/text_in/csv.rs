//! CSV against the `csv` crate, cell by cell.

use crate::rule::Infer;
use mbt::format::csv::CsvOptions;
use mbt::format::frame::Frame;
use mbt::schema::Type;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::read::{Ask, as_csv, columns, read};

/// A cell: `None` is null, empty and not quoted.
type Cell = Option<Vec<u8>>;

const INFERS: [Infer; 3] = [Infer::Exact, Infer::Values, Infer::None];

/// Text as read by the `csv` crate, which does not distinguish quoted from unquoted empty cells.
fn peer(text: &[u8], delimiter: u8, flexible: bool) -> Option<Vec<Vec<Vec<u8>>>> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .flexible(flexible)
        .from_reader(text);
    let records = reader.byte_records();
    let cells = |record: ::csv::ByteRecord| record.iter().map(<[u8]>::to_vec).collect();
    records.map(|record| record.ok().map(cells)).collect()
}

/// The cells of frames, printed by our writer and read by the `csv` crate; a null row of one column is a
/// blank line, which the `csv` crate would skip.
fn cells(frames: &[Frame]) -> Vec<Vec<Vec<u8>>> {
    let text = as_csv(frames);
    let mut rows = Vec::new();
    let single = frames.iter().all(|frame| frame.schema.fields().len() == 1);
    if single {
        let mut inside = false;
        let mut start = 0;
        for (at, &byte) in text.iter().enumerate() {
            inside ^= byte == b'"';
            if byte == b'\n' && !inside {
                let row = peer(&text[start..=at], b',', false).unwrap();
                rows.push(row.into_iter().next().unwrap_or(vec![vec![]]));
                start = at + 1;
            }
        }
        return rows;
    }
    rows.extend(peer(&text, b',', true).unwrap());
    rows
}

/// True where a row's cell is null, row by row.
fn nulls(frames: &[Frame]) -> Vec<Vec<bool>> {
    let batches = frames.iter().flat_map(|frame| &frame.batches);
    batches
        .flat_map(|batch| {
            (0..batch.num_rows()).map(|row| {
                let columns = batch.columns().iter();
                columns.map(|column| column.is_null(row)).collect()
            })
        })
        .collect()
}

fn nasty_cell() -> impl Strategy<Value = Cell> {
    let pieces = vec(
        select(vec![
            "\"", "\"\"", ",", ";", "\t", "|", "\n", "\r\n", "\r", " ", "a", "é", "✓", "1", "0",
            ".", "-", "e5", "NA", "true", "\u{feff}", "\0",
        ]),
        0..8,
    );
    prop_oneof![
        2 => Just(None),
        1 => Just(Some(vec![])),
        4 => pieces.prop_map(|pieces| Some(pieces.concat().into_bytes())),
        4 => number().prop_map(|text| Some(text.into_bytes())),
        1 => select(vec!["true", "False", "NaN", "Infinity", ".true.", "y", "2024-01-02T03:04:05Z"])
            .prop_map(|word| Some(word.into())),
    ]
}

pub fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        (-1000i32..1000).prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| format!("{n:e}")),
        (0u32..100_000).prop_map(|n| format!("{}.{:02}", n / 100, n % 100)),
        "[-+]?0?[0-9]{1,20}(\\.[0-9]{0,20})?([eE][-+]?[0-9]{1,3})?",
    ]
}

/// A column of mostly similar cells, so that a type is found.
fn column(rows: usize) -> impl Strategy<Value = Vec<Cell>> {
    let of = move |cell: BoxedStrategy<Cell>| vec(cell, rows).boxed();
    let some = |text: String| Some(text.into_bytes());
    prop_oneof![
        3 => of(nasty_cell().boxed()),
        1 => of(any::<i32>().prop_map(move |n| some(n.to_string())).boxed()),
        1 => of((0u32..99_999).prop_map(move |n| some(format!("{}.{:02}", n / 100, n % 100))).boxed()),
        1 => of(number().prop_map(some).boxed()),
        1 => of(any::<f64>().prop_map(move |n| some(format!("{n:?}"))).boxed()),
        1 => of(select(vec![Some(b"true".to_vec()), Some(b"false".to_vec()), None]).boxed()),
    ]
}

fn table() -> impl Strategy<Value = Vec<Vec<Cell>>> {
    (1usize..5, 0usize..12).prop_flat_map(|(width, rows)| {
        vec(column(rows), width).prop_map(move |columns| {
            let row = |row: usize| columns.iter().map(|column| column[row].clone()).collect();
            (0..rows).map(row).collect()
        })
    })
}

/// How to write a table as CSV.
#[derive(Clone, Debug)]
struct Style {
    delimiter: u8,
    newline: &'static str,
    last_newline: bool,
    quotes_all: bool,
    mark: bool,
}

fn style() -> impl Strategy<Value = Style> {
    let style = |(delimiter, newline, last_newline, quotes_all, mark)| Style {
        delimiter,
        newline,
        last_newline,
        quotes_all,
        mark,
    };
    let newline = select(vec!["\n", "\r\n", "\r"]);
    (
        select(b",;\t|".to_vec()),
        newline,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(style)
}

fn write(table: &[Vec<Cell>], width: usize, style: &Style) -> Vec<u8> {
    let mut out = Vec::new();
    if style.mark {
        out.extend_from_slice(b"\xef\xbb\xbf");
    }
    let header = (0..width)
        .map(|at| Some(format!("c{at}").into_bytes()))
        .collect();
    let mut ends = Vec::new();
    for row in std::iter::once(&header).chain(table) {
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                out.push(style.delimiter);
            }
            let Some(cell) = cell else { continue };
            let special = |byte: &u8| b"\"\n\r".contains(byte) || *byte == style.delimiter;
            if style.quotes_all || cell.is_empty() || cell.iter().any(special) {
                out.push(b'"');
                for &byte in cell {
                    out.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == b'"')));
                }
                out.push(b'"');
            } else {
                out.extend_from_slice(cell);
            }
        }
        ends.push(out.len());
        out.extend_from_slice(style.newline.as_bytes());
    }
    // Without its newline, a last row of one null would be lost.
    if !style.last_newline && table.last().is_none_or(|row| *row != [None]) {
        out.truncate(out.len() - style.newline.len());
    }
    out
}

/// The value of a cell in any spelling; `None` if it is not an exact f64.
fn value(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?;
    text.parse().ok()
}

/// The meaning of a word for true or false, in upper or lower case: man/mbt-convert.1 lists them.
fn truth(cell: &[u8]) -> Option<bool> {
    let is = |words: &[&str]| {
        words
            .iter()
            .any(|word| word.as_bytes().eq_ignore_ascii_case(cell))
    };
    if is(&["true", "t", "yes", "y", "on", ".t.", ".true."]) {
        Some(true)
    } else if is(&["false", "f", "no", "n", "off", ".f.", ".false."]) {
        Some(false)
    } else {
        None
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn tables_come_back_cell_by_cell(
        table in table(),
        style in style(),
        said in any::<bool>(),
        frame_rows in prop_oneof![Just(None), (1u64..5).prop_map(Some)],
    ) {
        let width = table.first().map_or(1, Vec::len);
        let text = write(&table, width, &style);
        // The delimiter of a single column cannot be detected.
        let delimiter = (said || width < 3).then_some(style.delimiter);
        // A stray delimiter may occur as regularly as the real one.
        let special = table.iter().flatten().flatten().flatten().any(|b| b",;\t|".contains(b));
        let delimiter = delimiter.or(special.then_some(style.delimiter));
        let csv = CsvOptions { delimiter, ..CsvOptions::default() };
        let blank = |cell: &Cell| cell.clone().unwrap_or_default();
        let expected: Vec<Vec<_>> = table.iter().map(|row| row.iter().map(blank).collect()).collect();
        let expected_nulls: Vec<Vec<_>> =
            table.iter().map(|row| row.iter().map(Option::is_none).collect()).collect();
        for infer in INFERS {
            let ask = Ask { frame_rows, ..Ask::csv(csv.clone(), infer) };
            let frames = read(&text, &ask).unwrap();
            let names: Vec<_> = columns(&frames[0]).into_iter().map(|(name, _)| name).collect();
            prop_assert_eq!(names, (0..width).map(|at| format!("c{at}")).collect::<Vec<_>>());
            let found_nulls = nulls(&frames);
            let found = cells(&frames);
            if infer == Infer::Values {
                let found = found.iter().flatten().zip(found_nulls.iter().flatten());
                for ((found, is_null), expected) in found.zip(expected.iter().flatten()) {
                    // A word for null among values of another type is a null.
                    if *is_null {
                        let word = String::from_utf8_lossy(expected).to_lowercase();
                        let words = ["", "-", "--", ".", "..", "?", "na", "n/a", "nan", "null", "none", "nil"];
                        prop_assert!(words.contains(&&*word), "{:?} became null", word);
                        continue;
                    }
                    let same_word = found.eq_ignore_ascii_case(expected);
                    let same_value = value(expected).is_some() && value(expected) == value(found);
                    let same_truth = truth(expected).is_some() && truth(expected) == truth(found);
                    prop_assert!(same_word || same_value || same_truth, "{:?} became {:?}", expected, found);
                }
                prop_assert_eq!(found_nulls.len(), expected_nulls.len());
            } else {
                prop_assert_eq!(found_nulls, expected_nulls.clone(), "{:?}", infer);
                prop_assert_eq!(found, expected.clone(), "{:?}", infer);
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_read_as_the_csv_crate_reads_them(
        text in prop_oneof![
            vec(any::<u8>(), 0..60),
            vec(select(b"\",\n;a1.-".to_vec()), 0..40),
            vec(select(b"\"\",\n\nab".to_vec()), 0..40),
            vec(select(b",\n1".to_vec()), 60..200),
            vec(select(b"\"\",\n1aaaaaaaaaaaaaaaaaaaaaaaaaa".to_vec()), 60..400),
        ],
        flexible in any::<bool>(),
        crlf in any::<bool>(),
        frame_rows in prop_oneof![Just(None), (1u64..4).prop_map(Some)],
    ) {
        let mut text = text;
        if crlf {
            text = text.split(|&b| b == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
        }
        let csv = CsvOptions { delimiter: Some(b','), header: false, flexible, ..CsvOptions::default() };
        let ask = Ask { frame_rows, ..Ask::csv(csv, Infer::Exact) };
        let frames = read(&text, &ask);
        // Documented: a lone `\r` does not end a record, and a UTF-16 byte order mark is refused.
        let lone = text.windows(2).any(|pair| pair[0] == b'\r' && pair[1] != b'\n')
            || text.ends_with(b"\r");
        let utf16 = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
        if lone || utf16 {
            return Ok(());
        }
        match (frames, peer(&text, b',', flexible)) {
            (Ok(frames), Some(mut expected)) => {
                let mut found = cells(&frames);
                // Short records, and blank lines within a single column.
                let one = expected.first().is_none_or(|row| row.len() == 1);
                for rows in [&mut found, &mut expected] {
                    for row in rows.iter_mut() {
                        while row.len() > 1 && row.last().is_some_and(Vec::is_empty) {
                            row.pop();
                        }
                    }
                    if one {
                        rows.retain(|row| *row != [b""]);
                    }
                }
                prop_assert_eq!(found, expected);
            }
            (Ok(_), None) => prop_assert!(false, "only we accept it"),
            // Documented: a quote must be closed.
            (Err(error), Some(_)) => {
                prop_assert!(error.what().contains("never closed"), "{}", error);
                prop_assert!(text.contains(&b'"'));
            }
            (Err(_), None) => {}
        }
    }
}

fn ndjson(text: &str, csv: CsvOptions) -> Vec<String> {
    let frames = read(text.as_bytes(), &Ask::csv(csv, Infer::None)).unwrap();
    super::read::as_json(&frames)
}

#[test]
fn csv_of_the_wild() {
    let default = CsvOptions::default;
    let no_header = || CsvOptions {
        header: false,
        ..default()
    };
    for (text, csv, expected) in [
        ("", default(), &[][..]),
        ("\u{feff}", default(), &[]),
        ("\n\r\n\n", default(), &[]),
        ("a,b", default(), &[]),
        ("a,b\r\n", default(), &[]),
        (
            "a\n\"\"\n\nx\n",
            default(),
            &[r#"{"a":""}"#, r#"{"a":null}"#, r#"{"a":"x"}"#],
        ),
        (
            "\n\na,b\n\n1,2\n\r\n3,4\n\n",
            default(),
            &[r#"{"a":"1","b":"2"}"#, r#"{"a":"3","b":"4"}"#],
        ),
        ("\r\r\na,b\n1,2\n", default(), &[r#"{"a":"1","b":"2"}"#]),
        (
            "1,2\n3,",
            no_header(),
            &[
                r#"{"column_1":"1","column_2":"2"}"#,
                r#"{"column_1":"3","column_2":null}"#,
            ],
        ),
        (
            "\nx\n",
            no_header(),
            &[r#"{"column_1":null}"#, r#"{"column_1":"x"}"#],
        ),
        (
            "a,b\n5\" disk,\"say \"\"hi\"\"\"\n",
            default(),
            &[r#"{"a":"5\" disk","b":"say \"hi\""}"#],
        ),
        (
            "a,b\n\"x\"y,\"\"z\"\"\n",
            default(),
            &[r#"{"a":"xy","b":"z\"\""}"#],
        ),
        ("a,b\n\" x \", y\n", default(), &[r#"{"a":" x ","b":" y"}"#]),
        (
            "\"a,1\",\"b\n2\"\n\"1\n2\",\"3\r\n4\"\n",
            default(),
            &[r#"{"a,1":"1\n2","b\n2":"3\r\n4"}"#],
        ),
        (
            "a,b\r\"x\ny\",2\r\r3,\r",
            default(),
            &[r#"{"a":"x\ny","b":"2"}"#, r#"{"a":"3","b":null}"#],
        ),
        ("a;b\n1,5;2\n", default(), &[r#"{"a":"1,5","b":"2"}"#]),
        ("a\tb\n1|5\t2\n", default(), &[r#"{"a":"1|5","b":"2"}"#]),
        ("a|b\n1|2\n", default(), &[r#"{"a":"1","b":"2"}"#]),
        (
            "one; two\nx\ny\n",
            default(),
            &[r#"{"one; two":"x"}"#, r#"{"one; two":"y"}"#],
        ),
    ] {
        assert_eq!(ndjson(text, csv), expected, "{text:?}");
    }
}

#[test]
fn nulls_that_are_named_replace_the_empty_cell() {
    let nulls = || vec![b"NA".to_vec(), b"-".to_vec()];
    let named = CsvOptions {
        nulls: nulls(),
        ..CsvOptions::default()
    };
    let expected = [
        r#"{"a":null,"b":null}"#,
        r#"{"a":"","b":"NA"}"#,
        r#"{"a":"","b":"x"}"#,
    ];
    assert_eq!(
        ndjson("a,b\nNA,-\n,\"NA\"\n\"\",x\n", named.clone()),
        expected
    );
    // An empty cell is not null even if quotes have no meaning or are another byte.
    for (quote, text) in [(None, "a,b\n,x\nNA,\n"), (Some(b'\''), "a,b\n'',x\nNA,\n")] {
        let csv = CsvOptions {
            quote,
            ..named.clone()
        };
        assert_eq!(
            ndjson(text, csv),
            [r#"{"a":"","b":"x"}"#, r#"{"a":null,"b":""}"#],
            "{quote:?}"
        );
    }
    // A missing cell is a null, not an empty string, with any word for null.
    let csv = CsvOptions {
        flexible: true,
        ..named
    };
    assert_eq!(
        ndjson("a,b\n\nx\n,\n", csv),
        [r#"{"a":"x","b":null}"#, r#"{"a":"","b":""}"#]
    );
}

#[test]
fn quotes_may_mean_nothing_or_be_another_byte() {
    let csv = |quote| CsvOptions {
        quote,
        ..CsvOptions::default()
    };
    let expected = [r#"{"a":"\"1","b":"2\""}"#];
    assert_eq!(ndjson("a,b\n\"1,2\"\n", csv(None)), expected);
    assert_eq!(ndjson("'a','b'\n'\"1','2\"'\n", csv(Some(b'\''))), expected);
}

#[test]
fn flexible_records_may_be_short_or_long() {
    let csv = CsvOptions {
        flexible: true,
        ..CsvOptions::default()
    };
    let expected = [
        r#"{"a":"1","b":null,"column_3":null}"#,
        r#"{"a":"1","b":"2","column_3":"3"}"#,
    ];
    assert_eq!(ndjson("a,b\n1\n\n1,2,3\n", csv.clone()), expected);
    // In a single column a blank line remains a row, even if another record is longer.
    let expected = [
        r#"{"a":null,"column_2":null}"#,
        r#"{"a":"1","column_2":"2"}"#,
    ];
    assert_eq!(ndjson("a\n\n1,2\n", csv), expected);
}

#[test]
fn a_fixed_type_stands_whatever_the_cells_look_like() {
    let schema = "a:utf8,b:i16,c:json";
    let types = [Type::Utf8, Type::I16, Type::Json];
    // Blocks without rows, without valid cells, and with cells of a narrower type.
    let long = "12,7,8\n".repeat(100_000);
    for rows in ["", ",,\n", "12,7,8\n", "true,,\n", "1.50,,\n", &long] {
        for infer in INFERS {
            let ask = Ask {
                schema,
                ..Ask::csv(CsvOptions::default(), infer)
            };
            let frames = read(format!("a,b,c\n{rows}").as_bytes(), &ask).unwrap();
            let found: Vec<_> = columns(&frames[0]).into_iter().map(|(_, ty)| ty).collect();
            assert_eq!(found, types, "{infer:?}");
            assert!(as_csv(&frames) == rows.as_bytes(), "{infer:?}");
        }
    }
}
