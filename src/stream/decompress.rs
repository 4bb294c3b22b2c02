//! Decompresses frames, within a limit.

use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, get_error_name};

use super::blocks::{Header as _, header_of};
use super::gzip::Inflater;
use super::zstd::ZstdHeader;
use super::{Codec, cut_short, lz4, within};
use crate::error::{Error, Result};
use crate::memory;

/// Windows up to this size are accepted regardless of the limit, as by `zstd -d` without options.
const WINDOW_MAX: u64 = 128 << 20;
/// Log2 of the largest window the library can handle.
const WINDOW_LOG_MAX: u32 = if usize::BITS == 32 { 30 } else { 31 };
/// Start of the message for failed allocations.
const CANNOT: &str = "cannot decompress";
/// The smallest buffer for output of unknown size.
const STEP: usize = 256 << 10;

/// Decompresses frames, reusing its tables.
pub struct Decompressor {
    max_plain: u64,
    zstd: Option<DCtx<'static>>,
}

impl Decompressor {
    /// Refuses frames of more than `max_plain` plain bytes. A limit of 0 refuses every compressed frame. Uncompressed
    /// frames are passed through; no limit applies.
    pub fn new(max_plain: u64) -> Self {
        Self {
            max_plain,
            zstd: None,
        }
    }

    /// Replaces the contents of `out` by the plain bytes of `stored`, which is one whole frame.
    ///
    /// A size stated in the frame is compared with the limit, and with what its blocks can contain, before memory is
    /// allocated. If the frame states no size, the buffer grows in bounded steps.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if the plain bytes exceed the limit, [`crate::error::Kind::Corrupt`] if the frame
    /// is damaged, cut short or followed by other bytes.
    pub fn decompress(&mut self, codec: Codec, stored: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        self.start(codec, stored, usize::MAX, out)
    }

    /// The first plain bytes of `stored`, which is one whole frame: `most` or some more, or all if it has fewer. Does
    /// not check what follows.
    ///
    /// # Errors
    /// The errors of [`Self::decompress`] in the part that is decompressed.
    pub fn head(&mut self, codec: Codec, stored: &[u8], most: usize) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.start(codec, stored, most, &mut out)?;
        Ok(out)
    }

    /// Decompresses a frame until `out`, which is empty, has `enough` bytes or all.
    fn start(
        &mut self,
        codec: Codec,
        stored: &[u8],
        enough: usize,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if codec != Codec::None && self.max_plain == 0 {
            return within(1, 0);
        }
        match codec {
            Codec::None => out.extend_from_slice(stored),
            Codec::Zstd => self.zstd(stored, enough, out)?,
            Codec::Gzip => {
                let (used, ended) = Inflater::new().feed(stored, self.max_plain, out)?;
                if !ended {
                    return Err(cut_short(Codec::Gzip, stored.len() + 1, stored.len()));
                }
                if used < stored.len() {
                    let what = "bytes follow the gzip member";
                    return Err(Error::corrupt(what).at_byte(used as u64));
                }
            }
            Codec::Lz4 => lz4::decompress(stored, self.max_plain, enough, out)?,
        }
        Ok(())
    }

    /// The context, ready for another frame.
    fn new_session(&mut self) -> Result<&mut DCtx<'static>> {
        let context = match &mut self.zstd {
            Some(context) => context,
            none => none.insert(zstd_context()?),
        };
        context
            .reset(ResetDirective::SessionOnly)
            .map_err(zstd_error)?;
        Ok(context)
    }

    /// Limits the window, which the library allocates in addition to the output unless all output is at hand.
    fn window_within(&self, header: &ZstdHeader) -> Result<()> {
        let window = header.window;
        if window <= self.max_plain.max(WINDOW_MAX) {
            return Ok(());
        }
        Err(Error::limit(format!(
            "the zstd frame needs a window of {window} bytes, the limit is {}",
            self.max_plain
        ))
        .hint("raise --max-frame"))
    }

    /// If the header has the length of the content, it was compared with the limit, and one call decompresses
    /// all of it. Otherwise, or if the start is enough, the limit is checked after each step.
    fn zstd(&mut self, stored: &[u8], enough: usize, out: &mut Vec<u8>) -> Result<()> {
        let header: ZstdHeader = header_of(stored, self.max_plain)?;
        if let Some(plain_len) = header.content()
            && enough == usize::MAX
        {
            let plain_len = usize::try_from(plain_len).unwrap_or(usize::MAX);
            memory::reserve(out, plain_len, CANNOT)?;
            return self
                .new_session()?
                .decompress(out, stored)
                .map(drop)
                .map_err(zstd_error);
        }
        self.window_within(&header)?;
        let max_plain = self.max_plain;
        let context = self.new_session()?;
        let mut input = InBuffer::around(stored);
        loop {
            let start = out.len();
            memory::reserve(out, STEP.min(enough), CANNOT)?;
            let before = (input.pos(), start);
            let mut output = OutBuffer::around_pos(out, start);
            let missing = context
                .decompress_stream(&mut output, &mut input)
                .map_err(zstd_error)?;
            within(out.len() as u64, max_plain)?;
            if missing == 0 || out.len() >= enough {
                return Ok(());
            }
            if before == (input.pos(), out.len()) {
                return Err(cut_short(Codec::Zstd, stored.len() + missing, stored.len()));
            }
        }
    }
}

fn zstd_context() -> Result<DCtx<'static>> {
    let mut context = DCtx::try_create().ok_or_else(|| Error::no_memory(CANNOT))?;
    context
        .set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))
        .map_err(zstd_error)?;
    Ok(context)
}

fn zstd_error(code: usize) -> Error {
    let name = get_error_name(code);
    Error::corrupt(format!("cannot decompress the zstd frame: {name}"))
}
