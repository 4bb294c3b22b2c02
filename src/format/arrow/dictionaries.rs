//! Gives the batches of a file one dictionary per column.
//!
//! A file's dictionary can only grow, so the dictionaries of later batches are merged into the first one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, make_array};
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat;
use arrow_select::take::take;

use crate::columns::cast::cast;
use crate::columns::dictionaries::MergedDictionary;
use crate::columns::lists::{children, with_children};
use crate::error::{Error, Result};
use crate::schema::{child_fields, display_name};

/// The dictionaries of a file, at any depth, in the order of the columns.
#[derive(Default)]
pub struct Dictionaries(Vec<Growing>);

#[derive(Default)]
struct Growing {
    merged: MergedDictionary,
    /// The parts of `merged` in one array, and how many these are.
    entries: Option<(ArrayRef, usize)>,
}

impl Dictionaries {
    /// The batch, with dictionaries that extend the ones of the previous batch.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if there are more values than keys can refer to.
    pub fn merge(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let fields = batch.schema_ref().fields().iter().enumerate();
        let mut place = 0;
        let columns = fields
            .zip(batch.columns())
            .map(|((at, field), array)| {
                let merged = self.merge_array(array, field, &mut place);
                merged.map_err(|error| error.in_column(display_name(field.name(), at)))
            })
            .collect::<Result<_>>()?;
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(batch.schema(), columns, &rows).map_err(Error::input)
    }

    /// Replaces the dictionaries within a column by merged ones. `place` counts the dictionaries in the order
    /// of the columns, which is the same in all batches.
    fn merge_array(
        &mut self,
        array: &ArrayRef,
        field: &Field,
        place: &mut usize,
    ) -> Result<ArrayRef> {
        if matches!(field.data_type(), DataType::Dictionary(..)) {
            if self.0.len() == *place {
                self.0.push(Growing::default());
            }
            *place += 1;
            return self.0[*place - 1].merge(array, field);
        }
        let fields = child_fields(field.data_type());
        if fields.is_empty() {
            return Ok(Arc::clone(array));
        }
        let merged: Vec<_> = children(array)
            .into_iter()
            .zip(fields)
            .map(|(child, field)| self.merge_array(&child, field, place))
            .collect::<Result<_>>()?;
        with_children(array, field.data_type(), merged).map_err(Error::input)
    }
}

impl Growing {
    /// Adds the entries of a batch's dictionary to the earlier entries and renumbers the keys. Entries
    /// are only added, so the dictionaries of earlier batches begin the new one.
    fn merge(&mut self, array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
        let (Some(dictionary), DataType::Dictionary(key_type, value_type)) =
            (array.as_any_dictionary_opt(), field.data_type())
        else {
            return Ok(Arc::clone(array));
        };
        let of_values = field.clone().with_data_type(value_type.as_ref().clone());
        let places = self.merged.add(dictionary.values(), &of_values)?;
        let parts = self.merged.parts();
        let entries = match &self.entries {
            Some((entries, known)) if *known == parts.len() => Arc::clone(entries),
            _ => {
                let parts: Vec<_> = parts.iter().map(AsRef::as_ref).collect();
                concat(&parts).map_err(Error::input)?
            }
        };
        self.entries = Some((Arc::clone(&entries), parts.len()));
        let keys = match places {
            None => make_array(dictionary.keys().to_data()),
            Some(places) => {
                let places = places.into_iter().map(|place| place as i64);
                let places = Int64Array::from_iter_values(places);
                let keys = take(&places, dictionary.keys(), None).map_err(Error::input)?;
                let wide = Field::new("", DataType::Int64, true);
                let narrow = Field::new("", key_type.as_ref().clone(), true);
                cast(&keys, &wide, &narrow)?.ok_or_else(|| {
                    Error::input("the batches together have more distinct values than the key type can number")
                        .hint("write a stream, with -o NAME.arrows or to stdout")
                })?
            }
        };
        let merged = keys
            .to_data()
            .into_builder()
            .data_type(field.data_type().clone())
            .add_child_data(entries.to_data());
        Ok(make_array(merged.build().map_err(Error::input)?))
    }
}
