//! JSON to columns, a block at a time.

use std::io::Read;

use hashbrown::HashMap;

use super::cut::{Cut, Framing, cut};
use super::scan::{Fault, skip_space, string_end, unescape, value_behind_colon, value_end};
use crate::error::{Error, Result};
use crate::schema::{ROW_COLUMN, Type};
use crate::text::TextOptions;
use crate::text::frame::{Columns, Origin};
use crate::text::infer::{Spelling, infer, strings};
use crate::text::input::Input;
use crate::text::project::Infer;
use crate::text::span::{Block, Cells, Span, Spot};
use crate::text::typed;

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

/// What is needed to read a block, shared by all of them.
#[derive(Clone, Debug)]
pub struct JsonParser {
    options: TextOptions,
    framing: Framing,
    /// Rows are objects; else each row is one value in the column [`ROW_COLUMN`].
    objects: bool,
}

/// Whole values, not read yet.
#[derive(Debug)]
pub struct JsonBlock {
    block: Block,
    first: bool,
    last: bool,
    /// Number of values, if a limit was given.
    pub records: usize,
}

/// Spans by column, kept from block to block for their memory.
#[derive(Debug, Default)]
pub struct JsonScratch {
    columns: Vec<Vec<Span>>,
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
        skip_all_space(&mut input)?;
        let framing = framing(input.text(), flavor);
        if framing == Framing::Array {
            input.skip(1);
            skip_all_space(&mut input)?;
        }
        let objects = matches!(input.text().first(), Some(b'{' | b']') | None)
            && options.fixed.get(ROW_COLUMN) != Some(Type::Json);
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

impl JsonParser {
    /// Reads the columns of a block.
    ///
    /// # Errors
    /// Text that is no JSON, a row that is no object, a key twice in a row, or a value that does not
    /// fit its fixed type.
    pub fn parse(&self, block: &JsonBlock, scratch: &mut JsonScratch) -> Result<Columns> {
        let JsonBlock { block: text, .. } = block;
        if let Err(error) = simdutf8::compat::from_utf8(text.text()) {
            let fault = Fault {
                at: error.valid_up_to(),
                what: "this is not UTF-8",
            };
            return Err(self
                .error(text, fault)
                .hint("convert the file first, for example with iconv -f latin1 -t utf8"));
        }
        let mut rows = Rows::new(text.text(), scratch);
        self.rows(&mut rows, block)
            .map_err(|fault| self.error(text, fault))?;
        let count = rows.count;
        let keys = rows.finish();
        let names = if self.objects {
            keys
        } else {
            vec![ROW_COLUMN.to_owned()]
        };

        let spelling = Spelling {
            json: true,
            quote: Some(b'"'),
            utf8: true,
        };
        let mut columns = Vec::with_capacity(names.len());
        let mut kept = Vec::with_capacity(names.len());
        for (name, spans) in names.into_iter().zip(&scratch.columns) {
            if self
                .options
                .columns
                .as_ref()
                .is_some_and(|wanted| !wanted.contains(&name))
            {
                continue;
            }
            let cells = Cells::new(text, spans, 1);
            let fixed = self.options.fixed.get(&name);
            let fixed = fixed.or((!self.objects).then_some(Type::Json));
            columns.push(match fixed {
                Some(ty) => typed::read(cells, ty, spelling).map_err(|misfit| {
                    let start = cells.span(misfit.row).start as usize;
                    misfit.into_error(ty, text.spot(start), &name)
                })?,
                None if self.options.infer == Infer::None => strings(cells, spelling),
                None => infer(cells, spelling),
            });
            kept.push(name);
        }
        Ok(Columns {
            names: kept.into(),
            columns,
            rows: count,
            origin: if self.objects {
                Origin::Objects
            } else {
                Origin::Values
            },
        })
    }

    /// Walks the rows of a block.
    fn rows(&self, rows: &mut Rows<'_>, block: &JsonBlock) -> std::result::Result<(), Fault> {
        let text = rows.text;
        let array = self.framing == Framing::Array;
        let lines = self.framing == Framing::Lines;
        let mut at = skip_space(text, 0);
        if array && at == text.len() && block.last && !block.first {
            return Err(Fault {
                at,
                what: "expected a value behind the last comma",
            });
        }
        while at < text.len() {
            let start = at;
            if lines {
                // Blocks end at any line, so values must end with theirs.
                let newline = memchr::memchr(b'\n', &text[at..]);
                rows.text = &text[..newline.map_or(text.len(), |len| at + len)];
            }
            at = if self.objects {
                rows.object(at)?
            } else {
                rows.value(at)?
            };
            let end = at;
            if lines {
                at = skip_space(rows.text, at);
                if at < rows.text.len() {
                    let another = value_end(rows.text, at).is_ok();
                    let what = if another { TWO_IN_LINE } else { NO_LINE_END };
                    return Err(Fault { at, what });
                }
            }
            at = skip_space(text, at);
            // `2024-10-11` is not three numbers, and blocks end at white space and brackets only.
            if !array && at == end && at < text.len() && !matches!(text[start], b'{' | b'[') {
                let what = "expected white space behind the value";
                return Err(Fault { at, what });
            }
            if array {
                match text.get(at) {
                    Some(b',') => at = skip_space(text, at + 1),
                    Some(_) => {
                        return Err(Fault {
                            at,
                            what: "expected , or ]",
                        });
                    }
                    None => break,
                }
                if at == text.len() && block.last {
                    return Err(Fault {
                        at,
                        what: "expected a value behind the last comma",
                    });
                }
            }
        }
        Ok(())
    }

