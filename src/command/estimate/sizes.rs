//! Measures or estimates the size of every payload with every codec. Nothing is timed here, so this runs on
//! all cores.

use std::ops::Range;

use super::codec::{Speed, compress, pieces};
use super::experiment::Experiment;
use super::payload::Payload;
use super::proxy::ProxyCodec;
use super::rows::{SEGMENTS, excerpt};
use crate::error::Result;
use crate::format::frame::Frame;
use crate::pipeline::in_order;
use crate::stream::{Codec, Compression};
use crate::wire::choose::Preset;

/// How many doublings of the sample a trend is extrapolated over; beyond that it would be a guess. Samples of
/// columnar data consist of many pieces, which distorts the trend, so it is followed less far.
const TEXT_DOUBLINGS: f64 = 3.0;
const COLUMN_DOUBLINGS: f64 = 2.0;
/// The steepest trend accepted: the fraction of bytes that a codec saves with each doubling.
const STEEPEST: f64 = 0.05;
/// The error added by each doubling from the sample to the whole, whatever the trend.
const TEXT_DOUBT: f64 = 0.008;
const COLUMN_DOUBT: f64 = 0.016;
/// Segments of a sample of columnar data.
const COLUMN_SEGMENTS: u64 = 32;
/// The proxy for payloads with a codec of their own.
const OWN_CODEC_PROXY: ProxyCodec = ProxyCodec::Zstd { window_log: 23 };

/// What is known about a payload before anything is timed.
pub struct Sizes {
    /// The size that samples are fractions of: that of the payload for all rows in memory or, if it has its
    /// own codec, of their text.
    pub len: u64,
    /// A payload with (nearly) the same bytes, so that measuring one of the two is enough.
    pub duplicate: Option<Payload>,
    /// Sizes by codec. `None` if the payload is so small that all of it is timed, which gives its size, too.
    pub by_codec: Vec<Option<Size>>,
    /// Expected error, as a fraction, if not all rows are in memory.
    pub sampling_error: Option<f64>,
}

/// The size of the rows in memory as a payload with a codec.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// Bytes.
    pub bytes: f64,
    /// Expected error as a fraction, if the size is estimated.
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
}

/// The sizes of all payloads, in order.
pub fn sizes(experiment: &Experiment<'_>) -> Vec<Result<Sizes>> {
    let payloads: Vec<Payload> = experiment.payloads().collect();
    let mut sizes: Vec<Option<Result<Sizes>>> = payloads.iter().map(|_| None).collect();
    // The last payload takes longest, so start with it.
    let places = (0..payloads.len()).rev();
    let done = in_order(
        experiment.plan.threads,
        payloads.len(),
        places.map(Ok),
        || (),
        |(), at| Ok((at, of(experiment, payloads[at]))),
        |(at, found)| {
            sizes[at] = Some(found);
            Ok(())
        },
    );
    debug_assert!(done.is_ok(), "no step returns an error");
    sizes.into_iter().flatten().collect()
}

fn of(experiment: &Experiment<'_>, payload: Payload) -> Result<Sizes> {
    if payload.has_own_codec() {
        return own(experiment, payload);
    }
    let plain = experiment.all(payload)?;
    let len = plain.len() as u64;
    let duplicate = duplicate(experiment, payload, &plain);
    let mut known = SizeEstimator {
        experiment,
        payload,
        plain: &plain,
        pieces: pieces(payload, &plain)?,
        proxy_sizes: Vec::new(),
    };
    let cell = |&codec: &Compression| -> Result<Option<Size>> {
        let speed = Speed::of(codec);
        if codec.codec() == Codec::None {
            return Ok(Some(Size::exact(len)));
        }
        if duplicate.is_some() || len <= experiment.within(speed.timed_bytes()) {
            return Ok(None);
        }
        known.size(codec, speed).map(Some)
    };
    let by_codec = experiment
        .plan
        .codecs
        .iter()
        .map(cell)
        .collect::<Result<_>>()?;
    let light = |plain: &[u8]| ProxyCodec::Lz4.measure(plain, &pieces(payload, plain)?);
    let sampling_error = experiment.is_part().then(|| -> Result<f64> {
        let half = experiment.part(payload, len.div_ceil(2), len)?;
        let lengths = half_error(half.len() as f64, len as f64, experiment);
        let stored = half_error(light(&half)? as f64, light(&plain)? as f64, experiment);
        Ok(lengths.max(stored))
    });
    let sampling_error = sampling_error.transpose()?;
    Ok(Sizes {
        len,
        duplicate,
        by_codec,
        sampling_error,
    })
}

