//! Casts columns to the eleven types of wire 1.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, FieldRef};

use super::field_facts::FieldFacts;
use super::is_utf8;
use super::null_words::{all_spelled, is_odd};
use super::settled::{Settled, is_all_numbers, type_by_value};
use super::target::{Provenance, Target, is_held};
use crate::columns::print::ColumnPrinter;
use crate::columns::print::json::{is_nested, json_texts};
use crate::error::{Error, Result};
use crate::schema::keys::{NULL, is_key, is_row};
use crate::schema::{ROW_COLUMN, Type};
use crate::text::form::form_of;

/// Casts a column to a type of wire 1.
pub(super) fn cast_column(
    field: &FieldRef,
    arrays: Vec<ArrayRef>,
    target: Target,
    from: Provenance,
) -> Result<(FieldRef, Vec<ArrayRef>)> {
    if is_held(field) && (from != Provenance::Csv || target == Target::Wire1Exact) {
        return Ok((Arc::clone(field), arrays));
    }
    let to_json = |arrays: &[ArrayRef]| {
        let texts = arrays.iter().map(|array| json_texts(array, field));
        let texts = texts.collect::<Result<_>>()?;
        Ok((Type::Json.field(field.name()).into(), texts))
    };
    if is_nested(field.data_type()) || is_row(field) && Type::of(field) != Some(Type::Json) {
        return to_json(&arrays);
    }
    let exact = target == Target::Wire1Exact;
    let facts = || FieldFacts::of_all(&arrays, field, from).facts;
    let is_json = from == Provenance::Json && Type::of(field) == Some(Type::Json) && !is_row(field);
    let is_numbers = is_json && !exact && is_all_numbers(facts().scalars());
    let is_value = from == Provenance::Json && (is_json_value(field) || is_numbers);
    // A JSON string is never typed by its content.
    let is_string = from == Provenance::Json && !is_value;
    let to_text = |arrays: Vec<ArrayRef>| {
        if is_value {
            return to_json(&arrays);
        }
        let text = Settled {
            spells_nulls: exact,
            spells_all: exact,
            ..Settled::plain(Type::Utf8.field(field.name()))
        };
        text.cast_all(field, arrays)
    };
    if is_odd(field) {
        let (field, texts) = all_spelled(field, &arrays)?;
        return cast_column(&field, texts, target, from);
    }
    let of_text = from == Provenance::Csv && is_utf8(field);
    let ty = if of_text && target == Target::Wire1 {
        type_of_wire_1(&type_by_value(field, &facts()))
    } else if is_numbers {
        Some(Type::F64)
    } else if is_held(field) {
        Some(Type::Bytes)
    } else {
        let of_values = match field.data_type() {
            DataType::Dictionary(_, values) => field
                .as_ref()
                .clone()
                .with_data_type(values.as_ref().clone()),
            _ => field.as_ref().clone(),
        };
        type_of_wire_1(&of_values)
    };
    if let Some(ty) = ty {
        let to = Settled::plain(ty.field(field.name()));
        let cast_arrays: Option<Vec<_>> = arrays
            .iter()
            .map(|array| to.cast(array, field))
            .collect::<Result<_>>()?;
        if let Some(cast_arrays) = cast_arrays
            && (!(exact || is_string) || print_alike((field, &arrays), (&to.field, &cast_arrays))?)
        {
            return Ok((to.field.into(), cast_arrays));
        }
    }
    to_text(arrays)
}

/// True for types whose values are not strings in JSON.
fn is_json_value(field: &Field) -> bool {
    field.data_type().is_numeric() || *field.data_type() == DataType::Boolean
}

/// True if every cell prints the same in both columns. Nulls print as nothing.
fn print_alike(
    (field, arrays): (&Field, &[ArrayRef]),
    (to, cast_arrays): (&Field, &[ArrayRef]),
) -> Result<bool> {
    if field.metadata().contains_key(NULL) {
        return Ok(false);
    }
    if field.data_type() == to.data_type() && form_of(field).is_none() {
        return Ok(true);
    }
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for (array, cast_array) in arrays.iter().zip(cast_arrays) {
        let (column, cast_column) = (
            ColumnPrinter::new(array, field)?,
            ColumnPrinter::new(cast_array, to)?,
        );
        for row in (0..array.len()).filter(|&row| !column.is_null(row)) {
            one.clear();
            other.clear();
            column.cells.print(row, &mut one);
            cast_column.cells.print(row, &mut other);
            if one != other {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The type to try before text.
fn type_of_wire_1(field: &Field) -> Option<Type> {
    let fits = Type::of(field);
    match field.data_type() {
        // Wire 1 cannot represent 007 as a number.
        DataType::Int64 if form_of(field).is_some() => None,
        DataType::Int8
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Decimal32(_, 0)
        | DataType::Decimal64(_, 0)
        | DataType::Decimal128(_, 0) => Some(Type::I64),
        DataType::Float16 => Some(Type::F32),
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => {
            Some(Type::F64)
        }
        // With a zone it is an instant, whatever its spelling.
        DataType::Timestamp(_, Some(_)) => Some(Type::Timestamp),
        DataType::Timestamp(..) => None,
        DataType::Utf8View if is_json_view(field) => Some(Type::Json),
        DataType::LargeUtf8 if fits == Some(Type::Json) => Some(Type::Json),
        DataType::FixedSizeBinary(16) => Some(Type::Uuid),
        DataType::BinaryView | DataType::LargeBinary | DataType::FixedSizeBinary(_) => {
            Some(Type::Bytes)
        }
        _ => fits,
    }
}

fn is_json_view(field: &Field) -> bool {
    Type::of(&field.clone().with_data_type(DataType::Utf8)) == Some(Type::Json)
}

/// Refuses a frame whose only column would be mistaken for rows that are not objects.
///
/// # Errors
/// [`crate::error::Kind::Input`] if rows are objects whose only key is `$`, and wire 1 would store its values as JSON.
pub fn ensure_no_bare_rows(field: &Field, written: &Field) -> Result<()> {
    let is_json = Type::of(written) == Some(Type::Json);
    if is_json
        && written.name() == ROW_COLUMN
        && !is_row(field)
        && (is_key(field) || Type::of(field) != Some(Type::Json))
    {
        return Err(Error::input("the only key of all rows is \"$\"")
            .hint("--schema '$:json' keeps each row as one JSON value"));
    }
    Ok(())
}
