//! Output of the crate arrow-ipc is read, and it reads our output.

use std::io::{Cursor, Write as _};
use std::process::Command;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type, IntervalDayTimeType};
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeListArray, Float64Array,
    Int64Array, IntervalDayTimeArray, LargeStringArray, ListArray, RecordBatch, StringArray,
    StructArray, TimestampNanosecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};

use super::{mbt, text, try_mbt};
use crate::command::words;

/// Two batches of several types, with nulls; the second has another dictionary.
pub fn batches() -> Vec<RecordBatch> {
    let batch = |from: i64, words: [&str; 2]| {
        let numbers: Int64Array = (from..from + 3)
            .map(|n| (n % 4 != 1).then_some(n))
            .collect();
        let words: DictionaryArray<Int32Type> =
            [Some(words[0]), None, Some(words[1])].into_iter().collect();
        let decimals = Decimal128Array::from(vec![Some(150), None, Some(-325)]);
        let times = TimestampNanosecondArray::from(vec![Some(1), None, Some(-1)]);
        let items = ListArray::from_iter_primitive::<Int32Type, _, _>([
            Some(vec![Some(1), None]),
            None,
            Some(vec![]),
        ]);
        let inner: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), Some(""), None]));
        let field = Arc::new(Field::new("inner", DataType::Utf8, true));
        let columns: [(&str, ArrayRef); 8] = [
            ("number", Arc::new(numbers)),
            ("word", Arc::new(words)),
            (
                "decimal",
                Arc::new(decimals.with_precision_and_scale(20, 2).unwrap()),
            ),
            ("time", Arc::new(times.with_timezone("UTC"))),
            ("items", Arc::new(items)),
            ("struct", Arc::new(StructArray::from(vec![(field, inner)]))),
            (
                "large",
                Arc::new(LargeStringArray::from(vec!["a", "", "é"])),
            ),
            (
                "bool",
                Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
            ),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
            .unwrap()
    };
    vec![batch(0, ["a", "b"]), batch(3, ["c", "a"])]
}

fn options(codec: Option<CompressionType>) -> IpcWriteOptions {
    IpcWriteOptions::default()
        .try_with_compression(codec)
        .unwrap()
}

pub fn stream(batches: &[RecordBatch], codec: Option<CompressionType>) -> Vec<u8> {
    let schema = batches[0].schema();
    let mut writer =
        StreamWriter::try_new_with_options(Vec::new(), &schema, options(codec)).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.into_inner().unwrap()
}

pub fn file(batches: &[RecordBatch], codec: Option<CompressionType>) -> Vec<u8> {
    let schema = batches[0].schema();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options(codec)).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.into_inner().unwrap()
}

pub fn read_stream(bytes: &[u8]) -> Vec<RecordBatch> {
    let reader = StreamReader::try_new(bytes, None).unwrap();
    reader.map(Result::unwrap).collect()
}

#[test]
fn streams_come_back_batch_by_batch_whatever_their_codec() {
    let batches = batches();
    for codec in [
        None,
        Some(CompressionType::LZ4_FRAME),
        Some(CompressionType::ZSTD),
    ] {
        let out = mbt(&["convert", "-", "--to", "arrow"], &stream(&batches, codec));
        assert_eq!(read_stream(&out), batches, "{codec:?}");
        // In a file, all batches must share one dictionary, so only the first batch is used.
        let first = &batches[..1];
        let out = mbt(&["convert", "-", "--to", "arrow"], &file(first, codec));
        assert_eq!(read_stream(&out), first, "{codec:?}");
    }
}

#[test]
fn frames_hold_what_batches_held() {
    let batches = batches();
    for rows in ["1", "2", "100"] {
        let args = ["convert", "-", "--to", "mbt", "--frame-rows", rows];
        let frames = mbt(&args, &stream(&batches, None));
        let out = mbt(&["convert", "-", "--to", "arrow"], &frames);
        let back = read_stream(&out);
        assert_eq!(back[0].schema(), batches[0].schema());
        let print = |input: &[u8]| text(&["convert", "-", "--to", "ndjson"], input);
        assert_eq!(print(&out), print(&stream(&batches, None)));
    }
}