/// An earlier payload with the same bytes or, for a large payload, nearly the same.
fn duplicate(experiment: &Experiment<'_>, payload: Payload, plain: &[u8]) -> Option<Payload> {
    let duplicate = match payload {
        Payload::Csv | Payload::Ndjson => {
            let text = experiment.rows.text.as_ref()?.bytes.as_deref()?;
            (text == plain).then_some(Payload::Source)
        }
        // JSON and NDJSON differ only in the line ends.
        Payload::Json => {
            let is_large = plain.len() as u64 > experiment.within(Speed::Medium.sized_bytes());
            is_large.then_some(Payload::Ndjson)
        }
        _ => None,
    };
    duplicate.filter(|duplicate| experiment.plan.payloads.contains(duplicate))
}

/// A payload, and the sizes that proxies compress it to.
struct SizeEstimator<'a> {
    experiment: &'a Experiment<'a>,
    payload: Payload,
    plain: &'a [u8],
    pieces: Vec<Range<usize>>,
    proxy_sizes: Vec<(ProxyCodec, u64)>,
}

impl SizeEstimator<'_> {
    fn size(&mut self, codec: Compression, speed: Speed) -> Result<Size> {
        let len = self.plain.len() as u64;
        if codec.codec() == Codec::Lz4 {
            return self.proxy_size(ProxyCodec::Lz4).map(Size::exact);
        }
        if len <= self.experiment.within(speed.sized_bytes()) {
            return stored(codec, self.plain, &self.pieces).map(Size::exact);
        }
        let proxy = ProxyCodec::of(codec);
        let proxy_bytes = self.proxy_size(proxy)? as f64;
        let sample = self.experiment.within(speed.sample_bytes());
        let ratio = |wanted| -> Result<f64> {
            let (part, pieces) = self.part(wanted);
            let proxy_bytes = proxy.measure(&part, &pieces)?.max(1);
            Ok(stored(codec, &part, &pieces)? as f64 / proxy_bytes as f64)
        };
        let reach = proxy.window() as f64 * 2.0 / sample as f64;
        let (most, doubt) = if self.payload.is_text() {
            (TEXT_DOUBLINGS, TEXT_DOUBT)
        } else {
            (COLUMN_DOUBLINGS, COLUMN_DOUBT)
        };
        Ok(Extrapolation {
            proxy_bytes,
            ratio: ratio(sample)?,
            of_half: ratio(sample / 2)?,
            doublings: (len as f64 / sample as f64).log2(),
            followed: reach.log2().min(most),
            doubt,
        }
        .size())
    }

    /// About `wanted` bytes and their pieces. In columnar payloads the columns are stored one after the other,
    /// so the sample needs many short segments for each column to get its share.
    fn part(&self, wanted: u64) -> (Vec<u8>, Vec<Range<usize>>) {
        let columns = if self.payload.is_text() {
            SEGMENTS
        } else {
            COLUMN_SEGMENTS
        };
        if self.pieces.len() as u64 <= columns {
            let part = excerpt(self.plain, wanted, columns);
            let all = 0..part.len();
            return (part, vec![all]);
        }
        let stride = (self.plain.len() as u64).div_ceil(wanted.max(1));
        let (mut part, mut pieces) = (Vec::new(), Vec::new());
        for piece in self.pieces.iter().step_by(stride as usize) {
            let start = part.len();
            part.extend_from_slice(&self.plain[piece.clone()]);
            pieces.push(start..part.len());
        }
        (part, pieces)
    }

    fn proxy_size(&mut self, proxy: ProxyCodec) -> Result<u64> {
        if let Some((_, len)) = self.proxy_sizes.iter().find(|(known, _)| *known == proxy) {
            return Ok(*len);
        }
        let len = proxy.measure(self.plain, &self.pieces)?;
        self.proxy_sizes.push((proxy, len));
        Ok(len)
    }
}

