//! Parses and prints dates and times in all common forms, by patterns.
//!
//! Patterns use the notation of C's `strftime`, with the additions of the `chrono` crate. Whatever a pattern parses,
//! it prints back exactly: numbers have exactly the digits it specifies, names exactly its letters, and a weekday must
//! match the date. A cell that parses can therefore be stored as a value without its text.

mod compile;
mod print;
mod read;

use arrow_schema::TimeUnit;

pub use print::PrintedDay;
pub(super) use read::digits;

use super::fixed::Fixed;
use super::{SECONDS_PER_DAY as DAY, days_from_civil, seconds_of_day};

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// What a number in a pattern means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Month,
    Day,
    Hour,
    /// 1 to 12, with [`PatternItem::HalfDay`].
    Hour12,
    Minute,
    Second,
}

/// How an offset from UTC is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OffsetStyle {
    /// `+0200`
    Compact,
    /// `+02:00`
    Colon,
    /// `+02`
    Hours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternItem {
    Literal(u8),
    /// Four digits.
    Year,
    /// Two digits, or as many as needed.
    Number {
        unit: Unit,
        padded: bool,
    },
    /// The given number of digits of a second.
    Fraction(u8),
    Optional(OptionalFraction),
    Month {
        full: bool,
    },
    Weekday {
        full: bool,
    },
    /// `AM` or `PM`.
    HalfDay,
    Offset(OffsetStyle),
}

/// A fraction of a second that is omitted if zero: otherwise a point and the fewest digits that are exact, of the
/// multiples of `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OptionalFraction {
    step: usize,
    /// The most digits of a cell, which decide the unit.
    most: usize,
}

/// The optional fractions of text, the most likely first: of most programs, of Postgres, of Python.
const OPTIONAL_FRACTIONS: [&str; 3] = ["%.f", ANY_FRACTION, "%.6-6f"];

/// The optional fraction that all microseconds fit.
pub const ANY_FRACTION: &str = "%.1-6f";

/// The kind of a pattern's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeKind {
    /// Days since 1970-01-01.
    Date,
    /// Units since midnight.
    Time,
    /// Units since 1970-01-01T00:00:00, in UTC if the pattern has a zone.
    Timestamp,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    items: Vec<PatternItem>,
    text: String,
    kind: TimeKind,
    unit: TimeUnit,
    optional: Option<OptionalFraction>,
    /// True if the optional fraction may have zeros at the end, which are not printed.
    is_loose: bool,
    /// The layouts, if all fields have a fixed width: one, or one for each length of an optional fraction.
    layouts: Vec<Option<Fixed>>,
    /// The offset that is part of the layouts; `None` if the pattern has none.
    offset: Option<i32>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// A date and a time of day, parsed or to be printed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Civil {
    pub year: i32,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    pub nanos: u32,
}

impl Pattern {
    /// The pattern as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The kind of its values.
    pub fn kind(&self) -> TimeKind {
        self.kind
    }

    /// The unit of its values, unless they are dates: the coarsest that keeps the fraction.
    pub fn unit(&self) -> TimeUnit {
        self.unit
    }

    /// The pattern with the numbers of day and month in the other order; `None` if only one order is in use. Dates with
    /// dots never begin with the month, and dates that begin with the year always go on with it.
    pub fn with_day_and_month_exchanged(&self) -> Option<Self> {
        let place = |letter: char| {
            let padded = self.text.find(&format!("%{letter}"));
            padded.or_else(|| self.text.find(&format!("%-{letter}")))
        };
        let (month, day) = (place('m')?, place('d')?);
        let is_after_year = self
            .text
            .find("%Y")
            .is_some_and(|year| year < month.min(day));
        let has_dots = self.text[month.min(day)..month.max(day)].ends_with('.');
        if is_after_year || has_dots {
            return None;
        }
        let exchange = |c| match c {
            'm' => 'd',
            'd' => 'm',
            other => other,
        };
        let mut text = String::with_capacity(self.text.len());
        let mut follows_percent = false;
        for c in self.text.chars() {
            text.push(if follows_percent { exchange(c) } else { c });
            follows_percent = c == '%' || follows_percent && c == '-';
        }
        Self::compile(&text)
    }

    /// The bytes between the fields. Fields consist of letters, digits and `+-.:`.
    pub fn literals(&self) -> impl Iterator<Item = u8> {
        self.items.iter().filter_map(|item| match item {
            PatternItem::Literal(byte) => Some(*byte),
            _ => None,
        })
    }

    /// True if the text contains the offset from UTC.
    pub fn has_offset(&self) -> bool {
        self.offset.is_some()
    }

    /// True if the pattern marks the time as UTC with `Z`, `GMT` or `UTC`.
    pub fn is_utc(&self) -> bool {
        let text = self.text.trim_end();
        self.kind == TimeKind::Timestamp
            && ["Z", "UTC", "GMT"].iter().any(|end| text.ends_with(end))
    }

