//! Chooses the columns of a frame to group others by.
//!
//! Each column is compared with itself in the orders of the possible keys, on few rows: the more alike neighbors are, the
//! less it takes.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::values::{cost, runs};
use crate::error::Result;
use crate::wire::choose::{Cascade, Preset};
use crate::wire::codec::SectionCodec;
use crate::wire::v2::gather::{self, Values};
use crate::wire::v2::groups::Groups;
use crate::wire::v2::pick::RowValues;
use crate::wire::v2::reference::whole;
use crate::wire::workers::{Workers, map, try_map};

/// The smallest average number of rows per group of a key.
const LEAST_GROUP: usize = 3;

/// The most keys of a table.
const MOST_KEYS: usize = 8;

/// The smallest column in bytes that is grouped, and the least number of bytes that a key must save.
pub(super) const LEAST_BYTES: u64 = 48;

/// Number of stretches of adjacent rows that estimates look at, evenly spread over the frame.
const STRETCHES: usize = 4;

/// Number of chunks in a sample.
const CHUNKS: usize = 16;

/// How much a preset does to find keys.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Frames of fewer rows are not searched for keys.
    pub least_rows: usize,
    /// In frames of more rows, the estimates look at some [`STRETCHES`] that have this many together.
    most_rows: usize,
    /// The most columns to try as keys, the largest ones: the more information a key has, the more depends on it.
    most_candidates: usize,
    /// The most pairs of a column and a key to compare, since that takes time.
    pub most_trials: usize,
    /// Columns of a smaller fraction of the frame are not worth a trial.
    pub worth_a_trial: f64,
    /// Number of rows in each chunk of a sample.
    pub chunk: usize,
    /// True to encode samples of a column in both orders; otherwise, only neighboring values are compared.
    encodes_samples: bool,
    /// A column is grouped if it shrinks to this fraction of its size: first by the estimate, then as a whole.
    promising: f64,
    pub pays: f64,
    /// A column may be stored as differences if these seem to take this part of its bits.
    pub promising_differences: f64,
}

impl Effort {
    pub fn of(preset: Preset) -> Self {
        match preset {
            Preset::Small => Self {
                least_rows: 0,
                most_rows: usize::MAX,
                most_candidates: usize::MAX,
                most_trials: 1200,
                worth_a_trial: 0.0001,
                chunk: 1024,
                encodes_samples: true,
                promising: 0.97,
                pays: 0.98,
                promising_differences: 1.0,
            },
            // Grouped columns take longer to read, in particular without their key.
            Preset::Fast | Preset::Balanced => Self {
                least_rows: 512,
                most_rows: 16 << 10,
                most_candidates: 12,
                most_trials: 600,
                worth_a_trial: 0.002,
                chunk: 128,
                encodes_samples: false,
                promising: 0.7,
                pays: 0.9,
                promising_differences: 0.92,
            },
        }
    }

    /// A few chunks of the rows, evenly spread; all if there are not many more.
    pub fn sample(self, rows: &[u32]) -> Vec<u32> {
        if rows.len() <= CHUNKS * self.chunk {
            return rows.to_vec();
        }
        (0..CHUNKS)
            .map(|chunk| (rows.len() - self.chunk) * chunk / (CHUNKS - 1))
            .flat_map(|start| &rows[start..start + self.chunk])
            .copied()
            .collect()
    }

    /// The part of a sample to compare neighbors in, before encoding all of it.
    fn glance(self, sample: &[u32]) -> Vec<u32> {
        let step = if self.encodes_samples { 4 } else { 1 };
        let chunks = sample.chunks(self.chunk).step_by(step);
        chunks.flatten().copied().collect()
    }
}

/// The keys of a frame.
pub(super) struct Keys {
    /// The groups of each column that is a key.
    pub groups: Vec<Option<Groups>>,
    /// The position of the key that each column may be grouped by, and the bytes that this is estimated to save.
    pub of_columns: Vec<Option<(usize, f64)>>,
}

/// A column that may be grouped, or others by it.
pub(super) struct Column<'a> {
    pub data_type: &'a DataType,
    /// All rows.
    pub chunks: &'a [ArrayRef],
    pub rows: usize,
    /// Its approximate size in bytes; 0 if it will not be grouped.
    pub bytes: f64,
    /// The number of digits after the point, if it has floats that are decimal fractions.
    pub exponent: Option<u8>,
}

/// The rows of the columns of a frame that estimates look at; `None` for columns that are neither keys nor grouped.
///
/// # Errors
/// As for [`RowValues::of`].
pub(super) fn excerpts<'a>(
    columns: Vec<Option<Column<'a>>>,
    effort: Effort,
    workers: &dyn Workers,
) -> Result<Vec<Option<Excerpt<'a>>>> {
    try_map(workers, columns, |column| {
        let excerpt = |column| Excerpt::of(column, effort.most_rows);
        column.map(excerpt).transpose()
    })
}