/// Sizes of a payload with its own codec. If writing it takes long, it is estimated from what lighter presets
/// write for the same rows.
fn own(experiment: &Experiment<'_>, payload: Payload) -> Result<Sizes> {
    let len = experiment.text_bytes()?;
    let speed = payload.speed();
    let frames = experiment.frames(payload)?;
    let written = |frames: &[Frame]| -> Result<u64> {
        Ok(experiment.round_trip.encode(payload, frames)?.len() as u64)
    };
    // The one has the same window, the other similar encodings; their geometric mean is closer than either.
    let proxy_bytes = |frames: &[Frame]| -> Result<f64> {
        let bare = experiment.round_trip.encode_bare(frames)?;
        let bare = OWN_CODEC_PROXY.measure(&bare, &pieces(payload, &bare)?)? as f64;
        let light = experiment
            .round_trip
            .encode(Payload::V2(Preset::Balanced), frames)?
            .len() as f64;
        Ok((bare * light).sqrt().max(1.0))
    };
    let sampling_error = experiment.is_part().then(|| -> Result<f64> {
        let half = experiment.some(payload, len.div_ceil(2), len)?;
        Ok(half_error(
            proxy_bytes(&half)?,
            proxy_bytes(&frames)?,
            experiment,
        ))
    });
    let sampling_error = sampling_error.transpose()?;
    let sizes = |size| Sizes {
        len,
        duplicate: None,
        by_codec: vec![size],
        sampling_error,
    };
    if len <= experiment.within(payload.timed_bytes()) {
        return Ok(sizes(None));
    }
    if len <= experiment.within(speed.sized_bytes()) {
        return Ok(sizes(Some(Size::exact(written(&frames)?))));
    }
    let sample = experiment.within(speed.sample_bytes());
    let ratio = |wanted| -> Result<f64> {
        let some = experiment.some(payload, wanted, len)?;
        Ok(written(&some)? as f64 / proxy_bytes(&some)?)
    };
    let extrapolation = Extrapolation {
        proxy_bytes: proxy_bytes(&frames)?,
        ratio: ratio(sample)?,
        of_half: ratio(sample / 2)?,
        doublings: (len as f64 / sample as f64).log2(),
        followed: COLUMN_DOUBLINGS,
        doubt: COLUMN_DOUBT,
    };
    Ok(sizes(Some(extrapolation.size())))
}

/// An estimate from a codec and its proxy.
struct Extrapolation {
    /// The size of the whole payload, compressed by the proxy.
    proxy_bytes: f64,
    /// The size of a sample compressed by the codec, divided by its size compressed by the proxy.
    ratio: f64,
    /// The same for a sample of half that size.
    of_half: f64,
    /// Doublings from the sample to the whole.
    doublings: f64,
    /// How many of them the trend is extrapolated over.
    followed: f64,
    /// The error added by each of them.
    doubt: f64,
}

impl Extrapolation {
    /// A better codec gains on its proxy with every doubling of the input, up to a few windows. This is modelled
    /// as a power law, with the exponent observed between half of the sample and all of it.
    fn size(self) -> Size {
        let trend = (self.ratio / self.of_half).ln();
        let followed = self.followed.min(self.doublings).max(0.0);
        let gain = trend.clamp(-STEEPEST, 0.0) * followed;
        Size {
            bytes: self.proxy_bytes * self.ratio * gain.exp(),
            error: Some(trend.abs() * followed.max(1.0) + self.doubt * self.doublings),
        }
    }
}

/// How far twice the size of the half is from the size of the whole, as a fraction, for each doubling up to
/// all rows.
fn half_error(half: f64, all: f64, experiment: &Experiment<'_>) -> f64 {
    let off = (half * 2.0 / all.max(1.0) - 1.0).abs();
    off * experiment.rows_scale().log2().max(1.0)
}

/// The size of a payload with a codec.
fn stored(codec: Compression, plain: &[u8], pieces: &[Range<usize>]) -> Result<u64> {
    let stored = compress(codec, plain, pieces)?;
    Ok(stored.iter().map(|piece| piece.len() as u64).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_on_the_proxy_is_extrapolated_within_limits() {
        let of = |ratio, of_half, doublings| {
            let (proxy_bytes, followed, doubt) = (1000.0, 3.0, 0.01);
            let size = Extrapolation {
                proxy_bytes,
                ratio,
                of_half,
                doublings,
                followed,
                doubt,
            }
            .size();
            (
                size.bytes.round(),
                size.error.map(|error| (error * 1e3).round()),
            )
        };
        // No trend: only the ratio, with the doubt of five doublings.
        assert_eq!(of(0.5, 0.5, 5.0), (500.0, Some(50.0)));
        // 2 % less with each of three doublings: 1000 * 0.49 * 0.98^3, and ln 0.98 is -0.0202.
        assert_eq!(of(0.49, 0.5, 5.0), (461.0, Some(111.0)));
        // Only two doublings.
        assert_eq!(of(0.49, 0.5, 2.0), (471.0, Some(60.0)));
        // A loss is not extrapolated, but adds to the error.
        assert_eq!(of(0.5, 0.49, 5.0), (500.0, Some(111.0)));
    }
}
