//! Detects conditions whose meaning changes from frame to frame.
//!
//! `05/02/2024` is a date in a frame that shows which number is the month, and text in other frames. `a.b` is a column
//! in a frame that has one of this name, and otherwise a value inside column `a`. If frames disagree, the rows that a
//! condition keeps would depend on where frames end, which is an error.

use std::collections::BTreeSet;

use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;

use super::bind::is_text;
use super::expression::{Op, Test};
use super::number::Moment;
use super::sides::Side;
use crate::columns::cast::{Provenance, general_form, spelled};
use crate::error::{Error, Result};
use crate::schema::path::Path;
use crate::text::form::form_of;

/// How a test reads the values of a column that may hold dates or times: in a pattern, or, if this is empty, as text or
/// ISO 8601, which mean the same in all frames. `None` for other columns, and if it makes no difference. `fits` is true
/// if the test suits the type of the column.
///
/// # Errors
/// If a value cannot be printed.
pub fn of_dates(side: &Side<'_>, test: &Test, fits: bool) -> Result<Option<String>> {
    let Test::Values { op, values, .. } = test else {
        return Ok(None);
    };
    let is_time = side.field.data_type().is_temporal();
    let values_are_spelled = *op == Op::Equal
        && values
            .iter()
            .all(|literal| Moment::read(&literal.text).is_none());
    let first = (0..side.array.len()).find(|&row| side.array.is_valid(row));
    let Some(first) = first.filter(|_| side.from != Provenance::Typed && !values_are_spelled)
    else {
        return Ok(None);
    };
    let Some(pattern) = form_of(&side.field).filter(|_| is_time && fits) else {
        return Ok((is_time || is_text(&side.field)).then(String::new));
    };
    let (_, cells) = spelled(&side.array.slice(first, 1), &side.field)?;
    let is_iso = Moment::read(cells.as_string::<i32>().value(0)).is_some();
    Ok(Some(if is_iso {
        String::new()
    } else {
        general_form(pattern)
    }))
}

/// Checks the results of [`of_dates`] for all frames.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if they differ.
pub fn ensure_one_form(path: &Path, forms: &BTreeSet<String>) -> Result<()> {
    let (Some(form), true) = (forms.last(), forms.len() > 1) else {
        return Ok(());
    };
    let name = path.to_string();
    let what = format!(
        "column {name:?} holds dates or times in the form {form} in some frames and other text in others, so the \
         comparison has no single meaning"
    );
    Err(Error::usage(what).hint("choose the type of the column with --schema"))
}

/// Checks the numbers of steps in the name of the column that a path began with, of all frames.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if they differ.
pub fn ensure_one_column(path: &Path, steps: &BTreeSet<usize>) -> Result<()> {
    if steps.len() < 2 {
        return Ok(());
    }
    let what = format!("{path} is a column in some frames, and a value inside a column in others");
    Err(Error::usage(what).hint("for the column, put the whole name in double quotes"))
}
