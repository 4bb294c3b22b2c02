//! What begins at a byte of a stream.

use super::Codec;
use crate::wire::MAGIC;

/// Bytes that tell the kinds apart; every whole frame has as many.
pub(super) const SNIFF_LEN: usize = MAGIC.len();

/// A magic with so many wrong bits is still meant as one; other data has more.
const MOST_WRONG_BITS: u32 = 4;

/// What the next bytes are the beginning of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A frame; an envelope as it is if the codec is none.
    Frame(Codec),
    /// A skippable frame, by the last digit of its magic (`0x184D2A50` to `0x184D2A5F`).
    Skippable(u8),
}

/// Tells what `bytes` are the beginning of; `None` if they are no known beginning.
pub fn sniff(bytes: &[u8]) -> Option<Start> {
    if let [low @ 0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] = bytes {
        return Some(Start::Skippable(low & 15));
    }
    let codec = Codec::ALL
        .into_iter()
        .find(|codec| bytes.starts_with(codec.magic()));
    codec.map(Start::Frame)
}

/// True if these begin a frame but for a few wrong bits.
pub(super) fn is_damaged_magic(bytes: &[u8]) -> bool {
    let pairs = MAGIC.iter().zip(bytes);
    let wrong_bits: u32 = pairs.map(|(a, b)| (a ^ b).count_ones()).sum();
    bytes.len() >= MAGIC.len() && wrong_bits <= MOST_WRONG_BITS
}

/// True if more bytes could make these the beginning of something.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    let mut codecs = Codec::ALL.into_iter();
    codecs.any(|codec| codec.magic().starts_with(bytes))
        || matches!(bytes, [0x50..=0x5f, rest @ ..] if [0x2a, 0x4d, 0x18].starts_with(rest))
        || sniff(bytes).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_numbers_are_told_apart_and_nothing_else_is_one() {
        assert_eq!(sniff(b"MATHLDBT"), Some(Start::Frame(Codec::None)));
        assert_eq!(
            sniff(&0xfd2f_b528_u32.to_le_bytes()),
            Some(Start::Frame(Codec::Zstd))
        );
        assert_eq!(
            sniff(&0x184d_2204_u32.to_le_bytes()),
            Some(Start::Frame(Codec::Lz4))
        );
        for nibble in 0..16 {
            let magic = (0x184d_2a50 + u32::from(nibble)).to_le_bytes();
            assert_eq!(sniff(&magic), Some(Start::Skippable(nibble)));
        }
        for at in 0..64 {
            let mut damaged = MAGIC;
            damaged[at / 8] ^= 1 << (at % 8);
            assert!(is_damaged_magic(&damaged));
        }
        assert!(!is_damaged_magic(b"mathldbt") && !is_damaged_magic(b"MATHLDB"));
        for bytes in [
            &b""[..],
            b"MATHLDB",
            b"\x1f\x8b\x07",
            b"a,b\n1,2\n",
            b"\x28\xb5\x2f",
        ] {
            assert_eq!(sniff(bytes), None);
        }
    }
}
