//! Uniform access to lists, maps and structs of all Arrow types.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};

/// The range of each row's items in the items of all rows.
#[derive(Debug)]
pub enum Ranges<'a> {
    /// 32-bit offsets.
    Small(&'a [i32]),
    /// 64-bit offsets.
    Large(&'a [i64]),
    /// The same number of items in each row.
    Fixed(usize),
}

impl Ranges<'_> {
    /// The items of a row.
    #[inline]
    pub fn of(&self, row: usize) -> Range<usize> {
        match self {
            Self::Small(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Self::Large(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Self::Fixed(len) => row * len..(row + 1) * len,
        }
    }
}

/// The ranges and the items of a list of any kind; `None` for other arrays.
pub fn list_parts(array: &dyn Array) -> Option<(Ranges<'_>, &ArrayRef)> {
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list_opt::<i32>()?;
            Some((Ranges::Small(list.offsets()), list.values()))
        }
        DataType::LargeList(_) => {
            let list = array.as_list_opt::<i64>()?;
            Some((Ranges::Large(list.offsets()), list.values()))
        }
        DataType::FixedSizeList(_, len) => {
            let list = array.as_fixed_size_list_opt()?;
            Some((Ranges::Fixed(*len as usize), list.values()))
        }
        _ => None,
    }
}

/// The type with each of its fields replaced by `change`; the same type if it has no fields.
pub fn with_fields(of: &DataType, mut change: impl FnMut(&FieldRef) -> FieldRef) -> DataType {
    match of {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(change).collect()),
        DataType::List(item) => DataType::List(change(item)),
        DataType::LargeList(item) => DataType::LargeList(change(item)),
        DataType::FixedSizeList(item, len) => DataType::FixedSizeList(change(item), *len),
        DataType::Map(entries, sorted) => DataType::Map(change(entries), *sorted),
        other => other.clone(),
    }
}

/// The child arrays of an array: the columns of a struct, the items of lists, or the entries of maps.
pub fn children(array: &dyn Array) -> Vec<ArrayRef> {
    if let Some(structs) = array.as_struct_opt() {
        structs.columns().to_vec()
    } else if let Some(maps) = array.as_map_opt() {
        vec![Arc::new(maps.entries().clone())]
    } else {
        let parts = list_parts(array);
        parts
            .map(|(_, items)| Arc::clone(items))
            .into_iter()
            .collect()
    }
}

/// An array of the type `to` with the same rows but other [`children`], which have the types of the fields in `to`.
///
/// # Errors
/// If the children do not fit the type, or the array is of another kind.
pub fn with_children(
    array: &dyn Array,
    to: &DataType,
    mut children: Vec<ArrayRef>,
) -> Result<ArrayRef, ArrowError> {
    let nulls = array.nulls().cloned();
    if let DataType::Struct(fields) = to {
        let array = StructArray::try_new_with_length(fields.clone(), children, nulls, array.len())?;
        return Ok(Arc::new(array));
    }
    let other = || ArrowError::SchemaError(format!("not an array of {to}"));
    let child = children.pop().ok_or_else(other)?;
    Ok(match to {
        DataType::List(item) => list::<i32>(array, item, child)?.ok_or_else(other)?,
        DataType::LargeList(item) => list::<i64>(array, item, child)?.ok_or_else(other)?,
        DataType::FixedSizeList(item, len) => {
            let (item, rows) = (Arc::clone(item), array.len());
            let lists = FixedSizeListArray::try_new_with_length(item, *len, child, nulls, rows)?;
            Arc::new(lists)
        }
        DataType::Map(entries, sorted) => {
            let offsets = array.as_map_opt().ok_or_else(other)?.offsets().clone();
            let pairs = child.as_struct_opt().ok_or_else(other)?.clone();
            Arc::new(MapArray::try_new(
                Arc::clone(entries),
                offsets,
                pairs,
                nulls,
                *sorted,
            )?)
        }
        _ => return Err(other()),
    })
}

fn list<O: OffsetSizeTrait>(
    array: &dyn Array,
    item: &FieldRef,
    items: ArrayRef,
) -> Result<Option<ArrayRef>, ArrowError> {
    let Some(list) = array.as_list_opt::<O>() else {
        return Ok(None);
    };
    let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
    let list = GenericListArray::try_new(Arc::clone(item), offsets, items, nulls)?;
    Ok(Some(Arc::new(list)))
}

/// An array and its field.
pub type FieldArray<'a, 'f> = (&'a ArrayRef, &'f Field);

/// The fields of the key and the value in the entries of a map.
pub fn entry_fields(entries: &Field) -> Option<(&FieldRef, &FieldRef)> {
    match entries.data_type() {
        DataType::Struct(fields) => match &fields[..] {
            [key, value] => Some((key, value)),
            _ => None,
        },
        _ => None,
    }
}

/// The ranges, the keys and the values of a map; `None` for other arrays.
pub fn map_parts<'a, 'f>(
    array: &'a dyn Array,
    entries: &'f Field,
) -> Option<(Ranges<'a>, FieldArray<'a, 'f>, FieldArray<'a, 'f>)> {
    let map = array.as_map_opt()?;
    let (key, value) = entry_fields(entries)?;
    let ranges = Ranges::Small(map.offsets());
    Some((ranges, (map.keys(), key), (map.values(), value)))
}
