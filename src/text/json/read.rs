//! JSON text to blocks of whole values.

use std::io::Read;

use super::cut::{Cut, Framing, cut};
use super::parse::JsonParser;
use super::scan::{skip_space, value_end};
use crate::error::{Error, Result};
use crate::schema::{ROW_COLUMN, Type};
use crate::text::exact::Ending;
use crate::text::input::{Input, NESTED_BLOCK_BYTES};
use crate::text::span::{Block, Spot};
use crate::text::{TextOptions, Types};

/// Which kind of JSON text the user or the file's name speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// A document: an array of rows, one object, or several values.
    Document,
    /// One value per line.
    Lines,
    /// Nobody said.
    Unknown,
}

/// Cuts one JSON input into blocks; [`JsonParser`] reads them.
pub struct JsonReader<R> {
    input: Input<R>,
    framing: Framing,
    first: bool,
    ended: bool,
}

/// Whole values, not read yet.
#[derive(Debug)]
pub struct JsonBlock {
    pub(super) block: Block,
    /// It holds the first value of the input.
    pub(super) first: bool,
    /// Nothing comes behind it.
    pub(super) last: bool,
    /// Number of values, if a limit was given.
    pub records: usize,
}

impl JsonBlock {
    /// Bytes of text.
    pub fn len(&self) -> usize {
        self.block.text().len()
    }

    /// True if there is no text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<R: Read> JsonReader<R> {
    /// Finds out how the values follow each other.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn open(
        mut input: Input<R>,
        flavor: Flavor,
        options: TextOptions,
    ) -> Result<(Self, JsonParser)> {
        input.skip_byte_order_mark()?;
        if options.types == Types::All {
            input.set_block_bytes(NESTED_BLOCK_BYTES);
        }
        skip_all_space(&mut input)?;
        let framing = framing(input.text(), flavor);
        if framing == Framing::Array {
            input.skip(1);
            skip_all_space(&mut input)?;
        }
        let objects = matches!(input.text().first(), Some(b'{' | b']') | None)
            && options.fixed.get(ROW_COLUMN) != Some(Type::Json.into());
        let parser = JsonParser {
            options,
            framing,
            objects,
        };
        Ok((
            Self {
                input,
                framing,
                first: true,
                ended: false,
            },
            parser,
        ))
    }

    /// The next whole values, at most `limit` of them.
    ///
    /// # Errors
    /// If the input cannot be read, or does not end where the array does.
    pub fn next_block(&mut self, limit: Option<usize>) -> Result<Option<JsonBlock>> {
        if self.ended {
            return Ok(None);
        }
        self.input.fill_block()?;
        let (len, records, close, last) = loop {
            let text = self.input.text();
            if let Some(Cut { end, values, close }) = cut(text, self.framing, limit) {
                break (end, values, close, close == 1);
            }
            if self.input.is_last() {
                let blank = skip_space(text, 0) == text.len();
                break (text.len(), usize::from(!blank), 0, true);
            }
            self.input.grow()?;
        };
        let block = self.input.take(len);
        if close == 1 {
            if self.input.text().first() != Some(&b']') {
                let Spot { line, byte } = self.input.spot(0);
                return Err(Error::input("expected ], which closes the array").at_line(line, byte));
            }
            self.input.skip(1);
            self.expect_end()?;
        } else if last && self.framing == Framing::Array {
            // The parser finds what is cut; if nothing is, only the bracket is missing.
            let value = skip_space(block.text(), 0);
            let end = value_end(block.text(), value).unwrap_or(value);
            if skip_space(block.text(), end) == block.text().len() {
                let Spot { line, byte } = self.input.spot(0);
                return Err(
                    Error::input("the text ends before the array is closed").at_line(line, byte)
                );
            }
        }
        self.ended = last;
        let first = std::mem::take(&mut self.first);
        if block.text().is_empty() && !first {
            // Nothing behind the last border; only in an array is that a fault.
            if self.framing != Framing::Array {
                return Ok(None);
            }
        }
        Ok(Some(JsonBlock {
            block,
            first,
            last,
            records,
        }))
    }

    /// The end of the text, once there is no next block, if all of it is to come back.
    pub fn ending(&self) -> Option<Ending> {
        Some(Ending {
            fingerprint: self.input.fingerprint()?,
            tail: Vec::new(),
        })
    }

    fn expect_end(&mut self) -> Result<()> {
        skip_all_space(&mut self.input)?;
        if self.input.text().is_empty() {
            return Ok(());
        }
        let Spot { line, byte } = self.input.spot(0);
        Err(Error::input("there is more text behind the array")
            .at_line(line, byte)
            .hint("--from ndjson reads one value after the other"))
    }
}

/// Passes over white space until something else can be seen or the input ends.
fn skip_all_space<R: Read>(input: &mut Input<R>) -> Result<()> {
    loop {
        let space = skip_space(input.text(), 0);
        input.skip(space);
        if !input.text().is_empty() || input.is_last() {
            return Ok(());
        }
        input.fill_block()?;
    }
}

/// Lines that have a say in how values follow each other if nobody said.
const FRAMING_LINES: usize = 100;

/// How the values of a text follow each other, by its beginning.
fn framing(head: &[u8], flavor: Flavor) -> Framing {
    let array = head.first() == Some(&b'[');
    if flavor == Flavor::Document {
        return if array {
            Framing::Array
        } else {
            Framing::Values
        };
    }
    let line = memchr::memchr(b'\n', head);
    let is_whole = |line: &[u8]| {
        value_end(line, skip_space(line, 0)).is_ok_and(|end| skip_space(line, end) == line.len())
    };
    let whole = is_whole(&head[..line.unwrap_or(head.len())]);
    let goes_on = line.is_some_and(|at| skip_space(head, at) < head.len());
    if array && flavor == Flavor::Unknown && !(whole && goes_on) {
        return Framing::Array;
    }
    // A first value may stand on one line by chance, as `{}` does among values that go over several.
    let mut lines = head
        .split_inclusive(|&byte| byte == b'\n')
        .take(FRAMING_LINES);
    let alike =
        |line: &[u8]| !line.ends_with(b"\n") || skip_space(line, 0) == line.len() || is_whole(line);
    if whole && line.is_some() && (flavor == Flavor::Lines || lines.all(alike)) {
        Framing::Lines
    } else {
        Framing::Values
    }
}
