//! What is known of one column over all rows.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::BuildHasher as _;

use hashbrown::HashTable;

use super::sketch::{Counts, HyperLogLog, Sample};
use crate::columns::value::{Class, Leaf};

/// What is known of one column.
#[derive(Clone, Debug, Default)]
pub struct ColumnStats {
    /// The types of its frames.
    pub types: BTreeSet<String>,
    /// Rows, nulls included.
    pub rows: u64,
    /// Rows without a value.
    pub nulls: u64,
    /// Bytes in frames, if they are known.
    pub stored_bytes: Option<u64>,
    least: Option<Point>,
    greatest: Option<Point>,
    /// Of all numbers.
    sum: Sum,
    numbers: u64,
    distinct: HyperLogLog,
    counts: Counts,
    sample: Sample<Point>,
}

/// A value in the order of its column.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where a number or a time lies on the number line.
    pub position: Option<f64>,
    /// What it is.
    pub text: Box<str>,
}

impl Point {
    fn new(position: Option<f64>, text: &[u8]) -> Self {
        Self {
            position,
            text: String::from_utf8_lossy(text).into(),
        }
    }

    /// By number, then by digits where doubles coincide; all else by bytes.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bytes = || self.text.cmp(&other.text);
        let (Some(a), Some(b)) = (self.position, other.position) else {
            return by_bytes();
        };
        let by_digits = || {
            let longer = self.text.len().cmp(&other.text.len()).then_with(by_bytes);
            if a < 0.0 { longer.reverse() } else { longer }
        };
        a.total_cmp(&b).then_with(by_digits)
    }
}

/// A sum of doubles with an error that does not show (Knuth's two-sum).
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    sum: f64,
    error: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let part = sum - self.sum;
        self.error += (self.sum - (sum - part)) + (value - part);
        self.sum = sum;
    }
}

/// Where quantiles lie.
pub const QUANTILES: [f64; 3] = [0.25, 0.5, 0.75];

impl ColumnStats {
    /// Of the column in a frame's batch; `before` rows precede the batch.
    pub fn of(leaf: &Leaf<'_>, rows: usize, before: u64) -> Self {
        let column = &leaf.values;
        let mut stats = Self {
            types: BTreeSet::from([leaf.ty.clone()]),
            rows: rows as u64,
            ..Self::default()
        };
        let valid = || (0..rows).filter(|&row| !column.is_null(row));
        let class = column.class();
        let has_order = matches!(class, Class::Number | Class::Time);
        let mut text = Vec::new();
        let distinct = distinct_rows(leaf, valid());
        let mut values = 0;
        for (row, count) in distinct {
            values += count;
            text.clear();
            column.print(row, &mut text);
            stats.counts.add(&text, count);
            stats.distinct.add(&text);
            let position = column.position(row);
            if let (Class::Number, Some(number)) = (class, position) {
                stats.sum.add(number * count as f64);
                stats.numbers += count;
            }
            if class != Class::Nested && !position.is_some_and(f64::is_nan) {
                stats.stretch(&Point::new(position, &text));
            }
        }
        stats.nulls = rows as u64 - values;
        if has_order {
            stats.sample = Sample::of(valid(), before, |row| {
                let position = column.position(row).filter(|position| !position.is_nan())?;
                let mut text = Vec::new();
                column.print(row, &mut text);
                Some(Point::new(Some(position), &text))
            });
        }
        stats
    }

    fn stretch(&mut self, point: &Point) {
        let is = |other: &Option<Point>, order| {
            other.as_ref().is_none_or(|other| point.cmp(other) == order)
        };
        if is(&self.least, Ordering::Less) {
            self.least = Some(point.clone());
        }
        if is(&self.greatest, Ordering::Greater) {
            self.greatest = Some(point.clone());
        }
    }

    /// Adds the rows of a later frame.
    pub fn join(&mut self, other: Self) {
        self.types.extend(other.types);
        self.rows += other.rows;
        self.nulls += other.nulls;
        self.stored_bytes = match (self.stored_bytes, other.stored_bytes) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        for point in [other.least, other.greatest].iter().flatten() {
            self.stretch(point);
        }
        self.sum.add(other.sum.sum);
        self.sum.add(other.sum.error);
        self.numbers += other.numbers;
        self.distinct.join(&other.distinct);
        self.counts.join(other.counts);
        self.sample.join(other.sample);
    }

    /// Adds rows in which the column is missing.
    pub fn add_missing(&mut self, rows: u64) {
        self.rows += rows;
        self.nulls += rows;
    }

    /// The smallest and the largest value.
    pub fn extremes(&self) -> Option<(&str, &str)> {
        let (least, greatest) = self.least.as_ref().zip(self.greatest.as_ref())?;
        Some((&least.text, &greatest.text))
    }

    /// The mean of all numbers, rounded to 12 digits.
    pub fn mean(&self) -> Option<f64> {
        if self.numbers == 0 {
            return None;
        }
        let mean = (self.sum.sum + self.sum.error) / self.numbers as f64;
        format!("{mean:.11e}").parse().ok()
    }

    /// How many values differ, and whether that is exact.
    pub fn distinct(&self) -> (u64, bool) {
        match self.counts.exact() {
            Some(count) => (count, true),
            None => (self.distinct.estimate(), false),
        }
    }

    /// The most frequent values and how often they occur, and whether that is exact.
    pub fn most_frequent(&self, most: usize) -> (Vec<(&[u8], u64)>, bool) {
        (self.counts.most_frequent(most), self.counts.error() == 0)
    }

    /// The sampled numbers or times in order.
    pub fn sorted_sample(&self) -> Vec<Point> {
        let mut values: Vec<_> = self.sample.clone().into_values().collect();
        values.sort_unstable_by(Point::cmp);
        values
    }
}

/// Some row of each different value, and how many rows have it, in the order in which they come first.
fn distinct_rows(leaf: &Leaf<'_>, rows: impl Iterator<Item = usize>) -> Vec<(usize, u64)> {
    let column = &leaf.values;
    let state = foldhash::fast::FixedState::default();
    let hash = |row: usize| state.hash_one(column.identity(row));
    let mut places: HashTable<u32> = HashTable::new();
    let mut found: Vec<(usize, u64)> = Vec::new();
    for row in rows {
        let identity = column.identity(row);
        let is_same = |&place: &u32| column.identity(found[place as usize].0) == identity;
        let hash_of = hash(row);
        if let Some(&place) = places.find(hash_of, is_same) {
            found[place as usize].1 += 1;
        } else {
            places.insert_unique(hash_of, found.len() as u32, |&place| {
                hash(found[place as usize].0)
            });
            found.push((row, 1));
        }
    }
    found
}
