//! Wire 2 through its public functions: every supported Arrow type in every preset, and damage.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::wildcard_imports,
    clippy::from_iter_instead_of_collect,
    clippy::needless_for_each
)]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::builder::{FixedSizeBinaryBuilder, StringViewBuilder};
use arrow_array::types::{Int16Type, Int32Type};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, Metadata, Schema};
use mbt::wire::choose::Preset;
use mbt::wire::v2::{ColumnTree, Decoder, EncodeOptions, Encoder, Envelope, PriorFrames};
use mbt::wire::workers::{CallingThread, Workers};
use proptest::prelude::*;

use crate::chance::Random;

const PRESETS: [Preset; 3] = [Preset::Fast, Preset::Balanced, Preset::Small];

impl Random {
    fn nulls(&mut self, rows: usize) -> Option<NullBuffer> {
        match self.below(4) {
            0 => None,
            1 => Some(NullBuffer::new_null(rows)),
            _ => Some((0..rows).map(|_| self.below(3) > 0).collect()),
        }
    }

    /// Numbers of a shape that suits some encoding.
    fn number(&mut self, shape: usize, row: usize) -> i64 {
        match shape {
            0 => 7,
            1 => 1_000 + 3 * row as i64,
            2 => self.below(4) as i64 - 2,
            3 => self.next() as i64,
            4 => row as i64 / 50,
            _ => self.below(1000) as i64 + row as i64,
        }
    }

    fn text(&mut self, shape: usize, row: usize) -> String {
        match shape {
            0 => String::new(),
            1 => format!("user-{row:05}"),
            2 => ["red", "green", "blue"][self.below(3)].to_owned(),
            3 => format!("{:x}é{}", self.next(), row),
            _ => format!(
                "{:032x}",
                u128::from(self.next()) << 64 | u128::from(self.next())
            ),
        }
    }
}

fn leaf(kind: usize, rows: usize, random: &mut Random) -> ArrayRef {
    let nulls = random.nulls(rows);
    let shape = random.below(6);
    macro_rules! numbers {
        ($array:ty, $native:ty) => {{
            let values = (0..rows).map(|row| random.number(shape, row) as $native);
            Arc::new(<$array>::new(values.collect(), nulls)) as ArrayRef
        }};
    }
    match kind {
        0 => Arc::new(NullArray::new(rows)),
        1 => Arc::new(BooleanArray::new(
            (0..rows)
                .map(|row| random.number(shape, row) % 2 == 0)
                .collect(),
            nulls,
        )),
        2 => numbers!(Int8Array, i8),
        3 => numbers!(Int16Array, i16),
        4 => numbers!(Int32Array, i32),
        5 => numbers!(Int64Array, i64),
        6 => numbers!(UInt8Array, u8),
        7 => numbers!(UInt16Array, u16),
        8 => numbers!(UInt32Array, u32),
        9 => numbers!(UInt64Array, u64),
        10 => {
            let values = (0..rows).map(|row| random.number(shape, row) as f32 / 8.0);
            Arc::new(Float32Array::new(values.collect(), nulls))
        }
        11 => {
            let odd = [f64::NAN, -0.0, f64::INFINITY, 1e-300, 0.1 + 0.2];
            let values = (0..rows).map(|row| match random.below(40) {
                at @ 0..5 if shape == 5 => odd[at],
                _ => random.number(shape, row) as f64 / 100.0,
            });
            Arc::new(Float64Array::new(values.collect(), nulls))
        }
        12 => {
            let values = (0..rows).map(|row| i128::from(random.number(shape, row)) * 1_000_003);
            let array = Decimal128Array::new(values.collect(), nulls);
            Arc::new(array.with_precision_and_scale(38, 2).unwrap())
        }
        13 => {
            let values = (0..rows).map(|row| random.number(shape, row) % 1_000_000);
            let array = Decimal64Array::new(values.collect(), nulls);
            Arc::new(array.with_precision_and_scale(18, 3).unwrap())
        }
        14 => numbers!(Date32Array, i32),
        15 => numbers!(Time64NanosecondArray, i64),
        16 => {
            let values = (0..rows).map(|row| random.number(shape, row));
            let array = TimestampMillisecondArray::new(values.collect(), nulls);
            Arc::new(array.with_timezone("+02:00"))
        }
        17 => numbers!(DurationSecondArray, i64),
        18 => {
            let mut builder = FixedSizeBinaryBuilder::new(16);
            for row in 0..rows {
                if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                    builder.append_null();
                } else {
                    builder
                        .append_value(u128::from(random.next()).to_le_bytes())
                        .unwrap();
                }
            }
            Arc::new(builder.finish())
        }
        19..=23 => {
            let valid = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
            let texts: Vec<_> = (0..rows)
                .map(|row| valid(row).then(|| random.text(shape, row)))
                .collect();
            match kind {
                19 => Arc::new(StringArray::from(texts)),
                20 => Arc::new(LargeStringArray::from(texts)),
                21 => {
                    let mut builder = StringViewBuilder::new();
                    texts
                        .iter()
                        .for_each(|text| builder.append_option(text.as_deref()));
                    Arc::new(builder.finish())
                }
                22 => Arc::new(BinaryArray::from_iter(texts.iter().map(|text| {
                    text.as_ref()
                        .map(|text| [text.as_bytes(), b"\xff"].concat())
                }))),
                _ => Arc::new(
                    texts
                        .iter()
                        .map(Option::as_deref)
                        .collect::<DictionaryArray<Int16Type>>(),
                ),
            }
        }
        _ => unreachable!("a kind of array"),
    }
}

