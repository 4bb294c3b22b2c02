//! Converts nested columns to JSON text, for formats without nesting.
//!
//! A column of several kinds of values prints each as a column of that kind would: which kinds a column has may differ
//! from frame to frame.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, StructArray};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};

use super::JsonWriter;
use crate::columns::print::ColumnPrinter;
use crate::columns::{cannot_hold, record_batch};
use crate::error::{Error, Result};
use crate::schema::Type;
use crate::schema::keys::{as_variant, is_fixed, is_hidden, is_of_json, is_variant};
use crate::text::json::scan::unescape;
use crate::text::json::style::JsonStyle;

/// True if a column of this type becomes JSON text in formats without nesting.
pub fn is_nested(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Struct(_)
            | DataType::List(_)
            | DataType::LargeList(_)
            | DataType::FixedSizeList(..)
            | DataType::Map(..)
    )
}

fn is_flat(schema: &Schema) -> bool {
    let mut fields = schema.fields().iter();
    fields.all(|field| {
        !is_nested(field.data_type()) && !is_hidden(field) && !holds_strings(field, schema)
    })
}

/// True for a column of JSON text in a frame made from JSON. It has values that no other type keeps, such as a string with
/// half a surrogate pair. The strings beside them are printed as in frames where they are a column of strings.
fn holds_strings(field: &Field, schema: &Schema) -> bool {
    Type::of(field) == Some(Type::Json) && !is_fixed(field) && is_of_json(schema.metadata())
}

/// The schema of [`flatten_to_json`].
pub fn flat_schema(schema: &Schema) -> Schema {
    let visible = schema.fields().iter().filter(|field| !is_hidden(field));
    let flat = |field: &FieldRef| {
        if is_nested(field.data_type()) {
            let ty = if is_variant(field) {
                Type::Utf8
            } else {
                Type::Json
            };
            Arc::new(ty.field(field.name()))
        } else if holds_strings(field, schema) {
            Arc::new(Type::Json.field(field.name()))
        } else {
            Arc::clone(field)
        }
    };
    Schema::new(visible.map(flat).collect::<Fields>())
}

/// Converts nested columns to JSON text and removes hidden columns.
///
/// # Errors
/// [`crate::error::Kind::Input`] if values of a type cannot be printed, [`crate::error::Kind::Limit`] if the text of a
/// column is too long for Arrow.
pub fn flatten_to_json(batch: &RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema_ref();
    if is_flat(schema) {
        return Ok(batch.clone());
    }
    let mut writer = JsonWriter::new(JsonStyle::lines(), true);
    let arrays = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .filter(|(_, field)| !is_hidden(field))
        .map(|(array, field)| {
            if is_variant(field) && array.as_struct_opt().is_some() {
                variant_texts(&mut writer, field, held_strings(array, field)?.as_struct())
            } else if is_nested(field.data_type()) {
                texts(&mut writer, array, field)
            } else if holds_strings(field, schema) {
                held_strings(array, field)
            } else {
                Ok(Arc::clone(array))
            }
        })
        .collect::<Result<_>>()?;
    record_batch(Arc::new(flat_schema(schema)), arrays, batch.num_rows()).map_err(cannot_hold)
}

/// The values of a column of any type as JSON text.
///
/// # Errors
/// As [`flatten_to_json`].
pub fn json_texts(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    texts(&mut JsonWriter::new(JsonStyle::lines(), true), array, field)
}

fn texts(writer: &mut JsonWriter, array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let printer = writer.printer(array, field, 0)?;
    texts_of(array.len(), field, |row, out| {
        let is_valid = !printer.is_null(row);
        if is_valid {
            writer.value(&printer, row, out);
        }
        is_valid
    })
}

/// The values of a variant: each is printed like in a column of its own kind.
fn variant_texts(writer: &mut JsonWriter, field: &Field, array: &StructArray) -> Result<ArrayRef> {
    let mut nested = Vec::new();
    let mut plain = Vec::new();
    for (array, field) in array.columns().iter().zip(array.fields()) {
        if is_nested(field.data_type()) {
            nested.push(writer.printer(array, field, 0)?);
        } else if !is_hidden(field) {
            plain.push(ColumnPrinter::new(array, field)?);
        }
    }
    texts_of(array.len(), field, |row, out| {
        if array.is_null(row) {
            return false;
        }
        if let Some(cells) = plain.iter().find(|cells| !cells.is_null(row)) {
            cells.cells.print(row, out);
            return true;
        }
        let value = nested.iter().find(|values| !values.is_null(row));
        if let Some(value) = value {
            writer.value(value, row, out);
        }
        value.is_some()
    })
}

