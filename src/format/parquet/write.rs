//! Writes batches to row groups.
//!
//! A frame is a job. It chooses the types of its rows, then appends them to each column of the row group when earlier
//! jobs have finished with that column. The job that completes a row group closes its columns; their pages are written
//! in order.

use std::io::{Result as IoResult, Write};
use std::sync::{Arc, Mutex};

use arrow_schema::Schema;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, compute_leaves};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, encode_arrow_schema};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use super::open_column::{OpenColumn, TopColumn};
use super::stored;
use crate::columns::cast::join::JoinedSchema;
use crate::columns::dictionary_room::DictionaryRoom;
use crate::error::{Error, Result};
use crate::format::frame::UntypedFrame;
use crate::format::one_schema::OneSchema;
use crate::format::turns::{Turn, Turns};
use crate::format::write::{Encoded, Job, PageCodec, Sink, WriteOptions, Writer};
use crate::stream::Ending;
use crate::sync::lock;

/// A row group ends with the frame that completes this many rows,
const GROUP_ROWS: usize = 1 << 20;
/// or this many bytes before encoding: about 64 MiB of pages, which stay in memory until the group is complete.
const GROUP_BYTES: usize = 160 << 20;

/// The size at which a dictionary is given up in favor of plain values. At the usual 1 MiB, columns of mostly distinct
/// values become larger than plain ones: with zstd, 128 KiB makes tables 4 to 26 % smaller (one in ten: 4 % larger), and
/// distinct values are not hashed for long.
const LARGEST_DICTIONARY: usize = 128 << 10;

/// A writer of Parquet.
pub fn parquet_writer(options: &WriteOptions<'_>) -> Box<dyn Writer> {
    Box::new(TableWriter {
        rows: OneSchema::new(options),
        codec: options.pages,
        dictionaries: Mutex::default(),
        state: Mutex::default(),
    })
}

struct TableWriter {
    rows: OneSchema,
    codec: PageCodec,
    /// The dictionaries of all rows so far. Parquet stores no type for their keys, but the Arrow schema names one.
    dictionaries: Mutex<DictionaryRoom>,
    state: Mutex<Option<OpenFile>>,
}

/// The state of the output after the schema is known.
struct OpenFile {
    file: SerializedFileWriter<PageBytes>,
    pages: PageBytes,
    columns: Vec<TopColumn>,
    open: Option<OpenGroup>,
}

/// A row group that accepts more frames.
struct OpenGroup {
    columns: Arc<Turns<OpenColumn>>,
    frames: usize,
    rows: usize,
    bytes: usize,
}

/// A buffer of bytes for the output.
#[derive(Clone, Default)]
struct PageBytes(Arc<Mutex<Vec<u8>>>);

impl PageBytes {
    fn drain(&self, out: &mut dyn Sink) -> Result<()> {
        let mut bytes = lock(&self.0);
        out.write(&bytes)?;
        bytes.clear();
        Ok(())
    }
}

impl Write for PageBytes {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

impl OpenFile {
    fn new(schema: &Arc<Schema>, codec: PageCodec) -> Result<Self> {
        let schema = &stored::schema(schema);
        let properties = WriterProperties::builder()
            .set_created_by(concat!("mbt ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_coerce_types(true)
            .set_dictionary_page_size_limit(LARGEST_DICTIONARY)
            .set_compression(compression(codec)?)
            .set_key_value_metadata(Some(metadata(schema)))
            .build();
        let converter = ArrowSchemaConverter::new().with_coerce_types(true);
        let root = converter.convert(schema).map_err(unwritable)?;
        let pages = PageBytes::default();
        let root = root.root_schema_ptr();
        let properties = Arc::new(properties);
        let columns = root
            .get_fields()
            .iter()
            .zip(schema.fields())
            .map(|(stored, field)| TopColumn {
                stored: Arc::clone(stored),
                field: Arc::clone(field),
                properties: Arc::clone(&properties),
            })
            .collect();
        let file = SerializedFileWriter::new(pages.clone(), root, properties);
        Ok(Self {
            file: file.map_err(unwritable)?,
            pages,
            columns,
            open: None,
        })
    }

    /// The turn of a frame, and whether it completes its row group.
    fn turn(&mut self, rows: usize, bytes: usize) -> Result<(Turn<OpenColumn>, bool)> {
        let group = match &mut self.open {
            Some(group) => group,
            none => {
                let columns = self
                    .columns
                    .iter()
                    .cloned()
                    .map(TopColumn::open)
                    .collect::<Result<Vec<_>>>()?;
                none.insert(OpenGroup {
                    columns: Turns::new(columns.into_iter().flatten()),
                    frames: 0,
                    rows: 0,
                    bytes: 0,
                })
            }
        };
        let turn = group.columns.turn(group.frames);
        group.frames += 1;
        group.rows += rows;
        group.bytes += bytes;
        let is_last = group.rows >= GROUP_ROWS || group.bytes >= GROUP_BYTES;
        if is_last {
            self.open = None;
        }
        Ok((turn, is_last))
    }

    /// Writes a complete row group.
    fn write(&mut self, chunks: Vec<ArrowColumnChunk>, out: &mut dyn Sink) -> Result<()> {
        let mut group = self.file.next_row_group().map_err(unwritable)?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group).map_err(unwritable)?;
            self.pages.drain(out)?;
        }
        group.close().map_err(unwritable)?;
        self.pages.drain(out)
    }
}

impl TableWriter {
    fn with_state<R>(
        &self,
        schema: &Arc<Schema>,
        work: impl FnOnce(&mut OpenFile) -> Result<R>,
    ) -> Result<R> {
        let mut state = lock(&self.state);
        match &mut *state {
            Some(state) => work(state),
            none => work(none.insert(OpenFile::new(schema, self.codec)?)),
        }
    }
}

impl Writer for TableWriter {
    fn plan(&self, frame: UntypedFrame, _first: bool) -> Result<Vec<Job<'_>>> {
        let (frame, schema) = self.rows.plan(frame)?;
        let (rows, bytes) = (frame.rows(), frame.len_bytes());
        if rows == 0 {
            // A frame without rows only provides the columns: row groups are not empty.
            return self.with_state(&schema.schema, |_| Ok(Vec::new()));
        }
        if schema.schema.fields().is_empty() {
            return Err(Error::input("Parquet cannot hold rows without columns")
                .hint("use --schema '$:json' to keep each row as one JSON value"));
        }
        let turn = self.with_state(&schema.schema, |state| state.turn(rows, bytes));
        let (turn, is_last) = turn?;
        Ok(vec![Box::new(move |_| {
            self.encode(frame, schema, &turn, is_last).map(Some)
        })])
    }

