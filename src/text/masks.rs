//! Bit masks over 64 bytes of text, which let scanners examine many bytes at once.
//!
//! Bit `i` of a mask represents byte `i` of the chunk. The technique comes from simdjson (Langdale and Lemire, "Parsing
//! gigabytes of JSON per second", 2019).

/// Bytes per chunk.
pub const CHUNK: usize = 64;

/// For each needle, the mask of the bytes that equal it.
#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code)]
pub fn equal<const N: usize>(chunk: &[u8; CHUNK], needles: [u8; N]) -> [u64; N] {
    // SAFETY: every x86-64 machine has SSE2, so no detection is needed.
    unsafe { equal_sse2(chunk, needles) }
}

/// Compares 16 bytes per instruction. The scanners spend half of their time here, and the compiler does not vectorize
/// the portable loop this well.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn equal_sse2<const N: usize>(chunk: &[u8; CHUNK], needles: [u8; N]) -> [u64; N] {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8,
    };
    let (lanes, _) = chunk.as_chunks::<16>();
    let lane = |i: usize| -> __m128i {
        let value = u128::from_le_bytes(lanes[i]);
        _mm_set_epi64x((value >> 64) as i64, value as i64)
    };
    let lanes = [lane(0), lane(1), lane(2), lane(3)];
    needles.map(|needle| {
        let needle = _mm_set1_epi8(needle as i8);
        let bits = |i: usize| u64::from(_mm_movemask_epi8(_mm_cmpeq_epi8(lanes[i], needle)) as u32);
        bits(0) | bits(1) << 16 | bits(2) << 32 | bits(3) << 48
    })
}

/// The mask of the bytes up to and including `most`.
#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code)]
pub fn at_most(chunk: &[u8; CHUNK], most: u8) -> u64 {
    // SAFETY: every x86-64 machine has SSE2, so no detection is needed.
    unsafe { at_most_sse2(chunk, most) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn at_most_sse2(chunk: &[u8; CHUNK], most: u8) -> u64 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8,
    };
    let most = _mm_set1_epi8(most as i8);
    let (lanes, _) = chunk.as_chunks::<16>();
    lanes.iter().rev().fold(0, |mask, lane| {
        let value = u128::from_le_bytes(*lane);
        let lane = _mm_set_epi64x((value >> 64) as i64, value as i64);
        let small = _mm_cmpeq_epi8(_mm_min_epu8(lane, most), lane);
        mask << 16 | u64::from(_mm_movemask_epi8(small) as u32)
    })
}

/// The mask of the bytes up to and including `most`.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn at_most(chunk: &[u8; CHUNK], most: u8) -> u64 {
    bytewise(chunk, |byte| byte <= most)
}

/// The mask of the bytes that are not ASCII.
#[inline]
pub fn non_ascii(chunk: &[u8; CHUNK]) -> u64 {
    if chunk.is_ascii() {
        return 0;
    }
    bytewise(chunk, |byte| !byte.is_ascii())
}

fn bytewise(chunk: &[u8; CHUNK], is_wanted: impl Fn(u8) -> bool) -> u64 {
    chunk
        .iter()
        .enumerate()
        .fold(0, |mask, (i, &byte)| mask | u64::from(is_wanted(byte)) << i)
}

/// For each needle, the mask of the bytes that equal it.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn equal<const N: usize>(chunk: &[u8; CHUNK], needles: [u8; N]) -> [u64; N] {
    needles.map(|needle| bytewise(chunk, |byte| byte == needle))
}

/// For each bit, the parity of the set bits up to and including it: between an opening quote
/// (included) and its closing quote (excluded) all bits are set.
#[inline]
pub fn prefix_xor(mut mask: u64) -> u64 {
    // After each step, a bit covers twice as many bits up to its own position.
    mask ^= mask << 1;
    mask ^= mask << 2;
    mask ^= mask << 4;
    mask ^= mask << 8;
    mask ^= mask << 16;
    mask ^ (mask << 32)
}

