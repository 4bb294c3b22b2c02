//! Reads text from a file or pipe through a growing window.

use std::io::{ErrorKind, Read};

use crate::columns::span::{Spot, TextBlock};
use crate::error::{Error, Result};
use crate::memory;
use crate::stream::{Fingerprint, Fingerprinter, HashKind};
use crate::text::encoding::{TextDecoder, TextEncoding, Undecodable};

/// Size of a block of text in bytes, unless one record is longer. Small enough for the text and the spans of a block to
/// stay in the second-level cache while its columns are read.
pub const BLOCK_BYTES: usize = 256 << 10;

/// Number of bytes requested at a time. The space for them is filled with zeros first, which takes time for small files.
const READ_BYTES: usize = 64 << 10;

/// A record of up to this many lines is examined again after each line.
const FEW_LINES: usize = 64;

/// Length of the byte order mark of UTF-16.
const MARK_BYTES: usize = 2;

/// Length of the longest byte order mark, which UTF-32 has.
const LONGEST_MARK: usize = 4;

/// The byte order mark that some programs write at the start of UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A window on the input; blocks are taken from its front.
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
pub struct TextWindow<R> {
    reader: R,
    window: Vec<u8>,
    /// Start of the remaining data in the window.
    start: usize,
    /// End of the visible part of the data.
    end: usize,
    /// The end of the data; the space after it is free for reading.
    filled: usize,
    /// How many lines to show at once, without waiting for more; `None` for as much as fits.
    lines: Option<usize>,
    exhausted: bool,
    /// True if the reader fails with [`ErrorKind::TimedOut`] when the data in the window has waited long enough.
    waits_briefly: bool,
    /// True if records may end within a line, so that part of a line is passed on, too.
    pauses_within_lines: bool,
    /// True if the reader has timed out.
    paused: bool,
    /// Position in the input of the remaining data.
    spot: Spot,
    /// The byte that ends a line.
    newline: u8,
    /// The longest record allowed.
    max_record: u64,
    block_bytes: usize,
    /// The fingerprint of all bytes read, if requested.
    fingerprint: Option<Fingerprinter>,
    /// The encoding, known after the first read.
    encoding: TextEncoding,
    /// True if a byte order mark of UTF-16 sets the encoding.
    mark_decides: bool,
    /// True when the encoding is known.
    begun: bool,
    /// The decoder for an encoding other than UTF-8.
    decoder: Option<Box<TextDecoder>>,
}

impl<R: Read> TextWindow<R> {
    /// Reads from `reader`; refuses records longer than `max_record` bytes.
    pub fn new(reader: R, max_record: u64) -> Self {
        Self {
            reader,
            window: Vec::new(),
            start: 0,
            end: 0,
            filled: 0,
            lines: None,
            exhausted: false,
            waits_briefly: false,
            pauses_within_lines: false,
            paused: false,
            spot: Spot { line: 1, byte: 1 },
            newline: b'\n',
            // The offsets of Arrow's text columns are i32.
            max_record: max_record.min(i32::MAX as u64),
            block_bytes: BLOCK_BYTES,
            fingerprint: None,
            encoding: TextEncoding::Utf8,
            mark_decides: true,
            begun: false,
            decoder: None,
        }
    }

    /// Sets the encoding. The default is UTF-8, or UTF-16 if the text starts with its byte order mark.
    pub fn set_encoding(&mut self, encoding: TextEncoding) {
        self.encoding = encoding;
        // UTF-16 with a mark of the opposite byte order would not be text.
        self.mark_decides = encoding.needs_mark();
    }

    /// The encoding, known after the first read.
    pub fn encoding(&self) -> TextEncoding {
        self.encoding
    }

    /// Determines the encoding from the first bytes of the input.
    fn begin(&mut self) {
        self.begun = true;
        let head = &self.window[..self.filled];
        let marked = TextEncoding::of_mark(head).filter(|_| self.mark_decides);
        self.encoding = marked.unwrap_or(self.encoding);
        if self.encoding != TextEncoding::Utf8 {
            let mut decoder = TextDecoder::new(self.encoding, self.fingerprint.is_some());
            decoder.give(head);
            self.decoder = Some(Box::new(decoder));
            self.filled = 0;
            self.exhausted = false;
        }
    }

