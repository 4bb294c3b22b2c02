//! Scans JSON values in bytes: finds where they end, decodes strings, and removes white space.
//!
//! Grammar: RFC 8259. No value tree is built; the readers keep the spans of values and read them column by column.

use std::ops::Range;

use super::fault::{Fault, FaultKind};

/// The offset of the first byte from `at` on that is not white space.
#[inline]
pub fn skip_space(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = text.get(at) {
        at += 1;
    }
    at
}

/// The offset after the value that starts at `at`.
///
/// # Errors
/// A [`Fault`] if there is no value, or it violates the grammar.
#[inline]
pub fn value_end(text: &[u8], at: usize) -> Result<usize, Fault> {
    match text.get(at) {
        Some(b'"') => string_end(text, at),
        Some(b'-' | b'0'..=b'9') => number_end(text, at),
        Some(b't') => word_end(text, at, b"true"),
        Some(b'f') => word_end(text, at, b"false"),
        Some(b'n') => word_end(text, at, b"null"),
        Some(b'{' | b'[') => nested_end(text, at),
        Some(_) => Fault::at(at, FaultKind::ExpectedValue),
        None => Fault::at(at, FaultKind::EndsBeforeValue),
    }
}

fn word_end(text: &[u8], at: usize, word: &[u8]) -> Result<usize, Fault> {
    if text[at..].starts_with(word) {
        Ok(at + word.len())
    } else {
        Fault::at(at, FaultKind::ExpectedValue)
    }
}

/// The offset of the first byte from `at` on that is not a digit.
#[inline]
fn digits_end(text: &[u8], mut at: usize) -> usize {
    const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);
    const ABOVE_9: u64 = u64::from_ne_bytes([0x76; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    while let Some(&chunk) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let digits = u64::from_le_bytes(chunk) ^ ZEROS;
        // The lowest hit is exact; carries can only cause false hits above it.
        let others = (digits.wrapping_add(ABOVE_9) | digits) & HIGH;
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

#[inline]
fn number_end(text: &[u8], at: usize) -> Result<usize, Fault> {
    let digits = |at| digits_end(text, at);
    let whole = at + usize::from(text[at] == b'-');
    let mut end = digits(whole);
    if end == whole {
        return Fault::at(end, FaultKind::ExpectedDigit);
    }
    if text[whole] == b'0' && end > whole + 1 {
        return Fault::at(whole, FaultKind::LeadingZero);
    }
    if text.get(end) == Some(&b'.') {
        let fraction = end + 1;
        end = digits(fraction);
        if end == fraction {
            return Fault::at(end, FaultKind::ExpectedDigitAfterPoint);
        }
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let exponent = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        end = digits(exponent);
        if end == exponent {
            return Fault::at(end, FaultKind::ExpectedDigitInExponent);
        }
    }
    Ok(end)
}

/// The offset after the string whose opening quote is at `at`.
///
/// # Errors
/// A [`Fault`] if the string is not closed, or contains a control character or an invalid escape.
#[inline]
pub fn string_end(text: &[u8], at: usize) -> Result<usize, Fault> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut at = at + 1;
    loop {
        // Skip eight bytes at a time up to the next quote, backslash or control character. The lowest hit is exact;
        // borrows can only cause false hits above it.
        while let Some(&chunk) = text[at.min(text.len())..].first_chunk::<8>() {
            let word = u64::from_le_bytes(chunk);
            let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
            let hits = zero_bytes(word ^ (ONES * u64::from(b'"')))
                | zero_bytes(word ^ (ONES * u64::from(b'\\')))
                | control;
            if hits != 0 {
                at += hits.trailing_zeros() as usize / 8;
                break;
            }
            at += 8;
        }
        match text.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = escape_end(text, at)?,
            Some(0..0x20) => return Fault::at(at, FaultKind::ControlCharacter),
            Some(_) => at += 1,
            None => return Fault::at(text.len(), FaultKind::EndsInString),
        }
    }
}

fn escape_end(text: &[u8], at: usize) -> Result<usize, Fault> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') if hex4(text, at + 2).is_some() => Ok(at + 6),
        Some(b'u') => Fault::at(at, FaultKind::ExpectedHexDigits),
        Some(_) => Fault::at(at, FaultKind::UnknownEscape),
        None => Fault::at(text.len(), FaultKind::EndsInString),
    }
}

fn hex4(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    digits.iter().try_fold(0, |value, &digit| {
        Some(value << 4 | char::from(digit).to_digit(16)?)
    })
}

/// The containers around a position, one bit each: 1 for an object. Deep nesting takes one bit per level and no
/// recursion.
#[derive(Default)]
struct Levels {
    depth: usize,
    /// The innermost levels, the last in the lowest bit.
    word: u64,
    /// Full words of the levels around them.
    outer: Vec<u64>,
}

impl Levels {
    fn enter(&mut self, object: bool) {
        if self.depth.is_multiple_of(64) && self.depth > 0 {
            self.outer.push(self.word);
        }
        self.word = self.word << 1 | u64::from(object);
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.word >>= 1;
        self.depth -= 1;
        if self.depth.is_multiple_of(64)
            && let Some(word) = self.outer.pop()
        {
            self.word = word;
        }
    }

