//! Dates and times in text whose forms differ between rows or frames.
//!
//! The form of a frame may differ from the form of its neighbors: without single-digit days and months, dates
//! look zero-padded, and in a frame of `01/02/2024`, nothing shows which number is the month, so it is text.
//! The other frames decide. Forms that differ only in zero padding, in short and long names of months, or in the digits
//! of microseconds, count as one in CSV, because a cell means the same time in all of them. Strings of JSON are
//! dates or times only if one form prints all of them.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::Array;
use arrow_schema::{DataType, Field};

use super::by_value::{Nan, means_null};
use crate::columns::print::{ColumnPrinter, Slices};
use crate::schema::keys::{FORM, stated_facts, with};
use crate::schema::{Type, offset_of};
use crate::text::form::{TextForm, default_pattern, form_of};
use crate::text::time::{ANY_FRACTION, Pattern, guess};

/// Conversions with and without padding.
const PADDED: [[&str; 2]; 4] = [["%d", "%-d"], ["%m", "%-m"], ["%H", "%-H"], ["%I", "%-I"]];

/// Conversions to short and long names, which are the same for May.
const NAMES: [[&str; 2]; 2] = [["%b", "%B"], ["%a", "%A"]];

/// The forms in which all cells so far are dates or times without a zone.
#[derive(Clone, Debug)]
pub enum TimeForms {
    /// There is no cell.
    Unused,
    /// All cells have these forms; there are several if no cell shows which number is the month.
    Of(Vec<TimeForm>),
    /// Some cell is not a date or time.
    Others,
}

/// A form of dates or times, with or without zero padding.
#[derive(Clone, Debug)]
pub struct TimeForm {
    /// The pattern with all padding, short names and any fraction.
    padded: String,
    /// The pattern with and without padding, and with short and long names.
    variants: Vec<Arc<Pattern>>,
    /// How many digits fractions of a second have, if the variants read any number.
    digits: Option<Digits>,
    /// Seconds ahead of UTC.
    offset: i32,
}

/// The number of digits of fractions of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    Same(u8),
    Mixed,
}

impl Digits {
    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }

    /// The digits of a cell.
    fn of(cell: &[u8]) -> Self {
        let point = memchr::memchr_iter(b'.', cell).find(|&at| at >= 3 && cell[at - 3] == b':');
        let fraction = point.map_or(&[][..], |at| &cell[at + 1..]);
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit());
        Self::Same(digits.count() as u8)
    }

    /// The fraction of a pattern for these digits.
    fn pattern(self) -> String {
        match self {
            Self::Same(0) => String::new(),
            Self::Same(digits) => format!("%.{digits}f"),
            Self::Mixed => ANY_FRACTION.to_owned(),
        }
    }
}

/// The pattern with all padding, short names and, if it can have one, any fraction: the same for forms that a time may
/// have in different frames.
pub fn general_form(pattern: &str) -> String {
    let padded = pattern.replace("%-", "%");
    let padded = NAMES
        .iter()
        .fold(padded, |it, [short, long]| it.replace(long, short));
    let any = Pattern::compile(&padded).and_then(|it| it.with_any_fraction());
    any.map_or(padded, |any| any.text().to_owned())
}

