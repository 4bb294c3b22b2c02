//! Encodes UTF-8 in another encoding, piece by piece.

use encoding_rs::{self as tables, EncoderResult, mem};

use super::TextEncoding;
use crate::error::{Error, Result};

/// The smallest free space to offer the encoder.
const ROOM: usize = 64;

/// Converts UTF-8 to an encoding.
pub struct TextEncoder {
    encoding: TextEncoding,
    table: Option<tables::Encoder>,
    units: Vec<u16>,
    /// Line ends so far.
    lines: u64,
}

impl TextEncoder {
    /// An encoder at the start of a text.
    pub fn new(encoding: TextEncoding) -> Self {
        let table = match encoding {
            TextEncoding::Table(table) => Some(table.new_encoder()),
            _ => None,
        };
        Self {
            encoding,
            table,
            units: Vec::new(),
            lines: 0,
        }
    }

    /// Appends the bytes of the next piece, which ends with a character.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the encoding lacks a character, or the piece is not UTF-8.
    pub fn encode(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = self.lines;
        self.lines += memchr::memchr_iter(b'\n', text).count() as u64;
        let valid = simdutf8::basic::from_utf8(text)
            .map_err(|_| self.cannot(start, text, "bytes that are not UTF-8"))?;
        match self.encoding {
            TextEncoding::Utf8 => out.extend_from_slice(text),
            TextEncoding::Utf16Le => self.units(valid, u16::to_le_bytes, out),
            TextEncoding::Utf16Be => self.units(valid, u16::to_be_bytes, out),
            TextEncoding::Latin1 => {
                if let Some(odd) = valid.chars().find(|&c| c > '\u{FF}') {
                    return Err(self.lacks(start, valid, odd));
                }
                let at = out.len();
                out.resize(at + text.len(), 0);
                let len = mem::convert_utf8_to_latin1_lossy(text, &mut out[at..]);
                out.truncate(at + len);
            }
            TextEncoding::Table(_) => {
                if let Some(odd) = self.table(valid, false, out) {
                    return Err(self.lacks(start, valid, odd));
                }
            }
        }
        Ok(())
    }

    /// Appends the end of a text: some encodings must return to ASCII.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.table("", true, out);
    }

    fn units<const N: usize>(&mut self, text: &str, bytes: fn(u16) -> [u8; N], out: &mut Vec<u8>) {
        self.units.resize(text.len() + 1, 0);
        let len = mem::convert_str_to_utf16(text, &mut self.units);
        out.extend(self.units[..len].iter().copied().flat_map(bytes));
    }

    /// Encodes by a table. Returns the first character that the encoding lacks.
    fn table(&mut self, mut text: &str, last: bool, out: &mut Vec<u8>) -> Option<char> {
        let table = self.table.as_mut()?;
        loop {
            let at = out.len();
            out.resize(at + text.len() + ROOM, 0);
            let (result, read, written) =
                table.encode_from_utf8_without_replacement(text, &mut out[at..], last);
            out.truncate(at + written);
            match result {
                EncoderResult::InputEmpty => return None,
                EncoderResult::OutputFull => text = &text[read..],
                EncoderResult::Unmappable(odd) => return Some(odd),
            }
        }
    }

    fn lacks(&self, start: u64, text: &str, odd: char) -> Error {
        let what = format!("{odd:?} (U+{:04X})", u32::from(odd));
        let at = text.find(odd).unwrap_or_default();
        self.cannot(start, &text.as_bytes()[..at], &what)
    }

    fn cannot(&self, lines: u64, before: &[u8], what: &str) -> Error {
        let line = lines + 1 + memchr::memchr_iter(b'\n', before).count() as u64;
        let name = self.encoding.name();
        Error::input(format!(
            "line {line} of the output contains {what}, which {name} cannot represent"
        ))
        .hint("use --encoding utf-8, which has every character; --exact off also writes UTF-8")
    }
}