    fn finish(&self, _ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>> {
        let empty = Arc::new(Schema::empty());
        let schema = self.rows.known().map_or(&empty, |schema| &schema.schema);
        self.with_state(schema, |state| {
            if let Some(group) = state.open.take() {
                let turn = group.columns.turn(group.frames);
                let places = 0..turn.len();
                let chunks = places.map(|place| turn.with(place, OpenColumn::close));
                state.write(chunks.collect::<Result<_>>()?, out)?;
            }
            let stored = lock(&self.dictionaries).widened(&stored::schema(schema));
            state.file.append_key_value_metadata(KeyValue::new(
                ARROW_SCHEMA_META_KEY.to_owned(),
                encode_arrow_schema(&stored),
            ));
            state.file.finish().map_err(unwritable)?;
            state
                .file
                .flush()
                .map_err(|error| Error::io("cannot write", error))?;
            state.pages.drain(out)
        })?;
        let mut notes = self.rows.notes();
        notes.extend(stored::note_of_names(schema));
        notes.extend(stored::note_of_order(schema));
        Ok(notes)
    }
}

impl TableWriter {
    /// Encodes the rows of a frame; the last ones of a row group complete its columns.
    fn encode<'w>(
        &'w self,
        frame: UntypedFrame,
        schema: &'w JoinedSchema,
        turn: &Turn<OpenColumn>,
        is_last: bool,
    ) -> Result<Encoded<'w>> {
        let (batches, frame) = self.rows.fit(frame, schema)?;
        let rows = frame.rows();
        drop(frame);
        let stored = stored::schema(&schema.schema);
        let batches = batches
            .into_iter()
            .map(|batch| stored::batch(batch, &stored))
            .collect::<Result<Vec<_>>>()?;
        for batch in &batches {
            lock(&self.dictionaries).add(batch)?;
        }
        let mut chunks = Vec::new();
        let mut place = 0;
        for (at, field) in stored.fields().iter().enumerate() {
            let mut leaves = batches
                .iter()
                .map(|batch| {
                    let column = batch.column(at);
                    let leaves = compute_leaves(field, column)?;
                    Ok((leaves.into_iter(), column.get_array_memory_size()))
                })
                .collect::<std::result::Result<Vec<_>, _>>()
                .map_err(unwritable)?;
            for _ in 0..leaves.first().map_or(0, |(leaves, _)| leaves.len()) {
                // Waits until earlier frames of the row group have written this column.
                let chunk = turn.with(place, |column| {
                    for (leaves, bytes) in &mut leaves {
                        if let Some(leaf) = leaves.next() {
                            column.write(leaf, *bytes)?;
                        }
                    }
                    is_last.then(|| column.close()).transpose()
                });
                turn.pass(place);
                chunks.extend(chunk?);
                place += 1;
            }
        }
        Ok(Encoded::new(rows, move |out| {
            if !is_last {
                return Ok(());
            }
            self.with_state(&schema.schema, |state| state.write(chunks, out))
        }))
    }
}

fn compression(codec: PageCodec) -> Result<Compression> {
    Ok(match codec {
        PageCodec::None => Compression::UNCOMPRESSED,
        PageCodec::Snappy => Compression::SNAPPY,
        PageCodec::Lz4 => Compression::LZ4_RAW,
        PageCodec::Gzip(level) => Compression::GZIP(GzipLevel::try_new(level).map_err(unwritable)?),
        PageCodec::Zstd(level) => Compression::ZSTD(ZstdLevel::try_new(level).map_err(unwritable)?),
    })
}

/// The table metadata as key-value pairs, for programs that ignore the Arrow schema.
fn metadata(schema: &Schema) -> Vec<KeyValue> {
    let mut pairs: Vec<KeyValue> = schema
        .metadata()
        .iter()
        .map(|(key, value)| KeyValue::new(key.clone(), value.clone()))
        .collect();
    pairs.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    pairs
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn unwritable(error: ParquetError) -> Error {
    Error::input(format!("cannot write Parquet: {error}"))
}
