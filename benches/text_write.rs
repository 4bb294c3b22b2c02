//! Speed of printing batches as text, on one thread.
//!
//! Bars and messages are the fixtures of `mbt bench`. The other batches hold one column each.
#![allow(missing_docs, clippy::expect_used)] // criterion's macros; the data is our own

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::{Float64Array, RecordBatch, StringArray};
use arrow_schema::Schema;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mbt::format::csv::CsvStyle;
use mbt::format::exact::{Dialect, Printer};
use mbt::schema::Type;
use mbt::text::json::JsonStyle;
use mbt::text::time::{parse_canonical_timestamp, parse_timestamp, print_timestamp};
use mbt::workload::{ChatMessage, Record as _, bars, messages};

const ROWS: usize = 100_000;

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

fn writers(c: &mut Criterion) {
    for (data, batch) in [
        ("bars", bars(ROWS)),
        ("messages", ChatMessage::batch(&messages(ROWS))),
        ("doubles", doubles()),
        ("short texts", texts(Type::Utf8, 12)),
        ("long texts", texts(Type::Utf8, 400)),
        ("json", texts(Type::Json, 40)),
    ] {
        let mut group = c.benchmark_group(data);
        for (format, dialect) in [
            ("csv", Dialect::Csv(CsvStyle::default())),
            ("ndjson", Dialect::Json(JsonStyle::lines())),
        ] {
            let mut out = Vec::new();
            Printer::whole(&dialect, &batch, &mut out).expect("printable types");
            group.throughput(Throughput::Bytes(out.len() as u64));
            group.bench_function(format, |b| {
                b.iter(|| {
                    out.clear();
                    Printer::whole(&dialect, black_box(&batch), &mut out).expect("printable types");
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
                .filter(|(text, instant)| {
                    parse_canonical_timestamp(black_box(*text)) == Some(**instant)
                })
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
