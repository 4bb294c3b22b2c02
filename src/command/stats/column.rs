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
}

/// A value against another one: by number, then by digits where doubles coincide; all else by bytes.
fn compare(position: Option<f64>, text: &[u8], other: &Point) -> Ordering {
    let by_bytes = || text.cmp(other.text.as_bytes());
    let (Some(a), Some(b)) = (position, other.position) else {
        return by_bytes();
    };
    let by_digits = || {
        let longer = text.len().cmp(&other.text.len()).then_with(by_bytes);
        if a < 0.0 { longer.reverse() } else { longer }
    };
    a.total_cmp(&b).then_with(by_digits)
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
    /// Of a column in all batches of a frame; `before` rows precede the frame.
    pub fn of(parts: &[(&Leaf<'_>, usize)], before: u64) -> Self {
        let column = ColumnParts { parts };
        let mut stats = Self::default();
        for (leaf, rows) in parts {
            stats.types.insert(leaf.ty.clone());
            stats.rows += *rows as u64;
        }
        let mut text = Vec::new();
        let mut values = 0;
        for (place, count) in column.distinct() {
            let (leaf, row) = column.at(place);
            let class = leaf.values.class();
            values += count;
            text.clear();
            leaf.values.print(row, &mut text);
            stats.counts.add(&text, count);
            stats.distinct.add(&text);
            let position = leaf.values.position(row);
            if let (Class::Number, Some(number)) = (class, position) {
                stats.sum.add(number * count as f64);
                stats.numbers += count;
            }
            if class != Class::Nested && !position.is_some_and(f64::is_nan) {
                stats.stretch(position, &text);
            }
        }
        stats.nulls = stats.rows - values;
        let has_order = |class| matches!(class, Class::Number | Class::Time);
        if parts.iter().any(|(leaf, _)| has_order(leaf.values.class())) {
            let rows = column.valid().map(|(row, place)| (before + row, place));
            stats.sample = Sample::of(rows, |place| {
                let (leaf, row) = column.at(place);
                let position = leaf.values.position(row);
                let position = position.filter(|position| !position.is_nan())?;
                let mut text = Vec::new();
                leaf.values.print(row, &mut text);
                Some(Point::new(Some(position), &text))
            });
        }
        stats
    }

    fn stretch(&mut self, position: Option<f64>, text: &[u8]) {
        let is = |other: &Option<Point>, order| {
            let other = other.as_ref();
            other.is_none_or(|other| compare(position, text, other) == order)
        };
        if is(&self.least, Ordering::Less) {
            self.least = Some(Point::new(position, text));
        }
        if is(&self.greatest, Ordering::Greater) {
            self.greatest = Some(Point::new(position, text));
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
            self.stretch(point.position, point.text.as_bytes());
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
        values.sort_unstable_by(|one, other| compare(one.position, one.text.as_bytes(), other));
        values
    }
}

/// A column in all batches of a frame, each with its number of rows.
struct ColumnParts<'a> {
    parts: &'a [(&'a Leaf<'a>, usize)],
}

/// A batch, and a row of it.
type RowPlace = (u32, u32);

impl<'a> ColumnParts<'a> {
    fn at(&self, (part, row): RowPlace) -> (&'a Leaf<'a>, usize) {
        (self.parts[part as usize].0, row as usize)
    }

    /// The rows that are not null: their number in the frame, and where they are.
    fn valid(&self) -> impl Iterator<Item = (u64, RowPlace)> {
        let parts = self.parts.iter().enumerate();
        let starts = parts.scan(0, |next, (part, (leaf, rows))| {
            let start = *next;
            *next += *rows as u64;
            Some((start, part as u32, *leaf, *rows))
        });
        starts.flat_map(|(start, part, leaf, rows)| {
            let rows = (0..rows).filter(|&row| !leaf.values.is_null(row));
            rows.map(move |row| (start + row as u64, (part, row as u32)))
        })
    }

    /// The first row of each different value, in their order, and how many rows have it.
    fn distinct(&self) -> Vec<(RowPlace, u64)> {
        let identity = |place| {
            let (leaf, row) = self.at(place);
            leaf.values.identity(row)
        };
        let state = foldhash::fast::FixedState::default();
        let mut places: HashTable<u32> = HashTable::new();
        let mut found: Vec<(RowPlace, u64)> = Vec::new();
        for (_, place) in self.valid() {
            let value = identity(place);
            let hash = state.hash_one(&value);
            if let Some(&known) =
                places.find(hash, |&known| identity(found[known as usize].0) == value)
            {
                found[known as usize].1 += 1;
            } else {
                let rehash = |&known: &u32| state.hash_one(identity(found[known as usize].0));
                places.insert_unique(hash, found.len() as u32, rehash);
                found.push((place, 1));
            }
        }
        found
    }
}
