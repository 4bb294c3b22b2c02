//! Files that were written once and must be readable forever: `fixtures/v2`, see the README there.
//!
//! The expected contents are next to each file. They use the terms of man/mbt-format.5, not those of Arrow,
//! so that they stay valid if Arrow renames something.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};
use mbt::columns::statistics::MinMax;
use mbt::stream::{Entry, FramePlace, Index};
use mbt::wire::choose::Preset;
use mbt::wire::encodings::pco::Pco;
use mbt::wire::encodings::ppmd::Ppmd;
use mbt::wire::encodings::{Node, ValueKind, bits};
use mbt::wire::v2::{ColumnTree, Decoder, EncodeOptions, Encoder, Envelope};
use serde_json::{Value, json};

use crate::command::words;
use crate::hand_made::{HandMade, SEGMENT};
use crate::{sample_batches, sample_runs};

/// Every encoding of drafts, as reports call them; the final format has two fewer.
const ENCODINGS: &str = "constant sequence bit-packed byte-planes delta run-length dictionary sparse pco interleaved multiple \
    plain float-planes decimal bits near-decimal scientific bytes fsst template hex patched ppmd numerals bit-fields";

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
        MinMax::Wide(least, greatest) => json!([least.to_string(), greatest.to_string()]),
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
    let runs = column.validity.iter().chain(&column.runs);
    runs.for_each(|run| of_run(run, encodings));
    let children = column.children.iter();
    children.for_each(|child| collect(child, encodings, types));
}

