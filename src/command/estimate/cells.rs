//! Measures one payload with every codec, and extrapolates to all rows.

use std::sync::Arc;

use super::clock::median;
use super::codec::{PayloadCodec, Speed, pieces};
use super::measure::{Experiment, Lights, Measurement, once};
use super::payload::Payload;
use super::sample::{GROUPS, SamplePart};
use super::size::{Growth, Light, Size, extrapolate};
use crate::error::{Error, Result};
use crate::estimate::Cost;
use crate::format::Format;
use crate::format::frame::Frame;
use crate::stream::Codec;
use crate::wire::choose::Preset;

/// How much longer a slow codec takes per byte when the text is twice as long. Measured for zstd 19 on 0.5 to 16 MiB of
/// tables and logs: 1.1 to 1.5.
const SLOWER_PER_DOUBLING: f64 = 1.2;
/// Window of the slowest levels; a byte takes no longer once it is full.
const SLOW_WINDOW: f64 = (8 << 20) as f64;
/// How much text the preset small is measured on.
const SMALL_BYTES: f64 = (256 << 10) as f64;

const fn growth(follow: f64, doubt: f64) -> Growth {
    Growth { follow, doubt }
}

// How sizes grow relative to the output of light codecs for the same text; fitted to CSV and NDJSON of 8 to 30 MB.
const LENGTH: Growth = growth(0.0, 0.002);
const TEXT: Growth = growth(0.3, 0.02);
const COLUMNS: Growth = growth(0.7, 0.065);
const OWN: Growth = growth(0.5, 0.07);
/// Parquet's overhead per column and page, and its dictionaries, matter less in longer row groups.
const PARQUET: Growth = growth(1.5, 0.06);
/// The preset small, relative to balanced.
const SMALL: Growth = growth(1.0, 0.09);
/// Codecs, relative to faster ones.
const CODEC: Growth = growth(0.5, 0.05);
const CODEC_OF_COLUMNS: Growth = growth(0.5, 0.09);
const SLOW_CODEC: Growth = growth(0.5, 0.065);

/// Seconds of work on all rows, and the fraction by which they may be off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    encode_s: f64,
    decode_s: f64,
    noise: f64,
}

/// Size and time of a payload with a codec.
type CodecCell = (PayloadCodec, Size, Work);

/// Results for earlier payloads that save work on later ones.
#[derive(Default)]
pub struct Earlier {
    /// The cells of JSON, which differs from NDJSON only in the line ends.
    json: Vec<CodecCell>,
    /// The size with the preset balanced, which the preset small is compared with.
    balanced: Option<Size>,
}

/// The measurements of a payload.
///
/// # Errors
/// If it cannot be written and read back.
pub fn measured(
    experiment: &Experiment<'_>,
    payload: Payload,
    earlier: &mut Earlier,
) -> Result<Vec<Measurement>> {
    let cell = PayloadCell::of(experiment, payload)?;
    let measurement = |codec, size: Size, work: Work| Measurement {
        payload,
        codec,
        cost: Cost {
            encode_s: cell.work.encode_s + work.encode_s,
            bytes: size.bytes,
            decode_s: cell.work.decode_s + work.decode_s,
        },
        error: size.error,
        noise: cell.work.noise.max(work.noise),
    };
    if payload.has_own_codec() {
        let size = cell.own(earlier.balanced)?;
        if payload == Payload::V2(Preset::Balanced) {
            earlier.balanced = Some(size);
        }
        return Ok(vec![measurement(None, size, Work::default())]);
    }
    let mut known = match payload {
        Payload::Ndjson if !cell.is_all() => std::mem::take(&mut earlier.json),
        _ => Vec::new(),
    };
    let mut done = Vec::new();
    let codecs = experiment.plan.codecs.iter();
    for &codec in codecs.filter(|codec| payload.takes(**codec)) {
        let (size, work) = cell.with_codec(codec, &mut known)?;
        done.push(measurement(Some(codec), size, work));
    }
    if payload == Payload::Json {
        earlier.json = known;
    }
    Ok(done)
}

