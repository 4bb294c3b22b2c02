//! Wire 2 on the fixtures of `mbt bench`, each preset on one thread; throughput in rows.
#![allow(missing_docs, clippy::expect_used)] // criterion's macros; the data is our own

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mbt::bench::suites::formats::{LIMIT, PRESETS, decode, encode_v2};
use mbt::wire::Decoder;
use mbt::workload::{Message, Nested, Record as _, bars, messages, nested};

const ROWS: usize = 10_000;

fn fixtures(criterion: &mut Criterion) {
    let batches = [
        ("bars", bars(ROWS)),
        ("messages", Message::batch(&messages(ROWS))),
        ("nested", Nested::batch(&nested(ROWS))),
    ];
    for (fixture, batch) in batches {
        let mut group = criterion.benchmark_group(fixture);
        group
            .throughput(Throughput::Elements(ROWS as u64))
            .sample_size(20);
        for (name, preset) in PRESETS {
            let mut out = Vec::new();
            group.bench_function(format!("{name}/encode"), |bencher| {
                bencher.iter(|| encode_v2(preset, black_box(&batch), &mut out).expect("writable"));
            });
            encode_v2(preset, &batch, &mut out).expect("writable");
            let mut decoder = Decoder::new(LIMIT);
            group.bench_function(format!("{name}/decode"), |bencher| {
                bencher.iter(|| decode(&mut decoder, black_box(&out)).expect("readable"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, fixtures);
criterion_main!(benches);
