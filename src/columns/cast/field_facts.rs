//! What the rows of a column show about its type.
//!
//! Rows come in several arrays, and from frames whose types differ. [`FieldFacts`] describes some rows of a column and is
//! joined with the facts about others; `settled` chooses the type in which all of them fit.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};

use super::cells::bool_word;
use super::facts::Facts;
use super::null_words::{is_odd, spelled};
use super::scalars::is_rfc_3339;
use super::target::{Provenance, is_held};
use super::time_forms::TimeForms;
use super::{is_json, is_utf8, json_marks, maps, visible};
use crate::columns::nested::Tag;
use crate::columns::print::ColumnPrinter;
use crate::columns::statistics::{MinMax, Statistics, extremes};
use crate::schema::keys::{NULL, without};
use crate::schema::{Type, any_field};
use crate::text::form::{BoolLiterals, QUOTED_EMPTY, TextForm, form_of, null_of, parse_padded};
use crate::text::time::Pattern;

/// A column's type, and the facts about its values.
#[derive(Clone, Debug)]
pub struct FieldFacts {
    /// The type and text form, to be joined with the ones of other rows.
    pub field: Field,
    /// Facts about all values.
    pub facts: Facts,
    pub(super) from: Provenance,
    /// The text forms of the values, for types that become text if their forms are mixed; `None` for all
    /// other values.
    forms: BTreeSet<Option<String>>,
    /// The zero-padded forms that integers fit by chance, since all in an array have the same number of
    /// digits.
    padded: BTreeSet<String>,
    /// True if the types of rows differ, so that their values decide.
    pub(super) is_mixed: bool,
    /// True if some rows are text that consists of words for null only, and others have another type.
    pub has_words: bool,
    /// The forms of cells of CSV, if all are dates or times.
    pub(super) times: TimeForms,
    /// How nulls are spelled, as far as that is known: the words for null, and "" for empty cells.
    pub(super) words: BTreeSet<String>,
    /// How NaN is spelled, if there is no other value. Next to values that are not numbers, it means null.
    nan_words: BTreeSet<String>,
}

impl FieldFacts {
    /// The type of a column without rows.
    pub fn of_nothing(field: &Field, from: Provenance) -> Self {
        Self {
            field: class(field),
            facts: Facts::of_nothing(),
            from: from.of_column(field),
            forms: BTreeSet::new(),
            padded: BTreeSet::new(),
            is_mixed: false,
            has_words: false,
            times: TimeForms::Unused,
            words: BTreeSet::new(),
            nan_words: BTreeSet::new(),
        }
    }

    /// Adds the facts about an array.
    fn add(&mut self, array: &ArrayRef, field: &Field) {
        let nulls = array.logical_null_count();
        self.add_null_word(field, nulls > 0);
        let has_values = nulls < array.len();
        let by_value = self.from == Provenance::Csv;
        if is_odd(field)
            && let Ok((text, texts)) = spelled(array, field)
        {
            let facts = Facts::of(&texts, &text, self.from);
            if !texts.is_empty() {
                self.times.join(&TimeForms::of(&texts, &text));
            }
            let all = facts.scalars();
            let form = decisive_form(field).or(all.bool_form());
            self.facts.join(&facts);
            // NaN in two spellings, of which one is the word for null.
            if by_value && all.are_only_nan() {
                self.nan_words.extend(first_word(array, field));
            } else if has_values {
                self.forms.insert(form.map(str::to_owned));
            }
        } else {
            let facts = Facts::of(array, field, self.from);
            if by_value && is_utf8(field) && !facts.scalars().has_value {
                self.words.extend(distinct_words(array));
            }
            if by_value && has_values && !facts.scalars().are_only_nan() {
                self.times.join(&TimeForms::of(array, field));
            } else if by_value && has_values {
                self.nan_words.extend(first_word(array, field));
            }
            // Text forms matter only for cells of CSV.
            let width = by_value.then(|| common_width(array, field)).flatten();
            self.add_facts(facts, field, has_values, width);
        }
    }

    fn add_null_word(&mut self, field: &Field, has_nulls: bool) {
        let word = || null_of(field).unwrap_or_default().to_owned();
        self.words.extend(has_nulls.then(word));
    }

