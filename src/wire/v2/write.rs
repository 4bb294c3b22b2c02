//! Writes envelopes: head, header and sections.

use arrow_schema::Metadata;

use super::head::{EnvelopeHead, HEAD_LEN, PACKED_HEADER, SIZED_COLUMNS};
use super::header::Owners;
use super::sections::Packed;
use super::types;
use crate::error::Result;
use crate::varint;
use crate::wire::codec::SectionCodec;

/// The contents of a header except for the sections.
#[derive(Clone, Copy, Debug)]
pub struct HeaderParts<'a> {
    /// Number of rows.
    pub rows: usize,
    /// The metadata of the frame.
    pub metadata: &'a Metadata,
    /// The owners of the sections; `None` in a draft of the format.
    pub owners: Option<&'a [Owners]>,
    /// The number of columns, and their descriptions.
    pub columns: (usize, &'a [u8]),
}

/// Appends an envelope. Returns its size without compression. Sets the flags that depend on the header, which is
/// compressed with the codec for its length.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if the header would be too large.
pub fn write(
    parts: HeaderParts<'_>,
    sections: &[Packed],
    codec_of: impl Fn(usize) -> SectionCodec,
    mut flags: u16,
    out: &mut Vec<u8>,
) -> Result<usize> {
    let (columns, described) = parts.columns;
    let mut header = Vec::with_capacity(described.len() + 64);
    varint::push(parts.rows as u64, &mut header);
    types::write_metadata(parts.metadata.iter(), &mut header);
    flags &= !(PACKED_HEADER | SIZED_COLUMNS);
    if let Some(owners) = parts.owners {
        flags |= SIZED_COLUMNS;
        varint::push(columns as u64, &mut header);
        varint::push(sections.len() as u64, &mut header);
        for (section, owners) in sections.iter().zip(owners) {
            section.info.write(owners, &mut header);
        }
    } else {
        varint::push(sections.len() as u64, &mut header);
        for section in sections {
            section.info.write_draft(&mut header);
        }
        varint::push(columns as u64, &mut header);
    }
    header.extend_from_slice(described);
    let sections_len: usize = sections.iter().map(|section| section.info.plain_len).sum();
    let plain_len = HEAD_LEN + header.len() + sections_len;
    if let codec @ SectionCodec::Zstd(_) = codec_of(header.len())
        && let Some(packed) = codec.compress(&header, 1)?
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
