//! Decodes text of any supported encoding to UTF-8, chunk by chunk.

use std::fmt;
use std::io::{Error, ErrorKind, Read, Result};

use encoding_rs::{self as tables, DecoderResult, mem};

use super::{TextEncoder, TextEncoding};

/// Number of bytes to read and decode at a time.
const CHUNK: usize = 64 << 10;

/// The most bytes that an error shows; no character is longer.
const SHOWN: usize = 8;

/// Reads text of any supported encoding as UTF-8. Memory use does not depend on the length of the text.
pub struct TextDecoder {
    encoding: TextEncoding,
    table: Option<tables::Decoder>,
    check: Option<EncodingCheck>,
    /// Bytes passed to [`Self::give`], which are decoded before any are read.
    given: Vec<u8>,
    chunk: Vec<u8>,
    /// The last bytes before the chunk.
    tail: Vec<u8>,
    /// Offset of the chunk in the input.
    before: u64,
    /// The decoded chunk, and how much of it has been handed out.
    text: Vec<u8>,
    handed: usize,
    ended: bool,
    /// The error to return after the text has been handed out.
    failure: Option<Undecodable>,
}

/// Bytes that are invalid in their encoding, or that would be encoded as other bytes. The source of an error of the
/// kind [`ErrorKind::InvalidData`].
#[derive(Debug)]
pub struct Undecodable {
    what: String,
    /// True if the bytes are valid, but the encoder would write other bytes for the same character.
    pub is_ambiguous: bool,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Undecodable {}

/// Encodes the decoded text again and compares the result with the input.
struct EncodingCheck {
    encoder: TextEncoder,
    encoded: Vec<u8>,
    /// Input that has not been compared yet.
    expected: Vec<u8>,
}

impl TextDecoder {
    /// A decoder at the start of a text. If `exact`, it rejects bytes that [`TextEncoder`] would not restore.
    pub fn new(encoding: TextEncoding, exact: bool) -> Self {
        let check = (exact && encoding.is_ambiguous()).then(|| EncodingCheck {
            encoder: TextEncoder::new(encoding),
            encoded: Vec::new(),
            expected: Vec::new(),
        });
        Self {
            encoding,
            table: encoding
                .table()
                .map(tables::Encoding::new_decoder_without_bom_handling),
            check,
            given: Vec::new(),
            chunk: Vec::new(),
            tail: Vec::new(),
            before: 0,
            text: Vec::new(),
            handed: 0,
            ended: false,
            failure: None,
        }
    }

    /// Takes bytes that were already read.
    pub fn give(&mut self, bytes: &[u8]) {
        self.given.extend_from_slice(bytes);
    }

    /// Reads decoded text into `out` and passes the undecoded bytes to `on_chunk`. Text before an invalid byte is returned
    /// before the error is.
    ///
    /// # Errors
    /// Those of `reader`, and [`Undecodable`].
    pub fn read(
        &mut self,
        reader: &mut impl Read,
        out: &mut [u8],
        on_chunk: &mut dyn FnMut(&[u8]),
    ) -> Result<usize> {
        while self.handed == self.text.len() {
            if let Some(failure) = self.failure.take() {
                return Err(Error::new(ErrorKind::InvalidData, failure));
            }
            if self.ended {
                return Ok(0);
            }
            self.next_chunk(reader)?;
            on_chunk(&self.chunk);
            self.decode();
        }
        let rest = &self.text[self.handed..];
        let len = rest.len().min(out.len());
        out[..len].copy_from_slice(&rest[..len]);
        self.handed += len;
        Ok(len)
    }

    fn next_chunk(&mut self, reader: &mut impl Read) -> Result<()> {
        self.before += self.chunk.len() as u64;
        self.tail.extend_from_slice(&self.chunk);
        self.tail.drain(..self.tail.len().saturating_sub(SHOWN));
        self.chunk.clear();
        if !self.given.is_empty() {
            std::mem::swap(&mut self.chunk, &mut self.given);
            return Ok(());
        }
        self.chunk.resize(CHUNK, 0);
        let read = reader.read(&mut self.chunk);
        self.chunk.truncate(*read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(())
    }

    fn decode(&mut self) {
        self.text.clear();
        self.handed = 0;
        let Some(table) = &mut self.table else {
            self.text.resize(2 * self.chunk.len(), 0);
            let len = mem::convert_latin1_to_utf8(&self.chunk, &mut self.text);
            self.text.truncate(len);
            return;
        };
        let most = table.max_utf8_buffer_length_without_replacement(self.chunk.len());
        self.text.resize(most.unwrap_or_default(), 0);
        let (result, read, written) =
            table.decode_to_utf8_without_replacement(&self.chunk, &mut self.text, self.ended);
        self.text.truncate(written);
        if let DecoderResult::Malformed(len, after) = result {
            let name = self.encoding.name();
            // The invalid bytes may start before the chunk.
            let end = (self.tail.len() + read).saturating_sub(usize::from(after));
            let start = end.saturating_sub(usize::from(len));
            let offset = self.before + start as u64 - self.tail.len() as u64;
            let bytes: Vec<u8> = self
                .tail
                .iter()
                .chain(&self.chunk)
                .take(end)
                .skip(start)
                .copied()
                .collect();
            self.failure = Some(Undecodable {
                what: if self.ended {
                    format!("the text ends within a character of {name}")
                } else {
                    format!("{} at offset {offset} is not {name}", hex(&bytes))
                },
                is_ambiguous: false,
            });
        }
        if self.failure.is_none()
            && let Some(check) = &mut self.check
            && let Some((lines, bytes, offset)) = check.compare(&self.chunk, &self.text, self.ended)
        {
            // All earlier lines were the same.
            let mut line_ends = memchr::memchr_iter(b'\n', &self.text);
            let kept = lines.checked_sub(1).and_then(|last| line_ends.nth(last));
            self.text.truncate(kept.map_or(0, |at| at + 1));
            let offset = (self.before + self.chunk.len() as u64).saturating_sub(offset);
            let name = self.encoding.name();
            self.failure = Some(Undecodable {
                what: format!(
                    "{} at offset {offset} would not come back: {name} encodes its text as other bytes",
                    hex(&bytes)
                ),
                is_ambiguous: true,
            });
        }
        self.ended |= self.failure.is_some();
    }
}

impl EncodingCheck {
    /// Compares the next bytes with their text encoded again. If they differ, returns the number of line ends before
    /// the difference, the first differing bytes, and their distance from the end of `bytes`.
    fn compare(&mut self, bytes: &[u8], text: &[u8], ended: bool) -> Option<(usize, Vec<u8>, u64)> {
        self.expected.extend_from_slice(bytes);
        self.encoded.clear();
        let failed = self.encoder.encode(text, &mut self.encoded).is_err();
        if ended && !failed {
            self.encoder.finish(&mut self.encoded);
        }
        let same = self
            .encoded
            .iter()
            .zip(&self.expected)
            .take_while(|(a, b)| a == b)
            .count();
        let is_short = ended && same < self.expected.len();
        if failed || is_short || same < self.encoded.len() {
            let lines = memchr::memchr_iter(b'\n', &self.expected[..same]).count();
            let rest = &self.expected[same..];
            let shown = rest[..rest.len().min(SHOWN)].to_vec();
            return Some((lines, shown, rest.len() as u64));
        }
        self.expected.drain(..same);
        None
    }
}

fn hex(bytes: &[u8]) -> String {
    let pairs = bytes.iter().map(|byte| format!("{byte:02X}"));
    format!("0x{}", pairs.collect::<String>())
}
