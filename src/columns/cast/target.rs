//! Casts from an exact type and its text form to the types that a format supports.
//!
//! Columns are read into exact types, which print every cell exactly. Some formats support fewer types, and tools
//! compute with fewer types. This table shows the results (it is also in the man page):
//!
//! | exact type | [`Target::Values`] | [`Target::Wire1`] | [`Target::Json`] |
//! |---|---|---|---|
//! | i64, u64 | the same | i64; above, text | number |
//! | zero-padded digits | text | text | string |
//! | decimal, float | f64 if no digit is lost, else decimal | f64, else text | number |
//! | bool in any words | bool | bool | `true`, `false`; other words: string |
//! | date, time, timestamp without zone | the same | text | string |
//! | timestamp with zone | the same | timestamp | string |
//! | UUID | the same | uuid | string |
//! | JSON numbers in several forms | f64 if no digit is lost | f64, else JSON | number |
//! | text of CSV, all numbers | i64, u64, f64 if no digit is lost, else decimal | i64, f64, else text | number, if JSON spells all so |
//! | text of CSV, all bools, instants or UUIDs | bool, timestamp, UUID | the same | string |
//! | other text | the same | text | string |
//! | nested | member by member | JSON | the same |
//!
//! Nulls stay null. Words for null become null as well, unless the column becomes text because of other rows or because
//! its word may be a value: then the word becomes text.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, FieldRef, Metadata, Schema, SchemaRef};

use super::by_value::{Nan, all_texts, json_numbers, without_null_words};
use super::cells::{DecimalMark, bool_word, text_field};
use super::facts::{Fact, Facts, Scalars, is_all_nan};
use super::null_words::{is_null_word, is_odd, spelled};
use super::{cast, is_utf8, visible, wire_1};
use crate::columns::lists::with_fields;
use crate::columns::print::json::is_nested;
use crate::error::{Error, Result};
use crate::schema::keys::{
    FIXED, FORM, NULL, is_fixed, is_hidden, is_variant, states_facts, text_format,
};
use crate::schema::{EXTENSION_NAME, HELD_AS, Type, child_fields};
use crate::text::form::{self, BoolLiterals, form_of};

/// The types that a format supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Types that tools compute with.
    Values,
    /// The eleven types of version 1 of the wire format.
    Wire1,
    /// The same, but only types that print every cell exactly.
    Wire1Exact,
    /// First [`Self::Values`], then [`Self::Wire1`], so that values that become text are printed in their default form.
    Wire1Values,
    /// Types with a representation in JSON.
    Json,
    /// Exact types, except that text gets the type of its values, as for [`Self::Values`]. For reports about values.
    ByValue,
}

impl Target {
    /// True if text that is not UTF-8 becomes bytes.
    pub fn holds_bytes(self) -> bool {
        matches!(self, Self::Values | Self::Wire1 | Self::Wire1Values)
    }

    /// False if a column is certain not to change.
    pub fn may_change(self, field: &Field, from: Provenance) -> bool {
        let from = from.of_column(field);
        let is_text = from == Provenance::Csv && is_utf8(field);
        match self {
            Self::Values | Self::Wire1 | Self::Wire1Exact | Self::Wire1Values => true,
            Self::Json => is_text || is_odd(field),
            Self::ByValue => {
                let is_odd = from == Provenance::Csv && is_odd(field);
                is_text || is_odd || from == Provenance::Json && has_json(field)
            }
        }
    }
}

/// The source of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Cells of CSV, whose text may be typed by its content.
    Csv,
    /// Values of JSON.
    Json,
    /// A typed source, whose types are kept.
    Typed,
}

impl Provenance {
    /// The provenance of a column: a type chosen by the user counts as typed.
    fn of_column(self, field: &Field) -> Self {
        if is_chosen(field) { Self::Typed } else { self }
    }
}

/// The source of the columns of a frame, given its metadata.
pub fn provenance(metadata: &Metadata) -> Provenance {
    match text_format(metadata) {
        None => Provenance::Typed,
        Some("csv" | "tsv") => Provenance::Csv,
        Some(_) => Provenance::Json,
    }
}

