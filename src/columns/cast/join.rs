//! Joins the schemas of several batches to one.
//!
//! Columns are matched by name. The joined type can represent all values of both; if only text can, it is text, or JSON
//! text if one side is nested.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{
    DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, Fields, Metadata,
    Schema, SchemaRef, TimeUnit,
};

use super::facts::{self, Facts};
use super::field_facts::FieldFacts;
use super::json_marks;
use super::named::Named;
use super::scalars::{Fact, Scalars};
use super::settled::Settled;
use super::target::{Provenance, is_held, provenance};
use super::time_forms::TimeForm;
use super::{by_name, cast, is_json, is_utf8, shown};
use crate::columns::nested::{Tag, join_names};
use crate::columns::print::json::is_nested;
use crate::columns::record_batch;
use crate::error::{Error, Result, shell_word};
use crate::schema::keys::{GAP, ROLE, as_variant, foreign, is_hidden, is_variant};
use crate::schema::{EXTENSION_NAME, FixedTypes, Type, display_name, type_name};
use crate::text::form::form_of;

/// The columns of all rows so far, with the facts about them.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    columns: Vec<JoinedColumn>,
    /// Table metadata of other programs that is the same for all rows.
    metadata: Metadata,
    /// True if some rows have no columns: in JSON, they are objects without keys.
    has_empty_rows: bool,
}

/// A column, which may be in sources of several kinds.
#[derive(Clone, Debug)]
struct JoinedColumn {
    /// The facts about its rows, by kind of source; at least one. They are kept apart because the meaning of cells of CSV
    /// depends on other cells of CSV only.
    parts: Vec<FieldFacts>,
}

/// The schema of a whole input, and how its columns are cast to it.
#[derive(Clone, Debug)]
pub struct JoinedSchema {
    /// Names and types.
    pub schema: SchemaRef,
    /// True if some rows have no columns: in JSON, they are objects without keys.
    pub has_empty_rows: bool,
    columns: Vec<Settled>,
}

impl Joined {
    /// The columns of some rows, and the metadata of other programs.
    pub(super) fn new(columns: Vec<FieldFacts>, metadata: Metadata) -> Self {
        Self {
            has_empty_rows: columns.is_empty(),
            columns: columns
                .into_iter()
                .map(|known| JoinedColumn { parts: vec![known] })
                .collect(),
            metadata,
        }
    }

    /// The columns of the batches of one frame.
    pub fn of(schema: &Schema, batches: &[RecordBatch]) -> Self {
        let from = provenance(schema.metadata());
        let columns = schema
            .fields()
            .iter()
            .enumerate()
            .filter(|(_, field)| !is_hidden(field))
            .map(|(at, field)| {
                let arrays = || batches.iter().map(|batch| batch.column(at));
                let mut field = field.as_ref().clone();
                if from.of_column(&field) == Provenance::Json {
                    field = arrays().fold(field, |field, array| json_marks::mark(&field, array));
                }
                FieldFacts::of_all(arrays(), &field, from).for_joining()
            });
        Self::new(columns.collect(), foreign(schema.metadata()))
    }

    /// Replaces the columns that `other` has, too.
    pub(super) fn replace(&mut self, other: Self) {
        let others = other.columns.into_iter();
        let mut others: HashMap<String, JoinedColumn> = others
            .map(|column| (column.name().clone(), column))
            .collect();
        for known in &mut self.columns {
            if let Some(column) = others.remove(known.name()) {
                *known = column;
            }
        }
    }

    /// Adds the columns of later rows.
    pub fn join(&mut self, other: Self) {
        self.metadata
            .retain(|key, value| other.metadata.get(key) == Some(value));
        self.has_empty_rows |= other.has_empty_rows;
        let mut parts = self.columns.iter().flat_map(|column| &column.parts);
        let is_json = parts.any(FieldFacts::is_json);
        let are_alike = self.names().eq(other.names());
        let order = (is_json && !are_alike).then(|| {
            let [known, later] = [&*self, &other].map(|it| it.names().cloned().collect::<Vec<_>>());
            join_names(&known, &later)
        });
        let mut others = Named::new(other.columns, |column| column.name());
        for known in &mut self.columns {
            match others.take(known.name()) {
                Some(other) => known.join(other),
                None => known.set_missing(),
            }
        }
        self.columns.extend(others.rest().map(|mut known| {
            known.set_missing();
            known
        }));
        if let Some(order) = order {
            let places: HashMap<_, _> = order.iter().zip(0..).collect();
            self.columns.sort_by_key(|known| places.get(known.name()));
        }
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.columns.iter().map(JoinedColumn::name)
    }

