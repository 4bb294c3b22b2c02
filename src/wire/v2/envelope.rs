//! Whole envelopes: the head, which says how long they are, and the header, which describes them.

use arrow_buffer::Buffer;
use arrow_schema::{Field, Metadata};

use super::budget::Budget;
use super::column::ColumnTree;
use super::groups::check_keys;
use super::header::{SectionFormat, SectionInfo};
use super::leaves::{BufferSpan, Leaf};
use super::sections::{Body, Packed, pack};
use super::{VERSION, types};
use crate::error::{Error, Result};
use crate::varint;
use crate::wire::MAGIC;
use crate::wire::codec::SectionCodec;
use crate::wire::parse::read_len;

/// Bytes of the fixed head.
pub const HEAD_LEN: usize = 28;
/// Flag: the header is its plain length and one zstd frame.
pub const PACKED_HEADER: u16 = 1;
/// Flag: the frame is part of a segment, whose end follows later in the stream.
pub const PROMISES_END: u16 = 2;

/// The fixed head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnvelopeHead {
    /// `PACKED_HEADER` and `PROMISES_END`, or 0.
    pub flags: u16,
    /// Bytes of the header as stored.
    pub header_len: u32,
    /// Bytes of the body.
    pub body_len: u64,
    /// Of the head before it and of the header as stored.
    pub crc32: u32,
}

impl EnvelopeHead {
    /// Reads the head; `None` if `bytes` do not hold all of it.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if it is not one of this version.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let Some(head) = bytes.first_chunk::<HEAD_LEN>() else {
            return Ok(None);
        };
        let number = |from: usize, len: usize| {
            let mut number = [0; 8];
            number[..len].copy_from_slice(&head[from..from + len]);
            u64::from_le_bytes(number)
        };
        if head[..8] != MAGIC || number(8, 2) != u64::from(VERSION) {
            return Err(Error::corrupt("this is not a wire 2 envelope").at_byte(0));
        }
        let flags = number(10, 2) as u16;
        if flags & !(PACKED_HEADER | PROMISES_END) != 0 {
            return Err(Error::corrupt(format!("unknown flags {flags:#x}"))
                .at_byte(10)
                .hint("the file may come from a newer version of mbt"));
        }
        Ok(Some(Self {
            flags,
            header_len: number(12, 4) as u32,
            body_len: number(16, 8),
            crc32: number(24, 4) as u32,
        }))
    }

    /// Bytes of the whole envelope.
    pub fn envelope_len(&self) -> u64 {
        (HEAD_LEN as u64 + u64::from(self.header_len)).saturating_add(self.body_len)
    }

    /// The 28 bytes, with the checksum of themselves and the header.
    pub fn write(flags: u16, header: &[u8], body_len: u64) -> Result<[u8; HEAD_LEN]> {
        let header_len = u32::try_from(header.len())
            .map_err(|_| Error::limit("the header is larger than 4 GiB"))?;
        let mut head = [0; HEAD_LEN];
        head[..8].copy_from_slice(&MAGIC);
        head[8..10].copy_from_slice(&VERSION.to_le_bytes());
        head[10..12].copy_from_slice(&flags.to_le_bytes());
        head[12..16].copy_from_slice(&header_len.to_le_bytes());
        head[16..24].copy_from_slice(&body_len.to_le_bytes());
        let crc32 = checksum(&head, header);
        head[24..].copy_from_slice(&crc32.to_le_bytes());
        Ok(head)
    }
}

fn checksum(head: &[u8; HEAD_LEN], header: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head[..HEAD_LEN - 4]);
    hasher.update(header);
    hasher.finalize()
}