/// Chooses the keys among the columns of a frame, and the key that each other column may be grouped by; `None` is a
/// column that is neither.
///
/// Keys stay in row order. The size of a column grouped by another one is estimated with a sample; then keys are picked
/// greedily, starting with the one that saves most.
///
/// # Errors
/// As for [`RowValues::of`].
pub(super) fn choose_keys(
    columns: &[Option<Excerpt<'_>>],
    effort: Effort,
    workers: &dyn Workers,
) -> Result<Keys> {
    let mut keys = Keys {
        groups: columns.iter().map(|_| None).collect(),
        of_columns: vec![None; columns.len()],
    };
    let candidates = candidates(columns, effort, workers);
    if candidates.is_empty() {
        return Ok(keys);
    }
    let total: f64 = columns.iter().flatten().map(Excerpt::bytes).sum();
    let trials = map(workers, columns.iter().collect(), |excerpt| {
        excerpt
            .as_ref()
            .filter(|excerpt| excerpt.bytes() > total * effort.worth_a_trial)
            .map(|excerpt| OrderTrial::new(excerpt, effort))
    });
    // The savings of each column, by candidate.
    let savings = map(
        workers,
        candidates.iter().collect(),
        |(candidate, groups)| {
            let order = effort.sample(groups.order());
            let mut saved = vec![0.0; columns.len()];
            for (at, trial) in trials.iter().enumerate() {
                if let Some(trial) = trial
                    && at != *candidate
                {
                    saved[at] = trial.saving(&order);
                }
            }
            saved
        },
    );
    let (positions, groups): (Vec<_>, Vec<_>) = candidates.into_iter().unzip();
    let chosen = best_together(&positions, &savings, MOST_KEYS);
    let of_all_rows = try_map(workers, chosen.clone(), |key| {
        match &columns[positions[key]] {
            Some(Excerpt { whole, rows, .. }) if *rows < whole.rows => {
                Ok(groups_of(&whole.values(whole.chunks)?, whole.rows))
            }
            _ => Ok(Some(groups[key].clone())),
        }
    })?;
    for (&key, groups) in chosen.iter().zip(of_all_rows) {
        keys.groups[positions[key]] = groups;
    }
    for (at, of_column) in keys.of_columns.iter_mut().enumerate() {
        let best = chosen
            .iter()
            .map(|&key| (positions[key], savings[key][at]))
            .reduce(|a, b| if b.1 > a.1 { b } else { a });
        *of_column = best.filter(|(_, saving)| *saving > 0.0 && keys.groups[at].is_none());
    }
    Ok(keys)
}

impl Column<'_> {
    /// The values of all rows in some chunks of the column.
    fn values(&self, chunks: &[ArrayRef]) -> Result<RowValues> {
        RowValues::of(self.data_type, &gather::chunks(chunks))
    }
}

/// The rows of a column that estimates look at.
pub(super) struct Excerpt<'a> {
    pub whole: Column<'a>,
    values: RowValues,
    pub rows: usize,
}

impl<'a> Excerpt<'a> {
    /// All rows, or some stretches if there are more than `most`.
    fn of(whole: Column<'a>, most: usize) -> Result<Self> {
        let rows = whole.rows;
        if rows <= most {
            let values = whole.values(whole.chunks)?;
            return Ok(Self {
                whole,
                values,
                rows,
            });
        }
        let stretch = most / STRETCHES;
        let mut chunks = Vec::new();
        for at in 0..STRETCHES {
            let start = (rows - stretch) * at / (STRETCHES - 1);
            let (mut before, mut left) = (start, stretch);
            for chunk in whole.chunks {
                let skipped = before.min(chunk.len());
                let taken = left.min(chunk.len() - skipped);
                if taken > 0 {
                    chunks.push(chunk.slice(skipped, taken));
                }
                (before, left) = (before - skipped, left - taken);
            }
        }
        let values = whole.values(&chunks)?;
        Ok(Self {
            whole,
            values,
            rows: stretch * STRETCHES,
        })
    }

    /// The approximate size of the whole column in bytes.
    pub fn bytes(&self) -> f64 {
        self.whole.bytes
    }

    /// The same in bits per value.
    pub fn bits_per_value(&self) -> f64 {
        let nulls = self.whole.chunks.iter().map(Array::null_count);
        let valid = self.whole.rows - nulls.sum::<usize>();
        self.bytes() * 8.0 / valid.max(1) as f64
    }

    /// True if its values stand for integers.
    pub fn has_wholes(&self) -> bool {
        let is_number = matches!(self.values.values(), Values::Numbers(_));
        is_number && (*self.whole.data_type != DataType::Float64 || self.whole.exponent.is_some())
    }

    /// The integer that the value of a row stands for; `None` for a null.
    pub fn whole_of(&self, row: usize) -> Option<i64> {
        let value = self.values.number(row)?;
        Some(whole(value, self.whole.exponent))
    }
}

