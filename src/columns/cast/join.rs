//! Joins the schemas of several batches to one.
//!
//! Columns are matched by name; `join_types` finds the type that holds the values of both sides.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Metadata, Schema, SchemaRef};

use super::facts::Facts;
use super::field_facts::FieldFacts;
use super::join_types::{join_fields, missing};
use super::named::Named;
use super::settled::{Settled, Typing};
use super::target::{Provenance, is_held, provenance};
use super::{by_name, cast, is_json, is_utf8, json_marks, maps, shown};
use crate::columns::nested::join_names;
use crate::columns::record_batch;
use crate::error::{Error, Result, shell_word};
use crate::schema::keys::{foreign, is_hidden, is_row};
use crate::schema::{Type, any_field, display_name, short_type_name};

/// The columns of all rows so far, with the facts about them.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    columns: Vec<JoinedColumn>,
    /// Table metadata of other programs that is the same for all rows.
    metadata: Metadata,
    /// True if some rows have no columns: in JSON, they are objects without keys.
    has_empty_rows: bool,
    /// True if some rows are not from JSON.
    has_records: bool,
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
    /// True if all rows are JSON, some of them objects in columns and others whole rows in a column of their own.
    pub mixes_whole_rows: bool,
    /// False if only the first rows have been seen.
    is_of_all_rows: bool,
    columns: Vec<SettledColumn>,
}

/// How a column is cast to its type.
#[derive(Clone, Debug)]
struct SettledColumn {
    /// The types that rows from some kinds of sources get first. A frame alone does not show what its cells mean.
    parts: Vec<(Provenance, Settled)>,
    /// The type of all rows.
    whole: Settled,
}

impl Joined {
    /// The columns of some rows, and the metadata of other programs.
    pub(super) fn new(columns: Vec<FieldFacts>, metadata: Metadata) -> Self {
        Self {
            has_empty_rows: columns.is_empty(),
            has_records: false,
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
                let arrays: Vec<_> = batches.iter().map(|batch| batch.column(at)).collect();
                facts_of(field, &arrays, from)
            });
        Self {
            has_records: from != Provenance::Json,
            ..Self::new(columns.collect(), foreign(schema.metadata()))
        }
    }

    /// A single column.
    pub fn of_column(field: &Field, array: &ArrayRef, from: Provenance) -> Self {
        Self::new(vec![facts_of(field, &[array], from)], Metadata::new())
    }

    /// The type of the first column, from one kind of source: exact, except that text gets the type of its values.
    pub fn type_by_value(self) -> Option<Field> {
        let column = self.columns.into_iter().next()?;
        let facts = column.parts.into_iter().next()?;
        Some(facts.joined().settle(Typing::ByValue).field)
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
        self.has_records |= other.has_records;
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

    /// The schema that fits all rows.
    pub fn schema(self, typing: Typing) -> JoinedSchema {
        // Text without a header has no names. Tables of other tools need some.
        let is_nameless = |column: &JoinedColumn| {
            column.name().is_empty() && column.parts.iter().any(|it| it.from == Provenance::Csv)
        };
        let are_numbered = self.columns.iter().all(is_nameless);
        let columns = self.columns.into_iter();
        let columns: Vec<_> = columns.map(|known| known.settle(typing)).collect();
        let name = |(at, column): (usize, &SettledColumn)| {
            let field = column.whole.field.clone();
            Arc::new(if are_numbered {
                let name = display_name(field.name(), at);
                field.with_name(name)
            } else {
                field
            })
        };
        let fields: Fields = columns.iter().enumerate().map(name).collect();
        let has_objects = fields.len() > 1 || self.has_empty_rows;
        let has_whole_rows = fields.iter().any(|field| is_row(field));
        JoinedSchema {
            schema: Arc::new(Schema::new_with_metadata(fields, self.metadata)),
            mixes_whole_rows: has_objects && has_whole_rows && !self.has_records,
            is_of_all_rows: true,
            columns,
        }
    }
}

/// The type and facts of a column in the batches of one frame.
fn facts_of(field: &Field, arrays: &[&ArrayRef], from: Provenance) -> FieldFacts {
    if from.of_column(field) == Provenance::Json {
        of_json(field, arrays)
    } else {
        let known = FieldFacts::of_all(arrays.iter().copied(), field, from);
        let has_nulls = arrays.iter().any(|array| array.logical_null_count() > 0);
        known.with_gaps(has_nulls).for_joining()
    }
}

