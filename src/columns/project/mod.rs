//! From the exact columns of many blocks to batches of one schema.
//!
//! This is where wire 1's poverty is felt: it has no decimals and no text forms, so a column gets a
//! type only if the user's choice of [`Infer`] says that the type keeps enough of it.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, Float64Array, Int64Array,
    StringArray, TimestampMicrosecondArray, new_null_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};

use super::column::{Column, Numbers, Strings, Values};
use super::typed::{bool_word, lossless_number};
use crate::schema::{FixedType, Type};
use crate::text::{time, uuid};

mod all;
mod rounded;

use all::project_all;

/// How much of a column's text a type must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infer {
    /// Every cell prints back as it was read.
    Exact,
    /// Every cell keeps its value; the spelling may go.
    Values,
    /// Nothing is typed: all is text.
    None,
}

/// The field of one column, given all its blocks, and the type of wire 1 that it stands for.
///
/// A `fixed` type stands, whatever the cells look like and even if there is none. `json` says that the
/// cells came from JSON, where text and numbers in one column become JSON text instead of plain text.
pub fn field(
    name: &str,
    blocks: &[Column],
    fixed: Option<Type>,
    infer: Infer,
    json: bool,
) -> (Field, Type) {
    let ty = fixed.unwrap_or_else(|| choose(blocks, infer, json));
    let field = if ty == Type::Utf8 && !blocks.iter().all(is_utf8) {
        // Text that is no UTF-8 keeps its bytes: as text where it must print back, else as bytes.
        match infer {
            Infer::Exact => Type::Utf8.field_held_as(name, DataType::Binary),
            Infer::Values | Infer::None => Type::Bytes.field(name),
        }
    } else {
        ty.field(name)
    };
    (field, ty)
}

fn is_utf8(block: &Column) -> bool {
    if let Values::Text(strings) = &block.values {
        strings.utf8
    } else {
        true
    }
}

/// The field of one column of any type, its text form in the metadata, and an array per block.
pub fn project(
    name: &str,
    blocks: Vec<Column>,
    fixed: Option<&FixedType>,
    infer: Infer,
    json: bool,
) -> (Field, Vec<ArrayRef>) {
    let fixed = match fixed {
        Some(FixedType::Arrow(data_type)) => {
            let field = Field::new(name, data_type.clone(), true);
            let arrays = blocks.into_iter().map(|block| match block.values {
                Values::Fixed(array) => array,
                _ => new_null_array(data_type, block.rows),
            });
            return (field, arrays.collect());
        }
        Some(FixedType::Wire1(ty)) => Some(*ty),
        None if infer != Infer::None => return project_all(name, blocks, infer, json),
        None => None,
    };
    let (field, ty) = field(name, &blocks, fixed, infer, json);
    let array = |block| array(block, ty, &field);
    let arrays = blocks.into_iter().map(array).collect();
    (field, arrays)
}

/// The narrowest type of wire 1 that keeps all blocks as `infer` asks.
fn choose(blocks: &[Column], infer: Infer, json: bool) -> Type {
    let valid = || {
        blocks
            .iter()
            .map(|block| &block.values)
            .filter(|v| !matches!(v, Values::Null))
    };
    let all = |test: fn(&Values) -> bool| valid().all(test);
    // What is fixed but not by the user are rows that are no objects.
    if valid().any(|v| matches!(v, Values::Fixed(_))) {
        return Type::Json;
    }
    let widest = if json && !all(|v| matches!(v, Values::Text(_))) {
        Type::Json
    } else {
        Type::Utf8
    };
    if valid().next().is_none() {
        return Type::Utf8;
    }
    if infer == Infer::None {
        return widest;
    }
    // What prints back in wire 1's conventions is typed under either rule.
    if all(|v| matches!(v, Values::Bool(_))) {
        return Type::Bool;
    }
    if all(|v| matches!(v, Values::Numbers(numbers) if !numbers.form.has_fraction)) {
        return Type::I64;
    }
    if all(|v| match v {
        Values::Numbers(numbers) => numbers.form.prints_back_as_f64(),
        Values::Floats(_) => true,
        _ => false,
    }) {
        return Type::F64;
    }
    if all(|v| matches!(v, Values::Timestamps(_))) {
        return Type::Timestamp;
    }
    if all(|v| matches!(v, Values::Uuids(_))) {
        return Type::Uuid;
    }
    if all(|v| {
        matches!(
            v,
            Values::Timestamps(_) | Values::Uuids(_) | Values::Text(_)
        )
    }) && json
    {
        return Type::Utf8;
    }
    if infer == Infer::Values {
        if blocks.iter().all(|block| keeps_value_as_f64(block, json)) {
            return Type::F64;
        }
        // In JSON the characters of a string are its value, so strings are typed by exact match only.
        if !json {
            return choose_by_value(blocks).unwrap_or(widest);
        }
    }
    widest
}

