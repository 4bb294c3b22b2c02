//! Any column as one of wire 1's eleven types.
//!
//! The rule is that of `--infer values`: a type may lose spelling, but no value. So decimals become
//! doubles while fifteen digits are enough, and text beyond; nested values become JSON text.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};

use super::cast;
use super::words::{is_odd, spelled};
use crate::columns::print::json::{is_nested, json_texts};
use crate::error::{Error, Result};
use crate::schema::keys::is_row;
use crate::schema::{EXTENSION_NAME, HELD_AS, Type, UUID_EXTENSION};
use crate::text::form::form_of;

/// How patterns of RFC 3339 begin.
const RFC_3339: &str = "%Y-%m-%dT%H:%M:%S";

/// The column as wire 1 holds it; all arrays get the same type.
///
/// # Errors
/// [`crate::error::Kind::Input`] if a type has no spelling in text, [`crate::error::Kind::Limit`] if
/// a text grows too long for Arrow.
pub fn fit(field: &Field, arrays: Vec<ArrayRef>) -> Result<(Field, Vec<ArrayRef>)> {
    if field.metadata().contains_key(HELD_AS) {
        return Ok((field.clone(), arrays));
    }
    if is_nested(field.data_type()) || is_row(field) && Type::of(field) != Some(Type::Json) {
        let texts = arrays.iter().map(|array| json_texts(array, field));
        return Ok((
            Type::Json.field(field.name()),
            texts.collect::<Result<_>>()?,
        ));
    }
    if is_odd(field) {
        let texts = arrays.iter().map(|array| Ok(spelled(array, field)?.1));
        return Ok((
            Type::Utf8.field(field.name()),
            texts.collect::<Result<_>>()?,
        ));
    }
    let of_values = match field.data_type() {
        DataType::Dictionary(_, values) => field.clone().with_data_type(values.as_ref().clone()),
        _ => field.clone(),
    };
    if let Some(ty) = types(&of_values) {
        let to = ty.field(field.name());
        if let Some(arrays) = all(&arrays, field, &to)? {
            return Ok((to, arrays));
        }
    }
    let to = Type::Utf8.field(field.name());
    let texts = all(&arrays, field, &to)?.ok_or_else(|| {
        let ty = field.data_type();
        Error::input(format!("wire 1 cannot store values of type {ty}"))
    })?;
    Ok((to, texts))
}

fn all(arrays: &[ArrayRef], from: &Field, to: &Field) -> Result<Option<Vec<ArrayRef>>> {
    if from.data_type() == to.data_type() {
        return Ok(Some(arrays.iter().map(Arc::clone).collect()));
    }
    let mut cast_arrays = Vec::with_capacity(arrays.len());
    for array in arrays {
        match cast(array, from, to)? {
            Some(array) => cast_arrays.push(array),
            None => return Ok(None),
        }
    }
    Ok(Some(cast_arrays))
}

/// The type to try before text.
fn types(field: &Field) -> Option<Type> {
    let fits = Type::of(field);
    match field.data_type() {
        // 007 is no number to wire 1.
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
        // As for `--infer values`, the offset of an RFC 3339 timestamp is spelling, and other
        // patterns are text. Without a zone there is no instant.
        DataType::Timestamp(_, Some(_))
            if form_of(field).is_none_or(|form| form.starts_with(RFC_3339)) =>
        {
            Some(Type::Timestamp)
        }
        DataType::Timestamp(..) => None,
        DataType::Utf8View if is_json_view(field) => Some(Type::Json),
        DataType::LargeUtf8 if fits == Some(Type::Json) => Some(Type::Json),
        DataType::FixedSizeBinary(_) if is_uuid(field) => Some(Type::Uuid),
        DataType::BinaryView | DataType::LargeBinary | DataType::FixedSizeBinary(_) => {
            Some(Type::Bytes)
        }
        _ => fits,
    }
}

fn is_uuid(field: &Field) -> bool {
    let extension = field.metadata().get(EXTENSION_NAME);
    Type::of(field) == Some(Type::Uuid) && extension.is_some_and(|name| name == UUID_EXTENSION)
}

fn is_json_view(field: &Field) -> bool {
    Type::of(&field.clone().with_data_type(DataType::Utf8)) == Some(Type::Json)
}
