//! Summarises many values in little memory: the number of distinct values, the frequent ones, and a sample.
//!
//! The results do not depend on how values are divided into frames, except for counts of values that are too many to be
//! counted exactly.

use hashbrown::HashMap;

/// How many distinct values to count exactly.
const EXACT_VALUES: usize = 1 << 13;
/// Number of values in a sample.
pub const SAMPLE_VALUES: u64 = 1 << 13;
/// Number of bits of a hash that select a register.
const REGISTER_BITS: u32 = 12;

type ValueHash = foldhash::quality::FixedState;

/// Counts of the most frequent values, or of all values while there are few (Misra and Gries, "Finding repeated
/// elements", 1982).
#[derive(Clone, Debug, Default)]
pub struct Counts {
    by_value: HashMap<Box<[u8]>, u64, ValueHash>,
    /// How much too low a count may be. A value that is not listed occurs at most this often.
    error: u64,
}

impl Counts {
    /// Adds `count` occurrences of a value.
    pub fn add(&mut self, value: &[u8], count: u64) {
        match self.by_value.get_mut(value) {
            Some(known) => *known += count,
            None => {
                self.by_value.insert(value.into(), count);
            }
        }
        if self.by_value.len() > 2 * EXACT_VALUES {
            self.prune();
        }
    }

    /// Adds other counts.
    pub fn join(&mut self, other: Self) {
        for (value, count) in other.by_value {
            *self.by_value.entry(value).or_default() += count;
        }
        self.error += other.error;
        if self.by_value.len() > EXACT_VALUES {
            self.prune();
        }
    }

    /// Drops the rarest values, so that at most [`EXACT_VALUES`] remain.
    fn prune(&mut self) {
        let mut counts: Vec<u64> = self.by_value.values().copied().collect();
        let (_, &mut most_rare, _) = counts.select_nth_unstable_by(EXACT_VALUES, |a, b| b.cmp(a));
        // The amount subtracted from all counts is the error of each. Ties are dropped together, so that order does not
        // matter.
        self.by_value.retain(|_, count| {
            *count = count.saturating_sub(most_rare);
            *count > 0
        });
        self.error += most_rare;
    }

    /// The number of distinct values, if it is exact.
    pub fn exact(&self) -> Option<u64> {
        let len = self.by_value.len();
        (self.error == 0 && len <= EXACT_VALUES).then_some(len as u64)
    }

    /// How much too low the counts may be.
    pub fn error(&self) -> u64 {
        self.error
    }

    /// The most frequent values, as far as no other value can be more frequent; values that occur once are not
    /// frequent.
    pub fn most_frequent(&self, most: usize) -> Vec<(&[u8], u64)> {
        let mut found: Vec<_> = self
            .by_value
            .iter()
            .map(|(value, &count)| (&value[..], count))
            .filter(|(_, count)| *count > self.error.max(1))
            .collect();
        found.sort_unstable_by(|(a, more), (b, less)| less.cmp(more).then(a.cmp(b)));
        found.truncate(most);
        found
    }
}

/// An estimate of the number of distinct values, with a standard error of 1.6 % (Flajolet et al., "`HyperLogLog`: the
/// analysis of a near-optimal cardinality estimation algorithm", 2007).
#[derive(Clone, Debug)]
pub struct HyperLogLog {
    /// For each register, the longest run of zeros, plus one, among the hashes that selected it.
    registers: Vec<u8>,
}

impl Default for HyperLogLog {
    fn default() -> Self {
        Self {
            registers: vec![0; 1 << REGISTER_BITS],
        }
    }
}

impl HyperLogLog {
    /// Adds a value.
    pub fn add(&mut self, value: &[u8]) {
        use std::hash::BuildHasher as _;
        let hash = ValueHash::default().hash_one(value);
        let register = (hash >> (64 - REGISTER_BITS)) as usize;
        let zeros = (hash << REGISTER_BITS)
            .leading_zeros()
            .min(64 - REGISTER_BITS) as u8;
        self.registers[register] = self.registers[register].max(zeros + 1);
    }

    /// Adds the values of another sketch.
    pub fn join(&mut self, other: &Self) {
        for (register, other) in self.registers.iter_mut().zip(&other.registers) {
            *register = (*register).max(*other);
        }
    }

    /// The estimated number of distinct values.
    pub fn estimate(&self) -> u64 {
        let count = self.registers.len() as f64;
        let inverse = |&zeros: &u8| 2_f64.powi(-i32::from(zeros));
        let sum: f64 = self.registers.iter().map(inverse).sum();
        let alpha = 0.7213 / (1.0 + 1.079 / count);
        let estimate = alpha * count * count / sum;
        let is_empty = |&zeros: &u8| usize::from(zeros == 0);
        let empty: usize = self.registers.iter().map(is_empty).sum();
        // For few values, the number of empty registers gives a better estimate.
        let linear = count * (count / empty as f64).ln();
        let is_few = empty > 0 && estimate <= 2.5 * count;
        (if is_few { linear } else { estimate }).round() as u64
    }
}

