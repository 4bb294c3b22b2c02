//! Allocations per operation, with a gate that keeps paths with reused buffers free of them.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use arrow_schema::Schema;

use super::formats::{LIMIT, broken, compressor, decode_v1_again, encode_v1, encode_v2, read_text};
use crate::bench::counting::{self, Calls};
use crate::bench::run::Run;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::pipeline::FrameSize;
use crate::schema::{FixedTypes, Type};
use crate::stream::{Codec, Decompressor};
use crate::wire::choose::Preset;
use crate::wire::v1::{Decoder, EncodeOptions, Encoder};
use crate::workload::{bar_rows, bars};

/// Warm-up operations, which are not counted.
const WARM_UP: u32 = 1_000;
/// Counted operations.
const COUNTED: u32 = 10_000;
/// Number of rows in the batches.
const ROWS: usize = 1_000;

pub fn measure(run: &mut Run<'_>) -> Result<()> {
    if !counting::is_installed() {
        return Err(
            Error::usage("alloc: this build of mbt does not count allocations")
                .hint("use cargo run --release --features count-allocations -- bench alloc"),
        );
    }
    run.note("counts are per operation, averaged over 10,000 operations after 1,000 uncounted ones; fewer for slow rows and with --quick");
    run.note("allocations by C libraries, such as zstd contexts, are not counted");
    run.note("decoding into reused buffers still builds a batch, for which Arrow allocates an Arc per array, buffer and field; reading one row of text includes creating a reader");
    run.table("gated: encode into reused buffers");
    cells(run)?;
    batches(run)?;
    codecs(run)?;
    run.table("not gated: decode, parse, wire 2");
    decoding(run)?;
    parsing(run)
}

/// Counts the allocations of a gated row.
fn gated(
    run: &mut Run<'_>,
    name: &str,
    bytes: usize,
    operation: impl FnMut() -> Result<()>,
) -> Result<()> {
    let Some(Calls {
        allocs, reallocs, ..
    }) = counted(run, name, bytes, operation)?
    else {
        return Ok(());
    };
    let (calls, gate) = (allocs + reallocs, run.options.args.gate);
    run.gate(format!(
        "no gated row has {gate} or more allocations per operation"
    ));
    run.check(
        calls < gate,
        format!("{name} has {calls:.2} allocations per operation"),
    );
    Ok(())
}

fn counted<T>(
    run: &mut Run<'_>,
    name: &str,
    bytes: usize,
    mut operation: impl FnMut() -> Result<T>,
) -> Result<Option<Calls>> {
    // One second is enough for a reliable mean.
    let begun = std::time::Instant::now();
    operation()?;
    let fitting = 1.0 / begun.elapsed().as_secs_f64().max(1e-9);
    let part = if run.options.args.quick { 10 } else { 1 };
    let counted = COUNTED.min(fitting as u32 + 10) / part;
    run.row(name)
        .bytes(bytes)
        .count(WARM_UP.min(counted), counted, operation)
}

/// One row at a time, as when writing a stream of messages.
fn cells(run: &mut Run<'_>) -> Result<()> {
    let cells: [(&str, Type, ArrayRef); 6] = [
        ("bool", Type::Bool, Arc::new(BooleanArray::from(vec![true]))),
        ("i32", Type::I32, Arc::new(Int32Array::from(vec![7]))),
        ("f32", Type::F32, Arc::new(Float32Array::from(vec![1.5]))),
        ("f64", Type::F64, Arc::new(Float64Array::from(vec![1.5]))),
        ("i64", Type::I64, Arc::new(Int64Array::from(vec![7]))),
        (
            "utf8(5)",
            Type::Utf8,
            Arc::new(StringArray::from(vec!["hello"])),
        ),
    ];
    for (name, ty, array) in cells {
        let schema = Arc::new(Schema::new(vec![ty.field("v")]));
        let batch = RecordBatch::try_new(schema, vec![array]).map_err(broken)?;
        encode(
            run,
            &format!("v1 encode a {name}"),
            EncodeOptions::default(),
            &batch,
        )?;
    }
    Ok(())
}

fn batches(run: &mut Run<'_>) -> Result<()> {
    let batch = bars(ROWS);
    encode(
        run,
        "v1 encode 1,000 bars plain",
        EncodeOptions::PLAIN,
        &batch,
    )?;
    let options = EncodeOptions::default();
    encode(run, "v1 encode 1,000 bars dict+delta", options, &batch)
}

fn encode(
    run: &mut Run<'_>,
    name: &str,
    options: EncodeOptions,
    batch: &RecordBatch,
) -> Result<()> {
    let (schema, batches) = (batch.schema(), std::slice::from_ref(batch));
    let mut encoder = Encoder::new(options);
    let mut out = Vec::new();
    encoder.encode(&schema, batches, &mut out)?;
    gated(run, name, out.len(), || {
        out.clear();
        encoder.encode(&schema, batches, &mut out)
    })
}

/// A frame of the batch with each codec.
fn codecs(run: &mut Run<'_>) -> Result<()> {
    let envelope = envelope()?;
    for codec in [Codec::Lz4, Codec::Zstd, Codec::Gzip] {
        let mut compressor = compressor(codec)?;
        let mut out = Vec::new();
        compressor.compress(&envelope, &mut out)?;
        let name = format!("{} compress 1,000 bars", codec.name());
        gated(run, &name, out.len(), || {
            out.clear();
            compressor.compress(&envelope, &mut out)
        })?;
    }
    Ok(())
}

fn decoding(run: &mut Run<'_>) -> Result<()> {
    let envelope = envelope()?;
    let again = decode_v1_again(&envelope);
    counted(run, "v1 decode 1,000 bars, reused", envelope.len(), again)?;
    counted(run, "v1 decode 1,000 bars", envelope.len(), || {
        Decoder::new(LIMIT).decode(&envelope)
    })?;
    for codec in [Codec::Lz4, Codec::Zstd, Codec::Gzip] {
        let mut stored = Vec::new();
        compressor(codec)?.compress(&envelope, &mut stored)?;
        let mut engine = Decompressor::new(LIMIT);
        let mut out = Vec::new();
        let name = format!("{} decompress 1,000 bars", codec.name());
        counted(run, &name, stored.len(), || {
            engine.decompress(codec, &stored, &mut out)
        })?;
    }
    let batch = bars(ROWS);
    let mut out = Vec::new();
    encode_v2(Preset::Fast, &batch, &mut out)?;
    let len = out.len();
    counted(run, "v2 fast encode 1,000 bars", len, || {
        encode_v2(Preset::Fast, &batch, &mut out)
    })
    .map(drop)
}

fn parsing(run: &mut Run<'_>) -> Result<()> {
    let spec = "pair:utf8,e_ms:i64,open:f64";
    counted(run, "parse a --schema of 3 columns", spec.len(), || {
        FixedTypes::parse(spec)
    })?;
    let row = serde_json::to_vec(&bar_rows(1)).map_err(broken)?;
    let json = Format::Json;
    counted(run, "read a row of JSON", row.len(), || {
        read_text(&row, json, FrameSize::Whole)
    })?;
    let row = b"pair,tf,e_ms,open\nBTCUSDT,1m,1700000000000,10000.1\n";
    let csv = Format::Csv;
    counted(run, "read a row of CSV", row.len(), || {
        read_text(row, csv, FrameSize::Whole)
    })
    .map(drop)
}

/// The batch with dictionaries and deltas.
fn envelope() -> Result<Vec<u8>> {
    encode_v1(EncodeOptions::default(), &bars(ROWS))
}
