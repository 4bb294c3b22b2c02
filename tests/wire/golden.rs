//! Files that were written once and are read for ever: `fixtures/v2`, see the README there.
//!
//! What is expected lies beside each file. It speaks in the terms of man/mbt-format.5, not of Arrow,
//! so that it does not change with Arrow's names.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};
use mbt::columns::statistics::MinMax;
use mbt::varint;
use mbt::wire::choose::Preset;
use mbt::wire::encodings::Node;
use mbt::wire::v2::{
    ColumnTree, Decoder, Encoder, Envelope, EnvelopeHead, Options, Payload, SectionFormat,
    SectionInfo,
};
use serde_json::{Value, json};

use crate::{sample_batches, sample_runs};

/// Every encoding of revision 0, as reports call them.
const ENCODINGS: [&str; 21] = [
    "constant",
    "sequence",
    "bit-packed",
    "byte-planes",
    "delta",
    "run-length",
    "dictionary",
    "sparse",
    "pco",
    "interleaved",
    "plain",
    "float-planes",
    "decimal",
    "bits",
    "near-decimal",
    "bytes",
    "fsst",
    "template",
    "hex",
    "patched",
    "ppmd",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v2")
}

/// The type in the format's numbers, with its parameters and children.
fn type_json(data_type: &DataType) -> Value {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    };
    match data_type {
        DataType::Null => json!([0]),
        DataType::Boolean => json!([1]),
        DataType::Int8 => json!([2]),
        DataType::Int16 => json!([3]),
        DataType::Int32 => json!([4]),
        DataType::Int64 => json!([5]),
        DataType::UInt8 => json!([6]),
        DataType::UInt16 => json!([7]),
        DataType::UInt32 => json!([8]),
        DataType::UInt64 => json!([9]),
        DataType::Float16 => json!([10]),
        DataType::Float32 => json!([11]),
        DataType::Float64 => json!([12]),
        DataType::Decimal32(precision, scale) => json!([13, precision, scale]),
        DataType::Decimal64(precision, scale) => json!([14, precision, scale]),
        DataType::Decimal128(precision, scale) => json!([15, precision, scale]),
        DataType::Date32 => json!([16]),
        DataType::Date64 => json!([17]),
        DataType::Time32(of) => json!([18, unit(of)]),
        DataType::Time64(of) => json!([19, unit(of)]),
        DataType::Timestamp(of, None) => json!([20, unit(of)]),
        DataType::Timestamp(of, Some(zone)) => json!([21, unit(of), &**zone]),
        DataType::Duration(of) => json!([22, unit(of)]),
        DataType::Interval(IntervalUnit::YearMonth) => json!([23]),
        DataType::Utf8 => json!([32]),
        DataType::LargeUtf8 => json!([33]),
        DataType::Utf8View => json!([34]),
        DataType::Binary => json!([35]),
        DataType::LargeBinary => json!([36]),
        DataType::BinaryView => json!([37]),
        DataType::FixedSizeBinary(len) => json!([38, len]),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| field_json(field));
            json!([48, fields.collect::<Vec<_>>()])
        }
        DataType::List(item) => json!([49, field_json(item)]),
        DataType::LargeList(item) => json!([50, field_json(item)]),
        DataType::FixedSizeList(item, len) => json!([51, len, field_json(item)]),
        DataType::Map(entries, sorted) => json!([52, u8::from(*sorted), field_json(entries)]),
        DataType::Dictionary(keys, values) => json!([53, type_json(keys), type_json(values)]),
        other => panic!("wire 2 has no type {other}"),
    }
}

fn field_json(field: &Field) -> Value {
    let mut metadata: Vec<_> = field.metadata().iter().collect();
    metadata.sort();
    json!({
        "name": field.name(),
        "type": type_json(field.data_type()),
        "nullable": field.is_nullable(),
        "metadata": metadata,
    })
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().concat()
}

