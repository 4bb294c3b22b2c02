//! Row groups excluded by the statistics in the footer are not read.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int64Array,
    RecordBatch, StringArray, StructArray, TimestampMicrosecondArray, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader as _, SerializedFileReader};

use crate::ipc::{mbt, try_mbt};

const GROUPS: usize = 4;
const ROWS: usize = 50;

/// Values rise from row group to row group; the second one has a NaN, the third one nulls only.
fn batch() -> RecordBatch {
    let rows = || 0..GROUPS * ROWS;
    let group = |row: usize| row / ROWS;
    let valid = |row: usize| group(row) != 2;
    let real = |row: usize| match row {
        70 => f64::NAN,
        row => row as f64 / 4.0 - 10.0,
    };
    let ints: Int64Array = rows()
        .map(|row| valid(row).then_some(row as i64 - 75))
        .collect();
    let inner: ArrayRef = Arc::new(Int64Array::from_iter_values(rows().map(|row| row as i64)));
    let field = Arc::new(Field::new("i", DataType::Int64, false));
    let decimals = Decimal128Array::from_iter_values(rows().map(|row| row as i128 * 25));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i", Arc::new(ints)),
        (
            "f",
            Arc::new(Float64Array::from_iter_values(rows().map(real))),
        ),
        (
            "g",
            Arc::new(Float32Array::from_iter_values(
                rows().map(|row| row as f32 / 10.0),
            )),
        ),
        (
            "s",
            Arc::new(StringArray::from_iter_values(rows().map(|row| {
                let word = ["apple", "a pear of more than sixteen bytes", "plum", "é"][group(row)];
                format!("{word} {}", row % 3)
            }))),
        ),
        (
            "t",
            Arc::new(TimestampMicrosecondArray::from_iter_values(
                rows().map(|row| row as i64 * 3_600_000_000),
            )),
        ),
        (
            "day",
            Arc::new(Date32Array::from_iter_values(
                rows().map(|row| row as i32 - 100),
            )),
        ),
        (
            "d",
            Arc::new(decimals.with_precision_and_scale(9, 2).unwrap()),
        ),
        (
            "u",
            Arc::new(UInt32Array::from_iter_values(
                rows().map(|row| u32::MAX - 150 + row as u32 / 2),
            )),
        ),
        (
            "v",
            Arc::new(UInt64Array::from_iter_values(
                rows().map(|row| (1 << 63) - 75 + row as u64),
            )),
        ),
        (
            "b",
            Arc::new(BooleanArray::from(
                rows().map(|row| group(row) > 1).collect::<Vec<_>>(),
            )),
        ),
        (
            "nested",
            Arc::new(StructArray::new(vec![field].into(), vec![inner], None)),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn file(statistics: EnabledStatistics) -> Vec<u8> {
    let batch = batch();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(ROWS))
        .set_statistics_enabled(statistics)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn read(condition: &str) -> [&str; 8] {
    let to = ["convert", "--from", "parquet", "-", "--to", "ndjson"];
    [
        to[0], to[1], to[2], to[3], to[4], to[5], "--where", condition,
    ]
}

const CONDITIONS: [&str; 26] = [
    "i < -70",
    "i between 30 and 40",
    "i is null",
    "i is not null and i > 100",
    "not (i >= -74)",
    "f > 30",
    "f > 20",
    "f = 'NaN'",
    "f <> 2.5",
    "g < 1.05",
    "g in (0.1, 12.5, 99)",
    "s = 'plum 1'",
    "s < 'a q'",
    "s like 'a pear of more than sixteen%2'",
    "s like 'é%'",
    "s <> 'plum 0' and s > 'b'",
    "t >= '1970-01-08T00:00:00'",
    "t < '1970-01-01T05:30:00Z'",
    "day = '1969-12-31'",
    "d > 37.25",
    "d = 12.5",
    "u > 4294967290",
    "u < 4294967150",
    "v >= 9223372036854775808",
    "b or nested.i < 3",
    "nested.i = 7 or i = -74",
];

#[test]
fn conditions_give_the_same_rows_with_and_without_statistics() {
    let [with, without] = [EnabledStatistics::Chunk, EnabledStatistics::None].map(file);
    for condition in CONDITIONS {
        let rows = mbt(&read(condition), &with);
        assert_eq!(rows, mbt(&read(condition), &without), "{condition}");
    }
    let rows = mbt(&read("i > 1000"), &with);
    assert_eq!(rows, b"", "no row group is left");
}

/// The file with nonsense in place of all pages of the other row groups.
fn only(group: usize, file: &[u8]) -> Vec<u8> {
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(file)).unwrap();
    let mut damaged = file.to_vec();
    for (number, of) in reader.metadata().row_groups().iter().enumerate() {
        for chunk in of.columns() {
            let (first, len) = chunk.byte_range();
            if number != group {
                damaged[first as usize..(first + len) as usize].fill(0xFF);
            }
        }
    }
    damaged
}

#[test]
fn row_groups_that_are_ruled_out_are_not_read() {
    let [with, without] = [EnabledStatistics::Chunk, EnabledStatistics::None].map(file);
    for (group, condition, rows) in [
        (0, "i < -30", 45),
        (0, "s like 'apple%'", 50),
        (0, "g < 4", 40),
        (1, "s like 'a pear of more than sixteen bytes%'", 50),
        (2, "i is null", 50),
        (3, "t >= '1970-01-07T06:00:00Z'", 50),
        (3, "day >= '1970-02-20'", 50),
        (3, "d >= 37.5 and d < 38", 2),
        (3, "u >= 4294967220", 50),
        (3, "v > 9223372036854775890", 42),
        (3, "i > 74", 50),
    ] {
        let found = mbt(&read(condition), &only(group, &with));
        assert_eq!(found, mbt(&read(condition), &without), "{condition}");
        let lines = found.split_inclusive(|&byte| byte == b'\n').count();
        assert_eq!(lines, rows, "{condition}");
        try_mbt(&read(condition), &only(group, &without)).expect_err("damage has no effect");
    }
}