/// The type and facts of a column of JSON in the batches of one frame.
fn of_json(field: &Field, arrays: &[&ArrayRef]) -> FieldFacts {
    let of = |field: &Field, arrays: &[&ArrayRef]| {
        let mark = |field: Field, array: &&ArrayRef| json_marks::mark(&field, array);
        let field = arrays.iter().fold(field.clone(), mark);
        FieldFacts::of_all(arrays.iter().copied(), &field, Provenance::Json).for_joining()
    };
    // Whether the keys of few objects are data depends on all others.
    let objects = |array: &&ArrayRef| maps::without_few(field, array);
    if !any_field(field, |it| matches!(it.data_type(), DataType::Map(..))) {
        return of(field, arrays);
    }
    let parts = arrays.iter().map(|array| match objects(array) {
        Some((field, array)) => of(&field, &[&array]),
        None => of(field, &[array]),
    });
    let joined = parts.reduce(|mut known, other| {
        known.join(&other);
        known
    });
    joined.unwrap_or_else(|| of(field, &[]))
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
    fn settle(mut self, typing: Typing) -> SettledColumn {
        let has_bytes = |it: &FieldFacts| it.from == Provenance::Csv && is_held(&it.field);
        if self.parts.iter().any(has_bytes) {
            // If some cells are bytes, the values of all other rows become bytes.
            for mut part in std::mem::take(&mut self.parts) {
                part.from = Provenance::Csv;
                self.join(Self { parts: vec![part] });
            }
        }
        let name = self.name().clone();
        let mut parts: Vec<_> = self.parts.into_iter().map(FieldFacts::joined).collect();
        if let [only] = &parts[..] {
            return SettledColumn {
                parts: Vec::new(),
                whole: only.settle(typing),
            };
        }
        // Cells that mean null say nothing about the type.
        let is_null_beside = |part: &FieldFacts, other: &FieldFacts| {
            let has_type = *other.field.data_type() != DataType::Null;
            other.from == part.from || has_type && part.is_null_beside(other)
        };
        let is_null = |part: &FieldFacts| parts.iter().all(|other| is_null_beside(part, other));
        let null = parts
            .iter()
            .position(is_null)
            .filter(|_| typing != Typing::Exact);
        let null = null.map(|at| parts.remove(at));
        let mut field = Field::new(name, DataType::Null, null.is_some());
        let mut facts = Facts::of_nothing();
        let mut settled = Vec::with_capacity(parts.len());
        for part in parts {
            let one = part.settle(typing);
            let is_number = part.from == Provenance::Csv && one.field.data_type().is_numeric();
            facts.join(&if is_number {
                part.facts.into_numbers()
            } else {
                part.facts
            });
            field = join_fields(&field, &one.field, &facts, false);
            settled.push((part.from, one));
        }
        let mut joined = SettledColumn::of(field, settled);
        joined.parts.extend(null.map(|part| {
            let mut to = Settled::plain(joined.whole.field.clone());
            to.drops_words = true;
            (part.from, to)
        }));
        joined
    }
}

impl SettledColumn {
    /// A column of several parts whose values all fit in `field`.
    fn of(field: Field, mut parts: Vec<(Provenance, Settled)>) -> Self {
        let times = || parts.iter().filter_map(|(_, part)| part.time.as_ref());
        if times().any(|time| times().any(|other| time.is_exchanged(other))) {
            return Self::of(Type::Utf8.field(field.name()), Vec::new());
        }
        if is_utf8(&field) {
            let whole = Settled::text(field);
            return Self {
                parts: Vec::new(),
                whole,
            };
        }
        if is_json(&field) {
            // Values other than cells already show which kind of JSON they are.
            parts.retain(|(from, _)| *from == Provenance::Csv);
            for (_, part) in &mut parts {
                let data_type = part.field.data_type();
                if !data_type.is_numeric() && *data_type != DataType::Boolean {
                    *part = Settled::text(Type::Utf8.field(field.name()));
                }
            }
        }
        let whole = Settled::plain(field);
        Self { parts, whole }
    }

    /// Casts an array of rows from this kind of source; `None` if a value would be lost.
    fn cast(&self, array: &ArrayRef, field: &Field, from: Provenance) -> Result<Option<ArrayRef>> {
        let Some((_, part)) = self.parts.iter().find(|(of, _)| *of == from) else {
            return self.whole.cast(array, field);
        };
        let values = part.cast(array, field)?;
        values.map_or(Ok(None), |values| self.whole.cast(&values, &part.field))
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
        let typed = typed.map(|field| {
            let field = field.clone().with_nullable(true);
            json_marks::join(field, &self.field, &other.field)
        });
        self.has_words |= other.has_words || typed.is_some();
        self.join_cells(other);
        // Among doubles, NaN is a value.
        if typed
            .as_ref()
            .is_some_and(|it| !it.data_type().is_floating())
        {
            self.add_nan_words();
        }
        let is_json = self.is_json();
        self.field =
            typed.unwrap_or_else(|| join_fields(&self.field, &other.field, &self.facts, is_json));
    }
}

impl JoinedSchema {
    /// The schema of the first rows, which all others must fit.
    pub fn of_first(schema: &Schema) -> Self {
        Self {
            is_of_all_rows: false,
            ..Joined::of(schema, &[]).schema(Typing::Exact)
        }
    }

    /// Casts a batch to these columns and types.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] with the column that does not fit.
    pub fn fit(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let have = batch.schema_ref().fields();
        let from = provenance(batch.schema_ref().metadata());
        let cast = |at: usize, array: &ArrayRef, field: &Field| {
            self.columns[at].cast(array, field, from.of_column(field))
        };
        let names = self.columns.iter().map(|column| &column.whole.field);
        let Some(columns) = by_name(batch.columns(), have, names, rows, cast)? else {
            return Err(misfit(batch, &self.schema, self.is_of_all_rows)?);
        };
        record_batch(Arc::clone(&self.schema), columns, rows).map_err(Error::input)
    }
}

/// The error for the first column of a batch that does not fit.
fn misfit(batch: &RecordBatch, schema: &SchemaRef, is_of_all_rows: bool) -> Result<Error> {
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
            let (was, is) = (short_type_name(to), short_type_name(from));
            let (what, hint) = if is_of_all_rows {
                (
                    format!("{was}, the type of all rows, cannot hold a value of {is}"),
                    "convert the inputs to files of their own with --out-dir",
                )
            } else {
                (
                    format!("the schema is already written with {was}, but later rows are {is}"),
                    "read from a file instead of a pipe",
                )
            };
            return Ok(Error::input(what).in_column(name).hint(hint));
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

/// The field of a column that a frame lacks.
pub fn missing_field(name: &str, from: Provenance) -> Field {
    let field = Field::new(name, DataType::Null, true);
    missing(&field, from == Provenance::Json)
}
