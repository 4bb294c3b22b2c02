//! Values of options.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::format::Format;
use crate::stream::Codec;
use crate::wire::choose::Preset;

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let aliases = self.extensions().iter().copied();
        let aliases = aliases.filter(|extension| *extension != self.name());
        let value = PossibleValue::new(self.name()).aliases(aliases);
        Some(value.help(self.about()))
    }
}

/// A version of the MATHLDBT wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wire {
    /// MATHLDBT v1
    #[value(name = "1")]
    V1,
    /// MATHLDBT v2
    #[value(name = "2")]
    V2,
}

impl ValueEnum for Preset {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Fast => "Light encodings and lz4",
            Self::Balanced => "Light encodings and zstd at a low level",
            Self::Small => "Every encoding, and zstd at a high level",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

/// Encodings for wire 1; `Plain` and `Auto` cannot be combined with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncodingName {
    /// Whichever makes a column smaller
    Auto,
    /// No encodings
    Plain,
    /// Dictionary of the distinct values
    Dict,
    /// Differences between consecutive integers
    Delta,
}

/// A codec of frames, text or pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodecName {
    /// A codec of frames and of text.
    General(Codec),
    /// The codec of most Parquet files.
    Snappy,
}

impl ValueEnum for CodecName {
    fn value_variants<'a>() -> &'a [Self] {
        const {
            &[
                Self::General(Codec::None),
                Self::General(Codec::Zstd),
                Self::General(Codec::Gzip),
                Self::General(Codec::Lz4),
                Self::Snappy,
            ]
        }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::General(codec) => PossibleValue::new(codec.name()).help(codec.about()),
            Self::Snappy => PossibleValue::new("snappy").help("snappy, for Parquet only"),
        })
    }
}

/// When a column read from text gets a type other than utf8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Infer {
    /// If every cell prints exactly as it was read
    Exact,
    /// If every cell parses and only its spelling is lost
    Values,
    /// Never: every column is utf8
    None,
}

/// A hash of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HashName {
    /// XXH3 of 128 bits
    Xxh3,
    /// SHA-256
    Sha256,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On
    On,
    /// Off
    Off,
}
