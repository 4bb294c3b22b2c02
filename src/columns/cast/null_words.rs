//! Words for null.
//!
//! A CSV column may have a word for null: any short word among values of another type is one, and the column still
//! prints as it was read. Other formats cannot store the word. There, only words commonly read as null become nulls;
//! any other word makes the column text.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{Field, FieldRef, Schema};

use super::cells::{not_finite, text_field};
use super::too_long;
use crate::columns::print::ColumnPrinter;
use crate::columns::print::json::is_nested;
use crate::columns::{cannot_hold, record_batch};
use crate::error::Result;
use crate::text::form::{QUOTED_EMPTY, null_of};

/// The null words of pandas' `read_csv`, R, SQL dumps and JSON, in lowercase.
const NULLS: [&str; 20] = [
    "",
    QUOTED_EMPTY,
    "na",
    "n/a",
    "#n/a",
    "#na",
    "<na>",
    "nan",
    "-nan",
    "null",
    "(null)",
    "<null>",
    "none",
    "nil",
    "\\n",
    "-",
    "--",
    ".",
    "..",
    "?",
];

/// True for a word commonly read as null, and for the empty text.
pub fn is_null_word(cell: &[u8]) -> bool {
    let is = |word: &&str| word.as_bytes().eq_ignore_ascii_case(cell);
    cell.len() <= 6 && NULLS.iter().any(is) && cell != QUOTED_EMPTY.as_bytes()
}

/// All arrays of a column with its words for null spelled out: see [`spelled`].
///
/// # Errors
/// As for [`spelled`].
pub fn all_spelled(field: &Field, arrays: &[ArrayRef]) -> Result<(FieldRef, Vec<ArrayRef>)> {
    let texts = arrays.iter().map(|array| Ok(spelled(array, field)?.1));
    Ok((text_field(field).into(), texts.collect::<Result<_>>()?))
}

/// True if the column's word for null may be a value rather than null. Among numbers, `nan` is a value however it is
/// spelled.
pub fn is_odd(field: &Field) -> bool {
    let is_value = |word: &str| {
        !NULLS.contains(&word.to_ascii_lowercase().as_str())
            || field.data_type().is_numeric() && not_finite(word.as_bytes()).is_some()
    };
    null_of(field).is_some_and(is_value) && !is_nested(field.data_type())
}

/// Casts columns whose words for null may be values to text.
///
/// # Errors
/// As for [`spelled`].
pub fn with_words_spelled(batch: RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema();
    if !schema.fields().iter().any(|field| is_odd(field)) {
        return Ok(batch);
    }
    let columns = schema
        .fields()
        .iter()
        .zip(batch.columns())
        .map(|(field, array)| {
            if is_odd(field) {
                let (field, array) = spelled(array, field)?;
                Ok((Arc::new(field), array))
            } else {
                Ok((Arc::clone(field), Arc::clone(array)))
            }
        });
    let (fields, arrays): (Vec<FieldRef>, Vec<ArrayRef>) =
        columns.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    record_batch(schema, arrays, batch.num_rows()).map_err(cannot_hold)
}

/// The column as text, with the null word instead of nulls.
///
/// # Errors
/// [`crate::error::Kind::Limit`] if the text is too long for Arrow.
pub fn spelled(array: &ArrayRef, field: &Field) -> Result<(Field, ArrayRef)> {
    let column = ColumnPrinter::new(array, field)?;
    let word = match column.null_word() {
        Some(word) if word != QUOTED_EMPTY.as_bytes() => word,
        _ => b"",
    };
    let mut data = Vec::new();
    let mut lens = Vec::with_capacity(array.len());
    for row in 0..array.len() {
        let start = data.len();
        if column.is_null(row) {
            data.extend_from_slice(word);
        } else {
            column.cells.print(row, &mut data);
        }
        lens.push(data.len() - start);
    }
    if i32::try_from(data.len()).is_err() {
        return Err(too_long().in_column(field.name()));
    }
    let mut start = 0;
    let texts = lens.into_iter().map(|len| {
        start += len;
        String::from_utf8_lossy(&data[start - len..start])
    });
    let texts = StringArray::from_iter_values(texts);
    Ok((text_field(field), Arc::new(texts)))
}