    fn in_object(&self) -> bool {
        self.word & 1 == 1
    }
}

/// The offset after the object or array that starts at `at`.
fn nested_end(text: &[u8], mut at: usize) -> Result<usize, Fault> {
    let mut levels = Levels::default();
    'value: loop {
        match text.get(at) {
            Some(&open @ (b'{' | b'[')) => {
                let object = open == b'{';
                at = skip_space(text, at + 1);
                if text.get(at) == Some(if object { &b'}' } else { &b']' }) {
                    at += 1;
                } else {
                    levels.enter(object);
                    (_, at) = value_start(text, at, object)?;
                    continue 'value;
                }
            }
            _ => at = value_end(text, at)?,
        }
        // After a value: leave the containers that end here, then continue with the next value.
        while levels.depth > 0 {
            let object = levels.in_object();
            at = skip_space(text, at);
            match text.get(at) {
                Some(b',') => {
                    at = skip_space(text, at + 1);
                    (_, at) = value_start(text, at, object)?;
                    continue 'value;
                }
                Some(b'}') if object => at += 1,
                Some(b']') if !object => at += 1,
                Some(_) if object => return Fault::at(at, FaultKind::ExpectedCommaOrBrace),
                Some(_) => return Fault::at(at, FaultKind::ExpectedCommaOrBracket),
                None => return Fault::at(text.len(), FaultKind::EndsInValue),
            }
            levels.leave();
        }
        return Ok(at);
    }
}

/// The key, with its quotes, and the offset of the value of the member or item that starts at `at`. An item has an empty
/// key.
///
/// # Errors
/// A [`Fault`] if there is no key, or no colon.
pub fn value_start(
    text: &[u8],
    at: usize,
    is_member: bool,
) -> Result<(Range<usize>, usize), Fault> {
    if !is_member {
        return Ok((at..at, at));
    }
    match text.get(at) {
        Some(b'"') => {}
        Some(_) => return Fault::at(at, FaultKind::ExpectedKey),
        None => return Fault::at(text.len(), FaultKind::EndsInObject),
    }
    let end = string_end(text, at)?;
    Ok((at..end, value_after_colon(text, end)?))
}

/// The offset of the value whose key ends at `at`.
///
/// # Errors
/// A [`Fault`] if there is no colon.
#[inline]
pub fn value_after_colon(text: &[u8], at: usize) -> Result<usize, Fault> {
    let at = skip_space(text, at);
    if text.get(at) == Some(&b':') {
        Ok(skip_space(text, at + 1))
    } else {
        Fault::at(at, FaultKind::ExpectedColon)
    }
}

/// `Some` if `text` is one JSON value in UTF-8, with optional white space around it.
pub fn check(text: &[u8]) -> Option<()> {
    simdutf8::basic::from_utf8(text).ok()?;
    let end = value_end(text, skip_space(text, 0)).ok()?;
    (skip_space(text, end) == text.len()).then_some(())
}

/// Decodes the inside of a valid string and appends it; `None` if it has a lone surrogate.
pub fn unescape(mut inside: &[u8], out: &mut Vec<u8>) -> Option<()> {
    while let Some(at) = memchr::memchr(b'\\', inside) {
        out.extend_from_slice(&inside[..at]);
        let (byte, len) = match inside.get(at + 1)? {
            b'b' => (0x08, 2),
            b'f' => (0x0C, 2),
            b'n' => (b'\n', 2),
            b'r' => (b'\r', 2),
            b't' => (b'\t', 2),
            b'u' => {
                let (character, len) = unicode_escape(&inside[at..])?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                inside = &inside[at + len..];
                continue;
            }
            &byte => (byte, 2),
        };
        out.push(byte);
        inside = &inside[at + len..];
    }
    out.extend_from_slice(inside);
    Some(())
}

/// The character of a `\uXXXX` escape or a surrogate pair, and its length in the text.
fn unicode_escape(text: &[u8]) -> Option<(char, usize)> {
    let first = hex4(text, 2)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 6));
    }
    let second = hex4(text.get(6..)?.strip_prefix(b"\\u")?, 0)?;
    if !(0xD800..0xDC00).contains(&first) || !(0xDC00..0xE000).contains(&second) {
        return None;
    }
    let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    Some((char::from_u32(code)?, 12))
}

/// Appends a valid value without the white space between its tokens.
pub fn compact(value: &[u8], out: &mut Vec<u8>) {
    let mut rest = value;
    // Copies runs between white space; a space within a string is part of the run.
    let mut run = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'"' => at = string_end(rest, at).unwrap_or(rest.len()),
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.extend_from_slice(&rest[run..at]);
                rest = &rest[skip_space(rest, at)..];
                (run, at) = (0, 0);
            }
            _ => at += 1,
        }
    }
    out.extend_from_slice(&rest[run..]);
}

#[cfg(test)]
mod tests;
