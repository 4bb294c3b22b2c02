//! Statistics from one pass over integers, for choices that need no search.

use crate::wire::encodings::bit_packed::width_of;

/// Statistics of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunStats {
    /// The minimum.
    pub min: i64,
    /// The maximum.
    pub max: i64,
    /// Number of runs of equal values.
    pub runs: usize,
    /// The smallest difference between adjacent rows (wrapping); 0 for a single row.
    pub min_step: i64,
    /// The largest difference.
    pub max_step: i64,
}

impl RunStats {
    /// Computes the statistics of at least one value.
    pub fn of(values: &[i64]) -> Self {
        let mut before = values.first().copied().unwrap_or(0);
        let mut stats = Self {
            min: before,
            max: before,
            runs: 1,
            min_step: i64::MAX,
            max_step: i64::MIN,
        };
        for &value in values.iter().skip(1) {
            let step = value.wrapping_sub(before);
            stats.min = stats.min.min(value);
            stats.max = stats.max.max(value);
            stats.min_step = stats.min_step.min(step);
            stats.max_step = stats.max_step.max(step);
            stats.runs += usize::from(step != 0);
            before = value;
        }
        if values.len() == 1 {
            (stats.min_step, stats.max_step) = (0, 0);
        }
        stats
    }

    /// Number of bits of the values relative to the minimum.
    pub fn width(&self) -> u8 {
        width_of(self.max.wrapping_sub(self.min) as u64)
    }
}