/// A batch whose dictionary of 100 words has keys of 8 bits; also within a list.
fn narrow(words: impl Fn(usize) -> String) -> RecordBatch {
    let column: DictionaryArray<Int8Type> = (0..200)
        .map(|row| (row % 7 != 0).then(|| words(row % 100)))
        .collect::<Vec<_>>()
        .iter()
        .map(Option::as_deref)
        .collect();
    let column: ArrayRef = Arc::new(column);
    let item = Arc::new(Field::new("item", column.data_type().clone(), true));
    let lists = FixedSizeListArray::new(item, 2, Arc::clone(&column), None);
    let lists: ArrayRef = Arc::new(lists);
    RecordBatch::try_from_iter_with_nullable([
        ("word", column.slice(0, 100), true),
        ("pair", lists, true),
    ])
    .unwrap()
}

#[test]
fn dictionaries_of_few_bits_are_merged_or_end_the_frame() {
    let shifted = |by: usize| narrow(move |row| format!("word {}", (row + by) % 100));
    let same: Vec<_> = (0..5).map(|by| shifted(by * 30)).collect();
    let others: Vec<_> = (0..5)
        .map(|batch| narrow(move |row| format!("word {row} of {batch}")))
        .collect();
    for (batches, frames) in [(same, 1), (others, 5)] {
        let input = stream(&batches, None);
        for rows in [&[][..], &["--frame-rows", "100000"]] {
            let args = [&["convert", "-", "--to", "mbt"], rows].concat();
            let mbt_file = mbt(&args, &input);
            let report = text(&["inspect", "--json", "-"], &mbt_file);
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            assert_eq!(report["files"][0]["frames"], frames);
            let print = |input: &[u8]| text(&["convert", "-", "--to", "ndjson"], input);
            assert_eq!(print(&mbt_file), print(&input));
            let back = read_stream(&mbt(&["convert", "-", "--to", "arrow"], &mbt_file));
            assert_eq!(back[0].schema(), batches[0].schema());
            // In Parquet, keys are widened if one dictionary would not have room for all.
            let parquet = mbt(&["convert", "-", "--to", "parquet"], &mbt_file);
            assert_eq!(print(&parquet), print(&input));
            let back = mbt(&["convert", "-", "--to", "arrow"], &parquet);
            let key_type = |schema: &Schema| match schema.field(0).data_type() {
                DataType::Dictionary(keys, _) => keys.as_ref().clone(),
                other => panic!("{other}"),
            };
            let expected = [DataType::Int32, DataType::Int8][usize::from(frames == 1)].clone();
            assert_eq!(key_type(&read_stream(&back)[0].schema()), expected);
        }
    }
}

#[test]
fn filtered_rows_share_a_frame_only_if_their_dictionaries_fit() {
    let batches: Vec<_> = (0..5)
        .map(|batch| narrow(move |row| format!("word {row} of {batch}")))
        .collect();
    let input = stream(&batches, None);
    let frames = mbt(&["convert", "-", "--to", "mbt"], &input);
    let dir = tempfile::tempdir().unwrap();
    let paths = [(0, &input), (1, &input), (2, &frames)].map(|(number, bytes)| {
        let path = dir.path().join(number.to_string());
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let [first, second, frames] = &paths;
    let condition = ["--where", "word <> 'word 1 of 0'"];
    for inputs in [&[first][..], &[frames], &[first, second]] {
        let inputs: Vec<&str> = inputs.iter().map(|path| path.as_str()).collect();
        for rows in [&[][..], &["--frame-rows", "300"], &["--rows", "3.."]] {
            for condition in [&[][..], &condition] {
                let args = [&["convert"], &inputs[..], condition, rows].concat();
                let expected = text(&[&args[..], &["--to", "ndjson"]].concat(), b"");
                let filtered = mbt(&[&args[..], &["--to", "mbt"]].concat(), b"");
                let found = text(&["convert", "-", "--to", "ndjson"], &filtered);
                assert_eq!(found, expected, "{args:?}");
            }
        }
    }
}

#[test]
fn a_file_has_one_dictionary_that_grows_also_within_lists() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.arrow");
    let shown = path.to_str().unwrap();
    let shifted = |by: usize| narrow(move |row| format!("word {}", (row + by) % 100));
    let input = stream(&[shifted(0), shifted(30)], None);
    mbt(&["convert", "-", "-o", shown], &input);
    let print = |args: &[&str], input: &[u8]| text(args, input);
    let expected = print(&["convert", "-", "--to", "ndjson"], &input);
    assert_eq!(print(&["convert", shown, "--to", "ndjson"], b""), expected);
}

#[test]
fn a_file_has_one_dictionary_that_grows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.arrow");
    let shown = path.to_str().unwrap();
    let input = stream(&batches(), None);
    mbt(&["convert", "-", "-o", shown], &input);
    let bytes = std::fs::read(&path).unwrap();
    let reader = FileReader::try_new(Cursor::new(&bytes), None).unwrap();
    assert_eq!(reader.num_batches(), 2);
    let print = |args: &[&str], input: &[u8]| text(args, input);
    let expected = print(&["convert", "-", "--to", "ndjson"], &input);
    assert_eq!(print(&["convert", shown, "--to", "ndjson"], b""), expected);
    // In a pipe the footer is skipped.
    assert_eq!(print(&["convert", "-", "--to", "ndjson"], &bytes), expected);
    let rows = words("convert - --to csv --rows 2..4 --columns word,number");
    assert_eq!(print(&rows, &bytes), "word,number\nb,2\nc,3\n");
}

