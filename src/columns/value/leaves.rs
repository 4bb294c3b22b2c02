//! Takes the structs of a batch apart: their fields become columns with a path, such as `user.name`.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::{ValueColumn, ValueTree};
use crate::error::Result;
use crate::schema::keys::{is_hidden, is_row, is_variant};
use crate::schema::{Type, column_name, type_name};

/// A column of a batch, or a field of a struct in it, by its path.
#[derive(Debug)]
pub struct LeafColumn<'a> {
    /// `user.name`.
    pub path: String,
    /// The name of its type.
    pub ty: String,
    /// Its field.
    pub field: &'a Field,
    /// Its values.
    pub values: ValueColumn<'a>,
}

/// The leaf columns of a batch: structs are replaced by their fields, except those whose paths are `whole`.
///
/// # Errors
/// [`crate::error::Kind::Input`] if values of a type cannot be printed.
pub fn leaves<'a>(batch: &'a RecordBatch, whole: &BTreeSet<String>) -> Result<Vec<LeafColumn<'a>>> {
    let mut leaves = Vec::with_capacity(batch.num_columns());
    let arrays = batch.columns().iter();
    let shown = arrays.zip(batch.schema_ref().fields());
    let shown = shown.filter(|(_, field)| !is_hidden(field));
    for (at, (array, field)) in shown.enumerate() {
        let path = column_name(field, at);
        add_leaves(path, field, array, None, whole, &mut leaves)?;
    }
    Ok(leaves)
}

/// The objects in a column that [`leaves`] takes apart.
#[derive(Debug)]
pub struct Objects {
    /// The path of the column.
    pub path: String,
    /// Number of rows that have one.
    pub rows: u64,
    /// True if the column also has values of other kinds, in a leaf of the same path.
    pub is_kind: bool,
}

/// The objects in the columns that [`leaves`] takes apart.
pub fn objects(batch: &RecordBatch) -> Vec<Objects> {
    let mut objects = Vec::new();
    let arrays = batch.columns().iter();
    let shown = arrays.zip(batch.schema_ref().fields());
    let shown = shown.filter(|(_, field)| !is_hidden(field) && !is_row(field));
    for (at, (array, field)) in shown.enumerate() {
        let path = column_name(field, at);
        add_objects(path, field, array, None, false, &mut objects);
    }
    objects
}

fn add_objects(
    path: String,
    field: &Field,
    array: &ArrayRef,
    above: Option<&NullBuffer>,
    is_kind: bool,
    objects: &mut Vec<Objects>,
) {
    let (DataType::Struct(fields), Some(array)) = (field.data_type(), array.as_struct_opt()) else {
        return;
    };
    let above = NullBuffer::union(above, array.nulls());
    let children = fields.iter().zip(array.columns());
    let children = children.filter(|(field, _)| !is_hidden(field));
    if is_variant(field) {
        for (kind, array) in children {
            add_objects(path.clone(), kind, array, above.as_ref(), true, objects);
        }
    } else if !fields.is_empty() {
        let nulls = above.as_ref().map_or(0, NullBuffer::null_count);
        for (field, array) in children {
            let path = format!("{path}.{}", field.name());
            add_objects(path, field, array, above.as_ref(), false, objects);
        }
        objects.push(Objects {
            path,
            rows: (array.len() - nulls) as u64,
            is_kind,
        });
    }
}

/// The paths of objects that have no columns for their members in one of the batches: maps, and text of JSON. Objects inside
/// lists and maps are not included.
pub fn paths_of_whole_objects<'a>(
    batches: impl IntoIterator<Item = &'a RecordBatch>,
) -> BTreeSet<String> {
    fn add(path: String, field: &Field, paths: &mut BTreeSet<String>) {
        let is_map = matches!(field.data_type(), DataType::Map(..));
        let is_whole = is_map || Type::of(field) == Some(Type::Json);
        match field.data_type() {
            _ if is_whole => {
                paths.insert(path);
            }
            DataType::Struct(kinds) if is_variant(field) => {
                kinds.iter().for_each(|kind| add(path.clone(), kind, paths));
            }
            DataType::Struct(fields) => {
                for field in fields {
                    add(format!("{path}.{}", field.name()), field, paths);
                }
            }
            _ => {}
        }
    }
    let mut paths = BTreeSet::new();
    for batch in batches {
        let shown = batch
            .schema_ref()
            .fields()
            .iter()
            .filter(|field| !is_hidden(field));
        for (at, field) in shown.enumerate() {
            add(column_name(field, at), field, &mut paths);
        }
    }
    paths
}

