//! Broken input is refused, and neither panics nor takes memory.

use std::slice::from_ref;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Int64Array, ListArray, RecordBatch, StringArray, Time32MillisecondArray,
    Time32SecondArray, Time64MicrosecondArray, Time64NanosecondArray, TimestampNanosecondArray,
    TimestampSecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema, TimeUnit};

use super::crate_ipc::{batches, file, stream};
use super::{answer_to_changes, mbt, try_mbt};
use crate::command::{BIN, run_with, words};

#[test]
fn cut_files_are_refused_at_every_length() {
    let whole = file(&batches()[..1], Some(CompressionType::ZSTD));
    let end = whole.len();
    for len in (0..end).step_by(7).chain(end - 12..end) {
        let args = ["convert", "--from", "arrow", "-", "--to", "csv"];
        assert!(
            try_mbt(&args, &whole[..len]).is_err(),
            "accepted a file cut at {len}"
        );
    }
}

/// Other programs read a file from its end, so what follows the first end mark may be rows to them.
#[test]
fn bytes_after_the_end_mark_of_a_file_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.arrow");
    let whole = file(&batches()[..1], None);
    for more in [&b"x"[..], &[0; 8], &whole] {
        let joined = [&whole, more].concat();
        std::fs::write(&path, &joined).unwrap();
        for input in [path.to_str().unwrap(), "-"] {
            let args = ["convert", "--from", "arrow", input, "--to", "csv"];
            let said = try_mbt(&args, &joined).unwrap_err();
            assert!(said.contains("footer"), "{said}");
        }
    }
}

fn column(array: impl Array + 'static, metadata: &[(&str, &str)]) -> RecordBatch {
    let mut field = Field::new("v", array.data_type().clone(), true);
    let metadata = metadata.iter();
    let metadata = metadata.map(|&(key, value)| (key.to_owned(), value.to_owned()));
    field.metadata_mut().extend(metadata);
    let schema = Arc::new(Schema::new(vec![field]));
    RecordBatch::try_new(schema, vec![Arc::new(array)]).unwrap()
}

/// Such a time would print as another one.
#[test]
fn times_that_are_not_within_a_day_are_refused() {
    let args = words("convert - --to ndjson");
    let last = column(Time32SecondArray::from(vec![Some(86_399), None]), &[]);
    let found = try_mbt(&args, &stream(&[last], None)).unwrap();
    assert_eq!(
        String::from_utf8(found).unwrap(),
        "{\"v\":\"23:59:59\"}\n{\"v\":null}\n"
    );
    let lists = {
        let item = Arc::new(Field::new(
            "item",
            DataType::Time64(TimeUnit::Nanosecond),
            true,
        ));
        let times = Arc::new(Time64NanosecondArray::from(vec![5, 86_400_000_000_000]));
        ListArray::new(item, OffsetBuffer::from_lengths([2]), times, None)
    };
    for wrong in [
        column(Time32SecondArray::from(vec![0, 86_400]), &[]),
        column(Time32MillisecondArray::from(vec![-1]), &[]),
        column(Time64MicrosecondArray::from(vec![i64::MAX]), &[]),
        column(lists, &[]),
    ] {
        for to in ["ndjson", "mbt", "arrow"] {
            let said = try_mbt(
                &["convert", "-", "--to", to],
                &stream(from_ref(&wrong), None),
            );
            let said = said.unwrap_err();
            assert!(
                said.contains("time of day") && said.contains("column \"v\""),
                "{said}"
            );
            assert!(said.contains("--columns=-v"), "{said}");
        }
    }
    // The other columns can be read, as the message says.
    let (time, number) = (
        Time32SecondArray::from(vec![86_400]),
        Int64Array::from(vec![7]),
    );
    let columns: [(&str, ArrayRef); 2] = [("v", Arc::new(time)), ("n", Arc::new(number))];
    let both = RecordBatch::try_from_iter(columns).unwrap();
    let args = words("convert - --to csv --columns=-v");
    assert_eq!(mbt(&args, &stream(&[both], None)), b"n\n7\n");
}

/// What is converted must pass `verify --deep`.
#[test]
fn text_that_is_marked_as_json_must_be_json() {
    let texts = |text: &str| StringArray::from(vec![Some("[1]"), None, Some(text)]);
    let mark = [("ARROW:extension:name", "arrow.json")];
    for (text, is_json) in [
        ("{\"a\": 1}", true),
        ("{a: 1}", false),
        ("", false),
        ("1 2", false),
    ] {
        let input = stream(&[column(texts(text), &mark)], None);
        let found = try_mbt(&words("convert - --to mbt"), &input);
        match found {
            Ok(frames) if is_json => drop(mbt(&words("verify --deep -"), &frames)),
            Err(said) if !is_json => assert!(said.contains("is not JSON"), "{said}"),
            other => panic!("{text}: {other:?}"),
        }
        // Without the mark, it is any text.
        mbt(
            &words("convert - --to mbt"),
            &stream(&[column(texts(text), &[])], None),
        );
    }
}

/// No pipe is to blame if one schema cannot hold the values of several files.
#[test]
fn values_that_no_common_type_holds_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let far = column(TimestampSecondArray::from(vec![i64::MAX / 2]), &[]);
    let near = column(TimestampNanosecondArray::from(vec![1]), &[]);
    let paths = [("far.arrow", far), ("near.arrow", near)].map(|(name, batch)| {
        let path = dir.path().join(name);
        std::fs::write(&path, file(&[batch], None)).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let said = try_mbt(&["convert", &paths[0], &paths[1], "--to", "arrow"], b"").unwrap_err();
    assert!(
        said.contains("timestamp(ns)") && !said.contains("pipe"),
        "{said}"
    );
}

#[test]
fn changed_bytes_end_in_an_answer() {
    let inputs = [
        stream(&batches(), Some(CompressionType::LZ4_FRAME)),
        file(&batches()[..1], None),
    ];
    let args = words("convert --from arrow - --to mbt --max-frame 64MiB");
    answer_to_changes(&inputs, &args);
}

#[test]
fn the_limit_holds_for_what_buffers_claim_to_hold() {
    let input = stream(&batches(), Some(CompressionType::ZSTD));
    let args = ["convert", "-", "--to", "csv", "--max-frame", "100"];
    let said = try_mbt(&args, &input).unwrap_err();
    assert!(said.contains("--max-frame"), "{said}");
}

#[test]
fn a_missing_end_marker_is_noted_once_even_without_rows() {
    let batches = batches();
    for rows in [&batches[..0], &batches[..1]] {
        let mut cut = Vec::new();
        let mut writer = StreamWriter::try_new(&mut cut, &batches[0].schema()).unwrap();
        for batch in rows {
            writer.write(batch).unwrap();
        }
        drop(writer);
        let (_, said, code) = run_with(BIN, &["convert", "-", "--to", "csv"], &cut).unwrap();
        let notes = said.matches("no end marker").count();
        assert_eq!((notes, code), (1, 0), "{said}");
    }
}
