//! Wire 1 where it is easy to go wrong: published bytes, limits, memory, odd content.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch, StringArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema};
use mbt::error::Kind;
use mbt::schema::Type;
use mbt::wire::rope::Rope;
use mbt::wire::v1::{Anomaly, Decoder, EncodeOptions, Encoder, NonCanonical, anomalies, header};
use mbt::workload::bars;
use sha2::{Digest, Sha256};

use crate::chance::Random;
use crate::envelopes::{LIMIT, all_options, cut, encode, envelope};
use crate::naive::{self, Slots};
use crate::random;

fn one_column(field: Field, array: ArrayRef) -> RecordBatch {
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap()
}

#[test]
fn columns_encoded_apart_make_the_same_envelope() {
    let batch = bars(5000);
    let schema = batch.schema();
    let batches = cut(&batch, &[1000, 1003, 2500]);
    for options in all_options() {
        let mut encoder = Encoder::new(options);
        let mut apart = Vec::new();
        header(batch.num_rows(), batch.num_columns(), &mut apart).unwrap();
        let mut runs = 0;
        for (at, field) in schema.fields().iter().enumerate() {
            let arrays = batches.iter().map(|batch| Arc::clone(batch.column(at)));
            let arrays: Vec<ArrayRef> = arrays.collect();
            let mut rope = Rope::new(Vec::new());
            encoder
                .column(field, at, &arrays, batch.num_rows(), &mut rope)
                .unwrap();
            runs += rope.runs().count();
            rope.runs().for_each(|run| apart.extend_from_slice(run));
        }
        assert_eq!(apart, encode(options, &batches));
        assert!(
            runs > batch.num_columns(),
            "no slots were left where they are"
        );
    }
}

#[test]
fn the_bars_fixture_has_the_published_sizes_and_bytes() {
    let cases = [
        (
            10,
            false,
            886,
            "38d16bf5e7b9c67e04991436f158a1c7954c155fe3c8b6b75035e8bcfcc2f8b3",
        ),
        (
            10,
            true,
            729,
            "1f608745050117f7847a379de03de2ffcfd7ffd5f1d1f2c078d166ec057a779c",
        ),
        (
            2_000,
            false,
            132_220,
            "c2a40db8f53392f6692440fa924138a9ea71020a66a545df6e911bb26e0a7f8a",
        ),
        (
            2_000,
            true,
            92_263,
            "af0a6580e3d364eb0537c88d3a0b401ec3c97daf8c8ec912e62b84459fb426cd",
        ),
        (
            100_000,
            false,
            6_600_220,
            "b70c8afa544405464292eeb6173a74d7fea66e60acb373bd99298e6c04cf15db",
        ),
        (
            100_000,
            true,
            4_600_263,
            "3c892f6bb189f71b2c52b5c902992d444043df94396c7a4b73527680648ba9a4",
        ),
    ];
    let mut reader = Decoder::new(LIMIT);
    for (rows, on, len, hash) in cases {
        let batch = bars(rows);
        let options = EncodeOptions {
            dict: on,
            delta: on,
        };
        let bytes = encode(options, &cut(&batch, &[rows / 3, rows / 2]));
        assert_eq!(bytes.len(), len);
        let digest = Sha256::digest(&bytes)
            .iter()
            .fold(String::new(), |text, b| text + &format!("{b:02x}"));
        assert_eq!(digest, hash, "{rows} rows");
        let decoded = reader.decode(&bytes).unwrap();
        assert_eq!(decoded.batch, batch);
        reader.recycle(decoded.batch);
    }
}

#[test]
fn the_limit_is_exact_for_every_encoding() {
    let plain_len = |batch: &RecordBatch| {
        let (_, columns, _) =
            naive::decode(&encode(EncodeOptions::PLAIN, std::slice::from_ref(batch))).unwrap();
        columns.iter().fold(0, |sum, column| {
            sum + column.validity.len()
                + match &column.slots {
                    Slots::Fixed(slots) => slots.len(),
                    Slots::Spans(offsets, data) => 4 * offsets.len() + data.len(),
                }
        }) as u64
    };
    for batch in (0..30)
        .map(|seed| random::batch(50, seed))
        .chain([bars(100)])
    {
        let limit = plain_len(&batch);
        for options in all_options() {
            let bytes = encode(options, std::slice::from_ref(&batch));
            assert_eq!(Decoder::new(limit).decode(&bytes).unwrap().batch, batch);
            let error = Decoder::new(limit - 1).decode(&bytes).unwrap_err();
            assert_eq!(error.kind(), Kind::Limit);
            assert!(error.to_string().ends_with("raise --max-frame"), "{error}");
        }
    }
}

