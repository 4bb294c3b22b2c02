//! Options for reading inputs: what is kept of them, and where frames end.

use std::borrow::Borrow;
use std::ops::Range;
use std::time::Duration;

use arrow_schema::Field;

use super::{FromEnd, Sample};
use crate::columns::TextOptions;
use crate::filter::Predicate;
use crate::format::frame::Cast;
use crate::format::{InputFormat, ReadOptions};
use crate::schema::keys::is_row;
use crate::schema::{ROW_COLUMN, shown_names};
use crate::stream::HashKind;

/// The default limit for a record of text, in bytes.
pub const DEFAULT_MAX_RECORD: u64 = 512 << 20;

/// Where frames end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameSize {
    /// After this many rows.
    Rows(u64),
    /// After the block of text that completes this many bytes. Frames in the input stay as they are.
    TextBytes(u64),
    /// All rows of text make one frame. Frames in the input stay as they are.
    Whole,
}

/// Options for reading inputs.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent wishes")]
pub struct PipelineOptions {
    /// Columns and their types.
    pub text: TextOptions,
    /// Keep only rows for which this condition is true.
    pub filter: Option<Predicate>,
    /// The rows to keep, counted over all inputs among the rows that pass the filter.
    pub rows: Range<u64>,
    /// Which of these rows to keep, counted from the end.
    pub from_end: Option<FromEnd>,
    /// True if the ending of the text is kept with its last row.
    pub keeps_ending: bool,
    /// A sample of the rows that are then left.
    pub sample: Option<Sample>,
    /// Choose rows of text by number only after they were typed together with the other rows of their frame.
    pub counts_typed_rows: bool,
    /// The frames to keep, counted over all inputs; rows are then counted within these frames.
    pub frames: Range<u64>,
    /// Copy frames whose rows and columns are all kept.
    pub copy: bool,
    /// Where frames end.
    pub frame_size: FrameSize,
    /// End a frame of text when its oldest row has waited this long and the input pauses.
    pub max_delay: Option<Duration>,
    /// Largest frame, in bytes of memory.
    pub max_frame: u64,
    /// Longest record of text, in bytes.
    pub max_record: u64,
    /// Which columns frames may have.
    pub header: HeaderMode,
    /// The columns of the first frame, if they are known before it is read, or even if it is not read.
    pub first_columns: Option<Vec<String>>,
    /// The head of the original text, for the first frame that is read if it is not the start of the text.
    pub text_head: Option<TextHead>,
    /// Do not restore skipped parts of the text, which options kept out of its rows.
    pub omits_skipped: bool,
    /// Text that is not UTF-8 becomes bytes, with a note.
    pub casts_bytes: bool,
    /// Columns of text that frames store as dictionaries may stay dictionaries, for a writer that only prints them.
    pub keeps_dictionaries: bool,
    /// The cast of frames that are passed on as they are read; writers have their own.
    pub cast: Option<Cast>,
    /// Pass on larger batches in slices of at most this many rows and a limited number of bytes.
    pub batch_rows: Option<usize>,
    /// Report and skip damaged frames instead of stopping.
    pub salvage: bool,
    /// The kind of hash for text that is to be restored.
    pub hash: HashKind,
    /// Number of threads that parse and print.
    pub threads: usize,
}

/// The head of a text, and the frames that it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextHead {
    /// The text before the first record.
    pub head: String,
    /// The text metadata of its frames.
    pub text: Option<String>,
    /// The displayed names of its columns, unless each frame has its own.
    pub columns: Option<Vec<String>>,
}

/// Which columns frames may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderMode {
    /// Each frame has its own columns.
    Own,
    /// All frames get the columns of the first frame, in its order.
    First,
    /// Like [`Self::First`], but frames that continue the text of the first one keep their own columns, since their
    /// records are printed as in that text.
    Text,
}

