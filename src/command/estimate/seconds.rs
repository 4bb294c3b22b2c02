//! Times payloads and codecs: on one thread, with nothing else running. For large inputs a sample is timed,
//! since the speed is about the same everywhere.

use std::borrow::Cow;

use super::clock::median;
use super::codec::{Speed, compress, decompress, pieces};
use super::experiment::Experiment;
use super::payload::Payload;
use super::proxy::ProxyCodec;
use super::rows::rows;
use crate::error::{Error, Result};
use crate::stream::{Codec, Compression};

/// Measurement for zstd 19 on 0.5 to 16 MiB of tables and logs: 1.1 to 1.5.
const SLOWER_PER_DOUBLING: f64 = 1.2;

/// Time to write and read the rows in memory.
pub struct PayloadTimes {
    /// Seconds to write them.
    pub encode_s: f64,
    /// Seconds to read them.
    pub decode_s: f64,
    /// Size of the payload, if all rows were written.
    pub bytes: Option<u64>,
}

/// Time to compress and decompress a payload of the rows in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodecTimes {
    /// Seconds to compress it.
    pub encode_s: f64,
    /// Seconds to decompress it.
    pub decode_s: f64,
    /// Compressed size, if all of it was compressed.
    pub bytes: Option<u64>,
}

/// Times writing and reading a payload of `len` bytes.
///
/// # Errors
/// If it cannot be written, or a different number of rows is read back.
pub fn payload_times(
    experiment: &Experiment<'_>,
    payload: Payload,
    len: u64,
) -> Result<PayloadTimes> {
    let runs = experiment.plan.runs;
    let wanted = experiment.within(payload.timed_bytes());
    let frames = experiment.some(payload, wanted, len)?;
    let encode = |()| experiment.round_trip.encode(payload, &frames);
    let is_all = wanted >= len;
    let (plain, encode_s) = if payload == Payload::Source {
        // The source exists already; for a sample, some rows are printed.
        let plain = if is_all {
            experiment.all(payload)?.into_owned()
        } else {
            encode(())?
        };
        (plain, 0.0)
    } else {
        median(runs, || (), encode)?
    };
    let decode = |bytes| experiment.round_trip.decode(payload, bytes);
    let (found, decode_s) = median(runs, || plain.clone(), decode)?;
    let wanted = rows(&frames);
    if found != wanted {
        return Err(Error::input(format!(
            "wrote {wanted} rows but read back {found}"
        )));
    }
    let times = rows(&experiment.frames(payload)?).max(1) as f64 / wanted.max(1) as f64;
    Ok(PayloadTimes {
        encode_s: encode_s * times,
        decode_s: decode_s * times,
        bytes: is_all.then_some(plain.len() as u64),
    })
}

/// Times compressing and decompressing a payload of `len` bytes with every codec.
///
/// # Errors
/// If a codec fails or does not restore the same bytes.
pub fn codec_times(
    experiment: &Experiment<'_>,
    payload: Payload,
    len: u64,
) -> Result<Vec<CodecTimes>> {
    let mut part: (u64, Cow<'_, [u8]>) = (0, Cow::Borrowed(&[]));
    let mut done = Vec::with_capacity(experiment.plan.codecs.len());
    for &codec in &experiment.plan.codecs {
        if codec.codec() == Codec::None {
            done.push(CodecTimes::default());
            continue;
        }
        let wanted = experiment.within(Speed::of(codec).timed_bytes()).min(len);
        if part.0 != wanted {
            part = (wanted, experiment.part(payload, wanted, len)?);
        }
        let one = time_codec(experiment, payload, codec, &part.1)?;
        let times = len.max(1) as f64 / part.1.len().max(1) as f64;
        done.push(CodecTimes {
            encode_s: one.encode_s * times * slower(codec, wanted, len),
            decode_s: one.decode_s * times,
            bytes: one.bytes.filter(|_| wanted == len),
        });
    }
    Ok(done)
}

/// How much longer a byte takes to compress in the whole payload than in a sample. A slow codec searches
/// longer the more history it has, until its window is full.
fn slower(codec: Compression, sample: u64, all: u64) -> f64 {
    if Speed::of(codec) != Speed::Slow {
        return 1.0;
    }
    let reach = all.min(ProxyCodec::of(codec).window()) as f64;
    SLOWER_PER_DOUBLING.powf((reach / sample.max(1) as f64).log2().max(0.0))
}

fn time_codec(
    experiment: &Experiment<'_>,
    payload: Payload,
    codec: Compression,
    plain: &[u8],
) -> Result<CodecTimes> {
    let runs = experiment.plan.runs;
    let pieces = pieces(payload, plain)?;
    let (stored, encode_s) = median(runs, || (), |()| compress(codec, plain, &pieces))?;
    let open = |()| decompress(codec.codec(), &stored, &pieces);
    let (opened, decode_s) = median(runs, || (), open)?;
    let mut pairs = pieces.iter().zip(&opened);
    if !pairs.all(|(range, opened)| plain[range.clone()] == opened[..]) {
        let name = codec.codec().name();
        return Err(Error::input(format!(
            "{name} did not restore the same bytes"
        )));
    }
    Ok(CodecTimes {
        encode_s,
        decode_s,
        bytes: Some(stored.iter().map(|piece| piece.len() as u64).sum()),
    })
}
