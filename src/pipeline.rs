//! From opened inputs to frames of batches and on to the output, in order, on all cores.
//!
//! ```text
//! feed          read            gather           print           write
//! cut inputs -> parse, decode -> frames by rows -> encode units -> bytes in order
//! one thread    all cores       one thread       all cores       the caller's
//! ```
//!
//! Frames are few and large, so what is printed on a thread of its own is smaller: a unit.
//!
//! What happens on one thread is cheap and decides everything that output depends on, so the output
//! is the same for any number of threads. This is the only place with threads.

mod assembly;
mod feed;
mod frames;
mod gather;
mod ordered;
mod piece;
mod salvage;

use std::io::Read;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;

pub use self::assembly::Assembly;
pub use self::gather::Content;
pub use self::ordered::in_order;

use self::feed::Feed;
use self::gather::{Gather, Part};
use crate::error::{Error, Kind, Result};
use crate::text::TextOptions;
use crate::text::csv::CsvOptions;
use crate::text::frame::Frame;
use crate::text::json::Flavor;

/// Units per thread that may be printed before one that takes long.
const AHEAD: usize = 4;

/// What an input is.
#[derive(Clone, Debug)]
pub enum Format {
    /// CSV in some dialect.
    Csv(CsvOptions),
    /// JSON of some kind.
    Json(Flavor),
    /// Arrow IPC, a stream or a file.
    Arrow,
    /// MATHLDBT frames.
    Mbt,
}

/// An input that has been opened.
pub struct Source {
    /// The path as typed, or `<stdin>`.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Box<dyn Read + Send>,
    /// The same input where it can be sought in; shares its place with `bytes`.
    pub file: Option<std::fs::File>,
    /// What they are.
    pub format: Format,
}

/// Where frames end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameSize {
    /// After so many rows.
    Rows(u64),
    /// Text: with the block of text that makes so many bytes full. Frames stay as they are.
    TextBytes(u64),
    /// Text: all rows make one frame. Frames stay as they are.
    Whole,
}

/// What is wanted of the inputs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Columns and their types.
    pub text: TextOptions,
    /// The rows to keep, counted over all inputs.
    pub rows: Range<u64>,
    /// The frames to keep, counted over all inputs; rows are counted within them.
    pub frames: Range<u64>,
    /// Frames whose rows and columns are all wanted are passed on as they are.
    pub copy: bool,
    /// Where frames end.
    pub frame_size: FrameSize,
    /// Largest frame or record, in plain bytes.
    pub max_frame: u64,
    /// All frames must have the columns of the first, and get them in its order.
    pub one_header: bool,
    /// Batches of more rows are handed out in pieces of so many.
    pub batch_rows: Option<usize>,
    /// Damaged frames are left out and told, instead of ending everything.
    pub salvage: bool,
    /// Threads that parse and print.
    pub threads: usize,
}

/// Something odd that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note(pub String);

/// Turns frames into bytes, on several threads.
pub trait Target: Sync {
    /// What a thread keeps from unit to unit.
    type Scratch;
    /// The part of a frame that is printed on a thread of its own.
    type Unit: Send;
    /// What a unit becomes.
    type Printed: Send;

    /// The scratch of a new thread.
    fn scratch(&self) -> Self::Scratch;

    /// Cuts a frame into units, in the order in which they are written; `first` is true for the
    /// first frame of the output. This is done on one thread, so what takes time is left to the
    /// units. Stored frames come only if [`Options::copy`] says so.
    ///
    /// # Errors
    /// Whatever is known to keep the frame from being written.
    fn units(&self, frame: Content, first: bool) -> Result<Vec<Self::Unit>>;

    /// Turns a unit into bytes.
    ///
    /// # Errors
    /// Whatever keeps the unit from being written.
    fn print(&self, scratch: &mut Self::Scratch, unit: Self::Unit) -> Result<Self::Printed>;
}

/// Reads all sources in order, prints their frames and hands what was printed to `write`, in order.
///
/// # Errors
/// The first thing that cannot be read, printed or written; errors of reading name their file.
pub fn run<T: Target>(
    sources: Vec<Source>,
    options: &Options,
    target: &T,
    mut write: impl FnMut(T::Printed) -> Result<()>,
) -> Result<Vec<Note>> {
    let units = |part: Part| {
        let first = part.first;
        target.units(part.into_content(&options.text)?, first)
    };
    if options.threads <= 1 {
        let mut scratch = target.scratch();
        return each_part(sources, options, |part| {
            let units = units(part)?.into_iter();
            for unit in units {
                write(target.print(&mut scratch, unit)?)?;
            }
            Ok(())
        });
    }
    let (parts, gathered) = sync_channel::<Result<Part>>(0);
    std::thread::scope(|scope| {
        let reading = scope.spawn(move || {
            // If nobody takes parts any more, the other side has an error of its own to tell.
            let stopped = || Error::new(Kind::Io, "stopped");
            let send = |part| parts.send(Ok(part)).map_err(|_| stopped());
            each_part(sources, options, send).unwrap_or_else(|error| {
                let _ = parts.send(Err(error));
                Vec::new()
            })
        });
        let units = gathered
            .into_iter()
            .flat_map(|part| match part.and_then(units) {
                Ok(units) => units.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            });
        in_order(
            options.threads,
            AHEAD * options.threads,
            units,
            || target.scratch(),
            |scratch, unit| target.print(scratch, unit),
            write,
        )?;
        reading
            .join()
            .map_err(|_| Error::input("a thread panicked"))
    })
}

/// Reads all sources in order and hands their frames to `sink`, on the calling thread.
///
/// # Errors
/// As for [`run`].
pub fn frames(
    sources: Vec<Source>,
    options: &Options,
    mut sink: impl FnMut(Frame) -> Result<()>,
) -> Result<Vec<Note>> {
    let options = Options {
        threads: 1,
        copy: false,
        ..options.clone()
    };
    let mut take = |part: Part| match part.into_content(&options.text)? {
        Content::Draft(draft) => sink(draft.finish()?),
        Content::Stored(_) => Ok(()),
    };
    each_part(sources, &options, &mut take)
}

fn each_part(
    sources: Vec<Source>,
    options: &Options,
    emit: impl FnMut(Part) -> Result<()>,
) -> Result<Vec<Note>> {
    let mut gather = Gather::new(options, emit);
    let feed = Feed::new(sources, options);
    let read = |scratch: &mut piece::Scratch, piece: piece::Piece| piece.read(scratch, options);
    in_order(
        options.threads,
        2 * options.threads,
        feed,
        || piece::Scratch::new(options),
        read,
        |read| gather.take(read),
    )?;
    gather.finish()
}
