//! Chooses encodings.
//!
//! A [`Cascade`] encodes runs. It lets every encoding propose candidates, prices them on a sample, and takes the
//! cheapest. The effort depends on the [`Preset`] and on the depth of the run. Candidates are priced by their size
//! after the section codec has run on them, since compression changes the ranking. Nothing here depends on time or
//! chance.
//!
//! ```text
//! search:  verdict | candidates -> price on a sample -> encode the whole run with the best
//! apply:   a choice that was made for other values -> encode; search only where it no longer fits
//! ```

mod apply;
mod candidate;
mod numbers;
mod price;
mod sample;
mod stats;
mod strings;

use super::codec::SectionCodec;
use super::encodings::{ByteStrings, Node, ValueKind};

pub(crate) use apply::NumberRun;
pub(crate) use numbers::{NumberSearch, WORTHWHILE, approximate_entropy, mean_bits};
pub(crate) use price::Child;
pub(crate) use stats::RunStats;
pub(crate) use strings::{StringSearch, sample_strings};

/// How much effort to spend on encodings and compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Light encodings and lz4.
    Fast,
    /// Light encodings and zstd at a low level.
    #[default]
    Balanced,
    /// All encodings, and zstd at a high level.
    Small,
}

impl Preset {
    /// All presets, the fastest first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::Small];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Balanced => "balanced",
            Self::Small => "small",
        }
    }

    /// The default codec for sections.
    pub fn codec(self) -> SectionCodec {
        match self {
            Self::Fast => SectionCodec::Lz4,
            Self::Balanced => SectionCodec::Zstd(3),
            Self::Small => SectionCodec::Zstd(19),
        }
    }
}

/// An encoding tried for a run, and its estimated size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The encoding and its children's, such as `dictionary(bytes, bit-packed)`.
    pub encoding: String,
    /// Estimated compressed size of the whole run in bytes.
    pub bytes: u64,
}

/// Records trials on request; computing names and prices takes time.
#[derive(Debug)]
struct Trials(Option<Vec<Trial>>);

impl Trials {
    /// Records nothing.
    fn ignored() -> Self {
        Self(None)
    }

    /// Runs `choose` and returns its trials.
    fn recorded<T>(choose: impl FnOnce(&mut Self) -> T) -> (T, Vec<Trial>) {
        let mut trials = Self(Some(Vec::new()));
        let chosen = choose(&mut trials);
        (chosen, trials.0.unwrap_or_default())
    }

