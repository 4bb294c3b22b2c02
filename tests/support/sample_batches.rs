//! Every type of wire 2, in batches that the chooser encodes.
#![allow(
    clippy::from_iter_instead_of_collect,
    reason = "names the array that is built"
)]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::types::{Float16Type, Int8Type, Int16Type, UInt64Type};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, Schema};

type F16 = <Float16Type as ArrowPrimitiveType>::Native;

fn some_nulls(rows: usize) -> NullBuffer {
    (0..rows).map(|row| row % 5 != 2).collect()
}

/// A column with nulls for every type without children, and some columns without nulls or with nothing else.
pub fn leaves(rows: usize) -> RecordBatch {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let mut add = |name: &str, array: ArrayRef| {
        fields.push(Field::new(
            name,
            array.data_type().clone(),
            array.null_count() > 0,
        ));
        arrays.push(array);
    };
    macro_rules! numbers {
        ($name:literal, $array:ty, $value:expr) => {{
            let values = (0..rows as i64).map($value).collect();
            add(
                $name,
                Arc::new(<$array>::new(values, Some(some_nulls(rows)))),
            );
        }};
    }
    add("null", Arc::new(NullArray::new(rows)));
    let bools = (0..rows).map(|row| row % 3 == 0).collect();
    add(
        "bool",
        Arc::new(BooleanArray::new(bools, Some(some_nulls(rows)))),
    );
    numbers!("i8", Int8Array, |row| (row * 77) as i8);
    numbers!("i16", Int16Array, |row| (row * 7777) as i16);
    numbers!("i32", Int32Array, |row| (row * 777_777_777) as i32);
    numbers!("i64", Int64Array, |row| row
        .wrapping_mul(0x1234_5678_9abc_def1));
    numbers!("u8", UInt8Array, |row| (row * 77) as u8);
    numbers!("u16", UInt16Array, |row| (row * 7777) as u16);
    numbers!("u32", UInt32Array, |row| (row * 777_777_777) as u32);
    numbers!(
        "u64",
        UInt64Array,
        |row| row.wrapping_mul(0x1234_5678_9abc_def1) as u64
    );
    numbers!("f16", Float16Array, |row| F16::from_f32(
        row as f32 / 3.0 - 2.0
    ));
    numbers!("f32", Float32Array, |row| row as f32 / 3.0 - 2.0);
    numbers!("f64", Float64Array, |row| row as f64 / 4.0 - 2.0);
    let array = Decimal32Array::from_iter_values((0..rows as i32).map(|row| row * 12_345 - 70_000));
    add(
        "decimal32",
        Arc::new(array.with_precision_and_scale(9, 4).unwrap()),
    );
    let array = Decimal64Array::from_iter_values((0..rows as i64).map(|row| row * 3 - 7));
    add(
        "decimal64",
        Arc::new(array.with_precision_and_scale(18, -2).unwrap()),
    );
    let array = Decimal128Array::from_iter(
        (0..rows as i128)
            .map(|row| (row % 5 != 2).then_some((row - 6) * 1_000_000_000_000_000_000_007)),
    );
    add(
        "decimal128",
        Arc::new(array.with_precision_and_scale(38, 10).unwrap()),
    );
    numbers!("date32", Date32Array, |row| (row * 311 - 2000) as i32);
    numbers!("date64", Date64Array, |row| (row * 311 - 2000) * 86_400_000
        + row % 2);
    numbers!("time32 s", Time32SecondArray, |row| (row * 4000) as i32);
    numbers!("time32 ms", Time32MillisecondArray, |row| (row * 4_000_001)
        as i32);
    numbers!("time64 us", Time64MicrosecondArray, |row| row
        * 4_000_000_001);
    numbers!("time64 ns", Time64NanosecondArray, |row| row
        * 4_000_000_000_001);
    numbers!("timestamp s", TimestampSecondArray, |row| 1_700_000_000
        + row * 61);
    numbers!("timestamp ms", TimestampMillisecondArray, |row| row * 1001
        - 5000);
    numbers!("timestamp us", TimestampMicrosecondArray, |row| row
        * 1_000_100);
    numbers!("timestamp ns", TimestampNanosecondArray, |row| row
        * 1_000_000_007);
    for zone in ["UTC", "+02:00", "Europe/Berlin"] {
        let values = (0..rows as i64).map(|row| row * 3600).collect();
        let array = TimestampSecondArray::new(values, None).with_timezone(zone);
        add(zone, Arc::new(array));
    }
    numbers!("duration s", DurationSecondArray, |row| row - 5);
    numbers!("duration ms", DurationMillisecondArray, |row| row * 250 - 5);
    numbers!("duration us", DurationMicrosecondArray, |row| row * 250);
    numbers!("duration ns", DurationNanosecondArray, |row| row * 250);
    let texts = |row: usize| (row % 5 != 2).then(|| format!("text {}", "é".repeat(row * 3 % 11)));
    let texts: Vec<_> = (0..rows).map(texts).collect();
    add("utf8", Arc::new(StringArray::from(texts.clone())));
    add(
        "large utf8",
        Arc::new(LargeStringArray::from(texts.clone())),
    );
    add(
        "utf8 view",
        Arc::new(StringViewArray::from_iter(texts.clone())),
    );
    let blobs: Vec<_> = (0..rows)
        .map(|row| (row % 5 != 2).then(|| vec![(row * 9) as u8; row % 4]))
        .collect();
    add(
        "binary",
        Arc::new(BinaryArray::from_iter(blobs.iter().map(Option::as_ref))),
    );
    add(
        "large binary",
        Arc::new(LargeBinaryArray::from_iter(
            blobs.iter().map(Option::as_ref),
        )),
    );
    add(
        "binary view",
        Arc::new(BinaryViewArray::from_iter(blobs.iter().map(Option::as_ref))),
    );
    for len in [3, 16] {
        let rows = (0..rows).map(|row| (row % 5 != 2).then(|| vec![(row * 9) as u8; len as usize]));
        let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows, len).unwrap();
        add(&format!("fixed {len}"), Arc::new(array));
    }
    add("all null", Arc::new(Int32Array::new_null(rows)));
    let pairs = |pairs: &[(&str, &str)]| -> HashMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    };
    let known = [
        ("ARROW:extension:name", "arrow.uuid"),
        ("mbt.form", "upper"),
        ("mbt.null", "NA"),
        ("a key of its own", "é"),
    ];
    let last = fields
        .iter_mut()
        .find(|field| field.name() == "fixed 16")
        .unwrap();
    *last = last.clone().with_metadata(pairs(&known));
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

