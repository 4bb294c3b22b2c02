//! Bytes and seconds of every payload under every codec.

use super::clock::median;
use super::codec::{budget, compress, decompress, level, own_budget, pieces};
use super::payload::{Payload, Trip};
use super::rows::{Rows, rows, sample};
use crate::error::{Error, Result};
use crate::estimate::Cost;
use crate::frame::{Codec, Compression};
use crate::text::frame::Frame;

/// A sample of less says nothing any more.
const LEAST_BYTES: u64 = 64 << 10;

/// What to measure.
pub struct Plan {
    /// The payloads.
    pub payloads: Vec<Payload>,
    /// The codecs around those that have none of their own.
    pub codecs: Vec<Compression>,
    /// No samples.
    pub whole: bool,
    /// Runs of each measurement at least.
    pub runs: Option<u64>,
    /// Inputs that share the time one may take.
    pub inputs: u64,
}

/// One payload under one codec.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The payload.
    pub payload: Payload,
    /// The codec; `None` for the payload's own.
    pub codec: Option<Compression>,
    /// Bytes and seconds.
    pub cost: Cost,
    /// Of what was extrapolated, how far off it may be: what half of the sample would have missed
    /// about the whole of it, for each doubling up to the whole input.
    pub error: Option<f64>,
}

impl Measured {
    /// The codec's name in reports.
    pub fn codec_name(&self) -> &'static str {
        self.codec.map_or("own", |codec| codec.codec().name())
    }

    /// The codec's level, if it has any.
    pub fn level(&self) -> Option<i32> {
        self.codec.and_then(level)
    }

    /// Both together: what is extrapolated stays so, and the error is that of all their bytes.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let cost = self.cost + other.cost;
        let off = |one: &Self| one.error.map(|error| error * one.cost.bytes);
        let error = match (off(self), off(other)) {
            (None, None) => None,
            (a, b) => Some((a.unwrap_or(0.0) + b.unwrap_or(0.0)) / cost.bytes.max(1.0)),
        };
        Self {
            cost,
            error,
            ..self.clone()
        }
    }

    /// Bytes, whole.
    pub fn bytes(&self) -> u64 {
        self.cost.bytes.round() as u64
    }
}

/// A payload of some rows, and what it took.
struct Serialized {
    plain: Vec<u8>,
    encode_s: f64,
    decode_s: f64,
    /// How many times larger the payload of all rows is.
    scale: f64,
}

/// Measures one input; `step` is told of each payload and codec before it is measured. What cannot
/// be measured is left out, and told with the reason.
pub fn measure(
    rows: &Rows,
    trip: &Trip,
    plan: &Plan,
    mut step: impl FnMut(&str),
) -> (Vec<Measured>, Vec<(Payload, Error)>) {
    let mut measured = Vec::new();
    let mut left_out = Vec::new();
    let bench = Bench { rows, trip, plan };
    for &payload in &plan.payloads {
        if payload == Payload::Source && rows.text.is_none() {
            continue;
        }
        step(payload.name());
        let done = if payload.has_own_codec() {
            bench.own(payload).map(|one| vec![one])
        } else {
            bench.under_codecs(payload, &mut step)
        };
        match done {
            Ok(done) => measured.extend(done),
            Err(error) => left_out.push((payload, error)),
        }
    }
    (measured, left_out)
}

struct Bench<'a> {
    rows: &'a Rows,
    trip: &'a Trip,
    plan: &'a Plan,
}

