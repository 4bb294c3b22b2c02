//! Reads row groups to batches.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
};
use parquet::basic::{Compression, Type};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader as _, Length as _};

use super::column_chunk::{RootChunk, leaves_of_roots};
use super::footer::footer_len;
use super::guard::guarded;
use super::source::{Pages, SharedFile};
use super::{ENCRYPTED_MAGIC, MAGIC, corrupt, invalid, legacy, statistics};
use crate::columns::lists::with_fields;
use crate::columns::record_batch;
use crate::columns::statistics::Statistics;
use crate::error::{Error, Result};
use crate::filter::{FrameStatistics, Predicate};
use crate::format::arrow::check::{self, limit_reached};
use crate::format::arrow::open::places;
use crate::format::arrow::{normalize, values};
use crate::format::read::{ByteSource, Part, ReadOptions, Reader};
use crate::format::turns::{Turn, Turns};
use crate::schema::display_name;

/// Approximate size of a part in bytes. A column of many pages is decoded one part at a time.
const PART_BYTES: u64 = 4 << 20;
/// The most rows of a part.
const MOST_ROWS: u64 = 1 << 16;
/// Number of bytes of unexplained content to look at in one step.
const GAP_BYTES: usize = 1 << 20;
/// Number of bytes of the footer's length and the magic.
pub const END_BYTES: u64 = 8;

/// Opens a file; without `file`, all bytes are kept in memory.
///
/// # Errors
/// If the input is not Parquet, has unsupported types, or lacks a selected column.
pub fn open_parquet(
    bytes: ByteSource,
    file: Option<File>,
    options: &ReadOptions<'_>,
) -> Result<Box<dyn Reader>> {
    let (source, metadata) = load(bytes, file, options.max_frame)?;
    let stored_schema = metadata.schema();
    let wanted = places(stored_schema, options.text)?;
    let all = 0..stored_schema.fields().len();
    let wanted = wanted.unwrap_or_else(|| all.collect());
    let pages = Pages {
        file: source.clone(),
        limit: options.max_frame,
    };
    let kept = legacy::keep_months(metadata)?;
    let (metadata, stored_schema) = legacy::widen_timestamps(&pages, kept, &wanted)?;
    let leaves = leaves_of_roots(metadata.parquet_schema());
    let leaves = wanted.iter().map(|&root| leaves[root].clone()).collect();
    let projected = stored_schema.project(&wanted);
    let stored_schema = Arc::new(projected.map_err(Error::input)?);
    Ok(Box::new(GroupCutter {
        table: Arc::new(OpenTable {
            schema: normalize::schema(&stored_schema),
            stored_schema,
            source,
            metadata,
            wanted,
            leaves,
            limit: options.max_frame,
        }),
        next_group: 0,
        open: None,
        any: false,
    }))
}

/// Reads the footer and the schema; without `file`, all bytes are kept in memory.
pub fn load(
    bytes: ByteSource,
    file: Option<File>,
    max_frame: u64,
) -> Result<(SharedFile, ArrowReaderMetadata)> {
    let cannot = |error| Error::io("cannot read", error);
    let source = match file {
        Some(file) => {
            let len = file.metadata().map_err(cannot)?.len();
            SharedFile::File(Arc::new(file.into()), len)
        }
        None => SharedFile::Memory(whole(bytes, max_frame)?),
    };
    ensure_readable(&source)?;
    let load = || ArrowReaderMetadata::load(&source, ArrowReaderOptions::new()).map_err(corrupt);
    let metadata = guarded(|| load().and_then(without_dictionaries))?;
    check::schema(metadata.schema())?;
    guarded(|| ensure_one_file(&source, &metadata))?;
    Ok((source, metadata))
}

/// Returns metadata with which the crate reads plain values in place of dictionaries whose entries have a type that it
/// cannot read in dictionaries.
fn without_dictionaries(metadata: ArrowReaderMetadata) -> Result<ArrowReaderMetadata> {
    fn plain(field: &FieldRef) -> FieldRef {
        let data_type = match field.data_type() {
            DataType::Dictionary(_, values) if !is_readable_entry(values) => (**values).clone(),
            other => with_fields(other, plain),
        };
        Arc::new(field.as_ref().clone().with_data_type(data_type))
    }
    let schema = metadata.schema();
    let fields: Fields = schema.fields().iter().map(plain).collect();
    if fields == *schema.fields() {
        return Ok(metadata);
    }
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    let file = Arc::clone(metadata.metadata());
    ArrowReaderMetadata::try_new(file, options).map_err(corrupt)
}

