//! Cuts JSON input into blocks of complete values.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::cut::{Framing, ValueCut, cut};
use super::margin::Margin;
use super::parse::{JsonBlock, JsonParser, RowKind, record_end};
use super::records::{self, RecordsPath};
use crate::columns::TextOptions;
use crate::columns::shred::JsonScratch;
use crate::error::{Error, Result};
use crate::format::exact::Dialect;
use crate::format::frame::Columns;
use crate::format::input::{BYTE_ORDER_MARK, TextWindow};
use crate::format::read::{ByteSource, Part, Reader};
use crate::format::scratch_pool::ScratchPool;
use crate::schema::{ROW_COLUMN, Type};
use crate::stream::Ending;
use crate::text::json::MAX_DEPTH;
use crate::text::json::scan::{skip_space, value_end};
use crate::text::json::style::JsonStyle;
use crate::text::json::tape::{Tape, TapeValue};

/// Number of bytes of text used to detect its style.
const HEAD_BYTES: usize = 1 << 20;

/// Number of bytes of text whose keys are counted.
const KEY_BYTES: usize = 128 << 10;

/// Bytes of a block per key.
const BYTES_PER_KEY: usize = 16 << 10;

/// Bytes of text per block, unless one value is longer.
const BLOCK_BYTES: RangeInclusive<usize> = 512 << 10..=2 << 20;

/// The most cells of a block if every key of a row is a column; each takes about 16 bytes while the block is read.
const BLOCK_CELLS: usize = 1 << 20;

/// The fewest bytes of a block with many cells.
const LEAST_BLOCK_BYTES: usize = 64 << 10;

/// If the first rows would have more cells per byte of text, most of them without a value, they do not become columns.
const SPARSE_CELLS_PER_BYTE: usize = 16;

/// The kind of JSON text, given by the user or the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// A document: an array of rows, one object, or several values.
    Document,
    /// One value per line.
    Lines,
    /// Not given.
    Unknown,
}

/// Cuts a JSON input into blocks, which `JsonParser` parses.
pub struct JsonReader {
    input: TextWindow<ByteSource>,
    parser: Arc<JsonParser>,
    scratch: Arc<ScratchPool<JsonScratch>>,
    framing: Framing,
    first: bool,
    ended: bool,
    /// The text before the first row.
    head: Margin,
    tail: Margin,
    /// The array whose items are the rows, if it is inside a document.
    records: Option<RecordsPath>,
    /// The text after each value, if the values are a sequence.
    between: Vec<u8>,
}

/// Offset of the white space at the end of `text`, at least `from`.
fn trim_end(text: &[u8], from: usize) -> usize {
    let blank = |byte: &u8| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let end = text[from..].iter().rposition(blank);
    end.map_or(from, |at| from + at + 1)
}

