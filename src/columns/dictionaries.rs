//! Merges the dictionaries of several batches.
//!
//! In Arrow streams and Parquet, each batch or row group may have its own dictionary. A frame or an Arrow file has one
//! per column, which must contain each value only once, because the keys may be only 8 bits wide.

use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::{DataType, Field};
use arrow_select::take::take;
use hashbrown::HashMap;

use super::print::ColumnPrinter;
use crate::error::{Error, Result};

/// The most entries that keys of a type can refer to; `None` if there are always enough keys.
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
    count: usize,
    /// The dictionary added last, and the new positions of its entries. The next batch may have the same dictionary.
    last: Option<(ArrayRef, Vec<usize>)>,
}

impl MergedDictionary {
    /// The number of entries.
    pub fn count(&self) -> usize {
        self.count
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
            self.count = entries.len();
            return Ok(None);
        };
        if is_same(first, entries) {
            return Ok(None);
        }
        if let Some((last, places)) = &self.last
            && is_same(last, entries)
        {
            return Ok(Some(places.clone()));
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
            let next = self.count + added.len();
            places.push(*self.places.entry(word).or_insert_with(|| {
                added.push(own);
                next
            }));
        }
        if !added.is_empty() {
            self.count += added.len();
            let added = take(entries, &Int64Array::from(added), None);
            self.parts.push(added.map_err(Error::input)?);
        }
        self.last = Some((ArrayRef::clone(entries), places.clone()));
        Ok(Some(places))
    }
}

fn is_same(a: &ArrayRef, b: &ArrayRef) -> bool {
    let (a, b) = (a.to_data(), b.to_data());
    a.ptr_eq(&b) || a == b
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