/// A payload made from the sample.
struct PayloadCell<'a> {
    experiment: &'a Experiment<'a>,
    payload: Payload,
    /// The part that was written.
    part: SamplePart,
    plain: Vec<u8>,
    /// The payload of each group, unless all rows were written.
    groups: Option<[Vec<u8>; GROUPS]>,
    /// All rows, if they were written besides the sample.
    whole: Option<Whole>,
    work: Work,
}

/// The payload of all rows. Columns are written quickly, and a sample would mislead: dictionaries grow with the number of
/// different values, not with the rows.
struct Whole {
    plain: Vec<u8>,
    /// Its sizes with light codecs.
    lights: Lights<Size>,
}

impl<'a> PayloadCell<'a> {
    fn of(experiment: &'a Experiment<'a>, payload: Payload) -> Result<Self> {
        let sample = experiment.sample(payload);
        let mut part = SamplePart::ALL;
        if payload == Payload::V2(Preset::Small) {
            let bytes = sample.bytes_of(sample.rows(part));
            part = SamplePart::Share(
                (experiment.plan.within(SMALL_BYTES as u64) as f64 / bytes).min(1.0),
            );
        }
        let runs = experiment.plan.runs;
        let frames = sample.frames(payload, part);
        let rows = sample.rows(part);
        let print =
            |frames: &[Frame], runs| median(runs, || experiment.round_trip.encode(payload, frames));
        let mut encode = print(&frames, runs)?;
        let bytes: Arc<[u8]> = encode.made.as_slice().into();
        let decode = || experiment.round_trip.decode(payload, Arc::clone(&bytes));
        let read = median(runs, decode)?;
        if read.made != rows {
            return Err(Error::input(format!(
                "wrote {rows} rows but read back {}",
                read.made
            )));
        }
        let (mut groups, mut whole) = (None, None);
        let scale = experiment.rows.all.max(1) as f64 / rows.max(1) as f64;
        let mut encode_s = encode.seconds * scale;
        if sample.is_part() && payload.is_plain_columns() && sample.has_all_rows() {
            let timed = print(&experiment.rows.exact, Some(1))?;
            encode_s = timed.seconds;
            whole = Some(Whole {
                plain: timed.made,
                lights: Lights::default(),
            });
        } else if sample.is_part() && part == SamplePart::ALL {
            let group = |at| -> Result<(Vec<u8>, f64)> {
                let timed = print(&sample.frames(payload, SamplePart::Group(at)), Some(1))?;
                let plain = match payload {
                    Payload::Source => experiment.encode(payload, SamplePart::Group(at))?,
                    _ => timed.made,
                };
                Ok((plain, timed.seconds))
            };
            let [(a, ta), (b, tb), (c, tc), (d, td)] = [group(0)?, group(1)?, group(2)?, group(3)?];
            groups = Some([a, b, c, d]);
            encode_s = whole_s(encode.seconds, ta.min(tb).min(tc).min(td), scale);
        }
        if payload == Payload::Source {
            // The source already exists as text, so encoding takes no time.
            encode_s = 0.0;
            encode.made = experiment.encode(payload, part)?;
        }
        Ok(Self {
            experiment,
            payload,
            part,
            plain: encode.made,
            groups,
            whole,
            work: Work {
                encode_s,
                decode_s: read.seconds * scale,
                noise: encode.noise.max(read.noise),
            },
        })
    }

    /// True if all rows were measured, not a sample.
    fn is_all(&self) -> bool {
        !self.experiment.sample(self.payload).is_part()
    }

