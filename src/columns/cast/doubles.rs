//! Where whole numbers and decimals would do as doubles, value by value.
//!
//! No double holds every i64, but most columns of whole numbers have none that is too large, and
//! rather become doubles than text if other rows have fractions.

use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;

use super::numbers::fit_doubles;

/// What holds for a column and, if it is nested, for those in it by name.
#[derive(Clone, Debug)]
pub struct Doubles {
    fit: bool,
    children: BTreeMap<String, Self>,
}

/// What holds where there is no value.
static ALL: Doubles = Doubles {
    fit: true,
    children: BTreeMap::new(),
};

impl Doubles {
    /// What holds for an array.
    pub fn of(array: &dyn Array) -> Self {
        let mut found = ALL.clone();
        let mut add = |name: &str, child: &dyn Array| {
            found.children.insert(name.to_owned(), Self::of(child));
        };
        match array.data_type() {
            DataType::Null => {}
            DataType::Struct(fields) => {
                if let Some(array) = array.as_struct_opt() {
                    // A hidden field has the name of the one before it.
                    for (field, column) in fields.iter().zip(array.columns()).rev() {
                        add(field.name(), column);
                    }
                }
            }
            DataType::List(item) => {
                if let Some(array) = array.as_list_opt::<i32>() {
                    add(item.name(), array.values());
                }
            }
            DataType::LargeList(item) => {
                if let Some(array) = array.as_list_opt::<i64>() {
                    add(item.name(), array.values());
                }
            }
            DataType::FixedSizeList(item, _) => {
                if let Some(array) = array.as_fixed_size_list_opt() {
                    add(item.name(), array.values());
                }
            }
            DataType::Map(..) => {
                if let Some(array) = array.as_map_opt() {
                    for (field, column) in array
                        .entries()
                        .fields()
                        .iter()
                        .zip(array.entries().columns())
                    {
                        add(field.name(), column);
                    }
                }
            }
            _ => found.fit = fit_doubles(array),
        }
        found
    }

    /// True if all values fit.
    pub fn fit(&self) -> bool {
        self.fit
    }

    /// What holds for the column of that name within this one.
    pub fn child(&self, name: &str) -> &Self {
        self.children.get(name).unwrap_or(&ALL)
    }

    /// Takes in what holds for other rows.
    pub fn join(&mut self, other: &Self) {
        self.fit &= other.fit;
        for (name, child) in &other.children {
            match self.children.get_mut(name) {
                Some(known) => known.join(child),
                None => {
                    self.children.insert(name.clone(), child.clone());
                }
            }
        }
    }
}