impl TimeForm {
    /// A form with all variants of its padding, its names and the digits of its fraction. `None` if it has a zone: such
    /// times are timestamps.
    fn new(pattern: &str) -> Option<Self> {
        let padded = general_form(pattern);
        let pattern = Pattern::compile(pattern)?;
        let digits = padded.contains(ANY_FRACTION).then(|| {
            let digits = pattern.fraction_digits();
            digits.map_or(Digits::Mixed, Digits::Same)
        });
        let mut texts = vec![padded.clone()];
        for [one, other] in PADDED.iter().chain(&NAMES) {
            for at in 0..texts.len() {
                let text = texts[at].replace(one, other);
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        let variants = texts.iter().filter_map(|text| {
            let pattern = Pattern::compile(text)?;
            Some(Arc::new(pattern.with_any_fraction().unwrap_or(pattern)))
        });
        let has_zone = pattern.has_offset() || pattern.is_utc();
        (!has_zone).then(|| Self {
            variants: variants.collect(),
            padded,
            digits,
            offset: 0,
        })
    }

    /// A form that accepts only this pattern, not other padding, names of months or fractions.
    fn exact(pattern: Pattern, offset: i32) -> Self {
        Self {
            padded: pattern.text().to_owned(),
            variants: vec![Arc::new(pattern.with_offset(offset))],
            digits: None,
            offset,
        }
    }

    /// The form of JSON strings that have become values of this field; `None` if its type has no form.
    pub fn of_field(field: &Field) -> Option<Self> {
        default_pattern(field.data_type())?;
        let pattern = Pattern::compile(form_of(field)?)?;
        Some(Self::exact(pattern, offset_of(field.data_type())))
    }

    /// A field for values in this form, which is stated unless it is the default.
    pub fn field(&self, name: &str) -> Field {
        let field = Field::new(name, self.data_type(), true);
        with(field, FORM, self.variants[0].text())
    }

    /// True if the forms disagree only about which number is the month.
    pub fn is_exchanged(&self, other: &Self) -> bool {
        let new = |form: &Self| Self::new(form.variants[0].text());
        let exchanged = self.exchanged().and_then(|exchanged| new(&exchanged));
        exchanged.is_some_and(|one| new(other).is_some_and(|other| other.is_like(&one)))
    }

    /// True if the forms differ in nothing but padding, names and fractions.
    fn is_like(&self, other: &Self) -> bool {
        self.padded == other.padded && self.offset == other.offset
    }

    /// Parses a cell as a value of the [type](Self::data_type).
    pub fn read(&self, cell: &[u8]) -> Option<i64> {
        let value = self
            .variants
            .iter()
            .find_map(|it| it.read(cell, self.offset))?;
        let micros = match self.digits {
            Some(Digits::Same(0)) => 1_000_000,
            Some(Digits::Same(1..=3)) => 1_000,
            Some(_) | None => 1,
        };
        (value % micros == 0).then_some(value / micros)
    }

    /// Keeps a form that reads the cell.
    fn add(&mut self, cell: &[u8]) -> bool {
        self.digits = self.digits.map(|digits| digits.and(Digits::of(cell)));
        let mut variants = self.variants.iter();
        variants.any(|it| it.read(cell, self.offset).is_some())
    }

    /// The pattern with all padding.
    fn text(&self) -> Cow<'_, str> {
        match self.digits {
            Some(digits) => Cow::Owned(self.padded.replace(ANY_FRACTION, &digits.pattern())),
            None => Cow::Borrowed(&self.padded),
        }
    }

    /// The Arrow type of the values.
    pub fn data_type(&self) -> DataType {
        let pattern = Pattern::compile(&self.text()).map(Arc::new);
        let form = TextForm::Time {
            pattern: pattern.unwrap_or_else(|| Arc::clone(&self.variants[0])),
            offset: self.offset,
        };
        form.data_type()
    }

    /// The same form with day and month exchanged.
    fn exchanged(&self) -> Option<Self> {
        let exchanged = self.variants[0].with_day_and_month_exchanged()?;
        if self.variants.len() == 1 {
            return Some(Self::exact(exchanged, self.offset));
        }
        let exchanged = Self::new(exchanged.text())?;
        Some(Self {
            digits: self.digits,
            ..exchanged
        })
    }
}

impl TimeForms {
    /// The forms of the valid cells of a column of CSV, which has at least one.
    pub fn of(array: &dyn Array, field: &Field) -> Self {
        if Type::of(field) != Some(Type::Utf8) {
            return Self::of_times(array, field);
        }
        match stated_facts(field) {
            Some(mark) => Self::of_mark(mark),
            None => Self::of_texts(array),
        }
    }

    /// The form of a column that is not text.
    pub fn of_type(field: &Field) -> Self {
        let default = default_pattern(field.data_type());
        let form = default.and_then(|default| TimeForm::new(form_of(field).unwrap_or(default)));
        form.map_or(Self::Others, |form| Self::Of(vec![form]))
    }

    /// The forms in which all strings of a column of JSON would be printed as they are.
    pub fn of_strings(array: &dyn Array, field: &Field) -> Self {
        let is_text = *field.data_type() == DataType::Utf8 && Type::of(field) == Some(Type::Utf8);
        let default = default_pattern(field.data_type());
        let mut rows = (0..array.len()).filter(|&row| array.is_valid(row));
        let Some(first) = rows.next() else {
            return Self::Unused;
        };
        let own = default.map(|default| form_of(field).unwrap_or(default));
        let Ok(column) = ColumnPrinter::new(array, field) else {
            return Self::Others;
        };
        if !is_text && own.is_none() {
            return Self::Others;
        }
        let mut cell = Vec::new();
        column.cells.print(first, &mut cell);
        let guessed = guess(&cell);
        let optional = guessed.iter().flat_map(Pattern::with_optional_fractions);
        let own = own.and_then(Pattern::compile);
        let mut forms: Vec<TimeForm> = Vec::new();
        for pattern in own
            .into_iter()
            .chain(guessed.iter().cloned())
            .chain(optional)
        {
            let Some(offset) = pattern.offset_of(&cell) else {
                continue;
            };
            let form = TimeForm::exact(pattern, offset);
            if !forms.iter().any(|known| known.is_like(&form)) {
                forms.push(form);
            }
        }
        // The own form prints all.
        let least = usize::from(!is_text);
        for row in rows {
            if forms.len() <= least {
                break;
            }
            cell.clear();
            column.cells.print(row, &mut cell);
            forms.retain(|form| form.read(&cell).is_some());
        }
        Self::new(forms)
    }

