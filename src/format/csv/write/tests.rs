use std::sync::Arc;

use arrow_array::{
    Array, BinaryArray, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray,
    UInt8Array,
};
use arrow_schema::{DataType, Field};

use super::*;
use crate::format::csv::{LineEnd, Quoted, Spaces};
use crate::schema::Type;
use crate::schema::keys;
use crate::text::form;

fn batch(columns: Vec<(Field, Arc<dyn Array>)>) -> RecordBatch {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

fn utf8(name: &str, cells: Vec<Option<&str>>) -> (Field, Arc<dyn Array>) {
    (Type::Utf8.field(name), Arc::new(StringArray::from(cells)))
}

fn write_with(options: CsvStyle, batch: &RecordBatch) -> String {
    options.check().unwrap();
    let mut writer = CsvWriter::new(options);
    let mut out = Vec::new();
    writer.header(batch.schema_ref(), &mut out);
    writer.batch(batch, &mut out, None).unwrap();
    String::from_utf8(out).unwrap()
}

fn write(batch: &RecordBatch) -> String {
    write_with(CsvStyle::default(), batch)
}

#[test]
fn rows_follow_the_header_with_lf_and_no_needless_quotes() {
    let batch = batch(vec![
        utf8("symbol", vec![Some("A"), Some(" b 'c' "), None]),
        (
            Type::I64.field(""),
            Arc::new(Int64Array::from(vec![Some(-1), None, Some(3)])),
        ),
        (
            Type::F64.field("symbol"),
            Arc::new(Float64Array::from(vec![100.0, f64::NAN, f64::NEG_INFINITY])),
        ),
        (
            Type::Timestamp.field("at"),
            Arc::new(TimestampMicrosecondArray::from(vec![0, 1, 2]).with_timezone("UTC")),
        ),
        (
            Type::Json.field("j"),
            Arc::new(StringArray::from(vec!["{\"a\":1}", "1", "[1,2]"])),
        ),
    ]);
    assert_eq!(
        write(&batch),
        "symbol,column_2,symbol,at,j\n\
         A,-1,100.0,1970-01-01T00:00:00Z,\"{\"\"a\"\":1}\"\n \
         b 'c' ,,NaN,1970-01-01T00:00:00.000001Z,1\n\
         ,3,-Infinity,1970-01-01T00:00:00.000002Z,\"[1,2]\"\n"
    );
}

#[test]
fn what_would_break_a_row_is_quoted() {
    let batch = batch(vec![utf8(
        "a,b",
        vec![
            Some(","),
            Some("\""),
            Some("a\nb"),
            Some("a\r"),
            Some("\"\"x\""),
            Some("a long text with one , far in"),
        ],
    )]);
    assert_eq!(
        write(&batch),
        "\"a,b\"\n\",\"\n\"\"\"\"\n\"a\nb\"\n\"a\r\"\n\"\"\"\"\"x\"\"\"\n\"a long text with one , far in\"\n"
    );
}

#[test]
fn null_and_empty_text_stay_apart() {
    let texts = batch(vec![utf8("x", vec![None, Some(""), Some("NA")])]);
    assert_eq!(write(&texts), "x\n\n\"\"\nNA\n");
    let options = CsvStyle {
        null: b"NA".to_vec(),
        ..CsvStyle::default()
    };
    assert_eq!(write_with(options, &texts), "x\nNA\n\"\"\n\"NA\"\n");

    let bytes = batch(vec![(
        Type::Bytes.field("x"),
        Arc::new(BinaryArray::from(vec![Some(&b""[..]), None, Some(b"\x0a")])),
    )]);
    assert_eq!(write(&bytes), "x\n\"\"\n\n0a\n");
}

#[test]
fn a_number_that_looks_like_null_or_holds_the_delimiter_is_quoted() {
    let numbers = batch(vec![(
        Type::F64.field("x"),
        Arc::new(Float64Array::from(vec![Some(0.0), Some(1.5), None])),
    )]);
    let options = CsvStyle {
        null: b"0.0".to_vec(),
        ..CsvStyle::default()
    };
    assert_eq!(write_with(options, &numbers), "x\n\"0.0\"\n1.5\n0.0\n");
    let options = CsvStyle {
        delimiter: b'5',
        ..CsvStyle::default()
    };
    assert_eq!(write_with(options, &numbers), "x\n0.0\n\"1.5\"\n\n");
}

#[test]
fn other_delimiters_and_quotes_are_doubled_and_quoted_alike() {
    let batch = batch(vec![
        utf8("a", vec![Some("x\ty"), Some("it's"), Some("a,\"b")]),
        utf8("b", vec![None; 3]),
    ]);
    let options = CsvStyle {
        delimiter: b'\t',
        quote: Some(b'\''),
        header: false,
        ..CsvStyle::default()
    };
    assert_eq!(
        write_with(options, &batch),
        "'x\ty'\t\n'it''s'\t\na,\"b\t\n"
    );
}

#[test]
fn a_byte_order_mark_does_not_get_eaten() {
    let batch = batch(vec![utf8(
        "\u{feff}a",
        vec![Some("\u{feff}"), Some("b\u{feff}")],
    )]);
    assert_eq!(write(&batch), "\"\u{feff}a\"\n\"\u{feff}\"\nb\u{feff}\n");
}

#[test]
fn odd_bools_and_broken_text_pass_through() {
    let batch = batch(vec![
        (
            Type::Bool.field_held_as("b", DataType::UInt8),
            Arc::new(UInt8Array::from(vec![0, 1, 9])),
        ),
        (
            Type::Utf8.field_held_as("t", DataType::Binary),
            Arc::new(BinaryArray::from(vec![&b"\xff"[..], b"\xff,", b"ok"])),
        ),
    ]);
    let mut out = Vec::new();
    CsvWriter::new(CsvStyle::default())
        .batch(&batch, &mut out, None)
        .unwrap();
    assert_eq!(out, b"false,\xff\ntrue,\"\xff,\"\n9,ok\n");
}

#[test]
fn a_lone_unnamed_column_without_rows_is_an_empty_file() {
    let none = batch(vec![utf8("", vec![])]);
    assert_eq!(write(&none), "");
    assert_eq!(write(&batch(vec![utf8("a", vec![])])), "a\n");
    assert_eq!(
        write(&batch(vec![utf8("", vec![]), utf8("", vec![])])),
        "column_1,column_2\n"
    );

    let mut writer = CsvWriter::new(CsvStyle::default());
    let mut out = Vec::new();
    writer.header(none.schema_ref(), &mut out);
    writer.batch(&none, &mut out, None).unwrap();
    assert_eq!(out, b"");
    for _ in 0..2 {
        writer
            .batch(&batch(vec![utf8("", vec![Some("x")])]), &mut out, None)
            .unwrap();
    }
    assert_eq!(out, b"column_1\nx\nx\n");
}

#[test]
fn dialects_that_cannot_be_read_back_are_refused() {
    let usual = CsvStyle::default();
    for options in [
        CsvStyle {
            delimiter: b'"',
            ..usual.clone()
        },
        CsvStyle {
            delimiter: b'\n',
            ..usual.clone()
        },
        CsvStyle {
            quote: Some(b'\r'),
            ..usual.clone()
        },
        CsvStyle {
            null: b"a,b".to_vec(),
            ..usual.clone()
        },
        CsvStyle {
            null: b"\"\"".to_vec(),
            ..usual.clone()
        },
    ] {
        assert!(options.check().is_err(), "{options:?}");
    }
}

#[test]
fn styles_of_other_programs() {
    let numbers = Type::I64.field("n");
    let numbers = keys::with(numbers, keys::NULL, form::QUOTED_EMPTY);
    let batch = batch(vec![
        utf8("a", vec![Some("x"), Some(" y"), Some("NA"), None]),
        utf8("b", vec![Some(""), None, Some("1\\\""), Some("z ")]),
        (
            numbers,
            Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(-4)])),
        ),
    ]);
    let usual = CsvStyle::default;
    let columns = |columns: &[u32]| Quoted::Columns(columns.to_vec());
    for (style, text) in [
        (
            usual(),
            "a,b,n\nx,\"\",1\n y,,\"\"\nNA,\"1\\\"\"\",3\n,z ,-4\n",
        ),
        (
            CsvStyle {
                quoted: Quoted::All,
                line_end: LineEnd::CrLf,
                ..usual()
            },
            "\"a\",\"b\",\"n\"\r\n\"x\",\"\",\"1\"\r\n\" y\",,\"\"\r\n\
             \"NA\",\"1\\\"\"\",\"3\"\r\n,\"z \",\"-4\"\r\n",
        ),
        (
            CsvStyle {
                quoted: columns(&[0, 9]),
                bare_word: Some(b"NA".to_vec()),
                escape: Some(b'\\'),
                header: false,
                ..usual()
            },
            "\"x\",\"\",1\n\" y\",,\"\"\nNA,\"1\\\\\\\"\",3\n,z ,-4\n",
        ),
        (
            CsvStyle {
                spaces: Spaces::Leading,
                line_end: LineEnd::Cr,
                header: false,
                ..usual()
            },
            "x,\"\",1\r\" y\",,\"\"\rNA,\"1\\\"\"\",3\r,z ,-4\r",
        ),
        (
            CsvStyle {
                spaces: Spaces::Edges,
                quote: Some(b'\''),
                header: false,
                ..usual()
            },
            "x,'',1\n' y',,''\nNA,1\\\",3\n,'z ',-4\n",
        ),
        (
            CsvStyle {
                null: b"-".to_vec(),
                bare_empty: true,
                header: false,
                ..usual()
            },
            "x,,1\n y,-,\nNA,\"1\\\"\"\",3\n-,z ,-4\n",
        ),
        (
            CsvStyle {
                quote: None,
                header: false,
                ..usual()
            },
            "x,,1\n y,,\nNA,1\\\",3\n,z ,-4\n",
        ),
    ] {
        assert_eq!(write_with(style, &batch), text);
    }
}

