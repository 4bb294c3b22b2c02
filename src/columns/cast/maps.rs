//! Objects of JSON as structs in some frames and as maps in others.
//!
//! Each frame decides from its own objects whether their keys are data. For all rows together, the same rule
//! decides from the counts of all frames: a few objects say little, and a small last frame must not change the type.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, MapArray, StringArray, StructArray, new_empty_array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrow_select::interleave::interleave;

use super::facts::{self, Facts, presence};
use super::join_types::join_fields;
use super::{cast, is_json, is_utf8};
use crate::columns::column::Strings;
use crate::columns::lists::{children, entry_fields, map_parts, with_children, with_fields};
use crate::columns::nested::{Kinds, MANY_KEYS, MAX_FIELDS, Tag, looks_like_id, shred_structs};
use crate::columns::print::json::json_texts;
use crate::error::{Error, Result};
use crate::schema::keys::{GAP, ROLE, is_hidden, is_variant, without};
use crate::schema::{Type, any_field, child_fields};

/// Objects become maps if the keys of all of them look like data, and JSON text if there are too many keys otherwise.
pub fn by_density(field: &Field, facts: &Facts) -> Field {
    let DataType::Struct(members) = field.data_type() else {
        return field.clone();
    };
    if is_variant(field) {
        return field.clone();
    }
    let keys = facts.keys();
    if keys.is_map() && are_alike(members) {
        field.clone().with_data_type(map_of(members, None, facts))
    } else if keys.distinct() > MAX_FIELDS {
        let mut text = Type::Json.field(field.name());
        text.metadata_mut().extend(field.metadata().clone());
        text.with_nullable(field.is_nullable())
    } else {
        field.clone()
    }
}

/// True if the counts of objects and keys decide whether objects become structs or maps.
pub fn depends_on_counts(field: &Field) -> bool {
    match field.data_type() {
        DataType::Map(..) => true,
        DataType::Struct(members) if !is_variant(field) => {
            let mut names = members.iter().map(|it| it.name().as_bytes());
            members.len() > MANY_KEYS || !members.is_empty() && names.all(looks_like_id)
        }
        _ => false,
    }
}

/// True if the values of all members are alike, as for the objects of one frame.
fn are_alike(members: &Fields) -> bool {
    let mut kinds = Kinds::default();
    for member in members {
        for kind in of_each_kind(member) {
            let Some(tag) = facts::kind(kind) else {
                return false;
            };
            kinds.add(tag);
            if tag == Tag::Array {
                let items = child_fields(kind.data_type()).into_iter();
                for item in items.flat_map(of_each_kind) {
                    match facts::kind(item) {
                        Some(tag) => kinds.add_item(tag),
                        // It may be of any kind.
                        None => Tag::ALL.iter().for_each(|tag| kinds.add_item(*tag)),
                    }
                }
            }
        }
    }
    kinds.are_alike()
}

/// The fields of the values of each kind; none if there are no values.
fn of_each_kind(field: &Field) -> Vec<&Field> {
    let mut fields = if is_variant(field) {
        child_fields(field.data_type())
    } else {
        vec![field]
    };
    fields.retain(|it| !is_hidden(it) && *it.data_type() != DataType::Null);
    fields
}

/// The type of maps that hold the values of these members and, if given, the values of other maps. The facts are about all
/// of these objects.
pub fn map_of(members: &Fields, value: Option<&FieldRef>, facts: &Facts) -> DataType {
    let all = facts.of_values();
    let mut values: Vec<Field> = value.map(|it| it.as_ref().clone()).into_iter().collect();
    for member in members.iter().filter(|it| !is_hidden(it)) {
        let member = member.as_ref().clone().with_name("value");
        values.push(without(member, &[GAP, ROLE]));
    }
    let value = join_all(&values, &all);
    let key = Type::Utf8.field("key").with_nullable(false);
    let entry = DataType::Struct(Fields::from(vec![key, value.with_nullable(true)]));
    DataType::Map(Arc::new(Field::new("entries", entry, false)), false)
}

/// The type of the values of all these members. Halves are joined rather than one after the other: a type with as many
/// fields as there are members would otherwise be copied for each of them.
fn join_all(members: &[Field], facts: &Facts) -> Field {
    match members {
        [] => Field::new("value", DataType::Null, true),
        [only] => only.clone(),
        _ => {
            let (first, rest) = members.split_at(members.len() / 2);
            join_fields(&join_all(first, facts), &join_all(rest, facts), facts, true)
        }
    }
}

