//! The public API for reading and writing batches; re-exported at the root of the crate.

mod indexed;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use arrow_array::RecordBatch;

use crate::columns::TextOptions;
use crate::columns::cast::Target;
use crate::error::{Error, Result};
use crate::format::frame::Frame;
use crate::format::{Format, InputFormat};
use crate::pipeline::{Batches, FrameSize, PipelineOptions, Source};
use crate::schema::keys::is_hidden;
use crate::stream::{Entry, FramePlace, Index};
use crate::wire::choose::Preset;
use crate::wire::{DEFAULT_MAX_FRAME, v1, v2};

pub use indexed::IndexedReader;

/// Number of bytes of text per batch.
const BATCH_TEXT_BYTES: u64 = 8 << 20;

/// An iterator over the batches of a CSV, JSON, Arrow or MATHLDBT file or stream.
///
/// The types of text columns are inferred per batch, so a later batch may have other types. The input is read on a
/// separate thread.
///
/// ```
/// use mbt::{Format, Reader};
///
/// let text = "id,price\n1,2.5\n2,3.25\n";
/// let mut rows = 0;
/// for batch in Reader::new(text.as_bytes(), Format::Csv)? {
///     let batch = batch?;
///     assert_eq!(batch.schema().field(1).name(), "price");
///     rows += batch.num_rows();
/// }
/// assert_eq!(rows, 2);
/// # Ok::<(), mbt::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader {
    batches: Batches,
}

impl Reader {
    /// Opens a file in the format given by its extension.
    ///
    /// ```no_run
    /// for batch in mbt::Reader::open("bars.mbt")? {
    ///     println!("{} rows", batch?.num_rows());
    /// }
    /// # Ok::<(), mbt::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Kind::Io`](crate::Kind::Io) if the file cannot be opened, [`Kind::Usage`](crate::Kind::Usage) if its
    /// extension is not known.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let format = Format::of_extension(path).ok_or_else(|| {
            Error::usage("the extension does not belong to a known format").in_file(path)
        })?;
        let cannot = |error| Error::io("cannot open", error).in_file(path);
        let file = File::open(path).map_err(cannot)?;
        Self::start(Source {
            path: path.to_owned(),
            bytes: Box::new(file.try_clone().map_err(cannot)?),
            file: Some(file),
            format: format.into(),
        })
    }

    /// Reads a stream in a known format: a [`Format`], or the [`CsvOptions`](crate::CsvOptions) of CSV.
    ///
    /// # Errors
    /// [`Kind::Io`](crate::Kind::Io) if no thread can be started.
    pub fn new(bytes: impl Read + Send + 'static, format: impl Into<InputFormat>) -> Result<Self> {
        Self::start(Source::stream("<stream>", bytes, format))
    }

    fn start(source: Source) -> Result<Self> {
        let text = TextOptions::default();
        let size = FrameSize::TextBytes(BATCH_TEXT_BYTES);
        let batches = Batches::new(
            vec![source],
            PipelineOptions::all(text, size, DEFAULT_MAX_FRAME),
        )?;
        Ok(Self { batches })
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        Some(batch.and_then(values))
    }
}

/// Casts a batch to the types that tools compute with.
fn values(batch: RecordBatch) -> Result<RecordBatch> {
    let frame = Frame {
        schema: batch.schema(),
        batches: vec![batch],
    };
    let mut frame = frame.cast(Target::Values)?;
    match frame.batches.pop() {
        Some(batch) => visible(&batch),
        None => Ok(RecordBatch::new_empty(frame.schema)),
    }
}

/// Removes the columns that only serve to restore a source text.
fn visible(batch: &RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema();
    let fields = schema.fields().iter().enumerate();
    let shown = fields.filter(|(_, field)| !is_hidden(field));
    let shown: Vec<usize> = shown.map(|(position, _)| position).collect();
    batch.project(&shown).map_err(Error::input)
}

