//! Chooses the type of a column from the facts about all of its rows, and casts rows to it.
//!
//! Rows come in several arrays, and from frames whose types differ. [`FieldFacts`] describes some rows of a column and is
//! joined with that of others; [`Settled`] is the type in which all of them fit.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::by_value::{all_texts, cast_times};
use super::cells::{DecimalMark, bool_word, text_field};
use super::facts::Facts;
use super::null_words::{is_null_word, is_odd, spelled};
use super::scalars::{Fact, Scalars, is_all_nan, is_rfc_3339};
use super::target::{Provenance, is_held};
use super::time_forms::{TimeForm, TimeForms};
use super::{cast, is_json, is_utf8, null_kind, visible};
use crate::columns::lists::with_fields;
use crate::columns::print::ColumnPrinter;
use crate::columns::print::json::is_nested;
use crate::columns::statistics::{Statistics, extremes};
use crate::error::{Error, Result};
use crate::schema::keys::{FIXED, FORM, NULL, is_hidden, is_variant, states_facts};
use crate::schema::{EXTENSION_NAME, Type, any_field};
use crate::text::form::{
    self, BoolLiterals, QUOTED_EMPTY, TextForm, form_of, null_of, parse_padded,
};

/// A column's type, and the facts about its values.
#[derive(Clone, Debug)]
pub struct FieldFacts {
    /// The type and text form, to be joined with those of other rows.
    pub field: Field,
    /// Facts about all values.
    pub facts: Facts,
    from: Provenance,
    /// The text forms of the values, as far as cells of different forms are text; `None` for values of other forms.
    forms: BTreeSet<Option<String>>,
    /// The forms of zero-padded digits that integers have by chance.
    padded: BTreeSet<String>,
    /// True if the types of rows differ, so that their values decide.
    is_mixed: bool,
    /// True if some rows are text of nothing but words for null, and others have another type.
    pub has_words: bool,
    /// The forms of cells of CSV, if all are dates or times.
    times: TimeForms,
    /// How nulls are spelled, as far as that is known: the words for null, and "" for empty cells.
    words: BTreeSet<String>,
    /// How NaN is spelled, if there is no other value. Beside values that are not numbers, it means null.
    nan_words: BTreeSet<String>,
}

