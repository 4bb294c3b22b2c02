//! The differences between two inputs.

use std::collections::BTreeMap;

use super::cells::{Cell, ComparedColumns};

/// A value, or `None` for null.
pub type Value = Option<Cell>;

/// Counts of rows, and the first rows that differ.
#[derive(Debug, Default)]
pub struct Differences {
    /// The names of the columns that rows are matched by.
    pub key: Vec<String>,
    /// Number of rows in each input.
    pub rows: [u64; 2],
    /// Number of rows equal in both.
    pub equal: u64,
    /// Number of rows in both with different values.
    pub changed: u64,
    /// Number of rows that only one input has.
    pub only: [u64; 2],
    /// Number of values that differ, by column.
    pub by_column: BTreeMap<usize, u64>,
    /// The first rows that differ.
    pub first: Vec<Difference>,
    /// How many of them to keep.
    pub most: usize,
}

/// A row that differs.
#[derive(Debug)]
pub struct Difference {
    /// The number of the row in the input that has it; in the first one if both have it.
    pub row: u64,
    /// The only input that has it.
    pub only: Option<usize>,
    /// The values of its key.
    pub key: Vec<Value>,
    /// The columns that differ, with the values of both inputs. For a row that only one input has, all columns that are
    /// not null.
    pub cells: Vec<(usize, [Value; 2])>,
}

impl Difference {
    /// A row that only one input has, with its cells that are not null, by column number.
    pub fn only(
        side: usize,
        row: u64,
        key: Vec<Value>,
        cells: impl IntoIterator<Item = (usize, Cell)>,
    ) -> Self {
        let cells = cells.into_iter().map(|(place, cell)| {
            let mut cells = [None, None];
            cells[side] = Some(cell);
            (place, cells)
        });
        Self {
            row,
            only: Some(side),
            key,
            cells: cells.collect(),
        }
    }
}

impl Differences {
    /// Adds a row.
    pub fn add(&mut self, difference: Difference) {
        if let Some(side) = difference.only {
            self.only[side] += 1;
        } else {
            self.changed += 1;
            for &(place, _) in &difference.cells {
                *self.by_column.entry(place).or_default() += 1;
            }
        }
        self.first.push(difference);
        if self.first.len() > 2 * self.most + 1000 {
            self.settle();
        }
    }

    /// Sorts the differences and keeps the first ones.
    pub fn settle(&mut self) {
        // Rows that only the second input has come after the others with the same number.
        self.first
            .sort_by_key(|difference| (difference.row, difference.only));
        self.first.truncate(self.most);
    }

    /// True if all rows are equal.
    pub fn is_none(&self) -> bool {
        self.changed == 0 && self.only == [0, 0]
    }

    /// The columns with values that differ, and the number of these.
    pub fn columns<'a>(
        &'a self,
        paths: &'a ComparedColumns,
    ) -> impl Iterator<Item = (&'a str, u64)> {
        let columns = self.by_column.iter();
        columns.map(|(place, count)| (paths.name(*place), *count))
    }
}
