//! Wire 2 in memory, on one thread; throughput in plain bytes of the columns.
//!
//! `encode` does what `mbt convert` does: it searches for encodings in the first frame and reuses them for the others.
//! `follow` encodes the last frame by the plans of the first. The data are fixtures of `mbt bench`; if `MBT_BENCH_CSV`
//! contains the path of a CSV file, that file replaces all fixtures except bars.
#![allow(missing_docs, clippy::expect_used)] // criterion's macros; the data is our own

mod support;

use std::cell::LazyCell;
use std::hint::black_box;

use arrow_array::{ArrayRef, RecordBatch};
use criterion::{BatchSize, Bencher, Criterion, Throughput, criterion_group, criterion_main};
use mbt::bench::suites::formats::{LIMIT, decode, read_text};
use mbt::format::Format;
use mbt::pipeline::FrameSize;
use mbt::wire::Decoder;
use mbt::wire::choose::Preset;
use mbt::wire::v2::{EncodeOptions, EncodedColumn, Encoder, Plan, PriorFrames};
use mbt::workload::{ChatMessage, Nested, Record as _, bars, messages, nested};

use self::support::plain_len;

const ROWS: usize = 100_000;

/// Frames with their batches, by name.
fn data() -> Vec<(String, Vec<Vec<RecordBatch>>)> {
    let mut data = vec![("bars".to_owned(), vec![vec![bars(ROWS)]])];
    if let Ok(path) = std::env::var("MBT_BENCH_CSV") {
        let text = std::fs::read(&path).expect("MBT_BENCH_CSV can be read");
        let format = Format::Csv;
        let frames = read_text(&text, format, FrameSize::TextBytes(format.frame_bytes()))
            .expect("MBT_BENCH_CSV is CSV");
        let frames = frames.into_iter().map(|frame| frame.batches).collect();
        data.push(("file".to_owned(), frames));
    } else {
        let batches = [
            ("messages", ChatMessage::batch(&messages(ROWS))),
            ("nested", Nested::batch(&nested(ROWS))),
        ];
        data.extend(batches.map(|(name, batch)| (name.to_owned(), vec![vec![batch]])));
    }
    data
}

fn len(frames: &[Vec<RecordBatch>]) -> Throughput {
    let lens = frames.iter().map(|frame| plain_len(frame));
    Throughput::Bytes(lens.sum::<usize>() as u64)
}

/// Replaces the contents of `out` with a frame of these batches, as `mbt convert` writes it. With the plans of an
/// earlier frame, it is written like a later frame of a file, without another search for encodings.
fn encode_frame(preset: Preset, batches: &[RecordBatch], plans: &[Plan], out: &mut Vec<u8>) {
    let (encoder, columns) = encoded_columns(preset, batches, plans);
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    out.clear();
    let schema = batches[0].schema();
    let written = encoder.envelope(rows, schema.metadata(), columns, None, out);
    written.expect("writable");
}

/// The encodings chosen for these batches, for later frames.
fn plans(preset: Preset, batches: &[RecordBatch]) -> Vec<Plan> {
    let (_, columns) = encoded_columns(preset, batches, &[]);
    columns.iter().map(|column| column.plan(None)).collect()
}

fn encoded_columns(
    preset: Preset,
    batches: &[RecordBatch],
    plans: &[Plan],
) -> (Encoder<'static>, Vec<EncodedColumn>) {
    let len = batches.iter().map(RecordBatch::get_array_memory_size).sum();
    let options = EncodeOptions::of(preset).for_frame(len, 0);
    let encoder = Encoder::new(options);
    let schema = batches[0].schema();
    let fields = schema.fields().iter().enumerate();
    let chunks = |at: usize| -> Vec<ArrayRef> {
        let arrays = batches.iter().map(|batch| batch.column(at));
        arrays.map(ArrayRef::clone).collect()
    };
    let columns = fields.map(|(at, field)| {
        let prior = follow(plans.get(at));
        let column = encoder.groupable_column(field.clone(), chunks(at), prior);
        (column.expect("writable"), prior)
    });
    let columns = encoder.group(columns.collect());
    (encoder, columns.expect("writable"))
}

