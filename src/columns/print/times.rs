//! Dates, times, timestamps and durations, and their text.

use std::cell::Cell;
use std::sync::Arc;

use arrow_array::Array;
use arrow_schema::{DataType, TimeUnit};

use crate::columns::slots::slots;
use crate::schema::offset_of;
use crate::text::print::{is_plain, print_integer};
use crate::text::time::{Pattern, PrintedDay, TimeKind, per_second};

/// Dates, times or timestamps that print by a pattern.
#[derive(Debug)]
pub struct Times<'a> {
    slots: TimeSlots<'a>,
    unit: TimeUnit,
    pattern: Arc<Pattern>,
    /// The pattern of dates in milliseconds that are whole days, if they have their own.
    whole_days: Option<Box<Pattern>>,
    offset: i32,
    /// The day that was printed last by `pattern`.
    last: Cell<Option<PrintedDay>>,
}

#[derive(Debug)]
enum TimeSlots<'a> {
    Short(&'a [i32]),
    Long(&'a [i64]),
    /// Dates in milliseconds.
    Days(&'a [i64]),
}

const DAY_MILLIS: i64 = 86_400_000;

impl<'a> Times<'a> {
    pub(super) fn new(array: &'a dyn Array, pattern: &str) -> Option<Self> {
        let pattern = Pattern::compile(pattern)?;
        let (kind, slots, unit) = match array.data_type() {
            DataType::Date32 => (
                TimeKind::Date,
                TimeSlots::Short(slots(array)?),
                TimeUnit::Second,
            ),
            DataType::Date64 if pattern.kind() == TimeKind::Date => (
                TimeKind::Date,
                TimeSlots::Days(slots(array)?),
                TimeUnit::Second,
            ),
            DataType::Date64 => {
                let slots = TimeSlots::Long(slots(array)?);
                (TimeKind::Timestamp, slots, TimeUnit::Millisecond)
            }
            DataType::Time32(unit) => (TimeKind::Time, TimeSlots::Short(slots(array)?), *unit),
            DataType::Time64(unit) => (TimeKind::Time, TimeSlots::Long(slots(array)?), *unit),
            DataType::Timestamp(unit, _) => {
                (TimeKind::Timestamp, TimeSlots::Long(slots(array)?), *unit)
            }
            _ => return None,
        };
        if kind != pattern.kind() {
            return None;
        }
        let offset = if pattern.has_offset() {
            offset_of(array.data_type())
        } else {
            0
        };
        Some(Self {
            slots,
            unit,
            pattern: Arc::new(pattern.with_offset(offset)),
            whole_days: None,
            offset,
            last: Cell::default(),
        })
    }

    /// Dates in milliseconds: each prints as a date if it is a whole day, else with its time.
    pub(super) fn dates(array: &'a dyn Array) -> Option<Self> {
        let mut times = Self::new(array, "%Y-%m-%dT%H:%M:%S%.f")?;
        times.whole_days = Pattern::compile("%Y-%m-%d").map(Box::new);
        Some(times)
    }

    /// True if the text consists of plain bytes (see [`is_plain`]) and these, and is never empty.
    pub(crate) fn prints_only(&self, also: impl Fn(u8) -> bool) -> bool {
        std::iter::once(&*self.pattern)
            .chain(self.whole_days.as_deref())
            .flat_map(Pattern::literals)
            .all(|byte| is_plain(byte) || also(byte))
    }

    /// Days or units.
    #[inline]
    pub fn value(&self, row: usize) -> i64 {
        match self.slots {
            TimeSlots::Short(slots) => slots[row].into(),
            TimeSlots::Long(slots) => slots[row],
            TimeSlots::Days(slots) => slots[row].div_euclid(DAY_MILLIS),
        }
    }

    /// True for dates and timestamps, false for times of day.
    pub(super) fn has_day(&self) -> bool {
        self.pattern.kind() != TimeKind::Time
    }

    /// Nanoseconds since the epoch, or since midnight.
    #[inline]
    pub(super) fn nanos(&self, row: usize) -> i128 {
        let (value, nanos) = match self.slots {
            TimeSlots::Short(days) if self.has_day() => (days[row].into(), DAY_MILLIS * 1_000_000),
            TimeSlots::Short(slots) => (slots[row].into(), per_second(self.unit).1),
            TimeSlots::Long(slots) => (slots[row], per_second(self.unit).1),
            TimeSlots::Days(millis) => (millis[row], 1_000_000),
        };
        i128::from(value) * i128::from(nanos)
    }

    /// Seconds since the epoch, or since midnight.
    pub fn seconds(&self, row: usize) -> f64 {
        let value = self.value(row) as f64;
        match self.slots {
            TimeSlots::Short(_) | TimeSlots::Days(_) if self.pattern.kind() == TimeKind::Date => {
                value * (DAY_MILLIS / 1000) as f64
            }
            _ => value / per_second(self.unit).0 as f64,
        }
    }

    /// Appends the text of a value.
    #[inline]
    pub(crate) fn print(&self, row: usize, out: &mut Vec<u8>) {
        let value = self.value(row);
        match &self.whole_days {
            Some(pattern) if value % DAY_MILLIS == 0 => {
                pattern.print(value / DAY_MILLIS, self.unit, self.offset, out);
            }
            _ => {
                let mut last = self.last.get();
                self.pattern
                    .print_next(value, self.unit, self.offset, &mut last, out);
                self.last.set(last);
            }
        }
    }
}

pub(super) fn print_duration(value: i64, unit: TimeUnit, out: &mut Vec<u8>) {
    let (per_second, nanos) = per_second(unit);
    if value < 0 {
        out.push(b'-');
    }
    let magnitude = value.unsigned_abs();
    out.extend_from_slice(b"PT");
    print_integer(magnitude / per_second as u64, out);
    let fraction = magnitude % per_second as u64 * nanos as u64;
    if fraction > 0 {
        let digits = format!(".{fraction:09}");
        out.extend_from_slice(digits.trim_end_matches('0').as_bytes());
    }
    out.push(b'S');
}

pub(super) fn print_months(months: i32, out: &mut Vec<u8>) {
    if months < 0 {
        out.push(b'-');
    }
    out.push(b'P');
    print_integer(months.unsigned_abs(), out);
    out.push(b'M');
}
