//! Variable-length integers: zigzag, then LEB128.
//!
//! LEB128 stores seven bits per byte, lowest group first; the high bit of a byte means that more bytes follow.
//! Zigzag moves the sign into the lowest bit, so that small negative numbers are short as well.
//!
//! Up to eight bytes fit in a register, where [`spread`] and [`gather`] move all groups at once, in three steps of
//! doubling width (Hacker's Delight, 7-5, with groups of seven bits).

/// The longest varint a 64-bit number needs.
pub const MAX_LEN: usize = 10;

/// Numbers below this bound take at most eight bytes, so [`spread`] can encode them.
pub const SPREAD_BOUND: u64 = 1 << 56;

/// The bit of each byte that means another byte follows.
pub const CONTINUES: u64 = 0x8080_8080_8080_8080;

/// What is wrong with a varint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarintFault {
    /// The bytes end before the varint does.
    CutShort,
    /// More than ten bytes.
    TooLong,
}

/// Moves the sign into the lowest bit.
#[inline]
pub const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The inverse of [`zigzag`].
#[inline]
pub const fn unzigzag(folded: u64) -> i64 {
    (folded >> 1) as i64 ^ -((folded & 1) as i64)
}

/// Appends `value` in its shortest form.
pub fn push(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads the varint at `*at` and moves `*at` past it; on a fault, `*at` is where reading stopped.
///
/// Accepts over-long forms; bits beyond the 64th are dropped, as the specification of wire 1 requires.
///
/// # Errors
/// A [`VarintFault`] if the varint does not end within `bytes` or within ten bytes.
pub fn read(bytes: &[u8], at: &mut usize) -> Result<u64, VarintFault> {
    let mut value = 0;
    for group in 0.. {
        let byte = *bytes.get(*at).ok_or(VarintFault::CutShort)?;
        if group == MAX_LEN {
            return Err(VarintFault::TooLong);
        }
        *at += 1;
        value |= u64::from(byte & 0x7f) << (7 * group);
        if byte < 0x80 {
            break;
        }
    }
    Ok(value)
}

/// Reads the varint at the start of `bytes` and removes it from them.
///
/// # Errors
/// As [`read`], with `bytes` unchanged.
pub fn take(bytes: &mut &[u8]) -> Result<u64, VarintFault> {
    let mut at = 0;
    let value = read(bytes, &mut at)?;
    *bytes = &bytes[at..];
    Ok(value)
}

/// By number of bits: the continuation bits of the varint, and its length.
const SHAPES: [(u64, usize); 57] = {
    let mut shapes = [(0, 1); 57];
    let mut bits = 1;
    while bits < shapes.len() {
        let len = bits.div_ceil(7);
        shapes[bits] = (CONTINUES & ((1 << (8 * (len - 1))) - 1), len);
        bits += 1;
    }
    shapes
};

/// The varint of a `value` below [`SPREAD_BOUND`], as a little-endian word and its length in bytes.
///
/// Each step moves the upper half of every field up, so that 56 bits become two fields of 28 bits, then four of 14 and
/// eight of 7, each at the bottom of its 32, 16 or 8 bits. Values of up to 28 bits need no first step.
#[inline]
pub const fn spread(value: u64) -> (u64, usize) {
    let (continues, len) = SHAPES[64 - value.leading_zeros() as usize];
    let pairs = if value < 1 << 28 {
        (value & 0x3fff) | ((value & 0x0fff_c000) << 2)
    } else {
        let halves = (value & 0x0fff_ffff) | ((value & 0x00ff_ffff_f000_0000) << 4);
        (halves & 0x0000_3fff_0000_3fff) | ((halves & 0x0fff_c000_0fff_c000) << 2)
    };
    let groups = (pairs & 0x007f_007f_007f_007f) | ((pairs & 0x3f80_3f80_3f80_3f80) << 1);
    (groups | continues, len)
}

/// The number whose seven-bit groups are the bytes of `word`; high bits of the bytes are ignored. The steps are those
/// of [`spread`] in reverse.
#[inline]
pub const fn gather(word: u64) -> u64 {
    let pairs = (word & 0x007f_007f_007f_007f) | ((word & 0x7f00_7f00_7f00_7f00) >> 1);
    let halves = (pairs & 0x0000_3fff_0000_3fff) | ((pairs & 0x3fff_0000_3fff_0000) >> 2);
    (halves & 0x0fff_ffff) | ((halves & 0x0fff_ffff_0000_0000) >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges() -> impl Iterator<Item = u64> {
        (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) | 1, !0 >> bit])
    }

    #[test]
    fn zigzag_is_the_standard_one() {
        assert_eq!(
            [0, -1, 1, -2, i64::MAX, i64::MIN].map(zigzag),
            [0, 1, 2, 3, !0 - 1, !0]
        );
        for value in edges() {
            assert_eq!(zigzag(unzigzag(value)), value);
        }
    }

    #[test]
    fn spread_and_gather_agree_with_one_byte_at_a_time() {
        for value in edges().filter(|value| *value < SPREAD_BOUND) {
            let mut slow = Vec::new();
            push(value, &mut slow);
            let (word, len) = spread(value);
            assert_eq!(&word.to_le_bytes()[..len], slow, "{value:#x}");
            assert_eq!(gather(word), value);
        }
    }

    #[test]
    fn reading_accepts_what_the_specification_accepts() {
        let parse = |bytes: &[u8]| read(bytes, &mut 0);
        for value in edges() {
            let mut bytes = Vec::new();
            push(value, &mut bytes);
            assert_eq!(parse(&bytes), Ok(value));
            assert_eq!(parse(&bytes[..bytes.len() - 1]), Err(VarintFault::CutShort));
        }
        assert_eq!(parse(&[0x82, 0x80, 0x00]), Ok(2), "over-long forms");
        let mut ten = [0x80; 10];
        ten[9] = 0x7f;
        assert_eq!(parse(&ten), Ok(1 << 63), "excess bits of the tenth byte");
        assert_eq!(parse(&[0x80; 10]), Err(VarintFault::CutShort));
        assert_eq!(parse(&[0x80; 11]), Err(VarintFault::TooLong));
    }
}
