//! Determines a common schema of all rows before the first row is written.
//!
//! Types may differ from frame to frame, but some formats have one schema for all rows. So inputs are read twice: if
//! the headers of typed inputs agree, only the headers; otherwise, the types of all rows are joined.

use arrow_schema::Schema;

use super::aggregate::aggregate;
use super::columns::headers;
use super::spool::rewind;
use crate::columns::cast::join::{Joined, JoinedSchema};
use crate::error::Result;
use crate::format::frame::Frame;
use crate::pipeline::{self, Options, Source};
use crate::schema::keys::TEXT;

/// The common schema of all rows of `sources`, which are read completely if necessary. `exact` keeps types that print
/// every cell exactly.
///
/// # Errors
/// If a source cannot be read.
pub fn joined_schema(sources: Vec<Source>, options: &Options, exact: bool) -> Result<JoinedSchema> {
    if options.text.columns.is_none()
        && let Some(schema) = common_schema(&sources, options)
    {
        return Ok(JoinedSchema::known(&schema));
    }
    rewind(&sources)?;
    let of = |frame: Frame, _| Ok(Joined::of(&frame.schema, &frame.batches));
    let (joined, _) = aggregate(sources, options, of, Joined::join)?;
    let joined = joined.unwrap_or_else(|| Joined::of(&Schema::empty(), &[]));
    Ok(joined.schema(exact))
}

/// The schema of all headers; `None` if they differ or cannot be read. Errors are reported when the rows are read.
fn common_schema(sources: &[Source], options: &Options) -> Option<Schema> {
    let mut common: Option<Schema> = None;
    let mut agrees = |schema: Schema| match &mut common {
        Some(common) => {
            let known = &mut common.metadata;
            known.retain(|key, value| schema.metadata.get(key) == Some(value));
            common.fields == schema.fields
        }
        none => {
            *none = Some(schema);
            true
        }
    };
    for source in sources {
        // Do not open it by name, which may be that of a pipe.
        let file = source.file.as_ref()?;
        let all_agree = if source.is_frames() {
            frames_agree(source, options.max_frame, &mut agrees)
        } else {
            let again = source.of_file(file).ok()?;
            let stated = pipeline::stated_schema(again, options).ok()??;
            agrees(stated.as_ref().clone())
        };
        if !all_agree {
            return None;
        }
    }
    common
}

/// True if all frames are of version 2 and have the same types; frames of version 1 may contain values that their types
/// do not show. Reads only headers.
fn frames_agree(source: &Source, max_frame: u64, mut agrees: impl FnMut(Schema) -> bool) -> bool {
    let mut all_agree = true;
    let seen = headers(source, max_frame, |header| {
        // The cast types text columns and decimals by their values.
        let header = header.filter(|header| !header.metadata.contains_key(TEXT));
        let schema = header.and_then(|header| {
            let fields = header.fields().ok()?;
            Some(Schema::new_with_metadata(fields, header.metadata.clone()))
        });
        all_agree = schema.is_some_and(&mut agrees);
        all_agree
    });
    all_agree && seen.is_ok()
}
