//! Reads and writes the variable-length numbers and strings of headers and indexes. Errors call all of these a header,
//! and all strings names.

use crate::error::{Error, Result};
use crate::varint;

/// Appends a signed number: zigzag, then a varint.
pub fn push_signed(value: i64, out: &mut Vec<u8>) {
    varint::push(varint::zigzag(value), out);
}

/// Reads what [`push_signed`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the bytes end early.
pub fn read_signed(bytes: &[u8], at: &mut usize) -> Result<i64> {
    read_unsigned(bytes, at).map(varint::unzigzag)
}

/// Appends a signed number of 128 bits: zigzag, then seven bits per byte, the lowest first.
pub fn push_wide(value: i128, out: &mut Vec<u8>) {
    let mut folded = ((value << 1) ^ (value >> 127)) as u128;
    while folded >= 0x80 {
        out.push(folded as u8 | 0x80);
        folded >>= 7;
    }
    out.push(folded as u8);
}

/// Reads what [`push_wide`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the bytes end early or encode more than 128 bits.
pub fn read_wide(bytes: &[u8], at: &mut usize) -> Result<i128> {
    let start = *at as u64;
    let mut folded = 0_u128;
    for shift in (0..).step_by(7) {
        let byte = read_byte(bytes, at)?;
        let group = u128::from(byte & 0x7f);
        if shift > 126 || group << shift >> shift != group {
            return Err(Error::corrupt("a number has more than 128 bits").at_byte(start));
        }
        folded |= group << shift;
        if byte < 0x80 {
            break;
        }
    }
    Ok((folded >> 1) as i128 ^ -((folded & 1) as i128))
}

/// Reads a varint.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if it is not a varint.
pub fn read_unsigned(bytes: &[u8], at: &mut usize) -> Result<u64> {
    let start = *at;
    let fail = |what: &str| Error::corrupt(what).at_byte(start as u64);
    let value = varint::read(bytes, at).map_err(|fault| match fault {
        varint::VarintFault::CutShort => fail("a number in the header is cut short"),
        varint::VarintFault::TooLong => fail("a number in the header has more than ten bytes"),
    })?;
    // Ten groups of seven bits have more than 64 bits.
    if *at - start == varint::MAX_LEN && bytes[*at - 1] > 1 {
        return Err(fail("a number in the header has more than 64 bits"));
    }
    Ok(value)
}

/// Reads a varint that is a length in memory.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if it is not a varint, or too large for any length.
pub fn read_len(bytes: &[u8], at: &mut usize) -> Result<usize> {
    let start = *at as u64;
    let len = read_unsigned(bytes, at)?;
    // The bound is far above every limit, but low enough that the sum of a few lengths does not overflow.
    usize::try_from(len)
        .ok()
        .filter(|&len| len <= 1 << 48)
        .ok_or_else(|| Error::corrupt(format!("invalid length {len}")).at_byte(start))
}

/// Reads one byte.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] at the end of `bytes`.
pub fn read_byte(bytes: &[u8], at: &mut usize) -> Result<u8> {
    let byte = *bytes
        .get(*at)
        .ok_or_else(|| Error::corrupt("the header is cut short").at_byte(*at as u64))?;
    *at += 1;
    Ok(byte)
}

/// Appends a length and the bytes.
pub fn write_string(string: &[u8], out: &mut Vec<u8>) {
    varint::push(string.len() as u64, out);
    out.extend_from_slice(string);
}

/// Reads what [`write_string`] wrote.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the bytes end early.
pub fn read_string<'a>(bytes: &'a [u8], at: &mut usize) -> Result<&'a [u8]> {
    let start = *at as u64;
    let len = read_len(bytes, at)?;
    let string = bytes
        .get(*at..*at + len)
        .ok_or_else(|| Error::corrupt("a name in the header is cut short").at_byte(start))?;
    *at += len;
    Ok(string)
}

/// Reads a length and UTF-8.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] if the bytes end early or are not UTF-8.
pub fn read_text<'a>(bytes: &'a [u8], at: &mut usize) -> Result<&'a str> {
    let start = *at as u64;
    std::str::from_utf8(read_string(bytes, at)?)
        .map_err(|_| Error::corrupt("a name in the header is not UTF-8").at_byte(start))
}
