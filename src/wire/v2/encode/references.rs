//! Chooses the columns of a frame that others are stored as differences from.
//!
//! The differences of each pair of number columns of the same type are looked at in few rows. If they seem to take fewer
//! bits than the encoded column does, the whole column is encoded as differences, too, and the smaller result is kept.

use super::keys::{Effort, Excerpt, Keys, best_together, in_order_rows};
use crate::wire::codec::entropy;
use crate::wire::v2::reference::Reference;
use crate::wire::workers::{Workers, map};

/// The most reference columns of a table.
const MOST_REFERENCES: usize = 16;

/// The lags to try.
const LAGS: [usize; 2] = [0, 1];

/// Fewer sampled differences than this say too little.
const LEAST_SAMPLED: usize = 64;

/// Of a sample, one chunk in this many is looked at first.
const CHUNKS_PER_GLANCE: usize = 4;

/// The rest of a sample is not worth a look if these seem to take so much more than what is promising.
const DOUBT: f64 = 0.05;

/// Chooses a reference for some of the columns for which `may_differ` is true. No reference column has a reference
/// itself. A key gets one only if that saves more than its being a key.
pub(super) fn choose_references(
    columns: &[Option<Excerpt<'_>>],
    may_differ: impl Fn(usize) -> bool + Sync,
    keys: &Keys,
    effort: Effort,
    workers: &dyn Workers,
) -> Vec<Option<Reference>> {
    let mut chosen = vec![None; columns.len()];
    let rows = columns.iter().flatten().map(|column| column.rows).next();
    let rows = effort.sample(&in_order_rows(rows.unwrap_or(0)));
    let numbers: Vec<usize> = (0..columns.len())
        .filter(|&at| columns[at].as_ref().is_some_and(Excerpt::has_wholes))
        .collect();
    let most = effort.most_trials / numbers.len().max(1);
    if numbers.len() < 2 || most == 0 {
        return chosen;
    }
    let samples = map(workers, numbers, |at| {
        columns[at]
            .as_ref()
            .map(|column| Sample::of(at, column, &rows))
    });
    let samples: Vec<Sample<'_>> = samples.into_iter().flatten().collect();
    let total: f64 = columns.iter().flatten().map(Excerpt::bytes).sum();
    let least = total * effort.worth_a_trial;
    // The savings of each column, by reference column.
    let places = (0..samples.len()).collect();
    let mut savings = map(workers, places, |reference: usize| {
        let mut savings = vec![0.0; columns.len()];
        // Columns that depend on each other are seldom far apart.
        let near = reference.saturating_sub(most / 2)..samples.len().min(reference + most / 2 + 1);
        for at in near.filter(|at| *at != reference) {
            let sample = &samples[at];
            if sample.column.bytes() > least
                && may_differ(sample.position)
                && let Some((saving, _)) = sample.saving(&samples[reference], effort)
            {
                savings[sample.position] = saving;
            }
        }
        savings
    });
    without_keys(&mut savings, keys);
    let positions: Vec<usize> = samples.iter().map(|sample| sample.position).collect();
    let references = best_together(&positions, &savings, MOST_REFERENCES);
    for (place, sample) in samples.iter().enumerate() {
        let at = sample.position;
        let saving = |of: &usize| savings[*of][at];
        let best = references
            .iter()
            .copied()
            .max_by(|a, b| saving(a).total_cmp(&saving(b)));
        if let Some(of) = best.filter(|of| saving(of) > 0.0 && !references.contains(&place))
            && let Some((_, lag)) = sample.saving(&samples[of], effort)
        {
            chosen[at] = Some(Reference {
                column: positions[of],
                lag,
                exponent: sample.column.whole.exponent,
            });
        }
    }
    chosen
}

/// Subtracts from what a key saves as differences what other columns save with it as their key, and not as differences.
fn without_keys(savings: &mut [Vec<f64>], keys: &Keys) {
    let mut lost = vec![0.0; keys.of_columns.len()];
    for (at, key) in keys.of_columns.iter().enumerate() {
        if let Some((key, saving)) = *key {
            let as_differences = savings
                .iter()
                .map(|savings| savings[at])
                .fold(0.0, f64::max);
            lost[key] += (saving - as_differences).max(0.0);
        }
    }
    for savings in savings {
        for (saving, lost) in savings.iter_mut().zip(&lost) {
            *saving = (*saving - lost).max(0.0);
        }
    }
}

/// The integers of some rows of a column, and of the rows before these; `None` for nulls.
struct Sample<'a> {
    position: usize,
    column: &'a Excerpt<'a>,
    wholes: [Vec<Option<i64>>; LAGS.len()],
}