/// A column without maps of few objects: they become structs, unless these would have too many fields. `None` if it has no
/// such maps.
pub fn without_few(field: &Field, array: &ArrayRef) -> Option<(Field, ArrayRef)> {
    if let DataType::Map(entries, _) = field.data_type()
        && let Some(keys) = keys_of_few(array, entries)
        && keys * count_leaves(entry_fields(entries)?.1) <= MAX_FIELDS
        && let Some((field, array)) = to_struct(field, array)
    {
        return Some(without_few(&field, &array).unwrap_or((field, array)));
    }
    let mut arrays = children(array);
    let (mut at, mut is_changed) = (0, false);
    let data_type = with_fields(field.data_type(), |child| {
        let array = &mut arrays[at];
        at += 1;
        let Some((child, changed)) = without_few(child, array) else {
            return Arc::clone(child);
        };
        is_changed = true;
        *array = changed;
        child.into()
    });
    let changed = is_changed.then(|| with_children(array, &data_type, arrays));
    Some((field.clone().with_data_type(data_type), changed?.ok()?))
}

/// The number of fields that have values of their own.
fn count_leaves(field: &Field) -> usize {
    let children = child_fields(field.data_type());
    let inside: usize = children.into_iter().map(count_leaves).sum();
    inside.max(1)
}

/// The number of different keys, if there are few maps or they have many keys in common, so that structs take little more
/// space.
fn keys_of_few(array: &ArrayRef, entries: &Field) -> Option<usize> {
    /// The most slots of a struct per entry of a map.
    const MOST_SLOTS: usize = 4;

    let (ranges, (keys, _), _) = map_parts(array, entries)?;
    let keys = keys.as_string_opt::<i32>()?;
    let objects = array.len() - array.null_count();
    let rows = (0..array.len()).filter(|&row| array.is_valid(row));
    let count: usize = rows.clone().map(|row| ranges.of(row).len()).sum();
    let mut distinct = HashSet::new();
    let are_few = rows.flat_map(|row| ranges.of(row)).all(|at| {
        distinct.insert(keys.value(at));
        distinct.len() <= MAX_FIELDS && distinct.len() * objects <= MOST_SLOTS * count
    });
    are_few.then_some(distinct.len())
}

/// Maps as structs with a field per key; `None` if there are too many keys, or if values are text of JSON, which might
/// be read as structs now.
pub fn to_struct(field: &Field, array: &ArrayRef) -> Option<(Field, ArrayRef)> {
    let DataType::Map(entries, _) = field.data_type() else {
        return None;
    };
    if any_field(entries, is_json) {
        return None;
    }
    let texts = json_texts(array, field).ok()?;
    let texts = texts.as_string_opt::<i32>()?;
    let texts = Strings {
        offsets: texts.value_offsets().to_vec(),
        data: texts.value_data().to_vec(),
        utf8: true,
        is_literal: false,
        comma: false,
    };
    // Strings stay as they are.
    let infer = !is_utf8(entry_fields(entries)?.1);
    let (found, array) = shred_structs(field.name(), &texts, infer)?;
    let field = field.clone().with_data_type(found.data_type().clone());
    Some((field, array))
}

/// Structs as maps; `None` if a value does not fit.
///
/// # Errors
/// As [`cast`].
pub fn to_map(array: &ArrayRef, fields: &Fields, to: &Field) -> Result<Option<ArrayRef>> {
    let (DataType::Map(entries, sorted), Some(structs)) = (to.data_type(), array.as_struct_opt())
    else {
        return Ok(None);
    };
    let (DataType::Struct(entry), Some((_, value))) = (entries.data_type(), entry_fields(entries))
    else {
        return Ok(None);
    };
    let members = presence(fields, structs);
    let visible = fields.iter().zip(structs.columns());
    let mut values = Vec::with_capacity(members.len());
    for (field, column) in visible.filter(|(field, _)| !is_hidden(field)) {
        let Some(column) = cast(column, field, value)? else {
            return Ok(None);
        };
        values.push(column);
    }
    let (mut keys, mut places) = (Vec::new(), Vec::new());
    let lengths = (0..structs.len()).map(|row| {
        let before = places.len();
        for (at, (name, present)) in members.iter().enumerate() {
            let is_present = present.as_ref().is_none_or(|present| present.value(row));
            if structs.is_valid(row) && is_present {
                keys.push(name.as_str());
                places.push((at, row));
            }
        }
        places.len() - before
    });
    let offsets = OffsetBuffer::from_lengths(lengths);
    let values: Vec<&dyn Array> = values.iter().map(AsRef::as_ref).collect();
    let values = if places.is_empty() {
        new_empty_array(value.data_type())
    } else {
        interleave(&values, &places).map_err(Error::input)?
    };
    let columns = vec![Arc::new(StringArray::from(keys)) as ArrayRef, values];
    let maps = StructArray::try_new(entry.clone(), columns, None).and_then(|pairs| {
        let nulls = structs.nulls().cloned();
        MapArray::try_new(Arc::clone(entries), offsets, pairs, nulls, *sorted)
    });
    Ok(Some(Arc::new(maps.map_err(Error::input)?)))
}
