//! Civil time and its RFC 3339 spelling.
//!
//! Timestamps are microseconds since 1970-01-01T00:00:00Z in an `i64`, which covers the years -290308 to 294247 of the
//! proleptic Gregorian calendar, more than date libraries cover. Calendar arithmetic follows Neri and Schneider,
//! "Euclidean affine functions and their application to calendar algorithms" (2022), shifted so that the whole range
//! stays positive in `u32`.

mod fixed;
mod guess;
mod pattern;

use std::sync::LazyLock;

use arrow_schema::TimeUnit;

use crate::schema::parse_offset;
pub use guess::{guess, may_begin_time};
use pattern::digits;
pub use pattern::{ANY_FRACTION, Pattern, PrintedDay, TimeKind, per_second};

/// The default pattern of timestamps in UTC.
#[expect(clippy::expect_used, reason = "see its text")]
static UTC: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::compile("%Y-%m-%dT%H:%M:%S%.fZ").expect("a valid pattern"));

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// Years added to make all dates positive: 800 Gregorian cycles.
const SHIFT_YEARS: i32 = 800 * 400;
/// Days from the shifted 0000-03-01 to 1970-01-01.
const SHIFT_DAYS: i32 = 800 * 146_097 + 719_468;
/// The first and the last year of an `i64` of microseconds.
const FIRST_YEAR: i32 = -290_308;
const LAST_YEAR: i32 = 294_247;

/// `00` to `99`.
pub(super) const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

/// Parses an ISO 8601 / RFC 3339 date-time with zone as microseconds since the epoch.
///
/// Date and time are separated by `T`, `t` or one space; seconds are optional; a fraction has 1 to 6 digits, or up
/// to 9 if those beyond microseconds are zero; the zone is `Z`, `z`, `±HH:MM`, `±HHMM` or `±HH`. Years outside 0000
/// to 9999 have a sign and 5 or 6 digits. Returns `None` for anything else, for dates and times that do not exist
/// (including leap seconds and `24:00`), and for instants out of range.
pub fn parse_timestamp(text: &[u8]) -> Option<i64> {
    short_years(text).or_else(|| parse_any_form(text))
}

/// Appends the RFC 3339 spelling in UTC.
///
/// The fraction is omitted if zero, and has 3 digits if that is exact, else 6. Years outside 0000 to 9999 have a sign
/// and 6 digits. [`parse_timestamp`] restores the same value.
pub fn print_timestamp(micros: i64, out: &mut Vec<u8>) {
    UTC.print(micros, TimeUnit::Microsecond, 0, out);
}

/// Parses exactly what [`print_timestamp`] prints.
pub fn parse_canonical_timestamp(text: &[u8]) -> Option<i64> {
    let prints_back = |&micros: &i64| {
        let mut printed = Vec::new();
        print_timestamp(micros, &mut printed);
        printed == text
    };
    short_years(text).or_else(|| parse_any_form(text).filter(prints_back))
}

/// Parses exactly what [`print_timestamp`] prints for years of four digits.
#[inline]
fn short_years(text: &[u8]) -> Option<i64> {
    match text.try_into() {
        Ok(text) => parse_seconds_in_utc(text),
        Err(_) => UTC.read(text, 0),
    }
}

/// Parses exactly `YYYY-MM-DDTHH:MM:SSZ`, eight bytes at a time.
fn parse_seconds_in_utc(text: &[u8; 20]) -> Option<i64> {
    const FORM: &[u8; 20] = b"0000-00-00T00:00:00Z";

    let (date, rest) = text.split_first_chunk::<8>()?;
    let (time, rest) = rest.split_first_chunk::<8>()?;
    let seconds = <&[u8; 4]>::try_from(rest).ok()?;
    let (date_form, rest) = FORM.split_first_chunk::<8>()?;
    let (time_form, rest) = rest.split_first_chunk::<8>()?;
    let seconds_form = <&[u8; 4]>::try_from(rest).ok()?;

    // Digits become 0 to 9, correct separators 0.
    let date = u64::from_le_bytes(*date) ^ u64::from_le_bytes(*date_form);
    let time = u64::from_le_bytes(*time) ^ u64::from_le_bytes(*time_form);
    let seconds = u32::from_le_bytes(*seconds) ^ u32::from_le_bytes(*seconds_form);

    // Adding 0x76 sets the top bit of a byte above 9, adding 0x7f that of a byte above 0. A byte
    // that carries into the next one had its own top bit set, which is what `| date` sees.
    let high = (date.wrapping_add(0x7f76_767f_7676_7676) | date)
        | (time.wrapping_add(0x7676_7f76_767f_7676) | time)
        | u64::from(seconds.wrapping_add(0x7f76_767f) | seconds);
    if high & 0x8080_8080_8080_8080 != 0 {
        return None;
    }

    // Each byte becomes ten times itself plus its right neighbor: at most 99, so without carry.
    let date = (date.wrapping_mul(10) + (date >> 8)).to_le_bytes();
    let time = (time.wrapping_mul(10) + (time >> 8)).to_le_bytes();
    let second = (seconds.wrapping_mul(10) + (seconds >> 8)).to_le_bytes()[1];
    let days = days_from_civil(
        i32::from(date[0]) * 100 + i32::from(date[2]),
        u32::from(date[5]),
        u32::from(time[0]),
    )?;
    let seconds = seconds_of_day(time[3].into(), time[6].into(), second.into())?;
    Some((i64::from(days) * SECONDS_PER_DAY + i64::from(seconds)) * MICROS_PER_SECOND)
}