/// Values as they are stored: numbers, bits of floats and mantissas as decimal digits, bytes as hex,
/// structs and entries as lists of their fields.
fn values_json(array: &dyn Array) -> Vec<Value> {
    let nested = |values: &ArrayRef| Value::from(values_json(values));
    let nulls = array.logical_nulls();
    let value = |row: usize| -> Value {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Value::Null;
        }
        match array.data_type() {
            DataType::Boolean => json!(array.as_boolean().value(row)),
            DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => json!(array.as_string::<i64>().value(row)),
            DataType::Utf8View => json!(array.as_string_view().value(row)),
            DataType::Binary => json!(hex(array.as_binary::<i32>().value(row))),
            DataType::LargeBinary => json!(hex(array.as_binary::<i64>().value(row))),
            DataType::BinaryView => json!(hex(array.as_binary_view().value(row))),
            DataType::FixedSizeBinary(_) => json!(hex(array.as_fixed_size_binary().value(row))),
            DataType::Struct(_) => {
                let columns = array.as_struct().columns().iter();
                let fields = columns.map(|column| values_json(&column.slice(row, 1)).remove(0));
                Value::from(fields.collect::<Vec<_>>())
            }
            DataType::List(_) => nested(&array.as_list::<i32>().value(row)),
            DataType::LargeList(_) => nested(&array.as_list::<i64>().value(row)),
            DataType::FixedSizeList(..) => nested(&array.as_fixed_size_list().value(row)),
            DataType::Map(..) => Value::from(values_json(&array.as_map().value(row))),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let place = dictionary.normalized_keys()[row];
                values_json(&dictionary.values().slice(place, 1)).remove(0)
            }
            // All others are numbers of fixed width.
            _ => {
                let data = array.to_data();
                let width = array.data_type().primitive_width().unwrap();
                let from = (data.offset() + row) * width;
                let bytes = &data.buffers()[0][from..from + width];
                let unsigned =
                    array.data_type().is_unsigned_integer() || array.data_type().is_floating();
                let sign = if bytes[width - 1] > 127 && !unsigned {
                    255
                } else {
                    0
                };
                let mut wide = [sign; 16];
                wide[..width].copy_from_slice(bytes);
                json!(i128::from_le_bytes(wide).to_string())
            }
        }
    };
    (0..array.len()).map(value).collect()
}

fn statistics_json(statistics: &MinMax) -> Value {
    match statistics {
        MinMax::Ints(least, greatest) => json!([least.to_string(), greatest.to_string()]),
        MinMax::Floats(least, greatest) => {
            json!([least.to_bits().to_string(), greatest.to_bits().to_string()])
        }
        MinMax::Strings {
            least,
            greatest,
            cut,
        } => json!([hex(least), hex(greatest), cut]),
    }
}

/// Adds the names of the encodings of a column and all below it, and the numbers of its types.
fn collect(column: &ColumnTree, encodings: &mut BTreeSet<&'static str>, types: &mut BTreeSet<u64>) {
    fn of_run(node: &Node, encodings: &mut BTreeSet<&'static str>) {
        encodings.insert(node.encoding.name());
        for child in &node.children {
            of_run(child, encodings);
        }
    }
    types.extend(type_json(column.field.data_type())[0].as_u64());
    let mut runs: Vec<&Node> = column.validity.iter().collect();
    match &column.payload {
        Payload::Nothing => {}
        Payload::Run(node) => runs.push(node),
        Payload::Wide { low, high } => runs.extend([low, high]),
        Payload::Struct(columns) => {
            for column in columns {
                collect(column, encodings, types);
            }
        }
        Payload::List {
            lengths: run,
            items: values,
        }
        | Payload::Dictionary { keys: run, values } => {
            runs.extend(run);
            collect(values, encodings, types);
        }
    }
    for run in runs {
        of_run(run, encodings);
    }
}

