//! Extrapolates the size of a sample to all rows.
//!
//! Four effects make the two differ, and each is corrected for:
//!
//! * **The data.** Some parts of an input compress better than others. A light codec compresses the whole text; the
//!   size of a sample is divided by the size that codec gives for the same sample, and multiplied by the size it gives
//!   for the whole text. In statistics this is a ratio estimator with an auxiliary variable. The spread of the ratio
//!   between the groups shows how far off it may be.
//! * **The length.** Codecs and dictionaries improve relative to the light codec with the number of rows. Comparing the
//!   ratio of the whole sample with the ratio of its groups shows how fast; this trend is extrapolated, with damping.
//! * **Dictionaries** grow with the number of different values, which no sample shows. Plain columns are therefore
//!   written as a whole, which takes no longer than a light codec.
//! * **Slow codecs** compress only part of the sample. Each is compared with a faster one on the same bytes.
//!
//! The constants are fitted to real files; `benches/estimate_errors.py` measures how often the true size is within the
//! stated error.

use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use super::sample::GROUPS;
use crate::error::{Error, Result};
use crate::stream::{self, Codec, Compression};

/// Log2 of the window of the light codec with a large window; slow codecs have the same window.
const WINDOW_LOG: u32 = 23;
/// Log2 of its hash table, which fits in the second-level cache; zstd 1 has 14.
const HASH_LOG: u32 = 17;
/// The fraction of a trend that remains after each doubling.
const FADE: f64 = 0.7;
/// The fraction of a trend that may be wrong.
const UNSURE: f64 = 0.5;
/// After more doublings of a sample, errors add up faster than a random walk: they mostly have the same cause.
const WALK: f64 = 3.3;
/// Number of standard errors of the mean of four groups that cover 19 of 20 cases; for many groups it would be 2.
const DEVIATIONS: f64 = 2.5;
/// The steepest trend to extrapolate.
const STEEPEST: f64 = 0.15;

/// The most text that light codecs compress: of a longer text, evenly spaced chunks of this many bytes in total. Below
/// it, the size of a chunk.
const LIGHT_BYTES: usize = 6 << 20;
const LIGHT_CHUNK: usize = 256 << 10;
/// The error of compressing only chunks of a text.
const CHUNKS_DOUBT: f64 = 0.03;

/// The same two sizes for columns.
const COLUMN_BYTES: usize = 16 << 20;
const COLUMN_CHUNK: usize = 128 << 10;

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// Bytes.
    pub bytes: f64,
    /// The fraction by which it may be off, if it is extrapolated; intended to hold for 19 of 20 files.
    pub error: Option<f64>,
}

impl Size {
    /// A measured size.
    pub fn exact(bytes: u64) -> Self {
        Self {
            bytes: bytes as f64,
            error: None,
        }
    }

    /// The size with a slower codec. `ratio` is its size relative to this codec on the same bytes, `of_quarter` that on
    /// a quarter of these bytes.
    #[must_use]
    pub fn times(self, ratio: f64, of_quarter: f64, doublings: f64, growth: Growth) -> Self {
        // A quarter is two doublings away.
        let trend = (ratio / of_quarter).ln() / 2.0;
        let (gain, error) = growth.of(trend, doublings);
        Self {
            bytes: self.bytes * ratio * gain,
            error: Some(self.error.unwrap_or(0.0).hypot(error)),
        }
    }
}

/// A figure known for all rows and for every part of the sample.
#[derive(Clone, Copy, Debug)]
pub struct Auxiliary {
    /// For the input.
    pub all: Size,
    /// For the sample.
    pub sample: f64,
    /// For each group.
    pub groups: [f64; GROUPS],
}

/// A light codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Light {
    /// No codec: the length.
    Length,
    /// lz4, whose window of 64 KiB is similar to gzip's.
    Lz4,
    /// zstd 1, with a window of some hundred KiB.
    Near,
    /// zstd 1 with a window of 8 MiB.
    Far,
}

