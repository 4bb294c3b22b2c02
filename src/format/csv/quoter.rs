//! Decides which cells need quotes, and quotes them.

use super::style::{CsvStyle, Spaces};
use crate::format::input::BYTE_ORDER_MARK;
use crate::text::form::QUOTED_EMPTY;
use crate::text::masks::{CHUNK, equal};
use crate::text::print::is_plain;

/// The cells that are null.
#[derive(Debug)]
pub(super) struct Nulls {
    /// True if the empty cell is null.
    pub(super) empty: bool,
    /// Words that are null.
    pub(super) words: Vec<Vec<u8>>,
}

impl Nulls {
    pub(super) fn new(nulls: &[Vec<u8>]) -> Self {
        Self {
            empty: nulls.iter().any(Vec::is_empty),
            words: nulls
                .iter()
                .filter(|null| !null.is_empty())
                .cloned()
                .collect(),
        }
    }

    /// True if the unquoted cell is null.
    #[inline]
    pub(super) fn has(&self, cell: &[u8]) -> bool {
        // Comparing empty slices can be slow, because the address of an empty vector is not real memory.
        if cell.is_empty() {
            self.empty
        } else {
            self.words.iter().any(|word| word == cell)
        }
    }
}

/// The rules of a style for quoting cells.
#[derive(Debug)]
pub(super) struct Quoter {
    pub(super) style: CsvStyle,
    /// True if delimiter or quote may occur in numbers, bools, timestamps, UUIDs or hex.
    clashes_with_plain: bool,
    /// True if these, except hex (which may be empty), never need quotes.
    pub(super) plain_is_safe: bool,
    /// For each byte, whether a text that starts with it may need quotes although it contains no special byte.
    may_be_ambiguous: [bool; 256],
}

impl Quoter {
    pub(super) fn new(style: CsvStyle) -> Self {
        let clashes_with_plain = is_plain(style.delimiter) || style.quote.is_some_and(is_plain);
        let mut may_be_ambiguous = [matches!(style.spaces, Spaces::Edges | Spaces::Any); 256];
        let comment = style.comment.map(|mark| mark.bytes()[0]);
        for byte in BYTE_ORDER_MARK.first().into_iter().chain(&comment) {
            may_be_ambiguous[usize::from(*byte)] = true;
        }
        for space in [b' ', b'\t'] {
            may_be_ambiguous[usize::from(space)] |= style.spaces != Spaces::Bare;
        }
        Self {
            clashes_with_plain,
            plain_is_safe: style.null.is_empty() && !clashes_with_plain,
            may_be_ambiguous,
            style,
        }
    }

    /// The mask of the bytes that would end a cell or start a quote.
    #[inline]
    pub(super) fn special_mask(&self, chunk: &[u8; CHUNK]) -> u64 {
        let quote = self.style.quote.unwrap_or(self.style.delimiter);
        let masks = equal(chunk, [self.style.delimiter, quote, b'\n', b'\r']);
        masks.iter().fold(0, |any, mask| any | mask)
    }

    /// True if a text surely needs no quotes in a column with the null word `null` unless it has special bytes.
    #[inline]
    pub(super) fn is_bare(&self, cell: &[u8], null: &[u8]) -> bool {
        let is_sure = |first: &u8| !self.may_be_ambiguous[usize::from(*first)];
        cell.first().is_some_and(is_sure) && cell != null && cell != self.style.null
    }

    /// True if this byte between the fields of a date or time never makes quotes necessary.
    pub(super) fn is_harmless(&self, byte: u8) -> bool {
        !self.is_special(&[byte])
            && !(self.style.comment).is_some_and(|mark| mark.bytes().contains(&byte))
            && (self.style.spaces == Spaces::Bare || !matches!(byte, b' ' | b'\t'))
    }