#[test]
fn ends_follow_each_row() {
    let batch = batch(vec![utf8("", vec![Some("x\ny"), None])]);
    let mut writer = CsvWriter::new(CsvStyle::default());
    let (mut out, mut ends) = (b"# ".to_vec(), vec![0]);
    writer.header(batch.schema_ref(), &mut out);
    writer.batch(&batch, &mut out, Some(&mut ends)).unwrap();
    assert_eq!(out, b"# column_1\n\"x\ny\"\n\n");
    assert_eq!(ends, [0, 17, 18]);
}

#[test]
fn longer_records_end_at_their_last_cell() {
    let field = keys::with(Type::Utf8.field("d"), keys::NULL, "NA");
    let columns = |last: (Field, Arc<dyn Array>)| {
        batch(vec![
            utf8("a", vec![Some("1"), None, Some("3"), None]),
            utf8("b", vec![None; 4]),
            utf8("c", vec![None, Some("x"), Some("y"), None]),
            last,
        ])
    };
    let style = CsvStyle {
        width: Some(2),
        header: false,
        ..CsvStyle::default()
    };
    let plain = columns(utf8("d", vec![None, Some("z"), None, None]));
    assert_eq!(write_with(style.clone(), &plain), "1,\n,,x,z\n3,,y\n,\n");
    let texts = StringArray::from(vec![None, Some("z"), None, None]);
    let with_nulls = columns((field, Arc::new(texts)));
    assert_eq!(
        write_with(style, &with_nulls),
        "1,,,NA\n,,x,z\n3,,y,NA\n,,,NA\n"
    );
}

