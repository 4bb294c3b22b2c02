use std::sync::Arc;

use arrow_array::{
    Array, BinaryArray, BooleanArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int64Array,
    RecordBatchOptions, StringArray, TimestampMicrosecondArray, UInt8Array,
};
use arrow_schema::{DataType, Field, Schema};

use super::*;

fn batch(columns: Vec<(Field, Arc<dyn Array>)>) -> RecordBatch {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

fn json(name: &str, cells: Vec<Option<&str>>) -> RecordBatch {
    batch(vec![(
        Type::Json.field(name),
        Arc::new(StringArray::from(cells)),
    )])
}

fn write(style: &JsonStyle, batches: &[RecordBatch]) -> String {
    let mut writer = JsonWriter::new(style.clone(), true);
    let mut out = Vec::new();
    style.begin(&mut out);
    for batch in batches {
        writer.batch(batch, &mut out, None).unwrap();
    }
    style.end(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn every_type_has_its_json_form() {
    let columns: Vec<(Field, Arc<dyn Array>)> = vec![
        (
            Type::Bool.field("b"),
            Arc::new(BooleanArray::from(vec![Some(true), None])),
        ),
        (
            Type::I64.field("i"),
            Arc::new(Int64Array::from(vec![Some(i64::MAX), None])),
        ),
        (
            Type::F32.field("f"),
            Arc::new(Float32Array::from(vec![Some(0.1), None])),
        ),
        (
            Type::F64.field("d"),
            Arc::new(Float64Array::from(vec![Some(100.0), None])),
        ),
        (
            Type::Uuid.field("u"),
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                    [Some([0xab; 16]), None].into_iter(),
                    16,
                )
                .unwrap(),
            ),
        ),
        (
            Type::Timestamp.field("t"),
            Arc::new(TimestampMicrosecondArray::from(vec![Some(0), None]).with_timezone("UTC")),
        ),
        (
            Type::Utf8.field("s"),
            Arc::new(StringArray::from(vec![Some("a\"\n/é"), None])),
        ),
        (
            Type::Bytes.field("x"),
            Arc::new(BinaryArray::from(vec![Some(&b"\x00\xff"[..]), None])),
        ),
        (
            Type::Json.field("j"),
            Arc::new(StringArray::from(vec![Some("{\"a\": [1]}"), None])),
        ),
    ];
    assert_eq!(
        write(&JsonStyle::lines(), &[batch(columns)]),
        concat!(
            r#"{"b":true,"i":9223372036854775807,"f":0.1,"d":100.0,"#,
            r#""u":"abababab-abab-abab-abab-abababababab","t":"1970-01-01T00:00:00Z","#,
            r#""s":"a\"\n/é","x":"00ff","j":{"a": [1]}}"#,
            "\n",
            r#"{"b":null,"i":null,"f":null,"d":null,"u":null,"t":null,"s":null,"x":null,"j":null}"#,
            "\n",
        )
    );
}

#[test]
fn floats_that_are_no_numbers_are_words_in_quotes() {
    let values = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
    let singles: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    let batch = batch(vec![
        (Type::F64.field("d"), Arc::new(Float64Array::from(values))),
        (Type::F32.field("f"), Arc::new(Float32Array::from(singles))),
    ]);
    assert_eq!(
        write(&JsonStyle::array(), &[batch]),
        r#"[{"d":"NaN","f":"NaN"},{"d":"Infinity","f":"Infinity"},{"d":"-Infinity","f":"-Infinity"},{"d":-0.0,"f":-0.0}]"#
    );
}

#[test]
fn arrays_run_on_over_batches() {
    let batch = json("a", vec![Some("1")]);
    assert_eq!(write(&JsonStyle::array(), &[]), "[]");
    assert_eq!(write(&JsonStyle::lines(), &[]), "");
    assert_eq!(write(&JsonStyle::array(), &[batch.slice(0, 0)]), "[]");
    assert_eq!(
        write(
            &JsonStyle::array(),
            &[batch.clone(), batch.slice(0, 0), batch]
        ),
        r#"[{"a":1},{"a":1}]"#
    );
}

#[test]
fn keys_are_escaped_and_unnamed_columns_numbered() {
    let column = || -> Arc<dyn Array> { Arc::new(Int64Array::from(vec![1])) };
    let batch = batch(vec![
        (Type::I64.field("a\"b"), column()),
        (Type::I64.field(""), column()),
        (Type::I64.field("é"), column()),
        (Type::I64.field("é"), column()),
    ]);
    assert_eq!(
        write(&JsonStyle::lines(), &[batch]),
        "{\"a\\\"b\":1,\"column_2\":1,\"é\":1,\"é\":1}\n"
    );
}

#[test]
fn json_text_stays_one_value_on_one_line() {
    let batch = json(
        "j",
        vec![
            Some("{\"a\": 1}"),
            Some("{\n  \"a b\": [1,\r\n 2]\n}"),
            Some("{\"a\": \"\\n \\\" x\",\n\"b\":1}"),
        ],
    );
    assert_eq!(
        write(&JsonStyle::lines(), &[batch]),
        "{\"j\":{\"a\": 1}}\n{\"j\":{\"a b\":[1,2]}}\n{\"j\":{\"a\":\"\\n \\\" x\",\"b\":1}}\n"
    );
}

#[test]
fn json_text_that_is_none_becomes_a_string() {
    let batch = json(
        "j",
        vec![
            Some(""),
            Some("{"),
            Some("1,\"x\":2"),
            Some("NaN"),
            Some("1\n2"),
        ],
    );
    assert_eq!(
        write(&JsonStyle::array(), &[batch]),
        r#"[{"j":""},{"j":"{"},{"j":"1,\"x\":2"},{"j":"NaN"},{"j":"1\n2"}]"#
    );
}

#[test]
fn rows_that_are_no_objects_are_written_bare() {
    let rows = json("$", vec![Some("1"), Some("[2,\n3]"), None, Some("\"a\"")]);
    assert_eq!(
        write(&JsonStyle::array(), std::slice::from_ref(&rows)),
        r#"[1,[2,3],null,"a"]"#
    );
    assert_eq!(
        write(&JsonStyle::lines(), &[rows]),
        "1\n[2,3]\nnull\n\"a\"\n"
    );
    // Only a JSON column, and only if there is no other.
    let text = batch(vec![(
        Type::Utf8.field("$"),
        Arc::new(StringArray::from(vec!["1"])),
    )]);
    assert_eq!(write(&JsonStyle::lines(), &[text]), "{\"$\":\"1\"}\n");
}

#[test]
fn rows_without_columns_are_empty_objects() {
    let options = RecordBatchOptions::new().with_row_count(Some(2));
    let batch =
        RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options).unwrap();
    assert_eq!(write(&JsonStyle::array(), &[batch]), "[{},{}]");
}

#[test]
fn broken_text_is_replaced_and_counted() {
    let held = |ty: Type, cells: Vec<&[u8]>| -> (Field, Arc<dyn Array>) {
        let array = Arc::new(BinaryArray::from(cells));
        (ty.field_held_as("x", DataType::Binary), array)
    };
    let batch = batch(vec![
        held(Type::Utf8, vec![b"ok", b"a\xff\n"]),
        held(Type::Json, vec![b"[1]", b"\"\xff\""]),
        (
            Type::Bool.field_held_as("b", DataType::UInt8),
            Arc::new(UInt8Array::from(vec![1, 7])),
        ),
    ]);
    let mut writer = JsonWriter::new(JsonStyle::lines(), true);
    let mut out = Vec::new();
    writer.batch(&batch, &mut out, None).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{\"x\":\"ok\",\"x\":[1],\"b\":true}\n{\"x\":\"a\u{fffd}\\n\",\"x\":\"\\\"\u{fffd}\\\"\",\"b\":7}\n"
    );
    assert_eq!(writer.lossy_cells(), 2);
}
