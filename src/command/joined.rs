//! The one schema of all rows, found before the first of them is written.
//!
//! Types hold for a frame each, and Arrow IPC begins with the schema. Files can be read twice: where
//! headers tell the same of all frames that is enough, else the types of all rows are joined.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};

use super::open::{Input, open};
use super::target::Schemas;
use crate::columns::cast::join::{Joined, written_schema};
use crate::error::Result;
use crate::format::arrow as ipc;
use crate::pipeline::{self, Format, Options, Source};
use crate::stream::{FrameReader, Wanted};

/// The schema of all rows of `sources`, which are read to their ends if that is what it takes.
///
/// # Errors
/// Whatever keeps the sources from being read.
pub fn joined_schema(sources: Vec<Source>, options: &Options) -> Result<SchemaRef> {
    if options.text.columns.is_none()
        && let Some(schema) = common_schema(&sources, options)
    {
        return Ok(Arc::new(written_schema(&schema)));
    }
    let mut joined = Joined::default();
    pipeline::run(sources, options, &Schemas, |seen| {
        joined.join(seen);
        Ok(())
    })?;
    Ok(joined.schema())
}

/// What all headers agree on; `None` if they do not, or cannot be read, which will be told later.
fn common_schema(sources: &[Source], options: &Options) -> Option<Schema> {
    let mut common: Option<Schema> = None;
    let mut agrees = |schema: Schema| {
        if let Some(common) = &common {
            return *common == schema;
        }
        common = Some(schema);
        true
    };
    for source in sources {
        let path: PathBuf = source.path.clone();
        let input = open(&path).ok()?;
        let all_agree = match source.format {
            Format::Arrow => {
                let reader = ipc::Reader::open(input.bytes, options.max_frame).ok()?;
                agrees(reader.schema().as_ref().clone())
            }
            Format::Mbt => frames_agree(input, options.max_frame, &mut agrees)?,
            Format::Csv(_) | Format::Json(_) => false,
        };
        if !all_agree {
            return None;
        }
    }
    // What one schema means to Arrow and to frames differs but in metadata of the whole.
    common.map(|schema| schema.with_metadata(std::collections::HashMap::new()))
}

/// True if all frames are of version 2 and agree; version 1 may hold what its types do not say. Only
/// headers are read.
fn frames_agree(
    input: Input,
    max_frame: u64,
    agrees: &mut impl FnMut(Schema) -> bool,
) -> Option<bool> {
    let mut reader = FrameReader::new(input.bytes, max_frame);
    if let Some(file) = input.file {
        reader = reader.with_file(file).ok()?.in_parts();
    }
    while let Some(frame) = reader.next_frame_of(&mut |_| Ok(Wanted::Header)).ok()? {
        let Some(envelope) = frame.v2() else {
            return Some(false);
        };
        let fields = envelope.fields().ok()?;
        if !agrees(Schema::new(fields)) {
            return Some(false);
        }
    }
    Some(true)
}
