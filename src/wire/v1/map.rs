//! The byte map of an envelope of version 1.
//!
//! It follows the annotated dump in the format's description. The first few rows of a long payload have
//! a field each, the rest share one.

mod payload;

use std::fmt::Write as _;

use super::stored::StoredColumn;
use super::{ColumnLayout, Envelope, HEADER_LEN, type_id, validity};
use crate::schema::display_name;
use crate::wire::ByteMap;
use crate::wire::byte_map::MapBuilder;

/// Number of items of a sequence to map one by one; the rest share one field.
const SHOWN: usize = 8;
/// Sequences up to this length are mapped completely.
const SHOWN_WHOLE: usize = 10;
/// Number of rows of a bitmap to list.
const BITS: usize = 64;
/// Number of numbers of a list to show.
const NUMBERS: usize = 16;
/// Number of characters of a text to show.
const TEXT: usize = 40;

/// Maps an envelope that has been walked; payloads that cannot be decoded are mapped as plain bytes.
///
/// Empty if `bytes` is not the walked envelope.
pub fn byte_map(bytes: &[u8], envelope: &Envelope) -> ByteMap {
    let Some(bytes) = bytes.get(..envelope.len) else {
        return ByteMap::default();
    };
    let mut map = Mapper {
        bytes,
        builder: MapBuilder::default(),
    };
    map.field(8, "magic", text(&bytes[..8]));
    map.number(2, "version");
    map.number(2, "flags");
    map.number(4, "row_count");
    map.number(2, "col_count");
    map.number(2, "schema_id_len");
    debug_assert_eq!(map.builder.at, HEADER_LEN);
    let schema_id = text(&bytes[envelope.schema_id.clone()]);
    map.field(envelope.schema_id.len(), "schema_id", schema_id);
    for (position, layout) in envelope.columns.iter().enumerate() {
        map.builder
            .begin_column(display_name(layout.name(bytes), position));
        map.descriptor(layout, envelope.rows);
        map.payloads(StoredColumn {
            bytes,
            layout,
            rows: envelope.rows,
        });
    }
    map.builder.map
}

/// Walks an envelope and fills the map.
struct Mapper<'a> {
    bytes: &'a [u8],
    builder: MapBuilder,
}

impl Mapper<'_> {
    fn field(&mut self, len: usize, name: impl Into<String>, value: impl Into<String>) {
        self.builder.field(len, name, value);
    }

    /// Adds a number of two or four bytes.
    fn number(&mut self, len: usize, name: impl Into<String>) {
        let value = self.peek(len);
        self.field(len, name, value.to_string());
    }

    /// The little-endian number of the next `len` bytes.
    fn peek(&self, len: usize) -> u64 {
        let bytes = &self.bytes[self.builder.at..][..len];
        (bytes.iter().rev()).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn descriptor(&mut self, layout: &ColumnLayout, rows: usize) {
        self.field(
            2,
            "type_id",
            format!("{} {}", type_id(layout.ty), layout.ty),
        );
        let encoding = format!("{} {}", layout.encoding_id, layout.encoding_name());
        self.field(2, "encoding_id", encoding);
        self.number(2, "col_flags");
        self.number(2, "name_len");
        let name = text(&self.bytes[layout.name.clone()]);
        self.field(layout.name.len(), "name", name);
        self.number(4, "validity_len");
        let bitmap = &self.bytes[layout.validity.clone()];
        self.field(bitmap.len(), "validity", bits(bitmap, rows));
    }
}

/// The bits of a bitmap, row 0 first.
fn bits(bitmap: &[u8], rows: usize) -> String {
    let mut out = "row 0 = lowest bit: ".to_owned();
    for row in 0..rows.min(BITS) {
        out.push(if validity::is_valid(bitmap, row) {
            '1'
        } else {
            '0'
        });
    }
    if rows > BITS {
        out.push('…');
    }
    let nulls = validity::null_count(bitmap, rows);
    let _ = match nulls {
        0 => write!(out, ", no nulls"),
        1 => write!(out, ", 1 null"),
        _ => write!(out, ", {nulls} nulls"),
    };
    let padding = validity::padding_bits(bitmap, rows);
    if padding > 0 {
        let _ = write!(out, ", {padding} padding bits set");
    }
    out
}

/// Bytes as a quoted text, shortened; as `b"..."` if they are not UTF-8.
fn text(bytes: &[u8]) -> String {
    let (mut out, cut) = if let Ok(text) = std::str::from_utf8(bytes) {
        let shown: String = text.chars().take(TEXT).collect();
        (format!("{shown:?}"), shown.len() < text.len())
    } else {
        let shown = &bytes[..bytes.len().min(TEXT)];
        let escaped = shown.escape_ascii();
        (format!("b\"{escaped}\""), shown.len() < bytes.len())
    };
    if cut {
        out.push('…');
    }
    out
}

/// The number of items of a sequence of `count` to list.
fn listed(count: usize) -> usize {
    if count <= SHOWN_WHOLE { count } else { SHOWN }
}
