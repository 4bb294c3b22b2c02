//! Statistics of one column over all rows.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::BuildHasher as _;

use arrow_schema::Field;
use hashbrown::HashTable;

use super::sketch::{Counts, HyperLogLog, SAMPLE_VALUES, UniformSample};
use crate::columns::cast::{Provenance, is_odd, may_be_typed};
use crate::columns::statistics::MinMax;
use crate::columns::value::{Class, LeafColumn, ValueColumn};
use crate::error::Result;
use crate::schema::Type;
use crate::schema::keys::is_fixed;
use crate::text::form::{form_of, null_of};
use crate::wire::v2;

/// The name of the type of columns without values.
pub const NULL_TYPE: &str = "null";

/// Statistics of one column.
#[derive(Clone, Debug, Default)]
pub struct ColumnStats {
    /// Its types in frames that have values.
    pub types: BTreeSet<String>,
    /// Number of rows, including nulls.
    pub rows: u64,
    /// Number of rows without a value, if known.
    pub nulls: Option<u64>,
    /// Number of bytes in frames, if known.
    pub stored_bytes: Option<u64>,
    least: Option<Point>,
    greatest: Option<Point>,
    /// What the values of text are, in frames that have some; known only from headers.
    of_text: Option<TextValues>,
    /// True if some values may lie outside the extremes.
    lacks_extremes: bool,
    /// Statistics that require reading the values; `None` if only headers were read.
    pub values: Option<ValueStats>,
}

/// Statistics that require reading the values of a column.
#[derive(Clone, Debug, Default)]
pub struct ValueStats {
    /// Number of values.
    count: u64,
    /// The sum of all numbers, without NaN.
    sum: Sum,
    numbers: u64,
    distinct: HyperLogLog,
    counts: Counts,
    sample: UniformSample<Point>,
}

/// A value in the order of its column.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The position of a number or a time on the number line.
    pub position: Option<f64>,
    /// The value as text.
    pub text: Box<str>,
    /// True if the value may be longer than the text.
    pub is_cut: bool,
}

impl Point {
    fn new(position: Option<f64>, text: &[u8]) -> Self {
        Self {
            position,
            text: String::from_utf8_lossy(text).into(),
            is_cut: false,
        }
    }
}

/// Compares two values: numbers and times by position, then by digits if their doubles coincide; everything else by
/// bytes.
fn compare(position: Option<f64>, text: &[u8], other: &Point) -> Ordering {
    let other_text = other.text.as_bytes();
    let (Some(a), Some(b)) = (position, other.position) else {
        return text.cmp(other_text);
    };
    let by_digits = || {
        let order = digits(text).cmp(&digits(other_text));
        if text.starts_with(b"-") {
            order.reverse()
        } else {
            order
        }
    };
    a.total_cmp(&b).then_with(by_digits)
}

/// The digits before the point, of which more are greater, and those after it. The Z of a time is no digit.
fn digits(text: &[u8]) -> (usize, &[u8], &[u8]) {
    let mut parts = text.splitn(2, |byte| matches!(byte, b'.' | b'Z'));
    let whole = parts.next().unwrap_or_default();
    (whole.len(), whole, parts.next().unwrap_or_default())
}

/// A sum of doubles with negligible error (Knuth's two-sum).
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

    /// Adds a number `count` times, given its canonical text: a double does not hold all digits of large integers.
    fn add_product(&mut self, number: f64, text: &[u8], count: u64) {
        let integer = || str::from_utf8(text).ok()?.parse::<i128>().ok();
        let exact = (number.abs() >= EXACT).then(integer).flatten();
        match exact.and_then(|number| number.checked_mul(count.into())) {
            Some(product) => {
                let near = product as f64;
                self.add(near);
                self.add(product.saturating_sub(near as i128) as f64);
            }
            None => self.add(number * count as f64),
        }
    }
}

/// Doubles hold all integers up to this one.
const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// What the values of text are. If frames differ in this, a text may mean one value in its own frame and another among
/// all frames.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TextValues {
    /// Numbers have the same value in every form. But not all decimals fit next to doubles, such as infinity.
    Numbers { are_doubles: bool },
    /// Values of this type, form and word for null.
    Other {
        ty: String,
        form: Option<String>,
        null: Option<String>,
    },
}

impl TextValues {
    /// The values of a column, which a header may describe.
    fn of(leaf: &LeafColumn<'_>, header: Option<&Field>) -> Self {
        if leaf.values.class() == Class::Number && !leaf.values.is_padded() {
            let are_doubles = header.is_some_and(|it| it.data_type().is_floating());
            return Self::Numbers { are_doubles };
        }
        Self::Other {
            ty: leaf.ty.clone(),
            form: header.and_then(form_of).map(str::to_owned),
            null: header.and_then(null_of).map(str::to_owned),
        }
    }
}

