//! Chooses the rows of an input that are measured.
//!
//! A small input is measured completely. A large one is divided into sixteen parts, and a piece of each is measured, at
//! a position chosen with a fixed seed. Every fourth piece belongs to the same group, so each of the four groups is a
//! smaller sample of the same kind, and their spread shows how far off the whole sample may be.
//!
//! If the input is text, its lines relate rows to bytes, so that the rows and the text of a piece are the same data.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;

use super::payload::Payload;
use super::rows::{InputRows, merged, rows, take};
use crate::columns;
use crate::command::convert::SMALL_FRAME_BYTES;
use crate::format::frame::Frame;
use crate::wire::choose::Preset;

/// Number of groups of pieces.
pub const GROUPS: usize = 4;
/// Number of pieces of a sample.
const PIECES: usize = 4 * GROUPS;
/// Up to this many bytes of text, all rows are measured.
pub const WHOLE_BYTES: u64 = 3 << 20;
/// Number of bytes of text in a sample.
pub const SAMPLE_BYTES: u64 = 1 << 20;
/// Number of bytes of text per count of line ends.
const CHUNK: usize = 64 << 10;
/// An arbitrary constant, so that the same input always has the same sample.
const SEED: u64 = 0x6d62_7421;

/// A part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SamplePiece {
    /// Its rows, out of those in memory.
    rows: Range<u64>,
    /// Its bytes in the text, if that is in memory.
    bytes: Range<u64>,
}

/// The rows to measure: all rows in memory or pieces of them.
pub struct MeasuredRows<'a> {
    input: &'a InputRows,
    /// Number of bytes of all rows in memory: of their text, or else of their columns.
    in_memory: u64,
    pieces: Option<Vec<SamplePiece>>,
}

/// A part of the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SamplePart {
    /// A fraction of it.
    Share(f64),
    /// One of its groups.
    Group(usize),
}

impl SamplePart {
    /// All of the sample.
    pub const ALL: Self = Self::Share(1.0);

    /// A quarter of it.
    #[must_use]
    pub fn quarter(self) -> Self {
        match self {
            Self::Share(share) => Self::Share(share / 4.0),
            Self::Group(_) => self,
        }
    }
}

impl<'a> MeasuredRows<'a> {
    /// All rows if they have at most `whole` bytes, else a sample of `wanted` bytes.
    pub fn of(input: &'a InputRows, whole: u64, wanted: u64) -> Self {
        let text = input.text.as_ref().map(|text| text.len);
        let here = rows(&input.exact);
        let in_memory = match text {
            Some(len) => share(len, here, input.all),
            None => input.exact.iter().map(value_bytes).sum(),
        };
        let is_small = in_memory <= whole && here == input.all || here < 2 * PIECES as u64;
        let fraction = wanted as f64 / in_memory as f64;
        Self {
            input,
            in_memory,
            pieces: (!is_small).then(|| pieces(input, here, fraction.min(1.0))),
        }
    }

    /// True if the sample does not contain all rows, so that results are extrapolated.
    pub fn is_part(&self) -> bool {
        self.pieces.is_some()
    }

    /// True if all rows are in memory.
    pub fn has_all_rows(&self) -> bool {
        rows(&self.input.exact) == self.input.all
    }

    /// The number of rows in a part.
    pub fn rows(&self, part: SamplePart) -> u64 {
        let all = rows(&self.input.exact);
        match self.ranges(part, all, |piece| &piece.rows) {
            None => all,
            Some(ranges) => ranges.iter().map(|range| range.end - range.start).sum(),
        }
    }

    /// The number of bytes that correspond to `some` rows.
    pub fn bytes_of(&self, some: u64) -> f64 {
        self.in_memory as f64 * some as f64 / rows(&self.input.exact).max(1) as f64
    }