/// A column's type without text form, and the facts about its values.
#[derive(Clone, Debug)]
pub struct FieldFacts {
    /// The type, to be joined with that of other rows.
    pub field: Field,
    /// Facts about all values.
    pub facts: Facts,
    from: Provenance,
    /// The text forms of the values, as far as cells of different forms are text; `None` for values of other forms.
    forms: BTreeSet<Option<String>>,
    /// True if the types of rows differ, so that their values decide.
    is_mixed: bool,
    /// True if some rows are text of nothing but words for null, and others have another type.
    pub has_words: bool,
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
    /// Text of nothing but words for null becomes nulls, since other rows have another type.
    pub drops_words: bool,
}

/// Casts a column to a type that the target supports; all arrays get the same type.
///
/// # Errors
/// [`crate::error::Kind::Input`] if a type has no spelling in text, [`crate::error::Kind::Limit`] if
/// a text grows too long for Arrow.
pub fn cast_column(
    field: &FieldRef,
    arrays: Vec<ArrayRef>,
    target: Target,
    from: Provenance,
) -> Result<(FieldRef, Vec<ArrayRef>)> {
    let from = from.of_column(field);
    match target {
        Target::Json => json(field, arrays, from),
        Target::Values => {
            let known = FieldFacts::of_all(&arrays, field, from);
            known.settle().cast_all(field, arrays)
        }
        Target::ByValue if !target.may_change(field, from) => Ok((Arc::clone(field), arrays)),
        Target::ByValue => {
            let known = FieldFacts::of_all(&arrays, field, from);
            let settled = known.settle_texts();
            if settled.field == known.field {
                return Ok((Arc::clone(field), arrays));
            }
            settled.cast_all(field, arrays)
        }
        Target::Wire1Values => {
            let (field, arrays) = cast_column(field, arrays, Target::Values, from)?;
            wire_1::cast_column(&field, arrays, Target::Wire1, from)
        }
        Target::Wire1 | Target::Wire1Exact => wire_1::cast_column(field, arrays, target, from),
    }
}

impl FieldFacts {
    /// The type and facts of a single array.
    fn of(array: &ArrayRef, field: &Field, from: Provenance) -> Self {
        let from = from.of_column(field);
        let by_value = from == Provenance::Csv;
        let class = class(field);
        let has_value = array.logical_null_count() < array.len();
        let form = has_value.then(|| decisive_form(field).map(str::to_owned));
        let mut forms: BTreeSet<_> = form.into_iter().collect();
        if is_odd(field)
            && let Ok((field, texts)) = spelled(array, field)
        {
            return Self {
                field: class,
                facts: Facts::of(&texts, &field, by_value),
                from,
                forms,
                is_mixed: false,
                has_words: false,
            };
        }
        let mut facts = Facts::of(array, field, by_value);
        if by_value && !facts.scalars().has_value {
            // Words for null have no form.
            forms.clear();
        }
        if *class.data_type() == DataType::Utf8 && *field.data_type() != DataType::Utf8 {
            facts.forget();
        }
        Self {
            field: class,
            facts,
            from,
            forms,
            is_mixed: false,
            has_words: false,
        }
    }

