//! Wire 1 on the bars fixture: throughput, and a naive writer of the same encodings to compare with.
//!
//! Throughput counts plain bytes, whatever the encodings make of them.
#![allow(missing_docs, clippy::expect_used)]

use std::collections::HashMap;
use std::hint::black_box;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mbt::wire::v1::{Decoder, EncodeOptions, Encoder};
use mbt::workload::bars;

const ROWS: usize = 100_000;

/// Payloads as one would write them at first: an owned key per row, a byte at a time.
fn naive(batch: &RecordBatch, out: &mut Vec<u8>) {
    out.clear();
    for column in batch.columns() {
        match column.data_type() {
            DataType::Utf8 => {
                let mut entries: HashMap<Vec<u8>, u32> = HashMap::new();
                let mut bytes = Vec::new();
                for text in column.as_string::<i32>() {
                    let text = text.unwrap_or("").as_bytes();
                    let next = entries.len() as u32;
                    let index = *entries.entry(text.to_vec()).or_insert_with(|| {
                        bytes.extend_from_slice(text);
                        next
                    });
                    out.push(index as u8);
                }
                out.extend_from_slice(&bytes);
            }
            DataType::Int64 => {
                let mut before = 0;
                for number in column.as_primitive::<Int64Type>().values() {
                    let delta = number.wrapping_sub(before);
                    before = *number;
                    let mut zigzag = (delta << 1 ^ delta >> 63) as u64;
                    while zigzag >= 0x80 {
                        out.push(zigzag as u8 | 0x80);
                        zigzag >>= 7;
                    }
                    out.push(zigzag as u8);
                }
            }
            _ => {
                for number in column.as_primitive::<Float64Type>().values() {
                    out.extend_from_slice(&number.to_le_bytes());
                }
            }
        }
    }
}

fn bars_100k(criterion: &mut Criterion) {
    let batch = bars(ROWS);
    let schema = batch.schema();
    let batches = [batch];
    let mut out = Vec::new();
    let mut group = criterion.benchmark_group("bars_100k");
    for (name, options) in [
        ("opt", EncodeOptions::default()),
        ("plain", EncodeOptions::PLAIN),
    ] {
        let mut encoder = Encoder::new(options);
        group.throughput(Throughput::Bytes(6_600_220));
        group.bench_function(format!("encode/{name}"), |bencher| {
            bencher.iter(|| {
                out.clear();
                encoder
                    .encode(&schema, black_box(&batches), &mut out)
                    .expect("writable");
            });
        });
        let mut reader = Decoder::new(1 << 30);
        group.bench_function(format!("decode/{name}"), |bencher| {
            bencher.iter(|| {
                let decoded = reader.decode(black_box(&out)).expect("readable");
                reader.recycle(decoded.batch);
            });
        });
    }
    group.bench_function("encode/naive", |bencher| {
        bencher.iter(|| naive(black_box(&batches[0]), &mut out));
    });
    group.finish();
}

/// One column at a time, to see where the time goes.
fn columns(criterion: &mut Criterion) {
    let batch = bars(ROWS);
    let mut group = criterion.benchmark_group("column");
    for (position, bytes_per_row) in [(0, 11), (1, 6), (2, 8), (3, 8)] {
        let one = batch.project(&[position]).expect("there is such a column");
        let name = one.schema().field(0).name().clone();
        let schema = one.schema();
        let batches = [one];
        let mut out = Vec::new();
        let mut encoder = Encoder::new(EncodeOptions::default());
        group.throughput(Throughput::Bytes(bytes_per_row * ROWS as u64));
        group.bench_function(format!("encode/{name}"), |bencher| {
            bencher.iter(|| {
                out.clear();
                encoder
                    .encode(&schema, black_box(&batches), &mut out)
                    .expect("writable");
            });
        });
        let mut reader = Decoder::new(1 << 30);
        group.bench_function(format!("decode/{name}"), |bencher| {
            bencher.iter(|| {
                let decoded = reader.decode(black_box(&out)).expect("readable");
                reader.recycle(decoded.batch);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bars_100k, columns);
criterion_main!(benches);