impl JsonReader {
    /// Detects the arrangement of the values.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn open(
        mut input: TextWindow<ByteSource>,
        flavor: Flavor,
        options: TextOptions,
        records: Option<&RecordsPath>,
    ) -> Result<Self> {
        let mut head = Margin::new(options.exact);
        // The first byte of a document shows its framing; of other text, a whole line is needed.
        input.pause_within_lines(flavor == Flavor::Document);
        input.fill_block()?;
        if options.exact && input.text().starts_with(BYTE_ORDER_MARK) {
            head.bytes.extend_from_slice(BYTE_ORDER_MARK);
        }
        let has_mark = input.skip_byte_order_mark()?;
        input.set_block_bytes(HEAD_BYTES);
        head.take_space(&mut input)?;
        if let Some(path) = records {
            records::descend(&mut input, &mut head, path)?;
        }
        let framing = loop {
            match framing(input.text(), flavor, input.is_last()) {
                _ if records.is_some() => break Framing::Array,
                Some(framing) => break framing,
                None => input.grow()?,
            }
        };
        input.pause_within_lines(framing != Framing::Lines);
        if framing == Framing::Array {
            head.take(&mut input, 1)?;
            head.take_space(&mut input)?;
        }
        // Fill the window even if the style is not needed, so that blocks, and therefore frames, are cut at the same
        // places.
        input.fill_block()?;
        while input.is_paused() && cut(input.text(), framing, Some(1)).is_none() {
            // Detecting the style takes at least one record.
            input.grow()?;
        }
        let mut style = if options.exact {
            show_records(&mut input, framing)?;
            JsonStyle::detect(input.text(), framing, input.is_last())
        } else {
            JsonStyle::compact(framing == Framing::Array)
        };
        style.encoding = input.encoding();
        style.unmarked = style.encoding.needs_mark() && !has_mark;
        style.records = records.map(|path| path.to_string().into());
        style.document = framing == Framing::Values
            && match flavor {
                Flavor::Document => true,
                Flavor::Lines => false,
                Flavor::Unknown => !is_whole(first_line(input.text())),
            };
        let objects = matches!(input.text().first(), Some(b'{' | b']') | None)
            && options.fixed.get(ROW_COLUMN) != Some(Type::Json.into());
        let first_rows = FirstRows::of(input.text());
        input.begin_records(first_rows.block_bytes());
        if first_rows.has_small_blocks() {
            input.show_one_block();
        }
        let rows = match objects {
            // A user who states the types of columns knows that the keys are columns.
            true if first_rows.are_sparse() && options.fixed.is_empty() => RowKind::SparseObjects,
            true => RowKind::Objects,
            false => RowKind::Values,
        };
        let between = style.between.clone().into_bytes();
        let tail = Margin::new(options.exact);
        let parser = JsonParser {
            options,
            framing,
            rows,
            dialect: Arc::new(Dialect::Json(style)),
            between: between.clone(),
        };
        Ok(Self {
            input,
            parser: Arc::new(parser),
            scratch: Arc::default(),
            framing,
            first: true,
            ended: false,
            head,
            tail,
            records: records.cloned(),
            between,
        })
    }

    /// The next complete values, at most `limit` of them.
    fn values(&mut self, limit: Option<usize>) -> Result<Option<Part>> {
        if self.ended {
            return Ok(None);
        }
        self.input.wait_for(limit);
        self.input.fill_block()?;
        let array = self.framing == Framing::Array;
        let (comma, len, records, last) = loop {
            let text = self.input.text();
            // A block ends after a value; the following comma starts the next block.
            let comma = if array && !self.first {
                skip_space(text, 0) + 1
            } else {
                0
            };
            let rest = text.get(comma..).unwrap_or_default();
            if let Some(ValueCut { end, values, close }) = cut(rest, self.framing, limit) {
                let end = comma + end;
                if close == 1 {
                    break (comma, end, values, true);
                }
                if array {
                    break (comma, trim_end(&text[..end - 1], comma), values, false);
                }
                break (comma, self.after(end)?, values, false);
            }
            if self.input.is_last() {
                let blank = skip_space(rest, 0) == rest.len();
                break (comma, text.len(), usize::from(!blank), true);
            }
            if self.input.take_pause() {
                let block = JsonBlock {
                    block: self.input.take(0),
                    first: false,
                    last: false,
                    whole: false,
                };
                return Ok(Some(self.part(block, 0, true)));
            }
            self.input.grow()?;
        };
        let close = last && array && self.input.text().len() > len;
        let end = if close && self.input.text()[len] == b']' {
            let text = &self.input.text()[..len];
            let end = trim_end(text, comma);
            // White space after a comma is not a value; the error points to its end.
            if text[..end].ends_with(b",") {
                len
            } else {
                end
            }
        } else {
            len
        };
        let block = self.input.take(end);
        if close {
            self.tail.take(&mut self.input, len - end)?;
            if self.input.text().first() != Some(&b']') {
                let error = Error::input("expected ], which closes the array");
                return Err(self.input.spot(0).locate(error));
            }
            self.tail.take(&mut self.input, 1)?;
            self.expect_end()?;
        } else if last && array {
            // The parser reports an incomplete value; without one, only the bracket is missing.
            let value = skip_space(block.text(), comma);
            let end = value_end(block.text(), value).unwrap_or(value);
            if skip_space(block.text(), end) == block.text().len() {
                let error = Error::input("the text ends before the array is closed");
                return Err(self.input.spot(0).locate(error));
            }
        }
        self.ended = last;
        let first = std::mem::take(&mut self.first);
        // Nothing follows the last boundary.
        if block.text().is_empty() && !first {
            return Ok(None);
        }
        let is_all = limit.is_none_or(|limit| records < limit);
        let is_paused = is_all && self.input.take_pause();
        let rest = self.input.text();
        let block = JsonBlock {
            block,
            first,
            last,
            whole: first && self.input.is_last() && skip_space(rest, 0) == rest.len(),
        };
        Ok(Some(self.part(block, records, is_paused)))
    }

    fn part(&self, block: JsonBlock, records: usize, is_paused: bool) -> Part {
        let (parser, scratch) = (Arc::clone(&self.parser), Arc::clone(&self.scratch));
        let text = block.block.text();
        Part {
            is_blank: skip_space(text, 0) == text.len(),
            is_paused,
            ..Part::text(records, text.len(), move || {
                scratch.with(JsonScratch::default, |scratch| parser.parse(block, scratch))
            })
        }
    }

    /// The end of the record whose value ends at `end`.
    fn after(&mut self, end: usize) -> Result<usize> {
        if self.framing == Framing::Lines {
            return Ok(end);
        }
        self.input.fill_bytes(end + self.between.len())?;
        Ok(record_end(self.input.text(), end, &self.between))
    }

    fn expect_end(&mut self) -> Result<()> {
        if let Some(path) = &self.records {
            records::ascend(&mut self.input, &mut self.tail, path)?;
        }
        self.tail.take_space(&mut self.input)?;
        if self.input.text().is_empty() {
            return Ok(());
        }
        let error = if self.records.is_some() {
            Error::input("unexpected text after the document")
        } else {
            Error::input("unexpected text after the array")
                .hint("--from ndjson reads a sequence of values")
        };
        Err(self.input.spot(0).locate(error))
    }
}

