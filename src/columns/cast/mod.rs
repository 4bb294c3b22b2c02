//! Casts columns from one type to another without losing values.
//!
//! Types are chosen frame by frame. Some formats need one type for all frames ([`join`]), and most support fewer types
//! than columns can have ([`target`] maps them). All changes of types happen in this module.

mod bool_words;
mod by_value;
mod cells;
mod facts;
mod field_facts;
pub mod join;
mod join_types;
mod json_marks;
mod maps;
mod named;
mod null_words;
mod numbers;
mod scalars;
mod settled;
pub mod stated;
pub mod target;
mod time_forms;
mod wire_1;

pub use cells::{DecimalMark, bool_word, not_finite, sure_word};
pub use join_types::is_held_text;
pub use null_words::{is_null_word, is_odd, spelled, with_words_spelled};
pub use scalars::may_be_typed;
pub use settled::{Typing, with_facts_stated};
pub use target::{Provenance, Target, cast_column, provenance};
pub use time_forms::general_form;
pub use wire_1::ensure_no_bare_rows;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, GenericStringArray, LargeBinaryArray, OffsetSizeTrait,
    StructArray, new_null_array,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrow_select::take::take;

use self::named::Named;
use self::settled::Settled;
use self::time_forms::TimeForm;
use crate::columns::lists::{children, map_parts, with_children, with_fields};
use crate::columns::nested::Tag;
use crate::columns::print::json::{is_nested, json_texts};
use crate::columns::print::{ColumnPrinter, Slices};
use crate::error::{Error, Result};
use crate::schema::keys::{CELLS, FIXED, is_hidden, is_variant, without};
use crate::schema::{Type, display_name};

/// Casts `array` from the type of `from` to the type of `to`; `None` if a value would be lost.
///
/// # Errors
/// [`crate::error::Kind::Input`] if values of a type cannot be printed, [`crate::error::Kind::Limit`] if the text is
/// too long for Arrow.
pub fn cast(array: &ArrayRef, from: &Field, to: &Field) -> Result<Option<ArrayRef>> {
    let wants_json = is_json(to) && !is_json(from);
    if from.data_type() == to.data_type() && !wants_json {
        return Ok(Some(Arc::clone(array)));
    }
    let all_null = *from.data_type() == DataType::Null || array.null_count() == array.len();
    if all_null {
        return Ok(Some(new_null_array(to.data_type(), array.len())));
    }
    if wants_json {
        return json_texts(array, from).map(Some);
    }
    if let DataType::Dictionary(_, values) = from.data_type()
        && let Some(dictionary) = array.as_any_dictionary_opt()
    {
        let unpacked = take(dictionary.values(), dictionary.keys(), None);
        let unpacked = unpacked.map_err(Error::input)?;
        let values = from.clone().with_data_type(values.as_ref().clone());
        return cast(&unpacked, &values, to);
    }
    match to.data_type() {
        DataType::Struct(children) if is_variant(to) && !is_variant(from) => {
            variant(array, from, children)
        }
        DataType::Utf8 => text::<i32>(array, from).map(Some),
        data_type if is_text(from) && by_value::may_be(data_type, to) => {
            Ok(by_value::cast(array.as_ref(), from, to))
        }
        DataType::Float64 if is_json(from) => Ok(by_value::cast(array.as_ref(), from, to)),
        _ if is_text(from)
            && let Some(time) = TimeForm::of_field(to) =>
        {
            Ok(by_value::cast_times(array, &time))
        }
        DataType::LargeUtf8 => text::<i64>(array, from).map(Some),
        DataType::Binary if Type::held(to).is_some() => {
            let texts = text::<i32>(array, from)?;
            bytes(&texts, to.data_type())
        }
        DataType::Binary | DataType::LargeBinary => bytes(array, to.data_type()),
        data_type if is_nested(data_type) => nested(array, from, to),
        _ if Type::held(from).is_some() => Ok(None),
        data_type => Ok(numbers::cast(array.as_ref(), data_type)),
    }
}

