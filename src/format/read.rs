//! Traits and options of the readers of all formats.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::csv::CsvOptions;
use super::frame::Columns;
use super::input::TextWindow;
use super::json::RecordsPath;
use crate::columns::TextOptions;
use crate::error::{Error, Result};
use crate::filter::Predicate;
use crate::stream::{Ending, HashKind};
use crate::text::encoding::TextEncoding;

/// The bytes of an input.
pub type ByteSource = Box<dyn Read + Send>;

/// Cuts an input into parts, on one thread.
pub trait Reader: Send {
    /// The columns and the text before the first row, if they are needed and known before reading rows.
    fn begin(&mut self) -> Option<Columns> {
        None
    }

    /// The next part; `None` at the end. Text formats return at most `limit` rows; other formats may ignore the limit.
    ///
    /// # Errors
    /// If the input cannot be read, or cannot be cut because it violates the format.
    fn next_part(&mut self, limit: Option<usize>) -> Result<Option<Part>>;

    /// Steps over the next rows as long as the statistics of the input show that none of them passes the filter.
    fn skip_ruled_out(&mut self, _filter: &Predicate) {}

    /// The schema of all rows, if it is at the start of the input.
    fn schema(&self) -> Option<SchemaRef> {
        None
    }

    /// The end of the text, after the last row has been read, if the text is to be restored.
    fn ending(&self) -> Option<Ending> {
        None
    }

    /// The next note about the input, if any.
    fn note(&mut self) -> Option<String> {
        None
    }
}

/// A part of an input, read on any free thread.
pub struct Part {
    /// Number of rows. Text counts them only if they are limited.
    pub rows: u64,
    /// Number of bytes in the input.
    pub len_bytes: usize,
    /// True if it is text without records.
    pub is_blank: bool,
    /// True if the part ends because the input pauses.
    pub is_paused: bool,
    pub(super) read: Box<dyn FnOnce() -> Result<PartRows> + Send>,
}

impl Part {
    /// Rows with types, which `decode` decodes.
    pub fn typed(
        rows: u64,
        len_bytes: usize,
        decode: impl FnOnce() -> Result<RecordBatch> + Send + 'static,
    ) -> Self {
        Self {
            rows,
            len_bytes,
            is_blank: false,
            is_paused: false,
            read: Box::new(move || decode().map(PartRows::Typed)),
        }
    }

    /// A part without rows, with the columns at the given positions.
    pub fn empty(schema: SchemaRef, places: Option<Arc<[usize]>>) -> Self {
        Self::typed(0, 0, move || {
            let batch = RecordBatch::new_empty(schema);
            match places {
                None => Ok(batch),
                Some(places) => batch.project(&places).map_err(Error::input),
            }
        })
    }

    /// Text with this many records, which `parse` parses.
    pub fn text(
        records: usize,
        len_bytes: usize,
        parse: impl FnOnce() -> Result<Columns> + Send + 'static,
    ) -> Self {
        Self {
            rows: records as u64,
            len_bytes,
            is_blank: false,
            is_paused: false,
            read: Box::new(move || parse().map(PartRows::Untyped)),
        }
    }

    /// Parses or decodes.
    ///
    /// # Errors
    /// The error in the part, with its place.
    pub fn read(self) -> Result<PartRows> {
        (self.read)()
    }
}

/// The rows of a part.
pub enum PartRows {
    /// Text, whose types are chosen when its frame is complete.
    Untyped(Columns),
    /// Typed columns. Batch boundaries carry no meaning.
    Typed(RecordBatch),
}

/// Options for reading an input.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions<'a> {
    /// How CSV is written.
    pub csv: &'a CsvOptions,
    /// The encoding of text; if not given, UTF-8, or UTF-16 if there is a byte order mark.
    pub encoding: Option<TextEncoding>,
    /// The path to the rows in a JSON document.
    pub records: Option<&'a RecordsPath>,
    /// True if the format was detected by the first bytes.
    pub is_guess: bool,
    /// Columns and their types.
    pub text: &'a TextOptions,
    /// The hash of a text that is to be restored.
    pub hash: HashKind,
    /// The number of rows after which a frame ends, if it is set: then the reader must not wait for more.
    pub frame_rows: Option<usize>,
    /// True if reads return early once the oldest waiting row reaches --max-delay.
    pub waits_briefly: bool,
    /// The largest batch, in bytes.
    pub max_frame: u64,
    /// The longest record of text, in bytes.
    pub max_record: u64,
}

impl ReadOptions<'_> {
    /// A window on the input that first shows the first record and `lines_before` lines before it.
    pub fn window(&self, bytes: ByteSource, lines_before: usize) -> TextWindow<ByteSource> {
        let mut input = TextWindow::new(bytes, self.max_record);
        if let Some(encoding) = self.encoding {
            input.set_encoding(encoding);
        }
        if self.text.exact {
            input.take_fingerprint(self.hash);
        }
        if let Some(rows) = self.frame_rows {
            input.show_lines(rows.saturating_add(lines_before));
        }
        if self.waits_briefly {
            input.wait_briefly();
        }
        input
    }
}

/// Opens an input; `file` is the same input if it is seekable.
pub type OpenReader = fn(ByteSource, Option<File>, &ReadOptions<'_>) -> Result<Box<dyn Reader>>;
