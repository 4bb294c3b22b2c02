//! Compression codecs: their names, and those that compress the sections of wire 2.

use std::cell::RefCell;
use std::io;
use std::ops::RangeInclusive;

use zstd::bulk::Compressor;
use zstd::zstd_safe::compress_bound;

use crate::error::{Error, Result};

/// A compression codec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codec {
    /// No compression.
    #[default]
    None,
    /// Zstandard (RFC 8878).
    Zstd,
    /// gzip (RFC 1952).
    Gzip,
    /// LZ4 (block format 1.5, frame format 1.6).
    Lz4,
}

impl Codec {
    /// Every codec, in the order of help texts.
    pub const ALL: [Self; 4] = [Self::None, Self::Zstd, Self::Gzip, Self::Lz4];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
            Self::Lz4 => "lz4",
        }
    }

    /// The extension that the codec's own tool gives its files, without the dot.
    pub fn extension(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Zstd => Some("zst"),
            Self::Gzip => Some("gz"),
            Self::Lz4 => Some("lz4"),
        }
    }

    /// The levels; `None` if there is no choice.
    pub fn levels(self) -> Option<RangeInclusive<i32>> {
        match self {
            Self::None | Self::Lz4 => None,
            // The range of the `zstd` tool; the library goes further down.
            Self::Zstd => Some(-7..=22),
            Self::Gzip => Some(0..=9),
        }
    }

    /// The level if none is given; 0 if there is no choice.
    pub fn default_level(self) -> i32 {
        match self {
            Self::None | Self::Lz4 => 0,
            Self::Zstd => 3,
            Self::Gzip => 6,
        }
    }
}

/// How the sections of an envelope are compressed: a codec that wire 2 has, with its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionCodec {
    /// Not at all.
    None,
    /// LZ4 blocks.
    Lz4,
    /// Zstandard frames of this level.
    Zstd(i32),
}

/// The least zstd level of sections of a few KiB.
const SMALL_LEVEL: i32 = 12;

/// Compressing fewer bytes than this is not worth a trial.
const TINY: usize = 24;

thread_local! {
    /// A zstd context with the level it is set to, and room for its output. Trials are small and many,
    /// and making a context takes longer than most of them.
    static CONTEXT: RefCell<Option<(i32, Compressor<'static>, Vec<u8>)>> =
        const { RefCell::new(None) };
}

/// Compresses the bytes and passes the result to `take`.
fn compress_zstd<T>(plain: &[u8], level: i32, take: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
    CONTEXT.with_borrow_mut(|context| {
        let (set, compressor, packed) = match context {
            Some(context) => context,
            None => context.insert((level, Compressor::new(level)?, Vec::new())),
        };
        if *set != level {
            compressor.set_compression_level(level)?;
            *set = level;
        }
        packed.clear();
        packed.reserve(compress_bound(plain.len()));
        compressor.compress_to_buffer(plain, packed)?;
        Ok(take(packed))
    })
}

impl SectionCodec {
    /// The codec without its level.
    pub fn codec(self) -> Codec {
        match self {
            Self::None => Codec::None,
            Self::Lz4 => Codec::Lz4,
            Self::Zstd(_) => Codec::Zstd,
        }
    }

    /// The compressed bytes, or `None` if they are not fewer.
    ///
    /// # Errors
    /// If the compressor fails, which happens only if there is no memory.
    pub fn compress(self, plain: &[u8]) -> Result<Option<Vec<u8>>> {
        if plain.len() < TINY {
            return Ok(None);
        }
        let packed = match self {
            Self::None => return Ok(None),
            Self::Lz4 => lz4_flex::block::compress(plain),
            Self::Zstd(level) => compress_zstd(plain, level, <[u8]>::to_vec)
                .map_err(|error| Error::io("cannot compress with zstd", error))?,
        };
        Ok((packed.len() < plain.len()).then_some(packed))
    }

    /// The codec for sections of a few KiB, which take no time at any level.
    #[must_use]
    pub fn for_small(self) -> Self {
        match self {
            Self::Zstd(level) => Self::Zstd(level.max(SMALL_LEVEL)),
            Self::None | Self::Lz4 => self,
        }
    }

    /// The bytes that these take in a file, compressed if that is shorter.
    pub fn packed_len(self, plain: &[u8]) -> usize {
        let packed = match self {
            _ if plain.len() < TINY => None,
            Self::None => None,
            Self::Lz4 => Some(lz4_flex::block::compress(plain).len()),
            Self::Zstd(level) => compress_zstd(plain, level, <[u8]>::len).ok(),
        };
        packed.map_or(plain.len(), |len| len.min(plain.len()))
    }
}
