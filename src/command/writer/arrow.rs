//! Batches of one schema, as Arrow IPC wants them.

use std::sync::{Arc, OnceLock};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;

use super::Encoded;
use crate::columns::cast::Provenance;
use crate::columns::cast::join::{Joined, JoinedSchema};
use crate::error::{Error, Result};
use crate::format::arrow::{Layout, zeroed};
use crate::format::frame::{UntypedFrame, provenance};
use crate::pipeline::{FrameContent, FrameSink};

/// How Arrow IPC is written.
#[derive(Clone, Debug)]
pub struct Batches {
    /// A stream or a file.
    pub layout: Layout,
    /// The columns of all rows; those of the first frame if nothing else is known.
    schema: Arc<OnceLock<JoinedSchema>>,
}

impl Batches {
    /// Batches of the schema, if it is known before any row is read.
    pub fn new(layout: Layout, schema: Option<JoinedSchema>) -> Self {
        let schema = schema.map_or_else(OnceLock::new, OnceLock::from);
        Self {
            layout,
            schema: Arc::new(schema),
        }
    }

    /// The schema of all batches, once it is known.
    pub(super) fn schema(&self) -> Option<&SchemaRef> {
        self.schema.get().map(|schema| &schema.schema)
    }

    /// Takes the first frame's schema if none is known.
    pub(super) fn prepare(&self, frame: UntypedFrame) -> Result<UntypedFrame> {
        if self.schema.get().is_some() {
            return Ok(frame);
        }
        let frame = frame.finish()?;
        self.schema
            .get_or_init(|| JoinedSchema::known(&frame.schema));
        Ok(UntypedFrame::from(frame))
    }

    /// The rows of a frame, in one batch.
    pub(super) fn encode(&self, frame: UntypedFrame) -> Result<Encoded> {
        let frame = frame.finish()?;
        let Some(schema) = self.schema.get() else {
            return Ok(Encoded::default());
        };
        // Blocks of text are no batches that anybody made.
        let is_text = provenance(frame.schema.metadata()) != Provenance::Typed;
        let batches = frame.batches.iter().filter(|batch| batch.num_rows() > 0);
        let fitting = batches.map(|batch| zeroed(&schema.fit(batch)?));
        let mut batches = fitting.collect::<Result<Vec<RecordBatch>>>()?;
        if is_text && batches.len() > 1 {
            let one = concat_batches(&schema.schema, &batches);
            batches = vec![one.map_err(|error| {
                Error::limit(format!("cannot hold the columns: {error}"))
                    .hint("write smaller frames with --frame-rows")
            })?];
        }
        Ok(Encoded {
            batches,
            rows: frame.rows(),
            ..Encoded::default()
        })
    }
}

/// A first pass that looks at the types of all rows.
pub struct Schemas;

impl FrameSink for Schemas {
    type Scratch = ();
    type Job = UntypedFrame;
    type Output = Joined;

    fn scratch(&self) {}

    fn plan(&self, content: FrameContent, _first: bool) -> Result<Vec<UntypedFrame>> {
        Ok(match content {
            FrameContent::Rows(frame) => vec![frame],
            FrameContent::Stored(_) => Vec::new(),
        })
    }

    fn encode(&self, (): &mut (), job: UntypedFrame) -> Result<Joined> {
        let frame = job.finish()?;
        Ok(Joined::of(&frame.schema, &frame.batches))
    }
}
