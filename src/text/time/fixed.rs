//! Fast parsing and printing for patterns in which every field has a fixed width, several bytes at a time.

use super::PAIRS;
use super::pattern::{Civil, Item, Unit};

/// The longest text.
const MOST: usize = 32;
const WORDS: usize = MOST / 8;

/// Where the digits are in a text of fixed length, and which other bytes it must have.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    len: usize,
    /// The expected text with `0` for every digit, zero-padded.
    template: [u64; WORDS],
    /// Added to each byte, this sets the top bit if the byte is too large: above 9 for digits, above 0 for others.
    limits: [u64; WORDS],
    year: Option<usize>,
    numbers: [Option<usize>; 5],
    /// Where the fraction starts, and its number of digits.
    fraction: Option<(usize, usize)>,
}

impl Fixed {
    /// `None` if a field does not have a fixed width or is not a number, or if the text is too long.
    pub(super) fn new(items: impl Iterator<Item = Item>) -> Option<Self> {
        let mut template = [0u8; MOST];
        let mut limits = [0x7f_u8; MOST];
        let mut fixed = Self {
            len: 0,
            template: [0; WORDS],
            limits: [0; WORDS],
            year: None,
            numbers: [None; 5],
            fraction: None,
        };
        for item in items {
            let at = fixed.len;
            let digits = match item {
                Item::Literal(byte) => {
                    *template.get_mut(at)? = byte;
                    fixed.len += 1;
                    continue;
                }
                Item::Year => {
                    fixed.year = Some(at);
                    4
                }
                Item::Number { unit, padded: true } => {
                    fixed.numbers[place(unit)?] = Some(at);
                    2
                }
                Item::Fraction(digits) => {
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
    #[inline]
    pub(super) fn read(&self, cell: &[u8]) -> Option<Civil> {
        let (whole, rest) = cell.as_chunks::<8>();
        let mut high = 0;
        let mut digits = [0; MOST];
        let digits_of = digits.as_chunks_mut::<8>().0;
        let mut check = |word: usize, bytes: &[u8; 8]| {
            // A byte that carries into the next one has its own top bit set, which is what `| text` sees.
            let text = u64::from_le_bytes(*bytes) ^ self.template[word];
            high |= text.wrapping_add(self.limits[word]) | text;
            digits_of[word] = text.to_le_bytes();
        };
        for (word, bytes) in whole.iter().enumerate() {
            check(word, bytes);
        }
        if !rest.is_empty() {
            let bytes = match cell.last_chunk::<8>() {
                Some(last) => u64::from_le_bytes(*last) >> (64 - 8 * rest.len()),
                None => rest
                    .iter()
                    .rev()
                    .fold(0, |word, &byte| word << 8 | u64::from(byte)),
            };
            check(whole.len(), &bytes.to_le_bytes());
        }
        if high & 0x8080_8080_8080_8080 != 0 {
            return None;
        }
        let two = |at: usize| u32::from(digits[at]) * 10 + u32::from(digits[at + 1]);
        let number = |place: usize| self.numbers[place].map_or(0, two);
        let mut nanos = 0;
        if let Some((at, count)) = self.fraction {
            for place in 0..9 {
                let digit = if place < count { digits[at + place] } else { 0 };
                nanos = nanos * 10 + u32::from(digit);
            }
        }
        Some(Civil {
            year: self
                .year
                .map_or(0, |at| (two(at) * 100 + two(at + 2)) as i32),
            month: number(0),
            day: number(1),
            hour: number(2),
            minute: number(3),
            second: number(4),
            nanos,
        })
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
        if let Some(at) = self.year {
            print_pair(&mut text, at, year / 100);
            print_pair(&mut text, at + 2, year);
        }
        for (at, value) in self.numbers.into_iter().zip([month, day]) {
            if let Some(at) = at {
                print_pair(&mut text, at, value);
            }
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
        for (at, value) in self.numbers[2..].iter().zip(time) {
            if let Some(at) = *at {
                print_pair(text, at, value);
            }
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

#[inline]
fn print_pair(text: &mut [u8], at: usize, value: u32) {
    text[at..at + 2].copy_from_slice(&PAIRS[value as usize % 100]);
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
