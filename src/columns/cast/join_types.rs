//! Joins the types of two columns to one that holds the values of both.
//!
//! If only text can, it is text, or JSON text if one side is nested.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{
    DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, Fields, TimeUnit,
};

use super::facts::{self, Facts};
use super::named::Named;
use super::scalars::{Fact, Scalars};
use super::target::is_held;
use super::time_forms::TimeForm;
use super::{is_json, is_utf8, json_marks, maps};
use crate::columns::lists::entry_fields;
use crate::columns::nested::Tag;
use crate::columns::print::json::is_nested;
use crate::schema::keys::{GAP, ROLE, as_variant, is_variant, with, without};
use crate::schema::{EXTENSION_NAME, Type};
use crate::text::form::form_of;

/// Joins two columns. In JSON, values of different kinds become a variant, as they would in one frame.
pub(super) fn join_fields(a: &Field, b: &Field, facts: &Facts, in_json: bool) -> Field {
    let nullable = a.is_nullable() || b.is_nullable();
    let mut field = join_kinds(a, b, facts, in_json);
    // Keep metadata that is the same on both sides.
    let same = field.metadata().iter().all(|(key, value)| {
        [a, b].iter().all(|side| {
            *side.data_type() == DataType::Null || side.metadata().get(key) == Some(value)
        })
    });
    let is_fallback = Type::of(&field) == Some(Type::Json) || is_held_text(&field);
    let has_one_form = in_json && TimeForm::of_field(&field).is_some();
    let is_new =
        is_fallback || has_one_form || is_variant(&field) && !(is_variant(a) && is_variant(b));
    if !same && !is_new {
        let metadata: HashMap<_, _> = field
            .metadata()
            .iter()
            .filter(|(key, value)| {
                [a, b]
                    .iter()
                    .all(|side| side.metadata().get(key) == Some(*value))
            })
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        field = field.with_metadata(metadata);
    }
    if in_json {
        let kind = facts::kind(a).filter(|kind| facts::kind(b) == Some(*kind));
        json_marks::set_kind(&mut field, kind);
    }
    // What the column is for does not depend on the type of its values.
    if let Some(role) = a.metadata().get(ROLE)
        && b.metadata().get(ROLE) == Some(role)
    {
        field = with(field, ROLE, role);
    }
    json_marks::join(field, a, b).with_nullable(nullable)
}

fn join_kinds(a: &Field, b: &Field, facts: &Facts, in_json: bool) -> Field {
    if *b.data_type() == DataType::Null {
        return a.clone().with_nullable(true);
    }
    if *a.data_type() == DataType::Null {
        return b.clone().with_nullable(true);
    }
    let extension = |field: &Field| field.metadata().get(EXTENSION_NAME).cloned();
    // If some text is not UTF-8, the whole column becomes bytes.
    if let Some(bytes) = [a, b].into_iter().find(|field| is_held_text(field)) {
        return bytes.clone();
    }
    if (in_json || is_variant(a) && is_variant(b))
        && let Some(variant) = join_variants(a, b, facts, in_json)
    {
        return variant;
    }
    // A JSON string is text unless one form prints all.
    let is_string = in_json && facts::kind(a) == Some(Tag::String);
    let alike = extension(a) == extension(b)
        && Type::held(a) == Type::held(b)
        && is_variant(a) == is_variant(b)
        && (!is_string || form_of(a) == form_of(b));
    let joined = if alike {
        join_types(a.data_type(), b.data_type(), facts.kind(a), in_json)
    } else {
        None
    };
    match joined {
        Some(joined) => a.clone().with_data_type(joined),
        None if is_string
            && facts::kind(b) == Some(Tag::String)
            && let Some(time) = facts.kind(a).times().decided() =>
        {
            time.field(a.name())
        }
        None if [a, b]
            .iter()
            .any(|field| is_nested(field.data_type()) || is_json(field)) =>
        {
            Type::Json.field(a.name())
        }
        // Numbers of JSON that have no common type must not become strings.
        None if in_json && [a, b].iter().all(|field| field.data_type().is_numeric()) => {
            Type::Json.field(a.name())
        }
        None => Type::Utf8.field(a.name()),
    }
}