    /// Adds facts about rows of `field`. `has_values` is true if some of them are not null, and `width` is the number of
    /// digits that all integers have.
    fn add_facts(&mut self, mut facts: Facts, field: &Field, has_values: bool, width: Option<u8>) {
        // Words for null have no form, nor has NaN, which may be one.
        let all = facts.scalars();
        let is_value = self.from != Provenance::Csv || all.has_value && !all.are_only_nan();
        let form = decisive_form(field).or(all.bool_form());
        if *self.field.data_type() == DataType::Utf8 && *field.data_type() != DataType::Utf8 {
            facts.forget();
        }
        self.facts.join(&facts);
        if !(has_values && is_value) {
            return;
        }
        self.is_mixed |= self.from == Provenance::Csv && is_mixed_instant(field);
        match width.filter(|_| form.is_none()) {
            Some(width) => self.padded.insert(TextForm::Padded(width).to_string()),
            None => self.forms.insert(form.map(str::to_owned)),
        };
    }

    /// The text forms of all values. Integers of one length count as zero-padded digits if other values of
    /// that length are zero-padded, and otherwise as values without a form.
    pub(super) fn all_forms(&self) -> impl Iterator<Item = Option<&str>> {
        let is_number = |form: &String| !self.forms.contains(&Some(form.clone()));
        let has_numbers = self.padded.iter().any(is_number);
        let adds_none = has_numbers && !self.forms.contains(&None);
        let forms = self.forms.iter().map(Option::as_deref);
        forms.chain(adds_none.then_some(None))
    }

    /// The type and facts of all arrays of a column; there may be none.
    pub fn of_all<'a>(
        arrays: impl IntoIterator<Item = &'a ArrayRef>,
        field: &Field,
        from: Provenance,
    ) -> Self {
        let mut known = Self::of_nothing(field, from);
        for array in arrays {
            known.add(array, field);
            // Further arrays cannot change this result.
            if is_utf8(field) && known.facts.scalars().is_none() && known.times.are_none() {
                break;
            }
        }
        known
    }

    /// The type and facts of a column with these statistics; `None` if its values have to be read. `both` has the minimum
    /// and the maximum.
    pub fn of_statistics(
        field: &Field,
        statistics: &Statistics,
        both: Option<&ArrayRef>,
        rows: usize,
        from: Provenance,
    ) -> Option<Self> {
        let mut known = Self::of_nothing(field, from);
        let has_nulls = statistics.nulls != Some(0);
        known.add_null_word(field, has_nulls);
        known = known.with_gaps(has_nulls);
        if statistics.nulls == Some(rows as u64) || *field.data_type() == DataType::Null {
            return Some(known);
        }
        if is_odd(field) {
            return None;
        }
        let extremes = statistics.extremes.as_ref()?;
        let mut field = field.clone();
        if known.is_json()
            && let MinMax::Strings { least, .. } = extremes
        {
            // All values are of one kind.
            let kind = least.first().copied().and_then(Tag::of);
            json_marks::set_kind(&mut field, kind);
            json_marks::set_kind(&mut known.field, kind);
        }
        let field = &field;
        let facts = Facts::of_extremes(extremes, both, field, known.from)?;
        // The minimum and maximum do not show whether the day or the month comes first.
        known.times = TimeForms::of_type(field);
        if known.times.may_be_exchanged() {
            return None;
        }
        let width = both.and_then(|both| common_width(both, field));
        known.add_facts(facts, field, true, width);
        Some(known)
    }

    /// True if the values of rows, all of this type, decide to which type they are cast.
    pub fn depends_on_values(&self) -> bool {
        match self.from {
            Provenance::Typed => false,
            Provenance::Csv if is_utf8(&self.field) => true,
            Provenance::Csv | Provenance::Json => any_field(&self.field, |it| {
                it.data_type().is_decimal() || is_json(it) || maps::depends_on_counts(it)
            }),
        }
    }

    /// True for values of JSON, whose kinds are kept.
    pub fn is_json(&self) -> bool {
        self.from == Provenance::Json
    }

    /// Marks what the nulls of the rows mean. Typed columns may come from JSON, too.
    #[must_use]
    pub fn with_gaps(mut self, has_nulls: bool) -> Self {
        if has_nulls && self.from != Provenance::Csv {
            self.field = json_marks::with_nulls(self.field);
        }
        self
    }

    /// True for text that consists of words for null only.
    pub fn is_words(&self) -> bool {
        let all = self.facts.scalars();
        let is_text = is_utf8(&self.field) && !is_held(&self.field);
        self.from == Provenance::Csv && is_text && !all.has_value && !all.has_nan
    }

    /// True if all values are digits padded with zeros to one length.
    pub(super) fn is_padded(&self) -> bool {
        let mut forms = self.all_forms();
        let is_padded = |form: Option<&str>| form.and_then(parse_padded).is_some();
        forms.next().is_some_and(is_padded) && forms.next().is_none() && is_utf8(&self.field)
    }

    /// True if all values mean null next to the values of `other`.
    pub fn is_null_beside(&self, other: &Self) -> bool {
        let is_nan = |it: &Self| it.facts.scalars().are_only_nan();
        let is_number =
            |it: &Self| it.field.data_type().is_numeric() || is_nan(it) || it.is_padded();
        self.is_words() || self.from == Provenance::Csv && is_nan(self) && !is_number(other)
    }

    /// Joins the facts about the cells of later rows. The result is the same as for one text with all of
    /// these cells.
    pub fn join_cells(&mut self, other: &Self) {
        let is_known = |it: &Self, beside: &Self| {
            *it.field.data_type() != DataType::Null && !it.is_null_beside(beside)
        };
        let differ = self.field.data_type() != other.field.data_type()
            || form_of(&self.field) != form_of(&other.field);
        self.is_mixed |= other.is_mixed || differ && is_known(self, other) && is_known(other, self);
        self.facts.join(&other.facts);
        self.times.join(&other.times);
        self.words.extend(other.words.iter().cloned());
        self.nan_words.extend(other.nan_words.iter().cloned());
        self.forms.extend(other.forms.iter().cloned());
        self.padded.extend(other.padded.iter().cloned());
        if self.all_forms().count() > 1 && self.from == Provenance::Csv {
            self.is_mixed = true;
            self.facts.forget();
        }
    }

    /// Adds the spellings of NaN to the words for null, if other values show that it means null.
    pub fn add_nan_words(&mut self) {
        if !self.facts.scalars().are_only_nan() {
            self.words.append(&mut self.nan_words);
        }
    }
}

