//! Opens JSON as an input of the pipeline.

use std::fs::File;

use super::{Flavor, JsonReader};
use crate::error::{Error, Result};
use crate::format::read::{ByteSource, ReadOptions, Reader};
use crate::format::{Format, InputFormat};

/// Opens a document, or JSON of any layout if the format was detected.
///
/// # Errors
/// If the input cannot be read.
pub fn open_json(
    bytes: ByteSource,
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
    bytes: ByteSource,
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

fn open(bytes: ByteSource, flavor: Flavor, options: &ReadOptions<'_>) -> Result<Box<dyn Reader>> {
    let input = options.window(bytes, 0);
    let reader = JsonReader::open(input, flavor, options.text.clone(), options.records)?;
    Ok(Box::new(reader))
}
