//! Parses and prints dates and times in all common forms, by patterns.
//!
//! Patterns use the notation of C's `strftime`, with the additions of the `chrono` crate. Whatever a pattern parses,
//! it prints back exactly: numbers have exactly the digits it specifies, names exactly its letters, and a weekday is
//! that of the date. A cell that parses can therefore be stored as a value without its text.

use arrow_schema::TimeUnit;

use super::fixed::Fixed;
use super::{PAIRS, SECONDS_PER_DAY as DAY, civil_from_days, days_from_civil, seconds_of_day};
use crate::text::print::print_integer;

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
    /// 1 to 12, with [`Item::HalfDay`].
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
pub(super) enum Item {
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
    items: Vec<Item>,
    text: String,
    kind: TimeKind,
    unit: TimeUnit,
    fixed: Option<Fixed>,
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

/// The range of days that [`civil_from_days`] supports.
const CALENDAR: std::ops::RangeInclusive<i32> = -106_751_992..=106_751_991;

/// The longest pattern accepted; real ones are shorter.
const MOST_ITEMS: usize = 64;

impl Pattern {
    /// Compiles a pattern; `None` if it has an unknown or repeated field, or too few fields for a date or a time.
    pub fn compile(text: &str) -> Option<Self> {
        let mut items = Vec::new();
        let mut rest = text.as_bytes();
        while let [first, tail @ ..] = rest {
            let (item, len) = match (first, tail) {
                // The point belongs to the fraction, as in chrono.
                (b'%', [b'.', b'1'..=b'9', b'f', ..]) => {
                    items.push(Item::Literal(b'.'));
                    rest = &rest[1..];
                    (Item::Fraction(tail[1] - b'0'), 2)
                }
                (b'%', _) => item(tail)?,
                _ => (Item::Literal(*first), 0),
            };
            rest = &rest[1 + len..];
            items.push(item);
        }
        let count = |test: fn(&Item) -> bool| items.iter().filter(|item| test(item)).count();
        let number = |wanted: Unit| {
            let is_wanted =
                |item: &&Item| matches!(item, Item::Number { unit, .. } if *unit == wanted);
            items.iter().filter(is_wanted).count()
        };
        let years = count(|item| matches!(item, Item::Year));
        let months = number(Unit::Month) + count(|item| matches!(item, Item::Month { .. }));
        let weekdays = count(|item| matches!(item, Item::Weekday { .. }));
        let date = match (years, months, number(Unit::Day), weekdays) {
            (1, 1, 1, 0 | 1) => true,
            (0, 0, 0, 0) => false,
            _ => return None,
        };
        let halves = count(|item| matches!(item, Item::HalfDay));
        let fractions = count(|item| matches!(item, Item::Fraction(_) | Item::AutoFraction));
        let time = match (
            number(Unit::Hour),
            number(Unit::Hour12),
            halves,
            number(Unit::Minute),
            number(Unit::Second),
            fractions,
        ) {
            (1, 0, 0, 1, 0, 0)
            | (0, 1, 1, 1, 0, 0)
            | (1, 0, 0, 1, 1, 0 | 1)
            | (0, 1, 1, 1, 1, 0 | 1) => true,
            (0, 0, 0, 0, 0, 0) => false,
            _ => return None,
        };
        let offsets = count(|item| matches!(item, Item::Offset(_)));
        let kind = match (date, time) {
            (true, true) if offsets <= 1 => TimeKind::Timestamp,
            (true, false) if offsets == 0 => TimeKind::Date,
            (false, true) if offsets == 0 => TimeKind::Time,
            _ => return None,
        };
        let digits = items.iter().find_map(|item| match item {
            Item::Fraction(digits) => Some(*digits),
            Item::AutoFraction => Some(6),
            _ => None,
        });
        if items.len() > MOST_ITEMS {
            return None;
        }
        Some(Self {
            fixed: Fixed::new(&items),
            text: text.to_owned(),
            kind,
            unit: match digits.unwrap_or(0) {
                0 => TimeUnit::Second,
                1..=3 => TimeUnit::Millisecond,
                4..=6 => TimeUnit::Microsecond,
                _ => TimeUnit::Nanosecond,
            },
            items,
        })
    }

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

    /// True if the text contains the offset from UTC.
    pub fn has_offset(&self) -> bool {
        self.items
            .iter()
            .any(|item| matches!(item, Item::Offset(_)))
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
        let civil = match &self.fixed {
            Some(fixed) => fixed.read(cell)?,
            None => self.walk(cell, Some(offset))?.0,
        };
        self.value(civil, offset)
    }

