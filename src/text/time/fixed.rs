//! Fast parsing and printing for patterns in which every field has a fixed width, several bytes at a time.

use super::PAIRS;
use super::pattern::{Civil, PatternItem, Unit};

/// The longest text.
const MOST: usize = 32;
const WORDS: usize = MOST / 8;

/// The place of a field that the text does not have; it reads as 0.
const ABSENT: u8 = MOST as u8;

/// Where the digits are in a text of fixed length, and which other bytes it must have.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    len: usize,
    /// The expected text with `0` for every digit, zero-padded.
    template: [u64; WORDS],
    /// Added to each byte, this sets the top bit if the byte is too large: above 9 for digits, above 0 for others.
    limits: [u64; WORDS],
    /// Where the year starts, or [`ABSENT`].
    year: u8,
    /// Where month, day, hour, minute and second start, or [`ABSENT`].
    numbers: [u8; 5],
    /// Where the fraction starts, and its number of digits.
    fraction: Option<(usize, usize)>,
}

impl Fixed {
    /// `None` if a field does not have a fixed width or is not a number, or if the text is too long.
    pub(super) fn new(items: impl Iterator<Item = PatternItem>) -> Option<Self> {
        let mut template = [0u8; MOST];
        let mut limits = [0x7f_u8; MOST];
        let mut fixed = Self {
            len: 0,
            template: [0; WORDS],
            limits: [0; WORDS],
            year: ABSENT,
            numbers: [ABSENT; 5],
            fraction: None,
        };
        for item in items {
            let at = fixed.len;
            let digits = match item {
                PatternItem::Literal(byte) => {
                    *template.get_mut(at)? = byte;
                    fixed.len += 1;
                    continue;
                }
                PatternItem::Year => {
                    fixed.year = at as u8;
                    4
                }
                PatternItem::Number { unit, padded: true } => {
                    fixed.numbers[place(unit)?] = at as u8;
                    2
                }
                PatternItem::Fraction(digits) => {
                    fixed.fraction = Some((at, digits.into()));
                    digits.into()
                }
                _ => return None,
            };
            fixed.len += digits;
            template.get_mut(at..fixed.len)?.fill(b'0');
            limits[at..fixed.len].fill(0x76);
        }
        fixed.template = words(&template);
        fixed.limits = words(&limits);
        Some(fixed)
    }

    /// The length of the text.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Parses a text of this length.
    #[expect(clippy::inline_always, reason = "much of its time went into the call")]
    #[inline(always)]
    pub(super) fn read(&self, cell: &[u8]) -> Option<Civil> {
        let (whole, rest) = cell.as_chunks::<8>();
        let mut high = 0;
        let mut digits = [0; WORDS + 1];
        let mut check = |word: usize, bytes: u64| {
            // A byte that carries into the next one has its own top bit set, which is what `| text` sees.
            let text = bytes ^ self.template[word];
            high |= text.wrapping_add(self.limits[word]) | text;
            digits[word] = text;
        };
        for (word, bytes) in whole.iter().enumerate() {
            check(word, u64::from_le_bytes(*bytes));
        }
        if !rest.is_empty() {
            let bytes = match cell.last_chunk::<8>() {
                Some(last) => u64::from_le_bytes(*last) >> (64 - 8 * rest.len()),
                None => rest
                    .iter()
                    .rev()
                    .fold(0, |word, &byte| word << 8 | u64::from(byte)),
            };
            check(whole.len(), bytes);
        }
        if high & 0x8080_8080_8080_8080 != 0 {
            return None;
        }
        let pairs = Pairs::of(&digits);
        let number = |place: usize| pairs.at(self.numbers[place]);
        Some(Civil {
            year: (pairs.at(self.year) * 100 + pairs.at(self.year + 2)) as i32,
            month: number(0),
            day: number(1),
            hour: number(2),
            minute: number(3),
            second: number(4),
            nanos: self
                .fraction
                .map_or(0, |(at, count)| pairs.nanos(at, count)),
        })
    }
}

/// For each byte of a text of digits, the number of two digits that starts there.
struct Pairs([u8; 2 * MOST]);

impl Pairs {
    /// `digits` are bytes of 0 to 9; all others are 0.
    #[inline]
    fn of(digits: &[u64; WORDS + 1]) -> Self {
        let mut pairs = [0; 2 * MOST];
        for (pair, words) in pairs
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .zip(digits.windows(2))
        {
            let right = words[0] >> 8 | words[1] << 56;
            // At most 99, so without carry.
            *pair = (words[0].wrapping_mul(10) + right).to_le_bytes();
        }
        Self(pairs)
    }

    #[inline]
    fn at(&self, place: u8) -> u32 {
        self.0[usize::from(place) % (2 * MOST)].into()
    }

    /// The nanoseconds of a fraction with up to nine digits.
    #[inline]
    fn nanos(&self, start: usize, digits: usize) -> u32 {
        let mut value = 0;
        let mut at = start as u8;
        for _ in 0..digits / 2 {
            value = value * 100 + self.at(at);
            at += 2;
        }
        if digits % 2 == 1 {
            value = value * 10 + self.at(at) / 10;
        }
        value * 10_u32.pow(9 - digits as u32)
    }
}

/// The text of a date, with zeros for the digits of the time.
pub(super) type DateText = [u8; MOST];

impl Fixed {
    /// The text of a date; `None` if the year has more than four digits.
    #[inline]
    pub(super) fn date(&self, year: i32, month: u32, day: u32) -> Option<DateText> {
        let year = u32::try_from(year).ok().filter(|&year| year <= 9999)?;
        let mut text = [0; MOST];
        text.copy_from_slice(self.template.map(u64::to_le_bytes).as_flattened());
        if self.year != ABSENT {
            print_pair(&mut text, self.year, year / 100);
            print_pair(&mut text, self.year + 2, year);
        }
        for (at, value) in self.numbers.into_iter().zip([month, day]) {
            print_pair(&mut text, at, value);
        }
        Some(text)
    }

    /// Appends a date and the time of a second of the day.
    #[inline]
    pub(super) fn print(&self, date: &DateText, second: u32, nanos: u32, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(date);
        let text = &mut out[start..];
        let time = [second / 3600, second / 60 % 60, second % 60];
        for (&at, value) in self.numbers[2..].iter().zip(time) {
            print_pair(text, at, value);
        }
        if let Some((at, count)) = self.fraction {
            let mut rest = nanos / 10u32.pow(9 - count as u32);
            for digit in text[at..at + count].iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        }
        out.truncate(start + self.len);
    }
}

/// Writes two digits, if the field is there.
#[inline]
fn print_pair(text: &mut [u8], at: u8, value: u32) {
    if at != ABSENT {
        let at = usize::from(at);
        text[at..at + 2].copy_from_slice(&PAIRS[value as usize % 100]);
    }
}

fn place(unit: Unit) -> Option<usize> {
    Some(match unit {
        Unit::Month => 0,
        Unit::Day => 1,
        Unit::Hour => 2,
        Unit::Minute => 3,
        Unit::Second => 4,
        Unit::Hour12 => return None,
    })
}

#[inline]
fn words(bytes: &[u8; MOST]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}