impl Bench<'_> {
    /// A payload under all codecs.
    fn under_codecs(&self, payload: Payload, step: &mut impl FnMut(&str)) -> Result<Vec<Measured>> {
        let frames = self.rows.frames(payload.is_of_values());
        let whole = self.whole(payload, frames)?;
        let mut measured = Vec::with_capacity(self.plan.codecs.len());
        for &codec in &self.plan.codecs {
            step(&format!("{} {}", payload.name(), codec.codec().name()));
            let budget = self.within(budget(codec));
            let (cost, error) = if whole.plain.len() as u64 <= budget {
                let cost = self.squeezed(payload, codec, &whole)?;
                let seen = || self.error(payload, codec, frames, &cost, (whole.scale, None));
                // The length of the source is known, however much of it was read.
                let is_known = payload == Payload::Source && codec.codec() == Codec::None;
                let is_told = is_part(&whole) && !is_known;
                (cost, is_told.then(seen).transpose()?)
            } else {
                let wanted = share(rows(frames), budget, whole.plain.len() as u64);
                let sampled = sample(frames, wanted);
                let part = self.part_of(&whole, payload, &sampled)?;
                let cost = self.squeezed(payload, codec, &part)?;
                let plain = Some(part.plain.len());
                let seen = self.error(payload, codec, &sampled, &cost, (part.scale, plain))?;
                (cost, Some(seen))
            };
            measured.push(Measured {
                payload,
                codec: Some(codec),
                cost,
                error,
            });
        }
        Ok(measured)
    }

    /// A payload that is compressed by itself.
    fn own(&self, payload: Payload) -> Result<Measured> {
        let frames = self.rows.frames(payload.is_of_values());
        let budget = self.within(own_budget(payload));
        let text = self.text_len(frames)?;
        let all = rows(frames);
        let sampled;
        let used = if text <= budget {
            frames
        } else {
            sampled = sample(frames, share(all, budget, text));
            &sampled[..]
        };
        let done = self.serialized(payload, used)?;
        let seen = || -> Result<f64> {
            let half = sample(used, rows(used).div_ceil(2));
            let bytes = self.trip.encode(payload, &half)?.len() as f64;
            let twice = rows(used) as f64 / rows(&half).max(1) as f64;
            Ok(apart(bytes * twice, done.plain.len() as f64, done.scale))
        };
        let error = is_part(&done).then(seen).transpose()?;
        Ok(Measured {
            payload,
            codec: None,
            cost: Cost {
                encode_s: done.encode_s * done.scale,
                bytes: done.plain.len() as f64 * done.scale,
                decode_s: done.decode_s * done.scale,
            },
            error,
        })
    }

    /// All rows in memory as a payload, written and read.
    fn whole(&self, payload: Payload, frames: &[Frame]) -> Result<Serialized> {
        let text = self.rows.text.as_ref();
        let Some(text) = text.filter(|_| payload == Payload::Source) else {
            return self.serialized(payload, frames);
        };
        // It is there already, or what stands in for it is taken to be.
        let (plain, scale) = if let Some(bytes) = &text.bytes {
            (bytes.to_vec(), 1.0)
        } else {
            let plain = self.trip.encode(payload, frames)?;
            let scale = text.len as f64 / plain.len().max(1) as f64;
            (plain, scale)
        };
        let decode_s = self.decoded(payload, &plain, rows(frames))?;
        Ok(Serialized {
            plain,
            encode_s: 0.0,
            decode_s,
            scale,
        })
    }

    /// A sample of it, which takes as long in all.
    fn part_of(
        &self,
        whole: &Serialized,
        payload: Payload,
        sampled: &[Frame],
    ) -> Result<Serialized> {
        let plain = self.trip.encode(payload, sampled)?;
        let share = plain.len() as f64 / whole.plain.len() as f64;
        Ok(Serialized {
            plain,
            encode_s: whole.encode_s * share,
            decode_s: whole.decode_s * share,
            scale: whole.scale / share,
        })
    }

    /// A payload of some rows, which stand for all.
    fn serialized(&self, payload: Payload, frames: &[Frame]) -> Result<Serialized> {
        let encode = |()| self.trip.encode(payload, frames);
        let (plain, encode_s) = median(self.plan.runs, || (), encode)?;
        let decode_s = self.decoded(payload, &plain, rows(frames))?;
        Ok(Serialized {
            plain,
            encode_s,
            decode_s,
            scale: self.rows.all.max(1) as f64 / rows(frames).max(1) as f64,
        })
    }

    /// Seconds it takes to read a payload.
    fn decoded(&self, payload: Payload, plain: &[u8], rows: u64) -> Result<f64> {
        let decode = |bytes| self.trip.decode(payload, bytes);
        let (found, seconds) = median(self.plan.runs, || plain.to_vec(), decode)?;
        if found != rows {
            return Err(Error::input(format!("{rows} rows came back as {found}")));
        }
        Ok(seconds)
    }

    /// What a codec makes of a payload, and gives back.
    fn squeezed(&self, payload: Payload, codec: Compression, part: &Serialized) -> Result<Cost> {
        let mut cost = Cost {
            encode_s: part.encode_s * part.scale,
            bytes: part.plain.len() as f64 * part.scale,
            decode_s: part.decode_s * part.scale,
        };
        if codec.codec() == Codec::None {
            return Ok(cost);
        }
        let (plain, runs) = (&part.plain[..], self.plan.runs);
        let pieces = pieces(payload, plain)?;
        let (stored, encode_s) = median(runs, || (), |()| compress(codec, plain, &pieces))?;
        let open = |()| decompress(codec.codec(), &stored, &pieces);
        let (opened, decode_s) = median(runs, || (), open)?;
        let mut pairs = pieces.iter().zip(&opened);
        if !pairs.all(|(range, opened)| plain[range.clone()] == opened[..]) {
            let name = codec.codec().name();
            return Err(Error::input(format!("{name} gave back other bytes")));
        }
        cost.bytes = stored.iter().map(Vec::len).sum::<usize>() as f64 * part.scale;
        cost.encode_s += encode_s * part.scale;
        cost.decode_s += decode_s * part.scale;
        Ok(cost)
    }

    /// How far off the `cost` of a sample may be about that of an input `scale` times as large;
    /// `plain` is the length of the sample's payload where bytes are extrapolated by that and not by
    /// rows.
    fn error(
        &self,
        payload: Payload,
        codec: Compression,
        sampled: &[Frame],
        cost: &Cost,
        (scale, plain): (f64, Option<usize>),
    ) -> Result<f64> {
        let half = sample(sampled, rows(sampled).div_ceil(2));
        let of_half = self.trip.encode(payload, &half)?;
        let stored = compress(codec, &of_half, &pieces(payload, &of_half)?)?;
        let stored: usize = stored.iter().map(Vec::len).sum();
        let twice = match plain {
            Some(plain) => plain as f64 / of_half.len().max(1) as f64,
            None => rows(sampled) as f64 / rows(&half).max(1) as f64,
        };
        Ok(apart(stored as f64 * twice, cost.bytes / scale, scale))
    }

    /// Bytes of text that frames stand for.
    fn text_len(&self, frames: &[Frame]) -> Result<u64> {
        match &self.rows.text {
            Some(text) => Ok(share(text.len, rows(frames), self.rows.all)),
            None => Ok(self.trip.encode(Payload::Json, frames)?.len() as u64),
        }
    }

    /// A budget of bytes shared among all inputs.
    fn within(&self, budget: u64) -> u64 {
        if self.plan.whole {
            return u64::MAX;
        }
        (budget / self.plan.inputs.max(1)).max(LEAST_BYTES)
    }
}

/// True for the payload of some rows only. A source that is written anew may be of any length.
fn is_part(done: &Serialized) -> bool {
    (done.scale - 1.0).abs() > f64::EPSILON
}

/// `part` of `whole` of a number.
fn share(number: u64, part: u64, whole: u64) -> u64 {
    (u128::from(number) * u128::from(part) / u128::from(whole.max(1))) as u64
}

/// How far the estimate that half of a sample gives is from what is so, as a share of that, for each
/// doubling up to `scale` times the sample: the more there is to look back on, the better codecs
/// compress, so that large inputs are off by more.
fn apart(estimate: f64, is: f64, scale: f64) -> f64 {
    (estimate / is.max(1.0) - 1.0).abs() * scale.log2().max(1.0)
}