/// Casts values of one kind to a variant with this kind; `None` if it lacks the kind.
fn variant(array: &ArrayRef, from: &Field, children: &Fields) -> Result<Option<ArrayRef>> {
    let kind = facts::kind(from).or_else(|| kind_of_texts(array).filter(|_| is_json(from)));
    let rows = array.len();
    let mut is_held = false;
    let mut arrays = Vec::with_capacity(children.len());
    for child in children {
        arrays.push(if kind.is_some_and(|kind| kind.name() == child.name()) {
            is_held = true;
            let Some(values) = cast(array, from, child)? else {
                return Ok(None);
            };
            values
        } else {
            new_null_array(child.data_type(), rows)
        });
    }
    if !is_held {
        return Ok(None);
    }
    let nulls = array.logical_nulls();
    let values = StructArray::try_new(children.clone(), arrays, nulls).map_err(Error::input)?;
    Ok(Some(Arc::new(values)))
}

/// The kind of all values in JSON text, if there is only one.
fn kind_of_texts(texts: &ArrayRef) -> Option<Tag> {
    let slices = Slices::of(texts.as_ref())?;
    let rows = (0..texts.len()).filter(|&row| texts.is_valid(row));
    let mut kinds = rows.map(|row| slices.row(row).first().copied().and_then(Tag::of));
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

/// True for text, even if it is held as bytes or in an array of another type.
fn is_utf8(field: &Field) -> bool {
    Type::of(field) == Some(Type::Utf8)
}

/// True for text in the array type that casts read.
fn is_text(field: &Field) -> bool {
    *field.data_type() == DataType::Utf8 && is_utf8(field)
}

/// The field without hidden child fields, and without what is known besides its values.
fn visible(field: &Field) -> Field {
    let one = |field: &FieldRef| Arc::new(visible(field));
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            let fields = fields.iter().filter(|field| !is_hidden(field));
            DataType::Struct(fields.map(one).collect())
        }
        other => with_fields(other, one),
    };
    without(field.clone().with_data_type(data_type), &[FIXED, CELLS])
}

fn is_json(field: &Field) -> bool {
    Type::of(field) == Some(Type::Json)
}

/// Casts to text by printing the cells.
fn text<O: OffsetSizeTrait>(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    if is_nested(field.data_type()) {
        let texts = json_texts(array, field)?;
        return text::<O>(&texts, &Type::Utf8.field(field.name()));
    }
    let column = ColumnPrinter::new(array, field)?;
    let mut data = Vec::new();
    let mut offsets = Vec::with_capacity(array.len() + 1);
    offsets.push(O::usize_as(0));
    for row in 0..array.len() {
        if !column.is_null(row) {
            column.cells.print(row, &mut data);
        }
        offsets.push(O::from_usize(data.len()).ok_or_else(too_long)?);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let nulls = array.logical_nulls();
    let texts = GenericStringArray::<O>::try_new(offsets, Buffer::from_vec(data), nulls);
    let texts = texts.map_err(|error| Error::input(error.to_string()).in_column(field.name()))?;
    Ok(Arc::new(texts))
}

fn bytes(array: &ArrayRef, to: &DataType) -> Result<Option<ArrayRef>> {
    let Some(slices) = Slices::of(array.as_ref()) else {
        return Ok(None);
    };
    let nulls = array.logical_nulls();
    let mut data = Vec::new();
    let mut ends = vec![0];
    for row in 0..array.len() {
        if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
            data.extend_from_slice(slices.row(row));
        }
        ends.push(data.len() as i64);
    }
    let data = Buffer::from_vec(data);
    Ok(Some(if *to == DataType::LargeBinary {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        Arc::new(LargeBinaryArray::try_new(offsets, data, nulls).map_err(Error::input)?)
    } else {
        let ends: Option<Vec<i32>> = ends.iter().map(|&end| i32::try_from(end).ok()).collect();
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends.ok_or_else(too_long)?));
        Arc::new(BinaryArray::try_new(offsets, data, nulls).map_err(Error::input)?)
    }))
}

