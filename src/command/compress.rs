//! `mbt compress` and `mbt decompress`: change the codec or level of frames.

use std::io::Read;
use std::path::Path;

use super::open::{metadata, open_frames};
use super::options::{codec_of_extension, compression, max_frame, threads};
use super::output::{Output, ensure_not_an_input};
use super::partial::exit_with;
use crate::cli::{Compress, Decompress, Recoding};
use crate::error::{Error, Result};
use crate::format::Sink as _;
use crate::pipeline::{QueueLimits, Source, in_order};
use crate::report::progress::Progress;
use crate::stream::{
    Codec, Compression, Compressor, Entry, FrameColumn, FrameOpener, FramePlace, FrameReader,
    Index, Item, OpenFrame, StoredFrame,
};
use crate::wire::codec::SectionCodec;
use crate::wire::{Envelope, v2};

/// Compresses the frames of an input.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn run(args: &Compress) -> Result<()> {
    let output = args.files.output.as_deref();
    let compression = compression(&args.wrap, args.long, output, Codec::Zstd)?;
    recode(&args.files, compression, threads(&args.wrap.threads))
}

/// Decompresses the frames of an input.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn undo(args: &Decompress) -> Result<()> {
    let output = args.files.output.as_deref();
    if let Some((path, codec)) = output.and_then(|path| Some((path, codec_of_extension(path)?))) {
        return Err(Error::usage("this extension is for compressed files")
            .in_file(path)
            .hint(format!("mbt compress -c {} writes one", codec.name())));
    }
    recode(&args.files, Compression::default(), threads(&args.threads))
}

fn recode(files: &Recoding, compression: Compression, threads: usize) -> Result<()> {
    let max_frame = max_frame(&files.limit)?;
    let output = files.output.as_deref();
    let is_wrapped = output.and_then(codec_of_extension).is_some();
    let path = files.path.as_deref().unwrap_or(Path::new("-"));
    ensure_not_an_input(output, &[path.to_path_buf()])?;
    let progress = Progress::begin(files.messages, [metadata(path)].into_iter());
    let Source { path, bytes, .. } = open_frames(path)?;
    let mut output = Output::open(output, true, files.force)?.counted(&progress);
    let mut reader = FrameReader::new(progress.count_reads(bytes), max_frame);
    // The frames since the last end of a segment.
    let mut since: Vec<(Entry, Vec<FrameColumn>)> = Vec::new();
    let mut drops_index = false;
    let mut fault = None;
    let mut write = |part: Recoded| -> Result<()> {
        let bytes = match part {
            Recoded::Frame {
                bytes,
                entry,
                columns,
            } => {
                since.push((entry, columns));
                bytes
            }
            Recoded::End(_) if compression.codec() == Codec::Gzip => {
                since.clear();
                drops_index = true;
                return Ok(());
            }
            Recoded::End(mut index) => {
                let unlisted = since.len().saturating_sub(index.frames.len());
                index.relocate(since.split_off(unlisted));
                since.clear();
                index.write()?
            }
            Recoded::Fault(error) => {
                fault.get_or_insert(error);
                return Ok(());
            }
        };
        let written = output.write(&bytes);
        written.map_err(|error| exit_with(&error, &progress))
    };
    in_order(
        threads,
        QueueLimits::large(threads + 1),
        std::iter::from_fn(|| next_part(&mut reader).transpose()),
        || Worker::new(compression, max_frame, is_wrapped),
        |worker, part| match part {
            RecodeTask::Frame(frame) => worker.recode(&frame),
            RecodeTask::End(index) => Ok(vec![Recoded::End(index)]),
        },
        |parts: Vec<Recoded>| parts.into_iter().try_for_each(&mut write),
    )
    .map_err(|error| error.in_file(&path))?;
    if let Some(fault) = fault {
        return Err(fault.in_file(&path));
    }
    output.finish()?;
    if drops_index {
        let name = path.display();
        progress.note(&format!(
            "{name}: the index was dropped, because gzip -d does not accept it"
        ));
    }
    progress.finish();
    Ok(())
}

/// A part of the input to recode.
enum RecodeTask {
    Frame(StoredFrame),
    /// The end of the original frames.
    End(Index),
}