/// The only type that cannot be printed, in a frame with metadata.
pub fn interval() -> RecordBatch {
    let array = IntervalYearMonthArray::from(vec![Some(1), None, Some(-14)]);
    let metadata = HashMap::from([("table".to_owned(), "intervals".to_owned())]);
    let field = Field::new("interval", array.data_type().clone(), true);
    let schema = Schema::new(vec![field]).with_metadata(metadata);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(array)]).unwrap()
}

/// Columns of columns.
pub fn nested(rows: usize) -> RecordBatch {
    let nulls = || Some(some_nulls(rows));
    let numbers: ArrayRef = Arc::new(
        (0..rows as i64)
            .map(|row| (row % 3 > 0).then_some(row))
            .collect::<Int64Array>(),
    );
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..rows).map(|row| format!("t{row}")),
    ));
    let fields: Fields = vec![
        Field::new("number", DataType::Int64, true),
        Field::new("text", DataType::Utf8, false),
    ]
    .into();
    let structs = StructArray::new(fields.clone(), vec![numbers, texts], nulls());
    let lengths = |row: usize| if row % 5 == 2 { 0 } else { row % 4 };
    let items = (0..rows).map(lengths).sum();
    let item = Arc::new(Field::new("item", DataType::Struct(fields), true));
    let values = Arc::new(structs.slice(0, 0));
    let inner = Arc::new(Field::new("item", DataType::Float64, true));
    let floats = Arc::new(Float64Array::from_iter(
        (0..items).map(|at| (at % 4 != 1).then_some(at as f64 / 2.0)),
    ));
    let offsets = || OffsetBuffer::<i32>::from_lengths((0..rows).map(lengths));
    let large = OffsetBuffer::<i64>::from_lengths((0..rows).map(lengths));
    let list = ListArray::new(inner.clone(), offsets(), floats.clone(), nulls());
    let large = LargeListArray::new(inner, large, floats, nulls());
    let whole = Arc::new(Field::new("item", DataType::Int32, false));
    let two = Arc::new(Int32Array::from_iter_values(0..2 * rows as i32));
    let fixed = FixedSizeListArray::new(whole, 2, two, nulls());
    let empty = ListArray::new(
        item,
        OffsetBuffer::from_lengths(vec![0; rows]),
        values,
        None,
    );
    let outer = Arc::new(Field::new("item", list.data_type().clone(), true));
    let lists = ListArray::new(
        outer,
        OffsetBuffer::from_lengths(vec![1; rows]),
        Arc::new(list.clone()),
        None,
    );
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for row in 0..rows {
        for at in 0..row % 3 {
            map.keys().append_value(format!("k{at}"));
            map.values()
                .append_option((row % 4 > 0).then_some(row as i32));
        }
        map.append(row % 5 != 2).unwrap();
    }
    let words = |row: usize| (row % 5 != 2).then(|| ["red", "green", "blue"][row * 7 % 3]);
    let small: DictionaryArray<Int8Type> = (0..rows).map(words).collect();
    let medium: DictionaryArray<Int16Type> = (0..rows).map(words).collect();
    let keys =
        UInt64Array::from_iter((0..rows as u64).map(|row| (row % 5 != 2).then_some(row % 3)));
    let values = Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(5)]));
    let big = DictionaryArray::<UInt64Type>::new(keys, values);
    let none = StructArray::new_empty_fields(rows, nulls());
    let unnamed: ArrayRef = Arc::new(StringArray::from_iter_values(vec![""; rows]));
    RecordBatch::try_from_iter_with_nullable([
        ("struct", Arc::new(structs) as ArrayRef, true),
        ("list", Arc::new(list), true),
        ("large list", Arc::new(large), true),
        ("fixed list", Arc::new(fixed), true),
        ("lists of nothing", Arc::new(empty), false),
        ("lists of lists", Arc::new(lists), false),
        ("map", Arc::new(map.finish()), true),
        ("dictionary i8", Arc::new(small), true),
        ("dictionary i16", Arc::new(medium), true),
        ("dictionary u64", Arc::new(big), true),
        ("struct of nothing", Arc::new(none), true),
        ("", unnamed, false),
    ])
    .unwrap()
}

