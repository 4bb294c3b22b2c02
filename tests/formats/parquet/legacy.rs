//! INT96 timestamps and intervals, as Spark, Hive and other programs store them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{DataType, FixedLenByteArray, FixedLenByteArrayType, Int96, Int96Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::command::{mbt, stdout_of, text_of};

/// The Julian day of 1970-01-01.
const EPOCH: u32 = 2_440_588;
/// 9999-12-31, 0001-01-01 and 2020-01-02 as days since 1970.
const LAST: i32 = 2_932_896;
const FIRST: i32 = -719_162;
const USUAL: i32 = 18_263;

fn timestamp(day: i32, nanoseconds: u64) -> Int96 {
    let day = EPOCH.wrapping_add_signed(day);
    Int96::from(vec![nanoseconds as u32, (nanoseconds >> 32) as u32, day])
}

/// Writes a file with a row group for each list of values, all of which are defined.
fn write<T: DataType>(path: &Path, column: &str, groups: &[&[T::T]], keys: Vec<KeyValue>) {
    let schema = parse_message_type(&format!("message m {{ {column} }}")).unwrap();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(keys));
    let properties = Arc::new(properties.build());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), properties).unwrap();
    for &values in groups {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let levels = vec![1; values.len()];
        column
            .typed::<T>()
            .write_batch(values, Some(&levels), Some(&vec![0; values.len()]))
            .unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
}

fn read(dir: &Path, name: &str) -> String {
    text_of(dir, &["convert", name, "--to", "ndjson"])
}

fn schema(dir: &Path, name: &str) -> String {
    text_of(dir, &["schema", name])
}

#[test]
fn timestamps_of_any_year_are_read_as_the_instants_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let of_day = 11_045_678_901_000;
    let usual = timestamp(USUAL, of_day);
    let groups = [&[usual][..], &[timestamp(FIRST, 0), timestamp(LAST, 0)]];
    write::<Int96Type>(&path, "optional int96 t;", &groups, Vec::new());
    let expected = "{\"t\":\"2020-01-02T03:04:05.678901\"}\n{\"t\":\"0001-01-01T00:00:00\"}\n\
                    {\"t\":\"9999-12-31T00:00:00\"}\n";
    assert_eq!(read(dir.path(), "a.parquet"), expected);
    assert_eq!(schema(dir.path(), "a.parquet"), "t:timestamp(us)\n");
    let list = "required group l (LIST) { repeated group list { required int96 element; } }";
    write::<Int96Type>(&path, list, &groups, Vec::new());
    let expected = "{\"l\":[\"2020-01-02T03:04:05.678901\"]}\n{\"l\":[\"0001-01-01T00:00:00\"]}\n\
                    {\"l\":[\"9999-12-31T00:00:00\"]}\n";
    assert_eq!(read(dir.path(), "a.parquet"), expected);
}

#[test]
fn timestamps_keep_their_nanoseconds() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let precise = timestamp(USUAL, 11_045_678_901_234);
    write::<Int96Type>(&path, "optional int96 t;", &[&[precise]], Vec::new());
    assert_eq!(
        read(dir.path(), "a.parquet"),
        "{\"t\":\"2020-01-02T03:04:05.678901234\"}\n"
    );
    assert_eq!(schema(dir.path(), "a.parquet"), "t:timestamp(ns)\n");

    let groups = [&[precise][..], &[timestamp(LAST, 0)]];
    write::<Int96Type>(&path, "optional int96 t;", &groups, Vec::new());
    let done = mbt(dir.path(), &["convert", "a.parquet", "--to", "ndjson"]);
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains("column \"t\"") && said.contains("--columns=-t"),
        "{said}"
    );
}

#[test]
fn timestamps_of_spark_are_microseconds_in_every_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let version = KeyValue::new("org.apache.spark.version".to_owned(), "3.5.0".to_owned());
    let groups = [&[timestamp(USUAL, 0)][..]];
    write::<Int96Type>(&path, "optional int96 t;", &groups, vec![version]);
    assert_eq!(schema(dir.path(), "a.parquet"), "t:timestamp(us)\n");
}

#[test]
fn intervals_keep_their_months() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let interval = |months: u32, days: u32, milliseconds: u32| {
        let parts = [months, days, milliseconds].map(u32::to_le_bytes);
        FixedLenByteArray::from(parts.concat())
    };
    let groups = [&[interval(14, 0, 0), interval(0, 3, 4_000_000_005)][..]];
    let column = "optional fixed_len_byte_array(12) x (INTERVAL);";
    write::<FixedLenByteArrayType>(&path, column, &groups, Vec::new());
    let expected = "{\"x\":{\"months\":14,\"days\":0,\"nanoseconds\":0}}\n\
                    {\"x\":{\"months\":0,\"days\":3,\"nanoseconds\":4000000005000000}}\n";
    assert_eq!(read(dir.path(), "a.parquet"), expected);
    let list = "required group l (LIST) { repeated group list {\
                required fixed_len_byte_array(12) element (INTERVAL); } }";
    write::<FixedLenByteArrayType>(&path, list, &groups, Vec::new());
    let expected = expected
        .replace("{\"x\":", "{\"l\":[")
        .replace("}}\n", "}]}\n");
    assert_eq!(read(dir.path(), "a.parquet"), expected);
    // `inspect` finds the same chunks as the footer.
    stdout_of(dir.path(), &["inspect", "a.parquet"]);
}