    /// Parses a cell whose time zone is `offset` seconds ahead of UTC; `None` if it would not print back.
    #[inline]
    pub fn read(&self, cell: &[u8], offset: i32) -> Option<i64> {
        let Some(first) = self.layouts[0]
            .as_ref()
            .filter(|_| self.is_laid_out(offset))
        else {
            return self.value(self.walk(cell, Some(offset))?.0, offset);
        };
        let place = match self.optional {
            Some(optional) if cell.len() > first.len() => {
                (cell.len() - first.len() - 1).div_ceil(optional.step)
            }
            _ => 0,
        };
        let Some(layout) = self.layouts.get(place)? else {
            return self.value(self.walk(cell, Some(offset))?.0, offset);
        };
        if layout.len() != cell.len() {
            return None;
        }
        let civil = layout.read(cell)?;
        // The fraction may be printed with fewer digits.
        let is_exact = self.layout_place(civil.nanos) == place;
        (is_exact || self.is_loose).then(|| self.value(civil, offset))?
    }

    /// The same pattern, but faster for text with this offset from UTC.
    #[must_use]
    pub fn with_offset(mut self, offset: i32) -> Self {
        if !self.is_laid_out(offset) {
            self.offset = Some(offset);
            self.layouts = self.layouts();
        }
        self
    }

    /// True if the layouts were made for this offset.
    #[inline]
    fn is_laid_out(&self, offset: i32) -> bool {
        self.offset.is_none_or(|laid_out| laid_out == offset)
    }

    /// The place of the layout of a value with this fraction of a second.
    #[inline]
    fn layout_place(&self, nanos: u32) -> usize {
        let optional = self.optional;
        optional.map_or(0, |it| it.digits(nanos).div_ceil(it.step))
    }

    /// The number of digits of the fraction of a second; `None` if it varies.
    pub fn fraction_digits(&self) -> Option<u8> {
        let digits = self.items.iter().find_map(|item| match item {
            PatternItem::Fraction(digits) => Some(*digits),
            _ => None,
        });
        self.optional.is_none().then_some(digits.unwrap_or(0))
    }

    /// The same pattern with fractions of a second that are omitted if zero, in all forms in use.
    pub fn with_optional_fractions(&self) -> impl Iterator<Item = Self> {
        OPTIONAL_FRACTIONS
            .iter()
            .filter_map(|it| self.with_fraction(it))
    }

    /// The same pattern for cells with up to six digits of a second, in any number. Not all of them print back.
    pub fn with_any_fraction(&self) -> Option<Self> {
        let mut pattern = self.with_fraction(ANY_FRACTION)?;
        pattern.is_loose = true;
        Some(pattern)
    }

    /// The same pattern with another fraction of a second; `None` if the text cannot have one, or has a comma or
    /// nanoseconds in it.
    fn with_fraction(&self, fraction: &str) -> Option<Self> {
        let (before, after) = self.text.split_once("%S")?;
        let is_other = self.unit == TimeUnit::Nanosecond || after.starts_with(",%");
        let fixed = after.strip_prefix("%.").and_then(|it| it.split_once('f'));
        let after = fixed.map_or(after, |(_, after)| after);
        let compile = || Self::compile(&format!("{before}%S{fraction}{after}"));
        (!is_other).then(compile)?
    }

    /// The offset from UTC in a cell; 0 if the cell has none.
    pub fn offset_of(&self, cell: &[u8]) -> Option<i32> {
        Some(self.walk(cell, None)?.1)
    }

    #[inline]
    fn value(&self, civil: Civil, offset: i32) -> Option<i64> {
        let days = if self.kind == TimeKind::Time {
            0
        } else {
            i64::from(days_from_civil(civil.year, civil.month, civil.day)?)
        };
        if self.kind == TimeKind::Date {
            return Some(days);
        }
        let seconds = i64::from(seconds_of_day(civil.hour, civil.minute, civil.second)?);
        let seconds = days * DAY + seconds - i64::from(offset);
        let (per_second, nanos) = per_second(self.unit);
        seconds
            .checked_mul(per_second)?
            .checked_add(i64::from(civil.nanos) / nanos)
    }
}

impl OptionalFraction {
    /// The number of digits that a fraction has.
    #[inline]
    fn digits(self, nanos: u32) -> usize {
        /// Nanoseconds per unit of the last digit.
        const UNITS: [u32; 10] = {
            let mut units = [1; 10];
            let mut digits = 9;
            while digits > 0 {
                digits -= 1;
                units[digits] = 10 * units[digits + 1];
            }
            units
        };
        if nanos == 0 {
            return 0;
        }
        let is_exact = |digits: &usize| nanos.is_multiple_of(UNITS[*digits]);
        (self.step..9)
            .step_by(self.step)
            .find(is_exact)
            .unwrap_or(9)
    }
}

/// Units per second, and nanoseconds per unit.
pub fn per_second(unit: TimeUnit) -> (i64, i64) {
    match unit {
        TimeUnit::Second => (1, 1_000_000_000),
        TimeUnit::Millisecond => (1000, 1_000_000),
        TimeUnit::Microsecond => (1_000_000, 1000),
        TimeUnit::Nanosecond => (1_000_000_000, 1),
    }
}

/// 0 is Sunday; 1970-01-01 was a Thursday.
fn weekday_of(days: i32) -> u32 {
    (i64::from(days) + 4).rem_euclid(7) as u32
}

#[cfg(test)]
mod tests;