/// The next frame or end of a stream; other skippable frames are dropped.
fn next_part<R: Read>(reader: &mut FrameReader<R>) -> Result<Option<RecodeTask>> {
    while let Some(item) = reader.next_item()? {
        match item {
            Item::Frame(frame) => return Ok(Some(RecodeTask::Frame(frame))),
            Item::End(mut end) => {
                let index = end.index.take();
                end.check()?;
                if let Some(index) = index {
                    return Ok(Some(RecodeTask::End(index)));
                }
            }
            Item::Skippable(_) => {}
        }
    }
    Ok(None)
}

/// The result for a part.
enum Recoded {
    /// A frame, or some contents of a frame, with another codec.
    Frame {
        bytes: Vec<u8>,
        entry: Entry,
        /// The columns to list in the index, for frames of version 2.
        columns: Vec<FrameColumn>,
    },
    /// The original index. Only the positions of frames change; it may contain the end of the text that the frames were
    /// made from.
    End(Index),
    /// An error found in a part that was recoded nevertheless.
    Fault(Error),
}

/// State that a thread keeps between frames.
struct Worker {
    opener: FrameOpener,
    compressor: Compressor,
    /// The codec for sections of wire 2, if it supports the requested one.
    sections: Option<SectionCodec>,
    /// True if the output name has the extension of a codec.
    is_wrapped: bool,
}

impl Worker {
    fn new(compression: Compression, max_frame: u64, is_wrapped: bool) -> Self {
        Self {
            opener: FrameOpener::new(max_frame),
            compressor: Compressor::new(compression),
            sections: SectionCodec::of(compression.codec(), compression.level()),
            is_wrapped,
        }
    }

    fn recode(&mut self, frame: &StoredFrame) -> Result<Vec<Recoded>> {
        let OpenFrame { plain, contents } = self.opener.open(frame)?;
        let fault = contents.trailing_fault(plain);
        // Envelopes of version 1 stay in one frame, since the index lists them as one.
        let is_split = !contents.ends.is_empty();
        let mut ends = contents.ends.into_iter().peekable();
        let mut recoded = Vec::new();
        let mut v1 = (Vec::new(), 0, 0);
        for (place, (range, envelope)) in contents.envelopes.into_iter().enumerate() {
            let plain = &plain[range];
            match (&envelope, self.sections) {
                (Envelope::V1(_), _) => {
                    let (bytes, plain_len, rows) = &mut v1;
                    self.compressor.compress(plain, bytes)?;
                    *plain_len += plain.len();
                    *rows += envelope.rows();
                    if is_split {
                        recoded.extend(frame_of(std::mem::take(&mut v1)));
                    }
                }
                (Envelope::V2(_), _) if self.is_wrapped => {
                    let error = Error::usage("wire 2 frames are already compressed");
                    let hint = "write -o x.mbt; only wire 1 frames are wrapped by a codec";
                    return Err(error.hint(hint).in_frame(frame.index));
                }
                (Envelope::V2(header), Some(codec)) => {
                    recoded.extend(frame_of(std::mem::take(&mut v1)));
                    let mut bytes = Vec::with_capacity(plain.len() + plain.len() / 16);
                    let plain_len = header
                        .recode(plain, codec, &mut bytes)
                        .map_err(|error| frame.locate(error))?;
                    let (place, columns) = FramePlace::of(&v2::Envelope::read(&bytes, u64::MAX)?)?;
                    let frame = std::iter::once(&bytes[..]);
                    let entry = Entry::new(frame, plain_len, envelope.rows());
                    recoded.push(Recoded::Frame {
                        entry: Entry { place, ..entry },
                        bytes,
                        columns,
                    });
                }
                (Envelope::V2(_), None) => {
                    let error = Error::usage("wire 2 does not support gzip");
                    let error = error.hint("use zstd, lz4 or none");
                    return Err(error.in_frame(frame.index));
                }
            }
            while let Some((_, index)) = ends.next_if(|(before, _)| *before == place + 1) {
                recoded.push(Recoded::End(index));
            }
        }
        recoded.extend(frame_of(v1));
        recoded.extend(fault.map(|fault| Recoded::Fault(frame.locate(fault))));
        Ok(recoded)
    }
}

/// A frame of version 1 with these bytes, plain length and rows; `None` if there are no bytes.
fn frame_of((bytes, plain_len, rows): (Vec<u8>, usize, usize)) -> Option<Recoded> {
    (!bytes.is_empty()).then(|| Recoded::Frame {
        entry: Entry::new(std::iter::once(&bytes[..]), plain_len, rows),
        bytes,
        columns: Vec::new(),
    })
}
