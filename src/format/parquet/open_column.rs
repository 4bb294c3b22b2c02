//! Column chunks that are being written.

use std::sync::Arc;

use arrow_schema::{FieldRef, Schema};
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowLeafColumn, ArrowRowGroupWriterFactory,
};
use parquet::errors::Result as ParquetResult;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::write::unwritable;
use crate::error::{Error, Result};

/// Values of a column that wait for its writer. The writer itself takes about twice as much memory, for its dictionary
/// and its codec.
const WAITING_BYTES: usize = 64 << 10;

/// A column chunk from its first value to its end.
pub enum OpenColumn {
    /// It has few values so far. Tables with thousands of columns fill a row group with few rows; each column then gets
    /// its writer at the end of the row group, one after the other.
    Waiting {
        column: TopColumn,
        leaves: Vec<ArrowLeafColumn>,
        bytes: usize,
    },
    Writing(Box<ArrowColumnWriter>),
    Closed,
}

/// A top-level column of the schema.
#[derive(Clone)]
pub struct TopColumn {
    pub stored: TypePtr,
    pub field: FieldRef,
    pub properties: WriterPropertiesPtr,
}

impl TopColumn {
    /// Starts the chunks of all its leaves.
    ///
    /// # Errors
    /// If the crate cannot write the type.
    pub fn open(self) -> Result<Vec<OpenColumn>> {
        if self.stored.is_primitive() {
            return Ok(vec![OpenColumn::Waiting {
                column: self,
                leaves: Vec::new(),
                bytes: 0,
            }]);
        }
        Ok(self
            .writers()
            .map_err(unwritable)?
            .into_iter()
            .map(Box::new)
            .map(OpenColumn::Writing)
            .collect())
    }

    /// The writers of its leaves. The crate makes writers only for all columns of a file, so this is a file of one column,
    /// which stays empty.
    fn writers(&self) -> ParquetResult<Vec<ArrowColumnWriter>> {
        let only = Type::group_type_builder("schema").with_fields(vec![Arc::clone(&self.stored)]);
        let properties = Arc::clone(&self.properties);
        let only = Arc::new(only.build()?);
        let file = SerializedFileWriter::new(std::io::sink(), only, properties)?;
        let schema = Schema::new(vec![Arc::clone(&self.field)]);
        ArrowRowGroupWriterFactory::new(&file, Arc::new(schema)).create_column_writers(0)
    }
}

impl OpenColumn {
    /// Appends values that take `more_bytes` of memory.
    ///
    /// # Errors
    /// If the crate cannot write them.
    pub fn write(&mut self, leaf: ArrowLeafColumn, more_bytes: usize) -> Result<()> {
        match self {
            Self::Waiting { leaves, bytes, .. } => {
                leaves.push(leaf);
                *bytes = bytes.saturating_add(more_bytes);
                if *bytes < WAITING_BYTES {
                    return Ok(());
                }
                let writer = std::mem::replace(self, Self::Closed).into_writer()?;
                *self = Self::Writing(Box::new(writer));
                Ok(())
            }
            Self::Writing(writer) => writer.write(&leaf).map_err(unwritable),
            Self::Closed => Err(closed()),
        }
    }

    /// Ends the chunk.
    ///
    /// # Errors
    /// If the crate cannot write it.
    pub fn close(&mut self) -> Result<ArrowColumnChunk> {
        let writer = std::mem::replace(self, Self::Closed).into_writer()?;
        writer.close().map_err(unwritable)
    }

    /// The writer, to which all values were passed.
    fn into_writer(self) -> Result<ArrowColumnWriter> {
        match self {
            Self::Writing(writer) => Ok(*writer),
            Self::Waiting { column, leaves, .. } => {
                let mut writers = column.writers().map_err(unwritable)?;
                let mut writer = writers.pop().ok_or_else(closed)?;
                for leaf in leaves {
                    writer.write(&leaf).map_err(unwritable)?;
                }
                Ok(writer)
            }
            Self::Closed => Err(closed()),
        }
    }
}

fn closed() -> Error {
    Error::input("a column of Parquet was closed twice")
}