/// True for the type of zero-padded digits, which other formats store as text.
pub(super) fn is_padded(field: &Field) -> bool {
    *field.data_type() == DataType::Int64 && form_of(field).is_some()
}

/// The text form, if the column becomes text when it also has cells of another form. Numbers, instants in RFC
/// 3339 and the usual words for true and false do not: they have the same values in any form.
fn decisive_form(field: &Field) -> Option<&str> {
    let form = form_of(field)?;
    let is_decisive = match field.data_type() {
        DataType::Boolean => {
            let literals = BoolLiterals::parse(form);
            literals.is_none_or(|literals| bool_word(literals.words[0].as_bytes()).is_none())
        }
        DataType::Date32 | DataType::Date64 | DataType::Time32(_) | DataType::Time64(_) => true,
        DataType::Timestamp(_, zone) => zone.is_none() || !is_rfc_3339(field),
        _ => is_padded(field),
    };
    is_decisive.then_some(form)
}

/// True for instants whose fractions differ in length, as they may between frames.
fn is_mixed_instant(field: &Field) -> bool {
    let is_instant = matches!(field.data_type(), DataType::Timestamp(_, Some(_)));
    let pattern = form_of(field).filter(|_| is_instant);
    let pattern = pattern.and_then(Pattern::compile);
    pattern.is_some_and(|it| it.fraction_digits().is_none())
}

/// The number of digits of integers without a text form, if it is the same for all and none has a sign.
fn common_width(array: &dyn Array, field: &Field) -> Option<u8> {
    let integers = array.as_primitive_opt::<Int64Type>();
    let integers = integers.filter(|_| form_of(field).is_none())?;
    let (least, greatest) = extremes(integers.iter().flatten())?;
    let width = |value: i64| (value >= 0).then(|| value.checked_ilog10().unwrap_or(0) as u8 + 1);
    width(least).filter(|least| width(greatest) == Some(*least))
}

/// The text of the first value.
fn first_word(array: &ArrayRef, field: &Field) -> Option<String> {
    let column = ColumnPrinter::new(array, field).ok()?;
    let row = (0..array.len()).find(|&row| !column.is_null(row))?;
    let mut word = Vec::new();
    column.cells.print(row, &mut word);
    String::from_utf8(word).ok()
}

/// The distinct words, at most two. The empty text is a quoted empty cell.
fn distinct_words(array: &ArrayRef) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Some(texts) = array.as_string_opt::<i32>() {
        for text in texts.iter().flatten() {
            let word = if text.is_empty() { QUOTED_EMPTY } else { text };
            if found.len() < 2 && !found.contains(word) {
                found.insert(word.to_owned());
            }
        }
    }
    found
}

/// The field to join with others. A column whose null word may be a value, or of zero-padded digits, takes
/// part as text.
fn class(field: &Field) -> Field {
    if is_odd(field) || is_padded(field) {
        return Type::Utf8.field(field.name());
    }
    without(visible(field), &[NULL])
}
