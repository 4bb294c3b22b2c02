//! Bytes of every payload under every codec. Nothing is timed here, so that all cores may work.

use std::ops::Range;

use super::codec::{Pace, compress, pieces};
use super::part::Bench;
use super::payload::Payload;
use super::rows::{STRETCHES, excerpt};
use super::yardstick::Yardstick;
use crate::error::Result;
use crate::format::frame::Frame;
use crate::pipeline::in_order;
use crate::stream::{Codec, Compression};
use crate::wire::choose::Preset;

/// Doublings of a sample that a trend is followed over; beyond that it would be a guess. Samples of
/// columns are in pieces, which makes for a trend of its own.
const TEXT_DOUBLINGS: f64 = 3.0;
const COLUMN_DOUBLINGS: f64 = 2.0;
/// The steepest trend: the share of its bytes that a codec saves with each doubling.
const STEEPEST: f64 = 0.05;
/// What is lost in certainty with each doubling from the sample to all, whatever the trend.
const TEXT_DOUBT: f64 = 0.008;
const COLUMN_DOUBT: f64 = 0.016;
/// Stretches of a sample of columns.
const COLUMN_STRETCHES: u64 = 32;
/// What stands beside payloads with a codec of their own.
const YARDSTICK: Yardstick = Yardstick::Zstd { window_log: 23 };

/// What is known of a payload before anything is timed.
pub struct Sizes {
    /// Bytes that samples are measured by: of the payload of all rows in memory, or, if it has a
    /// codec of its own, of their text.
    pub len: u64,
    /// A payload that is the same to all codecs, so that one of them is enough.
    pub twin: Option<Payload>,
    /// By codec; `None` for what is so little that all of it is timed, which tells its size, too.
    pub cells: Vec<Option<Size>>,
    /// If more rows than are in memory are told of, how far off that may be, as a share.
    pub uneven: Option<f64>,
}

/// The size of the rows in memory as a payload under a codec.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// Bytes.
    pub bytes: f64,
    /// If they are estimated, how far off they may be, as a share of them.
    pub error: Option<f64>,
}

impl Size {
    /// One that was counted.
    pub fn exact(bytes: u64) -> Self {
        Self {
            bytes: bytes as f64,
            error: None,
        }
    }
}

/// The sizes of all payloads, in their order.
pub fn sizes(bench: &Bench<'_>) -> Vec<Result<Sizes>> {
    let payloads: Vec<Payload> = bench.payloads().collect();
    let mut sizes: Vec<Option<Result<Sizes>>> = payloads.iter().map(|_| None).collect();
    // The last takes longest, so it comes first.
    let places = (0..payloads.len()).rev();
    let done = in_order(
        bench.plan.threads,
        payloads.len(),
        places.map(Ok),
        || (),
        |(), at| Ok((at, of(bench, payloads[at]))),
        |(at, found)| {
            sizes[at] = Some(found);
            Ok(())
        },
    );
    debug_assert!(done.is_ok(), "neither places nor sizes fail");
    sizes.into_iter().flatten().collect()
}

fn of(bench: &Bench<'_>, payload: Payload) -> Result<Sizes> {
    if payload.has_own_codec() {
        return own(bench, payload);
    }
    let plain = bench.all(payload)?;
    let len = plain.len() as u64;
    let twin = twin(bench, payload, &plain);
    let mut known = Known {
        bench,
        payload,
        plain: &plain,
        pieces: pieces(payload, &plain)?,
        yards: Vec::new(),
    };
    let cell = |&codec: &Compression| -> Result<Option<Size>> {
        let pace = Pace::of(codec);
        if codec.codec() == Codec::None {
            return Ok(Some(Size::exact(len)));
        }
        if twin.is_some() || len <= bench.within(pace.timed_bytes()) {
            return Ok(None);
        }
        known.size(codec, pace).map(Some)
    };
    let cells = bench.plan.codecs.iter().map(cell).collect::<Result<_>>()?;
    let light = |plain: &[u8]| Yardstick::Lz4.measure(plain, &pieces(payload, plain)?);
    let uneven = bench.is_part().then(|| -> Result<f64> {
        let half = bench.part(payload, len.div_ceil(2), len)?;
        let lengths = apart(half.len() as f64, len as f64, bench);
        let stored = apart(light(&half)? as f64, light(&plain)? as f64, bench);
        Ok(lengths.max(stored))
    });
    let uneven = uneven.transpose()?;
    Ok(Sizes {
        len,
        twin,
        cells,
        uneven,
    })
}