/// Marks the bytes that a backslash escapes. `carry` says whether the first byte of this chunk is escaped by the
/// previous chunk, and is updated for the next one.
#[inline]
pub fn escaped(backslashes: u64, carry: &mut bool) -> u64 {
    if backslashes == 0 {
        return u64::from(std::mem::take(carry));
    }
    // Backslashes are rare and come in short runs, so walking the runs is faster than branch-free code.
    let mut escaped = u64::from(std::mem::take(carry));
    let mut left = backslashes & !escaped;
    while left != 0 {
        let at = left.trailing_zeros();
        if at == 63 {
            *carry = true;
            break;
        }
        // The next byte is escaped; if it is a backslash, it escapes nothing itself.
        escaped |= 2 << at;
        left &= !(3 << at);
    }
    escaped
}

/// Follows strings in quotes from chunk to chunk.
#[derive(Debug, Default)]
pub struct StringMask {
    /// All ones within a string.
    in_string: u64,
    escape: bool,
}

impl StringMask {
    /// Takes the masks of the quotes and backslashes of the next chunk. Returns two masks: of the bytes in
    /// strings, from the opening quote (included) to the closing one (excluded), and of the bytes that a
    /// backslash escapes.
    #[inline]
    pub fn next(&mut self, quotes: u64, backslashes: u64) -> (u64, u64) {
        let escaped = escaped(backslashes, &mut self.escape);
        let inside = prefix_xor(quotes & !escaped) ^ self.in_string;
        // Copy the highest bit, which shows whether the chunk ends within a string, to all bits.
        self.in_string = ((inside as i64) >> 63) as u64;
        (inside, escaped)
    }
}

/// Calls `visit` with each chunk, the last one zero-padded, and the offset of its first byte. Stops when `visit`
/// returns `Some`.
#[inline]
pub fn chunks<R>(
    text: &[u8],
    mut visit: impl FnMut(&[u8; CHUNK], usize) -> Option<R>,
) -> Option<R> {
    let (whole, rest) = text.as_chunks::<CHUNK>();
    for (i, chunk) in whole.iter().enumerate() {
        if let Some(result) = visit(chunk, i * CHUNK) {
            return Some(result);
        }
    }
    if rest.is_empty() {
        return None;
    }
    let mut last = [0; CHUNK];
    last[..rest.len()].copy_from_slice(rest);
    visit(&last, whole.len() * CHUNK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_and_portable_masks_agree() {
        let chunk: [u8; CHUNK] = std::array::from_fn(|i| (i * 37 % 251) as u8);
        for needle in 0..=255 {
            let expected = bytewise(&chunk, |byte| byte == needle);
            assert_eq!(equal(&chunk, [needle]), [expected]);
            let expected = bytewise(&chunk, |byte| byte <= needle);
            assert_eq!(at_most(&chunk, needle), expected);
        }
    }

    #[test]
    fn prefix_xor_fills_between_quotes() {
        assert_eq!(prefix_xor(0b1000_0100), 0b0111_1100);
        assert_eq!(prefix_xor(1 << 63), 1 << 63);
    }

    #[test]
    fn escapes_match_a_bytewise_walk() {
        let mut state = 1u64;
        let text: Vec<u8> = (0..CHUNK * 50)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                if state >> 62 < 2 { b'\\' } else { b'x' }
            })
            .collect();
        let mut expected = vec![false; text.len() + 1];
        for i in 0..text.len() {
            expected[i + 1] = text[i] == b'\\' && !expected[i];
        }
        let mut carry = false;
        chunks(&text, |chunk, at| {
            let mask = escaped(equal(chunk, [b'\\'])[0], &mut carry);
            for i in 0..CHUNK {
                assert_eq!(mask >> i & 1 == 1, expected[at + i], "byte {}", at + i);
            }
            None::<()>
        });
        assert_eq!(carry, expected[text.len()]);
    }
}
