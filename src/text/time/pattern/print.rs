//! Prints values item by item.

use arrow_schema::TimeUnit;

use super::super::fixed::DateText;
use super::{
    Civil, MONTHS, OffsetStyle, Pattern, PatternItem, TimeKind, Unit, WEEKDAYS, weekday_of,
};
use crate::text::print::print_integer;
use crate::text::time::{PAIRS, SECONDS_PER_DAY as DAY, civil_from_days};

/// The range of days that [`civil_from_days`] supports.
const CALENDAR: std::ops::RangeInclusive<i32> = -106_751_992..=106_751_991;

/// The day that was printed last by a pattern, because the next value is often on the same day.
#[derive(Clone, Copy, Debug)]
pub struct PrintedDay {
    /// The seconds before it.
    start: i64,
    layout: usize,
    text: DateText,
}

impl Pattern {
    /// Appends a value of the given unit (days for a date), in a time zone `offset` seconds ahead of UTC.
    ///
    /// A value outside the calendar is printed as its number.
    pub fn print(&self, value: i64, unit: TimeUnit, offset: i32, out: &mut Vec<u8>) {
        self.print_next(value, unit, offset, &mut None, out);
    }

    /// Like [`Self::print`]; `last` is from the previous value of the same pattern.
    #[inline]
    pub fn print_next(
        &self,
        value: i64,
        unit: TimeUnit,
        offset: i32,
        last: &mut Option<PrintedDay>,
        out: &mut Vec<u8>,
    ) {
        let (seconds, nanos) = if self.kind == TimeKind::Date {
            (value.checked_mul(DAY), 0)
        } else {
            let (seconds, nanos) = seconds_of(value, unit);
            (seconds.checked_add(i64::from(offset)), nanos as u32)
        };
        if let (Some(day), Some(seconds)) = (&*last, seconds)
            && let second = seconds.wrapping_sub(day.start)
            && (0..DAY).contains(&second)
            && self.layout_place(nanos) == day.layout
            && let Some(fixed) = &self.layouts[day.layout]
        {
            return fixed.print(&day.text, second as u32, nanos, out);
        }
        *last = self.print_first(value, seconds, nanos, offset, out);
    }

    /// Prints a value on any day, and returns the day if values on it print in a fixed layout.
    fn print_first(
        &self,
        value: i64,
        seconds: Option<i64>,
        nanos: u32,
        offset: i32,
        out: &mut Vec<u8>,
    ) -> Option<PrintedDay> {
        let days = seconds.and_then(|seconds| i32::try_from(seconds.div_euclid(DAY)).ok());
        let date = days
            .filter(|days| CALENDAR.contains(days))
            .map(|days| (days, civil_from_days(days)));
        let (Some(seconds), Some((days, (year, month, day)))) = (seconds, date) else {
            print_integer(value, out);
            return None;
        };
        let second = seconds.rem_euclid(DAY) as u32;
        if self.is_laid_out(offset)
            && let layout = self.layout_place(nanos)
            && let Some(Some(fixed)) = self.layouts.get(layout)
            && let Some(text) = fixed.date(year, month, day)
        {
            fixed.print(&text, second, nanos, out);
            return Some(PrintedDay {
                start: seconds - i64::from(second),
                layout,
                text,
            });
        }
        let civil = Civil {
            year,
            month,
            day,
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
            nanos,
        };
        for item in &self.items {
            print_item(*item, &civil, days, offset, out);
        }
        None
    }
}

/// Whole seconds, and the rest in nanoseconds. Division by a constant is a multiplication.
#[inline]
fn seconds_of(value: i64, unit: TimeUnit) -> (i64, i64) {
    match unit {
        TimeUnit::Second => (value, 0),
        TimeUnit::Millisecond => (value.div_euclid(1000), value.rem_euclid(1000) * 1_000_000),
        TimeUnit::Microsecond => (
            value.div_euclid(1_000_000),
            value.rem_euclid(1_000_000) * 1000,
        ),
        TimeUnit::Nanosecond => (
            value.div_euclid(1_000_000_000),
            value.rem_euclid(1_000_000_000),
        ),
    }
}

fn print_item(item: PatternItem, civil: &Civil, days: i32, offset: i32, out: &mut Vec<u8>) {
    match item {
        PatternItem::Literal(byte) => out.push(byte),
        PatternItem::Year => print_year(civil.year, out),
        PatternItem::Number { unit, padded } => {
            let value = match unit {
                Unit::Month => civil.month,
                Unit::Day => civil.day,
                Unit::Hour => civil.hour,
                Unit::Hour12 => (civil.hour + 11) % 12 + 1,
                Unit::Minute => civil.minute,
                Unit::Second => civil.second,
            };
            let digits = PAIRS[value as usize % 100];
            out.extend_from_slice(&digits[usize::from(!padded && value < 10)..]);
        }
        PatternItem::Fraction(count) => print_fraction(civil.nanos, count.into(), out),
        PatternItem::Optional(_) if civil.nanos == 0 => {}
        PatternItem::Optional(fraction) => {
            out.push(b'.');
            print_fraction(civil.nanos, fraction.digits(civil.nanos), out);
        }
        PatternItem::Month { full } => {
            let month = MONTHS[(civil.month as usize + 11) % 12];
            out.extend_from_slice(if full { month } else { &month[..3] }.as_bytes());
        }
        PatternItem::Weekday { full } => {
            let weekday = WEEKDAYS[weekday_of(days) as usize];
            out.extend_from_slice(if full { weekday } else { &weekday[..3] }.as_bytes());
        }
        PatternItem::HalfDay => out.extend_from_slice(if civil.hour < 12 { b"AM" } else { b"PM" }),
        PatternItem::Offset(style) => print_offset(style, offset, out),
    }
}

pub(super) fn print_offset(style: OffsetStyle, offset: i32, out: &mut Vec<u8>) {
    out.push(if offset < 0 { b'-' } else { b'+' });
    let minutes = offset.unsigned_abs() / 60;
    out.extend_from_slice(&PAIRS[(minutes / 60 % 100) as usize]);
    if style == OffsetStyle::Colon {
        out.push(b':');
    }
    if style != OffsetStyle::Hours {
        out.extend_from_slice(&PAIRS[(minutes % 60) as usize]);
    }
}

fn print_year(year: i32, out: &mut Vec<u8>) {
    let magnitude = year.unsigned_abs();
    if !(0..=9999).contains(&year) {
        out.push(if year < 0 { b'-' } else { b'+' });
        out.extend_from_slice(&PAIRS[(magnitude / 10_000 % 100) as usize]);
    }
    out.extend_from_slice(&PAIRS[(magnitude / 100 % 100) as usize]);
    out.extend_from_slice(&PAIRS[(magnitude % 100) as usize]);
}

fn print_fraction(nanos: u32, count: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 9];
    let mut rest = nanos;
    for digit in digits.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits[..count.min(9)]);
}