/// Adds the leaves of a column. Structs are taken apart, except for whole rows, structs without fields and those at
/// `whole` paths, and so are the objects of a variant: the leaves are the same as if each kind of value were in a frame of
/// its own. `above` has the nulls of the structs around the column.
fn add_leaves<'a>(
    path: String,
    field: &'a Field,
    array: &'a ArrayRef,
    above: Option<&NullBuffer>,
    whole: &BTreeSet<String>,
    leaves: &mut Vec<LeafColumn<'a>>,
) -> Result<()> {
    let is_whole = is_row(field) || whole.contains(&path);
    if let (DataType::Struct(fields), Some(array)) = (field.data_type(), array.as_struct_opt())
        && !is_variant(field)
        && !is_whole
        && !fields.is_empty()
    {
        let above = NullBuffer::union(above, array.nulls());
        let children = fields.iter().zip(array.columns());
        for (field, array) in children.filter(|(field, _)| !is_hidden(field)) {
            let path = format!("{path}.{}", field.name());
            add_leaves(path, field, array, above.as_ref(), whole, leaves)?;
        }
        return Ok(());
    }
    if let (DataType::Struct(kinds), Some(of)) = (field.data_type(), array.as_struct_opt())
        && is_variant(field)
        && !is_whole
        && let Some(objects) = kinds.iter().position(|kind| is_record(kind))
    {
        return add_kinds(path, field, of, objects, above, whole, leaves);
    }
    let mut values = ValueColumn::new(array, field)?;
    values.nulls = NullBuffer::union(values.nulls.as_ref(), above);
    let ty = if values.is_padded() {
        Type::Utf8.name().to_owned()
    } else {
        type_name(field)
    };
    leaves.push(LeafColumn {
        path,
        ty,
        field,
        values,
    });
    Ok(())
}

fn is_record(field: &Field) -> bool {
    matches!(field.data_type(), DataType::Struct(fields) if !fields.is_empty())
}

/// Adds the leaves of a variant whose child number `objects` is taken apart: a column of all other kinds of values, which
/// is null where there is an object, and the members of the objects.
fn add_kinds<'a>(
    path: String,
    field: &'a Field,
    of: &'a StructArray,
    objects: usize,
    above: Option<&NullBuffer>,
    whole: &BTreeSet<String>,
    leaves: &mut Vec<LeafColumn<'a>>,
) -> Result<()> {
    let above = NullBuffer::union(above, of.nulls());
    let all: Vec<(&'a FieldRef, &'a ArrayRef)> = of.fields().iter().zip(of.columns()).collect();
    let is_other = |at: usize| at != objects && !is_hidden(all[at].0);
    let others: Vec<_> = (0..all.len()).filter(|&at| is_other(at)).collect();
    if let [only] = others[..] {
        let (field, array) = all[only];
        add_leaves(path.clone(), field, array, above.as_ref(), whole, leaves)?;
    } else if !others.is_empty() {
        let kinds: Fields = others.iter().map(|&at| Arc::clone(all[at].0)).collect();
        let children = others
            .iter()
            .map(|&at| ValueColumn::new(all[at].1, all[at].0));
        let has_object = all[objects].1.logical_nulls();
        let has_object = has_object.map_or_else(
            || NullBuffer::new_null(of.len()),
            |nulls| NullBuffer::new(!nulls.inner()),
        );
        leaves.push(LeafColumn {
            path: path.clone(),
            ty: type_name(&field.clone().with_data_type(DataType::Struct(kinds))),
            field,
            values: ValueColumn {
                nulls: NullBuffer::union(above.as_ref(), Some(&has_object)),
                kind: ValueTree::Variant(children.collect::<Result<_>>()?),
                spelled: None,
            },
        });
    }
    let (field, array) = all[objects];
    add_leaves(path, field, array, above.as_ref(), whole, leaves)
}
