//! From an envelope to a frame of some codec.

use std::io::Cursor;

use zstd::zstd_safe::{CCtx, CParameter, compress_bound, get_error_name};

use super::gzip::Deflater;
use super::{Codec, Compression, lz4};
use crate::error::{Error, Result};

/// Log2 of how far back long distance matching may look; what `zstd -d` accepts unasked.
const LONG_WINDOW_LOG: u32 = 27;

/// Wraps envelopes in ordinary frames, reusing its tables from one to the next.
///
/// The frames are what the codec's own tool reads, and depend on nothing but the envelope and the
/// settings.
pub struct Compressor(Engine);

enum Engine {
    None,
    /// The library's context is made when it is first needed.
    Zstd(Compression, Option<CCtx<'static>>),
    Gzip(Deflater),
    Lz4(Box<lz4::Writer>),
}

impl Compressor {
    /// A compressor with these settings.
    pub fn new(compression: Compression) -> Self {
        Self(match compression.codec {
            Codec::None => Engine::None,
            Codec::Zstd => Engine::Zstd(compression, None),
            Codec::Gzip => Engine::Gzip(Deflater::new(compression.level as u32)),
            Codec::Lz4 => Engine::Lz4(Box::new(lz4::Writer::new())),
        })
    }

    /// Appends `plain` to `out` as one frame.
    ///
    /// # Errors
    /// If the codec fails, for want of memory say.
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

/// The level alone, so that the frames are those of the reference, and what was asked for beside it.
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