/// The result of choosing a type for a column.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules")]
pub struct Settled {
    /// Name and type.
    pub field: Field,
    /// Words for null become text.
    pub spells_nulls: bool,
    /// Words for null become text even among zero-padded digits.
    pub spells_all: bool,
    /// Values become text before they become bytes, since other rows are text that is not UTF-8.
    pub spells_values: bool,
    /// The type is that of the text of all values, so values that it takes only from text become text first.
    pub by_value: bool,
    /// Text of nothing but words for null becomes nulls, since other rows have another type.
    pub drops_words: bool,
    /// The form in which text becomes dates or times.
    pub time: Option<TimeForm>,
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
            let facts = Facts::of(&texts, &text, by_value);
            if !texts.is_empty() {
                self.times.join(&TimeForms::of(&texts, &text));
            }
            let form = decisive_form(field).or(facts.scalars().bool_form());
            self.facts.join(&facts);
            self.forms
                .extend(has_values.then(|| form.map(str::to_owned)));
        } else {
            let facts = Facts::of(array, field, by_value);
            if by_value && is_utf8(field) && !facts.scalars().has_value {
                self.words.extend(distinct_words(array));
            }
            if by_value && has_values && !facts.scalars().are_only_nan() {
                self.times.join(&TimeForms::of(array, field));
            } else if by_value && has_values {
                self.nan_words.extend(first_word(array, field));
            }
            // Only forms of CSV decide anything.
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
        match width.filter(|_| form.is_none()) {
            Some(width) => self.padded.insert(TextForm::Padded(width).to_string()),
            None => self.forms.insert(form.map(str::to_owned)),
        };
    }

    /// The text forms of all values. Integers are zero-padded digits beside others of that length.
    fn all_forms(&self) -> impl Iterator<Item = Option<&str>> {
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
            // Nothing that follows can change this.
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
        if known.is_json() && has_nulls {
            known.field = null_kind::with_nulls(known.field);
        }
        if statistics.nulls == Some(rows as u64) || *field.data_type() == DataType::Null {
            return Some(known);
        }
        if is_odd(field) {
            return None;
        }
        let extremes = statistics.extremes.as_ref()?;
        let by_value = known.from == Provenance::Csv;
        let facts = Facts::of_extremes(extremes, both, field, by_value)?;
        // Text of dates is not decided.
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
            Provenance::Csv | Provenance::Json => {
                any_field(&self.field, |it| it.data_type().is_decimal() || is_json(it))
            }
        }
    }

    /// The type before it is joined with that of other rows: numbers in text of JSON are numbers.
    #[must_use]
    pub fn for_joining(mut self) -> Self {
        if self.is_json() && any_field(&self.field, is_json) {
            self.field = each_field(&self.field, &self.facts, numbers);
        }
        self
    }

    /// The type after it was joined with those of all other rows.
    #[must_use]
    pub fn joined(mut self) -> Self {
        if self.is_json() {
            self.field = each_field(&null_kind::unmark(&self.field), &self.facts, arranged);
        }
        self
    }

    /// True for values of JSON, whose kinds are kept.
    pub fn is_json(&self) -> bool {
        self.from == Provenance::Json
    }

    /// True for text of nothing but words for null.
    pub fn is_words(&self) -> bool {
        let all = self.facts.scalars();
        let is_text = is_utf8(&self.field) && !is_held(&self.field);
        self.from == Provenance::Csv && is_text && !all.has_value && !all.has_nan
    }

    /// True if all values are digits padded with zeros to one length.
    fn is_padded(&self) -> bool {
        let mut forms = self.all_forms();
        let is_padded = |form: Option<&str>| form.and_then(parse_padded).is_some();
        forms.next().is_some_and(is_padded) && forms.next().is_none() && is_utf8(&self.field)
    }

    /// True if all values mean null beside those of `other`.
    pub fn is_null_beside(&self, other: &Self) -> bool {
        let is_nan = |it: &Self| it.facts.scalars().are_only_nan();
        let is_number =
            |it: &Self| it.field.data_type().is_numeric() || is_nan(it) || it.is_padded();
        self.is_words() || self.from == Provenance::Csv && is_nan(self) && !is_number(other)
    }

    /// Joins the facts about the cells of later rows. The type of cells is that of one text with all of them.
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

    /// Joins later rows, whose column may come from another source.
    pub fn join_provenance(&mut self, other: &Self) {
        // Some cells are bytes, which makes bytes of all others.
        let has_bytes = |it: &Self| it.from == Provenance::Csv && is_held(&it.field);
        if has_bytes(self) || has_bytes(other) {
            self.from = Provenance::Csv;
        } else if self.from != other.from {
            self.from = Provenance::Typed;
        }
    }

    /// The type with which all rows print exactly as before.
    pub fn settle_exactly(&self) -> Settled {
        let mut exact = Self {
            from: Provenance::Typed,
            ..self.clone()
        };
        if self.has_words {
            exact.field = Type::Utf8.field(self.field.name());
        }
        exact.settle()
    }

    /// The type that tools compute with.
    pub fn settle(&self) -> Settled {
        self.settle_with(computable)
    }

    /// The exact type, except that text gets the type of its values.
    pub fn settle_texts(&self) -> Settled {
        self.settle_with(numbers)
    }

    fn settle_with(&self, change: fn(&Field, &Facts) -> Field) -> Settled {
        let is_text = is_utf8(&self.field);
        // One text of all cells is text if it has several words for null, too.
        let has_one_word = self.words.len() <= 1;
        let is_by_value = self.from == Provenance::Csv
            && !is_held(&self.field)
            && (is_text || self.is_mixed || !has_one_word);
        if let Some(time) = self.times.decided().filter(|_| is_by_value) {
            let field = Field::new(self.field.name(), time.data_type(), true);
            return Settled {
                drops_words: self.has_words,
                time: Some(time.clone()),
                ..Settled::plain(field)
            };
        }
        let field = match self.from {
            Provenance::Typed => self.field.clone(),
            Provenance::Csv if is_text => type_by_value(&self.field, &self.facts),
            Provenance::Csv if is_by_value => {
                type_by_value(&Type::Utf8.field(self.field.name()), &self.facts)
            }
            Provenance::Csv | Provenance::Json => each_field(&self.field, &self.facts, change),
        };
        let is_bytes = is_text && Type::of(&field) == Some(Type::Bytes);
        // Instants in text.
        let field = match field.data_type() {
            DataType::Timestamp(_, Some(_)) if is_by_value && !has_one_word => {
                Type::Timestamp.field(field.name())
            }
            _ => field,
        };
        let field = without(field, &[FORM]);
        // With one word for null, zero-padded digits are a type, whose word is null; with several, all cells are text.
        let keeps_nulls = self.is_padded() && has_one_word;
        let is_typed = !holds_text(&field) || keeps_nulls;
        Settled {
            spells_nulls: is_bytes || is_utf8(&field) && !keeps_nulls,
            spells_all: self.all_forms().count() > 1 || !has_one_word,
            spells_values: is_bytes,
            by_value: is_by_value,
            drops_words: self.has_words && is_typed,
            ..Settled::plain(field)
        }
    }
}