const LEAVES: usize = 24;

fn array(rows: usize, depth: u32, random: &mut Random) -> ArrayRef {
    let kind = random.below(if depth == 0 { LEAVES } else { LEAVES + 4 });
    let field = |array: &ArrayRef| Arc::new(Field::new("item", array.data_type().clone(), true));
    match kind {
        24 => {
            let columns: Vec<_> = (0..random.below(3))
                .map(|_| array(rows, depth - 1, random))
                .collect();
            let nulls = random.nulls(rows);
            if columns.is_empty() {
                return Arc::new(StructArray::new_empty_fields(rows, nulls));
            }
            let fields: Fields = columns
                .iter()
                .enumerate()
                .map(|(at, column)| Field::new(format!("f{at}"), column.data_type().clone(), true))
                .collect();
            Arc::new(StructArray::new(fields, columns, nulls))
        }
        25 => {
            let lengths: Vec<_> = (0..rows).map(|_| random.below(4)).collect();
            let items = array(lengths.iter().sum(), depth - 1, random);
            Arc::new(ListArray::new(
                field(&items),
                OffsetBuffer::from_lengths(lengths),
                items,
                random.nulls(rows),
            ))
        }
        26 => {
            let items = array(rows * 2, depth - 1, random);
            Arc::new(FixedSizeListArray::new(
                field(&items),
                2,
                items,
                random.nulls(rows),
            ))
        }
        27 => {
            let lengths: Vec<_> = (0..rows).map(|_| random.below(3)).collect();
            let count = lengths.iter().sum();
            let keys: ArrayRef = Arc::new(
                (0..count)
                    .map(|at| Some(format!("k{}", at % 5)))
                    .collect::<StringArray>(),
            );
            let values = array(count, depth - 1, random);
            let fields = Fields::from(vec![
                Field::new("key", DataType::Utf8, false),
                Field::new("value", values.data_type().clone(), true),
            ]);
            let entries = StructArray::new(fields.clone(), vec![keys, values], None);
            let entry = Arc::new(Field::new("entries", DataType::Struct(fields), false));
            Arc::new(MapArray::new(
                entry,
                OffsetBuffer::from_lengths(lengths),
                entries,
                random.nulls(rows),
                false,
            ))
        }
        kind => leaf(kind, rows, random),
    }
}

fn batch(seed: u64, rows: usize, columns: usize) -> RecordBatch {
    let mut random = Random(seed);
    let arrays: Vec<_> = (0..columns).map(|_| array(rows, 3, &mut random)).collect();
    let fields: Vec<_> = arrays
        .iter()
        .enumerate()
        .map(|(at, array)| {
            let metadata = HashMap::from([("mbt.form".to_owned(), "x".to_owned())]);
            Field::new(format!("c{at}"), array.data_type().clone(), true).with_metadata(metadata)
        })
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).unwrap()
}

/// Encodes the batch cut in two.
fn encode(batch: &RecordBatch, cut: usize, preset: Preset) -> Vec<u8> {
    encode_on(&CallingThread, batch, cut, preset)
}