    /// The size of the payload of all rows with a light codec.
    fn light(&self, light: Light) -> Result<Size> {
        if let Some(whole) = &self.whole {
            let pieces = pieces(self.payload, &whole.plain)?;
            let size = || light.size_of_columns(&whole.plain, &pieces);
            return once(&whole.lights[light as usize], size);
        }
        if self.is_all() {
            let pieces = pieces(self.payload, &self.plain)?;
            return Ok(Size::exact(light.size(&pieces)? as u64));
        }
        let auxiliary = self.experiment.auxiliary(self.payload, light)?;
        let text = self
            .experiment
            .rows
            .text
            .as_ref()
            .filter(|_| self.payload == Payload::Source);
        match text {
            Some(text) if light == Light::Length => return Ok(Size::exact(text.len)),
            Some(text) if text.bytes.is_some() => return Ok(auxiliary.all),
            _ => {}
        }
        let mut sizes = [0.0; GROUPS];
        if let Some(groups) = &self.groups {
            for (size, group) in sizes.iter_mut().zip(groups) {
                *size = light.size(&[group])?;
            }
        }
        let growth = match (self.payload.is_text(), light) {
            (true, Light::Length) => LENGTH,
            (true, _) => TEXT,
            (false, _) => COLUMNS,
        };
        let sample = light.size(&[&self.plain])?;
        Ok(extrapolate(
            &auxiliary,
            sample,
            sizes,
            self.doublings(),
            growth,
        ))
    }

    /// The size of a payload with its own codec; `balanced_size` is that with the preset balanced, if known.
    fn own(&self, balanced_size: Option<Size>) -> Result<Size> {
        let experiment = self.experiment;
        let len = self.plain.len() as f64;
        if self.part == SamplePart::ALL {
            let Some(groups) = &self.groups else {
                return Ok(Size::exact(len as u64));
            };
            let sizes = groups.each_ref().map(|group| group.len() as f64);
            let auxiliary = experiment.auxiliary(self.payload, Light::Far)?;
            let doublings = self.doublings();
            let growth = match self.payload {
                Payload::Parquet => PARQUET,
                _ => OWN,
            };
            return Ok(extrapolate(&auxiliary, len, sizes, doublings, growth));
        }
        // The slow preset chooses between the same encodings as the balanced one, and more.
        let balanced = Payload::V2(Preset::Balanced);
        let ratio = len / experiment.encode(balanced, self.part)?.len().max(1) as f64;
        let size = match balanced_size {
            Some(size) => size,
            None => PayloadCell::of(experiment, balanced)?.own(None)?,
        };
        Ok(size.times(ratio, ratio, self.doublings(), SMALL))
    }

    /// How often the sample must double to reach all rows, or the size at which the payload starts over.
    fn doublings(&self) -> f64 {
        let sample = self.experiment.sample(self.payload);
        let source = self.experiment.round_trip.source.as_ref();
        let frame_bytes = source
            .map_or(Format::Csv, |source| source.kind)
            .frame_bytes();
        let all = sample.bytes_of(self.experiment.rows.all);
        let reach = all.min(self.payload.memory_bytes(frame_bytes) as f64);
        let here = sample.bytes_of(sample.rows(self.part));
        (reach / here.max(1.0)).log2().max(0.0)
    }

    /// The payload with a codec; `known` has the codecs measured so far.
    fn with_codec(&self, codec: PayloadCodec, known: &mut Vec<CodecCell>) -> Result<(Size, Work)> {
        if let Some(&(_, size, work)) = known.iter().find(|(known, ..)| *known == codec) {
            return Ok((size, work));
        }
        let (size, work) = self.measure(codec, known)?;
        known.push((codec, size, work));
        Ok((size, work))
    }

