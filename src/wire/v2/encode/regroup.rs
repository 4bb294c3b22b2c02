//! Columns once more, grouped by the keys of their siblings: where size is all.
//!
//! First every column is encoded in the order of its rows. When all columns of a frame are there, it
//! is settled which of them are keys, and which others are likely to gain by them; those are encoded
//! again, each by itself, and take the new order if that pays.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_schema::{ArrowError, FieldRef};

use super::{EncodedColumn, Encoder, How, values};
use crate::error::{Error, Result};
use crate::wire::choose::{Cascade, Preset};
use crate::wire::codec::SectionCodec;
use crate::wire::v2::column::{Column, Payload};
use crate::wire::v2::gather::taken;
use crate::wire::v2::groups::Groups;

/// Keys have groups of so many rows or more, on average.
const LEAST_GROUP: usize = 3;

/// Pairs of a column and a key that are compared on samples, which takes time.
const MOST_TRIALS: usize = 1200;

/// A table has so many keys at most.
const MOST_KEYS: usize = 8;

/// A column of fewer bytes is not looked at, and a key that saves fewer is none.
const LEAST_BYTES: f64 = 48.0;

/// Chunks of a sample, and the rows of each.
const CHUNKS: usize = 16;
const CHUNK: usize = 1024;

/// What a column may take of its bytes on a sample, and then of all, if it is to be grouped.
const PROMISING: f64 = 0.97;
const PAYS: f64 = 0.98;

/// A column of a frame, encoded in the order of its rows.
#[derive(Debug)]
pub struct Sibling {
    encoded: EncodedColumn,
    /// The rows.
    chunks: Vec<ArrayRef>,
    /// About how many bytes it takes; 0 if it is not to be grouped.
    bytes: f64,
    /// Its own groups, if others may be grouped by it.
    groups: Option<Groups>,
    /// What it may gain by.
    key: Option<Arc<Key>>,
}

/// A column that others may be grouped by.
#[derive(Debug)]
struct Key {
    /// Among its siblings.
    position: usize,
    groups: Groups,
}

impl Sibling {
    /// All rows in one array.
    fn array(&self) -> Result<ArrayRef> {
        if let [only] = &self.chunks[..] {
            return Ok(Arc::clone(only));
        }
        let chunks: Vec<&dyn Array> = self.chunks.iter().map(AsRef::as_ref).collect();
        let arrow = |error: ArrowError| Error::limit(error.to_string());
        arrow_select::concat::concat(&chunks).map_err(arrow)
    }
}

impl Encoder {
    /// True if columns may be grouped by others: [`Self::sibling`] and [`Self::regroup`] are for them.
    pub fn groups_columns(&self) -> bool {
        self.options.preset == Preset::Small
    }

    /// Encodes all columns of a frame, one after the other.
    ///
    /// # Errors
    /// As for [`Self::column`].
    pub fn columns(
        &self,
        columns: impl IntoIterator<Item = (FieldRef, Vec<ArrayRef>)>,
    ) -> Result<Vec<EncodedColumn>> {
        let columns = columns.into_iter();
        if !self.groups_columns() {
            let in_order = |(field, chunks): (FieldRef, Vec<_>)| self.column(&field, chunks, None);
            return columns.map(in_order).collect();
        }
        let columns = columns.map(|(field, chunks)| self.sibling(&field, chunks));
        let mut siblings = columns.collect::<Result<Vec<_>>>()?;
        choose_keys(&mut siblings)?;
        let columns = siblings.into_iter();
        columns.map(|column| self.regroup(column)).collect()
    }

    /// Encodes a column in the order of its rows.
    ///
    /// # Errors
    /// As for [`Self::column`].
    pub fn sibling(&self, field: &FieldRef, chunks: Vec<ArrayRef>) -> Result<Sibling> {
        let encoded = self.column(field, chunks.clone(), None)?;
        let Column { rows, payload, .. } = &encoded.column;
        let bytes = cost(payload, self.cascade()) as f64;
        let mut groups = None;
        if *rows >= 2 * LEAST_GROUP {
            groups = Groups::of(field.data_type(), &chunks, rows / LEAST_GROUP)?;
        }
        Ok(Sibling {
            chunks,
            bytes: if bytes < LEAST_BYTES { 0.0 } else { bytes },
            groups: groups.filter(|groups| groups.count() > 1 && groups.runs() > groups.count()),
            key: None,
            encoded,
        })
    }

    /// Encodes a column grouped by its key, if [`choose_keys`] found one, and gives what takes less.
    ///
    /// # Errors
    /// As for [`Self::column`].
    pub fn regroup(&self, sibling: Sibling) -> Result<EncodedColumn> {
        let Some(key) = &sibling.key else {
            return Ok(sibling.encoded);
        };
        let array = sibling.array()?;
        let grouped = taken(&array, &key.groups.order(array.nulls()))?;
        drop(array);
        let payload = payload(grouped, self.cascade())?;
        if cost(&payload, self.cascade()) as f64 > sibling.bytes * PAYS {
            return Ok(sibling.encoded);
        }
        self.packed(Column {
            key: Some(key.position),
            payload,
            ..sibling.encoded.column
        })
    }

    fn cascade(&self) -> Cascade {
        Cascade::new(self.options.preset, self.options.codec)
    }
}

