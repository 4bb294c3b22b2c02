//! Byte maps: the meaning of every byte of an envelope, for authors of other readers.
//!
//! Each version has a walker that fills a map: [`super::v1::byte_map`] and [`super::v2::byte_map`].

/// The fields of an envelope, in the order of its bytes. Every byte is in exactly one field.
#[derive(Clone, Debug, Default)]
pub struct ByteMap {
    /// The columns by name or path, in order of appearance.
    pub columns: Vec<String>,
    /// The fields: head, header as stored, the plain header if that differs, body.
    pub fields: Vec<Field>,
    /// The header before compression, if it is stored compressed.
    pub plain_header: Option<Vec<u8>>,
}

/// Some bytes and their meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Offset of the first byte: in the envelope, or in the plain header.
    pub offset: usize,
    /// Number of bytes, at least one.
    pub len: usize,
    /// The offset is in a header that is stored compressed.
    pub in_plain_header: bool,
    /// The column, as an index into [`ByteMap::columns`]; `None` if the field belongs to the whole
    /// envelope.
    pub column: Option<usize>,
    /// Its name in the format's description, such as `row_count`, `row 3` or `offset[0]`.
    pub name: String,
    /// Its value, decoded.
    pub value: String,
    /// The number of rows, offsets or entries that share the field because there are too many to list; 0 for a single
    /// one.
    pub more: u64,
}

impl ByteMap {
    /// The name or path of a field's column.
    pub fn column_of(&self, field: &Field) -> Option<&str> {
        Some(&self.columns[field.column?])
    }
}

/// An incomplete map.
#[derive(Debug, Default)]
pub(super) struct MapBuilder {
    pub map: ByteMap,
    /// Offset of the next field.
    pub at: usize,
    /// Further fields are in a header that is stored compressed.
    pub in_plain_header: bool,
    column: Option<usize>,
}

impl MapBuilder {
    /// Further fields belong to this column.
    pub fn begin_column(&mut self, name: String) {
        self.column = Some(self.map.columns.len());
        self.map.columns.push(name);
    }

    /// Further fields belong to the whole envelope.
    pub fn end_columns(&mut self) {
        self.column = None;
    }

    /// The column that fields belong to, empty for none.
    pub fn column(&self) -> &str {
        self.column.map_or("", |at| &self.map.columns[at])
    }

    /// Adds the next `len` bytes; adds nothing if `len` is 0.
    pub fn field(&mut self, len: usize, name: impl Into<String>, value: impl Into<String>) {
        self.push(len, name.into(), value.into(), 0);
    }

    /// Adds the bytes until `end` as `count` rows, offsets or entries that are too many to list.
    pub fn more(&mut self, end: usize, count: usize, what: &str) {
        let name = format!("more {what}");
        self.push(end - self.at, name, count.to_string(), count as u64);
    }

    fn push(&mut self, len: usize, name: String, value: String, more: u64) {
        if len > 0 {
            self.map.fields.push(Field {
                offset: self.at,
                len,
                in_plain_header: self.in_plain_header,
                column: self.column,
                name,
                value,
                more,
            });
        }
        self.at += len;
    }
}
