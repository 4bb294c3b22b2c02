//! `mbt compress` and `mbt decompress`: another codec or level for frames, the same rows.

use std::io::Read;
use std::path::Path;

use super::open::{Input, metadata, open};
use super::options::{codec_of_extension, compression, max_frame, threads};
use super::output::{Output, ensure_not_an_input};
use super::partial::leave;
use crate::cli::{self, Compress, Decompress};
use crate::error::{Error, Result};
use crate::pipeline::in_order;
use crate::report::progress::Progress;
use crate::stream::{
    Codec, Compression, Compressor, Entry, FrameOpener, FrameReader, Index, Item, OpenFrame,
    StoredFrame,
};
use crate::units::counted;
use crate::wire::Envelope;
use crate::wire::codec::SectionCodec;

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
        return Err(Error::usage("this extension is for compressed files")
            .in_file(path)
            .hint(format!("mbt compress -c {} writes one", codec.name())));
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
    let progress = Progress::begin(target.messages.verbosity(), [metadata(path)].into_iter());
    let Input { path, bytes, .. } = open(path)?;
    let mut output = Output::open(target.output.as_deref(), true, target.force)?.counted(&progress);
    let mut reader = FrameReader::new(progress.count_reads(bytes), max_frame);
    let mut indexes = Indexes::new(compression.codec());
    let mut trailing = 0;
    in_order(
        threads,
        threads - 1,
        std::iter::from_fn(|| next_part(&mut reader).transpose()),
        || Worker::new(compression, max_frame),
        |worker, part| match part {
            Part::Frame(frame) => worker.recode(&frame),
            Part::Index(index) => Ok(Done::Index(index)),
        },
        |done: Done| {
            let bytes = match done {
                Done::Frame(frame) => {
                    trailing += frame.trailing as u64;
                    indexes.since.push((frame.before, frame.entry));
                    frame.bytes
                }
                Done::Index(index) => indexes.of_new_frames(index)?,
            };
            let written = output.write(&bytes);
            written.map_err(|error| leave(&error, &progress))
        },
    )
    .map_err(|error| error.in_file(&path))?;
    output.finish()?;
    let name = path.display();
    trailing += reader.trailing_bytes();
    if trailing > 0 {
        let bytes = counted(trailing, "byte");
        progress.note(&format!(
            "{name}: dropped {bytes} after the last frame that belong to no frame"
        ));
    }
    if let Some(why) = indexes.left_out {
        progress.note(&format!("{name}: the index was dropped, {why}"));
    }
    progress.finish();
    Ok(())
}

/// What is recoded.
enum Part {
    Frame(StoredFrame),
    /// An index of the frames as they were.
    Index(Index),
}

/// The next frame or index of a stream; other skippable frames are left out.
fn next_part<R: Read>(reader: &mut FrameReader<R>) -> Result<Option<Part>> {
    while let Some(item) = reader.next_item()? {
        match item {
            Item::Frame(frame) => return Ok(Some(Part::Frame(frame))),
            Item::Index(_, Some(index)) => return Ok(Some(Part::Index(index))),
            Item::Index(_, None) | Item::Skippable(_) => {}
        }
    }
    Ok(None)
}

/// Indexes, made anew for frames that lie elsewhere now. What an index tells besides where frames are
/// holds as before: it may have the end of the text that they were made of.
struct Indexes {
    /// The frames behind the last index, as they were and as they are.
    since: Vec<(Entry, Entry)>,
    codec: Codec,
    /// Why one was left out.
    left_out: Option<&'static str>,
}

impl Indexes {
    fn new(codec: Codec) -> Self {
        Self {
            since: Vec::new(),
            codec,
            left_out: None,
        }
    }

    /// The bytes of an index, for the new frames; none if it does not fit.
    fn of_new_frames(&mut self, mut index: Index) -> Result<Vec<u8>> {
        let mut frames = std::mem::take(&mut self.since);
        // Frames without an index may lie before those of one.
        if let Some(first) = frames.len().checked_sub(index.frames.len()) {
            frames.drain(..first);
        }
        let told = index.frames.iter().map(|told| (told.crc32, told.rows));
        let before = frames.iter().map(|(before, _)| (before.crc32, before.rows));
        let fits = told.eq(before);
        self.left_out = if self.codec == Codec::Gzip {
            Some("because gzip -d does not support it")
        } else if !fits {
            Some("because it describes other frames")
        } else {
            index.frames = frames.into_iter().map(|(_, now)| now).collect();
            return index.write();
        };
        Ok(Vec::new())
    }
}

/// What a thread keeps from frame to frame.
struct Worker {
    opener: FrameOpener,
    compressor: Compressor,
    /// What compresses the sections of wire 2, if it can.
    sections: Option<SectionCodec>,
}

/// What became of a part.
enum Done {
    Frame(Recoded),
    /// Still of frames as they were.
    Index(Index),
}

/// A frame with another codec.
struct Recoded {
    bytes: Vec<u8>,
    entry: Entry,
    before: Entry,
    /// Bytes in the frame that are part of no envelope.
    trailing: usize,
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
            opener: FrameOpener::new(max_frame),
            compressor: Compressor::new(compression),
            sections: section_codec(compression),
        }
    }

    fn recode(&mut self, frame: &StoredFrame) -> Result<Done> {
        let OpenFrame {
            plain,
            envelopes,
            trailing,
        } = self.opener.open(frame)?;
        // The new frame is likely about as large as the old one.
        let mut bytes = Vec::with_capacity(frame.bytes.len() + frame.bytes.len() / 16);
        let (mut rows, mut plain_len) = (0, 0);
        for (range, envelope) in envelopes {
            let plain = &plain[range];
            rows += envelope.rows();
            plain_len += match (envelope, self.sections) {
                (Envelope::V1(_), _) => {
                    self.compressor.compress(plain, &mut bytes)?;
                    plain.len()
                }
                (Envelope::V2(envelope), Some(codec)) => envelope
                    .recode(plain, codec, &mut bytes)
                    .map_err(|error| frame.locate(error))?,
                (Envelope::V2(_), None) => {
                    let error = Error::usage("wire 2 does not support gzip");
                    let error = error.hint("use zstd, lz4 or none");
                    return Err(error.in_frame(frame.index));
                }
            };
        }
        Ok(Done::Frame(Recoded {
            before: Entry::new(std::iter::once(&frame.bytes[..]), plain_len, rows),
            entry: Entry::new(std::iter::once(&bytes[..]), plain_len, rows),
            bytes,
            trailing,
        }))
    }
}
