//! Bytes of every payload under every codec. Nothing is timed here, so that all cores may work.

use super::codec::{Pace, compress, pieces};
use super::part::Bench;
use super::payload::Payload;
use super::yardstick::Yardstick;
use crate::error::Result;
use crate::frame::{Codec, Compression};
use crate::pipeline::in_order;
use crate::text::frame::Frame;
use crate::wire::choose::Preset;

/// Doublings that a trend is followed for; beyond that it would be a guess.
const MOST_DOUBLINGS: f64 = 3.0;
/// The steepest trend: the share of its bytes that a codec saves with each doubling.
const STEEPEST: f64 = 0.06;
/// What an estimate may be off by even if halving the sample makes no difference.
const LEAST_ERROR: f64 = 0.01;

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
    let payloads = &bench.plan.payloads;
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
        let plain = apart(half.len() as u64, len, bench);
        Ok(plain.max(apart(light(&half)?, light(&known.plain)?, bench)))
    });
    let uneven = uneven.transpose()?;
    Ok(Sizes { len, twin, cells, uneven })
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
            let is_large = plain.len() as u64 > bench.within(Pace::Quick.sized_bytes());
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
    yards: Vec<(Yardstick, u64)>,
}

impl Known<'_> {
    fn size(&mut self, codec: Compression, pace: Pace) -> Result<Size> {
        let len = self.plain.len() as u64;
        if len <= self.bench.within(pace.sized_bytes()) || codec.codec() == Codec::Lz4 {
            return Ok(Size::exact(stored(codec, self.payload, self.plain)?));
        }
        let yardstick = Yardstick::of(codec);
        let all = self.yard(yardstick)?;
        let sample = self.bench.within(pace.sample_bytes());
        let ratio = |wanted| -> Result<f64> {
            let part = self.bench.part(self.payload, wanted, len)?;
            let yard = yardstick.measure(&part, &pieces(self.payload, &part)?)?;
            Ok(stored(codec, self.payload, &part)? as f64 / yard.max(1) as f64)
        };
        let reach = len.min(yardstick.window()) as f64 / sample as f64;
        Ok(extrapolated(all, ratio(sample)?, ratio(sample / 2)?, reach))
    }

    fn yard(&mut self, yardstick: Yardstick) -> Result<u64> {
        if let Some((_, len)) = self.yards.iter().find(|(known, _)| *known == yardstick) {
            return Ok(*len);
        }
        let len = yardstick.measure(self.plain, &pieces(self.payload, self.plain)?)?;
        self.yards.push((yardstick, len));
        Ok(len)
    }
}

/// A payload with a codec of its own: written as it is, or, where that takes long, with the light
/// preset as the yardstick.
fn own(bench: &Bench<'_>, payload: Payload) -> Result<Sizes> {
    let len = bench.text_bytes()?;
    let pace = Pace::of_payload(payload);
    let frames = bench.frames(payload)?;
    let written = |payload, frames: &[Frame]| -> Result<u64> {
        Ok(bench.trip.encode(payload, frames)?.len() as u64)
    };
    let uneven = bench.is_part().then(|| -> Result<f64> {
        let half = bench.some(payload, len.div_ceil(2), len)?;
        let light = Payload::V2(Preset::Fast);
        Ok(apart(written(light, &half)?, written(light, &frames)?, bench))
    });
    let uneven = uneven.transpose()?;
    let sizes = |size| Sizes {
        len,
        twin: None,
        cells: vec![size],
        uneven,
    };
    if len <= bench.within(pace.timed_bytes()) {
        return Ok(sizes(None));
    }
    if pace == Pace::Quick || len <= bench.within(pace.sized_bytes()) {
        return Ok(sizes(Some(Size::exact(written(payload, &frames)?))));
    }
    let light = Payload::V2(Preset::Balanced);
    let all = written(light, &frames)?;
    let sample = bench.within(pace.sample_bytes());
    let ratio = |wanted| -> Result<f64> {
        let some = bench.some(payload, wanted, len)?;
        Ok(written(payload, &some)? as f64 / written(light, &some)?.max(1) as f64)
    };
    let reach = len as f64 / sample as f64;
    let size = extrapolated(all, ratio(sample)?, ratio(sample / 2)?, reach);
    Ok(sizes(Some(size)))
}

/// What a codec makes of a payload whose yardstick is known, from the ratio of both for a sample and
/// for half of it. Codecs that look further gain on their yardstick with every doubling of what they
/// see, up to `reach` times the sample: the trend is followed.
fn extrapolated(yard: u64, ratio: f64, of_half: f64, reach: f64) -> Size {
    let trend = (ratio / of_half).ln();
    let doublings = reach.log2().clamp(0.0, MOST_DOUBLINGS);
    let gain = trend.clamp(-STEEPEST, 0.0) * doublings;
    Size {
        bytes: yard as f64 * ratio * gain.exp(),
        error: Some(trend.abs() * doublings.max(1.0) + LEAST_ERROR),
    }
}

/// How far twice the half is from the whole, as a share, for each doubling up to all rows.
fn apart(half: u64, all: u64, bench: &Bench<'_>) -> f64 {
    let off = (half as f64 * 2.0 / all.max(1) as f64 - 1.0).abs();
    off * bench.rows_scale().log2().max(1.0)
}

/// Bytes of a payload under a codec.
fn stored(codec: Compression, payload: Payload, plain: &[u8]) -> Result<u64> {
    let stored = compress(codec, plain, &pieces(payload, plain)?)?;
    Ok(stored.iter().map(|piece| piece.len() as u64).sum())
}
