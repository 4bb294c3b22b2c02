//! How fast batches become text, on one thread.
//!
//! Bars look like minute bars of stocks: a symbol, an instant, prices and volumes. The other
//! batches hold one column each.
#![allow(missing_docs, clippy::expect_used)] // criterion's macros; the data is our own

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::TimestampMicrosecondArray;
use arrow_array::{Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mbt::schema::Type;
use mbt::text::csv::{CsvStyle, CsvWriter};
use mbt::text::json::{JsonStyle, JsonWriter};
use mbt::text::time::{is_canonical_timestamp, parse_timestamp, print_timestamp};

const ROWS: usize = 100_000;

/// Bars of a few symbols whose prices walk in cents.
fn bars() -> RecordBatch {
    const SYMBOLS: [&str; 6] = ["AAPL", "MSFT", "F", "GOOGL", "BRK.B", "NVDA"];
    let mut state = 1_u64;
    let mut random = |end: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % end
    };
    let close: Vec<u64> = (0..ROWS).map(|_| 15_000 + random(4000)).collect();
    let mut price = |spread: u64| -> Arc<dyn Array> {
        let cents = close.iter().map(|cents| cents + random(spread));
        Arc::new(
            cents
                .map(|cents| cents as f64 / 100.0)
                .collect::<Float64Array>(),
        )
    };
    let prices = [price(20), price(50), price(20), price(1)];
    let vwap: Float64Array = close.iter().map(|&cents| cents as f64 / 99.7).collect();
    let mut count = |end: u64| -> Arc<dyn Array> {
        let counts = (0..ROWS).map(|_| random(end) as i64);
        Arc::new(Int64Array::from_iter_values(counts))
    };
    let volume = count(1_000_000);
    let trades = count(3000);
    let symbols: Vec<&str> = (0..ROWS).map(|row| SYMBOLS[row % SYMBOLS.len()]).collect();
    let minutes = (0..ROWS as i64).map(|row| 1_704_187_800_000_000 + row / 6 * 60_000_000);
    let instants = TimestampMicrosecondArray::from_iter_values(minutes).with_timezone("UTC");

    let [open, high, low, close] = prices;
    let columns: [(Field, Arc<dyn Array>); 9] = [
        (
            Type::Utf8.field("symbol"),
            Arc::new(StringArray::from(symbols)),
        ),
        (Type::Timestamp.field("timestamp"), Arc::new(instants)),
        (Type::F64.field("open"), open),
        (Type::F64.field("high"), high),
        (Type::F64.field("low"), low),
        (Type::F64.field("close"), close),
        (Type::I64.field("volume"), volume),
        (Type::I64.field("trade_count"), trades),
        (Type::F64.field("vwap"), Arc::new(vwap)),
    ];
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns of one length")
}

/// One column of texts of about `len` bytes; nothing needs quotes or escapes.
fn texts(ty: Type, len: usize) -> RecordBatch {
    let text = match ty {
        Type::Json => format!(
            r#"{{"id":12345,"text":"{}","on":[true,null]}}"#,
            "x".repeat(len)
        ),
        _ => "x".repeat(len),
    };
    let rows = 4_000_000 / text.len();
    let array = StringArray::from_iter_values(
        (0..rows).map(|row| &text[row % 3 * usize::from(ty == Type::Utf8)..]),
    );
    let schema = Schema::new(vec![ty.field("text")]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(array)]).expect("one column")
}

/// One column of doubles that need all their digits.
fn doubles() -> RecordBatch {
    let array: Float64Array = (1..ROWS).map(|row| (row as f64).sqrt()).collect();
    let schema = Schema::new(vec![Type::F64.field("x")]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(array)]).expect("one column")
}

fn csv(batch: &RecordBatch, out: &mut Vec<u8>) {
    let mut writer = CsvWriter::new(CsvStyle::default());
    writer.header(batch.schema_ref(), out);
    writer.batch(batch, out, None).expect("printable types");
}

fn ndjson(batch: &RecordBatch, out: &mut Vec<u8>) {
    let mut writer = JsonWriter::new(JsonStyle::lines(), true);
    writer.batch(batch, out, None).expect("printable types");
}

fn writers(c: &mut Criterion) {
    for (data, batch) in [
        ("bars", bars()),
        ("doubles", doubles()),
        ("short texts", texts(Type::Utf8, 12)),
        ("long texts", texts(Type::Utf8, 400)),
        ("json", texts(Type::Json, 40)),
    ] {
        let mut group = c.benchmark_group(data);
        for (format, write) in [
            ("csv", csv as fn(&RecordBatch, &mut Vec<u8>)),
            ("ndjson", ndjson),
        ] {
            let mut out = Vec::new();
            write(&batch, &mut out);
            group.throughput(Throughput::Bytes(out.len() as u64));
            group.bench_function(format, |b| {
                b.iter(|| {
                    out.clear();
                    write(black_box(&batch), &mut out);
                });
            });
        }
        group.finish();
    }
}

fn times(c: &mut Criterion) {
    let instants: Vec<i64> = (0..10_000)
        .map(|i| 1_704_187_800_000_000 + i * 61_000_000)
        .collect();
    let texts: Vec<[u8; 20]> = instants
        .iter()
        .map(|&instant| {
            let mut out = Vec::new();
            print_timestamp(instant, &mut out);
            out.try_into().expect("whole seconds of this century")
        })
        .collect();
    let mut group = c.benchmark_group("timestamp");
    group.throughput(Throughput::Elements(instants.len() as u64));
    group.bench_function("parse", |b| {
        b.iter(|| {
            texts
                .iter()
                .filter_map(|text| parse_timestamp(black_box(text)))
                .sum::<i64>()
        });
    });
    group.bench_function("is canonical", |b| {
        b.iter(|| {
            let pairs = texts.iter().zip(&instants);
            pairs
                .filter(|(text, instant)| is_canonical_timestamp(black_box(*text), **instant))
                .count()
        });
    });
    let mut out = Vec::new();
    group.bench_function("print", |b| {
        b.iter(|| {
            out.clear();
            for &instant in &instants {
                print_timestamp(black_box(instant), &mut out);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, writers, times);
criterion_main!(benches);
