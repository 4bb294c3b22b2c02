//! Traits and options of the writers of all formats.

use std::path::Path;

use super::csv::CsvOptions;
use super::exact::Fidelity;
use super::frame::UntypedFrame;
use super::mbt::{FrameEncoding, FrameOptions};
use crate::columns::cast::Target;
use crate::columns::cast::join::JoinedSchema;
use crate::error::{Error, Result};
use crate::stream::{Compression, Ending, HashKind, StoredFrame};
use crate::wire::workers::Workers;

/// Writes frames in one format.
///
/// Everything that affects the output is decided in [`Writer::plan`], in order and on one thread, so the output does
/// not depend on the number of threads.
pub trait Writer: Sync {
    /// Divides a frame into jobs, in the order in which they are written; `first` is true for the first frame of the
    /// output. The jobs do the expensive work.
    ///
    /// # Errors
    /// If it is already known that the frame cannot be written.
    fn plan(&self, frame: UntypedFrame, first: bool) -> Result<Vec<Job<'_>>>;

    /// True if jobs are small, so that some may wait for a free thread. A job that holds columns of a whole frame should
    /// not: while it waits, the next frame would be read into memory.
    fn jobs_are_small(&self) -> bool {
        false
    }

    /// True if the job that finishes a frame returns the output of all its jobs. The others return nothing, so their
    /// results take no memory while the frame waits to be written.
    fn joins_jobs(&self) -> bool {
        false
    }

    /// True if the jobs of a large frame take so much memory that the next one waits until it is finished. Idle threads help
    /// with its jobs instead.
    fn is_alone(&self) -> bool {
        false
    }

    /// Copies a stored frame.
    ///
    /// # Errors
    /// If the format has no frames.
    fn copy(&self, _frame: StoredFrame) -> Result<Job<'_>> {
        Err(Error::usage("only MATHLDBT output can copy frames"))
    }

    /// Writes the end of the output, given the end of the input. Returns notes about the output.
    ///
    /// # Errors
    /// If the output cannot be written, or differs from the text that it should restore.
    fn finish(&self, ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>>;

    /// How much of the input text the output contains; known after the first frame is planned.
    fn source_text(&self) -> TextRetention {
        TextRetention::Dropped
    }
}

/// How much of the input text an output contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRetention {
    /// Only the values.
    Dropped,
    /// The information to restore it.
    Stored,
    /// The text itself.
    Restored,
}

/// Encodes a part of a frame, on any free thread; idle threads may help. Returns `None` if another job of the frame
/// returns the output of both.
pub type Job<'w> = Box<dyn FnOnce(&dyn Workers) -> Result<Option<Encoded<'w>>> + Send + 'w>;

type WriteRows<'w> = dyn FnOnce(&mut dyn Sink) -> Result<()> + Send + 'w;

/// The result of a job. Results are written in the order of their jobs, on one thread.
pub struct Encoded<'w> {
    /// Number of rows in it.
    pub rows: usize,
    write: Box<WriteRows<'w>>,
}

impl<'w> Encoded<'w> {
    /// Some rows, and how to write them.
    pub fn new(rows: usize, write: impl FnOnce(&mut dyn Sink) -> Result<()> + Send + 'w) -> Self {
        Self {
            rows,
            write: Box::new(write),
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(self, out: &mut dyn Sink) -> Result<()> {
        (self.write)(out)
    }
}

/// A destination for bytes.
pub trait Sink {
    /// Writes all `runs` in order.
    ///
    /// # Errors
    /// If writing fails.
    fn write_runs(&mut self, runs: &mut dyn Iterator<Item = &[u8]>) -> Result<()>;

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// If writing fails.
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_runs(&mut std::iter::once(bytes))
    }
}

impl Sink for Vec<u8> {
    fn write_runs(&mut self, runs: &mut dyn Iterator<Item = &[u8]>) -> Result<()> {
        runs.for_each(|run| self.extend_from_slice(run));
        Ok(())
    }
}

/// The codec for pages of Parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCodec {
    /// No compression.
    None,
    /// Snappy, which every reader has.
    Snappy,
    /// LZ4 blocks.
    Lz4,
    /// gzip with this level.
    Gzip(u32),
    /// Zstandard with this level.
    Zstd(i32),
}

impl Default for PageCodec {
    fn default() -> Self {
        Self::Zstd(3)
    }
}

/// Options for writing an output; each format uses the ones that apply to it.
#[derive(Clone, Debug)]
pub struct WriteOptions<'a> {
    /// How CSV is written.
    pub csv: &'a CsvOptions,
    /// True if CSV made from CSV keeps its null word, since no option names another.
    pub keeps_null: bool,
    /// How much of the original text of frames to restore.
    pub fidelity: Fidelity,
    /// The text metadata of the first frame, if it is of CSV; the rows of other texts are written in its style.
    pub first_text: Option<&'a str>,
    /// The cast to apply.
    pub cast: Option<Target>,
    /// Options for frames.
    pub frames: FrameOptions,
    /// The common schema of all rows, if known.
    pub schema: Option<JoinedSchema>,
    /// The codec for pages of Parquet.
    pub pages: PageCodec,
    /// The name of the output, if it has one.
    pub output: Option<&'a Path>,
}

impl<'a> WriteOptions<'a> {
    /// Writes values, without what would restore the spelling of the original text.
    pub fn values(csv: &'a CsvOptions, frames: FrameEncoding, max_frame: u64) -> Self {
        Self {
            csv,
            keeps_null: csv.nulls == CsvOptions::default().nulls,
            fidelity: Fidelity::Values,
            first_text: None,
            cast: None,
            frames: FrameOptions {
                wire: frames,
                compression: Compression::default(),
                index: false,
                max_frame,
                hash: HashKind::default(),
                expects_frames: true,
            },
            schema: None,
            pages: PageCodec::default(),
            output: None,
        }
    }
}
