//! Opens CSV as an input of the pipeline.

use std::fs::File;

use super::{CsvOptions, CsvReader, usual_delimiter};
use crate::error::{Error, Result};
use crate::format::json::resembles_rows;
use crate::format::read::{ByteSource, ReadOptions, Reader};
use crate::text::encoding::TextEncoding;

/// Opens CSV with the delimiter of the options.
///
/// # Errors
/// If the header cannot be read.
pub fn open_csv(
    bytes: ByteSource,
    _file: Option<File>,
    options: &ReadOptions<'_>,
) -> Result<Box<dyn Reader>> {
    let csv = options.csv;
    let skipped = usize::try_from(csv.skip_lines).unwrap_or(usize::MAX);
    let mut input = options.window(bytes, skipped.saturating_add(csv.header.into()));
    if csv.flexible && options.encoding.is_none() {
        // Flexible input accepts any bytes, and a byte order mark does not make it UTF-16.
        input.set_encoding(TextEncoding::Utf8);
    }
    input.fill_block()?;
    let marked = TextEncoding::of_mark(input.text());
    let resembles_json = options.is_guess && resembles_rows(input.text());
    let opened = CsvReader::open(input, csv.clone(), options.text);
    let mut reader = opened.map_err(|error| hint_of_json(error, resembles_json))?;
    reader.resembles_json = resembles_json;
    let mut notes = Vec::new();
    if resembles_json {
        let note = "read as CSV: it starts like JSON but is not valid; --from json shows the error";
        notes.push(note.to_owned());
    }
    if let Some(encoding) = marked {
        let name = encoding.name();
        notes.push(format!(
            "starts like {name}; --flexible reads the bytes unchanged unless --encoding {name} is given"
        ));
    }
    reader.notes.splice(..0, notes);
    Ok(Box::new(reader))
}

/// Adds a hint for users who meant JSON.
pub(super) fn hint_of_json(error: Error, resembles_json: bool) -> Error {
    if resembles_json {
        error.and_hint("if this is meant to be JSON, --from json shows the error")
    } else {
        error
    }
}

/// Opens tab-separated values.
///
/// # Errors
/// If the header cannot be read.
pub fn open_tsv(
    bytes: ByteSource,
    file: Option<File>,
    options: &ReadOptions<'_>,
) -> Result<Box<dyn Reader>> {
    let csv = &options.csv.tsv();
    open_csv(bytes, file, &ReadOptions { csv, ..*options })
}

impl CsvOptions {
    /// These options for TSV.
    #[must_use]
    pub fn tsv(&self) -> Self {
        Self {
            tsv: true,
            delimiter: self.delimiter.or(Some(usual_delimiter(true))),
            ..self.clone()
        }
    }
}