/// A uniform sample: the values of the rows whose numbers have the smallest hashes.
#[derive(Clone, Debug)]
pub struct UniformSample<T> {
    values: Vec<(u64, T)>,
}

impl<T> Default for UniformSample<T> {
    fn default() -> Self {
        Self { values: Vec::new() }
    }
}

impl<T> UniformSample<T> {
    /// Samples rows, given by number and position; `value` is called only for those in the sample.
    pub fn of<P: Copy>(
        rows: impl Iterator<Item = (u64, P)>,
        value: impl Fn(P) -> Option<T>,
    ) -> Self {
        let mut rows: Vec<_> = rows.map(|(row, place)| (mixed(row), place)).collect();
        keep_sample(&mut rows);
        let values = rows
            .into_iter()
            .filter_map(|(hash, place)| Some((hash, value(place)?)));
        Self {
            values: values.collect(),
        }
    }

    /// Adds the sample of other rows.
    pub fn join(&mut self, other: Self) {
        self.values.extend(other.values);
        // Only when there are twice as many, so that many small samples take no more time than a few large ones.
        if self.values.len() > 2 * SAMPLE_VALUES as usize {
            keep_sample(&mut self.values);
        }
    }

    /// The values in no particular order.
    pub fn into_values(mut self) -> impl Iterator<Item = T> {
        keep_sample(&mut self.values);
        self.values.into_iter().map(|(_, value)| value)
    }
}

/// Keeps the values with the smallest hashes, at most [`SAMPLE_VALUES`].
fn keep_sample<T>(values: &mut Vec<(u64, T)>) {
    let most = SAMPLE_VALUES as usize;
    if values.len() > most {
        values.select_nth_unstable_by_key(most, |(hash, _)| *hash);
        values.truncate(most);
    }
}

/// A hash of a row number without collisions (the finalizer of `SplitMix64`).
fn mixed(row: u64) -> u64 {
    let mut hash = row.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_counted_exactly_and_frequent_ones_are_never_missed() {
        let mut counts = Counts::default();
        for value in 0..1000_u32 {
            counts.add(&value.to_le_bytes(), 1 + u64::from(value == 7));
        }
        assert_eq!(counts.exact(), Some(1000));
        assert_eq!(counts.most_frequent(3), [(&7_u32.to_le_bytes()[..], 2)]);

        // One row in a hundred has the same value.
        let mut all = Counts::default();
        for part in 0..10_u32 {
            let mut counts = Counts::default();
            for value in 0..30_000 {
                let value = if value % 100 == 0 {
                    0
                } else {
                    part * 30_000 + value
                };
                counts.add(&value.to_le_bytes(), 1);
            }
            all.join(counts);
        }
        assert_eq!(all.exact(), None);
        let top = all.most_frequent(3);
        assert_eq!(top.len(), 1);
        assert_eq!(top[0].0, 0_u32.to_le_bytes());
        assert!(
            top[0].1 <= 3000 && top[0].1 + all.error() >= 3000,
            "{top:?}"
        );
    }

    #[test]
    fn estimates_are_within_four_standard_errors() {
        for count in [0_u64, 10, 5000, 20_000, 1_000_000] {
            let mut whole = HyperLogLog::default();
            let mut halves = [HyperLogLog::default(), HyperLogLog::default()];
            for value in 0..count {
                whole.add(&value.to_le_bytes());
                halves[(value % 2) as usize].add(&value.to_le_bytes());
            }
            let [mut joined, other] = halves;
            joined.join(&other);
            assert_eq!(joined.estimate(), whole.estimate());
            let off = whole.estimate().abs_diff(count) as f64;
            assert!(off <= 0.065 * count as f64, "{count}: off by {off}");
        }
    }

    #[test]
    fn a_sample_does_not_depend_on_frames() {
        let rows = 50_000;
        let of = |rows: std::ops::Range<u64>| UniformSample::of(rows.map(|row| (row, row)), Some);
        let whole = of(0..rows);
        let mut joined = of(0..123);
        joined.join(of(123..rows));
        let sorted = |sample: UniformSample<u64>| {
            let mut values: Vec<_> = sample.into_values().collect();
            values.sort_unstable();
            values
        };
        let whole = sorted(whole);
        assert_eq!(whole.len() as u64, SAMPLE_VALUES);
        assert_eq!(whole, sorted(joined));
        // The median of a uniform sample is near the middle; its standard error is 0.55 %.
        let middle = whole[whole.len() / 2] as f64 / rows as f64;
        assert!((middle - 0.5).abs() < 0.025, "{middle}");
    }
}
