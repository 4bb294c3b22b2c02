//! Changing the index at the end of a file.

/// Replaces bytes in the index and corrects its checksum.
pub fn in_index(mut out: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let magic = 0x184d_2a5a_u32.to_le_bytes();
    let index = out.windows(4).rposition(|bytes| bytes == magic).unwrap() + 8;
    let at = out[index..]
        .windows(from.len())
        .position(|bytes| bytes == from)
        .unwrap()
        + index;
    out[at..at + from.len()].copy_from_slice(to);
    let footer = out.len() - 12;
    let crc32 = crc32fast::hash(&out[index..footer]);
    out[footer..footer + 4].copy_from_slice(&crc32.to_le_bytes());
    out
}