/// All that the frames of a file say.
fn content(
    bytes: &[u8],
    encodings: &mut BTreeSet<&'static str>,
    types: &mut BTreeSet<u64>,
) -> Value {
    let mut frames = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let envelope = Envelope::read(rest, 1 << 20).unwrap();
        let batch = Decoder::new(1 << 20)
            .decode(rest, &envelope, |_, _| true)
            .unwrap();
        let mut columns = Vec::new();
        for ((column, _), array) in envelope.columns().unwrap().iter().zip(batch.columns()) {
            collect(column, encodings, types);
            let mut description = field_json(&column.field);
            description["statistics"] = column.statistics.as_ref().map(statistics_json).into();
            description["values"] = values_json(array).into();
            columns.push(description);
        }
        let mut metadata: Vec<_> = envelope.metadata.iter().collect();
        metadata.sort();
        frames.push(json!({"rows": envelope.rows, "metadata": metadata, "columns": columns}));
        rest = &rest[envelope.len..];
    }
    json!(frames)
}

fn golden_files() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "mbt"))
        .collect();
    files.sort();
    files
}

#[test]
fn what_was_written_once_reads_as_it_did() {
    let (mut encodings, mut types) = (BTreeSet::new(), BTreeSet::new());
    for path in golden_files() {
        let expected = fs::read(path.with_extension("json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let found = content(&fs::read(&path).unwrap(), &mut encodings, &mut types);
        for (frame, expected) in found
            .as_array()
            .unwrap()
            .iter()
            .zip(expected.as_array().unwrap())
        {
            let columns = frame["columns"].as_array().unwrap().iter();
            for (column, expected) in columns.zip(expected["columns"].as_array().unwrap()) {
                assert_eq!(column, expected, "{}", path.display());
            }
        }
        assert_eq!(found, expected, "{}", path.display());
    }
    for encoding in ENCODINGS {
        assert!(
            encodings.contains(encoding),
            "no golden file has {encoding}"
        );
    }
    let known = (0..=23).chain(32..=38).chain(48..=53);
    let missing: Vec<_> = known.filter(|number| !types.contains(number)).collect();
    assert!(
        missing.is_empty(),
        "no golden file has the types {missing:?}"
    );
}

#[test]
fn columns_of_every_kind_are_grouped_in_a_golden_file() {
    let bytes = fs::read(folder().join("r1-grouped.mbt")).unwrap();
    let columns = Envelope::read(&bytes, 1 << 20).unwrap().columns().unwrap();
    let keys = columns.iter().map(|(column, _)| column.key);
    // Ints, floats of two kinds, strings and decimals of 128 bits by a key with nulls, and strings by
    // strings.
    let (station, town) = (Some(1), Some(7));
    let by_station = [station, None, station, station, station, station];
    let keys: Vec<_> = keys.collect();
    assert_eq!(keys, [&by_station[..], &[None, None, town, None]].concat());
}

/// An envelope of hand-built runs. Its sections have every codec in turn, one per buffer.
fn envelope_of(runs: Vec<sample_runs::Run>) -> Vec<u8> {
    let rows = runs[0].2.len;
    let mut described = Vec::new();
    let mut sections = Vec::new();
    let mut body = Vec::new();
    varint::push(runs.len() as u64, &mut described);
    for (name, data_type, node) in runs {
        assert_eq!(node.len, rows, "{name}");
        let column = ColumnTree {
            field: Field::new(name, data_type, false),
            rows,
            validity: None,
            valid: rows,
            statistics: None,
            key: None,
            payload: Payload::Run(node),
        };
        let mut place = |node: &Node, out: &mut Vec<u8>| {
            varint::push(node.buffer.len() as u64, out);
            if node.buffer.is_empty() {
                return;
            }
            varint::push(sections.len() as u64, out);
            let (format, stored) = match sections.len() % 3 {
                0 => (SectionFormat::Plain, node.buffer.to_vec()),
                1 => (SectionFormat::Lz4, lz4_flex::block::compress(&node.buffer)),
                _ => {
                    let stored = zstd::bulk::compress(&node.buffer, 3).unwrap();
                    (SectionFormat::Zstd, stored)
                }
            };
            sections.push(SectionInfo {
                format,
                plain_len: node.buffer.len(),
                stored_len: stored.len(),
                crc32: crc32fast::hash(&stored),
            });
            body.extend(stored);
        };
        column.write(&mut described, &mut place).unwrap();
    }
    let mut header = Vec::new();
    varint::push(rows as u64, &mut header);
    varint::push(0, &mut header);
    varint::push(sections.len() as u64, &mut header);
    for section in sections {
        section.write(&mut header);
    }
    header.extend(described);
    let head = EnvelopeHead::write(0, &header, body.len() as u64).unwrap();
    [&head[..], &header, &body].concat()
}

fn envelope_by_choice(batch: &RecordBatch, preset: Preset) -> Vec<u8> {
    let encoder = Encoder::new(Options::of(preset));
    let schema = batch.schema();
    let fields = schema.fields().iter().cloned();
    let arrays = batch.columns().iter().map(|array| vec![array.clone()]);
    let columns = encoder.columns(fields.zip(arrays)).unwrap();
    let mut out = Vec::new();
    encoder
        .envelope(batch.num_rows(), schema.metadata(), columns, &mut out)
        .unwrap();
    // What is expected must be what went in.
    let content = content(&out, &mut BTreeSet::new(), &mut BTreeSet::new());
    for (at, array) in batch.columns().iter().enumerate() {
        let found = &content[0]["columns"][at]["values"];
        assert_eq!(*found, Value::from(values_json(array)));
    }
    out
}

/// Leaves files alone that are there: what was released is never rewritten.
#[test]
#[ignore = "writes what is missing in fixtures/v2, for a new revision of the format"]
fn write_golden() {
    let no_columns = sample_batches::leaves(5).project(&[]).unwrap();
    let files = [
        ("r0-whole", envelope_of(sample_runs::whole())),
        ("r0-floats", envelope_of(sample_runs::floats())),
        ("r0-strings", envelope_of(sample_runs::strings())),
        (
            "r0-types-fast",
            envelope_by_choice(&sample_batches::leaves(13), Preset::Fast),
        ),
        (
            "r0-types-balanced",
            envelope_by_choice(&sample_batches::leaves(40), Preset::Balanced),
        ),
        (
            "r0-types-small",
            envelope_by_choice(&sample_batches::leaves(40), Preset::Small),
        ),
        (
            "r0-interval",
            envelope_by_choice(&sample_batches::interval(), Preset::Balanced),
        ),
        (
            "r0-nested-fast",
            envelope_by_choice(&sample_batches::nested(12), Preset::Fast),
        ),
        (
            "r0-nested-small",
            envelope_by_choice(&sample_batches::nested(60), Preset::Small),
        ),
        (
            "r0-empty",
            [
                envelope_by_choice(&sample_batches::leaves(0), Preset::Balanced),
                envelope_by_choice(&sample_batches::nested(0), Preset::Balanced),
                envelope_by_choice(&no_columns, Preset::Balanced),
            ]
            .concat(),
        ),
        (
            "r1-grouped",
            envelope_by_choice(&sample_batches::grouped(240), Preset::Small),
        ),
    ];
    for (name, bytes) in files {
        let path = folder().join(format!("{name}.mbt"));
        if path.exists() {
            continue;
        }
        let expected = content(&bytes, &mut BTreeSet::new(), &mut BTreeSet::new());
        let lines = expected.as_array().unwrap().iter().map(|frame| {
            // A line per column: short enough to look at, and to compare.
            let columns = frame["columns"].as_array().unwrap().iter();
            let columns: Vec<_> = columns.map(ToString::to_string).collect();
            let (rows, metadata) = (&frame["rows"], &frame["metadata"]);
            format!(
                "{{\"rows\":{rows},\"metadata\":{metadata},\"columns\":[\n{}\n]}}",
                columns.join(",\n")
            )
        });
        let expected = format!("[{}]\n", lines.collect::<Vec<_>>().join(",\n"));
        for (path, bytes) in [
            (path.with_extension("json"), expected.as_bytes()),
            (path, &bytes[..]),
        ] {
            let file = File::create_new(&path);
            let mut file = file.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            file.write_all(bytes).unwrap();
        }
    }
}