fn encode_on(workers: &dyn Workers, batch: &RecordBatch, cut: usize, preset: Preset) -> Vec<u8> {
    let encoder = Encoder::new(EncodeOptions::of(preset)).on(workers);
    let schema = batch.schema();
    let fields = schema.fields().iter().cloned();
    let columns = fields.zip(batch.columns()).map(|(field, array)| {
        let chunks = [array.slice(0, cut), array.slice(cut, array.len() - cut)];
        (field, chunks.to_vec())
    });
    let columns = encoder.columns(columns).unwrap();
    let mut out = Vec::new();
    encoder
        .envelope(batch.num_rows(), schema.metadata(), columns, None, &mut out)
        .unwrap();
    out
}

fn decode(bytes: &[u8]) -> mbt::error::Result<RecordBatch> {
    let envelope = Envelope::read(bytes, 1 << 30)?;
    Decoder::new(1 << 30).decode(bytes, &envelope, |_, _| true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_batch_comes_back_equal_in_every_preset(
        seed: u64,
        rows in 0_usize..300,
        columns in 0_usize..4,
        cut in 0.0..1.0_f64,
    ) {
        let batch = batch(seed, rows, columns);
        for preset in PRESETS {
            let cut = (rows as f64 * cut) as usize;
            let bytes = encode(&batch, cut, preset);
            let back = decode(&bytes).unwrap();
            prop_assert_eq!(back.schema(), batch.schema());
            // Arrow compares floats bit by bit, and ignores values under nulls.
            prop_assert_eq!(back.columns(), batch.columns());
        }
    }
}

/// Runs every part on a thread of its own.
struct ThreadPerPart;

impl Workers for ThreadPerPart {
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for at in 0..count {
                scope.spawn(move || work(at));
            }
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn threads_change_neither_the_columns_nor_the_errors(
        seed: u64,
        rows in 0_usize..300,
        columns in 0_usize..4,
        limit in 0_u64..20_000,
        damaged in any::<prop::sample::Index>(),
    ) {
        let batch = batch(seed, rows, columns);
        let bytes = encode(&batch, 0, Preset::Balanced);
        let envelope = Envelope::read(&bytes, 1 << 30).unwrap();
        let mut broken = bytes.clone();
        broken[damaged.index(bytes.len())] ^= 1;
        for (bytes, limit) in [(&bytes, 1 << 30), (&bytes, limit), (&broken, 1 << 30)] {
            let decoder = Decoder::new(limit);
            let alone = decoder.decode(bytes, &envelope, |_, _| true);
            let together = decoder.decode_on(&ThreadPerPart, bytes, &envelope, |_, _| true);
            match (alone, together) {
                (Ok(alone), Ok(together)) => prop_assert_eq!(alone, together),
                (Err(alone), Err(together)) => {
                    prop_assert_eq!(alone.to_string(), together.to_string());
                }
                (alone, together) => panic!("{alone:?}, but {together:?}"),
            }
        }
    }
}

/// Like [`ThreadPerPart`], and counts the tasks of several parts.
#[derive(Default)]
struct CountedTasks(AtomicUsize);

impl Workers for CountedTasks {
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        if count > 1 {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        ThreadPerPart.run(count, work);
    }
}

#[test]
fn threads_change_no_byte_of_what_is_encoded() {
    let rows = 20_000;
    let inner = keyed(8, rows, 40);
    let mut random = Random(8);
    let mut noise = || {
        let values = (0..rows).map(|_| random.next() as i64);
        Arc::new(Int64Array::from_iter_values(values)) as ArrayRef
    };
    let members = [
        (
            "inner",
            Arc::new(StructArray::from(inner.clone())) as ArrayRef,
        ),
        ("noise", noise()),
        ("more noise", noise()),
    ];
    let records = RecordBatch::try_from_iter(members).unwrap();
    let records: ArrayRef = Arc::new(StructArray::from(records));
    let lists = ListArray::new(
        Arc::new(Field::new("item", records.data_type().clone(), true)),
        OffsetBuffer::from_lengths((0..rows / 4).map(|_| 4)),
        records,
        None,
    );
    let columns = keyed(9, rows / 4, 40);
    let columns = columns.columns().iter().enumerate();
    let columns = columns.map(|(at, array)| (format!("c{at}"), Arc::clone(array), true));
    let columns = columns.chain([("lists".to_owned(), Arc::new(lists) as ArrayRef, false)]);
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    // One by one, the members of the two structs and the sections of the large column; with the preset small also the
    // search for keys and the columns that are grouped.
    for (preset, tasks) in [(Preset::Balanced, 3), (Preset::Small, 5)] {
        let workers = CountedTasks::default();
        let together = encode_on(&workers, &batch, 100, preset);
        assert!(together == encode(&batch, 100, preset), "{preset:?}");
        assert!(workers.0.into_inner() >= tasks, "{preset:?}");
    }
}

/// A key in random order, and columns of all kinds that depend on it in steps, or not at all.
fn keyed(seed: u64, rows: usize, keys: usize) -> RecordBatch {
    let mut random = Random(seed);
    let kind = [3, 5, 9, 11, 19, 21, 22][random.below(7)];
    let entries = leaf(kind, keys, &mut random);
    let places: Vec<_> = (0..rows).map(|_| random.below(keys) as u32).collect();
    let key = take(&entries, &places);
    let mut counted = vec![0; keys];
    let counts: Vec<_> = places
        .iter()
        .map(|&place| {
            counted[place as usize] += 1;
            u64::from(place) * 1000 + counted[place as usize]
        })
        .collect();
    // Columns without values are not grouped.
    let mut some_nulls = || random.nulls(rows).filter(|nulls| nulls.null_count() < rows);
    let (nulls, of_floats) = (some_nulls(), some_nulls());
    let mut columns = vec![("key", key)];
    let ints = counts.iter().map(|&count| count as i64);
    columns.push((
        "ints",
        Arc::new(Int64Array::new(ints.collect(), nulls.clone())) as ArrayRef,
    ));
    let floats = counts.iter().map(|&count| count as f64 / 100.0);
    columns.push((
        "floats",
        Arc::new(Float64Array::new(floats.collect(), of_floats)),
    ));
    let wide = counts.iter().map(|&count| i128::from(count) << 70);
    columns.push((
        "wide",
        Arc::new(Decimal128Array::new(wide.collect(), nulls)),
    ));
    for name in ["c", "d"] {
        let kind = random.below(LEAVES);
        let entries = leaf(kind, keys, &mut random);
        columns.push((name, take(&entries, &places)));
    }
    let at = random.below(columns.len());
    columns.swap(0, at);
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn take(entries: &ArrayRef, places: &[u32]) -> ArrayRef {
    let places = UInt32Array::from(places.to_vec());
    arrow_select::take::take(entries, &places, None).unwrap()
}

/// The columns that are grouped, with their keys.
fn grouped(bytes: &[u8]) -> Vec<(String, String)> {
    let envelope = Envelope::read(bytes, 1 << 30).unwrap();
    let columns = envelope.columns().unwrap();
    let name = |at: usize| columns[at].field.name().clone();
    let keys = columns.iter().map(ColumnTree::key).enumerate();
    keys.filter_map(|(at, key)| Some((name(at), name(key?))))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn columns_grouped_by_another_come_back_equal(
        seed: u64,
        rows in 0_usize..1000,
        keys in 1_usize..40,
        cut in 0.0..1.0_f64,
    ) {
        let batch = keyed(seed, rows, keys);
        let cut = (rows as f64 * cut) as usize;
        let bytes = encode(&batch, cut, Preset::Small);
        prop_assert_eq!(&bytes, &encode(&batch, rows - cut, Preset::Small));
        let back = decode(&bytes).unwrap();
        prop_assert_eq!(back.columns(), batch.columns());
        // One by one, with keys that are not wanted.
        let envelope = Envelope::read(&bytes, 1 << 30).unwrap();
        for (at, array) in batch.columns().iter().enumerate() {
            let wanted = |position: usize, _: &str| position == at;
            let back = Decoder::new(1 << 30).decode(&bytes, &envelope, wanted).unwrap();
            prop_assert_eq!(back.columns(), std::slice::from_ref(array));
        }
    }
}

#[test]
fn columns_are_grouped_where_that_pays() {
    let batch = keyed(4, 1500, 20);
    let found = grouped(&encode(&batch, 700, Preset::Small));
    for name in ["ints", "floats", "wide"] {
        assert!(
            found.contains(&(name.to_owned(), "key".to_owned())),
            "{found:?}"
        );
    }
    // Balanced groups only what shrinks a lot.
    let ints = ("ints".to_owned(), "key".to_owned());
    assert_eq!(grouped(&encode(&batch, 700, Preset::Balanced)), [ints]);
    assert_eq!(grouped(&encode(&batch, 700, Preset::Fast)), []);
}

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let batch = batch(42, 40, 3);
    let keyed = keyed(4, 600, 8);
    assert!(!grouped(&encode(&keyed, 0, Preset::Small)).is_empty());
    let presets = PRESETS.map(|preset| (preset, &batch));
    for (preset, batch) in presets.into_iter().chain([(Preset::Small, &keyed)]) {
        let whole = encode(batch, 10, preset);
        for at in 0..whole.len() {
            assert!(
                Envelope::read(&whole[..at], 1 << 30)
                    .and_then(|envelope| envelope.check_sections(&whole[..at]))
                    .is_err(),
                "cut at {at}"
            );
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                let checked = Envelope::read(&damaged, 1 << 30)
                    .and_then(|envelope| envelope.check_sections(&damaged));
                assert!(
                    checked.is_err(),
                    "bit {bit} of byte {at} is under no checksum"
                );
            }
        }
    }
}

