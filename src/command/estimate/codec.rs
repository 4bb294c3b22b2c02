//! Codecs for payloads, and how much of a payload each one is measured on.

use std::ops::Range;

use super::payload::Payload;
use crate::error::{Error, Result};
use crate::stream::{Codec, Compression, Compressor, Decompressor, envelopes};

/// The codecs measured by default.
pub const DEFAULT: [&str; 7] = [
    "none", "lz4", "gzip:6", "zstd:1", "zstd:3", "zstd:9", "zstd:19",
];

/// Parses a list of codecs from the command line, such as `zstd:3`.
///
/// # Errors
/// [`crate::error::Kind::Usage`] for an unknown codec or level.
pub fn parse(list: &[String]) -> Result<Vec<Compression>> {
    let mut codecs = Vec::new();
    for name in list {
        let codec = one(name)?;
        if !codecs.contains(&codec) {
            codecs.push(codec);
        }
    }
    Ok(codecs)
}

fn one(text: &str) -> Result<Compression> {
    let unreadable = || {
        Error::usage(format!("--codecs: cannot read {text:?} as a codec"))
            .hint("write none, lz4, gzip or zstd, optionally with a level, such as zstd:19")
    };
    let (name, level) = match text.split_once(':') {
        Some((name, level)) => (name, Some(level.parse().map_err(|_| unreadable())?)),
        None => (text, None),
    };
    let name = name.to_ascii_lowercase();
    let codec = Codec::ALL.into_iter().find(|codec| codec.name() == name);
    Compression::new(codec.ok_or_else(unreadable)?, level)
        .map_err(|error| error.of_option("--codecs"))
}

/// The level to report, if the codec has levels.
pub fn level(compression: Compression) -> Option<i32> {
    compression.codec().levels().map(|_| compression.level())
}

/// The speed class of a codec, which limits the bytes measured: at least 200, 30 or 2 MB/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// No noticeable wait.
    Fast,
    /// In between.
    Medium,
    /// Takes seconds for a few megabytes.
    Slow,
}

impl Speed {
    /// The speed of a codec.
    pub fn of(compression: Compression) -> Self {
        match (compression.codec(), compression.level()) {
            (codec, _) if codec.levels().is_none() => Self::Fast,
            (Codec::Zstd, ..=3) => Self::Fast,
            (Codec::Zstd, 13..) => Self::Slow,
            _ => Self::Medium,
        }
    }

    /// How many bytes of a payload to compress at most.
    pub fn most_bytes(self) -> u64 {
        match self {
            Self::Fast => u64::MAX,
            Self::Medium => 1 << 20,
            Self::Slow => 128 << 10,
        }
    }
}

/// The pieces of a payload that `mbt convert` compresses separately: each version 1 frame, or else the
/// whole payload.
///
/// # Errors
/// If the frames cannot be parsed.
pub fn pieces(payload: Payload, plain: &[u8]) -> Result<Vec<Range<usize>>> {
    if matches!(payload, Payload::V1 | Payload::V1Plain) {
        let found = envelopes(plain, u64::MAX)?.envelopes;
        return Ok(found.into_iter().map(|(range, _)| range).collect());
    }
    Ok(std::iter::once(0..plain.len()).collect())
}

/// Compresses the pieces.
///
/// # Errors
/// If the codec fails.
pub fn compress(
    compression: Compression,
    plain: &[u8],
    pieces: &[Range<usize>],
) -> Result<Vec<Vec<u8>>> {
    let mut compressor = Compressor::new(compression);
    let pieces = pieces.iter().map(|range| {
        let mut out = Vec::new();
        compressor.compress(&plain[range.clone()], &mut out)?;
        Ok(out)
    });
    pieces.collect()
}

/// Decompresses the pieces.
///
/// # Errors
/// If they are not valid for the codec.
pub fn decompress(
    codec: Codec,
    stored: &[Vec<u8>],
    pieces: &[Range<usize>],
) -> Result<Vec<Vec<u8>>> {
    let most = pieces.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    // A limit of 0 would reject even an empty piece.
    let mut decompressor = Decompressor::new(most.max(1) as u64);
    let plain = stored.iter().map(|stored| {
        let mut out = Vec::new();
        decompressor.decompress(codec, stored, &mut out)?;
        Ok(out)
    });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codecs_are_read_with_and_without_level() {
        let read = |text: &str| one(text).map(|found| (found.codec().name(), level(found)));
        for (text, wanted) in [
            ("none", ("none", None)),
            ("LZ4", ("lz4", None)),
            ("gzip", ("gzip", Some(6))),
            ("zstd:19", ("zstd", Some(19))),
            ("zstd:-3", ("zstd", Some(-3))),
        ] {
            assert_eq!(read(text).unwrap(), wanted);
        }
        for bad in [
            "", "brotli", "zstd:", "zstd:x", "zstd:23", "lz4:1", "gzip:10", "none:0",
        ] {
            let error = one(bad).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.what().starts_with("--codecs: "), "{bad:?}: {error}");
        }
        assert!(DEFAULT.iter().all(|name| one(name).is_ok()));
    }
}