/// What a header says, its columns not read yet.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// Bytes of the whole envelope.
    pub len: usize,
    /// Number of rows.
    pub rows: usize,
    /// The checksum of head and header, which have those of the sections: so it is one of the whole
    /// envelope.
    pub crc32: u32,
    /// The envelope is part of a segment, whose end follows later in the stream.
    pub promises_end: bool,
    /// The metadata of the whole batch.
    pub metadata: Metadata,
    /// The sections of the body, in order.
    pub sections: Vec<SectionInfo>,
    /// The header, plain.
    pub(super) header: Vec<u8>,
    /// Where in it the columns begin.
    columns_at: usize,
    /// Where the body begins in the envelope.
    pub(super) body_at: usize,
    /// The header is stored compressed.
    pub(super) is_packed: bool,
    /// What the columns may take in memory when they are described.
    max_plain: u64,
}

/// What a column takes in the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes before compression.
    pub plain: u64,
    /// Its share of the stored bytes of its sections.
    pub stored: u64,
}

impl Envelope {
    /// Reads head and header of the envelope that begins `bytes`, which hold at least those; a
    /// plain content of more than `max_plain` bytes is refused.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if they are damaged, [`crate::error::Kind::Limit`] if there
    /// is too much in it.
    pub fn read(bytes: &[u8], max_plain: u64) -> Result<Self> {
        let cut = || Error::corrupt("the envelope is cut short").at_byte(bytes.len() as u64);
        let head = EnvelopeHead::read(bytes)?.ok_or_else(cut)?;
        let body_at = HEAD_LEN + head.header_len as usize;
        let stored = bytes.get(HEAD_LEN..body_at).ok_or_else(cut)?;
        let fixed = bytes.first_chunk().ok_or_else(cut)?;
        if checksum(fixed, stored) != head.crc32 {
            return Err(Error::corrupt("the header does not match its checksum").at_byte(24));
        }
        let is_packed = head.flags & PACKED_HEADER != 0;
        let header = if is_packed {
            unpack(stored, max_plain).map_err(|error| error.at_byte(HEAD_LEN as u64))?
        } else {
            stored.to_vec()
        };
        let located = |error| in_header(error, is_packed);
        let mut at = 0;
        let rows = read_len(&header, &mut at).map_err(located)?;
        let metadata = types::read_metadata(&header, &mut at)
            .map_err(located)?
            .into();
        let count = read_len(&header, &mut at).map_err(located)?;
        let mut budget = Budget::new(max_plain, rows)?;
        let mut sections = Vec::new();
        let (mut stored_len, mut plain_len) = (0, header.len() as u64);
        for _ in 0..count {
            let section = SectionInfo::read(&header, &mut at).map_err(located)?;
            stored_len += section.stored_len as u64;
            plain_len += section.plain_len as u64;
            sections.push(section);
            budget.take_bytes(size_of::<SectionInfo>())?;
        }
        let columns = read_len(&header, &mut at.clone()).map_err(located)?;
        budget.take_cells(rows.saturating_mul(columns))?;
        if stored_len != head.body_len {
            return Err(Error::corrupt("the sections do not fill the body").at_byte(16));
        }
        if plain_len > max_plain {
            return Err(Error::limit(format!(
                "the frame holds {plain_len} bytes, the limit is {max_plain}"
            ))
            .hint("raise --max-frame"));
        }
        Ok(Self {
            len: usize::try_from(head.envelope_len())
                .map_err(|_| Error::limit("the frame does not fit in memory"))?,
            rows,
            crc32: head.crc32,
            promises_end: head.flags & PROMISES_END != 0,
            metadata,
            sections,
            header,
            columns_at: at,
            body_at,
            is_packed,
            max_plain,
        })
    }

    /// Bytes of header and sections before compression.
    pub fn plain_len(&self) -> u64 {
        let sections = self.sections.iter().map(|section| section.plain_len as u64);
        HEAD_LEN as u64 + self.header.len() as u64 + sections.sum::<u64>()
    }

    /// Bytes of head and header in the envelope.
    pub fn header_len(&self) -> usize {
        self.body_at
    }