    /// Sets the approximate size of the following blocks.
    pub fn set_block_bytes(&mut self, bytes: usize) {
        self.block_bytes = bytes;
    }

    /// Sets the approximate size of the blocks of records. What is visible never exceeds the longest record allowed by
    /// more than one byte, so that every longer record is found not to fit.
    pub fn begin_records(&mut self, bytes: usize) {
        let most = usize::try_from(self.max_record)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        self.block_bytes = bytes.min(most);
        self.end = self.end.min(self.start.saturating_add(most));
    }

    /// Shows only one block, even if more has been read.
    pub fn show_one_block(&mut self) {
        self.end = self.end.min(self.start.saturating_add(self.block_bytes));
    }

    /// From now on, shows this many lines at once, as soon as they have arrived, so that callers who need no more do
    /// not wait for more. What is visible depends only on the text, not on its timing.
    pub fn show_lines(&mut self, lines: usize) {
        self.lines = Some(lines.max(1));
    }

    /// Lets the reader fail with [`ErrorKind::TimedOut`] when the data in the window has waited long enough.
    pub fn wait_briefly(&mut self) {
        self.waits_briefly = true;
    }

    /// Sets whether records may end within a line, so that a pause makes part of a line visible, too.
    pub fn pause_within_lines(&mut self, whether: bool) {
        self.pauses_within_lines = whether;
    }

    /// If lines are counted, shows as many lines at once as records are needed.
    pub fn wait_for(&mut self, records: Option<usize>) {
        if let (Some(lines), Some(records)) = (&mut self.lines, records) {
            *lines = records.max(1);
        }
    }

    /// The number of lines to show at once, if they are counted.
    pub fn shown_lines(&self) -> Option<usize> {
        self.lines
    }

    /// True if the reader has timed out.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Computes the fingerprint of everything read from now on.
    pub fn take_fingerprint(&mut self, kind: HashKind) {
        self.fingerprint = Some(Fingerprinter::new(kind));
    }

