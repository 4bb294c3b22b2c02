//! What is kept of the text that frames were made of, besides its values, and what that takes.

use serde_json::{Value, json};

use crate::schema::keys::{DRAFT_PATCHES, HASH, HEAD, PATCHES, TEXT};
use crate::stream::{Ending, HashKind, Index};
use crate::units::{counted, grouped, percent};
use crate::wire::v2::Envelope;

/// What a byte is in metadata and in the index besides its text: key or flag, and length.
const FRAMING: u64 = 2;

/// The text of a stream.
#[derive(Debug, Default)]
pub struct SourceText {
    /// How it is written, as the first frame says.
    style: Option<String>,
    /// Its length and hash, if it can be restored byte for byte.
    ending: Option<Ending>,
    /// Patches of a column, before compression.
    pub plain_patches: u64,
    /// The same, as they are stored.
    pub patches: u64,
    /// Bytes before compression in headers and indexes.
    told: u64,
}

impl SourceText {
    /// Takes what a frame says of its text.
    pub fn add(&mut self, envelope: &Envelope) {
        // An ending that is followed by frames does not count.
        self.ending = None;
        for key in [TEXT, HEAD, HASH] {
            if let Some(value) = envelope.metadata.get(key) {
                self.told += FRAMING + value.len() as u64;
            }
        }
        for key in [PATCHES, DRAFT_PATCHES] {
            if let Some(patches) = envelope.metadata.get(key) {
                self.told += FRAMING + patches.chars().count() as u64;
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
            self.told += (FRAMING
                + size_of::<u64>() as u64
                + ending
                    .fingerprint
                    .hash
                    .map_or(0, |hash| hash.kind().hash_len()) as u64)
                + ending.tail.len() as u64;
        }
    }

    /// True for a JSON document that is not an array of rows.
    pub fn is_document(&self) -> bool {
        let style = self.style.as_deref();
        style.and_then(|style| style.split(' ').next()) == Some("document")
    }

    /// Bytes that all of it takes, at most: headers and indexes may be compressed.
    fn bytes(&self) -> u64 {
        self.patches + self.told
    }

    /// The length of the text, if it can be restored byte for byte.
    pub fn text_bytes(&self) -> Option<u64> {
        self.ending.as_ref().map(|ending| ending.fingerprint.len)
    }

    /// A line for people; `None` if the frames do not record a text.
    pub fn line(&self, total: u64) -> Option<String> {
        let style = self.style.as_ref()?;
        let whole = match &self.ending {
            Some(ending) => {
                let len = counted(ending.fingerprint.len, "byte");
                let hash = match ending.fingerprint.hash {
                    Some(hash) => format!(", {} {hash}", hash.kind().name()),
                    None => String::new(),
                };
                format!("{len}{hash}; restored byte for byte")
            }
            None => "its style is kept".to_owned(),
        };
        let bytes = self.bytes();
        Some(format!(
            "text: {style}, {whole}, at a cost of at most {} bytes ({})\n",
            grouped(bytes),
            percent(bytes, total)
        ))
    }

    /// The same for programs.
    pub fn document(&self) -> Value {
        let Some(style) = &self.style else {
            return Value::Null;
        };
        let fingerprint = self.ending.as_ref().map(|ending| ending.fingerprint);
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
            "identity_bytes": self.bytes(),
            "patch_bytes": self.patches,
            "plain_patch_bytes": self.plain_patches,
        })
    }
}
