//! Text that may hold a value of another type.
//!
//! Cells of CSV are numbers, dates and so on in a frame that has only such cells, and text next to other cells. To compare
//! alike in both, text is compared by the values that it holds.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::number::{Moment, float_key};
use crate::columns::cast::{Provenance, not_finite, sure_word};
use crate::text::form::BoolLiterals;
use crate::text::number::Number;
use crate::text::uuid;

/// The words that are NaN or an infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberWords {
    /// Words that can mean nothing else, such as `NaN`.
    Sure,
    /// All, such as `inf`.
    Any,
}

/// The kinds of values to look for in text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kinds {
    /// Numbers and these words.
    pub numbers: Option<NumberWords>,
    /// Dates and times.
    pub moments: bool,
    /// UUIDs.
    pub uuids: bool,
    /// Words for true and false.
    pub bools: bool,
}

impl Kinds {
    /// All that a cell of CSV may be.
    pub const OF_CELLS: Self = Self {
        numbers: Some(NumberWords::Any),
        moments: true,
        uuids: true,
        bools: true,
    };
    /// What a string of JSON or Arrow may be besides text.
    pub const OF_STRINGS: Self = Self {
        numbers: None,
        moments: true,
        uuids: true,
        bools: false,
    };

    /// Numbers in text from a source.
    pub fn numbers_of(from: Provenance) -> Self {
        Self {
            numbers: Some(match from {
                Provenance::Csv => NumberWords::Any,
                Provenance::Json | Provenance::Typed => NumberWords::Sure,
            }),
            ..Self::default()
        }
    }

    /// The kinds that `value` holds.
    #[must_use]
    pub fn of_value(self, value: &TextValue<'_>) -> Self {
        Self {
            numbers: self.numbers.filter(|_| value.number.is_some()),
            moments: value.moment.is_some(),
            uuids: value.uuid.is_some(),
            bools: value.truth.is_some(),
        }
    }

    /// The kinds of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            numbers: self.numbers.max(other.numbers),
            moments: self.moments || other.moments,
            uuids: self.uuids || other.uuids,
            bools: self.bools || other.bools,
        }
    }
}

/// Text and the values that it holds.
#[derive(Clone, Debug)]
pub struct TextValue<'a> {
    /// A number.
    pub number: Option<Numeric<'a>>,
    /// A date or time.
    pub moment: Option<Moment>,
    /// A UUID.
    pub uuid: Option<[u8; 16]>,
    /// True or false.
    pub truth: Option<bool>,
    /// The text itself, unless it stands for one of the others alone.
    pub text: Option<&'a [u8]>,
}

impl<'a> TextValue<'a> {
    /// The values of these kinds in `text`. `plain` is the text with a decimal point.
    pub fn read(text: &'a [u8], plain: &'a [u8], kinds: Kinds) -> Self {
        let number = kinds.numbers.map(|words| Numeric::read(plain, words));
        let moment = kinds.moments.then(|| moment(text));
        let uuid = kinds.uuids.then(|| uuid::parse(text));
        let truth = kinds.bools.then(|| BoolLiterals::of(text));
        Self {
            number: number.flatten(),
            moment: moment.flatten(),
            uuid: uuid.flatten(),
            truth: truth.flatten().map(|(_, value)| value),
            text: Some(text),
        }
    }

    /// True if it holds no value of another type.
    pub fn is_only_text(&self) -> bool {
        let (moment, uuid, truth) = (self.moment, self.uuid, self.truth);
        moment.is_none() && uuid.is_none() && truth.is_none() && self.number.is_none()
    }

    /// The order of values of the first kind that both hold.
    pub fn compare_by_kind(&self, other: &Self) -> Option<Ordering> {
        let moments = self.moment.zip(other.moment);
        let numbers = self.number.as_ref().zip(other.number.as_ref());
        let uuids = self.uuid.zip(other.uuid);
        let truths = self.truth.zip(other.truth);
        (moments.and_then(|(a, b)| a.compare(b)))
            .or_else(|| numbers.map(|(a, b)| a.compare(b)))
            .or_else(|| uuids.map(|(a, b)| a.cmp(&b)))
            .or_else(|| truths.map(|(a, b)| a.cmp(&b)))
    }

    /// The order by the first kind that both hold, else as text.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let texts = self.text.zip(other.text);
        self.compare_by_kind(other)
            .or_else(|| texts.map(|(a, b)| a.cmp(b)))
    }
}

/// The order of two cells of CSV, and whether they are of one kind. As in comparisons with a literal, `true` and `false`
/// are all words of their meaning, and other words are only themselves.
pub fn compare_cells(cells: [&[u8]; 2], plain: &[Cow<'_, [u8]>; 2]) -> (Ordering, bool) {
    let [a, b] = cells;
    if a == b {
        return (Ordering::Equal, true);
    }
    let [mut x, mut y] = [0, 1].map(|at| TextValue::read(cells[at], &plain[at], Kinds::OF_CELLS));
    let is_literal = |cell: &[u8]| matches!(cell, b"true" | b"false");
    let are_plain = x.is_only_text() && y.is_only_text();
    let are_words = x.truth.is_some() && y.truth.is_some();
    if !is_literal(a) && !is_literal(b) {
        (x.truth, y.truth) = (None, None);
    }
    let order = x.compare_by_kind(&y);
    let fits = are_plain || are_words || order.is_some();
    (order.unwrap_or_else(|| a.cmp(b)), fits)
}

/// A number; also NaN or an infinity.
#[derive(Clone, Debug)]
pub struct Numeric<'a> {
    /// A key that orders NaN and the infinities. Finite numbers have 0, which lies between the keys of the infinities.
    key: i64,
    finite: Option<Number<'a>>,
}

impl<'a> Numeric<'a> {
    /// NaN or an infinity.
    pub fn not_finite(value: f64) -> Self {
        let (key, finite) = (float_key(value), None);
        Self { key, finite }
    }

    /// Reads a number or one of these words.
    pub fn read(text: &'a [u8], words: NumberWords) -> Option<Self> {
        let word = match words {
            NumberWords::Sure => sure_word(text),
            NumberWords::Any => not_finite(text),
        };
        match word {
            Some(value) => Some(Self::not_finite(value)),
            None => Number::read(text).map(|number| Self {
                key: 0,
                finite: Some(number),
            }),
        }
    }

    /// NaN is greater than all others.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (&self.finite, &other.finite) {
            (Some(a), Some(b)) => a.compare(b),
            _ => self.key.cmp(&other.key),
        }
    }
}

fn moment(text: &[u8]) -> Option<Moment> {
    Moment::read(str::from_utf8(text).ok()?)
}
