//! Reads the description of the columns in a footer.

use std::fs::File;

use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader as _, Length as _};

use super::guard::guarded;
use super::open::{END_BYTES, load};
use super::source::SharedFile;
use super::{MAGIC, corrupt, legacy, statistics};
use crate::columns::statistics::Statistics;
use crate::error::{Error, Result};
use crate::format::arrow::normalize;
use crate::format::footer::{ColumnChunk, Footer, RowGroup, leaf_types};
use crate::format::read::ByteSource;

/// Reads the footer of a file.
///
/// # Errors
/// If the input is not Parquet, has unsupported types, or is inconsistent.
pub fn read_footer(bytes: ByteSource, file: Option<File>, max_frame: u64) -> Result<Footer> {
    let (source, metadata) = load(bytes, file, max_frame)?;
    guarded(|| footer(&source, &metadata))
}

fn footer(source: &SharedFile, metadata: &ArrowReaderMetadata) -> Result<Footer> {
    let schema = normalize::schema(&legacy::stored_intervals(metadata.schema()));
    let leaves = leaf_types(&schema);
    let groups = metadata.metadata().row_groups();
    let mut index_bytes = 0;
    let read = groups.iter().enumerate().map(|(number, group)| {
        index_bytes += group.columns().iter().map(index_len).sum::<u64>();
        row_group(group, &leaves).map_err(|error| error.in_row_group(number as u64))
    });
    Ok(Footer {
        groups: read.collect::<Result<_>>()?,
        schema,
        footer_bytes: MAGIC.len() as u64 + footer_len(source)?,
        index_bytes,
        file_bytes: source.len(),
    })
}

fn row_group(group: &RowGroupMetaData, leaves: &[&DataType]) -> Result<RowGroup> {
    let chunks = group.columns().iter().enumerate().map(|(at, column)| {
        let path = || column.column_path().parts().join(".");
        let stated = |what, value: i64| {
            let wrong = || Error::corrupt(format!("the column has {value} {what}"));
            u64::try_from(value).map_err(|_| wrong().in_column(path()))
        };
        let values = stated("values", column.num_values())?;
        let more = || Error::corrupt("more columns than in the schema");
        let statistics = statistics::stated(column, leaves.get(at).ok_or_else(more)?);
        Ok(ColumnChunk {
            values,
            statistics: Statistics {
                nulls: statistics.nulls.filter(|nulls| *nulls <= values),
                ..statistics
            },
            encoding: encoding(column),
            stored: stated("compressed bytes", column.compressed_size())?,
            plain: stated("uncompressed bytes", column.uncompressed_size())?,
        })
    });
    Ok(RowGroup {
        rows: u64::try_from(group.num_rows())
            .map_err(|_| Error::corrupt("a negative number of rows"))?,
        chunks: chunks.collect::<Result<_>>()?,
    })
}

/// The encodings of the values and the codec: `RLE_DICTIONARY zstd`.
fn encoding(chunk: &ColumnChunkMetaData) -> String {
    let encodings: Vec<Encoding> = match chunk.page_encoding_stats_mask() {
        Some(of_data_pages) => of_data_pages.encodings().collect(),
        // Includes the encodings of levels and dictionaries.
        None => chunk.encodings().collect(),
    };
    let codec = match chunk.compression() {
        Compression::UNCOMPRESSED => None,
        Compression::SNAPPY => Some("snappy"),
        Compression::GZIP(_) => Some("gzip"),
        Compression::LZO => Some("lzo"),
        Compression::BROTLI(_) => Some("brotli"),
        Compression::LZ4 => Some("lz4"),
        Compression::ZSTD(_) => Some("zstd"),
        Compression::LZ4_RAW => Some("lz4_raw"),
    };
    let names: Vec<_> = encodings.iter().map(|it| format!("{it:?}")).collect();
    let names = names.join("+");
    codec.map_or_else(|| names.clone(), |codec| format!("{names} {codec}"))
}

/// Bytes of the footer, with its length and the magic after it.
pub(super) fn footer_len(source: &SharedFile) -> Result<u64> {
    let at = source.len() - END_BYTES;
    let len = source
        .get_bytes(at, size_of::<u32>())
        .map_err(corrupt)?
        .as_array()
        .map_or(0, |len| u32::from_le_bytes(*len));
    Ok(u64::from(len) + END_BYTES)
}

/// Bytes of what helps to find values: the indexes of pages and the Bloom filter.
fn index_len(chunk: &ColumnChunkMetaData) -> u64 {
    let parts = [
        chunk.column_index_length(),
        chunk.offset_index_length(),
        chunk.bloom_filter_length(),
    ];
    parts
        .into_iter()
        .flatten()
        .filter_map(|len| u64::try_from(len).ok())
        .sum()
}
