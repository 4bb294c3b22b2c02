//! `mbt compress` and `mbt decompress`: another codec or level for frames, the same rows.

use std::io::Read;
use std::path::Path;

use super::open::{Input, metadata, open};
use super::options::{codec_of_extension, compression, max_frame, threads};
use super::output::{Output, ensure_not_an_input};
use super::partial::leave;
use crate::cli::{self, Compress, Decompress};
use crate::error::{Error, Result};
use crate::frame::{
    Codec, Compression, Compressor, Decompressor, Entry, Index, Item, StoredFrame, StoredReader,
    envelopes,
};
use crate::pipeline::in_order;
use crate::report::progress::Progress;
use crate::report::units::counted;
use crate::wire::Envelope;
use crate::wire::choose::codec::Codec as SectionCodec;

/// Compresses the frames of an input.
///
/// # Errors
/// Whatever keeps the input from being read or the output from being written.
pub fn run(args: &Compress) -> Result<()> {
    let output = args.target.output.as_deref();
    let compression = compression(&args.wrap, args.long, output, Codec::Zstd)?;
    let threads = threads(&args.wrap.threads);
    recode(
        args.path.as_deref(),
        &args.limit,
        compression,
        threads,
        &args.target,
    )
}

/// Writes the frames of an input as they are.
///
/// # Errors
/// Whatever keeps the input from being read or the output from being written.
pub fn undo(args: &Decompress) -> Result<()> {
    let threads = threads(&args.threads);
    let output = args.target.output.as_deref();
    if let Some((path, codec)) = output.and_then(|path| Some((path, codec_of_extension(path)?))) {
        return Err(Error::usage("what is decompressed should not be named so")
            .in_file(path)
            .hint(format!(
                "mbt compress -c {} makes such a file",
                codec.name()
            )));
    }
    let none = Compression::default();
    recode(
        args.path.as_deref(),
        &args.limit,
        none,
        threads,
        &args.target,
    )
}

fn recode(
    path: Option<&Path>,
    limit: &cli::Limit,
    compression: Compression,
    threads: usize,
    target: &cli::Target,
) -> Result<()> {
    let max_frame = max_frame(limit)?;
    let path = path.unwrap_or(Path::new("-"));
    ensure_not_an_input(target.output.as_deref(), &[path.to_path_buf()])?;
    let progress = Progress::begin(&target.telling, [metadata(path)].into_iter());
    let Input { path, bytes, .. } = open(path)?;
    let mut output = Output::open(target.output.as_deref(), true, target.force)?.counted(&progress);
    let mut frames = Frames::new(progress.reading(bytes), max_frame);
    let mut trailing = 0;
    let mut written = Vec::new();
    in_order(
        threads,
        threads - 1,
        &mut frames,
        || Worker::new(compression, max_frame),
        |worker, frame| worker.recode(&frame),
        |done: Done| {
            trailing += done.trailing as u64;
            written.push(done.told);
            let result = output.write(&done.bytes);
            result.map_err(|error| leave(&error, &progress))
        },
    )
    .map_err(|error| error.in_file(&path))?;
    let index = frames.index.take();
    let had_index = index.is_some();
    let index = index.and_then(|index| renewed(index, &written));
    if let Some(index) = &index {
        output.write(&index.write()?)?;
    }
    output.finish()?;
    let name = path.display();
    trailing += frames.reader.trailing_bytes();
    if trailing > 0 {
        let bytes = counted(trailing, "byte");
        progress.note(&format!(
            "{name}: {bytes} behind frames left out, as no part of one"
        ));
    }
    if had_index && index.is_none() {
        progress.note(&format!(
            "{name}: the index was left out; mbt convert --index writes a new one"
        ));
    }
    progress.finish();
    Ok(())
}

/// The index of frames that were written anew; `None` if it does not tell of all of them, or has no place
/// behind them.
fn renewed(mut index: Index, written: &[Option<Told>]) -> Option<Index> {
    if index.frames.len() != written.len() {
        return None;
    }
    for (entry, told) in index.frames.iter_mut().zip(written) {
        let Told { before, behind } = (*told)?;
        if entry.crc32 != before {
            return None;
        }
        (entry.stored_len, entry.crc32) = (behind.stored_len, behind.crc32);
    }
    Some(index)
}