impl Reader for JsonReader {
    fn begin(&mut self) -> Option<Columns> {
        let head = &mut self.head;
        head.exact
            .then(|| self.parser.no_rows(std::mem::take(&mut head.bytes)))
    }

    fn next_part(&mut self, limit: Option<usize>) -> Result<Option<Part>> {
        self.values(limit)
    }

    /// For an array, the end is white space and the closing bracket after the rows.
    fn ending(&self) -> Option<Ending> {
        Some(Ending {
            fingerprint: Some(self.input.fingerprint()?),
            tail: self.tail.bytes.clone(),
        })
    }
}

/// What the first rows show about their keys.
struct FirstRows {
    bytes: usize,
    /// Number of different keys, also in nested objects.
    keys: usize,
    /// Number of rows times the number of different keys of rows.
    cells: usize,
}

impl FirstRows {
    fn of(text: &[u8]) -> Self {
        let text = &text[..text.len().min(KEY_BYTES)];
        let (mut keys, mut columns) = (HashSet::new(), HashSet::new());
        let mut tape = Tape::default();
        let (mut at, mut rows) = (0, 0);
        while at < text.len() {
            let read = tape.read(text, at, MAX_DEPTH);
            let key = |value: &TapeValue| &text[value.key()];
            keys.extend(tape.values().iter().map(key));
            if read.is_none() {
                break;
            }
            rows += 1;
            columns.extend(tape.children(0).map(|child| key(&tape.value(child))));
            at = skip_space(text, tape.value(0).range().end);
            if text.get(at) == Some(&b',') {
                at = skip_space(text, at + 1);
            }
        }
        Self {
            bytes: text.len(),
            keys: keys.len(),
            cells: rows * columns.len(),
        }
    }

    /// The size of blocks. Every key costs a few dozen allocations per block wherever it occurs, so text with many keys
    /// has larger blocks, unless rows lack most of them: then every row costs a cell per key.
    fn block_bytes(&self) -> usize {
        let most = self.usual_block_bytes();
        self.bytes_of_cells().max(LEAST_BLOCK_BYTES).min(most)
    }

    /// The bytes of a block of [`BLOCK_CELLS`] cells.
    fn bytes_of_cells(&self) -> usize {
        let bytes = self.bytes as u64 * BLOCK_CELLS as u64 / self.cells.max(1) as u64;
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// The size of blocks by the number of keys alone.
    fn usual_block_bytes(&self) -> usize {
        (self.keys * BYTES_PER_KEY).clamp(*BLOCK_BYTES.start(), *BLOCK_BYTES.end())
    }

    /// True if blocks of the usual size would have too many cells.
    fn has_small_blocks(&self) -> bool {
        self.bytes_of_cells() < self.usual_block_bytes()
    }

    /// True if most rows lack most keys. Short text cannot exhaust memory.
    fn are_sparse(&self) -> bool {
        self.bytes == KEY_BYTES && self.cells > self.bytes * SPARSE_CELLS_PER_BYTE
    }
}

/// Number of lines used to detect the arrangement of values.
const FRAMING_LINES: usize = 100;

fn first_line(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())]
}

/// True for a line with one complete value.
fn is_whole(line: &[u8]) -> bool {
    value_end(line, skip_space(line, 0)).is_ok_and(|end| skip_space(line, end) == line.len())
}

/// If lines are counted, shows enough lines to contain one value: the layout is detected from it. Unless lines separate
/// values, it must be followed by the start of the next one, which shows what is between them.
fn show_records(input: &mut TextWindow<ByteSource>, framing: Framing) -> Result<()> {
    let Some(records) = input.shown_lines() else {
        return Ok(());
    };
    while input.text().len() < HEAD_BYTES && !input.is_last() && !input.is_paused() {
        let text = input.text();
        let found = cut(text, framing, Some(records));
        let is_separated = |end: usize| {
            records > 1 || framing == Framing::Lines || skip_space(text, end) < text.len()
        };
        if found.is_some_and(|found| {
            found.close == 1 || found.values >= records && is_separated(found.end)
        }) {
            break;
        }
        input.grow()?;
    }
    Ok(())
}