#[test]
fn cells_of_all_lengths_are_printed_in_any_selection_of_rows() {
    const TEXTS: [&str; 6] = [
        "a",
        "",
        "b,c",
        "\"",
        "exactly thirty-two bytes of text",
        "a longer text than those that are copied without a call",
    ];
    let rows = 3000;
    let text = |row: usize| TEXTS.get(row % 7).copied();
    let number = |row: usize| (row % 4 < 3).then_some((row * row % 1009) as i64 - 500);
    let batch = batch(vec![
        utf8("text", (0..rows).map(text).collect()),
        (
            Type::I64.field("number"),
            Arc::new((0..rows).map(number).collect::<Int64Array>()),
        ),
    ]);
    let line = |row: usize| {
        let text = text(row).map_or(String::new(), |text| match text {
            "" | "b,c" | "\"" => format!("\"{}\"", text.replace('"', "\"\"")),
            text => text.to_owned(),
        });
        let number = number(row).map_or(String::new(), |number| number.to_string());
        format!("{text},{number}\n")
    };
    for gap in [1, 2, 3, 1000, rows + 1] {
        let selected = || (0..rows).filter(|row| row % gap != gap - 1);
        let (mut out, mut ends) = (Vec::new(), Vec::new());
        let mut writer = CsvWriter::new(CsvStyle::default());
        writer
            .rows(&batch, selected(), &mut out, Some(&mut ends))
            .unwrap();
        let mut expected = String::new();
        for (row, end) in selected().zip(ends) {
            expected += &line(row);
            assert_eq!(end, expected.len());
        }
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
