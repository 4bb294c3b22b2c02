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
//! | text of CSV, all dates or times that differ in zero padding | the date or time | text | string |
//! | other text | the same | text | string |
//! | nested | member by member | JSON | the same |
//!
//! Nulls stay null. Words for null become null as well, with two exceptions: if the column becomes text
//! because of other rows, or if its word may be a value, the word becomes text.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, FieldRef, Metadata};

use super::by_value::{Nan, json_numbers, without_null_words};
use super::field_facts::FieldFacts;
use super::null_words::{all_spelled, is_odd};
use super::scalars::Fact;
use super::settled::{Typing, type_by_value};
use super::{is_json, is_utf8, wire_1};
use crate::error::{Error, Result};
use crate::schema::keys::{
    BY_USER, CELLS, FIXED, TEXT_CELLS, is_fixed, is_of_json, text_format, with,
};
use crate::schema::{Type, any_field};

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

    /// False if the column certainly stays as it is.
    pub fn may_change(self, field: &Field, from: Provenance) -> bool {
        let from = from.of_column(field);
        let is_text = from == Provenance::Csv && is_utf8(field);
        match self {
            Self::Values | Self::Wire1 | Self::Wire1Exact | Self::Wire1Values => true,
            Self::Json => is_text || is_odd(field),
            Self::ByValue => {
                let is_odd = from == Provenance::Csv && is_odd(field);
                is_text || is_odd || from == Provenance::Json && any_field(field, is_json)
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
    #[must_use]
    pub fn of_column(self, field: &Field) -> Self {
        if any_field(field, is_fixed) {
            Self::Typed
        } else {
            self
        }
    }
}

/// The source of the columns of a frame, given its metadata.
pub fn provenance(metadata: &Metadata) -> Provenance {
    match text_format(metadata) {
        None => Provenance::Typed,
        Some(_) if is_of_json(metadata) => Provenance::Json,
        Some(_) => Provenance::Csv,
    }
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
            let (cast, arrays) = known.settle(Typing::Values).cast_all(field, arrays)?;
            // These types are final, so later casts must not type the text by its values again.
            let (key, mark) = match from {
                _ if is_fixed(field) => (FIXED, BY_USER),
                Provenance::Csv if is_utf8(&cast) && !is_held(&cast) => (CELLS, TEXT_CELLS),
                _ => return Ok((cast, arrays)),
            };
            let marked = with(Field::clone(&cast), key, mark);
            Ok((marked.into(), arrays))
        }
        Target::ByValue if !target.may_change(field, from) => Ok((Arc::clone(field), arrays)),
        Target::ByValue => {
            let known = FieldFacts::of_all(&arrays, field, from);
            let settled = known.settle(Typing::ByValue);
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

/// Casts text of CSV for JSON; columns whose null word may be a value become text first. Text that contains
/// only numbers becomes numbers if JSON spells all of them this way. Text that has another type by its values
/// stays text, but its words for null become null. Other text is unchanged.
fn json(
    field: &FieldRef,
    arrays: Vec<ArrayRef>,
    from: Provenance,
) -> Result<(FieldRef, Vec<ArrayRef>)> {
    if is_odd(field) {
        let (field, texts) = all_spelled(field, &arrays)?;
        return json(&field, texts, from);
    }
    if from != Provenance::Csv || !is_utf8(field) || is_held(field) {
        return Ok((Arc::clone(field), arrays));
    }
    let facts = FieldFacts::of_all(&arrays, field, from).facts;
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
    Type::held(field).is_some()
}