/// Detects the arrangement of values from the start of a text; `None` if more of it is needed. `is_all` is true if
/// there is no more.
fn framing(head: &[u8], flavor: Flavor, is_all: bool) -> Option<Framing> {
    let array = head.first() == Some(&b'[');
    if flavor == Flavor::Document {
        return Some(if array {
            Framing::Array
        } else {
            Framing::Values
        });
    }
    let line = memchr::memchr(b'\n', head);
    let whole = is_whole(first_line(head));
    let has_more = line.is_some_and(|at| skip_space(head, at) < head.len());
    if array && flavor == Flavor::Unknown && !(whole && has_more) {
        return (!whole || is_all).then_some(Framing::Array);
    }
    // The first value may be on one line by chance, such as `{}` among values that span several lines.
    let mut lines = head
        .split_inclusive(|&byte| byte == b'\n')
        .take(FRAMING_LINES);
    let alike =
        |line: &[u8]| !line.ends_with(b"\n") || skip_space(line, 0) == line.len() || is_whole(line);
    let is_enough = || {
        is_all
            || memchr::memchr_iter(b'\n', head)
                .nth(FRAMING_LINES - 1)
                .is_some()
    };
    let of_lines = flavor == Flavor::Lines || is_enough() && lines.all(alike);
    Some(if whole && line.is_some() && of_lines {
        Framing::Lines
    } else {
        Framing::Values
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// The number of bytes of each block.
    fn blocks(text: &str, exact: bool) -> Vec<usize> {
        let bytes = Box::new(Cursor::new(text.to_owned()));
        let input = TextWindow::new(bytes as ByteSource, u64::MAX);
        let options = TextOptions {
            exact,
            ..TextOptions::default()
        };
        let mut reader = JsonReader::open(input, Flavor::Lines, options, None).unwrap();
        let next = || reader.next_part(None).unwrap();
        std::iter::from_fn(next)
            .map(|part| part.len_bytes)
            .collect()
    }

    /// At least `bytes` bytes of rows with an id and one of `keys` other keys.
    fn rows_of_few_keys(keys: usize, bytes: usize) -> String {
        let row = |row: usize| {
            let key = row * 7919 % keys;
            format!("{{\"id\":{row},\"key{key}\":{row}}}\n")
        };
        (0..=bytes / row(0).len()).map(row).collect()
    }

    #[test]
    fn rows_that_lack_most_keys_come_in_blocks_of_few_cells() {
        for keys in [50, 200, 400] {
            let text = rows_of_few_keys(keys, 3 << 20);
            let cut = blocks(&text, true);
            assert_eq!(cut, blocks(&text, false), "{keys} keys");
            let mut rest = &text[..];
            for len in cut {
                let block;
                (block, rest) = rest.split_at(len);
                let cells = (keys + 1) * block.lines().count();
                // Later rows may be shorter than the first ones.
                assert!(
                    cells < BLOCK_CELLS + BLOCK_CELLS / 4,
                    "{keys} keys: {cells} cells"
                );
            }
            assert_eq!(rest, "");
        }
    }

    #[test]
    fn rows_are_sparse_if_there_are_many_and_almost_all_keys_are_absent() {
        let are_sparse =
            |keys, bytes| FirstRows::of(rows_of_few_keys(keys, bytes).as_bytes()).are_sparse();
        assert!(are_sparse(1000, 1 << 20));
        assert!(!are_sparse(100, 1 << 20));
        assert!(
            !are_sparse(1000, 1 << 16),
            "short text cannot exhaust memory"
        );
        // Keys of nested objects are not columns.
        let nested = |row: usize| format!("{{\"id\":{row},\"a\":{{\"key{row}\":1}}}}\n");
        let nested: String = (0..10_000).map(nested).collect();
        assert!(!FirstRows::of(nested.as_bytes()).are_sparse());
    }

    /// The same frames, and hence the same batches for other formats, whether the text is kept or not.
    #[test]
    fn blocks_do_not_depend_on_whether_the_text_is_kept() {
        for keys in [2, 60, 200] {
            let row = |row: usize| {
                let members = (0..keys).map(|key| format!("\"key{key}\":{}", row * key));
                format!("{{{}}}\n", members.collect::<Vec<_>>().join(","))
            };
            let mut text = String::new();
            for number in 0.. {
                text += &row(number);
                if text.len() > 5 << 20 {
                    break;
                }
            }
            let cut = blocks(&text, true);
            assert_eq!(cut, blocks(&text, false), "{keys} keys");
            assert!(cut.len() > 2 && cut.iter().sum::<usize>() == text.len());
            let most = (keys * BYTES_PER_KEY).clamp(HEAD_BYTES, *BLOCK_BYTES.end());
            assert!(cut.iter().all(|&len| len <= most), "{cut:?}");
        }
    }
}
