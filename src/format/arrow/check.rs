//! Checks what the crate arrow-ipc takes on trust, so that no input makes it panic or exceed the memory limit.

use arrow_array::cast::AsArray;
use arrow_array::{Array, MapArray};
use arrow_ipc::{CompressionType, MetadataVersion, RecordBatch};
use arrow_schema::{
    DECIMAL32_MAX_PRECISION, DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION,
    DECIMAL256_MAX_PRECISION, DataType, Schema,
};

use super::layout::Buffers;
use crate::columns::lists::children;
use crate::error::{Error, Result};
use crate::schema::{child_fields, display_name};

/// Refuses types that cannot be read, or whose parameters make no sense.
pub fn schema(schema: &Schema) -> Result<()> {
    for (position, field) in schema.fields().iter().enumerate() {
        data_type(field.data_type())
            .map_err(|error| error.in_column(display_name(field.name(), position)))?;
    }
    Ok(())
}

fn data_type(ty: &DataType) -> Result<()> {
    let nonsense = || Err(Error::corrupt(format!("unknown type {ty}")));
    match ty {
        DataType::FixedSizeBinary(len) if *len < 0 => nonsense(),
        DataType::FixedSizeList(_, len) if *len < 0 => nonsense(),
        DataType::Decimal32(precision, scale) => {
            decimal(*precision, *scale, DECIMAL32_MAX_PRECISION, ty)
        }
        DataType::Decimal64(precision, scale) => {
            decimal(*precision, *scale, DECIMAL64_MAX_PRECISION, ty)
        }
        DataType::Decimal128(precision, scale) => {
            decimal(*precision, *scale, DECIMAL128_MAX_PRECISION, ty)
        }
        DataType::Decimal256(precision, scale) => {
            decimal(*precision, *scale, DECIMAL256_MAX_PRECISION, ty)
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) if fields.len() == 2 => data_type(entries.data_type()),
            _ => nonsense(),
        },
        DataType::Dictionary(_, values) => match &**values {
            DataType::Dictionary(..) => nonsense(),
            values => data_type(values),
        },
        other => child_fields(other)
            .into_iter()
            .try_for_each(|child| data_type(child.data_type())),
    }
}

fn decimal(precision: u8, scale: i8, most: u8, ty: &DataType) -> Result<()> {
    if (1..=most).contains(&precision) && scale.unsigned_abs() <= most && scale <= precision as i8 {
        Ok(())
    } else {
        Err(Error::corrupt(format!("unknown type {ty}")))
    }
}

/// Refuses maps with null entries, at any depth: the format forbids them, and frames cannot store them.
pub fn maps(batch: &arrow_array::RecordBatch) -> Result<()> {
    let fields = batch.schema_ref().fields().iter().enumerate();
    for ((position, field), array) in fields.zip(batch.columns()) {
        maps_in(array.as_ref())
            .map_err(|error| error.in_column(display_name(field.name(), position)))?;
    }
    Ok(())
}

fn maps_in(array: &dyn Array) -> Result<()> {
    let is_broken = |map: &MapArray| map.entries().null_count() > 0;
    if array.as_map_opt().is_some_and(is_broken) {
        return Err(Error::corrupt("a map has entries that are null"));
    }
    let children = children(array);
    children.iter().try_for_each(|child| maps_in(child))
}

/// Checks the positions of a batch's buffers in `body` and their uncompressed sizes, given the types of its columns.
pub fn batch<'t>(
    batch: &RecordBatch<'_>,
    version: MetadataVersion,
    mut types: impl Iterator<Item = &'t DataType>,
    body: &[u8],
    limit: u64,
) -> Result<()> {
    let rows = |rows: i64| match u64::try_from(rows) {
        Ok(rows) if rows <= limit => Ok(()),
        Ok(rows) => Err(limit_reached(rows, limit)),
        Err(_) => Err(Error::corrupt(format!("invalid row count {rows}"))),
    };
    rows(batch.length())?;
    for node in batch.nodes().iter().flatten() {
        rows(node.length())?;
        if !(0..=node.length()).contains(&node.null_count()) {
            let (nulls, rows) = (node.null_count(), node.length());
            return Err(Error::corrupt(format!("{nulls} nulls in {rows} rows")));
        }
    }
    let compressed = match batch.compression().map(|compression| compression.codec()) {
        None => false,
        Some(CompressionType::LZ4_FRAME | CompressionType::ZSTD) => true,
        Some(other) => return Err(Error::corrupt(format!("unknown codec {}", other.0))),
    };
    let mut plain = 0u64;
    let mut lens = Vec::new();
    for buffer in batch.buffers().iter().flatten() {
        let bytes = usize::try_from(buffer.offset())
            .ok()
            .zip(usize::try_from(buffer.length()).ok())
            .and_then(|(from, len)| body.get(from..from.checked_add(len)?));
        let Some(bytes) = bytes else {
            let (from, len) = (buffer.offset(), buffer.length());
            let size = body.len();
            return Err(Error::corrupt(format!(
                "a buffer of {len} bytes at {from} exceeds the message of {size} bytes"
            )));
        };
        // Compressed buffers start with their uncompressed length. It is -1 if the rest is not compressed.
        let len = match bytes.first_chunk::<8>() {
            Some(len) if compressed => match i64::from_le_bytes(*len) {
                -1 => bytes.len() as u64 - 8,
                len => u64::try_from(len)
                    .map_err(|_| Error::corrupt(format!("invalid buffer length {len}")))?,
            },
            _ => bytes.len() as u64,
        };
        plain = plain.saturating_add(len);
        lens.push(len);
    }
    if plain > limit {
        return Err(limit_reached(plain, limit));
    }
    let mut buffers = Buffers {
        nodes: batch.nodes().into_iter().flatten(),
        lens: lens.iter(),
        version,
    };
    let mut views = batch.variadicBufferCounts().into_iter().flatten();
    types.try_for_each(|ty| buffers.array(ty, &mut views))
}

/// The error for exceeding the limit.
pub fn limit_reached(size: u64, limit: u64) -> Error {
    Error::limit(format!(
        "a batch of {size} uncompressed bytes or rows; the limit is {limit}"
    ))
    .hint("raise --max-frame")
}
