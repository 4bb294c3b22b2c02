//! How each type's values are spelled in text, be it CSV, JSON or a report.
//!
//! A [`Column`] is an array taken apart once, so that printing a cell is one `match` and no
//! downcast. What is plain text here may need quotes in CSV and is escaped in JSON; the writers
//! see to that.

use arrow_array::{Array, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::Field;

mod cells;
mod float;
mod rounded;
mod slices;
mod spelling;

use super::form;
use crate::error::{Error, Result};

pub use cells::{Cells, Dictionary, Times};
pub use float::{float_word, print_double, print_float};
pub use slices::Slices;
pub use spelling::{FloatForm, FloatForms};

/// An array and its declared type, ready to be printed row by row.
#[derive(Debug)]
pub struct Column<'a> {
    nulls: Option<NullBuffer>,
    token: Option<Vec<u8>>,
    /// The values, those behind nulls included.
    pub cells: Cells<'a>,
}

impl<'a> Column<'a> {
    /// Takes `array` apart as what `field` declares: type, text form and word for null.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the type has no spelling here, or its form is not known.
    pub fn new(array: &'a dyn Array, field: &Field) -> Result<Self> {
        let cells = Cells::new(array, field).ok_or_else(|| {
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
    /// As [`Column::new`].
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
/// As [`Column::new`].
pub fn print_cell(array: &dyn Array, field: &Field, row: usize, out: &mut Vec<u8>) -> Result<()> {
    let column = Column::new(array, field)?;
    if !column.is_null(row) {
        column.cells.print(row, out);
    }
    Ok(())
}

/// Appends `true` or `false`.
#[inline]
pub fn print_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Appends a byte that should have been a bool: 0 is `false`, 1 is `true`, others are numbers.
#[inline]
pub fn print_raw_bool(byte: u8, out: &mut Vec<u8>) {
    match byte {
        0 | 1 => print_bool(byte == 1, out),
        other => print_integer(other, out),
    }
}

/// Appends decimal digits.
#[inline]
pub fn print_integer<I: itoa::Integer>(value: I, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// `00` to `ff`.
const HEX: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut i = 0;
    while i < 256 {
        pairs[i] = [digits[i >> 4], digits[i & 15]];
        i += 1;
    }
    pairs
};

/// Appends two lowercase hex digits per byte.
pub fn print_hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(bytes.iter().flat_map(|&byte| HEX[usize::from(byte)]));
}

/// Appends 8-4-4-4-12 lowercase hex digits.
pub fn print_uuid(uuid: &[u8; 16], out: &mut Vec<u8>) {
    out.extend_from_slice(&uuid_text(uuid));
}

/// [`print_uuid`] in capitals.
pub fn print_upper_uuid(uuid: &[u8; 16], out: &mut Vec<u8>) {
    out.extend_from_slice(&uuid_text(uuid).map(|byte| byte.to_ascii_uppercase()));
}

fn uuid_text(uuid: &[u8; 16]) -> [u8; 36] {
    let hex = uuid.map(|byte| HEX[usize::from(byte)]);
    let hex = hex.as_flattened();
    let mut text = [b'-'; 36];
    text[..8].copy_from_slice(&hex[..8]);
    text[9..13].copy_from_slice(&hex[8..12]);
    text[14..18].copy_from_slice(&hex[12..16]);
    text[19..23].copy_from_slice(&hex[16..20]);
    text[24..].copy_from_slice(&hex[20..]);
    text
}

#[cfg(test)]
mod tests;
