//! Bytes of an encoding to UTF-8, chunk by chunk.

use std::fmt;
use std::io::{Error, ErrorKind, Read, Result};

use encoding_rs::{self as tables, DecoderResult, mem};

use super::{Encoder, Encoding};

/// Bytes that are read and decoded at once.
const CHUNK: usize = 64 << 10;

/// Most bytes that an error shows; no character has more.
const SHOWN: usize = 8;

/// Reads text of an encoding as UTF-8, in memory that does not depend on its length.
pub struct Decoder {
    encoding: Encoding,
    table: Option<tables::Decoder>,
    check: Option<RoundTrip>,
    /// The bytes that are decoded next, if they were given and not read.
    given: Vec<u8>,
    chunk: Vec<u8>,
    /// The last bytes before the chunk.
    tail: Vec<u8>,
    /// Bytes before the chunk.
    before: u64,
    /// The decoded chunk, and how much of it has been handed out.
    text: Vec<u8>,
    handed: usize,
    ended: bool,
    /// What to end with after the text.
    failure: Option<Undecodable>,
}

/// Bytes that are no text of their encoding, or that would come back as other bytes; the cause of an error of the kind
/// [`ErrorKind::InvalidData`].
#[derive(Debug)]
pub struct Undecodable {
    what: String,
    /// They have a meaning, but other bytes have it, too.
    pub is_ambiguous: bool,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Undecodable {}

/// Encodes what was decoded, and compares.
struct RoundTrip {
    encoder: Encoder,
    encoded: Vec<u8>,
    /// The bytes that are still to be compared.
    expected: Vec<u8>,
}

impl Decoder {
    /// At the beginning of a text. If it is to be exact, bytes that [`Encoder`] would not give back are refused.
    pub fn new(encoding: Encoding, exact: bool) -> Self {
        let check = (exact && encoding.is_ambiguous()).then(|| RoundTrip {
            encoder: Encoder::new(encoding),
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

    /// Reads on, and shows `see` the bytes as they are. What precedes a mistake is handed out first.
    ///
    /// # Errors
    /// Those of `reader`, and [`Undecodable`].
    pub fn read(
        &mut self,
        reader: &mut impl Read,
        out: &mut [u8],
        see: &mut dyn FnMut(&[u8]),
    ) -> Result<usize> {
        while self.handed == self.text.len() {
            if let Some(failure) = self.failure.take() {
                return Err(Error::new(ErrorKind::InvalidData, failure));
            }
            if self.ended {
                return Ok(0);
            }
            self.next_chunk(reader)?;
            see(&self.chunk);
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
            // They may begin before the chunk.
            let end = (self.tail.len() + read).saturating_sub(usize::from(after));
            let start = end.saturating_sub(usize::from(len));
            let offset = self.before + start as u64 - self.tail.len() as u64;
            let bytes = self.tail.iter().chain(&self.chunk);
            let bytes: Vec<u8> = bytes.take(end).skip(start).copied().collect();
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
            // The lines before are as they should be.
            let mut line_ends = memchr::memchr_iter(b'\n', &self.text);
            let kept = lines.checked_sub(1).and_then(|last| line_ends.nth(last));
            self.text.truncate(kept.map_or(0, |at| at + 1));
            let offset = (self.before + self.chunk.len() as u64).saturating_sub(offset);
            let name = self.encoding.name();
            self.failure = Some(Undecodable {
                what: format!(
                    "{} at offset {offset} would come back as other bytes of {name}",
                    hex(&bytes)
                ),
                is_ambiguous: true,
            });
        }
        self.ended |= self.failure.is_some();
    }
}

impl RoundTrip {
    /// Compares what comes next; if it differs, gives the number of line ends before, some of the bytes, and how many
    /// bytes they are from the end.
    fn compare(&mut self, bytes: &[u8], text: &[u8], ended: bool) -> Option<(usize, Vec<u8>, u64)> {
        self.expected.extend_from_slice(bytes);
        self.encoded.clear();
        let failed = self.encoder.encode(text, &mut self.encoded).is_err();
        if ended && !failed {
            self.encoder.finish(&mut self.encoded);
        }
        let pairs = self.encoded.iter().zip(&self.expected);
        let same = pairs.take_while(|(a, b)| a == b).count();
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