    fn measure(&self, codec: PayloadCodec, known: &mut Vec<CodecCell>) -> Result<(Size, Work)> {
        let all = self.light(Light::Length)?;
        if codec.stored() == Some(Codec::None) {
            return Ok((all, Work::default()));
        }
        let speed = codec.speed();
        let most = self.experiment.plan.within(speed.most_bytes());
        let (share, part);
        let (plain, pieces) = if self.plain.len() as u64 <= most {
            share = SamplePart::ALL;
            (&self.plain, pieces(self.payload, &self.plain)?)
        } else {
            share = SamplePart::Share(most as f64 / 2.0 / self.plain.len() as f64);
            part = self.experiment.encode(self.payload, share)?;
            (&part, vec![&part[..]])
        };
        let (stored, work) = timed(self.experiment.plan.runs, codec, &pieces)?;
        let scale = all.bytes.max(1.0) / plain.len().max(1) as f64;
        let work = Work {
            encode_s: work.encode_s * scale * slower(speed, plain.len() as f64, all.bytes),
            decode_s: work.decode_s * scale,
            noise: work.noise,
        };
        let is_sample = plain.len() == self.plain.len();
        if is_sample && self.is_all() {
            return Ok((Size::exact(stored), work));
        }
        if is_sample && codec.stored() == Some(Codec::Lz4) {
            return Ok((self.light(Light::Lz4)?, work));
        }
        if self.whole.is_some() && codec == PayloadCodec::new(Codec::Zstd, Some(1))? {
            return Ok((self.light(Light::Near)?, work));
        }
        // Compare with a faster codec on the same bytes.
        let quarter = self.experiment.encode(self.payload, share.quarter())?;
        let of_quarter = size(codec, &quarter)?;
        let growth = match speed {
            Speed::Slow => SLOW_CODEC,
            _ if self.payload.is_text() => CODEC,
            _ => CODEC_OF_COLUMNS,
        };
        let (reference, here, there) = if speed == Speed::Slow {
            let nine = PayloadCodec::new(Codec::Zstd, Some(9))?;
            let (here, there) = (size(nine, plain)?, size(nine, &quarter)?);
            (self.with_codec(nine, known)?.0, here, there)
        } else {
            let light = match (codec.stored(), speed) {
                (Some(Codec::Gzip | Codec::Lz4), _) => Light::Lz4,
                // In columns, distant bytes matter less.
                (_, Speed::Medium) if self.payload.is_text() => Light::Far,
                _ => Light::Near,
            };
            let (here, there) = (light.size(&[plain])?, light.size(&[&quarter])?);
            (self.light(light)?, here, there)
        };
        let ratio = stored as f64 / here.max(1.0);
        let of_quarter = of_quarter / there.max(1.0);
        let size = reference.times(ratio, of_quarter, scale.log2(), growth);
        Ok((size, work))
    }
}

/// Seconds for `scale` times the sample: a fixed part, such as a search for encodings, and one that grows with the
/// rows. A group has a quarter of them.
fn whole_s(sample_s: f64, group_s: f64, scale: f64) -> f64 {
    let growing_s = (sample_s - group_s) * GROUPS as f64 / (GROUPS - 1) as f64;
    let growing_s = growing_s.clamp(sample_s * 0.3, sample_s);
    sample_s - growing_s + growing_s * scale
}

/// The size of a payload compressed in one piece.
fn size(codec: PayloadCodec, plain: &[u8]) -> Result<f64> {
    let stored = codec.compress(&[plain])?;
    Ok(stored.iter().map(Vec::len).sum::<usize>() as f64)
}

/// How much longer a byte takes to compress in the whole payload than in a sample. A slow codec searches
/// longer the more history it has, until its window is full.
fn slower(speed: Speed, sample: f64, all: f64) -> f64 {
    if speed != Speed::Slow {
        return 1.0;
    }
    let reach = all.min(SLOW_WINDOW);
    SLOWER_PER_DOUBLING.powf((reach / sample.max(1.0)).log2().max(0.0))
}

/// The compressed size, and the time it takes.
fn timed(runs: Option<u64>, codec: PayloadCodec, pieces: &[&[u8]]) -> Result<(u64, Work)> {
    let stored = median(runs, || codec.compress(pieces))?;
    let opened = median(runs, || codec.decompress(&stored.made))?;
    if opened.made != pieces {
        let name = codec.name();
        return Err(Error::input(format!(
            "{name} did not restore the same bytes"
        )));
    }
    let work = Work {
        encode_s: stored.seconds,
        decode_s: opened.seconds,
        noise: stored.noise.max(opened.noise),
    };
    Ok((
        stored.made.iter().map(|piece| piece.len() as u64).sum(),
        work,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_part_is_not_scaled() {
        // 2 s and 1 s for each quarter: 3 s for a group, 6 s for the sample, 42 s for ten times as much.
        assert!((whole_s(6.0, 3.0, 10.0) - 42.0).abs() < 1e-9);
        // No fixed part, or an apparent negative one caused by noise.
        assert!((whole_s(4.0, 1.0, 10.0) - 40.0).abs() < 1e-9);
        assert!((whole_s(4.0, 0.1, 10.0) - 40.0).abs() < 1e-9);
    }
}
