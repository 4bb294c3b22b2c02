//! Measures size and time of every payload with every codec.

use std::cell::OnceCell;

use super::cells::{Earlier, measured};
use super::codec::PayloadCodec;
use super::payload::{Payload, RoundTrip};
use super::rows::InputRows;
use super::sample::{MeasuredRows, SAMPLE_BYTES, SamplePart, WHOLE_BYTES};
use super::size::{Auxiliary, Light, Size};
use crate::error::{Error, Result};
use crate::estimate::{Cost, Link, Model};

/// Payloads with their own codec choose encodings by the data, so they get a larger sample.
const OWN_FACTOR: u64 = 4;
/// The smallest meaningful sample.
const LEAST_BYTES: u64 = 64 << 10;

/// What to measure.
pub struct MeasurementPlan {
    /// The payloads.
    pub payloads: Vec<Payload>,
    /// The codecs for payloads without a codec of their own.
    pub codecs: Vec<PayloadCodec>,
    /// Measure all rows instead of samples.
    pub whole: bool,
    /// Minimum number of runs per measurement.
    pub runs: Option<u64>,
    /// Number of inputs, which share the time budget of one.
    pub inputs: u64,
}

impl MeasurementPlan {
    /// A limit of `bytes`, divided among the inputs, or no limit if all rows are to be measured.
    pub fn within(&self, bytes: u64) -> u64 {
        if self.whole {
            return u64::MAX;
        }
        (bytes / self.inputs.max(1)).max(LEAST_BYTES)
    }
}

/// One payload with one codec.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The payload.
    pub payload: Payload,
    /// The codec; `None` for the payload's own.
    pub codec: Option<PayloadCodec>,
    /// Bytes and seconds.
    pub cost: Cost,
    /// The fraction by which an extrapolated size may be off; `None` if it is exact.
    pub error: Option<f64>,
    /// The fraction by which the seconds of work may be off.
    pub noise: f64,
}

impl Measurement {
    /// The codec's name in reports.
    pub fn codec_name(&self) -> &'static str {
        self.codec.map_or("own", PayloadCodec::name)
    }

    /// The codec's level, if it has any.
    pub fn level(&self) -> Option<i32> {
        self.codec.and_then(PayloadCodec::level)
    }

    /// The sum of both. It counts as extrapolated if either is; its error is relative to all bytes.
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
            noise: self.noise.max(other.noise),
            ..self.clone()
        }
    }

    /// Bytes, rounded.
    pub fn bytes(&self) -> u64 {
        self.cost.bytes.round() as u64
    }

    /// Seconds by which the time over a link may be off.
    pub fn doubt_s(&self, model: Model, link: Link) -> f64 {
        let work_s = (self.cost.encode_s + self.cost.decode_s) * self.noise;
        let bytes = self.cost.bytes;
        let more = bytes * (1.0 + self.error.unwrap_or(0.0));
        work_s.hypot(model.transfer_s(link, more) - model.transfer_s(link, bytes))
    }
}

/// An input, the parts of it that are measured, and figures for all of it.
pub struct Experiment<'a> {
    /// The input.
    pub rows: &'a InputRows,
    /// Writes and reads payloads.
    pub round_trip: &'a RoundTrip,
    /// What to measure.
    pub plan: &'a MeasurementPlan,
    plain: Sampled<'a>,
    own: Sampled<'a>,
    /// Sizes of the whole text with light codecs.
    text: Lights<Size>,
}

/// Sizes with each light codec, computed when they are needed.
pub type Lights<T> = [OnceCell<T>; Light::ALL.len()];

/// A sample, and its sizes with light codecs.
struct Sampled<'a> {
    sample: MeasuredRows<'a>,
    lights: Lights<Auxiliary>,
}

impl<'a> Experiment<'a> {
    fn of(rows: &'a InputRows, round_trip: &'a RoundTrip, plan: &'a MeasurementPlan) -> Self {
        let sampled = |factor: u64| {
            let whole = if rows.is_generated {
                u64::MAX
            } else {
                plan.within(WHOLE_BYTES * factor)
            };
            Sampled {
                sample: MeasuredRows::of(rows, whole, plan.within(SAMPLE_BYTES * factor)),
                lights: Lights::default(),
            }
        };
        Self {
            rows,
            round_trip,
            plan,
            plain: sampled(1),
            own: sampled(OWN_FACTOR),
            text: Lights::default(),
        }
    }

    /// The sample for a payload.
    pub fn sample(&self, payload: Payload) -> &MeasuredRows<'a> {
        &self.sampled(payload).sample
    }

    /// Sizes of the whole text and of that sample with a light codec; if there is no text, numbers of rows.
    ///
    /// # Errors
    /// If the codec fails.
    pub fn auxiliary(&self, payload: Payload, light: Light) -> Result<Auxiliary> {
        let Sampled { sample, lights } = self.sampled(payload);
        let text = self
            .rows
            .text
            .as_ref()
            .and_then(|text| text.bytes.as_deref());
        let known = |part| match sample.text(part).filter(|_| text.is_some()) {
            Some(text) => light.size(&[&text]),
            None => Ok(sample.rows(part) as f64),
        };
        let all = || match text {
            Some(text) => {
                let size = || light.size_of_text(text, self.plan.whole);
                once(&self.text[light as usize], size)
            }
            None => Ok(Size::exact(self.rows.all)),
        };
        once(&lights[light as usize], || {
            let group = |at| known(SamplePart::Group(at));
            Ok(Auxiliary {
                all: all()?,
                sample: known(SamplePart::ALL)?,
                groups: [group(0)?, group(1)?, group(2)?, group(3)?],
            })
        })
    }

    fn sampled(&self, payload: Payload) -> &Sampled<'a> {
        if payload.has_own_codec() {
            &self.own
        } else {
            &self.plain
        }
    }

    /// A part of a payload. The payload `source` is a part of the input itself.
    pub fn encode(&self, payload: Payload, part: SamplePart) -> Result<Vec<u8>> {
        let sample = self.sample(payload);
        if payload == Payload::Source
            && let Some(text) = sample.text(part)
        {
            return Ok(text.into_owned());
        }
        self.round_trip
            .encode(payload, &sample.frames(payload, part))
    }
}

/// The value of the cell, computed if it is missing.
///
/// # Errors
/// The error of `compute`.
pub fn once<T: Copy>(cell: &OnceCell<T>, compute: impl FnOnce() -> Result<T>) -> Result<T> {
    if let Some(&known) = cell.get() {
        return Ok(known);
    }
    let computed = compute()?;
    Ok(*cell.get_or_init(|| computed))
}

/// A payload that cannot be measured, and why.
pub type Skipped = (Payload, Error);

/// Measures one input. `step` is called with the name of each payload before it is measured. Payloads that
/// cannot be measured are returned with the error.
pub fn measure(
    rows: &InputRows,
    round_trip: &RoundTrip,
    plan: &MeasurementPlan,
    mut step: impl FnMut(&str),
) -> (Vec<Measurement>, Vec<Skipped>) {
    step("bytes");
    let experiment = Experiment::of(rows, round_trip, plan);
    let is_text = rows.text.is_some();
    let (mut done, mut skipped) = (Vec::new(), Vec::new());
    let mut earlier = Earlier::default();
    for &payload in &plan.payloads {
        // Only text input has the payload `source`.
        if payload == Payload::Source && !is_text {
            continue;
        }
        step(payload.name());
        match measured(&experiment, payload, &mut earlier) {
            Ok(found) => done.extend(found),
            Err(error) => skipped.push((payload, error)),
        }
    }
    (done, skipped)
}