/// Casts structs field by field (matched by name), and lists and maps by their contents.
fn nested(array: &ArrayRef, from: &Field, to: &Field) -> Result<Option<ArrayRef>> {
    let items = |have: &Field, want: &Field| -> Result<Option<Vec<ArrayRef>>> {
        let items = children(array)
            .pop()
            .map(|items| cast(&items, have, want))
            .transpose()?;
        Ok(items.flatten().map(|items| vec![items]))
    };
    let cast_children = match (from.data_type(), to.data_type()) {
        (DataType::Struct(_), DataType::Struct(_)) if is_variant(from) != is_variant(to) => None,
        (DataType::Struct(have), DataType::Struct(want)) => {
            let cast = |at: usize, array: &ArrayRef, from: &Field| {
                Settled::plain(want[at].as_ref().clone()).cast(array, from)
            };
            let wanted = want.iter().map(AsRef::as_ref);
            by_name(&children(array), have, wanted, array.len(), cast)?
        }
        (DataType::List(have), DataType::List(want))
        | (DataType::LargeList(have), DataType::LargeList(want)) => items(have, want)?,
        (DataType::FixedSizeList(have, len), DataType::FixedSizeList(want, wanted))
            if len == wanted =>
        {
            items(have, want)?
        }
        (DataType::Struct(have), DataType::Map(..)) if !is_variant(from) => {
            return maps::to_map(array, have, to);
        }
        (DataType::Map(..), DataType::Struct(_)) if !is_variant(to) => {
            return match maps::to_struct(from, array) {
                Some((from, array)) => cast(&array, &from, to),
                None => Ok(None),
            };
        }
        (DataType::Map(have, _), DataType::Map(entries, _)) => {
            let (Some((_, keys, values)), DataType::Struct(want)) =
                (map_parts(array, have), entries.data_type())
            else {
                return Ok(None);
            };
            let [key, value] = &want[..] else {
                return Ok(None);
            };
            let keys = cast(keys.0, keys.1, key)?;
            let values = cast(values.0, values.1, value)?;
            let pairs = keys
                .zip(values)
                .map(|(keys, values)| StructArray::try_new(want.clone(), vec![keys, values], None))
                .transpose()
                .map_err(Error::input)?;
            pairs.map(|pairs| vec![Arc::new(pairs) as ArrayRef])
        }
        _ => None,
    };
    cast_children
        .map(|children| with_children(array, to.data_type(), children))
        .transpose()
        .map_err(Error::input)
}

/// The columns named in `want`, cast by the function with their place there, and nulls for missing ones; the second of
/// two equal names is matched with the second.
fn by_name<'a>(
    columns: &[ArrayRef],
    have: &Fields,
    want: impl Iterator<Item = &'a Field>,
    rows: usize,
    cast: impl Fn(usize, &ArrayRef, &Field) -> Result<Option<ArrayRef>>,
) -> Result<Option<Vec<ArrayRef>>> {
    let found = columns
        .iter()
        .zip(have.iter())
        .filter(|(_, field)| !is_hidden(field));
    let mut found = Named::new(found.collect(), |(_, field)| field.name());
    let mut arrays = Vec::with_capacity(have.len());
    for (at, to) in want.enumerate() {
        let array = match found.take(to.name()) {
            Some((array, from)) => cast(at, array, from)?,
            None if to.is_nullable() => Some(new_null_array(to.data_type(), rows)),
            None => None,
        };
        let Some(array) = array else {
            return Ok(None);
        };
        arrays.push(array);
    }
    Ok(found.rest().next().is_none().then_some(arrays))
}

/// The name of a column for messages.
fn shown(fields: &Fields, at: usize) -> String {
    display_name(fields[at].name(), at)
}

fn too_long() -> Error {
    Error::limit("a column holds 2 GiB of text or more in one frame")
        .hint("write smaller frames with --frame-rows")
}