    /// The type and facts of all arrays of a column; there may be none.
    pub fn of_all<'a>(
        arrays: impl IntoIterator<Item = &'a ArrayRef>,
        field: &Field,
        from: Provenance,
    ) -> Self {
        let mut known = Self {
            field: class(field),
            facts: Facts::of_nothing(),
            from: from.of_column(field),
            forms: BTreeSet::new(),
            is_mixed: false,
            has_words: false,
        };
        for array in arrays {
            let mut of_array = Self::of(array, field, from);
            known.facts.join(&of_array.facts);
            known.forms.append(&mut of_array.forms);
        }
        known
    }

    /// True for values of JSON, whose kinds are kept.
    pub fn is_json(&self) -> bool {
        self.from == Provenance::Json
    }

    /// True for text of nothing but words for null.
    pub fn is_words(&self) -> bool {
        self.from == Provenance::Csv
            && is_utf8(&self.field)
            && !is_held(&self.field)
            && !self.facts.scalars().has_value
    }

    /// Joins the facts about the cells of later rows. The type of cells is that of one text with all of them.
    pub fn join_cells(&mut self, other: &Self) {
        let is_known = |it: &Self| *it.field.data_type() != DataType::Null && !it.is_words();
        let differ = self.field.data_type() != other.field.data_type();
        self.is_mixed |= other.is_mixed || differ && is_known(self) && is_known(other);
        self.facts.join(&other.facts);
        self.forms.extend(other.forms.iter().cloned());
        if self.forms.len() > 1 && self.from == Provenance::Csv {
            self.is_mixed = true;
            self.facts.forget();
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
    fn settle_texts(&self) -> Settled {
        self.settle_with(numbers)
    }

    fn settle_with(&self, change: fn(&Field, Scalars) -> Field) -> Settled {
        let is_text = is_utf8(&self.field);
        let field = match self.from {
            Provenance::Typed => self.field.clone(),
            Provenance::Csv if self.is_mixed && !is_held(&self.field) => {
                type_by_value(&Type::Utf8.field(self.field.name()), &self.facts)
            }
            Provenance::Csv if is_text => type_by_value(&self.field, &self.facts),
            Provenance::Csv | Provenance::Json => each_leaf(&self.field, &self.facts, change),
        };
        let is_bytes = is_text && Type::of(&field) == Some(Type::Bytes);
        Settled {
            spells_nulls: is_bytes || is_utf8(&field),
            spells_all: self.forms.len() > 1,
            spells_values: is_bytes,
            drops_words: self.has_words && !holds_text(&field),
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
        if let Some(mark) = FieldFacts::of_all(arrays, field, from)
            .facts
            .scalars()
            .mark(DecimalMark::of(field).is_comma)
        {
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
            drops_words: false,
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
        if self.drops_words && is_text && all_texts(array, is_null_word) {
            let nulls = new_null_array(self.field.data_type(), array.len());
            return Ok(Some(nulls));
        }
        // NaN alone may be null among values of other rows that are not doubles.
        let holds_nan = is_text || self.field.data_type().is_floating() || holds_text(&self.field);
        if !holds_nan && is_all_nan(array) {
            let nulls = new_null_array(self.field.data_type(), array.len());
            return Ok(Some(nulls));
        }
        cast(array, from, &self.field)
    }
}

/// True if a column of this type can keep words for null.
fn holds_text(field: &Field) -> bool {
    is_nested(field.data_type())
        || matches!(Type::of(field), Some(Type::Utf8 | Type::Bytes | Type::Json))
        || is_held(field)
}

/// True if the user has chosen the type of the column or of a column in it.
fn is_chosen(field: &Field) -> bool {
    is_fixed(field) || child_fields(field.data_type()).into_iter().any(is_chosen)
}

/// True if the column, or a column in it, is JSON text.
fn has_json(field: &Field) -> bool {
    let mut inside = child_fields(field.data_type()).into_iter();
    Type::of(field) == Some(Type::Json) || inside.any(has_json)
}

/// True for digits with leading zeros, which are text.
pub(super) fn is_padded(field: &Field) -> bool {
    *field.data_type() == DataType::Int64 && form_of(field).is_some()
}

/// The text form if cells of this form beside cells of another one are text. Numbers and instants are values in any
/// form, and so are the usual words for true and false.
fn decisive_form(field: &Field) -> Option<&str> {
    let form = form_of(field)?;
    let is_decisive = match field.data_type() {
        DataType::Boolean => {
            let literals = BoolLiterals::parse(form);
            literals.is_none_or(|literals| bool_word(literals.words[0].as_bytes()).is_none())
        }
        DataType::Date32 | DataType::Date64 | DataType::Time32(_) | DataType::Time64(_) => true,
        DataType::Timestamp(_, zone) => zone.is_none(),
        _ => is_padded(field),
    };
    is_decisive.then_some(form)
}

/// The type without text form, for joining it with others.
fn class(field: &Field) -> Field {
    if is_odd(field) || is_padded(field) {
        return Type::Utf8.field(field.name());
    }
    let mut field = visible(field);
    for key in [FORM, NULL, FIXED] {
        field.metadata_mut().remove(key);
    }
    field
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
    } else if all.are(Fact::Bool) {
        Type::Bool.field(name)
    } else if all.are(Fact::Instant) {
        Type::Timestamp.field(name)
    } else if all.are(Fact::Uuid) {
        Type::Uuid.field(name)
    } else {
        field.clone()
    }
}

/// The type with which tools compute: numbers become doubles if no digit is lost, and decimals otherwise get a width that
/// tools support.
fn computable(field: &Field, all: Scalars) -> Field {
    match field.data_type() {
        DataType::Decimal32(..) | DataType::Decimal64(..) if all.are(Fact::Double) => {
            field.clone().with_data_type(DataType::Float64)
        }
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            let wide = DataType::Decimal128(*precision, *scale);
            field.clone().with_data_type(wide)
        }
        DataType::Decimal128(_, scale) if *scale > 0 && all.are(Fact::Double) => {
            field.clone().with_data_type(DataType::Float64)
        }
        _ => numbers(field, all),
    }
}

/// Replaces JSON texts that are numbers, in a mixture of forms (`1.50`, `2`, `2.5`), by doubles if no digit is lost.
fn numbers(field: &Field, all: Scalars) -> Field {
    if Type::of(field) != Some(Type::Json) || !is_all_numbers(all) {
        return field.clone();
    }
    let mut field = field.clone().with_data_type(DataType::Float64);
    field.metadata_mut().remove(EXTENSION_NAME);
    field
}

pub(super) fn is_all_numbers(all: Scalars) -> bool {
    all.has_value && all.are(Fact::Double)
}

/// Changes the type of a column or, if it is nested, of the columns inside.
fn each_leaf(field: &Field, facts: &Facts, change: fn(&Field, Scalars) -> Field) -> Field {
    each_leaf_of_kind(field, facts.kind(field), change)
}

fn each_leaf_of_kind(field: &Field, facts: &Facts, change: fn(&Field, Scalars) -> Field) -> Field {
    let one = |child: &FieldRef| {
        let facts = facts.child(child.name());
        Arc::new(if is_variant(field) {
            each_leaf_of_kind(child, facts, change)
        } else {
            each_leaf(child, facts, change)
        })
    };
    let data_type = match field.data_type() {
        // The facts about keys and values are those of the map.
        DataType::Map(entries, sorted) => {
            let entries = each_leaf_of_kind(entries, facts, change);
            DataType::Map(Arc::new(entries), *sorted)
        }
        other if is_nested(other) => with_fields(other, one),
        _ => return change(field, facts.scalars()),
    };
    field.clone().with_data_type(data_type)
}

/// Columns that JSON cannot represent become text. Text of CSV that contains only numbers becomes numbers, if JSON spells
/// them so; otherwise it stays text. Either way, its words for null become null if it has the type of its values elsewhere.
fn json(
    field: &FieldRef,
    arrays: Vec<ArrayRef>,
    from: Provenance,
) -> Result<(FieldRef, Vec<ArrayRef>)> {
    if is_odd(field) {
        let texts = arrays.iter().map(|array| Ok(spelled(array, field)?.1));
        return json(
            &text_field(field).into(),
            texts.collect::<Result<_>>()?,
            from,
        );
    }
    if from != Provenance::Csv || !is_utf8(field) || is_held(field) {
        return Ok((Arc::clone(field), arrays));
    }
    let mut facts = Facts::of_nothing();
    for array in &arrays {
        facts.join(&Facts::of(array, field, true));
        if facts.scalars().is_none() {
            break;
        }
    }
    let all = facts.scalars();
    if is_utf8(&type_by_value(field, &facts)) {
        return Ok((Arc::clone(field), arrays));
    }
    let number = all.number_type();
    let nan = if number == Some(DataType::Float64) {
        Nan::Value
    } else {
        Nan::Null
    };
    let is_json = number.is_some() && all.are(Fact::JsonNumber);
    let cast = |array: &ArrayRef| {
        if is_json {
            json_numbers(array, field, nan)
        } else {
            without_null_words(array, nan)
        }
    };
    let arrays: Option<_> = arrays.iter().map(cast).collect();
    let arrays = arrays
        .ok_or_else(|| Error::input("cannot store the text as JSON").in_column(field.name()))?;
    let to = if is_json { Type::Json } else { Type::Utf8 };
    Ok((to.field(field.name()).into(), arrays))
}

pub(super) fn is_held(field: &Field) -> bool {
    field.metadata().contains_key(HELD_AS)
}
