//! Envelopes of version 2 put together by hand, so that tests can write what the encoder never does.
//!
//! The layout is described in man/mbt-format.5; only the descriptions of known columns come from the
//! encoder.

use arrow_schema::{DataType, Field};
use mbt::varint;
use mbt::wire::encodings::Node;
use mbt::wire::v2::{ColumnTree, SectionFormat, describe};

/// A section: its codec, the columns it belongs to as first and shares, and its stored bytes.
pub struct Section {
    pub codec: u8,
    pub first: usize,
    pub shares: Vec<usize>,
    pub stored: Vec<u8>,
}

/// An envelope whose parts are not compressed.
pub struct HandMade {
    pub minor: u8,
    pub flags: u16,
    pub rows: usize,
    /// Key and value as they are written.
    pub metadata: Vec<Vec<u8>>,
    pub sections: Vec<Section>,
    /// The descriptions of the columns.
    pub columns: Vec<Vec<u8>>,
}

/// Flag: columns have lengths.
pub const SIZED: u16 = 4;
/// Flag: an end follows.
pub const SEGMENT: u16 = 2;
/// Flag: of the archive profile.
pub const ARCHIVE: u16 = 1 << 12;

pub fn string(bytes: &[u8], out: &mut Vec<u8>) {
    varint::push(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

impl HandMade {
    pub fn new(rows: usize) -> Self {
        Self {
            minor: 0,
            flags: SIZED,
            rows,
            metadata: Vec::new(),
            sections: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// Adds a column of one run; each buffer gets its own section, in all codecs in turn.
    pub fn run(&mut self, name: &str, data_type: DataType, node: Node) {
        if node.is_archive() {
            self.flags |= ARCHIVE;
        }
        let column = ColumnTree {
            field: Field::new(name, data_type, false),
            rows: node.len,
            validity: None,
            valid: node.len,
            statistics: None,
            relation: None,
            runs: vec![node],
            children: Vec::new(),
            unread: None,
        };
        self.column(&column);
    }

    /// Adds a column, with the sections of its buffers.
    pub fn column(&mut self, column: &ColumnTree) {
        let mut placed = Vec::new();
        let position = self.columns.len();
        let sections = &mut self.sections;
        let mut place = |node: &Node, _: &mut Vec<u8>| {
            let plain = &node.buffer;
            placed.push((!plain.is_empty()).then_some(sections.len()));
            if plain.is_empty() {
                return;
            }
            let (format, stored) = match sections.len() % 3 {
                0 => (SectionFormat::Plain, plain.to_vec()),
                1 => (SectionFormat::Lz4, lz4_flex::block::compress(plain)),
                _ => {
                    let stored = zstd::bulk::compress(plain, 3).unwrap();
                    (SectionFormat::Zstd, stored)
                }
            };
            sections.push(Section {
                codec: format.number(),
                first: position,
                shares: vec![plain.len()],
                stored,
            });
        };
        column.write(&mut Vec::new(), &mut place).unwrap();
        let mut described = Vec::new();
        describe(column, placed.into_iter(), &mut described).unwrap();
        self.columns.push(described);
    }

    /// The header before compression.
    pub fn header(&self) -> Vec<u8> {
        let mut header = Vec::new();
        varint::push(self.rows as u64, &mut header);
        varint::push(self.metadata.len() as u64, &mut header);
        self.metadata.iter().for_each(|pair| header.extend(pair));
        varint::push(self.columns.len() as u64, &mut header);
        varint::push(self.sections.len() as u64, &mut header);
        for section in &self.sections {
            let shared = section.shares.len() > 1;
            header.push(section.codec | if shared { 128 } else { 0 });
            varint::push(section.first as u64, &mut header);
            if shared {
                varint::push(section.shares.len() as u64, &mut header);
            }
            for &share in &section.shares {
                varint::push(share as u64, &mut header);
            }
            if section.codec != 0 {
                varint::push(section.stored.len() as u64, &mut header);
            }
            header.extend(crc32fast::hash(&section.stored).to_le_bytes());
        }
        for column in &self.columns {
            string(column, &mut header);
        }
        header
    }

    /// The envelope.
    pub fn bytes(&self) -> Vec<u8> {
        let body: Vec<u8> = self
            .sections
            .iter()
            .flat_map(|s| s.stored.clone())
            .collect();
        envelope(self.minor, self.flags, &self.header(), &body)
    }
}

/// An envelope of a header as stored and a body.
pub fn envelope(minor: u8, flags: u16, header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut out = b"MATHLDBT\x02".to_vec();
    out.push(minor);
    out.extend(flags.to_le_bytes());
    out.extend((header.len() as u32).to_le_bytes());
    out.extend((body.len() as u64).to_le_bytes());
    let mut crc32 = crc32fast::Hasher::new();
    crc32.update(&out);
    crc32.update(header);
    out.extend(crc32.finalize().to_le_bytes());
    [&out[..], header, body].concat()
}

/// A skippable frame with an index of these contents.
pub fn index(version: u8, flags: u8, description: &[u8]) -> Vec<u8> {
    let mut payload = b"MBTX".to_vec();
    payload.extend([version, flags]);
    payload.extend(description);
    let crc32 = crc32fast::hash(&payload);
    payload.extend(crc32.to_le_bytes());
    payload.extend((payload.len() as u32 + 8).to_le_bytes());
    payload.extend(b"MBTX");
    let mut out = 0x184d_2a5a_u32.to_le_bytes().to_vec();
    out.extend((payload.len() as u32).to_le_bytes());
    out.extend(payload);
    out
}
