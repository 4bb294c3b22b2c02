//! Pieces of JSON text that are appended row by row.

use crate::columns::print::{SpecialMask, Texts};
use crate::text::json::escape::{print_string, special_mask};
use crate::text::json::style::{Container, JsonStyle};
use crate::text::print::append_first;

/// Bytes that are appended row by row.
pub(super) enum Fragment {
    /// A few bytes, followed by zeros.
    Short([u8; Self::SHORT], usize),
    Long(Vec<u8>),
}

impl Fragment {
    /// Shorter texts are copied as this many bytes: a copy of constant size is faster.
    const SHORT: usize = 32;

    pub(super) fn new(parts: &[&[u8]]) -> Self {
        let mut bytes = parts.concat();
        let len = bytes.len();
        bytes.resize(len.max(Self::SHORT), 0);
        match bytes.as_array() {
            Some(bytes) => Self::Short(*bytes, len),
            None => Self::Long(bytes),
        }
    }

    #[inline]
    pub(super) fn append(&self, out: &mut Vec<u8>) {
        match self {
            Self::Short(bytes, len) => append_first(bytes, *len, out),
            Self::Long(bytes) => out.extend_from_slice(bytes),
        }
    }
}

/// Strings, and which bytes of a part of them need escapes.
pub(crate) struct SpecialTexts<'a> {
    texts: Texts<'a>,
    special: SpecialMask,
}

impl<'a> SpecialTexts<'a> {
    pub(super) fn new(texts: Texts<'a>) -> Self {
        Self {
            texts,
            special: SpecialMask::default(),
        }
    }

    #[inline]
    pub(super) fn print(&self, row: usize, out: &mut Vec<u8>) {
        let (start, end) = self.texts.range(row);
        let values = self.texts.values();
        if self.special.is_in(values, start, end, special_mask) {
            return print_string(&values[start..end], out);
        }
        out.push(b'"');
        self.texts.append(start, end, out);
        out.push(b'"');
    }
}

/// The text around the items of a list or map.
pub(crate) struct Brackets {
    pub(super) open: Vec<u8>,
    pub(super) comma: Vec<u8>,
    pub(super) close: Vec<u8>,
    pub(super) empty: Vec<u8>,
}

impl Brackets {
    pub(super) fn new(style: &JsonStyle, container: Container, depth: usize) -> Self {
        let (mut open, mut comma, mut close) = (Vec::new(), Vec::new(), Vec::new());
        let mut empty = Vec::new();
        style.open(container, depth, &mut open);
        style.comma(container, depth, &mut comma);
        style.close(container, depth, &mut close);
        style.empty(container, depth, &mut empty);
        Self {
            open,
            comma,
            close,
            empty,
        }
    }
}

/// Appends a few bytes, usually a single one.
#[inline]
pub(super) fn put(bytes: &[u8], out: &mut Vec<u8>) {
    match bytes {
        [byte] => out.push(*byte),
        bytes => out.extend_from_slice(bytes),
    }
}
