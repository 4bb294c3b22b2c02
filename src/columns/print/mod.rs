//! How each type's values are spelled in text, be it CSV, JSON or a report.
//!
//! A [`ColumnPrinter`] is an array taken apart once, so that printing a cell is one `match` and no
//! downcast. What is plain text here may need quotes in CSV and is escaped in JSON; the writers
//! see to that.

use arrow_array::{Array, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::Field;

mod cells;
pub mod json;
mod slices;

use crate::error::{Error, Result};
use crate::text::form;

pub use cells::{Dictionary, Times, TypedCells};
pub use slices::Slices;

/// An array and its declared type, ready to be printed row by row.
#[derive(Debug)]
pub struct ColumnPrinter<'a> {
    nulls: Option<NullBuffer>,
    token: Option<Vec<u8>>,
    /// The values, including those under nulls.
    pub cells: TypedCells<'a>,
}

impl<'a> ColumnPrinter<'a> {
    /// Takes `array` apart as what `field` declares: type, text form and word for null.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the type has no spelling here, or its form is not known.
    pub fn new(array: &'a dyn Array, field: &Field) -> Result<Self> {
        let cells = TypedCells::new(array, field).ok_or_else(|| {
            let ty = array.data_type();
            let what = match form::form_of(field) {
                Some(form) => format!("cannot print values of type {ty} in the form {form:?}"),
                None => format!("cannot print values of type {ty}"),
            };
            Error::input(what).in_column(field.name())
        })?;
        Ok(Self {
            nulls: array.logical_nulls().filter(|nulls| nulls.null_count() > 0),
            token: form::null_of(field).map(|token| token.as_bytes().to_vec()),
            cells,
        })
    }

    /// All columns of a batch.
    ///
    /// # Errors
    /// As [`ColumnPrinter::new`].
    pub fn all(batch: &'a RecordBatch) -> Result<Vec<Self>> {
        let fields = batch.schema_ref().fields();
        let columns = batch.columns().iter().zip(fields);
        columns
            .map(|(array, field)| Self::new(array, field))
            .collect()
    }

    /// True if there is no value in this row.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// The word that stands for null in text, if the column has its own.
    #[inline]
    pub fn null_token(&self) -> Option<&[u8]> {
        self.token.as_deref()
    }
}

/// Appends one cell as CSV has it, but never quoted; nothing for a null.
///
/// # Errors
/// As [`ColumnPrinter::new`].
pub fn print_cell(array: &dyn Array, field: &Field, row: usize, out: &mut Vec<u8>) -> Result<()> {
    let column = ColumnPrinter::new(array, field)?;
    if !column.is_null(row) {
        column.cells.print(row, out);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