#[test]
fn intervals_of_days_become_structs() {
    let spans = [Some((1, 2)), None, Some((-3, i32::MAX))];
    let spans = spans.map(|span| span.map(|(days, ms)| IntervalDayTimeType::make_value(days, ms)));
    let spans: ArrayRef = Arc::new(IntervalDayTimeArray::from(spans.to_vec()));
    let batch = RecordBatch::try_from_iter([("span", spans)]).unwrap();
    let rows = text(&["convert", "--to", "ndjson"], &stream(&[batch], None));
    let expected = [
        r#"{"span":{"days":1,"milliseconds":2}}"#,
        r#"{"span":null}"#,
        r#"{"span":{"days":-3,"milliseconds":2147483647}}"#,
    ];
    assert_eq!(rows.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn an_input_without_batches_keeps_its_columns() {
    let schema = Schema::new(vec![Field::new("a", DataType::Int64, true)]);
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).unwrap();
    writer.finish().unwrap();
    let empty = writer.into_inner().unwrap();
    assert_eq!(text(&["convert", "-", "--to", "csv"], &empty), "a\n");
    let frames = mbt(&["convert", "-", "--to", "mbt"], &empty);
    let out = mbt(&["convert", "-", "--to", "arrow"], &frames);
    let reader = StreamReader::try_new(&out[..], None).unwrap();
    assert_eq!(*reader.schema(), schema);
    assert_eq!(reader.count(), 0);
}

#[test]
fn streams_that_follow_one_another_are_one_input() {
    let one = stream(&batches(), None);
    let two = [&one[..], &one[..]].concat();
    let lines = |input: &[u8]| text(&["convert", "-", "--to", "ndjson"], input);
    assert_eq!(lines(&two), lines(&one).repeat(2));
    // A stream without an end mark is accepted, with a note.
    let open = &one[..one.len() - 8];
    assert_eq!(lines(open), lines(&one));
}

#[test]
fn large_batches_are_cut_and_small_ones_gathered() {
    let column = |rows: usize| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values((0..rows).map(|n| n as f64)))
    };
    let batch = |rows| RecordBatch::try_from_iter([("x", column(rows))]).unwrap();
    let small: Vec<_> = (0..50).map(|_| batch(10)).collect();
    let frames = |input: &[RecordBatch]| {
        let mbt_file = mbt(&["convert", "-", "--to", "mbt"], &stream(input, None));
        let report = text(&["inspect", "--json", "-"], &mbt_file);
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        report["files"][0]["frames"].clone()
    };
    assert_eq!(frames(&small), 1);
    assert_eq!(frames(&[batch(5_000_000)]), 3);
}

#[test]
fn types_without_a_place_are_named() {
    let values = arrow_array::Decimal256Array::from(vec![arrow_buffer::i256::ONE]);
    let values = values.with_precision_and_scale(39, 2).unwrap();
    let batch = RecordBatch::try_from_iter([("wide", Arc::new(values) as ArrayRef)]).unwrap();
    let input = stream(&[batch], None);
    assert_eq!(
        text(&["convert", "-", "--to", "csv"], &input),
        "wide\n0.01\n"
    );
    let said = try_mbt(&["convert", "-", "--to", "mbt"], &input).unwrap_err();
    assert!(
        said.contains("column \"wide\"") && said.contains("decimal(39,2)"),
        "{said}"
    );
}

