//! Chooses the type of a column from the facts about all of its rows, and casts rows to it.
//!
//! [`FieldFacts`] gathers the facts; [`Settled`] is the type in which all rows fit.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};

use super::by_value::{all_texts, cast_times};
use super::cells::{DecimalMark, text_field};
use super::facts::Facts;
use super::field_facts::{FieldFacts, is_padded};
use super::null_words::{is_null_word, is_odd, spelled};
use super::scalars::{Fact, Scalars, is_all_nan};
use super::target::{Provenance, is_held};
use super::time_forms::TimeForm;
use super::{cast, is_json, is_utf8, json_marks, maps};
use crate::columns::lists::with_fields;
use crate::columns::print::json::is_nested;
use crate::error::{Error, Result};
use crate::schema::keys::{CELLS, FORM, NULL, is_hidden, is_variant, stated_facts, with, without};
use crate::schema::{EXTENSION_NAME, Type, any_field};

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
    /// The type was chosen by the text of all values, so values that only convert from text become text
    /// first.
    pub by_value: bool,
    /// Text that has only words for null becomes nulls, since other rows have another type.
    pub drops_words: bool,
    /// The form in which text becomes dates or times.
    pub time: Option<TimeForm>,
}

/// The kinds of types from which the type of all rows is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// Types that print every cell exactly.
    Exact,
    /// Exact types, except that text gets the type of its values, as in [`Self::Values`].
    ByValue,
    /// Types that tools compute with.
    Values,
}

impl FieldFacts {
    /// Prepares the type for joining: JSON text that consists of numbers becomes numbers.
    #[must_use]
    pub fn for_joining(mut self) -> Self {
        if self.is_json() && any_field(&self.field, is_json) {
            self.field = each_field(&self.field, &self.facts, unchanged, numbers);
        }
        self
    }

    /// Completes the type after it was joined with the types of all other rows.
    #[must_use]
    pub fn joined(mut self) -> Self {
        if self.is_json() {
            self.field = each_field(&self.field, &self.facts, maps::by_density, arranged);
        }
        self.field = json_marks::unmark(&self.field);
        self
    }

    /// The type of all rows.
    pub fn settle(&self, typing: Typing) -> Settled {
        match typing {
            Typing::Values => self.settle_with(computable, &[FORM]),
            // Reports on values may still compare how they are written.
            Typing::ByValue => self.settle_with(numbers, &[]),
            Typing::Exact => {
                let mut exact = self.clone();
                exact.from = Provenance::Typed;
                if self.has_words {
                    exact.field = Type::Utf8.field(self.field.name());
                }
                exact.settle_with(computable, &[FORM])
            }
        }
    }

    /// Chooses the type that the column gets in a typed format. Text of CSV, and columns of CSV in several
    /// forms or with several words for null, get the type that the values of all cells fit. Other columns
    /// keep the joined type, in which `change` replaces the types of leaves, without metadata of the keys `drops`.
    fn settle_with(&self, change: Change, drops: &[&str]) -> Settled {
        let is_text = is_utf8(&self.field);
        // A single text with several words for null would be text as a whole.
        let has_one_word = self.words.len() <= 1;
        let is_by_value = self.from == Provenance::Csv
            && !is_held(&self.field)
            && (is_text || self.is_mixed || !has_one_word);
        // Rows with nanoseconds do not fit in a form of microseconds; then all cells are text.
        let has_nanoseconds = |it: &DataType| {
            use DataType::{Time64, Timestamp};
            matches!(
                it,
                Timestamp(TimeUnit::Nanosecond, _) | Time64(TimeUnit::Nanosecond)
            )
        };
        let holds_all = |time: &TimeForm| {
            !has_nanoseconds(self.field.data_type()) || has_nanoseconds(&time.data_type())
        };
        let time = self.times.decided().filter(|time| holds_all(time));
        if let Some(time) = time.filter(|_| is_by_value) {
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
            Provenance::Csv | Provenance::Json => {
                each_field(&self.field, &self.facts, unchanged, change)
            }
        };
        let is_bytes = is_text && Type::of(&field) == Some(Type::Bytes);
        // Instants in text.
        let field = match field.data_type() {
            DataType::Timestamp(_, Some(_)) if is_by_value && !has_one_word => {
                Type::Timestamp.field(field.name())
            }
            _ => field,
        };
        let time = match self.from {
            Provenance::Csv => self.times.decided().cloned(),
            Provenance::Json | Provenance::Typed => TimeForm::of_field(&field),
        };
        let time = time.filter(|time| time.data_type() == *field.data_type());
        let field = without(field, drops);
        // With one word for null, zero-padded digits are a type of their own, with that word; with several,
        // all cells are text. `nan` among them is text, too.
        let spells_all =
            self.all_forms().count() > 1 || !has_one_word || self.facts.scalars().has_nan;
        let keeps_nulls = self.is_padded() && !spells_all;
        let is_typed = !holds_text(&field) || keeps_nulls;
        Settled {
            spells_nulls: is_bytes || is_utf8(&field) && !keeps_nulls,
            spells_all,
            spells_values: is_bytes,
            by_value: is_by_value,
            drops_words: self.has_words && is_typed,
            time,
            ..Settled::plain(field)
        }
    }
}

