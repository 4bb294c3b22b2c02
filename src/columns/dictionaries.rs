//! Merges the dictionaries of several batches.
//!
//! In Arrow streams and Parquet, each batch or row group may have its own dictionary. A frame, and a file of Arrow, has
//! one per column, which must hold each value once: the keys may be only 8 bits wide.

use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::{DataType, Field};
use arrow_select::take::take;
use hashbrown::HashMap;

use super::print::ColumnPrinter;
use crate::error::{Error, Result};

/// The number of entries that keys of a type can number; `None` if there are always enough.
pub fn most_entries(key_type: &DataType) -> Option<usize> {
    match key_type {
        DataType::Int8 => Some(1 << 7),
        DataType::UInt8 => Some(1 << 8),
        DataType::Int16 => Some(1 << 15),
        DataType::UInt16 => Some(1 << 16),
        _ => None,
    }
}

/// A dictionary that grows by the entries of others.
#[derive(Default)]
pub struct MergedDictionary {
    /// The first dictionary, and what each later one added.
    parts: Vec<ArrayRef>,
    /// The position of each value, by its printed text; `None` is null. Filled when a second dictionary is added.
    places: HashMap<Option<Vec<u8>>, usize>,
    len: usize,
}

impl MergedDictionary {
    /// The number of entries.
    pub fn count(&self) -> usize {
        self.len
    }

    /// The entries, in one or more arrays.
    pub fn parts(&self) -> &[ArrayRef] {
        &self.parts
    }

    /// Adds the entries of a dictionary. Returns the new positions of its entries; `None` if they stay the same. `field`
    /// describes the entries.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if values of the type cannot be printed.
    pub fn add(&mut self, entries: &ArrayRef, field: &Field) -> Result<Option<Vec<usize>>> {
        let Some(first) = self.parts.first() else {
            self.parts.push(ArrayRef::clone(entries));
            self.len = entries.len();
            return Ok(None);
        };
        let (known, new) = (first.to_data(), entries.to_data());
        if known.ptr_eq(&new) || known == new {
            return Ok(None);
        }
        if self.places.is_empty() {
            // The first of equal entries wins.
            for (word, place) in words(first, field)?.into_iter().zip(0..) {
                self.places.entry(word).or_insert(place);
            }
        }
        let mut added = Vec::new();
        let mut places = Vec::with_capacity(entries.len());
        for (word, own) in words(entries, field)?.into_iter().zip(0..) {
            let next = self.len + added.len();
            places.push(*self.places.entry(word).or_insert_with(|| {
                added.push(own);
                next
            }));
        }
        if !added.is_empty() {
            self.len += added.len();
            let added = take(entries, &Int64Array::from(added), None);
            self.parts.push(added.map_err(Error::input)?);
        }
        Ok(Some(places))
    }
}

/// The printed entries.
fn words(entries: &ArrayRef, field: &Field) -> Result<Vec<Option<Vec<u8>>>> {
    let column = ColumnPrinter::new(entries, field)?;
    let word = |row| {
        (!column.is_null(row)).then(|| {
            let mut word = Vec::new();
            column.cells.print(row, &mut word);
            word
        })
    };
    Ok((0..entries.len()).map(word).collect())
}