/// Parses any accepted form.
fn parse_any_form(text: &[u8]) -> Option<i64> {
    let mut rest = text;
    let year = year(&mut rest)?;
    literal(&mut rest, b"-")?;
    let month = digits(&mut rest, 2)?;
    literal(&mut rest, b"-")?;
    let day = digits(&mut rest, 2)?;
    literal(&mut rest, b"Tt ")?;
    let hour = digits(&mut rest, 2)?;
    literal(&mut rest, b":")?;
    let minute = digits(&mut rest, 2)?;
    let mut second = 0;
    let mut fraction = 0;
    if literal(&mut rest, b":").is_some() {
        second = digits(&mut rest, 2)?;
        if literal(&mut rest, b".").is_some() {
            fraction = micros_of_fraction(&mut rest)?;
        }
    }
    let offset = match rest {
        b"Z" | b"z" => 0,
        _ => parse_offset(rest)?,
    };
    let days = days_from_civil(year, month, day)?;
    let seconds = i64::from(days) * SECONDS_PER_DAY
        + i64::from(seconds_of_day(hour, minute, second)?)
        - i64::from(offset);
    // The first second of the range starts before its first microsecond.
    let micros = i128::from(seconds) * i128::from(MICROS_PER_SECOND) + i128::from(fraction);
    micros.try_into().ok()
}

fn literal(rest: &mut &[u8], any_of: &[u8]) -> Option<u8> {
    let (&first, tail) = rest.split_first()?;
    any_of.contains(&first).then(|| {
        *rest = tail;
        first
    })
}

/// Four digits, or a sign and 5 or 6; the year before 1 is `0000`, never `-000000`.
fn year(rest: &mut &[u8]) -> Option<i32> {
    let sign = literal(rest, b"+-");
    let mut year = digits(rest, 4)?;
    if sign.is_some() {
        year = year * 10 + digits(rest, 1)?;
        if let Some(sixth) = digits(rest, 1) {
            year = year * 10 + sixth;
        }
    }
    match (sign, year as i32) {
        (Some(b'-'), 0) => None,
        (Some(b'-'), year) => Some(-year),
        (_, year) => Some(year),
    }
}

/// One to nine digits as microseconds; `None` if nanoseconds would be lost.
fn micros_of_fraction(rest: &mut &[u8]) -> Option<u32> {
    let mut nanos = digits(rest, 1)?;
    for _ in 1..9 {
        nanos = nanos * 10 + digits(rest, 1).unwrap_or(0);
    }
    (nanos % 1000 == 0).then_some(nanos / 1000)
}

fn seconds_of_day(hour: u32, minute: u32, second: u32) -> Option<u32> {
    (hour < 24 && minute < 60 && second < 60).then_some(hour * 3600 + minute * 60 + second)
}

/// Days since 1970-01-01, or `None` if the day does not exist or the year is out of range.
#[inline]
fn days_from_civil(year: i32, month: u32, day: u32) -> Option<i32> {
    /// Days per month, by number; months 0 and 13 to 15 do not exist.
    const DAYS: [u8; 16] = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0, 0, 0];

    if !(FIRST_YEAR..=LAST_YEAR).contains(&year) || month > 12 {
        return None;
    }
    let days = u32::from(DAYS[(month & 15) as usize]);
    if day.wrapping_sub(1) >= days || (month == 2 && day == 29 && !is_leap(year)) {
        return None;
    }
    // The year starts in March, so the leap day comes last.
    let before_march = month <= 2;
    let year = (year + SHIFT_YEARS) as u32 - u32::from(before_march);
    let month = if before_march { month + 12 } else { month };
    let century = year / 100;
    let days = 1461 * year / 4 - century + century / 4 + (979 * month - 2919) / 32 + day - 1;
    Some(days as i32 - SHIFT_DAYS)
}

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil_from_days(days: i32) -> (i32, u32, u32) {
    let quarters = 4 * (days + SHIFT_DAYS) as u32 + 3;
    let century = quarters / 146_097;
    let quarters = (quarters % 146_097) | 3;
    // One multiplication gives both the year of the century and the day of the year.
    let product = 2_939_745 * u64::from(quarters);
    let year = 100 * century + (product >> 32) as u32;
    let day_of_year = product as u32 / 2_939_745 / 4;
    let month_and_day = 2141 * day_of_year + 197_913;
    let month = month_and_day >> 16;
    let day = (month_and_day & 0xffff) / 2141 + 1;
    let next_year = day_of_year >= 306;
    (
        year as i32 - SHIFT_YEARS + i32::from(next_year),
        if next_year { month - 12 } else { month },
        day,
    )
}

#[cfg(test)]
mod tests;
