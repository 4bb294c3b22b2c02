//! Opens CSV as an input of the pipeline.

use std::fs::File;
use std::sync::Arc;

use super::{CsvOptions, CsvParser, CsvReader, usual_delimiter};
use crate::columns::span::Span;
use crate::error::{Error, Result};
use crate::format::frame::Columns;
use crate::format::json::resembles_rows;
use crate::format::read::{Bytes, Part, ReadOptions, Reader};
use crate::format::scratch_pool::ScratchPool;
use crate::stream::Ending;
use crate::text::encoding::TextEncoding;
use crate::units::counted;

/// Opens CSV with the delimiter of the options.
///
/// # Errors
/// If the header cannot be read.
pub fn open_csv(
    bytes: Bytes,
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
    let (reader, parser) = opened.map_err(|error| hint_of_json(error, resembles_json))?;
    let lossy = reader.lossy_names().len() as u64;
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
    if lossy > 0 {
        let names = counted(lossy, "column name");
        notes.push(format!(
            "{names}: not UTF-8; read with U+FFFD in place of the other bytes"
        ));
    }
    Ok(Box::new(CsvInput {
        reader,
        parser: Arc::new(parser),
        spans: Arc::default(),
        resembles_json,
        notes,
    }))
}

/// Adds a hint for users who meant JSON.
fn hint_of_json(error: Error, resembles_json: bool) -> Error {
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
    bytes: Bytes,
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

struct CsvInput {
    reader: CsvReader<Bytes>,
    parser: Arc<CsvParser>,
    spans: Arc<ScratchPool<Vec<Span>>>,
    /// True if the format was detected although the text starts like JSON.
    resembles_json: bool,
    /// Notes, to be taken from the end.
    notes: Vec<String>,
}

impl Reader for CsvInput {
    fn begin(&mut self) -> Option<Columns> {
        Some(self.parser.no_rows(self.reader.head()))
    }

    fn next_part(&mut self, limit: Option<usize>) -> Result<Option<Part>> {
        let resembles_json = self.resembles_json;
        let block = self.reader.next_block(limit);
        let Some(block) = block.map_err(|error| hint_of_json(error, resembles_json))? else {
            return Ok(None);
        };
        let (parser, spans) = (Arc::clone(&self.parser), Arc::clone(&self.spans));
        Ok(Some(Part {
            is_blank: self.reader.is_blank(&block),
            is_paused: block.paused,
            ..Part::text(block.records, block.len_bytes(), move || {
                let columns = spans.with(Vec::new, |spans| parser.parse(block, spans));
                columns.map_err(|error| hint_of_json(error, resembles_json))
            })
        }))
    }

    fn ending(&self) -> Option<Ending> {
        self.reader.ending()
    }

    fn note(&mut self) -> Option<String> {
        self.notes.pop()
    }
}
