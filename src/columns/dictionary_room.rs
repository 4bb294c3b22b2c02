//! Counts the entries of dictionaries whose keys are narrow.
//!
//! Keys of 8 or 16 bits are enough for the dictionary of each batch, but not always for all batches of a frame or file.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::dictionaries::{MergedDictionary, most_entries};
use super::lists::{children, with_fields};
use crate::error::Result;

/// The most entries that keys of 16 bits can refer to.
const MOST_ENTRIES: usize = 1 << 16;

/// The dictionaries of several batches whose keys have 8 or 16 bits, at any depth, in the order of the columns.
#[derive(Default)]
pub struct DictionaryRoom(Vec<MergedDictionary>);

impl DictionaryRoom {
    /// Adds a batch. Returns `false` if the keys are too narrow for the entries of all batches together.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if values of a type cannot be printed.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<bool> {
        let mut place = 0;
        let mut fits = true;
        for array in batch.columns() {
            fits &= self.add_array(array.as_ref(), &mut place)?;
        }
        Ok(fits)
    }

    /// Forgets all batches.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The schema with keys that are wide enough for the entries of all batches.
    pub fn widened(&self, schema: &Schema) -> Schema {
        let mut place = 0;
        let fields: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| Arc::new(self.widened_field(field, &mut place)))
            .collect();
        Schema::new_with_metadata(fields, schema.metadata().clone())
    }

    /// Adds the dictionaries within an array; true if their keys have room for all entries. Entries of a
    /// dictionary that has outgrown all narrow keys are no longer counted.
    fn add_array(&mut self, array: &dyn Array, place: &mut usize) -> Result<bool> {
        if let DataType::Dictionary(key_type, value_type) = array.data_type() {
            let Some(most) = most_entries(key_type) else {
                return Ok(true);
            };
            if self.0.len() == *place {
                self.0.push(MergedDictionary::default());
            }
            let merged = &mut self.0[*place];
            *place += 1;
            if merged.count() <= MOST_ENTRIES {
                let field = Field::new("", value_type.as_ref().clone(), true);
                merged.add(array.as_any_dictionary().values(), &field)?;
            }
            return Ok(merged.count() <= most);
        }
        let mut fits = true;
        for child in children(array) {
            fits &= self.add_array(child.as_ref(), place)?;
        }
        Ok(fits)
    }

    fn widened_field(&self, field: &Field, place: &mut usize) -> Field {
        let data_type = match field.data_type() {
            DataType::Dictionary(key_type, value_type) => {
                let Some(most) = most_entries(key_type) else {
                    return field.clone();
                };
                let merged = self.0.get(*place);
                *place += 1;
                if merged.is_none_or(|merged| merged.count() <= most) {
                    return field.clone();
                }
                DataType::Dictionary(Box::new(DataType::Int32), value_type.clone())
            }
            nested => with_fields(nested, |child| Arc::new(self.widened_field(child, place))),
        };
        field.clone().with_data_type(data_type)
    }
}
