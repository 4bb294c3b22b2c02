//! From opened inputs to frames of batches and on to the output, in order, on all cores.
//!
//! ```text
//! feed          read            gather           print         write
//! cut inputs -> parse, decode -> frames by rows -> encode -> bytes in order
//! one thread    all cores       one thread       all cores     the caller's
//! ```
//!
//! What happens on one thread is cheap and decides everything that output depends on, so the output
//! is the same for any number of threads. This is the only place with threads.

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

pub use self::ordered::in_order;

use self::feed::Feed;
use self::gather::{Content, Gather, Part};
use crate::error::{Error, Kind, Result};
use crate::frame::StoredFrame;
use crate::text::TextOptions;
use crate::text::csv::CsvOptions;
use crate::text::frame::Frame;
use crate::text::json::Flavor;

/// What an input is.
#[derive(Clone, Debug)]
pub enum Format {
    /// CSV in some dialect.
    Csv(CsvOptions),
    /// JSON of some kind.
    Json(Flavor),
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
    /// What a thread keeps from frame to frame.
    type Scratch;
    /// What a frame becomes.
    type Printed: Send;

    /// The scratch of a new thread.
    fn scratch(&self) -> Self::Scratch;

    /// Turns a frame into bytes; `first` is true for the first of the output.
    ///
    /// # Errors
    /// Whatever keeps the frame from being written.
    fn print(
        &self,
        scratch: &mut Self::Scratch,
        frame: &Frame,
        first: bool,
    ) -> Result<Self::Printed>;

    /// Takes a frame as it is; asked only if [`Options::copy`] says so.
    ///
    /// # Errors
    /// If the frame is damaged and what it holds had to be known.
    fn copy(&self, scratch: &mut Self::Scratch, stored: StoredFrame) -> Result<Self::Printed>;
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
    let print = |scratch: &mut T::Scratch, part: Part| {
        let first = part.first;
        match part.into_content(&options.text)? {
            Content::Frame(frame) => target.print(scratch, &frame, first),
            Content::Stored(stored) => target.copy(scratch, stored),
        }
    };
    if options.threads <= 1 {
        let mut scratch = target.scratch();
        return each_part(sources, options, |part| write(print(&mut scratch, part)?));
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
        in_order(
            options.threads,
            gathered.into_iter(),
            || target.scratch(),
            print,
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
        Content::Frame(frame) => sink(frame),
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
        feed,
        || piece::Scratch::new(options),
        read,
        |read| gather.take(read),
    )?;
    gather.finish()
}
