//! Groups columns by the values of another column, for the preset small.
//!
//! The interleaved quotes of fifty symbols compress better symbol by symbol. Every column is first encoded in row
//! order. When all columns of a frame are known, [`choose_keys`] decides which of them are keys, and which others are
//! likely to gain from being grouped by one. Those are encoded again, independently, and keep the new order if that
//! pays.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_schema::{DataType, FieldRef};

use super::values::{EncodeSpec, values};
use super::{EncodeOptions, EncodedColumn, Encoder, PriorFrames};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, Preset, sample_strings};
use crate::wire::codec::SectionCodec;
use crate::wire::encodings::{ByteStrings, Encoding, Node, ValueKind};
use crate::wire::v2::column::ColumnTree;
use crate::wire::v2::gather;
use crate::wire::v2::groups::Groups;
use crate::wire::v2::pick::{picked, roughness};
use crate::wire::v2::types;
use crate::wire::workers::{CallingThread, Workers, try_map};

/// The smallest average number of rows per group of a key.
const LEAST_GROUP: usize = 3;

/// The most pairs of a column and a key to compare on samples, since that takes time.
const MOST_TRIALS: usize = 1200;

/// The most keys of a table.
const MOST_KEYS: usize = 8;

/// The smallest column in bytes that is grouped, and the least number of bytes that a key must save.
const LEAST_BYTES: f64 = 48.0;

/// A grouped column with more text than this is encoded like the column in row order.
const BYTES_TO_SEARCH: usize = 256 << 10;

/// Columns of a smaller fraction of the frame are not worth a trial.
const WORTH_A_TRIAL: f64 = 0.0001;

/// If encoded text is at least this large, a sample is grouped first; and the size of the sample.
const WORTH_A_SAMPLE: f64 = 16_384.0;
const BYTES_TO_COMPARE: usize = 128 << 10;

/// Number of chunks in a sample, and number of rows in each.
const CHUNKS: usize = 16;
const CHUNK: usize = 1024;

/// A column is grouped if it shrinks to this fraction of its size: first on a sample, then as a whole.
const PROMISING: f64 = 0.97;
const PAYS: f64 = 0.98;

/// A column encoded in row order that may be grouped by another one.
#[derive(Debug)]
pub struct GroupableColumn {
    column: ColumnTree,
    /// Approximate size of its rows in memory in bytes.
    decoded_bytes: usize,
    /// The rows.
    chunks: Vec<ArrayRef>,
    /// Its approximate size in bytes; 0 if it will not be grouped.
    bytes: f64,
    /// Its groups, if others may be grouped by it.
    groups: Option<Groups>,
    /// The key to group it by, if that is likely to pay.
    key: Option<Arc<GroupKey>>,
}

/// A column that others may be grouped by.
#[derive(Debug)]
struct GroupKey {
    /// Its position among the columns of the frame.
    position: usize,
    groups: Groups,
}

impl GroupableColumn {
    /// All rows as one array.
    fn array(&self) -> Result<ArrayRef> {
        if let [only] = &self.chunks[..] {
            return Ok(Arc::clone(only));
        }
        let chunks: Vec<&dyn Array> = self.chunks.iter().map(AsRef::as_ref).collect();
        arrow_select::concat::concat(&chunks).map_err(Error::limit)
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
        let columns = columns.into_iter();
        if !self.options.groups_columns() {
            let in_order = |(field, chunks): (FieldRef, Vec<_>)| {
                self.column(&field, chunks, PriorFrames::default())
            };
            return columns.map(in_order).collect();
        }
        let columns = columns.map(|(field, chunks)| self.groupable_column(&field, chunks));
        self.group(columns.collect::<Result<_>>()?)
    }

    /// Encodes a column in row order.
    ///
    /// # Errors
    /// As for [`Self::column`].
    pub fn groupable_column(
        &self,
        field: &FieldRef,
        chunks: Vec<ArrayRef>,
    ) -> Result<GroupableColumn> {
        // Not compressed yet: much of it is encoded again.
        let (column, decoded_bytes) = self.tree(field, chunks.clone(), None)?;
        let rows = column.rows;
        // Columns with children are not grouped.
        let runs = if column.children.is_empty() {
            &column.runs[..]
        } else {
            &[]
        };
        let bytes = cost(runs, self.cascade()) as f64;
        let mut groups = None;
        if rows >= 2 * LEAST_GROUP {
            groups = Groups::of(field.data_type(), &chunks, rows / LEAST_GROUP)?;
        }
        Ok(GroupableColumn {
            chunks,
            bytes: if bytes < LEAST_BYTES { 0.0 } else { bytes },
            groups: groups.filter(|groups| groups.count() > 1 && groups.runs() > groups.count()),
            key: None,
            column,
            decoded_bytes,
        })
    }

    /// Groups the columns of a frame by each other where that pays.
    ///
    /// # Errors
    /// As for [`Self::column`].
    pub fn group(&self, mut columns: Vec<GroupableColumn>) -> Result<Vec<EncodedColumn>> {
        choose_keys(&mut columns, self.workers)?;
        try_map(self.workers, columns, |column| self.group_by(column))
    }