#[test]
fn a_type_without_a_place_is_named_by_its_path() {
    use arrow_array::builder::{Decimal256Builder, MapBuilder, StringBuilder};
    let wide = |rows: &[Option<i8>]| -> ArrayRef {
        let values = rows.iter().map(|row| row.map(arrow_buffer::i256::from));
        let values: arrow_array::Decimal256Array = values.collect();
        Arc::new(values.with_precision_and_scale(39, 2).unwrap())
    };
    let field =
        |name: &str, of: &ArrayRef| Arc::new(Field::new(name, of.data_type().clone(), true));
    let member = |name: &str, of: ArrayRef| -> ArrayRef {
        Arc::new(StructArray::from(vec![(field(name, &of), of)]))
    };
    let list = |items: ArrayRef| -> ArrayRef {
        let ends = arrow_buffer::OffsetBuffer::from_lengths([items.len()]);
        let item = field("item", &items);
        Arc::new(ListArray::new(item, ends, items, None))
    };
    let values = Decimal256Builder::new()
        .with_precision_and_scale(39, 2)
        .unwrap();
    let mut map = MapBuilder::new(None, StringBuilder::new(), values);
    map.keys().append_value("k");
    map.values().append_value(arrow_buffer::i256::ONE);
    map.append(true).unwrap();
    for (column, path) in [
        (member("cents", wide(&[Some(1)])), "order.cents"),
        (member("cents", wide(&[None])), "order.cents"),
        (member("a", member("b", wide(&[Some(1)]))), "order.a.b"),
        (list(wide(&[Some(1), None])), "order[]"),
        (list(member("cents", wide(&[Some(1)]))), "order[].cents"),
        (member("all", list(wide(&[Some(1)]))), "order.all[]"),
        (Arc::new(map.finish()), "order{}.value"),
    ] {
        let batch = RecordBatch::try_from_iter([("order", column)]).unwrap();
        let input = stream(&[batch], None);
        let said = try_mbt(&["convert", "-", "--to", "mbt"], &input).unwrap_err();
        assert!(said.contains(&format!("column {path:?}")), "{path}: {said}");
    }
}

/// Arrow permits two fields of one name in a struct; the keys of a JSON object must differ.
#[test]
fn repeated_names_in_structs_are_numbered_in_json() {
    let array = |value: i64| -> ArrayRef { Arc::new(Int64Array::from(vec![value])) };
    let object = |members: Vec<(&str, ArrayRef)>| -> ArrayRef {
        let members = members.into_iter();
        let (fields, arrays): (Vec<_>, Vec<_>) = members
            .map(|(name, array)| (Field::new(name, array.data_type().clone(), true), array))
            .unzip();
        Arc::new(StructArray::new(fields.into(), arrays, None))
    };
    let three = || object(vec![("a", array(1)), ("a", array(2)), ("a_2", array(3))]);
    let item = Arc::new(Field::new("item", three().data_type().clone(), true));
    let ends = arrow_buffer::OffsetBuffer::from_lengths([1]);
    let list: ArrayRef = Arc::new(ListArray::new(item, ends, three(), None));
    let inner = object(vec![("b", list), ("b", array(4)), ("c", three())]);
    let batch = RecordBatch::try_from_iter([("s", three()), ("t", inner)]).unwrap();
    let input = stream(&[batch], None);
    let three = r#"{"a":1,"a_3":2,"a_2":3}"#;
    let rows = format!("{{\"s\":{three},\"t\":{{\"b\":[{three}],\"b_2\":4,\"c\":{three}}}}}\n");
    let frames = mbt(&["convert", "-", "--to", "mbt"], &input);
    for source in [&input, &frames] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(source).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_mbt"))
            .args(["convert", "--to", "ndjson"])
            .arg(file.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), rows);
        let note = "note: 4 columns renamed, because the output cannot hold the name: \"s.a\" is \"s.a_3\", \
                    \"t.b\" is \"t.b_2\", \"t.b[].a\" is \"t.b[].a_3\", and 1 more\n";
        assert_eq!(String::from_utf8(output.stderr).unwrap(), note);
        assert!(text(&["convert", "-", "--to", "csv"], source).contains("a_3"));
    }
    // Frames keep the names.
    let arrow = mbt(&["convert", "-", "--to", "arrow"], &frames);
    let schema = StreamReader::try_new(&arrow[..], None).unwrap().schema();
    let DataType::Struct(fields) = schema.field(0).data_type() else {
        panic!("{schema}");
    };
    assert!(
        fields
            .iter()
            .map(|field| field.name())
            .eq(["a", "a", "a_2"])
    );
}
