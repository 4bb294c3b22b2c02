//! Wire 1 from all formats: spelling may be lost, but not values.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Float32Array, Float64Array, Int64Array, RecordBatch,
    TimestampMillisecondArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use parquet::arrow::ArrowWriter;

use super::crate_ipc::{batches, stream};
use super::{mbt, text};

#[test]
fn batches_of_any_type_become_wire_1() {
    let input = stream(&batches(), None);
    let lines = "\
{\"number\":0,\"word\":\"a\",\"decimal\":1.5,\"time\":\"1970-01-01T00:00:00.000000001Z\",\"items\":[1,null],\"struct\":{\"inner\":\"x\"},\"large\":\"a\",\"bool\":true}
{\"number\":null,\"word\":null,\"decimal\":null,\"time\":null,\"items\":null,\"struct\":{\"inner\":\"\"},\"large\":\"\",\"bool\":null}
{\"number\":2,\"word\":\"b\",\"decimal\":-3.25,\"time\":\"1969-12-31T23:59:59.999999999Z\",\"items\":[],\"struct\":{\"inner\":null},\"large\":\"é\",\"bool\":false}
";
    let wire_1 = mbt(&["convert", "-", "--to", "mbt", "--wire", "1"], &input);
    assert_eq!(wire_1[8], 1);
    let back = text(&["convert", "-", "--to", "ndjson"], &wire_1);
    assert!(back.starts_with(lines), "{back}");
    // All batches become one frame, as readers of wire 1 expect.
    assert!(text(&["inspect", "-"], &wire_1).contains("1 frame, 6 rows"));
    let wire_2 = mbt(&["convert", "-", "--to", "mbt"], &input);
    let again = mbt(&["convert", "-", "--to", "mbt", "--wire", "1"], &wire_2);
    assert_eq!(text(&["convert", "-", "--to", "ndjson"], &again), back);
}

#[test]
fn text_forms_become_what_wire_1_would_have_read() {
    let csv = b"id,price,day,word,flag,long,at,odd\n\
        007,1.50,01/31/2024,abc,True,12345678901234567890,2024-01-31T23:59:59+01:00,2024-01-31 10:00:00Z\n\
        008,2.25,02/01/2024,1,False,1,2024-02-01T00:00:00+01:00,2024-01-31 11:00:00Z\n";
    let from = ["convert", "-", "--from", "csv", "--to", "mbt"];
    let wire_2 = mbt(&from, csv);
    let wire_1 = mbt(&["convert", "-", "--to", "mbt", "--wire", "1"], &wire_2);
    assert_eq!(
        text(&["convert", "-", "--to", "ndjson"], &wire_1),
        "{\"id\":\"007\",\"price\":1.5,\"day\":\"01/31/2024\",\"word\":\"abc\",\"flag\":true,\
         \"long\":\"12345678901234567890\",\"at\":\"2024-01-31T22:59:59Z\",\"odd\":\"2024-01-31T10:00:00Z\"}\n\
         {\"id\":\"008\",\"price\":2.25,\"day\":\"02/01/2024\",\"word\":\"1\",\"flag\":false,\
         \"long\":\"1\",\"at\":\"2024-01-31T23:00:00Z\",\"odd\":\"2024-01-31T11:00:00Z\"}\n"
    );
}

#[test]
fn nested_rows_and_rows_that_are_no_objects_survive() {
    for lines in [
        "1\n\"a\"\n[1,{\"b\":null}]\n",
        "{\"a\":1,\"b\":{\"c\":[1,\"x\"]}}\n{\"a\":\"z\",\"b\":null}\n",
        "3\n4\n",
    ] {
        let from = ["convert", "-", "--from", "ndjson", "--to", "mbt"];
        let wire_2 = mbt(&from, lines.as_bytes());
        let wire_1 = mbt(&["convert", "-", "--to", "mbt", "--wire", "1"], &wire_2);
        assert_eq!(text(&["convert", "-", "--to", "ndjson"], &wire_1), lines);
    }
}

#[test]
fn what_is_under_nulls_is_the_same_on_every_route() {
    let nulls = || Some(NullBuffer::from(vec![true, false, false, true, false]));
    let floats = [0.1, 7.5, f64::NAN, -0.0, 9.25];
    let singles = floats.map(|float| float as f32).to_vec();
    let decimals = Decimal128Array::new(vec![15, 77, 77, 25, 77].into(), nulls());
    let decimals = decimals.with_precision_and_scale(5, 1).unwrap();
    let times = vec![1_600_000_000_001, 5, 5, 1_700_000_000_000, 5];
    let columns: [(&str, ArrayRef); 6] = [
        (
            "i64",
            Arc::new(Int64Array::new(vec![1, 9, 9, 3, 9].into(), nulls())),
        ),
        (
            "f64",
            Arc::new(Float64Array::new(floats.to_vec().into(), nulls())),
        ),
        ("f32", Arc::new(Float32Array::new(singles.into(), nulls()))),
        ("decimal", Arc::new(decimals)),
        (
            "time",
            Arc::new(TimestampMillisecondArray::new(times.into(), nulls())),
        ),
        (
            "bool",
            Arc::new(BooleanArray::new(BooleanBuffer::new_set(5), nulls())),
        ),
    ];
    let columns = columns.map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut parquet = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    parquet.write(&batch).unwrap();
    let parquet = parquet.into_inner().unwrap();
    let arrow = stream(&[batch], None);
    let into_wire_1 = ["convert", "-", "--to", "mbt", "--wire", "1"];
    let expected = mbt(&into_wire_1, &mbt(&["convert", "-", "--to", "mbt"], &arrow));
    assert_eq!(mbt(&into_wire_1, &arrow), expected);
    assert_eq!(mbt(&into_wire_1, &parquet), expected);
    let frames = mbt(&["convert", "-", "--to", "mbt"], &parquet);
    assert_eq!(mbt(&into_wire_1, &frames), expected);
    let said = text(&["verify", "-", "--json"], &expected);
    assert!(!said.contains("slots_under_nulls"), "{said}");
}