    /// Encodes a column grouped by its key, if [`choose_keys`] found one, and returns the smaller result.
    fn group_by(&self, column: GroupableColumn) -> Result<EncodedColumn> {
        let decoded_bytes = column.decoded_bytes;
        let balanced = if self.options.tries_balanced {
            let balanced = Self {
                options: EncodeOptions {
                    codec: self.options.codec,
                    adapts_level: false,
                    ..EncodeOptions::of(Preset::Balanced)
                },
                ..*self
            };
            let chunks = column.chunks.clone();
            Some(balanced.column(&column.column.field, chunks, PriorFrames::default())?)
        } else {
            None
        };
        let grouped = match &column.key {
            Some(key) => self.grouped(&column, key)?,
            None => None,
        };
        let tree = match (column.key, grouped) {
            (Some(key), Some(runs)) => ColumnTree {
                key: Some(key.position),
                runs,
                ..column.column
            },
            _ => column.column,
        };
        Ok(EncodedColumn {
            balanced: balanced.map(Box::new),
            ..self.packed(tree, decoded_bytes, PriorFrames::default())?
        })
    }

    /// The runs of a column grouped by a key; `None` if that does not pay.
    fn grouped(&self, column: &GroupableColumn, key: &GroupKey) -> Result<Option<Vec<Node>>> {
        let cascade = self.cascade();
        let in_order = &column.column;
        let array = column.array()?;
        let order = key.groups.order(array.nulls());
        let is_text = types::kind(in_order.field.data_type()) == Some(ValueKind::Strings);
        if let [node] = &in_order.runs[..]
            && matches!(node.encoding, Encoding::Ppmd(_))
            && column.bytes >= WORTH_A_SAMPLE
        {
            // The text model is slow, and the estimate with light encodings says little about it, so try it on a
            // sample.
            let width = |rows: &[u32]| -> Result<f64> {
                let sample = text_sample(&array, rows)?;
                let node = cascade.of_sample().strings(&sample, Some(node));
                Ok(cascade.cost(&node) as f64 / (sample.data.len() + sample.len()) as f64)
            };
            if width(order.values())? > width(in_order_rows(&array).values())? * PAYS {
                return Ok(None);
            }
        }
        let grouped = picked(&array, order.values())?;
        drop(array);
        // Searching much text again takes too long, and another order of rows hardly changes the choice.
        let is_much_text = is_text && column.decoded_bytes > BYTES_TO_SEARCH;
        let plan = is_much_text.then_some(in_order);
        let runs = runs(in_order.field.data_type(), grouped, cascade, plan)?;
        let pays = cost(&runs, cascade) as f64 <= column.bytes * PAYS;
        Ok(pays.then_some(runs))
    }
}

/// Chooses the keys among the columns of a frame, and the key that each other column may be grouped by.
///
/// Keys stay in row order. The size of a column grouped by another one is estimated with a sample and light encodings;
/// then keys are picked greedily, starting with the one that saves most.
///
/// # Errors
/// If the columns are too large for Arrow.
fn choose_keys(columns: &mut [GroupableColumn], workers: &dyn Workers) -> Result<()> {
    let mut candidates: Vec<usize> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        // Keep only one of several columns with the same groups.
        let is_same = |&known: &usize| columns[known].groups == column.groups;
        if column.groups.is_some() && !candidates.iter().any(is_same) {
            candidates.push(at);
        }
    }
    if candidates.is_empty() {
        return Ok(());
    }
    // With many columns, try only the largest keys: the more information a key has, the more depends on it.
    let bytes = |at: &usize| columns[*at].bytes;
    candidates.sort_by(|a, b| bytes(b).total_cmp(&bytes(a)));
    candidates.truncate(MOST_TRIALS / columns.len());
    let total: f64 = columns.iter().map(|column| column.bytes).sum();
    let trials = try_map(workers, columns.iter().collect(), |column| {
        (column.bytes > total * WORTH_A_TRIAL)
            .then(|| OrderTrial::new(column))
            .transpose()
    })?;
    // The savings of each column, by candidate.
    let savings = try_map(workers, candidates.clone(), |candidate| {
        let order = columns[candidate]
            .groups
            .as_ref()
            .map(|groups| sample(&groups.order(None)));
        let mut saved = vec![0.0; columns.len()];
        for (at, trial) in trials.iter().enumerate() {
            if let (Some(trial), Some(order)) = (trial, &order)
                && at != candidate
            {
                saved[at] = trial.saving(columns[at].bytes, order)?;
            }
        }
        Ok(saved)
    })?;
    let keys = best_keys(&candidates, &savings);
    let mut shared: Vec<Option<Arc<GroupKey>>> = vec![None; columns.len()];
    for &key in &keys {
        let position = candidates[key];
        let groups = columns[position].groups.take();
        shared[position] = groups.map(|groups| Arc::new(GroupKey { position, groups }));
    }
    for at in 0..columns.len() {
        if shared[at].is_some() {
            continue;
        }
        let best = keys
            .iter()
            .map(|&key| (savings[key][at], candidates[key]))
            .reduce(|a, b| if b.0 > a.0 { b } else { a });
        if let Some((_, key)) = best.filter(|(saving, _)| *saving > 0.0) {
            columns[at].key.clone_from(&shared[key]);
        }
    }
    Ok(())
}

