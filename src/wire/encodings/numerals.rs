//! Numerals: text with any number of numbers in it, which become runs of integers.
//!
//! In geometries (`LINESTRING (7.9488 54.9531, 7.9518 54.9527)`), paths, pixels and lists of features, neighboring
//! numbers hardly differ, which a general compressor cannot see in their digits. A [`template`](super::template) needs
//! the same fields in every row; here, each row has as many numbers as it likes. Layout: man/mbt-format.5, "numerals".
//!
//! The numbers of a row belong to several series in turn. The points above have two, x and y, which continue in the next
//! row. What is left of the row is its skeleton, `LINESTRING (\0 \0, \0 \0)`.

mod form;
mod scan;

use super::scheme::{Info, Scheme, Shape};
use super::strings::{ByteStrings, ensure_room};
use super::{Node, ValueKind};
use crate::error::{Error, Result};
use crate::varint;
use crate::wire::choose::{Cascade, StringSearch, mean_bits, sample_strings};
use crate::wire::parse::{read_byte, read_len};

pub use form::NumeralForm;

use form::Tally;
use scan::numerals;

/// Text with numbers that belong to several series in turn. Children: the skeletons of the rows, and one run of integers
/// per series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numerals {
    /// At least one.
    pub series: Vec<Series>,
}

/// The numbers that have the same place in every group, such as the x of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    /// How they are written.
    pub form: NumeralForm,
    /// How many there are in all rows.
    pub count: usize,
}

/// In a skeleton: the next number of the series whose turn it is.
const NUMBER: u8 = 0;

/// In a skeleton: the series misses its turn. A number of another form follows as text.
const SKIP: u8 = 1;

/// The most series that are tried.
const MOST_SERIES: usize = 4;

/// A further series must save this fraction of the bits.
const LEAST_SAVING: f64 = 0.1;

/// Bytes of text that decide whether this encoding is tried, and with how many series.
const SAMPLE_BYTES: usize = 16 << 10;

/// The part of the text that must be numbers, in percent. Random hex digits have 62 % decimal digits.
const LEAST_PERCENT: usize = 65;

/// The fewest numbers per row, on average. A template is better for one or two.
const FEWEST_NUMBERS: usize = 3;

/// Longer text is not encoded, since its numbers of eight bytes would take much of the memory that readers allow.
const MOST_TEXT: usize = 32 << 20;

pub(super) const INFO: Info = Info::of(38, "numerals", &[ValueKind::Strings]);

impl Scheme for Numerals {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.series.len() as u8);
        for Series { form, count } in &self.series {
            out.push(form.code());
            varint::push(*count as u64, out);
        }
    }

    fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let series = (0..read_byte(bytes, at)?)
            .map(|_| {
                let form = NumeralForm::of_code(read_byte(bytes, at)?)?;
                // Each number is at least one byte of text, which is less than 2 GiB.
                let count = read_len(bytes, at)?;
                if count > i32::MAX as usize {
                    return Err(Error::corrupt(format!("{count} numbers in text")));
                }
                Ok(Series { form, count })
            })
            .collect::<Result<_>>()?;
        Ok(Self { series })
    }

    fn parameters(&self) -> String {
        let forms = self.series.iter().map(|series| series.form.to_string());
        forms.collect::<Vec<_>>().join(" ")
    }

    fn children(&self, run: Shape) -> Result<Vec<(ValueKind, usize)>> {
        let skeletons = std::iter::once((ValueKind::Strings, run.len));
        let series = self.series.iter();
        Ok(skeletons
            .chain(series.map(|series| (ValueKind::Ints, series.count)))
            .collect())
    }

    fn decode_strings(&self, node: &Node, max_bytes: usize, out: &mut ByteStrings) -> Result<()> {
        let [skeletons, runs @ ..] = &node.children[..] else {
            return Err(Error::corrupt("numerals without skeletons"));
        };
        let skeletons = skeletons.strings(max_bytes)?;
        let room = max_bytes - self.number_bytes(&skeletons, max_bytes)?;
        let runs = runs.iter().map(Node::ints).collect::<Result<Vec<_>>>()?;
        let mut numbers: Vec<_> = runs.iter().map(|run| run.iter()).collect();
        let start = out.data.len();
        let end = start.saturating_add(room).min(i32::MAX as usize);
        for skeleton in skeletons.iter() {
            let mut turn = 0;
            for &byte in skeleton {
                if byte > SKIP {
                    out.data.push(byte);
                    continue;
                }
                if byte == NUMBER
                    && let Some(number) = numbers[turn].next()
                {
                    self.series[turn].form.print(*number, &mut out.data);
                }
                turn = (turn + 1) % self.series.len();
            }
            if out.data.len() > end {
                let len = out.data.len() - start;
                return ensure_room(len as u64, room, out);
            }
            out.end_row();
        }
        Ok(())
    }

    fn propose_strings(search: &mut StringSearch<'_>) {
        let sample = sample_strings(search.values, SAMPLE_BYTES);
        if let Some(series) = series_of(&sample) {
            search.add(move |values, cascade, choice| encode(values, series, cascade, choice));
        }
    }

    fn apply_strings(&self, choice: &Node, values: &ByteStrings, cascade: Cascade) -> Option<Node> {
        encode(values, self.series.len(), cascade, Some(choice))
    }
}