fn choose_by_value(blocks: &[Column]) -> Option<Type> {
    let all_text = |test: fn(&[u8]) -> bool, typed: fn(&Values) -> bool| {
        blocks.iter().all(|block| match &block.values {
            Values::Null => true,
            Values::Text(strings) => valid_texts(block, strings).all(test),
            values => typed(values),
        })
    };
    if all_text(
        |text| bool_word(text).is_some(),
        |v| matches!(v, Values::Bool(_)),
    ) {
        return Some(Type::Bool);
    }
    if all_text(
        |text| time::parse_timestamp(text).is_some(),
        |v| matches!(v, Values::Timestamps(_)),
    ) {
        return Some(Type::Timestamp);
    }
    all_text(
        |text| uuid::parse(text).is_some(),
        |v| matches!(v, Values::Uuids(_)),
    )
    .then_some(Type::Uuid)
}

fn keeps_value_as_f64(block: &Column, json: bool) -> bool {
    match &block.values {
        Values::Null | Values::Floats(_) => true,
        Values::Numbers(numbers) => !numbers.form.not_f64,
        Values::Json(strings) => {
            json && valid_texts(block, strings).all(|text| lossless_number(text).is_some())
        }
        Values::Text(strings) => {
            !json && valid_texts(block, strings).all(|text| lossless_number(text).is_some())
        }
        _ => false,
    }
}

fn valid_texts<'a>(block: &'a Column, strings: &'a Strings) -> impl Iterator<Item = &'a [u8]> {
    strings
        .iter()
        .enumerate()
        .filter(|(row, _)| block.is_valid(*row))
        .map(|(_, text)| text)
}

/// The array of one block, whose type was chosen so that every valid row converts.
pub fn array(block: Column, ty: Type, field: &Field) -> ArrayRef {
    let Column {
        rows,
        nulls,
        values,
    } = block;
    match (ty, values) {
        (_, Values::Fixed(array)) => array,
        (_, Values::Null) => new_null_array(field.data_type(), rows),
        (Type::Bool, Values::Bool(bits)) => Arc::new(BooleanArray::new(bits, nulls)),
        (Type::Bool, Values::Text(strings)) => {
            let bits = BooleanBuffer::collect_bool(rows, |row| {
                bool_word(row_of(&strings, row)) == Some(true)
            });
            Arc::new(BooleanArray::new(bits, nulls))
        }
        (Type::I64, Values::Numbers(Numbers { mantissas, .. })) => {
            Arc::new(Int64Array::new(mantissas.into(), nulls))
        }
        (Type::F64, values) => Arc::new(Float64Array::new(floats(values).into(), nulls)),
        (Type::Timestamp, Values::Timestamps(micros)) => timestamp_array(micros, nulls),
        (Type::Timestamp, Values::Text(strings)) => {
            let micros = strings
                .iter()
                .map(|text| time::parse_timestamp(text).unwrap_or(0))
                .collect();
            timestamp_array(micros, nulls)
        }
        (Type::Uuid, Values::Uuids(uuids)) => uuid_array(uuids, nulls),
        (Type::Uuid, Values::Text(strings)) => {
            let parse = |text| uuid::parse(text).unwrap_or_default();
            uuid_array(strings.iter().map(parse).collect(), nulls)
        }
        (Type::Json, values) => string_array(
            Column {
                rows,
                nulls: nulls.clone(),
                values,
            }
            .into_json(),
            nulls,
            field.data_type(),
        ),
        (_, values) => string_array(
            Column {
                rows,
                nulls: nulls.clone(),
                values,
            }
            .into_text(),
            nulls,
            field.data_type(),
        ),
    }
}

fn row_of(strings: &Strings, row: usize) -> &[u8] {
    &strings.data[strings.offsets[row] as usize..strings.offsets[row + 1] as usize]
}

fn floats(values: Values) -> Vec<f64> {
    match values {
        Values::Floats(floats) => floats.values,
        Values::Numbers(numbers) => numbers.into_floats(),
        Values::Text(strings) | Values::Json(strings) => strings
            .iter()
            .map(|text| lossless_number(text).unwrap_or(0.0))
            .collect(),
        _ => Vec::new(),
    }
}

fn timestamp_array(micros: Vec<i64>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(TimestampMicrosecondArray::new(micros.into(), nulls).with_timezone("UTC"))
}

fn uuid_array(uuids: Vec<[u8; 16]>, nulls: Option<NullBuffer>) -> ArrayRef {
    let bytes = Buffer::from_vec(uuids.into_flattened());
    Arc::new(FixedSizeBinaryArray::new(16, bytes, nulls))
}

fn string_array(strings: Strings, nulls: Option<NullBuffer>, data_type: &DataType) -> ArrayRef {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(strings.offsets));
    let data = Buffer::from_vec(strings.data);
    if *data_type == DataType::Binary {
        return Arc::new(BinaryArray::new(offsets, data, nulls));
    }
    Arc::new(StringArray::new(offsets, data, nulls))
}
