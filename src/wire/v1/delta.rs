//! Delta encoding of integers (encoding 3).
//!
//! Stores the first value, then for each later row the wrapping difference from the previous row as a zigzag varint.
//! Suits slowly changing columns: times, counters, ids.

use std::slice::IterMut;

use crate::error::Result;
use crate::varint::{self, CONTINUES, MAX_LEN, SPREAD_BOUND, VarintFault};

use super::stored::RawPayload;

/// Number of values per block; a block is written on the stack and then appended.
const BLOCK: usize = 256;
/// Two successive runs of equal lengths shorter than this indicate mixed lengths.
const SHORT_RUN: usize = 4;
/// Number of varints to read before looking for a run again.
const MIXED: usize = 32;

/// Appends the rows of all `parts`, which are `rows` in number. Returns `false`, with `out` unchanged, as soon as the
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
            // Every remaining row takes at least one byte.
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

/// Writes the varints of a block and returns their length. Each is stored as whole words; the next one overwrites the
/// excess. A varint of nine or ten bytes is its low 56 bits, whose eight bytes all continue, and the rest.
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
            let (low, _) = varint::spread(folded % SPREAD_BOUND);
            block[filled..filled + 8].copy_from_slice(&(low | CONTINUES).to_le_bytes());
            let high = (folded / SPREAD_BOUND) as u16;
            let continues = if high < 0x80 { 0 } else { 0x80 };
            let word = (high & 0x7f) | continues | ((high & 0x80) << 1);
            block[filled + 8..filled + 10].copy_from_slice(&word.to_le_bytes());
            filled += if high < 0x80 { 9 } else { 10 };
        }
    }
    filled
}

/// Fills `values` from a payload.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the payload ends early or has bytes left over, or if a varint is longer than ten
/// bytes.
pub(super) fn decode(payload: RawPayload<'_>, values: &mut [i64]) -> Result<()> {
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
    let mut reader = VarintReader {
        payload,
        at: 8,
        running: i64::from_le_bytes(*base),
    };
    *first = reader.running;
    reader.fill(rest)?;
    let at = reader.at;
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

/// Reads consecutive varints.
struct VarintReader<'a> {
    payload: RawPayload<'a>,
    at: usize,
    /// The value of the previous row.
    running: i64,
}

impl VarintReader<'_> {
    /// Decodes one varint per value. Runs of varints of one length are read by a loop compiled for that
    /// length. After two short runs in a row the lengths seem unpredictable, so some varints are read by a
    /// loop that does not depend on them.
    fn fill(&mut self, values: &mut [i64]) -> Result<()> {
        let mut values = values.iter_mut();
        let mut was_short = false;
        while !values.as_slice().is_empty() {
            let before = values.len();
            match self.next_len() {
                Some(1) => self.run::<1>(&mut values),
                Some(2) => self.run::<2>(&mut values),
                Some(3) => self.run::<3>(&mut values),
                Some(4) => self.run::<4>(&mut values),
                Some(5) => self.run::<5>(&mut values),
                Some(6) => self.run::<6>(&mut values),
                Some(7) => self.run::<7>(&mut values),
                Some(8) => self.run::<8>(&mut values),
                _ => {
                    let folded = self.slow()?;
                    if let Some(value) = values.next() {
                        *value = self.step(folded);
                    }
                }
            }
            let is_short = before - values.len() < SHORT_RUN;
            if is_short && was_short {
                self.mixed(&mut values);
            }
            was_short = is_short;
        }
        Ok(())
    }

    fn word(&self) -> Option<u64> {
        let word = self.payload.bytes.get(self.at..)?.first_chunk()?;
        Some(u64::from_le_bytes(*word))
    }

    /// The length of the next varint, if it and a whole word are available.
    fn next_len(&self) -> Option<usize> {
        let ends = !self.word()? & CONTINUES;
        (ends != 0).then(|| ends.trailing_zeros() as usize / 8 + 1)
    }

    /// Reads varints as long as they have `LEN` bytes and a whole word is available.
    ///
    /// Adjacent varints tend to have the same length. Predicting it lets the processor start the next varint before it
    /// knows where this one ends.
    fn run<const LEN: usize>(&mut self, values: &mut IterMut<'_, i64>) {
        // The continuation bits of the first `LEN` bytes. A varint of this length sets all but the last of them.
        let flags = CONTINUES >> (64 - 8 * LEN);
        while let Some(word) = self.word()
            && word & flags == flags >> 8
            && let Some(value) = values.next()
        {
            self.at += LEN;
            // `flags - (flags >> 7)` has the seven low bits of each of these bytes.
            *value = self.step(varint::gather(word & (flags - (flags >> 7))));
        }
    }

    /// Reads some varints of up to eight bytes without predicting their lengths.
    fn mixed(&mut self, values: &mut IterMut<'_, i64>) {
        for _ in 0..MIXED {
            let Some(word) = self.word() else { return };
            let ends = !word & CONTINUES;
            if ends == 0 {
                return;
            }
            let Some(value) = values.next() else { return };
            self.at += ends.trailing_zeros() as usize / 8 + 1;
            // Keep the bits up to the first byte that ends a varint.
            *value = self.step(varint::gather(word & (ends ^ (ends - 1))));
        }
    }

    #[inline]
    fn step(&mut self, folded: u64) -> i64 {
        self.running = self.running.wrapping_add(varint::unzigzag(folded));
        self.running
    }

    /// Reads a varint byte by byte: one that is longer than eight bytes, is close to the end, or is not
    /// valid.
    fn slow(&mut self) -> Result<u64> {
        let (payload, start) = (self.payload, self.at);
        varint::read(payload.bytes, &mut self.at).map_err(|fault| {
            let found = payload.bytes.len() - start;
            let text = match fault {
                VarintFault::CutShort if found == 0 => {
                    "expected another varint, found the payload's end".to_owned()
                }
                VarintFault::CutShort => {
                    format!(
                        "expected the varint to end, found the payload's end after {found} bytes"
                    )
                }
                VarintFault::TooLong => {
                    format!("expected a varint of at most {MAX_LEN} bytes, found a longer one")
                }
            };
            payload.corrupt(start, text)
        })
    }
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
        decode(RawPayload { bytes, at: 1 }, &mut back).unwrap();
        assert_eq!(back, values);
        for cut in 0..bytes.len() {
            let bytes = &bytes[..cut];
            assert!(
                decode(RawPayload { bytes, at: 1 }, &mut back).is_err(),
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
