//! Codecs for payloads, and how much of a payload each one is measured on.

use std::io::Read as _;
use std::ops::RangeInclusive;

use brotli::enc::BrotliEncoderParams;

use super::payload::Payload;
use crate::error::{Error, Result};
use crate::stream::{Codec, Compression, Compressor, Decompressor, envelopes};

/// The codecs measured by default.
pub const DEFAULT: [&str; 7] = [
    "none", "lz4", "gzip:6", "zstd:1", "zstd:3", "zstd:9", "zstd:19",
];

/// A codec that a payload can be sent with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadCodec {
    /// One that `mbt convert` writes, too.
    Stored(Compression),
    /// Brotli of a quality, which web servers and browsers agree on for a transfer.
    Brotli(i32),
}

/// The qualities of brotli, and the one that web servers use for responses that they compress on the fly.
const QUALITIES: RangeInclusive<i32> = 0..=11;
const USUAL_QUALITY: i32 = 5;
/// Log2 of its window, as its own tool sets it.
const BROTLI_WINDOW_LOG: i32 = 22;
const BROTLI_BUFFER: usize = 1 << 16;

impl PayloadCodec {
    /// A codec at a level, or at its usual one.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if the codec has no such level.
    pub fn new(codec: Codec, level: Option<i32>) -> Result<Self> {
        Compression::new(codec, level).map(Self::Stored)
    }

    /// Parses a list of codecs from the command line, such as `zstd:3`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] for an unknown codec or level.
    pub fn parse_all(list: &[String]) -> Result<Vec<Self>> {
        let mut codecs = Vec::new();
        for name in list {
            let codec = Self::parse(name)?;
            if !codecs.contains(&codec) {
                codecs.push(codec);
            }
        }
        Ok(codecs)
    }

    fn parse(text: &str) -> Result<Self> {
        let unreadable = || {
            Error::usage(format!("--codecs: cannot read {text:?} as a codec")).hint(
                "write none, lz4, gzip, zstd or brotli, optionally with a level, such as zstd:19",
            )
        };
        let (name, level) = match text.split_once(':') {
            Some((name, level)) => (name, Some(level.parse().map_err(|_| unreadable())?)),
            None => (text, None),
        };
        let name = name.to_ascii_lowercase();
        if name == Self::Brotli(USUAL_QUALITY).name() {
            let quality = level.unwrap_or(USUAL_QUALITY);
            if !QUALITIES.contains(&quality) {
                return Err(Error::usage(format!(
                    "--codecs: brotli has levels 0 to 11, found {quality}"
                )));
            }
            return Ok(Self::Brotli(quality));
        }
        let codec = Codec::ALL.into_iter().find(|codec| codec.name() == name);
        Self::new(codec.ok_or_else(unreadable)?, level).map_err(|error| error.of_option("--codecs"))
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored(codec) => codec.codec().name(),
            Self::Brotli(_) => "brotli",
        }
    }

    /// The level to report, if the codec has levels.
    pub fn level(self) -> Option<i32> {
        match self {
            Self::Stored(codec) => codec.codec().levels().map(|_| codec.level()),
            Self::Brotli(quality) => Some(quality),
        }
    }

    /// The codec, if frames can have it.
    pub fn stored(self) -> Option<Codec> {
        match self {
            Self::Stored(codec) => Some(codec.codec()),
            Self::Brotli(_) => None,
        }
    }

    /// Its speed.
    pub fn speed(self) -> Speed {
        match self {
            Self::Stored(codec) => match (codec.codec(), codec.level()) {
                (codec, _) if codec.levels().is_none() => Speed::Fast,
                (Codec::Zstd, ..=3) => Speed::Fast,
                (Codec::Zstd, 13..) => Speed::Slow,
                _ => Speed::Medium,
            },
            Self::Brotli(..=9) => Speed::Medium,
            Self::Brotli(_) => Speed::Slow,
        }
    }

    /// Compresses the pieces, each on its own.
    ///
    /// # Errors
    /// If the codec fails.
    pub fn compress(self, pieces: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
        let pieces = pieces.iter().copied();
        match self {
            Self::Stored(codec) => {
                let mut compressor = Compressor::new(codec);
                let compressed = pieces.map(|piece| {
                    let mut out = Vec::new();
                    compressor.compress(piece, &mut out)?;
                    Ok(out)
                });
                compressed.collect()
            }
            Self::Brotli(quality) => {
                let compressed = pieces.map(|mut piece| {
                    let settings = BrotliEncoderParams {
                        quality,
                        lgwin: BROTLI_WINDOW_LOG,
                        size_hint: piece.len(),
                        ..BrotliEncoderParams::default()
                    };
                    let mut out = Vec::new();
                    brotli::BrotliCompress(&mut piece, &mut out, &settings)
                        .map_err(|error| Error::io("cannot compress with brotli", error))?;
                    Ok(out)
                });
                compressed.collect()
            }
        }
    }

    /// Decompresses the pieces.
    ///
    /// # Errors
    /// If they are not valid for the codec.
    pub fn decompress(self, stored: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
        let mut decompressor = Decompressor::new(u64::MAX);
        stored
            .iter()
            .map(|stored| {
                let mut out = Vec::new();
                match self {
                    Self::Stored(codec) => {
                        decompressor.decompress(codec.codec(), stored, &mut out)?;
                    }
                    Self::Brotli(_) => {
                        brotli::Decompressor::new(&stored[..], BROTLI_BUFFER)
                            .read_to_end(&mut out)
                            .map_err(|error| Error::io("cannot decompress brotli", error))?;
                    }
                }
                Ok(out)
            })
            .collect()
    }
}

/// The speed class of a codec, which limits the bytes measured: at least 200, 10 or 1 MB/s.
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
    /// The most bytes of a payload to compress whole. Of a longer payload, half as many are compressed.
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
pub fn pieces(payload: Payload, plain: &[u8]) -> Result<Vec<&[u8]>> {
    if matches!(payload, Payload::V1 | Payload::V1Plain) {
        let found = envelopes(plain, u64::MAX)?.envelopes.into_iter();
        return Ok(found.map(|(range, _)| &plain[range]).collect());
    }
    Ok(vec![plain])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codecs_are_read_with_and_without_level() {
        let one = PayloadCodec::parse;
        let read = |text: &str| one(text).map(|found| (found.name(), found.level()));
        for (text, wanted) in [
            ("none", ("none", None)),
            ("LZ4", ("lz4", None)),
            ("gzip", ("gzip", Some(6))),
            ("zstd:19", ("zstd", Some(19))),
            ("zstd:-3", ("zstd", Some(-3))),
            ("brotli", ("brotli", Some(5))),
            ("Brotli:11", ("brotli", Some(11))),
        ] {
            assert_eq!(read(text).unwrap(), wanted);
        }
        for bad in [
            "",
            "bzip2",
            "zstd:",
            "zstd:x",
            "zstd:23",
            "lz4:1",
            "gzip:10",
            "none:0",
            "brotli:12",
        ] {
            let error = one(bad).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.what().starts_with("--codecs: "), "{bad:?}: {error}");
        }
        assert!(DEFAULT.iter().all(|name| one(name).is_ok()));
    }
}
