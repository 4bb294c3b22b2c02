//! Settings of the codec that compresses a whole frame.

use crate::error::{Error, Result};
pub use crate::wire::codec::{Checksum, Codec};

/// A codec with valid settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compression {
    pub(super) codec: Codec,
    pub(super) level: i32,
    pub(super) long: bool,
    pub(super) checksum: bool,
}

impl Compression {
    /// A codec at `level`, or at its default level.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if the codec has no such level.
    pub fn new(codec: Codec, level: Option<i32>) -> Result<Self> {
        let name = match codec {
            Codec::None => "output without a codec",
            codec => codec.name(),
        };
        match (level, codec.levels()) {
            (Some(level), None) => {
                return Err(Error::usage(format!("{name} has no levels, found {level}"))
                    .hint("omit the level, or use -c zstd or -c gzip"));
            }
            (Some(level), Some(levels)) if !levels.contains(&level) => {
                let (low, high) = (levels.start(), levels.end());
                return Err(Error::usage(format!(
                    "{name} has levels {low} to {high}, found {level}"
                )));
            }
            _ => {}
        }
        Ok(Self {
            codec,
            level: level.unwrap_or(codec.default_level()),
            long: false,
            checksum: matches!(codec.checksum(), Checksum::Always(_)),
        })
    }

    /// Turns on long-distance matching: matches may lie up to 128 MiB back.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if the codec is not zstd.
    pub fn long(mut self) -> Result<Self> {
        if self.codec != Codec::Zstd {
            let name = self.codec.name();
            return Err(
                Error::usage(format!("{name} does not support long-distance matching"))
                    .hint("use -c zstd"),
            );
        }
        self.long = true;
        Ok(self)
    }

    /// Adds a checksum of the plain bytes to each frame; gzip and lz4 always have one.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if the codec does not support one.
    pub fn checksum(mut self) -> Result<Self> {
        if self.codec.checksum() == Checksum::Never {
            return Err(
                Error::usage("without a codec, output has no checksum of its own")
                    .hint("use -c zstd, gzip or lz4, or omit the checksum"),
            );
        }
        self.checksum = true;
        Ok(self)
    }

    /// The level; 0 if the codec has none.
    pub fn level(&self) -> i32 {
        self.level
    }

    /// True if frames have a checksum of the plain bytes.
    pub fn has_checksum(&self) -> bool {
        self.checksum
    }

    /// The codec.
    pub fn codec(&self) -> Codec {
        self.codec
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn levels_out_of_range_are_refused_with_the_range() {
        for (codec, level, text) in [
            (Codec::Zstd, 23, "zstd has levels -7 to 22, found 23"),
            (Codec::Zstd, -8, "zstd has levels -7 to 22, found -8"),
            (Codec::Gzip, 10, "gzip has levels 0 to 9, found 10"),
            (Codec::Gzip, -1, "gzip has levels 0 to 9, found -1"),
            (Codec::Lz4, 1, "lz4 has no levels, found 1"),
            (
                Codec::None,
                0,
                "output without a codec has no levels, found 0",
            ),
        ] {
            let error = Compression::new(codec, Some(level)).unwrap_err();
            assert_eq!((error.kind(), error.what()), (Kind::Usage, text));
        }
        for codec in Codec::ALL {
            assert!(Compression::new(codec, None).is_ok());
            for level in codec.levels().into_iter().flatten() {
                assert!(Compression::new(codec, Some(level)).is_ok());
            }
        }
    }

    #[test]
    fn settings_that_a_codec_lacks_are_refused() {
        let of = |codec| Compression::new(codec, None).unwrap();
        assert!(of(Codec::Zstd).long().is_ok() && of(Codec::Gzip).long().is_err());
        assert!(of(Codec::Lz4).checksum().is_ok() && of(Codec::None).checksum().is_err());
    }
}
