//! Opens single columns of row groups.
//!
//! The reader that the crate builds for a selection of columns visits all columns of the file. With a reader for each
//! column, that would take time quadratic in their number, so each gets a schema of its own column only.

use std::iter::once;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{Fields, Schema};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{SchemaDescriptor, Type};

use super::source::Pages;

/// The leaves of each top-level column.
pub fn leaves_of_roots(schema: &SchemaDescriptor) -> Vec<Range<usize>> {
    let mut roots = vec![0..0; schema.root_schema().get_fields().len()];
    for leaf in 0..schema.num_columns() {
        let root = &mut roots[schema.get_column_root_idx(leaf)];
        let first = if root.end == 0 { leaf } else { root.start };
        *root = first..leaf + 1;
    }
    roots
}

/// A top-level column of a row group.
pub struct RootChunk<'a> {
    pub pages: Pages,
    pub metadata: &'a ParquetMetaData,
    /// Number of the row group.
    pub group: usize,
    /// Position of the column in the schema.
    pub root: usize,
    /// Its first leaf.
    pub first_leaf: usize,
}

impl RootChunk<'_> {
    /// A reader of batches of the column, whose type is in `schema`, the Arrow schema of the file.
    ///
    /// # Errors
    /// If the column is damaged.
    pub fn open(&self, schema: &Schema, batch_rows: usize) -> Result<ParquetRecordBatchReader> {
        let stored = self.metadata.file_metadata().schema_descr().root_schema();
        let only = vec![Arc::clone(&stored.get_fields()[self.root])];
        let only = Type::group_type_builder(stored.name()).with_fields(only);
        let only = SchemaDescriptor::new(Arc::new(only.build()?));
        let fields = Fields::from(vec![Arc::clone(&schema.fields()[self.root])]);
        let levels = parquet_to_arrow_field_levels(&only, ProjectionMask::all(), Some(&fields))?;
        ParquetRecordBatchReader::try_new_with_row_groups(&levels, self, batch_rows, None)
    }

    fn row_group(&self) -> &RowGroupMetaData {
        self.metadata.row_group(self.group)
    }
}

impl RowGroups for RootChunk<'_> {
    fn num_rows(&self) -> usize {
        self.row_group().num_rows() as usize
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>> {
        let chunk = self.row_group().column(self.first_leaf + leaf);
        let pages = Arc::new(self.pages.clone());
        let pages = SerializedPageReader::new(pages, chunk, self.num_rows(), None)?;
        Ok(Box::new(OneChunk(once(Ok(Box::new(pages) as _)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(once(self.row_group()))
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.metadata
    }
}

type PageReaders = std::iter::Once<Result<Box<dyn PageReader>>>;

/// The pages of one column chunk.
struct OneChunk(PageReaders);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl PageIterator for OneChunk {}