impl<'a> Sample<'a> {
    fn of(position: usize, column: &'a Excerpt<'a>, rows: &[u32]) -> Self {
        let wholes = LAGS.map(|lag| {
            let earlier = |row: &u32| (*row as usize).checked_sub(lag);
            let whole = |row: &u32| column.whole_of(earlier(row)?);
            rows.iter().map(whole).collect()
        });
        Self {
            position,
            column,
            wholes,
        }
    }

    /// True if differences from the other column mean something.
    fn is_like(&self, other: &Self) -> bool {
        let [own, other] = [self, other].map(|sample| &sample.column.whole);
        own.data_type == other.data_type && own.exponent == other.exponent
    }

    /// The estimated saving in bytes if the column is stored as differences from the other one, and the lag to use.
    fn saving(&self, reference: &Self, effort: Effort) -> Option<(f64, usize)> {
        if !self.is_like(reference) {
            return None;
        }
        let bits_now = self.column.bits_per_value();
        let share_of = |lag: usize, step: usize| {
            let [own, others] = [&self.wholes[0], &reference.wholes[lag]].map(|wholes| {
                let chunks = wholes.chunks(effort.chunk).step_by(step);
                chunks.flatten()
            });
            let differences: Vec<i64> = (own.zip(others))
                .filter_map(|(own, other)| Some(own.as_ref()?.wrapping_sub(*other.as_ref()?)))
                .collect();
            if differences.len() < LEAST_SAMPLED {
                return f64::INFINITY;
            }
            let mut least = bits(&differences);
            if lag == 0 {
                // The differences may change slowly.
                let steps = differences.windows(2);
                let steps: Vec<i64> = steps.map(|pair| pair[1].wrapping_sub(pair[0])).collect();
                least = least.min(bits(&steps));
            }
            least / bits_now
        };
        let shares = LAGS.map(|lag| {
            let glance = share_of(lag, CHUNKS_PER_GLANCE);
            if glance > effort.promising_differences + DOUBT {
                glance
            } else {
                share_of(lag, 1)
            }
        });
        let lag = usize::from(shares[1] < shares[0]);
        let share = shares[lag];
        (share < effort.promising_differences)
            .then(|| (self.column.bytes() * (1.0 - share), LAGS[lag]))
    }
}

