//! Groups columns by the values of another column, and stores columns as differences from another one.
//!
//! The interleaved quotes of fifty symbols compress better symbol by symbol, and a player's name is the same in every
//! row with the player's number. The highest price of a day is near the last one. Every column is first encoded by
//! itself, in row order. When all columns of a frame are known, [`choose_keys`] decides which of them are keys, and which
//! others are likely to gain from being grouped by one; [`choose_references`] does the same for differences. Those
//! columns are encoded again, independently, and stay so if that pays.
//!
//! With the preset small, this happens in every frame. With balanced, it happens in the first one, and later frames
//! group the same columns by the same keys, and store the same differences, unless they have many more rows.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::FieldRef;

use super::groupable::{GroupableColumn, OpenColumn, State};
use super::keys::{Effort, Keys, LEAST_BYTES, choose_keys, excerpts, in_order_rows};
use super::plan::Uses;
use super::references::choose_references;
use super::values::{Related, cost, runs};
use super::{EncodeOptions, EncodedColumn, Encoder, PriorFrames};
use crate::error::Result;
use crate::wire::choose::{Preset, sample_strings};
use crate::wire::encodings::{Encoding, Node, ValueKind};
use crate::wire::v2::column::ColumnTree;
use crate::wire::v2::gather::{self, Values};
use crate::wire::v2::groups::Groups;
use crate::wire::v2::pick::RowValues;
use crate::wire::v2::reference::{Reference, ReferenceValues};
use crate::wire::v2::relation::Relation;
use crate::wire::v2::types;
use crate::wire::workers::try_map;

/// A grouped column with more text than this is encoded like the column in row order.
const BYTES_TO_SEARCH: usize = 256 << 10;

/// If encoded text is at least this large, a sample is grouped first; and the size of the sample.
const WORTH_A_SAMPLE: f64 = 16_384.0;
const BYTES_TO_COMPARE: usize = 128 << 10;

/// The references of the columns of a frame.
struct References {
    of_columns: Vec<Option<Reference>>,
    /// The values of the reference columns, by position.
    values: HashMap<usize, ReferenceValues>,
}