    /// The rows of a part, grouped into frames as in the payload.
    pub fn frames(&self, payload: Payload, part: SamplePart) -> Cow<'a, [Frame]> {
        let frames = &self.input.exact[..];
        let all = rows(frames);
        let frames: Cow<'a, [Frame]> = match self.ranges(part, all, |piece| &piece.rows) {
            None => Cow::Borrowed(frames),
            Some(ranges) => {
                let mut taken = Vec::new();
                for range in ranges {
                    take(frames, range.start, range.end - range.start, &mut taken);
                }
                Cow::Owned(in_one_batch(taken))
            }
        };
        if payload != Payload::V2(Preset::Small) {
            return frames;
        }
        let most = share(all, SMALL_FRAME_BYTES, self.in_memory);
        Cow::Owned(merged(&frames, most))
    }

    /// The text of a part, if all of the text is in memory.
    pub fn text(&self, part: SamplePart) -> Option<Cow<'a, [u8]>> {
        let text = self.input.text.as_ref()?.bytes.as_deref()?;
        let len = text.len() as u64;
        let Some(ranges) = self.ranges(part, len, |piece| &piece.bytes) else {
            return Some(Cow::Borrowed(text));
        };
        let pieces = ranges
            .into_iter()
            .map(|range| &text[range.start as usize..range.end as usize]);
        Some(Cow::Owned(pieces.collect::<Vec<_>>().concat()))
    }

    /// The ranges of a part; `None` if it is everything.
    fn ranges(
        &self,
        part: SamplePart,
        all: u64,
        of: impl Fn(&SamplePiece) -> &Range<u64>,
    ) -> Option<Vec<Range<u64>>> {
        match (part, &self.pieces) {
            (SamplePart::Share(share), None) if share < 1.0 => {
                Some(
                    (0..GROUPS)
                        .map(|at| {
                            let start = scaled(all, at as f64 / GROUPS as f64);
                            // The quarters of fewer rows than quarters are the same.
                            start..all.min(start + scaled(all, share / GROUPS as f64))
                        })
                        .collect(),
                )
            }
            (_, None) => None,
            // A smaller sample has fewer pieces of the same length, since codecs depend on their history.
            (SamplePart::Share(share), Some(pieces)) => {
                let count = (PIECES as f64 * share).ceil() as usize;
                let count = count.clamp(GROUPS, PIECES);
                let shorter = share * PIECES as f64 / count as f64;
                Some(
                    (0..count)
                        .map(|at| {
                            let &Range { start, end } = of(&pieces[at * PIECES / count]);
                            start..start + scaled(end - start, shorter)
                        })
                        .collect(),
                )
            }
            (SamplePart::Group(group), Some(pieces)) => {
                let taken = pieces.iter().skip(group).step_by(GROUPS);
                Some(taken.map(|piece| of(piece).clone()).collect())
            }
        }
    }
}

/// A fraction of a number of rows or bytes, but at least 1 unless it is 0.
fn scaled(number: u64, by: f64) -> u64 {
    ((number as f64 * by).ceil() as u64).min(number)
}

/// One piece of each part of the input; together they are a `fraction` of the rows in memory.
fn pieces(input: &InputRows, all: u64, fraction: f64) -> Vec<SamplePiece> {
    let text = input.text.as_ref().and_then(|text| text.bytes.as_deref());
    let places = Places::of(text, all);
    let part = 1.0 / PIECES as f64;
    let mut state = SEED;
    (0..PIECES)
        .map(|at| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let chance = (state >> 33) as f64 / f64::from(1_u32 << 31);
            let from = part * (at as f64 + (1.0 - fraction) * chance);
            let (start, end) = (places.at(from), places.at(from + part * fraction));
            SamplePiece {
                rows: start.0..end.0,
                bytes: start.1..end.1,
            }
        })
        .collect()
}

/// Relates rows to the bytes of their text.
struct Places<'a> {
    text: &'a [u8],
    rows: u64,
    /// Number of line ends before each chunk of the text, and in all of it.
    line_ends: Vec<u64>,
}

impl<'a> Places<'a> {
    fn of(text: Option<&'a [u8]>, rows: u64) -> Self {
        let text = text.unwrap_or_default();
        let mut line_ends = vec![0];
        let mut count = 0;
        for chunk in text.chunks(CHUNK) {
            count += memchr::memchr_iter(b'\n', chunk).count() as u64;
            line_ends.push(count);
        }
        Self {
            text,
            rows,
            line_ends,
        }
    }

