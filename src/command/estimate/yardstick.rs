//! A quick codec that tells how much smaller or larger all of an input is than a sample of it.
//!
//! What a slow codec makes of a megabyte says little of what it makes of forty: the rest may hold
//! other data, and there is more to look back on. A quick codec that looks back as far finds most of
//! the same, and all of the input can be given to it. What is extrapolated, then, is how much better
//! the slow one is (a ratio estimator with an auxiliary variable, as statistics call it).

use std::ops::Range;

use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use super::codec::compress;
use crate::error::{Error, Result};
use crate::stream::{Codec, Compression};

/// Log2 of the places that zstd's quick level remembers; its own choice would be 14.
const HASH_LOG: u32 = 20;

/// The quick codec that stands beside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yardstick {
    /// lz4, which looks back 64 KiB.
    Lz4,
    /// zstd 1 with another window.
    Zstd {
        /// Log2 of how far back it looks.
        window_log: u32,
    },
}

impl Yardstick {
    /// The one that looks back about as far as a codec does.
    pub fn of(codec: Compression) -> Self {
        if codec.codec() != Codec::Zstd {
            return Self::Lz4;
        }
        // The windows of zstd's levels; those of 4 to 16 are smaller, but all share one yardstick.
        let window_log = match codec.level() {
            ..=19 => 23,
            20 => 25,
            21 => 26,
            22.. => 27,
        };
        Self::Zstd { window_log }
    }

    /// How far back it looks, in bytes.
    pub fn window(self) -> u64 {
        match self {
            Self::Lz4 => 64 << 10,
            Self::Zstd { window_log } => 1 << window_log,
        }
    }

    /// Bytes that it makes of the pieces of a payload.
    ///
    /// # Errors
    /// If the codec fails.
    pub fn measure(self, plain: &[u8], pieces: &[Range<usize>]) -> Result<u64> {
        let Self::Zstd { window_log } = self else {
            let stored = compress(Compression::new(Codec::Lz4, None)?, plain, pieces)?;
            return Ok(stored.iter().map(|piece| piece.len() as u64).sum());
        };
        let cannot = |error| Error::io("cannot compress", error);
        let mut compressor = Compressor::new(1).map_err(cannot)?;
        for parameter in [
            CParameter::WindowLog(window_log),
            CParameter::HashLog(HASH_LOG),
        ] {
            compressor.set_parameter(parameter).map_err(cannot)?;
        }
        let mut len = 0;
        for piece in pieces {
            let stored = compressor.compress(&plain[piece.clone()]);
            len += stored.map_err(cannot)?.len() as u64;
        }
        Ok(len)
    }
}