/// Everything that the frames of a file contain.
fn content(
    bytes: &[u8],
    encodings: &mut BTreeSet<&'static str>,
    types: &mut BTreeSet<u64>,
) -> Value {
    let mut frames = Vec::new();
    let mut rest = bytes;
    while rest.starts_with(b"MATHLDBT") {
        let envelope = Envelope::read(rest, 1 << 20).unwrap();
        let batch = Decoder::new(1 << 20)
            .decode(rest, &envelope, |_, _| true)
            .unwrap();
        let mut columns = Vec::new();
        let trees = envelope.columns().unwrap();
        for (column, array) in trees.iter().zip(batch.columns()) {
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

/// Every encoding of the final format is in a golden file of it.
#[test]
fn golden_files_of_the_final_format_have_all_of_it() {
    let (mut encodings, mut types) = (BTreeSet::new(), BTreeSet::new());
    let is_final = |path: &PathBuf| {
        path.file_name()
            .unwrap()
            .as_encoded_bytes()
            .starts_with(b"r2")
    };
    for path in golden_files().into_iter().filter(is_final) {
        content(&fs::read(&path).unwrap(), &mut encodings, &mut types);
    }
    let all = words(ENCODINGS)
        .into_iter()
        .filter(|name| !["plain", "float-planes"].contains(name));
    assert!(
        encodings.iter().copied().eq(all.collect::<BTreeSet<_>>()),
        "{encodings:?}"
    );
    assert!(types.into_iter().eq((0..=23).chain(32..=38).chain(48..=53)));
}

/// The bytes given in hex below the line of the format's manual page that begins with `begin`.
fn vector(begin: &str) -> Vec<u8> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("man/mbt-format.5");
    let page = fs::read_to_string(page).unwrap();
    let (_, vectors) = page.split_once(".SH TEST VECTORS").unwrap();
    let lines = vectors.lines().skip_while(|line| !line.starts_with(begin));
    let lines = lines.skip_while(|line| !line.starts_with("    "));
    let digits: String = lines
        .take_while(|line| line.starts_with("    "))
        .map(str::trim)
        .collect();
    let digits = digits.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

#[test]
fn test_vectors_of_the_page_decode() {
    let ppmd = Ppmd {
        order: 6,
        memory: 16,
        end: b'\n',
        plain_len: 46,
    };
    let node = Node::of_bytes(ppmd, 2, vector("ppmd"));
    // The model takes another 64 KiB.
    let texts = node.strings((64 << 10) + 1000).unwrap();
    let expected = [&b"the cat sat on the mat"[..], b"the dog sat on the log"];
    assert!(texts.iter().eq(expected));
    let node = Node::of_bytes(Pco, 6, vector("pco, integers"));
    assert_eq!(node.ints().unwrap(), [1, 2, 3, 4, 5, 1000]);
    let node = Node::of_bytes(Pco, 5, vector("pco, floats"));
    let floats = [0.5, 1.5, 2.5, -0.0, 100.25].map(bits::of);
    assert_eq!(node.numbers(ValueKind::Floats).unwrap(), floats);
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
    for encoding in words(ENCODINGS) {
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
    for name in ["r1-grouped.mbt", "r2-grouped.mbt"] {
        let bytes = fs::read(folder().join(name)).unwrap();
        let envelope = Envelope::read(&bytes, 1 << 20).unwrap();
        let columns = envelope.columns().unwrap().iter();
        let keys: Vec<_> = columns.map(ColumnTree::key).collect();
        // Ints, floats of two kinds, strings and decimals of 128 bits by a key with nulls, and strings by
        // strings.
        let (station, town) = (Some(1), Some(7));
        let by_station = [station, None, station, station, station, station];
        assert_eq!(keys, [&by_station[..], &[None, None, town, None]].concat());
        // Drafts did not state their profile.
        assert_eq!(envelope.is_archive(), envelope.owners().is_some());
    }
}

#[test]
fn columns_of_every_kind_are_differences_in_a_golden_file() {
    let bytes = fs::read(folder().join("r2-differences.mbt")).unwrap();
    let envelope = Envelope::read(&bytes, 1 << 20).unwrap();
    let columns = envelope.columns().unwrap().iter();
    let references = columns.map(|column| {
        let reference = column.reference()?;
        Some((reference.column, reference.lag, reference.exponent))
    });
    // Integers with nulls from a grouped column, unsigned ones and mantissas one row later, and floats.
    let expected = [
        None,
        None,
        Some((1, 0, None)),
        None,
        Some((3, 1, None)),
        None,
        Some((5, 1, None)),
        None,
        Some((7, 0, Some(2))),
    ];
    assert!(references.eq(expected));
    assert_eq!(envelope.columns().unwrap()[1].key(), Some(0));
    assert!(envelope.is_archive());
    let leaves = envelope.leaves().unwrap();
    for (at, start) in [
        (2, "difference from level: "),
        (4, "difference from large one row before: "),
    ] {
        let encoding = leaves[at].encoding.as_ref().unwrap();
        assert!(encoding.starts_with(start), "{encoding}");
    }
}

#[test]
fn items_of_every_kind_are_by_position_in_a_golden_file() {
    let bytes = fs::read(folder().join("r2-positions.mbt")).unwrap();
    let envelope = Envelope::read(&bytes, 1 << 20).unwrap();
    let columns = envelope.columns().unwrap().iter();
    let positions: Vec<_> = columns.map(ColumnTree::positions).collect();
    assert_eq!(positions, [Some(3), Some(2), Some(4), Some(2)]);
    let leaves = envelope.leaves().unwrap();
    let paths: Vec<_> = leaves.iter().map(|leaf| &leaf.path[..]).collect();
    assert_eq!(
        paths[..4],
        ["numbers", "numbers[0]", "numbers[1]", "numbers[2]"]
    );
    assert_eq!(leaves[0].encoding.as_deref(), Some("3 positions"));
    assert_eq!(paths[paths.len() - 2..], ["lists[1]", "lists[1][]"]);
}

/// An envelope of hand-built runs. Its sections have every codec in turn, one per buffer.
fn envelope_of(runs: Vec<sample_runs::Run>) -> Vec<u8> {
    let mut frame = HandMade::new(runs[0].2.len);
    for (name, data_type, node) in runs {
        assert_eq!(node.len, frame.rows, "{name}");
        frame.run(&name, data_type, node);
    }
    frame.flags |= SEGMENT;
    frame.bytes()
}

/// The frames, and the end that they promise.
fn with_end(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut index = Index::default();
    for frame in frames {
        let envelope = Envelope::read(frame, 1 << 20).unwrap();
        let (place, columns) = FramePlace::of(&envelope).unwrap();
        let stored = std::iter::once(&frame[..]);
        let entry = Entry::new(stored, envelope.plain_len() as usize, envelope.rows);
        index.push(Entry { place, ..entry }, columns);
    }
    [frames.concat(), index.write().unwrap()].concat()
}

fn envelope_by_choice(batch: &RecordBatch, preset: Preset) -> Vec<u8> {
    let encoder = Encoder::new(EncodeOptions::of(preset)).in_segment();
    let schema = batch.schema();
    let fields = schema.fields().iter().cloned();
    let arrays = batch.columns().iter().map(|array| vec![array.clone()]);
    let columns = encoder.columns(fields.zip(arrays)).unwrap();
    let mut out = Vec::new();
    encoder
        .envelope(batch.num_rows(), schema.metadata(), columns, None, &mut out)
        .unwrap();
    // The expected contents must equal the input.
    let content = content(&out, &mut BTreeSet::new(), &mut BTreeSet::new());
    for (at, array) in batch.columns().iter().enumerate() {
        let found = &content[0]["columns"][at]["values"];
        assert_eq!(*found, Value::from(values_json(array)));
    }
    out
}

/// Keeps existing files: released files are never rewritten.
#[test]
#[ignore = "writes what is missing in fixtures/v2, for a new revision of the format"]
fn write_golden() {
    let no_columns = sample_batches::leaves(5).project(&[]).unwrap();
    let by_choice = |batch: &RecordBatch, preset| vec![envelope_by_choice(batch, preset)];
    let leaves = |rows, preset| by_choice(&sample_batches::leaves(rows), preset);
    let nested = |rows, preset| by_choice(&sample_batches::nested(rows), preset);
    let interval = sample_batches::interval();
    let grouped = sample_batches::grouped(240);
    let differences = sample_batches::differences(520);
    let positions = sample_batches::positions(300);
    let empty = [
        leaves(0, Preset::Balanced),
        nested(0, Preset::Balanced),
        by_choice(&no_columns, Preset::Balanced),
    ];
    let several = [
        leaves(20, Preset::Fast),
        leaves(60, Preset::Balanced),
        leaves(30, Preset::Balanced),
    ];
    let files = [
        ("r2-whole", vec![envelope_of(sample_runs::whole())]),
        ("r2-floats", vec![envelope_of(sample_runs::floats())]),
        (
            "r2-scientific",
            vec![envelope_of(sample_runs::scientific())],
        ),
        ("r2-multiple", vec![envelope_of(sample_runs::multiple())]),
        ("r2-numerals", vec![envelope_of(sample_runs::numerals())]),
        (
            "r2-bit-fields",
            vec![envelope_of(sample_runs::bit_fields())],
        ),
        ("r2-strings", vec![envelope_of(sample_runs::strings())]),
        ("r2-types-fast", leaves(13, Preset::Fast)),
        ("r2-types-balanced", leaves(40, Preset::Balanced)),
        ("r2-types-small", leaves(40, Preset::Small)),
        ("r2-interval", by_choice(&interval, Preset::Balanced)),
        ("r2-nested-fast", nested(12, Preset::Fast)),
        ("r2-nested-small", nested(60, Preset::Small)),
        ("r2-empty", empty.concat()),
        ("r2-grouped", by_choice(&grouped, Preset::Small)),
        ("r2-differences", by_choice(&differences, Preset::Balanced)),
        ("r2-positions", by_choice(&positions, Preset::Balanced)),
        ("r2-frames", several.concat()),
    ];
    for (name, frames) in files {
        let bytes = with_end(&frames);
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