/// The values of a column, with the strings that JSON text holds in place of that text, also where the column is a
/// variant. Other values in JSON text, and strings with half a surrogate pair, stay JSON text.
///
/// # Errors
/// [`crate::error::Kind::Input`] if JSON text is not text, [`crate::error::Kind::Limit`] as for [`flatten_to_json`].
pub fn held_strings(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    match array.as_struct_opt() {
        Some(of) if is_variant(field) => {
            let children = of.columns().iter().zip(of.fields());
            let children = children.map(|(child, field)| held_strings(child, field));
            let children = children.collect::<Result<Vec<_>>>()?;
            let retyped = |(field, child): (&FieldRef, &ArrayRef)| {
                let data_type = child.data_type().clone();
                Arc::new(field.as_ref().clone().with_data_type(data_type))
            };
            let fields: Fields = of.fields().iter().zip(&children).map(retyped).collect();
            let of = StructArray::try_new(fields, children, of.nulls().cloned());
            Ok(Arc::new(of.map_err(cannot_hold)?))
        }
        _ if Type::of(field) == Some(Type::Json) => strings_of(array, field),
        _ => Ok(Arc::clone(array)),
    }
}

fn strings_of(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let printer = ColumnPrinter::new(array, field)?;
    let mut text = Vec::new();
    texts_of(array.len(), field, |row, out| {
        let is_valid = !printer.is_null(row);
        if is_valid && !print_string(&printer, row, &mut text, out) {
            out.extend_from_slice(&text);
        }
        is_valid
    })
}

/// True for a column that JSON has as strings, which have another type because of what they look like.
pub fn is_typed_string(field: &Field) -> bool {
    field.data_type().is_temporal() || Type::of(field) == Some(Type::Uuid)
}

fn printed(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let printer = ColumnPrinter::new(array, field)?;
    texts_of(array.len(), field, |row, out| {
        let is_valid = !printer.is_null(row);
        if is_valid {
            printer.cells.print(row, out);
        }
        is_valid
    })
}

/// A column of JSON text, also among values of several kinds, as a variant: its strings, and all other values as JSON
/// text. Among values of several kinds, all strings become text. Other columns are unchanged.
///
/// # Errors
/// As for [`held_strings`].
pub fn strings_apart(array: &ArrayRef, field: &Field) -> Result<(Field, ArrayRef)> {
    let children = match array.as_struct_opt() {
        Some(of) if is_variant(field) => {
            let children = of.columns().iter().zip(of.fields());
            let apart = children.map(|(child, field)| {
                if is_typed_string(field) {
                    Ok((Type::Utf8.field(field.name()), printed(child, field)?))
                } else {
                    strings_apart(child, field)
                }
            });
            apart.collect::<Result<Vec<_>>>()?
        }
        _ if Type::of(field) == Some(Type::Json) => {
            let printer = ColumnPrinter::new(array, field)?;
            let mut text = Vec::new();
            let mut part = |of_strings: bool| {
                texts_of(array.len(), field, |row, out| {
                    let is_valid = !printer.is_null(row);
                    if !is_valid || print_string(&printer, row, &mut text, out) {
                        return is_valid && of_strings;
                    }
                    if !of_strings {
                        out.extend_from_slice(&text);
                    }
                    !of_strings
                })
            };
            let strings = (Type::Utf8.field("string"), part(true)?);
            vec![strings, (Type::Json.field("other"), part(false)?)]
        }
        _ => return Ok((field.clone(), Arc::clone(array))),
    };
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = children.into_iter().unzip();
    let fields = Fields::from(fields);
    let of = StructArray::try_new(fields.clone(), arrays, array.logical_nulls());
    let field = Field::new(field.name(), DataType::Struct(fields), true);
    Ok((as_variant(field), Arc::new(of.map_err(cannot_hold)?)))
}

/// Appends the string that a row of JSON text holds, and prints the row to `text`; false, with `out` unchanged, if it
/// holds none.
fn print_string(
    printer: &ColumnPrinter<'_>,
    row: usize,
    text: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> bool {
    text.clear();
    printer.cells.print(row, text);
    let start = out.len();
    let inside = text
        .trim_ascii()
        .strip_prefix(b"\"")
        .and_then(|it| it.strip_suffix(b"\""));
    let is_string = inside.and_then(|inside| unescape(inside, out)).is_some();
    if !is_string {
        out.truncate(start);
    }
    is_string
}

/// A column of the texts that `print` appends; it returns false for nulls.
fn texts_of(
    rows: usize,
    field: &Field,
    mut print: impl FnMut(usize, &mut Vec<u8>) -> bool,
) -> Result<ArrayRef> {
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    let mut data = Vec::new();
    let mut valid = BooleanBufferBuilder::new(rows);
    for row in 0..rows {
        valid.append(print(row, &mut data));
        offsets.push(i32::try_from(data.len()).map_err(|_| {
            Error::limit("the column is longer than 2 GiB as JSON text").in_column(field.name())
        })?);
    }
    let nulls = Some(NullBuffer::new(valid.finish())).filter(|nulls| nulls.null_count() > 0);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let texts = StringArray::try_new(offsets, Buffer::from_vec(data), nulls)
        .map_err(|error| Error::input(error.to_string()).in_column(field.name()))?;
    Ok(Arc::new(texts))
}
