//! The Arrow IPC writer: batches of one schema.

use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::MetadataVersion;
use arrow_ipc::writer::{DictionaryHandling, IpcWriteOptions, StreamEncoder};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use arrow_select::concat::concat;

use super::dictionaries::Dictionaries;
use super::positions::{FILE_START, Positions};
use crate::columns::cast::Provenance;
use crate::columns::cast::join::JoinedSchema;
use crate::columns::zeroed::zeroed;
use crate::columns::{cannot_hold, record_batch};
use crate::error::{Error, Result};
use crate::format::frame::{UntypedFrame, provenance};
use crate::format::one_schema::OneSchema;
use crate::format::write::{Encoded, Job, Sink, WriteOptions, Writer};
use crate::stream::Ending;
use crate::sync::lock;

type ArrowResult<T> = std::result::Result<T, ArrowError>;

/// Extensions of Arrow IPC files; any other output is a stream.
const OF_FILES: [&str; 3] = ["arrow", "feather", "ipc"];

/// The alignment of buffers in bytes.
const ALIGNMENT: usize = 8;

/// A writer of Arrow IPC.
pub fn arrow_writer(options: &WriteOptions<'_>) -> Box<dyn Writer> {
    let extension = options.output.and_then(Path::extension);
    let is = |own: &&str| extension.is_some_and(|extension| extension.eq_ignore_ascii_case(own));
    Box::new(BatchWriter {
        is_file: OF_FILES.iter().any(is),
        rows: OneSchema::new(options),
        encoder: Mutex::default(),
    })
}

struct BatchWriter {
    is_file: bool,
    rows: OneSchema,
    /// Created for the first batch, when the schema is known.
    encoder: Mutex<Option<IpcEncoder>>,
}

/// Encodes batches of one schema. Arrays are written from where they are.
struct IpcEncoder {
    messages: StreamEncoder,
    /// What a file has besides a stream: it suits memory mapping, a stream suits pipes.
    file: Option<FileParts>,
}

struct FileParts {
    schema: Schema,
    /// Dictionaries of a file can grow, but not be replaced.
    dictionaries: Dictionaries,
    positions: Positions,
}

impl IpcEncoder {
    fn new(is_file: bool, schema: &Schema) -> Result<Self> {
        let options = IpcWriteOptions::try_new(ALIGNMENT, false, MetadataVersion::V5);
        let handling = if is_file {
            DictionaryHandling::Delta
        } else {
            DictionaryHandling::default()
        };
        let messages = options.and_then(|options| {
            StreamEncoder::try_new_with_options(schema, options.with_dictionary_handling(handling))
        });
        let file = is_file.then(|| FileParts {
            schema: schema.clone(),
            dictionaries: Dictionaries::default(),
            positions: Positions::new(),
        });
        Ok(Self {
            messages: messages.map_err(unwritable)?,
            file,
        })
    }

    fn write_batch(&mut self, batch: &RecordBatch, out: &mut dyn Sink) -> Result<()> {
        let Some(file) = &mut self.file else {
            return write_all(&self.messages.encode(batch).map_err(unwritable)?, out);
        };
        let batch = file.dictionaries.merge(batch)?;
        let buffers = self.messages.encode(&batch).map_err(unwritable)?;
        file.write(&buffers, out)
    }

    fn finish(self, out: &mut dyn Sink) -> Result<()> {
        let buffers = self.messages.finish().map_err(unwritable)?;
        let Some(mut file) = self.file else {
            return write_all(&buffers, out);
        };
        file.write(&buffers, out)?;
        out.write(&file.positions.footer(&file.schema))
    }
}

impl FileParts {
    fn write(&mut self, buffers: &[Buffer], out: &mut dyn Sink) -> Result<()> {
        if self.positions.is_empty() {
            out.write(&FILE_START)?;
        }
        self.positions.add(buffers)?;
        write_all(buffers, out)
    }
}

fn write_all(buffers: &[Buffer], out: &mut dyn Sink) -> Result<()> {
    out.write_runs(&mut buffers.iter().map(Buffer::as_slice))
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unwritable(error: ArrowError) -> Error {
    Error::input(format!("cannot write Arrow IPC: {error}"))
}

impl Writer for BatchWriter {
    fn plan(&self, frame: UntypedFrame, _first: bool) -> Result<Vec<Job<'_>>> {
        let (frame, schema) = self.rows.plan(frame)?;
        Ok(vec![Box::new(move |_| {
            self.encode(frame, schema).map(Some)
        })])
    }

    fn finish(&self, _ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>> {
        let encoder = lock(&self.encoder).take();
        let encoder = encoder.map_or_else(|| self.new_encoder(), Ok)?;
        encoder.finish(out)?;
        Ok(self.rows.notes())
    }
}

impl BatchWriter {
    fn new_encoder(&self) -> Result<IpcEncoder> {
        let empty = Arc::new(Schema::empty());
        let schema = self.rows.known().map_or(&empty, |schema| &schema.schema);
        IpcEncoder::new(self.is_file, schema)
    }

    /// Casts the rows of a frame to the schema.
    fn encode(&self, frame: UntypedFrame, schema: &JoinedSchema) -> Result<Encoded<'_>> {
        let (fitting, frame) = self.rows.fit(frame, schema)?;
        // Frames from text have a batch per block of input. Combine these into one, since block borders mean
        // nothing.
        let is_text = provenance(frame.schema.metadata()) != Provenance::Typed;
        let rows = frame.rows();
        // Frees what is not needed any more: columns of Arrow can be several times as large as their text.
        drop(frame);
        let mut batches = fitting
            .into_iter()
            .map(|batch| zeroed(&batch))
            .collect::<Result<Vec<RecordBatch>>>()?;
        if is_text && batches.len() > 1 {
            batches = vec![joined(&schema.schema, batches)?];
        }
        Ok(Encoded::new(rows, move |out| {
            let mut encoder = lock(&self.encoder);
            let encoder = match &mut *encoder {
                Some(encoder) => encoder,
                none => none.insert(self.new_encoder()?),
            };
            let mut batches = batches.iter();
            batches.try_for_each(|batch| encoder.write_batch(batch, out))
        }))
    }
}

/// One batch with the rows of all. Frees each column after it has been copied.
fn joined(schema: &SchemaRef, batches: Vec<RecordBatch>) -> Result<RecordBatch> {
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let columns = batches.into_iter().map(|batch| batch.into_parts().1);
    let mut columns: Vec<_> = columns.map(Vec::into_iter).collect();
    let next_joined = |_| {
        let parts: Vec<ArrayRef> = columns.iter_mut().filter_map(Iterator::next).collect();
        concat(&parts.iter().map(AsRef::as_ref).collect::<Vec<_>>())
    };
    let arrays: ArrowResult<Vec<ArrayRef>> = schema.fields().iter().map(next_joined).collect();
    arrays
        .and_then(|arrays| record_batch(Arc::clone(schema), arrays, rows))
        .map_err(|error| cannot_hold(error).hint("write smaller frames with --frame-rows"))
}
