//! Limits for the rows and columns that a header may declare in a few bytes.

use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::units::grouped;

/// The largest rows x (columns + 1) of a frame, including the rows of nested columns. Empty rows take no bytes in a
/// frame, but each takes time to print.
pub const MAX_CELLS: u64 = 1 << 31;

/// The remaining limits while a header is read.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    bytes: u64,
    max_bytes: u64,
    cells: u64,
}

impl Budget {
    /// The budget of a frame with `rows` rows, whose description may take `max_bytes` bytes in memory.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if there are too many rows.
    pub fn new(max_bytes: u64, rows: usize) -> Result<Self> {
        let mut budget = Self {
            bytes: max_bytes,
            max_bytes,
            cells: MAX_CELLS,
        };
        budget.take_cells(rows)?;
        Ok(budget)
    }

    /// Counts the rows of a column.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if the total is too large.
    pub fn take_cells(&mut self, rows: usize) -> Result<()> {
        self.cells = self.cells.checked_sub(rows as u64).ok_or_else(too_many)?;
        Ok(())
    }

    /// Number of rows counted so far.
    pub fn cells(&self) -> u64 {
        MAX_CELLS - self.cells
    }

    /// Counts bytes in memory.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if the total is too large.
    pub fn take_bytes(&mut self, bytes: usize) -> Result<()> {
        let left = self.bytes.checked_sub(bytes as u64);
        self.bytes = left.ok_or_else(|| {
            let limit = self.max_bytes;
            let what = format!("the description of the columns takes more than {limit} bytes");
            Error::limit(what).hint("raise --max-frame")
        })?;
        Ok(())
    }
}

/// The error for a frame with too many rows and columns.
fn too_many() -> Error {
    let most = grouped(MAX_CELLS);
    Error::limit(format!(
        "the frame has more than {most} cells, counted as rows x (columns + 1), those of nested columns \
         included"
    ))
}

/// Approximate size of a null in bytes.
pub fn null_bytes(data_type: &DataType) -> usize {
    match data_type {
        DataType::FixedSizeBinary(len) => *len as usize,
        DataType::FixedSizeList(item, len) => {
            null_bytes(item.data_type()).saturating_mul(*len as usize)
        }
        DataType::Struct(fields) => fields
            .iter()
            .map(|field| null_bytes(field.data_type()))
            .fold(1, usize::saturating_add),
        DataType::Dictionary(keys, _) => null_bytes(keys),
        DataType::Null => 0,
        _ => data_type.primitive_width().unwrap_or(16),
    }
}
