//! Envelopes: reading head and header.

use std::sync::OnceLock;

use arrow_schema::{Field, Metadata};

use super::budget::Budget;
use super::column::ColumnTree;
use super::head::{
    ARCHIVE, EnvelopeHead, HEAD_LEN, PACKED_HEADER, PROMISES_END, SIZED_COLUMNS, checksum,
};
use super::header::{Owners, SectionFormat, SectionInfo};
use super::leaves::Leaf;
use super::relation::check_relations;
use super::sections::{BufferCursor, pack_best};
use super::types;
use super::write::{HeaderParts, write};
use crate::error::{Error, Kind, Result};
use crate::wire::codec::{SectionCodec, decompress_zstd};
use crate::wire::encodings::BufferSpan;
use crate::wire::parse::{read_len, read_text};

/// An envelope's header. Its columns are parsed when they are first needed.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// Size of the whole envelope in bytes.
    pub len: usize,
    /// Number of rows.
    pub rows: usize,
    /// The checksum of head and header. These contain the checksums of the sections, so it covers the whole envelope.
    pub crc32: u32,
    /// The flags of the head.
    flags: u16,
    /// The metadata of the whole batch.
    pub metadata: Metadata,
    /// The sections of the body, in order.
    pub sections: Vec<SectionInfo>,
    /// The owners of the sections; `None` in drafts of the format, in which each buffer names its section.
    owners: Option<Vec<Owners>>,
    /// The uncompressed header.
    pub(super) header: Vec<u8>,
    /// The offset of the columns in it, and their number.
    columns_at: usize,
    column_count: usize,
    columns: OnceLock<Vec<ColumnTree>>,
    /// The offset of the body in the envelope.
    pub(super) body_at: usize,
    /// True if the header is stored compressed.
    pub(super) is_packed: bool,
    /// The limit for the size of the columns' descriptions in memory.
    max_plain: u64,
}

