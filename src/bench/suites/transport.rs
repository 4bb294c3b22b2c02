//! The bars fixture, whose sizes are published: batches to envelopes and back, and codecs applied to them.

use arrow_array::RecordBatch;

use super::formats::{LIMIT, both_ways_v2, compressor, decode_v1_again};
use crate::bench::run::Run;
use crate::error::Result;
use crate::stream::{Codec, Decompressor};
use crate::units::counted;
use crate::wire::choose::Preset;
use crate::wire::v1::{Decoder, EncodeOptions, Encoder};
use crate::workload::bars;

const ROWS: [usize; 2] = [2_000, 100_000];
/// Number of batches for envelopes made of several batches.
const BATCHES: usize = 8;
const CODECS: [(&str, Codec); 3] = [
    ("zstd 3", Codec::Zstd),
    ("gzip 6", Codec::Gzip),
    ("lz4", Codec::Lz4),
];

pub fn measure(run: &mut Run<'_>) -> Result<()> {
    run.note(
        "rates count the bytes of the plain envelope; rates of codecs count their input bytes",
    );
    run.note("codecs wrap the envelope with dict and delta; zstd is one-shot, with content size");
    run.note("v1 encode plain is a copy, and the speed of copies depends on the buffers' addresses modulo 4096: it can vary by 40 % between processes");
    run.note("bars follow formulas that v2 detects: its sizes here say nothing about real prices");
    run.note(
        "gzip is written by zlib-rs, so its bytes differ from those of miniz_oxide and GNU gzip",
    );
    for rows in run.sizes(&ROWS, 2) {
        let batch = bars(rows);
        run.table(format!("bars, {}", counted(rows as u64, "row")));
        let plain = version_1(run, &batch)?;
        for preset in Preset::ALL {
            both_ways_v2(run, preset, &batch, plain)?;
        }
    }
    Ok(())
}

/// Measures encoding and decoding; returns the size of the plain envelope.
fn version_1(run: &mut Run<'_>, batch: &RecordBatch) -> Result<usize> {
    let whole = std::slice::from_ref(batch);
    let step = batch.num_rows().div_ceil(BATCHES).max(1);
    let parts: Vec<RecordBatch> = (0..batch.num_rows())
        .step_by(step)
        .map(|from| batch.slice(from, step.min(batch.num_rows() - from)))
        .collect();
    let schema = batch.schema();
    let mut plain = 0;
    let mut out = Vec::new();
    let kinds = [
        ("plain", EncodeOptions::PLAIN),
        ("dict+delta", EncodeOptions::default()),
    ];
    for (name, options) in kinds {
        let mut encoder = Encoder::new(options);
        out.clear();
        encoder.encode(&schema, whole, &mut out)?;
        if options == EncodeOptions::PLAIN {
            plain = out.len();
        }
        let stored = out.clone();
        for (from, batches) in [("", whole), (", from 8 batches", &parts)] {
            run.row(format!("v1 encode {name}{from}"))
                .packed(stored.len(), plain)
                .time(|| {
                    out.clear();
                    encoder.encode(&schema, batches, &mut out)
                })?;
            run.check(
                out == stored,
                format!("{name}{from} writes different bytes"),
            );
        }
        let same = Decoder::new(LIMIT).decode(&stored)?.batch == *batch;
        run.check(same, format!("{name} did not restore its input"));
        run.row(format!("v1 decode {name}"))
            .sized(stored.len(), plain)
            .time(|| Decoder::new(LIMIT).decode(&stored))?;
        run.row(format!("v1 decode {name}, reused buffers"))
            .sized(stored.len(), plain)
            .time(decode_v1_again(&stored))?;
    }
    let envelope = out;
    for (name, codec) in CODECS {
        let mut compressor = compressor(codec)?;
        let mut stored = Vec::new();
        compressor.compress(&envelope, &mut stored)?;
        let mut out = Vec::new();
        run.row(format!("{name} compress"))
            .sized(stored.len(), envelope.len())
            .ratio(plain)
            .time(|| {
                out.clear();
                compressor.compress(&envelope, &mut out)
            })?;
        let mut decompressor = Decompressor::new(LIMIT);
        run.row(format!("{name} decompress"))
            .sized(stored.len(), envelope.len())
            .time(|| decompressor.decompress(codec, &stored, &mut out))?;
        decompressor.decompress(codec, &stored, &mut out)?;
        run.check(out == envelope, format!("{name} did not restore its input"));
    }
    Ok(plain)
}
