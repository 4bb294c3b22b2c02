//! Builds payloads of all rows in memory, or of a sample of them.

use std::borrow::Cow;

use super::measure::Plan;
use super::payload::{Payload, RoundTrip};
use super::rows::{Rows, SEGMENTS, excerpt, merged, rows, sample};
use crate::command::convert::SMALL_FRAME_BYTES;
use crate::error::Result;
use crate::format::frame::Frame;
use crate::wire::choose::Preset;

/// The smallest meaningful sample.
const LEAST_BYTES: u64 = 64 << 10;

/// An input together with what to measure on it.
pub struct Experiment<'a> {
    /// The input.
    pub rows: &'a Rows,
    /// Writes and reads payloads.
    pub round_trip: &'a RoundTrip,
    /// What to measure.
    pub plan: &'a Plan,
}

impl Experiment<'_> {
    /// The payloads to measure. Only text input has the payload `source`.
    pub fn payloads(&self) -> impl Iterator<Item = Payload> {
        let is_text = self.rows.text.is_some();
        let payloads = self.plan.payloads.iter().copied();
        payloads.filter(move |&payload| is_text || payload != Payload::Source)
    }

    /// The rows in memory, grouped into frames as in the payload.
    pub fn frames(&self, payload: Payload) -> Result<Cow<'_, [Frame]>> {
        let frames = &self.rows.exact;
        if payload != Payload::V2(Preset::Small) {
            return Ok(Cow::Borrowed(frames));
        }
        let most = share(rows(frames), SMALL_FRAME_BYTES, self.text_bytes()?);
        Ok(Cow::Owned(merged(frames, most)))
    }

    /// The payload of all rows in memory.
    pub fn all(&self, payload: Payload) -> Result<Cow<'_, [u8]>> {
        match self.source(payload) {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => Ok(Cow::Owned(
                self.round_trip.encode(payload, &self.frames(payload)?)?,
            )),
        }
    }

    /// About `wanted` bytes of a payload that has `len` bytes for all rows in memory.
    pub fn part(&self, payload: Payload, wanted: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        if wanted >= len {
            return self.all(payload);
        }
        if let Some(text) = self.source(payload) {
            return Ok(Cow::Owned(excerpt(text, wanted, SEGMENTS)));
        }
        let frames = self.some(payload, wanted, len)?;
        Ok(Cow::Owned(self.round_trip.encode(payload, &frames)?))
    }

    /// The rows of such a part.
    pub fn some(&self, payload: Payload, wanted: u64, len: u64) -> Result<Cow<'_, [Frame]>> {
        let frames = self.frames(payload)?;
        if wanted >= len {
            return Ok(frames);
        }
        let wanted = share(rows(&frames), wanted, len);
        Ok(Cow::Owned(sample(&frames, wanted)))
    }

    /// The text size of the rows in memory, which is the unit for sampling payloads with a codec of their
    /// own.
    pub fn text_bytes(&self) -> Result<u64> {
        match &self.rows.text {
            Some(text) => Ok(share(text.len, rows(&self.rows.exact), self.rows.all)),
            None => Ok(self
                .round_trip
                .encode(Payload::Json, &self.rows.exact)?
                .len() as u64),
        }
    }

    /// The ratio of the payload of all rows to that of the rows in memory.
    pub fn scale(&self, payload: Payload, len: u64) -> f64 {
        match &self.rows.text {
            Some(text) if payload == Payload::Source => text.len as f64 / len.max(1) as f64,
            _ => self.rows_scale(),
        }
    }

    /// The ratio of all rows to the rows in memory.
    pub fn rows_scale(&self) -> f64 {
        self.rows.all.max(1) as f64 / rows(&self.rows.exact).max(1) as f64
    }

    /// True if not all rows are in memory.
    pub fn is_part(&self) -> bool {
        rows(&self.rows.exact) < self.rows.all
    }

    /// A limit of `bytes`, divided among the inputs, or no limit if all rows are to be measured.
    pub fn within(&self, bytes: u64) -> u64 {
        if self.plan.whole || bytes == u64::MAX {
            return u64::MAX;
        }
        (bytes / self.plan.inputs.max(1)).max(LEAST_BYTES)
    }

    /// The source text, if that is the payload.
    fn source(&self, payload: Payload) -> Option<&[u8]> {
        let text = self.rows.text.as_ref()?;
        (payload == Payload::Source).then_some(text.bytes.as_deref())?
    }
}

/// `number * part / whole`.
fn share(number: u64, part: u64, whole: u64) -> u64 {
    (u128::from(number) * u128::from(part) / u128::from(whole.max(1)))
        .try_into()
        .unwrap_or(u64::MAX)
}
