//! Measures size and time of every payload with every codec.

use super::cells::{Earlier, measured};
use super::codec::PayloadCodec;
use super::payload::{Payload, RoundTrip};
use super::rows::Rows;
use super::sample::{GROUPS, Part, SAMPLE_BYTES, Sample, WHOLE_BYTES};
use super::size::{Auxiliary, Light};
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
    pub rows: &'a Rows,
    /// Writes and reads payloads.
    pub round_trip: &'a RoundTrip,
    /// What to measure.
    pub plan: &'a MeasurementPlan,
    plain: (Auxiliaries, Sample<'a>),
    own: (Auxiliaries, Sample<'a>),
}

/// Figures for all rows and for a sample.
struct Auxiliaries {
    all: Known,
    sample: Known,
    groups: [Known; GROUPS],
}

/// The size of a text with each light codec; if there is no text, the number of rows.
#[derive(Clone, Copy, Debug)]
struct Known([f64; Light::ALL.len()]);

impl Known {
    fn of(text: &[u8]) -> Result<Self> {
        let mut sizes = [0.0; Light::ALL.len()];
        for (size, light) in sizes.iter_mut().zip(Light::ALL) {
            *size = light.size(text)?;
        }
        Ok(Self(sizes))
    }

    fn rows(rows: u64) -> Self {
        Self([rows as f64; Light::ALL.len()])
    }

    fn by(self, light: Light) -> f64 {
        self.0[light as usize]
    }
}

impl Auxiliaries {
    fn of(rows: &Rows, sample: &Sample<'_>, all: Option<Known>) -> Result<Self> {
        let known = |part| match sample.text(part).filter(|_| all.is_some()) {
            Some(text) => Known::of(&text),
            None => Ok(Known::rows(sample.rows(part))),
        };
        Ok(Self {
            all: all.unwrap_or(Known::rows(rows.all)),
            sample: known(Part::ALL)?,
            groups: [
                known(Part::Group(0))?,
                known(Part::Group(1))?,
                known(Part::Group(2))?,
                known(Part::Group(3))?,
            ],
        })
    }
}

impl<'a> Experiment<'a> {
    fn of(rows: &'a Rows, round_trip: &'a RoundTrip, plan: &'a MeasurementPlan) -> Result<Self> {
        let sampled = |factor: u64| {
            let whole = if rows.is_generated {
                u64::MAX
            } else {
                within(plan, WHOLE_BYTES * factor)
            };
            Sample::of(rows, whole, within(plan, SAMPLE_BYTES * factor))
        };
        let (few, many) = (sampled(1), sampled(OWN_FACTOR));
        let text = rows.text.as_ref().and_then(|text| text.bytes.as_deref());
        let text = text.filter(|_| few.is_part());
        let all = text.map(Known::of).transpose()?;
        Ok(Self {
            rows,
            round_trip,
            plan,
            plain: (Auxiliaries::of(rows, &few, all)?, few),
            own: (Auxiliaries::of(rows, &many, all)?, many),
        })
    }

    /// The sample for a payload.
    pub fn sample(&self, payload: Payload) -> &Sample<'a> {
        &self.part(payload).1
    }

    /// The figures for all rows and for that sample.
    pub fn auxiliary(&self, payload: Payload, light: Light) -> Auxiliary {
        let Auxiliaries {
            all,
            sample,
            groups,
        } = &self.part(payload).0;
        Auxiliary {
            all: all.by(light),
            sample: sample.by(light),
            groups: groups.map(|group| group.by(light)),
        }
    }

    fn part(&self, payload: Payload) -> &(Auxiliaries, Sample<'a>) {
        if payload.has_own_codec() {
            &self.own
        } else {
            &self.plain
        }
    }

    /// A part of a payload. The payload `source` is a part of the input itself.
    pub fn encode(&self, payload: Payload, part: Part) -> Result<Vec<u8>> {
        let sample = self.sample(payload);
        if payload == Payload::Source
            && let Some(text) = sample.text(part)
        {
            return Ok(text.into_owned());
        }
        self.round_trip
            .encode(payload, &sample.frames(payload, part))
    }

    /// A limit of `bytes`, divided among the inputs, or no limit if all rows are to be measured.
    pub fn within(&self, bytes: u64) -> u64 {
        within(self.plan, bytes)
    }
}

fn within(plan: &MeasurementPlan, bytes: u64) -> u64 {
    if plan.whole {
        return u64::MAX;
    }
    (bytes / plan.inputs.max(1)).max(LEAST_BYTES)
}

/// A payload that cannot be measured, and why.
pub type Skipped = (Payload, Error);

/// Measures one input. `step` is called with the name of each payload before it is measured. Payloads that
/// cannot be measured are returned with the error.
///
/// # Errors
/// If nothing can be measured at all.
pub fn measure(
    rows: &Rows,
    round_trip: &RoundTrip,
    plan: &MeasurementPlan,
    mut step: impl FnMut(&str),
) -> Result<(Vec<Measurement>, Vec<Skipped>)> {
    step("bytes");
    let experiment = Experiment::of(rows, round_trip, plan)?;
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
    Ok((done, skipped))
}
