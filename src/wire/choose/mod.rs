//! The choice of encodings: the only place with policy.
//!
//! A [`Cascade`] encodes runs. What it tries and how hard depends on the [`Preset`] and on the depth
//! of the run; candidates are scored by the bytes that remain once the section codec has run on them,
//! since a general compressor changes the order. Nothing here depends on time or chance.

pub mod codec;
mod floats;
mod ints;
mod strings;

use super::encodings::{Node, Strings};
use codec::Codec;

/// How hard to look for encodings and how hard to compress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Light encodings and lz4.
    Fast,
    /// Light encodings and zstd of a low level.
    #[default]
    Balanced,
    /// Everything, and zstd of a high level.
    Small,
}

impl Preset {
    /// What compresses sections if nobody says.
    pub fn codec(self) -> Codec {
        match self {
            Self::Fast => Codec::Lz4,
            Self::Balanced => Codec::Zstd(3),
            Self::Small => Codec::Zstd(19),
        }
    }
}

/// What was tried for a run, and what it would have cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The encoding with those of its parts, as `dictionary(bytes, bit-packed)`.
    pub encoding: String,
    /// Estimated bytes of the whole run, compressed.
    pub bytes: u64,
}

/// Encodes runs; children of a run are encoded one step deeper.
#[derive(Clone, Copy, Debug)]
pub struct Cascade {
    /// How hard to try.
    pub preset: Preset,
    /// Compression of sections.
    pub codec: Codec,
    /// Encodings above this one.
    pub depth: u8,
}

impl Cascade {
    /// The cascade of a whole column.
    pub fn new(preset: Preset, codec: Codec) -> Self {
        Self {
            preset,
            codec,
            depth: 0,
        }
    }

    /// The cascade for the parts of a run.
    #[must_use]
    pub fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    /// Encodes whole numbers in the cheapest way found.
    pub fn ints(self, values: &[i64]) -> Node {
        ints::choose(values, self, &mut Vec::new())
    }

    /// Encodes floats in the cheapest way found.
    pub fn floats(self, values: &[f64]) -> Node {
        floats::choose(values, self, &mut Vec::new())
    }

    /// Encodes strings in the cheapest way found.
    pub fn strings(self, values: &Strings) -> Node {
        strings::choose(values, self, &mut Vec::new())
    }
}
