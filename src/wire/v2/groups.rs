//! Rows in groups of equal keys.
//!
//! Related rows of a table are often far apart: the quotes of fifty symbols are interleaved, and people of one city are
//! anywhere. Stored symbol by symbol or city by city, values resemble their neighbors, which helps every encoding.
//!
//! Groups are in the order of the first occurrence of their keys, and the rows of a group are in the order of the
//! table; nulls form a group as well. The keys `b a b c a` give the groups 0 1 0 2 1, so rows are stored in the order 0
//! 2 1 4 3.

use std::sync::OnceLock;

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;

use super::column::ColumnTree;
use super::gather::{self, Values};
use super::pick::{NO_VALUE, RowValues, places};
use super::types;
use crate::error::Result;
use crate::wire::encodings::Encoding;
use crate::wire::encodings::dictionary::{Distinct, distinct};

/// The group of each row.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The group number of each row; groups are numbered from 0 in order of first occurrence.
    of_rows: Vec<u32>,
    /// Number of groups.
    count: usize,
    /// All rows, group by group.
    order: OnceLock<Vec<u32>>,
}

impl PartialEq for Groups {
    fn eq(&self, other: &Self) -> bool {
        self.of_rows == other.of_rows
    }
}

impl Groups {
    /// The groups of a key column that has just been encoded, as [`Self::of`] finds them in the rows. `None` if columns of
    /// its type, which may be another one than in earlier frames, cannot be keys.
    ///
    /// # Errors
    /// As for [`RowValues::of`].
    pub(super) fn of_encoded(column: &ColumnTree, arrays: &[ArrayRef]) -> Result<Option<Self>> {
        if types::kind(column.field.data_type()).is_none() {
            return Ok(None);
        }
        let chunks = gather::chunks(arrays);
        if let [node] = &column.runs[..]
            && matches!(node.encoding, Encoding::Dictionary(_))
            && let [entries, codes] = &node.children[..]
        {
            // The encoder's entries are distinct. Number them in order of first occurrence.
            let mut numbers = vec![None; entries.len];
            let mut known = 0;
            let codes = codes.ints()?.into_iter().map(|code| {
                *numbers[code as usize].get_or_insert_with(|| {
                    known += 1;
                    known - 1
                })
            });
            let codes: Vec<i64> = codes.collect();
            return Ok(Some(Self::of_codes(&codes, places(&chunks).as_deref())));
        }
        let key = RowValues::of(column.field.data_type(), &chunks)?;
        Ok(Self::of(&key, usize::MAX))
    }

    /// The groups of a key column; `None` if there are more than `most`, or if columns of the type cannot be keys.
    pub(super) fn of(key: &RowValues, most: usize) -> Option<Self> {
        let codes = match key.values() {
            Values::Numbers(values) => distinct(values, most)?.1,
            Values::Strings(values) => Distinct::find(values, most)?.codes,
            Values::Wide { .. } => return None,
        };
        Some(Self::of_codes(&codes, key.places()))
    }

    /// Converts the codes of valid rows, numbered by first occurrence, to group numbers that include nulls: where nulls
    /// first occur, they take the next number, and the codes from that number on move up by one.
    fn of_codes(codes: &[i64], places: Option<&[u32]>) -> Self {
        let (mut known, mut of_nulls) = (0, None);
        let mut group_of = |code: Option<u32>| {
            let group = match code {
                Some(code) => code + u32::from(of_nulls.is_some_and(|group| code >= group)),
                None => *of_nulls.get_or_insert(known),
            };
            known = known.max(group + 1);
            group
        };
        let of_rows = match places {
            None => codes
                .iter()
                .map(|&code| group_of(Some(code as u32)))
                .collect(),
            Some(places) => places
                .iter()
                .map(|&place| group_of((place != NO_VALUE).then(|| codes[place as usize] as u32)))
                .collect(),
        };
        Self {
            of_rows,
            count: known as usize,
            order: OnceLock::new(),
        }
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of runs of adjacent rows of the same group.
    pub fn runs(&self) -> usize {
        self.of_rows.chunk_by(u32::eq).count()
    }

    /// All rows, group by group.
    pub fn order(&self) -> &[u32] {
        self.order.get_or_init(|| {
            let mut ends = vec![0_u32; self.count];
            for &group in &self.of_rows {
                ends[group as usize] += 1;
            }
            // A counting sort: so far, `ends` has the size of each group. Now it gets the place where each group starts,
            // which moves on as rows are placed.
            let mut start = 0;
            for end in &mut ends {
                start += std::mem::replace(end, start);
            }
            let mut order = vec![0; self.of_rows.len()];
            for (row, &group) in self.of_rows.iter().enumerate() {
                let end = &mut ends[group as usize];
                order[*end as usize] = row as u32;
                *end += 1;
            }
            order
        })
    }

    /// Moves the values of valid rows, stored group by group, to their rows, with zeros for nulls.
    pub fn scatter<T: Copy + Default>(&self, values: Vec<T>, nulls: Option<&NullBuffer>) -> Vec<T> {
        let mut rows = vec![T::default(); self.of_rows.len()];
        let put = |(&row, value): (&u32, T)| rows[row as usize] = value;
        let order = self.order().iter();
        match nulls {
            None => order.zip(values).for_each(put),
            Some(nulls) => order
                .filter(|&&row| nulls.is_valid(row as usize))
                .zip(values)
                .for_each(put),
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Array as _, Int64Array, StringArray};

    use super::*;

    fn groups(chunks: &[ArrayRef]) -> Groups {
        let key = RowValues::of(chunks[0].data_type(), &gather::chunks(chunks)).unwrap();
        Groups::of(&key, 9).unwrap()
    }

    #[test]
    fn groups_come_as_their_keys_first_appear() {
        let first: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), None, Some("a")]));
        let second: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), Some("c"), None]));
        let groups = groups(&[first, second]);
        assert_eq!(groups.of_rows, [0, 1, 2, 0, 3, 1]);
        assert_eq!((groups.count(), groups.runs()), (4, 6));
        assert_eq!(groups.order(), [0, 3, 1, 5, 2, 4]);
    }

    #[test]
    fn values_return_to_their_rows() {
        let keys: ArrayRef = Arc::new(Int64Array::from(vec![5, 7, 5, 7, 9, 5]));
        let groups = groups(&[keys]);
        let rows = [10, 11, 12, 13, 14, 15];
        assert_eq!(groups.scatter(vec![10, 12, 15, 11, 13, 14], None), rows);
        let nulls = NullBuffer::from(vec![true, false, true, false, true, true]);
        let rows = [10, 0, 12, 0, 14, 15];
        assert_eq!(groups.scatter(vec![10, 12, 15, 14], Some(&nulls)), rows);
    }
}