/// The groups of rows of a column, if others may be grouped by it.
fn groups_of(key: &RowValues, rows: usize) -> Option<Groups> {
    let groups = Groups::of(key, rows / LEAST_GROUP);
    groups.filter(|groups| groups.count() > 1 && groups.runs() > groups.count())
}

/// The columns that others may be grouped by, the largest first, with their groups.
fn candidates(
    columns: &[Option<Excerpt<'_>>],
    effort: Effort,
    workers: &dyn Workers,
) -> Vec<(usize, Groups)> {
    let most = effort.most_trials / columns.len().max(1);
    if most == 0 {
        return Vec::new();
    }
    let bytes = |at: usize| columns[at].as_ref().map_or(0.0, Excerpt::bytes);
    let largest_first = |a: usize, b: usize| bytes(b).total_cmp(&bytes(a));
    let mut tried: Vec<usize> = (0..columns.len())
        .filter(|&at| columns[at].is_some())
        .collect();
    if tried.len() > effort.most_candidates {
        tried.sort_by(|&a, &b| largest_first(a, b));
        tried.truncate(effort.most_candidates);
        tried.sort_unstable();
    }
    let found = map(workers, tried, |at| {
        let excerpt = columns[at].as_ref()?;
        let groups = groups_of(&excerpt.values, excerpt.rows)?;
        Some((at, groups))
    });
    let mut candidates: Vec<(usize, Groups)> = Vec::new();
    for (at, groups) in found.into_iter().flatten() {
        // Keep only one of several columns with the same groups.
        if candidates.iter().all(|(_, known)| *known != groups) {
            candidates.push((at, groups));
        }
    }
    candidates.sort_by(|(a, _), (b, _)| largest_first(*a, *b));
    candidates.truncate(most);
    candidates
}

/// The candidates that save most together, at most `most` and the best first. They are keys, or reference columns;
/// `savings[i][column]` is the saving if a column uses candidate i. A column that is used cannot use another one.
///
/// Each step takes the candidate with the greatest gain over the keys so far. A column contributes what it saves beyond
/// its best key so far; what a new key saved by being grouped itself is lost. For example, if columns c and d save 50
/// and 60 by key a, and 55 and 80 by key b, b is first, with 135 bytes; a then gains nothing.
pub(super) fn best_together(candidates: &[usize], savings: &[Vec<f64>], most: usize) -> Vec<usize> {
    let mut keys: Vec<usize> = Vec::new();
    // The saving of each column with the best of the keys so far.
    let mut best = vec![0.0; savings.first().map_or(0, Vec::len)];
    while keys.len() < most {
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
        let Some((_, key)) = found.filter(|(gain, _)| *gain >= LEAST_BYTES as f64) else {
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
struct OrderTrial<'a> {
    excerpt: &'a Excerpt<'a>,
    effort: Effort,
    /// Bytes per value of the sample in row order, if samples are encoded.
    width: Option<f64>,
    /// How much adjacent values of the sample differ in row order.
    roughness: f64,
}

impl<'a> OrderTrial<'a> {
    fn new(excerpt: &'a Excerpt<'a>, effort: Effort) -> Self {
        let rows = effort.sample(&in_order_rows(excerpt.rows));
        let mut trial = Self {
            excerpt,
            effort,
            width: None,
            roughness: 0.0,
        };
        trial.roughness = trial.roughness_of(&rows);
        trial.width = effort.encodes_samples.then(|| trial.width_of(&rows));
        trial
    }

    fn roughness_of(&self, sample: &[u32]) -> f64 {
        let rows = self.effort.glance(sample);
        // Encodings find common prefixes in any order, so these only count if the sample is encoded, too.
        let prefixes = self.effort.encodes_samples;
        self.excerpt.values.roughness(&rows, prefixes) as f64
    }

    /// The estimated saving with another order of rows in bytes, given a sample in that order.
    fn saving(&self, sample: &[u32]) -> f64 {
        // Encoding the sample takes far longer than comparing its neighbors.
        let roughness = self.roughness_of(sample);
        if roughness > self.roughness {
            return 0.0;
        }
        let share = match self.width {
            Some(in_order) => self.width_of(sample) / in_order,
            None => roughness / self.roughness,
        };
        if share < self.effort.promising {
            self.excerpt.bytes() * (1.0 - share)
        } else {
            0.0
        }
    }

    /// Bytes per value of a sample with light encodings.
    fn width_of(&self, sample: &[u32]) -> f64 {
        let cascade = Cascade::new(Preset::Balanced, SectionCodec::Zstd(1));
        let values = self.excerpt.values.pick(sample);
        let count = values.len();
        let bytes = match count {
            0 => 0,
            _ => cost(
                &runs(self.excerpt.whole.data_type, values, cascade, None),
                cascade,
            ),
        };
        bytes.max(1) as f64 / count.max(1) as f64
    }
}

pub(super) fn in_order_rows(rows: usize) -> Vec<u32> {
    (0..rows as u32).collect()
}