    /// The fingerprint of everything read, if requested.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint.as_ref().map(Fingerprinter::finish)
    }

    /// The visible part of the input.
    pub fn text(&self) -> &[u8] {
        &self.window[self.start..self.end]
    }

    /// True if nothing follows [`Self::text`].
    pub fn is_last(&self) -> bool {
        self.exhausted && self.end == self.filled
    }

    /// True if the reader has timed out, so that all complete records must be passed on; once for each pause.
    pub fn take_pause(&mut self) -> bool {
        std::mem::take(&mut self.paused)
    }

    /// Sets the byte that ends lines, for counting them.
    pub fn set_newline(&mut self, newline: u8) {
        self.newline = newline;
    }

    /// The position in the input of an offset in [`Self::text`].
    pub fn spot(&self, offset: usize) -> Spot {
        self.spot.after(&self.text()[..offset], self.newline)
    }

    /// Skips a byte order mark, which is not part of the first line; true if there was one.
    ///
    /// # Errors
    /// If the input cannot be read, or has the mark of UTF-16 or UTF-32.
    pub fn skip_byte_order_mark(&mut self) -> Result<bool> {
        self.fill_block()?;
        let has_mark = self.text().starts_with(BYTE_ORDER_MARK);
        if has_mark {
            self.start += BYTE_ORDER_MARK.len();
        }
        if self.text().starts_with(b"\xFF\xFE\0\0") {
            return Err(Error::input("this is UTF-32, which mbt does not read")
                .hint("iconv -f utf-32 -t utf-8 converts it"));
        }
        if TextEncoding::of_mark(self.text()).is_some() {
            return Err(Error::input("this is UTF-16, not UTF-8")
                .at_line(self.spot.line, self.spot.byte)
                .hint("omit --encoding, or write --encoding utf-16"));
        }
        Ok(has_mark)
    }

    /// Reads until `wanted` bytes are visible, or the number of lines set by [`Self::show_lines`], or the input ends or
    /// pauses.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn fill(&mut self, wanted: usize) -> Result<()> {
        let lines = self.lines;
        self.fill_lines(wanted, 0, lines)
    }

    /// Like [`Self::fill`], however many lines that takes.
    ///
    /// # Errors
    /// As for [`Self::fill`].
    pub fn fill_bytes(&mut self, wanted: usize) -> Result<()> {
        self.fill_lines(wanted, 0, None)
    }

    /// Reads until `wanted` bytes are visible, or `lines` lines after the offset `after`, or the input ends or pauses.
    fn fill_lines(&mut self, wanted: usize, after: usize, lines: Option<usize>) -> Result<()> {
        loop {
            if self.text().len() >= wanted || self.is_last() || self.show(wanted, after, lines) {
                return Ok(());
            }
            if self.paused && self.start < self.filled {
                self.end = self.filled;
                return Ok(());
            }
            self.paused = false;
            self.read_more(wanted, lines.is_some())?;
        }
    }

    /// Extends the visible part up to what is wanted; true if that needs no more reading.
    fn show(&mut self, wanted: usize, after: usize, lines: Option<usize>) -> bool {
        let (after, most) = (self.start + after, self.filled.min(self.start + wanted));
        let line_ends = || memchr::memchr_iter(self.newline, &self.window[after..most]);
        let of_lines = lines.and_then(|lines| line_ends().nth(lines - 1));
        let (end, is_enough) = match of_lines {
            Some(line_end) => ((after + line_end + 1).max(self.end), true),
            None => (most, most == self.start + wanted || self.exhausted),
        };
        if is_enough {
            self.end = end;
        }
        is_enough
    }

    /// Reads until the window contains `wanted` bytes; with `once`, reads a single time, because lines are counted.
    fn read_more(&mut self, wanted: usize, once: bool) -> Result<()> {
        self.window.copy_within(self.start..self.filled, 0);
        self.end -= self.start;
        self.filled -= self.start;
        self.start = 0;
        let seen = self.filled;
        let wanted = if self.begun {
            wanted
        } else {
            wanted.max(MARK_BYTES)
        };
        if self.window.len() < wanted {
            let more = wanted - self.window.len();
            memory::reserve_exact(&mut self.window, more, "cannot read")?;
        }
        while !self.begun || self.filled < wanted && !self.exhausted {
            // Grow in steps, since untouched memory costs nothing.
            let end = wanted.min(self.filled + READ_BYTES);
            if self.window.len() < end {
                self.window.resize(end, 0);
            }
            let space = &mut self.window[self.filled..end];
            let read = match &mut self.decoder {
                None => self.reader.read(space),
                Some(decoder) => decoder.read(&mut self.reader, space, &mut |bytes| {
                    if let Some(fingerprint) = &mut self.fingerprint {
                        fingerprint.update(bytes);
                    }
                }),
            };
            match read {
                Ok(0) => {
                    self.exhausted = true;
                    if !self.begun {
                        self.begin();
                    }
                }
                Ok(read) => {
                    self.filled += read;
                    if !self.begun && self.filled >= MARK_BYTES {
                        self.begin();
                    }
                    if once && self.begun {
                        break;
                    }
                }
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::TimedOut if self.waits_briefly => {
                        self.paused = self.begun && self.may_hold_record();
                        if self.paused {
                            break;
                        }
                    }
                    // The compressed input is damaged or cut short.
                    ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
                        return Err(self.unreadable(&error));
                    }
                    _ => return Err(Error::io("cannot read", error)),
                },
            }
        }
        if let Some(fingerprint) = self.fingerprint.as_mut().filter(|_| self.decoder.is_none()) {
            fingerprint.update(&self.window[seen..self.filled]);
        }
        Ok(())
    }

    /// True if the window may hold a complete record. Part of a line is usually not a record, and is not
    /// enough to detect the format.
    fn may_hold_record(&self) -> bool {
        let held = &self.window[self.start..self.filled];
        let is_past_mark = self.spot.byte > 1 || self.spot.line > 1 || held.len() > LONGEST_MARK;
        self.pauses_within_lines && is_past_mark && !held.is_empty()
            || memchr::memchr(self.newline, held).is_some()
    }

    fn unreadable(&self, error: &std::io::Error) -> Error {
        let cause = error.get_ref();
        let Some(what) = cause.and_then(|cause| cause.downcast_ref::<Undecodable>()) else {
            return Error::input(format!("cannot read: {error}"));
        };
        let read = &self.window[self.start..self.filled];
        let Spot { line, byte } = self.spot.after(read, self.newline);
        Error::input(what)
            .at_line(line, byte)
            .hint(if what.is_ambiguous {
                "--exact off keeps only the values"
            } else {
                "name another encoding with --encoding"
            })
    }

    /// Makes at least one block visible.
    ///
    /// # Errors
    /// As for [`Self::fill`].
    pub fn fill_block(&mut self) -> Result<()> {
        self.fill(self.block_bytes)
    }

    /// Makes a block visible that has the required number of lines, of which `lines` are before the offset `after` and
    /// the others after it; true if that is more than before.
    ///
    /// # Errors
    /// As for [`Self::fill`].
    pub fn fill_block_after(&mut self, after: usize, lines: usize) -> Result<bool> {
        let seen = self.text().len();
        match self.lines.map(|required| required.saturating_sub(lines)) {
            Some(0) => {}
            more => self.fill_lines(self.block_bytes, after, more)?,
        }
        Ok(self.text().len() > seen)
    }

    /// Refuses a record of more bytes than allowed, which starts here or includes what was skipped.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`].
    pub fn ensure_record(&self, bytes: usize) -> Result<()> {
        if bytes as u64 <= self.max_record {
            return Ok(());
        }
        let what = format!("a record is longer than {} bytes", self.max_record);
        Err(Error::limit(what)
            .at_line(self.spot.line, self.spot.byte)
            .hint("raise --max-record, or look for an unclosed quote"))
    }

    /// Makes up to twice as much visible, for a record that does not fit.
    ///
    /// # Errors
    /// As for [`Self::fill`], or if the record is too long.
    pub fn grow(&mut self) -> Result<()> {
        let seen = self.text().len();
        self.ensure_record(seen)?;
        // The window does not contain a complete record.
        self.paused = false;
        let most = usize::try_from(self.max_record).unwrap_or(usize::MAX) + 1;
        let wanted = (2 * seen).max(self.block_bytes).min(most.max(seen + 1));
        let lines = self.lines.map(|_| {
            let seen = memchr::memchr_iter(self.newline, self.text()).count();
            // Do not look at a record of many lines again after every line.
            if seen < FEW_LINES { seen + 1 } else { 2 * seen }
        });
        self.fill_lines(wanted, 0, lines)
    }

    /// Takes `len` bytes as a block.
    pub fn take(&mut self, len: usize) -> TextBlock {
        let spot = self.spot;
        let next = self.spot(len);
        let block = if len > self.block_bytes && self.start == 0 {
            // A long record: copying the rest is cheaper.
            let rest = self.window[len..self.filled].to_vec();
            let mut text = std::mem::replace(&mut self.window, rest);
            text.truncate(len);
            self.end -= len;
            self.filled -= len;
            TextBlock::of(text, spot, self.newline)
        } else {
            let block = TextBlock::new(
                &self.window[self.start..self.start + len],
                spot,
                self.newline,
            );
            self.start += len;
            block
        };
        self.spot = next;
        block
    }

    /// Skips `len` bytes.
    pub fn skip(&mut self, len: usize) {
        if len > self.block_bytes {
            // Free the memory of a long head.
            self.take(len);
        } else {
            self.spot = self.spot(len);
            self.start += len;
        }
    }
}