fn is_readable_entry(of: &DataType) -> bool {
    !matches!(
        of,
        DataType::Null
            | DataType::Boolean
            | DataType::Float16
            | DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
    )
}

/// Refuses a file that follows another one: the footer describes only the rows of the last. If there is anything between
/// the content that the footer describes and the footer itself, it must not be the end of one file and the start of the
/// next.
fn ensure_one_file(source: &SharedFile, metadata: &ArrowReaderMetadata) -> Result<()> {
    let groups = metadata.metadata().row_groups().iter();
    let chunks = groups.flat_map(RowGroupMetaData::columns);
    let end = chunks.filter_map(end_of).max().unwrap_or(0);
    let footer = source.len().saturating_sub(footer_len(source)?);
    let joint = [MAGIC, MAGIC].concat();
    let mut at = end.max(MAGIC.len() as u64);
    while at < footer {
        let len = usize::try_from(footer - at).unwrap_or(usize::MAX);
        let bytes = source.get_bytes(at, len.min(GAP_BYTES)).map_err(corrupt)?;
        if let Some(found) = memchr::memmem::find(&bytes, &joint) {
            let at = at + found as u64 + MAGIC.len() as u64;
            return Err(Error::corrupt("another file begins inside this one")
                .at_byte(at)
                .hint("Parquet files cannot be joined with cat; convert takes several inputs"));
        }
        // The joint may lie across the border.
        at += (bytes.len().saturating_sub(joint.len() - 1)).max(1) as u64;
    }
    Ok(())
}

/// Where a column chunk, its indexes and its Bloom filter end; `None` if the footer does not say.
fn end_of(chunk: &ColumnChunkMetaData) -> Option<u64> {
    let start = chunk.dictionary_page_offset().into_iter();
    let start = start.chain([chunk.data_page_offset()]).min()?;
    let parts = [
        (Some(start), Some(chunk.compressed_size())),
        (
            chunk.column_index_offset(),
            chunk.column_index_length().map(i64::from),
        ),
        (
            chunk.offset_index_offset(),
            chunk.offset_index_length().map(i64::from),
        ),
        (
            chunk.bloom_filter_offset(),
            chunk.bloom_filter_length().map(i64::from),
        ),
    ];
    let ends = parts
        .into_iter()
        .filter_map(|(at, len)| at?.checked_add(len?));
    ends.max().and_then(|end| u64::try_from(end).ok())
}

/// Reads all bytes of an input that is not seekable.
fn whole(bytes: ByteSource, most: u64) -> Result<bytes::Bytes> {
    let mut all = Vec::new();
    let read = bytes.take(most.saturating_add(1)).read_to_end(&mut all);
    read.map_err(|error| Error::io("cannot read", error))?;
    if all.len() as u64 > most {
        let what = format!("a stream of more than {most} bytes; Parquet begins with its end");
        return Err(Error::limit(what).hint("read from a file, or raise --max-frame"));
    }
    Ok(all.into())
}

/// Refuses incomplete and encrypted files.
fn ensure_readable(source: &SharedFile) -> Result<()> {
    let len = source.len();
    let magic = |at| source.get_bytes(at, MAGIC.len()).map_err(corrupt);
    if len < END_BYTES + MAGIC.len() as u64 {
        return Err(Error::corrupt("the input is too short to be Parquet"));
    }
    let (first, last) = (magic(0)?, magic(len - MAGIC.len() as u64)?);
    if first == ENCRYPTED_MAGIC[..] || last == ENCRYPTED_MAGIC[..] {
        return Err(Error::input("the file is encrypted")
            .hint("decrypt it first with the program that has the key"));
    }
    if first != MAGIC[..] {
        return Err(Error::corrupt("this is not Parquet").hint(
            "Parquet starts with PAR1; if the extension is misleading, name the format with --from",
        ));
    }
    if last != MAGIC[..] {
        return Err(Error::corrupt("the file ends before its footer").at_byte(len));
    }
    Ok(())
}

/// An open file and the selection of columns.
struct OpenTable {
    source: SharedFile,
    metadata: ArrowReaderMetadata,
    /// The positions of the columns to read.
    wanted: Vec<usize>,
    /// The leaves of each.
    leaves: Vec<Range<usize>>,
    /// Their types in the file.
    stored_schema: SchemaRef,
    /// Their types as read.
    schema: SchemaRef,
    /// The largest part in bytes.
    limit: u64,
}

/// Cuts row groups into parts.
struct GroupCutter {
    table: Arc<OpenTable>,
    next_group: usize,
    /// The current row group, and the number of its rows already cut.
    open: Option<(Arc<Group>, u64)>,
    any: bool,
}