impl Light {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Length, Self::Lz4, Self::Near, Self::Far];

    /// The compressed size of pieces, each compressed on its own.
    ///
    /// # Errors
    /// If the codec fails.
    pub fn size(self, pieces: &[&[u8]]) -> Result<f64> {
        let codec = match self {
            Self::Length => return Ok(pieces.iter().map(|piece| piece.len() as f64).sum()),
            Self::Lz4 => Compression::new(Codec::Lz4, None)?,
            Self::Near => Compression::new(Codec::Zstd, Some(1))?,
            Self::Far => return far_size(pieces),
        };
        let mut compressor = stream::Compressor::new(codec);
        let mut out = Vec::new();
        for piece in pieces {
            compressor.compress(piece, &mut out)?;
        }
        Ok(out.len() as f64)
    }

    /// The size of columns, each of the pieces compressed on its own: of long ones, evenly spaced chunks are compressed.
    ///
    /// Chunks of different columns differ far more than chunks of a text, so the error follows from the differences of
    /// adjacent chunks, which estimate the variance of a systematic sample (Cochran, Sampling Techniques, 8.11).
    ///
    /// # Errors
    /// If the codec fails.
    pub fn size_of_columns(self, plain: &[u8], pieces: &[&[u8]]) -> Result<Size> {
        let count = COLUMN_BYTES / COLUMN_CHUNK;
        if self == Self::Length || plain.len() <= 2 * COLUMN_BYTES {
            return Ok(Size::exact(self.size(pieces)? as u64));
        }
        let stride = (plain.len() - COLUMN_CHUNK) as f64 / (count - 1) as f64;
        let sizes = (0..count)
            .map(|at| {
                let start = (at as f64 * stride) as usize;
                self.size(&[&plain[start..start + COLUMN_CHUNK]])
            })
            .collect::<Result<Vec<f64>>>()?;
        let sum: f64 = sizes.iter().sum();
        let steps = sizes.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
        let spread = (steps.sum::<f64>() / 2.0).sqrt() / sum.max(1.0);
        Ok(Size {
            bytes: sum * plain.len() as f64 / (count * COLUMN_CHUNK) as f64,
            error: Some(CHUNKS_DOUBT.hypot(2.0 * spread)),
        })
    }

    /// The size of a text: of a long one, evenly spaced chunks are compressed, unless `whole`.
    ///
    /// # Errors
    /// If the codec fails.
    pub fn size_of_text(self, text: &[u8], whole: bool) -> Result<Size> {
        if whole || self == Self::Length || text.len() <= LIGHT_BYTES {
            return Ok(Size::exact(self.size(&[text])? as u64));
        }
        let count = LIGHT_BYTES / LIGHT_CHUNK;
        let gap = (text.len() - LIGHT_BYTES) / count;
        let chunks = (0..count)
            .map(|at| gap / 2 + at * (gap + LIGHT_CHUNK))
            .map(|start| &text[start..start + LIGHT_CHUNK])
            .collect::<Vec<_>>()
            .concat();
        Ok(Size {
            bytes: self.size(&[&chunks])? * text.len() as f64 / chunks.len() as f64,
            error: Some(CHUNKS_DOUBT),
        })
    }
}

fn far_size(pieces: &[&[u8]]) -> Result<f64> {
    let cannot = |error| Error::io("cannot compress", error);
    let mut compressor = Compressor::new(1).map_err(cannot)?;
    for parameter in [
        CParameter::WindowLog(WINDOW_LOG),
        CParameter::HashLog(HASH_LOG),
    ] {
        compressor.set_parameter(parameter).map_err(cannot)?;
    }
    let mut len = 0;
    for piece in pieces {
        let packed = compressor.compress(piece);
        len += packed.map_err(cannot)?.len();
    }
    Ok(len as f64)
}

/// How the ratio to a light codec behaves.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// The fraction of the trend from the groups to the sample that continues.
    pub follow: f64,
    /// The expected error of one doubling; errors of a few add up like a random walk.
    pub doubt: f64,
}

impl Growth {
    /// The factor for `doublings` doublings, if each one changed the logarithm of the ratio by `trend` so far, and the
    /// fraction by which it may be off.
    fn of(self, trend: f64, doublings: f64) -> (f64, f64) {
        let doublings = doublings.max(0.0);
        // The sum of a geometric series, interpolated for fractions of doublings.
        let faded = (1.0 - FADE.powf(doublings)) / (1.0 - FADE);
        let gain = trend.clamp(-STEEPEST, STEEPEST) * faded;
        let error = (self.doubt * doublings.sqrt()).hypot(gain * UNSURE);
        ((gain * self.follow).exp(), error)
    }
}