    /// What compresses sections: `zstd`, `lz4`, `none`, or `mixed` if both do; some may be stored as
    /// they are all the same.
    pub fn codec_name(&self) -> &'static str {
        let has = |format| self.sections.iter().any(|section| section.format == format);
        match (has(SectionFormat::Zstd), has(SectionFormat::Lz4)) {
            (true, true) => "mixed",
            (true, false) => "zstd",
            (false, true) => "lz4",
            (false, false) => "none",
        }
    }

    /// Names and types of the columns.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header says what cannot be.
    pub fn fields(&self) -> Result<Vec<Field>> {
        let columns = self.columns()?.into_iter();
        Ok(columns.map(|(column, _)| column.field).collect())
    }

    /// The columns and what they take; their buffers are left where they are.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header says what cannot be.
    pub fn columns(&self) -> Result<Vec<(ColumnTree, Footprint)>> {
        let columns = self.described()?.into_iter();
        Ok(columns
            .map(|(column, spans)| {
                let spans = spans.into_iter().flatten();
                let footprint = spans.fold(Footprint::default(), |sum, span| Footprint {
                    plain: sum.plain + span.len as u64,
                    stored: sum.stored + self.stored_len(span),
                });
                (column, footprint)
            })
            .collect())
    }

    /// The columns, and where their buffers are, in the order of the header;
    /// `None` for empty ones.
    pub(super) fn described(&self) -> Result<Vec<(ColumnTree, Vec<Option<BufferSpan>>)>> {
        let mut body = Body::new(&self.sections, &[]);
        let columns = self.read_columns(|header, at, _, budget| {
            let mut spans = Vec::new();
            let column = ColumnTree::read(header, at, self.rows, budget, &mut |header, at| {
                let place = body.locate(header, at)?;
                spans.push(place.map(|(section, offset, len)| BufferSpan {
                    section,
                    offset,
                    len,
                }));
                Ok(Buffer::default())
            })?;
            Ok((column, spans))
        });
        columns.map_err(|error| in_header(error, self.is_packed))
    }

    /// Places an error in the values of a column at a byte of the envelope: the first one of the first
    /// section that holds some of them.
    pub(super) fn in_values(&self, error: Error, position: usize) -> Error {
        let leaves = self.leaves().unwrap_or_default();
        let is_meant = |leaf: &&Leaf| {
            leaf.column == position
                && error
                    .place()
                    .column
                    .as_ref()
                    .is_none_or(|c| *c == leaf.path)
        };
        let mut of_column = leaves.iter().filter(|leaf| leaf.column == position);
        let leaf = leaves.iter().find(is_meant).or_else(|| of_column.next());
        let span = leaf.and_then(|leaf| leaf.spans.first());
        let place = span.and_then(|span| self.places().nth(span.section));
        error.at_byte(place.map_or(HEAD_LEN, |place| place.start) as u64)
    }

    /// Where each section lies in the envelope.
    pub fn places(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut end = self.body_at;
        self.sections.iter().map(move |section| {
            let start = end;
            end += section.stored_len;
            start..end
        })
    }

    /// Checks the checksums of all sections; `bytes` is the whole envelope.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] with the byte where the damaged section begins.
    pub fn check_sections(&self, bytes: &[u8]) -> Result<()> {
        match self.damaged_sections(bytes).first() {
            None => Ok(()),
            Some(&section) => {
                let place = self.places().nth(section).unwrap_or_default();
                let what = "a section does not match its checksum";
                Err(Error::corrupt(what).at_byte(place.start as u64))
            }
        }
    }

    /// The sections that do not have their checksums; `bytes` is the whole envelope.
    pub fn damaged_sections(&self, bytes: &[u8]) -> Vec<usize> {
        let sections = self.sections.iter().zip(self.places()).enumerate();
        sections
            .filter(|(_, (section, place))| {
                bytes
                    .get(place.clone())
                    .is_none_or(|stored| crc32fast::hash(stored) != section.crc32)
            })
            .map(|(section, _)| section)
            .collect()
    }

    /// Appends the same envelope with its sections compressed by another codec; `bytes` is the whole
    /// envelope. The plain bytes of the sections stay the same.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the envelope is damaged.
    pub fn recode(&self, bytes: &[u8], codec: SectionCodec, out: &mut Vec<u8>) -> Result<usize> {
        let mut sections = Vec::with_capacity(self.sections.len());
        for (section, place) in self.sections.iter().zip(self.places()) {
            let stored = bytes.get(place.clone()).ok_or_else(|| {
                Error::corrupt("the envelope is cut short").at_byte(bytes.len() as u64)
            })?;
            let plain = section
                .open(stored)
                .map_err(|error| error.at_byte(place.start as u64))?;
            sections.push(pack(&plain, codec)?);
        }
        write(
            self.rows,
            &self.metadata,
            &sections,
            &self.header[self.columns_at..],
            codec,
            self.promises_end,
            out,
        )
    }

    /// Reads all columns, each with whatever `read` returns for it.
    pub(super) fn read_columns<T>(
        &self,
        mut read: impl FnMut(&[u8], &mut usize, usize, &mut Budget) -> Result<(ColumnTree, T)>,
    ) -> Result<Vec<(ColumnTree, T)>> {
        let header = &self.header;
        let mut budget = Budget::new(self.max_plain, self.rows)?;
        let mut at = self.columns_at;
        let count = read_len(header, &mut at)?;
        let mut columns = Vec::new();
        for position in 0..count {
            columns.push(read(header, &mut at, position, &mut budget)?);
        }
        if at < header.len() {
            let what = "the header has bytes after its last column";
            return Err(Error::corrupt(what).at_byte(at as u64));
        }
        check_keys(&columns).map_err(|error| error.at_byte(self.columns_at as u64))?;
        Ok(columns)
    }
}

