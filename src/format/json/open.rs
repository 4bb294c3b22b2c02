//! Opens JSON as an input of the pipeline.

use std::fs::File;
use std::sync::Arc;

use super::{Flavor, JsonBlock, JsonParser, JsonReader, JsonScratch};
use crate::error::{Error, Result};
use crate::format::frame::Columns;
use crate::format::read::{Bytes, Part, PartRows, ReadOptions, Reader};
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

    fn next_part(&mut self, limit: Option<usize>) -> Result<Option<Box<dyn Part>>> {
        let block = self.reader.next_block(limit)?;
        Ok(block.map(|block| {
            Box::new(JsonPart {
                block,
                parser: Arc::clone(&self.parser),
                scratch: Arc::clone(&self.scratch),
            }) as Box<dyn Part>
        }))
    }

    fn ending(&self) -> Option<Ending> {
        self.reader.ending()
    }
}

struct JsonPart {
    block: JsonBlock,
    parser: Arc<JsonParser>,
    scratch: Arc<ScratchPool<JsonScratch>>,
}

impl Part for JsonPart {
    fn rows(&self) -> u64 {
        self.block.records as u64
    }

    fn len_bytes(&self) -> usize {
        self.block.len_bytes()
    }

    fn is_blank(&self) -> bool {
        self.block.records == 0
    }

    fn is_paused(&self) -> bool {
        self.block.paused
    }

    fn read(self: Box<Self>) -> Result<PartRows> {
        let Self { block, parser, .. } = *self;
        let columns = self
            .scratch
            .with(JsonScratch::default, |scratch| parser.parse(block, scratch));
        columns.map(PartRows::Untyped)
    }
}
