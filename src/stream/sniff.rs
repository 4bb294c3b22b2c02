//! Recognizes the kinds of frames by their first bytes.

use super::Codec;
use crate::wire::MAGIC;

/// Number of bytes needed to recognize a frame, and to read the header of a skippable one; every frame has at least as
/// many.
pub(super) const SNIFF_LEN: usize = MAGIC.len();

/// A magic with up to this many wrong bits counts as a damaged magic; other data differs in more.
const MOST_WRONG_BITS: u32 = 4;

/// Number of bytes of a skippable frame before its payload: the magic and the length (RFC 8878, 3.1.2).
pub const SKIPPABLE_HEADER: usize = 8;

/// What starts at a position of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A frame; an envelope that is not compressed if the codec is [`Codec::None`].
    Frame(Codec),
    /// A skippable frame, by the last digit of its magic (`0x184D2A50` to `0x184D2A5F`).
    Skippable(u8),
}

/// Recognizes what starts with `bytes`; `None` if it is unknown.
pub fn sniff(bytes: &[u8]) -> Option<Start> {
    if let [low @ 0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] = bytes {
        return Some(Start::Skippable(low & 15));
    }
    let codec = Codec::ALL
        .into_iter()
        .find(|codec| bytes.starts_with(codec.magic()));
    codec.map(Start::Frame)
}

/// The last digit of the magic and the length of the payload, if `bytes` start with the header of a skippable frame.
pub fn skippable_header(bytes: &[u8]) -> Option<(u8, u32)> {
    let Some(Start::Skippable(nibble)) = sniff(bytes) else {
        return None;
    };
    let len = bytes.get(4..SKIPPABLE_HEADER)?.try_into().ok()?;
    Some((nibble, u32::from_le_bytes(len)))
}

/// True if these bytes start a frame except for a few wrong bits.
fn is_damaged_magic(bytes: &[u8]) -> bool {
    let wrong_bits: u32 = MAGIC
        .iter()
        .zip(bytes)
        .map(|(a, b)| (a ^ b).count_ones())
        .sum();
    bytes.len() >= MAGIC.len() && wrong_bits <= MOST_WRONG_BITS
}

/// True if these bytes cannot be the start of a frame, not even of one that is damaged or cut short.
pub(super) fn is_foreign(bytes: &[u8]) -> bool {
    !may_begin(bytes) && !is_damaged_magic(bytes)
}

/// True if these bytes could, with more of them, be the start of a frame.
fn may_begin(bytes: &[u8]) -> bool {
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
            let header = [magic, 258_u32.to_le_bytes()].concat();
            assert_eq!(skippable_header(&header), Some((nibble, 258)));
            assert_eq!(skippable_header(&header[..7]), None, "the length is cut");
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