/// The frames of a stream as they lie in it.
struct Frames<R> {
    reader: StoredReader<R>,
    /// Room for the next frame, which is likely as large as the one before.
    room: usize,
    /// The last index that was passed over: it tells of frames as they were.
    index: Option<Index>,
}

impl<R: Read> Frames<R> {
    fn new(bytes: R, max_frame: u64) -> Self {
        Self {
            reader: StoredReader::new(bytes, max_frame),
            room: 0,
            index: None,
        }
    }
}

impl<R: Read> Iterator for Frames<R> {
    type Item = Result<StoredFrame>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.next_item(Vec::with_capacity(self.room)) {
                Ok(Some(Item::Frame(frame))) => {
                    self.room = frame.bytes.len() + frame.bytes.len() / 16;
                    return Some(Ok(frame));
                }
                Ok(Some(Item::Skippable(skippable))) => {
                    let index = skippable.payload.as_deref().and_then(Index::read);
                    self.index = index.or(self.index.take());
                }
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// What a thread keeps from frame to frame.
struct Worker {
    decompressor: Decompressor,
    compressor: Compressor,
    /// What compresses whole frames of wire 1.
    codec: Codec,
    /// What compresses the sections of wire 2, if it can.
    sections: Option<SectionCodec>,
    plain: Vec<u8>,
    max_frame: u64,
}

/// A frame with another codec.
struct Done {
    bytes: Vec<u8>,
    told: Option<Told>,
    /// Bytes in the frame that are part of no envelope.
    trailing: usize,
}

/// What an index may tell of a frame.
#[derive(Clone, Copy)]
struct Told {
    /// CRC-32 of the frame as it was.
    before: u32,
    /// The frame as it is.
    behind: Entry,
}

/// The codec of sections that comes nearest to that of whole frames.
fn section_codec(compression: Compression) -> Option<SectionCodec> {
    match compression.codec() {
        Codec::None => Some(SectionCodec::None),
        Codec::Zstd => Some(SectionCodec::Zstd(compression.level())),
        Codec::Lz4 => Some(SectionCodec::Lz4),
        Codec::Gzip => None,
    }
}

impl Worker {
    fn new(compression: Compression, max_frame: u64) -> Self {
        Self {
            decompressor: Decompressor::new(max_frame),
            compressor: Compressor::new(compression),
            codec: compression.codec(),
            sections: section_codec(compression),
            plain: Vec::new(),
            max_frame,
        }
    }

    fn recode(&mut self, frame: &StoredFrame) -> Result<Done> {
        let plain = frame.open(&mut self.decompressor, &mut self.plain)?;
        let (found, trailing) =
            envelopes(plain, self.max_frame).map_err(|error| frame.locate(error))?;
        // Tools that open gzip take nothing else behind it, and readers of plain wire 1 no other frames.
        let has_index = |envelope: &Envelope| match envelope {
            Envelope::V1(_) => matches!(self.codec, Codec::Zstd | Codec::Lz4),
            Envelope::V2(_) => true,
        };
        let is_told = matches!(&found[..], [(_, envelope)] if has_index(envelope));
        let plain_len = plain.len();
        let mut bytes = Vec::new();
        for (range, envelope) in found {
            let plain = &plain[range];
            match (envelope, self.sections) {
                (Envelope::V1(_), _) => self.compressor.compress(plain, &mut bytes)?,
                (Envelope::V2(envelope), Some(codec)) => envelope
                    .recode(plain, codec, &mut bytes)
                    .map_err(|error| frame.locate(error))?,
                (Envelope::V2(_), None) => {
                    let error = Error::usage("wire 2 does not know gzip");
                    let error = error.hint("its sections take zstd, lz4 or none");
                    return Err(error.in_frame(frame.index));
                }
            }
        }
        let told = is_told.then(|| Told {
            before: crc32fast::hash(&frame.bytes),
            behind: Entry::new(std::iter::once(&bytes[..]), plain_len, 0),
        });
        Ok(Done {
            bytes,
            told,
            trailing,
        })
    }
}
