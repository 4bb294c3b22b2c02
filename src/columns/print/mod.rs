//! Prints values of all types, for CSV, JSON and reports.
//!
//! A [`ColumnPrinter`] downcasts an array once, so that printing a cell takes a single `match`. The text has no quotes
//! or escapes; the writers of CSV and JSON add them.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::Field;

mod cell_value;
mod cells;
pub mod json;
mod printed_entries;
mod printed_values;
mod slices;
mod times;

use super::slots::slots;
use crate::error::{Error, Result};
use crate::text::form;

pub use cell_value::CellValue;
pub use cells::{DictionaryCells, TypedCells};
pub(crate) use printed_entries::PrintedEntries;
pub use printed_values::PrintedValues;
pub use slices::{SHORT, Slices, Texts};
pub use times::Times;

/// An array and its declared type, ready to be printed row by row.
#[derive(Debug)]
pub struct ColumnPrinter<'a> {
    array: &'a dyn Array,
    nulls: Option<NullBuffer>,
    null_word: Option<Vec<u8>>,
    /// The values, including those under nulls.
    pub cells: TypedCells<'a>,
}

/// Numbers that represent the values of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keys<'a> {
    Bits(&'a BooleanArray),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> ColumnPrinter<'a> {
    /// Prepares `array` for printing with the type, text form and null word of `field`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if values of the type cannot be printed, or its form is unknown.
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
            array,
            nulls: array.logical_nulls().filter(|nulls| nulls.null_count() > 0),
            null_word: form::null_of(field).map(|word| word.as_bytes().to_vec()),
            cells,
        })
    }

    /// A number per row: values with equal numbers have the same text. `None` if the type has no such numbers.
    pub(crate) fn keys(&self) -> Option<Keys<'a>> {
        if let Some(bits) = self.array.as_boolean_opt() {
            return Some(Keys::Bits(bits));
        }
        match self.array.data_type().primitive_width()? {
            1 => slots(self.array).map(Keys::U8),
            2 => slots(self.array).map(Keys::U16),
            4 => slots(self.array).map(Keys::U32),
            8 => slots(self.array).map(Keys::U64),
            _ => None,
        }
    }

    /// Printers for all columns of a batch.
    ///
    /// # Errors
    /// As [`ColumnPrinter::new`].
    pub fn all(batch: &'a RecordBatch) -> Result<Vec<Self>> {
        let fields = batch.schema_ref().fields();
        batch
            .columns()
            .iter()
            .zip(fields)
            .map(|(array, field)| Self::new(array, field))
            .collect()
    }

    /// True if there is no value in this row.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// The rows without values; `None` if all have one.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    /// The column's word for null in text, if it has one.
    #[inline]
    pub fn null_word(&self) -> Option<&[u8]> {
        self.null_word.as_deref()
    }
}

#[cfg(test)]
mod tests;
