//! Compresses envelopes to frames.

use std::io::Cursor;

use zstd::zstd_safe::{CCtx, CParameter, compress_bound, get_error_name};

use super::gzip::Deflater;
use super::{Codec, Compression, lz4};
use crate::error::{Error, Result};

/// Log2 of the window for long-distance matching: the largest that `zstd -d` accepts without options.
const LONG_WINDOW_LOG: u32 = 27;

/// Compresses envelopes, reusing its tables.
///
/// The codec's own tool can read the frames. They depend only on the envelope and the settings.
pub struct Compressor(Engine);

enum Engine {
    None,
    /// The context is created on first use.
    Zstd(Compression, Option<CCtx<'static>>),
    Gzip(Deflater),
    Lz4(Box<lz4::Lz4Encoder>),
}

impl Compressor {
    /// A compressor with these settings.
    pub fn new(compression: Compression) -> Self {
        Self(match compression.codec {
            Codec::None => Engine::None,
            Codec::Zstd => Engine::Zstd(compression, None),
            Codec::Gzip => Engine::Gzip(Deflater::new(compression.level as u32)),
            Codec::Lz4 => Engine::Lz4(Box::new(lz4::Lz4Encoder::new())),
        })
    }

    /// Appends `plain` to `out` as one frame.
    ///
    /// # Errors
    /// If the codec fails, for example because memory is short.
    pub fn compress(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match &mut self.0 {
            Engine::None => {
                out.extend_from_slice(plain);
                Ok(())
            }
            Engine::Zstd(compression, context) => {
                let context = match context {
                    Some(context) => context,
                    none => none.insert(zstd_context(*compression)?),
                };
                out.reserve(compress_bound(plain.len()));
                let end = out.len() as u64;
                let mut room = Cursor::new(out);
                room.set_position(end);
                context
                    .compress2(&mut room, plain)
                    .map(drop)
                    .map_err(zstd_error)
            }
            Engine::Gzip(deflater) => deflater.member(plain, out),
            Engine::Lz4(writer) => writer.frame(plain, out),
        }
    }
}

/// Sets only the level and the options the user asked for, so that frames are the same as from the reference
/// implementation.
fn zstd_context(compression: Compression) -> Result<CCtx<'static>> {
    let mut context = CCtx::try_create()
        .ok_or_else(|| Error::io("cannot compress", std::io::ErrorKind::OutOfMemory.into()))?;
    let mut set = |parameter| context.set_parameter(parameter).map_err(zstd_error);
    set(CParameter::CompressionLevel(compression.level))?;
    if compression.checksum {
        set(CParameter::ChecksumFlag(true))?;
    }
    if compression.long {
        set(CParameter::EnableLongDistanceMatching(true))?;
        set(CParameter::WindowLog(LONG_WINDOW_LOG))?;
    }
    Ok(context)
}

fn zstd_error(code: usize) -> Error {
    let name = get_error_name(code);
    Error::input(format!("cannot compress with zstd: {name}"))
}
