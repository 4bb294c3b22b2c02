//! Batches of one schema, as Arrow IPC wants them.

use std::sync::{Arc, OnceLock};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::Printed;
use crate::columns::cast::join::{Joined, fit, spell_odd_nulls, visible_schema};
use crate::error::Result;
use crate::format::arrow::Layout;
use crate::format::frame::Draft;
use crate::pipeline::{Content, Target};

/// How Arrow IPC is written.
#[derive(Clone, Debug)]
pub struct Batches {
    /// A stream or a file.
    pub layout: Layout,
    /// The schema of all batches; that of the first frame if nothing else is known.
    schema: Arc<OnceLock<SchemaRef>>,
}

impl Batches {
    /// Batches of the schema, if it is known before any row is read.
    pub fn new(layout: Layout, schema: Option<SchemaRef>) -> Self {
        let schema = schema.map_or_else(OnceLock::new, OnceLock::from);
        Self {
            layout,
            schema: Arc::new(schema),
        }
    }

    /// The schema, once it is known.
    pub(super) fn schema(&self) -> Option<&SchemaRef> {
        self.schema.get()
    }

    /// Takes the first frame's schema if none is known.
    pub(super) fn prepare(&self, draft: Draft) -> Result<Draft> {
        if self.schema.get().is_some() {
            return Ok(draft);
        }
        let frame = spell_odd_nulls(draft.finish()?)?;
        self.schema
            .get_or_init(|| Arc::new(visible_schema(&frame.schema)));
        Ok(Draft::from(frame))
    }

    /// The rows of a frame.
    pub(super) fn print(&self, draft: Draft) -> Result<Printed> {
        let frame = spell_odd_nulls(draft.finish()?)?;
        let Some(schema) = self.schema() else {
            return Ok(Printed::default());
        };
        let batches = frame.batches.iter().filter(|batch| batch.num_rows() > 0);
        let fitting = batches.map(|batch| fit(batch, schema));
        Ok(Printed {
            batches: fitting.collect::<Result<Vec<RecordBatch>>>()?,
            rows: frame.rows(),
            ..Printed::default()
        })
    }
}

/// A first pass that looks at the types of all rows.
pub struct Schemas;

impl Target for Schemas {
    type Scratch = ();
    type Unit = Draft;
    type Printed = Joined;

    fn scratch(&self) {}

    fn units(&self, frame: Content, _first: bool) -> Result<Vec<Draft>> {
        Ok(match frame {
            Content::Draft(draft) => vec![draft],
            Content::Stored(_) => Vec::new(),
        })
    }

    fn print(&self, (): &mut (), unit: Draft) -> Result<Joined> {
        let frame = spell_odd_nulls(unit.finish()?)?;
        Ok(Joined::of(&frame.schema, &frame.batches))
    }
}
