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
    if side.from == Provenance::Typed || values_are_spelled {
        return Ok(None);
    }
    let Some(first) = first_value(side) else {
        return Ok(None);
    };
    if fits && let Some(pattern) = own_form(side, first)? {
        return Ok(Some(general_form(pattern)));
    }
    Ok((is_time || is_text(&side.field)).then(String::new))
}

/// How a comparison of two columns reads their values, as [`of_dates`]: their exact patterns, or empty. `None` if one has
/// no values.
///
/// # Errors
/// If a value cannot be printed.
pub fn of_pair(left: &Side<'_>, right: &Side<'_>) -> Result<Option<[String; 2]>> {
    let mut forms = [String::new(), String::new()];
    for (form, side) in forms.iter_mut().zip([left, right]) {
        let Some(first) = first_value(side) else {
            return Ok(None);
        };
        if side.from != Provenance::Typed
            && let Some(pattern) = own_form(side, first)?
        {
            pattern.clone_into(form);
        }
    }
    Ok(Some(forms))
}

fn first_value(side: &Side<'_>) -> Option<usize> {
    (0..side.array.len()).find(|&row| side.array.is_valid(row))
}

/// The pattern of dates or times, unless it is like ISO 8601, which text is read as, too. `first` is a row with a value.
fn own_form<'a>(side: &'a Side<'_>, first: usize) -> Result<Option<&'a str>> {
    let is_time = side.field.data_type().is_temporal();
    let Some(pattern) = form_of(&side.field).filter(|_| is_time) else {
        return Ok(None);
    };
    let (_, cells) = spelled(&side.array.slice(first, 1), &side.field)?;
    let is_iso = Moment::read(cells.as_string::<i32>().value(0)).is_some();
    Ok(Some(pattern).filter(|_| !is_iso))
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

/// Checks the results of [`of_pair`] for all frames. Dates of one pattern are equal if their texts are.
///
/// # Errors
/// As for [`ensure_one_form`].
pub fn ensure_one_form_each(
    paths: [&Path; 2],
    op: Op,
    forms: &BTreeSet<[String; 2]>,
) -> Result<()> {
    let is_same =
        |[left, right]: &[String; 2]| left == right || left.is_empty() || right.is_empty();
    if op == Op::Equal && forms.iter().all(is_same) {
        return Ok(());
    }
    (0..2).try_for_each(|at| {
        let general = forms.iter().map(|it| general_form(&it[at])).collect();
        ensure_one_form(paths[at], &general)
    })
}

/// The error for a name in double quotes that is a column in only some frames.
pub fn text_or_column(path: &Path) -> Error {
    let name = path.to_string();
    let what = format!("{name:?} is a column in some frames, and text in others");
    let hint = format!("for text, write '{name}'; for the column, `{name}`");
    Error::usage(what).hint(hint)
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
