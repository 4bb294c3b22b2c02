//! Finds the date and time patterns that a cell can be written in.
//!
//! A single cell leaves two questions open: whether two-digit numbers are padded, and which of two small numbers is the
//! month. The column answers them by trying the patterns in the order given here.

use super::pattern::{MONTHS, Pattern, WEEKDAYS};

/// Shorter and longer texts are not dates or times.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=48;

/// The patterns that `cell` matches, the most likely first.
pub fn guess(cell: &[u8]) -> Vec<Pattern> {
    if !LENGTHS.contains(&cell.len()) || !looks_right(cell) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for dates_padded in [true, false] {
        for hours_padded in [true, false] {
            for month_first in [true, false] {
                let mut shape = PatternGuess {
                    rest: cell,
                    text: String::new(),
                    dates_padded,
                    hours_padded,
                    month_first,
                };
                if shape.whole().is_some() && !found.contains(&shape.text) {
                    found.push(shape.text);
                }
            }
        }
    }
    // May is both the short and the long name.
    if memchr::memmem::find(cell, b"May").is_some() {
        for at in 0..found.len() {
            let long = found[at].replace("%b", "%B");
            if !found.contains(&long) {
                found.push(long);
            }
        }
    }
    found
        .iter()
        .filter_map(|text| Pattern::compile(text))
        .filter(|pattern| {
            let offset = pattern.offset_of(cell);
            offset.is_some_and(|offset| pattern.read(cell, offset).is_some())
        })
        .collect()
}

/// False if no text that starts like this can be a date or time.
pub fn may_begin_time(start: &[u8]) -> bool {
    start.first().is_some_and(u8::is_ascii_digit) || begins_with_name(start)
}

/// A quick check, since most cells are not dates: a digit within the first six bytes (more may precede it after a
/// month's name), and a byte that is not a digit after it.
fn looks_right(cell: &[u8]) -> bool {
    let digits = cell.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match digits {
        1 | 2 | 4 => matches!(cell.get(digits), Some(b'-' | b'/' | b'.' | b':' | b' ')),
        0 => is_name(cell),
        _ => false,
    }
}

fn is_name(cell: &[u8]) -> bool {
    begins_with_name(cell) && cell.iter().any(u8::is_ascii_digit)
}

fn begins_with_name(cell: &[u8]) -> bool {
    let known = |names: &[&str]| {
        names
            .iter()
            .any(|name| cell.starts_with(&name.as_bytes()[..3]))
    };
    known(&WEEKDAYS) || known(&MONTHS)
}

/// A cell being turned into a pattern, with an assumption for everything it leaves open.
struct PatternGuess<'a> {
    rest: &'a [u8],
    text: String,
    dates_padded: bool,
    hours_padded: bool,
    month_first: bool,
}

