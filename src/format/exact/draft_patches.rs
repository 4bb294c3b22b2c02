//! Reads patches as packed by drafts of the format: a stream of bits.
//!
//! The high bit of each byte comes first. Numbers are Elias gamma codes (1975) of the number plus one: as many zeros as
//! it has bits after its first one, followed by its bits. An order of members is a Lehmer code: at each position, which
//! of the remaining members comes next. See [`super::packed`] for the current format.

use super::frame_text::Patches;
use super::packed::misfit;
use crate::error::Result;
use crate::format::json::MemberSorter;
use crate::varint;

/// The most bytes of packed patches; each bit can represent many members.
const MOST: usize = 1 << 10;

/// The most members of an object whose order is stored.
const MOST_MEMBERS: u64 = 1 << 10;

/// The patches of a frame; `json` is true if they contain orders of members.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if they do not fit a frame with this number of rows.
pub fn read(bytes: &[u8], rows: usize, json: bool) -> Result<Patches> {
    if bytes.len() > MOST {
        return Err(misfit());
    }
    let mut bits = BitReader { bytes, at: 0 };
    let mut patches = Patches::new();
    let mut row = 0u64;
    // The zero bits that pad the last byte are not a number.
    while let Some(gap) = bits.number() {
        row = row
            .checked_add(gap)
            .filter(|&row| row < rows as u64)
            .ok_or_else(misfit)?;
        let mut patch = Vec::new();
        if json {
            read_orders(&mut bits, &mut patch).ok_or_else(misfit)?;
        }
        read_steps(&mut bits, &mut patch).ok_or_else(misfit)?;
        patches.push((row as u32, patch));
        row += 1;
    }
    Ok(patches)
}

/// Converts the member orders of a draft patch to the moves of a current patch. Each order is first written
/// out as a list of all members up to the last one that it moves.
fn read_orders(bits: &mut BitReader<'_>, out: &mut Vec<u8>) -> Option<()> {
    let objects = one_first(bits.number()?);
    varint::push(objects, out);
    for _ in 0..objects {
        varint::push(bits.number()?, out);
        let (skipped, last) = (bits.number()?, bits.number()?);
        (skipped.saturating_add(last) < MOST_MEMBERS).then_some(())?;
        let mut order: Vec<usize> = (0..skipped as usize).collect();
        let mut left: Vec<usize> = (order.len()..MOST_MEMBERS as usize).collect();
        for at in 0..=last {
            let code = bits
                .number()?
                .checked_add(u64::from(at == 0 || at == last))?;
            let code = usize::try_from(code)
                .ok()
                .filter(|&code| code < left.len())?;
            order.push(left.remove(code));
        }
        let most = order.iter().max().map_or(0, |most| most + 1);
        order.extend(left.into_iter().filter(|&member| member < most));
        MemberSorter::default().push_moves(&order, out);
    }
    Some(())
}

fn read_steps(bits: &mut BitReader<'_>, out: &mut Vec<u8>) -> Option<()> {
    for _ in 0..bits.number()? {
        varint::push(bits.number()?, out);
        let inserted = bits.number()?;
        varint::push(inserted, out);
        for _ in 0..inserted {
            out.push(bits.bits(8)? as u8);
        }
        varint::push(bits.number()?, out);
    }
    Some(())
}

/// Decodes a number of objects. Zero and one are swapped, because patches most often reorder a single object.
fn one_first(objects: u64) -> u64 {
    if objects < 2 { 1 - objects } else { objects }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    /// Number of bits read.
    at: usize,
}

impl BitReader<'_> {
    fn bits(&mut self, count: u32) -> Option<u64> {
        let mut value = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            value = value << 1 | u64::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }

    /// The next number; `None` at the end.
    fn number(&mut self) -> Option<u64> {
        let mut zeros = 0;
        while self.bits(1)? == 0 {
            zeros += 1;
        }
        (zeros < u64::BITS).then_some(())?;
        Some((1 << zeros | self.bits(zeros)?) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_few_bits_are_a_patch() {
        // gap 2 (011), one step (010), copied 9 (0001010), inserted 0 (1), moved 2 (011)
        let bits = [0b0110_1000, 0b0101_0101, 0b1000_0000];
        assert_eq!(read(&bits, 3, false).unwrap(), [(2, vec![9, 0, 2])]);
        assert!(read(&bits, 2, false).is_err());
    }

    #[test]
    fn orders_become_moves() {
        // gap 0 (1), one object (1), between 0 (1), skipped 0 (1), last 0 (1), code 2 less one (010), no steps (1)
        let bits = [0b1111_1010, 0b1000_0000];
        assert_eq!(read(&bits, 1, true).unwrap(), [(0, vec![1, 0, 1, 2, 0])]);
        // As before up to last 1 (010), codes 1 and 1, each less one (1, 1), no steps (1)
        let bits = [0b1111_0101, 0b1100_0000];
        assert_eq!(read(&bits, 1, true).unwrap(), [(0, vec![1, 0, 1, 0, 2])]);
    }

    proptest! {
        #[test]
        fn no_bits_make_it_panic(bytes: Vec<u8>, json: bool) {
            let _ = read(&bytes, 100, json);
        }
    }
}