/// The schema for some rows of CSV, where columns of text that are `wanted` are marked with the facts about all rows.
/// Otherwise rows without text would be read as numbers, and words for null without numbers as text. `batches` are all
/// rows.
pub fn with_facts_stated(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    from: Provenance,
    wanted: impl Fn(usize, &Field) -> bool,
) -> SchemaRef {
    let mut fields = schema.fields().to_vec();
    let mut is_changed = false;
    for (at, field) in fields.iter_mut().enumerate() {
        // Text that is not UTF-8 is bytes, whichever rows are kept.
        let is_text = is_utf8(field) && !is_hidden(field) && !is_held(field);
        let is_cells = (is_text || is_odd(field)) && from.of_column(field) == Provenance::Csv;
        if !is_cells || states_facts(field) || !wanted(at, field) {
            continue;
        }
        let arrays = batches.iter().map(|batch| batch.column(at));
        let known = FieldFacts::of_all(arrays, field, from);
        let is_comma = DecimalMark::of(field).is_comma;
        if let Some(mark) = known.facts.scalars().mark(known.times.names(), is_comma) {
            *field = Arc::new(form::with((**field).clone(), FIXED, &mark));
            is_changed = true;
        }
    }
    if is_changed {
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    } else {
        Arc::clone(schema)
    }
}

impl Settled {
    /// A type in which words for null become nulls.
    pub fn plain(field: Field) -> Self {
        Self {
            field,
            spells_nulls: false,
            spells_all: false,
            spells_values: false,
            by_value: false,
            drops_words: false,
            time: None,
        }
    }

    /// Casts the arrays of `from` to this type.
    ///
    /// # Errors
    /// As [`cast_column`].
    pub fn cast_all(
        self,
        from: &FieldRef,
        arrays: Vec<ArrayRef>,
    ) -> Result<(FieldRef, Vec<ArrayRef>)> {
        if self.field == **from {
            return Ok((Arc::clone(from), arrays));
        }
        let arrays = arrays
            .iter()
            .map(|array| {
                self.cast(array, from)?.ok_or_else(|| {
                    let what = format!(
                        "cannot store {} as {}",
                        from.data_type(),
                        self.field.data_type()
                    );
                    Error::input(what).in_column(from.name())
                })
            })
            .collect::<Result<_>>()?;
        Ok((self.field.into(), arrays))
    }

    /// Casts an array of `from` to this type; `None` if a value would be lost.
    ///
    /// # Errors
    /// As [`cast_column`].
    pub fn cast(&self, array: &ArrayRef, from: &Field) -> Result<Option<ArrayRef>> {
        let is_text = matches!(Type::of(&self.field), Some(Type::Utf8 | Type::Bytes));
        let spells = self.spells_nulls && is_text && from.metadata().contains_key(NULL);
        // Zero-padded digits become text because of their type, so their nulls stay null unless there are other values.
        if is_odd(from) || spells && (self.spells_all || !is_padded(from)) {
            // The word may be a value of the type, as `Infinity` is.
            let (text, texts) = spelled(array, from)?;
            return cast(&texts, &text, &self.field);
        }
        if self.spells_values && *from.data_type() != DataType::Binary {
            let text = Type::Utf8.field(from.name());
            let texts = cast(array, from, &text)?;
            return texts.map_or(Ok(None), |texts| cast(&texts, &text, &self.field));
        }
        let is_text = is_utf8(from);
        if let Some(time) = self.time.as_ref().filter(|_| is_text) {
            return Ok(cast_times(array, time));
        }
        // Among doubles, `nan` is a value.
        let drops_words = self.drops_words && !self.field.data_type().is_floating();
        if drops_words && is_text && all_texts(array, is_null_word) {
            let nulls = new_null_array(self.field.data_type(), array.len());
            return Ok(Some(nulls));
        }
        // NaN alone may be null among values of other rows that are not doubles.
        let holds_nan = is_text || self.field.data_type().is_floating() || holds_text(&self.field);
        if !holds_nan && is_all_nan(array) {
            let nulls = new_null_array(self.field.data_type(), array.len());
            return Ok(Some(nulls));
        }
        let found = cast(array, from, &self.field)?;
        if found.is_some() || is_text || !self.by_value {
            return Ok(found);
        }
        let text = text_field(from);
        let texts = cast(array, from, &text)?;
        texts.map_or(Ok(None), |texts| cast(&texts, &text, &self.field))
    }
}