#[test]
fn a_dictionary_bomb_is_refused_before_memory_is_taken() {
    // 4 Mi rows of 1 byte each, all naming one entry of 1 MiB: 4 TiB if believed.
    let (rows, entry) = (4 << 20, vec![b'x'; 1 << 20]);
    let mut bytes = b"MATHLDBT\x01\0\0\0".to_vec();
    bytes.extend_from_slice(&(rows as u32).to_le_bytes());
    bytes.extend_from_slice(b"\x01\0\0\0\x09\0\x02\0\0\0\0\0");
    for payload in [
        vec![0xff; rows / 8],
        vec![0; rows],
        [&b"\x01\x01\0\0\0\0\0\0\0\0\0\x10\0"[..], &entry].concat(),
    ] {
        bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&payload);
    }
    let error = Decoder::new(u64::MAX).decode(&bytes).unwrap_err();
    assert_eq!(error.kind(), Kind::Corrupt, "beyond what offsets can say");
    // Offsets can express it, but the limit forbids it: 1 MiB of input, 3 MiB of text.
    let few = one_column(
        Type::Utf8.field(""),
        Arc::new(StringArray::from_iter_values([&"x".repeat(1 << 20); 3])),
    );
    let bytes = encode(EncodeOptions::default(), &[few]);
    assert!(bytes.len() < (1 << 20) + 100);
    assert_eq!(
        Decoder::new(3 << 20).decode(&bytes).unwrap_err().kind(),
        Kind::Limit
    );
    assert!(Decoder::new((3 << 20) + 17).decode(&bytes).is_ok());
}

#[test]
fn recycled_memory_is_used_again_and_leaves_no_trace() {
    let mut reader = Decoder::new(LIMIT);
    let bytes = encode(EncodeOptions::default(), &[bars(1000)]);
    let first = reader.decode(&bytes).unwrap().batch;
    let places = |batch: &RecordBatch| -> Vec<*const u8> {
        batch
            .columns()
            .iter()
            .map(|c| c.to_data().buffers().last().unwrap().as_ptr())
            .collect()
    };
    let before = places(&first);
    reader.recycle(first);
    let second = reader.decode(&bytes).unwrap().batch;
    assert_eq!(places(&second), before);
    for seed in 0..200 {
        let batch = random::batch((seed as usize * 7) % 300, seed);
        let bytes = encode(EncodeOptions::default(), std::slice::from_ref(&batch));
        let decoded = reader.decode(&bytes).unwrap().batch;
        assert_eq!(decoded, batch);
        reader.recycle(decoded);
    }
    assert_eq!(second, bars(1000), "a batch in use is not touched");
}

#[test]
fn a_selection_of_columns_keeps_their_order_and_the_row_count() {
    let bytes = encode(EncodeOptions::default(), &[bars(100)]);
    let walked = envelope(&bytes);
    let mut decoder = Decoder::new(LIMIT);
    let some = decoder
        .decode_walked(&bytes, &walked, |_, name| name == "tf" || name == "low")
        .unwrap();
    assert_eq!(some.batch, bars(100).project(&[1, 5]).unwrap());
    assert_eq!(some.len, bytes.len());
    let none = decoder.decode_walked(&bytes, &walked, |_, _| false);
    let none = none.unwrap();
    assert_eq!((none.batch.num_rows(), none.batch.num_columns()), (100, 0));
}

#[test]
fn wide_offsets_and_no_batch_at_all_are_written_too() {
    let batch = random::batch(200, 3);
    let text = (0..200)
        .map(|i| (i % 7 != 0).then(|| format!("t{}", i % 50)))
        .collect::<StringArray>();
    let wide = text.iter().collect::<LargeStringArray>();
    let (narrow, wide) = (
        one_column(Type::Utf8.field("s"), Arc::new(text)),
        one_column(
            Type::Utf8.field("s").with_data_type(DataType::LargeUtf8),
            Arc::new(wide),
        ),
    );
    for options in all_options() {
        let expected = encode(options, std::slice::from_ref(&narrow));
        assert_eq!(
            encode(options, &[wide.slice(0, 33), wide.slice(33, 167)]),
            expected
        );
        let mut empty = Vec::new();
        Encoder::new(options)
            .encode(&batch.schema(), &[], &mut empty)
            .unwrap();
        assert_eq!(empty, encode(options, &[batch.slice(0, 0)]));
        assert_eq!(
            Decoder::new(LIMIT).decode(&empty).unwrap().batch,
            batch.slice(0, 0)
        );
    }
}

