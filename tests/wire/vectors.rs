//! The crate, compared with the format's test files: output of the reference encoder, and what its decoder
//! accepts and refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, Float32Array, Float64Array,
    Int16Array, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    UInt8Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use mbt::error::Kind;
use mbt::schema::Type;
use mbt::wire::Scan;
use mbt::wire::v1::{Decoder, EncodeOptions, Encoder, Walker};
use serde_json::Value;

use crate::naive::{self, Slots};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/v1")
        .join(name)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// All good cases: name, sidecar, and the expected file.
fn good() -> Vec<(String, Value, Vec<u8>)> {
    let mut cases: Vec<_> = fs::read_dir(folder("good"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| {
            let sidecar = json(&path);
            let std_file = sidecar["negative_delta"]["std_file"].as_str();
            let file = std_file.unwrap_or_else(|| sidecar["file"].as_str().unwrap());
            let bytes = fs::read(folder("good").join(file)).unwrap();
            (sidecar["case"].as_str().unwrap().to_owned(), sidecar, bytes)
        })
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(cases.len() >= 18, "test files are missing");
    cases
}

fn hex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap();
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

fn slots_of(slots: &Value) -> (Vec<u8>, Slots) {
    let physical = if slots["fixed_le"].is_string() {
        Slots::Fixed(hex(&slots["fixed_le"]))
    } else {
        let offsets = slots["offsets"].as_array().unwrap();
        let offsets = offsets
            .iter()
            .map(|offset| offset.as_u64().unwrap() as u32)
            .collect();
        Slots::Spans(offsets, hex(&slots["data"]))
    };
    (hex(&slots["validity"]), physical)
}

/// The bitmap as Arrow would hold it; all test files but one have no padding bits set.
fn nulls(validity: &[u8], rows: usize) -> Option<NullBuffer> {
    let bits = BooleanBuffer::new(Buffer::from(validity), 0, rows);
    Some(NullBuffer::new(bits)).filter(|nulls| nulls.null_count() > 0)
}

fn scalars<T: arrow_buffer::ArrowNativeType>(bytes: &[u8]) -> ScalarBuffer<T> {
    ScalarBuffer::from(Buffer::from(bytes))
}

fn column(described: &Value, rows: usize) -> (Field, ArrayRef) {
    let name = described["name"].as_str().unwrap_or("");
    let ty = Type::ALL[described["type_id"].as_u64().unwrap() as usize - 1];
    let (validity, slots) = slots_of(&described["slots"]);
    let nulls = nulls(&validity, rows);
    let array: ArrayRef = match (ty, &slots) {
        (Type::Bool, Slots::Fixed(b)) if b.iter().all(|b| *b <= 1) => {
            let bits: BooleanBuffer = b.iter().map(|b| *b == 1).collect();
            Arc::new(BooleanArray::new(bits, nulls))
        }
        (Type::Bool, Slots::Fixed(b)) => Arc::new(UInt8Array::new(scalars(b), nulls)),
        (Type::I16, Slots::Fixed(b)) => Arc::new(Int16Array::new(scalars(b), nulls)),
        (Type::I32, Slots::Fixed(b)) => Arc::new(Int32Array::new(scalars(b), nulls)),
        (Type::I64, Slots::Fixed(b)) => Arc::new(Int64Array::new(scalars(b), nulls)),
        (Type::F32, Slots::Fixed(b)) => Arc::new(Float32Array::new(scalars(b), nulls)),
        (Type::F64, Slots::Fixed(b)) => Arc::new(Float64Array::new(scalars(b), nulls)),
        (Type::Uuid, Slots::Fixed(b)) => {
            Arc::new(FixedSizeBinaryArray::new(16, Buffer::from(&b[..]), nulls))
        }
        (Type::Timestamp, Slots::Fixed(b)) => {
            Arc::new(TimestampMicrosecondArray::new(scalars(b), nulls).with_timezone("UTC"))
        }
        (_, Slots::Spans(offsets, data)) => {
            let offsets = OffsetBuffer::from_lengths(
                offsets.windows(2).map(|pair| (pair[1] - pair[0]) as usize),
            );
            let data = Buffer::from(&data[..]);
            match StringArray::try_new(offsets.clone(), data.clone(), nulls.clone()) {
                Ok(text) if ty != Type::Bytes => Arc::new(text),
                _ => Arc::new(BinaryArray::new(offsets, data, nulls)),
            }
        }
        _ => unreachable!("{described}"),
    };
    let field = if ty.data_type() == *array.data_type() {
        ty.field(name)
    } else {
        ty.field_held_as(name, array.data_type().clone())
    };
    (field, array)
}

fn batch(columns: &Value, rows: usize) -> RecordBatch {
    let columns = columns.as_array().unwrap().iter();
    let (fields, arrays): (Vec<_>, Vec<_>) =
        columns.map(|described| column(described, rows)).unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

fn encode(options: EncodeOptions, batch: &RecordBatch) -> Vec<u8> {
    let mut out = b"before".to_vec();
    let batches = std::slice::from_ref(batch);
    Encoder::new(options)
        .encode(&batch.schema(), batches, &mut out)
        .unwrap();
    out.split_off(6)
}

fn options(sidecar: &Value) -> EncodeOptions {
    EncodeOptions {
        dict: sidecar["options"]["dict"].as_bool().unwrap(),
        delta: sidecar["options"]["delta"].as_bool().unwrap(),
    }
}

fn rows(sidecar: &Value) -> usize {
    sidecar["row_count"].as_u64().unwrap() as usize
}

/// The physical contents of the batch, by our own plain encoding and the other reader.
fn physical(batch: &RecordBatch) -> Vec<(String, Vec<u8>, Slots)> {
    let plain = encode(EncodeOptions::PLAIN, batch);
    let (_, columns, len) = naive::decode(&plain).unwrap();
    assert_eq!(len, plain.len());
    columns
        .into_iter()
        .map(|column| (column.name, column.validity, column.slots))
        .collect()
}

fn expected(columns: &Value) -> Vec<(String, Vec<u8>, Slots)> {
    let columns = columns.as_array().unwrap().iter();
    let expected = columns.map(|column| {
        let (validity, slots) = slots_of(&column["slots"]);
        (
            column["name"].as_str().unwrap_or("").to_owned(),
            validity,
            slots,
        )
    });
    expected.collect()
}

#[test]
fn the_encoder_writes_every_good_file_byte_for_byte() {
    for (case, sidecar, bytes) in good() {
        // One file is for decoders only, and Arrow cannot hold the padding bits of another.
        if case.starts_with("pg_be") || case.starts_with("verbatim") {
            continue;
        }
        let batch = batch(&sidecar["columns"], rows(&sidecar));
        assert!(encode(options(&sidecar), &batch) == bytes, "{case}");
    }
}

#[test]
fn the_decoder_reads_every_good_file_slot_for_slot() {
    for (case, sidecar, bytes) in good() {
        let decoded = Decoder::new(1 << 20).decode(&bytes).unwrap();
        assert_eq!(decoded.len, bytes.len(), "{case}");
        assert_eq!(decoded.batch.num_rows(), rows(&sidecar), "{case}");
        let described = sidecar
            .get("decoded_columns")
            .unwrap_or(&sidecar["columns"]);
        assert_eq!(physical(&decoded.batch), expected(described), "{case}");
        for (field, column) in decoded
            .batch
            .schema()
            .fields()
            .iter()
            .zip(sidecar["columns"].as_array().unwrap())
        {
            let ty = Type::of(field).unwrap();
            assert_eq!(Some(ty as u64 + 1), column["type_id"].as_u64(), "{case}");
        }
        if !case.starts_with("pg_be") && sidecar.get("decoded_columns").is_none() {
            assert!(encode(options(&sidecar), &decoded.batch) == bytes, "{case}");
        }
    }
}

#[test]
fn the_reference_files_with_wrong_deltas_decode_as_the_reference_decodes_them() {
    let sidecar = json(&folder("good").join("negdelta_single.json"));
    let bytes = fs::read(folder("good").join("negdelta_single.mathldbt")).unwrap();
    let batch = Decoder::new(1 << 20).decode(&bytes).unwrap().batch;
    let numbers = batch
        .column(0)
        .as_any()
        .downcast_ref::<Int64Array>()
        .unwrap();
    let told = sidecar["reference_file_decodes_to"][0].as_array().unwrap();
    let told: Vec<i64> = told
        .iter()
        .map(|n| n.as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(numbers.values(), &told[..]);
}

#[test]
fn every_bad_file_gets_the_reference_decoders_verdict() {
    let verdicts = json(&folder("bad").join("verdicts.json"));
    let mut seen = 0;
    for verdict in verdicts["files"].as_array().unwrap() {
        let Some(file) = verdict["file"].as_str() else {
            continue;
        };
        let bytes = fs::read(folder("bad").join(file)).unwrap();
        let result = Decoder::new(1 << 20).decode(&bytes);
        seen += 1;
        if verdict["verdict"] == "accept" {
            let decoded = result.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert_eq!(
                physical(&decoded.batch),
                expected(&verdict["columns"]),
                "{file}"
            );
            if naive::decode(&bytes).unwrap().1[0].encoding_id == 0
                && !file.starts_with("hdr_flags")
            {
                let again = encode(EncodeOptions::PLAIN, &decoded.batch);
                assert!(again == bytes[..decoded.len], "{file}");
            }
        } else {
            let error = result.map(|_| ()).unwrap_err();
            assert_eq!(error.kind(), Kind::Corrupt, "{file}");
            assert!(error.place().byte.is_some(), "{file}: {error}");
            assert!(error.what().contains("expected"), "{file}: {error}");
        }
    }
    assert!(seen >= 40, "test files are missing");
}

#[test]
fn errors_say_where_and_what() {
    let told = |file: &str| {
        let bytes = fs::read(folder("bad").join(file)).unwrap();
        Decoder::new(1 << 20)
            .decode(&bytes)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        told("hdr_version_0.bad"),
        "byte 8: expected MATHLDBT version 1, found 0"
    );
    assert_eq!(
        told("dict_index_out_of_range_width_4.bad"),
        "column \"x\": byte 38: row 0: expected an index below 2, found 4294967295"
    );
    assert_eq!(
        told("var_offsets_decreasing_and_final.bad"),
        "column \"x\": byte 46: row 1: expected offsets not to decrease, found 5 then 4"
    );
    assert_eq!(
        told("delta_varint_cut.bad"),
        "column \"x\": byte 46: expected the varint to end, found the payload's end after 1 bytes"
    );
}

#[test]
fn every_proper_prefix_of_every_good_file_is_refused() {
    for (case, _, bytes) in good() {
        let mut decoder = Decoder::new(1 << 20);
        for len in 0..bytes.len() {
            let error = decoder.decode(&bytes[..len]).unwrap_err();
            assert_eq!(error.kind(), Kind::Corrupt, "{case} cut at {len}");
        }
    }
}

#[test]
fn what_the_reference_encoder_refuses_is_refused() {
    // The other cases of encode_refusals.json cannot be expressed in Arrow, whose arrays know their length.
    let refuse = |schema: &Schema, batches: &[RecordBatch]| {
        let mut out = vec![1, 2, 3];
        let error = Encoder::new(EncodeOptions::default())
            .encode(schema, batches, &mut out)
            .unwrap_err();
        assert_eq!(out, [1, 2, 3], "output is as it was");
        error
    };
    let named = |len: usize| {
        Schema::new(vec![
            Type::I16.field("a"),
            Type::I32.field(&"n".repeat(len)),
        ])
    };
    let error = refuse(&named(65_536), &[]);
    assert!(
        error.what().contains("65535 bytes of name, found 65536"),
        "{error}"
    );
    let mut out = Vec::new();
    Encoder::new(EncodeOptions::PLAIN)
        .encode(&named(65_535), &[], &mut out)
        .unwrap();

    let none = RecordBatch::new_empty(Arc::new(Schema::empty()));
    let error = refuse(&Schema::new(vec![Type::I32.field("x")]), &[none]);
    assert!(
        error.what().contains("expected batches of 1 columns"),
        "{error}"
    );
    let error = refuse(&Schema::empty(), &[]);
    assert!(error.what().contains("at least one column"), "{error}");
    let error = refuse(
        &Schema::new(vec![Field::new("u", DataType::UInt32, true)]),
        &[],
    );
    assert_eq!(error.kind(), Kind::Usage);
    assert!(
        error
            .to_string()
            .starts_with("column \"u\": wire 1 has no type for Arrow UInt32")
    );
    let mislabelled =
        RecordBatch::try_from_iter([("x", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    let error = refuse(
        &Schema::new(vec![Type::I64.field("x")]),
        &[mislabelled.unwrap()],
    );
    assert!(
        error.what().contains("expected arrays that hold i64"),
        "{error}"
    );
    let fields: Vec<Field> = (0..65_536).map(|_| Type::Bool.field("")).collect();
    let error = refuse(&Schema::new(fields), &[]);
    assert!(error.what().contains("at most 65535 columns"), "{error}");
}

#[test]
fn the_walker_finds_the_same_whether_bytes_come_at_once_or_one_by_one() {
    for (case, _, mut bytes) in good() {
        let len = bytes.len();
        bytes.extend_from_slice(b"what follows");
        let Scan::Complete(whole) = Walker::new().walk(&bytes).unwrap() else {
            panic!("{case}: not whole");
        };
        assert_eq!(whole.len, len);
        let mut walker = Walker::new();
        let mut needs = 0;
        for arrived in 0..len {
            match walker.walk(&bytes[..arrived]).unwrap() {
                Scan::Needs(more) => {
                    assert!(
                        more > arrived && more >= needs && more <= len,
                        "{case} {arrived}"
                    );
                    needs = more;
                }
                Scan::Complete(_) => panic!("{case}: whole at {arrived}"),
            }
        }
        assert_eq!(
            walker.walk(&bytes[..len]).unwrap(),
            Scan::Complete(whole),
            "{case}"
        );
    }
}

#[test]
fn lying_lengths_ask_for_bytes_but_take_no_memory() {
    let mut bytes = b"MATHLDBT\x01\0\0\0\xff\xff\xff\xff\xff\xff\0\0".to_vec();
    let mut walker = Walker::new();
    assert_eq!(walker.walk(&bytes).unwrap(), Scan::Needs(22));
    bytes.extend_from_slice(b"\x04\0\0\0\0\0\0\0\0\0\0\x20");
    assert_eq!(walker.walk(&bytes).unwrap(), Scan::Needs(32 + 0x2000_0000));
    let error = Decoder::new(u64::MAX).decode(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 32: envelope is cut short in column 1 of 65535: expected at least 536870944 bytes, found 32"
    );
}
