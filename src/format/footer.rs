//! Describes the columns of a file that consists of pages, such as Parquet, from its footer, without reading
//! a page.

use std::fs::File;

use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::read::ByteSource;
use crate::columns::statistics::Statistics;
use crate::error::Result;
use crate::schema::{child_fields, child_path, display_name};
use crate::wire::v2::Leaf;

/// Reads the footer of an input; at most the given number of bytes of it are kept in memory.
pub type ReadFooter = fn(ByteSource, Option<File>, u64) -> Result<Footer>;

/// The footer of a file.
#[derive(Debug)]
pub struct Footer {
    /// The columns as they are read.
    pub schema: SchemaRef,
    /// Groups of rows, in order.
    pub groups: Vec<RowGroup>,
    /// Bytes of the footer, and of the magic at the start of the file.
    pub footer_bytes: u64,
    /// Bytes of indexes of pages and of filters.
    pub index_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
}

/// Rows that are stored together, column by column.
#[derive(Debug)]
pub struct RowGroup {
    /// Number of rows.
    pub rows: u64,
    /// A chunk for each column that is not nested and for each value inside a nested one, in the order of the schema.
    pub chunks: Vec<ColumnChunk>,
}

/// The values of a column in a row group.
#[derive(Clone, Debug)]
pub struct ColumnChunk {
    /// Number of values, nulls and empty lists included.
    pub values: u64,
    /// The number of nulls, the minimum and the maximum, as far as they are stated.
    pub statistics: Statistics,
    /// Encodings of the values, and the codec of their pages.
    pub encoding: String,
    /// Bytes in the file.
    pub stored: u64,
    /// Bytes before compression.
    pub plain: u64,
}

impl RowGroup {
    /// The columns at every depth, parents before their children. Only those without columns inside them have a chunk.
    pub fn leaves(&self, schema: &Schema) -> Vec<Leaf> {
        let mut walk = Walk {
            group: self,
            chunks: self.chunks.iter(),
            found: Vec::new(),
        };
        for (at, field) in schema.fields().iter().enumerate() {
            walk.column(field, &display_name(field.name(), at), at, 0);
        }
        walk.found
    }
}

/// Pairs the leaves of a schema with the chunks of a row group.
struct Walk<'a> {
    group: &'a RowGroup,
    chunks: std::slice::Iter<'a, ColumnChunk>,
    found: Vec<Leaf>,
}

impl Walk<'_> {
    fn column(&mut self, field: &Field, path: &str, column: usize, depth: usize) {
        let children = child_fields(field.data_type());
        let chunk = self
            .chunks
            .as_slice()
            .first()
            .filter(|_| children.is_empty());
        if chunk.is_some() {
            self.chunks.next();
        }
        let rows = chunk.map_or(self.group.rows, |chunk| chunk.values) as usize;
        let nulls = chunk.and_then(|chunk| chunk.statistics.nulls);
        let statistics = chunk.and_then(|chunk| chunk.statistics.extremes.clone());
        self.found.push(Leaf {
            path: path.to_owned(),
            column,
            depth,
            field: field.clone(),
            is_leaf: children.is_empty(),
            rows,
            valid: rows.saturating_sub(nulls.unwrap_or(0) as usize),
            may_hide_nulls: nulls.is_none() && field.is_nullable(),
            statistics,
            encoding: chunk.map(|chunk| chunk.encoding.clone()),
            validity: None,
            is_unread: false,
            spans: Vec::new(),
            stored: chunk.map_or(0, |chunk| chunk.stored),
            plain: chunk.map_or(0, |chunk| chunk.plain),
        });
        for (at, child) in children.into_iter().enumerate() {
            let path = child_path(field.data_type(), path, child, at);
            self.column(child, &path, column, depth + 1);
        }
    }
}

/// The types of the columns that have chunks.
pub fn leaf_types(schema: &Schema) -> Vec<&DataType> {
    fn add<'a>(field: &'a Field, types: &mut Vec<&'a DataType>) {
        let children = child_fields(field.data_type());
        if children.is_empty() {
            types.push(field.data_type());
        }
        for child in children {
            add(child, types);
        }
    }
    let mut types = Vec::new();
    for field in schema.fields() {
        add(field, &mut types);
    }
    types
}