impl References {
    /// What a column is stored as differences from, if it is.
    fn of(&self, at: usize) -> Option<Related<'_>> {
        let reference = self.of_columns[at]?;
        let values = self.values.get(&reference.column)?;
        Some(Related::DifferenceFrom(reference, values))
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
            if let Some(relation) = plan.column.relation
                && has_values
                && types::can_be_grouped(field.data_type())
            {
                return Ok(GroupableColumn(State::Planned {
                    field,
                    chunks,
                    relation,
                }));
            }
            let Uses {
                is_key,
                is_reference,
            } = plan.uses;
            let kept = (is_key || is_reference).then(|| chunks.clone());
            let mut column = Box::new(self.column(&field, chunks, prior)?);
            let of_key = kept.as_ref().filter(|_| is_key);
            let groups = of_key.map(|chunks| Groups::of_encoded(&column.column, chunks));
            let groups = groups.transpose()?.flatten();
            column.uses = Uses {
                is_key: groups.is_some(),
                is_reference,
            };
            return Ok(GroupableColumn(State::Done {
                column,
                groups,
                chunks: kept.filter(|_| is_reference),
            }));
        }
        // Columns with children are not grouped.
        let has_children = types::has_children(field.data_type());
        let least_rows = Effort::of(self.options.preset).least_rows;
        let follows_plans = self.options.follows_plans();
        if !self.options.groups_columns() || (follows_plans && (has_children || rows < least_rows))
        {
            let column = Box::new(self.column(&field, chunks, prior)?);
            return Ok(GroupableColumn(State::Done {
                column,
                groups: None,
                chunks: None,
            }));
        }
        let plan = prior.plan.filter(|plan| plan.column.relation.is_none());
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

    /// Encodes the remaining columns of a frame, grouped by each other, or as differences, where that pays.
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
        let excerpts = excerpts(open, effort, self.workers)?;
        let keys = choose_keys(&excerpts, effort, self.workers)?;
        // Differences from planned reference columns rely on these.
        let planned = columns
            .iter()
            .filter_map(GroupableColumn::planned_reference);
        let planned: HashSet<usize> = planned.map(|of| of.column).collect();
        let may_differ = |at: usize| !planned.contains(&at);
        let chosen = choose_references(&excerpts, may_differ, &keys, effort, self.workers);
        drop(excerpts);
        let Keys {
            mut groups,
            of_columns: keys,
        } = keys;
        for (groups, chosen) in groups.iter_mut().zip(&chosen) {
            if chosen.is_some() {
                *groups = None;
            }
        }
        let references = self.references(&columns, chosen)?;
        for (groups, column) in groups.iter_mut().zip(&mut columns) {
            if let State::Done { groups: known, .. } = &mut column.0 {
                *groups = known.take();
            }
        }
        let grouped_by = |key: usize| {
            let groups = groups.get(key)?.as_ref()?;
            Some(Related::GroupedBy(key, groups))
        };
        let columns = columns.into_iter().zip(priors).zip(keys).enumerate();
        let encoded = try_map(
            self.workers,
            columns.collect(),
            |(at, ((column, prior), key))| match column.0 {
                State::Done { column, .. } => Ok(*column),
                State::Open(column) => {
                    let key = key.and_then(|(key, _)| grouped_by(key));
                    let related = [key, references.of(at)];
                    self.with_others(*column, related.into_iter().flatten(), prior)
                }
                State::Planned {
                    field,
                    chunks,
                    relation,
                } => {
                    let related = match relation {
                        Relation::GroupedBy(key) => grouped_by(key),
                        Relation::DifferenceFrom(_) => references.of(at),
                    };
                    // The frame may not have the other column any more.
                    let plan = prior.plan.filter(|_| related.is_some());
                    let (tree, len) = self.tree(&field, chunks, plan, related)?;
                    self.packed(tree, len, PriorFrames { plan, ..prior })
                }
            },
        );
        let mut encoded = encoded?;
        let references = encoded
            .iter()
            .filter_map(|column| column.column.reference());
        let references: HashSet<usize> = references.map(|of| of.column).collect();
        for (at, (column, groups)) in encoded.iter_mut().zip(groups).enumerate() {
            column.uses.is_key = groups.is_some();
            column.uses.is_reference |= references.contains(&at);
        }
        Ok(encoded)
    }

    /// The references of all columns, chosen now or in earlier frames, and the values of the reference columns.
    fn references(
        &self,
        columns: &[GroupableColumn],
        chosen: Vec<Option<Reference>>,
    ) -> Result<References> {
        let all = columns.iter().zip(chosen);
        let all = all.map(|(column, chosen)| column.planned_reference().or(chosen));
        let all: Vec<Option<Reference>> = all.collect();
        // Later frames may have other columns, or columns of other types.
        let suits = |(at, of): (usize, &Option<Reference>)| {
            let of = (*of)?;
            let data_type = columns.get(of.column)?.data_type();
            let suits = data_type == columns[at].data_type() && all[of.column].is_none();
            suits.then_some(of)
        };
        let of_columns: Vec<_> = all.iter().enumerate().map(suits).collect();
        let used: BTreeSet<usize> = of_columns.iter().flatten().map(|of| of.column).collect();
        let values = try_map(self.workers, used.into_iter().collect(), |at: usize| {
            let values = columns[at].as_reference()?;
            Ok(values.map(|values| (at, values)))
        })?;
        Ok(References {
            of_columns,
            values: values.into_iter().flatten().collect(),
        })
    }

    /// Encodes a column with the help of each of these others, and returns the smallest result.
    fn with_others<'a>(
        &self,
        open: OpenColumn,
        related: impl Iterator<Item = Related<'a>>,
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
        let smallest = self.smallest(&open, related)?;
        let in_order = open.in_order;
        let tree = match smallest {
            Some((relation, runs)) => ColumnTree {
                relation: Some(relation),
                runs,
                ..Arc::unwrap_or_clone(in_order.column)
            },
            None if self.options.follows_plans() => return Ok(in_order),
            None => Arc::unwrap_or_clone(in_order.column),
        };
        Ok(EncodedColumn {
            balanced: balanced.map(Box::new),
            ..self.packed(tree, in_order.decoded_bytes, prior)?
        })
    }

    /// The runs of a column with the help of the column that makes them smallest; `None` if none of these pays.
    fn smallest<'a>(
        &self,
        open: &OpenColumn,
        related: impl Iterator<Item = Related<'a>>,
    ) -> Result<Option<(Relation, Vec<Node>)>> {
        let cascade = self.cascade();
        let mut least = open.bytes * Effort::of(self.options.preset).pays;
        let mut smallest = None;
        for related in related {
            let runs = match related {
                Related::GroupedBy(_, groups) => self.grouped(open, groups)?,
                Related::DifferenceFrom(reference, others) => {
                    self.differences(open, reference, others)?
                }
            };
            if let Some(runs) = runs {
                let bytes = cost(&runs, cascade) as f64;
                if bytes <= least {
                    least = bytes;
                    smallest = Some((related.relation(), runs));
                }
            }
        }
        Ok(smallest)
    }

    /// The runs of a column in groups; `None` if a sample shows that they do not pay.
    fn grouped(&self, open: &OpenColumn, groups: &Groups) -> Result<Option<Vec<Node>>> {
        let cascade = self.cascade();
        let effort = Effort::of(self.options.preset);
        let in_order = open.tree();
        let data_type = in_order.field.data_type();
        let values = RowValues::of(data_type, &gather::chunks(&open.chunks))?;
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
        Ok(Some(runs(data_type, grouped, cascade, plan)))
    }

    /// The run of a column's differences; `None` if it has none.
    fn differences(
        &self,
        open: &OpenColumn,
        reference: Reference,
        others: &ReferenceValues,
    ) -> Result<Option<Vec<Node>>> {
        let chunks = gather::chunks(&open.chunks);
        let Values::Numbers(mut values) = Values::of(open.tree().field.data_type(), &chunks)?
        else {
            return Ok(None);
        };
        let nulls = gather::nulls(&chunks);
        let are_differences = others.subtract(reference, nulls.as_ref(), &mut values);
        Ok(are_differences.then(|| vec![self.cascade().ints(&values, None)]))
    }
}
