//! The one schema of all rows, found before the first of them is written.
//!
//! Types hold for a frame each, and Arrow IPC begins with the schema. So inputs are read twice: where
//! the headers of typed inputs agree, these are enough; else the types of all rows are joined.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use arrow_schema::Schema;

use super::open::{Input, open};
use crate::columns::cast::join::{Joined, JoinedSchema};
use crate::error::Result;
use crate::format::frame::UntypedFrame;
use crate::format::{Encoded, Format, Job, Sink, Writer};
use crate::pipeline::{self, Options, Source};
use crate::schema::keys::TEXT;
use crate::stream::{Ending, FrameReader, Wanted};

/// The schema of all rows of `sources`, which are read to their ends if that is what it takes.
/// `exact` keeps the types that print back every cell.
///
/// # Errors
/// Whatever keeps the sources from being read.
pub fn joined_schema(sources: Vec<Source>, options: &Options, exact: bool) -> Result<JoinedSchema> {
    if options.text.columns.is_none()
        && let Some(schema) = common_schema(&sources, options)
    {
        return Ok(JoinedSchema::known(&schema));
    }
    let types = Types::default();
    pipeline::run(sources, options, &types, |seen| seen.write(&mut Vec::new()))?;
    let joined = types.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let joined = joined.unwrap_or_else(|| Joined::of(&Schema::empty(), &[]));
    Ok(joined.schema(exact))
}

/// Takes the types of all rows instead of writing them.
#[derive(Default)]
struct Types(Mutex<Option<Joined>>);

impl Writer for Types {
    fn plan<'w>(&'w self, frame: UntypedFrame, _first: bool) -> Result<Vec<Box<dyn Job<'w> + 'w>>> {
        Ok(vec![Box::new(Untyped { types: self, frame })])
    }

    fn finish(&self, _ending: Option<Ending>, _out: &mut dyn Sink) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

struct Untyped<'w> {
    types: &'w Types,
    frame: UntypedFrame,
}

impl<'w> Job<'w> for Untyped<'w> {
    fn encode(self: Box<Self>) -> Result<Box<dyn Encoded + 'w>> {
        let frame = self.frame.finish()?;
        Ok(Box::new(Typed {
            types: self.types,
            rows: frame.rows(),
            joined: Joined::of(&frame.schema, &frame.batches),
        }))
    }
}

struct Typed<'w> {
    types: &'w Types,
    rows: usize,
    joined: Joined,
}

impl Encoded for Typed<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn write(self: Box<Self>, _out: &mut dyn Sink) -> Result<()> {
        let types = self.types.0.lock();
        let mut types = types.unwrap_or_else(PoisonError::into_inner);
        match &mut *types {
            Some(types) => types.join(self.joined),
            None => *types = Some(self.joined),
        }
        Ok(())
    }
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
        let all_agree = if source.format.format == Format::Mbt {
            frames_agree(input, options.max_frame, &mut agrees)?
        } else {
            let again = Source {
                path,
                bytes: input.bytes,
                file: input.file,
                format: source.format.clone(),
            };
            agrees(
                pipeline::stated_schema(again, options)
                    .ok()??
                    .as_ref()
                    .clone(),
            )
        };
        if !all_agree {
            return None;
        }
    }
    // What one schema means to other formats and to frames differs but in metadata of the whole.
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
        // Text may be typed by what it says, and decimals by what they are.
        if envelope.metadata.contains_key(TEXT) {
            return Some(false);
        }
        let fields = envelope.fields().ok()?;
        if !agrees(Schema::new(fields)) {
            return Some(false);
        }
    }
    Some(true)
}
