//! Picks the values of rows to encode them in another order, and measures how much neighboring values differ in that
//! order.

use arrow_schema::DataType;

use super::gather::{Chunk, Values};
use crate::error::Result;
use crate::wire::encodings::ByteStrings;

/// The values of a column without children, and where those of each row are.
pub(super) struct RowValues {
    /// Those of the valid rows.
    values: Values,
    /// See [`places`].
    places: Option<Vec<u32>>,
}

/// In place of a null's value.
pub(super) const NO_VALUE: u32 = u32::MAX;

/// The place of each row's value among those of all valid rows, or [`NO_VALUE`] for nulls; `None` if there are no nulls.
pub(super) fn places(chunks: &[Chunk]) -> Option<Vec<u32>> {
    if chunks.iter().all(|chunk| chunk.valid() == chunk.rows()) {
        return None;
    }
    let mut places = Vec::with_capacity(chunks.iter().map(Chunk::rows).sum());
    let mut next = 0;
    for chunk in chunks {
        chunk.extend_validity(&mut places, |is_valid| {
            let place = if is_valid { next } else { NO_VALUE };
            next += u32::from(is_valid);
            place
        });
    }
    Some(places)
}

impl RowValues {
    /// The values of all rows.
    ///
    /// # Errors
    /// As for [`Values::of`].
    pub(super) fn of(data_type: &DataType, chunks: &[Chunk]) -> Result<Self> {
        Ok(Self {
            values: Values::of(data_type, chunks)?,
            places: places(chunks),
        })
    }

    /// The values of the valid rows.
    pub(super) fn values(&self) -> &Values {
        &self.values
    }

    /// See [`places`].
    pub(super) fn places(&self) -> Option<&[u32]> {
        self.places.as_deref()
    }

    /// The number in a row; `None` for a null or another kind of value.
    pub(super) fn number(&self, row: usize) -> Option<i64> {
        let place = match &self.places {
            None => row,
            Some(places) => places[row] as usize,
        };
        match &self.values {
            Values::Numbers(values) => values.get(place).copied(),
            Values::Wide { .. } | Values::Strings(_) => None,
        }
    }

    /// The places of the values of the valid ones among these rows.
    fn places_of<'a>(&'a self, rows: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
        let place = |&row: &u32| match &self.places {
            None => Some(row as usize),
            Some(places) => {
                let place = places[row as usize];
                (place != NO_VALUE).then_some(place as usize)
            }
        };
        rows.iter().filter_map(place)
    }

    /// The values of the valid ones among these rows, in this order.
    pub(super) fn pick(&self, rows: &[u32]) -> Values {
        let numbers = |values: &[i64]| {
            let mut picked = Vec::with_capacity(rows.len().min(values.len()));
            picked.extend(self.places_of(rows).map(|place| values[place]));
            picked
        };
        match &self.values {
            Values::Numbers(values) => Values::Numbers(numbers(values)),
            Values::Wide { low, high } => Values::Wide {
                low: numbers(low),
                high: numbers(high),
            },
            Values::Strings(values) => {
                let mut picked = ByteStrings::default();
                if rows.len() >= values.len() {
                    picked.offsets.reserve_exact(values.len());
                    picked.data.reserve_exact(values.data.len());
                }
                for place in self.places_of(rows) {
                    picked.push(values.row(place));
                }
                Values::Strings(picked)
            }
        }
    }

    /// How much the value of each of these rows differs from the one before it, in bits, summed over the rows. Numbers
    /// count the bits of their difference, and texts the bits after their common prefix, or all bits unless they are
    /// equal.
    ///
    /// This does not predict a size, but an order with a larger sum hardly ever compresses better.
    pub(super) fn roughness(&self, rows: &[u32], prefixes: bool) -> u64 {
        let places = self.places_of(rows);
        match &self.values {
            Values::Numbers(values) | Values::Wide { low: values, .. } => {
                let mut before = 0_i64;
                places
                    .map(|place| {
                        let step = values[place].wrapping_sub(before).unsigned_abs();
                        before = values[place];
                        u64::from(64 - step.leading_zeros())
                    })
                    .sum()
            }
            Values::Strings(values) => {
                let mut before: &[u8] = &[];
                places
                    .map(|place| {
                        let value = values.row(place);
                        let same = if prefixes || value == before {
                            value.iter().zip(before).take_while(|(a, b)| a == b).count()
                        } else {
                            0
                        };
                        before = value;
                        8 * (value.len() - same) as u64
                    })
                    .sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array};
    use arrow_array::{Float64Array, Int16Array, StringArray, UInt32Array};

    use super::*;
    use crate::wire::v2::gather::chunks;

    #[test]
    fn picked_values_are_those_of_rows_that_arrow_takes() {
        let columns: [ArrayRef; 5] = [
            Arc::new(Int16Array::from(vec![Some(3), None, Some(-1), Some(7)])),
            Arc::new(Float64Array::from(vec![0.5, -0.0, 2.0, 9.0])),
            Arc::new(Decimal128Array::from(vec![Some(1), None, None, Some(-4)])),
            Arc::new(BooleanArray::from(vec![
                Some(true),
                None,
                Some(false),
                None,
            ])),
            Arc::new(BinaryArray::from(vec![b"a" as &[u8], b"", b"ccc", b"dd"])),
        ];
        for column in columns {
            let data_type = column.data_type();
            for (column, rows) in [
                (column.slice(0, 4), &[2, 0, 1, 3, 2][..]),
                (column.slice(1, 3), &[2, 0]),
            ] {
                let parts = [column.slice(0, 1), column.slice(1, column.len() - 1)];
                let taken =
                    arrow_select::take::take(&column, &UInt32Array::from(rows.to_vec()), None);
                let wanted = Values::of(data_type, &[taken.unwrap().into()]).unwrap();
                for arrays in [&[column][..], &parts] {
                    let values = RowValues::of(data_type, &chunks(arrays)).unwrap();
                    assert_eq!(values.pick(rows), wanted);
                }
            }
        }
    }

    #[test]
    fn neighbors_that_resemble_each_other_are_less_rough() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["ab", "xy", "ab", "xy"]));
        let numbers: ArrayRef = Arc::new(Int16Array::from(vec![1, 900, 2, 901]));
        for column in [text, numbers] {
            let parts = [column.slice(0, 1), column.slice(1, 0), column.slice(1, 3)];
            let values = RowValues::of(column.data_type(), &chunks(&parts)).unwrap();
            let [grouped, in_order] = [[0, 2, 1, 3], [0, 1, 2, 3]];
            for prefixes in [false, true] {
                let of = |order: &[u32]| values.roughness(order, prefixes);
                assert!(of(&grouped) < of(&in_order));
            }
        }
    }
}
