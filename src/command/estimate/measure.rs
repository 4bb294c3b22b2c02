//! Measures size and time of every payload with every codec.

use super::codec::level;
use super::experiment::Experiment;
use super::payload::{Payload, RoundTrip};
use super::rows::Rows;
use super::seconds::{self, CodecTimes, PayloadTimes};
use super::sizes::{Size, Sizes, sizes};
use crate::error::{Error, Result};
use crate::estimate::Cost;
use crate::stream::{Codec, Compression};

/// Expected error of the size of a payload that is derived from its duplicate.
const DUPLICATE_ERROR: f64 = 0.002;

/// What to measure.
pub struct Plan {
    /// The payloads.
    pub payloads: Vec<Payload>,
    /// The codecs for payloads without a codec of their own.
    pub codecs: Vec<Compression>,
    /// Measure all rows instead of samples.
    pub whole: bool,
    /// Minimum number of runs per measurement.
    pub runs: Option<u64>,
    /// Number of inputs, which share the time budget of one.
    pub inputs: u64,
    /// Threads for work that is not timed.
    pub threads: usize,
}

/// One payload with one codec.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The payload.
    pub payload: Payload,
    /// The codec; `None` for the payload's own.
    pub codec: Option<Compression>,
    /// Bytes and seconds.
    pub cost: Cost,
    /// Expected error of an extrapolated size, as a fraction; `None` if it is exact.
    pub error: Option<f64>,
}

impl Measurement {
    /// The codec's name in reports.
    pub fn codec_name(&self) -> &'static str {
        self.codec.map_or("own", |codec| codec.codec().name())
    }

    /// The codec's level, if it has any.
    pub fn level(&self) -> Option<i32> {
        self.codec.and_then(level)
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
            ..self.clone()
        }
    }

    /// Bytes, rounded.
    pub fn bytes(&self) -> u64 {
        self.cost.bytes.round() as u64
    }
}

/// Measures one input. `step` is called with the name of each payload before it is timed. Payloads that
/// cannot be measured are returned with the error.
pub fn measure(
    rows: &Rows,
    round_trip: &RoundTrip,
    plan: &Plan,
    mut step: impl FnMut(&str),
) -> (Vec<Measurement>, Vec<(Payload, Error)>) {
    let experiment = Experiment {
        rows,
        round_trip,
        plan,
    };
    step("bytes");
    let sizes = sizes(&experiment);
    let mut done: Vec<(Payload, Result<PayloadResult>)> = Vec::new();
    let mut order: Vec<_> = experiment.payloads().zip(sizes).collect();
    // Duplicates come after the payloads that they equal.
    order.sort_by_key(|(payload, sizes)| {
        let has_duplicate = sizes.as_ref().is_ok_and(|sizes| sizes.duplicate.is_some());
        (has_duplicate, *payload == Payload::Json)
    });
    for (payload, sizes) in order {
        step(payload.name());
        let found = sizes.and_then(|sizes| {
            let is_duplicate = |(payload, _): &&(Payload, _)| Some(*payload) == sizes.duplicate;
            let duplicate = done.iter().find(is_duplicate);
            let duplicate = duplicate.and_then(|(_, found)| found.as_ref().ok());
            PayloadResult::of(&experiment, payload, &sizes, duplicate)
        });
        done.push((payload, found));
    }
    let place = |payload| plan.payloads.iter().position(|&one| one == payload);
    done.sort_by_key(|(payload, _)| place(*payload));
    let (mut measured, mut skipped) = (Vec::new(), Vec::new());
    for (payload, found) in done {
        match found {
            Ok(found) => measured.extend(found.measured(&experiment, payload)),
            Err(error) => skipped.push((payload, error)),
        }
    }
    (measured, skipped)
}

