//! What the types of JSON columns do not show, but rows in other frames need to know. It is marked while frames are
//! joined.
//!
//! The nulls of a column: either the key is missing, or its value is `null`. A frame in which all rows have the key says
//! nothing about the nulls of other frames. The kind of the values in JSON text: next to values of another kind, the text
//! is part of a variant.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef};

use super::{is_json, kind_of_texts};
use crate::columns::lists::{children, with_fields};
use crate::columns::nested::Tag;
use crate::schema::keys::{ABSENT, GAP, is_absent, is_variant, with, without};

/// Value of [`GAP`] while fields are joined: some nulls are the value `null`.
const WORD: &str = "null";

/// Field metadata while fields are joined: the kind of all values in JSON text.
const KIND: &str = "mbt.kind";

/// Marks a column, and the fields inside it, if this array contains the value `null` in them, or if they are JSON text.
pub fn mark(field: &Field, array: &ArrayRef) -> Field {
    mark_member(field, array, None)
}

/// The field of an array whose rows exist only where `owners` are valid.
fn mark_member(field: &Field, array: &ArrayRef, owners: Option<&NullBuffer>) -> Field {
    let nulls = array.logical_nulls();
    let count = |nulls: Option<&NullBuffer>| nulls.map_or(0, NullBuffer::null_count);
    let all_nulls = NullBuffer::union(nulls.as_ref(), owners);
    let has_nulls = count(all_nulls.as_ref()) > count(owners);
    let field = inside(field, array);
    if has_nulls { with_nulls(field) } else { field }
}

/// Marks a field that has nulls.
pub fn with_nulls(field: Field) -> Field {
    if is_absent(&field) {
        field
    } else {
        with_gap(field, Some(WORD))
    }
}

/// Marks JSON text whose values are all of this kind.
pub fn set_kind(field: &mut Field, kind: Option<Tag>) {
    if let Some(kind) = kind.filter(|_| is_json(field)) {
        let name = kind.name().to_owned();
        field.metadata_mut().insert(KIND.to_owned(), name);
    }
}

/// The kind of the values in JSON text, if it is marked.
pub fn marked_kind(field: &Field) -> Option<Tag> {
    let name = field.metadata().get(KIND)?;
    Tag::ALL.into_iter().find(|kind| kind.name() == name)
}

/// Marks the fields inside a column, and the column itself if it is JSON text.
fn inside(field: &Field, array: &ArrayRef) -> Field {
    if is_json(field) {
        let mut field = field.clone();
        set_kind(&mut field, kind_of_texts(array));
        return field;
    }
    let owners = array.nulls().filter(|_| array.as_struct_opt().is_some());
    let mut arrays = children(array).into_iter();
    let one = |child: &FieldRef| {
        let marked = arrays.next().map(|array| match field.data_type() {
            DataType::Struct(_) if !is_variant(field) => mark_member(child, &array, owners),
            _ => inside(child, &array),
        });
        marked.map_or_else(|| Arc::clone(child), Arc::new)
    };
    let data_type = with_fields(field.data_type(), one);
    field.clone().with_data_type(data_type)
}

/// Sets what the nulls of both sides mean together: missing keys only if neither side has the value `null`.
pub fn join(field: Field, a: &Field, b: &Field) -> Field {
    let [a, b] = [a, b].map(|field| field.metadata().get(GAP).map(String::as_str));
    let gap = match (a, b) {
        (gap, None) | (None, gap) => gap,
        (a, b) if a == b => a,
        _ => Some(WORD),
    };
    with_gap(field, gap)
}

/// The field of a column whose key some rows lack.
pub fn missing(field: Field) -> Field {
    let gap = field.metadata().get(GAP);
    let gap = gap.map_or(ABSENT, String::as_str).to_owned();
    with_gap(field, Some(&gap))
}

/// Removes the marks.
pub fn unmark(field: &Field) -> Field {
    let data_type = with_fields(field.data_type(), |child| Arc::new(unmark(child)));
    let mut field = field.clone().with_data_type(data_type);
    field
        .metadata_mut()
        .retain(|key, value| key != KIND && (key != GAP || value == ABSENT));
    field
}

fn with_gap(field: Field, gap: Option<&str>) -> Field {
    match gap {
        Some(gap) => with(field, GAP, gap),
        None => without(field, &[GAP]),
    }
}
