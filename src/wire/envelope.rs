//! A common interface to envelopes of both versions.

use arrow_array::RecordBatch;

use super::workers::Workers;
use super::{v1, v2};
use crate::error::{Error, Result};
use crate::schema::keys::is_patch;
use crate::schema::{column_name, display_name};

/// A whole envelope whose header has been read.
#[derive(Clone, Debug)]
pub enum Envelope {
    /// Version 1: the positions of its parts.
    V1(v1::Envelope),
    /// Version 2: the contents of its header.
    V2(Box<v2::Envelope>),
}

impl Envelope {
    /// Reads the header of the envelope at the start of `bytes`.
    ///
    /// # Errors
    /// As for [`Scanner::walk`], and if the envelope is cut short.
    pub fn read(bytes: &[u8], max_plain: u64) -> Result<Self> {
        let mut scanner = Scanner::new(max_plain);
        match scanner.walk(bytes)? {
            Scan::Complete(envelope) => Ok(envelope),
            Scan::Needs(needs) => Err(scanner.cut_short(needs, bytes)),
        }
    }

    /// The version, 1 or 2.
    pub fn version(&self) -> u16 {
        match self {
            Self::V1(_) => v1::VERSION,
            Self::V2(_) => v2::VERSION,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::V1(envelope) => envelope.rows,
            Self::V2(envelope) => envelope.rows,
        }
    }

    /// Size of the envelope in bytes.
    pub fn stored_len(&self) -> usize {
        match self {
            Self::V1(envelope) => envelope.len,
            Self::V2(envelope) => envelope.len,
        }
    }

    /// Size of the envelope in bytes with all sections uncompressed.
    pub fn plain_len(&self) -> u64 {
        match self {
            Self::V1(envelope) => envelope.len as u64,
            Self::V2(envelope) => envelope.plain_len(),
        }
    }

    /// True if the envelope has checksums that cover every byte.
    pub fn is_guarded(&self) -> bool {
        matches!(self, Self::V2(_))
    }

    /// The displayed names of the columns; `None` for patches, which cannot be selected.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header is inconsistent.
    pub fn names(&self, bytes: &[u8]) -> Result<Vec<Option<String>>> {
        match self {
            Self::V1(envelope) => Ok(envelope
                .columns
                .iter()
                .enumerate()
                .map(|(at, column)| Some(display_name(column.name(bytes), at)))
                .collect()),
            Self::V2(envelope) => Ok(envelope
                .fields()?
                .iter()
                .enumerate()
                .map(|(at, field)| (!is_patch(field)).then(|| column_name(field, at)))
                .collect()),
        }
    }
}

/// The result so far of a [`Scanner`], or of the scanner of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scan<E = Envelope> {
    /// The complete envelope; bytes after it are not part of it.
    Complete(E),
    /// The envelope has at least this many bytes, more than were given.
    Needs(usize),
}

/// Finds the end of an envelope of either version as its bytes arrive.
#[derive(Debug)]
pub struct Scanner {
    v1: v1::Walker,
    /// The header of version 2, once all of it has arrived.
    v2: Option<Box<v2::Envelope>>,
    max_plain: u64,
}

impl Scanner {
    /// A scanner at the start of an envelope. Refuses a version 2 envelope whose sections have more than `max_plain`
    /// plain bytes.
    pub fn new(max_plain: u64) -> Self {
        Self {
            v1: v1::Walker::new(),
            v2: None,
            max_plain,
        }
    }

    /// Continues with the envelope's bytes so far: the bytes of the last call, and perhaps more.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] for the first fault that more bytes cannot repair, [`crate::error::Kind::Limit`]
    /// if the envelope declares more than the limit.
    pub fn walk(&mut self, bytes: &[u8]) -> Result<Scan> {
        if v2::is_envelope(bytes) {
            return self.walk_v2(bytes);
        }
        Ok(match self.v1.walk(bytes)? {
            Scan::Complete(envelope) => Scan::Complete(Envelope::V1(envelope)),
            Scan::Needs(len) => Scan::Needs(len),
        })
    }