/// The schema for a subset of the rows of CSV. `wanted` text columns are marked with the facts about all
/// rows, which are in `batches`. Without the mark, the type would depend on the subset: a column could become
/// numbers because its text was dropped, or text because only its words for null were kept.
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
        if !is_cells || stated_facts(field).is_some() || !wanted(at, field) {
            continue;
        }
        let arrays = batches.iter().map(|batch| batch.column(at));
        let known = FieldFacts::of_all(arrays, field, from);
        let is_comma = DecimalMark::of(field).is_comma;
        if let Some(mark) = known.facts.scalars().mark(known.times.names(), is_comma) {
            *field = Arc::new(with((**field).clone(), CELLS, &mark));
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

    /// Text or bytes that keep all words for null.
    pub fn text(field: Field) -> Self {
        Self {
            spells_nulls: true,
            spells_all: true,
            ..Self::plain(field)
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
        // Zero-padded digits become text because of their type, so their nulls stay null unless there are
        // other forms.
        if is_odd(from) || spells && (self.spells_all || !is_padded(from)) {
            // The word may be a value of the type, as `Infinity` is.
            let (text, texts) = spelled(array, from)?;
            return self.cast(&texts, &text);
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
        // In a column of doubles, `nan` is a value.
        let drops_words = self.drops_words && !self.field.data_type().is_floating();
        if drops_words && is_text && all_texts(array, is_null_word) {
            let nulls = new_null_array(self.field.data_type(), array.len());
            return Ok(Some(nulls));
        }
        // An array of NaN only means null if the other rows are not doubles.
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
        // A column that consists of words for null only has no better type.
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

/// The type that tools compute with: decimals become doubles if no digit is lost, and otherwise get a width
/// that tools support.
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
    let number = field.clone().with_data_type(DataType::Float64);
    without(number, &[EXTENSION_NAME])
}

pub(super) fn is_all_numbers(all: Scalars) -> bool {
    all.has_value && all.are(Fact::Double)
}

/// Sorts the members of objects into an order that agrees with all of them. Drops the form of numbers, which
/// may differ from frame to frame.
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

/// Returns the field with another type, given the facts about its values.
type Change = fn(&Field, &Facts) -> Field;

fn unchanged(field: &Field, _: &Facts) -> Field {
    field.clone()
}

/// Changes the column, then the fields that are now inside it, and then the column again: whether objects are maps is
/// decided before anything inside them, since the values of a map are judged together.
fn each_field(field: &Field, facts: &Facts, before: Change, after: Change) -> Field {
    each_field_of_kind(field, facts.kind(field), before, after)
}

fn each_field_of_kind(field: &Field, facts: &Facts, before: Change, after: Change) -> Field {
    let field = before(field, facts);
    let one = |child: &FieldRef| {
        let facts = facts.child(child.name());
        Arc::new(if is_variant(&field) {
            each_field_of_kind(child, facts, before, after)
        } else {
            each_field(child, facts, before, after)
        })
    };
    let data_type = match field.data_type() {
        DataType::Map(entries, sorted) => {
            let values = facts.of_values();
            let mut is_key = true;
            let entry = with_fields(entries.data_type(), |child| {
                if std::mem::take(&mut is_key) {
                    Arc::clone(child)
                } else {
                    Arc::new(each_field(child, &values, before, after))
                }
            });
            DataType::Map(
                Arc::new(entries.as_ref().clone().with_data_type(entry)),
                *sorted,
            )
        }
        other => with_fields(other, one),
    };
    after(&field.with_data_type(data_type), facts)
}

/// True if a column of this type can keep words for null.
fn holds_text(field: &Field) -> bool {
    is_nested(field.data_type())
        || matches!(Type::of(field), Some(Type::Utf8 | Type::Bytes | Type::Json))
        || is_held(field)
}
