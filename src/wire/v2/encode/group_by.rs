//! Groups columns by the values of another column.
//!
//! The interleaved quotes of fifty symbols compress better symbol by symbol, and a player's name is the same in every
//! row with the player's number. Every column is first encoded in row order. When all columns of a frame are known,
//! [`choose_keys`] decides which of them are keys, and which others are likely to gain from being grouped by one. Those
//! are encoded again, independently, and keep the new order if that pays.
//!
//! With the preset small, this happens in every frame. With balanced, it happens in the first one, and later frames
//! group the same columns by the same keys, unless they have many more rows.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::FieldRef;

use super::keys::{Column, Effort, Keys, LEAST_BYTES, choose_keys, in_order_rows};
use super::values::{cost, runs};
use super::{EncodeOptions, EncodedColumn, Encoder, PriorFrames};
use crate::error::Result;
use crate::wire::choose::{Preset, sample_strings};
use crate::wire::encodings::{Encoding, Node, ValueKind};
use crate::wire::v2::column::ColumnTree;
use crate::wire::v2::gather::{Values, chunks};
use crate::wire::v2::groups::Groups;
use crate::wire::v2::pick::RowValues;
use crate::wire::v2::types;
use crate::wire::workers::try_map;

/// A grouped column with more text than this is encoded like the column in row order.
const BYTES_TO_SEARCH: usize = 256 << 10;

/// If encoded text is at least this large, a sample is grouped first; and the size of the sample.
const WORTH_A_SAMPLE: f64 = 16_384.0;
const BYTES_TO_COMPARE: usize = 128 << 10;

/// A column of a frame whose columns may be grouped by each other.
#[derive(Debug)]
pub struct GroupableColumn(State);

#[derive(Debug)]
enum State {
    /// Encoded in row order for good.
    Done {
        column: Box<EncodedColumn>,
        /// Its groups, if others were grouped by it in earlier frames.
        groups: Option<Groups>,
    },
    /// Encoded in row order; grouped if that pays.
    Open(Box<OpenColumn>),
    /// Not encoded yet: it was grouped in earlier frames.
    Planned {
        field: FieldRef,
        chunks: Vec<ArrayRef>,
        /// The position of its key.
        key: usize,
    },
}

#[derive(Debug)]
struct OpenColumn {
    /// Compressed, unless every frame is searched.
    in_order: EncodedColumn,
    /// The rows.
    chunks: Vec<ArrayRef>,
    /// Its approximate size in bytes; 0 if it will not be grouped.
    bytes: f64,
}

impl OpenColumn {
    fn tree(&self) -> &ColumnTree {
        &self.in_order.column
    }
}

impl GroupableColumn {
    /// The column for a search of keys, unless it is known whether it will be grouped.
    fn open(&self) -> Option<Column<'_>> {
        match &self.0 {
            State::Open(column) => {
                let data_type = column.tree().field.data_type();
                types::can_be_grouped(data_type).then(|| Column {
                    data_type,
                    chunks: &column.chunks,
                    rows: column.tree().rows,
                    bytes: column.bytes,
                })
            }
            State::Done { .. } | State::Planned { .. } => None,
        }
    }

    /// The encoded column, if it will not be grouped.
    pub fn done(&self) -> Option<&EncodedColumn> {
        match &self.0 {
            State::Done { column, .. } => Some(column),
            State::Open(_) | State::Planned { .. } => None,
        }
    }
}