fn follow(plan: Option<&Plan>) -> PriorFrames<'_> {
    PriorFrames {
        plan,
        ..PriorFrames::default()
    }
}

fn encoded(preset: Preset, frame: &[RecordBatch]) -> Vec<u8> {
    let mut out = Vec::new();
    encode_frame(preset, frame, &[], &mut out);
    out
}

fn frames(criterion: &mut Criterion) {
    for (name, frames) in data() {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for preset in Preset::ALL {
            let preset_name = preset.name();
            let last = &frames[frames.len() - 1..];
            // Made only for the measured cases, to keep profiles free of anything else.
            let plans = LazyCell::new(|| plans(preset, &frames[0]));
            let mut out = Vec::new();
            group.throughput(len(last));
            group.bench_function(format!("{preset_name}/follow"), |bencher| {
                let frame = black_box(&last[0]);
                bencher.iter(|| encode_frame(preset, frame, &plans, &mut out));
            });
            group.throughput(len(&frames));
            group.bench_function(format!("{preset_name}/encode"), |bencher| {
                bencher.iter(|| {
                    for (at, frame) in frames.iter().enumerate() {
                        let plans = if at == 0 { &[] } else { &plans[..] };
                        encode_frame(preset, black_box(frame), plans, &mut out);
                    }
                });
            });
            let stored = LazyCell::new(|| {
                let stored = frames.iter().map(|frame| encoded(preset, frame));
                stored.collect::<Vec<_>>()
            });
            group.bench_function(format!("{preset_name}/decode"), |bencher| {
                timed_decode(bencher, &stored);
            });
        }
        group.finish();
    }
}

/// One column of the first frame at a time, to show which ones take the time.
fn columns(criterion: &mut Criterion) {
    for (name, frames) in data() {
        let frame = &frames[0];
        let options = EncodeOptions::of(Preset::Balanced).for_frame(plain_len(frame), 0);
        let encoder = Encoder::new(options);
        let mut group = criterion.benchmark_group(format!("columns of {name}"));
        group.sample_size(10);
        for (at, field) in frame[0].schema().fields().iter().enumerate() {
            let project = |batch: &RecordBatch| batch.project(&[at]).expect("there is one");
            let batches: Vec<RecordBatch> = frame.iter().map(project).collect();
            let arrays: Vec<ArrayRef> =
                frame.iter().map(|batch| batch.column(at).clone()).collect();
            let plan = LazyCell::new(|| {
                let column = encoder.column(field, arrays.clone(), follow(None));
                column.expect("writable").plan(None)
            });
            group.throughput(len(std::slice::from_ref(&batches)));
            for (kind, follows) in [("encode", false), ("follow", true)] {
                group.bench_function(format!("{}/{kind}", field.name()), |bencher| {
                    let plan = follows.then(|| &*plan);
                    let arrays = black_box(&arrays);
                    bencher.iter(|| {
                        encoder
                            .column(field, arrays.clone(), follow(plan))
                            .expect("writable")
                    });
                });
            }
            let stored = LazyCell::new(|| vec![encoded(Preset::Balanced, &batches)]);
            group.bench_function(format!("{}/decode", field.name()), |bencher| {
                timed_decode(bencher, &stored);
            });
        }
        group.finish();
    }
}

/// Decoded batches are dropped outside the measured time.
fn timed_decode(bencher: &mut Bencher<'_>, stored: &[Vec<u8>]) {
    let mut decoder = Decoder::new(LIMIT);
    let mut each = |bytes: &Vec<u8>| decode(&mut decoder, black_box(bytes)).expect("readable");
    bencher.iter_batched(
        || (),
        |()| stored.iter().map(&mut each).collect::<Vec<_>>(),
        BatchSize::PerIteration,
    );
}

criterion_group!(benches, frames, columns);
criterion_main!(benches);
