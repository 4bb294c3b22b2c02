//! The choice of encodings: the only place with policy.
//!
//! A [`Cascade`] encodes runs. What it tries and how hard depends on the [`Preset`] and on the depth
//! of the run; candidates are scored by the bytes that remain once the section codec has run on them,
//! since a general compressor changes the order. Nothing here depends on time or chance.

pub mod codec;
mod floats;
mod ints;
mod price;
mod replay;
mod replay_strings;
mod sample;
mod stats;
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

/// Takes down what was tried, if somebody wants to know: names and prices of what is chosen without a
/// trial take time.
#[derive(Debug)]
struct Trials(Option<Vec<Trial>>);

impl Trials {
    /// For nobody.
    fn untold() -> Self {
        Self(None)
    }

    /// What was tried while `choose` made its choice.
    fn told<T>(choose: impl FnOnce(&mut Self) -> T) -> (T, Vec<Trial>) {
        let mut trials = Self(Some(Vec::new()));
        let chosen = choose(&mut trials);
        (chosen, trials.0.unwrap_or_default())
    }

    fn tell(&mut self, encoding: impl FnOnce() -> String, bytes: impl FnOnce() -> u64) {
        if let Some(trials) = &mut self.0 {
            trials.push(Trial {
                encoding: encoding(),
                bytes: bytes(),
            });
        }
    }
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
    bans: Bans,
    /// The values are a sample of a run, which the choice is made for.
    is_sample: bool,
}

/// What is not tried again below an encoding that has done its work already.
#[derive(Clone, Copy, Debug, Default)]
struct Bans(u8);

impl Bans {
    const DICTIONARY: Self = Self(1);
    const RUN_LENGTH: Self = Self(2);
    const SPARSE: Self = Self(4);
    const INTERLEAVED: Self = Self(8);
}

/// How hard pco tries; above, it takes far longer for next to nothing.
const PCO_LEVEL: usize = 8;

/// Encodings above a leaf.
const MAX_LAYERS: u8 = 3;

impl Cascade {
    /// The cascade of a whole column.
    pub fn new(preset: Preset, codec: Codec) -> Self {
        Self {
            preset,
            codec,
            depth: 0,
            bans: Bans::default(),
            is_sample: false,
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

    /// The cascade with one more encoding banned.
    fn without(mut self, ban: Bans) -> Self {
        self.bans.0 |= ban.0;
        self
    }

    fn bans(self, encoding: Bans) -> bool {
        self.bans.0 & encoding.0 != 0
    }

    /// True if an encoding here may have parts.
    fn may_nest(self) -> bool {
        let layers = match self.preset {
            Preset::Fast => 2,
            Preset::Balanced | Preset::Small => MAX_LAYERS,
        };
        self.depth < layers
    }

    /// True if trials count compressed bytes.
    fn is_compressed(self) -> bool {
        self.trial_codec() != Codec::None
    }

    /// What trials are compressed with: nothing where there is no time, and at most a middling
    /// level, which ranks candidates as a high one does at a fraction of the time.
    fn trial_codec(self) -> Codec {
        match (self.preset, self.codec) {
            (Preset::Fast, _) => Codec::None,
            (Preset::Balanced, Codec::Zstd(level)) => Codec::Zstd(level.min(1)),
            (_, Codec::Zstd(level)) => Codec::Zstd(level.min(6)),
            (_, codec) => codec,
        }
    }

    /// About how many bytes a run takes with everything below it, compressed.
    pub fn cost(self, node: &Node) -> u64 {
        match self.preset {
            // Text is all but bytes to be compressed: without the codec there is nothing to compare.
            Preset::Fast => self.codec.cost(node),
            Preset::Balanced | Preset::Small => price::Price::of(node, self).bytes(),
        }
    }

    /// Rows that trials on a run of `len` rows use.
    fn sample_rows(self, len: usize) -> usize {
        match self.preset {
            Preset::Fast => (len / 32).clamp(1 << 11, 1 << 13),
            Preset::Balanced => (len / 16).clamp(1 << 12, 5 << 10),
            Preset::Small => (len / 8).clamp(1 << 14, 1 << 16),
        }
    }

    /// Encodes whole numbers in the cheapest way found.
    pub fn ints(self, values: &[i64]) -> Node {
        ints::choose(values, self, &mut Trials::untold())
    }

    /// Encodes floats in the cheapest way found.
    pub fn floats(self, values: &[f64]) -> Node {
        floats::choose(values, self, &mut Trials::untold())
    }

    /// Encodes strings in the cheapest way found.
    pub fn strings(self, values: &Strings) -> Node {
        strings::choose(values, self, &mut Trials::untold())
    }

    /// As [`Self::strings`], and what was tried.
    pub fn explain_strings(self, values: &Strings) -> (Node, Vec<Trial>) {
        Trials::told(|trials| strings::choose(values, self, trials))
    }

    /// Encodes whole numbers as another run of the column was encoded, without a search where that
    /// choice still holds.
    pub fn ints_like(self, plan: &Node, values: &[i64]) -> Node {
        replay::ints(plan, values, self)
    }

    /// As [`Self::ints_like`] for strings.
    pub fn strings_like(self, plan: &Node, values: &Strings) -> Node {
        replay_strings::strings(plan, values, self)
    }

    /// As [`Self::ints_like`] if there is a plan.
    pub(super) fn ints_by(self, plan: Option<&Node>, values: &[i64]) -> Node {
        plan.map_or_else(|| self.ints(values), |plan| self.ints_like(plan, values))
    }

    /// As [`Self::strings_like`] if there is a plan.
    pub(super) fn strings_by(self, plan: Option<&Node>, values: &Strings) -> Node {
        plan.map_or_else(
            || self.strings(values),
            |plan| self.strings_like(plan, values),
        )
    }

    /// As [`Self::ints_like`] for floats.
    pub fn floats_like(self, plan: &Node, values: &[f64]) -> Node {
        replay::floats(plan, values, self)
    }

    /// As [`Self::ints`], and what was tried.
    pub fn explain_ints(self, values: &[i64]) -> (Node, Vec<Trial>) {
        Trials::told(|trials| ints::choose(values, self, trials))
    }

    /// As [`Self::floats`], and what was tried.
    pub fn explain_floats(self, values: &[f64]) -> (Node, Vec<Trial>) {
        Trials::told(|trials| floats::choose(values, self, trials))
    }
}

#[cfg(test)]
mod tests;