/// Columns that are near another one, with and without nulls: a column grouped by the first one and differences from it,
/// and integers, mantissas and floats near the column before them, in the same row or the one before.
pub fn differences(rows: usize) -> RecordBatch {
    let chance = |row: usize, of: u64| (row as u64 + 1).wrapping_mul(of) >> 40;
    let wide = |row: usize| (chance(row, 0x9e37_79b9_7f4a_7c15) * (row as u64 | 1)) % (1 << 24);
    let near = |row: usize, of: u64| chance(row * row, of) % 20;
    let before = |row: usize| wide(row.saturating_sub(1));
    let sensor = |row: usize| chance(row, 0xbf58_476d_1ce4_e5b9) % 5;
    let level = |row: usize| sensor(row) * (1 << 22) + near(row, 0x94d0_49bb_1331_11eb);
    let levels = (0..rows).map(|row| (row % 9 > 0).then(|| level(row) as i64));
    let others = (0..rows).map(|row| (row % 4 > 0).then(|| level(row) as i64 - row as i64 % 3));
    let large = (0..rows).map(|row| u64::MAX - wide(row));
    let larger = (0..rows).map(|row| u64::MAX - before(row) - near(row, 0x2545_f491_4f6c_dd1d));
    let cents = |values: Vec<i64>| {
        let array = Decimal64Array::from(values).with_precision_and_scale(12, 2);
        Arc::new(array.unwrap()) as ArrayRef
    };
    let close = (0..rows).map(|row| wide(row) as i64 + 7).collect();
    let open = (0..rows).map(|row| before(row) as i64 + near(row, 0xd6e8_feb8_6659_fd93) as i64);
    let floats = (0..rows).map(|row| (row % 6 > 0).then(|| wide(row) as f64 / 100.0));
    let nearby = (0..rows).map(|row| (wide(row) + near(row, 0xff51_afd7_ed55_8ccd)) as f64 / 100.0);
    RecordBatch::try_from_iter_with_nullable([
        (
            "sensor",
            Arc::new(UInt8Array::from_iter_values(
                (0..rows).map(|row| sensor(row) as u8),
            )) as ArrayRef,
            false,
        ),
        ("level", Arc::new(Int64Array::from_iter(levels)), true),
        ("other", Arc::new(Int64Array::from_iter(others)), true),
        (
            "large",
            Arc::new(UInt64Array::from_iter_values(large)),
            false,
        ),
        (
            "larger",
            Arc::new(UInt64Array::from_iter_values(larger)),
            false,
        ),
        ("close", cents(close), false),
        ("open", cents(open.collect()), false),
        ("float", Arc::new(Float64Array::from_iter(floats)), true),
        (
            "nearby",
            Arc::new(Float64Array::from_iter_values(nearby)),
            false,
        ),
    ])
    .unwrap()
}

