//! Uniform access to lists and maps of all Arrow types.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};

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

/// An array and its field.
pub type FieldArray<'a, 'f> = (&'a ArrayRef, &'f Field);

/// The ranges, the keys and the values of a map; `None` for other arrays.
pub fn map_parts<'a, 'f>(
    array: &'a dyn Array,
    entries: &'f Field,
) -> Option<(Ranges<'a>, FieldArray<'a, 'f>, FieldArray<'a, 'f>)> {
    let map = array.as_map_opt()?;
    let DataType::Struct(fields) = entries.data_type() else {
        return None;
    };
    let [key, value] = &fields[..] else {
        return None;
    };
    let ranges = Ranges::Small(map.offsets());
    Some((ranges, (map.keys(), key), (map.values(), value)))
}
