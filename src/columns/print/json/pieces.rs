//! Pieces of JSON text that are appended row by row.

use crate::columns::print::{SHORT, Texts};
use crate::text::json::escape::{print_string, special_mask};
use crate::text::json::style::{Container, JsonStyle};
use crate::text::print::append_first;

/// Bytes that are appended row by row.
pub(super) enum Fragment {
    /// A few bytes, followed by zeros.
    Short([u8; SHORT], usize),
    Long(Vec<u8>),
}

impl Fragment {
    pub(super) fn new(parts: &[&[u8]]) -> Self {
        let len = parts.iter().map(|part| part.len()).sum();
        if len > SHORT {
            return Self::Long(parts.concat());
        }
        let mut bytes = [0; SHORT];
        for (place, byte) in bytes.iter_mut().zip(parts.iter().copied().flatten()) {
            *place = *byte;
        }
        Self::Short(bytes, len)
    }

    #[inline]
    pub(super) fn append(&self, out: &mut Vec<u8>) {
        match self {
            Self::Short(bytes, len) => append_first(bytes, *len, out),
            Self::Long(bytes) => out.extend_from_slice(bytes),
        }
    }
}

/// Appends a text in quotes, with the required escapes.
#[inline]
pub(super) fn print_text(texts: &Texts<'_>, row: usize, out: &mut Vec<u8>) {
    let (start, end) = texts.range(row);
    if texts.has_special(start, end, special_mask) {
        return print_string(&texts.values()[start..end], out);
    }
    let len = end - start;
    match texts.short_at(start) {
        Some(text) if len <= SHORT => {
            let at = out.len();
            out.extend_from_slice(&[b'"'; SHORT + 2]);
            let after = &mut out[at + 1..];
            after[..SHORT].copy_from_slice(text);
            after[len] = b'"';
            out.truncate(at + len + 2);
        }
        _ => {
            out.push(b'"');
            out.extend_from_slice(&texts.values()[start..end]);
            out.push(b'"');
        }
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