/// The approximate number of bits per value after entropy coding: the entropy of the values to three binary digits, and the
/// digits below. The values need not be near 0, but near each other.
fn bits(values: &[i64]) -> f64 {
    const EXACT: u64 = 8;
    const DIGITS: u32 = 2;
    const MAGNITUDES: usize = EXACT as usize + (64 << DIGITS);
    let mut spread: [i64; 9] = std::array::from_fn(|at| values[at * (values.len() - 1) / 8]);
    spread.sort_unstable();
    let middle = spread[4];
    let mut counts = [0_u32; 2 * MAGNITUDES];
    let mut low = 0_u64;
    for value in values {
        let step = value.wrapping_sub(middle);
        let size = step.unsigned_abs();
        let magnitude = if size < EXACT {
            size as usize
        } else {
            let below = size.ilog2() - DIGITS;
            low += u64::from(below);
            let digits = size >> below & ((1 << DIGITS) - 1);
            EXACT as usize + ((below as usize) << DIGITS) + digits as usize
        };
        counts[magnitude + usize::from(step < 0) * MAGNITUDES] += 1;
    }
    entropy(&counts) + low as f64 / values.len() as f64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, Decimal64Array, Float64Array, Int64Array, RecordBatch, StringArray,
    };
    use arrow_schema::Schema;

    use super::*;
    use crate::wire::DEFAULT_MAX_FRAME;
    use crate::wire::choose::Preset;
    use crate::wire::v2::{
        Decoder, EncodeOptions, EncodedColumn, Encoder, Envelope, Plan, PriorFrames,
    };

    const ROWS: usize = 3000;

    /// Pseudo-random numbers below `most`.
    fn noise(seed: u64, most: u64) -> Vec<i64> {
        let step = |x: u64| {
            x.wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(seed * 2 + 1)
        };
        let states = std::iter::successors(Some(step(seed)), |&x| Some(step(x)));
        states
            .map(|x| ((x >> 33) % most) as i64)
            .take(ROWS)
            .collect()
    }

    fn plus(a: &[i64], b: &[i64]) -> Vec<i64> {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }

    /// Columns of one type: wide noise, the same with little noise added, and with the first one's last row.
    fn related(array: impl Fn(Vec<i64>) -> ArrayRef) -> RecordBatch {
        let base = noise(1, 1 << 20);
        let near = plus(&base, &noise(2, 100));
        let mut later = base.clone();
        later.rotate_right(1);
        let later = plus(&later, &noise(3, 100));
        let columns = ["base", "near", "later"]
            .into_iter()
            .zip([base, near, later]);
        RecordBatch::try_from_iter(columns.map(|(name, values)| (name, array(values)))).unwrap()
    }

    fn with_nulls(values: Vec<i64>) -> ArrayRef {
        let values = values.into_iter().enumerate();
        let some = values.map(|(row, value)| (row % 3 > 0 || value % 7 > 0).then_some(value));
        Arc::new(some.collect::<Int64Array>())
    }

    fn kinds() -> [RecordBatch; 4] {
        let cents = |values: Vec<i64>| {
            Decimal64Array::from(values)
                .with_precision_and_scale(18, 2)
                .unwrap()
        };
        let halves = |values: Vec<i64>| values.into_iter().map(|value| value as f64 / 2.0);
        [
            related(|values| Arc::new(Int64Array::from(values))),
            related(move |values| Arc::new(cents(values))),
            related(move |values| Arc::new(Float64Array::from_iter_values(halves(values)))),
            related(with_nulls),
        ]
    }

    fn encoded(batch: &RecordBatch, preset: Preset, plans: &[Plan]) -> Vec<EncodedColumn> {
        let encoder = Encoder::new(EncodeOptions::of(preset));
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns()).enumerate();
        let columns = columns.map(|(at, (field, array))| {
            let prior = PriorFrames {
                plan: plans.get(at),
                ..PriorFrames::default()
            };
            let column =
                encoder.groupable_column(Arc::clone(field), vec![Arc::clone(array)], prior);
            (column.unwrap(), prior)
        });
        encoder.group(columns.collect()).unwrap()
    }

    fn references(columns: &[EncodedColumn]) -> Vec<Option<(usize, usize)>> {
        let reference = |column: &EncodedColumn| {
            let reference = column.column.reference()?;
            Some((reference.column, reference.lag))
        };
        columns.iter().map(reference).collect()
    }

    /// Checks that the columns hold the rows of the batch, together and each by itself.
    fn check(columns: Vec<EncodedColumn>, batch: &RecordBatch) {
        let encoder = Encoder::new(EncodeOptions::of(Preset::Balanced));
        let mut bytes = Vec::new();
        let metadata = batch.schema().metadata().clone();
        let rows = batch.num_rows();
        encoder
            .envelope(rows, &metadata, columns, None, &mut bytes)
            .unwrap();
        let envelope = Envelope::read(&bytes, DEFAULT_MAX_FRAME).unwrap();
        let decoder = Decoder::new(DEFAULT_MAX_FRAME);
        let all = decoder.decode(&bytes, &envelope, |_, _| true).unwrap();
        assert_eq!(all.columns(), batch.columns());
        for at in 0..batch.num_columns() {
            let one = decoder
                .decode(&bytes, &envelope, |position, _| position == at)
                .unwrap();
            assert_eq!(one.columns(), &batch.columns()[at..=at]);
        }
    }

    #[test]
    fn columns_near_another_one_are_stored_as_differences() {
        for batch in kinds() {
            for preset in [Preset::Balanced, Preset::Small] {
                let columns = encoded(&batch, preset, &[]);
                assert_eq!(references(&columns), [None, Some((0, 0)), Some((0, 1))]);
                check(columns, &batch);
            }
            let columns = encoded(&batch, Preset::Fast, &[]);
            assert_eq!(references(&columns), [None; 3]);
        }
    }

    #[test]
    fn later_frames_store_the_same_differences_while_they_can() {
        let [ints, cents, ..] = kinds();
        let columns = encoded(&ints, Preset::Balanced, &[]);
        let found = references(&columns);
        let plans: Vec<Plan> = columns.iter().map(|column| column.plan(None)).collect();
        let columns = encoded(&ints, Preset::Balanced, &plans);
        assert_eq!(references(&columns), found);
        check(columns, &ints);
        // The reference column may become one of another type, or may go.
        let words: ArrayRef = Arc::new(StringArray::from(vec!["a"; ROWS]));
        let without = |base: &ArrayRef| {
            let columns = [base, ints.column(1), ints.column(2)].map(Arc::clone);
            let names = ["base", "near", "later"].into_iter();
            RecordBatch::try_from_iter(names.zip(columns)).unwrap()
        };
        for batch in [
            without(&words),
            without(cents.column(0)),
            ints.project(&[2]).unwrap(),
        ] {
            let plans = &plans[3 - batch.num_columns()..];
            let columns = encoded(&batch, Preset::Balanced, plans);
            assert!(references(&columns).iter().all(Option::is_none));
            check(columns, &batch);
        }
        let empty = RecordBatch::new_empty(Arc::new(Schema::empty()));
        assert!(encoded(&empty, Preset::Balanced, &[]).is_empty());
    }

    #[test]
    fn bits_of_uniform_numbers_are_their_logarithm() {
        for most in [1, 2, 10, 1000, 1 << 20] {
            let values: Vec<i64> = noise(7, most).iter().map(|value| value + 12_345).collect();
            let expected = (most as f64).log2();
            assert!(
                (bits(&values) - expected).abs() < 0.3,
                "{most}: {}",
                bits(&values)
            );
        }
    }
}