    /// The offset from UTC in a cell; 0 if the cell has none.
    pub fn offset_of(&self, cell: &[u8]) -> Option<i32> {
        Some(self.walk(cell, None)?.1)
    }

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

    /// Parses item by item; the offset must be the given one.
    fn walk(&self, cell: &[u8], offset: Option<i32>) -> Option<(Civil, i32)> {
        let mut civil = Civil::default();
        let mut rest = cell;
        let mut afternoon = None;
        let mut found = 0;
        let mut weekday = None;
        for item in &self.items {
            match *item {
                Item::Literal(byte) => {
                    let (first, tail) = rest.split_first()?;
                    if *first != byte {
                        return None;
                    }
                    rest = tail;
                }
                Item::Year => civil.year = digits(&mut rest, 4)? as i32,
                Item::Number { unit, padded } => {
                    let value = if padded {
                        digits(&mut rest, 2)?
                    } else {
                        let more = rest.get(1).is_some_and(u8::is_ascii_digit);
                        let value = digits(&mut rest, 1 + usize::from(more))?;
                        if more && value < 10 {
                            return None;
                        }
                        value
                    };
                    match unit {
                        Unit::Month => civil.month = value,
                        Unit::Day => civil.day = value,
                        Unit::Minute => civil.minute = value,
                        Unit::Second => civil.second = value,
                        Unit::Hour => civil.hour = value,
                        Unit::Hour12 if (1..=12).contains(&value) => civil.hour = value % 12,
                        Unit::Hour12 => return None,
                    }
                }
                Item::Fraction(count) => {
                    let value = digits(&mut rest, count.into())?;
                    civil.nanos = value * 10u32.pow(9 - u32::from(count));
                }
                Item::AutoFraction => {
                    if let [b'.', tail @ ..] = rest {
                        rest = tail;
                        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                        // Nine digits would not fit in the unit.
                        if count != 3 && count != 6 {
                            return None;
                        }
                        let value = digits(&mut rest, count)?;
                        civil.nanos = value * 10u32.pow(9 - count as u32);
                        if value == 0 || (count == 6 && value.is_multiple_of(1000)) {
                            return None;
                        }
                    }
                }
                Item::Month { full } => civil.month = 1 + name(&mut rest, &MONTHS, full)?,
                Item::Weekday { full } => weekday = Some(name(&mut rest, &WEEKDAYS, full)?),
                Item::HalfDay => {
                    let (half, tail) = rest.split_first_chunk::<2>()?;
                    afternoon = Some(match half {
                        b"AM" => 0,
                        b"PM" => 12,
                        _ => return None,
                    });
                    rest = tail;
                }
                Item::Offset(style) => {
                    found = read_offset(&mut rest, style)?;
                    if offset.is_some_and(|offset| offset != found) {
                        return None;
                    }
                }
            }
        }
        if !rest.is_empty() {
            return None;
        }
        civil.hour += afternoon.unwrap_or(0);
        if let Some(weekday) = weekday
            && weekday != weekday_of(days_from_civil(civil.year, civil.month, civil.day)?)
        {
            return None;
        }
        Some((civil, found))
    }

