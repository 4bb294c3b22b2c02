//! Delta encoding of whole numbers (encoding 3).
//!
//! The first value as it is, then per further row the wrapping difference to the row before, as a
//! zigzag varint. Good for columns that move slowly: times, counters, ids.

use crate::error::Result;
use crate::wire::varint::{self, CONTINUES, Fault, MAX_LEN, SPREAD_BOUND};

use super::decode::Payload;

/// Values per block; a block is written on the stack and appended at once.
const BLOCK: usize = 256;

/// Appends the rows of all `parts`, `rows` in number; stops (`false`, `out` as it was) once the
/// result cannot be smaller than eight bytes per row.
pub(super) fn encode<'a>(
    parts: impl Iterator<Item = &'a [i64]>,
    rows: usize,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    let plain = 8 * rows;
    let mut block = [0; BLOCK * MAX_LEN];
    let mut rest = rows;
    let mut before = None;
    for mut part in parts {
        if let (None, Some((base, others))) = (before, part.split_first()) {
            out.extend_from_slice(&base.to_le_bytes());
            before = Some(*base);
            part = others;
            rest -= 1;
        }
        let Some(running) = &mut before else { continue };
        for values in part.chunks(BLOCK) {
            let filled = encode_block(values, running, &mut block);
            out.extend_from_slice(&block[..filled]);
            rest -= values.len();
            // Every row to come takes at least one byte.
            if out.len() - start + rest >= plain {
                out.truncate(start);
                return false;
            }
        }
    }
    let smaller = out.len() - start < plain;
    if !smaller {
        out.truncate(start);
    }
    smaller
}

fn encode_block(values: &[i64], running: &mut i64, block: &mut [u8; BLOCK * MAX_LEN]) -> usize {
    let mut filled = 0;
    for value in values {
        let folded = varint::zigzag(value.wrapping_sub(*running));
        *running = *value;
        if folded < SPREAD_BOUND {
            let (word, len) = varint::spread(folded);
            block[filled..filled + 8].copy_from_slice(&word.to_le_bytes());
            filled += len;
        } else {
            let mut rest = folded;
            while rest >= 0x80 {
                block[filled] = rest as u8 | 0x80;
                rest >>= 7;
                filled += 1;
            }
            block[filled] = rest as u8;
            filled += 1;
        }
    }
    filled
}

/// How the low bytes of a word look that hold one varint of up to eight bytes.
struct Shape {
    len: usize,
    /// The high bits of its bytes.
    flags: u64,
}

impl Shape {
    const fn of(len: usize) -> Self {
        let flags = CONTINUES >> (64 - 8 * len);
        Self { len, flags }
    }

    /// All bytes but the last say that another follows.
    fn fits(&self, word: u64) -> bool {
        word & self.flags == self.flags >> 8
    }

    fn value(&self, word: u64) -> u64 {
        varint::gather(word & (self.flags - (self.flags >> 7)))
    }
}

/// Fills `values` from a payload.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the payload ends early or runs on, or if a varint is longer
/// than ten bytes.
pub(super) fn decode(payload: Payload<'_>, values: &mut [i64]) -> Result<()> {
    let bytes = payload.bytes;
    let Some((first, rest)) = values.split_first_mut() else {
        return Ok(());
    };
    let Some(base) = bytes.first_chunk::<8>() else {
        return Err(payload.corrupt(
            0,
            format!("expected a base value of 8 bytes, found {}", bytes.len()),
        ));
    };
    let mut running = i64::from_le_bytes(*base);
    *first = running;
    let mut at = 8;
    // Neighbours tend to be of one length. Guessing it lets the processor go on to the next varint
    // before it knows where this one ends.
    let mut shape = Shape::of(1);
    for value in rest {
        let folded = match bytes[at..].first_chunk() {
            Some(word) => {
                let word = u64::from_le_bytes(*word);
                let ends = !word & CONTINUES;
                if !shape.fits(word) && ends != 0 {
                    shape = Shape::of(ends.trailing_zeros() as usize / 8 + 1);
                }
                if shape.fits(word) {
                    at += shape.len;
                    shape.value(word)
                } else {
                    slow(payload, &mut at)?
                }
            }
            None => slow(payload, &mut at)?,
        };
        running = running.wrapping_add(varint::unzigzag(folded));
        *value = running;
    }
    if at != bytes.len() {
        let text = format!(
            "expected {} varints to end the payload, found {} more bytes",
            values.len() - 1,
            bytes.len() - at
        );
        return Err(payload.corrupt(at, text));
    }
    Ok(())
}

fn slow(payload: Payload<'_>, at: &mut usize) -> Result<u64> {
    let start = *at;
    varint::read(payload.bytes, at).map_err(|fault| match fault {
        Fault::CutShort => {
            let found = payload.bytes.len() - start;
            let text = if found == 0 {
                "expected another varint, found the payload's end".to_owned()
            } else {
                format!("expected the varint to end, found the payload's end after {found} bytes")
            };
            payload.corrupt(start, text)
        }
        Fault::TooLong => payload.corrupt(
            start,
            format!("expected a varint of at most {MAX_LEN} bytes, found a longer one"),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(values: &[i64]) -> Option<usize> {
        let mut out = vec![7];
        let chosen = encode([values].into_iter(), values.len(), &mut out);
        if !chosen {
            assert_eq!(out, [7], "leaves nothing behind");
            return None;
        }
        let mut back = vec![0; values.len()];
        let bytes = &out[1..];
        decode(Payload { bytes, at: 1 }, &mut back).unwrap();
        assert_eq!(back, values);
        for cut in 0..bytes.len() {
            let bytes = &bytes[..cut];
            assert!(
                decode(Payload { bytes, at: 1 }, &mut back).is_err(),
                "cut at {cut}"
            );
        }
        Some(bytes.len())
    }

    #[test]
    fn a_tie_is_plain() {
        assert_eq!(round_trip(&[5]), None);
        assert_eq!(
            round_trip(&[0, (1 << 48) - 1]),
            Some(15),
            "7 bytes of varint"
        );
        assert_eq!(round_trip(&[0, 1 << 48]), None, "8 bytes of varint");
    }

    #[test]
    fn every_length_of_varint_comes_back_among_others() {
        let mut values: Vec<i64> = vec![0; 200];
        for bit in 0..64 {
            values.extend([
                1i64 << bit,
                0,
                -(1i64 << (bit % 63)),
                i64::MIN >> bit,
                3,
                4,
                5,
            ]);
        }
        values.extend(vec![0; 4000]);
        assert!(round_trip(&values).is_some());
        let parts = values.chunks(37);
        let (mut whole, mut apart) = (Vec::new(), Vec::new());
        assert!(encode([&values[..]].into_iter(), values.len(), &mut whole));
        assert!(encode(parts, values.len(), &mut apart));
        assert_eq!(whole, apart);
    }
}
