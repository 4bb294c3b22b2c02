//! Seconds that payloads and codecs take: of one thread at a time, with nothing else under way, and
//! of a sample where an input is large, since work takes about as long everywhere.

use std::borrow::Cow;

use super::clock::median;
use super::codec::{Pace, compress, decompress, pieces};
use super::part::Bench;
use super::payload::Payload;
use super::rows::rows;
use super::yardstick::Yardstick;
use crate::error::{Error, Result};
use crate::stream::{Codec, Compression};

/// Of zstd 19, seen from 0.5 to 16 MiB of tables and logs: 1.1 to 1.5.
const SLOWER_PER_DOUBLING: f64 = 1.2;

/// What it takes to write and read the rows in memory.
pub struct Written {
    /// Seconds to write them.
    pub encode_s: f64,
    /// Seconds to read them.
    pub decode_s: f64,
    /// Bytes that were written, if they are of all rows.
    pub bytes: Option<u64>,
}

/// What it takes to compress and open a payload of the rows in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Squeezed {
    /// Seconds to compress it.
    pub encode_s: f64,
    /// Seconds to open it.
    pub decode_s: f64,
    /// Bytes that it was compressed to, if they are of all of it.
    pub bytes: Option<u64>,
}

/// Writes and reads a payload of `len` bytes.
///
/// # Errors
/// If it cannot be written, or other rows come back.
pub fn written(bench: &Bench<'_>, payload: Payload, len: u64) -> Result<Written> {
    let runs = bench.plan.runs;
    let wanted = bench.within(payload.timed_bytes());
    let frames = bench.some(payload, wanted, len)?;
    let encode = |()| bench.trip.encode(payload, &frames);
    let is_all = wanted >= len;
    let (plain, encode_s) = if payload == Payload::Source {
        // It is there already; some of its rows are written anew.
        let plain = if is_all {
            bench.all(payload)?.into_owned()
        } else {
            encode(())?
        };
        (plain, 0.0)
    } else {
        median(runs, || (), encode)?
    };
    let decode = |bytes| bench.trip.decode(payload, bytes);
    let (found, decode_s) = median(runs, || plain.clone(), decode)?;
    let wanted = rows(&frames);
    if found != wanted {
        return Err(Error::input(format!(
            "wrote {wanted} rows but read back {found}"
        )));
    }
    let times = rows(&bench.frames(payload)?).max(1) as f64 / wanted.max(1) as f64;
    Ok(Written {
        encode_s: encode_s * times,
        decode_s: decode_s * times,
        bytes: is_all.then_some(plain.len() as u64),
    })
}

/// Compresses and opens a payload of `len` bytes under every codec.
///
/// # Errors
/// If a codec fails or gives back other bytes.
pub fn squeezed(bench: &Bench<'_>, payload: Payload, len: u64) -> Result<Vec<Squeezed>> {
    let mut part: (u64, Cow<'_, [u8]>) = (0, Cow::Borrowed(&[]));
    let mut done = Vec::with_capacity(bench.plan.codecs.len());
    for &codec in &bench.plan.codecs {
        if codec.codec() == Codec::None {
            done.push(Squeezed::default());
            continue;
        }
        let wanted = bench.within(Pace::of(codec).timed_bytes()).min(len);
        if part.0 != wanted {
            part = (wanted, bench.part(payload, wanted, len)?);
        }
        let one = squeeze(bench, payload, codec, &part.1)?;
        let times = len.max(1) as f64 / part.1.len().max(1) as f64;
        done.push(Squeezed {
            encode_s: one.encode_s * times * slower(codec, wanted, len),
            decode_s: one.decode_s * times,
            bytes: one.bytes.filter(|_| wanted == len),
        });
    }
    Ok(done)
}

/// How many times as long a byte of all takes to compress as one of a sample: the more a slow codec
/// looks back on, the longer it searches, until its window is full.
fn slower(codec: Compression, sample: u64, all: u64) -> f64 {
    if Pace::of(codec) != Pace::Slow {
        return 1.0;
    }
    let reach = all.min(Yardstick::of(codec).window()) as f64;
    SLOWER_PER_DOUBLING.powf((reach / sample.max(1) as f64).log2().max(0.0))
}

fn squeeze(
    bench: &Bench<'_>,
    payload: Payload,
    codec: Compression,
    plain: &[u8],
) -> Result<Squeezed> {
    let runs = bench.plan.runs;
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
    Ok(Squeezed {
        encode_s,
        decode_s,
        bytes: Some(stored.iter().map(|piece| piece.len() as u64).sum()),
    })
}