    /// The row and the byte at a fraction of the input. Assumes that all rows have the same number of lines, usually
    /// one; in text with few lines, the same number of bytes.
    fn at(&self, fraction: f64) -> (u64, u64) {
        let row = |part: f64, all: f64| ((self.rows as f64 * part / all) as u64).min(self.rows);
        let lines = self.line_ends[self.line_ends.len() - 1];
        let byte = (self.text.len() as f64 * fraction) as usize;
        if lines < self.rows / 2 || self.text.is_empty() {
            return (row(fraction, 1.0), byte as u64);
        }
        let byte = match memchr::memchr(b'\n', &self.text[byte..]) {
            Some(end) => byte + end + 1,
            None => self.text.len(),
        };
        let chunk = byte / CHUNK;
        let within = memchr::memchr_iter(b'\n', &self.text[chunk * CHUNK..byte]).count() as u64;
        (
            row((self.line_ends[chunk] + within) as f64, lines as f64),
            byte as u64,
        )
    }
}

/// The frames with one batch each. With several batches, what a batch takes besides its values would count for too much
/// in a sample.
fn in_one_batch(frames: Vec<Frame>) -> Vec<Frame> {
    frames
        .into_iter()
        .map(|frame| {
            match concat_batches(&frame.schema, &frame.batches) {
                Ok(batch) => Frame {
                    schema: frame.schema,
                    batches: vec![batch],
                },
                // Arrow cannot hold so much at once.
                Err(_) => frame,
            }
        })
        .collect()
}

fn value_bytes(frame: &Frame) -> u64 {
    frame
        .batches
        .iter()
        .flat_map(RecordBatch::columns)
        .map(|column| columns::value_bytes(column) as u64)
        .sum()
}

/// `number * part / whole`.
fn share(number: u64, part: u64, whole: u64) -> u64 {
    (u128::from(number) * u128::from(part) / u128::from(whole.max(1)))
        .try_into()
        .unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::estimate::rows::InputText;
    use crate::format::Format;
    use crate::workload::bars;

    /// Rows of ten bytes.
    fn input(count: usize) -> InputRows {
        let all = bars(count);
        let frame = Frame {
            schema: all.schema(),
            batches: vec![all],
        };
        let text = (0..count)
            .map(|row| format!("{row:09}\n"))
            .collect::<Vec<_>>()
            .concat();
        InputRows {
            all: count as u64,
            exact: vec![frame],
            text: Some(InputText {
                len: text.len() as u64,
                bytes: Some(text.into_bytes().into()),
                format: Format::Csv.into(),
            }),
            is_generated: false,
        }
    }

    #[test]
    fn rows_and_text_of_a_part_are_the_same_data() {
        let rows = input(803);
        let sample = MeasuredRows::of(&rows, 1000, 1600);
        assert!(sample.is_part());
        let groups = (0..GROUPS).map(SamplePart::Group);
        for part in groups.chain([SamplePart::ALL, SamplePart::ALL.quarter()]) {
            let text = sample.text(part).unwrap().into_owned();
            let named = text
                .split(|&byte| byte == b'\n')
                .filter(|line| line.len() == 9)
                .map(|line| str::from_utf8(line).unwrap().parse::<usize>().unwrap());
            let frames = sample.frames(Payload::Csv, part);
            let taken = frames
                .iter()
                .flat_map(|frame| &frame.batches)
                .flat_map(|batch| (0..batch.num_rows()).map(|at| batch.slice(at, 1)));
            let wanted: Vec<_> = named
                .map(|row| rows.exact[0].batches[0].slice(row, 1))
                .collect();
            let taken: Vec<_> = taken.collect();
            let same = taken.iter().filter(|row| wanted.contains(row)).count();
            assert!(
                same * 10 > wanted.len() * 8,
                "{part:?}: {same} of {}",
                wanted.len()
            );
        }
        assert!(sample.rows(SamplePart::ALL).abs_diff(160) <= PIECES as u64);
        assert!(sample.rows(SamplePart::Group(1)).abs_diff(40) <= PIECES as u64);
        assert!(sample.rows(SamplePart::Share(0.25)).abs_diff(40) <= PIECES as u64);
    }

    #[test]
    fn a_small_input_is_measured_as_it_is() {
        let rows = input(100);
        let sample = MeasuredRows::of(&rows, 1000, 500);
        assert!(!sample.is_part());
        assert_eq!(sample.rows(SamplePart::ALL), 100);
        assert_eq!(sample.text(SamplePart::ALL).unwrap().len(), 1000);
        assert_eq!(sample.rows(SamplePart::Share(0.2)), 20);
        let row = input(1);
        assert_eq!(
            MeasuredRows::of(&row, 1000, 500).rows(SamplePart::Share(0.2)),
            1
        );
    }
}