/// Joins values of several kinds; `None` if all are of one kind, or if the kind of some is unknown.
fn join_variants(a: &Field, b: &Field, facts: &Facts, in_json: bool) -> Option<Field> {
    if !is_variant(a) && !is_variant(b) && facts::kind(a) == facts::kind(b) {
        return None;
    }
    let (mut children, others) = (children_by_kind(a)?, children_by_kind(b)?);
    for (kind, other) in others {
        match children.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, known)) => {
                let facts = facts.child(kind.name()).clone();
                let facts = facts.in_kind(facts::kind(known).map(Tag::name));
                *known = join_fields(known, &other, &facts, in_json);
            }
            None => children.push((kind, other)),
        }
    }
    children.sort_by_key(|(kind, _)| *kind);
    let children: Fields = children.into_iter().map(|(_, child)| child).collect();
    let mut variant = Field::new(a.name(), DataType::Struct(children), true);
    // Metadata that both sides share describes the whole column, such as the role of whole rows.
    let same = a
        .metadata()
        .iter()
        .filter(|(key, value)| b.metadata().get(key.as_str()) == Some(value));
    let same = same.map(|(key, value)| (key.clone(), value.clone()));
    variant.metadata_mut().extend(same);
    Some(as_variant(variant))
}

/// A field for each kind of value, named like the kind; `None` if a kind is unknown.
fn children_by_kind(field: &Field) -> Option<Vec<(Tag, Field)>> {
    match field.data_type() {
        DataType::Struct(children) if is_variant(field) => children
            .iter()
            .map(|child| {
                let kind = Tag::ALL
                    .into_iter()
                    .find(|kind| kind.name() == child.name());
                Some((kind?, child.as_ref().clone().with_nullable(true)))
            })
            .collect(),
        _ => {
            let kind = facts::kind(field)?;
            let child = field.clone().with_name(kind.name()).with_nullable(true);
            Some(vec![(kind, without(child, &[ROLE, GAP]))])
        }
    }
}

/// True for text that is not UTF-8.
pub fn is_held_text(field: &Field) -> bool {
    is_held(field) && is_utf8(field)
}

/// The narrowest type that can represent the values of both, if it is not text.
fn join_types(a: &DataType, b: &DataType, facts: &Facts, in_json: bool) -> Option<DataType> {
    use DataType as T;
    if a == b {
        return Some(a.clone());
    }
    let item = |a: &FieldRef, b: &FieldRef| {
        let facts = facts.child(a.name());
        Arc::new(join_fields(a, b, facts, in_json))
    };
    Some(match (a, b) {
        (T::Dictionary(_, a), b) | (b, T::Dictionary(_, a)) => {
            let b = match b {
                T::Dictionary(_, values) => values,
                plain => plain,
            };
            return join_types(a, b, facts, in_json);
        }
        (T::Utf8 | T::LargeUtf8 | T::Utf8View, T::Utf8 | T::LargeUtf8 | T::Utf8View) => {
            T::LargeUtf8
        }
        (
            T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_),
            T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_),
        ) => T::LargeBinary,
        (T::Date32, T::Date64) | (T::Date64, T::Date32) => T::Date64,
        (T::Timestamp(a, zone), T::Timestamp(b, other)) if zone == other => {
            T::Timestamp(*a.max(b), zone.clone())
        }
        (T::Duration(a), T::Duration(b)) => T::Duration(*a.max(b)),
        (T::Time32(a) | T::Time64(a), T::Time32(b) | T::Time64(b)) => match *a.max(b) {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => T::Time32(unit),
            unit => T::Time64(unit),
        },
        (T::Struct(a), T::Struct(b)) => T::Struct(join_structs(a, b, facts, in_json)),
        (T::List(a), T::List(b)) => T::List(item(a, b)),
        (T::LargeList(a), T::LargeList(b)) => T::LargeList(item(a, b)),
        (T::FixedSizeList(a, len), T::FixedSizeList(b, other)) if len == other => {
            T::FixedSizeList(item(a, b), *len)
        }
        (T::Map(a, sorted), T::Map(b, other)) if sorted == other => {
            let ((key, value), (other_key, other_value)) = (entry_fields(a)?, entry_fields(b)?);
            let value = if in_json {
                Arc::new(join_fields(value, other_value, &facts.of_values(), true))
            } else {
                item(value, other_value)
            };
            let pair = T::Struct([item(key, other_key), value].into_iter().collect());
            T::Map(Arc::new(a.as_ref().clone().with_data_type(pair)), *sorted)
        }
        (T::Struct(members), T::Map(entries, _)) | (T::Map(entries, _), T::Struct(members))
            if in_json =>
        {
            maps::map_of(members, Some(entry_fields(entries)?.1), facts)
        }
        (a, b) if in_json && a.is_numeric() && b.is_numeric() => {
            return join_json_numbers(a, b, facts.scalars());
        }
        (T::Float16, T::Float32) | (T::Float32, T::Float16) => T::Float32,
        (a, b) if a.is_floating() && b.is_floating() => T::Float64,
        (a, b)
            if (a.is_floating() && b.is_numeric() || a.is_numeric() && b.is_floating())
                && facts.scalars().are(Fact::ShortDouble) =>
        {
            T::Float64
        }
        (a, b) => return join_whole(a, b),
    })
}

