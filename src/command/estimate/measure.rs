//! Bytes and seconds of every payload under every codec.

use super::codec::level;
use super::part::Bench;
use super::payload::{Payload, Trip};
use super::rows::Rows;
use super::seconds::{self, Squeezed, Written};
use super::sizes::{Size, Sizes, sizes};
use crate::error::{Error, Result};
use crate::estimate::Cost;
use crate::stream::{Codec, Compression};

/// How far off the bytes of one text may be that are told from those of its twin.
const TWIN_ERROR: f64 = 0.002;

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
    /// Threads for what is not timed.
    pub threads: usize,
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
    /// Of what was extrapolated, how far off it may be, as a share of it.
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

/// Measures one input; `step` is told of each payload before it is timed. What cannot be measured is
/// left out, and told with the reason.
pub fn measure(
    rows: &Rows,
    trip: &Trip,
    plan: &Plan,
    mut step: impl FnMut(&str),
) -> (Vec<Measured>, Vec<(Payload, Error)>) {
    let bench = Bench { rows, trip, plan };
    step("bytes");
    let sizes = sizes(&bench);
    let mut done: Vec<(Payload, Result<Found>)> = Vec::new();
    let mut order: Vec<_> = bench.payloads().zip(sizes).collect();
    // Twins after those that they are like.
    order.sort_by_key(|(payload, sizes)| {
        let has_twin = sizes.as_ref().is_ok_and(|sizes| sizes.twin.is_some());
        (has_twin, *payload == Payload::Json)
    });
    for (payload, sizes) in order {
        step(payload.name());
        let found = sizes.and_then(|sizes| {
            let is_twin = |(payload, _): &&(Payload, _)| Some(*payload) == sizes.twin;
            let twin = done.iter().find(is_twin);
            let twin = twin.and_then(|(_, found)| found.as_ref().ok());
            Found::of(&bench, payload, &sizes, twin)
        });
        done.push((payload, found));
    }
    let place = |payload| plan.payloads.iter().position(|&one| one == payload);
    done.sort_by_key(|(payload, _)| place(*payload));
    let (mut measured, mut left_out) = (Vec::new(), Vec::new());
    for (payload, found) in done {
        match found {
            Ok(found) => measured.extend(found.measured(&bench, payload)),
            Err(error) => left_out.push((payload, error)),
        }
    }
    (measured, left_out)
}

/// What was found out about a payload of the rows in memory.
struct Found {
    len: u64,
    written: Written,
    /// By codec; one that takes no time if the payload has its own.
    under: Vec<(Size, Squeezed)>,
    /// How far off what is told of all rows may be, if these are not all.
    uneven: Option<f64>,
}

impl Found {
    fn of(bench: &Bench<'_>, payload: Payload, sizes: &Sizes, twin: Option<&Self>) -> Result<Self> {
        let len = sizes.len;
        let written = seconds::written(bench, payload, len)?;
        let under = match (sizes.twin, twin) {
            (Some(_), Some(twin)) => {
                let pairs = twin.under(payload, len).into_iter().zip(&sizes.cells);
                let known = |((size, squeezed), known): ((Size, _), &Option<Size>)| {
                    (known.unwrap_or(size), squeezed)
                };
                pairs.map(known).collect()
            }
            (Some(twin), None) => {
                let twin = twin.name();
                return Err(Error::input(format!(
                    "{twin}, which it is estimated from, was skipped"
                )));
            }
            (None, _) => {
                let squeezed = if payload.has_own_codec() {
                    vec![Squeezed {
                        bytes: written.bytes,
                        ..Squeezed::default()
                    }]
                } else {
                    seconds::squeezed(bench, payload, len)?
                };
                let pairs = sizes.cells.iter().zip(squeezed);
                let size = |(size, squeezed): (&Option<Size>, Squeezed)| {
                    let all = squeezed.bytes.map(Size::exact);
                    (all.or(*size).unwrap_or_default(), squeezed)
                };
                pairs.map(size).collect()
            }
        };
        Ok(Self {
            len,
            written,
            under,
            uneven: sizes.uneven,
        })
    }

    /// The same for a payload that codecs see no difference in.
    fn under(&self, payload: Payload, len: u64) -> Vec<(Size, Squeezed)> {
        let times = len as f64 / self.len.max(1) as f64;
        let is_same = payload != Payload::Json;
        let one = |&(size, squeezed): &(Size, Squeezed)| {
            let error = size.error.unwrap_or(0.0);
            let size = Size {
                bytes: size.bytes * times,
                error: if is_same {
                    size.error
                } else {
                    Some(error + TWIN_ERROR)
                },
            };
            let squeezed = Squeezed {
                encode_s: squeezed.encode_s * times,
                decode_s: squeezed.decode_s * times,
                bytes: None,
            };
            (size, squeezed)
        };
        self.under.iter().map(one).collect()
    }

    /// The same for all rows.
    fn measured(&self, bench: &Bench<'_>, payload: Payload) -> Vec<Measured> {
        let scale = bench.scale(payload, self.len);
        let codecs: Vec<Option<Compression>> = if payload.has_own_codec() {
            vec![None]
        } else {
            bench.plan.codecs.iter().copied().map(Some).collect()
        };
        let pairs = codecs.into_iter().zip(&self.under);
        let one = |(codec, (size, squeezed)): (Option<Compression>, &(Size, Squeezed))| {
            let is_plain = codec.is_some_and(|codec| codec.codec() == Codec::None);
            // The length of a text is known, however much of it was read.
            let uneven = self
                .uneven
                .filter(|_| !(is_plain && payload == Payload::Source));
            let error = match (size.error, uneven) {
                (None, None) => None,
                (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
            };
            Measured {
                payload,
                codec,
                cost: Cost {
                    encode_s: (self.written.encode_s + squeezed.encode_s) * scale,
                    bytes: size.bytes * scale,
                    decode_s: (self.written.decode_s + squeezed.decode_s) * scale,
                },
                error,
            }
        };
        pairs.map(one).collect()
    }
}
