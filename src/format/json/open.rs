//! Opens JSON as an input of the pipeline.

use std::fs::File;
use std::sync::Arc;

use super::{Flavor, JsonParser, JsonReader, JsonScratch};
use crate::error::{Error, Result};
use crate::format::frame::Columns;
use crate::format::read::{Bytes, Part, ReadOptions, Reader};
use crate::format::scratch_pool::ScratchPool;
use crate::format::{Format, InputFormat};
use crate::stream::Ending;

/// Opens a document, or JSON of any layout if the format was detected.
///
/// # Errors
/// If the input cannot be read.
pub fn open_json(
    bytes: Bytes,
    _file: Option<File>,
    options: &ReadOptions<'_>,
) -> Result<Box<dyn Reader>> {
    let flavor = if options.is_guess && options.records.is_none() {
        Flavor::Unknown
    } else {
        Flavor::Document
    };
    open(bytes, flavor, options)
}

/// Opens JSON with a value per line.
///
/// # Errors
/// If the input cannot be read.
pub fn open_ndjson(
    bytes: Bytes,
    _file: Option<File>,
    options: &ReadOptions<'_>,
) -> Result<Box<dyn Reader>> {
    if options.records.is_some() {
        return Err(Error::usage("--records: NDJSON has a document per line")
            .hint("--from json reads a single document"));
    }
    open(bytes, Flavor::Lines, options)
}

impl From<Flavor> for InputFormat {
    fn from(flavor: Flavor) -> Self {
        let format = match flavor {
            Flavor::Document | Flavor::Unknown => Format::Json,
            Flavor::Lines => Format::Ndjson,
        };
        Self {
            is_guess: flavor == Flavor::Unknown,
            ..format.into()
        }
    }
}

fn open(bytes: Bytes, flavor: Flavor, options: &ReadOptions<'_>) -> Result<Box<dyn Reader>> {
    let input = options.window(bytes, 0);
    let (reader, parser) = JsonReader::open(input, flavor, options.text.clone(), options.records)?;
    Ok(Box::new(JsonInput {
        reader,
        parser: Arc::new(parser),
        scratch: Arc::default(),
    }))
}

struct JsonInput {
    reader: JsonReader<Bytes>,
    parser: Arc<JsonParser>,
    scratch: Arc<ScratchPool<JsonScratch>>,
}

impl Reader for JsonInput {
    fn begin(&mut self) -> Option<Columns> {
        let head = self.reader.head()?;
        Some(self.parser.no_rows(head))
    }

    fn next_part(&mut self, limit: Option<usize>) -> Result<Option<Part>> {
        let Some(block) = self.reader.next_block(limit)? else {
            return Ok(None);
        };
        let (parser, scratch) = (Arc::clone(&self.parser), Arc::clone(&self.scratch));
        Ok(Some(Part {
            is_blank: block.records == 0,
            is_paused: block.paused,
            ..Part::text(block.records, block.len_bytes(), move || {
                scratch.with(JsonScratch::default, |scratch| parser.parse(block, scratch))
            })
        }))
    }

    fn ending(&self) -> Option<Ending> {
        self.reader.ending()
    }
}
