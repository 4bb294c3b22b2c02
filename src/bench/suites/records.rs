//! Four kinds of small records in all formats: size, encode, decode and round trip.

use arrow_array::RecordBatch;
use prost::encoding::{DecodeContext, decode_key, message};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::formats::{LIMIT, broken, decode, encode_v2, read_text, same_rows};
use crate::bench::counting;
use crate::bench::run::Run;
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

/// A format that encodes and decodes records.
trait RecordCodec {
    /// The decoded form.
    type Decoded;

    fn encode(&mut self, out: &mut Vec<u8>) -> Result<()>;
    fn decode(&mut self, bytes: &[u8]) -> Result<Self::Decoded>;
    /// Number of records.
    fn records(decoded: &Self::Decoded) -> usize;
}

fn kind<R>(run: &mut Run<'_>, name: &str, records: &[R]) -> Result<()>
where
    R: Record + Serialize + DeserializeOwned + PartialEq + prost::Message + Default,
{
    run.table(format!(
        "{name}, {}",
        counted(records.len() as u64, "record")
    ));
    let batch = R::batch(records);
    let back = proto_decode::<R>(&proto(records))?;
    run.check(
        back == records,
        format!("{name}: Protobuf did not restore the records"),
    );
    let json = serde_json::to_vec(records).map_err(broken)?;
    let back: Vec<R> = serde_json::from_slice(&json).map_err(broken)?;
    run.check(back == records, format!("{name}: JSON was not restored"));

    let mut bytes = Vec::new();
    encode_v2(Preset::Balanced, &batch, &mut bytes)?;
    let back = decode(&mut wire::Decoder::new(LIMIT), &bytes)?;
    run.check(
        same_rows(&back, &batch)?,
        format!("{name}: v2 did not restore the records"),
    );

    format(run, "v1", records.len(), V1::new(&batch)?)?;
    format(run, "v2 balanced", records.len(), V2::new(&batch))?;
    format(run, "JSON", records.len(), Json(records))?;
    format(run, "CSV", records.len(), Csv(&batch))?;
    format(run, "Protobuf", records.len(), Protobuf(records))
}

fn format<C: RecordCodec>(
    run: &mut Run<'_>,
    name: &str,
    records: usize,
    mut codec: C,
) -> Result<()> {
    let mut bytes = Vec::new();
    codec.encode(&mut bytes)?;
    run.check(
        C::records(&codec.decode(&bytes)?) == records,
        format!("{name}: records are missing"),
    );
    let mut out = Vec::with_capacity(bytes.len());
    run.row(format!("{name} encode"))
        .bytes(bytes.len())
        .items(records, "records")
        .allocations()
        .time(|| {
            out.clear();
            codec.encode(&mut out)
        })?;
    run.row(format!("{name} decode"))
        .bytes(bytes.len())
        .items(records, "records")
        .allocations()
        .time(|| codec.decode(&bytes))?;
    run.row(format!("{name} round trip"))
        .bytes(bytes.len())
        .items(records, "records")
        .allocations()
        .time(|| {
            out.clear();
            codec.encode(&mut out)?;
            codec.decode(&out)
        })
}

struct V1 {
    batch: RecordBatch,
    encoder: Encoder,
    decoder: wire::Decoder,
}

impl V1 {
    fn new(batch: &RecordBatch) -> Result<Self> {
        Ok(Self {
            batch: wire_1_batch(batch)?,
            encoder: Encoder::new(EncodeOptions::default()),
            decoder: wire::Decoder::new(LIMIT),
        })
    }
}

impl RecordCodec for V1 {
    /// Number of rows; returns the batch's buffers.
    type Decoded = usize;

    fn encode(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let batches = std::slice::from_ref(&self.batch);
        self.encoder.encode(self.batch.schema_ref(), batches, out)
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<usize> {
        let batch = decode(&mut self.decoder, bytes)?;
        let rows = batch.num_rows();
        self.decoder.recycle(batch);
        Ok(rows)
    }

    fn records(rows: &usize) -> usize {
        *rows
    }
}

struct V2<'a> {
    batch: &'a RecordBatch,
    decoder: wire::Decoder,
}

impl<'a> V2<'a> {
    fn new(batch: &'a RecordBatch) -> Self {
        let decoder = wire::Decoder::new(LIMIT);
        Self { batch, decoder }
    }
}

impl RecordCodec for V2<'_> {
    type Decoded = RecordBatch;

    fn encode(&mut self, out: &mut Vec<u8>) -> Result<()> {
        encode_v2(Preset::Balanced, self.batch, out)
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<RecordBatch> {
        decode(&mut self.decoder, bytes)
    }

    fn records(batch: &RecordBatch) -> usize {
        batch.num_rows()
    }
}

struct Json<'a, R>(&'a [R]);

impl<R: Serialize + DeserializeOwned> RecordCodec for Json<'_, R> {
    type Decoded = Vec<R>;

    fn encode(&mut self, out: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(out, self.0).map_err(broken)
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<Vec<R>> {
        serde_json::from_slice(bytes).map_err(broken)
    }

    fn records(records: &Vec<R>) -> usize {
        records.len()
    }
}

struct Csv<'a>(&'a RecordBatch);

impl RecordCodec for Csv<'_> {
    type Decoded = Vec<Frame>;

    fn encode(&mut self, out: &mut Vec<u8>) -> Result<()> {
        Printer::whole(&Dialect::Csv(CsvStyle::default()), self.0, out)
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<Vec<Frame>> {
        let csv = CsvOptions {
            delimiter: Some(b','),
            ..CsvOptions::default()
        };
        read_text(bytes, csv, FrameSize::Whole)
    }

    fn records(frames: &Vec<Frame>) -> usize {
        frames.iter().map(Frame::rows).sum()
    }
}

struct Protobuf<'a, R>(&'a [R]);

impl<R: prost::Message + Default> RecordCodec for Protobuf<'_, R> {
    type Decoded = Vec<R>;

    fn encode(&mut self, out: &mut Vec<u8>) -> Result<()> {
        message::encode_repeated(ITEM, self.0, out);
        Ok(())
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<Vec<R>> {
        proto_decode::<R>(bytes)
    }

    fn records(records: &Vec<R>) -> usize {
        records.len()
    }
}

/// Records one after the other, each as an item of a list.
fn proto<R: prost::Message>(records: &[R]) -> Vec<u8> {
    let mut out = Vec::with_capacity(records.iter().map(|record| record.encoded_len() + 6).sum());
    message::encode_repeated(ITEM, records, &mut out);
    out
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
