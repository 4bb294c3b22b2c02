//! Prints JSON strings. Escapes only what the grammar requires, as `serde_json` does, unless [`Escapes`] asks for more.

use super::scan::unescape;
use crate::text::masks::{CHUNK, at_most, chunks, equal};

/// Which additional characters are escaped, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Escapes {
    /// Characters outside ASCII are written as `\uXXXX`, beyond 16 bits as surrogate pairs.
    pub ascii: bool,
    /// Hexadecimal digits are upper case.
    pub upper: bool,
    /// `/` is written as `\/`.
    pub slash: bool,
    /// Further characters written as `\uXXXX`: any in ASCII, and [`Self::LINES`].
    pub hex: String,
}

impl Escapes {
    /// The characters that are line ends in JavaScript but not in JSON.
    pub const LINES: [char; 2] = ['\u{2028}', '\u{2029}'];
}

/// The byte after the backslash, or 0 if the byte is not escaped; `u` means `u00` and two digits.
const ESCAPES: [u8; 256] = {
    let mut escapes = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escapes[byte] = b'u';
        byte += 1;
    }
    escapes[0x08] = b'b';
    escapes[0x09] = b't';
    escapes[0x0a] = b'n';
    escapes[0x0c] = b'f';
    escapes[0x0d] = b'r';
    escapes[b'"' as usize] = b'"';
    escapes[b'\\' as usize] = b'\\';
    escapes
};

/// True if the text contains a character that must be escaped.
#[inline]
pub(crate) fn is_special(text: &[u8]) -> bool {
    // No early exit, so that the loop becomes vector instructions.
    let special = text.iter().fold(0, |found, &byte| {
        found | u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\')
    });
    special != 0
}

/// Appends `text` in quotes. Bytes from 0x80 on are copied, so the result is UTF-8 only if `text` is.
#[inline]
pub fn print_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    if is_special(text) {
        escaped(text, out);
    } else {
        out.extend_from_slice(text);
    }
    out.push(b'"');
}

/// The mask of the characters that must be escaped.
#[inline]
pub(crate) fn special_mask(chunk: &[u8; CHUNK]) -> u64 {
    let [quotes, backslashes] = equal(chunk, [b'"', b'\\']);
    at_most(chunk, 0x1f) | quotes | backslashes
}

#[cold]
fn escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut start = 0;
    let mut escape = |i: usize| {
        let byte = text[i];
        let escape = ESCAPES[usize::from(byte)];
        out.extend_from_slice(&text[start..i]);
        out.extend_from_slice(&[b'\\', escape]);
        if escape == b'u' {
            let digit = b"0123456789abcdef"[usize::from(byte & 15)];
            out.extend_from_slice(&[b'0', b'0', b'0' + (byte >> 4), digit]);
        }
        start = i + 1;
    };
    chunks(text, |chunk, from| {
        // The zeros that pad the last chunk are not part of the text.
        let left = text.len() - from;
        let mut mask = special_mask(chunk);
        while mask != 0 && (mask.trailing_zeros() as usize) < left {
            escape(from + mask.trailing_zeros() as usize);
            mask &= mask - 1;
        }
        None::<()>
    });
    out.extend_from_slice(&text[start..]);
}

/// Prints strings with additional escapes.
#[derive(Debug)]
pub(crate) struct Escaper {
    /// Like [`ESCAPES`]; [`DECODE`] means that the whole character must be decoded.
    table: [u8; 256],
    escapes: Escapes,
}

/// Marks the first bytes of characters that may need an escape.
const DECODE: u8 = b'*';

impl Escaper {
    /// `None` if `escapes` asks for nothing beyond the required escapes.
    pub(crate) fn new(escapes: &Escapes) -> Option<Self> {
        if *escapes == Escapes::default() {
            return None;
        }
        let mut table = ESCAPES;
        if escapes.slash {
            table[usize::from(b'/')] = b'/';
        }
        for c in escapes.hex.chars() {
            match u8::try_from(c) {
                Ok(byte) if byte.is_ascii() => table[usize::from(byte)] = b'u',
                _ => table[0xe2] = DECODE,
            }
        }
        if escapes.ascii {
            table[0xc0..].fill(DECODE);
        }
        Some(Self {
            table,
            escapes: escapes.clone(),
        })
    }

    /// Like [`print_string`].
    pub(crate) fn print(&self, text: &[u8], out: &mut Vec<u8>) {
        out.push(b'"');
        self.escaped(text, out);
        out.push(b'"');
    }

