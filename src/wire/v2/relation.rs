//! What a column of a header needs of another one.

use super::column::ColumnTree;
use super::reference::Reference;
use super::types;
use crate::error::{Error, Result};

/// How a column is stored with the help of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Its values are grouped by those of the column at this position, its key.
    GroupedBy(usize),
    /// Its values are stored as differences from those of another column.
    DifferenceFrom(Reference),
}

impl Relation {
    /// The position of the other column.
    pub fn column(self) -> usize {
        match self {
            Self::GroupedBy(key) => key,
            Self::DifferenceFrom(reference) => reference.column,
        }
    }
}

impl ColumnTree {
    /// The position of its key.
    pub fn key(&self) -> Option<usize> {
        match self.relation {
            Some(Relation::GroupedBy(key)) => Some(key),
            Some(Relation::DifferenceFrom(_)) | None => None,
        }
    }

    /// What its values are differences from.
    pub fn reference(&self) -> Option<Reference> {
        match self.relation {
            Some(Relation::DifferenceFrom(reference)) => Some(reference),
            Some(Relation::GroupedBy(_)) | None => None,
        }
    }

    /// The positions of other columns of the header that it needs: its key, or its reference column and the key of that
    /// one.
    pub fn needs(&self, header: &[Self]) -> impl Iterator<Item = usize> + use<> {
        let other = self.relation.map(Relation::column);
        let key = self.reference().and_then(|of| header[of.column].key());
        other.into_iter().chain(key)
    }
}

/// Checks that keys are columns without a relation whose values can be keys, and that reference columns are columns of
/// numbers of the same kind that are not differences themselves.
///
/// # Errors
/// [`crate::error::Kind::Corrupt`] with the column that violates this.
pub fn check_relations(columns: &[ColumnTree]) -> Result<()> {
    for column in columns {
        let Some(relation) = column.relation else {
            continue;
        };
        let kind = |column: &ColumnTree| types::kind(column.field.data_type());
        let suits = |other: &ColumnTree| match relation {
            _ if other.unread.is_some() => true,
            Relation::GroupedBy(_) => other.relation.is_none() && kind(other).is_some(),
            Relation::DifferenceFrom(_) => {
                other.reference().is_none() && kind(other) == kind(column)
            }
        };
        let other = relation.column();
        if !columns.get(other).is_some_and(suits) {
            let what = match relation {
                Relation::GroupedBy(_) => format!("column {other} cannot be a grouping key"),
                Relation::DifferenceFrom(_) => {
                    format!("column {other} cannot be a reference column")
                }
            };
            return Err(Error::corrupt(what).in_column(column.field.name()));
        }
    }
    Ok(())
}