    fn walk_v2(&mut self, bytes: &[u8]) -> Result<Scan> {
        let envelope = if let Some(envelope) = self.v2.take() {
            envelope
        } else {
            let Some(head) = v2::EnvelopeHead::read(bytes)? else {
                return Ok(Scan::Needs(v2::HEAD_LEN));
            };
            let header_end = v2::HEAD_LEN + head.header_len as usize;
            if bytes.len() < header_end {
                return Ok(Scan::Needs(header_end));
            }
            Box::new(v2::Envelope::read(bytes, self.max_plain)?)
        };
        if bytes.len() >= envelope.len {
            return Ok(Scan::Complete(Envelope::V2(envelope)));
        }
        let needs = envelope.len;
        self.v2 = Some(envelope);
        Ok(Scan::Needs(needs))
    }

    /// The error for input that ends although [`Scan::Needs`] asks for more; `bytes` is all of it.
    pub fn cut_short(&self, needs: usize, bytes: &[u8]) -> Error {
        if !v2::is_envelope(bytes) {
            return self.v1.cut_short(needs, bytes.len());
        }
        v2::cut_short(needs, bytes)
    }
}

/// Decodes envelopes of either version, reusing its memory.
pub struct Decoder {
    v1: v1::Decoder,
    v2: v2::Decoder,
    max_plain: u64,
}

impl Decoder {
    /// A decoder that refuses envelopes that expand to more than `max_plain` bytes.
    pub fn new(max_plain: u64) -> Self {
        Self {
            v1: v1::Decoder::new(max_plain),
            v2: v2::Decoder::new(max_plain),
            max_plain,
        }
    }

    /// See [`v2::Decoder::keeping_dictionaries`].
    #[must_use]
    pub fn keeping_dictionaries(self, keeps_dictionaries: bool) -> Self {
        Self {
            v2: self.v2.keeping_dictionaries(keeps_dictionaries),
            ..self
        }
    }

    /// Counts `bytes` against the limit: decompressed data that stays in memory while the next envelopes are decoded.
    pub fn set_held_bytes(&mut self, bytes: u64) {
        let left = self.max_plain.saturating_sub(bytes);
        self.v1.set_limit(left);
        self.v2.set_limit(left);
    }

    /// Decodes the columns that `keep` selects by position and stored name, in the envelope's order.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] or [`crate::error::Kind::Limit`], with the column.
    pub fn decode(
        &mut self,
        bytes: &[u8],
        envelope: &Envelope,
        keep: impl Fn(usize, &str) -> bool,
    ) -> Result<RecordBatch> {
        match envelope {
            Envelope::V1(envelope) => Ok(self.v1.decode_walked(bytes, envelope, keep)?.batch),
            Envelope::V2(envelope) => self.v2.decode(bytes, envelope, keep),
        }
    }

    /// Like [`Self::decode`]; the columns of version 2 are decoded on several threads.
    ///
    /// # Errors
    /// As for [`Self::decode`].
    pub fn decode_on(
        &mut self,
        workers: &dyn Workers,
        bytes: &[u8],
        envelope: &Envelope,
        keep: impl Fn(usize, &str) -> bool,
    ) -> Result<RecordBatch> {
        match envelope {
            Envelope::V1(_) => self.decode(bytes, envelope, keep),
            Envelope::V2(envelope) => self.v2.decode_on(workers, bytes, envelope, keep),
        }
    }

    /// Like [`Self::decode`], but damaged columns of version 2 are null in every row and also returned separately.
    ///
    /// # Errors
    /// As for [`Self::decode`] if no selected column is intact.
    pub fn decode_intact(
        &mut self,
        bytes: &[u8],
        envelope: &Envelope,
        keep: impl Fn(usize, &str) -> bool,
    ) -> Result<(RecordBatch, Vec<v2::LostColumn>)> {
        match envelope {
            // Columns of version 1 have no checksums, so intact ones cannot be distinguished from damaged ones.
            Envelope::V1(_) => Ok((self.decode(bytes, envelope, keep)?, Vec::new())),
            Envelope::V2(envelope) => self.v2.decode_intact(bytes, envelope, keep),
        }
    }

    /// Returns a batch whose memory may be reused for the next one.
    pub fn recycle(&mut self, batch: RecordBatch) {
        self.v1.recycle(batch);
    }
}
