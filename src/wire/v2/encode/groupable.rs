//! The columns of a frame before it is decided which of them need others.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, FieldRef};

use super::EncodedColumn;
use super::keys::Column;
use crate::error::Result;
use crate::wire::encodings::{Encoding, Node};
use crate::wire::v2::column::ColumnTree;
use crate::wire::v2::gather;
use crate::wire::v2::groups::Groups;
use crate::wire::v2::reference::{Reference, ReferenceValues};
use crate::wire::v2::relation::Relation;
use crate::wire::v2::types;

/// A column of a frame whose columns may be grouped by each other, or stored as differences.
#[derive(Debug)]
pub struct GroupableColumn(pub(super) State);

#[derive(Debug)]
pub(super) enum State {
    /// Encoded in row order for good.
    Done {
        column: Box<EncodedColumn>,
        /// Its groups, if others were grouped by it in earlier frames.
        groups: Option<Groups>,
        /// Its rows, if others were stored as differences from it.
        chunks: Option<Vec<ArrayRef>>,
    },
    /// Encoded in row order; grouped, or as differences, if that pays.
    Open(Box<OpenColumn>),
    /// Not encoded yet: it needed other columns in earlier frames.
    Planned {
        field: FieldRef,
        chunks: Vec<ArrayRef>,
        relation: Relation,
    },
}

#[derive(Debug)]
pub(super) struct OpenColumn {
    /// Compressed, unless every frame is searched.
    pub in_order: EncodedColumn,
    /// The rows.
    pub chunks: Vec<ArrayRef>,
    /// Its approximate size in bytes; 0 if it will not be grouped.
    pub bytes: f64,
}

impl OpenColumn {
    pub fn tree(&self) -> &ColumnTree {
        &self.in_order.column
    }

    /// The digits after the point of floats that are all decimal fractions.
    fn exponent(&self) -> Option<u8> {
        match &self.tree().runs[..] {
            [
                Node {
                    encoding: Encoding::Decimal(decimal),
                    children,
                    ..
                },
            ] => {
                let is_exact = children.get(1).is_some_and(|positions| positions.len == 0);
                is_exact.then_some(decimal.exponent)
            }
            _ => None,
        }
    }
}

impl GroupableColumn {
    /// The column for a search of keys and reference columns, unless it is known what it will need.
    pub(super) fn open(&self) -> Option<Column<'_>> {
        match &self.0 {
            State::Open(column) => {
                let data_type = column.tree().field.data_type();
                types::can_be_grouped(data_type).then(|| Column {
                    data_type,
                    chunks: &column.chunks,
                    rows: column.tree().rows,
                    bytes: column.bytes,
                    exponent: column.exponent(),
                })
            }
            State::Done { .. } | State::Planned { .. } => None,
        }
    }

    /// Its values for differences from it; `None` if there cannot be any.
    ///
    /// # Errors
    /// As for [`ReferenceValues::of`].
    pub(super) fn as_reference(&self) -> Result<Option<ReferenceValues>> {
        let chunks = match &self.0 {
            State::Done { chunks, .. } => chunks.as_ref(),
            State::Open(column) => Some(&column.chunks),
            State::Planned { chunks, .. } => Some(chunks),
        };
        match chunks {
            Some(chunks) => ReferenceValues::of(self.data_type(), &gather::chunks(chunks)),
            None => Ok(None),
        }
    }

    pub(super) fn data_type(&self) -> &DataType {
        match &self.0 {
            State::Done { column, .. } => column.column.field.data_type(),
            State::Open(column) => column.tree().field.data_type(),
            State::Planned { field, .. } => field.data_type(),
        }
    }

    /// What its values are stored as differences from, as in earlier frames.
    pub(super) fn planned_reference(&self) -> Option<Reference> {
        match &self.0 {
            State::Planned {
                relation: Relation::DifferenceFrom(reference),
                ..
            } => Some(*reference),
            _ => None,
        }
    }

    /// The encoded column, if it will not need others.
    pub fn done(&self) -> Option<&EncodedColumn> {
        match &self.0 {
            State::Done { column, .. } => Some(column),
            State::Open(_) | State::Planned { .. } => None,
        }
    }
}