    /// The schema that fits all rows: with exact types, or with types that tools compute with.
    pub fn schema(self, exact: bool) -> JoinedSchema {
        // Text without a header has no names. Tables of other tools need some.
        let is_nameless = |column: &JoinedColumn| {
            column.name().is_empty() && column.parts.iter().any(|it| it.from == Provenance::Csv)
        };
        let are_numbered = self.columns.iter().all(is_nameless);
        let columns = self.columns.into_iter();
        let columns: Vec<Settled> = columns.map(|known| known.settle(exact)).collect();
        let name = |(at, column): (usize, &Settled)| {
            let field = column.field.clone();
            Arc::new(if are_numbered {
                let name = display_name(field.name(), at);
                field.with_name(name)
            } else {
                field
            })
        };
        let fields: Fields = columns.iter().enumerate().map(name).collect();
        JoinedSchema {
            schema: Arc::new(Schema::new_with_metadata(fields, self.metadata)),
            has_empty_rows: self.has_empty_rows,
            columns,
        }
    }
}

impl JoinedColumn {
    fn name(&self) -> &String {
        self.parts[0].field.name()
    }

    fn set_missing(&mut self) {
        self.parts.iter_mut().for_each(FieldFacts::set_missing);
    }

    fn join(&mut self, other: Self) {
        for part in other.parts {
            match self.parts.iter_mut().find(|known| known.from == part.from) {
                Some(known) => known.join(&part),
                None => self.parts.push(part),
            }
        }
    }

    /// Chooses the types of the parts, then one that holds them all.
    fn settle(mut self, exact: bool) -> Settled {
        let has_bytes = |it: &FieldFacts| it.from == Provenance::Csv && is_held(&it.field);
        if self.parts.iter().any(has_bytes) {
            // If some cells are bytes, the values of all other rows become bytes.
            for mut part in std::mem::take(&mut self.parts) {
                part.from = Provenance::Csv;
                self.join(Self { parts: vec![part] });
            }
        }
        let settle = |known: &FieldFacts| {
            if exact {
                known.settle_exactly()
            } else {
                known.settle()
            }
        };
        let name = self.name().clone();
        let mut parts: Vec<_> = self.parts.into_iter().map(FieldFacts::joined).collect();
        if let [only] = &parts[..] {
            return settle(only);
        }
        // Cells that mean null say nothing about the type.
        let is_null_beside = |part: &FieldFacts, other: &FieldFacts| {
            let has_type = *other.field.data_type() != DataType::Null;
            other.from == part.from || has_type && part.is_null_beside(other)
        };
        let is_null = |part: &FieldFacts| parts.iter().all(|other| is_null_beside(part, other));
        let null = parts.iter().position(is_null).filter(|_| !exact);
        if let Some(at) = null {
            parts.remove(at);
        }
        let mut joined = Settled::plain(Field::new(name, DataType::Null, null.is_some()));
        joined.drops_words = null.is_some();
        let mut facts = Facts::of_nothing();
        for part in parts {
            let other = settle(&part);
            let is_number = part.from == Provenance::Csv && other.field.data_type().is_numeric();
            facts.join(&if is_number {
                part.facts.into_numbers()
            } else {
                part.facts
            });
            let field = join_fields(&joined.field, &other.field, &facts, false);
            joined = joined.and(other, field);
        }
        joined
    }
}

impl FieldFacts {
    /// Some rows lack the column.
    fn set_missing(&mut self) {
        self.field = missing(&self.field, self.is_json());
    }

    /// Adds the facts about the same column in another frame. If one of the two has only nulls or words for
    /// null, the type of the other one wins; otherwise both types are joined.
    fn join(&mut self, other: &Self) {
        // A frame that has only words for null says nothing about the type.
        let is_typed = |it: &Self| !it.is_words() && *it.field.data_type() != DataType::Null;
        let typed = match (self.is_null_beside(other), other.is_null_beside(self)) {
            (true, is_null) if is_typed(other) && (!is_null || self.is_words()) => {
                Some(&other.field)
            }
            (is_null, true) if is_typed(self) && (!is_null || other.is_words()) => {
                Some(&self.field)
            }
            _ => None,
        };
        let typed = typed.map(|field| field.clone().with_nullable(true));
        self.has_words |= other.has_words || typed.is_some();
        self.join_cells(other);
        if typed.is_some() {
            self.add_nan_words();
        }
        let is_json = self.is_json();
        self.field =
            typed.unwrap_or_else(|| join_fields(&self.field, &other.field, &self.facts, is_json));
    }
}