/// The type of all numbers of JSON in one text. Integers, and fractions with as many digits, are decimals; others are
/// doubles, or text of JSON if digits would be lost.
fn join_json_numbers(a: &DataType, b: &DataType, all: Scalars) -> Option<DataType> {
    let scale = |ty: &DataType| match ty {
        DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale) => Some(*scale),
        other => other.is_integer().then_some(0),
    };
    match (scale(a), scale(b)) {
        (Some(0), Some(0)) => all.number_type(),
        (Some(one), Some(other)) if one == other => all.decimal_type(),
        _ => all.are(Fact::Double).then_some(DataType::Float64),
    }
}

/// Joins integers and decimals. Two integers become the narrowest integer that holds both; if only one of them is
/// signed, the other needs twice its bits. Otherwise the decimal has as many digits before and after the point as both
/// need.
fn join_whole(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType as T;
    let bits = |ty: &DataType| {
        Some(match ty {
            T::Int8 => (8, true),
            T::Int16 => (16, true),
            T::Int32 => (32, true),
            T::Int64 => (64, true),
            T::UInt8 => (8, false),
            T::UInt16 => (16, false),
            T::UInt32 => (32, false),
            T::UInt64 => (64, false),
            _ => return None,
        })
    };
    if let (Some((a, a_signed)), Some((b, b_signed))) = (bits(a), bits(b)) {
        let signed = a_signed || b_signed;
        let need = |bits: i32, own: bool| if signed && !own { bits * 2 } else { bits };
        return Some(match (need(a, a_signed).max(need(b, b_signed)), signed) {
            (..=16, true) => T::Int16,
            (32, true) => T::Int32,
            (64, true) => T::Int64,
            (..=16, false) => T::UInt16,
            (32, false) => T::UInt32,
            (64, false) => T::UInt64,
            // A `u64` and a signed integer: 20 digits hold both.
            _ => T::Decimal128(20, 0),
        });
    }
    let digits = |ty: &DataType| {
        Some(match ty {
            T::Decimal32(precision, scale)
            | T::Decimal64(precision, scale)
            | T::Decimal128(precision, scale)
                if *scale >= 0 =>
            {
                (precision - scale.unsigned_abs(), scale.unsigned_abs())
            }
            T::Int8 | T::UInt8 => (3, 0),
            T::Int16 | T::UInt16 => (5, 0),
            T::Int32 | T::UInt32 => (10, 0),
            T::Int64 => (19, 0),
            T::UInt64 => (20, 0),
            _ => return None,
        })
    };
    let ((a_whole, a_scale), (b_whole, b_scale)) = (digits(a)?, digits(b)?);
    let scale = a_scale.max(b_scale);
    let precision = a_whole.max(b_whole) + scale;
    let is_small = |ty: &DataType| matches!(ty, T::Decimal32(..) | T::Decimal64(..));
    if precision <= DECIMAL64_MAX_PRECISION && (is_small(a) || is_small(b)) {
        Some(T::Decimal64(precision, scale as i8))
    } else {
        (precision <= DECIMAL128_MAX_PRECISION).then_some(T::Decimal128(precision, scale as i8))
    }
}

fn join_structs(a: &Fields, b: &Fields, facts: &Facts, in_json: bool) -> Fields {
    let mut others = Named::new(b.iter().collect(), |field| field.name());
    let mut fields: Vec<FieldRef> = Vec::with_capacity(a.len());
    for field in a {
        fields.push(Arc::new(match others.take(field.name()) {
            Some(other) => join_fields(field, other, facts.child(field.name()), in_json),
            None => missing(field, in_json),
        }));
    }
    fields.extend(others.rest().map(|field| Arc::new(missing(field, in_json))));
    fields.into()
}

/// A field that some rows lack.
pub(super) fn missing(field: &Field, in_json: bool) -> Field {
    let field = field.clone().with_nullable(true);
    if in_json {
        json_marks::missing(field)
    } else {
        field
    }
}