    /// True if the cells fit several forms.
    pub fn are_several(&self) -> bool {
        matches!(self, Self::Of(forms) if forms.len() > 1)
    }

    /// True if there is a form that differs only in the order of day and month. Only the cells show whether
    /// it fits, too.
    pub fn may_be_exchanged(&self) -> bool {
        matches!(self, Self::Of(forms) if forms.iter().any(|form| form.exchanged().is_some()))
    }

    /// The form of dates and times, and the exchanged one if it reads the same cells, such as `05/05/2024`.
    fn of_times(array: &dyn Array, field: &Field) -> Self {
        let mut times = Self::of_type(field);
        if let Self::Of(forms) = &mut times
            && let Some(exchanged) = forms.first().and_then(TimeForm::exchanged)
            && let Ok(column) = ColumnPrinter::new(array, field)
        {
            let mut cell = Vec::new();
            let mut is_read = |row| {
                cell.clear();
                column.cells.print(row, &mut cell);
                exchanged.read(&cell).is_some()
            };
            if (0..array.len()).all(|row| array.is_null(row) || is_read(row)) {
                forms.push(exchanged);
            }
        }
        times
    }

    /// The names in a mark of the forms, in order of preference: `time(%d/%m/%Y)`, with `_` for spaces.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let forms = match self {
            Self::Of(forms) => &forms[..],
            Self::Unused | Self::Others => &[],
        };
        let name = |form: &TimeForm| format!("time({})", form.text().replace(' ', "_"));
        forms.iter().map(name)
    }

    /// Reads [`Self::names`].
    fn of_mark(mark: &str) -> Self {
        let pattern = |name: &str| {
            name.strip_prefix("time(")?
                .strip_suffix(')')
                .map(str::to_owned)
        };
        let patterns = mark.split(' ').filter_map(pattern);
        let forms = patterns.filter_map(|pattern| TimeForm::new(&pattern.replace('_', " ")));
        Self::new(forms.collect())
    }

    /// The forms that fit all cells but words for null: those guessed from the first cell that can read all
    /// others.
    fn of_texts(texts: &dyn Array) -> Self {
        let Some(slices) = Slices::of(texts) else {
            return Self::Others;
        };
        let rows = (0..texts.len()).filter(|&row| texts.is_valid(row));
        let cells = rows.map(|row| slices.row(row));
        let mut cells = cells.filter(|cell| !means_null(cell, Nan::Null));
        let Some(first) = cells.next() else {
            return Self::Unused;
        };
        let mut forms: Vec<TimeForm> = Vec::new();
        for pattern in guess(first) {
            if let Some(form) = TimeForm::new(pattern.text())
                && !forms.iter().any(|known| known.is_like(&form))
            {
                forms.push(form);
            }
        }
        for cell in cells {
            if forms.is_empty() {
                break;
            }
            forms.retain_mut(|form| form.add(cell));
        }
        Self::new(forms)
    }

    fn new(forms: Vec<TimeForm>) -> Self {
        if forms.is_empty() {
            Self::Others
        } else {
            Self::Of(forms)
        }
    }

    /// Keeps the forms that `other` has, too.
    pub fn join(&mut self, other: &Self) {
        match (&mut *self, other) {
            (_, Self::Unused) | (Self::Others, _) => {}
            (Self::Unused, _) | (_, Self::Others) => *self = other.clone(),
            (Self::Of(forms), Self::Of(others)) => {
                forms.retain_mut(|form| {
                    let other = others.iter().find(|it| it.is_like(form));
                    let digits = form.digits.zip(other.and_then(|other| other.digits));
                    form.digits = digits.map(|(one, other)| one.and(other));
                    other.is_some()
                });
                *self = Self::new(std::mem::take(forms));
            }
        }
    }

    /// The most likely form; `None` if the form with day and month exchanged fits as well.
    pub fn decided(&self) -> Option<&TimeForm> {
        let Self::Of(forms) = self else {
            return None;
        };
        let (first, others) = forms.split_first()?;
        let exchanged = first.exchanged();
        let is_exchanged = |other: &TimeForm| {
            let exchanged = exchanged.as_ref();
            exchanged.is_some_and(|exchanged| exchanged.is_like(other))
        };
        (!others.iter().any(is_exchanged)).then_some(first)
    }

    /// True if some cell is not a date or time, which later cells cannot change.
    pub fn are_none(&self) -> bool {
        matches!(self, Self::Others)
    }
}
