//! Numeric runs under each preset, with section compression, on one thread; throughput in plain
//! bytes.
#![allow(missing_docs, clippy::expect_used)] // criterion's macros; the data is our own

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use mbt::wire::choose::{Cascade, Preset};
use mbt::wire::codec::SectionCodec;
use mbt::wire::encodings::{Node, ValueKind, bits};

const ROWS: usize = 1_000_000;

/// Rows that depend on the previous row and on chance.
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

/// Integers as in real columns.
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

/// Bytes of all buffers, compressed.
fn packed_len(codec: SectionCodec, node: &Node) -> usize {
    let mut len = 0;
    node.write(&mut Vec::new(), &mut |node, _| {
        len += codec.packed_len(&node.buffer, node.planes());
    });
    len
}

/// Encodes and decodes a run under each preset; sections are compressed as a file would hold them.
fn runs(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, kind: ValueKind, values: &[i64]) {
    group
        .throughput(Throughput::Bytes((size_of::<i64>() * ROWS) as u64))
        .sample_size(10);
    for preset in Preset::ALL {
        let preset_name = preset.name();
        let codec = preset.codec();
        let cascade = Cascade::new(preset, codec);
        let encode = || black_box(cascade).numbers(kind, values, None);
        group.bench_function(format!("{name}/{preset_name}/encode"), |bencher| {
            bencher.iter(|| packed_len(codec, &encode()));
        });
        let node = LazyCell::new(encode);
        let mut out = Vec::new();
        group.bench_function(format!("{name}/{preset_name}/decode"), |bencher| {
            bencher.iter(|| {
                out.clear();
                black_box(&*node)
                    .decode_numbers(kind, &mut out)
                    .expect("decodes");
            });
        });
    }
}

fn whole_numbers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ints");
    for (name, values) in columns() {
        runs(&mut group, name, ValueKind::Ints, &values);
    }
    group.finish();
}

fn decimals(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("floats");
    let columns = columns();
    let floats_of = |of: fn(f64) -> f64, column: usize| -> Vec<i64> {
        columns[column]
            .1
            .iter()
            .map(|value| bits::of(of(*value as f64)))
            .collect()
    };
    for (name, values) in [
        ("prices", floats_of(|cents| cents / 100.0, 3)),
        ("roots", floats_of(f64::sqrt, 5)),
    ] {
        runs(&mut group, name, ValueKind::Floats, &values);
    }
    group.finish();
}

criterion_group!(benches, whole_numbers, decimals);
criterion_main!(benches);
