//! Merges dictionaries, since a file has one per column.
//!
//! In frames and streams, each batch may have its own dictionary. A file's dictionary can only grow, so the
//! dictionaries of later batches are merged into that of the first.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, make_array};
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat;
use arrow_select::take::take;
use hashbrown::HashMap;

use crate::columns::cast::cast;
use crate::columns::print::ColumnPrinter;
use crate::error::{Error, Result};
use crate::schema::display_name;

/// The dictionaries of all columns that have one.
#[derive(Default)]
pub struct Dictionaries(Vec<Option<Growing>>);

struct Growing {
    /// The values so far, in the order of their first occurrence.
    values: ArrayRef,
    /// The position of each value, by its printed text; `None` is null.
    places: HashMap<Option<Vec<u8>>, i64>,
}

impl Dictionaries {
    /// The batch with dictionaries that extend those of the previous batch.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if there are more values than keys can number.
    pub fn merge(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let fields = batch.schema_ref().fields();
        let is_dictionary = |field: &Field| matches!(field.data_type(), DataType::Dictionary(..));
        if !fields.iter().any(|field| is_dictionary(field)) {
            return Ok(batch.clone());
        }
        self.0.resize_with(fields.len(), || None);
        let mut columns = batch.columns().to_vec();
        for (at, (growing, field)) in self.0.iter_mut().zip(fields).enumerate() {
            if is_dictionary(field) {
                let named = |error: Error| error.in_column(display_name(field.name(), at));
                columns[at] = merge(growing, &columns[at], field).map_err(named)?;
            }
        }
        RecordBatch::try_new(batch.schema(), columns).map_err(Error::input)
    }
}

fn merge(growing: &mut Option<Growing>, array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let (Some(dictionary), DataType::Dictionary(key_type, value_type)) =
        (array.as_any_dictionary_opt(), field.data_type())
    else {
        return Ok(Arc::clone(array));
    };
    let values = dictionary.values();
    let Some(growing) = growing else {
        *growing = Some(Growing {
            places: HashMap::new(),
            values: Arc::clone(values),
        });
        return Ok(Arc::clone(array));
    };
    if growing.values.to_data() == values.to_data() {
        return Ok(Arc::clone(array));
    }
    let of_values = field.clone().with_data_type(value_type.as_ref().clone());
    if growing.places.is_empty() {
        let words = words(&growing.values, &of_values)?.into_iter();
        // The first of equal values wins.
        for (word, place) in words.zip(0..) {
            growing.places.entry(word).or_insert(place);
        }
    }
    let mut next = growing.values.len() as i64;
    let mut new = Vec::new();
    let mut places = Vec::with_capacity(values.len());
    for (word, own) in words(values, &of_values)?.into_iter().zip(0..) {
        places.push(*growing.places.entry(word).or_insert_with(|| {
            new.push(own);
            next += 1;
            next - 1
        }));
    }
    if !new.is_empty() {
        let new = take(values, &Int64Array::from(new), None).map_err(Error::input)?;
        growing.values = concat(&[&growing.values, &new]).map_err(Error::input)?;
    }
    let keys = take(&Int64Array::from(places), dictionary.keys(), None).map_err(Error::input)?;
    let wide = Field::new("", DataType::Int64, true);
    let narrow = Field::new("", key_type.as_ref().clone(), true);
    let keys = cast(&keys, &wide, &narrow)?.ok_or_else(|| {
        Error::input("the batches together have more distinct values than the key type can number")
            .hint("write a stream, with -o NAME.arrows or to stdout")
    })?;
    let merged = keys.to_data().into_builder();
    let merged = merged
        .data_type(field.data_type().clone())
        .add_child_data(growing.values.to_data());
    Ok(make_array(merged.build().map_err(Error::input)?))
}

fn words(values: &ArrayRef, field: &Field) -> Result<Vec<Option<Vec<u8>>>> {
    let column = ColumnPrinter::new(values, field)?;
    let word = |row| {
        (!column.is_null(row)).then(|| {
            let mut word = Vec::new();
            column.cells.print(row, &mut word);
            word
        })
    };
    Ok((0..values.len()).map(word).collect())
}
