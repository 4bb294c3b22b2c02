//! Facts about all values of a column, beyond its type.
//!
//! A type limits what values can be; facts describe the actual values. Not every i64 can be converted to a double
//! without loss, but most columns of integers contain none that is too large. And a column of text may contain only
//! numbers, but in a mixture of forms (`1.50`, `2`, `2.5`). Facts of several frames are joined before a type is chosen
//! for all of them.

use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field};

use super::by_value::all_texts;
use super::null_words::{is_null_word, is_odd};
use super::numbers::fit_doubles;
use super::target::is_padded;
use crate::columns::lists::{list_parts, map_parts};
use crate::columns::nested::Tag;
use crate::columns::print::Slices;
use crate::columns::print::json::is_nested;
use crate::schema::Type;
use crate::schema::keys::{FIXED, is_variant};
use crate::text::number::{f64_of_digits, is_json_number};
use crate::text::{time, uuid};

/// Facts about a column and, if it is nested, about the columns inside by name.
#[derive(Clone, Debug)]
pub struct Facts {
    scalars: Scalars,
    children: BTreeMap<String, Self>,
}

/// A fact about the values of a column.
#[derive(Clone, Copy, Debug)]
pub enum Fact {
    /// A double can represent it without loss.
    Double,
    /// It is a number in JSON's syntax.
    JsonNumber,
    /// It is a bool, or one of the common words for true and false.
    Bool,
    /// It is an instant in RFC 3339.
    Instant,
    /// It is a UUID.
    Uuid,
}

/// The names of the facts in frames, in the order of [`Fact`].
const NAMES: [&str; 5] = ["double", "json-number", "bool", "instant", "uuid"];

/// Facts true for every value.
#[derive(Clone, Copy, Debug)]
pub struct Scalars {
    /// True if there is a value other than nulls and words for null.
    pub has_value: bool,
    /// Whether each [`Fact`] holds.
    holds: [bool; NAMES.len()],
}

impl Scalars {
    /// The facts if there is no value.
    const ALL: Self = Self {
        has_value: false,
        holds: [true; NAMES.len()],
    };

    const NONE: Self = Self {
        has_value: true,
        holds: [false; NAMES.len()],
    };

    /// True if the fact holds for every value.
    pub fn are(self, fact: Fact) -> bool {
        self.holds[fact as usize]
    }

    fn only(fact: Fact) -> Self {
        let mut facts = Self::NONE;
        facts.holds[fact as usize] = true;
        facts
    }

    fn and(self, other: Self) -> Self {
        Self {
            has_value: self.has_value || other.has_value,
            holds: std::array::from_fn(|fact| self.holds[fact] && other.holds[fact]),
        }
    }

    /// Forgets the fact unless the next value passes the test.
    fn check(&mut self, fact: Fact, passes: impl FnOnce() -> bool) {
        let holds = &mut self.holds[fact as usize];
        *holds = *holds && passes();
    }

    fn is_none(self) -> bool {
        self.holds == Self::NONE.holds
    }

    /// The facts as a mark of a field of which only some rows are kept, for [`FIXED`]; `None` if there is no value.
    pub fn mark(self) -> Option<String> {
        if !self.has_value {
            return None;
        }
        if self.is_none() {
            return Some("true".to_owned());
        }
        Some(
            NAMES
                .into_iter()
                .zip(self.holds)
                .filter_map(|(name, holds)| holds.then_some(name))
                .collect::<Vec<_>>()
                .join(" "),
        )
    }

    /// The facts about all rows of a field of which only some were kept; if there is no mark, those of no value.
    fn of_mark(field: &Field) -> Self {
        let Some(mark) = field.metadata().get(FIXED) else {
            return Self::ALL;
        };
        let is_stated = |name| mark.split(' ').any(|stated| stated == name);
        Self {
            holds: NAMES.map(is_stated),
            ..Self::NONE
        }
    }
}

/// The facts of a column without values.
static ALL: Facts = Facts {
    scalars: Scalars::ALL,
    children: BTreeMap::new(),
};

impl Facts {
    /// The facts of a column without values.
    pub fn of_nothing() -> Self {
        ALL.clone()
    }

    /// The facts of an array. `by_value` permits typing text by its content, like cells of CSV; a JSON string is always
    /// text.
    ///
    /// The facts of a column contain those of each kind of value in it by the name of the kind, as if the column were a
    /// variant: next to a frame whose values are of another kind, it becomes one.
    pub fn of(array: &dyn Array, field: &Field, by_value: bool) -> Self {
        if is_variant(field) {
            let mut found = Self::of_kind(array, field, by_value);
            if let (DataType::Struct(fields), Some(array)) =
                (field.data_type(), array.as_struct_opt())
            {
                found.children = fields
                    .iter()
                    .zip(array.columns())
                    .map(|(field, array)| {
                        (field.name().clone(), Self::of_kind(array, field, by_value))
                    })
                    .collect();
            }
            return found;
        }
        Self::of_kind(array, field, by_value).in_kind(kind(field).map(Tag::name))
    }

    /// The facts of values of one kind, as the facts of a column of them.
    pub fn in_kind(self, kind: Option<&str>) -> Self {
        Self {
            scalars: self.scalars,
            children: kind
                .map(|kind| (kind.to_owned(), self))
                .into_iter()
                .collect(),
        }
    }

    /// The facts about the values of a column that is not a variant, without its other values.
    pub fn kind(&self, field: &Field) -> &Self {
        match kind(field) {
            Some(kind) if !is_variant(field) => self.child(kind.name()),
            _ => self,
        }
    }