    /// True if the text contains a byte that would end a cell or start a quote.
    pub(super) fn is_special(&self, text: &[u8]) -> bool {
        let quote = self.style.quote.unwrap_or(self.style.delimiter);
        // No early exit, so that the loop becomes vector instructions.
        let special = text.iter().fold(0, |found, &byte| {
            found
                | u8::from(byte == self.style.delimiter)
                | u8::from(byte == quote)
                | u8::from(byte == b'\n')
                | u8::from(byte == b'\r')
        });
        special != 0
    }

    /// True if the cell would be misread without quotes (ignoring nulls), or the style quotes it.
    pub(super) fn must_quote(&self, cell: &[u8]) -> bool {
        self.is_special(cell) || self.is_ambiguous(cell)
    }

    /// True if the cell would be misread without quotes although it contains no special byte.
    #[inline]
    fn is_ambiguous(&self, cell: &[u8]) -> bool {
        (cell.is_empty() && !self.style.bare_empty)
            || cell.starts_with(BYTE_ORDER_MARK)
            || (self.style.comment).is_some_and(|mark| mark.begins(cell))
            || (self.style.spaces != Spaces::Bare && self.has_space(cell))
    }

    fn has_space(&self, cell: &[u8]) -> bool {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        match self.style.spaces {
            Spaces::Bare => false,
            Spaces::Leading => cell.first().is_some_and(is_space),
            Spaces::Edges => {
                cell.first().is_some_and(is_space) || cell.last().is_some_and(is_space)
            }
            Spaces::Any => cell.iter().any(is_space),
        }
    }

    /// True if the value would be read as null; `null` is the column's null word.
    fn looks_null(&self, cell: &[u8], null: &[u8]) -> bool {
        (cell == null || cell == self.style.null) && !(cell.is_empty() && self.style.bare_empty)
    }

    /// True if the text is quoted in a column with the null word `null`.
    #[inline]
    pub(super) fn quotes(&self, cell: &[u8], null: &[u8]) -> bool {
        self.style.quote.is_some() && (self.must_quote(cell) || self.looks_null(cell, null))
    }

    /// Like [`Self::quotes`], for cells that are not text.
    #[inline]
    pub(super) fn quotes_plain(&self, cell: &[u8], null: &[u8]) -> bool {
        self.looks_null(cell, null)
            || (cell.is_empty() && !self.style.bare_empty)
            || (self.clashes_with_plain && self.must_quote(cell))
    }

    /// Like [`Self::quotes`], in a column whose values are all quoted.
    #[inline]
    pub(super) fn quotes_always(&self, cell: &[u8]) -> bool {
        self.style.bare_word.as_deref() != Some(cell)
    }

    /// A column's own null word, printed as if it were text.
    pub(super) fn word(&self, null_word: &[u8], always: bool) -> Vec<u8> {
        let word = if null_word == QUOTED_EMPTY.as_bytes() {
            b""
        } else {
            null_word
        };
        let quotes = if always {
            self.quotes_always(word)
        } else {
            self.must_quote(word) || word == self.style.null
        };
        let mut printed = Vec::new();
        if quotes {
            self.quoted(word, &mut printed);
        } else {
            printed.extend_from_slice(word);
        }
        printed
    }

    /// Appends a text, in quotes if it needs them.
    #[inline]
    pub(super) fn text(&self, cell: &[u8], null: &[u8], out: &mut Vec<u8>) {
        if self.quotes(cell, null) {
            self.quoted(cell, out);
        } else {
            out.extend_from_slice(cell);
        }
    }

    /// Appends the cell in quotes, if the style has quotes.
    pub(super) fn quoted(&self, cell: &[u8], out: &mut Vec<u8>) {
        let Some(quote) = self.style.quote else {
            out.extend_from_slice(cell);
            return;
        };
        out.push(quote);
        let mut start = 0;
        if let Some(escape) = self.style.escape {
            for at in memchr::memchr2_iter(quote, escape, cell) {
                out.extend_from_slice(&cell[start..at]);
                out.push(escape);
                start = at;
            }
        } else {
            for at in memchr::memchr_iter(quote, cell) {
                out.extend_from_slice(&cell[start..=at]);
                start = at;
            }
        }
        out.extend_from_slice(&cell[start..]);
        out.push(quote);
    }
}
