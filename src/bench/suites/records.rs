//! Four kinds of small records in all formats: size, encode, decode and round trip.

use arrow_array::RecordBatch;
use prost::encoding::{DecodeContext, decode_key, message};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::formats::{LIMIT, broken, decode, encode_v2, read_text, same_rows};
use crate::bench::counting;
use crate::bench::run::{RowBuilder, Run};
use crate::columns::cast::{Provenance, Target, cast_column};
use crate::error::Result;
use crate::format::csv::{CsvOptions, CsvStyle};
use crate::format::exact::{Dialect, Printer};
use crate::format::frame::Frame;
use crate::pipeline::FrameSize;
use crate::units::counted;
use crate::wire;
use crate::wire::choose::Preset;
use crate::wire::v1::{EncodeOptions, Encoder};
use crate::workload::{Record, blobs, counters, messages, nested};

const ROWS: [usize; 3] = [1_000, 100, 10_000];
/// The Protobuf field number of a record in a list.
const ITEM: u32 = 1;

pub fn measure(run: &mut Run<'_>) -> Result<()> {
    run.note("rates count records; JSON (serde_json) and Protobuf (prost) convert from and to structs, v1, v2 and CSV (mbt's) from and to Arrow columns");
    run.note("v1 has no unsigned and no nested types: unsigned values are stored as signed, nested ones as JSON text made before timing starts");
    run.note("CSV has no binary type: bytes are written as hex and read back as text; nested values are JSON text in cells");
    if !counting::is_installed() {
        run.note("allocations are not counted: this program does not use the counting allocator");
    }
    for rows in run.sizes(&ROWS, 1) {
        kind(run, "messages", &messages(rows))?;
        if rows == ROWS[0] {
            kind(run, "counters", &counters(rows))?;
            kind(run, "nested", &nested(rows))?;
            kind(run, "bytes", &blobs(rows))?;
        }
    }
    Ok(())
}

/// Measures one kind of records in all formats.
fn kind<R>(run: &mut Run<'_>, name: &str, records: &[R]) -> Result<()>
where
    R: Record + Serialize + DeserializeOwned + PartialEq + prost::Message + Default,
{
    let count = records.len();
    run.table(format!("{name}, {}", counted(count as u64, "record")));
    let batch = R::batch(records);

    let v1 = wire_1_batch(&batch)?;
    let mut encoder = Encoder::new(EncodeOptions::default());
    let encode =
        |out: &mut Vec<u8>| encoder.encode(v1.schema_ref(), std::slice::from_ref(&v1), out);
    let mut decoder = wire::Decoder::new(LIMIT);
    let reuse = |bytes: &[u8]| {
        let batch = decode(&mut decoder, bytes)?;
        let rows = batch.num_rows();
        decoder.recycle(batch);
        Ok(rows)
    };
    format(run, "v1", count, encode, reuse, |rows| Ok(*rows == count))?;

    let encode = |out: &mut Vec<u8>| encode_v2(Preset::Balanced, &batch, out);
    let mut decoder = wire::Decoder::new(LIMIT);
    let same = |back: &RecordBatch| same_rows(back, &batch);
    format(
        run,
        "v2 balanced",
        count,
        encode,
        |bytes| decode(&mut decoder, bytes),
        same,
    )?;

    let same = |back: &Vec<R>| Ok(back == records);
    let encode = |out: &mut Vec<u8>| serde_json::to_writer(out, records).map_err(broken);
    let read = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(broken);
    format(run, "JSON", count, encode, read, same)?;

    let style = Dialect::Csv(CsvStyle::default());
    let csv = CsvOptions {
        delimiter: Some(b','),
        ..CsvOptions::default()
    };
    let encode = |out: &mut Vec<u8>| Printer::whole(&style, &batch, out);
    let read = |bytes: &[u8]| read_text(bytes, csv.clone(), FrameSize::Whole);
    let is_all = |frames: &Vec<Frame>| Ok(frames.iter().map(Frame::rows).sum::<usize>() == count);
    format(run, "CSV", count, encode, read, is_all)?;

    let encode = |out: &mut Vec<u8>| {
        message::encode_repeated(ITEM, records, out);
        Ok(())
    };
    format(run, "Protobuf", count, encode, proto_decode::<R>, same)
}

/// Measures one format, after a check that it restores the records.
fn format<T>(
    run: &mut Run<'_>,
    name: &str,
    records: usize,
    mut encode: impl FnMut(&mut Vec<u8>) -> Result<()>,
    mut decode: impl FnMut(&[u8]) -> Result<T>,
    is_restored: impl Fn(&T) -> Result<bool>,
) -> Result<()> {
    let mut bytes = Vec::new();
    encode(&mut bytes)?;
    run.check(
        is_restored(&decode(&bytes)?)?,
        format!("{name} did not restore the records"),
    );
    let mut out = Vec::with_capacity(bytes.len());
    row(run, name, "encode", records, &bytes).time(|| {
        out.clear();
        encode(&mut out)
    })?;
    row(run, name, "decode", records, &bytes).time(|| decode(&bytes))?;
    row(run, name, "round trip", records, &bytes).time(|| {
        out.clear();
        encode(&mut out)?;
        decode(&out)
    })
}

fn row<'r, 'a>(
    run: &'r mut Run<'a>,
    name: &str,
    what: &str,
    records: usize,
    bytes: &[u8],
) -> RowBuilder<'r, 'a> {
    run.row(format!("{name} {what}"))
        .bytes(bytes.len())
        .items(records, "records")
        .allocations()
}

fn proto_decode<R: prost::Message + Default>(mut bytes: &[u8]) -> Result<Vec<R>> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let (_, kind) = decode_key(&mut bytes).map_err(broken)?;
        let context = DecodeContext::default();
        message::merge_repeated(kind, &mut records, &mut bytes, context).map_err(broken)?;
    }
    Ok(records)
}

/// The batch with types that wire 1 supports.
fn wire_1_batch(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.schema_ref().fields().iter().zip(batch.columns());
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (field, array) in columns {
        let (field, fitted) =
            cast_column(field, vec![array.clone()], Target::Wire1, Provenance::Typed)?;
        fields.push(field);
        arrays.extend(fitted);
    }
    RecordBatch::try_new(arrow_schema::Schema::new(fields).into(), arrays).map_err(broken)
}
