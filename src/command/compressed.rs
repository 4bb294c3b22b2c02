//! Compresses text output: `a.csv.gz`, `a.ndjson.zst`.
//!
//! The whole text is one member or frame, since some readers stop after the first one.

use std::io::{Error as IoError, Result as IoResult, Write};
use std::sync::mpsc::Receiver;

use flate2::GzBuilder;
use flate2::write::GzEncoder;

use super::output::Output;
use crate::error::{Error, Kind, Result};
use crate::format::Sink;
use crate::pipeline::{Background, Piece};
use crate::stream::{Codec, Compression, Compressor, Lz4Writer};

/// Up to this many bytes, zstd chooses its parameters by the size of the text, and lz4 the size of its blocks.
const SHORT_BYTES: usize = 256 << 10;

/// An output that may be compressed.
pub enum TextOutput {
    /// Not compressed.
    Plain(Output),
    /// Compressed by a separate thread.
    Compressed(Background<Output>),
}

impl TextOutput {
    /// Compresses everything written to `output`.
    ///
    /// # Errors
    /// If memory is short or no thread can be started.
    pub fn new(output: Output, compression: Compression) -> Result<Self> {
        if compression.codec() == Codec::None {
            return Ok(Self::Plain(output));
        }
        let background = Background::start(move |pieces| {
            let mut start = Vec::new();
            if compression.codec() != Codec::Gzip && receive_start(&pieces, &mut start)? {
                return write_whole(output, compression, &start);
            }
            let mut encoder = encoder(output, compression).map_err(cannot_compress)?;
            encoder.write_all(&start).map_err(cannot_compress)?;
            drop(start);
            loop {
                match pieces.recv() {
                    Ok(Piece::Bytes(bytes)) => {
                        encoder.write_all(&bytes).map_err(cannot_compress)?;
                    }
                    Ok(Piece::End) => {
                        let target = encoder.finish().map_err(cannot_compress)?;
                        return Ok(target.output);
                    }
                    Err(_) => {
                        // Some encoders write their end when they are dropped.
                        encoder.target().is_given_up = true;
                        return Err(stopped());
                    }
                }
            }
        })?;
        Ok(Self::Compressed(background))
    }

    /// Completes the output.
    ///
    /// # Errors
    /// As for [`Output::finish`].
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Plain(output) => output.finish(),
            Self::Compressed(background) => background.finish()?.finish(),
        }
    }
}

impl Sink for TextOutput {
    fn write_runs(&mut self, runs: &mut dyn Iterator<Item = &[u8]>) -> Result<()> {
        match self {
            Self::Plain(output) => output.write_runs(runs),
            Self::Compressed(background) => {
                let mut piece = Vec::new();
                piece.write_runs(runs)?;
                background.send(piece)
            }
        }
    }
}

/// Receives the start of the text: all of it, or more than [`SHORT_BYTES`]. True if it is all.
fn receive_start(pieces: &Receiver<Piece>, start: &mut Vec<u8>) -> Result<bool> {
    while start.len() <= SHORT_BYTES {
        match pieces.recv() {
            Ok(Piece::Bytes(bytes)) => start.extend_from_slice(&bytes),
            Ok(Piece::End) => return Ok(true),
            Err(_) => return Err(stopped()),
        }
    }
    Ok(false)
}

/// Writes a whole text as a frame that states its size.
fn write_whole(mut output: Output, compression: Compression, text: &[u8]) -> Result<Output> {
    let mut frame = Vec::new();
    Compressor::new(compression).compress(text, &mut frame)?;
    output.write(&frame)?;
    Ok(output)
}

fn stopped() -> Error {
    Error::new(Kind::Io, "stopped")
}

struct EncoderOutput {
    output: Output,
    /// True after a failure: ignore further writes, since the text is incomplete.
    is_given_up: bool,
}

impl Write for EncoderOutput {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        if self.is_given_up {
            return Err(IoError::other("given up"));
        }
        self.output.write(bytes).map_err(IoError::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

/// A codec that writes to an output.
trait Encoder: Write {
    fn target(&mut self) -> &mut EncoderOutput;

    /// Writes the end of the compressed text.
    fn finish(self: Box<Self>) -> IoResult<EncoderOutput>;
}

macro_rules! encoders {
    ($($encoder:ty),*) => {$(
        impl Encoder for $encoder {
            fn target(&mut self) -> &mut EncoderOutput {
                self.get_mut()
            }

            fn finish(self: Box<Self>) -> IoResult<EncoderOutput> {
                (*self).finish()
            }
        }
    )*};
}

encoders!(
    GzEncoder<EncoderOutput>,
    zstd::Encoder<'static, EncoderOutput>,
    Lz4Writer<EncoderOutput>
);

fn encoder(output: Output, compression: Compression) -> IoResult<Box<dyn Encoder>> {
    let target = EncoderOutput {
        output,
        is_given_up: false,
    };
    Ok(match compression.codec() {
        Codec::Gzip => {
            let level = flate2::Compression::new(compression.level().unsigned_abs());
            // The code for an unknown operating system, so that the bytes are the same on all systems.
            Box::new(GzBuilder::new().operating_system(255).write(target, level))
        }
        Codec::Zstd => {
            let mut encoder = zstd::Encoder::new(target, compression.level())?;
            encoder.include_checksum(compression.has_checksum())?;
            Box::new(encoder)
        }
        Codec::None | Codec::Lz4 => Box::new(Lz4Writer::new(target)),
    })
}

/// Unwraps an error of the output, or reports the error of the encoder.
fn cannot_compress(error: IoError) -> Error {
    let failed = error.downcast::<Error>();
    failed.unwrap_or_else(|error| Error::io("cannot compress", error))
}
