//! Wire 1 on the bars fixture: throughput, and a naive writer of the same encodings to compare with.
//!
//! Throughput is in plain bytes, independent of the encodings.
#![allow(missing_docs, clippy::expect_used)]

mod support;

use std::collections::HashMap;
use std::hint::black_box;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use mbt::bench::suites::formats::LIMIT;
use mbt::wire::v1::{Decoder, EncodeOptions, Encoder};
use mbt::workload::bars;

use self::support::plain_len;

const ROWS: usize = 100_000;

/// A naive writer of payloads: an owned key per row, one byte at a time.
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

/// Encodes and decodes the batch, in reused buffers.
fn both_ways(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    options: EncodeOptions,
    batch: &RecordBatch,
) {
    let (schema, batches) = (batch.schema(), std::slice::from_ref(batch));
    let plain = plain_len(batches);
    group.throughput(Throughput::Bytes(plain as u64));
    let mut encoder = Encoder::new(options);
    let mut out = Vec::new();
    group.bench_function(format!("encode/{name}"), |bencher| {
        bencher.iter(|| {
            out.clear();
            encoder
                .encode(&schema, black_box(batches), &mut out)
                .expect("writable");
        });
    });
    let mut reader = Decoder::new(LIMIT);
    group.bench_function(format!("decode/{name}"), |bencher| {
        bencher.iter(|| {
            let decoded = reader.decode(black_box(&out)).expect("readable");
            reader.recycle(decoded.batch);
        });
    });
}

fn bars_100k(criterion: &mut Criterion) {
    let batch = bars(ROWS);
    let mut group = criterion.benchmark_group("bars_100k");
    both_ways(&mut group, "opt", EncodeOptions::default(), &batch);
    both_ways(&mut group, "plain", EncodeOptions::PLAIN, &batch);
    let mut out = Vec::new();
    group.bench_function("encode/naive", |bencher| {
        bencher.iter(|| naive(black_box(&batch), &mut out));
    });
    group.finish();
}

/// One column at a time, to show which ones take the time.
fn columns(criterion: &mut Criterion) {
    let batch = bars(ROWS);
    let mut group = criterion.benchmark_group("column");
    for name in ["pair", "tf", "e_ms", "open"] {
        let position = batch.schema().index_of(name).expect("there is one");
        let one = batch.project(&[position]).expect("there is one");
        both_ways(&mut group, name, EncodeOptions::default(), &one);
    }
    group.finish();
}

criterion_group!(benches, bars_100k, columns);
criterion_main!(benches);
