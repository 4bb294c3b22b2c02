//! Hashes that identify a text.

use std::fmt;

use sha2::{Digest as _, Sha256};
use twox_hash::XxHash3_128;

use crate::error::{Error, Result};

/// A hash function for texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashKind {
    /// XXH3 with 128 bits and seed 0: detects damage.
    #[default]
    Xxh3,
    /// SHA-256, as printed by `sha256sum`: also detects deliberate changes.
    Sha256,
}

impl HashKind {
    /// Every kind; the position is its number in an index.
    const ALL: [Self; 2] = [Self::Xxh3, Self::Sha256];

    /// Its number in an index.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The kind with that number; `None` if this version does not know it.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xxh3 => "XXH3",
            Self::Sha256 => "SHA-256",
        }
    }

    /// Its name in the metadata of frames.
    pub fn key(self) -> &'static str {
        match self {
            Self::Xxh3 => "xxh3",
            Self::Sha256 => "sha256",
        }
    }

    /// The kind with that name. An unknown name gives the default kind; the hashes then differ in kind and are not
    /// compared.
    pub fn of_key(key: Option<&str>) -> Self {
        let mut kinds = Self::ALL.into_iter();
        kinds
            .find(|kind| Some(kind.key()) == key)
            .unwrap_or_default()
    }

    /// Length of a hash in bytes.
    pub fn hash_len(self) -> usize {
        match self {
            Self::Xxh3 => 16,
            Self::Sha256 => 32,
        }
    }
}

/// The hash of a text; displayed as `xxh128sum` and `sha256sum` print it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// [`HashKind::Xxh3`].
    Xxh3(u128),
    /// [`HashKind::Sha256`].
    Sha256([u8; 32]),
}

impl Hash {
    /// Its kind.
    pub fn kind(self) -> HashKind {
        match self {
            Self::Xxh3(_) => HashKind::Xxh3,
            Self::Sha256(_) => HashKind::Sha256,
        }
    }

    /// Appends its bytes.
    pub fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Xxh3(hash) => out.extend(hash.to_le_bytes()),
            Self::Sha256(hash) => out.extend(hash),
        }
    }

    /// Reads the bytes of a hash and moves `*at` past them.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if they end early.
    pub fn read(kind: HashKind, bytes: &[u8], at: &mut usize) -> Result<Self> {
        let rest = bytes.get(*at..).unwrap_or_default();
        *at += kind.hash_len();
        let hash = match kind {
            HashKind::Xxh3 => rest
                .first_chunk()
                .map(|hash| Self::Xxh3(u128::from_le_bytes(*hash))),
            HashKind::Sha256 => rest.first_chunk().copied().map(Self::Sha256),
        };
        hash.ok_or_else(|| Error::corrupt("a hash is cut short"))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Xxh3(hash) => write!(f, "{hash:032x}"),
            Self::Sha256(hash) => hash.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// The length and the hash of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Length in bytes.
    pub len: u64,
    /// `None` if this version does not know its kind.
    pub hash: Option<Hash>,
}

impl Fingerprint {
    /// False if `found` is the fingerprint of another text. Hashes of different kinds are not compared.
    pub fn fits(&self, found: &Self) -> bool {
        let differs = |(hash, found): (Hash, Hash)| hash.kind() == found.kind() && hash != found;
        self.len == found.len && !self.hash.zip(found.hash).is_some_and(differs)
    }
}

/// Computes the fingerprint of a text that arrives in pieces.
pub struct Fingerprinter {
    len: u64,
    hasher: Hasher,
}

enum Hasher {
    Xxh3(Box<XxHash3_128>),
    Sha256(Sha256),
}

impl Fingerprinter {
    /// At the start of a text.
    pub fn new(kind: HashKind) -> Self {
        let hasher = match kind {
            HashKind::Xxh3 => Hasher::Xxh3(Box::default()),
            HashKind::Sha256 => Hasher::Sha256(Sha256::new()),
        };
        Self { len: 0, hasher }
    }

    /// Adds the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.len += piece.len() as u64;
        match &mut self.hasher {
            Hasher::Xxh3(hasher) => hasher.write(piece),
            Hasher::Sha256(hasher) => hasher.update(piece),
        }
    }

    /// The fingerprint of the text so far.
    pub fn finish(&self) -> Fingerprint {
        let hash = match &self.hasher {
            Hasher::Xxh3(hasher) => Hash::Xxh3(hasher.finish_128()),
            Hasher::Sha256(hasher) => Hash::Sha256(hasher.clone().finalize().into()),
        };
        Fingerprint {
            len: self.len,
            hash: Some(hash),
        }
    }
}

/// The end of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Fingerprint of the whole text; `None` if only a selection of it remains.
    pub fingerprint: Option<Fingerprint>,
    /// Bytes after the last record that belong to no record.
    pub tail: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: HashKind, text: &[u8], piece: usize) -> Fingerprint {
        let mut fingerprint = Fingerprinter::new(kind);
        text.chunks(piece)
            .for_each(|piece| fingerprint.update(piece));
        fingerprint.finish()
    }

    #[test]
    fn pieces_have_the_fingerprint_of_the_whole() {
        let text: Vec<u8> = (0..100_000u32)
            .map(|i| (i.wrapping_mul(i) >> 7) as u8)
            .collect();
        for size in [1, 100, 4096] {
            for kind in HashKind::ALL {
                assert_eq!(of(kind, &text, size), of(kind, &text, text.len()));
            }
        }
        let whole = Hash::Xxh3(XxHash3_128::oneshot(&text));
        assert_eq!(of(HashKind::Xxh3, &text, 100).hash, Some(whole));
    }

    #[test]
    fn hashes_look_as_the_usual_tools_print_them() {
        for (kind, text, expected) in [
            // `xxh128sum` and `sha256sum` of the empty text and of "abc".
            (HashKind::Xxh3, "", "99aa06d3014798d86001c324468d497f"),
            (
                HashKind::Sha256,
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                HashKind::Sha256,
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
        ] {
            let hash = of(kind, text.as_bytes(), 1).hash.unwrap();
            assert_eq!(hash.to_string(), expected);
            let mut bytes = Vec::new();
            hash.write(&mut bytes);
            assert_eq!(bytes.len(), kind.hash_len());
            assert_eq!(Hash::read(kind, &bytes, &mut 0).unwrap(), hash);
            assert_eq!(HashKind::of_number(kind.number()), Some(kind));
        }
    }
}
