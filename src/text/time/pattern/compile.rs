//! Compiles patterns.

use std::slice;

use arrow_schema::TimeUnit;

use super::print::print_offset;
use super::{OffsetStyle, OptionalFraction, Pattern, PatternItem, TimeKind, Unit};
use crate::text::time::fixed::Fixed;

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
                    items.push(PatternItem::Literal(b'.'));
                    rest = &rest[1..];
                    (PatternItem::Fraction(tail[1] - b'0'), 2)
                }
                (b'%', _) => item(tail)?,
                _ => (PatternItem::Literal(*first), 0),
            };
            rest = &rest[1 + len..];
            items.push(item);
        }
        let count = |test: fn(&PatternItem) -> bool| items.iter().filter(|item| test(item)).count();
        let number = |wanted: Unit| {
            let is_wanted = |item: &&PatternItem| matches!(item, PatternItem::Number { unit, .. } if *unit == wanted);
            items.iter().filter(is_wanted).count()
        };
        let years = count(|item| matches!(item, PatternItem::Year));
        let months = number(Unit::Month) + count(|item| matches!(item, PatternItem::Month { .. }));
        let weekdays = count(|item| matches!(item, PatternItem::Weekday { .. }));
        let date = match (years, months, number(Unit::Day), weekdays) {
            (1, 1, 1, 0 | 1) => true,
            (0, 0, 0, 0) => false,
            _ => return None,
        };
        let halves = count(|item| matches!(item, PatternItem::HalfDay));
        let fractions =
            count(|item| matches!(item, PatternItem::Fraction(_) | PatternItem::Optional(_)));
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
        let offsets = count(|item| matches!(item, PatternItem::Offset(_)));
        let kind = match (date, time) {
            (true, true) if offsets <= 1 => TimeKind::Timestamp,
            (true, false) if offsets == 0 => TimeKind::Date,
            (false, true) if offsets == 0 => TimeKind::Time,
            _ => return None,
        };
        let optional = items.iter().find_map(|item| match item {
            PatternItem::Optional(fraction) => Some(*fraction),
            _ => None,
        });
        let digits = items.iter().find_map(|item| match item {
            PatternItem::Fraction(digits) => Some(usize::from(*digits)),
            PatternItem::Optional(fraction) => Some(fraction.most),
            _ => None,
        });
        if items.len() > MOST_ITEMS {
            return None;
        }
        let pattern = Self {
            layouts: Vec::new(),
            // The most frequent offset.
            offset: (offsets > 0).then_some(0),
            optional,
            is_loose: false,
            text: text.to_owned(),
            kind,
            unit: match digits.unwrap_or(0) {
                0 => TimeUnit::Second,
                1..=3 => TimeUnit::Millisecond,
                4..=6 => TimeUnit::Microsecond,
                _ => TimeUnit::Nanosecond,
            },
            items,
        };
        Some(Self {
            layouts: pattern.layouts(),
            ..pattern
        })
    }

    /// The layouts of text with its offset.
    pub(super) fn layouts(&self) -> Vec<Option<Fixed>> {
        let mut items = Vec::with_capacity(MOST_ITEMS);
        for item in &self.items {
            match (item, self.offset) {
                (PatternItem::Offset(style), Some(offset)) => {
                    let mut text = Vec::new();
                    print_offset(*style, offset, &mut text);
                    items.extend(text.into_iter().map(PatternItem::Literal));
                }
                (item, _) => items.push(*item),
            }
        }
        let (step, most) = self.optional.map_or((1, 0), |it| (it.step, it.most));
        let layout = |digits| {
            let fraction = [
                PatternItem::Literal(b'.'),
                PatternItem::Fraction(digits as u8),
            ];
            let items = items.iter().flat_map(|item| match item {
                PatternItem::Optional(_) if digits == 0 => &[],
                PatternItem::Optional(_) => &fraction[..],
                item => slice::from_ref(item),
            });
            Fixed::new(items.copied())
        };
        (0..=most).step_by(step).map(layout).collect()
    }
}

/// The item that follows a percent sign, and how many bytes it takes.
fn item(text: &[u8]) -> Option<(PatternItem, usize)> {
    let number = |unit, padded| PatternItem::Number { unit, padded };
    let optional = |step: u8, most: u8| {
        let [step, most] = [step, most].map(|digit| usize::from(digit - b'0'));
        let is_multiple = most.is_multiple_of(step);
        is_multiple.then_some(PatternItem::Optional(OptionalFraction { step, most }))
    };
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
        [b'%', ..] => (PatternItem::Literal(b'%'), 1),
        [b'Y', ..] => (PatternItem::Year, 1),
        [b'b', ..] => (PatternItem::Month { full: false }, 1),
        [b'B', ..] => (PatternItem::Month { full: true }, 1),
        [b'a', ..] => (PatternItem::Weekday { full: false }, 1),
        [b'A', ..] => (PatternItem::Weekday { full: true }, 1),
        [b'p', ..] => (PatternItem::HalfDay, 1),
        [b'z', ..] => (PatternItem::Offset(OffsetStyle::Compact), 1),
        [b':', b'z', ..] => (PatternItem::Offset(OffsetStyle::Colon), 2),
        [b'#', b'z', ..] => (PatternItem::Offset(OffsetStyle::Hours), 2),
        [b'.', b'f', ..] => (optional(b'3', b'6')?, 2),
        [b'.', step @ b'1'..=b'9', b'-', most @ b'1'..=b'9', b'f', ..] => {
            (optional(*step, *most)?, 5)
        }
        [digits @ b'1'..=b'9', b'f', ..] => (PatternItem::Fraction(digits - b'0'), 2),
        [b'-', letter, ..] => (number(unit(*letter)?, false), 2),
        [letter, ..] => (number(unit(*letter)?, true), 1),
        [] => return None,
    })
}