    fn record(&mut self, encoding: impl FnOnce() -> String, bytes: impl FnOnce() -> u64) {
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
    /// The preset.
    pub preset: Preset,
    /// Compression of sections.
    pub codec: SectionCodec,
    /// Number of encodings above this one.
    pub depth: u8,
    bans: Bans,
    /// True if the values are a sample of the run that the choice is for.
    is_sample: bool,
    /// How many times as long the run is that the values stand for; 1 unless they are a sample.
    scale: f64,
}

/// Encodings that are not tried again below themselves, where they would be useless.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bans(u8);

impl Bans {
    pub(crate) const DICTIONARY: Self = Self(1);
    pub(crate) const RUN_LENGTH: Self = Self(2);
    pub(crate) const SPARSE: Self = Self(4);
    pub(crate) const INTERLEAVED: Self = Self(8);
    pub(crate) const MULTIPLE: Self = Self(16);
}

/// The most encodings above a leaf.
const MAX_LAYERS: u8 = 3;

impl Cascade {
    /// The cascade of a whole column.
    pub fn new(preset: Preset, codec: SectionCodec) -> Self {
        Self {
            preset,
            codec,
            depth: 0,
            bans: Bans::default(),
            is_sample: false,
            scale: 1.0,
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
    pub(crate) fn without(mut self, ban: Bans) -> Self {
        self.bans.0 |= ban.0;
        self
    }

    pub(crate) fn bans(self, encoding: Bans) -> bool {
        self.bans.0 & encoding.0 != 0
    }

    /// The cascade for pricing a sample of strings. Only the preset small has encodings slow enough to make a difference.
    pub(crate) fn of_sample(self) -> Self {
        Self {
            is_sample: self.is_sample || self.preset == Preset::Small,
            ..self
        }
    }

    /// The cascade for values that stand for a run `ratio` times as long.
    #[must_use]
    pub(crate) fn scaled(self, ratio: f64) -> Self {
        Self {
            scale: self.scale * ratio,
            ..self
        }
    }

    /// True if the run that these strings are or stand for has at least `bytes` bytes.
    pub(crate) fn has_bytes(self, values: &ByteStrings, bytes: usize) -> bool {
        values.data.len() as f64 * self.scale >= bytes as f64
    }

    /// True if the choice is made on a sample of the run.
    pub(crate) fn is_sample(self) -> bool {
        self.is_sample
    }

    /// True if an encoding at this depth may have children.
    pub(crate) fn may_nest(self) -> bool {
        let layers = match self.preset {
            Preset::Fast => 2,
            Preset::Balanced | Preset::Small => MAX_LAYERS,
        };
        self.depth < layers
    }

    /// True if trials count compressed bytes.
    pub(crate) fn is_compressed(self) -> bool {
        self.trial_codec() != SectionCodec::None
    }

    /// The codec for trials: none with the preset fast, otherwise at most a moderate level, which ranks candidates like
    /// a high level but takes a fraction of the time.
    fn trial_codec(self) -> SectionCodec {
        match (self.preset, self.codec) {
            (Preset::Fast, _) => SectionCodec::None,
            (Preset::Balanced, SectionCodec::Zstd(level)) => SectionCodec::Zstd(level.min(1)),
            (_, SectionCodec::Zstd(level)) => SectionCodec::Zstd(level.min(6)),
            (_, codec) => codec,
        }
    }

    /// The approximate compressed size of a run and everything below it, in bytes.
    pub fn cost(self, node: &Node) -> u64 {
        match self.preset {
            // Most of the size of text depends on compression, so estimates without the codec would mean nothing.
            Preset::Fast => price::packed_len(node, self.codec),
            Preset::Balanced | Preset::Small => price::Price::of(node, self).bytes(),
        }
    }

    /// The number of rows to sample from a run of `len` rows.
    fn sample_rows(self, len: usize) -> usize {
        match self.preset {
            Preset::Fast => (len / 32).clamp(1 << 11, 1 << 13),
            Preset::Balanced => (len / 16).clamp(1 << 12, 5 << 10),
            Preset::Small => (len / 8).clamp(1 << 14, 1 << 16),
        }
    }

    /// Encodes numbers, floats as their bits, like `like`, a node for other values of the same column: only parts that
    /// it no longer fits are searched. Without one, in the cheapest way found.
    pub fn numbers(self, kind: ValueKind, values: &[i64], like: Option<&Node>) -> Node {
        match like {
            Some(choice) => apply::numbers(choice, kind, values, self),
            None => numbers::search(kind, values, self, &mut Trials::ignored()).node,
        }
    }

    /// [`Self::numbers`] for integers.
    pub fn ints(self, values: &[i64], like: Option<&Node>) -> Node {
        self.numbers(ValueKind::Ints, values, like)
    }

    /// Like [`Self::numbers`], for strings.
    pub fn strings(self, values: &ByteStrings, like: Option<&Node>) -> Node {
        like.and_then(|choice| apply::strings(choice, values, self))
            .unwrap_or_else(|| strings::choose(values, self, &mut Trials::ignored()))
    }

    /// Like [`Self::strings`], for strings that are known to be distinct.
    pub(crate) fn distinct_strings(self, values: &ByteStrings, like: Option<&Node>) -> Node {
        like.and_then(|choice| apply::strings(choice, values, self))
            .unwrap_or_else(|| strings::choose_distinct(values, self))
    }

    /// Encodes numbers in the cheapest way found. Also returns the trials.
    pub fn explain_numbers(self, kind: ValueKind, values: &[i64]) -> (Node, Vec<Trial>) {
        Trials::recorded(|trials| numbers::search(kind, values, self, trials).node)
    }

    /// Like [`Self::explain_numbers`], for strings.
    pub fn explain_strings(self, values: &ByteStrings) -> (Node, Vec<Trial>) {
        Trials::recorded(|trials| strings::choose(values, self, trials))
    }
}

#[cfg(test)]
mod tests;
