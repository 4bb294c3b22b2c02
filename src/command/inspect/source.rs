//! The information about the original text in frames, and its size.

use serde_json::{Value, json};

use crate::schema::keys::{DRAFT_PATCHES, HASH, HEAD, PATCHES, TEXT};
use crate::stream::{Ending, Fingerprint, HashKind, Index};
use crate::units::{counted, grouped, percent};
use crate::wire::v2::Envelope;

/// Number of bytes of key or flag, and of length, for each text in metadata and in the index.
const FRAMING: u64 = 2;

/// The original text of a stream.
#[derive(Debug, Default)]
pub struct SourceText {
    /// How it is written, according to the first frame.
    style: Option<String>,
    /// Its end.
    ending: Option<Ending>,
    /// Bytes of patches before compression.
    pub plain_patches: u64,
    /// Stored bytes of patches.
    pub patches: u64,
    /// Number of bytes in headers and indexes, before compression.
    headers: u64,
}

impl SourceText {
    /// Adds the information in a frame.
    pub fn add(&mut self, envelope: &Envelope) {
        // If more frames follow, the ending does not belong to the whole text.
        self.ending = None;
        for key in [TEXT, HEAD, HASH] {
            if let Some(value) = envelope.metadata.get(key) {
                self.headers += FRAMING + value.len() as u64;
            }
        }
        for key in [PATCHES, DRAFT_PATCHES] {
            if let Some(patches) = envelope.metadata.get(key) {
                self.headers += FRAMING + patches.chars().count() as u64;
            }
        }
        if self.style.is_none() {
            self.style = envelope.metadata.get(TEXT).cloned();
        }
    }

    /// Adds the index that follows the given number of frames.
    pub fn end(&mut self, index: Index, frames: u64) {
        self.ending = index.ending.filter(|_| index.frames.len() as u64 == frames);
        if let Some(ending) = &self.ending {
            let of_text = |text: Fingerprint| {
                size_of::<u64>() + text.hash.map_or(0, |hash| hash.kind().hash_len())
            };
            let of_text = ending.fingerprint.map_or(0, of_text);
            self.headers += FRAMING + (of_text + ending.tail.len()) as u64;
        }
    }

    /// True for a JSON document that is not an array of rows.
    pub fn is_document(&self) -> bool {
        let style = self.style.as_deref();
        style.and_then(|style| style.split(' ').next()) == Some("document")
    }

    /// Upper bound for the size of all of it. Headers and indexes may be compressed: its parts in them take no more than
    /// the `stored` bytes of all of these.
    fn bytes(&self, stored: u64) -> u64 {
        self.patches + self.headers.min(stored)
    }

    /// The length and hash of the text, if it can be restored byte for byte.
    fn fingerprint(&self) -> Option<Fingerprint> {
        self.ending.as_ref().and_then(|ending| ending.fingerprint)
    }

    /// The length of the text, if it can be restored byte for byte.
    pub fn text_bytes(&self) -> Option<u64> {
        self.fingerprint().map(|text| text.len)
    }

    /// A line for people; `None` if the frames do not record a text. The stream has `total` bytes, `stored` of them in
    /// headers and indexes.
    pub fn line(&self, total: u64, stored: u64) -> Option<String> {
        let style = self.style.as_ref()?;
        let whole = match self.fingerprint() {
            Some(text) => {
                let len = counted(text.len, "byte");
                let hash = match text.hash {
                    Some(hash) => format!(", {} {hash}", hash.kind().name()),
                    None => String::new(),
                };
                format!("{len}{hash}; restored byte for byte")
            }
            None if style.contains(' ') => "its style is kept".to_owned(),
            None => "in the default style".to_owned(),
        };
        let bytes = self.bytes(stored);
        Some(format!(
            "text: {style}, {whole}, at a cost of at most {} bytes ({})\n",
            grouped(bytes),
            percent(bytes, total)
        ))
    }

    /// The same as JSON.
    pub fn document(&self, stored: u64) -> Value {
        let Some(style) = &self.style else {
            return Value::Null;
        };
        let fingerprint = self.fingerprint();
        let hash = fingerprint.and_then(|text| text.hash);
        let hash_of = |kind| {
            hash.filter(|hash| hash.kind() == kind)
                .map(|hash| hash.to_string())
        };
        json!({
            "style": style,
            "bytes": fingerprint.map(|text| text.len),
            "xxh3": hash_of(HashKind::Xxh3),
            "sha256": hash_of(HashKind::Sha256),
            "identity_bytes": self.bytes(stored),
            "patch_bytes": self.patches,
            "plain_patch_bytes": self.plain_patches,
        })
    }
}
