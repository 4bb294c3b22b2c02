//! Checks that values are ones that their types allow, which readers of Arrow and Parquet do not.
//!
//! A time of day that is not within a day would print as another time, and a column of JSON that is not JSON cannot be
//! printed as such.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, TimeUnit};

use crate::columns::lists::children;
use crate::columns::print::Slices;
use crate::columns::slots::slots;
use crate::error::{Error, Result};
use crate::schema::{EXTENSION_NAME, JSON_EXTENSION, child_fields, display_name};
use crate::text::json::scan::check;
use crate::text::time::per_second;

/// Refuses a batch with values that their types do not allow.
///
/// # Errors
/// [`crate::error::Kind::Input`] with the column and a value.
pub fn ensure_allowed(batch: &RecordBatch) -> Result<()> {
    let fields = batch.schema_ref().fields().iter().enumerate();
    for ((position, field), array) in fields.zip(batch.columns()) {
        ensure_in(field, array, None).map_err(|error| {
            let name = display_name(field.name(), position);
            let hint = format!("leave the column out with --columns=-{name}");
            error.in_column(name).hint(hint)
        })?;
    }
    Ok(())
}

/// Checks the values of an array whose rows exist only where `above` is valid.
fn ensure_in(field: &Field, array: &dyn Array, above: Option<&NullBuffer>) -> Result<()> {
    let nulls = NullBuffer::union(above, array.nulls());
    let is_valid = |row: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
    let mut rows = (0..array.len()).filter(is_valid);
    let is_json = field.metadata().get(EXTENSION_NAME).map(String::as_str) == Some(JSON_EXTENSION);
    match array.data_type() {
        DataType::Time32(unit) | DataType::Time64(unit) => {
            if let Some(time) = rows.find_map(|row| not_in_day(array, row, *unit)) {
                let day = 86_400 * per_second(*unit).0;
                let what = format!("{time} is not a time of day; those are 0 to {}", day - 1);
                return Err(Error::input(what));
            }
        }
        DataType::Dictionary(_, values) => {
            let field = field.clone().with_data_type(values.as_ref().clone());
            let dictionary = array.as_any_dictionary_opt();
            return dictionary.map_or(Ok(()), |it| ensure_in(&field, it.values(), None));
        }
        _ if is_json => {
            let texts = Slices::of(array).filter(Slices::is_utf8);
            let wrong = texts.and_then(|texts| {
                let row = rows.find(|&row| check(texts.row(row)).is_none())?;
                Some(String::from_utf8_lossy(texts.row(row)).into_owned())
            });
            if let Some(text) = wrong {
                let what = format!("the type is {JSON_EXTENSION}, but {text:?} is not JSON");
                return Err(Error::input(what));
            }
        }
        _ => {}
    }
    let above = nulls.filter(|_| array.as_struct_opt().is_some());
    let inner = child_fields(array.data_type())
        .into_iter()
        .zip(children(array));
    for (field, array) in inner {
        ensure_in(field, &array, above.as_ref())?;
    }
    Ok(())
}

/// The time in this row, if it is not within a day.
fn not_in_day(array: &dyn Array, row: usize, unit: TimeUnit) -> Option<i64> {
    let time = match array.data_type() {
        DataType::Time32(_) => i64::from(slots::<i32>(array)?[row]),
        _ => slots::<i64>(array)?[row],
    };
    (!(0..86_400 * per_second(unit).0).contains(&time)).then_some(time)
}