#[test]
fn one_column_is_read_without_the_others() {
    let batch = RecordBatch::try_from_iter([
        (
            "a",
            Arc::new(Int32Array::from_iter_values(0..1000)) as ArrayRef,
        ),
        (
            "b",
            Arc::new(StringArray::from_iter_values(
                (0..1000).map(|i| format!("{i}")),
            )) as ArrayRef,
        ),
    ])
    .unwrap();
    let bytes = encode(&batch, 1000, Preset::Balanced);
    let envelope = Envelope::read(&bytes, 1 << 30).unwrap();
    let back = Decoder::new(1 << 30)
        .decode(&bytes, &envelope, |_, name| name == "b")
        .unwrap();
    assert_eq!(back.num_columns(), 1);
    assert_eq!(back.column(0), batch.column(1));
}

#[test]
fn what_unfolds_beyond_the_limit_is_refused() {
    let array: ArrayRef = Arc::new(Int64Array::from_value(1, 1 << 20));
    let batch = RecordBatch::try_from_iter([("a", array)]).unwrap();
    let bytes = encode(&batch, 0, Preset::Small);
    assert!(bytes.len() < 100);
    let envelope = Envelope::read(&bytes, 1 << 20).unwrap();
    let error = Decoder::new(1 << 20)
        .decode(&bytes, &envelope, |_, _| true)
        .unwrap_err();
    assert_eq!(error.kind(), mbt::error::Kind::Limit);
}