/// The measurements of one payload, for the rows in memory.
struct PayloadResult {
    len: u64,
    payload_times: PayloadTimes,
    /// Size and times by codec; a single entry without times if the payload has its own codec.
    by_codec: Vec<(Size, CodecTimes)>,
    /// Expected error if not all rows are in memory.
    sampling_error: Option<f64>,
}

impl PayloadResult {
    fn of(
        experiment: &Experiment<'_>,
        payload: Payload,
        sizes: &Sizes,
        duplicate: Option<&Self>,
    ) -> Result<Self> {
        let len = sizes.len;
        let payload_times = seconds::payload_times(experiment, payload, len)?;
        let by_codec = match (sizes.duplicate, duplicate) {
            (Some(_), Some(duplicate)) => {
                let pairs = duplicate
                    .for_duplicate(payload, len)
                    .into_iter()
                    .zip(&sizes.by_codec);
                let known = |((size, codec_times), known): ((Size, _), &Option<Size>)| {
                    (known.unwrap_or(size), codec_times)
                };
                pairs.map(known).collect()
            }
            (Some(duplicate), None) => {
                let duplicate = duplicate.name();
                return Err(Error::input(format!(
                    "{duplicate}, which it is estimated from, was skipped"
                )));
            }
            (None, _) => {
                let codec_times = if payload.has_own_codec() {
                    vec![CodecTimes {
                        bytes: payload_times.bytes,
                        ..CodecTimes::default()
                    }]
                } else {
                    seconds::codec_times(experiment, payload, len)?
                };
                let pairs = sizes.by_codec.iter().zip(codec_times);
                let size = |(size, codec_times): (&Option<Size>, CodecTimes)| {
                    let all = codec_times.bytes.map(Size::exact);
                    (all.or(*size).unwrap_or_default(), codec_times)
                };
                pairs.map(size).collect()
            }
        };
        Ok(Self {
            len,
            payload_times,
            by_codec,
            sampling_error: sizes.sampling_error,
        })
    }

    /// The results for a duplicate of this payload, which has `len` bytes.
    fn for_duplicate(&self, payload: Payload, len: u64) -> Vec<(Size, CodecTimes)> {
        let times = len as f64 / self.len.max(1) as f64;
        let is_same = payload != Payload::Json;
        let one = |&(size, codec_times): &(Size, CodecTimes)| {
            let error = size.error.unwrap_or(0.0);
            let size = Size {
                bytes: size.bytes * times,
                error: if is_same {
                    size.error
                } else {
                    Some(error + DUPLICATE_ERROR)
                },
            };
            let codec_times = CodecTimes {
                encode_s: codec_times.encode_s * times,
                decode_s: codec_times.decode_s * times,
                bytes: None,
            };
            (size, codec_times)
        };
        self.by_codec.iter().map(one).collect()
    }

    /// Scales the results to all rows.
    fn measured(&self, experiment: &Experiment<'_>, payload: Payload) -> Vec<Measurement> {
        let scale = experiment.scale(payload, self.len);
        let codecs: Vec<Option<Compression>> = if payload.has_own_codec() {
            vec![None]
        } else {
            experiment.plan.codecs.iter().copied().map(Some).collect()
        };
        let pairs = codecs.into_iter().zip(&self.by_codec);
        let one = |(codec, (size, codec_times)): (Option<Compression>, &(Size, CodecTimes))| {
            let is_plain = codec.is_some_and(|codec| codec.codec() == Codec::None);
            // The length of the source is known, however much of it was read.
            let sampling_error = self
                .sampling_error
                .filter(|_| !(is_plain && payload == Payload::Source));
            let error = match (size.error, sampling_error) {
                (None, None) => None,
                (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
            };
            Measurement {
                payload,
                codec,
                cost: Cost {
                    encode_s: (self.payload_times.encode_s + codec_times.encode_s) * scale,
                    bytes: size.bytes * scale,
                    decode_s: (self.payload_times.decode_s + codec_times.decode_s) * scale,
                },
                error,
            }
        };
        pairs.map(one).collect()
    }
}
