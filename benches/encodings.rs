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

/// A row after the other, each made from the row before and chance.
fn run(mut next: impl FnMut(i64, &mut Chance) -> i64) -> Vec<i64> {
    let mut chance = Chance(1);
    let mut value = 0;
    (0..ROWS)
        .map(|_| {
            value = next(value, &mut chance);
            value
        })
        .collect()
}

/// Xorshift: the same rows each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end) as i64
    }
}

/// Whole numbers as columns have them.
fn columns() -> Vec<(&'static str, Vec<i64>)> {
    vec![
        ("sorted_keys", run(|key, chance| key + chance.below(4))),
        (
            "timestamps",
            run(|at, chance| at + 60_000_000 + chance.below(20) / 19 * 3_600_000_000),
        ),
        (
            "codes",
            run(|_, chance| chance.below(7) * chance.below(7) * 1_000_003),
        ),
        ("walk", run(|price, chance| price + chance.below(41) - 20)),
        (
            "runs",
            run(|value, chance| {
                if chance.below(50) == 0 {
                    chance.below(100_000)
                } else {
                    value
                }
            }),
        ),
        ("noise", run(|_, chance| chance.below(1 << 40))),
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