impl Numerals {
    /// The memory for all numbers, at most `max_bytes`. Also checks that the skeletons have a place for each of them.
    fn number_bytes(&self, skeletons: &ByteStrings, max_bytes: usize) -> Result<usize> {
        if self.series.is_empty() {
            return Err(Error::corrupt("numerals without a series"));
        }
        let mut counts = vec![0; self.series.len()];
        for skeleton in skeletons.iter() {
            let mut turn = 0;
            for &byte in skeleton.iter().filter(|byte| **byte <= SKIP) {
                counts[turn] += usize::from(byte == NUMBER);
                turn = (turn + 1) % self.series.len();
            }
        }
        if !self
            .series
            .iter()
            .map(|series| series.count)
            .eq(counts.iter().copied())
        {
            return Err(Error::corrupt(
                "text with places for other numbers than there are",
            ));
        }
        let bytes = 8 * counts.iter().sum::<usize>();
        ensure_room(bytes as u64, max_bytes, &ByteStrings::default())?;
        Ok(bytes)
    }
}

/// The number of series into which the numbers of a sample go best; `None` if most of the text is something else.
fn series_of(sample: &ByteStrings) -> Option<usize> {
    // A quick check for ordinary text.
    let digits = sample.data.iter().filter(|byte| byte.is_ascii_digit());
    if 2 * digits.count() < sample.data.len() {
        return None;
    }
    let mut len = 0;
    let mut rows = Vec::with_capacity(sample.len());
    for row in sample.iter() {
        let found = numerals(row).inspect(|numeral| len += numeral.text.len());
        rows.push(found.map(|numeral| numeral.value()).collect::<Vec<_>>());
    }
    let count: usize = rows.iter().map(Vec::len).sum();
    if 100 * len < LEAST_PERCENT * sample.data.len() || count < FEWEST_NUMBERS * sample.len() {
        return None;
    }
    // The bits of the differences between neighbors in a series.
    let bits = |series: usize| {
        let pairs = rows
            .iter()
            .flat_map(|row| row.iter().zip(row.iter().skip(series)));
        let steps: Vec<u64> = pairs
            .map(|(a, b)| ((b - a).abs() * RESOLUTION) as u64)
            .collect();
        mean_bits(steps.into_iter())
    };
    let mut best = (1, bits(1));
    for series in 2..=MOST_SERIES {
        let bits = bits(series);
        if bits < best.1 * (1.0 - LEAST_SAVING) {
            best = (series, bits);
        }
    }
    Some(best.0)
}

/// Differences between numbers are compared in this many parts of 1.
const RESOLUTION: f64 = 1e6;

/// Encodes strings with numbers in this many series, and their parts as in `choice`, another node of this encoding.
/// `None` if the text has the bytes that skeletons use, or is too long.
pub fn encode(
    values: &ByteStrings,
    series: usize,
    cascade: Cascade,
    choice: Option<&Node>,
) -> Option<Node> {
    if values.data.len() > MOST_TEXT || values.data.iter().any(|byte| *byte <= SKIP) {
        return None;
    }
    let mut tallies = vec![Tally::default(); series];
    for row in values.iter() {
        for (numeral, turn) in numerals(row).zip((0..series).cycle()) {
            tallies[turn].add(&numeral);
        }
    }
    let forms: Vec<NumeralForm> = tallies.iter().map(Tally::form).collect();
    let mut numbers = vec![Vec::new(); series];
    let mut skeletons = ByteStrings::default();
    for row in values.iter() {
        let mut at = 0;
        for (numeral, turn) in numerals(row).zip((0..series).cycle()) {
            skeletons
                .data
                .extend_from_slice(&row[at..numeral.text.start]);
            at = numeral.text.start;
            if let Some(number) = forms[turn].number(&numeral) {
                numbers[turn].push(number);
                skeletons.data.push(NUMBER);
                at = numeral.text.end;
            } else {
                skeletons.data.push(SKIP);
            }
        }
        skeletons.push(&row[at..]);
    }
    let deeper = cascade.deeper();
    let part = |at: usize| choice.and_then(|choice| choice.children.get(at));
    let mut children = vec![deeper.strings(&skeletons, part(0))];
    let runs = numbers.iter().zip(1..);
    children.extend(runs.map(|(numbers, at)| deeper.ints(numbers, part(at))));
    let series = forms.into_iter().zip(&numbers);
    let series = series.map(|(form, numbers)| Series {
        form,
        count: numbers.len(),
    });
    let series = series.collect();
    Some(Node::of_children(
        Numerals { series },
        values.len(),
        children,
    ))
}

#[cfg(test)]
mod tests;
