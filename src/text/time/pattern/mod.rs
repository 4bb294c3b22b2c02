//! Parses and prints dates and times in all common forms, by patterns.
//!
//! Patterns use the notation of C's `strftime`, with the additions of the `chrono` crate. Whatever a pattern parses,
//! it prints back exactly: numbers have exactly the digits it specifies, names exactly its letters, and a weekday is
//! that of the date. A cell that parses can therefore be stored as a value without its text.

mod compile;
mod print;
mod read;

use arrow_schema::TimeUnit;

pub use print::PrintedDay;

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
    /// Nothing if zero, else a point and 3, 6 or 9 digits.
    AutoFraction,
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
    has_auto_fraction: bool,
    /// The layouts, if all fields have a fixed width. With [`PatternItem::AutoFraction`], the first is for values
    /// without a fraction, and the others are for 3 and 6 digits; otherwise there is only the first.
    layouts: [Option<Fixed>; 3],
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
        let layout = if first.len() == cell.len() {
            first
        } else {
            let mut longer = self.layouts[1..].iter().flatten();
            longer.find(|layout| layout.len() == cell.len())?
        };
        let civil = layout.read(cell)?;
        // The fraction may be printed with fewer digits.
        if self.has_auto_fraction && self.layout_of(civil.nanos)?.len() != cell.len() {
            return None;
        }
        self.value(civil, offset)
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

    /// True if the layouts are those of text with this offset.
    #[inline]
    fn is_laid_out(&self, offset: i32) -> bool {
        self.offset.is_none_or(|laid_out| laid_out == offset)
    }

    /// The layout of a value with this fraction of a second.
    #[inline]
    fn layout_of(&self, nanos: u32) -> Option<&Fixed> {
        self.layouts[self.layout_place(nanos)?].as_ref()
    }

    #[inline]
    fn layout_place(&self, nanos: u32) -> Option<usize> {
        match nanos {
            0 => Some(0),
            _ if !self.has_auto_fraction => Some(0),
            nanos if nanos.is_multiple_of(1_000_000) => Some(1),
            nanos if nanos.is_multiple_of(1000) => Some(2),
            _ => None,
        }
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
