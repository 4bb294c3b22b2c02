//! The Arrow IPC writer: batches of one schema.

use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use arrow_select::concat::concat_batches;

use super::{IpcWriter, Layout};
use crate::columns::cast::Provenance;
use crate::columns::cast::join::JoinedSchema;
use crate::columns::zeroed::zeroed;
use crate::error::{Error, Result};
use crate::format::frame::{UntypedFrame, provenance};
use crate::format::one_schema::OneSchema;
use crate::format::write::{Encoded, Job, Sink, WriteOptions, Writer};
use crate::stream::Ending;
use crate::sync::lock;

/// Extensions of Arrow IPC files; any other output is a stream.
const OF_FILES: [&str; 3] = ["arrow", "feather", "ipc"];

/// A writer of Arrow IPC.
pub fn arrow_writer(options: &WriteOptions<'_>) -> Box<dyn Writer> {
    let extension = options.output.and_then(Path::extension);
    let is = |own: &&str| extension.is_some_and(|extension| extension.eq_ignore_ascii_case(own));
    Box::new(BatchWriter {
        layout: if OF_FILES.iter().any(is) {
            Layout::File
        } else {
            Layout::Stream
        },
        rows: OneSchema::new(options),
        ipc: Mutex::default(),
    })
}

struct BatchWriter {
    layout: Layout,
    rows: OneSchema,
    /// Created when the schema is known.
    ipc: Mutex<Option<IpcWriter>>,
}

impl BatchWriter {
    /// Runs `work` on the writer and writes out the bytes it produced.
    fn write(
        &self,
        out: &mut dyn Sink,
        work: impl FnOnce(&mut IpcWriter) -> Result<()>,
    ) -> Result<()> {
        let mut ipc = lock(&self.ipc);
        let ipc = match &mut *ipc {
            Some(ipc) => ipc,
            none => {
                let empty = Arc::new(Schema::empty());
                let schema = self.rows.known().map_or(&empty, |schema| &schema.schema);
                none.insert(IpcWriter::new(self.layout, schema)?)
            }
        };
        work(ipc)?;
        out.write(ipc.bytes())?;
        ipc.bytes().clear();
        Ok(())
    }
}

impl Writer for BatchWriter {
    fn plan(&self, frame: UntypedFrame, _first: bool) -> Result<Vec<Job<'_>>> {
        let (frame, schema) = self.rows.plan(frame)?;
        Ok(vec![Box::new(move || self.encode(frame, schema))])
    }

    fn finish(&self, _ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>> {
        self.write(out, IpcWriter::finish)?;
        Ok(self.rows.notes())
    }
}

impl BatchWriter {
    /// Casts the rows of a frame to the schema.
    fn encode(&self, frame: UntypedFrame, schema: &JoinedSchema) -> Result<Encoded<'_>> {
        let (fitting, frame) = self.rows.fit(frame, schema)?;
        // Batches from text are only blocks, so combine them.
        let is_text = provenance(frame.schema.metadata()) != Provenance::Typed;
        let batches = fitting.iter().map(zeroed);
        let mut batches = batches.collect::<Result<Vec<RecordBatch>>>()?;
        if is_text && batches.len() > 1 {
            let one = concat_batches(&schema.schema, &batches);
            batches = vec![one.map_err(|error| {
                Error::limit(format!("cannot hold the columns: {error}"))
                    .hint("write smaller frames with --frame-rows")
            })?];
        }
        Ok(Encoded::new(frame.rows(), move |out| {
            let mut batches = batches.iter();
            batches.try_for_each(|batch| self.write(out, |ipc| ipc.write(batch)))
        }))
    }
}