    /// Appends a value of the given unit (days for a date), in a time zone `offset` seconds ahead of UTC.
    ///
    /// A value outside the calendar is printed as its number.
    pub fn print(&self, value: i64, unit: TimeUnit, offset: i32, out: &mut Vec<u8>) {
        let (seconds, nanos) = if self.kind == TimeKind::Date {
            (value.checked_mul(DAY), 0)
        } else {
            let (per_second, nanos) = per_second(unit);
            let seconds = value.div_euclid(per_second).checked_add(i64::from(offset));
            (seconds, value.rem_euclid(per_second) * nanos)
        };
        let days = seconds.and_then(|seconds| i32::try_from(seconds.div_euclid(DAY)).ok());
        let date = days.filter(|days| CALENDAR.contains(days));
        let date = date.map(|days| (days, civil_from_days(days)));
        let (Some(seconds), Some((days, (year, month, day)))) = (seconds, date) else {
            return print_integer(value, out);
        };
        let second = seconds.rem_euclid(DAY) as u32;
        let civil = Civil {
            year,
            month,
            day,
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
            nanos: nanos as u32,
        };
        if let Some(fixed) = &self.fixed
            && fixed.print(&civil, out)
        {
            return;
        }
        for item in &self.items {
            print_item(*item, &civil, days, offset, out);
        }
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

fn print_item(item: Item, civil: &Civil, days: i32, offset: i32, out: &mut Vec<u8>) {
    match item {
        Item::Literal(byte) => out.push(byte),
        Item::Year => print_year(civil.year, out),
        Item::Number { unit, padded } => {
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
        Item::Fraction(count) => print_fraction(civil.nanos, count.into(), out),
        Item::AutoFraction if civil.nanos == 0 => {}
        Item::AutoFraction => {
            out.push(b'.');
            let count = match civil.nanos {
                nanos if nanos.is_multiple_of(1_000_000) => 3,
                nanos if nanos.is_multiple_of(1000) => 6,
                _ => 9,
            };
            print_fraction(civil.nanos, count, out);
        }
        Item::Month { full } => {
            let month = MONTHS[(civil.month as usize + 11) % 12];
            out.extend_from_slice(if full { month } else { &month[..3] }.as_bytes());
        }
        Item::Weekday { full } => {
            let weekday = WEEKDAYS[weekday_of(days) as usize];
            out.extend_from_slice(if full { weekday } else { &weekday[..3] }.as_bytes());
        }
        Item::HalfDay => out.extend_from_slice(if civil.hour < 12 { b"AM" } else { b"PM" }),
        Item::Offset(style) => {
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

/// 0 is Sunday; 1970-01-01 was a Thursday.
fn weekday_of(days: i32) -> u32 {
    (i64::from(days) + 4).rem_euclid(7) as u32
}

fn digits(rest: &mut &[u8], count: usize) -> Option<u32> {
    let (digits, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    let mut value = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u32::from(digit);
    }
    Some(value)
}

/// The index of the name that comes next.
fn name(rest: &mut &[u8], names: &[&str], full: bool) -> Option<u32> {
    let spelled = |name: &&str| if full { name.len() } else { 3 };
    let place = names
        .iter()
        .position(|name| rest.starts_with(&name.as_bytes()[..spelled(name)]))?;
    *rest = &rest[spelled(&names[place])..];
    Some(place as u32)
}

fn read_offset(rest: &mut &[u8], style: OffsetStyle) -> Option<i32> {
    let (sign, tail) = rest.split_first()?;
    *rest = tail;
    let hours = digits(rest, 2)?;
    if style == OffsetStyle::Colon {
        *rest = rest.strip_prefix(b":")?;
    }
    let minutes = match style {
        OffsetStyle::Hours => 0,
        OffsetStyle::Compact | OffsetStyle::Colon => digits(rest, 2)?,
    };
    let seconds = seconds_of_day(hours, minutes, 0)? as i32;
    match sign {
        b'+' => Some(seconds),
        b'-' if seconds > 0 => Some(-seconds),
        _ => None,
    }
}

/// The item that follows a percent sign, and how many bytes it takes.
fn item(text: &[u8]) -> Option<(Item, usize)> {
    let number = |unit, padded| Item::Number { unit, padded };
    let unit = |letter| {
        Some(match letter {
            b'm' => Unit::Month,
            b'd' => Unit::Day,
            b'H' => Unit::Hour,
            b'I' => Unit::Hour12,
            b'M' => Unit::Minute,
            b'S' => Unit::Second,
            _ => return None,
        })
    };
    Some(match text {
        [b'%', ..] => (Item::Literal(b'%'), 1),
        [b'Y', ..] => (Item::Year, 1),
        [b'b', ..] => (Item::Month { full: false }, 1),
        [b'B', ..] => (Item::Month { full: true }, 1),
        [b'a', ..] => (Item::Weekday { full: false }, 1),
        [b'A', ..] => (Item::Weekday { full: true }, 1),
        [b'p', ..] => (Item::HalfDay, 1),
        [b'z', ..] => (Item::Offset(OffsetStyle::Compact), 1),
        [b':', b'z', ..] => (Item::Offset(OffsetStyle::Colon), 2),
        [b'#', b'z', ..] => (Item::Offset(OffsetStyle::Hours), 2),
        [b'.', b'f', ..] => (Item::AutoFraction, 2),
        [digits @ b'1'..=b'9', b'f', ..] => (Item::Fraction(digits - b'0'), 2),
        [b'-', letter, ..] => (number(unit(*letter)?, false), 2),
        [letter, ..] => (number(unit(*letter)?, true), 1),
        [] => return None,
    })
}

#[cfg(test)]
mod tests;
