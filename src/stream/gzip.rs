//! Gzip members (RFC 1952). The only way to find the end of one is to inflate it.

use flate2::{Compress, Compression as Level, Decompress, FlushCompress, FlushDecompress, Status};

use super::within;
use crate::error::{Error, Result};

/// Log2 of the window, the largest the format allows.
const WINDOW_BITS: u8 = 15;
/// Offset of the operating system in the header, and the number for an unknown one.
const OS: (usize, u8) = (9, 255);
/// Number of plain bytes passed at a time; the engine counts in 32 bits.
const CHUNK: usize = 1 << 30;
/// The smallest buffer for output.
const STEP: usize = 64 << 10;

/// Writes members, reusing its tables.
pub(super) struct Deflater(Compress);

impl Deflater {
    pub(super) fn new(level: u32) -> Self {
        Self(Compress::new_gzip(Level::new(level), WINDOW_BITS))
    }

    /// Appends one member without name and time and with an unknown operating system.
    pub(super) fn member(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        self.0.reset();
        out.reserve(plain.len() / 4 + STEP);
        loop {
            let used = self.0.total_in() as usize;
            let chunk = &plain[used..plain.len().min(used + CHUNK)];
            let flush = if used + chunk.len() == plain.len() {
                FlushCompress::Finish
            } else {
                FlushCompress::None
            };
            let status = self
                .0
                .compress_vec(chunk, out, flush)
                .map_err(|error| Error::input(format!("cannot compress with gzip: {error}")))?;
            if status == Status::StreamEnd {
                break;
            }
            out.reserve(STEP.max(out.len() - start));
        }
        out[start + OS.0] = OS.1;
        Ok(())
    }
}

/// Reads one member as its bytes arrive, and checks it.
pub(super) struct Inflater(Decompress);

impl Inflater {
    pub(super) fn new() -> Self {
        Self(Decompress::new_gzip(WINDOW_BITS))
    }

    /// Inflates `input` and appends the result to `out`. Returns how many bytes of `input` belong to the member, and
    /// whether the member ends there.
    pub(super) fn feed(
        &mut self,
        input: &[u8],
        limit: u64,
        out: &mut Vec<u8>,
    ) -> Result<(usize, bool)> {
        let start = self.0.total_in();
        let mut used = 0;
        loop {
            if out.capacity() - out.len() < STEP {
                // Double the buffer, but not far beyond the limit.
                let most = usize::try_from(limit).unwrap_or(usize::MAX);
                let room = out.len().clamp(STEP, most.max(STEP));
                out.reserve(room);
            }
            let before = (used, out.len());
            let end = input.len().min(used + CHUNK);
            let status = self
                .0
                .decompress_vec(&input[used..end], out, FlushDecompress::None)
                .map_err(|error| {
                    let what = error.message().unwrap_or("damaged");
                    Error::corrupt(format!("cannot decompress the gzip member: {what}"))
                        .at_byte(self.0.total_in())
                })?;
            used = (self.0.total_in() - start) as usize;
            within(out.len() as u64, limit)?;
            if status == Status::StreamEnd {
                return Ok((used, true));
            }
            if used == input.len() && out.len() < out.capacity() {
                return Ok((used, false));
            }
            if before == (used, out.len()) {
                return Err(
                    Error::corrupt("the gzip member makes no progress").at_byte(self.0.total_in())
                );
            }
        }
    }
}