    /// Like [`Self::print`], without the quotes.
    pub(crate) fn escaped(&self, text: &[u8], out: &mut Vec<u8>) {
        let (mut start, mut at) = (0, 0);
        while let Some(&byte) = text.get(at) {
            let escape = self.table[usize::from(byte)];
            let mut end = at + 1;
            if escape == 0 {
                at = end;
                continue;
            }
            let mut decoded = None;
            if escape == DECODE {
                end = at + 1 + usize::from(byte >= 0xe0) + usize::from(byte >= 0xf0) + 1;
                let character = text
                    .get(at..end)
                    .and_then(|bytes| str::from_utf8(bytes).ok());
                decoded = character.and_then(|text| text.chars().next());
                let wanted = |c: &char| self.escapes.ascii || self.escapes.hex.contains(*c);
                decoded = decoded.filter(wanted);
                if decoded.is_none() {
                    at += 1;
                    continue;
                }
            }
            out.extend_from_slice(&text[start..at]);
            match decoded {
                Some(c) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        self.hex(*unit, out);
                    }
                }
                None if escape == b'u' => self.hex(byte.into(), out),
                None => out.extend_from_slice(&[b'\\', escape]),
            }
            (start, at) = (end, end);
        }
        out.extend_from_slice(&text[start..]);
    }

    fn hex(&self, unit: u16, out: &mut Vec<u8>) {
        let digits = if self.escapes.upper {
            b"0123456789ABCDEF"
        } else {
            b"0123456789abcdef"
        };
        out.extend_from_slice(b"\\u");
        let digit = |shift: u16| digits[usize::from(unit >> shift & 15)];
        out.extend_from_slice(&[12, 8, 4, 0].map(digit));
    }

    /// Appends a valid quoted string with these escapes; a lone surrogate stays as it is.
    pub(crate) fn respell(&self, string: &[u8], out: &mut Vec<u8>) {
        let inside = &string[1..string.len() - 1];
        let is_plain = |&byte: &u8| self.table[usize::from(byte)] == 0;
        if inside.iter().all(is_plain) {
            return out.extend_from_slice(string);
        }
        let mut text = Vec::with_capacity(inside.len());
        match unescape(inside, &mut text) {
            Some(()) => self.print(&text, out),
            None => out.extend_from_slice(string),
        }
    }
}

/// Appends `text` in quotes with the required escapes or those of `escaper`.
#[inline]
pub(crate) fn print_with(escaper: Option<&Escaper>, text: &[u8], out: &mut Vec<u8>) {
    match escaper {
        None => print_string(text, out),
        Some(escaper) => escaper.print(text, out),
    }
}

/// Like [`print_with`], for text that may not be UTF-8: invalid sequences become U+FFFD. Returns whether there were
/// any.
pub(crate) fn print_lossy(escaper: Option<&Escaper>, text: &[u8], out: &mut Vec<u8>) -> bool {
    let known = simdutf8::basic::from_utf8(text).is_ok();
    if known {
        print_with(escaper, text, out);
    } else {
        print_with(escaper, String::from_utf8_lossy(text).as_bytes(), out);
    }
    !known
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn print(text: &str) -> String {
        let mut out = Vec::new();
        print_string(text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_required_characters_are_escaped() {
        assert_eq!(
            print("\"\\\u{8}\u{c}\n\r\t\u{0}\u{1f}/\u{7f}é✓\u{2028}"),
            "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f/\u{7f}é✓\u{2028}\""
        );
        assert_eq!(print(""), "\"\"");
    }

    #[test]
    fn invalid_utf8_is_replaced_and_told() {
        let mut out = Vec::new();
        assert!(print_lossy(None, b"a\xff\n\xc3", &mut out));
        assert_eq!(out, "\"a\u{fffd}\\n\u{fffd}\"".as_bytes());
        assert!(!print_lossy(None, "é".as_bytes(), &mut out));
    }

    proptest! {
        #[test]
        fn serde_json_escapes_the_same(text: String) {
            prop_assert_eq!(print(&text), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn std_replaces_the_same(text: Vec<u8>) {
            let mut out = Vec::new();
            let lossy = print_lossy(None, &text, &mut out);
            prop_assert_eq!(lossy, std::str::from_utf8(&text).is_err());
            prop_assert_eq!(out, print(&String::from_utf8_lossy(&text)).into_bytes());
        }
    }
}