    fn error(&self, block: &Block, fault: Fault) -> Error {
        let Spot { line, byte } = block.spot(fault.at);
        let error = |what: &str| Error::input(what).at_line(line, byte);
        match fault.what {
            NO_OBJECT | KEY_TWICE => {
                error(fault.what).hint("--schema '$:json' keeps each row as one JSON value")
            }
            TWO_IN_LINE => error(TWO_IN_LINE).hint("--from json reads any number in a line"),
            what if what.contains("text ends") && self.framing == Framing::Lines => {
                error(&what.replace("text ends", "line ends"))
                    .hint("--from json reads values that go over several lines")
            }
            what => error(what),
        }
    }
}

const NO_OBJECT: &str = "expected an object, as in the rows before";
const KEY_TWICE: &str = "this key is there twice";
const TWO_IN_LINE: &str = "expected the end of the line, not a second value";
const NO_LINE_END: &str = "expected the end of the line";

/// The spans of the rows read so far, by column.
struct Rows<'a> {
    text: &'a [u8],
    columns: &'a mut Vec<Vec<Span>>,
    /// Each column's key as it stands in the text, quotes included.
    keys: Vec<&'a [u8]>,
    by_key: HashMap<&'a [u8], usize, foldhash::fast::FixedState>,
    /// Some key is spelled with an escape, so that keys may be the same that look different.
    has_escapes: bool,
    /// The column whose key last followed that of this column; the first is followed by `after[0]`.
    after: Vec<usize>,
    count: usize,
}

impl<'a> Rows<'a> {
    fn new(text: &'a [u8], scratch: &'a mut JsonScratch) -> Self {
        for column in &mut scratch.columns {
            column.clear();
        }
        Self {
            text,
            columns: &mut scratch.columns,
            keys: Vec::new(),
            by_key: HashMap::default(),
            has_escapes: false,
            after: vec![0],
            count: 0,
        }
    }

    /// A row that is any value.
    fn value(&mut self, at: usize) -> std::result::Result<usize, Fault> {
        let end = value_end(self.text, at)?;
        if self.columns.is_empty() {
            self.columns.push(Vec::new());
        }
        self.columns[0].push(Span {
            start: at as u32,
            len: (end - at) as u32,
        });
        self.count += 1;
        Ok(end)
    }

    /// A row that is an object.
    fn object(&mut self, at: usize) -> std::result::Result<usize, Fault> {
        let text = self.text;
        if text.get(at) != Some(&b'{') {
            value_end(text, at)?;
            return Err(Fault {
                at,
                what: NO_OBJECT,
            });
        }
        let mut at = skip_space(text, at + 1);
        let mut previous = 0;
        if text.get(at) == Some(&b'}') {
            self.count += 1;
            return Ok(at + 1);
        }
        loop {
            let key = at;
            let guess = self.after[previous];
            let column = match self.keys.get(guess) {
                // Rows that a program wrote repeat their keys in order.
                Some(known) if text[at..].starts_with(known) => {
                    at += known.len();
                    guess
                }
                _ => {
                    at = match text.get(at) {
                        Some(b'"') => string_end(text, at)?,
                        Some(_) => {
                            return Err(Fault {
                                at,
                                what: "expected a key",
                            });
                        }
                        None => {
                            return Err(Fault {
                                at,
                                what: "the text ends inside an object",
                            });
                        }
                    };
                    self.column(&text[key..at], previous)
                }
            };
            previous = column + 1;
            at = value_behind_colon(text, at)?;
            let end = value_end(text, at)?;
            let span = if text[at] == b'n' {
                Span::NULL
            } else {
                Span {
                    start: at as u32,
                    len: (end - at) as u32,
                }
            };
            let spans = &mut self.columns[column];
            if spans.len() != self.count {
                if spans.len() > self.count {
                    return Err(Fault {
                        at: key,
                        what: KEY_TWICE,
                    });
                }
                spans.resize(self.count, Span::NULL);
            }
            spans.push(span);
            at = skip_space(text, end);
            match text.get(at) {
                Some(b',') => at = skip_space(text, at + 1),
                Some(b'}') => break,
                Some(_) => {
                    return Err(Fault {
                        at,
                        what: "expected , or }",
                    });
                }
                None => {
                    return Err(Fault {
                        at,
                        what: "the text ends inside an object",
                    });
                }
            }
        }
        self.count += 1;
        Ok(at + 1)
    }

    /// The column of a key; `previous` is where the guess looked.
    #[cold]
    fn column(&mut self, key: &'a [u8], previous: usize) -> usize {
        let column = *self.by_key.entry(key).or_insert_with(|| {
            // Two spellings of one key (`"é"` and `"\u00e9"`) meet in one column.
            self.has_escapes |= key.contains(&b'\\');
            let same = |known: &&[u8]| key_name(known) == key_name(key);
            let known = if self.has_escapes {
                self.keys.iter().position(same)
            } else {
                None
            };
            let column = known.unwrap_or(self.keys.len());
            if column == self.keys.len() {
                self.keys.push(key);
                self.after.push(0);
                if self.columns.len() < self.keys.len() {
                    self.columns.push(Vec::new());
                }
            }
            column
        });
        self.after[previous] = column;
        column
    }

    /// Fills up the columns and tells their names.
    fn finish(self) -> Vec<String> {
        for column in self.columns.iter_mut().take(self.keys.len()) {
            column.resize(self.count, Span::NULL);
        }
        self.keys.iter().map(|key| key_name(key)).collect()
    }
}

/// What a key in quotes says; half a surrogate pair becomes U+FFFD, as no name can hold it.
fn key_name(key: &[u8]) -> String {
    let inside = &key[1..key.len() - 1];
    let mut name = Vec::with_capacity(inside.len());
    if unescape(inside, &mut name).is_none() {
        name = inside.to_vec();
    }
    String::from_utf8_lossy(&name).into_owned()
}
