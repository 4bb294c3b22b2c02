//! Facts about all values of a column, beyond its type.
//!
//! A type limits what values can be; facts describe the actual values. Not every i64 can be converted to a double
//! without loss, but most columns of integers contain none that is too large. And a column of text may contain only
//! numbers, but in a mixture of forms (`1.50`, `2`, `2.5`). Facts of several frames are joined before a type is chosen
//! for all of them.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field, Fields};

use super::field_facts::is_padded;
use super::json_marks::marked_kind;
use super::null_words::is_odd;
use super::numbers::are_short;
use super::scalars::{Fact, Scalars, may_be_times, may_be_typed};
use super::target::Provenance;
use super::time_forms::TimeForms;
use crate::columns::lists::{list_parts, map_parts};
use crate::columns::nested::{KeyGraph, Tag};
use crate::columns::print::json::is_nested;
use crate::columns::statistics::MinMax;
use crate::schema::Type;
use crate::schema::keys::{is_absent, is_hidden, is_variant};

/// Facts about a column and, if it is nested, about the columns inside by name.
#[derive(Clone, Debug)]
pub struct Facts {
    scalars: Scalars,
    /// The order of the members of objects.
    keys: KeyGraph,
    /// The forms of strings of JSON, if all are dates or times.
    times: TimeForms,
    children: BTreeMap<String, Self>,
    /// The facts about the values of maps of JSON.
    values: Option<Box<Self>>,
}

/// The facts of a column without values.
static ALL: Facts = Facts {
    scalars: Scalars::ALL,
    keys: KeyGraph::NONE,
    times: TimeForms::Unused,
    children: BTreeMap::new(),
    values: None,
};

impl Facts {
    /// The facts of a column without values.
    pub fn of_nothing() -> Self {
        ALL.clone()
    }

    /// The facts of an array. Text of CSV is typed by its content. Strings of JSON are text, except that they are dates or
    /// times if all of them have the same form.
    ///
    /// The facts of each kind of value are also stored under the name of that kind, as if the column were a
    /// variant: it becomes one when it is joined with rows whose values are of another kind.
    pub fn of(array: &dyn Array, field: &Field, from: Provenance) -> Self {
        if is_variant(field) {
            let mut found = Self::of_kind(array, field, from);
            if let (DataType::Struct(fields), Some(array)) =
                (field.data_type(), array.as_struct_opt())
            {
                found.children = fields
                    .iter()
                    .zip(array.columns())
                    .map(|(field, array)| (field.name().clone(), Self::of_kind(array, field, from)))
                    .collect();
            }
            return found;
        }
        Self::of_kind(array, field, from).in_kind(kind(field).map(Tag::name))
    }

    /// The facts of a column, given its minimum and maximum; `None` if these do not decide. `both` is an
    /// array of the two. Other arguments are as for [`Self::of`].
    pub fn of_extremes(
        extremes: &MinMax,
        both: Option<&ArrayRef>,
        field: &Field,
        from: Provenance,
    ) -> Option<Self> {
        let data_type = field.data_type();
        let by_value = from == Provenance::Csv;
        // The digits of floats may differ.
        let has_digits = by_value && data_type.is_floating();
        if has_digits || is_nested(data_type) || matches!(data_type, DataType::Dictionary(..)) {
            return None;
        }
        if *data_type == DataType::Utf8 {
            let is_typed_by_value = match Type::of(field) {
                Some(Type::Utf8) => by_value,
                Some(Type::Json) => true,
                _ => false,
            };
            if is_typed_by_value && may_be_typed(Some(extremes))
                || from == Provenance::Json && may_be_times(extremes)
            {
                return None;
            }
            let mut found = ALL.clone();
            found.forget();
            return Some(found.in_kind(kind(field).map(Tag::name)));
        }
        let both = both?;
        let found = Self::of(both, field, from);
        if found.kind(field).times.are_several() {
            return None;
        }
        // Even if doubles can hold both, numbers between them may have more digits than a double.
        let is_sure = !found.kind(field).scalars.are(Fact::Double) || are_short(both);
        is_sure.then_some(found)
    }

    /// Turns the facts about values of one kind into the facts about a column of such values.
    pub fn in_kind(self, kind: Option<&str>) -> Self {
        Self {
            scalars: self.scalars,
            keys: KeyGraph::NONE,
            times: TimeForms::Unused,
            children: kind
                .map(|kind| (kind.to_owned(), self))
                .into_iter()
                .collect(),
            values: None,
        }
    }

    /// The facts about the values of the column's own kind, without the rows of other kinds that it was joined with.
    pub fn kind(&self, field: &Field) -> &Self {
        match kind(field) {
            Some(kind) if !is_variant(field) => self.child(kind.name()),
            _ => self,
        }
    }