/// The type that fits the content of all cells of CSV text.
pub(super) fn type_by_value(field: &Field, facts: &Facts) -> Field {
    let all = facts.scalars();
    let name = field.name();
    if is_held(field) {
        // Text that is not UTF-8.
        Type::Bytes.field(name)
    } else if !all.has_value {
        // A column of nothing but words for null has no better type.
        field.clone()
    } else if let Some(number) = all.number_type() {
        Field::new(name, number, true)
    } else if all.are_bools() {
        Type::Bool.field(name)
    } else if let Some(unit) = all.instant_unit() {
        Field::new(name, DataType::Timestamp(unit, Some("UTC".into())), true)
    } else if all.are(Fact::Uuid) {
        Type::Uuid.field(name)
    } else {
        field.clone()
    }
}

/// The type with which tools compute: numbers become doubles if no digit is lost, and decimals otherwise get a width that
/// tools support.
fn computable(field: &Field, facts: &Facts) -> Field {
    let all = facts.scalars();
    match field.data_type() {
        DataType::Decimal32(..) | DataType::Decimal64(..) if all.are(Fact::ShortDouble) => {
            field.clone().with_data_type(DataType::Float64)
        }
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            let wide = DataType::Decimal128(*precision, *scale);
            field.clone().with_data_type(wide)
        }
        DataType::Decimal128(_, scale) if *scale > 0 && all.are(Fact::ShortDouble) => {
            field.clone().with_data_type(DataType::Float64)
        }
        _ => numbers(field, facts),
    }
}

/// Replaces JSON texts that are numbers, in a mixture of forms (`1.50`, `2`, `2.5`), by doubles if no digit is lost.
fn numbers(field: &Field, facts: &Facts) -> Field {
    if Type::of(field) != Some(Type::Json) || !is_all_numbers(facts.scalars()) {
        return field.clone();
    }
    let mut field = field.clone().with_data_type(DataType::Float64);
    field.metadata_mut().remove(EXTENSION_NAME);
    field
}

pub(super) fn is_all_numbers(all: Scalars) -> bool {
    all.has_value && all.are(Fact::Double)
}

/// Sorts the members of objects to an order that agrees with all of them. Numbers lose their form, which may differ
/// from frame to frame.
fn arranged(field: &Field, facts: &Facts) -> Field {
    let members = match field.data_type() {
        DataType::Struct(members) if !is_variant(field) => members,
        number if number.is_numeric() => return without(field.clone(), &[FORM]),
        _ => return field.clone(),
    };
    let places: HashMap<&str, usize> = facts.keys().in_order().zip(0..).collect();
    let mut members: Vec<FieldRef> = members.iter().cloned().collect();
    members.sort_by_key(|member| places.get(&**member.name()).copied());
    field
        .clone()
        .with_data_type(DataType::Struct(members.into()))
}

/// Changes the fields inside a column, then the column itself.
fn each_field(field: &Field, facts: &Facts, change: fn(&Field, &Facts) -> Field) -> Field {
    each_field_of_kind(field, facts.kind(field), change)
}

fn each_field_of_kind(field: &Field, facts: &Facts, change: fn(&Field, &Facts) -> Field) -> Field {
    let one = |child: &FieldRef| {
        let facts = facts.child(child.name());
        Arc::new(if is_variant(field) {
            each_field_of_kind(child, facts, change)
        } else {
            each_field(child, facts, change)
        })
    };
    let data_type = match field.data_type() {
        // The facts about keys and values are those of the map.
        DataType::Map(entries, sorted) => {
            let entries = each_field_of_kind(entries, facts, change);
            DataType::Map(Arc::new(entries), *sorted)
        }
        other => with_fields(other, one),
    };
    change(&field.clone().with_data_type(data_type), facts)
}

/// True if a column of this type can keep words for null.
fn holds_text(field: &Field) -> bool {
    is_nested(field.data_type())
        || matches!(Type::of(field), Some(Type::Utf8 | Type::Bytes | Type::Json))
        || is_held(field)
}

/// True for digits with leading zeros, which are text.
pub(super) fn is_padded(field: &Field) -> bool {
    *field.data_type() == DataType::Int64 && form_of(field).is_some()
}

/// The text form if cells of this form beside cells of another one are text. Numbers are values in any form, and so are
/// instants in RFC 3339 and the usual words for true and false.
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

/// The number of digits of integers without form, if all have as many and none has a sign.
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

/// The different words, but no more than two. The empty text is a cell in quotes.
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

/// The type for joining it with others.
fn class(field: &Field) -> Field {
    if is_odd(field) || is_padded(field) {
        return Type::Utf8.field(field.name());
    }
    without(visible(field), &[NULL, FIXED])
}

/// The field without metadata of these keys.
fn without(mut field: Field, keys: &[&str]) -> Field {
    for &key in keys {
        field.metadata_mut().remove(key);
    }
    field
}