    /// The facts of the values of one kind.
    fn of_kind(array: &dyn Array, field: &Field, by_value: bool) -> Self {
        let mut found = ALL.clone();
        if is_nested(field.data_type()) && array.null_count() < array.len() {
            // Next to other values it becomes JSON, which is no number then.
            found.forget();
        }
        let mut add = |child: &Field, values: &dyn Array| {
            let facts = Self::of(values, child, false);
            found.children.insert(child.name().clone(), facts);
        };
        match field.data_type() {
            DataType::Struct(fields) => {
                if let Some(array) = array.as_struct_opt() {
                    // A hidden field has the name of the one before it, which must win.
                    for (field, column) in fields.iter().zip(array.columns()).rev() {
                        add(field, column);
                    }
                }
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                if let Some((_, items)) = list_parts(array) {
                    add(item, items);
                }
            }
            DataType::Map(entries, _) => {
                if let Some((_, keys, values)) = map_parts(array, entries) {
                    add(keys.1, keys.0);
                    add(values.1, values.0);
                }
            }
            _ => {
                found.scalars = scalars(array, field, by_value);
                if by_value {
                    found.scalars = found.scalars.and(Scalars::of_mark(field));
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

    /// Drops all facts, so that the values are only text.
    pub fn forget(&mut self) {
        self.scalars = Scalars::NONE;
    }

    /// Joins the facts about other rows.
    pub fn join(&mut self, other: &Self) {
        self.scalars = self.scalars.and(other.scalars);
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

/// The kind of a column's values in JSON; `None` if they have none, or are JSON text, which may be of any kind.
pub fn kind(field: &Field) -> Option<Tag> {
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    Some(match data_type {
        DataType::Null => return None,
        _ if Type::of(field) == Some(Type::Json) => return None,
        _ if is_padded(field) || is_odd(field) => Tag::String,
        DataType::Boolean => Tag::Bool,
        DataType::Struct(_) | DataType::Map(..) => Tag::Object,
        other if is_nested(other) => Tag::Array,
        other if other.is_numeric() => Tag::Number,
        _ => Tag::String,
    })
}

fn scalars(array: &dyn Array, field: &Field, by_value: bool) -> Scalars {
    if array.null_count() == array.len() {
        return Scalars::ALL;
    }
    match (field.data_type(), Type::of(field)) {
        (DataType::Null, _) => Scalars::ALL,
        (DataType::Boolean, _) => Scalars::only(Fact::Bool),
        (DataType::Timestamp(_, Some(_)), _) => Scalars::only(Fact::Instant),
        (_, Some(Type::Uuid)) => Scalars::only(Fact::Uuid),
        (DataType::Utf8, Some(Type::Utf8)) if by_value => texts(array),
        (DataType::Utf8, Some(Type::Json)) if are_doubles(array) => Scalars::only(Fact::Double),
        (DataType::Utf8, _) => Scalars::NONE,
        _ => {
            let mut found = Scalars::NONE;
            found.holds[Fact::Double as usize] = fit_doubles(array);
            found.holds[Fact::JsonNumber as usize] = array.data_type().is_numeric();
            found
        }
    }
}

/// True if all JSON texts are numbers that doubles represent without loss.
fn are_doubles(array: &dyn Array) -> bool {
    let is_double = |text: &[u8]| {
        str::from_utf8(text)
            .ok()
            .and_then(lossless_number)
            .is_some()
    };
    all_texts(array, is_double)
}

/// The facts about the cells of a text column, ignoring words for null.
fn texts(array: &dyn Array) -> Scalars {
    let Some(slices) = Slices::of(array) else {
        return Scalars::NONE;
    };
    let mut found = Scalars::ALL;
    for row in (0..array.len()).filter(|&row| array.is_valid(row)) {
        let cell = slices.row(row);
        let number = str::from_utf8(cell).ok().and_then(lossless_number);
        if number.is_none() && is_null_word(cell) {
            continue;
        }
        found.has_value = true;
        found.check(Fact::Double, || number.is_some());
        found.check(Fact::JsonNumber, || is_json_number(cell));
        found.check(Fact::Bool, || bool_word(cell).is_some());
        found.check(Fact::Instant, || time::parse_timestamp(cell).is_some());
        found.check(Fact::Uuid, || uuid::parse(cell).is_some());
        if found.is_none() {
            return found;
        }
    }
    found
}

/// The value of a word for true or false that is common in CSV.
pub fn bool_word(text: &[u8]) -> Option<bool> {
    match text {
        b"true" | b"True" | b"TRUE" => Some(true),
        b"false" | b"False" | b"FALSE" => Some(false),
        _ => None,
    }
}

/// NaN or an infinity in any of the usual spellings, such as `nan`, `-inf` and `Infinity`.
pub fn not_finite(text: &[u8]) -> Option<f64> {
    let is_word = !text.iter().any(u8::is_ascii_digit);
    let value: f64 = str::from_utf8(text).ok()?.parse().ok()?;
    Some(value).filter(|value| is_word && !value.is_finite())
}

/// The value of a number that a double represents without loss, or of a word for a value that is not finite. Of these
/// words, only those that mean nothing else make a column of text one of numbers.
pub fn lossless_number(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" | "Inf" => Some(f64::INFINITY),
        "-Infinity" | "-Inf" => Some(f64::NEG_INFINITY),
        text => f64_of_digits(text),
    }
}