impl JoinedSchema {
    /// A schema that is known before reading rows.
    pub fn known(schema: &Schema) -> Self {
        Joined::of(schema, &[]).schema(true)
    }

    /// Casts a batch to these columns and types.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] with the column that does not fit.
    pub fn fit(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let have = batch.schema_ref().fields();
        let Some(columns) = by_name(batch.columns(), have, &self.columns, rows)? else {
            return Err(misfit(batch, &self.schema)?);
        };
        record_batch(Arc::clone(&self.schema), columns, rows).map_err(Error::input)
    }
}

/// The error for the first column of a batch that does not fit.
fn misfit(batch: &RecordBatch, schema: &SchemaRef) -> Result<Error> {
    let have = batch.schema_ref().fields();
    let mut found: Vec<_> = (0..have.len())
        .filter(|&at| !is_hidden(&have[at]))
        .collect();
    for (at, to) in schema.fields().iter().enumerate() {
        let place = found.iter().position(|&at| have[at].name() == to.name());
        let Some(place) = place else {
            if to.is_nullable() {
                continue;
            }
            let what = "the schema is already written, and these rows lack a column that it declares as never null";
            return Ok(Error::input(what).in_column(shown(schema.fields(), at)));
        };
        let at = found.remove(place);
        let from = &have[at];
        if cast(batch.column(at), from, to)?.is_none() {
            let name = display_name(to.name(), at);
            let (was, is) = (type_name(to), type_name(from));
            let joined = join_fields(
                to,
                from,
                &Facts::of(batch.column(at), from, Provenance::Typed),
                false,
            );
            // Suggest the type of both, or JSON if `--schema` has no name for it.
            let fixed = format!("{name}:{}", type_name(&joined));
            let fixed = match FixedTypes::parse(&fixed) {
                Ok(_) => fixed,
                Err(_) => format!("{name}:json"),
            };
            return Ok(Error::input(format!(
                "the schema is already written with {was}, but later rows are {is}"
            ))
            .in_column(name)
            .hint(format!(
                "read from a file instead of a pipe, or use --schema {} or --infer none",
                shell_word(&fixed)
            )));
        }
    }
    let new = found
        .first()
        .map_or_else(String::new, |&at| shown(have, at));
    let names: Vec<_> = schema
        .fields()
        .iter()
        .enumerate()
        .map(|(at, _)| shown(schema.fields(), at))
        .collect();
    Ok(Error::input(format!(
        "column {new:?} appears too late: the schema is already written"
    ))
    .hint(format!(
        "read from a file instead of a pipe, or choose columns with --columns {}",
        shell_word(&names.join(","))
    )))
}

/// Joins two columns. In JSON, values of different kinds become a variant, as they would in one frame.
fn join_fields(a: &Field, b: &Field, facts: &Facts, in_json: bool) -> Field {
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
        field = json_marks::join(field, a, b);
        json_marks::set_kind(&mut field, kind);
    }
    field.with_nullable(nullable)
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
            let mut child = field.clone().with_name(kind.name()).with_nullable(true);
            for key in [ROLE, GAP] {
                child.metadata_mut().remove(key);
            }
            Some(vec![(kind, child)])
        }
    }
}

/// True for text that is not UTF-8.
fn is_held_text(field: &Field) -> bool {
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
            let (T::Struct(x), T::Struct(y)) = (a.data_type(), b.data_type()) else {
                return None;
            };
            let ([key, value], [other_key, other_value]) = (&x[..], &y[..]) else {
                return None;
            };
            let pair = [item(key, other_key), item(value, other_value)];
            let entries = a
                .as_ref()
                .clone()
                .with_data_type(T::Struct(pair.into_iter().collect()));
            T::Map(Arc::new(entries), *sorted)
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

/// The field of a column that a frame lacks.
pub fn missing_field(name: &str, from: Provenance) -> Field {
    let field = Field::new(name, DataType::Null, true);
    missing(&field, from == Provenance::Json)
}

/// A field that some rows lack.
fn missing(field: &Field, in_json: bool) -> Field {
    let field = field.clone().with_nullable(true);
    if in_json {
        json_marks::missing(field)
    } else {
        field
    }
}