#[test]
fn dictionaries_of_several_chunks_are_put_together() {
    let first: DictionaryArray<Int32Type> = ["a", "b", "a"].into_iter().collect();
    let second: DictionaryArray<Int32Type> = ["c", "a"].into_iter().collect();
    let encoder = Encoder::new(EncodeOptions::of(Preset::Balanced));
    let field = Field::new("d", first.data_type().clone(), true);
    let chunks: Vec<ArrayRef> = vec![Arc::new(first), Arc::new(second)];
    let column = encoder
        .column(&field, chunks, PriorFrames::default())
        .unwrap();
    let mut bytes = Vec::new();
    encoder
        .envelope(5, &Metadata::default(), vec![column], None, &mut bytes)
        .unwrap();
    let back = decode(&bytes).unwrap();
    let back = back
        .column(0)
        .as_any()
        .downcast_ref::<DictionaryArray<Int32Type>>()
        .unwrap();
    let texts = back.downcast_dict::<StringArray>().unwrap();
    let texts: Vec<_> = texts.into_iter().flatten().collect();
    assert_eq!(texts, ["a", "b", "a", "c", "a"]);
}

#[test]
fn dictionaries_without_entries_are_columns_of_nulls() {
    for rows in [0, 3] {
        let array: DictionaryArray<Int16Type> = (0..rows).map(|_| None::<&str>).collect();
        let batch = RecordBatch::try_from_iter([("a", Arc::new(array) as ArrayRef)]).unwrap();
        for preset in PRESETS {
            assert_eq!(decode(&encode(&batch, rows / 2, preset)).unwrap(), batch);
        }
    }
}

#[test]
fn types_that_wire_2_has_not_are_refused_by_name() {
    let field = Field::new(
        "i",
        DataType::Interval(arrow_schema::IntervalUnit::DayTime),
        true,
    );
    let error = Encoder::new(EncodeOptions::of(Preset::Balanced))
        .column(&field, Vec::new(), PriorFrames::default())
        .unwrap_err();
    assert!(error.to_string().contains("interval"), "{error}");
}
