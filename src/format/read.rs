//! What the readers of all formats have in common.

use std::fs::File;
use std::io::Read;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::csv::CsvOptions;
use super::frame::Columns;
use super::input::Input;
use super::json::RecordsPath;
use crate::columns::TextOptions;
use crate::error::Result;
use crate::stream::{Ending, HashKind};
use crate::text::encoding::Encoding;

/// The bytes of an input.
pub type Bytes = Box<dyn Read + Send>;

/// Cuts one input into parts, on one thread.
pub trait Reader: Send {
    /// The columns and what comes before the first row, if they are known before a row is read and matter.
    fn begin(&mut self) -> Option<Columns> {
        None
    }

    /// The next part; `None` at the end. Text has at most `limit` rows in it, and other formats as many as they please.
    ///
    /// # Errors
    /// If the input cannot be read, or cannot be cut because it breaks the format.
    fn next_part(&mut self, limit: Option<usize>) -> Result<Option<Box<dyn Part>>>;

    /// The schema of all rows, if the input says so at its beginning.
    fn schema(&self) -> Option<SchemaRef> {
        None
    }

    /// What follows the last row, once that has been read, if the text is to be restored.
    fn ending(&self) -> Option<Ending> {
        None
    }

    /// Something odd that was seen since this was last asked for.
    fn note(&mut self) -> Option<String> {
        None
    }
}

/// A part of an input, to be read on whichever thread is free.
pub trait Part: Send {
    /// Number of rows. Text counts them only where they are limited.
    fn rows(&self) -> u64;

    /// Bytes in the input.
    fn len_bytes(&self) -> usize;

    /// True if it is text without a record.
    fn is_blank(&self) -> bool {
        false
    }

    /// True if no further row came in the time that rows may wait.
    fn is_paused(&self) -> bool {
        false
    }

    /// Parses or decodes.
    ///
    /// # Errors
    /// What is wrong with the part, with its place.
    fn read(self: Box<Self>) -> Result<PartRows>;
}

/// What a part becomes.
pub enum PartRows {
    /// Text, whose types are chosen once its frame is complete.
    Untyped(Columns),
    /// Columns that have types. Their number in a batch means nothing.
    Typed(RecordBatch),
}

/// How to read an input.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions<'a> {
    /// How CSV is written.
    pub csv: &'a CsvOptions,
    /// The encoding of text; UTF-8 unless there is a mark of UTF-16 if not given.
    pub encoding: Option<Encoding>,
    /// Where in a document of JSON its rows are.
    pub records: Option<&'a RecordsPath>,
    /// The format is a guess by the first bytes.
    pub is_guess: bool,
    /// Columns and their types.
    pub text: &'a TextOptions,
    /// The hash of a text that is to be restored.
    pub hash: HashKind,
    /// Rows after which a frame leaves, if that is how frames end: no more may be waited for.
    pub frame_rows: Option<usize>,
    /// The bytes say when what is there has waited for long enough.
    pub waits_briefly: bool,
    /// Most bytes of a batch.
    pub max_frame: u64,
    /// Most bytes of a record of text.
    pub max_record: u64,
}

impl ReadOptions<'_> {
    /// The input as a window of text. Its first record is waited for with so many lines before it.
    pub fn window(&self, bytes: Bytes, lines_before: usize) -> Input<Bytes> {
        let mut input = Input::new(bytes, self.max_record);
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

/// Opens an input; `file` is the same one where it can be sought in.
pub type OpenReader = fn(Bytes, Option<File>, &ReadOptions<'_>) -> Result<Box<dyn Reader>>;