/// Columns that depend on one of two keys, in random order. The first key has nulls.
pub fn grouped(rows: usize) -> RecordBatch {
    // High bits of products by a large odd number, which no compressor sees through.
    let chance = |row: usize, of: u64| ((row as u64).wrapping_mul(of) >> 40) as usize;
    let place = |row: usize| chance(row, 0x9e37_79b9_7f4a_7c15) % 9;
    let town = |row: usize| chance(row * row, 0xbf58_476d_1ce4_e5b9) % 6;
    let mut seen = [0_i64; 9];
    let mut count = |row: usize| {
        seen[place(row)] += 1 + (row % 3) as i64;
        seen[place(row)]
    };
    let counts: Vec<i64> = (0..rows).map(&mut count).collect();
    let stations = (0..rows).map(|row| (place(row) != 4).then(|| 1000 - 17 * place(row) as i64));
    let towns = ["Ulm", "Köln", "Bonn", "", "Hof", "Jena"];
    let ints = (0..rows).map(|row| (row % 7 > 0).then(|| counts[row] + 5000 * place(row) as i64));
    let base = |row: usize| 90.0 * place(row) as f64;
    let floats = (0..rows).map(|row| (row % 5 > 0).then(|| base(row) + counts[row] as f64 / 4.0));
    let odd = (0..rows).map(|row| f64::from_bits((place(row) as u64) << 52 | counts[row] as u64));
    let texts =
        (0..rows).map(|row| (row % 11 > 0).then(|| format!("{}-{:04}", place(row), counts[row])));
    let wide = (0..rows).map(|row| i128::from(counts[row]) << 66 | place(row) as i128);
    let states = (0..rows).map(|row| format!("state of {}", towns[town(row)]));
    let bools = (0..rows).map(|row| Some(place(row) % 2 == 0));
    RecordBatch::try_from_iter_with_nullable([
        (
            "int",
            Arc::new(Int32Array::from_iter(ints.map(|v| v.map(|v| v as i32)))) as ArrayRef,
            true,
        ),
        ("station", Arc::new(Int64Array::from_iter(stations)), true),
        ("float", Arc::new(Float64Array::from_iter(floats)), true),
        ("bits", Arc::new(Float64Array::from_iter_values(odd)), false),
        ("text", Arc::new(StringArray::from_iter(texts)), true),
        (
            "wide",
            Arc::new(Decimal128Array::from_iter_values(wide)),
            false,
        ),
        ("bool", Arc::new(BooleanArray::from_iter(bools)), true),
        (
            "town",
            Arc::new(StringArray::from_iter_values(
                (0..rows).map(|row| towns[town(row)]),
            )),
            false,
        ),
        (
            "state",
            Arc::new(StringArray::from_iter_values(states)),
            false,
        ),
        ("none", Arc::new(Int64Array::from(vec![None; rows])), true),
    ])
    .unwrap()
}