    /// The facts of the values of one kind.
    fn of_kind(array: &dyn Array, field: &Field, from: Provenance) -> Self {
        let mut found = ALL.clone();
        if is_nested(field.data_type()) && array.null_count() < array.len() {
            // Next to values of other kinds it becomes JSON text, which is not a number.
            found.forget();
        }
        let mut add = |child: &Field, values: &dyn Array| {
            let inside = match from {
                Provenance::Json => from,
                Provenance::Csv | Provenance::Typed => Provenance::Typed,
            };
            let facts = Self::of(values, child, inside);
            found.children.insert(child.name().clone(), facts);
        };
        match field.data_type() {
            DataType::Struct(fields) => {
                if let Some(array) = array.as_struct_opt() {
                    // A hidden field has the name of the one before it, which must win.
                    for (field, column) in fields.iter().zip(array.columns()).rev() {
                        add(field, column);
                    }
                    found.keys = keys(fields, array);
                }
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                if let Some((_, items)) = list_parts(array) {
                    add(item, items);
                }
            }
            DataType::Map(entries, _) => {
                let parts = map_parts(array, entries);
                if let Some((_, keys, (array, field))) = parts {
                    if from == Provenance::Json {
                        found.values = Some(Box::new(Self::of(array, field, from)));
                    } else {
                        add(keys.1, keys.0);
                        add(field, array);
                    }
                }
            }
            _ => {
                found.scalars = Scalars::of(array, field, from == Provenance::Csv);
                if from == Provenance::Json {
                    found.times = TimeForms::of_strings(array, field);
                }
            }
        }
        found
    }

    /// The facts about the values themselves.
    pub fn scalars(&self) -> Scalars {
        self.scalars
    }

    /// The facts about the inner column with that name.
    pub fn child(&self, name: &str) -> &Self {
        self.children.get(name).unwrap_or(&ALL)
    }

    /// The facts about all values of objects of JSON, for maps.
    pub fn of_values(&self) -> Self {
        let all: Vec<_> = self.values.as_deref().into_iter().collect();
        Self::of_parts(&[all, self.children.values().collect()].concat())
    }

    /// The facts about the rows of all parts. Halves are joined rather than one after the other, since there may be
    /// thousands.
    fn of_parts(parts: &[&Self]) -> Self {
        match parts {
            [] => ALL.clone(),
            [only] => (*only).clone(),
            _ => {
                let (first, rest) = parts.split_at(parts.len() / 2);
                let mut all = Self::of_parts(first);
                all.join(&Self::of_parts(rest));
                all
            }
        }
    }

    /// The forms of dates and times that strings of JSON may have.
    pub fn times(&self) -> &TimeForms {
        &self.times
    }

    /// The order of the members of objects.
    pub fn keys(&self) -> &KeyGraph {
        &self.keys
    }

    /// The same facts for a column of CSV whose cells were cast to numbers.
    #[must_use]
    pub fn into_numbers(mut self) -> Self {
        self.scalars = self.scalars.into_numbers();
        self.in_kind(Some(Tag::Number.name()))
    }

    /// Drops all facts, which leaves the values as mere text.
    pub fn forget(&mut self) {
        self.scalars = Scalars::NONE;
        self.times = TimeForms::Others;
    }

    /// Joins the facts about other rows.
    pub fn join(&mut self, other: &Self) {
        self.scalars = self.scalars.and(other.scalars);
        self.keys.join(&other.keys);
        self.times.join(&other.times);
        match (&mut self.values, &other.values) {
            (Some(known), Some(other)) => known.join(other),
            (None, Some(other)) => self.values = Some(other.clone()),
            (_, None) => {}
        }
        for (name, child) in &other.children {
            match self.children.get_mut(name) {
                Some(known) => known.join(child),
                None => {
                    self.children.insert(name.clone(), child.clone());
                }
            }
        }
    }
}

/// The order of the members of objects, given their fields.
fn keys(fields: &Fields, array: &StructArray) -> KeyGraph {
    let members = presence(fields, array);
    let objects = array.len() - array.null_count();
    let counts = members.iter().map(|(_, present)| {
        present
            .as_ref()
            .map_or(objects, BooleanBuffer::count_set_bits)
    });
    let entries = counts.sum();
    KeyGraph::of(members, array.len()).with_counts(objects, entries)
}

/// The names of the members of objects, each with the rows that have it; `None` if all objects have.
pub fn presence(fields: &Fields, array: &StructArray) -> Vec<(String, Option<BooleanBuffer>)> {
    let mut members: Vec<(String, Option<BooleanBuffer>)> = Vec::with_capacity(fields.len());
    for (field, column) in fields.iter().zip(array.columns()) {
        let is_valid = || column.logical_nulls().map(NullBuffer::into_inner);
        if !is_hidden(field) {
            let present = is_absent(field).then(is_valid).flatten();
            members.push((field.name().clone(), present));
        } else if let (Some((_, present)), Some(absent)) =
            (members.last_mut(), column.as_boolean_opt())
        {
            *present = Some(!absent.values());
        }
    }
    // Absent keys are marked only in rows that are objects.
    if let Some(nulls) = array.nulls() {
        for present in members
            .iter_mut()
            .filter_map(|(_, present)| present.as_mut())
        {
            *present = &*present & nulls.inner();
        }
    }
    members
}

/// The kind of a column's values in JSON; `None` if there are no values, or if they are JSON text without a mark of their
/// kind.
pub fn kind(field: &Field) -> Option<Tag> {
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    Some(match data_type {
        DataType::Null => return None,
        _ if Type::of(field) == Some(Type::Json) => return marked_kind(field),
        _ if is_padded(field) || is_odd(field) => Tag::String,
        DataType::Boolean => Tag::Bool,
        DataType::Struct(_) | DataType::Map(..) => Tag::Object,
        other if is_nested(other) => Tag::Array,
        other if other.is_numeric() => Tag::Number,
        _ => Tag::String,
    })
}