impl Encoder<'_> {
    /// Encodes all columns of a frame in order.
    ///
    /// # Errors
    /// As for [`Self::column`].
    pub fn columns(
        &self,
        columns: impl IntoIterator<Item = (FieldRef, Vec<ArrayRef>)>,
    ) -> Result<Vec<EncodedColumn>> {
        let columns = columns.into_iter().map(|(field, chunks)| {
            let prior = PriorFrames::default();
            Ok((self.groupable_column(field, chunks, prior)?, prior))
        });
        self.group(columns.collect::<Result<_>>()?)
    }

    /// Encodes a column in row order, unless it was grouped in earlier frames. What they have found out is passed to
    /// [`Self::group`] as well.
    ///
    /// # Errors
    /// As for [`Self::column`].
    pub fn groupable_column(
        &self,
        field: FieldRef,
        chunks: Vec<ArrayRef>,
        prior: PriorFrames<'_>,
    ) -> Result<GroupableColumn> {
        let rows = chunks.iter().map(Array::len).sum();
        if let Some(plan) = prior.plan.filter(|plan| plan.suits(rows)) {
            let has_values = chunks.iter().any(|chunk| chunk.null_count() < chunk.len());
            if let Some(key) = plan.column.key
                && has_values
                && types::can_be_grouped(field.data_type())
            {
                return Ok(GroupableColumn(State::Planned { field, chunks, key }));
            }
            let of_key = plan.is_key.then(|| chunks.clone());
            let mut column = Box::new(self.column(&field, chunks, prior)?);
            let groups = of_key.map(|chunks| Groups::of_encoded(&column.column, &chunks));
            let groups = groups.transpose()?.flatten();
            column.is_key = groups.is_some();
            return Ok(GroupableColumn(State::Done { column, groups }));
        }
        // Columns with children are not grouped.
        let has_children = types::has_children(field.data_type());
        let least_rows = Effort::of(self.options.preset).least_rows;
        let follows_plans = self.options.follows_plans();
        if !self.options.groups_columns() || (follows_plans && (has_children || rows < least_rows))
        {
            let column = Box::new(self.column(&field, chunks, prior)?);
            let groups = None;
            return Ok(GroupableColumn(State::Done { column, groups }));
        }
        let plan = prior.plan.filter(|plan| plan.column.key.is_none());
        let (tree, decoded_bytes) = self.tree(&field, chunks.clone(), plan, None)?;
        // The preset small encodes many columns again, and its codec is slow, so it compresses them later.
        let (in_order, bytes) = if follows_plans {
            let packed = self.packed(tree, decoded_bytes, prior)?;
            let bytes = packed.packed_bytes();
            (packed, bytes)
        } else {
            let bytes = if has_children {
                0
            } else {
                cost(&tree.runs, self.cascade())
            };
            (EncodedColumn::unpacked(tree, decoded_bytes), bytes)
        };
        Ok(GroupableColumn(State::Open(Box::new(OpenColumn {
            bytes: if bytes < LEAST_BYTES {
                0.0
            } else {
                bytes as f64
            },
            in_order,
            chunks,
        }))))
    }

    /// Encodes the remaining columns of a frame, grouped by each other where that pays.
    ///
    /// # Errors
    /// As for [`Self::column`].
    pub fn group(
        &self,
        columns: Vec<(GroupableColumn, PriorFrames<'_>)>,
    ) -> Result<Vec<EncodedColumn>> {
        let (mut columns, priors): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let open = columns.iter().map(GroupableColumn::open).collect();
        let effort = Effort::of(self.options.preset);
        let Keys {
            mut groups,
            of_columns,
        } = choose_keys(open, effort, self.workers)?;
        for (groups, column) in groups.iter_mut().zip(&mut columns) {
            if let State::Done { groups: known, .. } = &mut column.0 {
                *groups = known.take();
            }
        }
        let keys = groups.iter().map(Option::is_some);
        let columns = columns.into_iter().zip(priors).zip(of_columns).zip(keys);
        let columns = columns.collect();
        try_map(self.workers, columns, |(((column, prior), key), is_key)| {
            let by = |key: usize| Some((key, groups.get(key)?.as_ref()?));
            let encoded = match column.0 {
                State::Done { column, .. } => *column,
                State::Open(column) => self.group_by(*column, key.and_then(by), prior)?,
                State::Planned { field, chunks, key } => match by(key) {
                    Some(key) => {
                        let (tree, len) = self.tree(&field, chunks, prior.plan, Some(key))?;
                        self.packed(tree, len, prior)?
                    }
                    // The frame does not have the key any more.
                    None => self.column(
                        &field,
                        chunks,
                        PriorFrames {
                            plan: None,
                            ..prior
                        },
                    )?,
                },
            };
            Ok(EncodedColumn { is_key, ..encoded })
        })
    }

    /// Encodes a column grouped by its key, if [`choose_keys`] found one, and returns the smaller result.
    fn group_by(
        &self,
        open: OpenColumn,
        key: Option<(usize, &Groups)>,
        prior: PriorFrames<'_>,
    ) -> Result<EncodedColumn> {
        let balanced = if self.options.tries_balanced {
            let balanced = Self {
                options: EncodeOptions {
                    codec: self.options.codec,
                    adapts_level: false,
                    ..EncodeOptions::of(Preset::Balanced)
                },
                ..*self
            };
            let chunks = open.chunks.clone();
            Some(balanced.column(&open.tree().field, chunks, PriorFrames::default())?)
        } else {
            None
        };
        let grouped = match key {
            Some((_, groups)) => self.grouped(&open, groups)?,
            None => None,
        };
        let in_order = open.in_order;
        let tree = match (key, grouped) {
            (Some((key, _)), Some(runs)) => ColumnTree {
                key: Some(key),
                runs,
                ..Arc::unwrap_or_clone(in_order.column)
            },
            _ if self.options.follows_plans() => return Ok(in_order),
            _ => Arc::unwrap_or_clone(in_order.column),
        };
        Ok(EncodedColumn {
            balanced: balanced.map(Box::new),
            ..self.packed(tree, in_order.decoded_bytes, prior)?
        })
    }

    /// The runs of a column in groups; `None` if that does not pay.
    fn grouped(&self, open: &OpenColumn, groups: &Groups) -> Result<Option<Vec<Node>>> {
        let cascade = self.cascade();
        let effort = Effort::of(self.options.preset);
        let in_order = open.tree();
        let data_type = in_order.field.data_type();
        let values = RowValues::of(data_type, &chunks(&open.chunks))?;
        let order = groups.order();
        let is_text = types::kind(data_type) == Some(ValueKind::Strings);
        if let [node] = &in_order.runs[..]
            && matches!(node.encoding, Encoding::Ppmd(_))
            && open.bytes >= WORTH_A_SAMPLE
        {
            // The text model is slow, and the estimate with light encodings says little about it, so try it on a
            // sample.
            let width = |rows: &[u32]| {
                let Values::Strings(text) = values.pick(rows) else {
                    return None;
                };
                let sample = sample_strings(&text, BYTES_TO_COMPARE);
                let node = cascade.of_sample().strings(&sample, Some(node));
                Some(cascade.cost(&node) as f64 / (sample.data.len() + sample.len()) as f64)
            };
            let widths = width(order).zip(width(&in_order_rows(in_order.rows)));
            if widths.is_some_and(|(grouped, in_order)| grouped > in_order * effort.pays) {
                return Ok(None);
            }
        }
        let grouped = values.pick(order);
        drop(values);
        // Searching much text again takes too long, and another order of rows hardly changes the choice.
        let is_much_text = is_text && open.in_order.decoded_bytes > BYTES_TO_SEARCH;
        let plan = is_much_text.then_some(in_order);
        let runs = runs(data_type, grouped, cascade, plan);
        let pays = cost(&runs, cascade) as f64 <= open.bytes * effort.pays;
        Ok(pays.then_some(runs))
    }
}