/// Extrapolates the size of all rows from the size of a sample, which is `doublings` doublings smaller, and the sizes
/// of its groups.
pub fn extrapolate(
    auxiliary: &Auxiliary,
    sample: f64,
    groups: [f64; GROUPS],
    doublings: f64,
    growth: Growth,
) -> Size {
    let ratio = sample.max(1.0) / auxiliary.sample.max(1.0);
    let of_groups = [0, 1, 2, 3].map(|at| groups[at].max(1.0) / auxiliary.groups[at].max(1.0));
    let sum = |parts: [f64; GROUPS]| parts.iter().sum::<f64>().max(1.0);
    let of_parts = sum(groups) / sum(auxiliary.groups);
    // The change per doubling: a group is a quarter of the sample.
    let trend = (ratio / of_parts).ln() / (GROUPS as f64).log2();
    let (gain, error) = growth.of(trend, doublings);
    let logs = of_groups.map(f64::ln);
    let mean = logs.iter().sum::<f64>() / GROUPS as f64;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (GROUPS - 1) as f64;
    let spread = (variance / GROUPS as f64).sqrt();
    Size {
        bytes: auxiliary.all.bytes * ratio * gain,
        error: Some(
            (error * (doublings / WALK).max(1.0))
                .hypot(DEVIATIONS * spread)
                .hypot(auxiliary.all.error.unwrap_or(0.0)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROWTH: Growth = Growth {
        follow: 1.0,
        doubt: 0.01,
    };

    /// 1000 units in all, 40 in the sample, 10 in each group.
    const UNITS: Auxiliary = Auxiliary {
        all: Size {
            bytes: 1000.0,
            error: None,
        },
        sample: 40.0,
        groups: [10.0; GROUPS],
    };

    fn assert_near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-9, "{found}, not {wanted}");
    }

    #[test]
    fn without_trend_and_spread_the_ratio_is_all_there_is() {
        let of = |doublings| extrapolate(&UNITS, 20.0, [5.0; GROUPS], doublings, GROWTH);
        assert_near(of(2.25).bytes, 500.0);
        // Steps of a random walk of 1 % each, up to a number of steps.
        assert_near(of(2.25).error.unwrap(), 0.015);
        assert_near(of(2.0 * WALK).error.unwrap(), 0.02 * (2.0 * WALK).sqrt());
    }

    #[test]
    fn chunks_stand_for_everything() {
        // Half of it compresses well.
        let mut state = 1_u64;
        let bytes: Vec<u8> = (0..2 * LIGHT_BYTES)
            .map(|at| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let random = (state >> 56) as u8;
                if at < LIGHT_BYTES { random } else { random & 1 }
            })
            .collect();
        for light in Light::ALL {
            let exact = light.size_of_text(&bytes, true).unwrap();
            let size = light.size_of_text(&bytes, false).unwrap();
            assert!(exact.error.is_none());
            let off = (size.bytes / exact.bytes - 1.0).abs();
            assert!(off <= size.error.unwrap_or(0.0), "{light:?}: off by {off}");
        }
    }

    #[test]
    fn a_trend_goes_on_and_fades() {
        // Two doublings from the groups to the sample made the ratio smaller by 0.98 twice.
        let sample = 20.0 * 0.98_f64.powi(2);
        let of = |doublings| extrapolate(&UNITS, sample, [5.0; GROUPS], doublings, GROWTH);
        assert_near(of(0.0).bytes, 25.0 * sample);
        assert_near(of(1.0).bytes, 25.0 * sample * 0.98);
        assert_near(of(2.0).bytes, 25.0 * sample * 0.98_f64.powf(1.0 + FADE));
        assert!(of(100.0).bytes > 25.0 * sample * 0.98_f64.powf(1.0 / (1.0 - FADE)) - 1e-9);
        assert!(of(2.0).error > of(1.0).error);
    }

    #[test]
    fn groups_that_differ_make_the_error_larger() {
        let even = extrapolate(&UNITS, 20.0, [5.0; GROUPS], 1.0, GROWTH);
        let uneven = extrapolate(&UNITS, 20.0, [4.0, 4.5, 5.5, 6.0], 1.0, GROWTH);
        assert_near(uneven.bytes, even.bytes);
        // The standard error of the mean of their logarithms is 9.2 %.
        assert!(uneven.error.unwrap() > 0.09 && even.error.unwrap() < 0.02);
    }

    #[test]
    fn a_slower_codec_follows_a_faster_one() {
        let size = Size::exact(1000).times(0.5, 0.5, 1.0, GROWTH);
        assert_near(size.bytes, 500.0);
        assert_near(size.error.unwrap(), 0.01);
        let gaining = Size::exact(1000).times(0.5, 0.5 / 0.96_f64.powi(2), 1.0, GROWTH);
        assert_near(gaining.bytes, 480.0);
    }
}