/// Settles which columns of a frame are keys, and tells the others what they may be grouped by.
///
/// A key stays in the order of its rows. What a column would take grouped by another is known well
/// enough from a sample and light encodings; then the key that saves most comes first.
///
/// # Errors
/// If Arrow refuses the columns, which are then too large.
pub fn choose_keys(siblings: &mut [Sibling]) -> Result<()> {
    let mut candidates: Vec<usize> = Vec::new();
    for (at, sibling) in siblings.iter().enumerate() {
        // Columns that group rows alike are one key.
        let is_same = |&known: &usize| siblings[known].groups == sibling.groups;
        if sibling.groups.is_some() && !candidates.iter().any(is_same) {
            candidates.push(at);
        }
    }
    if candidates.is_empty() {
        return Ok(());
    }
    // What says most goes with most: with many columns only keys of many bytes are looked at.
    let bytes = |at: &usize| siblings[*at].bytes;
    candidates.sort_by(|a, b| bytes(b).total_cmp(&bytes(a)));
    candidates.truncate(MOST_TRIALS / siblings.len());
    let trials = siblings.iter().map(|sibling| {
        (sibling.bytes > 0.0)
            .then(|| Trial::new(sibling))
            .transpose()
    });
    let trials = trials.collect::<Result<Vec<_>>>()?;
    // Per candidate what each column would save.
    let mut savings = Vec::with_capacity(candidates.len());
    for &candidate in &candidates {
        let order = siblings[candidate]
            .groups
            .as_ref()
            .map(|groups| sample(&groups.order(None)));
        let mut saved = vec![0.0; siblings.len()];
        for (at, trial) in trials.iter().enumerate() {
            if let (Some(trial), Some(order)) = (trial, &order)
                && at != candidate
            {
                saved[at] = trial.saving(siblings[at].bytes, order)?;
            }
        }
        savings.push(saved);
    }
    let keys = best_keys(&candidates, &savings);
    let mut shared: Vec<Option<Arc<Key>>> = vec![None; siblings.len()];
    for &key in &keys {
        let position = candidates[key];
        let groups = siblings[position].groups.take();
        shared[position] = groups.map(|groups| Arc::new(Key { position, groups }));
    }
    for at in 0..siblings.len() {
        if shared[at].is_some() {
            continue;
        }
        let savings = keys.iter().map(|&key| (savings[key][at], candidates[key]));
        let best = savings.reduce(|a, b| if b.0 > a.0 { b } else { a });
        if let Some((_, key)) = best.filter(|(saving, _)| *saving > 0.0) {
            siblings[at].key.clone_from(&shared[key]);
        }
    }
    Ok(())
}

/// Those of the candidates that save most together, the best first. What a key might save as a column
/// that is grouped itself is lost.
fn best_keys(candidates: &[usize], savings: &[Vec<f64>]) -> Vec<usize> {
    let mut keys: Vec<usize> = Vec::new();
    // What each column saves by the best of the keys so far.
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
        let free = (0..candidates.len()).filter(|of| !keys.contains(of));
        // Of equal ones the first.
        let found = free.map(|of| (gain(of), of));
        let found = found.reduce(|a, b| if b.0 > a.0 { b } else { a });
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

/// A column whose orders are compared on samples.
struct Trial {
    array: ArrayRef,
    /// Bytes per value of the sample in the order of rows.
    width: f64,
}

impl Trial {
    fn new(sibling: &Sibling) -> Result<Self> {
        let array = sibling.array()?;
        let rows: UInt32Array = (0..array.len() as u32).collect::<Vec<_>>().into();
        Ok(Self {
            width: width(&array, &sample(&rows))?,
            array,
        })
    }

    /// Bytes of `bytes` that another order of rows would save, by a sample of that.
    fn saving(&self, bytes: f64, sample: &UInt32Array) -> Result<f64> {
        let share = width(&self.array, sample)? / self.width;
        Ok(if share < PROMISING {
            bytes * (1.0 - share)
        } else {
            0.0
        })
    }
}

/// What light encodings make of some rows of a column, in bytes per value.
fn width(array: &ArrayRef, rows: &UInt32Array) -> Result<f64> {
    let cascade = Cascade::new(Preset::Balanced, SectionCodec::Zstd(1));
    let rows = taken(array, rows)?;
    let valid = rows.len() - rows.null_count();
    let bytes = cost(&payload(rows, cascade)?, cascade);
    Ok(bytes.max(1) as f64 / valid.max(1) as f64)
}

/// The values of one array, encoded.
fn payload(array: ArrayRef, cascade: Cascade) -> Result<Payload> {
    let data_type = array.data_type().clone();
    let valid = array.len() - array.null_count();
    let how = How {
        cascade,
        tells_extremes: false,
        plan: None,
    };
    values(&data_type, vec![array], valid, how).map(|(payload, _)| payload)
}

/// Bytes of values that can be grouped; 0 if they cannot.
fn cost(payload: &Payload, cascade: Cascade) -> u64 {
    match payload {
        Payload::Run(node) => cascade.cost(node),
        Payload::Wide { low, high } => cascade.cost(low) + cascade.cost(high),
        _ => 0,
    }
}

/// A few chunks of the rows, evenly spread; all if there are not many more.
fn sample(rows: &UInt32Array) -> UInt32Array {
    if rows.len() <= CHUNKS * CHUNK {
        return rows.clone();
    }
    let starts = (0..CHUNKS).map(|chunk| (rows.len() - CHUNK) * chunk / (CHUNKS - 1));
    let chunks = starts.map(|start| &rows.values()[start..start + CHUNK]);
    chunks.flatten().copied().collect::<Vec<_>>().into()
}