/// Writes batches as frames of version 2, followed by the index that makes the stream complete.
///
/// ```
/// use mbt::{Format, Preset, Reader, Writer};
///
/// let csv = Reader::new("a,b\n1,x\n2,y\n".as_bytes(), Format::Csv)?;
/// let mut writer = Writer::new(Vec::new(), Preset::Balanced);
/// for batch in csv {
///     writer.write(&batch?)?;
/// }
/// let frames = writer.finish()?;
///
/// let batches: Vec<_> = Reader::new(std::io::Cursor::new(frames), Format::Mbt)?.collect::<Result<_, _>>()?;
/// assert_eq!(batches[0].num_rows(), 2);
/// # Ok::<(), mbt::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    preset: Preset,
    index: Index,
    /// Buffer for frames, kept for reuse.
    frame: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// A writer of frames encoded with `preset`.
    pub fn new(out: W, preset: Preset) -> Self {
        Self {
            out,
            preset,
            index: Index::default(),
            frame: Vec::new(),
        }
    }

    /// Writes the batch as one frame. Frames of some 100,000 rows compress well.
    ///
    /// # Errors
    /// [`Kind::Input`](crate::Kind::Input) with the column if version 2 does not support its type,
    /// [`Kind::Io`](crate::Kind::Io) if the output cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.frame.clear();
        let encoder = v2::Encoder::new(options_for(batch, self.preset)).in_segment();
        encode(batch, encoder, &mut self.frame)?;
        self.put()?;
        let frame = std::iter::once(self.frame.as_slice());
        let envelope = v2::Envelope::read(&self.frame, u64::MAX)?;
        let entry = Entry::new(frame, envelope.plain_len() as usize, batch.num_rows());
        let (place, columns) = FramePlace::of(&envelope)?;
        self.index.push(Entry { place, ..entry }, columns);
        Ok(())
    }

    /// Writes the index and returns the output.
    ///
    /// # Errors
    /// [`Kind::Io`](crate::Kind::Io) if the output cannot be written.
    pub fn finish(mut self) -> Result<W> {
        self.frame = self.index.write()?;
        self.put()?;
        let flushed = self.out.flush();
        flushed.map_err(|error| Error::io("cannot write", error))?;
        Ok(self.out)
    }

    fn put(&mut self) -> Result<()> {
        let written = self.out.write_all(&self.frame);
        written.map_err(|error| Error::io("cannot write", error))
    }
}

/// Appends the batch to `out` as one envelope of version 1.
///
/// Version 1 has eleven types: booleans, 16, 32 and 64-bit integers, floats, text, bytes, UUIDs and timestamps.
///
/// ```
/// # use mbt::{Format, Reader, decode_v1, encode_v1};
/// # let mut csv = Reader::new("a\n1\n2\n".as_bytes(), Format::Csv)?;
/// # let batch = csv.next().unwrap()?;
/// let mut bytes = Vec::new();
/// encode_v1(&batch, &mut bytes)?;
/// let (again, len) = decode_v1(&bytes)?;
/// assert_eq!((again.columns(), len), (batch.columns(), bytes.len()));
/// # Ok::<(), mbt::Error>(())
/// ```
///
/// # Errors
/// [`Kind::Usage`](crate::Kind::Usage) for a column of another type, [`Kind::Input`](crate::Kind::Input) if the
/// batch has no column. `out` is then unchanged.
pub fn encode_v1(batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
    let mut encoder = v1::Encoder::new(v1::EncodeOptions::default());
    encoder.encode(&batch.schema(), std::slice::from_ref(batch), out)
}

/// Reads the envelope of version 1 at the start of `bytes`; also returns its length.
///
/// # Errors
/// [`Kind::Corrupt`](crate::Kind::Corrupt) if the bytes violate the format, [`Kind::Limit`](crate::Kind::Limit) if the
/// batch would be larger than 1 GiB.
pub fn decode_v1(bytes: &[u8]) -> Result<(RecordBatch, usize)> {
    let decoded = v1::Decoder::new(DEFAULT_MAX_FRAME).decode(bytes)?;
    Ok((decoded.batch, decoded.len))
}

