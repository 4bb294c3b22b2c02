//! Parses cells item by item.

use super::{Civil, MONTHS, OffsetStyle, Pattern, PatternItem, Unit, WEEKDAYS, weekday_of};
use crate::text::time::{days_from_civil, seconds_of_day};

impl Pattern {
    /// Parses item by item; the offset must be the given one.
    pub(super) fn walk(&self, cell: &[u8], offset: Option<i32>) -> Option<(Civil, i32)> {
        let mut civil = Civil::default();
        let mut rest = cell;
        let mut afternoon = None;
        let mut found = 0;
        let mut weekday = None;
        for item in &self.items {
            match *item {
                PatternItem::Literal(byte) => {
                    let (first, tail) = rest.split_first()?;
                    if *first != byte {
                        return None;
                    }
                    rest = tail;
                }
                PatternItem::Year => civil.year = digits(&mut rest, 4)? as i32,
                PatternItem::Number { unit, padded } => {
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
                PatternItem::Fraction(count) => {
                    let value = digits(&mut rest, count.into())?;
                    civil.nanos = value * 10u32.pow(9 - u32::from(count));
                }
                PatternItem::Optional(fraction) => {
                    if let [b'.', tail @ ..] = rest {
                        rest = tail;
                        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                        // More digits would not fit in the unit.
                        if count > fraction.most {
                            return None;
                        }
                        civil.nanos = digits(&mut rest, count)? * 10u32.pow(9 - count as u32);
                        let is_exact = fraction.digits(civil.nanos) == count;
                        if count == 0 || !(is_exact || self.is_loose) {
                            return None;
                        }
                    }
                }
                PatternItem::Month { full } => civil.month = 1 + name(&mut rest, &MONTHS, full)?,
                PatternItem::Weekday { full } => weekday = Some(name(&mut rest, &WEEKDAYS, full)?),
                PatternItem::HalfDay => {
                    let (half, tail) = rest.split_first_chunk::<2>()?;
                    afternoon = Some(match half {
                        b"AM" => 0,
                        b"PM" => 12,
                        _ => return None,
                    });
                    rest = tail;
                }
                PatternItem::Offset(style) => {
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
}

/// Reads exactly `count` digits; if there are fewer, `rest` stays the same.
pub fn digits(rest: &mut &[u8], count: usize) -> Option<u32> {
    let (digits, tail) = rest.split_at_checked(count)?;
    let mut value = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u32::from(digit);
    }
    *rest = tail;
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
