//! Object keys as written in the text, with a very cheap check of whether an expected key comes next.

use super::scan::unescape;

/// A key as written in the text, prepared for comparison with the input.
pub(crate) struct Key<'a> {
    pub(crate) text: &'a [u8],
    /// Its first 16 bytes, zero-padded, and a mask of the bytes that are part of it.
    word: u128,
    mask: u128,
}

impl<'a> Key<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let mut bytes = [0; 16];
        let len = text.len().min(16);
        bytes[..len].copy_from_slice(&text[..len]);
        let mask = u128::MAX >> (128 - 8 * len);
        Self {
            text,
            word: u128::from_le_bytes(bytes),
            mask,
        }
    }

    /// True if `text` starts with the key. Most keys are short, and comparing a word avoids a call.
    #[inline]
    pub(crate) fn begins(&self, text: &[u8]) -> bool {
        match text.first_chunk() {
            Some(next) if self.text.len() <= 16 => {
                (u128::from_le_bytes(*next) ^ self.word) & self.mask == 0
            }
            _ => text.starts_with(self.text),
        }
    }
}

/// Unescapes a quoted key. A lone surrogate becomes U+FFFD, since names are UTF-8.
pub(crate) fn key_name(key: &[u8]) -> String {
    exact_name(key).unwrap_or_else(|| String::from_utf8_lossy(&key[1..key.len() - 1]).into_owned())
}

/// Unescapes a quoted key; `None` if it contains a lone surrogate.
pub(crate) fn exact_name(key: &[u8]) -> Option<String> {
    let inside = &key[1..key.len() - 1];
    let mut name = Vec::with_capacity(inside.len());
    unescape(inside, &mut name)?;
    String::from_utf8(name).ok()
}