/// A row group being read.
struct Group {
    number: usize,
    rows: u64,
    part_rows: u64,
    /// Approximate size of a row in bytes.
    row_bytes: u64,
    columns: Arc<Turns<OpenChunk>>,
}

/// A column chunk being read.
#[derive(Default)]
struct OpenChunk {
    reader: Option<ParquetRecordBatchReader>,
    /// Number of parts that were read or skipped.
    done: usize,
}

impl Reader for GroupCutter {
    fn next_part(&mut self, _limit: Option<usize>) -> Result<Option<Part>> {
        let groups = self.table.metadata.metadata().row_groups();
        while self.open.is_none()
            && let Some(group) = groups.get(self.next_group)
        {
            let number = self.next_group;
            self.next_group += 1;
            let group = self.table.open_group(number, group)?;
            self.open = (group.rows > 0).then(|| (Arc::new(group), 0));
        }
        let Some((group, first)) = self.open.take() else {
            if std::mem::replace(&mut self.any, true) {
                return Ok(None);
            }
            return Ok(Some(Part::empty(Arc::clone(&self.table.schema), None)));
        };
        self.any = true;
        let rows = group.part_rows.min(group.rows - first);
        let part = GroupPart {
            table: Arc::clone(&self.table),
            turn: group.columns.turn((first / group.part_rows) as usize),
            group: Arc::clone(&group),
            rows,
        };
        let len_bytes = (rows * group.row_bytes) as usize;
        if first + rows < group.rows {
            self.open = Some((group, first + rows));
        }
        let decode = move || guarded(|| part.batch());
        Ok(Some(Part::typed(rows, len_bytes, decode)))
    }

    fn skip_ruled_out(&mut self, filter: &Predicate) {
        let groups = self.table.metadata.metadata().row_groups();
        while self.open.is_none()
            && let Some(group) = groups.get(self.next_group)
            && !self.table.may_pass(group, filter)
        {
            self.next_group += 1;
        }
    }

    fn schema(&self) -> Option<SchemaRef> {
        Some(Arc::clone(&self.table.schema))
    }
}

impl OpenTable {
    fn open_group(&self, number: usize, group: &RowGroupMetaData) -> Result<Group> {
        let what = format!("row group {number} has {} rows", group.num_rows());
        let rows = u64::try_from(group.num_rows()).map_err(|_| Error::corrupt(what))?;
        let mut bytes = 0_u64;
        for leaf in self.leaves.iter().flat_map(Range::clone) {
            let chunk = group.column(leaf);
            ensure_known_codec(chunk)
                .and_then(|()| self.ensure_within_file(chunk))
                .map_err(|error| {
                    let path = chunk.column_path().parts().join(".");
                    error.in_row_group(number as u64).in_column(path)
                })?;
            bytes = bytes.saturating_add(plain_bytes(chunk, rows));
        }
        let row_bytes = (bytes / rows.max(1)).max(1);
        Ok(Group {
            number,
            rows,
            part_rows: (PART_BYTES / row_bytes).clamp(1, MOST_ROWS),
            row_bytes,
            columns: Turns::new(self.wanted.iter().map(|_| OpenChunk::default())),
        })
    }

    /// True if the footer does not rule out that rows of the row group pass.
    fn may_pass(&self, group: &RowGroupMetaData, filter: &Predicate) -> bool {
        let fields: Vec<&Field> = self.schema.fields().iter().map(AsRef::as_ref).collect();
        let schema = self.metadata.parquet_schema();
        let stated: Vec<Statistics> = (fields.iter().enumerate())
            .map(|(place, field)| {
                let root = self.wanted[place];
                // The statistics of a nested column describe the values inside.
                let is_flat = schema.root_schema().get_fields()[root].is_primitive();
                if !is_flat || !filter.needs(&display_name(field.name(), place)) {
                    return Statistics::default();
                }
                let chunk = group.column(self.leaves[place].start);
                statistics::of_chunk(chunk, field.data_type())
            })
            .collect();
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        filter.may_hold(&fields, |place| {
            Some(FrameStatistics {
                rows,
                nulls: stated[place].nulls?,
                extremes: stated[place].extremes.as_ref(),
                may_be_cells: false,
                may_spell_nulls: false,
            })
        })
    }

    /// Refuses a chunk outside the file.
    fn ensure_within_file(&self, chunk: &ColumnChunkMetaData) -> Result<()> {
        let first = chunk
            .dictionary_page_offset()
            .unwrap_or(chunk.data_page_offset());
        let (first, len) = (u64::try_from(first), u64::try_from(chunk.compressed_size()));
        let end = first
            .ok()
            .zip(len.ok())
            .and_then(|(first, len)| first.checked_add(len));
        match end {
            Some(end) if end <= self.source.len() && chunk.data_page_offset() >= 0 => Ok(()),
            _ => Err(Error::corrupt("the column does not lie within the file")),
        }
    }

