use std::sync::Arc;

use arrow_array::{
    BinaryArray, BooleanArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int16Array,
    Int32Array, Int64Array, IntervalDayTimeArray, IntervalYearMonthArray, LargeStringArray,
    StringArray, TimestampMicrosecondArray, UInt8Array, UInt64Array,
};
use arrow_buffer::IntervalDayTime;
use arrow_schema::{DataType, IntervalUnit};

use super::*;
use crate::schema::Type;

fn cell(array: &dyn Array, field: &Field, row: usize) -> String {
    let column = ColumnPrinter::new(array, field).unwrap();
    let mut out = Vec::new();
    if !column.is_null(row) {
        column.cells.print(row, &mut out);
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn every_type_has_its_spelling() {
    let cases: [(Arc<dyn Array>, Type, &str); 11] = [
        (Arc::new(BooleanArray::from(vec![true])), Type::Bool, "true"),
        (
            Arc::new(Int16Array::from(vec![i16::MIN])),
            Type::I16,
            "-32768",
        ),
        (Arc::new(Int32Array::from(vec![7])), Type::I32, "7"),
        (
            Arc::new(Int64Array::from(vec![i64::MIN])),
            Type::I64,
            "-9223372036854775808",
        ),
        (Arc::new(Float32Array::from(vec![0.1])), Type::F32, "0.1"),
        (Arc::new(Float64Array::from(vec![0.1])), Type::F64, "0.1"),
        (
            Arc::new(
                FixedSizeBinaryArray::try_from_iter(
                    [*b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff"].iter(),
                )
                .unwrap(),
            ),
            Type::Uuid,
            "00010203-0405-0607-0809-0a0b0c0d0eff",
        ),
        (
            Arc::new(TimestampMicrosecondArray::from(vec![1]).with_timezone("UTC")),
            Type::Timestamp,
            "1970-01-01T00:00:00.000001Z",
        ),
        (
            Arc::new(StringArray::from(vec!["a,\"b"])),
            Type::Utf8,
            "a,\"b",
        ),
        (
            Arc::new(BinaryArray::from(vec![&b"\x00\xff"[..]])),
            Type::Bytes,
            "00ff",
        ),
        (
            Arc::new(StringArray::from(vec!["{\"a\": 1}"])),
            Type::Json,
            "{\"a\": 1}",
        ),
    ];
    for (array, ty, text) in cases {
        assert_eq!(cell(&array, &ty.field("x"), 0), text, "{ty}");
    }
}

#[test]
fn bools_held_as_bytes_show_the_odd_ones_as_numbers() {
    let array = UInt8Array::from(vec![0, 1, 2, 255]);
    let field = Type::Bool.field_held_as("x", DataType::UInt8);
    let cells = [0, 1, 2, 3].map(|row| cell(&array, &field, row));
    assert_eq!(cells, ["false", "true", "2", "255"]);
}

#[test]
fn nulls_print_nothing_and_slices_keep_their_offset() {
    let array = LargeStringArray::from(vec![Some("a"), Some("b"), None, Some("d")]).slice(1, 3);
    let field = Field::new("x", DataType::LargeUtf8, true);
    let cells = [0, 1, 2].map(|row| cell(&array, &field, row));
    assert_eq!(cells, ["b", "", "d"]);

    let uuids = FixedSizeBinaryArray::try_from_iter([[1u8; 16], [2; 16]].iter()).unwrap();
    assert!(cell(&uuids.slice(1, 1), &Type::Uuid.field("x"), 0).starts_with("0202"));
    let bools = BooleanArray::from(vec![true, false]).slice(1, 1);
    assert_eq!(cell(&bools, &Type::Bool.field("x"), 0), "false");
}

#[test]
fn months_are_iso_8601() {
    let array = IntervalYearMonthArray::from(vec![14, -1]);
    let field = Field::new("x", DataType::Interval(IntervalUnit::YearMonth), true);
    assert_eq!(cell(&array, &field, 0), "P14M");
    assert_eq!(cell(&array, &field, 1), "-P1M");
}

#[test]
fn a_type_without_spelling_is_refused_by_name() {
    let array = IntervalDayTimeArray::from(vec![IntervalDayTime::new(1, 2)]);
    let field = Field::new("x", DataType::Interval(IntervalUnit::DayTime), true);
    let error = ColumnPrinter::new(&array, &field).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column \"x\": cannot print values of type Interval(DayTime)"
    );
}

#[test]
fn a_declared_type_that_the_array_cannot_hold_is_ignored() {
    let array = UInt64Array::from(vec![1]);
    for ty in Type::ALL {
        let field = ty.field_held_as("x", DataType::UInt64);
        assert_eq!(cell(&array, &field, 0), "1", "{ty}");
    }
}
