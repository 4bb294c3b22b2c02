//! Columns as described by headers, for choosing types without reading rows.
//!
//! Statistics often decide a type: text whose minimum is not a number is text, and decimals of at most 15 digits fit in
//! doubles. So the types of a whole file are usually known from its headers, and otherwise only a few columns have to be
//! read.

use arrow_array::ArrayRef;
use arrow_schema::{Field, Metadata};
use hashbrown::HashMap;

use super::field_facts::FieldFacts;
use super::join::Joined;
use super::target::{Provenance, provenance};
use crate::columns::statistics::Statistics;
use crate::schema::keys::{foreign, is_hidden};

/// A column as a header describes it.
#[derive(Clone, Debug)]
pub struct StatedColumn {
    /// Name and type.
    pub field: Field,
    /// What is known about its values.
    pub statistics: Statistics,
    /// The minimum and the maximum, if they are values of the type.
    pub extremes: Option<ArrayRef>,
}

/// The joined columns of several headers.
#[derive(Clone, Debug, Default)]
pub struct JoinedHeaders {
    joined: Option<Joined>,
    columns: HashMap<String, Seen>,
}

/// A column of the headers so far.
#[derive(Clone, Debug)]
struct Seen {
    /// Its first field, and the source of that field.
    field: Field,
    from: Provenance,
    /// True if all headers have the same field.
    is_same: bool,
    /// True if the statistics of some header leave its type open.
    is_unknown: bool,
}

impl JoinedHeaders {
    /// True if there is no header.
    pub fn is_empty(&self) -> bool {
        self.joined.is_none()
    }

    /// Adds the header of `rows` more rows, with the metadata of the frame.
    pub fn add(&mut self, columns: &[StatedColumn], rows: usize, metadata: &Metadata) {
        let from = provenance(metadata);
        let columns = columns.iter().filter(|column| !is_hidden(&column.field));
        let columns = columns.map(|column| self.column(column, rows, from));
        let next = Joined::new(columns.collect(), foreign(metadata));
        match &mut self.joined {
            Some(joined) => joined.join(next),
            none => *none = Some(next),
        }
    }

    /// Adds a column of a header to the columns so far. Returns the facts that its statistics prove, or none
    /// if they leave its type open.
    fn column(&mut self, column: &StatedColumn, rows: usize, from: Provenance) -> FieldFacts {
        let StatedColumn {
            field,
            statistics,
            extremes,
        } = column;
        let known = FieldFacts::of_statistics(field, statistics, extremes.as_ref(), rows, from);
        let is_unknown = known.is_none();
        let name = field.name();
        if let Some(seen) = self.columns.get_mut(name) {
            let nullable = seen.field.is_nullable();
            let is_same = seen.field == field.clone().with_nullable(nullable);
            seen.is_same &= is_same && seen.from == from;
            seen.is_unknown |= is_unknown;
        } else {
            let seen = Seen {
                field: field.clone(),
                from,
                is_same: true,
                is_unknown,
            };
            self.columns.insert(name.clone(), seen);
        }
        known.unwrap_or_else(|| {
            let has_nulls = statistics.nulls != Some(0);
            FieldFacts::of_nothing(field, from).with_gaps(has_nulls)
        })
    }

    /// The names of the columns whose type depends on values that are not known.
    pub fn undecided(&self) -> impl Iterator<Item = &str> {
        let is_undecided = |seen: &&Seen| {
            let depends = || FieldFacts::of_nothing(&seen.field, seen.from).depends_on_values();
            seen.is_unknown && (!seen.is_same || depends())
        };
        let undecided = self.columns.values().filter(is_undecided);
        undecided.map(|seen| &**seen.field.name())
    }

    /// The columns of all rows, given that `read` holds the [undecided](Self::undecided) ones.
    pub fn with(self, read: Joined) -> Joined {
        match self.joined {
            Some(mut joined) => {
                joined.replace(read);
                joined
            }
            None => read,
        }
    }
}
