//! Numeric runs under each preset, with section compression, on one thread; throughput in plain
//! bytes.
#![allow(missing_docs, clippy::expect_used)] // criterion's macros; the data is our own

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mbt::wire::choose::codec::Codec;
use mbt::wire::choose::{Cascade, Preset};
use mbt::wire::encodings::{Node, floats, ints};

const ROWS: usize = 1_000_000;

const PRESETS: [(&str, Preset, Codec); 3] = [
    ("fast", Preset::Fast, Codec::Lz4),
    ("balanced", Preset::Balanced, Codec::Zstd(3)),
    ("small", Preset::Small, Codec::Zstd(12)),
];

/// Whole numbers as columns have them.
fn columns() -> Vec<(&'static str, Vec<i64>)> {
    let mut state = 1_u64;
    let mut random = |end: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end) as i64
    };
    let mut run = |next: &mut dyn FnMut(&mut dyn FnMut(u64) -> i64, i64) -> i64| {
        let mut value = 0;
        (0..ROWS)
            .map(|_| {
                value = next(&mut random, value);
                value
            })
            .collect::<Vec<_>>()
    };
    vec![
        ("sorted_keys", run(&mut |random, key| key + random(4))),
        (
            "timestamps",
            run(&mut |random, at| at + 60_000_000 + random(20) / 19 * 3_600_000_000),
        ),
        (
            "codes",
            run(&mut |random, _| random(7) * random(7) * 1_000_003),
        ),
        ("walk", run(&mut |random, price| price + random(41) - 20)),
        (
            "runs",
            run(&mut |random, value| {
                if random(50) == 0 {
                    random(100_000)
                } else {
                    value
                }
            }),
        ),
        ("noise", run(&mut |random, _| random(1 << 40))),
    ]
}

/// The sections as a file would hold them, in bytes.
fn compressed(node: &Node, codec: Codec) -> u64 {
    codec.cost(node)
}

fn whole_numbers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ints");
    group
        .throughput(Throughput::Bytes(8 * ROWS as u64))
        .sample_size(10);
    for (name, values) in columns() {
        for (preset_name, preset, codec) in PRESETS {
            let cascade = Cascade::new(preset, codec);
            group.bench_function(format!("{name}/{preset_name}/encode"), |bencher| {
                bencher.iter(|| compressed(&cascade.ints(black_box(&values)), codec));
            });
            let node = cascade.ints(&values);
            let mut out = Vec::new();
            group.bench_function(format!("{name}/{preset_name}/decode"), |bencher| {
                bencher.iter(|| {
                    out.clear();
                    ints::decode(black_box(&node), &mut out).expect("decodes");
                });
            });
        }
    }
    group.finish();
}

fn decimals(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("floats");
    group
        .throughput(Throughput::Bytes(8 * ROWS as u64))
        .sample_size(10);
    let columns = columns();
    let prices: Vec<f64> = columns[3]
        .1
        .iter()
        .map(|cents| *cents as f64 / 100.0)
        .collect();
    let roots: Vec<f64> = columns[5]
        .1
        .iter()
        .map(|value| (*value as f64).sqrt())
        .collect();
    for (name, values) in [("prices", prices), ("roots", roots)] {
        for (preset_name, preset, codec) in PRESETS {
            let cascade = Cascade::new(preset, codec);
            group.bench_function(format!("{name}/{preset_name}/encode"), |bencher| {
                bencher.iter(|| compressed(&cascade.floats(black_box(&values)), codec));
            });
            let node = cascade.floats(&values);
            let mut out = Vec::new();
            group.bench_function(format!("{name}/{preset_name}/decode"), |bencher| {
                bencher.iter(|| {
                    out.clear();
                    floats::decode(black_box(&node), &mut out).expect("decodes");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, whole_numbers, decimals);
criterion_main!(benches);