/// Appends the batch to `out` as one envelope of version 2.
///
/// ```
/// # use mbt::{Format, Preset, Reader, decode_v2, encode_v2};
/// # let mut csv = Reader::new("a,b\n1,x\n2,y\n".as_bytes(), Format::Csv)?;
/// # let batch = csv.next().unwrap()?;
/// let mut bytes = Vec::new();
/// encode_v2(&batch, Preset::Small, &mut bytes)?;
/// let (again, len) = decode_v2(&bytes)?;
/// assert_eq!((again.columns(), len), (batch.columns(), bytes.len()));
/// # Ok::<(), mbt::Error>(())
/// ```
///
/// # Errors
/// [`Kind::Input`](crate::Kind::Input) with the column if version 2 does not support its type. `out` is then
/// unchanged.
pub fn encode_v2(batch: &RecordBatch, preset: Preset, out: &mut Vec<u8>) -> Result<()> {
    encode(batch, v2::Encoder::new(options_for(batch, preset)), out)
}

fn options_for(batch: &RecordBatch, preset: Preset) -> v2::EncodeOptions {
    v2::EncodeOptions::of(preset).for_frame(batch.get_array_memory_size(), 0)
}

fn encode(batch: &RecordBatch, encoder: v2::Encoder<'_>, out: &mut Vec<u8>) -> Result<()> {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, array)| (field.clone(), vec![array.clone()]));
    let columns = encoder.columns(columns)?;
    encoder.envelope(batch.num_rows(), schema.metadata(), columns, None, out)?;
    Ok(())
}

/// Reads the envelope of version 2 at the start of `bytes`; also returns its length.
///
/// # Errors
/// [`Kind::Corrupt`](crate::Kind::Corrupt) with the column if the envelope is damaged,
/// [`Kind::Limit`](crate::Kind::Limit) if it expands to more than 1 GiB.
pub fn decode_v2(bytes: &[u8]) -> Result<(RecordBatch, usize)> {
    let envelope = v2::Envelope::read(bytes, DEFAULT_MAX_FRAME)?;
    let batch = v2::Decoder::new(DEFAULT_MAX_FRAME).decode(bytes, &envelope, |_, _| true)?;
    Ok((visible(&batch)?, envelope.len))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, StringArray};

    use super::*;

    /// Fifty counters, interleaved: row by row, their steps are noise.
    fn counters() -> RecordBatch {
        let steps = |row: i64| (row / 50) * (1000 + row % 50 * 37) + row % 50 * 7_919_773 % 100_000;
        let names = (0..10_000).map(|row| Some(format!("n{}", row * 31 % 50)));
        let values = (0..10_000).map(|row| steps(row / 50 * 50 + row * 31 % 50));
        let columns: [(_, ArrayRef); 2] = [
            ("name", Arc::new(names.collect::<StringArray>())),
            ("value", Arc::new(Int64Array::from_iter_values(values))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn the_preset_small_groups_rows_by_a_key() {
        let batch = counters();
        let (mut grouped, mut in_order) = (Vec::new(), Vec::new());
        encode_v2(&batch, Preset::Small, &mut grouped).unwrap();
        let encoder = v2::Encoder::new(options_for(&batch, Preset::Small));
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, array)| {
            let chunks = vec![array.clone()];
            encoder.column(field, chunks, v2::PriorFrames::default())
        });
        let columns = columns.collect::<Result<_>>().unwrap();
        let metadata = schema.metadata();
        encoder
            .envelope(batch.num_rows(), metadata, columns, None, &mut in_order)
            .unwrap();
        assert!(
            grouped.len() < in_order.len() / 2,
            "{} bytes, {} in row order",
            grouped.len(),
            in_order.len()
        );
        let (read, len) = decode_v2(&grouped).unwrap();
        assert_eq!((read.columns(), len), (batch.columns(), grouped.len()));
    }
}
