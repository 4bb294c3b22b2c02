//! CSV as an input of the pipeline.

use std::fs::File;
use std::sync::Arc;

use super::{CsvBlock, CsvOptions, CsvParser, CsvReader, usual_delimiter};
use crate::columns::span::Span;
use crate::error::Result;
use crate::format::frame::Columns;
use crate::format::read::{Bytes, Part, PartRows, ReadOptions, Reader};
use crate::format::scratch_pool::ScratchPool;
use crate::stream::Ending;
use crate::units::counted;

/// Opens comma-separated values, or what the options say is between them.
///
/// # Errors
/// If the header cannot be read.
pub fn open_csv(
    bytes: Bytes,
    _file: Option<File>,
    options: &ReadOptions<'_>,
) -> Result<Box<dyn Reader>> {
    let csv = options.csv;
    let input = options.window(bytes, csv.header.into());
    let (reader, parser) = CsvReader::open(input, csv.clone(), options.text)?;
    let lossy = reader.lossy_names().len() as u64;
    let note = (lossy > 0).then(|| {
        let names = counted(lossy, "column name");
        format!("{names}: not UTF-8; read with U+FFFD in place of the other bytes")
    });
    Ok(Box::new(CsvInput {
        is_wanted_empty: options.text.columns.is_none() || reader.head().is_some(),
        reader,
        parser: Arc::new(parser),
        spans: Arc::default(),
        note,
    }))
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
    /// The same for TSV.
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
    /// The columns are wanted even if no row comes.
    is_wanted_empty: bool,
    spans: Arc<ScratchPool<Vec<Span>>>,
    note: Option<String>,
}

impl Reader for CsvInput {
    fn begin(&mut self) -> Option<Columns> {
        let columns = || self.parser.no_rows(self.reader.head());
        self.is_wanted_empty.then(columns)
    }

    fn next_part(&mut self, limit: Option<usize>) -> Result<Option<Box<dyn Part>>> {
        let block = self.reader.next_block(limit)?;
        Ok(block.map(|block| {
            Box::new(CsvPart {
                is_blank: self.reader.is_blank(&block),
                block,
                parser: Arc::clone(&self.parser),
                spans: Arc::clone(&self.spans),
            }) as Box<dyn Part>
        }))
    }

    fn ending(&self) -> Option<Ending> {
        self.reader.ending()
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }
}

struct CsvPart {
    block: CsvBlock,
    is_blank: bool,
    parser: Arc<CsvParser>,
    spans: Arc<ScratchPool<Vec<Span>>>,
}

impl Part for CsvPart {
    fn rows(&self) -> u64 {
        self.block.records as u64
    }

    fn len_bytes(&self) -> usize {
        self.block.len()
    }

    fn is_blank(&self) -> bool {
        self.is_blank
    }

    fn is_paused(&self) -> bool {
        self.block.paused
    }

    fn read(self: Box<Self>) -> Result<PartRows> {
        let Self { block, parser, .. } = *self;
        let columns = self
            .spans
            .with(Vec::new, |spans| parser.parse(block, spans));
        columns.map(PartRows::Untyped)
    }
}
