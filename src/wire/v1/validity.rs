//! Converts validity bitmaps between the wire and Arrow.
//!
//! Both store one bit per row, lowest bit first, 1 for valid. The wire always has a bitmap, including padding bits
//! after the last row. Arrow omits the bitmap if all rows are valid, and its padding may be anything, such as the bits
//! of rows outside a slice. To restore padding bits that were read, but not those of a slice, a bitmap with padding
//! bits set is stored in a buffer that ends with a [`trailer`].

use arrow_buffer::bit_chunk_iterator::UnalignedBitChunk;
use arrow_buffer::bit_mask::set_bits;
use arrow_buffer::{BooleanBuffer, NullBuffer};

use super::pool::Pool;

/// Size of the bitmap for `rows` rows in bytes.
pub(super) const fn len_bytes(rows: usize) -> usize {
    rows.div_ceil(8)
}

/// Marks a buffer whose padding bits were read from an envelope; valid only for that number of rows.
fn trailer(rows: usize) -> [u8; 8] {
    [b'p', b'a', b'd', b'd', b'i', b'n', b'g', (rows % 8) as u8]
}

/// A mask for the bits of the last byte that belong to rows.
const fn last_mask(rows: usize) -> u8 {
    match rows % 8 {
        0 => 0xff,
        used => (1 << used) - 1,
    }
}

/// Number of padding bits set after the last row.
pub(super) fn padding_bits(bitmap: &[u8], rows: usize) -> usize {
    let padding = |last| last & !last_mask(rows);
    bitmap
        .last()
        .map_or(0, |last| padding(*last).count_ones() as usize)
}

/// Number of rows whose bit is 0.
pub(super) fn null_count(bitmap: &[u8], rows: usize) -> usize {
    rows - UnalignedBitChunk::new(bitmap, 0, rows).count_ones()
}

/// The bit of a row.
pub(super) fn is_valid(bitmap: &[u8], row: usize) -> bool {
    bitmap[row / 8] >> (row % 8) & 1 == 1
}

/// The bitmap for Arrow: `None` if all rows are valid and no padding bit is set.
pub(super) fn read(bitmap: &[u8], rows: usize, pool: &mut Pool) -> Option<NullBuffer> {
    let padded = padding_bits(bitmap, rows) > 0;
    let (last, rest) = bitmap.split_last()?;
    if *last == last_mask(rows) && rest.iter().fold(0xff, |all, byte| all & byte) == 0xff {
        return None;
    }
    let trailer = trailer(rows);
    let buffer = pool.copied(&[bitmap, if padded { &trailer } else { &[] }]);
    Some(NullBuffer::new(BooleanBuffer::new(buffer, 0, rows)))
}

/// Appends one bitmap for all parts, each with its number of rows.
pub(super) fn append<'a>(
    parts: impl Iterator<Item = (Option<&'a NullBuffer>, usize)>,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let mut filled = 0;
    let mut parts = parts.peekable();
    while let Some((nulls, rows)) = parts.next() {
        let is_only = filled == 0 && parts.peek().is_none();
        let end = filled + rows;
        match nulls {
            Some(nulls) => {
                out.resize(start + len_bytes(end), 0);
                set_bits(
                    &mut out[start..],
                    nulls.validity(),
                    filled,
                    nulls.offset(),
                    rows,
                );
                if is_only && is_read(nulls, rows) {
                    out[start..].copy_from_slice(&nulls.validity()[..len_bytes(rows)]);
                }
            }
            None if rows > 0 => {
                if let Some(last) = out[start..].last_mut() {
                    *last |= !last_mask(filled);
                }
                out.resize(start + len_bytes(end), 0xff);
                if let Some(last) = out.last_mut() {
                    *last &= last_mask(end);
                }
            }
            None => {}
        }
        filled = end;
    }
}

/// True if the padding bits were read from an envelope, for exactly these rows.
fn is_read(nulls: &NullBuffer, rows: usize) -> bool {
    nulls.offset() == 0 && nulls.validity()[len_bytes(rows)..] == trailer(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(parts: &[(Option<&NullBuffer>, usize)]) -> Vec<u8> {
        let mut out = Vec::new();
        append(parts.iter().copied(), &mut out);
        out
    }

    #[test]
    fn bits_of_parts_at_any_alignment_are_those_of_the_whole() {
        let bits: Vec<bool> = (0..700u32)
            .map(|i| i.wrapping_mul(0x9e37_79b9) >> 30 != 0)
            .collect();
        let whole = NullBuffer::from(bits.clone());
        let expected = appended(&[(Some(&whole), 700)]);
        for (a, b) in [
            (1, 2),
            (3, 130),
            (8, 64),
            (7, 71),
            (64, 65),
            (0, 0),
            (699, 700),
        ] {
            let parts = [(0, a), (a, b), (b, 700)].map(|(from, to)| whole.slice(from, to - from));
            let parts = parts.each_ref().map(|part| (Some(part), part.len()));
            assert_eq!(appended(&parts), expected, "{a} {b}");
        }
        assert_eq!(appended(&[(None, 3), (None, 70), (None, 7)]), [0xff; 10]);
        assert_eq!(appended(&[(None, 9)]), [0xff, 0x01]);
        assert_eq!(
            null_count(&expected, 700),
            bits.iter().filter(|bit| !**bit).count()
        );
    }

    #[test]
    fn padding_bits_come_back_but_a_slices_leftovers_do_not() {
        let mut pool = Pool::default();
        let nulls = read(&[0xfd], 3, &mut pool).unwrap();
        assert_eq!(appended(&[(Some(&nulls), 3)]), [0xfd]);
        assert_eq!(appended(&[(Some(&nulls.slice(0, 2)), 2)]), [0x01]);
        assert_eq!(appended(&[(Some(&nulls), 3), (None, 1)]), [0x0d]);
        assert!(read(&[0x07], 3, &mut pool).is_none());
        assert!(read(&[], 0, &mut pool).is_none());
    }
}
