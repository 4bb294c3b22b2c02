//! Ends frames before their dictionaries have more entries than keys can number.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field};

use crate::columns::dictionaries::{MergedDictionary, most_entries};
use crate::columns::lists::children;
use crate::error::Result;

/// The dictionaries of a frame in preparation whose keys have 8 or 16 bits, in the order of the columns.
#[derive(Default)]
pub struct DictionaryRoom(Vec<MergedDictionary>);

impl DictionaryRoom {
    /// Adds a batch to the frame. Returns `false` if its dictionaries do not fit; the batch then counts as the first of
    /// the next frame.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if values of a type cannot be printed.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<bool> {
        let fits = self.add_columns(batch)?;
        if !fits {
            self.0.clear();
            self.add_columns(batch)?;
        }
        Ok(fits)
    }

    /// Starts a frame.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn add_columns(&mut self, batch: &RecordBatch) -> Result<bool> {
        let mut place = 0;
        let mut fits = true;
        for array in batch.columns() {
            fits &= self.add_array(array.as_ref(), &mut place)?;
        }
        Ok(fits)
    }

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
            let field = Field::new("", value_type.as_ref().clone(), true);
            merged.add(array.as_any_dictionary().values(), &field)?;
            return Ok(merged.count() <= most);
        }
        let mut fits = true;
        if array.data_type().is_nested() {
            for child in children(array) {
                fits &= self.add_array(child.as_ref(), place)?;
            }
        }
        Ok(fits)
    }
}
