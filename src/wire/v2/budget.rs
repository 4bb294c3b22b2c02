//! What a frame may claim: a few bytes of a header can describe any number of rows and columns.

use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::units::grouped;

/// The most rows x (columns + 1) of a frame, the rows of nested columns included. Rows of nothing take no
/// bytes in a frame, yet each takes time to print.
pub const MAX_CELLS: u64 = 1 << 31;

/// What is left of the limits while a header is read.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    bytes: u64,
    max_bytes: u64,
    cells: u64,
}

impl Budget {
    /// The budget of a frame of `rows` rows, whose description may take `max_bytes` bytes in memory.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if the rows alone are too many.
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
    /// [`crate::error::Kind::Limit`] if there are too many of them in all.
    pub fn take_cells(&mut self, rows: usize) -> Result<()> {
        self.cells = self.cells.checked_sub(rows as u64).ok_or_else(too_many)?;
        Ok(())
    }

    /// Rows that have been counted.
    pub fn cells(&self) -> u64 {
        MAX_CELLS - self.cells
    }

    /// Counts bytes in memory.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] if there are too many of them in all.
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

/// Subtracts bytes from what may still be used.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if there are fewer left.
pub fn take(left: &mut usize, count: usize, width: usize) -> Result<()> {
    let bytes = count.saturating_mul(width);
    *left = left.checked_sub(bytes).ok_or_else(|| {
        Error::limit(format!("the column expands to {bytes} bytes or more"))
            .hint("raise --max-frame, which bounds what a frame takes in memory")
    })?;
    Ok(())
}

/// Subtracts what the values of an array take once they are moved to `rows` rows, of which some are null.
///
/// # Errors
/// As [`take`].
pub fn take_moved(left: &mut usize, values: &ArrayRef, rows: usize) -> Result<()> {
    take(left, values.get_array_memory_size(), 1)?;
    take(left, rows, null_bytes(values.data_type()))
}

/// About how many bytes a null takes.
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
