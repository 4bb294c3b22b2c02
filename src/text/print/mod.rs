//! Prints numbers, bools, UUIDs and bytes.

mod digits;
mod float;
mod float_format;
mod rounded;
mod scientific;

use digits::{EIGHT_DIGITS, print_digits};

pub use digits::print_point;
pub use float::{float_word, print_double, print_float};
pub use float_format::{FloatFormat, FloatFormats};
pub use scientific::ScientificFormat;

/// Appends the first `len` of `bytes`. Copies all of them and then truncates: once inlined, the number of bytes is a
/// constant, and a copy of constant size needs no call.
#[inline]
pub fn append_first(bytes: &[u8], len: usize, out: &mut Vec<u8>) {
    let end = out.len() + len;
    out.extend_from_slice(bytes);
    out.truncate(end);
}

/// Appends `true` or `false`.
#[inline]
pub fn print_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Appends a byte that should be a bool: `false` for 0, `true` for 1, and the number for any other value.
#[inline]
pub fn print_raw_bool(byte: u8, out: &mut Vec<u8>) {
    match byte {
        0 | 1 => print_bool(byte == 1, out),
        other => print_integer(other, out),
    }
}

/// Appends the sign of a number with at most eight digits, and returns its magnitude. Appends nothing for other numbers.
#[inline]
pub fn print_sign_if_short(value: impl TryInto<i64>, out: &mut Vec<u8>) -> Option<u32> {
    let value: i64 = value.try_into().ok()?;
    let magnitude = value.unsigned_abs();
    if magnitude >= EIGHT_DIGITS {
        return None;
    }
    if value < 0 {
        out.push(b'-');
    }
    Some(magnitude as u32)
}

/// True for letters, digits, and `+-.:`, of which plain numbers, times and words consist.
pub const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b':')
}

/// Appends decimal digits.
#[inline]
pub fn print_integer<I: itoa::Integer + Copy + TryInto<i64>>(value: I, out: &mut Vec<u8>) {
    match print_sign_if_short(value, out) {
        Some(magnitude) => print_digits(magnitude, out),
        None => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
    }
}

/// Each byte as two hex digits, in lower and in upper case.
pub static HEX: [[[u8; 2]; 256]; 2] =
    [pairs_of(b"0123456789abcdef"), pairs_of(b"0123456789ABCDEF")];

const fn pairs_of(digits: &[u8; 16]) -> [[u8; 2]; 256] {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    pairs
}

/// Appends two lowercase hex digits per byte.
pub fn print_hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(bytes.iter().flat_map(|&byte| HEX[0][usize::from(byte)]));
}

/// Appends 8-4-4-4-12 lowercase hex digits.
pub fn print_uuid(uuid: &[u8; 16], out: &mut Vec<u8>) {
    out.extend_from_slice(&uuid_text(uuid, &HEX[0]));
}

/// Like [`print_uuid`], in upper case.
pub fn print_upper_uuid(uuid: &[u8; 16], out: &mut Vec<u8>) {
    out.extend_from_slice(&uuid_text(uuid, &HEX[1]));
}

fn uuid_text(uuid: &[u8; 16], pairs: &[[u8; 2]; 256]) -> [u8; 36] {
    let hex = uuid.map(|byte| pairs[usize::from(byte)]);
    let hex = hex.as_flattened();
    let mut text = [b'-'; 36];
    text[..8].copy_from_slice(&hex[..8]);
    text[9..13].copy_from_slice(&hex[8..12]);
    text[14..18].copy_from_slice(&hex[12..16]);
    text[19..23].copy_from_slice(&hex[16..20]);
    text[24..].copy_from_slice(&hex[20..]);
    text
}