#[test]
fn text_that_is_not_utf8_is_held_as_bytes_and_written_as_text() {
    // The euro sign cut in two by an offset, in an otherwise good text.
    let offsets = OffsetBuffer::<i64>::from_lengths([1, 2, 1]);
    let array = LargeBinaryArray::new(offsets, Buffer::from(b"a\xe2\x82\xac"), None);
    let field = Type::Json.field_held_as("j", DataType::LargeBinary);
    let bytes = encode(EncodeOptions::PLAIN, &[one_column(field, Arc::new(array))]);
    assert_eq!(naive::decode(&bytes).unwrap().1[0].type_id, 11);
    let decoded = Decoder::new(LIMIT).decode(&bytes).unwrap().batch;
    assert_eq!(
        *decoded.schema().field(0),
        Type::Json.field_held_as("j", DataType::Binary)
    );
    assert_eq!(encode(EncodeOptions::PLAIN, &[decoded]), bytes);
}

#[test]
fn dictionaries_of_every_width_come_back() {
    for (rows, distinct) in [
        (3000, 256),
        (3000, 257),
        (400_000, 65_536),
        (400_000, 65_537),
    ] {
        let mut random = Random(7);
        let word = |n: usize| format!("word number {:>8}", n % distinct);
        let rest = (0..rows - distinct)
            .map(|_| random.below(distinct))
            .collect::<Vec<_>>();
        let texts = (0..distinct).chain(rest).map(word);
        let array = StringArray::from_iter_values(texts);
        let batch = one_column(Type::Utf8.field("w"), Arc::new(array));
        let bytes = encode(EncodeOptions::default(), std::slice::from_ref(&batch));
        assert_eq!(naive::decode(&bytes).unwrap().1[0].encoding_id, 2);
        assert_eq!(Decoder::new(LIMIT).decode(&bytes).unwrap().batch, batch);
    }
}

#[test]
fn oddities_are_told_with_place_and_count() {
    let told = |bytes: &[u8]| -> Vec<String> {
        anomalies(bytes, &envelope(bytes))
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    let clean = encode(EncodeOptions::default(), &[bars(50)]);
    assert_eq!(told(&clean), [""; 0]);

    let nulls = NullBuffer::from(vec![true, false, true]);
    let numbers = Int64Array::new(vec![1, 2, 3].into(), Some(nulls.clone()));
    let offsets = OffsetBuffer::<i64>::from_lengths([1, 2, 1]);
    let text = LargeBinaryArray::new(offsets, Buffer::from(b"\xffbcd"), Some(nulls));
    let schema = Schema::new(vec![
        Type::I64.field("n"),
        Type::Utf8.field_held_as("", DataType::LargeBinary),
    ]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![Arc::new(numbers), Arc::new(text)]);
    let mut bytes = encode(EncodeOptions::PLAIN, &[batch.unwrap()]);
    bytes[10] = 1;
    bytes[24] = 1;
    bytes[33] |= 0xf0;
    assert_eq!(
        told(&bytes),
        [
            "byte 10: header flags are set",
            "column \"n\": byte 24: column flags are set",
            "column \"n\": byte 33: 4 padding bits set after the last row",
            "column \"n\": byte 46: 1 null with a slot that is not 0",
            "column \"column_2\": byte 104: 1 null spanning bytes",
            "column \"column_2\": byte 103: 1 value not in UTF-8",
        ]
    );
    let words = StringArray::from_iter_values(["aa", "bb", "cc", "aa", "bb", "cc", "aa", "bb"]);
    let batch = one_column(Type::Utf8.field(""), Arc::new(words));
    let mut bytes = encode(EncodeOptions::default(), &[batch]);
    let entries = bytes.len() - 6;
    bytes[entries + 2..entries + 4].copy_from_slice(b"aa");
    let indices = envelope(&bytes).columns[0].payload_1.clone();
    for index in &mut bytes[indices] {
        *index %= 2;
    }
    let what: Vec<NonCanonical> = anomalies(&bytes, &envelope(&bytes))
        .iter()
        .map(|Anomaly { what, .. }| *what)
        .collect();
    assert_eq!(
        what,
        [NonCanonical::UnusedEntries, NonCanonical::DuplicateEntries]
    );
}