/// Moves an error's byte from the plain header into the envelope; of a compressed header only where
/// that begins.
pub(super) fn in_header(error: Error, is_packed: bool) -> Error {
    let byte = error.place().byte.filter(|_| !is_packed).unwrap_or(0);
    error.at_byte(HEAD_LEN as u64 + byte)
}

/// Appends an envelope whose columns are described by `described`; returns the bytes that it would take
/// without compression.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if the header would be too large.
pub fn write(
    rows: usize,
    metadata: &Metadata,
    sections: &[Packed],
    described: &[u8],
    codec: SectionCodec,
    promises_end: bool,
    out: &mut Vec<u8>,
) -> Result<usize> {
    let mut header = Vec::with_capacity(described.len() + 64);
    varint::push(rows as u64, &mut header);
    types::write_metadata(metadata.iter(), &mut header);
    varint::push(sections.len() as u64, &mut header);
    for section in sections {
        section.info.write(&mut header);
    }
    header.extend_from_slice(described);
    let plain = sections.iter().map(|section| section.info.plain_len);
    let plain_len = HEAD_LEN + header.len() + plain.sum::<usize>();
    let mut flags = if promises_end { PROMISES_END } else { 0 };
    if let SectionCodec::Zstd(_) = codec
        && let Some(packed) = codec.for_small().compress(&header)?
    {
        let mut with_len = Vec::with_capacity(packed.len() + 4);
        varint::push(header.len() as u64, &mut with_len);
        with_len.extend_from_slice(&packed);
        if with_len.len() < header.len() {
            flags |= PACKED_HEADER;
            header = with_len;
        }
    }
    let body_len: usize = sections.iter().map(|section| section.bytes.len()).sum();
    out.reserve(HEAD_LEN + header.len() + body_len);
    out.extend(EnvelopeHead::write(flags, &header, body_len as u64)?);
    out.extend_from_slice(&header);
    for section in sections {
        out.extend_from_slice(&section.bytes);
    }
    Ok(plain_len)
}

/// A header that is compressed.
fn unpack(stored: &[u8], max_plain: u64) -> Result<Vec<u8>> {
    let mut at = 0;
    let len = read_len(stored, &mut at)?;
    if len as u64 > max_plain {
        return Err(
            Error::limit(format!("the header alone holds {len} bytes")).hint("raise --max-frame")
        );
    }
    zstd::bulk::decompress(&stored[at..], len)
        .ok()
        .filter(|header| header.len() == len)
        .ok_or_else(|| Error::corrupt("the header cannot be decompressed"))
}