/// The payload before it that has the same bytes, or, of large ones, nearly the same.
fn twin(bench: &Bench<'_>, payload: Payload, plain: &[u8]) -> Option<Payload> {
    let twin = match payload {
        Payload::Csv | Payload::Ndjson => {
            let text = bench.rows.text.as_ref()?.bytes.as_deref()?;
            (text == plain).then_some(Payload::Source)
        }
        // Lines end otherwise, and that is all.
        Payload::Json => {
            let is_large = plain.len() as u64 > bench.within(Pace::Medium.sized_bytes());
            is_large.then_some(Payload::Ndjson)
        }
        _ => None,
    };
    twin.filter(|twin| bench.plan.payloads.contains(twin))
}

/// A payload and what yardsticks make of all of it.
struct Known<'a> {
    bench: &'a Bench<'a>,
    payload: Payload,
    plain: &'a [u8],
    pieces: Vec<Range<usize>>,
    yards: Vec<(Yardstick, u64)>,
}

impl Known<'_> {
    fn size(&mut self, codec: Compression, pace: Pace) -> Result<Size> {
        let len = self.plain.len() as u64;
        if codec.codec() == Codec::Lz4 {
            return self.yard(Yardstick::Lz4).map(Size::exact);
        }
        if len <= self.bench.within(pace.sized_bytes()) {
            return stored(codec, self.plain, &self.pieces).map(Size::exact);
        }
        let yardstick = Yardstick::of(codec);
        let yard = self.yard(yardstick)? as f64;
        let sample = self.bench.within(pace.sample_bytes());
        let ratio = |wanted| -> Result<f64> {
            let (part, pieces) = self.part(wanted);
            let yard = yardstick.measure(&part, &pieces)?.max(1);
            Ok(stored(codec, &part, &pieces)? as f64 / yard as f64)
        };
        let reach = yardstick.window() as f64 * 2.0 / sample as f64;
        let (most, doubt) = if self.payload.is_text() {
            (TEXT_DOUBLINGS, TEXT_DOUBT)
        } else {
            (COLUMN_DOUBLINGS, COLUMN_DOUBT)
        };
        Ok(Extrapolation {
            yard,
            ratio: ratio(sample)?,
            of_half: ratio(sample / 2)?,
            doublings: (len as f64 / sample as f64).log2(),
            followed: reach.log2().min(most),
            doubt,
        }
        .size())
    }

    /// About `wanted` bytes, and how they are cut. Where the payload is of columns, one behind the
    /// other, many short stretches are needed for each to have its share.
    fn part(&self, wanted: u64) -> (Vec<u8>, Vec<Range<usize>>) {
        let columns = if self.payload.is_text() {
            STRETCHES
        } else {
            COLUMN_STRETCHES
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

    fn yard(&mut self, yardstick: Yardstick) -> Result<u64> {
        if let Some((_, len)) = self.yards.iter().find(|(known, _)| *known == yardstick) {
            return Ok(*len);
        }
        let len = yardstick.measure(self.plain, &self.pieces)?;
        self.yards.push((yardstick, len));
        Ok(len)
    }
}

/// A payload with a codec of its own: written as it is, or, where that takes long, beside the same
/// rows as lighter presets write them.
fn own(bench: &Bench<'_>, payload: Payload) -> Result<Sizes> {
    let len = bench.text_bytes()?;
    let pace = payload.pace();
    let frames = bench.frames(payload)?;
    let written =
        |frames: &[Frame]| -> Result<u64> { Ok(bench.trip.encode(payload, frames)?.len() as u64) };
    // One looks as far back, the other encodes alike: the mean of both is nearer than either.
    let yard = |frames: &[Frame]| -> Result<f64> {
        let bare = bench.trip.encode_bare(frames)?;
        let bare = YARDSTICK.measure(&bare, &pieces(payload, &bare)?)? as f64;
        let light = bench
            .trip
            .encode(Payload::V2(Preset::Balanced), frames)?
            .len() as f64;
        Ok((bare * light).sqrt().max(1.0))
    };
    let uneven = bench.is_part().then(|| -> Result<f64> {
        let half = bench.some(payload, len.div_ceil(2), len)?;
        Ok(apart(yard(&half)?, yard(&frames)?, bench))
    });
    let uneven = uneven.transpose()?;
    let sizes = |size| Sizes {
        len,
        twin: None,
        cells: vec![size],
        uneven,
    };
    if len <= bench.within(payload.timed_bytes()) {
        return Ok(sizes(None));
    }
    if len <= bench.within(pace.sized_bytes()) {
        return Ok(sizes(Some(Size::exact(written(&frames)?))));
    }
    let sample = bench.within(pace.sample_bytes());
    let ratio = |wanted| -> Result<f64> {
        let some = bench.some(payload, wanted, len)?;
        Ok(written(&some)? as f64 / yard(&some)?)
    };
    let extrapolation = Extrapolation {
        yard: yard(&frames)?,
        ratio: ratio(sample)?,
        of_half: ratio(sample / 2)?,
        doublings: (len as f64 / sample as f64).log2(),
        followed: COLUMN_DOUBLINGS,
        doubt: COLUMN_DOUBT,
    };
    Ok(sizes(Some(extrapolation.size())))
}

/// What is known of a codec and its yardstick.
struct Extrapolation {
    /// Bytes that the yardstick makes of all.
    yard: f64,
    /// What the codec makes of a sample, divided by what the yardstick makes of it.
    ratio: f64,
    /// The same of half of it.
    of_half: f64,
    /// From the sample to all.
    doublings: f64,
    /// Over how many of them the trend is followed.
    followed: f64,
    /// The error that each of them adds.
    doubt: f64,
}

impl Extrapolation {
    /// Better codecs gain on their yardstick with every doubling of what they see, until they have
    /// seen some windows: a power law with the exponent seen from half of the sample to all of it.
    fn size(self) -> Size {
        let trend = (self.ratio / self.of_half).ln();
        let followed = self.followed.min(self.doublings).max(0.0);
        let gain = trend.clamp(-STEEPEST, 0.0) * followed;
        Size {
            bytes: self.yard * self.ratio * gain.exp(),
            error: Some(trend.abs() * followed.max(1.0) + self.doubt * self.doublings),
        }
    }
}

/// How far twice the half is from the whole, as a share, for each doubling up to all rows.
fn apart(half: f64, all: f64, bench: &Bench<'_>) -> f64 {
    let off = (half * 2.0 / all.max(1.0) - 1.0).abs();
    off * bench.rows_scale().log2().max(1.0)
}

/// Bytes of a payload under a codec.
fn stored(codec: Compression, plain: &[u8], pieces: &[Range<usize>]) -> Result<u64> {
    let stored = compress(codec, plain, pieces)?;
    Ok(stored.iter().map(|piece| piece.len() as u64).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_on_the_yardstick_is_followed_as_far_as_it_may_be() {
        let of = |ratio, of_half, doublings| {
            let (yard, followed, doubt) = (1000.0, 3.0, 0.01);
            let size = Extrapolation {
                yard,
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
        // No trend: the ratio alone, and the doubt of five doublings.
        assert_eq!(of(0.5, 0.5, 5.0), (500.0, Some(50.0)));
        // 2 % less with each of three doublings: 1000 * 0.49 * 0.98^3, and ln 0.98 is -0.0202.
        assert_eq!(of(0.49, 0.5, 5.0), (461.0, Some(111.0)));
        // Two doublings are all there are.
        assert_eq!(of(0.49, 0.5, 2.0), (471.0, Some(60.0)));
        // A loss is no trend, but it tells that the sample is none too sure.
        assert_eq!(of(0.5, 0.49, 5.0), (500.0, Some(111.0)));
    }
}