/// The column's type, unless it has only nulls.
fn type_of_values(leaf: &LeafColumn<'_>) -> Option<String> {
    (leaf.ty != NULL_TYPE).then(|| leaf.ty.clone())
}

/// The quantiles to report.
pub const QUANTILES: [f64; 3] = [0.25, 0.5, 0.75];

impl ColumnStats {
    /// The statistics of a column in all batches of a frame; `before` rows precede the frame.
    pub fn of(parts: &[(&LeafColumn<'_>, usize)], before: u64) -> Self {
        let column = ColumnBatches { parts };
        let mut stats = Self::default();
        for (leaf, rows) in parts {
            stats.types.extend(type_of_values(leaf));
            stats.rows += *rows as u64;
        }
        let mut text = Vec::new();
        let mut found = ValueStats::default();
        let mut valid = 0;
        for (place, count) in column.distinct() {
            let (leaf, row) = column.at(place);
            let class = leaf.values.class();
            valid += count;
            text.clear();
            leaf.values.print(row, &mut text);
            found.counts.add(&text, count);
            found.distinct.add(&text);
            let position = leaf.values.position(row);
            if position.is_some_and(f64::is_nan) {
                continue;
            }
            if let (Class::Number, Some(number)) = (class, position) {
                found.sum.add_product(number, &text, count);
                found.numbers += count;
            }
            if class != Class::Nested {
                stats.stretch(&Point::new(position, &text));
            }
        }
        stats.nulls = Some(stats.rows - valid);
        found.count = valid;
        let has_order = |class| matches!(class, Class::Number | Class::Time);
        if parts.iter().any(|(leaf, _)| has_order(leaf.values.class())) {
            let rows = column.valid().map(|(row, place)| (before + row, place));
            found.sample = UniformSample::of(rows, |place| {
                let (leaf, row) = column.at(place);
                let position = leaf
                    .values
                    .position(row)
                    .filter(|position| !position.is_nan())?;
                let mut text = Vec::new();
                leaf.values.print(row, &mut text);
                Some(Point::new(Some(position), &text))
            });
        }
        stats.values = Some(found);
        stats
    }

    /// The statistics of a column in the header of a frame with `rows` rows: `header` is its description, `leaf` the
    /// column without rows.
    ///
    /// # Errors
    /// If the header is inconsistent.
    pub fn of_header(
        leaf: &LeafColumn<'_>,
        header: Option<&v2::Leaf>,
        rows: u64,
        from: Provenance,
    ) -> Result<Self> {
        let mut stats = Self {
            types: type_of_values(leaf).into_iter().collect(),
            rows,
            lacks_extremes: leaf.values.class() != Class::Nested,
            ..Self::default()
        };
        let may_have_values = header.is_none_or(|it| it.valid > 0 || is_odd(&it.field));
        if from != Provenance::Typed && may_have_values {
            stats.of_text = Some(TextValues::of(leaf, header.map(|it| &it.field)));
        }
        let Some(header) = header else {
            return Ok(stats);
        };
        if is_odd(&header.field) {
            // The word for null may be a value, and the values words for null.
            return Ok(stats);
        }
        let is_text = Type::of(&header.field) == Some(Type::Utf8) && !is_fixed(&header.field);
        let is_cells = from == Provenance::Csv && is_text && header.valid > 0;
        if is_cells && may_be_typed(header.statistics.as_ref()) {
            // Some of the text may mean null, and its values may have another order.
            return Ok(stats);
        }
        let is_counted = !header.is_unread && !header.may_hide_nulls;
        stats.nulls = is_counted.then(|| rows - header.valid as u64);
        if stats.nulls == Some(rows) {
            stats.lacks_extremes = false;
        }
        let extremes = header.statistics.as_ref();
        // Values stored as another type are ordered differently.
        let extremes = extremes.filter(|_| Type::held(&header.field).is_none());
        if let Some(extremes) = extremes
            && let Some((field, both)) = extremes.values(&header.field)
        {
            stats.stretch_to(extremes, &ValueColumn::new(&both, &field)?);
        }
        Ok(stats)
    }

    /// Extends the extremes by the two rows of `both`, unless reading all values could give a different result.
    fn stretch_to(&mut self, extremes: &MinMax, both: &ValueColumn<'_>) {
        let points = [0, 1].map(|row| {
            let mut text = Vec::new();
            both.print(row, &mut text);
            Point::new(both.position(row), &text)
        });
        let [mut least, mut greatest] = points;
        let has_order = match both.class() {
            Class::Text | Class::Bool => true,
            Class::Number | Class::Time => least.position.is_some(),
            Class::Nested => false,
        };
        if !has_order {
            return;
        }
        (least.is_cut, greatest.is_cut) = extremes.are_cut();
        self.lacks_extremes = false;
        self.stretch(&least);
        self.stretch(&greatest);
    }

    fn stretch(&mut self, point: &Point) {
        let ends = [
            (&mut self.least, Ordering::Less),
            (&mut self.greatest, Ordering::Greater),
        ];
        for (extreme, beyond) in ends {
            match extreme {
                None => *extreme = Some(point.clone()),
                Some(known) => match compare(point.position, point.text.as_bytes(), known) {
                    Ordering::Equal => known.is_cut |= point.is_cut,
                    order if order == beyond => known.clone_from(point),
                    _ => {}
                },
            }
        }
    }

    /// Adds the rows of a later frame.
    pub fn join(&mut self, other: Self) {
        let of_text = self.of_text.as_ref().zip(other.of_text.as_ref());
        if of_text.is_some_and(|(one, other)| one != other) {
            self.nulls = None;
            self.lacks_extremes = true;
        }
        self.of_text = self.of_text.take().or(other.of_text);
        self.types.extend(other.types);
        self.rows += other.rows;
        self.nulls = self.nulls.zip(other.nulls).map(|(one, other)| one + other);
        self.stored_bytes = match (self.stored_bytes, other.stored_bytes) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        self.lacks_extremes |= other.lacks_extremes;
        for point in [other.least, other.greatest].into_iter().flatten() {
            self.stretch(&point);
        }
        self.values = match (self.values.take(), other.values) {
            (Some(mut one), Some(other)) => {
                one.join(other);
                Some(one)
            }
            _ => None,
        };
    }

    /// True if no row has a value, in any frame.
    pub fn is_null(&self) -> bool {
        self.types.is_empty()
    }

    /// Adds rows in which the column is missing.
    pub fn add_missing(&mut self, rows: u64) {
        self.rows += rows;
        self.nulls = self.nulls.map(|nulls| nulls + rows);
    }

    /// The minimum and maximum, if known.
    pub fn extremes(&self) -> Option<(&Point, &Point)> {
        self.least
            .as_ref()
            .zip(self.greatest.as_ref())
            .filter(|_| !self.lacks_extremes)
    }
}

impl ValueStats {
    fn join(&mut self, other: Self) {
        self.count += other.count;
        self.sum.add(other.sum.sum);
        self.sum.add(other.sum.error);
        self.numbers += other.numbers;
        self.distinct.join(&other.distinct);
        self.counts.join(other.counts);
        self.sample.join(other.sample);
    }

    /// The mean of all numbers except NaN, rounded to 15 digits, which do not depend on the order of adding.
    pub fn mean(&self) -> Option<f64> {
        if self.numbers == 0 {
            return None;
        }
        let mean = (self.sum.sum + self.sum.error) / self.numbers as f64;
        format!("{mean:.14e}").parse().ok()
    }

    /// The number of distinct values, and whether it is exact.
    pub fn distinct(&self) -> (u64, bool) {
        match self.counts.exact() {
            Some(count) => (count, true),
            None => (self.distinct.estimate().min(self.count), false),
        }
    }

    /// The most frequent values with their counts, and whether these are exact; otherwise they are lower bounds.
    pub fn most_frequent(&self, most: usize) -> (Vec<(&[u8], u64)>, bool) {
        (self.counts.most_frequent(most), self.counts.error() == 0)
    }

    /// True if there are more values than [`Self::sorted_sample`] has.
    pub fn is_sampled(&self) -> bool {
        self.count > SAMPLE_VALUES
    }

    /// The sampled numbers or times, sorted.
    pub fn sorted_sample(&self) -> Vec<Point> {
        let mut values: Vec<_> = self.sample.clone().into_values().collect();
        values.sort_unstable_by(|one, other| compare(one.position, one.text.as_bytes(), other));
        values
    }
}

/// A column in all batches of a frame, each with its number of rows.
struct ColumnBatches<'a> {
    parts: &'a [(&'a LeafColumn<'a>, usize)],
}

/// The number of a batch, and of a row in it.
type RowPlace = (u32, u32);

impl<'a> ColumnBatches<'a> {
    fn at(&self, (part, row): RowPlace) -> (&'a LeafColumn<'a>, usize) {
        (self.parts[part as usize].0, row as usize)
    }

    /// The rows that are not null: their number in the frame, and their position.
    fn valid(&self) -> impl Iterator<Item = (u64, RowPlace)> {
        let parts = self.parts.iter().enumerate();
        let starts = parts.scan(0, |next, (part, (leaf, rows))| {
            let start = *next;
            *next += *rows as u64;
            Some((start, part as u32, *leaf, *rows))
        });
        starts.flat_map(|(start, part, leaf, rows)| {
            (0..rows)
                .filter(|&row| !leaf.values.is_null(row))
                .map(move |row| (start + row as u64, (part, row as u32)))
        })
    }

    /// For each distinct value, in order, its first row and the number of rows that have it.
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