impl PatternGuess<'_> {
    /// A whole cell: an optional weekday, then a time, or a date with an optional time and zone.
    fn whole(&mut self) -> Option<()> {
        if self.name(&WEEKDAYS, "%a", "%A").is_some() && !self.literal(b", ") {
            self.expect(b" ")?;
        }
        let is_time = self.digits() <= 2 && self.rest.get(self.digits()) == Some(&b':');
        if is_time {
            self.time()?;
            return self.rest.is_empty().then_some(());
        }
        let needs_year = self.date()?;
        if !self.rest.is_empty() {
            let separated = self.literal(b", ")
                || self.literal(b" ")
                || self.literal(b"T")
                || self.literal(b":");
            if !separated {
                return None;
            }
            self.time()?;
            self.zone()?;
        }
        if needs_year {
            self.expect(b" ")?;
            self.year()?;
        }
        self.rest.is_empty().then_some(())
    }

    /// A date; true if its year has not been seen yet.
    fn date(&mut self) -> Option<bool> {
        if self.digits() == 4 {
            self.year()?;
            let separator = self.separator(b"-/.")?;
            self.number('m', self.dates_padded)?;
            self.expect(&[separator])?;
            self.number('d', self.dates_padded)?;
            return Some(false);
        }
        if self.digits() > 0 {
            let (first, second) = if self.month_first {
                ('m', 'd')
            } else {
                ('d', 'm')
            };
            let named = self.rest.get(self.digits() + 1)?.is_ascii_alphabetic();
            self.number(if named { 'd' } else { first }, self.dates_padded)?;
            let separator = self.separator(b"/.- ")?;
            // No country writes the month first with dots.
            if separator == b'.' && self.month_first {
                return None;
            }
            if named {
                self.name(&MONTHS, "%b", "%B")?;
            } else {
                self.number(second, self.dates_padded)?;
            }
            self.expect(&[separator])?;
            self.year()?;
            return Some(false);
        }
        self.name(&MONTHS, "%b", "%B")?;
        self.expect(b" ")?;
        self.number('d', self.dates_padded)?;
        // Like C's asctime and Twitter, with the time before the year.
        if self.rest.get(3) == Some(&b':') || self.rest.get(2) == Some(&b':') {
            return Some(true);
        }
        if !self.literal(b", ") {
            self.expect(b" ")?;
        }
        self.year()?;
        Some(false)
    }

    /// Hours and minutes, optional seconds and fraction, and AM or PM if the cell ends with one of them.
    fn time(&mut self) -> Option<()> {
        let half_day = self.rest.ends_with(b"M");
        self.number(if half_day { 'I' } else { 'H' }, self.hours_padded)?;
        self.expect(b":")?;
        self.number('M', true)?;
        if self.literal(b":") {
            self.number('S', true)?;
            let point = self.rest.first().copied();
            if matches!(point, Some(b'.' | b',')) {
                self.rest = &self.rest[1..];
                let digits = self.digits();
                if !(1..=9).contains(&digits) {
                    return None;
                }
                let point = if point == Some(b'.') { "%." } else { ",%" };
                self.text.push_str(point);
                self.text.push(char::from(b'0' + digits as u8));
                self.text.push('f');
                self.rest = &self.rest[digits..];
            }
        }
        if half_day {
            self.literal(b" ");
            self.rest = self
                .rest
                .strip_prefix(b"AM")
                .or_else(|| self.rest.strip_prefix(b"PM"))?;
            self.text.push_str("%p");
        }
        Some(())
    }

    /// An optional zone: `Z`, `UTC`, `GMT` or an offset.
    fn zone(&mut self) -> Option<()> {
        if self.literal(b"Z") || self.literal(b" UTC") || self.literal(b" GMT") {
            return Some(());
        }
        if matches!(self.rest, [b' ', b'+' | b'-', ..]) {
            self.literal(b" ");
        }
        if !matches!(self.rest.first(), Some(b'+' | b'-')) {
            return Some(());
        }
        self.rest = &self.rest[1..];
        let (style, len) = match (self.digits(), self.rest.get(2)) {
            (4, _) => ("%z", 4),
            (2, Some(b':')) => ("%:z", 5),
            (2, _) => ("%#z", 2),
            _ => return None,
        };
        self.text.push_str(style);
        self.rest = self.rest.get(len..)?;
        Some(())
    }

    /// The number of digits at the current position.
    fn digits(&self) -> usize {
        self.rest
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    }

    fn year(&mut self) -> Option<()> {
        (self.digits() == 4).then(|| {
            self.text.push_str("%Y");
            self.rest = &self.rest[4..];
        })
    }

    fn number(&mut self, letter: char, padded: bool) -> Option<()> {
        let digits = self.digits();
        if !(1..=2).contains(&digits) || (padded && digits == 1) {
            return None;
        }
        self.text.push_str(if padded { "%" } else { "%-" });
        self.text.push(letter);
        self.rest = &self.rest[digits..];
        Some(())
    }

    fn name(&mut self, names: &[&str], short: &str, full: &str) -> Option<()> {
        let letters = self
            .rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic());
        let (word, tail) = self.rest.split_at(letters.count());
        let is_full = names.iter().any(|name| name.as_bytes() == word);
        let is_short = names.iter().any(|name| &name.as_bytes()[..3] == word);
        if !is_full && !is_short {
            return None;
        }
        // May is both the short and the long name.
        self.text.push_str(if is_short { short } else { full });
        self.rest = tail;
        Some(())
    }

    fn separator(&mut self, any_of: &[u8]) -> Option<u8> {
        let byte = *self.rest.first()?;
        any_of.contains(&byte).then(|| {
            self.literal(&[byte]);
            byte
        })
    }

    fn literal(&mut self, bytes: &[u8]) -> bool {
        let Some(tail) = self.rest.strip_prefix(bytes) else {
            return false;
        };
        self.rest = tail;
        self.text.extend(bytes.iter().map(|&byte| char::from(byte)));
        true
    }

    fn expect(&mut self, bytes: &[u8]) -> Option<()> {
        self.literal(bytes).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_lead_to_the_patterns_they_are_written_in() {
        for (cell, expected) in [
            ("2024-01-02", "%Y-%m-%d"),
            ("2024-11-12", "%Y-%m-%d %Y-%-m-%-d"),
            ("2024/1/2", "%Y/%-m/%-d"),
            ("12/25/2020", "%m/%d/%Y %-m/%-d/%Y"),
            ("02/03/2020", "%m/%d/%Y %d/%m/%Y"),
            ("2/13/2020", "%-m/%-d/%Y"),
            ("24.12.2020", "%d.%m.%Y %-d.%-m.%Y"),
            ("04.01.2024", "%d.%m.%Y"),
            ("12.24.2020", ""),
            (
                "17/Mar/2015:10:05:03 +0000",
                "%d/%b/%Y:%H:%M:%S_%z %d/%b/%Y:%-H:%M:%S_%z %-d/%b/%Y:%H:%M:%S_%z %-d/%b/%Y:%-H:%M:%S_%z",
            ),
            ("Mon Oct 03 06:04:40 +0000 2014", ""),
            (
                "Mon Oct 13 06:04:40 +0000 2014",
                "%a_%b_%d_%H:%M:%S_%z_%Y %a_%b_%-d_%H:%M:%S_%z_%Y",
            ),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "%a,_%d_%b_%Y_%H:%M:%S_GMT"),
            ("2024-01-02 09:30:00+00", "%Y-%m-%d_%H:%M:%S%#z"),
            ("2024-01-02T09:30:00.123Z", "%Y-%m-%dT%H:%M:%S%.3fZ"),
            ("2024-01-02T09:30:00,123", "%Y-%m-%dT%H:%M:%S,%3f"),
            ("2024-01-02T09:30:00+02:00", "%Y-%m-%dT%H:%M:%S%:z"),
            (
                "1/2/2020 9:05 PM",
                "%-m/%-d/%Y_%-I:%M_%p %-d/%-m/%Y_%-I:%M_%p",
            ),
            ("09:30", "%H:%M"),
            ("9:30:01", "%-H:%M:%S"),
            ("January 5, 2020", "%B_%-d,_%Y"),
            ("May 5, 2020", "%b_%-d,_%Y %B_%-d,_%Y"),
            ("2024-13-02", ""),
            ("2023-02-29", ""),
            ("1.2.3", ""),
            ("12:60", ""),
            ("march 5", ""),
            ("10.0.0.1", ""),
            ("1:2", ""),
            ("2024-01-02T09:30:00-00:00", ""),
        ] {
            let found = guess(cell.as_bytes());
            let found: Vec<_> = found.iter().map(|p| p.text().replace(' ', "_")).collect();
            assert_eq!(found.join(" "), expected, "{cell}");
        }
    }
}
