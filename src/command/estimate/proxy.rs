//! A fast codec that stands in for a slow one.
//!
//! How well a slow codec compresses one megabyte says little about forty: the rest can contain different
//! data, and there is more history to match against. A fast codec with the same window finds most of the
//! same matches, and can compress the whole input. Only the slow codec's advantage over it is then
//! extrapolated from a sample (in statistics, a ratio estimator with an auxiliary variable).

use std::ops::Range;

use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use super::codec::compress;
use crate::error::{Error, Result};
use crate::stream::{Codec, Compression};

/// Log2 of the hash table size for zstd level 1, whose default is 14.
const HASH_LOG: u32 = 20;

/// A fast codec that stands in for a slow one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyCodec {
    /// lz4, with a window of 64 KiB.
    Lz4,
    /// zstd 1 with a different window.
    Zstd {
        /// Log2 of the window in bytes.
        window_log: u32,
    },
}

impl ProxyCodec {
    /// The proxy with about the same window as `codec`.
    pub fn of(codec: Compression) -> Self {
        if codec.codec() != Codec::Zstd {
            return Self::Lz4;
        }
        // The windows of zstd's levels; those of 4 to 16 are smaller, but share one proxy.
        let window_log = match codec.level() {
            ..=19 => 23,
            20 => 25,
            21 => 26,
            22.. => 27,
        };
        Self::Zstd { window_log }
    }

    /// The window in bytes.
    pub fn window(self) -> u64 {
        match self {
            Self::Lz4 => 64 << 10,
            Self::Zstd { window_log } => 1 << window_log,
        }
    }

    /// The compressed size of the pieces of a payload.
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