impl PipelineOptions {
    /// All rows and columns of all inputs, on one thread.
    pub fn all(text: TextOptions, frame_size: FrameSize, max_frame: u64) -> Self {
        Self {
            text,
            filter: None,
            rows: 0..u64::MAX,
            from_end: None,
            keeps_ending: true,
            sample: None,
            counts_typed_rows: false,
            frames: 0..u64::MAX,
            copy: false,
            frame_size,
            max_delay: None,
            max_frame,
            max_record: DEFAULT_MAX_RECORD,
            header: HeaderMode::Own,
            first_columns: None,
            text_head: None,
            omits_skipped: false,
            casts_bytes: false,
            keeps_dictionaries: false,
            cast: None,
            batch_rows: None,
            salvage: false,
            hash: HashKind::default(),
            threads: 1,
        }
    }

    /// The same for all rows and frames.
    #[must_use]
    pub fn with_all_rows(&self) -> Self {
        Self {
            text: TextOptions {
                looked_at: Vec::new(),
                ..self.text.clone()
            },
            filter: None,
            rows: 0..u64::MAX,
            from_end: None,
            keeps_ending: true,
            sample: None,
            counts_typed_rows: false,
            frames: 0..u64::MAX,
            ..self.clone()
        }
    }

    /// True if all rows and columns of all inputs are kept, and damage is an error.
    pub fn is_whole(&self) -> bool {
        !self.filters()
            && self.text.columns.is_none()
            && self.rows == (0..u64::MAX)
            && self.keeps_all_frames()
            && !self.salvage
    }

    /// True if rows are selected once they have types: by a condition, by a number that is known too late for reading, or
    /// by any number on request.
    pub fn filters(&self) -> bool {
        self.filter.is_some()
            || self.from_end.is_some()
            || self.sample.is_some()
            || self.counts_typed_rows
    }

    /// True if a condition may drop rows, so that rows which were not read may or may not be kept.
    pub fn is_conditional(&self) -> bool {
        let filter = self.filter.as_ref();
        filter.is_some_and(|filter| !filter.is_always_true())
    }

    /// True if every row is read, so that a column which none of them has does not exist.
    pub fn reads_all_rows(&self) -> bool {
        self.rows.end == u64::MAX && (self.rows.start == 0 || self.filters())
    }

    /// True if no frame is dropped by its number: then every record that is kept can keep its bytes.
    pub fn keeps_all_frames(&self) -> bool {
        self.frames == (0..u64::MAX)
    }

    /// Options for reading an input; `text` has the columns to read.
    pub(super) fn reading<'a>(
        &self,
        format: &'a InputFormat,
        text: &'a TextOptions,
    ) -> ReadOptions<'a> {
        ReadOptions {
            csv: &format.layout.csv,
            encoding: format.layout.encoding,
            records: format.layout.records.as_ref(),
            is_guess: format.is_guess,
            text,
            hash: self.hash,
            frame_rows: match self.frame_size {
                FrameSize::Rows(rows) => Some(usize::try_from(rows).unwrap_or(usize::MAX)),
                FrameSize::TextBytes(_) | FrameSize::Whole => None,
            },
            waits_briefly: false,
            max_frame: self.max_frame,
            max_record: self.max_record,
        }
    }

    /// Where the wanted columns are, unless these are all columns in their order.
    pub(super) fn selected<F: Borrow<Field>>(&self, fields: &[F]) -> Option<Vec<usize>> {
        // If rows are stored whole, the selected columns are inside them.
        let has_rows = fields.iter().any(|field| is_row(field.borrow()));
        // Whole rows are made of all columns of objects.
        let wants_rows = || {
            let is_it = |field: &F| field.borrow().name() == ROW_COLUMN;
            self.text.selects_whole_rows() && !fields.iter().any(is_it)
        };
        if has_rows || wants_rows() || self.text.keeps_all(shown_names(fields)) {
            return None;
        }
        let names: Vec<&str> = fields.iter().map(|it| &**it.borrow().name()).collect();
        Some(self.text.selected_places(&names))
    }

    /// True if the column is selected, or used by the filter.
    pub(super) fn needs(&self, name: &str) -> bool {
        let filter = self.filter.as_ref();
        self.text.selects(name)
            || self.text.selects_whole_rows()
            || filter.is_some_and(|filter| filter.needs(name))
    }
}