impl Envelope {
    /// Reads head and header of the envelope at the start of `bytes`, which must contain both. Refuses more than
    /// `max_plain` plain bytes.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if they are damaged, [`crate::error::Kind::Limit`] if a limit is exceeded.
    pub fn read(bytes: &[u8], max_plain: u64) -> Result<Self> {
        let head = EnvelopeHead::read(bytes)?.ok_or_else(|| cut_short(HEAD_LEN, bytes))?;
        let body_at = HEAD_LEN + head.header_len as usize;
        let (fixed, rest) = bytes
            .split_first_chunk()
            .ok_or_else(|| cut_short(HEAD_LEN, bytes))?;
        let stored = rest
            .get(..head.header_len as usize)
            .ok_or_else(|| cut_short(body_at, bytes))?;
        if checksum(fixed, stored) != head.crc32 {
            return Err(Error::corrupt("the header does not match its checksum").at_byte(24));
        }
        head.require_known()?;
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
        let mut budget = Budget::new(max_plain, rows)?;
        let is_draft = head.flags & SIZED_COLUMNS == 0;
        let read_count = |at: &mut usize| {
            let start = *at as u64;
            // Each column and each section takes at least a byte of the header.
            let count = read_len(&header, at)
                .ok()
                .filter(|&count| count <= header.len());
            count.ok_or_else(|| located(Error::corrupt("a count is too large").at_byte(start)))
        };
        let mut columns = if is_draft { 0 } else { read_count(&mut at)? };
        let count = read_count(&mut at)?;
        let mut sections = Vec::new();
        let mut owners = Vec::new();
        let (mut stored_len, mut plain_len) = (0, header.len() as u64);
        for _ in 0..count {
            let section = if is_draft {
                SectionInfo::read_draft(&header, &mut at).map_err(located)?
            } else {
                let read = SectionInfo::read(&header, &mut at, columns).map_err(located)?;
                // Each share may become an extent of a column.
                budget.take_bytes(read.1.shares.len() * size_of::<(usize, BufferSpan)>())?;
                owners.push(read.1);
                read.0
            };
            budget.take_bytes(size_of::<SectionInfo>())?;
            stored_len += section.stored_len as u64;
            plain_len += section.plain_len as u64;
            sections.push(section);
        }
        if is_draft {
            columns = read_count(&mut at)?;
        }
        budget.take_cells(rows.saturating_mul(columns))?;
        budget.take_bytes(columns * size_of::<Vec<BufferSpan>>())?;
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
            flags: head.flags,
            metadata,
            sections,
            owners: (!is_draft).then_some(owners),
            header,
            columns_at: at,
            column_count: columns,
            columns: OnceLock::new(),
            body_at,
            is_packed,
            max_plain,
        })
    }

    /// True if the envelope is part of a segment, whose end follows later in the stream.
    pub fn promises_end(&self) -> bool {
        self.flags & PROMISES_END != 0
    }

    /// True if the frame is of the archive profile.
    pub fn is_archive(&self) -> bool {
        self.flags & ARCHIVE != 0
    }

    /// The owners of each section; `None` if the frame was written before the format was final.
    pub fn owners(&self) -> Option<&[Owners]> {
        self.owners.as_deref()
    }

    /// The stored bytes of all sections up to the last shared one, and the stored bytes of each column's own sections
    /// after that. `None` if these are not in the order of the columns.
    pub fn own_bytes(&self) -> Option<(u64, Vec<u64>)> {
        let owners = self.owners()?;
        let last_shared = owners.iter().rposition(Owners::are_many);
        let first_own = last_shared.map_or(0, |at| at + 1);
        let stored = |section: &SectionInfo| section.stored_len as u64;
        let shared = self.sections[..first_own].iter().map(stored).sum();
        let mut own = vec![0; self.column_count];
        let mut next = 0;
        for (section, owners) in self.sections.iter().zip(owners).skip(first_own) {
            if owners.first < next {
                return None;
            }
            next = owners.first;
            own[owners.first] += stored(section);
        }
        Some((shared, own))
    }

    /// Size of header and sections before compression.
    pub fn plain_len(&self) -> u64 {
        let sections_len: u64 = self
            .sections
            .iter()
            .map(|section| section.plain_len as u64)
            .sum();
        HEAD_LEN as u64 + self.header.len() as u64 + sections_len
    }

    /// Stored size of head and header.
    pub fn header_len(&self) -> usize {
        self.body_at
    }

    /// The codec of the sections: `zstd`, `lz4`, `none`, or `mixed` for both; some sections may be uncompressed in any
    /// case.
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
    /// [`crate::error::Kind::Corrupt`] if the header is inconsistent.
    pub fn fields(&self) -> Result<Vec<Field>> {
        Ok(self
            .columns()?
            .iter()
            .map(|column| column.field.clone())
            .collect())
    }

    /// The columns, without the bytes of their buffers. Columns that need a newer version are not an error: see
    /// [`ColumnTree::unread`].
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the header is inconsistent, with the byte in the envelope.
    pub fn columns(&self) -> Result<&[ColumnTree]> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let columns = self
            .read_columns()
            .map_err(|error| in_header(error, self.is_packed))?;
        Ok(self.columns.get_or_init(|| columns))
    }

    /// Reads all columns. Errors have the byte in the plain header.
    fn read_columns(&self) -> Result<Vec<ColumnTree>> {
        let mut budget = Budget::new(self.max_plain, self.rows)?;
        let mut at = self.columns_at;
        let mut columns = Vec::with_capacity(self.column_count);
        if let Some(extents) = self.extents() {
            for extents in extents {
                columns.push(self.sized_column(&mut at, extents, &mut budget)?);
            }
        } else {
            let mut buffers = BufferCursor::of_draft(&self.sections);
            for _ in 0..self.column_count {
                let header = &self.header;
                let column =
                    ColumnTree::read(header, &mut at, self.rows, &mut budget, &mut buffers)?;
                columns.push(column);
            }
            buffers
                .require_end()
                .map_err(|error| error.at_byte(self.columns_at as u64))?;
        }
        if at < self.header.len() {
            let what = "the header has bytes after its last column";
            return Err(Error::corrupt(what).at_byte(at as u64));
        }
        check_relations(&columns).map_err(|error| error.at_byte(self.columns_at as u64))?;
        Ok(columns)
    }

    /// Reads a column with its length before it, which owns these parts of sections.
    fn sized_column(
        &self,
        at: &mut usize,
        extents: Vec<BufferSpan>,
        budget: &mut Budget,
    ) -> Result<ColumnTree> {
        let start = *at as u64;
        let len = read_len(&self.header, at)?;
        let end = at.saturating_add(len);
        let Some(described) = self.header.get(..end) else {
            return Err(Error::corrupt("a column is longer than the header").at_byte(start));
        };
        let name = read_text(described, &mut at.clone())?;
        let mut buffers = BufferCursor::of_column(extents.clone());
        let mut formats = extents
            .iter()
            .map(|extent| self.sections[extent.section].format);
        let column = match formats.find_map(SectionFormat::unsupported) {
            Some(error) => Err(error),
            None => ColumnTree::read(described, at, self.rows, budget, &mut buffers),
        };
        let column = match column {
            Err(error) if error.kind() == Kind::Unsupported => {
                *at = end;
                return Ok(ColumnTree::unread(name, self.rows, &error, extents));
            }
            column => column?,
        };
        if *at < end {
            let error = Error::corrupt("the column has bytes after its values");
            return Err(error.in_column(name).at_byte(*at as u64));
        }
        buffers
            .require_end()
            .map_err(|error| error.in_column(name).at_byte(start))?;
        Ok(column)
    }

    /// The parts of sections that each column owns, in the order of the sections; `None` for drafts.
    pub(super) fn extents(&self) -> Option<Vec<Vec<BufferSpan>>> {
        let mut extents = vec![Vec::new(); self.column_count];
        for (section, owners) in self.owners()?.iter().enumerate() {
            let mut offset = 0;
            for (column, &len) in (owners.first..).zip(&owners.shares) {
                if len > 0 {
                    extents[column].push(BufferSpan {
                        section,
                        offset,
                        len,
                    });
                }
                offset += len;
            }
        }
        Some(extents)
    }

    /// Adds a byte to an error in the values of a column: the start of the first section that contains some of them.
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
        let start = leaf
            .and_then(|leaf| leaf.spans.first())
            .and_then(|span| self.places().nth(span.section))
            .map_or(HEAD_LEN, |place| place.start);
        error.at_byte(start as u64)
    }

    /// The range of each section in the envelope.
    pub fn places(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut end = self.body_at;
        self.sections.iter().map(move |section| {
            let start = end;
            end += section.stored_len;
            start..end
        })
    }

    /// Verifies the checksums of all sections; `bytes` is the whole envelope.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] with the offset of the damaged section.
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

    /// The sections that do not match their checksums; `bytes` is the whole envelope.
    pub fn damaged_sections(&self, bytes: &[u8]) -> Vec<usize> {
        self.sections
            .iter()
            .zip(self.places())
            .enumerate()
            .filter(|(_, (section, place))| {
                bytes
                    .get(place.clone())
                    .is_none_or(|stored| crc32fast::hash(stored) != section.crc32)
            })
            .map(|(section, _)| section)
            .collect()
    }

    /// The number of planes in each section; 1 if several buffers share it.
    fn planes(&self) -> Result<Vec<usize>> {
        let mut planes = vec![1; self.sections.len()];
        for column in self.columns()? {
            column.visit_nodes(&mut |node| {
                if let Some(span) = node.span
                    && span.len == self.sections[span.section].plain_len
                {
                    planes[span.section] = node.planes();
                }
            });
        }
        Ok(planes)
    }

    /// Appends the same envelope with its sections compressed by another codec; `bytes` is the whole
    /// envelope. The plain bytes of the sections stay the same.
    ///
    /// # Errors
    /// [`crate::error::Kind::Corrupt`] if the envelope is damaged.
    pub fn recode(&self, bytes: &[u8], codec: SectionCodec, out: &mut Vec<u8>) -> Result<usize> {
        let mut sections = Vec::with_capacity(self.sections.len());
        let planes = self.planes()?;
        for ((section, place), planes) in self.sections.iter().zip(self.places()).zip(planes) {
            let stored = bytes.get(place.clone());
            let stored = stored.ok_or_else(|| cut_short(place.end, bytes))?;
            let plain = section
                .open(stored)
                .map_err(|error| error.at_byte(place.start as u64))?;
            let (packed, _) = pack_best(&plain, planes, codec)?;
            sections.push(packed);
        }
        let columns = &self.header[self.columns_at..];
        let header = HeaderParts {
            rows: self.rows,
            metadata: &self.metadata,
            owners: self.owners(),
            columns: (self.column_count, columns),
        };
        let codec_of = |len| codec.for_small(len);
        write(header, &sections, codec_of, self.flags, out)
    }
}

/// The error for an envelope that is `needs` bytes long but has only `bytes`.
pub fn cut_short(needs: usize, bytes: &[u8]) -> Error {
    let found = bytes.len();
    Error::corrupt(format!(
        "envelope is cut short: expected {needs} bytes, found {found}"
    ))
    .at_byte(found as u64)
}

/// Converts an error's byte from an offset in the plain header to one in the envelope. For a compressed header, uses
/// the start of the header.
pub(super) fn in_header(error: Error, is_packed: bool) -> Error {
    let byte = error.place().byte.filter(|_| !is_packed).unwrap_or(0);
    error.at_byte(HEAD_LEN as u64 + byte)
}

/// Decompresses a header.
fn unpack(stored: &[u8], max_plain: u64) -> Result<Vec<u8>> {
    let mut at = 0;
    let len = read_len(stored, &mut at)?;
    if len as u64 > max_plain {
        return Err(
            Error::limit(format!("the header alone holds {len} bytes")).hint("raise --max-frame")
        );
    }
    decompress_zstd(&stored[at..], len)
        .ok()
        .filter(|header| header.len() == len)
        .ok_or_else(|| Error::corrupt("the header cannot be decompressed"))
}