/// The candidates that save most together, the best first; `savings[i][column]` is the saving if a column is grouped by
/// candidate i.
///
/// Each step takes the candidate with the greatest gain over the keys so far. A column contributes what it saves beyond
/// its best key so far; what a new key saved by being grouped itself is lost. For example, if columns c and d save 50
/// and 60 by key a, and 55 and 80 by key b, b is first, with 135 bytes; a then gains nothing.
fn best_keys(candidates: &[usize], savings: &[Vec<f64>]) -> Vec<usize> {
    let mut keys: Vec<usize> = Vec::new();
    // The saving of each column with the best of the keys so far.
    let mut best = vec![0.0; savings.first().map_or(0, Vec::len)];
    while keys.len() < MOST_KEYS {
        let gain = |of: usize| {
            let mut gains: f64 = -best[candidates[of]];
            for (at, (saving, best)) in savings[of].iter().zip(&best).enumerate() {
                if !keys.iter().any(|&key| candidates[key] == at) {
                    gains += (saving - best).max(0.0);
                }
            }
            gains
        };
        // The first of equally good candidates.
        let found = (0..candidates.len())
            .filter(|of| !keys.contains(of))
            .map(|of| (gain(of), of))
            .reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((_, key)) = found.filter(|(gain, _)| *gain >= LEAST_BYTES) else {
            break;
        };
        keys.push(key);
        for (best, saving) in best.iter_mut().zip(&savings[key]) {
            *best = saving.max(*best);
        }
        for &key in &keys {
            best[candidates[key]] = 0.0;
        }
    }
    keys
}

/// Compares orders of rows on samples of a column.
struct OrderTrial {
    array: ArrayRef,
    /// Bytes per value of the sample in row order.
    width: f64,
    /// How much adjacent values of the sample differ in row order.
    roughness: f64,
}

impl OrderTrial {
    fn new(column: &GroupableColumn) -> Result<Self> {
        let array = column.array()?;
        let rows = sample(&in_order_rows(&array));
        Ok(Self {
            width: width(&array, &rows)?,
            roughness: roughness(&array, &glance(&rows)),
            array,
        })
    }

    /// The estimated saving out of `bytes` bytes with another order of rows, given a sample in that order.
    fn saving(&self, bytes: f64, sample: &[u32]) -> Result<f64> {
        // Encoding the sample takes far longer than comparing its neighbors.
        if roughness(&self.array, &glance(sample)) > self.roughness {
            return Ok(0.0);
        }
        let share = width(&self.array, sample)? / self.width;
        Ok(if share < PROMISING {
            bytes * (1.0 - share)
        } else {
            0.0
        })
    }
}

/// Bytes per value of some rows of a column with light encodings.
fn width(array: &ArrayRef, rows: &[u32]) -> Result<f64> {
    let cascade = Cascade::new(Preset::Balanced, SectionCodec::Zstd(1));
    let rows = picked(array, rows)?;
    let valid = rows.len() - rows.null_count();
    let bytes = cost(&runs(array.data_type(), rows, cascade, None)?, cascade);
    Ok(bytes.max(1) as f64 / valid.max(1) as f64)
}

/// Encodes the values of one array without children, as in `plan` if there is one.
fn runs(
    data_type: &DataType,
    array: ArrayRef,
    cascade: Cascade,
    plan: Option<&ColumnTree>,
) -> Result<Vec<Node>> {
    let valid = array.len() - array.null_count();
    let how = EncodeSpec {
        cascade,
        has_extremes: false,
        plan,
        workers: &CallingThread,
    };
    values(data_type, vec![array.into()], valid, how).map(|(runs, ..)| runs)
}

/// Size of runs in bytes.
fn cost(runs: &[Node], cascade: Cascade) -> u64 {
    runs.iter().map(|run| cascade.cost(run)).sum()
}

/// A few chunks of the rows, evenly spread; all if there are not many more.
fn sample(rows: &UInt32Array) -> Vec<u32> {
    let rows = rows.values();
    if rows.len() <= CHUNKS * CHUNK {
        return rows.to_vec();
    }
    (0..CHUNKS)
        .map(|chunk| (rows.len() - CHUNK) * chunk / (CHUNKS - 1))
        .flat_map(|start| &rows[start..start + CHUNK])
        .copied()
        .collect()
}

/// Every fourth chunk of a sample.
fn glance(sample: &[u32]) -> Vec<u32> {
    sample.chunks(CHUNK).step_by(4).flatten().copied().collect()
}

fn in_order_rows(array: &ArrayRef) -> UInt32Array {
    (0..array.len() as u32).collect::<Vec<_>>().into()
}

/// A sample of the text in these rows.
fn text_sample(array: &ArrayRef, rows: &[u32]) -> Result<ByteStrings> {
    let text = gather::strings(&[picked(array, rows)?.into()])?;
    Ok(sample_strings(&text, BYTES_TO_COMPARE))
}