    /// Opens a column at the start of its chunk.
    fn open_chunk(&self, group: &Group, place: usize) -> Result<ParquetRecordBatchReader> {
        let pages = Pages {
            file: self.source.clone(),
            limit: self.limit,
        };
        let chunk = RootChunk {
            pages,
            metadata: self.metadata.metadata(),
            group: group.number,
            root: self.wanted[place],
            first_leaf: self.leaves[place].start,
        };
        let rows = group.part_rows.min(group.rows) as usize;
        (chunk.open(self.metadata.schema(), rows)).map_err(corrupt)
    }
}

/// Refuses unsupported codecs.
fn ensure_known_codec(chunk: &ColumnChunkMetaData) -> Result<()> {
    let name = match chunk.compression() {
        Compression::BROTLI(_) => "Brotli",
        Compression::LZO => "LZO",
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::LZ4
        | Compression::LZ4_RAW
        | Compression::ZSTD(_) => return Ok(()),
    };
    Err(
        Error::input(format!("cannot read pages compressed with {name}"))
            .hint("rewrite the file with zstd or snappy, or choose other columns with --columns"),
    )
}

/// Approximate size of a chunk as an array, in bytes.
fn plain_bytes(chunk: &ColumnChunkMetaData, rows: u64) -> u64 {
    let values = u64::try_from(chunk.num_values()).unwrap_or(0).max(rows);
    let fixed = |width: u64| values.saturating_mul(width);
    match chunk.column_type() {
        Type::BOOLEAN => fixed(1),
        Type::INT32 | Type::FLOAT => fixed(4),
        Type::INT64 | Type::DOUBLE | Type::INT96 => fixed(8),
        Type::FIXED_LEN_BYTE_ARRAY => {
            fixed(u64::try_from(chunk.column_descr().type_length()).unwrap_or(1))
        }
        Type::BYTE_ARRAY => {
            let stated = chunk.unencoded_byte_array_data_bytes();
            let bytes = stated.unwrap_or_else(|| chunk.uncompressed_size());
            u64::try_from(bytes).unwrap_or(0).saturating_add(fixed(4))
        }
    }
}

/// Some rows of a row group.
struct GroupPart {
    table: Arc<OpenTable>,
    group: Arc<Group>,
    turn: Turn<OpenChunk>,
    rows: u64,
}

impl GroupPart {
    fn batch(&self) -> Result<RecordBatch> {
        let fields = self.table.stored_schema.fields();
        let mut columns = Vec::with_capacity(fields.len());
        let mut bytes = 0;
        for (place, field) in fields.iter().enumerate() {
            let column = self
                .turn
                .with(place, |chunk| guarded(|| self.column(place, chunk)));
            self.turn.pass(place);
            let column = column.map_err(|error| {
                let name = display_name(field.name(), self.table.wanted[place]);
                error.in_row_group(self.group.number as u64).in_column(name)
            })?;
            bytes += column.get_array_memory_size() as u64;
            if bytes > self.table.limit {
                return Err(limit_reached(bytes, self.table.limit));
            }
            columns.push(column);
        }
        let schema = Arc::clone(&self.table.stored_schema);
        let batch = record_batch(schema, columns, self.rows as usize);
        let batch = batch.map_err(|error| invalid(&error.to_string()))?;
        let batch = normalize::batch(batch, self.table.limit)?;
        values::ensure_allowed(&batch)?;
        Ok(batch)
    }

    /// The rows of a column.
    fn column(&self, place: usize, chunk: &mut OpenChunk) -> Result<ArrayRef> {
        let mut reader = match chunk.reader.take() {
            Some(reader) => reader,
            None => self.table.open_chunk(&self.group, place)?,
        };
        let batch = loop {
            let next = reader
                .next()
                .transpose()
                .map_err(|error| invalid(&error.to_string()))?;
            chunk.done += 1;
            // Skip parts that were not read.
            if chunk.done > self.turn.number() {
                break next;
            }
        };
        let column = batch
            .filter(|batch| batch.num_rows() as u64 == self.rows)
            .filter(|batch| batch.num_columns() == 1)
            .ok_or_else(|| invalid("a column has fewer rows than stated"))?;
        let is_last = (self.turn.number() as u64 + 1) * self.group.part_rows >= self.group.rows;
        chunk.reader = (!is_last).then_some(reader);
        let stored = self.table.stored_schema.field(place);
        legacy::with_intervals(column.column(0), stored.data_type())
    }
}
