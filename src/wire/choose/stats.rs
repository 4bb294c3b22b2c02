//! What one pass over whole numbers shows; cheap verdicts rest on it.

use crate::wire::encodings::bit_packed::width_of;

/// Statistics of a run of at least one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stats {
    /// Least value.
    pub min: i64,
    /// Greatest value.
    pub max: i64,
    /// Number of runs of equal values.
    pub runs: usize,
    /// Least difference from row to row (wrapped); 0 for a single row.
    pub min_step: i64,
    /// Greatest difference.
    pub max_step: i64,
}

impl Stats {
    /// One pass.
    pub fn of(values: &[i64]) -> Option<Self> {
        let mut before = *values.first()?;
        let mut stats = Self {
            min: before,
            max: before,
            runs: 1,
            min_step: i64::MAX,
            max_step: i64::MIN,
        };
        for &value in &values[1..] {
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
        Some(stats)
    }

    /// Bits of the values above the least.
    pub fn width(&self) -> u8 {
        width_of(self.max.wrapping_sub(self.min) as u64)
    }
}
