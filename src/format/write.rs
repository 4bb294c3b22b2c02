//! What the writers of all formats have in common.

use std::path::Path;

use super::csv::CsvOptions;
use super::exact::Fidelity;
use super::frame::UntypedFrame;
use super::mbt::FrameOptions;
use crate::columns::cast::Target;
use crate::columns::cast::join::JoinedSchema;
use crate::error::{Error, Result};
use crate::stream::{Ending, StoredFrame};

/// Writes frames of rows in one format.
///
/// Whatever decides about the output happens in [`Writer::plan`], in order and on one thread; this is why the number of
/// threads never shows.
pub trait Writer: Sync {
    /// Cuts a frame into jobs, in the order in which they are written; `first` is true for the first frame of the
    /// output. What takes time is left to the jobs.
    ///
    /// # Errors
    /// Whatever is known to keep the frame from being written.
    fn plan<'w>(&'w self, frame: UntypedFrame, first: bool) -> Result<Vec<Box<dyn Job<'w> + 'w>>>;

    /// Passes a frame on as it is.
    ///
    /// # Errors
    /// If the format has no frames.
    fn copy<'w>(&'w self, _frame: StoredFrame) -> Result<Box<dyn Job<'w> + 'w>> {
        Err(Error::usage("only MATHLDBT output has frames to pass on"))
    }

    /// Writes what comes after the last row, given what is known at the end of the input; returns what is odd about
    /// the output.
    ///
    /// # Errors
    /// If the output cannot be written, or is not the text that it should be.
    fn finish(&self, ending: Option<Ending>, out: &mut dyn Sink) -> Result<Vec<String>>;

    /// What the output has of the text that was read, once its first frame is planned.
    fn source_text(&self) -> SourceText {
        SourceText::Dropped
    }
}

/// What an output has of the text that its rows were read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceText {
    /// The values.
    Dropped,
    /// What makes it come back.
    Stored,
    /// The text itself.
    Restored,
}

/// A part of a frame, to be encoded on whichever thread is free.
pub trait Job<'w>: Send {
    /// Makes the bytes, or what they are made of.
    ///
    /// # Errors
    /// Whatever keeps the rows from being written.
    fn encode(self: Box<Self>) -> Result<Box<dyn Encoded + 'w>>;
}

/// What became of a job. These are written in the order of their jobs, on one thread.
pub trait Encoded: Send {
    /// Rows in it.
    fn rows(&self) -> usize;

    /// Writes it.
    ///
    /// # Errors
    /// If the output cannot be written.
    fn write(self: Box<Self>, out: &mut dyn Sink) -> Result<()>;
}

/// Where bytes go.
pub trait Sink {
    /// Writes all `runs` of bytes, one after the other.
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

/// How pages of Parquet are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCodec {
    /// Not at all.
    None,
    /// Snappy, which every reader has.
    Snappy,
    /// LZ4 blocks.
    Lz4,
    /// gzip of this level.
    Gzip(u32),
    /// Zstandard of this level.
    Zstd(i32),
}

impl Default for PageCodec {
    fn default() -> Self {
        Self::Zstd(3)
    }
}

/// How an output is written; each format takes what concerns it.
#[derive(Clone, Debug)]
pub struct WriteOptions<'a> {
    /// How CSV is written.
    pub csv: &'a CsvOptions,
    /// What may come back of the text that frames were made of.
    pub fidelity: Fidelity,
    /// What columns become.
    pub cast: Option<Target>,
    /// How frames are written.
    pub frames: FrameOptions,
    /// The schema of all rows, if it is known.
    pub schema: Option<JoinedSchema>,
    /// How pages of Parquet are compressed.
    pub pages: PageCodec,
    /// The name of the output, if it has one.
    pub output: Option<&'a Path>,
}