/// Lists of the same length with something else at each position: numbers, text, structs, and lists of any length.
pub fn positions(rows: usize) -> RecordBatch {
    let chance = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let valid = some_nulls(rows);
    let lists = valid.len() - valid.null_count();
    let number = |at: usize| match at % 3 {
        0 => Some(1_700_000_000.0 + 60.0 * at as f64),
        1 => (!at.is_multiple_of(7)).then(|| chance(at) as f64 / 64.0),
        _ => Some(0.5),
    };
    let numbers = Arc::new(Float64Array::from_iter((0..3 * lists).map(number))) as ArrayRef;
    let text = |at: usize| match at % 2 {
        0 => format!("id {at:05}"),
        _ => ["red", "green", "blue"][chance(at) as usize % 3].to_owned(),
    };
    let texts = Arc::new(StringArray::from_iter_values((0..2 * rows).map(text))) as ArrayRef;
    let members: Fields = vec![
        Field::new("number", DataType::Int32, true),
        Field::new("text", DataType::Utf8, true),
        Field::new("bool", DataType::Boolean, true),
    ]
    .into();
    let kind = |at: usize| at % 4;
    let ints = (0..4 * rows).map(|at| (kind(at) == 0).then_some(at as i32));
    let words = (0..4 * rows).map(|at| (kind(at) % 2 == 1).then(|| text(at / 2)));
    let bools = (0..4 * rows).map(|at| (kind(at) == 2).then_some(at % 8 == 2));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from_iter(ints)),
        Arc::new(StringArray::from_iter(words)),
        Arc::new(BooleanArray::from_iter(bools)),
    ];
    let some = (0..4 * rows).map(|at| at % 32 < 31).collect();
    let structs = Arc::new(StructArray::new(members, columns, Some(some))) as ArrayRef;
    let inner = |at: usize| if at.is_multiple_of(2) { 1 } else { at % 5 };
    let items = (0..2 * rows).flat_map(|at| (0..inner(at)).map(move |_| at));
    let items = items.map(|at| match at % 2 {
        0 => 1_000_000_000 + 17 * at as i64,
        _ => chance(at) as i64 % 90,
    });
    let items = Int64Array::from_iter_values(items);
    let item = Arc::new(Field::new("item", DataType::Int64, false));
    let inner = OffsetBuffer::<i32>::from_lengths((0..2 * rows).map(inner));
    let inner = Arc::new(ListArray::new(item, inner, Arc::new(items), None)) as ArrayRef;
    let item = |array: &ArrayRef| {
        let data_type = array.data_type().clone();
        Arc::new(Field::new("item", data_type, array.null_count() > 0))
    };
    let list = |len: usize, array: ArrayRef| {
        let offsets = OffsetBuffer::from_lengths(vec![len; rows]);
        Arc::new(ListArray::new(item(&array), offsets, array, None)) as ArrayRef
    };
    let offsets = (0..rows).map(|row| if valid.is_valid(row) { 3 } else { 0 });
    let offsets = OffsetBuffer::from_lengths(offsets);
    let numbers = LargeListArray::new(item(&numbers), offsets, numbers, Some(valid));
    RecordBatch::try_from_iter_with_nullable([
        ("numbers", Arc::new(numbers) as ArrayRef, true),
        ("texts", list(2, texts), false),
        ("kinds", list(4, structs), false),
        ("lists", list(2, inner), false),
    ])
    .unwrap()
}
